//! The few figures at the top of the page: which algorithm leads in what.

use fieldtest_measure::record::Record;

use crate::number::{NARROW_SPACE, Scale, factor};
use crate::report::Report;
use crate::summary::message_subjects;

/// A figure worth the top of the page.
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) value: String,
    pub(super) detail: String,
}

/// What to look for: operation, subject, label.
const LEADERS: [(&str, &str, &str); 5] = [
    ("zone-size", "raw", "Smallest signed zone"),
    ("sign-zone", "wall", "Fastest to sign the zone"),
    ("validate-zone", "wall", "Fastest to validate the zone"),
    ("sign", "", "Fastest to sign"),
    ("verify", "", "Fastest to verify"),
];

/// Whether an algorithm may lead: it stands, the carrier can hold it, and it rests on a problem that a quantum computer
/// is not known to solve.
fn eligible(report: &Report, algorithm: &str) -> bool {
    !matches!(report.status(algorithm), "broken" | "withdrawn" | "superseded")
        && !report.is_classic(algorithm)
        && !report.records.iter().any(|record| record.algorithm == algorithm && record.operation == "unfit")
}

/// At most five facts.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    let mut facts: Vec<Fact> = fits(report).into_iter().collect();
    for (operation, subject, label) in LEADERS {
        if facts.len() < 4 {
            facts.extend(leader(report, operation, subject, label));
        }
    }
    facts
}

/// Who is smallest or fastest, and how that compares with the baseline.
fn leader(report: &Report, operation: &str, subject: &str, label: &str) -> Option<Fact> {
    let meant =
        |record: &&Record| record.operation == operation && record.subject == subject && record.value > 0.0;
    let unit = &report.records.iter().find(meant)?.unit;
    let all: Vec<&Record> =
        report.records.iter().filter(meant).filter(|record| record.unit == *unit).collect();
    let least = |records: &mut dyn Iterator<Item = &&Record>| -> Option<(String, f64)> {
        let best = records.min_by(|a, b| a.value.total_cmp(&b.value))?;
        Some((best.algorithm.clone(), best.value))
    };
    let (algorithm, value) = least(&mut all.iter().filter(|record| eligible(report, &record.algorithm)))?;
    let scale = Scale::fitting(unit, [value]);
    let mut detail = format!("{} {}", scale.write(value, NARROW_SPACE), scale.label());
    let base = report.baseline().and_then(|name| least(&mut all.iter().filter(|it| it.algorithm == name)));
    if let Some((name, base)) = base.filter(|(name, _)| *name != algorithm) {
        detail.push_str(&format!(", ×{} of {}", factor(value / base, NARROW_SPACE), report.title(&name)));
    }
    Some(Fact { label: label.to_owned(), value: report.title(&algorithm).to_owned(), detail })
}

/// How many algorithms answer everything that a zone is asked day by day within 1232 bytes.
fn fits(report: &Report) -> Option<Fact> {
    let usual: Vec<&str> = message_subjects(report.records.iter())
        .into_iter()
        .filter(|(answer, _)| {
            !["roll", "double-signed", "worst", "max", "best"].iter().any(|it| answer.ends_with(it))
        })
        .map(|(_, subject)| subject)
        .collect();
    let largest = |algorithm: &str| {
        let own = report.records.iter().filter(|record| {
            record.algorithm == algorithm
                && record.operation == "message-size"
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
