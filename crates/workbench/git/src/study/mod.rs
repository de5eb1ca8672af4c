//! The study of the carrier `git`: one repository, every hash function: its speed on messages of all sizes and on the
//! repository itself, beside what decoding takes; the whole map to new names; what longer names take; and where the function is available.

mod messages;
mod part;
mod repository_work;
mod sample;
mod storage;

use fieldtest_catalog::Facts;
use fieldtest_catalog::hash::{Algorithm, availability as on_host};
use fieldtest_catalog::kind::{Hash, Kind as _};
use fieldtest_study::group::Stage as _;
use fieldtest_study::timed::{self, Estimate, Timed};
use fieldtest_study::{Bench, Choice, RecordWriter, StudyError, availability, quickest, selection};
pub(crate) use messages::MessageStage;
use messages::{Messages, Sizes};
pub use part::GitPart;
use repository_work::Source;

use crate::NAME;
use crate::words::{self, Operation, Size, Way};

/// Bytes per message: those of Git's own `test-tool hash-speed`.
const SIZES: [usize; 5] = [64, 256, 1024, 8192, 16384];
/// The share of the budget for messages; the rest is for the repository.
const MESSAGES: f64 = 0.6;

/// Makes the study and enters its records. The repository is read, and nothing of it is written to.
pub(crate) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    part: &GitPart,
) -> Result<(), StudyError> {
    writer.open(NAME);
    let algorithms: Vec<&'static Algorithm> = selection::algorithms::<Hash>(&part.algorithms)?;
    let source = Source::of(part, bench)?;
    (bench.say)("asking this host for hash functions");
    let host = on_host::on_host();
    for algorithm in &algorithms {
        writer.candidate(algorithm.facts);
        collision(writer, algorithm.facts);
        storage::enter(writer, algorithm.facts, &source.ids);
        let stated = &algorithm.facts.kind.availability;
        let found = host.iter().map(|it| (it.place, it.version.as_str(), it.functions.as_slice()));
        availability::enter(writer, algorithm.facts, Hash::WORD, Some(stated), found);
        writer.publish(&algorithm.facts.name, include_str!("published.txt"));
    }
    if bench.exact {
        return Ok(());
    }
    let choice = Choice::in_study(&part.implementations, bench.thorough);
    let subjects = bench.prove(&algorithms, &choice)?;

    let timed = messages_of(bench, &source);
    let of_repository = &timed[timed.len() - Way::ALL.len()..];
    let subjects = quickest(bench, &choice, subjects, MessageStage.name(), of_repository)?;
    let budget = bench.left();
    timed::run(bench, writer, MessageStage.name(), &subjects, &timed, budget.mul_f64(MESSAGES))?;
    repository_work::run(bench, writer, &source, &subjects, budget.mul_f64(1.0 - MESSAGES))
}

/// Enters the security against collisions, where a result can be given: that against whoever writes both messages, which
/// is what names of objects rest on.
fn collision(writer: &mut RecordWriter, facts: &Facts<Hash>) {
    if let Some(bits) = facts.kind.collision {
        let record = writer.result(&facts.name, Operation::Collision.word(), "", f64::from(bits), "bits");
        writer.record(record);
    }
}

/// Messages of the repository's sizes, each by itself and many at once; before them those of one size, in a thorough study.
fn messages_of(bench: &Bench<'_>, source: &Source) -> Vec<Timed> {
    let sizes = SIZES.map(|size| (Size::Bytes(size as u64), Sizes::equal(size)));
    let repository = (Size::Repository, Sizes::of_repository(&source.sizes, bench.seed));
    let mut all = Vec::new();
    for (size, sizes) in sizes.into_iter().filter(|_| bench.thorough).chain([repository]) {
        let messages = Messages::new(&sizes, bench.seed);
        for way in Way::ALL {
            let subject = words::Messages { size, way }.to_string();
            let result = Estimate {
                operation: Operation::Hash.word(),
                subject,
                items: messages.bytes(),
                per: "/byte",
            };
            all.push(Timed::new(result, messages.input.clone(), &(&sizes, bench.seed)));
        }
    }
    all
}

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
