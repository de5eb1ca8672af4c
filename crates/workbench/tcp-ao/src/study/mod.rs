//! The study of the carrier `tcp-ao`: what every MAC costs in the real segment, one at a time and in batches, what it
//! leaves of the option space, and what its keys cost.

mod part;
mod published;
mod segments;
mod space;
mod traffic;

use fieldtest_catalog::kind::Mac;
use fieldtest_catalog::mac::Algorithm;
use fieldtest_study::rounds::{Figure, Rounds};
use fieldtest_study::{Bench, Book, Choice, StudyError, Subject, selection};
pub use part::TcpAoPart;
use segments::Stream;
use traffic::Shape;

use crate::NAME;
use crate::words::{Operation, Segments, Way};

/// Operations beside those on segments: a traffic key derived, one prepared, a segment with its key prepared anew.
const OTHERS: usize = 3;

/// Segments in a batch at most; every implementation has its own.
const LARGEST_BATCH: usize = 1024;

/// Finds out what is wrong with the plan before anything is measured.
///
/// # Errors
/// Unknown algorithms, and segments or batches that cannot be.
pub(crate) fn check(part: &TcpAoPart) -> Result<(), StudyError> {
    selection::algorithms::<Mac>(&part.algorithms)?;
    Shape::all(part)?;
    if !(1..=LARGEST_BATCH).contains(&part.batch) {
        return Err(fault(format!(
            "a batch of {} segments is not possible; from 1 to {LARGEST_BATCH} are",
            part.batch
        )));
    }
    Ok(())
}

/// Makes the study and enters its records.
///
/// # Errors
/// Those of [`check`], and what an implementation or the carrier refuses.
pub(crate) fn run(bench: &mut Bench<'_>, book: &mut Book, part: &TcpAoPart) -> Result<(), StudyError> {
    check(part)?;
    book.open(NAME);
    let algorithms: Vec<&'static Algorithm> = selection::algorithms::<Mac>(&part.algorithms)?;
    for algorithm in &algorithms {
        book.candidate(algorithm.facts);
        space::enter(book, algorithm.facts);
        published::enter(book, algorithm.facts);
    }
    let implemented: Vec<_> = algorithms.into_iter().filter(|a| !a.implementations.is_empty()).collect();
    if implemented.is_empty() {
        return Ok(());
    }
    let choice = Choice::named(&part.implementations);
    let subjects = selection::prove(&implemented, &choice, bench.interrupt, &mut *bench.say)?;
    let shapes = Shape::all(part)?;
    let mut rounds = Rounds { budget: bench.budget / (2 * shapes.len() + OTHERS) as u32, bench, book };

    for shape in &shapes {
        let mut streams = streams(&subjects, shape, part, rounds.bench.seed)?;
        let input = traffic::input(shape, part.batch, rounds.bench.seed)?;
        let figure = |way, items| {
            let subject = Segments { length: shape.mac_input as u32, way }.to_string();
            Figure { operation: Operation::Segment.word(), subject, items, per: "" }
        };
        rounds.run(&figure(Way::Single, 1), &input, streams.iter_mut().map(Stream::single))?;
        rounds.run(&figure(Way::Batched, part.batch), &input, streams.iter_mut().map(Stream::batched))?;
    }
    // The case of the figures that kernel developers publish.
    let Some(shape) = shapes.iter().find(|shape| shape.mac_input == PUBLISHED).or(shapes.first()) else {
        return Ok(());
    };
    let mut streams = streams(&subjects, shape, part, rounds.bench.seed)?;
    let input = traffic::input(shape, part.batch, rounds.bench.seed)?;
    let figure =
        |operation: Operation, subject| Figure { operation: operation.word(), subject, items: 1, per: "" };
    let unprepared = figure(Operation::SegmentUnprepared, shape.mac_input.to_string());
    rounds.run(&unprepared, &input, streams.iter_mut().map(Stream::unprepared))?;
    rounds.run(&figure(Operation::Derive, String::new()), &input, streams.iter().map(Stream::derive))?;
    rounds.run(&figure(Operation::Prepare, String::new()), &input, streams.iter().map(Stream::prepare))
}

/// Bytes of MAC input in the published figures: a segment of 128 bytes over IPv4.
const PUBLISHED: usize = 144;

fn streams<'a>(
    subjects: &'a [Subject<Mac>],
    shape: &Shape,
    part: &TcpAoPart,
    seed: u64,
) -> Result<Vec<Stream<'a>>, StudyError> {
    subjects.iter().map(|subject| Stream::new(subject, shape, part.batch, seed)).collect()
}

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
