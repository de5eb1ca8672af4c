//! What a caller sees of a verification: progress, functions that hash several messages at once or find attacks.

use crate::hashes;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::packs::*;
use fieldtest_git::verify::{Progress, Report, Settings, verify};
use fieldtest_git::{Error, ObjectType, Options, Repository};
use fieldtest_kinds::hash::{Hash, Job, Stream};

/// Hashes several messages at once, takes note of it, and finds an attack in messages that end with `attack`.
struct Several {
    inner: Arc<dyn Hash>,
    batches: AtomicUsize,
    messages: AtomicUsize,
}

impl Hash for Several {
    fn digest_len(&self) -> usize {
        self.inner.digest_len()
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), fieldtest_kinds::Error> {
        if body.ends_with(b"attack") {
            return Err(fieldtest_kinds::Error::CollisionAttack);
        }
        self.inner.digest(head, body, digest)
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), fieldtest_kinds::Error> {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.messages.fetch_add(jobs.len(), Ordering::Relaxed);
        jobs.iter_mut().try_for_each(|job| self.digest(job.head, job.body, job.digest))
    }

    fn hashes_several_at_once(&self) -> bool {
        true
    }

    fn start(&self) -> Box<dyn Stream> {
        self.inner.start()
    }
}

/// 200 blobs of 0 to 199 KiB and one of 8 MiB; `last` is one more.
fn check(last: &[u8], hash: &Several, progress: &(dyn Fn(Progress) + Sync)) -> Report {
    let folder = tempfile::tempdir().unwrap();
    empty_repository(folder.path());
    let mut pack = Builder::new();
    for step in 0..200_u8 {
        pack.whole(ObjectType::Blob, &vec![step; usize::from(step) << 10]);
    }
    pack.whole(ObjectType::Blob, &vec![7; 8 << 20]);
    pack.whole(ObjectType::Blob, last);
    pack.write(folder.path());
    let threads = NonZeroUsize::new(2).unwrap();
    let settings =
        Settings { hash, threads, connectivity: false, interrupted: None, progress: Some(progress) };
    verify(&Repository::open(folder.path(), &Options::default()).unwrap(), &settings).unwrap()
}

fn several() -> Several {
    Several { inner: hashes::sha1(), batches: AtomicUsize::new(0), messages: AtomicUsize::new(0) }
}

#[test]
fn messages_are_collected_and_progress_is_reported() {
    let (done, bytes, objects) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let hash = several();
    let report = check(b"last", &hash, &|progress| {
        done.fetch_max(progress.objects_done, Ordering::Relaxed);
        bytes.fetch_max(progress.bytes_done, Ordering::Relaxed);
        objects.store(progress.objects, Ordering::Relaxed);
    });
    assert!(report.is_good(), "{report:?}");
    // All but the one that is too large to be copied.
    assert_eq!(hash.messages.into_inner(), 201);
    assert!((2..100).contains(&hash.batches.into_inner()));
    assert_eq!((done.into_inner(), objects.into_inner()), (202, 202));
    assert_eq!(bytes.into_inner(), report.sizes.all().bytes());
}

#[test]
fn of_a_batch_only_the_attack_is_reported() {
    let report = check(b"this is an attack", &several(), &|_| ());
    let [Error::Hash { id, source }] = report.damaged.as_slice() else { panic!("{report:?}") };
    assert_eq!(*id, name(ObjectType::Blob, b"this is an attack"));
    assert_eq!(*source, fieldtest_kinds::Error::CollisionAttack);
}
