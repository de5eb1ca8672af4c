//! What no run can have written: refused before anything is said of it.

use fieldtest_measure::record::{Record, Run, SCHEMA};
use fieldtest_measure::words::GEOMETRIC_MEAN;

use crate::Error;
use crate::number::TIMES;
use crate::result::words;

const FEWEST_ROUNDS: u64 = 3;

/// How a result comes from samples alone.
const OF_SAMPLES: [&str; 4] = ["mean", GEOMETRIC_MEAN, "median", "minimum"];

/// What a fact counts, on which verdicts rest.
const COUNTED: [&str; 5] = ["bytes", "count", "share", "flag", "bits"];

/// Whether it was counted and not measured, so that there can be one result of it only.
pub(crate) fn is_fact(record: &Record) -> bool {
    record.samples == 0 && COUNTED.contains(&record.unit.as_str())
}

/// Refuses runs of another format, and of another machine than the `first`.
pub(crate) fn check_run(run: Run, first: Option<&Run>) -> Result<Run, Error> {
    let major = |schema: &str| schema.split('.').take(2).collect::<Vec<_>>().join(".");
    if major(&run.schema) != major(SCHEMA) {
        return Err(Error::Schema { found: run.schema, known: SCHEMA });
    }
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    if let Some(it) = run.calibration.as_ref()
        && !((0.05..=1000.0).contains(&it.widening) && is_share(it.layout))
    {
        return Err(Error::Run { started: run.started, fault: "its calibration is invalid" });
    }
    match first {
        Some(first) if first.host.id != run.host.id => {
            let [first, second] = [first, &run].map(|it| format!("{} ({})", it.host.id, it.host.processor()));
            Err(Error::TwoMachines { first, second })
        }
        _ => Ok(run),
    }
}

/// Refuses results that are none; `number` is the record's in the file. What was counted is less than nothing only where
/// its study says that it `may_shrink`.
pub(crate) fn check_record(record: Record, number: usize, may_shrink: bool) -> Result<Record, Error> {
    let is_measured = record.samples > 0;
    let is_time = is_measured && TIMES.contains(&record.unit.as_str());
    let fault = if !record.value.is_finite() {
        "its value is not a finite number"
    } else if record.numbers().any(|result| !result.is_finite()) {
        "a bound of its interval is not a finite number"
    } else if is_measured
        && record.numbers().any(|result| result != 0.0 && !(1e-100..1e100).contains(&result.abs()))
    {
        "its value is out of range"
    } else if record.interval.is_some_and(|[low, high]| low > high) {
        "the lower bound of its interval is above the upper"
    } else if record.interval.is_some_and(|[low, high]| !(low..=high).contains(&record.value)) {
        "its value is outside its interval"
    } else if is_measured && record.value < 0.0 {
        "it was measured, but is negative"
    } else if is_fact(&record) && record.value < 0.0 && !may_shrink {
        "it is negative"
    } else if is_time && (record.value <= 0.0 || record.shared.is_some_and(|it| it.value <= 0.0)) {
        "it was measured, but its time is zero or negative"
    } else if is_time && record.interval.is_some() && record.samples < FEWEST_ROUNDS {
        "it has too few samples for an interval"
    } else if record.interval.is_some()
        && record.samples == 0
        && OF_SAMPLES.contains(&record.estimator.as_str())
    {
        "an interval without samples"
    } else if record.part.as_ref().is_some_and(|part| part.measured > part.of) {
        "more was measured than exists"
    } else if let Some(shared) = record.shared
        && shared.interval.is_some_and(|[low, high]| !(low..=high).contains(&shared.value))
    {
        "its contended value is outside its interval"
    } else if record.contention.is_some_and(|it| !(1.0..=2.0).contains(&it)) {
        "its contention is not between 1 and 2"
    } else if record.elapsed.is_some_and(|it| it.mean <= 0.0 || it.deviation.is_some_and(|it| it < 0.0)) {
        "its elapsed time is zero or negative, or its deviation negative"
    } else {
        return Ok(record);
    };
    Err(Error::InvalidResult { number, what: words(&record), fault })
}
