//! Going through an archive on all cores.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::member::{Kind, Member, Members, Part};
use super::{TarError, TarOptions, edit};
use crate::digest::PIECE;
use crate::file_hasher::{FileHasher, Wanted};
use crate::file_id::FileDigest;
use crate::store::Store;
use crate::tree::pipeline::{self, Feed, Item, Limits};
use crate::tree::{
    Addressed, Done, FileVerdict, Job, JobTotals, Progress, ReadFailure, Refusal, SignOutcome, SignReport,
    SignedFile, VerifiedFile, VerifyReport, wanted,
};
use crate::verifier::Keyring;

/// Bytes of members that are in memory at the same time.
const BUDGET: u64 = 64 << 20;

/// Signs every regular file of an archive with each job, and writes the archive with the signatures in it.
///
/// A job for [`Store::Attribute`] sets that xattr's record, and one for [`Store::Returned`] passes the value to
/// `observe`. Hard links are given nothing: they are names of a file that was signed under its first; nor are whiteouts of
/// OCI images, which are no files. Files that are stored without their holes are signed with them.
///
/// # Errors
/// [`TarError`]. What was written until then is no archive.
pub fn sign(
    input: impl Read + Send,
    mut output: impl Write,
    jobs: &[Job],
    options: &TarOptions<'_>,
    mut observe: impl FnMut(SignedFile<'_>) -> io::Result<()>,
) -> Result<SignReport, TarError> {
    if jobs.iter().any(|job| job.store().suffix().is_some()) {
        return Err(TarError::Sidecar);
    }
    let wanted = wanted(jobs);
    let mut report = SignReport { jobs: vec![JobTotals::default(); jobs.len()], ..SignReport::default() };
    let mut buffer = vec![0; PIECE];
    let interrupted = options.run.interrupted();
    pipeline::run(
        &limits(options),
        |feed| source(input, options, feed),
        || vec![0; PIECE],
        |buffer, part| match part {
            Part::Rest(_) => Ok(None),
            Part::Member(member) => sign_member(member, jobs, &wanted, buffer, interrupted).map(Some),
        },
        |part, outcome: Result<Option<SignOutcome>, TarError>| {
            let outcome = outcome?;
            match part {
                Part::Rest(bytes) => output.write_all(&bytes).map_err(TarError::Output),
                Part::Member(mut member) => {
                    write(&mut member, &mut output, &mut buffer)?;
                    let Some(outcome) = outcome.filter(|_| is_reported(member.kind)) else { return Ok(()) };
                    report.add(&member.path, &outcome);
                    let progress = progress(report.files, report.bytes_read);
                    observe(SignedFile { path: &member.path, outcome: &outcome, progress })
                        .map_err(TarError::Observer)
                }
            }
        },
    )?;
    output.flush().map_err(TarError::Output)?;
    Ok(report)
}

/// Verifies every regular file of an archive by the record of the xattr of this name.
///
/// # Errors
/// [`TarError`].
pub fn verify(
    input: impl Read + Send,
    ring: &Keyring,
    name: &str,
    options: &TarOptions<'_>,
    mut observe: impl FnMut(VerifiedFile<'_>) -> io::Result<()>,
) -> Result<VerifyReport, TarError> {
    let mut report = VerifyReport::default();
    let interrupted = options.run.interrupted();
    pipeline::run(
        &limits(options),
        |feed| source(input, options, feed),
        || vec![0; PIECE],
        |buffer, part| match part {
            Part::Rest(_) => Ok(None),
            Part::Member(member) => verify_member(member, ring, name, buffer, interrupted).map(Some),
        },
        |part, verdict: Result<Option<(FileVerdict, u64)>, TarError>| {
            let (Part::Member(member), Some((verdict, bytes))) = (part, verdict?) else { return Ok(()) };
            if !is_reported(member.kind) {
                return Ok(());
            }
            report.add(&member.path, &verdict, None, bytes);
            let progress = progress(report.files, report.bytes_read);
            observe(VerifiedFile { path: &member.path, verdict: &verdict, evm: None, progress })
                .map_err(TarError::Observer)
        },
    )?;
    Ok(report)
}

fn limits(options: &TarOptions<'_>) -> Limits {
    Limits { threads: options.run.threads(), budget: BUDGET }
}

/// How many members will come is not known of a stream.
fn progress(files: u64, bytes_read: u64) -> Progress {
    Progress { files_done: files, files_found: files, bytes_read }
}

fn is_reported(kind: Kind) -> bool {
    !matches!(kind, Kind::Folder | Kind::Global)
}

fn source<R>(input: impl Read, options: &TarOptions<'_>, feed: &Feed<'_, Part, R>) -> Result<(), TarError> {
    let mut members = Members::new(input, options.spool.as_deref());
    while let Some(part) = members.next()? {
        if options.run.interrupted().load(Ordering::Relaxed) {
            return Err(TarError::Interrupted);
        }
        let priority = match &part {
            Part::Member(member) => member.data.length(),
            Part::Rest(_) => 0,
        };
        let weight = part.memory();
        if !feed.push(Item { content: part, weight, priority }) {
            break;
        }
    }
    Ok(())
}

fn write(member: &mut Member, output: &mut impl Write, buffer: &mut [u8]) -> Result<(), TarError> {
    for extension in &member.extensions {
        for bytes in [&extension.header.0[..], &extension.data, &extension.padding] {
            output.write_all(bytes).map_err(TarError::Output)?;
        }
    }
    output.write_all(&member.header.0).map_err(TarError::Output)?;
    output.write_all(&member.maps).map_err(TarError::Output)?;
    let mut written = Ok(());
    let read = member.data.for_each(buffer, |piece| {
        written = output.write_all(piece);
        // Which of the two failed is told apart below.
        if written.is_ok() { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    });
    written.map_err(TarError::Output)?;
    read.map_err(TarError::Spool)?;
    output.write_all(&member.padding).map_err(TarError::Output)
}

fn sign_member(
    member: &mut Member,
    jobs: &[Job],
    wanted: &[Wanted],
    buffer: &mut [u8],
    interrupted: &AtomicBool,
) -> Result<SignOutcome, TarError> {
    match member.kind {
        Kind::File => {}
        Kind::FileWithHoles => return Ok(SignOutcome::Unread(ReadFailure::StoredWithHoles)),
        Kind::Other(skip) => return Ok(SignOutcome::Skipped(skip)),
        // Not reported.
        Kind::Folder | Kind::Global => {
            return Ok(SignOutcome::Read { jobs: Vec::new(), evm: None, breaks_evm: false, bytes: 0 });
        }
    }
    if let Some(store) = Addressed::of_member(&member.path) {
        return Err(TarError::Addressed { member: member.path.clone(), store });
    }
    let mut hashers: Vec<FileHasher> = wanted.iter().map(|wanted| wanted.hasher()).collect();
    read(member, buffer, interrupted, |piece| hashers.iter_mut().for_each(|hasher| hasher.update(piece)))?;
    let digests: Vec<FileDigest> = hashers.into_iter().map(FileHasher::finish).collect();
    let jobs = jobs
        .iter()
        .map(|job| match job.wanted().among(&digests) {
            Some(digest) => perform(job, member, digest),
            None => Done::Failed("its digest was not computed".to_string()),
        })
        .collect();
    Ok(SignOutcome::Read { jobs, evm: None, breaks_evm: false, bytes: member.size() })
}

fn perform(job: &Job, member: &mut Member, file: &FileDigest) -> Done {
    let name = match job.store() {
        Store::Attribute(name) => Some(name),
        _ => None,
    };
    if let Some(name) = name
        && let Some(value) = edit::value(&member.extensions, name)
    {
        if job.is_done(value, file) {
            return Done::AlreadyValid;
        }
        if job.keeps(name, value) {
            return Done::Refused(Refusal::AttributeTaken);
        }
    }
    match (job.sign(file), name) {
        (Ok(value), Some(name)) => {
            edit::set(&mut member.extensions, &member.header, name, &value);
            Done::Stored
        }
        (Ok(value), None) => Done::Returned(value),
        (Err(error), _) => Done::Failed(error.to_string()),
    }
}

fn verify_member(
    member: &mut Member,
    ring: &Keyring,
    name: &str,
    buffer: &mut [u8],
    interrupted: &AtomicBool,
) -> Result<(FileVerdict, u64), TarError> {
    match member.kind {
        Kind::File => {}
        Kind::FileWithHoles => return Ok((FileVerdict::Unread(ReadFailure::StoredWithHoles), 0)),
        Kind::Other(skip) => return Ok((FileVerdict::Skipped(skip), 0)),
        Kind::Folder | Kind::Global => return Ok((FileVerdict::Unsigned, 0)),
    }
    let Some(value) = edit::value(&member.extensions, name).map(<[u8]>::to_vec) else {
        return Ok((FileVerdict::Unsigned, 0));
    };
    let mut bytes = 0;
    let verdict = ring.verify(&value, |covers, algorithm| {
        bytes = member.size();
        let mut hasher = Wanted { covers, algorithm }.hasher();
        read(member, buffer, interrupted, |piece| hasher.update(piece))?;
        Ok::<_, TarError>(hasher.finish())
    })?;
    Ok((FileVerdict::Signed(verdict), bytes))
}

/// Passes a member's content on until the caller interrupts.
fn read(
    member: &mut Member,
    buffer: &mut [u8],
    interrupted: &AtomicBool,
    mut each: impl FnMut(&[u8]),
) -> Result<(), TarError> {
    let each = |piece: &[u8]| {
        each(piece);
        // Not `Interrupted`, which readers take as a request to go on.
        if interrupted.load(Ordering::Relaxed) { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
    };
    let read = match &member.holes {
        Some(holes) => holes.expand(&mut member.data, buffer, interrupted, each),
        None => member.data.for_each(buffer, each),
    };
    match read {
        Err(_) if interrupted.load(Ordering::Relaxed) => Err(TarError::Interrupted),
        read => read.map_err(TarError::Spool),
    }
}
