//! The study of the carrier `disk`: what every cipher costs per sector, what it hides, how fast it goes with all cores
//! and through a real container, what unlocking takes, and where the cipher is available; on random data or on a disk.

mod authenticated;
mod container_work;
mod data;
mod diffusion;
mod part;
mod reading;
mod reencryption;
mod sectors;
mod source;
mod throughput;
mod unlocking;

use data::Data;
use fieldtest_catalog::aead;
use fieldtest_catalog::cipher::{Algorithm, Standing, availability as on_host};
use fieldtest_catalog::kind::{Cipher, Kind};
use fieldtest_disk::format::Parameters;
use fieldtest_disk::judge::{Use, Verdict, judge};
use fieldtest_measure::record::Record;
use fieldtest_study::group::Stage as _;
use fieldtest_study::part::within;
use fieldtest_study::timed::{self, Estimate, Timed};
use fieldtest_study::{
    Bench, Choice, RecordWriter, StudyError, Subject, availability, fastest, quickest, selection,
};
pub use part::DiskPart;
pub(crate) use sectors::SectorStage;
use source::Task;
use source::{Disk, Luks};

use crate::NAME;
use crate::words::{self, BESIDE, Direction, Operation, Way};

/// What results of sectors are for: a page of memory, one sector of 4096 bytes or eight of 512.
pub(crate) const PAGE: usize = 4096;
/// Bytes of the longer run of sectors: they fit in a core's own caches, and a container is worked on in such runs.
const BULK: usize = 256 << 10;

const SECTOR_SIZES: [usize; 4] = [512, 1024, 2048, 4096];
/// Mebibytes of the sample at most: it is held in memory twice, and lies on the disk twice.
const LARGEST_SAMPLE: u32 = 4096;

/// Mebibytes of it that throughput is measured on: more than the caches of a core hold.
const OF_THROUGHPUT: u32 = 8;

/// The shares of the budget; what is left is for unlocking.
const SECTORS: f64 = 0.5;
const THROUGHPUT: f64 = 0.15;
const CONTAINERS: f64 = 0.25;
/// The share that ciphers that authenticate take before.
const AUTHENTICATED: f64 = 0.1;
/// The shares that a disk takes before.
const READING: f64 = 0.05;
const REENCRYPTION: f64 = 0.15;
/// The share that its key derivations get besides.
const OWN_UNLOCKING: f64 = 0.1;

/// Finds out what is wrong with the plan before anything is measured.
pub(crate) fn check(part: &DiskPart) -> Result<(), StudyError> {
    algorithms(part, false)?;
    if let Some(size) = part.sector_sizes.iter().find(|size| !SECTOR_SIZES.contains(size)) {
        return Err(fault(format!("invalid sector-sizes '{size}': expected 512, 1024, 2048 or 4096 bytes")));
    }
    let mut sizes = part.sector_sizes.clone();
    sizes.sort_unstable();
    if let Some(twice) = sizes.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(fault(format!("the sector size {} is given twice; give it once", twice[0])));
    }
    if part.sector_sizes.is_empty() {
        return Err(fault("no sector-sizes given; give 512, 1024, 2048 or 4096"));
    }
    within(NAME, "mebibytes", part.mebibytes, 1..=LARGEST_SAMPLE)
}

/// What a study measures of both kinds.
type Algorithms = (Vec<&'static Algorithm>, Vec<&'static aead::Algorithm>);

/// The ciphers and the ciphers that authenticate: those that are named, or where none is all of the former.
fn algorithms(part: &DiskPart, thorough: bool) -> Result<Algorithms, StudyError> {
    let (aeads, ciphers): (Vec<String>, Vec<String>) =
        part.algorithms.iter().cloned().partition(|name| authenticated::is_one(name));
    let aeads = authenticated::algorithms(&aeads, part.algorithms.is_empty(), thorough)?;
    match ciphers.is_empty() && !part.algorithms.is_empty() {
        true => Ok((Vec::new(), aeads)),
        false => Ok((selection::algorithms::<Cipher>(&ciphers)?, aeads)),
    }
}

/// Makes the study and enters its records. Containers are made in a temporary directory.
pub(crate) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    part: &DiskPart,
) -> Result<(), StudyError> {
    check(part)?;
    writer.open(NAME);
    let (algorithms, aeads) = algorithms(part, bench.thorough)?;
    let disk = part.disk.as_deref().map(Disk::open).transpose()?;
    let luks = disk.as_ref().and_then(|disk| disk.luks.as_ref());
    (bench.say)("listing this host's ciphers");
    let host = on_host::on_host();
    for &algorithm in &algorithms {
        writer.candidate(algorithm.facts);
        enter_specification(writer, algorithm)?;
        let stated = &algorithm.facts.kind.standing.availability;
        let found = host.iter().map(|it| (it.place, it.version.as_str(), it.ciphers.as_slice()));
        availability::enter(writer, algorithm.facts, Cipher::WORD, Some(stated), found);
        writer.publish(&algorithm.facts.name, include_str!("published.txt"));
    }
    for algorithm in &aeads {
        writer.candidate(algorithm.facts);
        authenticated::enter_specification(writer, algorithm);
        let stated = &algorithm.facts.kind.standing.availability;
        // The host is asked for ciphers alone.
        availability::enter(writer, algorithm.facts, Cipher::WORD, Some(stated), []);
    }
    if let Some(luks) = luks {
        enter_in_use(writer, luks);
    }
    if bench.exact {
        return Ok(());
    }
    let choice = Choice::in_study(&part.implementations, bench.thorough);
    // All sizes are allowed by the check, and there is at least one.
    let sector_sizes = match luks {
        Some(luks) if !luks.sector_sizes.is_empty() => &luks.sector_sizes,
        _ => &part.sector_sizes,
    };
    let largest = sector_sizes.iter().copied().max().unwrap_or(PAGE);
    let before = disk.as_ref().and_then(|disk| reading::cached(disk, 0, disk.size));
    let task = Task { seed: bench.seed, place: disk.as_ref().map(|disk| disk.place(BULK)) };
    if !aeads.is_empty() {
        let share = if algorithms.is_empty() { 1.0 } else { AUTHENTICATED };
        authenticated::run(bench, writer, (&aeads, &choice), (sector_sizes, &task), share)?;
    }
    if algorithms.is_empty() {
        return Ok(());
    }
    let subjects = bench.prove(&algorithms, &choice)?;
    for subject in &subjects {
        enter_timing(writer, subject, &subject.algorithm.facts.kind.standing);
    }
    let timed = |sector, way, direction| timed(sector, way, direction, &task);
    let [encrypt, decrypt] = Direction::BOTH.map(|direction| timed(largest, Way::Page, direction));
    let subjects = quickest(bench, &choice, subjects, SectorStage.name(), &[encrypt?, decrypt?])?;
    // What is measured of a disk besides leaves the others less.
    let budget = bench.left();
    let of_disk = |share: f64| budget.mul_f64(if disk.is_some() { share } else { 0.0 });
    let budget = budget - of_disk(READING + REENCRYPTION + OWN_UNLOCKING);
    let ways: &[Way] = if bench.thorough { &Way::ALL } else { &[Way::Page] };
    let of_sectors = (sector_sizes.iter())
        .flat_map(|&sector| ways.iter().map(move |&way| (sector, way)))
        .flat_map(|(sector, way)| Direction::BOTH.map(|direction| timed(sector, way, direction)))
        .collect::<Result<Vec<Timed>, StudyError>>()?;
    timed::run(bench, writer, SectorStage.name(), &subjects, &of_sectors, budget.mul_f64(SECTORS))?;
    let of_largest = |record: &Record| {
        let sectors = words::Sectors::read(&record.subject);
        Direction::BOTH.iter().any(|it| record.operation == it.operation())
            && sectors.is_some_and(|it| it.size as usize == largest)
    };
    let fastest = fastest(writer, &subjects, &of_largest);
    for subject in &fastest {
        diffusion::enter(writer, subject, bench.seed)?;
    }
    let length = (part.mebibytes as usize) << 20;
    let sample = match &disk {
        Some(disk) => disk.sample(length, largest)?,
        None => Data::random(length, largest, bench.seed),
    };
    let of_throughput = match &disk {
        Some(_) => sample.first((OF_THROUGHPUT as usize) << 20),
        None => Data::random(length.min((OF_THROUGHPUT as usize) << 20), largest, bench.seed),
    };
    if let Some(disk) = &disk {
        let algorithm = match luks.and_then(|luks| luks.algorithm) {
            Some(in_use) => in_use,
            None => unlocking::of_slots()?,
        };
        let of = (algorithm.facts.name.as_str(), &sample.input, before);
        reading::run(bench, writer, disk, of, of_disk(READING))?;
        reencryption::run(bench, writer, (disk, &sample), &fastest, of_disk(REENCRYPTION))?;
    }
    throughput::run(bench, writer, &of_throughput, &fastest, budget.mul_f64(THROUGHPUT))?;
    container_work::run(bench, writer, &sample, &fastest, budget.mul_f64(CONTAINERS))?;
    let of_unlocking = budget.mul_f64(1.0 - SECTORS - THROUGHPUT - CONTAINERS);
    unlocking::run(bench, writer, disk.as_ref(), of_unlocking + of_disk(OWN_UNLOCKING))
}

/// Cycles per page for sectors of this size, in one way and direction.
fn timed(sector: usize, way: Way, direction: Direction, task: &Task) -> Result<Timed, StudyError> {
    let subject = words::Sectors { size: sector as u32, way }.to_string();
    let result = Estimate { operation: direction.word(), subject, items: way.bytes() / PAGE, per: "" };
    Ok(Timed::new(result, task.data(way.bytes(), sector)?.input, task))
}

/// Which cipher the data of the disk is under, where the catalog has it.
fn enter_in_use(writer: &mut RecordWriter, luks: &Luks) {
    let Some(algorithm) = luks.algorithm else { return };
    let mut record = writer.result(&algorithm.facts.name, Operation::InUse.word(), &luks.spec, 1.0, "flag");
    let sizes: Vec<String> = luks.sector_sizes.iter().map(usize::to_string).collect();
    let sizes = sizes.join(", ");
    record.notes.push(format!("a key of {} bits, sectors of {sizes} bytes", luks.key_len * 8));
    writer.record(record);
}

/// How dm-crypt and LUKS2 name the cipher, whether that protects a disk, and what a container takes beside the data.
fn enter_specification(writer: &mut RecordWriter, algorithm: &Algorithm) -> Result<(), StudyError> {
    let (name, own) = (&algorithm.facts.name, &algorithm.facts.kind);
    let judgement =
        judge(&own.dm_crypt, &Use { key_bits: u32::try_from(own.key * 8).ok(), ..Use::default() });
    let is_fit = own.for_disks && judgement.verdict != Verdict::Refused;
    let mut record =
        writer.result(name, Operation::DmCrypt.word(), &own.dm_crypt, f64::from(u8::from(is_fit)), "flag");
    record.notes.extend(judgement.findings.into_iter().map(|finding| finding.reason));
    writer.record(record);
    if is_fit {
        let parameters = Parameters::new(own.dm_crypt.parse().map_err(fault)?, own.key);
        let bytes = parameters.data_offset() as f64;
        writer.record(writer.result(name, Operation::Overhead.word(), BESIDE, bytes, "bytes"));
    }
    Ok(())
}

/// Whether an implementation's time is independent of key and data, as far as it is known.
fn enter_timing<K: Kind>(writer: &mut RecordWriter, subject: &Subject<K>, standing: &Standing) {
    let Some(timing) = standing.timing.get(subject.implementation.name) else { return };
    let mut record = writer.result(
        &subject.algorithm.facts.name,
        Operation::ConstantTime.word(),
        "",
        f64::from(u8::from(timing.is_constant_here())),
        "flag",
    );
    record.implementation = Some(subject.implementation_record());
    record.notes.push(timing.to_string());
    writer.record(record);
}

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
