//! A whole repository: every object decoded and hashed, and the map of all its names.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fieldtest_catalog::hash as catalog;
use fieldtest_catalog::kind::Hash;
use fieldtest_git::convert::UnknownHeaders;
use fieldtest_git::map::{Conversion, Options, Otherwise, Submodules, Unmappable};
use fieldtest_git::sizes::{Sizes, SizesByType};
use fieldtest_git::{Error, Format, ObjectType, Objects, Repository, rehash, repository};
use fieldtest_measure::record::Input;
use fieldtest_study::whole_job::{Outcome, enter, repeat};
use fieldtest_study::{Bench, Book, StudyError, Subject};

use super::part::GitPart;
use super::{fault, sample, storage};
use crate::words::Operation;
use fieldtest_measure::words::Time;

/// The repository of a study.
pub(super) struct Source {
    objects: Objects,
    /// What records say of it.
    input: Input,
    /// The sizes of all objects.
    pub(super) sizes: Sizes,
    /// What there is of IDs.
    pub(super) ids: storage::Ids,
    /// The format that names its objects.
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
                "{name} has no objects with content, on which nothing can be measured; commit something, or name another \
                 repository"
            )));
        }
        let input = Input {
            name: name.to_owned(),
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

/// The catalog's function for a format of Git's.
fn format_of(name: &str) -> Result<Format, StudyError> {
    let algorithm = catalog::all()
        .iter()
        .find(|algorithm| algorithm.facts.kind.git.as_ref().is_some_and(|git| git.name == name))
        .ok_or_else(|| fault(format!("the catalog has no hash function for the object format {name}")))?;
    let implementation = algorithm.implementations.first().ok_or(StudyError::Nothing)?;
    Ok(Format { name: name.to_owned(), hash: Arc::clone(&implementation.code) })
}

fn threads() -> NonZeroUsize {
    NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN)
}

/// Decodes and hashes the repository with each subject, and maps it with the fastest of each algorithm.
pub(super) fn run(
    bench: &mut Bench<'_>,
    book: &mut Book,
    source: &Source,
    subjects: &[Subject<Hash>],
    budget: Duration,
) -> Result<(), StudyError> {
    let names: BTreeSet<&str> =
        subjects.iter().map(|subject| subject.algorithm.facts.name.as_str()).collect();
    let allowance = budget / (subjects.len() + names.len() + 1) as u32;
    (bench.say)("decoding the repository");
    let (_, decoding) =
        repeat(bench, allowance, || rehash::decode(&source.objects, threads()).map_err(fault))?;
    enter_decoding(book, source, &decoding);
    // The implementation of each algorithm that takes the least processor time.
    let mut fastest: BTreeMap<&str, (f64, &Subject<Hash>)> = BTreeMap::new();
    for subject in subjects {
        if bench.interrupted() {
            return Ok(());
        }
        (bench.say)(&format!("hashing the repository with {}", subject.name()));
        let hash = subject.implementation.code.as_ref();
        let work = || rehash::rehash(&source.objects, hash, threads()).map_err(fault);
        let (_, outcome) = repeat(bench, allowance, work)?;
        enter(book, &source.input, subject, Operation::Rehash.word(), &outcome);
        if subject.implementation.with_system_call() {
            continue;
        }
        let best = fastest.entry(&subject.algorithm.facts.name).or_insert((outcome.cost.cpu, subject));
        if outcome.cost.cpu < best.0 {
            *best = (outcome.cost.cpu, subject);
        }
    }
    for (_, subject) in fastest.into_values() {
        if bench.interrupted() {
            return Ok(());
        }
        (bench.say)(&format!("mapping the repository with {}", subject.name()));
        let to = Format {
            name: subject.algorithm.facts.name.clone(),
            hash: Arc::clone(&subject.implementation.code),
        };
        if to.id_len() < source.format.id_len() {
            continue; // Names of submodules cannot be kept in less room.
        }
        let options = Options {
            threads: threads(),
            submodules: Submodules { maps: &[], otherwise: Otherwise::Pad },
            // What is timed is the work; no repository comes of it, so that nothing has to be right about odd objects.
            unknown_headers: UnknownHeaders::Keep,
            unmappable: Unmappable::Leave,
            interrupt: bench.interrupt,
            ..Options::default()
        };
        let work = || match Conversion::compute(&source.objects, &source.format, &to, &options) {
            Ok(_) | Err(Error::Interrupted) => Ok(()),
            Err(error) => Err(fault(error)),
        };
        let ((), outcome) = repeat(bench, allowance, work)?;
        if !bench.interrupted() {
            enter(book, &source.input, subject, Operation::Map.word(), &outcome);
        }
    }
    Ok(())
}

/// Decoding is no algorithm's own: it stands with the one that the repository uses.
fn enter_decoding(book: &mut Book, source: &Source, outcome: &Outcome) {
    let algorithm = catalog::all().iter().find(|algorithm| {
        algorithm.facts.kind.git.as_ref().is_some_and(|git| git.name == source.format.name)
    });
    let Some(algorithm) = algorithm else { return };
    for (time, value) in [(Time::Wall, outcome.cost.wall), (Time::Cpu, outcome.cost.cpu)] {
        let mut record =
            book.figure(&algorithm.facts.name, Operation::Decode.word(), time.word(), value, "s");
        record.estimator = "median".to_owned();
        record.samples = outcome.samples as u64;
        record.input = Some(source.input.clone());
        record.notes.push(format!("{} threads", rayon::current_num_threads()));
        book.record(record);
    }
}
