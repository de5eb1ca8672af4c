//! A whole repository: every object decoded and hashed, and the map of all its names.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Hash;
use fieldtest_catalog::{Wanted, hash as catalog};
use fieldtest_frame::output::count;
use fieldtest_git::convert::UnknownHeaders;
use fieldtest_git::map::{Conversion, Options, Otherwise, Submodules, Unmappable};
use fieldtest_git::sizes::{Sizes, SizesByType};
use fieldtest_git::{Error, Format, ObjectType, Objects, Repository, rehash, repository};
use fieldtest_measure::record::{Input, Record};
use fieldtest_measure::words::Time;
use fieldtest_study::whole_job::estimate::{Estimate, Mean, Reading};
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::whole_job::{Cost, Surroundings, enter};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};

use super::part::GitPart;
use super::{fault, sample, storage};
use crate::words::Operation;

/// The repository of a study.
pub(super) struct Source {
    objects: Objects,
    input: Input,
    pub(super) sizes: Sizes,
    pub(super) ids: storage::Ids,
    format: Format,
    /// Held while the study runs, where the repository was generated.
    _generated: Option<sample::Generated>,
}

impl Source {
    pub(super) fn of(part: &GitPart, bench: &mut Bench<'_>) -> Result<Source, StudyError> {
        match &part.repository {
            Some(path) => {
                (bench.say)(&format!("reading {}", path.display()));
                Source::open(path, &path.display().to_string(), None)
            }
            None => {
                (bench.say)("generating a repository");
                let generated = sample::Generated::new(&format_of("sha1")?, part.commits, bench.seed)?;
                let name = format!("a generated repository of {} commits, seed {}", part.commits, bench.seed);
                let path = generated.path().to_path_buf();
                Source::open(&path, &name, Some(generated))
            }
        }
    }

    fn open(path: &Path, name: &str, generated: Option<sample::Generated>) -> Result<Source, StudyError> {
        let options = repository::Options { partial: true, shallow: true };
        let repository = Repository::open(path, &options).map_err(fault)?;
        let objects = Objects::open(&repository).map_err(fault)?;
        let mut sizes = SizesByType::default();
        for number in 0..objects.len() as u32 {
            sizes.add(objects.kind(number), objects.size(number).map_err(fault)?);
        }
        let ids = storage::Ids::of(&objects, sizes.of(ObjectType::Tree).bytes(), threads())?;
        let sizes = sizes.all();
        if sizes.bytes() == 0 {
            return Err(fault(format!(
                "cannot measure on {name}: it has no objects with content; commit something, or give another \
                 repository"
            )));
        }
        let shallow = if repository.shallow().is_empty() {
            ""
        } else {
            ", a shallow clone, which 'map' and 'convert' reject"
        };
        let input = Input {
            name: format!("{name}{shallow}"),
            sha256: digest_of_ids(&objects),
            bytes: sizes.bytes(),
            items: sizes.count(),
        };
        let format = format_of(repository.object_format())?;
        Ok(Source { objects, input, sizes, ids, format, _generated: generated })
    }
}

/// The repository's content in one value: the digest of all its objects' IDs, in order.
fn digest_of_ids(objects: &Objects) -> String {
    use sha2::{Digest, Sha256};
    let mut ids: Vec<&[u8]> = (0..objects.len() as u32).map(|number| objects.id(number)).collect();
    ids.sort_unstable();
    let mut digest = Sha256::new();
    ids.iter().for_each(|id| digest.update(id));
    fieldtest_study::speed::hex(&digest.finalize())
}

fn format_of(name: &str) -> Result<Format, StudyError> {
    let algorithm = catalog::all()
        .iter()
        .find(|algorithm| algorithm.facts.kind.git.as_ref().is_some_and(|git| git.name == name))
        .ok_or_else(|| fault(format!("the catalog has no hash function for the object format {name}")))?;
    let implementation = algorithm.served(Wanted::Any).map_err(|_| StudyError::Nothing)?;
    Ok(Format { name: name.to_owned(), hash: Arc::clone(&implementation.code) })
}

fn threads() -> NonZeroUsize {
    NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN)
}

/// Decodes and hashes the repository with each subject in turn, then maps it with the fastest of each algorithm in turn.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    source: &Source,
    subjects: &[Subject<Hash>],
    budget: Duration,
) -> Result<(), StudyError> {
    let names: BTreeSet<&str> =
        subjects.iter().map(|subject| subject.algorithm.facts.name.as_str()).collect();
    let of_hashing = (subjects.len() + 1) as f64 / (subjects.len() + names.len() + 1) as f64;
    let of_objects = source.input.items;

    let mut jobs = vec![job("decoding the repository".to_owned(), || {
        rehash::decode(&source.objects, threads()).map(drop).map_err(fault)
    })];
    jobs.extend(subjects.iter().map(|subject| {
        let hash = subject.implementation.code.as_ref();
        let work = move || rehash::rehash(&source.objects, hash, threads()).map(drop).map_err(fault);
        job(format!("hashing the repository with {}", subject.name()), work)
    }));
    let start = Instant::now();
    let found = rounds::run(bench, &mut jobs, budget.mul_f64(of_hashing))?;
    drop(jobs);
    let Some((decoding, hashing)) = found.split_first() else { return Ok(()) };
    enter_decoding(bench, writer, source, decoding);
    // The implementation of each algorithm that takes the least processor time.
    let mut fastest: BTreeMap<&str, (f64, &Subject<Hash>)> = BTreeMap::new();
    for (subject, readings) in subjects.iter().zip(hashing) {
        let of = (&readings[..], of_objects);
        enter(bench, writer, (subject, Operation::Rehash.word()), &source.input, of);
        enter_hashing(bench, writer, source, subject, (decoding, readings));
        if subject.implementation.with_system_call() {
            continue;
        }
        let cost = Estimate::of(readings, Time::Cpu, of_objects, Surroundings::new(1.0))
            .map_or(f64::INFINITY, |it| it.all.value);
        let best = fastest.entry(&subject.algorithm.facts.name).or_insert((cost, subject));
        if cost < best.0 {
            *best = (cost, subject);
        }
    }

    // Names of submodules cannot be kept in less room.
    let formats: Vec<(&Subject<Hash>, Format)> = fastest
        .into_values()
        .map(|(_, subject)| {
            let hash = Arc::clone(&subject.implementation.code);
            (subject, Format { name: subject.algorithm.facts.name.clone(), hash })
        })
        .filter(|(_, to)| to.id_len() >= source.format.id_len())
        .collect();
    let interrupt = bench.interrupt;
    let jobs = formats.iter().map(|(subject, to)| {
        let work = move || {
            let options = Options {
                threads: threads(),
                submodules: Submodules { otherwise: Otherwise::Pad, ..Submodules::default() },
                // What is timed is the work; no repository comes of it, so that nothing has to be right about odd objects.
                unknown_headers: UnknownHeaders::Keep,
                unmappable: Unmappable::Leave,
                interrupt,
                ..Options::default()
            };
            match Conversion::compute(&source.objects, &source.format, to, &options) {
                Ok(_) | Err(Error::Interrupted) => Ok(()),
                Err(error) => Err(fault(error)),
            }
        };
        job(format!("mapping the repository with {}", subject.name()), work)
    });
    let mut jobs: Vec<Job<'_, Reading>> = jobs.collect();
    let found = rounds::run(bench, &mut jobs, budget.saturating_sub(start.elapsed()))?;
    drop(jobs);
    for ((subject, _), readings) in formats.iter().zip(&found) {
        enter(bench, writer, (subject, Operation::Map.word()), &source.input, (readings, of_objects));
    }
    Ok(())
}

/// A job of the whole repository. However large that is, each has a turn if the time is not over.
fn job<'a>(doing: String, mut work: impl FnMut() -> Result<(), StudyError> + 'a) -> Job<'a, Reading> {
    let turn = move |_| Cost::of(&mut work).map(|((), cost)| Reading::Whole(cost));
    Job { doing, fits: false, turn: Box::new(turn) }
}

/// Decoding is no algorithm's own: it stands with the one that the repository uses.
fn enter_decoding(bench: &Bench<'_>, writer: &mut RecordWriter, source: &Source, readings: &[Reading]) {
    let algorithm = catalog::all().iter().find(|algorithm| {
        algorithm.facts.kind.git.as_ref().is_some_and(|git| git.name == source.format.name)
    });
    let Some(algorithm) = algorithm else { return };
    for time in Time::ALL {
        let Ok(result) = Estimate::of(readings, time, source.input.items, bench.surroundings) else { return };
        let name = &algorithm.facts.name;
        let record = writer.result(name, Operation::Decode.word(), time.word(), 0.0, "s");
        let notes = vec![count(rayon::current_num_threads(), "thread")];
        writer.record(result.told_in(Record { input: Some(source.input.clone()), notes, ..record }));
    }
}

/// The share of the processor's time that is not decoding, where enough rounds showed both: decoding and hashing of the same
/// round are compared, as both met the machine in the same state.
fn enter_hashing(
    bench: &Bench<'_>,
    writer: &mut RecordWriter,
    source: &Source,
    subject: &Subject<Hash>,
    (decoding, hashing): (&[Reading], &[Reading]),
) {
    let share = |(decoding, hashing): (&Reading, &Reading)| match (decoding, hashing) {
        (Reading::Whole(decoding), Reading::Whole(hashing)) => Some(1.0 - decoding.cpu / hashing.cpu),
        _ => None,
    };
    let shares: Vec<f64> = decoding.iter().zip(hashing).filter_map(share).collect();
    let Some(mean) = Mean::of(&shares, bench.surroundings).filter(|mean| mean.interval.is_some()) else {
        return;
    };
    let of = (Operation::Hashing.word(), Time::Cpu.word());
    let mut record = mean.told_in(writer.measured(subject, of, (0.0, "share"), &source.input), [0.0, 1.0]);
    record.notes.push("of the same rounds".to_owned());
    writer.record(record);
}
