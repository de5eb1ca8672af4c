//! The study of the carrier `dnssec`: one zone, every algorithm: its keys, its signatures, the signed zone, the answers.

pub(crate) mod downgrade;
pub(crate) mod keytrap;
mod part;
pub(crate) mod rekey;
pub(crate) mod resolver;
mod server_signer;
pub(crate) mod sizes;
mod zone_part;
mod zone_work;

use std::path::PathBuf;

use fieldtest_catalog::kind::{Kind as _, Signature};
use fieldtest_catalog::signature::Algorithm;
use fieldtest_dnssec::sample::Sample;
use fieldtest_dnssec::{Name, ReadError, Zone};
use fieldtest_measure::record::Input;
use fieldtest_study::operations::Operation;
use fieldtest_study::speed::{input, measure_operations};
use fieldtest_study::{
    About, Bench, Choice, RecordWriter, StudyError, availability, quickest_signers, selection,
};
pub use part::DnssecPart;
use server_signer::ServerSigner;

use crate::NAME;
use crate::algorithms::{code_points, stand_in};

/// What all studies of servers are: none is a table of a study file.
const OF_SERVERS: About = About::of(NAME, &[Signature::WORD]);
/// Messages that single operations are timed on, drawn evenly from the zone.
const MESSAGES: usize = 512;
/// The share of the budget for single operations; the rest is for whole zones.
const OPERATIONS: f64 = 0.55;
/// The share for the server's own signer, where there is one, of what is for whole zones elsewhere.
const SIGNER: f64 = 0.2;

pub(crate) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    part: &DnssecPart,
) -> Result<(), StudyError> {
    writer.open(NAME);
    let signer = part.signer.as_deref().map(ServerSigner::find).transpose()?;
    let algorithms: Vec<&'static Algorithm> = selection::of_study(&part.algorithms)?;
    let source = Source::load(part, bench.seed)?;
    for algorithm in &algorithms {
        writer.candidate(algorithm.facts);
        let stated = algorithm.facts.kind.dnssec.as_ref().map(|dnssec| &dnssec.implemented_by);
        availability::enter(writer, algorithm.facts, NAME, stated, []);
    }
    (bench.say)("sizing every answer");
    sizes::enter(writer, &source.zone, &algorithms, &source.input)?;

    if bench.exact {
        return Ok(());
    }
    let implemented: Vec<&'static Algorithm> =
        algorithms.into_iter().filter(|algorithm| !algorithm.implementations.is_empty()).collect();
    if implemented.is_empty() {
        return Ok(());
    }
    let choice = Choice::in_study(&part.implementations, bench.thorough);
    let subjects = bench.prove(&implemented, &choice)?;
    let mut table = code_points("iana", &[]).map_err(fault)?;
    stand_in(&mut table, &implemented);

    // Messages differ between algorithms only in number and key tag, so those of the first serve all.
    let code_point = |subject: &selection::Subject| {
        let name = &subject.algorithm.facts.name;
        table.get(name).ok_or_else(|| StudyError::of(NAME, format!("{name} has no DNSSEC number")))
    };
    let messages = zone_work::messages(&source, &subjects[0], code_point(&subjects[0])?, MESSAGES)?;
    let operations = Operation::timed(bench.thorough);
    let deciding = (messages[0].as_slice(), operations);
    let subjects = quickest_signers(bench, &choice, subjects, deciding, &|_| false)?;
    let budget = bench.left();
    let for_operations = budget.mul_f64(OPERATIONS);
    measure_operations(
        bench,
        writer,
        &subjects,
        &messages,
        &part.baseline,
        &source.input,
        (operations, for_operations),
    )?;

    let for_signer = if signer.is_some() { SIGNER } else { 0.0 };
    let for_zones = budget.mul_f64(1.0 - OPERATIONS - for_signer);
    zone_work::run(bench, writer, &source, &subjects, &code_point, for_zones)?;
    match signer {
        Some(signer) if !bench.interrupted() => {
            let budget = budget.mul_f64(SIGNER);
            signer.run(bench, writer, &source, &subjects, &code_point, budget)
        }
        _ => Ok(()),
    }
}

struct Source {
    text: Vec<u8>,
    /// Where the bytes are from: what `$INCLUDE` starts from, and what errors name.
    path: PathBuf,
    /// What relative names are completed with.
    origin: Option<Name>,
    zone: Zone,
    input: Input,
}

/// The most bytes of a zone file here, where it is in memory as text and as records. Larger ones are signed by `dnssec sign`.
const LARGEST: u64 = 1 << 30;

impl Source {
    fn load(part: &DnssecPart, seed: u64) -> Result<Source, StudyError> {
        let origin =
            part.origin.as_deref().map(|origin| origin.parse::<Name>().map_err(fault)).transpose()?;
        let (name, path, text) = match &part.zone {
            Some(path) if path.as_os_str().is_empty() => {
                return Err(fault(
                    "cannot read the zone '': its name is empty; give a file, or leave it out",
                ));
            }
            Some(path) => {
                let text = fieldtest_frame::input::read(path, LARGEST)
                    .map_err(|source| ReadError::Io { path: path.clone(), source })
                    .map_err(fault)?;
                let name = path
                    .file_name()
                    .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into());
                (name, path.clone(), text)
            }
            None => {
                let sample = Sample { delegations: part.delegations, seed, ..Sample::default() };
                let mut text = Vec::new();
                sample.write_text(&mut text).map_err(fault)?;
                let name = format!("a generated zone of {} delegations, seed {seed}", part.delegations);
                (name.clone(), PathBuf::from(name), text)
            }
        };
        let zone = fieldtest_dnssec::read(&text[..], &path, origin).map_err(fault)?;
        let input = input(name, &text, zone.rrset_count());
        Ok(Source { text, path, origin, zone, input })
    }

    /// The zone once more, from its bytes.
    fn parse(&self) -> Result<Zone, StudyError> {
        fieldtest_dnssec::read(&self.text[..], &self.path, self.origin).map_err(fault)
    }
}

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
