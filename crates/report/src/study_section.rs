//! A chapter: what a report says of one study. Whoever makes a study brings its chapter along; nothing here knows which
//! there are.

use fieldtest_measure::record::Record;

use crate::advice::Decision;
use crate::plot::Plot;
use crate::report::Report;
use crate::table::Table;
use crate::tables::ledger::Ledger;

/// A picture of some of a study's records, where they have what it shows.
pub type Picture = fn(&Report, &[&Record]) -> Option<Plot>;

/// What a report says of one study: made of its records and of nothing else.
#[derive(Debug)]
pub struct StudySection {
    /// The study's name in records.
    pub study: &'static str,
    /// The heading.
    pub title: &'static str,
    /// One or two sentences that say what the tables show.
    pub lead: &'static str,
    /// The tables, the one that decides first. A record that none of them takes from the ledger is shown by itself.
    pub tables: fn(&Report, &mut Ledger<'_>) -> Vec<Table>,
    /// The pictures made of the study's records; one of signing against verifying is made for every study.
    pub plots: &'static [Picture],
    /// What columns hold whose names alone do not say it, a line each: a name, or the words that several begin with, ` | `, and a
    /// clause. The longest that fits counts; what several studies have alike is known already.
    pub columns: &'static str,
    /// The operations whose counted results can be less than nothing, as where a shorter signature in place of a longer one
    /// gives bytes back.
    pub may_shrink: &'static [&'static str],
    /// The operations of which more is better, though no rate says so: the share of secure answers. A word behind one is the
    /// last of its subject.
    pub more_is_better: &'static [&'static str],
    /// The operations of which neither more nor less is better.
    pub neither_is_better: &'static [&'static str],
    /// What the carrier's users decide, if that is known.
    pub decision: Option<&'static Decision>,
    /// Whether its limits say what to think of published results, which otherwise is said for all.
    pub explains_published: bool,
    /// What the study's results do not say: the operations of which one must be there, and a sentence or two.
    pub limits: &'static [(&'static [&'static str], &'static str)],
    /// What else they do not say, where that depends on more than their operations.
    pub other_limits: fn(&Report) -> Vec<String>,
}

impl StudySection {
    /// A chapter of these tables and nothing else.
    pub const fn of(study: &'static str, tables: fn(&Report, &mut Ledger<'_>) -> Vec<Table>) -> StudySection {
        StudySection {
            study,
            title: study,
            lead: "",
            tables,
            plots: &[],
            columns: "",
            may_shrink: &[],
            more_is_better: &[],
            neither_is_better: &[],
            decision: None,
            explains_published: false,
            limits: &[],
            other_limits: |_| Vec::new(),
        }
    }

    /// What the study's results do not say, as far as it can be told from the records.
    pub(crate) fn limits(&self, report: &Report) -> impl Iterator<Item = String> {
        let is_there = |operations: &[&str]| {
            report.of_study(self.study).any(|record| operations.contains(&record.operation.as_str()))
        };
        let own = self.limits.iter().filter(move |(operations, _)| is_there(operations));
        own.map(|(_, limit)| (*limit).to_owned()).chain((self.other_limits)(report))
    }
}

/// The chapters that a report can have, in the order of their verdicts.
pub type StudySections = &'static [&'static StudySection];
