//! Five thousand files of /usr on an ext4 of their own: what evmctl says of their signatures, and what a killed
//! run, a full file system and missing privileges leave behind.
//!
//! All of it needs root, and is skipped by name without it.
#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::Version;
use fieldtest_ima::store::{Store, attribute};
use fieldtest_ima::tree::{self, Options, ReadFailure, Refusal, Skip, Source};
use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat, setxattr};

const IMA: Source<'static> = Source::Attribute(attribute::IMA);

fn unchanged(tree: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> bool {
    files.iter().all(|(path, before)| digest(&tree.join(path)) == *before)
}

#[test]
fn evmctl_accepts_what_is_signed_and_the_other_way_round() {
    in_mount_namespace("tree_ext4::evmctl_accepts_what_is_signed_and_the_other_way_round", |folder| {
        if !installed("evmctl") || !installed("openssl") {
            return;
        }
        let tree = ext4(folder, 1 << 30, &[]);
        let files = copy_usr(&tree, 5000);
        assert_eq!(files.len(), 5000);
        let certificate = first_certificate(folder);
        // evmctl knows a key by the digest of its bits, whatever identifier its certificate has.
        let jobs = [job_in(P256, Version::V2, security_ima())];
        let report = sign(&tree, &jobs, &Options::default());
        assert_eq!((report.jobs[0].signed, report.is_complete()), (5000, true));

        let sample: Vec<PathBuf> = files.keys().step_by(97).map(|path| tree.join(path)).collect();
        let evmctl_verify = |path: &Path| {
            let mut evmctl = Command::new("evmctl");
            evmctl.args(["ima_verify", "-k"]).arg(&certificate).arg(path);
            evmctl
        };
        sample.iter().for_each(|path| _ = run(&mut evmctl_verify(path)));
        fs::write(&sample[0], "changed").unwrap();
        assert!(!evmctl_verify(&sample[0]).output().unwrap().status.success(), "evmctl accepts everything");

        // evmctl's own signatures are as good as ours: a run leaves them as they are.
        let key = folder.join("key.pem");
        fs::write(&key, P256).unwrap();
        for path in sample.iter().take(10) {
            run(Command::new("evmctl").args(["ima_sign", "-a", "sha256", "-k"]).arg(&key).arg(path));
        }
        let again = sign(&tree, &jobs, &Options::default());
        assert_eq!((again.jobs[0].signed, again.jobs[0].already_valid), (0, 5000));
        assert_eq!(verify(&tree, &ring(&[P256]), IMA).0.content.good, 5000);
    });
}

/// Signs the tree in the environment variable, when a test below starts this program again.
#[test]
fn child_that_signs() {
    if let Some(tree) = std::env::var_os("FIELDTEST_CHILD_SIGNS") {
        let report = sign(Path::new(&tree), &[job(ML_DSA_65, security_ima())], &Options::default());
        eprintln!("signed {} unread {:?} {:?}", report.jobs[0].signed, report.unread, report.jobs[0].refused);
    }
}

fn child(tree: &Path) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "tree_ext4::child_that_signs", "--nocapture"]).env("FIELDTEST_CHILD_SIGNS", tree);
    child
}

#[test]
fn a_killed_run_damages_nothing_and_the_next_one_goes_on() {
    in_mount_namespace("tree_ext4::a_killed_run_damages_nothing_and_the_next_one_goes_on", |folder| {
        let tree = ext4(folder, 1 << 30, &[]);
        let files = copy_usr(&tree, 5000);
        let ring = ring(&[ML_DSA_65]);
        let mut random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0u8);
        let mut done = 0;
        for _ in 0..10 {
            let mut child = child(&tree).stderr(std::process::Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(20 + random % 800));
            random = random.rotate_right(7);
            child.kill().unwrap();
            child.wait().unwrap();
            let (report, _) = verify(&tree, &ring, IMA);
            assert_eq!(report.content.good + report.content.unsigned.count, 5000, "{report:?}");
            assert!(report.content.good >= done, "a signature was lost");
            done = report.content.good;
            eprintln!("killed with {done} of 5000 signed");
        }
        let last = sign(&tree, &[job(ML_DSA_65, security_ima())], &Options::default());
        assert_eq!((last.jobs[0].signed + last.jobs[0].already_valid, last.is_complete()), (5000, true));
        assert!(verify(&tree, &ring, IMA).0.is_good());
        assert!(unchanged(&tree, &files));
    });
}

#[test]
fn a_full_file_system_ends_with_counts() {
    in_mount_namespace("tree_ext4::a_full_file_system_ends_with_counts", |folder| {
        // 600 files, and room for the blocks of half as many signatures.
        let mounted = ext4(folder, 32 << 20, &["-b", "4096", "-N", "2000", "-m", "0"]);
        let tree = mounted.join("tree");
        fs::create_dir(&tree).unwrap();
        let mut files = BTreeMap::new();
        for number in 0..600 {
            let path = PathBuf::from(format!("{number:03}"));
            fs::write(tree.join(&path), format!("file {number}").repeat(100)).unwrap();
            files.insert(path.clone(), digest(&tree.join(path)));
        }
        rustix::fs::sync();
        let room = usize::try_from(rustix::fs::statvfs(&tree).unwrap().f_bavail).unwrap();
        fs::write(mounted.join("filler"), vec![0; (room - 300) * 4096]).unwrap();
        let jobs = || [job(ML_DSA_65, security_ima())];
        let report = sign(&tree, &jobs(), &Options::default());
        let refused = &report.jobs[0].refused;
        eprintln!("signed {}, refused {:?}", report.jobs[0].signed, refused);
        assert!(report.jobs[0].signed > 0 && !report.is_complete());
        assert_eq!(refused.keys().collect::<Vec<_>>(), [&Refusal::FileSystemFull]);
        assert_eq!(report.jobs[0].signed + refused[&Refusal::FileSystemFull].count, 600);
        let (verified, _) = verify(&tree, &ring(&[ML_DSA_65]), IMA);
        assert_eq!(verified.content.good, report.jobs[0].signed);
        assert_eq!(verified.content.unsigned.count, refused[&Refusal::FileSystemFull].count);
        assert!(unchanged(&tree, &files));

        // With room again, the next run signs the rest.
        fs::write(mounted.join("filler"), "").unwrap();
        rustix::fs::sync(); // the blocks are free with the journal's next transaction
        let rest = sign(&tree, &jobs(), &Options::default());
        assert_eq!((rest.is_complete(), rest.jobs[0].already_valid), (true, report.jobs[0].signed));
        // A value that fits no file is another matter than a full file system.
        let too_long = sign(&tree, &[job(ML_DSA_87, security_ima())], &Options::default());
        assert_eq!(too_long.jobs[0].refused[&Refusal::NoRoomInFile].count, 600);
        assert!(verify(&tree, &ring(&[ML_DSA_65]), IMA).0.content.good > 0, "the old signatures stay");

        run(Command::new("mount").args(["-o", "remount,ro"]).arg(&mounted));
        let read_only = sign(&tree, &[job(P256, security_ima())], &Options::default());
        assert_eq!(read_only.jobs[0].refused[&Refusal::ReadOnly].count, 600);
    });
}

#[test]
fn what_cannot_be_read_or_is_no_file_is_told() {
    in_mount_namespace("tree_ext4::what_cannot_be_read_or_is_no_file_is_told", |folder| {
        let tree = ext4(folder, 64 << 20, &[]);
        // tempfile's directory and this one's are closed to others.
        for path in [folder, &tree] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in ["open", "closed", "garbage"] {
            fs::write(tree.join(name), name).unwrap();
        }
        fs::set_permissions(tree.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
        setxattr(tree.join("garbage"), attribute::IMA, &[0xff; 200], XattrFlags::empty()).unwrap();
        mknodat(CWD, tree.join("null"), FileType::CharacterDevice, Mode::RUSR, rustix::fs::makedev(1, 3))
            .unwrap();
        // One file system in another.
        let inner = tree.join("inner");
        fs::create_dir(&inner).unwrap();
        run(Command::new("mount").args(["-t", "tmpfs", "none"]).arg(&inner));
        fs::write(inner.join("file"), "inner").unwrap();

        // Without privileges: one file is closed, and no security.ima may be set on the others.
        let output = child(&tree).uid(65534).gid(65534).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        let (denied, locked) = (ReadFailure::System(13), tree.join("lost+found"));
        assert!(
            text.contains("signed 0") && text.contains(&format!("{denied:?}: Tally {{ count: 2")),
            "{text}"
        );
        assert!(text.contains("NotPermitted: Tally { count: 2"), "{text}");
        assert!(locked.exists(), "the second that is denied");

        let (before, _) = verify(&tree, &ring(&[P256]), IMA);
        assert_eq!((before.content.malformed.count, before.content.unsigned.count), (1, 2));
        let report = sign(&tree, &[job(P256, security_ima())], &Options::default());
        assert_eq!((report.jobs[0].signed, report.is_complete()), (3, true));
        let skipped = [Skip::Device, Skip::OtherFileSystem].map(|skip| report.skipped[&skip].count);
        assert_eq!(skipped, [1, 1]);
        let across = Options { cross_file_systems: true, ..Options::default() };
        assert_eq!(sign(&tree, &[job(P256, security_ima())], &across).files, 4);
        assert!(verify(&tree, &ring(&[P256]), IMA).0.is_good());
    });
}

#[test]
fn a_large_file_takes_little_memory() {
    in_mount_namespace("tree_ext4::a_large_file_takes_little_memory", |folder| {
        let tree = ext4(folder, 64 << 20, &[]);
        fs::File::create(tree.join("sparse")).unwrap().set_len(2 << 30).unwrap();
        let started = Instant::now();
        let report = sign(&tree, &[job(P256, security_ima())], &Options::default());
        eprintln!("a sparse file of 2 GiB: {:.2} s", started.elapsed().as_secs_f64());
        assert_eq!((report.bytes_read, report.is_complete()), (2 << 30, true));
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        eprintln!("peak of resident memory: {kib} KiB");
        assert!(kib < 64 << 10);
    });
}

#[test]
fn evm_signatures_follow_the_content() {
    in_mount_namespace("tree_ext4::evm_signatures_follow_the_content", |folder| {
        let tree = ext4(folder, 64 << 20, &["-b", "4096"]);
        fs::write(tree.join("file"), "content").unwrap();
        setxattr(tree.join("file"), "security.selinux", b"label\0", XattrFlags::empty()).unwrap();
        let jobs = [job(ML_DSA_65, security_ima())];
        let evm = job(P384, Store::Attribute(attribute::EVM.to_string()));
        let sign = || tree::sign(&tree, &jobs, Some(&evm), &Options::default(), |_| Ok(())).unwrap();
        let verify = || {
            let (ima, evm) = (ring(&[ML_DSA_65]), ring(&[P384]));
            tree::verify(&tree, &ima, Some(&evm), IMA, &Options::default(), |_| Ok(())).unwrap()
        };
        let first = sign();
        assert_eq!((first.evm.as_ref().unwrap().signed, first.is_complete()), (1, true));
        assert!(verify().is_good());
        assert_eq!(sign().evm.unwrap().already_valid, 1);
        fs::set_permissions(tree.join("file"), fs::Permissions::from_mode(0o600)).unwrap();
        let report = verify();
        assert_eq!((report.content.good, report.evm.unwrap().changed.count), (1, 1));
        assert_eq!(sign().evm.unwrap().signed, 1);
        assert!(verify().is_good());
        // Where security.ima has no room, EVM signs nothing in its place.
        let jobs = [job(ML_DSA_87, security_ima())];
        let refused = tree::sign(&tree, &jobs, Some(&evm), &Options::default(), |_| Ok(())).unwrap();
        assert_eq!(refused.evm.unwrap().failed.0.count, 1);
    });
}
