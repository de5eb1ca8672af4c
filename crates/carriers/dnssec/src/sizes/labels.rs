//! Labels that do not exist, to ask for.

use crate::seeded::Seeded;

/// The characters of host names in the order of their octets, without the hyphen, which may not stand at an end.
const CHARACTERS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Random labels that may exist before the search for free ones is given up.
const TRIES_PER_LABEL: usize = 64;

/// `count` labels of 7 to 12 random letters that are free; the same ones for the same zone.
pub(super) fn random(count: usize, free: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let mut seeded = Seeded::new(1);
    let mut found = Vec::with_capacity(count);
    for _ in 0..count * TRIES_PER_LABEL {
        if found.len() == count {
            break;
        }
        let length = 7 + seeded.below(6) as usize;
        let label: Vec<u8> = (0..length).map(|_| b'a' + seeded.below(26) as u8).collect();
        if free(&label) {
            found.push(label);
        }
    }
    found
}

/// Every free label of one or two characters.
pub(super) fn short(free: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let ones = CHARACTERS.iter().map(|c| vec![*c]);
    let twos = CHARACTERS.iter().flat_map(|a| CHARACTERS.iter().map(|b| vec![*a, *b]));
    ones.chain(twos).filter(|label| free(label)).collect()
}

/// A label strictly between two others in canonical order, of `length` characters or, where there is no room for one
/// that short, as few more as are needed. Without `high`, there is no upper end.
pub(super) fn between(low: &[u8], high: Option<&[u8]>, length: usize) -> Option<Vec<u8>> {
    let fits = |label: &[u8]| label > low && high.is_none_or(|high| label < high);
    // One more character than `low` has always makes a label behind it.
    (1..=(low.len() + 1).min(63)).find_map(|shortest| {
        let mut label = smallest_above(low, shortest)?;
        if !fits(&label) {
            return None;
        }
        label.resize(label.len().max(length), CHARACTERS[0]);
        fits(&label).then_some(label)
    })
}

/// The smallest label of exactly `length` characters that is greater than `low`.
fn smallest_above(low: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut label: Vec<u8> = low.iter().copied().take(length).collect();
    if label.len() < length {
        label.resize(length, CHARACTERS[0]);
        return Some(label);
    }
    // `label` is a beginning of `low`, or `low` itself: count up, as one counts up a number.
    while let Some(last) = label.pop() {
        if let Some(next) = CHARACTERS.iter().find(|c| **c > last) {
            label.push(*next);
            label.resize(length, CHARACTERS[0]);
            return Some(label);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shortest_in_a_gap() {
        let between = |low: &str, high: Option<&str>| {
            super::between(low.as_bytes(), high.map(str::as_bytes), 1)
                .map(|label| String::from_utf8(label).unwrap())
        };
        assert_eq!(between("", Some("aaa")).as_deref(), Some("0"));
        assert_eq!(between("aaa", Some("aarp")).as_deref(), Some("aab"));
        assert_eq!(between("com", Some("community")).as_deref(), Some("com0"));
        assert_eq!(between("zw", None).as_deref(), Some("zx"));
        assert_eq!(between("zz", None).as_deref(), Some("zz0"));
        assert_eq!(between("a", Some("a0")), None);
    }

    proptest! {
        #[test]
        fn lies_between(low in "[a-z0-9]{0,8}", high in "[a-z0-9]{1,8}", length in 1usize..20) {
            if let Some(label) = between(low.as_bytes(), Some(high.as_bytes()), length) {
                prop_assert!(label.as_slice() > low.as_bytes() && label.as_slice() < high.as_bytes());
                prop_assert!(label.len() >= length);
            }
        }
    }
}
