//! The study `speed`: every operation of every implementation on random messages, without a carrier.

use std::time::Duration;

use fieldtest_measure::Rng;
use fieldtest_measure::record::Input;
use fieldtest_measure::words::SPEED;
use sha2::{Digest, Sha256};

use crate::keys::KeyStore;
use crate::operations::{self, Operation, position_of};
use crate::{Bench, Book, StudyError, Subject};

/// Messages of the length of an RRset's signed data.
const MESSAGE: usize = 150;
const MESSAGES: usize = 1024;

/// Times the operations that decide of every subject, all of them in a thorough run; `baseline` is the algorithm that ratios refer to, the first subject if it
/// is not among them.
pub fn run(
    bench: &mut Bench<'_>,
    book: &mut Book,
    subjects: &[Subject],
    baseline: &str,
) -> Result<(), StudyError> {
    book.open(SPEED);
    let mut rng = Rng::new(bench.seed);
    let messages: Vec<Vec<u8>> =
        (0..MESSAGES).map(|_| (0..MESSAGE).map(|_| rng.below(256) as u8).collect()).collect();
    let input = Input {
        name: format!("{MESSAGES} random messages of {MESSAGE} bytes, seed {}", bench.seed),
        sha256: hex(&Sha256::digest(messages.concat())),
        bytes: (MESSAGES * MESSAGE) as u64,
        items: MESSAGES as u64,
    };
    for subject in subjects {
        book.candidate(subject.algorithm.facts);
    }
    let (operations, budget) = (Operation::timed(bench.thorough), bench.budget);
    measure_operations(bench, book, subjects, &messages, baseline, &input, (operations, budget))
}

/// Times these operations on `messages` within the budget; what a carrier's study does with its own messages.
pub fn measure_operations(
    bench: &mut Bench<'_>,
    book: &mut Book,
    subjects: &[Subject],
    messages: &[Vec<u8>],
    baseline: &str,
    input: &Input,
    (operations, budget): (&[Operation], Duration),
) -> Result<(), StudyError> {
    let mut stores = Vec::with_capacity(subjects.len());
    for subject in subjects {
        (bench.say)(&format!("making keys for {}", subject.name()));
        stores.push(KeyStore::new(subject, messages, bench.seed)?);
    }
    let baseline = position_of(subjects, baseline);
    operations::measure_operations(bench, book, &stores, baseline, operations, input, budget)
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
