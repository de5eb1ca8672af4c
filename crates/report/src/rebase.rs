//! Ratios to another baseline than the one that they were recorded with.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{Against, KeyOperation, of_ratio, ratio};

use crate::difference::interval_of_ratio;
use crate::figure::{implementation, is_of_shared_core};

/// The records, each with the number of its run, with every ratio that refers to a baseline made again of the figures that
/// it is of: to the first figure of `baseline`. Where there is none to refer to, there is no ratio.
pub(crate) fn onto(baseline: &str, records: Vec<(Record, usize)>) -> Vec<(Record, usize)> {
    let refers =
        |record: &Record| of_ratio(&record.operation).is_some() && Against::read(&record.subject).is_some();
    let (ratios, figures): (Vec<_>, Vec<_>) = records.into_iter().partition(|(record, _)| refers(record));
    let mut out = Vec::with_capacity(ratios.len() + figures.len());
    for (figure, run) in &figures {
        out.push((figure.clone(), *run));
        // An operation may have had none: the old baseline's figure was not one to divide by.
        let is_divided = KeyOperation::from_word(&figure.operation).is_some_and(KeyOperation::has_ratio);
        if !is_divided || !ratios.iter().any(|(ratio, _)| ratio.study == figure.study) {
            continue;
        }
        let is_base = |base: &Record| {
            (&base.study, &base.operation, &base.unit) == (&figure.study, &figure.operation, &figure.unit)
                && base.algorithm == baseline
                && base.value > 0.0
        };
        let Some((base, _)) = figures.iter().find(|(base, _)| is_base(base)) else { continue };
        if std::ptr::eq(base, figure) || is_of_shared_core(base) != is_of_shared_core(figure) {
            continue;
        }
        let against = format!("{baseline} ({})", implementation(base));
        let again = Record {
            operation: ratio(&figure.operation),
            subject: Against(&against).to_string(),
            value: figure.value / base.value,
            unit: "ratio".to_owned(),
            interval: interval_of_ratio(figure, base),
            samples: figure.samples.min(base.samples),
            shared: None,
            ..figure.clone()
        };
        out.push((again, *run));
    }
    out
}
