//! A section as the templates show it: its verdict, plots and tables.

use super::columns::{Meaning, meanings};
use crate::advice::Advice;
use crate::plot::{Plot, svg::Image, today};
use crate::report::Report;
use crate::section::{Section, identifier};
use crate::sections::plots;
use crate::symbols::{STATUSES, status_rank};
use crate::table::{Mark, Shown, Table};

/// Rows from which on the tables of a section without a verdict are folded away.
const LONG: usize = 30;

pub(super) struct SectionView {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) lead: String,
    /// What is decided, if something is.
    pub(super) judged: Option<Judged>,
    pub(super) folded: bool,
    pub(super) folds: String,
    pub(super) plots: Vec<PlotView>,
    pub(super) tables: Vec<TableView>,
    pub(super) columns: Vec<Meaning>,
}

impl SectionView {
    /// Its tables, as they follow on the page.
    pub(super) fn tables(&mut self) -> impl Iterator<Item = &mut TableView> {
        let judged = self.judged.iter_mut().flat_map(|it| it.accepted.iter_mut().chain(&mut it.rejected));
        judged.chain(&mut self.tables)
    }

    /// Its plots, as they follow on the page.
    pub(super) fn plots(&mut self) -> impl Iterator<Item = &mut PlotView> {
        self.judged.iter_mut().flat_map(|judged| &mut judged.plots).chain(&mut self.plots)
    }
}

/// The verdict of a section, with the picture that decides.
pub(super) struct Judged {
    pub(super) study: &'static str,
    pub(super) sentence: String,
    /// Facts, what relaxing a constraint would allow, caveats, the next command.
    pub(super) said: Vec<String>,
    pub(super) plots: Vec<PlotView>,
    /// The table of those who are accepted, and that of the others, where somebody is.
    pub(super) accepted: Vec<TableView>,
    pub(super) rejected: Vec<TableView>,
}

pub(super) struct PlotView {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) legend: Vec<(String, String)>,
    pub(super) svg: Image,
}

pub(super) struct TableView {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<RowView>,
    pub(super) notes: Vec<String>,
}

pub(super) struct Head {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) full_unit: String,
    pub(super) numeric: bool,
}

pub(super) struct RowView {
    pub(super) algorithm: String,
    pub(super) baseline: bool,
    pub(super) cells: Vec<CellView>,
}

pub(super) struct CellView {
    pub(super) text: String,
    /// Result spaces that put the decimal points below each other.
    pub(super) pad: String,
    pub(super) margin: String,
    pub(super) mark: Option<MarkView>,
    /// The result, where the text is not the same.
    pub(super) value: String,
    /// What the tooltip says beside the result.
    pub(super) detail: String,
    pub(super) numeric: bool,
}

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

    pub(super) fn class(&self) -> String {
        let (status, name) = self.colour();
        format!("{status}{name}")
    }
}

pub(super) fn section_view(report: &Report, section: &Section) -> SectionView {
    let of =
        report.study_sections().iter().find(|study_section| identifier(study_section.study) == section.id);
    let verdict = of.and_then(|study_section| report.verdict(study_section.decision?));
    let (judged, tables): (Vec<&Table>, Vec<&Table>) =
        section.tables.iter().partition(|table| verdict.is_some() && Advice::is_of_verdict(table));
    let view = |tables: Vec<&Table>| -> Vec<TableView> {
        tables.into_iter().map(|table| table_view(report, &section.id, table)).collect()
    };
    let plots: Vec<PlotView> =
        plots(report, section).into_iter().map(|plot| plot_view(&section.id, plot)).collect();
    let (mut judged, tables) = (view(judged), view(tables));
    // The script has all of this from what it judges by.
    for cell in judged.iter_mut().flat_map(|table| &mut table.rows).flat_map(|row| &mut row.cells) {
        cell.detail.clear();
    }
    let all = judged.iter().chain(&tables).flat_map(|table| &table.heads);
    let columns = meanings(report, section, all.map(|head| head.name.as_str()));
    let decision = of.and_then(|study_section| study_section.decision);
    let rejected = judged.split_off(usize::from(verdict.as_ref().is_some_and(|it| !it.survivors.is_empty())));
    let judged = verdict.zip(decision).map(|(verdict, decision)| Judged {
        study: verdict.study,
        plots: today::plot(report, decision, &verdict)
            .map(|it| plot_view(&section.id, it))
            .into_iter()
            .collect(),
        said: verdict.own_lines().into_iter().skip(1).collect(),
        sentence: verdict.sentence,
        accepted: judged,
        rejected,
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

/// A result without the commas that group its digits.
fn plain(text: &str) -> String {
    text.replace(',', "")
}

fn table_view(report: &Report, section: &str, table: &Table) -> TableView {
    let shown = Shown::of(table);
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
                detail: if named { String::new() } else { cell.detail.clone() },
                numeric: column.numeric,
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
