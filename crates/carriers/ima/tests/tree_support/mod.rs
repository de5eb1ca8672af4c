//! Keys, trees and file systems for the tests of whole trees.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use fieldtest_ima::keys::PrivateKey;
use fieldtest_ima::space::{Candidate, Prediction, Survey, detect, predict, survey};
use fieldtest_ima::store::{Store, attribute};
use fieldtest_ima::tree::{self, FileVerdict, Job, Options, SignReport, Source, VerifyReport};
use fieldtest_ima::{HashAlgorithm, Keyring, Version};

use crate::common;
use crate::common::keys::*;

/// A job by one of the keys of the tests; SHA-256, version 3.
pub fn job(key: &str, store: Store) -> Job {
    job_in(key, Version::V3, store)
}

pub fn job_in(key: &str, version: Version, store: Store) -> Job {
    let algorithm = common::implementation(&PrivateKey::read(key.as_bytes()).unwrap().algorithm);
    let signer = common::signer(key.as_bytes(), version);
    Job::new(algorithm, signer, HashAlgorithm::Sha256, store).unwrap()
}

pub fn security_ima() -> Store {
    Store::Attribute(attribute::IMA.to_string())
}

pub fn user_ima() -> Store {
    Store::Attribute(attribute::USER_IMA.to_string())
}

/// A ring with the public keys of private ones.
pub fn ring(keys: &[&str]) -> Keyring {
    let mut ring = Keyring::new();
    for key in keys {
        let algorithm = common::implementation(&PrivateKey::read(key.as_bytes()).unwrap().algorithm);
        let public = common::signer(key.as_bytes(), Version::V3).public_key().to_vec();
        ring.add_bytes(algorithm, &public).unwrap();
    }
    ring
}

pub fn sign(tree: &Path, jobs: &[Job], options: &Options<'_>) -> SignReport {
    tree::sign(tree, jobs, None, options, |_| Ok(())).unwrap()
}

/// The report and every path's verdict.
pub fn verify(
    tree: &Path,
    ring: &Keyring,
    source: Source<'_>,
) -> (VerifyReport, BTreeMap<PathBuf, FileVerdict>) {
    let mut verdicts = BTreeMap::new();
    let report = tree::verify(tree, ring, None, source, &Options::default(), |file| {
        assert_eq!(verdicts.insert(file.path.to_path_buf(), file.verdict.clone()), None);
        Ok(())
    });
    (report.unwrap(), verdicts)
}

/// What is foreseen of a tree on the file system that it is on.
pub fn prediction(tree: &Path, candidate: Candidate) -> Prediction {
    let detected = detect(tree).unwrap();
    let wanted = Survey {
        attribute: attribute::IMA,
        cross_file_systems: false,
        compare: detected.file_system.shares() && !candidate.hedged,
        interrupted: &AtomicBool::new(false),
        progress: &|_, _| {},
    };
    let found = survey(tree, &wanted).unwrap();
    assert_eq!(found.unreadable, 0);
    predict(&detected.file_system, found.files, &[candidate]).pop().unwrap()
}

/// Whether a test can go on. What is missing is named; with `FIELDTEST_PEERS=required` in the environment it is a
/// failure.
pub fn present(what: &str, is_there: bool) -> bool {
    if !is_there {
        assert!(
            std::env::var_os("FIELDTEST_PEERS").is_none_or(|wanted| wanted != "required"),
            "{what} is missing, and FIELDTEST_PEERS=required demands it"
        );
        eprintln!("SKIPPED: {what} is missing");
    }
    is_there
}

pub fn installed(tool: &str) -> bool {
    present(tool, Command::new(tool).arg("--version").output().is_ok())
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a command to its end; its output.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// In the environment: the directory of a test that runs in its mount namespace.
const INSIDE: &str = "FIELDTEST_INSIDE_NAMESPACE";

/// Runs the test of this name, with its module's before it, in a mount namespace of its own, which takes all mounts and their loop devices with it
/// when it ends, and with a directory that is removed after that. Needs root.
pub fn in_mount_namespace(test: &str, body: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(INSIDE) {
        body(Path::new(&folder));
        return;
    }
    if !is_root() {
        // No installation cures that, so it is never a failure.
        eprintln!("SKIPPED: mounting needs root");
        return;
    }
    if !installed("unshare") || !present("mkfs.ext4", has_mkfs()) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("unshare");
    command.args(["-m", "--propagation", "private"]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(INSIDE, folder.path());
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    // A name that no test has would run none, and end well.
    let has_run = String::from_utf8_lossy(&output.stdout).contains("1 passed");
    assert!(output.status.success() && has_run, "{test} failed:\n{printed}");
    eprint!("{printed}");
}

fn has_mkfs() -> bool {
    Command::new("mkfs.ext4").arg("-V").output().is_ok()
}

/// A member of an archive in the ustar format, of this type; without the zeros at an archive's end.
pub fn tar_member(kind: u8, name: &[u8], content: &[u8]) -> Vec<u8> {
    let mut member = [0; 512].to_vec();
    let mut put = |at: usize, bytes: &[u8]| member[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name);
    put(100, b"0000644\0");
    put(124, format!("{:011o}\0", content.len()).as_bytes());
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    seal_tar_header(&mut member);
    member.extend(content);
    member.resize(member.len().next_multiple_of(512), 0);
    member
}

/// An archive of one file.
pub fn small_tar(name: &str, content: &[u8]) -> Vec<u8> {
    [tar_member(b'0', name.as_bytes(), content), vec![0; 1024]].concat()
}

/// Writes the checksum into the header that an archive begins with.
pub fn seal_tar_header(archive: &mut [u8]) {
    archive[148..156].copy_from_slice(b"        ");
    let sum: u32 = archive[..512].iter().map(|byte| u32::from(*byte)).sum();
    archive[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
}

/// Makes and mounts an ext4 of so many bytes; the directory of the mount.
pub fn ext4(folder: &Path, bytes: u64, options: &[&str]) -> PathBuf {
    mounted("ext4", folder, bytes, options)
}

/// Makes and mounts a file system of so many bytes; the directory of the mount.
pub fn mounted(kind: &str, folder: &Path, bytes: u64, options: &[&str]) -> PathBuf {
    let (image, mounted) = (folder.join("image"), folder.join("mounted"));
    fs::File::create(&image).unwrap().set_len(bytes).unwrap();
    fs::create_dir(&mounted).unwrap();
    run(Command::new(format!("mkfs.{kind}")).arg("-q").args(options).arg(&image));
    run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&mounted));
    mounted
}

/// Copies the first files of /usr/lib, and of /usr/share where a small system has too few, with their directories; their
/// paths and digests. Large ones are left out: whatever is installed, there is room for the others and for signatures.
pub fn copy_usr(to: &Path, count: usize) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["lib", "share"] {
        let target = to.join(folder);
        fs::create_dir_all(&target).unwrap();
        copy(&Path::new("/usr").join(folder), &target, to, count, &mut files);
    }
    files
}

fn copy(from: &Path, to: &Path, root: &Path, count: usize, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let mut entries: Vec<_> = fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if files.len() == count {
            return;
        }
        let target = to.join(entry.file_name().unwrap());
        let metadata = entry.symlink_metadata().unwrap();
        if metadata.is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry, &target, root, count, files);
        } else if metadata.is_file() && metadata.len() < 256 << 10 {
            fs::copy(&entry, &target).unwrap();
            files.insert(target.strip_prefix(root).unwrap().to_path_buf(), digest(&target));
        }
    }
}

pub fn digest(path: &Path) -> Vec<u8> {
    fieldtest_ima::Digest::of(HashAlgorithm::Sha256, &fs::read(path).unwrap()).bytes().to_vec()
}

pub fn first_certificate(folder: &Path) -> PathBuf {
    let (pem, der) = (folder.join("certificate.pem"), folder.join("certificate.der"));
    fs::write(&pem, P256_CERTIFICATE).unwrap();
    run(Command::new("openssl").args(["x509", "-outform", "DER"]).arg("-in").arg(&pem).arg("-out").arg(&der));
    der
}
