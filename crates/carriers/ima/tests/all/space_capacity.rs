//! The models against the file systems of the running kernel: what they predict is what statvfs(3) shows, to the block
//! on ext4, XFS and f2fs, within the stated interval (a tenth for ML-DSA) on btrfs, and refusals exactly.
//!
//! Without root, a tool, or the file system in the kernel, a test says what is missing and is skipped; with
//! `FIELDTEST_PEERS=required` in the environment that is a failure. f2fs is asked for only where the kernel has it.
#![allow(clippy::print_stderr)]

use std::path::Path;
use std::process::Command;

use crate::tree_support::present;
use fieldtest_ima::space::capacity::{Load, Measured, Observed, Setup, measure};
use fieldtest_ima::space::{Attribute, RefusalKind};

/// Lengths of `security.ima` with P-256, P-384, RSA-2048, ML-DSA-44, 65 and 87.
const LENGTHS: [u64; 6] = [80, 112, 265, 2429, 3318, 4636];

/// What no installation cures is named, and never a failure.
fn limited(what: &str) -> bool {
    eprintln!("SKIPPED: {what}");
    false
}

fn kernel_has(kind: &str) -> bool {
    let known = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
    known.split_whitespace().any(|word| word == kind)
}

fn possible(kind: &str) -> bool {
    let tool = format!("mkfs.{kind}");
    if !rustix::process::getuid().is_root() {
        return limited("loop-mounted images need root");
    }
    if !present(&tool, Command::new(&tool).arg("-V").output().is_ok()) {
        return false;
    }
    if !Path::new("/dev/loop-control").exists() {
        return limited("there are no loop devices");
    }
    // A module that is not loaded yet is not listed; mounting loads it, so only a kernel without modules is sure.
    kernel_has(kind) || Path::new("/lib/modules").exists() || limited(&format!("the kernel has no {kind}"))
}

fn load(files: u32, before: &[(&str, u64)], set: &[(&str, u64)]) -> Load {
    let attributes =
        |list: &[(&str, u64)]| list.iter().map(|(name, length)| Attribute::new(*name, *length)).collect();
    Load { files, file_size: 6000, before: attributes(before), set: attributes(set) }
}

/// Measures and compares; `estimated` allows what the prediction's interval allows.
fn check(setup: &Setup, load: &Load, estimated: bool) {
    judge(setup, load, &measure_once(setup, load), estimated);
}

fn measure_once(setup: &Setup, load: &Load) -> Measured {
    let folder = tempfile::tempdir().unwrap();
    let measured = measure(folder.path(), setup, load).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
    measured
}

/// The middle one of three file systems, where one alone may be far from the others.
fn check_median(setup: &Setup, load: &Load) {
    let mut three = [(); 3].map(|()| measure_once(setup, load));
    let bytes = |measured: &Measured| match measured.observed {
        Observed::Stored { bytes, .. } => bytes,
        Observed::Refused { .. } => f64::INFINITY,
    };
    three.sort_by(|a, b| bytes(a).total_cmp(&bytes(b)));
    judge(setup, load, &three[1], true);
}

fn judge(setup: &Setup, load: &Load, measured: &Measured, estimated: bool) {
    let shown = format!("{setup:?} {:?} then {:?}: {measured:?}", load.before, load.set);
    eprintln!("{shown}");
    assert!(measured.assumed.is_empty(), "{shown}");
    match (&measured.predicted, &measured.observed) {
        (Ok(cost), Observed::Stored { bytes, inodes }) => {
            let (least, most) = (cost.least as f64, cost.most as f64);
            assert!((least - 0.5..=most + 0.5).contains(bytes), "{shown}");
            assert!(estimated || cost.is_exact() && cost.bytes as f64 == *bytes, "{shown}");
            assert_eq!(cost.inodes, *inodes, "{shown}");
        }
        (Err(refusal), Observed::Refused { name, errno }) => {
            let errno_of = |kind| match kind {
                RefusalKind::NoSpace => rustix::io::Errno::NOSPC,
                RefusalKind::TooBig => rustix::io::Errno::TOOBIG,
                _ => panic!("{shown}"),
            };
            assert_eq!((&refusal.name, errno_of(refusal.kind).raw_os_error()), (name, *errno), "{shown}");
        }
        _ => panic!("{shown}"),
    }
}

/// Every length alone, beside a label, and with EVM signatures after an older pair that is replaced.
fn check_exact(setup: &Setup) {
    for length in LENGTHS {
        check(setup, &load(64, &[], &[("security.ima", length)]), false);
    }
    let label = ("security.selinux", 27);
    for length in [2429, 3318, 4636] {
        check(setup, &load(64, &[label], &[("security.ima", length), ("security.evm", length)]), false);
    }
    let old = [label, ("security.ima", 112)];
    check(setup, &load(64, &old, &[("security.ima", 3318), ("security.evm", 112)]), false);
}

/// The longest value is taken, and one byte more is refused.
fn check_limit(setup: &Setup, most: u64) {
    for length in [most, most + 1] {
        check(setup, &load(16, &[], &[("security.ima", length)]), false);
    }
}

#[test]
fn ext4_is_predicted_to_the_block() {
    if !possible("ext4") {
        return;
    }
    let setup = |options: &[&str]| Setup::new("ext4", &[&["-q"], options].concat());
    for (options, most) in [
        (&["-b", "4096", "-I", "256"][..], 4040),
        (&["-b", "4096", "-I", "512"], 4040),
        (&["-b", "1024", "-I", "256"], 968),
        (&["-b", "4096", "-O", "ea_inode"], 65_536),
        (&["-b", "1024", "-O", "ea_inode"], 65_536),
        (&["-b", "4096", "-O", "bigalloc", "-C", "16384"], 4040),
    ] {
        check_exact(&setup(options));
        check_limit(&setup(options), most);
    }
}

#[test]
fn xfs_is_predicted_to_the_block() {
    if !possible("xfs") {
        return;
    }
    for options in [&["-q"][..], &["-q", "-b", "size=1024"], &["-q", "-i", "size=1024"]] {
        check_exact(&Setup::new("xfs", options));
        check_limit(&Setup::new("xfs", options), 65_535);
    }
}

#[test]
fn btrfs_is_predicted_within_the_interval() {
    if !possible("btrfs") {
        return;
    }
    for options in [&["-q", "-m", "dup"][..], &["-q", "-m", "single"]] {
        let setup = Setup { image_size: 2 << 30, ..Setup::new("btrfs", options) };
        for length in LENGTHS {
            // As many files as make a leaf more or less a small part of the whole.
            let set = [("security.ima", length)];
            if length < 1000 {
                check_median(&setup, &load(6000, &[], &set));
            } else {
                check(&setup, &load(2000, &[], &set), true);
            }
        }
        check(&setup, &load(2000, &[("security.selinux", 27)], &[("security.ima", 3318)]), true);
        check(&setup, &load(2000, &[], &[("security.ima", 7865)]), true);
        check(&setup, &load(16, &[], &[("security.ima", 16_217)]), true);
    }
}

#[test]
fn f2fs_is_predicted_to_the_block() {
    if !(kernel_has("f2fs") || limited("the kernel has no f2fs")) || !possible("f2fs") {
        return;
    }
    let default = Setup::new("f2fs", &["-q"]);
    check_exact(&default);
    check_limit(&default, 4241);
    let options = ["-q", "-O", "extra_attr,flexible_inline_xattr"];
    let mount_options = "inline_xattr_size=850".to_owned();
    let flexible = Setup { mount_options, ..Setup::new("f2fs", &options) };
    for length in LENGTHS {
        let folder = tempfile::tempdir().unwrap();
        let measured =
            measure(folder.path(), &flexible, &load(64, &[], &[("security.ima", length)])).unwrap();
        let Observed::Stored { bytes, .. } = measured.observed else { panic!("{measured:?}") };
        assert_eq!(measured.predicted.unwrap().bytes as f64, bytes);
    }
}
