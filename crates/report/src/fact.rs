//! The few figures at the top of the page: who leads in what, and how far ahead this project's code is.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{self, KeyOperation, Over, UNFIT};

use crate::difference::Difference;
use crate::number::{NARROW_SPACE, Scale, factor};
use crate::report::Report;
use crate::tables::ledger::is_comparable;

/// A figure worth the top of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is a figure of.
    pub label: String,
    /// The figure, or a name.
    pub value: String,
    /// What to add.
    pub detail: String,
}

/// The facts with what to know of them.
pub(crate) struct Facts {
    pub(crate) facts: Vec<Fact>,
    /// Which algorithms they are about; empty without facts.
    pub(crate) scope: String,
}

/// How many facts on signatures there are at most, where their carriers have fewer.
const SIGNATURE_FACTS: usize = 4;
/// What to look for of signatures by themselves.
const OF_SIGNATURES: [(KeyOperation, &str); 2] =
    [(KeyOperation::Sign, "Fastest to sign"), (KeyOperation::Verify, "Fastest to verify")];

/// Whether an algorithm stands and is known to be meant to withstand a quantum computer, and is more than a paper.
pub fn is_lasting(report: &Report, algorithm: &str) -> bool {
    report.is_recommendable(algorithm)
        && report.post_quantum(algorithm) == Some(true)
        && report.status(algorithm) != "research"
}

/// Whether an algorithm may lead: it is lasting, and every carrier can hold it.
pub fn eligible(report: &Report, algorithm: &str) -> bool {
    is_lasting(report, algorithm)
        && !report.records().iter().any(|record| record.algorithm == algorithm && record.operation == UNFIT)
}

/// The facts of every chapter, then those on signatures by themselves where the chapters have few.
pub(crate) fn facts(report: &Report) -> Facts {
    let (mut facts, mut scope) = (Vec::new(), Vec::new());
    for chapter in report.chapters() {
        let of_chapter = chapter.facts(report);
        if !of_chapter.is_empty() {
            scope.extend(chapter.scope(report));
        }
        facts.extend(of_chapter);
    }
    let by_themselves: Vec<Fact> = OF_SIGNATURES
        .iter()
        .filter_map(|(operation, label)| leader(report, operation.word(), "", label))
        .take(SIGNATURE_FACTS.saturating_sub(facts.len()))
        .collect();
    if !by_themselves.is_empty() {
        scope.extend(signature_scope(report));
    }
    facts.extend(by_themselves);
    let mut said: Vec<String> = Vec::new();
    for sentence in scope {
        if !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    Facts { facts, scope: said.join(" ") }
}

/// Which algorithms the facts on signatures are about.
pub fn signature_scope(report: &Report) -> Vec<String> {
    let pool = "Of the post-quantum algorithms in this report that are not broken, withdrawn, superseded or research.";
    let baseline = report.baseline().map(|name| report.title(name));
    let ratios = baseline.map(|title| format!("Ratios refer to {title}."));
    std::iter::once(pool.to_owned()).chain(ratios).collect()
}

/// Who is first: the least of some figures, and every algorithm that cannot be told from it.
#[derive(Debug)]
pub struct First<'a> {
    /// The least figure.
    pub best: &'a Record,
    algorithms: Vec<&'a str>,
}

impl<'a> First<'a> {
    /// Of these records of one unit; an algorithm counts by its own best. Nobody is first by figures that may be off by
    /// anything, so that those without an interval take no part.
    pub fn of(report: &Report, records: impl Iterator<Item = &'a Record>) -> Option<First<'a>> {
        let mut pool: Vec<&Record> = records.filter(|it| it.value > 0.0 && is_comparable(it)).collect();
        pool.sort_by(|a, b| a.value.total_cmp(&b.value));
        let best = *pool.first()?;
        let mut algorithms: Vec<&str> = Vec::new();
        for record in &pool {
            let shares = Difference::between(best, record, report.layout()) != Difference::Ahead;
            let is_known = algorithms.contains(&record.algorithm.as_str());
            if (shares || record.algorithm == best.algorithm) && !is_known {
                algorithms.push(&record.algorithm);
            }
        }
        Some(First { best, algorithms })
    }

    /// The names, as far as there is room for them.
    pub fn names(&self, report: &Report) -> String {
        let titles: Vec<&str> = self.algorithms.iter().map(|name| report.title(name)).collect();
        match titles.len() {
            more @ 4.. => format!("{} and {} others", titles[0], more - 1),
            _ => titles.join(" or "),
        }
    }

    /// The figure, and that others may be as good.
    pub fn detail(&self, mut detail: String) -> String {
        if self.algorithms.len() > 1 {
            detail.push_str(", not told apart");
        }
        detail
    }
}

/// Who is smallest or fastest, all of them where they are not told apart, and how that compares with the baseline.
pub fn leader(report: &Report, operation: &str, subject: &str, label: &str) -> Option<Fact> {
    let meant =
        |record: &&Record| record.operation == operation && record.subject == subject && record.value > 0.0;
    let unit = &report.records().iter().find(meant)?.unit;
    let all = || report.records().iter().filter(meant).filter(|it| it.unit == *unit && is_comparable(it));
    let first = First::of(report, all().filter(|record| eligible(report, &record.algorithm)))?;
    let best = first.best;
    let scale = Scale::fitting(unit, [best.value]);
    let mut detail = format!("{} {}", scale.write(best.value, NARROW_SPACE), scale.label());
    let of_base =
        |name: &str| all().filter(|it| it.algorithm == name).min_by(|a, b| a.value.total_cmp(&b.value));
    let base = report.baseline().and_then(of_base);
    if let Some(base) = base.filter(|base| base.algorithm != best.algorithm) {
        let ratio = factor(best.value / base.value, NARROW_SPACE);
        detail.push_str(&format!(", ×{ratio} of {}", report.title(&base.algorithm)));
    }
    Some(Fact { label: label.to_owned(), value: first.names(report), detail: first.detail(detail) })
}

/// The leads of a study: for which records, and in which words.
#[derive(Debug, Clone, Copy)]
pub struct Lead {
    /// The study.
    pub study: &'static str,
    /// The operation that leads are of.
    pub operation: &'static str,
    /// The ways in which operations are done, with the words for them.
    pub ways: &'static [(&'static str, &'static str)],
    /// The words for a size.
    pub in_words: fn(&str) -> String,
    /// The label of the fact.
    pub label: &'static str,
}

/// From the least to the most of how far this project's code is ahead; of those leads that can be told, how many there are.
/// `None` where there is none.
pub fn span<'a>(report: &Report, leads: impl Iterator<Item = &'a Record>) -> Option<String> {
    let (mut told, mut all) = (Vec::new(), 0);
    for lead in leads {
        all += 1;
        if Difference::of(lead.interval, lead.samples, report.layout()) == Difference::Ahead {
            told.push(lead.value);
        }
    }
    let [least, most] = [f64::min, f64::max].map(|end| told.iter().copied().reduce(end));
    let [least, most] = [least?, most?].map(|ratio| format!("×{}", factor(ratio, NARROW_SPACE)));
    let span = if least == most { most } else { format!("{least} to {most}") };
    Some(if told.len() == all { span } else { format!("{span}, in {} of {all}", told.len()) })
}

/// How far this project's code is ahead of the best library, at best and at least.
pub fn best_lead(report: &Report, of_study: &Lead) -> Option<Fact> {
    let operation = words::lead(of_study.operation);
    let leads = || {
        report.records().iter().filter(|record| {
            record.study == of_study.study
                && record.operation == operation
                && record.unit == "ratio"
                && record.value > 0.0
                && report.is_recommendable(&record.algorithm)
        })
    };
    let best = leads().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let value = span(report, leads())?;
    let Over { of, rival } = Over::read(&best.subject)?;
    let (size, way) = of.rsplit_once(' ')?;
    let way = of_study.ways.iter().find(|(known, _)| *known == way).map_or(way, |(_, words)| words);
    Some(Fact {
        label: of_study.label.to_owned(),
        value,
        detail: format!(
            "most with {}, {} {way}, over {rival}",
            report.title(&best.algorithm),
            (of_study.in_words)(size)
        ),
    })
}
