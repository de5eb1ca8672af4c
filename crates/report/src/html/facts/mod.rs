//! The few figures at the top of the page: which algorithm leads in what, and how far ahead this project's code is.

mod disk;
mod git;
mod ima;

use fieldtest_measure::record::Record;

use crate::number::{NARROW_SPACE, Scale, factor};
use crate::report::Report;
use crate::summary::git::in_words;
use crate::summary::lead::split_rival;
use crate::summary::tcp_ao::{LEAD, WAYS, short_and_full};
use crate::summary::{fastest, message_subjects};

/// A figure worth the top of the page.
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) value: String,
    pub(super) detail: String,
}

/// The facts with what to know of them.
pub(super) struct Facts {
    pub(super) facts: Vec<Fact>,
    /// Which algorithms they are about; empty without facts.
    pub(super) scope: String,
}

/// What to look for of a zone: operation, subject, label.
const OF_ZONES: [(&str, &str, &str); 3] = [
    ("zone-size", "raw", "Smallest signed zone"),
    ("sign-zone", "wall", "Fastest to sign the zone"),
    ("validate-zone", "wall", "Fastest to validate the zone"),
];
/// What to look for of signatures by themselves.
const OF_SIGNATURES: [(&str, &str, &str); 2] =
    [("sign", "", "Fastest to sign"), ("verify", "", "Fastest to verify")];

/// The leads of a study.
struct Lead {
    study: &'static str,
    operation: &'static str,
    ways: &'static [(&'static str, &'static str)],
    label: &'static str,
}

const OF_SEGMENTS: Lead = Lead {
    study: "tcp-ao",
    operation: LEAD,
    ways: &WAYS,
    label: "Our speed over the best library's, per segment",
};
const OF_MESSAGES: Lead = Lead {
    study: "git",
    operation: crate::summary::git::LEAD,
    ways: &crate::summary::git::WAYS,
    label: "Our speed over the best library's, per message",
};

/// Whether an algorithm stands and is known to be meant to withstand a quantum computer, and is more than a paper.
fn is_lasting(report: &Report, algorithm: &str) -> bool {
    report.is_recommendable(algorithm)
        && report.post_quantum(algorithm) == Some(true)
        && report.status(algorithm) != "research"
}

/// Whether an algorithm may lead: it is lasting, and every carrier can hold it.
fn eligible(report: &Report, algorithm: &str) -> bool {
    is_lasting(report, algorithm)
        && !report.records.iter().any(|record| record.algorithm == algorithm && record.operation == "unfit")
}

/// At most four facts on zones and signatures, four on IMA, two on MACs, three on hash functions and three on disks.
pub(super) fn facts(report: &Report) -> Facts {
    let look = |known: &[(&str, &str, &str)]| -> Vec<Fact> {
        let found =
            known.iter().filter_map(|(operation, subject, label)| leader(report, operation, subject, label));
        found.collect()
    };
    let mut facts: Vec<Fact> = fits(report).into_iter().chain(look(&OF_ZONES)).collect();
    let left = 4 - facts.len();
    let of_ima = ima::facts(report);
    let is_of_ima = !of_ima.is_empty();
    facts.extend(of_ima);
    facts.extend(look(&OF_SIGNATURES).into_iter().take(left));
    let of_signatures = !facts.is_empty();
    let of_macs: Vec<Fact> =
        [fastest_mac(report), best_lead(report, &OF_SEGMENTS)].into_iter().flatten().collect();
    let mut scope = Vec::new();
    if of_signatures {
        scope.push(
            "Of the post-quantum algorithms in this report that are not broken, withdrawn, superseded or \
             research."
                .to_owned(),
        );
        let baseline = report.baseline().map(|name| report.title(name));
        scope.extend(baseline.map(|title| format!("Ratios refer to {title}.")));
        if is_of_ima {
            scope.push(ima::scope(report).to_owned());
        }
    }
    if !of_macs.is_empty() {
        scope.push("Of the MACs that are not unsafe, withdrawn or superseded.".to_owned());
    }
    facts.extend(of_macs);
    let mut of_hashes = git::facts(report);
    of_hashes.extend(best_lead(report, &OF_MESSAGES));
    if !of_hashes.is_empty() {
        scope.push("Of the hash functions that are not unsafe, withdrawn or superseded.".to_owned());
    }
    facts.extend(of_hashes);
    let of_disks = disk::facts(report);
    if !of_disks.is_empty() {
        scope.push("Of the ciphers that protect a disk and are not withdrawn or superseded.".to_owned());
    }
    facts.extend(of_disks);
    scope.retain(|sentence| !sentence.is_empty());
    Facts { facts, scope: scope.join(" ") }
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

/// The MAC that costs a short segment least.
fn fastest_mac(report: &Report) -> Option<Fact> {
    let records = || report.records.iter().filter(|record| record.study == "tcp-ao");
    let short = *short_and_full(records()).first()?;
    let unit = &records().find(|record| record.operation == "segment")?.unit;
    let of = |algorithm: &str, way: &str| {
        fastest(records(), algorithm, "segment", &format!("{short} {way}"), unit)
            .filter(|record| record.value > 0.0)
    };
    let (single, batched) = (WAYS[0], WAYS[1]);
    let allowed = report.measured().into_iter().filter(|it| report.is_recommendable(it));
    let best =
        allowed.filter_map(|algorithm| of(algorithm, single.0)).min_by(|a, b| a.value.total_cmp(&b.value))?;
    let write = |value: f64| {
        let scale = Scale::fitting(unit, [value]);
        format!("{} {}", scale.write(value, NARROW_SPACE), scale.label())
    };
    let mut detail = format!("{} {}", write(best.value), single.1);
    if let Some(record) = of(&best.algorithm, batched.0) {
        detail.push_str(&format!(", {} {}", write(record.value), batched.1));
    }
    Some(Fact {
        label: format!("Cheapest safe MAC, segment of {short} bytes"),
        value: report.title(&best.algorithm).to_owned(),
        detail,
    })
}

/// How far this project's code is ahead of the best library, at best and at least.
fn best_lead(report: &Report, of_study: &Lead) -> Option<Fact> {
    let leads = || {
        report.records.iter().filter(|record| {
            record.study == of_study.study
                && record.operation == of_study.operation
                && record.unit == "ratio"
                && record.value > 0.0
                && report.is_recommendable(&record.algorithm)
        })
    };
    let best = leads().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let least = leads().map(|record| record.value).reduce(f64::min)?;
    let (of, rival) = split_rival(&best.subject)?;
    let (size, way) = of.rsplit_once(' ')?;
    let way = of_study.ways.iter().find(|(known, _)| *known == way).map_or(way, |(_, words)| words);
    let [least, most] = [least, best.value].map(|ratio| format!("×{}", factor(ratio, NARROW_SPACE)));
    Some(Fact {
        label: of_study.label.to_owned(),
        value: if least == most { most } else { format!("{least} to {most}") },
        detail: format!(
            "most with {}, {} {way}, over {rival}",
            report.title(&best.algorithm),
            in_words(size)
        ),
    })
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
