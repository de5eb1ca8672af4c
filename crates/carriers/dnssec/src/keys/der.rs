//! The little of DER that PKCS #1 keys need: a SEQUENCE of unsigned INTEGERs (RFC 8017, appendix A.1).

use zeroize::Zeroizing;

const INTEGER: u8 = 0x02;
const SEQUENCE: u8 = 0x30;

/// The integers of a SEQUENCE, big endian without leading zeros (zero itself is empty); `None` for anything else.
pub(super) fn integers(der: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut body, rest) = element(SEQUENCE, der)?;
    if !rest.is_empty() {
        return None;
    }
    let mut integers = Vec::new();
    while !body.is_empty() {
        let (content, rest) = element(INTEGER, body)?;
        if content.first().is_none_or(|first| first & 0x80 != 0) {
            return None;
        }
        integers.push(trimmed(content));
        body = rest;
    }
    Some(integers)
}

/// A SEQUENCE of these unsigned integers. It may hold a secret key, so it wipes itself.
pub(super) fn sequence(integers: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let padded = |integer: &[u8]| usize::from(integer.first().is_none_or(|first| first & 0x80 != 0));
    let content: usize = integers
        .iter()
        .map(|integer| {
            let len = trimmed(integer).len() + padded(trimmed(integer));
            1 + length_octets(len) + len
        })
        .sum();
    // The capacity is exact: a vector that grew would leave copies behind.
    let mut out = Zeroizing::new(Vec::with_capacity(1 + length_octets(content) + content));
    push_head(SEQUENCE, content, &mut out);
    for integer in integers {
        let integer = trimmed(integer);
        let pad = padded(integer);
        push_head(INTEGER, integer.len() + pad, &mut out);
        out.extend_from_slice(&[0][..pad]);
        out.extend_from_slice(integer);
    }
    out
}

/// An integer without its leading zeros.
pub(super) fn trimmed(integer: &[u8]) -> &[u8] {
    let zeros = integer.iter().take_while(|octet| **octet == 0).count();
    &integer[zeros..]
}

fn element(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let [found, first, rest @ ..] = der else { return None };
    if *found != tag {
        return None;
    }
    let (len, rest) = match *first {
        short @ 0..=0x7f => (usize::from(short), rest),
        long @ 0x81..=0x83 => {
            let (octets, rest) = rest.split_at_checked(usize::from(long & 0x7f))?;
            (octets.iter().fold(0usize, |len, octet| len << 8 | usize::from(*octet)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(len)
}

fn length_octets(len: usize) -> usize {
    match len {
        0..=0x7f => 1,
        0x80..=0xff => 2,
        0x100..=0xffff => 3,
        _ => 4,
    }
}

fn push_head(tag: u8, len: usize, out: &mut Vec<u8>) {
    out.push(tag);
    let octets = length_octets(len) - 1;
    if octets > 0 {
        out.push(0x80 | octets as u8);
        out.extend_from_slice(&len.to_be_bytes()[size_of::<usize>() - octets..]);
    } else {
        out.push(len as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let long = vec![0x90; 300];
        let given: [&[u8]; 5] = [&[], &[1], &[0x80], &[0x7f, 0], &long];
        let der = sequence(&given);
        assert_eq!(integers(&der).unwrap(), given);
        assert_eq!(*sequence(&[&[0, 0, 3]]), [0x30, 3, 2, 1, 3]);
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for bad in [
            &[][..],
            &[0x30],
            &[0x30, 1],
            &[0x30, 0, 0],
            &[0x30, 2, 2, 0],
            &[0x30, 3, 2, 1, 0x80],
            &[0x31, 0],
        ] {
            assert_eq!(integers(bad), None, "{bad:?}");
        }
    }
}
