//! Many items in one request, so that the way through the pipes is paid once.

use std::ops::Range;

use crate::protocol::LONGEST;

/// Octets of a request from which on no further item is added: the way is lost in them.
const ENOUGH: usize = 1 << 20;

const _: () = assert!(ENOUGH < LONGEST);

/// Which items go together, by the octets of each.
pub(crate) fn batches(sizes: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut octets = 0;
    for (at, size) in sizes.into_iter().enumerate() {
        match all.last_mut() {
            Some(last) if octets + size <= ENOUGH => last.end = at + 1,
            _ => {
                all.push(at..at + 1);
                octets = 0;
            }
        }
        octets += size;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_goes_alone() {
        assert_eq!(batches([]), [] as [Range<usize>; 0]);
        assert_eq!(batches([1, 0, 2]), [Range { start: 0, end: 3 }]);
        assert_eq!(batches([1, ENOUGH, 1, ENOUGH - 1, 1]), [0..1, 1..2, 2..4, 4..5]);
        assert_eq!(batches([LONGEST + 1, 7, 7]), [0..1, 1..3]);
    }
}
