//! Hash functions on messages of given sizes, one after the other and many at once.

use fieldtest_catalog::kind::Hash;
use fieldtest_git::sizes::Sizes;
use fieldtest_git::{Header, ObjectType};
use fieldtest_kinds::hash::{Hash as Code, Job};
use fieldtest_measure::record::Input;
use fieldtest_measure::{Contender, Estimator, Rng, operation};
use fieldtest_study::speed::hex;
use fieldtest_study::{StudyError, Subject};
use sha2::{Digest, Sha256};

/// Bytes of all messages of one size, as far as their number allows: they fit in a core's own caches, as objects do that
/// were just inflated.
const BYTES: usize = 128 << 10;
/// Messages of one size: enough to fill lanes several times.
const COUNT: std::ops::RangeInclusive<usize> = 64..=256;
/// Objects that stand for a repository's sizes.
const QUANTILES: u64 = 64;

/// Random content with Git's headers, as blobs.
pub(super) struct Messages {
    headers: Vec<Header>,
    contents: Vec<Vec<u8>>,
    /// What records say of them.
    pub(super) input: Input,
}

impl Messages {
    /// As many messages of `size` bytes as fit in the caches.
    pub(super) fn of_size(size: usize, seed: u64) -> Messages {
        let count = (BYTES / size.max(1)).clamp(*COUNT.start(), *COUNT.end());
        Messages::new(vec![size; count], &format!("{count} random blobs of {size} bytes"), seed)
    }

    /// Messages whose sizes are those of the repository's objects: of each 64th part of them, the one in the middle.
    pub(super) fn of_sizes(sizes: &Sizes, seed: u64) -> Messages {
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
        Messages::new(chosen, "random blobs of the sizes of the repository's objects", seed)
    }

    fn new(sizes: Vec<usize>, name: &str, seed: u64) -> Messages {
        let mut rng = Rng::new(seed);
        let contents: Vec<Vec<u8>> =
            sizes.iter().map(|&size| (0..size).map(|_| rng.below(256) as u8).collect()).collect();
        let headers = sizes.iter().map(|&size| Header::new(ObjectType::Blob, size as u64)).collect();
        let input = Input {
            name: format!("{name}, seed {seed}"),
            sha256: hex(&Sha256::digest(contents.concat())),
            bytes: sizes.iter().sum::<usize>() as u64,
            items: sizes.len() as u64,
        };
        Messages { headers, contents, input }
    }

    /// Bytes of all contents.
    pub(super) fn bytes(&self) -> usize {
        self.input.bytes as usize
    }

    /// Hashes them all, one after the other or together. Every implementation is held against the algorithm's first.
    pub(super) fn contender<'a>(
        &'a self,
        subject: &'a Subject<Hash>,
        together: bool,
    ) -> Result<(&'a Subject<Hash>, Contender<'a>), StudyError> {
        let code = subject.implementation.code.as_ref();
        let first = subject.algorithm.implementations.first().map_or(code, |first| first.code.as_ref());
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
        Ok((subject, Contender::new(subject.name(), Estimator::Median, operation(prepare, run, check))))
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
