//! Ratios to another baseline than the one that they were recorded with.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{Against, has_ratio, of_ratio, ratio};

use crate::difference::interval_of_ratio;
use crate::result::{implementation, is_contended};

/// The records, each with the number of its run, with every ratio that refers to a baseline made again of the results that
/// it is of: to the first result of `baseline`. Where there is none to refer to, there is no ratio.
pub(crate) fn onto(baseline: &str, records: Vec<(Record, usize)>) -> Vec<(Record, usize)> {
    let refers =
        |record: &Record| of_ratio(&record.operation).is_some() && Against::read(&record.subject).is_some();
    let (ratios, results): (Vec<_>, Vec<_>) = records.into_iter().partition(|(record, _)| refers(record));
    let mut out = Vec::with_capacity(ratios.len() + results.len());
    for (result, run) in &results {
        out.push((result.clone(), *run));
        // An operation may have had none: the old baseline's result was not one to divide by.
        if !has_ratio(&result.operation) || !ratios.iter().any(|(ratio, _)| ratio.study == result.study) {
            continue;
        }
        let is_base = |base: &Record| {
            [&base.study, &base.operation, &base.subject, &base.unit]
                == [&result.study, &result.operation, &result.subject, &result.unit]
                && base.algorithm == baseline
                && base.value > 0.0
        };
        let Some((base, _)) = results.iter().find(|(base, _)| is_base(base)) else { continue };
        if std::ptr::eq(base, result) || is_contended(base) != is_contended(result) {
            continue;
        }
        let base_name = format!("{baseline} ({})", implementation(base));
        let again = Record {
            operation: ratio(&result.operation),
            subject: Against { of: &result.subject, baseline: &base_name }.to_string(),
            value: result.value / base.value,
            unit: "ratio".to_owned(),
            interval: interval_of_ratio(result, base),
            samples: result.samples.min(base.samples),
            shared: None,
            elapsed: None,
            ..result.clone()
        };
        out.push((again, *run));
    }
    out
}
