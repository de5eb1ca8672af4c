//! The study `speed`: every operation of every implementation on random messages, without a carrier. Here are signatures,
//! whose operations are of keys; [`messages`] has the other kinds.

mod in_place;
pub mod messages;

use std::time::Duration;

use fieldtest_measure::Rng;
use fieldtest_measure::record::Input;
use fieldtest_measure::words::SPEED;
pub use in_place::InPlace;
use sha2::{Digest, Sha256};

use crate::keys::KeyStore;
use crate::operations::{self, Operation, position_of};
use crate::{Bench, RecordWriter, StudyError, Subject};

/// Messages of the length of an RRset's signed data.
const MESSAGE: usize = 150;
const MESSAGES: usize = 1024;

/// Times the operations that decide of every subject, all of them in a thorough run; `baseline` is the algorithm that ratios refer to, the first subject if it
/// is not among them.
pub fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    subjects: &[Subject],
    baseline: &str,
) -> Result<(), StudyError> {
    writer.open(SPEED);
    let mut rng = Rng::new(bench.seed);
    let messages: Vec<Vec<u8>> = (0..MESSAGES).map(|_| rng.bytes(MESSAGE)).collect();
    let name = format!("{MESSAGES} random messages of {MESSAGE} bytes, seed {}", bench.seed);
    let input = input(name, messages.concat(), MESSAGES);
    for subject in subjects {
        writer.candidate(subject.algorithm.facts);
    }
    let (operations, budget) = (Operation::timed(bench.thorough), bench.budget);
    measure_operations(bench, writer, subjects, &messages, baseline, &input, (operations, budget))
}

/// Times these operations on `messages` within the budget; what a carrier's study does with its own messages.
pub fn measure_operations(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
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
    operations::measure_operations(bench, writer, &stores, baseline, operations, input, budget)
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What results are of: these bytes, which are so many items.
pub fn input(name: impl Into<String>, content: impl AsRef<[u8]>, items: usize) -> Input {
    let content = content.as_ref();
    Input {
        name: name.into(),
        sha256: hex(&Sha256::digest(content)),
        bytes: content.len() as u64,
        items: items as u64,
    }
}

/// What results are of that have no data of their own, as keys and signatures are new in each run: these words stand for it.
pub fn input_in_words(words: &str, items: usize) -> Input {
    input(words, words, items)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fieldtest_catalog::kind::Signature;
    use fieldtest_measure::record::Line;

    use super::*;
    use crate::group::Order;
    use crate::scripted::{Scripted, algorithm, records, result_of, subjects, with_bench, writer};

    #[test]
    fn an_input_is_known_by_its_digest() {
        assert_eq!(hex(&[0, 0x0a, 0xf5]), "000af5");
        // FIPS 180-2, B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let expected = Input { name: "it".to_owned(), sha256: abc.to_owned(), bytes: 3, items: 7 };
        assert_eq!(input("it", b"abc", 7), expected);
        assert_eq!(input_in_words("abc", 7), Input { name: "abc".to_owned(), ..expected });
    }

    #[test]
    fn what_decides_is_timed_on_1024_messages() {
        let subjects = subjects(&[algorithm::<Signature>("ed25519", "made-up", &["one"])]);
        let answer = |_: &Order, _: usize| Ok(result_of(&[100]));
        let launcher = Scripted::new(&answer);
        let run = |seed| {
            let mut writer = writer();
            with_bench(&launcher, &AtomicBool::new(false), |bench| {
                bench.seed = seed;
                run(bench, &mut writer, &subjects, "none").expect("no failure");
            });
            writer
        };
        let digest =
            |writer: &RecordWriter| records(writer)[0].input.as_ref().expect("messages").sha256.clone();
        let writer = run(7);
        assert_eq!(digest(&writer), digest(&run(7)));
        assert_ne!(digest(&writer), digest(&run(8)), "the seed decides the messages");
        assert!(matches!(&writer.lines()[1], Line::Candidate(it) if it.algorithm == "made-up"));
        let records = records(&writer);
        let operations: Vec<&str> = records.iter().map(|it| it.operation.as_str()).collect();
        assert_eq!(operations, Operation::timed(false).iter().map(|it| it.word()).collect::<Vec<_>>());
        for record in records {
            let input = record.input.as_ref().expect("messages");
            assert_eq!((record.study.as_str(), input.items, input.bytes), (SPEED, 1024, 1024 * 150));
        }
    }
}
