//! A real container: formatted, filled with an image, opened with its passphrase, read back and compared.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Cipher;
use fieldtest_disk::copy::{self, Holes};
use fieldtest_disk::format::Parameters;
use fieldtest_disk::judge::{Use, Verdict, judge};
use fieldtest_disk::{Access, CipherSpec, Ciphers, Container, Cost, Hash, NewContainer, Volume, VolumeKey};
use fieldtest_frame::output::count;
use fieldtest_study::whole_job::Cost as Took;
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};
use rayon::prelude::*;
use tempfile::TempDir;

use super::data::Data;
use super::{BULK, fault};
use crate::algorithms::Default;
use crate::words::{self, Operation};

/// The cheapest key slot there may be: what passphrases cost is told by itself.
pub(super) const CHEAP: Cost = Cost::Pbkdf2 { hash: Hash::Sha256, iterations: CHEAP_ITERATIONS };
/// The fewest that cryptsetup takes.
pub(super) const CHEAP_ITERATIONS: u32 = 1000;
pub(super) const PASSPHRASE: &[u8] = b"a passphrase for the study";

/// What one container took, in seconds by the clock.
#[derive(Debug, Clone, Copy)]
struct Parts {
    format: f64,
    fill: f64,
    read: f64,
}

/// Makes, fills and reads a container with each subject that protects a disk, in turn.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    sample: &Data,
    subjects: &[&Subject<Cipher>],
    budget: Duration,
) -> Result<(), StudyError> {
    let subjects: Vec<_> = subjects.iter().filter(|subject| is_fit(subject)).collect();
    let directory = TempDir::with_prefix("fieldtest-disk-").map_err(fault)?;
    let (image, path) = (directory.path().join("image"), directory.path().join("container"));
    std::fs::write(&image, &sample.bytes).map_err(fault)?;
    let (image, path) = (&image, &path);
    let mut jobs: Vec<Job<'_, (Parts, Took)>> = Vec::with_capacity(subjects.len());
    for &&subject in &subjects {
        let turn = move |_| {
            let outcome = Took::of(|| round_trip(subject, sample, image, path))?;
            std::fs::remove_file(path).map_err(fault)?;
            Ok(outcome)
        };
        let doing = format!("disk, filling and reading a container with {}", subject.name());
        jobs.push(Job { doing, fits: true, turn: Box::new(turn) });
    }
    let found = rounds::run(bench, &mut jobs, budget)?;
    for (subject, rounds) in subjects.iter().zip(&found) {
        type Shown = fn(&(Parts, Took)) -> f64;
        let of: [(words::Container, Shown); 5] = [
            (words::Container::Wall, |(_, cost)| cost.wall),
            (words::Container::Cpu, |(_, cost)| cost.cpu),
            (words::Container::Format, |(parts, _)| parts.format),
            (words::Container::Fill, |(parts, _)| parts.fill),
            (words::Container::Read, |(parts, _)| parts.read),
        ];
        for (part, seconds) in of {
            let seconds: Vec<f64> = rounds.iter().map(seconds).collect();
            let Some(mean) = Mean::of(&seconds, bench.surroundings) else { continue };
            let of = (Operation::Container.word(), part.word());
            let mut record = writer.measured(subject, of, (0.0, "s"), &sample.input);
            record.notes.push(format!(
                "{}, in a temporary file, which is written through to the disk and read from the page cache",
                count(rayon::current_num_threads(), "thread")
            ));
            writer.record(mean.told_in(record, [0.0, f64::INFINITY]));
        }
    }
    Ok(())
}

/// Whether a new container may have the subject's cipher.
fn is_fit(subject: &Subject<Cipher>) -> bool {
    let own = &subject.algorithm.facts.kind;
    own.for_disks && judge(&own.dm_crypt, &Use::default()).verdict != Verdict::Refused
}

/// Formats, fills, opens, reads and compares.
fn round_trip(
    subject: &Subject<Cipher>,
    sample: &Data,
    image: &Path,
    path: &Path,
) -> Result<Parts, StudyError> {
    let own = &subject.algorithm.facts.kind;
    // The data is the subject's work; the key slot is encrypted as every cryptsetup can read it.
    let ciphers =
        |spec: &CipherSpec, key_len: usize| match spec.as_str() == own.dm_crypt && key_len == own.key {
            true => Some(Arc::clone(&subject.implementation.code)),
            false => Default.find(spec, key_len),
        };
    let start = Instant::now();
    let container = create(
        path,
        (&own.dm_crypt, own.key),
        (sample.bytes.len(), sample.sector),
        (CHEAP, CHEAP_ITERATIONS),
        &ciphers,
    )?;
    let format = start.elapsed().as_secs_f64();
    let start = Instant::now();
    copy::import(
        image,
        &container.volume(&ciphers).map_err(fault)?,
        Holes::Encrypt,
        copy::Options::default(),
    )
    .map_err(fault)?;
    container.keep(false).map_err(fault)?;
    let fill = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let container = Container::open(path, Access::Read).map_err(fault)?;
    let key = container.unlock(PASSPHRASE, None, &ciphers).map_err(fault)?.key;
    compare(&container.into_volume(&key, &ciphers).map_err(fault)?, sample)?;
    Ok(Parts { format, fill, read: start.elapsed().as_secs_f64() })
}

/// A container of `size` bytes of data, with its key slot and nothing else.
pub(super) fn create(
    path: &Path,
    (spec, key_len): (&str, usize),
    (size, sector): (usize, usize),
    (cost, digest_iterations): (Cost, u32),
    ciphers: &dyn Ciphers,
) -> Result<NewContainer, StudyError> {
    let mut parameters = Parameters::new(spec.parse().map_err(fault)?, key_len);
    parameters.sector_size = u32::try_from(sector).map_err(fault)?;
    parameters.keyslot.cost = cost;
    parameters.digest_iterations = Some(digest_iterations);
    let key = VolumeKey::generate(key_len).map_err(fault)?;
    NewContainer::create(path, size as u64, PASSPHRASE, key, &parameters, ciphers).map_err(fault)
}

/// Reads a whole volume on all cores and holds it against what it is to be.
fn compare(volume: &Volume, sample: &Data) -> Result<(), StudyError> {
    let runs = sample.bytes.par_chunks(BULK).enumerate();
    let read = |buffer: &mut Vec<u8>, (at, expected): (usize, &[u8])| {
        buffer.resize(expected.len(), 0);
        let offset = at * BULK;
        volume.read_at(buffer, offset as u64).map_err(fault)?;
        match buffer == expected {
            true => Ok(()),
            false => Err(fault(format!("the container reads differently near byte {offset}"))),
        }
    };
    runs.map_init(|| Vec::with_capacity(BULK), read).collect()
}
