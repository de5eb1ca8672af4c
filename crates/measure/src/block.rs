//! How a benchmark is timed: windows of so many operations, some of them in a block.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a benchmark is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Operations per window.
    pub batch: u64,
    /// How long such a window is.
    pub window: Duration,
    /// Windows in a block, one after the other.
    pub in_a_block: u64,
}

impl Known {
    /// Of windows so long. A turn of short ones has several; fewer where operations leave much behind, which lies in the
    /// caches until the block is over.
    pub(crate) fn new(batch: u64, window: Duration, leaves_much: bool) -> Known {
        let most = if leaves_much { FEW_IN_A_TURN } else { MOST_IN_A_TURN };
        let fit = TURN.as_nanos() / window.as_nanos().max(1);
        Known { batch, window, in_a_block: (fit as u64).clamp(1, most) }
    }

    /// Untimed windows before a block. What an operation works with is touched by many of them together: a verification
    /// looks at a fraction of its key's tables.
    pub(crate) fn warming(self) -> u64 {
        if self.window < VERY_LONG { self.in_a_block } else { 0 }
    }

    /// The turn that begins with this operation.
    pub(crate) fn block(self, first: u64) -> Block {
        Block { first, batch: self.batch, windows: self.in_a_block, warm: self.warming() }
    }
}

/// How long the windows of a block are together, where they are short, and how many there are at most.
const TURN: Duration = Duration::from_micros(300);
const MOST_IN_A_TURN: u64 = 10;
const FEW_IN_A_TURN: u64 = 2;
/// Windows longer than this need no warming.
const VERY_LONG: Duration = Duration::from_millis(20);

/// Windows of one benchmark, one directly after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// The first operation's index.
    pub(crate) first: u64,
    /// Operations of each window.
    pub(crate) batch: u64,
    pub(crate) windows: u64,
    /// Windows that come first, untimed, so that the caches hold what the operations work with.
    pub(crate) warm: u64,
}

impl Block {
    pub(crate) fn operations(self) -> u64 {
        self.batch * (self.windows + self.warm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_windows_for_300_microseconds_and_as_many_untimed_ones_before() {
        for (microseconds, leaves_much, windows, warm) in [
            (0, false, 10, 10),
            (30, false, 10, 10),
            (30, true, 2, 2),
            (60, false, 5, 5),
            (100, false, 3, 3),
            (101, false, 2, 2),
            (150, true, 2, 2),
            (151, false, 1, 1),
            (19_999, false, 1, 1),
            // What takes 20 ms is not repeated for the caches' sake.
            (20_000, false, 1, 0),
            (3_000_000, true, 1, 0),
        ] {
            let window = Duration::from_micros(microseconds);
            let known = Known::new(7, window, leaves_much);
            assert_eq!(known, Known { batch: 7, window, in_a_block: windows }, "{microseconds} µs");
            let block = known.block(40);
            assert_eq!((block.first, block.batch, block.windows, block.warm), (40, 7, windows, warm));
            assert_eq!(block.operations(), 7 * (windows + warm));
        }
    }
}
