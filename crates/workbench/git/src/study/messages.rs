//! Hash functions on messages of given sizes, one after the other and many at once.

use fieldtest_catalog::kind::Hash;
use fieldtest_git::{Header, ObjectType, sizes};
use fieldtest_kinds::hash::{Hash as Code, Job};
use fieldtest_measure::record::Input;
use fieldtest_measure::{Benchmark, Estimator, Rng, operation};
use fieldtest_study::group::{Act, Order, Stage};
use fieldtest_study::speed::input;
use fieldtest_study::{StudyError, Subject};
use serde::{Deserialize, Serialize};

use crate::NAME;
use crate::words::{self, Operation, Way};

/// Bytes of all messages of one size, as far as their number allows: they fit in a core's own caches, as objects do that
/// were just inflated.
const BYTES: usize = 128 << 10;
/// Messages of one size: enough to fill lanes several times.
const COUNT: std::ops::RangeInclusive<usize> = 64..=256;
/// Objects that stand for a repository's sizes.
const QUANTILES: u64 = 64;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sizes {
    sizes: Vec<usize>,
    name: String,
}

impl Sizes {
    /// As many messages of `size` bytes as fit in the caches.
    pub(super) fn equal(size: usize) -> Sizes {
        let count = (BYTES / size.max(1)).clamp(*COUNT.start(), *COUNT.end());
        Sizes { sizes: vec![size; count], name: format!("{count} random blobs of {size} bytes") }
    }

    /// Those of the repository's objects: of each 64th part of them, the one in the middle.
    pub(super) fn of_repository(sizes: &sizes::Sizes, seed: u64) -> Sizes {
        let mut chosen = Vec::new();
        let mut seen = 0;
        for bucket in sizes.buckets() {
            seen += bucket.count;
            let middle = |quantile: u64| (2 * quantile + 1) * sizes.count() / (2 * QUANTILES);
            while chosen.len() < QUANTILES as usize && middle(chosen.len() as u64) < seen {
                chosen.push((bucket.bytes / bucket.count) as usize);
            }
        }
        // As they come out of a pack: not sorted.
        Rng::new(seed).shuffle(&mut chosen);
        Sizes { sizes: chosen, name: "random blobs of the sizes of the repository's objects".to_owned() }
    }
}

/// Sets up hash functions at work on messages; the task is their [`Sizes`] and the seed of what they hold.
#[derive(Debug)]
pub(crate) struct MessageStage;

impl Stage for MessageStage {
    fn name(&self) -> &'static str {
        NAME
    }

    fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
        let way = words::Messages::read(&order.subject).map(|messages| messages.way);
        let (Some(Operation::Hash), Some(way)) = (Operation::from_word(&order.operation), way) else {
            return Err(order.unknown());
        };
        let (sizes, seed): (Sizes, u64) = order.task()?;
        let (messages, subjects) = (Messages::new(&sizes, seed), order.subjects_of()?);
        let benchmarks = subjects.iter().map(|subject| messages.benchmark(subject, way == Way::Many));
        act(&mut benchmarks.collect::<Result<Vec<_>, _>>()?)
    }
}

/// Random content with Git's headers, as blobs. Git's own `test-tool hash-speed` hashes zeros, on which
/// SHA-1 with collision detection is faster: 471 MiB/s by Git's code, and 427 on varied data (Zen 3,
/// November 2026).
pub(super) struct Messages {
    headers: Vec<Header>,
    contents: Vec<Vec<u8>>,
    pub(super) input: Input,
}

impl Messages {
    pub(super) fn new(Sizes { sizes, name }: &Sizes, seed: u64) -> Messages {
        let mut rng = Rng::new(seed);
        let contents: Vec<Vec<u8>> = sizes.iter().map(|&size| rng.bytes(size)).collect();
        let headers = sizes.iter().map(|&size| Header::new(ObjectType::Blob, size as u64)).collect();
        let input = input(format!("{name}, seed {seed}"), contents.concat(), sizes.len());
        Messages { headers, contents, input }
    }

    pub(super) fn bytes(&self) -> usize {
        self.input.bytes as usize
    }

    /// Hashes them all, one after the other or together. Every implementation is held against the algorithm's first.
    fn benchmark<'a>(
        &'a self,
        subject: &'a Subject<Hash>,
        together: bool,
    ) -> Result<Benchmark<'a>, StudyError> {
        let code = subject.implementation.code.as_ref();
        let first = subject.judge().code.as_ref();
        let mut expected = vec![0; self.contents.len() * first.digest_len()];
        self.digest(first, false, &mut expected).map_err(|source| subject.failed("hashing", source))?;
        let room = expected.len();
        let prepare = move |_| Ok(vec![0; room]);
        let run = move |digests: &mut Vec<u8>| self.digest(code, together, digests);
        let check = move |digests, hashed: Result<(), fieldtest_kinds::Error>| match hashed
            .map(|()| digests == expected)?
        {
            true => Ok(()),
            false => Err("another digest than the algorithm's first implementation".into()),
        };
        Ok(Benchmark::new(subject.name(), Estimator::Median, operation(prepare, run, check)))
    }

    fn digest(
        &self,
        code: &dyn Code,
        together: bool,
        digests: &mut [u8],
    ) -> Result<(), fieldtest_kinds::Error> {
        let messages = self.headers.iter().zip(&self.contents);
        let jobs = messages.zip(digests.chunks_exact_mut(code.digest_len()));
        if !together {
            for ((header, content), digest) in jobs {
                code.digest(header.as_bytes(), content, digest)?;
            }
            return Ok(());
        }
        let mut jobs: Vec<Job<'_>> =
            jobs.map(|((header, body), digest)| Job { head: header.as_bytes(), body, digest }).collect();
        code.digest_many(&mut jobs)
    }
}
