//! Images in and out, with holes, with interruptions.

use std::fs::{self, File, OpenOptions};
use std::num::NonZeroUsize;
use std::os::unix::fs::{FileExt, MetadataExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::common::*;
use fieldtest_disk::copy::{Copied, Holes, Options, export, import};
use fieldtest_disk::format::NewContainer;
use fieldtest_disk::{Access, Error, Volume, VolumeKey};

const DATA: u64 = 9 << 20;

/// Bytes that are copied at a time.
const BLOCK: u64 = 256 << 10;

fn volume(path: &Path) -> Volume {
    create(path, DATA, &usual());
    volume_of(path, Access::Write)
}

/// An image that ends within a sector and has a hole of 3 MiB.
fn image(path: &Path) -> Vec<u8> {
    let mut data = pattern(usize::try_from(DATA).unwrap() - 1000, 11);
    data[2 << 20..5 << 20].fill(0);
    let file = File::create(path).unwrap();
    file.set_len(data.len() as u64).unwrap();
    file.write_all_at(&data[..2 << 20], 0).unwrap();
    file.write_all_at(&data[5 << 20..], 5 << 20).unwrap();
    data
}

#[test]
fn what_goes_in_comes_out() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let data = image(&path("image"));
    let volume = volume(&path("container"));
    let (most, calls) = (AtomicU64::new(0), AtomicU64::new(0));
    let progress = |done, total| {
        assert_eq!(total, data.len() as u64);
        most.fetch_max(done, Ordering::Relaxed);
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let threads = NonZeroUsize::new(3);
    let options = Options { threads, progress: Some(&progress), ..Options::default() };
    let copied = import(&path("image"), &volume, Holes::Encrypt, options).unwrap();
    assert_eq!(copied, Copied { bytes: data.len() as u64, left_out: 0 });
    assert_eq!((most.into_inner(), calls.into_inner()), (data.len() as u64, DATA / BLOCK));

    let out = export(&volume, &path("out"), false, Options { threads, ..Options::default() }).unwrap();
    assert_eq!(out, Copied { bytes: DATA, left_out: 3 << 20 });
    assert!(fs::read(path("out")).unwrap()[..data.len()] == data);
    let found = fs::metadata(path("out")).unwrap();
    assert_eq!(found.mode() & 0o777, 0o600);
    assert!(found.blocks() * 512 <= 6 << 20, "zeros became holes");
    assert!(matches!(export(&volume, &path("out"), false, Options::default()), Err(Error::Exists(_))));
    export(&volume, &path("out"), true, Options::default()).unwrap();
}

#[test]
fn holes_can_be_left() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let data = image(&path("image"));
    let volume = volume(&path("container"));
    let copied = import(&path("image"), &volume, Holes::Leave, Options::default()).unwrap();
    assert_eq!(copied.left_out, 3 << 20);
    let container = fs::read(path("container")).unwrap();
    assert!(container[18 << 20..21 << 20].iter().all(|&byte| byte == 0), "nothing was written there");
    let read = beginning(&volume, data.len());
    assert!(read[..2 << 20] == data[..2 << 20] && read[5 << 20..] == data[5 << 20..]);
    assert!(read[2 << 20..5 << 20].iter().any(|&byte| byte != 0), "a hole reads as noise");
}

#[test]
fn much_is_brought_to_the_disk_on_the_way() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let size = 130 << 20;
    create(&path("container"), size, &usual());
    let volume = volume_of(&path("container"), Access::Write);
    let end = pattern(1 << 20, 5);
    File::create(path("image")).unwrap().write_all_at(&end, size - (1 << 20)).unwrap();
    let copied = import(&path("image"), &volume, Holes::Encrypt, Options::default()).unwrap();
    assert_eq!(copied, Copied { bytes: size, left_out: 0 });
    let out = export(&volume, &path("out"), false, Options::default()).unwrap();
    assert_eq!(out, Copied { bytes: size, left_out: size - (1 << 20) });
    assert!(fs::read(path("out")).unwrap().ends_with(&end));
}

#[test]
fn an_interrupted_copy_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    image(&path("image"));
    let key = VolumeKey::generate(64).unwrap();
    let new = NewContainer::create(&path("container"), DATA, PASSPHRASE, key, &usual(), &ciphers).unwrap();
    let interrupted = AtomicBool::new(false);
    let progress = |_, _| interrupted.store(true, Ordering::Relaxed);
    let options =
        Options { threads: NonZeroUsize::new(1), interrupted: Some(&interrupted), progress: Some(&progress) };
    let volume = new.volume(&ciphers).unwrap();
    let result = import(&path("image"), &volume, Holes::Encrypt, options);
    assert!(matches!(result, Err(Error::Interrupted { done: BLOCK, .. })), "{result:?}");
    let result = export(&volume, &path("out"), false, options);
    assert!(matches!(result, Err(Error::Interrupted { done: 0, .. })), "{result:?}");
    drop((volume, new));
    let left: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["image"]);
}

#[test]
fn an_image_must_fit_and_be_at_rest() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let volume = volume(&path("container"));
    let copy = || import(&path("image"), &volume, Holes::Encrypt, Options::default());
    assert!(matches!(copy(), Err(Error::Io { .. })));
    File::create(path("image")).unwrap().set_len(DATA + 1).unwrap();
    assert!(matches!(copy(), Err(Error::TooLarge { .. })));
    let writer = OpenOptions::new().write(true).open(path("image")).unwrap();
    writer.lock().unwrap();
    assert!(matches!(copy(), Err(Error::InUse(_))));
}
