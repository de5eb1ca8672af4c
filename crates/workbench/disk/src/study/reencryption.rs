//! All data of a disk under another cipher: decrypted with the one in use, encrypted with each, in memory.

use std::sync::Arc;
use std::time::Duration;

use fieldtest_catalog::Wanted;
use fieldtest_catalog::cipher::Algorithm;
use fieldtest_catalog::kind::Cipher;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::CipherKey;
use fieldtest_measure::record::Input;
use fieldtest_study::whole_job::estimate::Reading;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::whole_job::{self, Cost, in_both_orders, sizes};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};
use rayon::prelude::*;

use super::data::{self, Data};
use super::sectors::{key_of, prepared};
use super::source::Disk;
use super::{BULK, PAGE, fault};
use crate::words::Operation;

/// Bytes of a turn at least: fewer are gone over several times.
const FEWEST_BYTES: usize = 64 << 20;

/// Enters what all data of the disk takes with each subject, drawn out from the sample where that is not all of it.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    (disk, sample): (&Disk, &Data),
    subjects: &[&Subject<Cipher>],
    budget: Duration,
) -> Result<(), StudyError> {
    let in_use = disk.luks.as_ref().and_then(|luks| luks.algorithm);
    let old = in_use.map(|algorithm| in_use_key(algorithm, subjects)).transpose()?;
    let items = disk.size / PAGE as u64;
    let input =
        Input { bytes: disk.size, items, name: disk.path.display().to_string(), ..sample.input.clone() };
    let buffer = std::cell::RefCell::new(sample.bytes.clone());
    let mut jobs: Vec<Job<'_, Reading>> = Vec::with_capacity(subjects.len());
    for subject in subjects {
        let (new, old, buffer) = (prepared(subject)?, old.as_deref(), &buffer);
        let passes = FEWEST_BYTES.div_ceil(sample.bytes.len());
        let work = move |pages: u64| {
            let bytes = &mut buffer.borrow_mut()[..pages as usize * PAGE];
            let mut once = || both(old, new.as_ref(), sample.sector, bytes);
            let done = (0..passes).try_for_each(|_| once());
            done.map_err(|error| subject.failed("encrypting a disk's data", error))
        };
        let each = move |cost: Cost| Cost { wall: cost.wall / passes as f64, cpu: cost.cpu / passes as f64 };
        let turn = move |round: usize| {
            let there = (sample.bytes.len() / PAGE) as u64;
            if there == items {
                return Ok(Reading::Whole(each(Cost::of(|| work(items))?.1)));
            }
            let sizes = sizes(there as f64, items).ok_or_else(|| {
                fault("the sample is too small to extrapolate to the whole disk; give more MiB")
            })?;
            let sizes = in_both_orders(sizes, round, &work)?.map(|(pages, cost)| (pages, each(cost)));
            Ok(Reading::Part { beside: Cost { wall: 0.0, cpu: 0.0 }, sizes })
        };
        let doing = format!("disk, all of it under {}", subject.name());
        jobs.push(Job { doing, fits: true, turn: Box::new(turn) });
    }
    let found = rounds::run(bench, &mut jobs, budget)?;
    drop(jobs);
    for (subject, readings) in subjects.iter().zip(&found) {
        whole_job::enter(bench, writer, (*subject, Operation::Reencrypt.word()), &input, (readings, items));
    }
    Ok(())
}

/// A key of the cipher in use: by the implementation that is measured, or else by the one that serves.
fn in_use_key(
    algorithm: &'static Algorithm,
    subjects: &[&Subject<Cipher>],
) -> Result<Box<dyn CipherKey>, StudyError> {
    if let Some(subject) = subjects.iter().find(|it| it.algorithm.facts.name == algorithm.facts.name) {
        return prepared(subject);
    }
    let implementation = algorithm.served(Wanted::Any).map_err(fault)?;
    implementation.kat().map_err(fault)?;
    key_of(&Arc::clone(&implementation.code)).map_err(fault)
}

/// Goes over the bytes once, on all cores.
fn both(
    old: Option<&dyn CipherKey>,
    new: &dyn CipherKey,
    sector: usize,
    bytes: &mut [u8],
) -> Result<(), Error> {
    bytes.par_chunks_mut(BULK).enumerate().try_for_each(|(at, run)| {
        let tweaks = data::tweaks(sector, at * BULK);
        if let Some(old) = old {
            old.decrypt(tweaks, sector, run)?;
        }
        new.encrypt(tweaks, sector, run)
    })
}
