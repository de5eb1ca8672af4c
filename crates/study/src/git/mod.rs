//! The study of the carrier `git`: one repository, every hash function: its speed on messages of all sizes and on the
//! repository itself, beside what decoding takes; the whole map to new names; what longer names take; and where the function is to be had.

mod availability;
mod messages;
mod published;
mod repository_work;
mod sample;
mod storage;

use std::collections::BTreeSet;

use fieldtest_catalog::hash::{Algorithm, availability as on_host};
use fieldtest_catalog::kind::Hash;

use crate::rounds::{Figure, Rounds};
use crate::{Bench, Book, Choice, StudyError, Subject, plan, selection};
use messages::Messages;
use repository_work::Source;

/// Bytes per message: those of Git's own `test-tool hash-speed`.
const SIZES: [usize; 5] = [64, 256, 1024, 8192, 16384];
/// The share of the budget for messages; the rest is for the repository.
const MESSAGES: f64 = 0.6;

/// Makes the study and enters its records. The repository is read, and nothing of it is written to.
///
/// # Errors
/// Unknown algorithms, a repository that cannot be read, and what an implementation refuses.
pub fn run(bench: &mut Bench<'_>, book: &mut Book, part: &plan::Git) -> Result<(), StudyError> {
    book.open("git");
    let algorithms: Vec<&'static Algorithm> = selection::algorithms::<Hash>(&part.algorithms)?;
    let source = Source::of(part, bench)?;
    (bench.say)("asking this host for hash functions");
    let host = on_host::on_host();
    for algorithm in &algorithms {
        book.candidate(algorithm.facts);
        storage::enter(book, algorithm.facts, &source.ids);
        availability::enter(book, algorithm.facts, &host);
        published::enter(book, algorithm.facts);
    }
    let choice = Choice::named(&part.implementations);
    let subjects = selection::prove(&algorithms, &choice, bench.interrupt, &mut *bench.say)?;

    let budget = bench.budget;
    speeds(bench, book, &subjects, &source)?;
    let fastest = fastest(book, &subjects);
    repository_work::run(bench, book, &source, (&subjects, &fastest), budget.mul_f64(1.0 - MESSAGES))
}

/// Cycles per byte on messages of each size, and on those of the repository's sizes.
fn speeds(
    bench: &mut Bench<'_>,
    book: &mut Book,
    subjects: &[Subject<Hash>],
    source: &Source,
) -> Result<(), StudyError> {
    let sizes = SIZES.map(|size| (size.to_string(), Messages::of_size(size, bench.seed)));
    let repository = (REPOSITORY.to_owned(), Messages::of_sizes(&source.sizes, bench.seed));
    let mut rounds =
        Rounds { budget: bench.budget.mul_f64(MESSAGES) / (2 * (SIZES.len() + 1)) as u32, bench, book };
    for (size, messages) in sizes.into_iter().chain([repository]) {
        for (way, together) in [("single", false), ("many", true)] {
            let contenders: Result<Vec<_>, _> =
                subjects.iter().map(|subject| messages.contender(subject, together)).collect();
            let subject = format!("{size} {way}");
            let figure = Figure { operation: "hash", subject, items: messages.bytes(), per: "/byte" };
            rounds.run(&figure, &messages.input, contenders?.into_iter())?;
        }
    }
    Ok(())
}

/// The word for a repository's own sizes.
const REPOSITORY: &str = "repository";

/// The implementation of each algorithm that took least for many messages of the repository's sizes; the first where
/// nothing was measured.
fn fastest<'s>(book: &Book, subjects: &'s [Subject<Hash>]) -> Vec<&'s Subject<Hash>> {
    let subject_of_record = format!("{REPOSITORY} many");
    let cost = |of: &Subject<Hash>| {
        let records = book.records("hash", &subject_of_record);
        let own = records.filter(|record| {
            record.algorithm == of.algorithm.facts.name
                && record.implementation.as_ref().is_some_and(|it| it.name == of.implementation.name)
        });
        own.map(|record| record.value).fold(f64::INFINITY, f64::min)
    };
    let names: BTreeSet<&str> = subjects.iter().map(|subject| subject.algorithm.facts.name.as_str()).collect();
    let of = |name: &&str| {
        subjects
            .iter()
            .filter(|subject| subject.algorithm.facts.name == *name)
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
    };
    names.iter().filter_map(of).collect()
}

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::Git(error.to_string())
}
