//! A chapter: what a report says of one study. Whoever makes a study brings its chapter along; nothing here knows which
//! there are.

use std::fmt::Debug;

use fieldtest_measure::record::Record;

use crate::advice::Decision;
use crate::plot::Plot;
use crate::report::Report;
use crate::table::Table;
use crate::tables::ledger::Ledger;

/// What a report says of one study: made of its records and of nothing else.
pub trait Chapter: Debug + Sync {
    /// The study's name in records.
    fn study(&self) -> &'static str;

    /// The heading.
    fn title(&self) -> &'static str;

    /// One or two sentences that say what the tables show.
    fn lead(&self) -> &'static str;

    /// The tables, the one that decides first. A record that none of them takes from the ledger is shown by itself.
    fn tables(&self, report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table>;

    /// The pictures made of the study's records; one of signing against verifying is made for every study.
    fn plots(&self, report: &Report, records: &[&Record]) -> Vec<Plot> {
        let _ = (report, records);
        Vec::new()
    }

    /// What columns hold whose names alone do not say it: names, or the words that several begin with, and a clause. The
    /// longest that fits counts; what several studies have alike is known already.
    fn columns(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The operations whose counted figures can be less than nothing, as where a shorter signature in place of a longer one
    /// gives bytes back.
    fn may_shrink(&self) -> &'static [&'static str] {
        &[]
    }

    /// What the carrier's users decide, if that is known.
    fn decision(&self) -> Option<&'static Decision> {
        None
    }

    /// Whether its limits say what to think of published figures, which otherwise is said for all.
    fn explains_published(&self) -> bool {
        false
    }

    /// What the study's figures do not say, as far as it can be told from the records.
    fn limits(&self, report: &Report) -> Vec<String> {
        let _ = report;
        Vec::new()
    }
}

/// The chapters that a report can have, in the order of their verdicts.
pub type Chapters = &'static [&'static dyn Chapter];
