//! The whole job: a tree signed and verified on all cores, without writing to it.

use std::io::{self, BufReader, Cursor};
use std::path::Path;
use std::slice;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fieldtest_ima::digest::Digest;
use fieldtest_ima::file_id::FileDigest;
use fieldtest_ima::signer::Signer;
use fieldtest_ima::store::{Store, manifest};
use fieldtest_ima::tree::{self, Done, Job, Options, SignOutcome, Source};
use fieldtest_ima::verifier::Keyring;
use fieldtest_ima::xattr::Version;
use fieldtest_kinds::signature::{DigestAlgorithm, PublicKeyForm};
use fieldtest_measure::record::{Input, Part};
use fieldtest_study::speed::hex;
use fieldtest_study::whole_job::{Cost, Outcome, enter, repeat};
use fieldtest_study::{Bench, Book, StudyError, Subject};
use sha2::{Digest as _, Sha256};

use super::{Tree, fault};
use crate::words::Operation;

/// The name that signatures have in lists.
const NAME: &str = "security.ima";
/// What file contents are hashed with.
const HASH: DigestAlgorithm = DigestAlgorithm::Sha256;
/// Signatures are made for so long to tell what one takes.
const TRIAL: Duration = Duration::from_millis(30);

/// Bytes that tell how fast contents are hashed.
const HASHED: usize = 4 << 20;

/// Files and bytes of a tree, and what reading and hashing them takes. Its digest is over the paths and sizes of all
/// files.
pub(super) fn describe(root: &Path, name: &str, interrupt: &AtomicBool) -> Result<(Input, Cost), StudyError> {
    let mut digest = Sha256::new();
    let options = Options { interrupted: Some(interrupt), ..Options::default() };
    let (report, reading) = Cost::of(|| {
        tree::sign(root, &[], None, &options, |file| {
            if let SignOutcome::Read { bytes, .. } = file.outcome {
                digest.update(file.path.as_os_str().as_encoded_bytes());
                digest.update([0]);
                digest.update(bytes.to_be_bytes());
            }
            Ok(())
        })
        .map_err(fault)
    })?;
    let input = Input {
        name: name.to_owned(),
        sha256: hex(&digest.finalize()),
        bytes: report.bytes_read,
        items: report.files,
    };
    let content = vec![7; HASHED];
    let (_, hashing) = Cost::of(|| Ok(Digest::of(HASH, &content)))?;
    let hashing = on_all_cores(hashing, input.bytes as f64 / HASHED as f64);
    Ok((input, reading.plus(hashing)))
}

/// What `times` as much takes as `one` on one core does.
fn on_all_cores(one: Cost, times: f64) -> Cost {
    let all = one.scaled(times);
    Cost { wall: all.wall / rayon::current_num_threads() as f64, ..all }
}

/// Signs and verifies the tree with one subject within `allowance` each, and enters what it took.
pub(super) fn run(
    bench: &mut Bench<'_>,
    book: &mut Book,
    tree: &Tree,
    subject: &Subject,
    allowance: Duration,
) -> Result<(), StudyError> {
    let code = subject.implementation.code.as_ref();
    let failed = |what| move |error| subject.failed(what, error);
    let pair = code.generate().map_err(failed("generating a key"))?;
    let mut ring = Keyring::new();
    ring.add_bytes(code, &pair.public).map_err(failed("preparing a public key"))?;
    let job = job(subject, &pair.secret)?;
    let files = tree.input.items.max(1) as usize;

    // A signature or two tell whether the whole tree is within reach; otherwise they stand for all of them.
    let file = FileDigest::of_content(Digest::of(HASH, b"a file"));
    let (value, signing) = one(|| job.sign(&file).map_err(fault))?;
    let (_, verifying) = one(|| {
        let verdict = ring.verify(&value, |_, _| Ok::<_, StudyError>(file))?;
        if verdict.is_good() { Ok(()) } else { Err(fault(format!("{}: {verdict}", subject.name()))) }
    })?;
    let expected = |one: One| tree.reading.plus(on_all_cores(one.cost, files as f64));
    let part = |one: One| Outcome {
        cost: expected(one),
        samples: 1,
        part: Some(Part { measured: one.trials.into(), of: files as u64 }),
    };
    (bench.say)(&format!("signing {} with {}", tree.input.name, subject.name()));
    if expected(signing).wall > allowance.as_secs_f64() {
        enter(book, &tree.input, subject, Operation::SignTree.word(), &part(signing));
        enter(book, &tree.input, subject, Operation::VerifyTree.word(), &part(verifying));
        return Ok(());
    }
    let (list, outcome) = repeat(bench, allowance, || sign(bench, tree, &job))?;
    enter(book, &tree.input, subject, Operation::SignTree.word(), &outcome);
    if bench.interrupted() {
        return Ok(());
    }
    (bench.say)(&format!("verifying {} with {}", tree.input.name, subject.name()));
    let ((), outcome) = repeat(bench, allowance, || verify(bench, tree, &ring, &list))?;
    enter(book, &tree.input, subject, Operation::VerifyTree.word(), &outcome);
    Ok(())
}

/// A job that gives its signatures back. Message-only schemes have version 3, the others 2, as kernels of today take
/// them.
fn job(subject: &Subject, secret: &[u8]) -> Result<Job, StudyError> {
    let code = subject.implementation.code.as_ref();
    let version = match code.public_key_form() {
        PublicKeyForm::Plain => Version::V3,
        _ => Version::V2,
    };
    let signer = Signer::new(code, secret, version).map_err(fault)?;
    // Without deterministic signatures the scheme's own randomness is used.
    Job::new(code, signer, HASH, Store::Returned).or_else(|_| {
        let signer = Signer::new(code, secret, version).map_err(fault)?.hedged();
        Job::new(code, signer, HASH, Store::Returned).map_err(fault)
    })
}

/// What a signature or its verification takes alone, on one core, and how many were made to tell.
fn one<T>(mut work: impl FnMut() -> Result<T, StudyError>) -> Result<(T, One), StudyError> {
    // The first may owe most of its time to cold caches.
    let first = work()?;
    let start = Instant::now();
    let (trials, cost) = Cost::of(|| {
        let mut trials = 0;
        while trials == 0 || start.elapsed() < TRIAL {
            work()?;
            trials += 1;
        }
        Ok(trials)
    })?;
    Ok((first, One { cost: cost.scaled(1.0 / f64::from(trials)), trials }))
}

/// One operation's cost.
#[derive(Clone, Copy)]
struct One {
    cost: Cost,
    trials: u32,
}

/// Signs every file; the signatures as a list.
fn sign(bench: &Bench<'_>, tree: &Tree, job: &Job) -> Result<Vec<u8>, StudyError> {
    let options = Options { interrupted: Some(bench.interrupt), ..Options::default() };
    let mut list = manifest::Writer::new(Vec::new());
    let report = tree::sign(tree.root(), slice::from_ref(job), None, &options, |file| {
        if let SignOutcome::Read { jobs, .. } = file.outcome
            && let Some(Done::Returned(value)) = jobs.first()
        {
            list.file(file.path, [(NAME, &value[..])])?;
        }
        Ok(())
    })
    .map_err(fault)?;
    match report.jobs.iter().find_map(|job| job.failed.1.clone()) {
        Some(reason) => Err(fault(reason)),
        None => list.finish().map_err(fault),
    }
}

/// Verifies every file that the list has a signature of.
fn verify(bench: &Bench<'_>, tree: &Tree, ring: &Keyring, list: &[u8]) -> Result<(), StudyError> {
    let options = Options { interrupted: Some(bench.interrupt), ..Options::default() };
    let source = Source::Manifest(NAME, Box::new(BufReader::new(Cursor::new(list))));
    let report =
        tree::verify(tree.root(), ring, None, source, &options, |_| Ok::<_, io::Error>(())).map_err(fault)?;
    let wrong =
        report.content.changed.count + report.content.unknown_key.count + report.content.malformed.count;
    if wrong == 0 || report.interrupted {
        Ok(())
    } else {
        Err(fault(format!("{wrong} files do not verify that were signed a moment ago")))
    }
}
