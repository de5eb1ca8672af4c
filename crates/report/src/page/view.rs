//! What the templates are filled with: strings that are ready to be shown, in the order of the page.

use std::borrow::Cow;
use std::collections::BTreeSet;

use askama::Template;
use fieldtest_measure::record::SecurityNote;

use super::columns::{Meaning, meanings};
use super::limits::limits;
use super::once::{self, Marks};
use crate::advice::{Advice, Carried};
use crate::fact::{Fact, facts};
use crate::mark::{STATUSES, status_rank};
use crate::number::NARROW_SPACE;
use crate::plot::{Plot, words};
use crate::report::Report;
use crate::section::Section;
use crate::section::identifier;
use crate::sections::plots;
use crate::table::{Mark, Shown, Table};
use crate::{mark, number};

/// Rows from which on the tables of a section without a verdict are folded away.
const LONG: usize = 30;

/// The whole page.
#[derive(Template)]
#[template(path = "page.html")]
pub(super) struct Page<'a> {
    style: String,
    script: &'a str,
    policy: String,
    title: String,
    version: &'a str,
    runs: Vec<RunView<'a>>,
    facts: Vec<Fact>,
    statuses: Vec<Mark>,
    sections: Vec<SectionView>,
    /// What tooltips say more than once.
    phrases: String,
    /// What the script judges by, as JSON.
    advice: String,
    /// The words of marks, which refer to them.
    marks: Vec<Cow<'static, str>>,
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
pub(super) struct SectionView {
    id: String,
    title: String,
    lead: String,
    /// What is decided, if something is.
    pub(super) judged: Option<Judged>,
    /// Whether all the rest is folded away.
    folded: bool,
    /// What is said of what is folded away.
    folds: String,
    pub(super) plots: Vec<PlotView>,
    pub(super) tables: Vec<TableView>,
    /// What the columns hold.
    columns: Vec<Meaning>,
}

/// The verdict of a section, with the picture that decides.
pub(super) struct Judged {
    study: &'static str,
    sentence: String,
    pub(super) plots: Vec<PlotView>,
    pub(super) tables: Vec<TableView>,
}

/// A plot that has a name.
pub(super) struct PlotView {
    id: String,
    title: String,
    caption: String,
    legend: Vec<(String, String)>,
    pub(super) svg: String,
}

/// A table, written out by rows.
pub(super) struct TableView {
    id: String,
    title: String,
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<RowView>,
    notes: Vec<String>,
}

pub(super) struct Head {
    name: String,
    unit: String,
    full_unit: String,
    numeric: bool,
    /// What tooltips of its figures say that say nothing else.
    pub(super) detail: String,
}

pub(super) struct RowView {
    algorithm: String,
    baseline: bool,
    pub(super) cells: Vec<CellView>,
}

pub(super) struct CellView {
    text: String,
    /// Figure spaces that put the decimal points below each other.
    pad: String,
    margin: String,
    pub(super) mark: Option<MarkView>,
    /// The figure, where the text is not the same.
    value: String,
    /// A whole tooltip.
    pub(super) title: String,
    /// What the script makes the rest of a tooltip of.
    pub(super) detail: String,
    numeric: bool,
    pub(super) is_figure: bool,
    /// Whether the detail is that of the column.
    pub(super) is_shared: bool,
}

impl CellView {
    /// Whether the detail needs no quotes: it consists of references to phrases alone.
    fn is_bare(&self) -> bool {
        self.detail.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"#~.".contains(&byte))
    }
}

/// A mark, and its number among those of the page.
pub(super) struct MarkView {
    pub(super) mark: Mark,
    pub(super) number: usize,
}

impl MarkView {
    /// A status has a colour of its own, any other mark that of its tone: a class and a custom property of the style.
    pub(super) fn colour(&self) -> (&'static str, &str) {
        match status_rank(&self.mark.word) < STATUSES.len() {
            true => ("s-", &self.mark.word),
            false => ("", self.mark.tone.name()),
        }
    }

    fn class(&self) -> String {
        let (status, name) = self.colour();
        format!("{status}{name}")
    }
}

/// Dated remarks, and the algorithms that they are about.
struct Notes<'a> {
    about: Vec<About<'a>>,
    said: &'a [SecurityNote],
    notes: Vec<NoteView<'a>>,
}

struct About<'a> {
    title: &'a str,
    algorithm: &'a str,
    kind: &'a str,
    status: Mark,
}

struct NoteView<'a> {
    date: &'a str,
    severity: Mark,
    text: &'a str,
    source: &'a str,
    /// The source as an address, if it is one that a browser may follow.
    address: Option<&'a str>,
}

impl<'a> From<&'a SecurityNote> for NoteView<'a> {
    fn from(note: &'a SecurityNote) -> NoteView<'a> {
        let schemes = ["https://", "http://"];
        NoteView {
            date: &note.date,
            severity: mark::severity(&note.severity),
            text: &note.text,
            source: schemes.iter().fold(note.source.as_str(), |source, it| source.trim_start_matches(it)),
            address: schemes.iter().any(|it| note.source.starts_with(it)).then_some(note.source.as_str()),
        }
    }
}

impl<'a> Page<'a> {
    /// The page of `report` with this style and script, and what marks add to the style, under the content security policy
    /// that `policy` makes of both.
    pub(super) fn new(
        report: &'a Report,
        style: &str,
        script: &'a str,
        policy: fn(&str, &str) -> String,
    ) -> Page<'a> {
        let sections = report.sections();
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
        let Marks { words: marks, style: of_marks } = Marks::of(&mut sections);
        let style = format!("{style}{of_marks}");
        Page {
            policy: policy(&style, script),
            style,
            script,
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
            phrases: once::phrases(&mut sections),
            advice: once::advice(Carried::of(report)),
            marks,
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
    let of = report.chapters().iter().find(|chapter| identifier(chapter.study()) == section.id);
    let verdict = of.and_then(|chapter| report.verdict(chapter.decision()?));
    let (judged, tables): (Vec<&Table>, Vec<&Table>) =
        section.tables.iter().partition(|table| verdict.is_some() && Advice::is_of_verdict(table));
    let view = |tables: Vec<&Table>| -> Vec<TableView> {
        tables.into_iter().map(|table| table_view(report, &section.id, table)).collect()
    };
    let mut plots: Vec<PlotView> =
        plots(report, section).into_iter().map(|plot| plot_view(&section.id, plot)).collect();
    let (mut judged, tables) = (view(judged), view(tables));
    // The script has all of this from what it judges by.
    for cell in judged.iter_mut().flat_map(|table| &mut table.rows).flat_map(|row| &mut row.cells) {
        cell.detail.clear();
    }
    let all = judged.iter().chain(&tables).flat_map(|table| &table.heads);
    let columns = meanings(report, section, all.map(|head| head.name.as_str()));
    let judged = verdict.map(|verdict| Judged {
        study: verdict.study,
        sentence: verdict.sentence,
        // The first of them is the one that decides.
        plots: plots.drain(..plots.len().min(1)).collect(),
        tables: judged,
    });
    let rows: usize = tables.iter().map(|table| table.rows.len()).sum();
    let folded = (judged.is_some() || rows > LONG) && !tables.is_empty();
    SectionView {
        id: section.id.clone(),
        title: section.title.clone(),
        lead: section.lead.clone(),
        folded,
        folds: folds(&plots, &tables),
        judged,
        plots,
        tables,
        columns,
    }
}

/// What is folded away: `Details: What decides · Size of the answers · …`.
fn folds(plots: &[PlotView], tables: &[TableView]) -> String {
    let titles =
        plots.iter().map(|plot| plot.title.as_str()).chain(tables.iter().map(|it| it.title.as_str()));
    format!("Details: {}", titles.collect::<Vec<_>>().join(" · "))
}

fn plot_view(section: &str, plot: Plot) -> PlotView {
    let Plot { title, caption, legend, svg } = plot;
    PlotView { id: format!("{section}-{}", identifier(&title)), title, caption, legend, svg }
}

/// A figure without the spaces that group its digits.
fn plain(text: &str) -> String {
    text.replace(NARROW_SPACE, "")
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
                mark: cell.mark.clone().map(|mark| MarkView { mark, number: 0 }),
                value: if cell.value == plain(&cell.text) { String::new() } else { cell.value.clone() },
                title: String::new(),
                detail: if named { String::new() } else { cell.detail.clone() },
                numeric: column.numeric,
                is_figure: !cell.value.is_empty(),
                is_shared: false,
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
                detail: String::new(),
            })
            .collect(),
        notes: table.notes().iter().cloned().chain(shown.legend()).collect(),
    }
}

/// The remarks, once for all algorithms of which they are made.
fn notes(report: &Report) -> Vec<Notes<'_>> {
    let mut all: Vec<Notes> = Vec::new();
    for candidate in report.candidates.iter().filter(|candidate| !candidate.notes.is_empty()) {
        let about = About {
            title: &candidate.title,
            algorithm: &candidate.algorithm,
            kind: mark::kind(&candidate.kind),
            status: mark::status(&candidate.status),
        };
        match all.iter_mut().find(|it| it.said == candidate.notes) {
            Some(same) => same.about.push(about),
            None => all.push(Notes {
                about: vec![about],
                said: &candidate.notes,
                notes: candidate.notes.iter().map(NoteView::from).collect(),
            }),
        }
    }
    all
}
