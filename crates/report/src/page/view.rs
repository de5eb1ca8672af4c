//! What the templates are filled with: strings that are ready to be shown, in the order of the page.

use askama::Template;

use super::{SCRIPT, STYLE, limits::limits};
use crate::chapter::{identifier, plots, sections};
use crate::fact::{Fact, facts};
use crate::number::NARROW_SPACE;
use crate::plot::{Plot, words};
use crate::report::{Report, Section};
use crate::table::{Mark, Shown, Table};
use crate::{mark, number};

/// The whole page.
#[derive(Template)]
#[template(path = "page.html")]
pub(super) struct Page<'a> {
    style: &'static str,
    script: &'static str,
    policy: String,
    title: String,
    version: &'a str,
    runs: Vec<RunView<'a>>,
    facts: Vec<Fact>,
    statuses: Vec<Mark>,
    sections: Vec<SectionView>,
    notes: Vec<Notes<'a>>,
    limits: Vec<String>,
    measured: usize,
    figures: String,
    /// What a filter may look for.
    example: String,
}

/// One run: when, where, how.
struct RunView<'a> {
    run: &'a fieldtest_measure::record::Run,
    verdict: Mark,
    features: String,
}

/// A section with its plots.
struct SectionView {
    id: String,
    title: String,
    lead: String,
    plots: Vec<Plot>,
    tables: Vec<TableView>,
}

/// A table, written out by rows.
struct TableView {
    id: String,
    title: String,
    heads: Vec<Head>,
    rows: Vec<RowView>,
    notes: Vec<String>,
}

struct Head {
    name: String,
    unit: String,
    full_unit: String,
    numeric: bool,
}

struct RowView {
    words: String,
    status: String,
    baseline: bool,
    cells: Vec<CellView>,
}

struct CellView {
    text: String,
    /// Figure spaces that put the decimal points below each other.
    pad: String,
    margin: String,
    mark: Option<Mark>,
    full: String,
    title: String,
    numeric: bool,
}

/// An algorithm's dated remarks.
struct Notes<'a> {
    title: &'a str,
    words: String,
    kind: &'a str,
    status: Mark,
    notes: Vec<NoteView<'a>>,
}

struct NoteView<'a> {
    date: &'a str,
    severity: Mark,
    text: &'a str,
    source: &'a str,
    /// The source as an address, if it is one that a browser may follow.
    address: Option<&'a str>,
}

impl<'a> Page<'a> {
    /// The page of `report` under the content security policy given.
    pub(super) fn new(report: &'a Report, policy: String) -> Page<'a> {
        let sections = sections(report);
        let studies: Vec<&str> = sections
            .iter()
            .filter(|section| report.records.iter().any(|record| identifier(&record.study) == section.id))
            .map(|section| section.title.as_str())
            .collect();
        let mut statuses: Vec<Mark> = Vec::new();
        for algorithm in
            report.measured().into_iter().chain(report.candidates.iter().map(|it| it.algorithm.as_str()))
        {
            let status = mark::status(report.status(algorithm));
            if !statuses.contains(&status) {
                statuses.push(status);
            }
        }
        statuses.sort_by_key(|status| mark::status_rank(&status.word));
        Page {
            style: STYLE,
            script: SCRIPT,
            policy,
            title: if studies.is_empty() { "No figures".to_owned() } else { studies.join(" · ") },
            version: report.runs.first().map_or("", |run| &run.version),
            runs: report
                .runs
                .iter()
                .map(|run| RunView {
                    run,
                    verdict: mark::verdict(&run.verdict),
                    features: run.host.features.join(" "),
                })
                .collect(),
            facts: facts(report),
            statuses,
            sections: sections.iter().map(|section| section_view(report, section)).collect(),
            notes: notes(report),
            limits: limits(report),
            measured: report.measured().len(),
            figures: number::grouped(&report.records.len().to_string(), NARROW_SPACE),
            example: example(report),
        }
    }
}

/// Words that a filter would find here.
fn example(report: &Report) -> String {
    let known = [
        ("signature", "lattice, falcon, "),
        ("mac", "hmac, "),
        ("hash", "keccak, sha, "),
        ("cipher", "aes, lea, "),
    ];
    let has = |kind: &str| report.candidates.iter().any(|candidate| candidate.kind == kind);
    let words: String = known.iter().filter(|(kind, _)| has(kind)).map(|(_, words)| *words).collect();
    format!("{words}…")
}

fn section_view(report: &Report, section: &Section) -> SectionView {
    SectionView {
        id: section.id.clone(),
        title: section.title.clone(),
        lead: section.lead.clone(),
        plots: plots(report, section),
        tables: section.tables.iter().map(|table| table_view(report, &section.id, table)).collect(),
    }
}

fn table_view(report: &Report, section: &str, table: &Table) -> TableView {
    let shown = Shown::of(table, NARROW_SPACE);
    let rows = shown.keys.iter().enumerate().map(|(row, key)| {
        let cells = shown.columns.iter().enumerate().map(|(at, column)| {
            let cell = &column.cells[row];
            let (point, digits) = cell.missing;
            let point = if point { "\u{2008}" } else { "" };
            let named = at == 0 && cell.text == *key;
            CellView {
                text: if named { report.title(key).to_owned() } else { cell.text.clone() },
                pad: if cell.text.is_empty() {
                    String::new()
                } else {
                    format!("{point}{}", "\u{2007}".repeat(digits))
                },
                margin: cell.margin.clone(),
                mark: cell.mark.clone(),
                full: cell.full.clone(),
                title: if named { key.clone() } else { cell.title.clone() },
                numeric: column.numeric,
            }
        });
        RowView {
            words: words(report, key),
            status: report.status(key).to_owned(),
            baseline: shown.baseline == Some(row),
            cells: cells.collect(),
        }
    });
    TableView {
        id: format!("{section}-{}", identifier(table.title())),
        title: table.title().to_owned(),
        rows: rows.collect(),
        heads: shown
            .columns
            .iter()
            .map(|column| Head {
                name: column.name.clone(),
                unit: column.unit.clone(),
                full_unit: column.full_unit.clone(),
                numeric: column.numeric,
            })
            .collect(),
        notes: table.notes().iter().cloned().chain(shown.legend()).collect(),
    }
}

fn notes(report: &Report) -> Vec<Notes<'_>> {
    let noted = report.candidates.iter().filter(|candidate| !candidate.notes.is_empty());
    noted
        .map(|candidate| Notes {
            title: &candidate.title,
            words: words(report, &candidate.algorithm),
            kind: mark::kind(&candidate.kind),
            status: mark::status(&candidate.status),
            notes: candidate
                .notes
                .iter()
                .map(|note| NoteView {
                    date: &note.date,
                    severity: mark::severity(&note.severity),
                    text: &note.text,
                    source: note.source.trim_start_matches("https://").trim_start_matches("http://"),
                    address: ["https://", "http://"]
                        .iter()
                        .any(|scheme| note.source.starts_with(scheme))
                        .then_some(note.source.as_str()),
                })
                .collect(),
        })
        .collect()
}
