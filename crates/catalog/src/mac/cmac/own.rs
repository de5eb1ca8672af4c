//! AES-CMAC by this project's own code, which tags several messages at once.

use std::any::Any;
use std::cell::Cell;

use fieldtest_aes_cmac::{Cmac as Prepared, Lane, Path, tag_many_on};
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Job, MacKey};

use super::super::keyed::{Function, exactly, one_by_one, too_long};

const LONGEST_TAG: usize = 16;

/// AES-CMAC with AES of `ROUNDS` rounds, on one code path.
#[derive(Clone)]
pub(super) struct Cmac<const ROUNDS: usize>(pub(super) Path);

/// The code differs by key length alone.
macro_rules! cmac {
    ($rounds:literal) => {
        impl Function for Cmac<$rounds> {
            type Key = Key<$rounds>;

            fn longest_tag(&self) -> usize {
                LONGEST_TAG
            }

            fn key(&self, key: &[u8]) -> Result<Self::Key, Error> {
                Ok(Key { cmac: Prepared::<$rounds>::new(exactly(key)?), path: self.0 })
            }

            fn tag_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
                tag_many::<$rounds>(self.0, jobs)
            }
        }
    };
}

cmac!(10);
cmac!(14);

fn tag_many<const ROUNDS: usize>(path: Path, jobs: &mut [Job<'_>]) -> Result<(), Error> {
    let own = |key| (key as &dyn Any).downcast_ref::<Key<ROUNDS>>();
    let Some(first) = jobs.first().and_then(|job| own(job.key)) else { return one_by_one(jobs) };
    let foreign = Cell::new(false);
    tag_many_on(path, jobs, |job| {
        let key = own(job.key).unwrap_or_else(|| {
            foreign.set(true);
            first
        });
        Lane { key: &key.cmac, message: job.message, tag: job.tag }
    })
    .map_err(|error| too_long(error.length, LONGEST_TAG))?;
    if foreign.get() { one_by_one(jobs) } else { Ok(()) }
}

pub(super) struct Key<const ROUNDS: usize> {
    cmac: Prepared<ROUNDS>,
    path: Path,
}

impl<const ROUNDS: usize> MacKey for Key<ROUNDS> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.cmac.tag_on(self.path, message, tag).map_err(|error| too_long(error.length, LONGEST_TAG))
    }
}
