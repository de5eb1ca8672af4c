//! The figures at the top on IMA: what is no dearer than today's signatures, what is refused, what the kernel verifies
//! fastest.

use fieldtest_measure::record::Record;
use fieldtest_report::Report;
use fieldtest_report::fact::{Fact, is_lasting};
use fieldtest_report::number::{NARROW_SPACE, Scale, factor, full, grouped};

use super::tables::{FILE_SYSTEMS, Storage, appraisal, storage};
use crate::NAME;
use crate::words::FileSystem;

/// How many names one fact holds; of more it tells the count.
const NAMES: usize = 3;

/// The facts; none where no record is about storage.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    let pool = pool(report);
    let storage =
        [FileSystem::Ext4, FileSystem::Xfs].into_iter().filter_map(|system| cheapest(report, &pool, system));
    let mut facts: Vec<Fact> = storage.collect();
    facts.extend(refused(report, &pool));
    facts.extend(fastest_in_kernel(report, &pool));
    facts
}

/// Which algorithms the facts on storage are about, where those are not all.
pub(super) fn scope(report: &Report) -> Option<&'static str> {
    is_verified_by_any(report)
        .then_some("What is said of IMA's storage is of those that a kernel is known to verify.")
}

fn records(report: &Report) -> impl Iterator<Item = &Record> + Clone {
    report.records().iter().filter(|record| record.study == NAME)
}

fn is_verified_by_any(report: &Report) -> bool {
    report.measured().into_iter().any(|it| is_lasting(report, it) && appraisal(records(report), it).is_some())
}

/// The algorithms that may lead: those that a kernel is known to verify, or all where none is.
fn pool(report: &Report) -> Vec<&str> {
    let known = is_verified_by_any(report);
    let may = |algorithm: &&str| {
        is_lasting(report, algorithm) && (!known || appraisal(records(report), algorithm).is_some())
    };
    report.measured().into_iter().filter(may).collect()
}

/// The titles, or how many of how many, with the titles as what to add.
fn named(report: &Report, found: &[&str], of: usize) -> (String, Option<String>) {
    let titles = found.iter().map(|algorithm| report.title(algorithm)).collect::<Vec<_>>().join(", ");
    if found.len() <= NAMES { (titles, None) } else { (format!("{} of {of}", found.len()), Some(titles)) }
}

fn written(bytes: f64) -> String {
    match bytes {
        0.0 => "nothing".to_owned(),
        _ => format!("{} bytes", grouped(&full(bytes), NARROW_SPACE)),
    }
}

/// What takes no more on `system` than the baseline does, or else what takes least.
fn cheapest(report: &Report, pool: &[&str], system: FileSystem) -> Option<Fact> {
    let taken = |algorithm: &str| match storage(records(report), algorithm, system.word())? {
        Storage::Takes(record) => Some(record.value),
        Storage::Refused(_) => None,
    };
    let known: Vec<(&str, f64)> = pool.iter().filter_map(|it| Some((*it, taken(it)?))).collect();
    let least = known.iter().map(|(_, bytes)| *bytes).reduce(f64::min)?;
    let base = report.baseline().and_then(|name| Some((report.title(name), taken(name)?)));
    let within = |most: f64| {
        known.iter().filter(|(_, bytes)| *bytes <= most).map(|(algorithm, _)| *algorithm).collect::<Vec<_>>()
    };
    let (label, found, mut detail) = match base {
        Some((title, base)) if least <= base => {
            (format!("No dearer than {title} on {system}"), within(base), format!("{} a file", written(base)))
        }
        Some((title, base)) => (
            format!("Least storage on {system}"),
            within(least),
            format!("{} a file, {title} takes {}", written(least), written(base)),
        ),
        None => (format!("Least storage on {system}"), within(least), format!("{} a file", written(least))),
    };
    let (value, names) = named(report, &found, pool.len());
    detail.extend(names.map(|names| format!(": {names}")));
    Some(Fact { label, value, detail })
}

/// What file systems refuse as they are made by default.
fn refused(report: &Report, pool: &[&str]) -> Option<Fact> {
    let by = |algorithm: &str| -> Vec<FileSystem> {
        let refuses = |system: &FileSystem| {
            *system != FileSystem::Here
                && matches!(storage(records(report), algorithm, system.word()), Some(Storage::Refused(_)))
        };
        FILE_SYSTEMS.into_iter().filter(refuses).collect()
    };
    let found: Vec<&str> = pool.iter().copied().filter(|algorithm| !by(algorithm).is_empty()).collect();
    if found.is_empty() {
        return None;
    }
    let systems = FILE_SYSTEMS.into_iter().filter(|it| found.iter().any(|of| by(of).contains(it)));
    let systems: Vec<&str> = systems.map(FileSystem::word).collect();
    let (value, names) = named(report, &found, pool.len());
    let mut detail = format!("by {} as made by default", systems.join(", "));
    detail.extend(names.map(|names| format!(": {names}")));
    Some(Fact { label: "Refused for length".to_owned(), value, detail })
}

/// What a kernel verifies fastest, by published figures.
fn fastest_in_kernel(report: &Report, pool: &[&str]) -> Option<Fact> {
    let known = pool.iter().filter_map(|algorithm| appraisal(records(report), algorithm));
    let best = known.min_by(|a, b| a.value.total_cmp(&b.value))?;
    let scale = Scale::fitting(&best.unit, [best.value]);
    let mut detail = format!("{} {}", scale.write(best.value, NARROW_SPACE), scale.label());
    let base = report.baseline().and_then(|name| appraisal(records(report), name)).filter(|base| {
        base.algorithm != best.algorithm && base.unit == best.unit && base.subject == best.subject
    });
    if let Some(base) = base {
        let ratio = factor(best.value / base.value, NARROW_SPACE);
        detail.push_str(&format!(", ×{ratio} of {}", report.title(&base.algorithm)));
    }
    detail.push_str("; published, of another machine");
    Some(Fact {
        label: format!("Fastest to verify in {}", best.subject),
        value: report.title(&best.algorithm).to_owned(),
        detail,
    })
}
