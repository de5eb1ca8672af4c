//! An operation on data where it lies: what a window times, and what is compared outside of it.

use fieldtest_kinds::Error;
use fieldtest_measure::{Failure, Operation};

/// Changes data where it lies, again and again, as a disk's pages are that stay in a core's caches. The algorithm's first
/// implementation follows outside the timed window, and both have to agree whenever it has caught up.
pub struct InPlace<R, F> {
    run: R,
    follow: F,
    data: Vec<u8>,
    /// What the first implementation has made of the same data.
    followed: Vec<u8>,
    /// How many runs it is behind.
    behind: usize,
}

impl<R, F> InPlace<R, F> {
    /// `run` is what is timed on `data`, and `follow` the same by the algorithm's first implementation.
    pub fn new(data: &[u8], run: R, follow: F) -> InPlace<R, F> {
        InPlace { run, follow, data: data.to_vec(), followed: data.to_vec(), behind: 0 }
    }
}

impl<R, F> Operation for InPlace<R, F>
where
    R: FnMut(&mut [u8]) -> Result<(), Error>,
    F: FnMut(&mut [u8]) -> Result<(), Error>,
{
    type Input = ();
    type Output = Result<(), Error>;

    fn prepare(&mut self, _: u64) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&mut self, (): &mut ()) -> Self::Output {
        self.behind += 1;
        (self.run)(&mut self.data)
    }

    fn check(&mut self, (): (), output: Self::Output) -> Result<(), Failure> {
        output?;
        (self.follow)(&mut self.followed)?;
        self.behind -= 1;
        if self.behind > 0 || self.data == self.followed { Ok(()) } else { Err(DIFFERS.into()) }
    }
}

const DIFFERS: &str = "another result than the algorithm's first implementation";
