//! Ciphers that authenticate at work on the sectors of a disk: what dm-integrity stores a tag beside.

use fieldtest_catalog::aead::{self, Algorithm};
use fieldtest_catalog::kind::Aead;
use fieldtest_disk::Integrity;
use fieldtest_disk::judge::{Use, Verdict, judge};
use fieldtest_kinds::Error;
use fieldtest_kinds::aead::AeadKey;
use fieldtest_measure::{Benchmark, Estimator, Failure, Operation as Work};
use fieldtest_study::group::{Act, Order};
use fieldtest_study::timed::{self, Estimate, Timed};
use fieldtest_study::{Bench, Choice, RecordWriter, StudyError, Subject, quickest, selection};

use super::data::{self, Data, KEY_SEED};
use super::source::Task;
use super::{PAGE, enter_timing, fault};
use crate::NAME;
use crate::words::{BESIDE_A_SECTOR, Operation, Sealing, Sectors, Way};

/// Those that take part unasked; a thorough study has all.
const USUAL: [&str; 3] = ["aes-256-gcm", "aria-256-gcm", "lea-256-gcm"];
const TAG: usize = 16;
const NONCE: usize = 12;

/// Those of these names, or where no algorithm at all is named the usual ones.
pub(super) fn algorithms(
    names: &[String],
    is_unasked: bool,
    thorough: bool,
) -> Result<Vec<&'static Algorithm>, StudyError> {
    if names.is_empty() && !is_unasked {
        return Ok(Vec::new());
    }
    let mut found = selection::algorithms::<Aead>(names)?;
    found.retain(|algorithm| !names.is_empty() || thorough || USUAL.contains(&algorithm.facts.name.as_str()));
    Ok(found)
}

pub(super) fn is_one(name: &str) -> bool {
    aead::find(name).is_ok()
}

/// How dm-crypt names it, where it does, and what a sector takes beside its data.
pub(super) fn enter_specification(writer: &mut RecordWriter, algorithm: &Algorithm) {
    let (name, own) = (&algorithm.facts.name, &algorithm.facts.kind);
    if let Some(specification) = &own.dm_crypt {
        let intended = Use {
            key_bits: u32::try_from(own.key * 8).ok(),
            integrity: Some(Integrity::Aead),
            ..Use::default()
        };
        let judgement = judge(specification, &intended);
        let is_fit = f64::from(u8::from(judgement.verdict != Verdict::Refused));
        let mut record = writer.result(name, Operation::DmCrypt.word(), specification, is_fit, "flag");
        record.notes.extend(judgement.findings.into_iter().map(|finding| finding.reason));
        writer.record(record);
    }
    let bytes = (own.tag + own.nonce) as f64;
    writer.record(writer.result(name, Operation::Overhead.word(), BESIDE_A_SECTOR, bytes, "bytes"));
}

pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    (algorithms, choice): (&[&'static Algorithm], &Choice),
    (sector_sizes, task): (&[usize], &Task),
    share: f64,
) -> Result<(), StudyError> {
    let subjects = match bench.prove(algorithms, choice) {
        // The implementation that was named may be one of ciphers alone.
        Err(StudyError::Nothing) if share < 1.0 => return Ok(()),
        subjects => subjects?,
    };
    for subject in &subjects {
        enter_timing(writer, subject, &subject.algorithm.facts.kind.standing);
    }
    let timed = |sector: usize, sealing: Sealing| -> Result<Timed, StudyError> {
        let subject = Sectors { size: sector as u32, way: Way::Page }.to_string();
        let result = Estimate { operation: sealing.word(), subject, items: 1, per: "" };
        Ok(Timed::new(result, task.data(PAGE, sector)?.input, task))
    };
    let largest = sector_sizes.iter().copied().max().unwrap_or(PAGE);
    let [seal, open] = Sealing::BOTH.map(|sealing| timed(largest, sealing));
    let subjects = quickest(bench, choice, subjects, NAME, &[seal?, open?])?;
    let all = (sector_sizes.iter())
        .flat_map(|&sector| Sealing::BOTH.map(|sealing| timed(sector, sealing)))
        .collect::<Result<Vec<Timed>, StudyError>>()?;
    let budget = bench.left().mul_f64(share);
    timed::run(bench, writer, NAME, &subjects, &all, budget)?;
    Ok(())
}

/// Sets up what an order says of sealing or opening.
pub(super) fn set_up(order: &Order, sealing: Sealing, act: &mut Act<'_>) -> Result<(), StudyError> {
    let sectors = Sectors::read(&order.subject).ok_or_else(|| order.unknown())?;
    let data = order.task::<Task>()?.data(sectors.way.bytes(), sectors.size as usize)?;
    let mut benchmarks = Vec::new();
    for subject in order.subjects_of::<Aead>()? {
        benchmarks.push(Messages::new(&subject, &data, sealing)?.benchmark(&subject));
    }
    act(&mut benchmarks)
}

/// A page's sectors that are copied from one place to another and sealed there, or opened: so dm-crypt has them.
struct Messages {
    key: Box<dyn AeadKey>,
    sealing: Sealing,
    from: Page,
    to: Page,
    expected: Page,
    sector: usize,
    first: u64,
    step: u64,
}

/// Sectors with their tags.
#[derive(Clone, PartialEq, Eq)]
struct Page {
    data: Vec<u8>,
    tags: Vec<[u8; TAG]>,
}

impl Messages {
    fn new(subject: &Subject<Aead>, data: &Data, sealing: Sealing) -> Result<Messages, StudyError> {
        let failed = |error: Error| subject.failed("preparing a page", error);
        let tweaks = data.tweaks(0);
        let (first, step) = (u64::try_from(tweaks.first).map_err(fault)?, tweaks.step);
        let prepared = |implementation: &aead::Implementation| {
            let code = &implementation.code;
            code.prepare(&data::key(code.key_len(), KEY_SEED)).map_err(failed)
        };
        let plain = Page { data: data.bytes.clone(), tags: vec![[0; TAG]; data.bytes.len() / data.sector] };
        let key = prepared(subject.judge())?;
        let mut messages = Messages {
            key,
            sealing: Sealing::Seal,
            from: plain.clone(),
            to: plain.clone(),
            expected: plain.clone(),
            sector: data.sector,
            first,
            step,
        };
        messages.work().map_err(failed)?;
        let sealed = messages.to.clone();
        (messages.from, messages.expected) = match sealing {
            Sealing::Seal => (plain, sealed),
            Sealing::Open => (sealed.clone(), Page { data: plain.data, tags: sealed.tags }),
        };
        messages.sealing = sealing;
        messages.key = prepared(subject.implementation)?;
        Ok(messages)
    }

    fn benchmark<'a>(self, subject: &Subject<Aead>) -> Benchmark<'a> {
        Benchmark::new(subject.name(), Estimator::Median, self)
    }

    /// dm-crypt authenticates a sector's number and its nonce with it.
    fn work(&mut self) -> Result<(), Error> {
        self.to.data.copy_from_slice(&self.from.data);
        self.to.tags.copy_from_slice(&self.from.tags);
        let messages = self.to.data.chunks_exact_mut(self.sector).zip(&mut self.to.tags);
        for (number, (message, tag)) in (0..).zip(messages) {
            let number = (self.first + number * self.step).to_le_bytes();
            let mut associated = [0; 8 + NONCE];
            associated[..8].copy_from_slice(&number);
            associated[8..16].copy_from_slice(&number);
            let nonce = &associated[8..];
            match self.sealing {
                Sealing::Seal => self.key.seal(nonce, &associated, message, tag)?,
                Sealing::Open => self.key.open(nonce, &associated, message, tag)?,
            }
        }
        Ok(())
    }
}

impl Work for Messages {
    type Input = ();
    type Output = Result<(), Error>;

    fn prepare(&mut self, _: u64) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&mut self, (): &mut ()) -> Self::Output {
        self.work()
    }

    fn check(&mut self, (): (), output: Self::Output) -> Result<(), Failure> {
        output?;
        match self.to == self.expected {
            true => Ok(()),
            false => Err("other sectors or tags than the algorithm's first implementation makes".into()),
        }
    }
}
