//! What a caller sees of a verification: progress, functions that hash several messages at once or find attacks.

use crate::hashes;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::counting::Counting;
use crate::packs::*;
use crate::repositories::{empty, open, settings};
use fieldtest_git::verify::{Progress, Report, Settings, verify};
use fieldtest_git::{Error, ObjectType};

/// 200 blobs of 0 to 199 KiB and one of 8 MiB; `last` is one more.
fn check(last: &[u8], hash: &Counting, progress: &(dyn Fn(Progress) + Sync)) -> Report {
    let folder = empty();
    let mut pack = Builder::new();
    for step in 0..200_u8 {
        pack.whole(ObjectType::Blob, &vec![step; usize::from(step) << 10]);
    }
    pack.whole(ObjectType::Blob, &vec![7; 8 << 20]);
    pack.whole(ObjectType::Blob, last);
    pack.write(folder.path());
    let settings = Settings { connectivity: false, progress: Some(progress), ..settings(hash) };
    verify(&open(folder.path()), &settings).unwrap()
}

fn several() -> Counting {
    Counting::new(hashes::sha1(), true, |body| body.ends_with(b"attack"))
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
    assert_eq!(hash.batched.into_inner(), 201);
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
