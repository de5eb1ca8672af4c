//! How fast trees are signed and verified, beside the least that any program has to do and beside evmctl, on five
//! thousand files of /usr on an ext4 of their own. Run it alone, as root:
//!
//! ```text
//! cargo test --release -p fieldtest-ima --test all tree_speed -- --ignored --nocapture
//! ```
#![allow(clippy::print_stderr)]

use crate::common;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::digest::{Hasher, PIECE};
use fieldtest_ima::store::attribute;
use fieldtest_ima::tree::{self, Options, Source};
use fieldtest_ima::{HashAlgorithm, SignatureType, Version};
use rustix::fs::{XattrFlags, fsetxattr};
use rustix::time::{ClockId, clock_gettime};

const RUNS: usize = 5;

/// Wall and CPU time in seconds.
#[derive(Clone, Copy)]
struct Cost(f64, f64);

/// The least of several runs, as the machine may have other work.
fn best(mut prepare: impl FnMut(), mut run: impl FnMut()) -> Cost {
    let cpu = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap()).as_secs_f64()
    };
    let runs = (0..RUNS).map(|_| {
        prepare();
        let (wall, before) = (Instant::now(), cpu());
        run();
        Cost(wall.elapsed().as_secs_f64(), cpu() - before)
    });
    runs.reduce(|one, other| Cost(one.0.min(other.0), one.1.min(other.1))).unwrap()
}

/// The same of a command, whose times bash takes.
fn best_of_command(mut prepare: impl FnMut(), command: &str) -> Cost {
    let runs = (0..RUNS).map(|_| {
        prepare();
        let script = format!("TIMEFORMAT='%R %U %S'; time {{ {command}; }} >/dev/null 2>/dev/null");
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{command}: {}", output.status);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let times: Vec<f64> = text.split_whitespace().map(|time| time.parse().unwrap()).collect();
        Cost(times[0], times[1] + times[2])
    });
    runs.reduce(|one, other| Cost(one.0.min(other.0), one.1.min(other.1))).unwrap()
}

fn print(what: &str, cost: Cost) {
    eprintln!("{what:<58} wall {:.3} s   CPU {:.3} s", cost.0, cost.1);
}

/// Opens, reads and hashes every file, and sets or gets an xattr as long as a signature.
fn floor(paths: &[PathBuf], threads: usize, xattr: impl Fn(&fs::File) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut buffer = vec![0; PIECE];
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut file = fs::File::open(path).unwrap();
                    let mut hasher = Hasher::new(HashAlgorithm::Sha256);
                    loop {
                        match std::io::Read::read(&mut file, &mut buffer).unwrap() {
                            0 => break,
                            length => hasher.update(&buffer[..length]),
                        }
                    }
                    std::hint::black_box(hasher.finish());
                    xattr(&file);
                }
            });
        }
    });
}

fn clear(paths: &[PathBuf]) {
    for path in paths {
        let _ = rustix::fs::removexattr(path, attribute::IMA);
    }
}

#[test]
#[ignore = "a measurement, not a test"]
fn how_fast() {
    in_mount_namespace("tree_speed::how_fast", |folder| {
        let mounted = ext4(folder, 2 << 30, &[]);
        let root = mounted.join("tree");
        fs::create_dir(&root).unwrap();
        let files = copy_usr(&root, 5000);
        let paths: Vec<PathBuf> = files.keys().map(|path| root.join(path)).collect();
        let bytes: u64 = paths.iter().map(|path| path.metadata().unwrap().len()).sum();
        eprintln!("{} files, {} MB, best of {RUNS} runs", paths.len(), bytes / 1_000_000);
        let value = vec![3; 80];

        for threads in [1, 2] {
            let options = Options { threads: NonZeroUsize::new(threads), ..Options::default() };
            let cost = best(
                || clear(&paths),
                || {
                    floor(&paths, threads, |file| {
                        fsetxattr(file, attribute::IMA, &value, XattrFlags::empty()).unwrap()
                    })
                },
            );
            print(&format!("read, SHA-256, fsetxattr of 80 bytes, {threads} thread(s)"), cost);
            for (name, key, version) in [("P-256", P256, Version::V2), ("ML-DSA-65", ML_DSA_65, Version::V3)]
            {
                measure_key(name, &root, &paths, key, version, &options);
            }
            let cost = best(
                || (),
                || {
                    floor(&paths, threads, |file| {
                        rustix::fs::fgetxattr(file, attribute::IMA, &mut [0; 4096][..]).unwrap();
                    });
                },
            );
            print(&format!("read, SHA-256, fgetxattr, {threads} thread(s)"), cost);
        }
        if installed("evmctl") && installed("openssl") {
            measure_evmctl(folder, &root, &paths);
        }
    });
}

fn measure_key(
    name: &str,
    root: &Path,
    paths: &[PathBuf],
    key: &str,
    version: Version,
    options: &Options<'_>,
) {
    let threads = options.threads.unwrap();
    let (jobs, ring) = ([job_in(key, version, security_ima())], ring(&[key]));
    let (signer, file) = (
        common::signer(key.as_bytes(), version),
        common::digest_of(b"", SignatureType::File, HashAlgorithm::Sha256),
    );
    let signatures =
        || (0..paths.len()).for_each(|_| drop(std::hint::black_box(signer.sign(&file).unwrap())));
    print(&format!("{} {name} signatures alone, 1 thread", paths.len()), best(|| (), signatures));
    let sign = || assert!(tree::sign(root, &jobs, None, options, |_| Ok(())).unwrap().is_complete());
    print(&format!("fieldtest sign {name}, {threads} thread(s)"), best(|| clear(paths), sign));
    print(&format!("fieldtest sign {name} again, {threads} thread(s)"), best(|| (), sign));
    let verify = || {
        let source = Source::Attribute(attribute::IMA);
        assert!(tree::verify(root, &ring, None, source, options, |_| Ok(())).unwrap().is_good());
    };
    print(&format!("fieldtest verify {name}, {threads} thread(s)"), best(|| (), verify));
}

fn measure_evmctl(folder: &Path, root: &Path, paths: &[PathBuf]) {
    let certificate = first_certificate(folder);
    let key = folder.join("key.pem");
    fs::write(&key, P256).unwrap();
    let (key, root, certificate) = (key.display(), root.display(), certificate.display());
    let sign = format!("evmctl ima_sign -a sha256 -k {key} -r {root}");
    print("evmctl ima_sign -a sha256 -r, P-256", best_of_command(|| clear(paths), &sign));
    let verify = format!("find {root} -type f -print0 | xargs -0 evmctl ima_verify -k {certificate}");
    print("evmctl ima_verify over xargs, P-256", best_of_command(|| (), &verify));
    let verify =
        format!("find {root} -type f -print0 | xargs -0 -n 1250 -P 2 evmctl ima_verify -k {certificate}");
    print("evmctl ima_verify over xargs -P 2, P-256", best_of_command(|| (), &verify));
}
