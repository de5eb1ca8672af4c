//! Encryption of a large buffer, on one core and on all of them.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Cipher;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::CipherKey;
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};
use rayon::prelude::*;

use super::BULK;
use super::data::{self, Data};
use super::sectors::prepared;
use crate::words::{Direction, Operation, Threads};

/// Enters the bytes per second of each subject, with one thread and with as many as there are cores.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    sample: &Data,
    subjects: &[&Subject<Cipher>],
    budget: Duration,
) -> Result<(), StudyError> {
    let mut threads = vec![1, rayon::current_num_threads()];
    threads.dedup();
    let buffer = RefCell::new(sample.bytes.clone());
    let mut keys = Vec::with_capacity(subjects.len());
    for subject in subjects {
        keys.push(prepared(subject)?);
    }
    let mut jobs: Vec<Job<'_, f64>> = Vec::new();
    for (subject, key) in subjects.iter().zip(&keys) {
        for &threads in &threads {
            let (key, buffer) = (key.as_ref(), &buffer);
            let doing = format!("disk, encrypting {} MiB with {}", sample.bytes.len() >> 20, subject.name());
            let turn = move |_| one_way_and_back(subject, key, sample, &mut buffer.borrow_mut(), threads);
            jobs.push(Job { doing, fits: true, turn: Box::new(turn) });
        }
    }
    let found = rounds::run(bench, &mut jobs, budget)?;
    let of = subjects.iter().flat_map(|subject| threads.iter().map(move |threads| (subject, *threads)));
    for ((subject, threads), seconds) in of.zip(&found) {
        let speeds: Vec<f64> =
            seconds.iter().map(|seconds| sample.bytes.len() as f64 / seconds / 1e9).collect();
        // A mean of logarithms: that of rates has an interval that can reach zero.
        let Some(mean) = Mean::of_positive(&speeds, bench.surroundings) else { continue };
        let name = Threads(threads).to_string();
        let of = (Operation::Throughput.word(), name.as_str());
        let mut record = writer.measured(subject, of, (0.0, "GB/s"), &sample.input);
        record.notes.push(format!("encryption in memory by the clock, {BULK} bytes per call"));
        writer.record(mean.told_in(record, [0.0, f64::INFINITY]));
    }
    Ok(())
}

/// The seconds that encrypting the buffer takes. It is decrypted again, and held against what it was.
fn one_way_and_back(
    subject: &Subject<Cipher>,
    key: &dyn CipherKey,
    sample: &Data,
    buffer: &mut [u8],
    threads: usize,
) -> Result<f64, StudyError> {
    let before = Instant::now();
    pass(key, sample.sector, buffer, Direction::Encrypt, threads)
        .map_err(|e| subject.failed("encrypting a large buffer", e))?;
    let seconds = before.elapsed().as_secs_f64();
    pass(key, sample.sector, buffer, Direction::Decrypt, threads)
        .map_err(|e| subject.failed("decrypting a large buffer", e))?;
    if *buffer == *sample.bytes {
        return Ok(seconds);
    }
    Err(super::fault(format!("{} decrypts to something else than what it encrypted", subject.name())))
}

/// Goes over the whole buffer once.
fn pass(
    key: &dyn CipherKey,
    sector: usize,
    buffer: &mut [u8],
    direction: Direction,
    threads: usize,
) -> Result<(), Error> {
    let run =
        |(at, run): (usize, &mut [u8])| direction.apply(key, data::tweaks(sector, at * BULK), sector, run);
    match threads {
        1 => buffer.chunks_mut(BULK).enumerate().try_for_each(run),
        _ => buffer.par_chunks_mut(BULK).enumerate().try_for_each(run),
    }
}
