//! What the templates are filled with: strings that are ready to be shown, in the order of the page.

use std::collections::BTreeSet;

use askama::Template;

use super::phrases::Phrases;
use super::{SCRIPT, STYLE, limits::limits};
use crate::chapter::{identifier, plots, sections};
use crate::fact::{Fact, facts};
use crate::mark::{STATUSES, status_rank};
use crate::number::NARROW_SPACE;
use crate::plot::{Plot, words};
use crate::report::{Report, Section};
use crate::table::{Mark, Shown, Table};
use crate::{mark, number};

/// Bytes of a mark's word from which on marks refer to it.
const LONG_WORD: usize = 12;

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
    /// What tooltips say more than once.
    phrases: String,
    /// The words of marks that are longer than a reference to them.
    marks: Vec<String>,
    /// Every algorithm of the page.
    algorithms: Vec<Named>,
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

/// What filters look for.
struct Named {
    algorithm: String,
    status: String,
    words: String,
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
    algorithm: String,
    baseline: bool,
    cells: Vec<CellView>,
}

struct CellView {
    text: String,
    /// Figure spaces that put the decimal points below each other.
    pad: String,
    margin: String,
    mark: Option<MarkView>,
    /// The figure, where the text is not the same.
    value: String,
    /// A whole tooltip.
    title: String,
    /// What the script makes the rest of a tooltip of.
    detail: String,
    numeric: bool,
    is_figure: bool,
}

struct MarkView {
    symbol: &'static str,
    word: String,
    class: String,
    /// Where its word stands among those of marks, if it does.
    number: Option<usize>,
}

impl From<Mark> for MarkView {
    fn from(mark: Mark) -> MarkView {
        // A status has a colour of its own.
        let class = match status_rank(&mark.word) < STATUSES.len() {
            true => format!("s-{}", mark.word),
            false => mark.tone.name().to_owned(),
        };
        MarkView { symbol: mark.symbol, word: mark.word.into_owned(), class, number: None }
    }
}

/// An algorithm's dated remarks.
struct Notes<'a> {
    title: &'a str,
    algorithm: &'a str,
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
        let mut sections: Vec<SectionView> =
            sections.iter().map(|section| section_view(report, section)).collect();
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
            phrases: phrases(&mut sections),
            marks: mark_words(&mut sections),
            algorithms: algorithms(report, &sections),
            sections,
            notes: notes(report),
            limits: limits(report),
            measured: report.measured().len(),
            figures: number::grouped(&report.records.len().to_string(), NARROW_SPACE),
            example: example(report),
        }
    }
}

/// Every algorithm that a row, a point or a remark is about.
fn algorithms(report: &Report, sections: &[SectionView]) -> Vec<Named> {
    let rows = sections.iter().flat_map(|section| &section.tables).flat_map(|table| &table.rows);
    let mut all: BTreeSet<&str> = rows.map(|row| row.algorithm.as_str()).collect();
    all.extend(report.measured());
    all.extend(report.candidates.iter().map(|candidate| candidate.algorithm.as_str()));
    let named = |algorithm: &str| Named {
        algorithm: algorithm.to_owned(),
        status: report.status(algorithm).to_owned(),
        words: words(report, algorithm),
    };
    all.into_iter().map(named).collect()
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

/// A figure without the spaces that group its digits.
fn plain(text: &str) -> String {
    text.replace(NARROW_SPACE, "")
}

fn cells(sections: &mut [SectionView]) -> impl Iterator<Item = &mut CellView> {
    let tables = sections.iter_mut().flat_map(|section| &mut section.tables);
    tables.flat_map(|table| &mut table.rows).flat_map(|row| &mut row.cells)
}

/// Takes what tooltips say more than once out of them.
fn phrases(sections: &mut [SectionView]) -> String {
    let details: Vec<String> =
        cells(sections).map(|cell| cell.detail.clone()).filter(|detail| !detail.is_empty()).collect();
    let phrases = Phrases::of(details.iter().map(String::as_str));
    for cell in cells(sections).filter(|cell| !cell.detail.is_empty()) {
        let short = phrases.shorten(&cell.detail);
        // A figure stands in its tooltip, which the script makes; of anything else the detail is all of it.
        if cell.is_figure || short != cell.detail {
            cell.detail = short;
        } else {
            cell.title = std::mem::take(&mut cell.detail);
        }
    }
    phrases.lines
}

/// Takes the words of marks out of them where a reference is shorter.
fn mark_words(sections: &mut [SectionView]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for mark in cells(sections).filter_map(|cell| cell.mark.as_mut()) {
        if mark.word.len() > LONG_WORD {
            let known = words.iter().position(|word| *word == mark.word);
            mark.number = Some(known.unwrap_or_else(|| {
                words.push(mark.word.clone());
                words.len() - 1
            }));
        }
    }
    words
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
                mark: cell.mark.clone().map(MarkView::from),
                value: if cell.value == plain(&cell.text) { String::new() } else { cell.value.clone() },
                title: String::new(),
                detail: if named { String::new() } else { cell.detail.clone() },
                numeric: column.numeric,
                is_figure: !cell.value.is_empty(),
            }
        });
        RowView { algorithm: key.clone(), baseline: shown.baseline == Some(row), cells: cells.collect() }
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
            algorithm: &candidate.algorithm,
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
