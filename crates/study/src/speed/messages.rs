//! Algorithms that work on messages, without a carrier: hash functions, MACs, ciphers, and ciphers that authenticate.

use std::sync::Arc;

use fieldtest_catalog::Implementation;
use fieldtest_catalog::aead::AeadFacts;
use fieldtest_catalog::cipher::CipherFacts;
use fieldtest_catalog::hash::HashFacts;
use fieldtest_catalog::kind::{Aead, Cipher, Hash, Kind, Mac};
use fieldtest_catalog::mac::MacFacts;
use fieldtest_kinds::cipher::{self, Tweaks};
use fieldtest_kinds::{Error, aead, hash, mac};
use fieldtest_measure::words::{self, Against, MessageOperation, SPEED, ratio};
use fieldtest_measure::{Benchmark, Estimator, Rng};

use super::{InPlace, input};
use crate::group::{Act, Order, Stage};
use crate::operations::{enter_ratio, position_of};
use crate::timed::{self, Estimate, Timed};
use crate::workers::Outcome;
use crate::{Bench, RecordWriter, StudyError, Subject};

/// A master key that every MAC takes, and the context of a traffic key.
const MASTER_KEY: &[u8; 32] = b"a master key of thirty-two bytes";
const CONTEXT: &[u8] = b"context";
/// The seed of the keys: they are the same in all runs, as they do not matter.
const KEYS: u64 = u64::MAX;
/// dm-crypt counts sectors in units of so many bytes.
const SECTOR: usize = 512;

/// An operation of one implementation on one message: it overwrites a room, or changes it where it lies.
pub type Work = Box<dyn FnMut(&mut [u8]) -> Result<(), Error>>;

/// A kind of algorithm that works on messages.
pub trait OnMessages: Kind {
    /// Bytes of the messages that are timed unasked.
    const SIZES: &'static [usize];
    /// What is timed, with prepared keys.
    const OPERATIONS: &'static [MessageOperation];

    /// The operation of code with these facts, and the room that it works in.
    ///
    /// # Errors
    /// What the code refuses, such as a message that is no whole number of blocks.
    fn work(
        code: Arc<Self::Code>,
        facts: &Self::Facts,
        operation: MessageOperation,
        message: &[u8],
    ) -> Result<(Work, Vec<u8>), Error>;
}

impl OnMessages for Hash {
    /// Those of Git's discussion of a successor to SHA-1: common sizes of trees, commits and blobs.
    const SIZES: &'static [usize] = &[256, 1024, 8192, 16_384];
    const OPERATIONS: &'static [MessageOperation] = &[MessageOperation::Hash];

    fn work(
        code: Arc<dyn hash::Hash>,
        _: &HashFacts,
        _: MessageOperation,
        message: &[u8],
    ) -> Result<(Work, Vec<u8>), Error> {
        let (room, message) = (vec![0; code.digest_len()], message.to_vec());
        Ok((Box::new(move |digest| code.digest(&message, &[], digest)), room))
    }
}

impl OnMessages for Mac {
    /// A BGP keepalive with its headers, and full segments.
    const SIZES: &'static [usize] = &[64, 128, 512, 1480];
    const OPERATIONS: &'static [MessageOperation] = &[MessageOperation::Tag];

    fn work(
        code: Arc<dyn mac::Mac>,
        facts: &MacFacts,
        _: MessageOperation,
        message: &[u8],
    ) -> Result<(Work, Vec<u8>), Error> {
        let mut key = Vec::new();
        code.derive(MASTER_KEY, CONTEXT, &mut key)?;
        let (key, message) = (code.prepare(&key)?, message.to_vec());
        let work = move |tag: &mut [u8]| key.tag(&message, tag);
        // Messages of MACs in a carrier hold a nonce, so some refuse short ones.
        work(&mut vec![0; facts.tag])?;
        Ok((Box::new(work), vec![0; facts.tag]))
    }
}

impl OnMessages for Cipher {
    /// Both sizes of sectors.
    const SIZES: &'static [usize] = &[512, 4096];
    const OPERATIONS: &'static [MessageOperation] = &[MessageOperation::Encrypt, MessageOperation::Decrypt];

    fn work(
        code: Arc<dyn cipher::Cipher>,
        _: &CipherFacts,
        operation: MessageOperation,
        message: &[u8],
    ) -> Result<(Work, Vec<u8>), Error> {
        let (key, size) = (code.prepare(&random(code.key_len(), KEYS))?, message.len());
        let tweaks = Tweaks { first: 0, step: (size / SECTOR) as u64 };
        let mut work: Work = match operation {
            MessageOperation::Decrypt => Box::new(move |data| key.decrypt(tweaks, size, data)),
            _ => Box::new(move |data| key.encrypt(tweaks, size, data)),
        };
        work(&mut message.to_vec())?;
        Ok((work, message.to_vec()))
    }
}

impl OnMessages for Aead {
    /// A short message, a packet, and both sizes of sectors.
    const SIZES: &'static [usize] = &[64, 512, 1408, 4096];
    const OPERATIONS: &'static [MessageOperation] = &[MessageOperation::Seal, MessageOperation::Open];

    fn work(
        code: Arc<dyn aead::Aead>,
        facts: &AeadFacts,
        operation: MessageOperation,
        message: &[u8],
    ) -> Result<(Work, Vec<u8>), Error> {
        let (key, size) = (code.prepare(&random(code.key_len(), KEYS))?, message.len());
        let (nonce, mut from) = (vec![7; facts.nonce], message.to_vec());
        from.resize(size + facts.tag, 0);
        let room = vec![0; from.len()];
        if operation == MessageOperation::Open {
            let (data, tag) = from.split_at_mut(size);
            key.seal(&nonce, &[], data, tag)?;
        }
        let work = move |room: &mut [u8]| {
            room.copy_from_slice(&from);
            let (data, tag) = room.split_at_mut(size);
            match operation {
                MessageOperation::Open => key.open(&nonce, &[], data, tag),
                _ => key.seal(&nonce, &[], data, tag),
            }
        };
        Ok((Box::new(work), room))
    }
}

fn benchmark<K: OnMessages>(
    subject: &Subject<K>,
    operation: MessageOperation,
    message: &[u8],
) -> Result<Benchmark<'static>, StudyError> {
    let work = |implementation: &Implementation<K>| {
        let work = K::work(implementation.code.clone(), &subject.algorithm.facts.kind, operation, message);
        work.map_err(|error| subject.failed("a message of this size", error))
    };
    let ((run, room), (follow, _)) = (work(subject.implementation)?, work(subject.judge())?);
    Ok(Benchmark::new(subject.name(), Estimator::Median, InPlace::new(&room, run, follow)))
}

fn random(length: usize, seed: u64) -> Vec<u8> {
    Rng::for_purpose(seed, length as u64).bytes(length)
}

/// Sets up one operation of one kind; its task is the kind's word, the size of the message, and the seed.
#[derive(Debug)]
pub struct MessageStage;

impl Stage for MessageStage {
    fn name(&self) -> &'static str {
        SPEED
    }

    fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
        let (kind, ..): (String, usize, u64) = order.task()?;
        match kind.as_str() {
            Hash::WORD => set_up::<Hash>(order, act),
            Mac::WORD => set_up::<Mac>(order, act),
            Cipher::WORD => set_up::<Cipher>(order, act),
            Aead::WORD => set_up::<Aead>(order, act),
            _ => Err(order.unknown()),
        }
    }
}

fn set_up<K: OnMessages>(order: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
    let (_, size, seed): (String, usize, u64) = order.task()?;
    let operation = MessageOperation::from_word(&order.operation).ok_or_else(|| order.unknown())?;
    let message = random(size, seed);
    let subjects = order.subjects_of::<K>()?;
    let benchmarks = subjects.iter().map(|subject| benchmark(subject, operation, &message));
    act(&mut benchmarks.collect::<Result<Vec<_>, _>>()?)
}

/// Whether all of these work on messages of these sizes, which is known before anything is timed.
///
/// # Errors
/// What an implementation refuses.
pub fn check<K: OnMessages>(subjects: &[Subject<K>], sizes: &[usize]) -> Result<(), StudyError> {
    for (subject, &size) in subjects.iter().flat_map(|subject| sizes.iter().map(move |size| (subject, size)))
    {
        for &operation in K::OPERATIONS {
            benchmark(subject, operation, &random(size, 0))?;
        }
    }
    Ok(())
}

/// Times every operation on messages of these sizes, those of the kind where there are none; `baseline` is the algorithm
/// that ratios refer to, the first subject if it is not among them.
///
/// # Errors
/// What an implementation refuses.
pub fn run<K: OnMessages>(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    subjects: &[Subject<K>],
    sizes: &[usize],
    baseline: &str,
) -> Result<(), StudyError> {
    writer.open(SPEED);
    for subject in subjects {
        writer.candidate(subject.algorithm.facts);
    }
    let sizes = if sizes.is_empty() { K::SIZES } else { sizes };
    let timed = |operation: MessageOperation, size: usize| {
        let (subject, per) = (format!("{size} bytes"), "/byte");
        let name = format!("1 random message of {size} bytes, seed {}", bench.seed);
        let result = Estimate { operation: operation.word(), subject, items: size, per };
        Timed::new(result, input(name, random(size, bench.seed), 1), &(K::WORD, size, bench.seed))
    };
    let operations = K::OPERATIONS.iter().flat_map(|it| sizes.iter().map(move |size| (it, size)));
    let all: Vec<Timed> = operations.map(|(operation, size)| timed(*operation, *size)).collect();
    let budget = bench.budget;
    let outcomes = timed::run(bench, writer, SPEED, subjects, &all, budget)?;
    let base = position_of(subjects, baseline);
    for (timed, outcome) in all.iter().zip(&outcomes) {
        enter_ratios(writer, timed, subjects, outcome, base);
        enter_rates(writer, timed, subjects, outcome);
    }
    Ok(())
}

fn enter_ratios<K: Kind>(
    writer: &mut RecordWriter,
    Timed { estimate: of, input, .. }: &Timed,
    subjects: &[Subject<K>],
    outcome: &Outcome,
    base: usize,
) {
    let Some(Some(of_base)) = outcome.estimates.get(base) else { return };
    let against = Against { of: &of.subject, baseline: &subjects[base].name() }.to_string();
    for (at, (subject, estimate)) in subjects.iter().zip(&outcome.estimates).enumerate() {
        let Some(estimate) = estimate.as_ref().filter(|_| at != base) else { continue };
        if let Some(found) = estimate.ratio(of_base) {
            let record =
                writer.ratio(subject, &subjects[base], (&ratio(of.operation), against.as_str()), input);
            enter_ratio(writer, record, &found, estimate.core);
        }
    }
}

/// How much of the message a second has time for, in KiB as OpenSSL and Git count.
fn enter_rates<K: Kind>(
    writer: &mut RecordWriter,
    Timed { estimate: of, input, .. }: &Timed,
    subjects: &[Subject<K>],
    outcome: &Outcome,
) {
    let rate = |nanoseconds: f64| of.items as f64 / 1024.0 / nanoseconds * 1e9;
    for (at, subject) in subjects.iter().enumerate() {
        let Some(((elapsed, interval), estimate)) = outcome.elapsed(at).zip(outcome.estimates[at].as_ref())
        else {
            continue;
        };
        let names = (words::rate(of.operation), of.subject.as_str());
        let mut record = writer.measured(subject, (&names.0, names.1), (rate(elapsed.mean), "KiB/s"), input);
        record.interval = interval.map(|it| [rate(it.high), rate(it.low)]);
        record.estimator = Estimator::Mean.name().to_owned();
        record.samples = estimate.processes as u64;
        record.notes.extend(crate::workers::remark_on(estimate.core).map(str::to_owned));
        writer.record(record);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fieldtest_measure::worker::WorkerTask;

    use super::*;
    use crate::group::{Named, obey};
    use crate::scripted::{Scripted, algorithm, records, result_of, same, subjects, with_bench, writer};

    /// The stage as workers have it: every implementation of every algorithm gives the first one's results.
    fn all_of<K: OnMessages>() {
        let subjects = K::all().iter().flat_map(|algorithm| {
            let named = |name: &str| Named {
                algorithm: algorithm.facts.name.clone(),
                implementation: name.to_owned(),
            };
            algorithm.implementations.iter().filter(|it| it.is_usual()).map(move |it| named(it.name))
        });
        let subjects: Vec<Named> = subjects.collect();
        for (&operation, &size) in
            K::OPERATIONS.iter().flat_map(|it| K::SIZES.iter().map(move |size| (it, size)))
        {
            let worker = WorkerTask {
                time: std::time::Duration::ZERO,
                window: std::time::Duration::from_nanos(1),
                known: Vec::new(),
                first: 0,
                seed: 1,
            };
            let order = Order {
                stage: SPEED.to_owned(),
                operation: operation.word().to_owned(),
                subject: String::new(),
                subjects: subjects.clone(),
                input: postcard::to_stdvec(&(K::WORD, size, 1_u64)).expect("a form"),
                worker,
                processor: None,
                elapsed: true,
            };
            let result = obey(&order, &[&MessageStage], &AtomicBool::new(false)).expect("equal results");
            assert_eq!(result.seen.len(), subjects.len());
        }
    }

    #[test]
    fn every_algorithm_works_on_messages() {
        all_of::<Hash>();
        all_of::<Mac>();
        all_of::<Cipher>();
        all_of::<Aead>();
    }

    #[test]
    fn costs_are_per_byte_with_rates_and_ratios() {
        let all = [algorithm::<Hash>("sha-256", "base", &["one"]), algorithm("sha-256", "other", &["one"])];
        let subjects = subjects(&all);
        let (answer, mut writer) = (|_: &Order, _: usize| Ok(result_of(&[6400, 12_800])), writer());
        let launcher = Scripted::new(&answer);
        with_bench(&launcher, &AtomicBool::new(false), |bench| {
            run(bench, &mut writer, &subjects, &[64], "base").expect("no failure");
        });
        let found = records(&writer);
        let told: Vec<(&str, &str, &str, &str)> = (found.iter())
            .map(|it| (it.algorithm.as_str(), it.operation.as_str(), it.subject.as_str(), it.unit.as_str()))
            .collect();
        let per_byte = found[0].unit.as_str();
        assert!(per_byte.ends_with("/byte"));
        assert_eq!(
            told,
            [
                ("base", "hash", "64 bytes", per_byte),
                ("other", "hash", "64 bytes", per_byte),
                ("other", "hash-ratio", "64 bytes against base (one)", "ratio"),
                ("base", "hash-rate", "64 bytes", "KiB/s"),
                ("other", "hash-rate", "64 bytes", "KiB/s"),
            ]
        );
        for (record, value) in found.iter().zip([100.0, 200.0, 2.0]) {
            same(record.value, value);
        }
        assert!(
            found.iter().all(|it| it.interval.is_some_and(|[low, high]| (low..=high).contains(&it.value)))
        );
        same(found[3].value / found[4].value, 2.0);
        assert_eq!(found[3].estimator, "mean");
    }
}
