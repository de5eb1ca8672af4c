//! Images by mksquashfs and mkfs.erofs against what was predicted of the tree: within the interval, for files that are
//! alike and not, of many lengths.
//!
//! A tool that is missing is named, and its test skipped.
#![allow(clippy::print_stderr)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use crate::tree_support::*;
use fieldtest_ima::space::{Candidate, Erofs, FileSystem, Squashfs, Survey, predict, survey};
use fieldtest_ima::store::attribute::USER_IMA;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use rustix::fs::{XattrFlags, setxattr};

/// Bytes that nothing compresses, the same for the same seed.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    SplitMix64::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

/// What a tree is made of: files, how many of them have one content, and their lengths. None is empty: those are alike.
struct Tree {
    name: &'static str,
    files: u64,
    alike: u64,
    length: fn(u64) -> usize,
}

const TREES: &[Tree] = &[
    Tree { name: "6,000 bytes", files: 120, alike: 1, length: |_| 6000 },
    Tree { name: "300 bytes", files: 120, alike: 1, length: |_| 300 },
    Tree { name: "mixed", files: 160, alike: 1, length: |n| (n * n * 7919 % 20_000 + 16) as usize },
    Tree {
        name: "mixed, four alike",
        files: 160,
        alike: 4,
        length: |n| (n * n * 7919 % 20_000 + 16) as usize,
    },
    Tree {
        name: "mixed, two alike",
        files: 160,
        alike: 2,
        length: |n| (n * n * 104_729 % 9_000 + 16) as usize,
    },
    Tree { name: "all alike", files: 120, alike: 120, length: |_| 2500 },
];

/// Lengths of xattrs with P-256, RSA-2048 and ML-DSA-65: longer ones ext4, on which the trees may be, refuses.
const LENGTHS: [u64; 3] = [81, 265, 3318];

/// Makes the tree without xattrs; whether it can have any.
fn make(folder: &Path, tree: &Tree) -> bool {
    for number in 0..tree.files {
        let group = number / tree.alike;
        fs::write(folder.join(format!("file-{number:04}")), noise(group, (tree.length)(group))).unwrap();
    }
    let probe = folder.join("file-0000");
    let set = setxattr(&probe, USER_IMA, b"x", XattrFlags::empty());
    set.is_ok() && rustix::fs::removexattr(&probe, USER_IMA).is_ok()
}

fn sign(folder: &Path, tree: &Tree, length: u64, hedged: bool) {
    for number in 0..tree.files {
        let seed = if hedged { number } else { number / tree.alike };
        let value = noise(seed + 1_000_000, length as usize);
        setxattr(folder.join(format!("file-{number:04}")), USER_IMA, &value, XattrFlags::empty()).unwrap();
    }
}

fn check(file_system: &FileSystem, image: impl Fn(&Path, &Path) -> u64) {
    for tree in TREES {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, file) = (scratch.path().join("tree"), scratch.path().join("image"));
        fs::create_dir(&folder).unwrap();
        if !present("a file system with user xattrs", make(&folder, tree)) {
            return;
        }
        let before = image(&folder, &file) as i64;
        for hedged in [false, true] {
            // Files that are like no other have signatures that are like no other in any case.
            if hedged && tree.alike == 1 {
                continue;
            }
            let wanted = Survey {
                attribute: USER_IMA,
                cross_file_systems: false,
                compare: !hedged,
                interrupted: &AtomicBool::new(false),
                progress: &|_, _| {},
            };
            let candidates = LENGTHS.map(|length| Candidate { hedged, ..Candidate::new("", length) });
            let predictions = predict(file_system, survey(&folder, &wanted).unwrap().files, &candidates);
            for (length, prediction) in LENGTHS.into_iter().zip(predictions) {
                sign(&folder, tree, length, hedged);
                let measured = image(&folder, &file) as i64 - before;
                let total = prediction.total;
                let words = format!(
                    "{}, {}, {length} bytes{}: {} in {} to {}, measured {measured}",
                    file_system.name(),
                    tree.name,
                    if hedged { ", hedged" } else { "" },
                    total.bytes,
                    total.least,
                    total.most
                );
                eprintln!("{words}");
                assert!((total.least..=total.most).contains(&measured), "{words}");
            }
            for number in 0..tree.files {
                let path = folder.join(format!("file-{number:04}"));
                rustix::fs::removexattr(path, USER_IMA).unwrap();
            }
        }
    }
}

#[test]
fn squashfs_is_predicted_within_the_interval() {
    if !present("mksquashfs", Command::new("mksquashfs").arg("-version").output().is_ok()) {
        return;
    }
    for options in [&["-comp", "gzip"][..], &["-noI", "-noX"]] {
        check(&FileSystem::Squashfs(Squashfs), |tree, file| {
            let mut command = Command::new("mksquashfs");
            run(command
                .arg(tree)
                .arg(file)
                .args(["-noappend", "-nopad", "-no-progress", "-quiet"])
                .args(options));
            fs::metadata(file).unwrap().len()
        });
    }
}

#[test]
fn erofs_is_predicted_within_the_interval() {
    if !present("mkfs.erofs", Command::new("mkfs.erofs").arg("--help").output().is_ok()) {
        return;
    }
    check(&FileSystem::Erofs(Erofs::default()), |tree, file| {
        let _ = fs::remove_file(file);
        run(Command::new("mkfs.erofs").arg("--quiet").arg(file).arg(tree));
        fs::metadata(file).unwrap().len()
    });
}
