//! The study of the carrier `dnssec`: one zone, every algorithm: its keys, its signatures, the signed zone, the answers.

pub mod sizes;
mod zone_work;

use std::path::Path;

use fieldtest_catalog::Algorithm;
use fieldtest_dnssec::format::text;
use fieldtest_dnssec::sample::Sample;
use fieldtest_dnssec::{Name, Zone, ZoneBuilder};
use fieldtest_measure::record::Input;
use sha2::{Digest, Sha256};

use crate::code_points::code_points;
use crate::speed::{hex, measure_all};
use crate::{Bench, Book, StudyError, plan, selection};
use zone_work::Job;

/// Messages that single operations are timed on, drawn evenly from the zone.
const MESSAGES: usize = 512;
/// The share of the budget for single operations; the rest is for whole zones.
const OPERATIONS: f64 = 0.55;

/// Makes the study and enters its records.
pub fn run(bench: &mut Bench<'_>, book: &mut Book, part: &plan::Dnssec) -> Result<(), StudyError> {
    book.open("dnssec");
    let algorithms = selection::algorithms(&part.algorithms)?;
    let source = Source::load(part, bench.seed)?;
    for algorithm in &algorithms {
        book.candidate(algorithm.facts);
    }
    (bench.say)("sizing every answer");
    sizes::enter(book, &source.zone, &algorithms, &source.input)?;

    let implemented: Vec<&'static Algorithm> =
        algorithms.into_iter().filter(|algorithm| !algorithm.implementations.is_empty()).collect();
    if implemented.is_empty() {
        return Ok(());
    }
    let subjects = selection::prove(&implemented, &part.choice(), bench.interrupt, &mut *bench.say)?;
    let table = code_points("iana", &[]).map_err(|error| StudyError::Dnssec(error.to_string()))?;
    let job = Job { text: &source.text, origin: source.origin, zone: &source.zone, input: &source.input };

    // Messages differ between algorithms only in number and key tag, so those of the first serve all.
    let code_point = |subject: &selection::Subject| {
        let name = &subject.algorithm.facts.name;
        table.get(name).ok_or_else(|| StudyError::Dnssec(format!("{name} has no DNSSEC number")))
    };
    let messages = zone_work::messages(&job, &subjects[0], code_point(&subjects[0])?, MESSAGES)?;
    let budget = bench.budget;
    measure_all(
        bench,
        book,
        &subjects,
        &messages,
        &part.baseline,
        &source.input,
        budget.mul_f64(OPERATIONS),
    )?;

    // Each subject signs once and validates once within its share.
    let allowance = budget.mul_f64(1.0 - OPERATIONS) / (2 * subjects.len() as u32);
    for subject in &subjects {
        if bench.interrupted() {
            break;
        }
        zone_work::run(bench, book, &job, subject, code_point(subject)?, allowance)?;
    }
    Ok(())
}

/// The zone of a study, as bytes and as a zone.
struct Source {
    text: Vec<u8>,
    origin: Option<Name>,
    zone: Zone,
    input: Input,
}

impl Source {
    fn load(part: &plan::Dnssec, seed: u64) -> Result<Source, StudyError> {
        let fault = |error: &dyn std::fmt::Display| StudyError::Dnssec(error.to_string());
        let origin = part
            .origin
            .as_deref()
            .map(|origin| Name::parse(origin.as_bytes(), Some(&Name::ROOT)).map_err(|error| fault(&error)))
            .transpose()?;
        let (name, text, zone) = match &part.zone {
            Some(path) => {
                let zone = fieldtest_dnssec::load(path, origin).map_err(|error| fault(&error))?;
                let text =
                    std::fs::read(path).map_err(|source| StudyError::Read { path: path.clone(), source })?;
                let name = path
                    .file_name()
                    .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into());
                (name, text, zone)
            }
            None => {
                let sample = Sample { delegations: part.delegations, seed, ..Sample::default() };
                let mut written = Vec::new();
                sample.write_text(&mut written).map_err(|error| fault(&error))?;
                let mut builder = ZoneBuilder::new();
                let name = format!("a generated zone of {} delegations, seed {seed}", part.delegations);
                text::read(&written[..], Path::new(&name), None, &mut builder)
                    .map_err(|error| fault(&error))?;
                (name, written, builder.finish().map_err(|error| fault(&error))?)
            }
        };
        let input = Input {
            name,
            sha256: hex(&Sha256::digest(&text)),
            bytes: text.len() as u64,
            items: zone.rrset_count() as u64,
        };
        Ok(Source { text, origin, zone, input })
    }
}
