//! The study of the carrier `disk`: what every cipher costs per sector, what it hides, how fast it goes with all cores
//! and through a real container, what unlocking takes, and where the cipher is available.

mod container_work;
mod data;
mod diffusion;
mod part;
mod published;
mod sectors;
mod throughput;
mod unlocking;

use std::collections::BTreeSet;

use data::Data;
use fieldtest_catalog::cipher::{Algorithm, CipherFacts, availability as on_host};
use fieldtest_catalog::kind::Cipher;
use fieldtest_disk::format::Parameters;
use fieldtest_disk::judge::{Use, Verdict, judge};
use fieldtest_measure::record::{Line, Record};
use fieldtest_study::contest::Stage as _;
use fieldtest_study::timed::{self, Figure, Timed};
use fieldtest_study::{Bench, Book, Choice, StudyError, Subject, availability, quickest, selection};
pub use part::DiskPart;
pub(crate) use sectors::SectorStage;

use crate::NAME;
use crate::words::{self, BESIDE, Direction, Operation, Way};

/// What figures of sectors are for: a page of memory, one sector of 4096 bytes or eight of 512.
const PAGE: usize = 4096;
/// Bytes of the longer run of sectors: they fit in a core's own caches, and a container is worked on in such runs.
const BULK: usize = 256 << 10;

/// The sizes of sectors that LUKS2 has.
const SECTOR_SIZES: [usize; 4] = [512, 1024, 2048, 4096];
/// Mebibytes of the sample at most: it is held in memory twice, and lies on the disk twice.
const LARGEST_SAMPLE: u32 = 4096;

/// Mebibytes of it that throughput is measured on: more than the caches of a core hold.
const OF_THROUGHPUT: u32 = 8;

/// The shares of the budget; what is left is for unlocking.
const SECTORS: f64 = 0.5;
const THROUGHPUT: f64 = 0.15;
const CONTAINERS: f64 = 0.25;

/// Finds out what is wrong with the plan before anything is measured.
///
/// # Errors
/// Unknown algorithms, and sectors or samples that cannot be.
pub(crate) fn check(part: &DiskPart) -> Result<(), StudyError> {
    selection::algorithms::<Cipher>(&part.algorithms)?;
    if let Some(size) = part.sector_sizes.iter().find(|size| !SECTOR_SIZES.contains(size)) {
        return Err(fault(format!("sectors of {size} bytes are not possible; 512, 1024, 2048 and 4096 are")));
    }
    if part.sector_sizes.is_empty() {
        return Err(fault("there is no sector size; name 512, 1024, 2048 or 4096"));
    }
    if !(1..=LARGEST_SAMPLE).contains(&part.mebibytes) {
        return Err(fault(format!(
            "a container of {} mebibytes is not possible; from 1 to {LARGEST_SAMPLE} are",
            part.mebibytes
        )));
    }
    Ok(())
}

/// Makes the study and enters its records. Containers are made in a temporary directory.
///
/// # Errors
/// Those of [`check`], and what an implementation or the carrier refuses.
pub(crate) fn run(bench: &mut Bench<'_>, book: &mut Book, part: &DiskPart) -> Result<(), StudyError> {
    check(part)?;
    book.open(NAME);
    let algorithms: Vec<&'static Algorithm> = selection::algorithms::<Cipher>(&part.algorithms)?;
    (bench.say)("asking this host for ciphers");
    let host = on_host::on_host();
    for &algorithm in &algorithms {
        book.candidate(algorithm.facts);
        enter_specification(book, algorithm)?;
        let known = CipherFacts::ASKED.map(|place| (place, algorithm.facts.kind.available_in(place)));
        let found = host.iter().map(|it| (it.place, it.version.as_str(), it.ciphers.as_slice()));
        availability::enter(book, algorithm.facts, known, found);
        published::enter(book, algorithm.facts);
    }
    if bench.exact {
        return Ok(());
    }
    let choice = Choice::in_study(&part.implementations, bench.thorough);
    let subjects = selection::prove(&algorithms, &choice, bench.interrupt, &mut *bench.say)?;
    for subject in &subjects {
        enter_timing(book, subject);
    }

    // All sizes are allowed by the check, and there is at least one.
    let largest = part.sector_sizes.iter().copied().max().unwrap_or(PAGE);
    let page = timed(largest, Way::Page, Direction::Encrypt, bench.seed);
    let subjects = quickest(bench, &choice, subjects, SectorStage.name(), &[&page])?;
    let budget = bench.left();
    let ways: &[Way] = if bench.thorough { &Way::ALL } else { &[Way::Page] };
    let of_sectors: Vec<Timed> = (part.sector_sizes.iter())
        .flat_map(|&sector| ways.iter().map(move |&way| (sector, way)))
        .flat_map(|(sector, way)| Direction::BOTH.map(|direction| timed(sector, way, direction, bench.seed)))
        .collect();
    timed::run(bench, book, SectorStage.name(), &subjects, &of_sectors, budget.mul_f64(SECTORS))?;
    let fastest = fastest(book, &subjects, largest);
    for subject in &fastest {
        diffusion::enter(book, subject, bench.seed)?;
    }
    let of = |mebibytes: u32| Data::random((mebibytes as usize) << 20, largest, bench.seed);
    let (sample, of_throughput) = (of(part.mebibytes), of(part.mebibytes.min(OF_THROUGHPUT)));
    throughput::run(bench, book, &of_throughput, &fastest, budget.mul_f64(THROUGHPUT))?;
    container_work::run(bench, book, &sample, &fastest, budget.mul_f64(CONTAINERS))?;
    unlocking::run(bench, book, budget.mul_f64(1.0 - SECTORS - THROUGHPUT - CONTAINERS))
}

/// Cycles per page for sectors of this size, in one way and direction.
fn timed(sector: usize, way: Way, direction: Direction, seed: u64) -> Timed {
    let subject = words::Sectors { size: sector as u32, way }.to_string();
    let figure = Figure { operation: direction.word(), subject, items: way.bytes() / PAGE, per: "" };
    Timed::new(figure, Data::random(way.bytes(), sector, seed).input, &seed)
}

/// How dm-crypt and LUKS2 name the cipher, whether that protects a disk, and what a container takes beside the data.
fn enter_specification(book: &mut Book, algorithm: &Algorithm) -> Result<(), StudyError> {
    let (name, own) = (&algorithm.facts.name, &algorithm.facts.kind);
    let judgement =
        judge(&own.dm_crypt, &Use { key_bits: u32::try_from(own.key * 8).ok(), ..Use::default() });
    let is_fit = own.for_disks && judgement.verdict != Verdict::Refused;
    let mut record =
        book.figure(name, Operation::DmCrypt.word(), &own.dm_crypt, f64::from(u8::from(is_fit)), "flag");
    record.notes.extend(judgement.findings.into_iter().map(|finding| finding.reason));
    book.record(record);
    if is_fit {
        let parameters = Parameters::new(own.dm_crypt.parse().map_err(fault)?, own.key);
        let bytes = parameters.data_offset() as f64;
        book.record(book.figure(name, Operation::Overhead.word(), BESIDE, bytes, "bytes"));
    }
    Ok(())
}

/// Whether an implementation's time is independent of key and data, as far as it is known.
fn enter_timing(book: &mut Book, subject: &Subject<Cipher>) {
    let (facts, name) = (subject.algorithm.facts, subject.implementation.name);
    let Some(words) = facts.kind.timing_of(name) else { return };
    let is_constant = words.starts_with("constant-time");
    let mut record = book.figure(
        &facts.name,
        Operation::ConstantTime.word(),
        "",
        f64::from(u8::from(is_constant)),
        "flag",
    );
    record.implementation = Some(subject.implementation_record());
    record.notes.push(words.to_owned());
    book.record(record);
}

/// The implementation of each algorithm that took least to encrypt and decrypt the largest sectors in all ways; the first
/// where nothing was measured. In the catalog's order.
fn fastest<'s>(book: &Book, subjects: &'s [Subject<Cipher>], sector: usize) -> Vec<&'s Subject<Cipher>> {
    let cost = |of: &Subject<Cipher>| -> f64 {
        let own = |record: &Record| {
            let sectors = words::Sectors::read(&record.subject);
            let operations = Direction::BOTH.map(Direction::operation);
            (record.study == book.study() && operations.iter().any(|it| record.operation == *it))
                && sectors.is_some_and(|it| it.size as usize == sector)
                && record.algorithm == of.algorithm.facts.name
                && record.implementation.as_ref().is_some_and(|it| it.name == of.implementation.name)
        };
        let values = book.lines().iter().filter_map(|line| match line {
            Line::Record(record) if own(record) => Some(record.value),
            _ => None,
        });
        values.reduce(|all, one| all + one).unwrap_or(f64::INFINITY)
    };
    let mut seen = BTreeSet::new();
    let names = subjects.iter().map(|subject| subject.algorithm.facts.name.as_str());
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let of = |name: &&str| {
        let own = subjects
            .iter()
            .filter(|it| it.algorithm.facts.name == *name && !it.implementation.with_system_call());
        own.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    };
    names.iter().filter_map(of).collect()
}

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
