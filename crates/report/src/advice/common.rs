//! The properties that algorithms of every kind have: how they stand, how strong they are, who implements them.

use std::collections::BTreeSet;

use fieldtest_measure::words::{AVAILABLE, Place};
use fieldtest_verdict as verdict;

use super::property::{Demand, Evidence, Fact, Held, Of, Property, Value, YES_OR_NO};
use crate::report::Report;

/// How an algorithm stands.
pub const STATUS: Property = Property::one_of(
    verdict::STATUS,
    "status",
    &["standard", "provisional", "candidate", "superseded", "withdrawn", "broken", "research"],
    status,
);

/// Whether it is meant to withstand a quantum computer.
pub const POST_QUANTUM: Property =
    Property::one_of(verdict::POST_QUANTUM, "post-quantum", YES_OR_NO, post_quantum);

/// Warnings about its security that nobody has taken back.
pub const WARNINGS: Property = Property::at_most(verdict::WARNINGS, "security warnings", "count", warnings);

/// Its strength against classical attacks.
pub const STRENGTH: Property = Property::at_least(verdict::STRENGTH, "classical strength", "bits", strength);

/// NIST's category of post-quantum security.
pub const TIED: Property = Property::at_least("level", "NIST level", "category", level);

/// The properties that need no carrier.
pub const COMMON: [Property; 5] = [STATUS, POST_QUANTUM, WARNINGS, STRENGTH, TIED];

/// What constraints on them ask for, in words of help.
pub const COMMON_MEANINGS: [(&str, &str); 4] = [
    (verdict::POST_QUANTUM, "`yes`: only algorithms that are meant to withstand quantum computers"),
    (verdict::WARNINGS, "Maximum number of security warnings"),
    (verdict::STRENGTH, "Minimum classical strength"),
    ("level", "Minimum NIST level, 0 to 5"),
];

/// Who implements an algorithm for a carrier: of [`implementers`] in its study.
pub const fn implemented_by(of: Of) -> Property {
    Property { id: "implemented-by", title: "implemented by", demand: Demand::AllOf, of }
}

fn status(report: &Report, algorithm: &str) -> Option<Held> {
    let candidate = report.candidate(algorithm)?;
    Some(Held::words([candidate.status.as_str()], Evidence::fact(candidate.standard.clone())))
}

fn post_quantum(report: &Report, algorithm: &str) -> Option<Held> {
    let candidate = report.candidate(algorithm)?;
    let word = if candidate.post_quantum? { "yes" } else { "no" };
    Some(Held::words([word], Evidence::fact(format!("rests on {}", candidate.hardness))))
}

fn warnings(report: &Report, algorithm: &str) -> Option<Held> {
    let candidate = report.candidate(algorithm)?;
    let mut open =
        candidate.notes.iter().filter(|note| matches!(note.severity.as_str(), "warning" | "broken"));
    let newest = open.next();
    let evidence = match newest {
        Some(note) => {
            Evidence::Fact { text: note.text.clone(), date: note.date.clone(), source: note.source.clone() }
        }
        None => Evidence::fact("no warning is known"),
    };
    let count = usize::from(newest.is_some()) + open.count();
    Some(Held { value: Value::Number(count as f64), of: None, evidence })
}

fn strength(report: &Report, algorithm: &str) -> Option<Held> {
    let bits = report.candidate(algorithm)?.strength?;
    let evidence = Evidence::fact(
        "bits of the key, or SP 800-57 part 1, table 2; NIST's categories by FIPS 204, appendix A; for hash functions, against collisions",
    );
    Some(Held { value: Value::Number(f64::from(bits)), of: None, evidence })
}

fn level(report: &Report, algorithm: &str) -> Option<Held> {
    let candidate = report.candidate(algorithm)?;
    let evidence = Evidence::fact(format!("as {} claims", candidate.standard));
    Some(Held { value: Value::Number(f64::from(candidate.level?)), of: None, evidence })
}

/// The places that were looked at for a study, whether they have an algorithm or not; each once, by name.
pub fn looked_at(report: &Report, study: &str) -> Vec<String> {
    let asked = report.of_study(study).filter(|it| it.operation == AVAILABLE);
    let known = asked.filter_map(|record| match Place::read(&record.subject) {
        Place::Known(place) => Some(place.to_owned()),
        Place::Here(_) => None,
    });
    known.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Who implements an algorithm, and who of those that were looked at does not.
pub fn support(report: &Report, study: &str, algorithm: &str) -> Option<Fact> {
    let Value::Words(having) = implementers(report, study, algorithm)?.value else { return None };
    let mut without = looked_at(report, study);
    without.retain(|place| !having.contains(place));
    let (with, without) = (having.join(", "), without.join(", "));
    Some(Fact::from(match (with.is_empty(), without.is_empty()) {
        (true, _) => format!("Implemented by none of {without}"),
        (_, true) => format!("Implemented by {with}"),
        _ => format!("Implemented by {with}; not by {without}"),
    }))
}

/// The places known to have an algorithm, by the records of a study.
pub fn implementers(report: &Report, study: &str, algorithm: &str) -> Option<Held> {
    let own = report.of_study(study).filter(|it| it.algorithm == algorithm && it.operation == AVAILABLE);
    let mut asked = own.filter_map(|record| match Place::read(&record.subject) {
        Place::Known(place) => Some((record, place)),
        Place::Here(_) => None,
    });
    let first = asked.next()?;
    let having: Vec<_> =
        std::iter::once(first).chain(asked).filter(|(record, _)| record.value > 0.0).collect();
    let since = having.iter().map(|(record, place)| [*place, &record.notes.join(", ")].join(" "));
    let text = match having.is_empty() {
        true => format!("none of {}", looked_at(report, study).join(", ")),
        false => since.collect::<Vec<_>>().join("; "),
    };
    Some(Held::words(having.iter().map(|(_, place)| *place), Evidence::fact(text)))
}
