//! The made-up repository is one for Git, too, has the shape of real ones, and every object of it is decoded and hashed.

use crate::hashes;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::git::{git, is_installed};
use fieldtest_git::verify::{Report, Settings, verify};
use fieldtest_git::{Error, Format, ObjectType, Objects, Options, Repository, rehash, sample};
use fieldtest_kinds::hash::{Hash, Job, Stream};
use tempfile::TempDir;

fn format(name: &str) -> Format {
    let hash = if name == "sha1" { hashes::sha1() } else { hashes::sha256() };
    Format { name: name.to_owned(), hash }
}

fn made(name: &str, commits: u32, seed: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.git");
    sample::write(&path, &format(name), commits, seed).unwrap();
    (folder, path)
}

fn verified(path: &Path, name: &str) -> Report {
    let repository = Repository::open(path, &Options::default()).unwrap();
    let hash = format(name).hash;
    let threads = NonZeroUsize::new(2).unwrap();
    let settings = Settings { hash: &*hash, threads, connectivity: true, interrupted: None, progress: None };
    let report = verify(&repository, &settings).unwrap();
    assert!(report.is_good(), "{report:?}");
    report
}

/// The name and the bytes of each file, sorted.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_path_buf();
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn git_finds_nothing_wrong() {
    if !is_installed() {
        return;
    }
    for name in ["sha1", "sha256"] {
        let (_folder, path) = made(name, 120, 1);
        assert_eq!(git(&path, &["fsck", "--full", "--strict"]), "");
        assert_eq!(git(&path, &["rev-list", "--count", "HEAD"]), "120\n");
        assert_eq!(git(&path, &["describe", "HEAD~20"]), "v1\n");
        assert_eq!(git(&path, &["rev-parse", "--show-object-format"]).trim(), name);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let [first, again, other] = [7, 7, 8].map(|seed| made("sha1", 3, seed));
    assert_eq!(files(&first.1), files(&again.1));
    assert_ne!(files(&first.1), files(&other.1));
}

#[test]
fn it_has_the_shape_of_a_real_repository() {
    let (_folder, path) = made("sha1", 300, 1);
    let report = verified(&path, "sha1");
    let count = |kind| report.sizes.of(kind).count();
    let mean = |kind| report.sizes.of(kind).bytes() / count(kind);
    assert_eq!((count(ObjectType::Commit), count(ObjectType::Tag)), (300, 3));
    // jj has 985 bytes and 3.0 trees for a commit, ripgrep 492 and 2.3; files have 26 and 61 KB, commits 645 and 571 bytes.
    assert!((400..1200).contains(&mean(ObjectType::Tree)), "{}", mean(ObjectType::Tree));
    assert!((600..1200).contains(&count(ObjectType::Tree)), "{}", count(ObjectType::Tree));
    assert!((15_000..50_000).contains(&mean(ObjectType::Blob)), "{}", mean(ObjectType::Blob));
    assert!((400..900).contains(&mean(ObjectType::Commit)), "{}", mean(ObjectType::Commit));
    assert_eq!(report.longest_chain, 50);

    let repository = Repository::open(&path, &Options::default()).unwrap();
    let objects = Objects::open(&repository).unwrap();
    let (mut whole, mut whole_deflated, mut deltas, mut deltas_deflated) = (0, 0, 0, 0);
    for number in (0..objects.len() as u32).filter(|&number| objects.kind(number) == ObjectType::Blob) {
        let stored = objects.stored(number);
        let deflated = stored.deflated.unwrap().len() as u64;
        if stored.base.is_none() {
            whole += stored.inflated_size;
            whole_deflated += deflated;
        } else {
            deltas += 1;
            deltas_deflated += deflated;
        }
    }
    // ripgrep's files deflate to a quarter, its deltas of files to 592 bytes.
    assert!((30..50).contains(&(10 * whole / whole_deflated)), "{whole} {whole_deflated}");
    assert!((300..900).contains(&(deltas_deflated / deltas)), "{deltas_deflated} {deltas}");
}

#[test]
fn nothing_is_overwritten_and_nothing_half_made_is_left() {
    let (folder, path) = made("sha1", 1, 1);
    assert!(matches!(sample::write(&path, &format("sha1"), 1, 1), Err(Error::Repository { .. })));
    let unknown = Format { name: "sha3-256".to_owned(), ..format("sha256") };
    let refused = sample::write(&folder.path().join("other"), &unknown, 1, 1);
    assert!(matches!(refused, Err(Error::Repository { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Counts what it hashes, several messages at once or one after another, and fails on messages of one length.
struct Counting {
    function: Arc<dyn Hash>,
    several: bool,
    fails_at: Option<usize>,
    messages: AtomicU64,
}

impl Counting {
    fn new(several: bool, fails_at: Option<usize>) -> Counting {
        Counting { function: hashes::sha256(), several, fails_at, messages: AtomicU64::new(0) }
    }
}

impl Hash for Counting {
    fn digest_len(&self) -> usize {
        self.function.digest_len()
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), fieldtest_kinds::Error> {
        self.messages.fetch_add(1, Ordering::Relaxed);
        if self.fails_at == Some(body.len()) {
            return Err(fieldtest_kinds::Error::CollisionAttack);
        }
        self.function.digest(head, body, digest)
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), fieldtest_kinds::Error> {
        assert!(self.several);
        jobs.iter_mut().try_for_each(|job| self.digest(job.head, job.body, job.digest))
    }

    fn hashes_several_at_once(&self) -> bool {
        self.several
    }

    fn start(&self) -> Box<dyn Stream> {
        self.function.start()
    }
}

#[test]
fn every_object_is_decoded_and_hashed_once() {
    let (_folder, path) = made("sha1", 50, 1);
    let sizes = verified(&path, "sha1").sizes.all();
    let objects = Objects::open(&Repository::open(&path, &Options::default()).unwrap()).unwrap();
    for threads in [1, 3].map(|threads| NonZeroUsize::new(threads).unwrap()) {
        assert_eq!(rehash::decode(&objects, threads).unwrap(), sizes.bytes());
        for several in [false, true] {
            let hash = Counting::new(several, None);
            assert_eq!(rehash::rehash(&objects, &hash, threads).unwrap(), sizes.count());
            assert_eq!(hash.messages.into_inner(), sizes.count());
        }
    }
}

/// Of a batch that fails, only the object that is to blame does.
#[test]
fn an_object_that_cannot_be_hashed_is_named() {
    let (_folder, path) = made("sha1", 20, 1);
    let objects = Objects::open(&Repository::open(&path, &Options::default()).unwrap()).unwrap();
    let number = objects.len() as u32 / 2;
    let len = objects.size(number).unwrap() as usize;
    for several in [false, true] {
        let hash = Counting::new(several, Some(len));
        match rehash::rehash(&objects, &hash, NonZeroUsize::MIN) {
            Err(Error::Hash { id, source: fieldtest_kinds::Error::CollisionAttack }) => {
                let found = objects.find(id.as_bytes()).unwrap();
                assert_eq!(objects.size(found).unwrap() as usize, len);
            }
            other => panic!("{other:?}"),
        }
    }
}
