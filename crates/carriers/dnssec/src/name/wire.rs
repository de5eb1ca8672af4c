//! Uncompressed names as octets: how long one is, its labels, and the order of RFC 4034, section 6.1.

use super::MAX_NAME;

/// The length of the uncompressed name that `wire` starts with.
pub(crate) fn wire_len(wire: &[u8]) -> Option<usize> {
    let mut at = 0usize;
    loop {
        let label = usize::from(*wire.get(at)?);
        if label > 63 {
            return None;
        }
        at += 1 + label;
        if at > MAX_NAME || at > wire.len() {
            return None;
        }
        if label == 0 {
            return Some(at);
        }
    }
}

/// Where each label of a wire name begins, the root label included. Octets that are no name end with the last label that is whole.
pub(super) fn label_starts(wire: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut next = Some(0usize);
    std::iter::from_fn(move || {
        let start = next?;
        let len = usize::from(*wire.get(start)?);
        wire.get(start + 1..start + 1 + len)?;
        next = (len != 0).then_some(start + 1 + len);
        Some(start)
    })
}

/// The labels of a wire name from the left, without the root.
pub(crate) fn labels(wire: &[u8]) -> impl Iterator<Item = &[u8]> {
    label_starts(wire)
        .map(move |start| &wire[start + 1..start + 1 + usize::from(wire[start])])
        .filter(|l| !l.is_empty())
}

/// Appends the name's *order key*: bytes whose plain comparison is the canonical order of RFC 4034, section 6.1.
///
/// The key is the labels from the right, each closed by a zero octet, with the octets 0 and 1 inside a label written
/// as `1 1` and `1 2`. A name lies at or below another exactly if its key begins with the other's.
pub(crate) fn push_order_key(wire: &[u8], key: &mut Vec<u8>) {
    let mut starts = [0u8; 128];
    let mut count = 0usize;
    for start in label_starts(wire) {
        starts[count] = start as u8;
        count += 1;
    }
    for &start in starts[..count.saturating_sub(1)].iter().rev() {
        let start = usize::from(start);
        for &octet in &wire[start + 1..start + 1 + usize::from(wire[start])] {
            if octet <= 1 {
                key.extend_from_slice(&[1, octet + 1]);
            } else {
                key.push(octet);
            }
        }
        key.push(0);
    }
}
