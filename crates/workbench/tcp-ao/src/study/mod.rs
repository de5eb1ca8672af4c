//! The study of the carrier `tcp-ao`: what every MAC costs in the real segment, one at a time and in batches, what it
//! leaves of the option space, and what its keys cost.

mod part;
mod published;
mod segments;
mod space;
mod traffic;

use fieldtest_catalog::kind::Mac;
use fieldtest_catalog::mac::Algorithm;
use fieldtest_study::contest::Stage as _;
use fieldtest_study::timed::{self, Figure, Timed};
use fieldtest_study::{Bench, Book, Choice, StudyError, selection};
pub use part::TcpAoPart;
pub(crate) use segments::SegmentStage;
use segments::Task;
use traffic::Shape;

use crate::NAME;
use crate::words::{Operation, Segments, Way};

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
    let choice = Choice::in_study(&part.implementations, bench);
    let subjects = selection::prove(&implemented, &choice, bench.interrupt, &mut *bench.say)?;
    let shapes = Shape::all(part)?;

    let mut all = Vec::new();
    let mut add = |shape: &Shape, operation: Operation, subject: String, items| -> Result<(), StudyError> {
        let task = Task { shape: *shape, batch: part.batch, seed: bench.seed };
        let figure = Figure { operation: operation.word(), subject, items, per: "" };
        all.push(Timed::new(figure, traffic::input(shape, part.batch, bench.seed)?, &task));
        Ok(())
    };
    for shape in &shapes {
        for (way, items) in [(Way::Single, 1), (Way::Batched, part.batch)] {
            let subject = Segments { length: shape.mac_input as u32, way }.to_string();
            add(shape, Operation::Segment, subject, items)?;
        }
    }
    // The case of the figures that kernel developers publish.
    if let Some(shape) = shapes.iter().find(|shape| shape.mac_input == PUBLISHED).or(shapes.first()) {
        add(shape, Operation::SegmentUnprepared, shape.mac_input.to_string(), 1)?;
        add(shape, Operation::Derive, String::new(), 1)?;
        add(shape, Operation::Prepare, String::new(), 1)?;
    }
    let budget = bench.budget;
    timed::run(bench, book, SegmentStage.name(), &subjects, &all, budget)
}

/// Bytes of MAC input in the published figures: a segment of 128 bytes over IPv4.
const PUBLISHED: usize = 144;

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
