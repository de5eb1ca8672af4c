//! The few things at the top of the page: the verdict on each carrier, or who leads in what where there is no carrier.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::KeyOperation;

use crate::advice::{Advice, caveat, written};
use crate::difference::{Difference, between};
use crate::number::factor;
use crate::report::Report;
use crate::result::{is_comparable, margin};
use crate::section::identifier;

/// Something worth the top of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The section that has more of it; empty where none has.
    pub(crate) section: String,
    pub(crate) label: String,
    /// A name, or a few.
    pub(crate) value: String,
    /// What to add, a line each.
    pub(crate) details: Vec<String>,
}

/// What to look for of signatures by themselves.
const OF_SIGNATURES: [(KeyOperation, &str); 2] =
    [(KeyOperation::Sign, "Fastest to sign"), (KeyOperation::Verify, "Fastest to verify")];

/// How many names stand at the top.
const NAMES: usize = 3;

/// The verdict on each carrier; without one, who leads among signatures.
pub(crate) fn facts(report: &Report) -> Vec<Fact> {
    let verdicts = report.verdicts();
    if !verdicts.is_empty() {
        return verdicts.iter().map(|advice| verdict(report, advice)).collect();
    }
    let leader = |(operation, label): (KeyOperation, &str)| leader(report, operation.word(), label);
    OF_SIGNATURES.into_iter().filter_map(leader).collect()
}

fn verdict(report: &Report, advice: &Advice) -> Fact {
    let label = report
        .study_section(advice.study)
        .map_or(advice.study, |study_section| study_section.title)
        .to_owned();
    let details = advice.facts.iter().cloned().chain(advice.caveats.first().map(caveat));
    Fact {
        section: identifier(advice.study),
        label,
        value: advice.headline.clone(),
        details: details.collect(),
    }
}

/// The names, as far as there is room for them.
fn names(titles: &[&str]) -> Option<String> {
    let (first, more) = titles.split_first()?;
    Some(match titles.len() {
        1..=NAMES => titles.join(" or "),
        _ => format!("{first} and {} others", more.len()),
    })
}

/// The fastest, all of them where the difference is not significant, and how that compares with the baseline. Nothing is first
/// by a result without an interval; what would be faster by such a result is named.
fn leader(report: &Report, operation: &str, label: &str) -> Option<Fact> {
    let meant = |record: &&Record| record.operation == operation && record.value > 0.0;
    let unit = &report.records().iter().find(meant)?.unit;
    let all = || report.records().iter().filter(meant).filter(|it| it.unit == *unit && is_comparable(it));
    let mut pool: Vec<&Record> = all().filter(|it| report.is_recommendable(&it.algorithm)).collect();
    pool.sort_by(|a, b| a.value.total_cmp(&b.value));
    let best = *pool.first()?;
    let mut first: Vec<&str> = Vec::new();
    for record in &pool {
        let shares = between(best, record, margin(record, report.layout())) != Difference::Ahead;
        let title = report.title(&record.algorithm);
        if (shares || record.algorithm == best.algorithm) && !first.contains(&title) {
            first.push(title);
        }
    }
    let mut detail = written(unit, best.value);
    let of_base =
        |name: &str| all().filter(|it| it.algorithm == name).min_by(|a, b| a.value.total_cmp(&b.value));
    let base = report.baseline().and_then(of_base);
    if let Some(base) = base.filter(|base| base.algorithm != best.algorithm) {
        let ratio = factor(best.value / base.value);
        detail.push_str(&format!(", ×{ratio} of {}", report.title(&base.algorithm)));
    }
    if first.len() > 1 {
        detail.push_str(", difference not significant");
    }
    let mut unsure: Vec<&str> = Vec::new();
    let may_be_faster = |it: &&Record| it.unit == *unit && !is_comparable(it) && it.value < best.value;
    for title in
        report.records().iter().filter(meant).filter(may_be_faster).map(|it| report.title(&it.algorithm))
    {
        if !first.contains(&title) && !unsure.contains(&title) {
            unsure.push(title);
        }
    }
    detail.extend(
        names(&unsure).map(|names| format!("; {names} perhaps faster, but by results that are not ranked")),
    );
    let (label, value) = (label.to_owned(), names(&first)?);
    Some(Fact { section: String::new(), label, value, details: vec![detail] })
}
