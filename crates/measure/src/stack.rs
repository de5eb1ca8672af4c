//! Runs code at another depth of the stack, so that no contender owes its figure to one lucky alignment
//! (Mytkowicz and others, *Producing wrong data without doing anything obviously wrong!*, ASPLOS 2009).

use std::hint::black_box;

/// Frames that [`at_depth`] may put below the code: together more than a page on the usual machines.
pub(crate) const MAX_DEPTH: usize = 63;

/// Calls `work` below `depth` extra stack frames of a little over 64 bytes each.
pub(crate) fn at_depth<R>(depth: usize, work: impl FnOnce() -> R) -> Option<R> {
    let mut work = Some(work);
    let mut result = None;
    descend(depth.min(MAX_DEPTH), &mut || result = work.take().map(|work| work()));
    result
}

#[inline(never)]
fn descend(depth: usize, work: &mut dyn FnMut()) {
    let padding = [0u8; 64];
    black_box(&padding);
    if depth == 0 {
        work()
    } else {
        descend(depth - 1, work)
    }
    // Used again after the call, so that neither the frame nor the call can be optimised away.
    black_box(&padding);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_moves_the_stack() {
        let address = |depth| {
            at_depth(depth, || {
                let here = 0u8;
                black_box(&here) as *const u8 as usize
            })
            .expect("the work ran")
        };
        assert!(address(0) - address(MAX_DEPTH) >= 64 * MAX_DEPTH);
    }
}
