//! How fast a disk is read: what lies under the page cache, and the page cache.

use std::io::IoSliceMut;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use fieldtest_measure::record::{Input, Record};
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{Bench, RecordWriter, StudyError};
use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use super::source::Disk;
use super::{BULK, PAGE};
use crate::words::{Operation, ReadFrom};

/// Stretches that a round reads, and the bytes of each at most.
const STRETCHES: usize = 4;
const STRETCH: u64 = 4 << 20;
/// Bytes on both sides that are forgotten, too: what the page cache holds in one piece stays where a part of it is to stay.
const MARGIN: u64 = 2 << 20;
/// Pages that are looked for in the page cache, of each stretch and of the disk before.
const PROBES: usize = 32;

/// Bytes per second of one round: under the page cache, where nothing was left in that, and from it.
type Rates = (Option<f64>, f64);

/// How many of some evenly spread pages are in the page cache, by a file system that tells.
pub(super) fn cached(disk: &Disk, from: u64, length: u64) -> Option<usize> {
    // What is not there is fetched for the next reader: that page alone, and none that is looked for later.
    let _ = fadvise(&disk.file, 0, None, Advice::Random);
    let found = probe(disk, from, length);
    let _ = fadvise(&disk.file, 0, None, Advice::Normal);
    found
}

fn probe(disk: &Disk, from: u64, length: u64) -> Option<usize> {
    let mut byte = [0];
    let mut cached = 0;
    for probe in 0..PROBES as u64 {
        let offset = disk.start + from + length.saturating_sub(1) * probe / (PROBES as u64 - 1);
        // This waits for no device.
        match preadv2(&disk.file, &mut [IoSliceMut::new(&mut byte)], offset, ReadWriteFlags::NOWAIT) {
            Ok(_) => cached += 1,
            Err(Errno::AGAIN) => {}
            Err(_) => return None,
        }
    }
    Some(cached)
}

/// Enters the rates, with what was in the page cache when the study began; they stand with the algorithm of this name.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    disk: &Disk,
    (algorithm, input, before): (&str, &Input, Option<usize>),
    budget: Duration,
) -> Result<(), StudyError> {
    let turn = |round| read(disk, round);
    let doing = format!("disk, reading {}", disk.path.display());
    let found = rounds::run(bench, &mut [Job { doing, fits: true, turn: Box::new(turn) }], budget)?;
    let rates = found.into_iter().next().unwrap_or_default();
    let of_device: Vec<f64> = rates.iter().filter_map(|(device, _)| *device).collect();
    let of_cache: Vec<f64> = rates.iter().map(|(_, cache)| *cache).collect();
    for (from, rates) in [(ReadFrom::Device, of_device), (ReadFrom::Cache, of_cache)] {
        let rates: Vec<f64> = rates.iter().map(|rate| rate / 1e9).collect();
        let Some(mean) = Mean::of_positive(&rates, bench.surroundings) else { continue };
        let record = writer.result(algorithm, Operation::ReadRate.word(), from.word(), 0.0, "GB/s");
        let mut record = mean.told_in(Record { input: Some(input.clone()), ..record }, [0.0, f64::INFINITY]);
        record
            .notes
            .push(format!("buffered, by one thread, {BULK} bytes per call, at {STRETCHES} places a round"));
        record.notes.push(match from {
            ReadFrom::Device => {
                "the page cache was emptied of them before, and checked; a device or host may have its own caches".to_owned()
            }
            ReadFrom::Cache => "read once more".to_owned(),
        });
        record.notes.push(match before {
            Some(cached) => format!("{}% of the disk was in the page cache before", cached * 100 / PROBES),
            None => "whether it was in the page cache before is unknown".to_owned(),
        });
        writer.record(record);
    }
    Ok(())
}

/// Reads stretches, others in each round: first from under the page cache, then from it.
fn read(disk: &Disk, round: usize) -> Result<Rates, StudyError> {
    let length = STRETCH.min(disk.size / STRETCHES as u64 / PAGE as u64 * PAGE as u64).max(PAGE as u64);
    let mut buffer = vec![0; BULK];
    let (mut device, mut cache, mut bytes, mut gone) = (Duration::ZERO, Duration::ZERO, 0, true);
    let of = STRETCHES * rounds::MOST_ROUNDS;
    for stretch in 0..STRETCHES {
        let from = disk.spread(stretch * rounds::MOST_ROUNDS + round, of, length as usize);
        // A file system that keeps its pages is found out by looking for them. What is kept in spite of
        // `fadvise` would be the rate of memory under the disk's name.
        let before = (disk.start + from).saturating_sub(MARGIN);
        let forgotten = NonZeroU64::new(length + 2 * MARGIN);
        let forget = || fadvise(&disk.file, before, forgotten, Advice::DontNeed);
        let _ = forget();
        gone &= cached(disk, from, length) == Some(0);
        let _ = forget();
        device += pass(disk, from, length, &mut buffer)?;
        cache += pass(disk, from, length, &mut buffer)?;
        bytes += length;
    }
    let rate = |took: Duration| bytes as f64 / took.as_secs_f64().max(1e-9);
    Ok((gone.then(|| rate(device)), rate(cache)))
}

/// What reading a stretch takes.
fn pass(disk: &Disk, from: u64, length: u64, buffer: &mut [u8]) -> Result<Duration, StudyError> {
    let start = Instant::now();
    let mut at = 0;
    while at < length {
        let take = (length - at).min(buffer.len() as u64) as usize;
        disk.read(&mut buffer[..take], from + at)?;
        at += take as u64;
    }
    Ok(start.elapsed())
}
