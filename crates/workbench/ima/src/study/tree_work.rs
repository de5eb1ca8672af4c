//! The whole job: a tree signed and verified on all cores, without writing to it.

use std::io::{self, BufReader, Cursor};
use std::path::Path;
use std::slice;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fieldtest_ima::HashAlgorithm;
use fieldtest_ima::digest::Digest;
use fieldtest_ima::file_id::FileDigest;
use fieldtest_ima::signer::Signer;
use fieldtest_ima::store::{Store, manifest};
use fieldtest_ima::tree::{self, Done, Job, Options, SignOutcome, Source};
use fieldtest_ima::verifier::Keyring;
use fieldtest_ima::xattr::Version;
use fieldtest_kinds::signature::{KeyPair, PublicKeyForm, Signature};
use fieldtest_measure::record::Input;
use fieldtest_study::speed::hex;
use fieldtest_study::whole_job::estimate::{FEWEST_ROUNDS, Reading};
use fieldtest_study::whole_job::extent::{self, Extent, Needs};
use fieldtest_study::whole_job::idle::Idle;
use fieldtest_study::whole_job::rounds::{self, Job as Turns};
use fieldtest_study::whole_job::{Cost, enter, in_both_orders, sizes};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{Tree, fault};
use crate::words::Operation;

/// The name that signatures have in lists.
const NAME: &str = "security.ima";
/// What file contents are hashed with.
const HASH: HashAlgorithm = HashAlgorithm::Sha256;
/// Signatures are made for so long to tell what one takes.
const TRIAL: Duration = Duration::from_millis(30);

/// Bytes that tell how fast contents are hashed.
const HASHED: usize = 4 << 20;

/// Files and bytes of a tree, and what reading and hashing them takes. Its digest is over the paths and sizes of all
/// files.
pub(super) fn describe(root: &Path, name: &str, interrupt: &AtomicBool) -> Result<(Input, Cost), StudyError> {
    let options = Options { interrupted: Some(interrupt), ..Options::default() };
    let read = || {
        let mut digest = Sha256::new();
        let (report, cost) = Cost::of(|| {
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
        Ok::<_, StudyError>((digest, report, cost))
    };
    let (mut digest, mut report, mut reading) = read()?;
    // Read again if the first reading waited for the disk: no later one does as long as memory holds the
    // tree, and one algorithm would pay for all.
    if reading.wall * rayon::current_num_threads() as f64 > 2.0 * reading.cpu {
        (digest, report, reading) = read()?;
    }
    if report.files == 0 && !report.interrupted {
        return Err(fault(format!("cannot use {name}: it contains no regular file; check the path")));
    }
    let input = Input {
        name: name.to_owned(),
        sha256: hex(&digest.finalize()),
        bytes: report.bytes_read,
        items: report.files,
    };
    let content = vec![7; HASHED];
    let (_, hashing) = Cost::of(|| Ok(Digest::of(HASH, &content)))?;
    let times = input.bytes as f64 / HASHED as f64;
    let wall = reading.wall + hashing.wall * times / rayon::current_num_threads() as f64;
    Ok((input, Cost { wall, cpu: reading.cpu + hashing.cpu * times }))
}

/// One subject's part in the rounds.
struct Work<'a> {
    subject: &'a Subject,
    pair: KeyPair,
    job: Job,
    ring: Keyring,
    needs: Needs,
}

/// Signs and verifies the tree with every subject, in turn and within `budget`, and enters what it took.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    tree: &Tree,
    subjects: &[&Subject],
    budget: Duration,
) -> Result<(), StudyError> {
    let start = Instant::now();
    let mut works = Vec::with_capacity(subjects.len());
    for subject in subjects {
        if bench.interrupted() {
            return Ok(());
        }
        (bench.say)(&format!("looking at how long {} takes", subject.name()));
        works.push(Work::new(tree, subject)?);
    }
    let needs: Vec<Needs> = works.iter().map(|work| work.needs).collect();
    let budget = extent::left(budget, start.elapsed());
    let start = Instant::now();
    let (extents, is_read) = extents(&needs, budget.as_secs_f64());
    let beside = is_read.then_some([tree.reading; 2]);
    let (mut jobs, mut at) = (Vec::new(), Vec::new());
    for (place, (work, extent)) in works.iter().zip(&extents).enumerate() {
        if let Some(extent) = extent {
            jobs.push(work.turns(bench.interrupt, tree, *extent, beside)?);
            at.push(place);
        }
    }
    let found = rounds::run(bench, &mut jobs, budget.saturating_sub(start.elapsed()))?;
    drop(jobs);
    // Rounds that share one reading say nothing of how readings differ: too few for an interval.
    let most = if beside.is_some() { FEWEST_ROUNDS - 1 } else { usize::MAX };
    for (place, work) in works.iter().enumerate() {
        let own = at.iter().position(|it| *it == place).and_then(|at| found.get(at));
        for (which, operation) in [Operation::SignTree, Operation::VerifyTree].into_iter().enumerate() {
            let readings: Vec<Reading> = own.into_iter().flatten().take(most).map(|it| it[which]).collect();
            let of = (&readings[..], tree.input.items);
            enter(bench, writer, (work.subject, operation.word()), &tree.input, of);
        }
    }
    Ok(())
}

/// What each does in its rounds; and whether half of an equal share is too short to read the tree. One
/// reading then stands for all: with several algorithms on a large tree, no share sufficed and every cell of
/// the table stayed empty.
fn extents(needs: &[Needs], budget: f64) -> (Vec<Option<Extent>>, bool) {
    // Half of it is for the signatures.
    let share = budget / needs.len().max(1) as f64 / 2.0;
    if needs.iter().all(|needs| needs.beside < share) {
        return (extent::plan(needs, budget), false);
    }
    let without: Vec<Needs> = needs.iter().map(|needs| Needs { beside: 0.0, ..*needs }).collect();
    let of_all = |needs: &Needs| sizes(needs.signatures as f64, needs.signatures);
    let part = |(extent, needs): (Option<Extent>, &Needs)| match extent? {
        Extent::Whole => of_all(needs).map(|all| Extent::Part { sign: all, verify: all }),
        part => Some(part),
    };
    (extent::plan(&without, budget).into_iter().zip(needs).map(part).collect(), true)
}

impl<'a> Work<'a> {
    fn new(tree: &Tree, subject: &'a Subject) -> Result<Work<'a>, StudyError> {
        let code = subject.implementation.code.as_ref();
        let failed = |what| move |error| subject.failed(what, error);
        let pair = code.generate().map_err(failed("generating a key"))?;
        let mut ring = Keyring::new();
        ring.add_bytes(code, &pair.public).map_err(failed("preparing a public key"))?;
        let job = job(code, &pair.secret)?;
        let file = FileDigest::of_content(Digest::of(HASH, b"a file"));
        let (value, sign) = one(|| job.sign(&file).map_err(fault))?;
        let ((), verify) = one(|| judge(subject, &ring, &value, file))?;
        // Every file is read twice, once for signing and once for verifying.
        let needs = Needs { beside: 2.0 * tree.reading.wall, sign, verify, signatures: tree.input.items };
        Ok(Work { subject, pair, job, ring, needs })
    }

    fn turns<'j>(
        &'j self,
        interrupt: &'j AtomicBool,
        tree: &'j Tree,
        extent: Extent,
        read_already: Option<[Cost; 2]>,
    ) -> Result<Turns<'j, [Reading; 2]>, StudyError> {
        let doing = format!("signing and verifying {} with {}", tree.input.name, self.subject.name());
        let turn: Box<dyn FnMut(usize) -> Result<[Reading; 2], StudyError> + 'j> = match extent {
            Extent::Whole => {
                Box::new(move |_| Ok(both(interrupt, tree, &self.job, &self.ring)?.map(Reading::Whole)))
            }
            Extent::Part { sign, verify } => {
                let idle = Idle::new(self.subject.implementation.code.as_ref(), self.pair.clone());
                let mut ring = Keyring::new();
                let added = ring.add_bytes(&idle, &self.pair.public);
                added.map_err(|error| self.subject.failed("preparing a public key", error))?;
                let job = job(&idle, &self.pair.secret)?;
                Box::new(move |round| {
                    let beside = read_already.map_or_else(|| both(interrupt, tree, &job, &ring), Ok)?;
                    let [signing, verifying] = self.part([sign, verify], round)?;
                    Ok([
                        Reading::Part { beside: beside[0], sizes: signing },
                        Reading::Part { beside: beside[1], sizes: verifying },
                    ])
                })
            }
        };
        Ok(Turns { doing, fits: true, turn })
    }

    /// So many signatures of as many files on all cores, and so many verifications, each more than once where there are
    /// fewer signatures.
    fn part(&self, [sign, verify]: [[u64; 2]; 2], round: usize) -> Result<[[(u64, Cost); 2]; 2], StudyError> {
        let file = |at: u64| {
            let number = ((round as u64) << 32 | at).to_be_bytes();
            FileDigest::of_content(Digest::of(HASH, &number))
        };
        let files: Vec<FileDigest> = (0..sign[1]).map(file).collect();
        let mut values = Vec::new();
        let signing = in_both_orders(sign, round, |count| {
            let own = files[..count as usize].par_iter().with_max_len(1);
            let made = own.map(|file| self.job.sign(file).map_err(fault));
            let made = made.collect::<Result<Vec<Vec<u8>>, StudyError>>()?;
            if made.len() > values.len() {
                values = made;
            }
            Ok(())
        })?;
        let verifying = in_both_orders(verify, round, |count| {
            (0..count as usize).into_par_iter().try_for_each(|at| {
                let at = at % files.len();
                judge(self.subject, &self.ring, &values[at], files[at])
            })
        })?;
        Ok([signing, verifying])
    }
}

/// What it takes to sign the whole tree and to verify it.
fn both(interrupt: &AtomicBool, tree: &Tree, job: &Job, ring: &Keyring) -> Result<[Cost; 2], StudyError> {
    let (list, signing) = Cost::of(|| sign(interrupt, tree, job))?;
    let ((), verifying) = Cost::of(|| verify(interrupt, tree, ring, &list))?;
    Ok([signing, verifying])
}

fn judge(subject: &Subject, ring: &Keyring, value: &[u8], file: FileDigest) -> Result<(), StudyError> {
    let verdict = ring.verify(value, |_, _| Ok::<_, StudyError>(file))?;
    if verdict.is_good() { Ok(()) } else { Err(fault(format!("{}: {verdict}", subject.name()))) }
}

/// A job that gives its signatures back. Message-only schemes have version 3, the others 2, as kernels of today take
/// them.
fn job(code: &dyn Signature, secret: &[u8]) -> Result<Job, StudyError> {
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

/// What a signature or its verification takes alone, in seconds on one core.
fn one<T>(mut work: impl FnMut() -> Result<T, StudyError>) -> Result<(T, f64), StudyError> {
    // The first may owe most of its time to cold caches.
    let first = work()?;
    let start = Instant::now();
    let mut trials = 0;
    while trials == 0 || start.elapsed() < TRIAL {
        work()?;
        trials += 1;
    }
    Ok((first, start.elapsed().as_secs_f64() / f64::from(trials)))
}

/// Signs every file; the signatures as a list.
fn sign(interrupt: &AtomicBool, tree: &Tree, job: &Job) -> Result<Vec<u8>, StudyError> {
    let options = Options { interrupted: Some(interrupt), ..Options::default() };
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

fn verify(interrupt: &AtomicBool, tree: &Tree, ring: &Keyring, list: &[u8]) -> Result<(), StudyError> {
    let options = Options { interrupted: Some(interrupt), ..Options::default() };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_takes_long_to_read_is_read_for_all() {
        let needs = |beside: f64| {
            [1e-4, 2e-4, 3e-4, 1e-3].map(|each| Needs {
                beside,
                sign: each,
                verify: each,
                signatures: 100_000,
            })
        };
        let (extents_of_quick, is_read) = extents(&needs(0.01), 60.0);
        assert!(!is_read && extents_of_quick.iter().all(Option::is_some), "{extents_of_quick:?}");
        // Time for one of four that take 20 seconds each to read the tree twice, and for none.
        for budget in [36.0, 15.0] {
            let (extents, is_read) = extents(&needs(20.0), budget);
            let parts = extents.iter().filter(|extent| matches!(extent, Some(Extent::Part { .. }))).count();
            assert_eq!((is_read, parts), (true, 4), "{budget}: {extents:?}");
        }
    }
}
