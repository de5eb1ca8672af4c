//! What is known of results by themselves: how each came about, what may be made of it, and which of several is least.

use fieldtest_measure::estimate::MOST_TAKEN;
use fieldtest_measure::record::Record;
use fieldtest_measure::words::{
    CORE_LOST, DISTURBED, GEOMETRIC_MEAN, PUBLISHED, UNRESTRICTED, WITH_SYSTEM_CALL,
};
use fieldtest_verdict::number::TIMES;

use crate::symbols;
use crate::table::Mark;

/// What a record is about: study, algorithm, operation and subject.
pub(crate) fn words(record: &Record) -> String {
    let what = [&record.study, &record.algorithm, &record.operation, &record.subject];
    what.into_iter().filter(|word| !word.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The implementation's name; empty where no code ran.
pub fn implementation(record: &Record) -> &str {
    record.implementation.as_ref().map_or("", |it| &it.name)
}

/// Whether a result has no error of measurement: it was looked up, computed, or counted whole.
pub(crate) fn is_exact(record: &Record) -> bool {
    record.samples == 0 || record.estimator == "exact"
}

/// Whether a result holds the way into the kernel and back, so that it is no library's.
pub fn has_system_call(record: &Record) -> bool {
    record.notes.iter().any(|note| note == WITH_SYSTEM_CALL)
}

/// Whether a result may be ranked, and divided by another: not one that was measured too few times to know how far it may be
/// off.
pub fn is_comparable(record: &Record) -> bool {
    record.interval.is_some() || !is_timed(record)
}

/// How far off a result without an interval may be, on the scale of logarithms: two of them are ordered if one is over 1.4 times
/// the other.
///
/// Seen next to four busy loops: of 610 such results of an uncontended core, all were 0.89 to 1.18 times those of an idle
/// machine, and of 329 of a contended one 0.87 to 2.28 times, of which its own [`margin`] has a factor of two. Before, they
/// were ordered by nothing, and a cipher of 140,000 cycles shared its rank with one of 800.
const ROUGH: f64 = 0.238;

/// How wide the interval of a result without one is taken to be, and of a time that others published. Not of an operation whose
/// cost varies, of a whole task, or of a thread that lost its core in every window: these were up to 31 times too high.
pub(crate) fn rough_width(record: &Record) -> Option<f64> {
    let is_of_windows =
        is_timed(record) && record.estimator == "median" && !matches!(record.unit.as_str(), "s" | "GB/s");
    let is_lost = record.notes.iter().any(|note| note == CORE_LOST);
    let is_published = record.estimator == PUBLISHED && TIMES.contains(&record.unit.as_str());
    (is_published || is_of_windows && !is_lost && record.interval.is_none()).then_some(ROUGH)
}

/// By what share a result must exceed a smaller one, intervals aside, for the order to hold: by the code layout and by what
/// another thread on the core may have cost it. The smaller one can only be smaller still.
///
/// Squared, since code that is not additions may feel a neighbour more than the rulers do, and at most twice, since two threads
/// have half of a core each. Of 936 pairs of recorded results with simulated neighbours this ordered 65 to 81%, and none
/// wrongly; a factor of four, as it was before, ordered 40%.
pub(crate) fn margin(larger: &Record, layout: f64) -> f64 {
    if !is_contended(larger) {
        return layout;
    }
    let taken = larger.contention.unwrap_or(MOST_TAKEN);
    layout.max(taken.powi(2).min(MOST_TAKEN) - 1.0)
}

/// Whether a result was measured, and not read off or predicted.
pub(crate) fn is_timed(record: &Record) -> bool {
    record.samples > 0
        && matches!(record.estimator.as_str(), "median" | "mean" | GEOMETRIC_MEAN | "extrapolated")
}

/// Whether a result is of a core that was not its own.
pub fn is_contended(record: &Record) -> bool {
    record.notes.iter().any(|note| DISTURBED.contains(&note.as_str()))
}

/// What a reader is told of a measured result at first sight, as one mark.
pub(crate) fn caution(record: &Record) -> Option<Mark> {
    cautions(record).reduce(Mark::and)
}

/// The same, each by itself: that of another machine than its table first.
pub(crate) fn cautions(record: &Record) -> impl Iterator<Item = Mark> + use<> {
    [
        (record.notes.iter().any(|note| note == UNRESTRICTED), symbols::UNRESTRICTED),
        (is_timed(record) && record.interval.is_none(), symbols::UNCERTAIN),
        (is_contended(record), symbols::CONTENDED),
    ]
    .into_iter()
    .filter_map(|(applies, mark)| applies.then_some(mark))
}

/// The code of a timed result and why it is an experiment, where it is one.
pub(crate) fn experiment_of(record: &Record) -> Option<(&str, &str)> {
    let it = record.implementation.as_ref().filter(|_| is_timed(record))?;
    Some((&it.name, it.experiment.as_deref()?))
}

/// Whether a result stands for more than was measured.
pub fn is_approximate(record: &Record) -> bool {
    matches!(record.estimator.as_str(), "estimated" | "extrapolated" | "projected")
}

/// What the fastest implementation of `algorithm` takes, a kernel's apart.
pub fn fastest<'a>(
    records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
    operation: &str,
    subject: &str,
    unit: &str,
) -> Option<&'a Record> {
    let meant = records.filter(|record| {
        record.algorithm == algorithm
            && record.operation == operation
            && record.subject == subject
            && record.unit == unit
            && !has_system_call(record)
    });
    least(meant)
}

/// The record of least value among those that can be compared, or else among those that can roughly; the first one where none can.
pub fn least<'a>(records: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    let (comparable, others): (Vec<_>, Vec<_>) = records.partition(|record| is_comparable(record));
    let smallest = |records: Vec<&'a Record>| records.into_iter().min_by(|a, b| a.value.total_cmp(&b.value));
    let rough = others.iter().copied().filter(|it| rough_width(it).is_some()).collect();
    smallest(comparable).or(smallest(rough)).or(others.first().copied())
}
