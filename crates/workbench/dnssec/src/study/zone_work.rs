//! The whole job: a zone signed and validated on all cores, or as much of it as time allows.

use std::path::Path;
use std::time::{Duration, Instant};

use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, Plan, Signer};
use fieldtest_dnssec::verify::{Options, verify};
use fieldtest_dnssec::{Zone, codepoints::CodePoint};
use fieldtest_kinds::signature::Signature;
use fieldtest_study::whole_job::estimate::Reading;
use fieldtest_study::whole_job::extent::{self, Extent, Needs};
use fieldtest_study::whole_job::idle::Idle;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::whole_job::{Cost, enter};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};

use super::Source;
use super::zone_part::{Kit, refused};
use crate::typed;
use crate::words::Operation;

/// One subject's part in the rounds.
struct Work<'a> {
    subject: &'a Subject,
    code_point: &'a CodePoint,
    plan: Plan,
    /// Signatures of the zone-signing key.
    signatures: u64,
    needs: Needs,
}

/// The keys of an implementation and the plan to sign with them.
fn plan(
    source: &Source,
    subject: &Subject,
    code: &dyn Signature,
    code_point: &CodePoint,
) -> Result<Plan, StudyError> {
    let key = |key_use| {
        ZoneKey::generate(*source.zone.apex(), key_use, code_point.clone(), code)
            .map_err(|error| refused(subject, error))
    };
    let keys = vec![key(KeyUse::KeySigning)?, key(KeyUse::ZoneSigning)?];
    Ok(Plan { denial: Denial::of(&source.zone), ..Plan::new(keys, typed::validity()) })
}

/// The messages that a zone key signs in this zone, at most `most` of them, evenly spread.
pub(super) fn messages(
    source: &Source,
    subject: &Subject,
    code_point: &CodePoint,
    most: usize,
) -> Result<Vec<Vec<u8>>, StudyError> {
    let plan = plan(source, subject, subject.implementation.code.as_ref(), code_point)?;
    let all = signer(&source.zone, &plan, subject)?.messages_of(1);
    let step = all.len().div_ceil(most).max(1);
    Ok(all.into_iter().step_by(step).collect())
}

/// Signs and validates the zone with every subject, in turn and within `budget`, and enters what it took.
pub(super) fn run<'a>(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    source: &Source,
    subjects: &'a [Subject],
    code_point: &dyn Fn(&Subject) -> Result<&'a CodePoint, StudyError>,
    budget: Duration,
) -> Result<(), StudyError> {
    let start = Instant::now();
    let mut works = Vec::with_capacity(subjects.len());
    let mut handling = None;
    for subject in subjects {
        if bench.interrupted() {
            return Ok(());
        }
        (bench.say)(&format!("looking at how long {} takes", subject.name()));
        let work = Work::new(source, subject, code_point(subject)?, &mut handling)?;
        // The key-signing key adds the one over the DNSKEY RRset.
        let count = work.signatures as f64 + 1.0;
        let of = (Operation::Signatures.word(), "");
        writer.record(writer.measured(subject, of, (count, "count"), &source.input));
        works.push(work);
    }
    let budget = extent::left(budget, start.elapsed());
    let start = Instant::now();
    let needs: Vec<Needs> = works.iter().map(|work| work.needs).collect();
    let extents = extent::plan(&needs, budget.as_secs_f64());

    let (mut jobs, mut at) = (Vec::new(), Vec::new());
    for (place, (work, extent)) in works.iter().zip(&extents).enumerate() {
        if let Some(extent) = extent {
            jobs.push(work.job(source, *extent)?);
            at.push(place);
        }
    }
    let left = budget.saturating_sub(start.elapsed());
    let found = rounds::run(bench, &mut jobs, left)?;
    drop(jobs);
    for (place, work) in works.iter().enumerate() {
        let own = at.iter().position(|it| *it == place).and_then(|at| found.get(at));
        for (which, operation) in [Operation::SignZone, Operation::ValidateZone].into_iter().enumerate() {
            let readings: Vec<Reading> = own.into_iter().flatten().map(|it| it[which]).collect();
            let of = (&readings[..], work.signatures);
            enter(bench, writer, (work.subject, operation.word()), &source.input, of);
        }
    }
    Ok(())
}

impl<'a> Work<'a> {
    /// Makes the keys and finds out what a signature takes. `handling` is what a zone takes without its signatures: it is
    /// found out once, as all algorithms have about the same.
    fn new(
        source: &Source,
        subject: &'a Subject,
        code_point: &'a CodePoint,
        handling: &mut Option<f64>,
    ) -> Result<Work<'a>, StudyError> {
        let plan = plan(source, subject, subject.implementation.code.as_ref(), code_point)?;
        let messages = signer(&source.zone, &plan, subject)?.messages_of(1);
        let of_one = Kit::new(&plan, subject, &messages)?.one()?;
        let mut work = Work { subject, code_point, plan, signatures: messages.len() as u64, needs: of_one };
        if handling.is_none() {
            let idle = work.idle(source)?;
            let (signed, cost) = Cost::of(|| sign_whole(source, &idle.1, subject))?;
            let (_, validating) = Cost::of(|| validate_whole(&signed, subject, &idle.0, code_point))?;
            *handling = Some(cost.wall + validating.wall);
        }
        work.needs.beside = handling.unwrap_or_default();
        Ok(work)
    }

    /// What does nothing in the subject's place, and the plan to sign with that.
    fn idle(&self, source: &Source) -> Result<(Idle<'a>, Plan), StudyError> {
        let code = self.subject.implementation.code.as_ref();
        let pair = code.generate().map_err(|error| self.subject.failed("generating a key", error))?;
        let idle = Idle::new(code, pair);
        let plan = plan(source, self.subject, &idle, self.code_point)?;
        Ok((idle, plan))
    }

    fn job<'j>(&'j self, source: &'j Source, extent: Extent) -> Result<Job<'j, [Reading; 2]>, StudyError> {
        let doing = format!("signing and validating {} with {}", source.input.name, self.subject.name());
        let turn: Box<dyn FnMut(usize) -> Result<[Reading; 2], StudyError> + 'j> = match extent {
            Extent::Whole => Box::new(|_| self.whole(source)),
            Extent::Part { sign, verify } => {
                let messages = signer(&source.zone, &self.plan, self.subject)?.messages_of(1);
                let idle = self.idle(source)?;
                Box::new(move |round| self.part(source, &idle, &messages, [sign, verify], round))
            }
        };
        Ok(Job { doing, fits: true, turn })
    }

    fn whole(&self, source: &Source) -> Result<[Reading; 2], StudyError> {
        let Work { subject, code_point, plan, .. } = self;
        let (signed, signing) = Cost::of(|| sign_whole(source, plan, subject))?;
        let code = subject.implementation.code.as_ref();
        let (_, validating) = Cost::of(|| validate_whole(&signed, subject, code, code_point))?;
        Ok([Reading::Whole(signing), Reading::Whole(validating)])
    }

    /// The zone is signed and validated without the signatures; then so many signatures are made and verified.
    fn part(
        &self,
        source: &Source,
        (idle, idle_plan): &(Idle<'_>, Plan),
        messages: &[Vec<u8>],
        [sign, verify]: [[u64; 2]; 2],
        round: usize,
    ) -> Result<[Reading; 2], StudyError> {
        let Work { subject, code_point, plan, .. } = self;
        let (signed, signing) = Cost::of(|| sign_whole(source, idle_plan, subject))?;
        let (_, validating) = Cost::of(|| validate_whole(&signed, subject, idle, code_point))?;
        let kit = Kit::new(plan, subject, messages)?;
        let [of_signing, of_verifying] = kit.measure(sign, verify, round)?;
        Ok([
            Reading::Part { beside: signing, sizes: of_signing },
            Reading::Part { beside: validating, sizes: of_verifying },
        ])
    }
}

/// From the zone file's bytes to the signed zone in raw form, in memory.
fn sign_whole(source: &Source, plan: &Plan, subject: &Subject) -> Result<Vec<u8>, StudyError> {
    let zone = source.parse()?;
    let mut signed = Vec::new();
    signer(&zone, plan, subject)?.write(Form::Raw, &mut signed).map_err(|error| refused(subject, error))?;
    Ok(signed)
}

/// The zone as a zone file without what signing adds, a record a line.
pub(super) fn unsigned(
    source: &Source,
    subject: &Subject,
    code_point: &CodePoint,
) -> Result<Vec<u8>, StudyError> {
    const ADDED: [&[u8]; 5] = [b"RRSIG", b"NSEC", b"NSEC3", b"DNSKEY", b"ZONEMD"];
    let code = subject.implementation.code.as_ref();
    let pair = code.generate().map_err(|error| subject.failed("generating a key", error))?;
    let plan = plan(source, subject, &Idle::new(code, pair), code_point)?;
    let mut text = Vec::new();
    signer(&source.zone, &plan, subject)?
        .write(Form::Text, &mut text)
        .map_err(|error| refused(subject, error))?;
    // Owner, TTL, class, type.
    let rtype = |line: &[u8]| line.split(u8::is_ascii_whitespace).nth(3).map(<[u8]>::to_vec);
    let is_own = |line: &&[u8]| rtype(line).is_none_or(|rtype| !ADDED.contains(&rtype.as_slice()));
    Ok(text.split_inclusive(|octet| *octet == b'\n').filter(is_own).flatten().copied().collect())
}

/// From the signed zone in raw form to the verdict.
pub(super) fn validate_whole(
    signed: &[u8],
    subject: &Subject,
    code: &dyn Signature,
    code_point: &CodePoint,
) -> Result<(), StudyError> {
    let zone = fieldtest_dnssec::read(signed, Path::new("the signed zone"), None)
        .map_err(|error| refused(subject, error))?;
    let resolve = |asked: &CodePoint| (asked == code_point).then_some(code);
    let report = verify(&zone, &Options { resolve: &resolve, now: Some(typed::now()), anchors: &[] });
    if report.is_secure() { Ok(()) } else { Err(refused(subject, report)) }
}

fn signer<'a>(zone: &'a Zone, plan: &'a Plan, subject: &Subject) -> Result<Signer<'a>, StudyError> {
    Signer::new(zone, plan).map_err(|error| refused(subject, error))
}
