//! A chapter: what a report says of one study. Whoever makes a study brings its chapter along; nothing here knows which
//! there are.

use std::fmt::Debug;

use fieldtest_measure::record::Record;
use fieldtest_measure::words::SPEED;

use crate::advice::{Advice, Decision};
use crate::plot::{Plot, scatter};
use crate::tables::ledger::Ledger;
use crate::tables::{other, primitives, security};
use crate::{Report, Section, Table};

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

/// All sections of `report`, in the order in which the studies first appear.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    let mut studies: Vec<&str> = Vec::new();
    for record in report.records() {
        if !studies.contains(&record.study.as_str()) {
            studies.push(&record.study);
        }
    }
    let mut sections: Vec<Section> = studies.iter().map(|study| section(report, study)).collect();
    sections.extend(security::sections(report));
    if let Some(disturbance) = report.disturbance() {
        let tables = sections.iter_mut().flat_map(|section| &mut section.tables);
        for table in tables.filter(|table| table.is_timed()) {
            table.note(disturbance.as_str());
        }
    }
    sections
}

fn section(report: &Report, study: &str) -> Section {
    let mut ledger = Ledger::new(report, study);
    let verdict = report.chapter(study).and_then(|chapter| report.verdict(chapter.decision()?));
    let (title, lead, tables) = match (report.chapter(study), study) {
        (Some(chapter), _) => {
            (chapter.title().to_owned(), chapter.lead().to_owned(), chapter.tables(report, &mut ledger))
        }
        (None, SPEED) => (
            "Speed".to_owned(),
            "What one operation costs by itself, on one core.".to_owned(),
            vec![primitives::table(report, &mut ledger)],
        ),
        (None, other) => (other.to_owned(), format!("The figures of the study {other}."), Vec::new()),
    };
    let verdict = verdict.iter().flat_map(Advice::tables);
    let mut tables: Vec<_> = verdict.chain(tables).filter(|table| !table.is_empty()).collect();
    tables.extend(other::table(&ledger));
    Section { id: identifier(study), title, lead, tables }
}

/// The plots that a section's records give rise to.
pub(crate) fn plots(report: &Report, section: &Section) -> Vec<Plot> {
    let records: Vec<&Record> =
        report.records().iter().filter(|record| identifier(&record.study) == section.id).collect();
    let chapter = records.first().and_then(|record| report.chapter(&record.study));
    let mut plots = chapter.map_or_else(Vec::new, |chapter| chapter.plots(report, &records));
    plots.extend(scatter::operations(report, &records));
    plots
}

/// `text` in the letters that an HTML identifier and a URL take without quoting.
pub(crate) fn identifier(text: &str) -> String {
    let mut out = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            _ if out.ends_with('-') || out.is_empty() => {}
            _ => out.push('-'),
        }
    }
    out.trim_end_matches('-').to_owned()
}
