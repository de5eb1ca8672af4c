//! The whole job: a zone signed and validated on all cores, or as much of it as time allows.

use std::path::Path;
use std::time::Duration;

use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Cds, Form, Plan, Serial, Signer, Zonemd};
use fieldtest_dnssec::verify::{Options, verify};
use fieldtest_dnssec::{Zone, codepoints::CodePoint};
use fieldtest_kinds::signature::SigningKey;
use fieldtest_study::whole_job::{Cost, Outcome, enter, extrapolated, repeat};
use fieldtest_study::{Bench, Book, StudyError, Subject};
use rayon::prelude::*;

use super::Source;
use crate::NAME;
use crate::words::Operation;

/// A first signature quicker than this, in seconds, may owe most of its time to cold caches and is made again.
const FIRST_CALL: f64 = 0.01;
/// Half of what a signature is valid for, in seconds.
const HALF_VALIDITY: u32 = 15 * 86_400;

/// The keys of one subject and the plan to sign with them.
fn plan(source: &Source, subject: &Subject, code_point: &CodePoint) -> Result<Plan, StudyError> {
    let key = |key_use| {
        ZoneKey::generate(
            *source.zone.apex(),
            key_use,
            code_point.clone(),
            subject.implementation.code.as_ref(),
        )
        .map_err(|error| refused(subject, error))
    };
    let now = jiff::Timestamp::now().as_second() as u32;
    Ok(Plan {
        keys: vec![key(KeyUse::KeySigning)?, key(KeyUse::ZoneSigning)?],
        inception: now.wrapping_sub(HALF_VALIDITY),
        expiration: now.wrapping_add(HALF_VALIDITY),
        denial: Denial::Nsec,
        all_keys_sign_dnskey: false,
        serial: Serial::Keep,
        zonemd: Zonemd::Renew,
        cds: Cds::Renew,
        deterministic: false,
    })
}

/// The messages that a zone key signs in this zone, at most `most` of them, evenly spread.
pub(super) fn messages(
    source: &Source,
    subject: &Subject,
    code_point: &CodePoint,
    most: usize,
) -> Result<Vec<Vec<u8>>, StudyError> {
    let plan = plan(source, subject, code_point)?;
    let all = signer(&source.zone, &plan, subject)?.messages_of(1);
    let step = all.len().div_ceil(most).max(1);
    Ok(all.into_iter().step_by(step).collect())
}

/// Signs and validates the zone with one subject within `allowance` each, and enters what it took.
pub(super) fn run(
    bench: &mut Bench<'_>,
    book: &mut Book,
    source: &Source,
    subject: &Subject,
    code_point: &CodePoint,
    allowance: Duration,
) -> Result<(), StudyError> {
    (bench.say)(&format!("signing {} with {}", source.input.name, subject.name()));
    let plan = plan(source, subject, code_point)?;
    // One signature tells whether the whole zone is within reach.
    let messages = signer(&source.zone, &plan, subject)?.messages_of(1);
    let first: Vec<&[u8]> = messages.iter().take(1).map(Vec::as_slice).collect();
    let mut one = Cost::of(|| sign_messages(&plan, subject, &first))?.1;
    if one.wall < FIRST_CALL {
        one = Cost::of(|| sign_messages(&plan, subject, &first))?.1;
    }
    let cores = rayon::current_num_threads() as f64;
    // The key-signing key adds the one over the DNSKEY RRset.
    book.record(book.measured(
        subject,
        (Operation::Signatures.word(), ""),
        (messages.len() as f64 + 1.0, "count"),
        &source.input,
    ));
    let whole = one.wall * messages.len() as f64 / cores < allowance.as_secs_f64();

    let signed = if whole {
        let (signed, outcome) = repeat(bench, allowance, || sign_whole(source, &plan, subject))?;
        enter(book, &source.input, subject, Operation::SignZone.word(), &outcome);
        Some(signed)
    } else {
        let outcome = sign_part(source, &plan, subject, &messages, one, allowance)?;
        enter(book, &source.input, subject, Operation::SignZone.word(), &outcome);
        None
    };
    if bench.interrupted() {
        return Ok(());
    }
    (bench.say)(&format!("validating {} with {}", source.input.name, subject.name()));
    let outcome = match signed {
        Some(signed) => repeat(bench, allowance, || validate_whole(&signed, subject, code_point))?.1,
        None => validate_part(source, &plan, subject, &messages, allowance)?,
    };
    enter(book, &source.input, subject, Operation::ValidateZone.word(), &outcome);
    Ok(())
}

/// From the zone file's bytes to the signed zone in raw form, in memory.
fn sign_whole(source: &Source, plan: &Plan, subject: &Subject) -> Result<Vec<u8>, StudyError> {
    let zone = source.parse()?;
    let mut signed = Vec::new();
    signer(&zone, plan, subject)?.write(Form::Raw, &mut signed).map_err(|error| refused(subject, error))?;
    Ok(signed)
}

/// From the signed zone in raw form to the verdict.
fn validate_whole(signed: &[u8], subject: &Subject, code_point: &CodePoint) -> Result<(), StudyError> {
    let zone = fieldtest_dnssec::read(signed, Path::new("the signed zone"), None)
        .map_err(|error| refused(subject, error))?;
    let code = subject.implementation.code.as_ref();
    let resolve = |asked: &CodePoint| (asked == code_point).then_some(code as _);
    let now = Some(jiff::Timestamp::now().as_second() as u32);
    let report = verify(&zone, &Options { resolve: &resolve, now, anchors: &[] });
    if report.is_secure() { Ok(()) } else { Err(refused(subject, report)) }
}

/// Signs as many messages as fit into the allowance, and adds what handling the zone takes.
fn sign_part(
    source: &Source,
    plan: &Plan,
    subject: &Subject,
    messages: &[Vec<u8>],
    one: Cost,
    allowance: Duration,
) -> Result<Outcome, StudyError> {
    let (_, handling) = Cost::of(|| {
        let zone = source.parse()?;
        signer(&zone, plan, subject)?.for_each_message(|message| {
            std::hint::black_box(message.octets);
        });
        Ok(())
    })?;
    let sample = sample(messages, one, allowance);
    let (_, cost) = Cost::of(|| sign_messages(plan, subject, &sample))?;
    Ok(extrapolated(handling, cost, sample.len(), messages.len()))
}

/// Verifies a sample of signatures, and adds what handling the signed zone takes: about what the unsigned one does.
fn validate_part(
    source: &Source,
    plan: &Plan,
    subject: &Subject,
    messages: &[Vec<u8>],
    allowance: Duration,
) -> Result<Outcome, StudyError> {
    let (_, handling) = Cost::of(|| source.parse())?;
    // Signing is what takes long here, so a handful of signatures is verified again and again.
    let cores = rayon::current_num_threads();
    let few: Vec<&[u8]> =
        messages.iter().step_by(messages.len().div_ceil(cores)).map(Vec::as_slice).collect();
    let signatures = sign_messages(plan, subject, &few)?;
    let public = zone_key(plan, subject)?.public_key();
    let verifying = subject
        .implementation
        .code
        .verifying_key(&public)
        .map_err(|error| subject.failed("preparing a public key", error))?;
    let verify_each = |times: usize| {
        (0..times).into_par_iter().try_for_each(|at| {
            verifying
                .verify(few[at % few.len()], &signatures[at % few.len()])
                .map_err(|error| subject.failed("verifying", error))
        })
    };
    let ((), one) = Cost::of(|| verify_each(1))?;
    let within = allowance.as_secs_f64() / one.wall.max(1e-9) * cores as f64;
    let times = (within as usize).clamp(cores, messages.len());
    let ((), cost) = Cost::of(|| verify_each(times))?;
    Ok(extrapolated(handling, cost, times, messages.len()))
}

/// Messages that take about the allowance to sign on all cores, evenly spread; at least one per core.
fn sample(messages: &[Vec<u8>], one: Cost, allowance: Duration) -> Vec<&[u8]> {
    let cores = rayon::current_num_threads();
    let within = (allowance.as_secs_f64() / one.wall.max(1e-9)) as usize * cores;
    let count = within.clamp(cores, messages.len());
    messages.iter().step_by(messages.len().div_ceil(count)).map(Vec::as_slice).collect()
}

fn sign_messages(plan: &Plan, subject: &Subject, messages: &[&[u8]]) -> Result<Vec<Vec<u8>>, StudyError> {
    let signing = zone_key(plan, subject)?;
    messages
        .par_iter()
        .with_max_len(1)
        .map(|message| {
            let mut signature = Vec::new();
            signing.sign(message, &mut signature).map_err(|error| subject.failed("signing", error))?;
            Ok(signature)
        })
        .collect()
}

/// The zone-signing key of [`plan`], prepared.
fn zone_key<'p>(plan: &'p Plan, subject: &Subject) -> Result<&'p dyn SigningKey, StudyError> {
    plan.keys[1].signing().ok_or_else(|| refused(subject, "the key was made without its secret half"))
}

fn signer<'a>(zone: &'a Zone, plan: &'a Plan, subject: &Subject) -> Result<Signer<'a>, StudyError> {
    Signer::new(zone, plan).map_err(|error| refused(subject, error))
}

fn refused(subject: &Subject, error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, format!("{}: {error}", subject.name()))
}
