//! Encryption of a large buffer, on one core and on all of them.

use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Cipher;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::CipherKey;
use fieldtest_study::{Bench, Book, StudyError, Subject};
use rayon::prelude::*;

use super::BULK;
use super::data::{self, Data};
use super::sectors::prepared;
use crate::words::{Direction, Operation, Threads};

/// Runs over the buffer at most; the median counts.
const REPETITIONS: usize = 9;

/// Enters the bytes per second of each subject, with one thread and with as many as there are cores.
pub(super) fn run(
    bench: &mut Bench<'_>,
    book: &mut Book,
    sample: &Data,
    subjects: &[&Subject<Cipher>],
    budget: Duration,
) -> Result<(), StudyError> {
    let mut threads = vec![1, rayon::current_num_threads()];
    threads.dedup();
    let allowance = budget / (threads.len() * subjects.len()).max(1) as u32;
    let mut buffer = sample.bytes.clone();
    for subject in subjects {
        let key = prepared(subject)?;
        for &threads in &threads {
            if bench.interrupted() {
                return Ok(());
            }
            (bench.say)(&format!("disk, encrypting {} MiB with {}", buffer.len() >> 20, subject.name()));
            buffer.copy_from_slice(&sample.bytes);
            let seconds = measured(bench, key.as_ref(), sample.sector, &mut buffer, threads, allowance)
                .map_err(|e| subject.failed("encrypting a large buffer", e))?;
            for _ in &seconds {
                pass(key.as_ref(), sample.sector, &mut buffer, Direction::Decrypt, threads)
                    .map_err(|e| subject.failed("decrypting a large buffer", e))?;
            }
            if buffer != sample.bytes {
                return Err(super::fault(format!(
                    "{} decrypts to something else than what it encrypted",
                    subject.name()
                )));
            }
            enter(book, subject, sample, threads, seconds);
        }
    }
    Ok(())
}

fn enter(book: &mut Book, subject: &Subject<Cipher>, sample: &Data, threads: usize, mut seconds: Vec<f64>) {
    seconds.sort_by(f64::total_cmp);
    let Some(median) = seconds.get(seconds.len() / 2) else { return };
    let of = Threads(threads).to_string();
    let speed = sample.bytes.len() as f64 / median / 1e9;
    let mut record =
        book.measured(subject, (Operation::Throughput.word(), &of), (speed, "GB/s"), &sample.input);
    record.estimator = "median".to_owned();
    record.samples = seconds.len() as u64;
    record.notes.push(format!("encryption in memory by the clock, {BULK} bytes per call"));
    book.record(record);
}

/// The seconds of each run over the buffer: at least one, as many as the allowance has room for.
fn measured(
    bench: &Bench<'_>,
    key: &dyn CipherKey,
    sector: usize,
    buffer: &mut [u8],
    threads: usize,
    allowance: Duration,
) -> Result<Vec<f64>, Error> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    // What is encrypted is decrypted afterwards, which takes as long.
    while seconds.is_empty()
        || (seconds.len() < REPETITIONS && start.elapsed() < allowance / 2 && !bench.interrupted())
    {
        let before = Instant::now();
        pass(key, sector, buffer, Direction::Encrypt, threads)?;
        seconds.push(before.elapsed().as_secs_f64());
    }
    Ok(seconds)
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
