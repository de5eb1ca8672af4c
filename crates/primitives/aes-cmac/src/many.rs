//! Many messages at once.

use crate::batch::Batch;
use crate::key::Cmac;
use crate::lane::{Lane, TagTooLong};
use crate::{Path, dispatch};

/// Tags many messages, whose keys and lengths may all differ. `view` shows the message that a job stands for; it is
/// called once for each job, in order.
///
/// # Errors
/// [`TagTooLong`] for the first job that asks for more than 16 bytes; no tag of the jobs may be used then.
pub fn tag_many<'a, const ROUNDS: usize, J>(
    jobs: &'a mut [J],
    view: impl FnMut(&'a mut J) -> Lane<'a, Cmac<ROUNDS>>,
) -> Result<(), TagTooLong> {
    tag_many_on(Path::best(), jobs, view)
}

/// As [`tag_many`], by the given path.
///
/// # Errors
/// As [`tag_many`].
pub fn tag_many_on<'a, const ROUNDS: usize, J>(
    path: Path,
    jobs: &'a mut [J],
    view: impl FnMut(&'a mut J) -> Lane<'a, Cmac<ROUNDS>>,
) -> Result<(), TagTooLong> {
    let mut source = jobs.iter_mut().map(view);
    match source.len() {
        0..=1 => source.try_for_each(|job| job.key.tag_on(path, job.message, job.tag)),
        2..=16 => batches::<ROUNDS, 16>(path, source),
        _ => batches::<ROUNDS, 128>(path, source),
    }
}

/// Tags messages in batches of up to `CAPACITY`; room for more than there are would cost the time to clear it.
fn batches<'a, const ROUNDS: usize, const CAPACITY: usize>(
    path: Path,
    mut source: impl Iterator<Item = Lane<'a, Cmac<ROUNDS>>>,
) -> Result<(), TagTooLong> {
    let (mut slots, mut order) = ([const { None }; CAPACITY], [0; CAPACITY]);
    let mut batch = Batch::new(&mut slots, &mut order);
    loop {
        batch.fill(&mut source)?;
        if batch.is_empty() {
            return Ok(());
        }
        dispatch::tag_many(path, &mut batch);
    }
}
