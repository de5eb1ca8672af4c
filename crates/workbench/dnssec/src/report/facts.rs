//! The figures at the top on DNSSEC: how many algorithms fit a datagram, and what signs and validates the zone fastest.

use fieldtest_report::Report;
use fieldtest_report::fact::{Fact, eligible, leader};

use super::tables::message_subjects;
use crate::words::{Answer, Form, Operation};
use fieldtest_measure::words::Time;

/// What to look for of zones: operation, subject, label.
const OF_ZONES: [(Operation, &str, &str); 3] = [
    (Operation::ZoneSize, Form::Raw.word(), "Smallest signed zone"),
    (Operation::SignZone, Time::Wall.word(), "Fastest to sign the zone"),
    (Operation::ValidateZone, Time::Wall.word(), "Fastest to validate the zone"),
];

/// The facts; none where no record is about a zone.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    let of_zones = OF_ZONES
        .iter()
        .filter_map(|(operation, subject, label)| leader(report, operation.word(), subject, label));
    fits(report).into_iter().chain(of_zones).collect()
}

/// How many algorithms answer everything that a zone is asked day by day within 1232 bytes.
fn fits(report: &Report) -> Option<Fact> {
    let usual: Vec<&str> = message_subjects(report.records().iter())
        .into_iter()
        .filter(|(answer, _)| Answer::from_word(answer).is_none_or(Answer::is_usual))
        .map(|(_, subject)| subject)
        .collect();
    let largest = |algorithm: &str| {
        let own = report.records().iter().filter(|record| {
            record.algorithm == algorithm
                && record.operation == Operation::MessageSize
                && record.unit == "bytes"
                && usual.contains(&record.subject.as_str())
        });
        own.map(|record| record.value).reduce(f64::max)
    };
    let judged: Vec<(&str, f64)> = report
        .measured()
        .into_iter()
        .filter(|algorithm| eligible(report, algorithm))
        .filter_map(|algorithm| largest(algorithm).map(|bytes| (algorithm, bytes)))
        .collect();
    if judged.is_empty() {
        return None;
    }
    let fitting: Vec<&str> = judged
        .iter()
        .filter(|(_, bytes)| *bytes <= 1232.0)
        .map(|(algorithm, _)| report.title(algorithm))
        .collect();
    Some(Fact {
        label: "Every usual answer within 1232 bytes".to_owned(),
        value: format!("{} of {}", fitting.len(), judged.len()),
        detail: if fitting.is_empty() { "none of them".to_owned() } else { fitting.join(", ") },
    })
}
