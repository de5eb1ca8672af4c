//! Signatures of contents and of metadata on file systems that take the first and not the second: a file has both of one
//! run, or what it had. Needs root, and is skipped by name without it.

use std::fs;
use std::path::Path;

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::store::{Store, attribute};
use fieldtest_ima::tree::{self, Options, Refusal, SignReport, Source};
use rustix::fs::lgetxattr;

fn sign_pair(tree: &Path, key: &str) -> SignReport {
    let evm = job(key, Store::Attribute(attribute::EVM.to_owned()));
    tree::sign(tree, &[job(key, security_ima())], Some(&evm), &Options::default(), |_| Ok(())).unwrap()
}

/// How many files are good in both, by one key alone.
fn good(tree: &Path, key: &str) -> u64 {
    let ring = ring(&[key]);
    let source = Source::Attribute(attribute::IMA);
    let report = tree::verify(tree, &ring, Some(&ring), source, &Options::default(), |_| Ok(())).unwrap();
    assert_eq!(report.content.good, report.evm.as_ref().unwrap().good, "half of a pair: {report:?}");
    report.content.good
}

#[test]
fn a_pair_that_does_not_fit_leaves_the_old_one() {
    in_mount_namespace("tree_pairs::a_pair_that_does_not_fit_leaves_the_old_one", |folder| {
        let tree = ext4(folder, 64 << 20, &["-b", "4096"]);
        for name in ["signed", "like it"] {
            fs::write(tree.join(name), "content").unwrap();
        }
        assert!(sign_pair(&tree, P384).is_complete());
        fs::write(tree.join("new"), "another").unwrap();
        let report = sign_pair(&tree, ML_DSA_65);
        assert!(!report.is_complete());
        assert_eq!(report.jobs[0].refused[&Refusal::WithoutEvm].count, 3);
        let evm = report.evm.as_ref().unwrap();
        assert_eq!((evm.signed, evm.refused[&Refusal::NoRoomInFile].count), (0, 3));
        assert_eq!((report.jobs[0].signed, report.broken_evm.count), (0, 0));
        assert_eq!(good(&tree, P384), 2);
        assert!(lgetxattr(tree.join("new"), attribute::IMA, &mut [0; 8192][..]).is_err(), "half of a pair");
    });
}

#[test]
fn a_disk_that_fills_up_leaves_no_half_of_a_pair() {
    in_mount_namespace("tree_pairs::a_disk_that_fills_up_leaves_no_half_of_a_pair", |folder| {
        // The second of two long values takes an inode and a block of its own.
        let mounted = ext4(folder, 32 << 20, &["-b", "4096", "-N", "2000", "-m", "0", "-O", "ea_inode"]);
        let tree = mounted.join("tree");
        fs::create_dir(&tree).unwrap();
        (0..200).for_each(|file| fs::write(tree.join(file.to_string()), file.to_string()).unwrap());
        assert!(sign_pair(&tree, P384).is_complete());
        rustix::fs::sync();
        let room = usize::try_from(rustix::fs::statvfs(&tree).unwrap().f_bavail).unwrap();
        fs::write(mounted.join("filler"), vec![0; (room - 100) * 4096]).unwrap();
        rustix::fs::sync();
        let report = sign_pair(&tree, ML_DSA_65);
        let evm = report.evm.as_ref().unwrap();
        let (new, full) = (good(&tree, ML_DSA_65), evm.refused[&Refusal::FileSystemFull].count);
        assert_eq!((new, new + full, report.broken_evm.count), (evm.signed, 200, 0));
        assert!(new > 0 && full > 0 && report.jobs[0].signed == new, "{report:?}");
        assert_eq!(good(&tree, P384), full);
    });
}
