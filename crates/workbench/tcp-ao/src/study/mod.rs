//! The study of the carrier `tcp-ao`: what every MAC costs in the real segment, one at a time and in batches, what it
//! leaves of the option space, and what its keys cost; of generated segments, or of those of a capture.

mod capture_work;
mod captured;
mod effects;
mod lengths;
mod part;
mod segments;
mod space;
mod traffic;

use std::collections::BTreeSet;

use captured::Capture;
use fieldtest_catalog::kind::{Kind as _, Mac};
use fieldtest_catalog::mac::Algorithm;
use fieldtest_measure::record::Record;
use fieldtest_study::group::Stage as _;
use fieldtest_study::part::within;
use fieldtest_study::timed::{self, Estimate, Timed};
use fieldtest_study::{Bench, Choice, RecordWriter, StudyError, availability, fastest, quickest, selection};
pub use part::TcpAoPart;
pub(crate) use segments::SegmentStage;
use segments::Task;
use traffic::Shape;

use crate::NAME;
use crate::words::{Operation, Segments, Way};

/// Segments in a batch at most; every implementation has its own.
const LARGEST_BATCH: usize = 1024;
/// The share of the budget for a capture's MACs, where there is one.
const CAPTURE: f64 = 0.35;

/// Finds out what is wrong with the plan before anything is measured.
pub(crate) fn check(part: &TcpAoPart) -> Result<(), StudyError> {
    selection::algorithms::<Mac>(&part.algorithms)?;
    if part.capture.is_none() {
        Shape::all(&part.ipv4, &part.ipv6)?;
    }
    within(NAME, "batch", part.batch, 1..=LARGEST_BATCH)
}

/// Makes the study and enters its records.
pub(crate) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    part: &TcpAoPart,
) -> Result<(), StudyError> {
    check(part)?;
    writer.open(NAME);
    let algorithms: Vec<&'static Algorithm> = selection::algorithms::<Mac>(&part.algorithms)?;
    let capture = match &part.capture {
        Some(path) => {
            let mac_lens: BTreeSet<usize> = algorithms.iter().map(|it| effects::mac_len(it.facts)).collect();
            let mac_lens: Vec<usize> = mac_lens.into_iter().collect();
            let Some(capture) = Capture::read(path, &mac_lens, bench)? else { return Ok(()) };
            Some(capture)
        }
        None => None,
    };
    let shapes = match &capture {
        Some(capture) => capture.lengths.shapes(),
        None => Shape::all(&part.ipv4, &part.ipv6)?,
    };
    // Results of others stand beside ours of the same length, and nowhere else.
    let is_published = shapes.iter().any(|shape| shape.mac_input == PUBLISHED);
    for algorithm in &algorithms {
        writer.candidate(algorithm.facts);
        space::enter(writer, algorithm.facts);
        let stated = &algorithm.facts.kind.implemented_by;
        availability::enter(writer, algorithm.facts, Mac::WORD, Some(stated), []);
        if is_published || capture.is_none() {
            writer.publish(&algorithm.facts.name, include_str!("published.txt"));
        }
        if let Some(capture) = &capture {
            effects::enter(writer, algorithm.facts, &capture.effects, (&capture.input, &capture.notes));
        }
    }
    if bench.exact {
        return Ok(());
    }
    let implemented: Vec<_> = algorithms.into_iter().filter(|a| !a.implementations.is_empty()).collect();
    if implemented.is_empty() {
        return Ok(());
    }
    let choice = Choice::in_study(&part.implementations, bench.thorough);
    let subjects = bench.prove(&implemented, &choice)?;

    let seed = bench.seed;
    let timed = |shape: &Shape, operation: Operation, subject: String, items| -> Result<_, StudyError> {
        let task = Task { shape: *shape, batch: part.batch, seed };
        let result = Estimate { operation: operation.word(), subject, items, per: "" };
        Ok(Timed::new(result, traffic::input(shape, part.batch, seed)?, &task))
    };
    let segments = |shape: &Shape, way: Way| {
        let subject = Segments { length: shape.mac_input as u32, way }.to_string();
        let items = if way == Way::Batched { part.batch } else { 1 };
        timed(shape, Operation::Segment, subject, items)
    };
    let mut all = Vec::new();
    for shape in &shapes {
        all.push(segments(shape, Way::Single)?);
        if bench.thorough {
            all.push(segments(shape, Way::Batched)?);
        }
    }
    let mut subjects = subjects;
    // The case of the results that kernel developers publish.
    if let Some(shape) = shapes.iter().find(|shape| shape.mac_input == PUBLISHED).or(shapes.first()) {
        let unprepared = timed(shape, Operation::SegmentUnprepared, shape.mac_input.to_string(), 1)?;
        let deciding = [unprepared, segments(shape, Way::Single)?];
        subjects = quickest(bench, &choice, subjects, SegmentStage.name(), &deciding)?;
        all.extend(deciding.into_iter().take(1));
        if bench.thorough {
            all.push(timed(shape, Operation::Derive, String::new(), 1)?);
            all.push(timed(shape, Operation::Prepare, String::new(), 1)?);
        }
    }
    let budget = bench.left();
    let of_capture = if capture.is_some() { CAPTURE } else { 0.0 };
    timed::run(bench, writer, SegmentStage.name(), &subjects, &all, budget.mul_f64(1.0 - of_capture))?;
    let Some(capture) = &capture else { return Ok(()) };
    let single = |record: &Record| {
        record.operation == Operation::Segment
            && Segments::read(&record.subject).is_some_and(|it| it.way == Way::Single)
    };
    let fastest = fastest(writer, &subjects, &single);
    capture_work::run(bench, writer, capture, &fastest, budget.mul_f64(of_capture))
}

/// Bytes of MAC input in the published results: a segment of 128 bytes over IPv4.
const PUBLISHED: usize = 144;

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
