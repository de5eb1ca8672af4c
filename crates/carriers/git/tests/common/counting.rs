//! A hash function that takes note of what it is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::{Hash, Job, Stream};

type IsAttack = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Counts what it hashes, several messages at once or one after another, and finds an attack in some.
pub(crate) struct Counting {
    function: Arc<dyn Hash>,
    several: bool,
    is_attack: Box<IsAttack>,
    pub(crate) messages: AtomicU64,
    pub(crate) batches: AtomicU64,
    /// Messages that came in batches.
    pub(crate) batched: AtomicU64,
}

impl Counting {
    pub(crate) fn new(
        function: Arc<dyn Hash>,
        several: bool,
        is_attack: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Counting {
        let is_attack = Box::new(is_attack);
        let [messages, batches, batched] = [0; 3].map(AtomicU64::new);
        Counting { function, several, is_attack, messages, batches, batched }
    }
}

impl Hash for Counting {
    fn digest_len(&self) -> usize {
        self.function.digest_len()
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        self.messages.fetch_add(1, Ordering::Relaxed);
        match (self.is_attack)(body) {
            true => Err(Error::CollisionAttack),
            false => self.function.digest(head, body, digest),
        }
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        assert!(self.several);
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.batched.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        jobs.iter_mut().try_for_each(|job| self.digest(job.head, job.body, job.digest))
    }

    fn hashes_several_at_once(&self) -> bool {
        self.several
    }

    fn start(&self) -> Box<dyn Stream> {
        self.function.start()
    }
}
