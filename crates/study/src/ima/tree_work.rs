//! The whole job: a tree signed and verified on all cores, without writing to it.

use std::io::{self, BufReader, Cursor};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fieldtest_ima::digest::Digest;
use fieldtest_ima::file_id::FileDigest;
use fieldtest_ima::signer::Signer;
use fieldtest_ima::store::{Store, manifest};
use fieldtest_ima::tree::{self, Done, Job, Options, SignOutcome, Source};
use fieldtest_ima::verifier::Keyring;
use fieldtest_ima::xattr::Version;
use fieldtest_kinds::signature::{DigestAlgorithm, PublicKeyForm};
use fieldtest_measure::record::Input;
use sha2::{Digest as _, Sha256};

use super::{Tree, fault};
use crate::speed::hex;
use crate::whole_job::{Cost, enter, extrapolated, repeat};
use crate::{Bench, Book, StudyError, Subject};

/// The name that signatures have in lists.
const NAME: &str = "security.ima";
/// What file contents are hashed with.
const HASH: DigestAlgorithm = DigestAlgorithm::Sha256;
/// Signatures that tell how long one takes.
const TRIALS: usize = 2;

/// Files and bytes of a tree. Its digest is over the paths and sizes of all files.
pub(super) fn describe(root: &Path, name: &str, interrupt: &AtomicBool) -> Result<Input, StudyError> {
    let mut digest = Sha256::new();
    let options = Options { interrupted: Some(interrupt), ..Options::default() };
    let report = tree::sign(root, &[], None, &options, |file| {
        if let SignOutcome::Read { bytes, .. } = file.outcome {
            digest.update(file.path.as_os_str().as_encoded_bytes());
            digest.update([0]);
            digest.update(bytes.to_be_bytes());
        }
        Ok(())
    })
    .map_err(fault)?;
    Ok(Input {
        name: name.to_owned(),
        sha256: hex(&digest.finalize()),
        bytes: report.bytes_read,
        items: report.files,
    })
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

    // A signature or two tell whether the whole tree is within reach.
    let one = one(&job)?;
    let cores = rayon::current_num_threads() as f64;
    (bench.say)(&format!("signing {} with {}", tree.input.name, subject.name()));
    if one.wall * files as f64 / cores < allowance.as_secs_f64() {
        let (list, outcome) = repeat(bench, allowance, || sign(bench, tree, &job))?;
        enter(book, &tree.input, subject, "sign-tree", &outcome);
        if bench.interrupted() {
            return Ok(());
        }
        (bench.say)(&format!("verifying {} with {}", tree.input.name, subject.name()));
        let ((), outcome) = repeat(bench, allowance, || verify(bench, tree, &ring, &list))?;
        enter(book, &tree.input, subject, "verify-tree", &outcome);
    } else {
        // All files are read in any case; what their signatures would add is known from a few.
        let (_, reading) = Cost::of(|| sign_with(bench, tree, &[]))?;
        let outcome = extrapolated(reading, one.scaled(1.0 / cores), 1, files);
        enter(book, &tree.input, subject, "sign-tree", &outcome);
    }
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

/// What a signature takes alone, on one core.
fn one(job: &Job) -> Result<Cost, StudyError> {
    let file = FileDigest::of_content(Digest::of(HASH, b"a file"));
    let sign = || (0..TRIALS).try_for_each(|_| job.sign(&file).map(drop).map_err(fault));
    // The first may owe most of its time to cold caches.
    sign()?;
    let ((), cost) = Cost::of(sign)?;
    Ok(cost.scaled(1.0 / TRIALS as f64))
}

/// Signs every file; the signatures as a list.
fn sign(bench: &Bench<'_>, tree: &Tree, job: &Job) -> Result<Vec<u8>, StudyError> {
    sign_with(bench, tree, std::slice::from_ref(job))
}

fn sign_with(bench: &Bench<'_>, tree: &Tree, jobs: &[Job]) -> Result<Vec<u8>, StudyError> {
    let options = Options { interrupted: Some(bench.interrupt), ..Options::default() };
    let mut list = manifest::Writer::new(Vec::new());
    let report = tree::sign(tree.root(), jobs, None, &options, |file| {
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
