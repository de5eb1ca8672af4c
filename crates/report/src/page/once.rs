//! What stands at thousands of figures and is said once: the colours and words of marks, the phrases of tooltips, and the tooltip
//! that most figures of a column share.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::phrases::Phrases;
use super::section_view::{CellView, PlotView, SectionView, TableView};
use crate::advice::Carried;
use crate::plot::svg;
use crate::table::Mark;

/// The marks of a page, by their numbers.
pub(super) struct Marks {
    /// What they say.
    pub(super) words: Vec<Cow<'static, str>>,
    /// How they look.
    pub(super) style: String,
}

impl Marks {
    /// Numbers the marks of these sections.
    pub(super) fn of(sections: &mut [SectionView]) -> Marks {
        let mut known: Vec<Mark> = Vec::new();
        let mut style = String::new();
        for view in cells(sections).filter_map(|cell| cell.mark.as_mut()) {
            let found = known.iter().position(|mark| *mark == view.mark);
            view.number = found.unwrap_or(known.len());
            if found.is_none() {
                let (_, colour) = view.colour();
                let _ = writeln!(style, ".m{}{{color:var(--{colour})}}", view.number);
                known.push(view.mark.clone());
            }
        }
        Marks { words: known.into_iter().map(|mark| mark.word).collect(), style }
    }
}

/// Takes what tooltips say more than once out of them.
pub(super) fn phrases(sections: &mut [SectionView]) -> String {
    let mut said: Vec<String> =
        cells(sections).map(|cell| cell.detail.clone()).filter(|detail| !detail.is_empty()).collect();
    for plot in drawn(sections) {
        svg::tooltips(&plot.svg, |tooltip| {
            said.push(tooltip.to_owned());
            String::new()
        });
    }
    let phrases = Phrases::of(said.iter().map(String::as_str));
    for cell in cells(sections).filter(|cell| !cell.detail.is_empty()) {
        let short = phrases.shorten(&cell.detail);
        // A figure stands in its tooltip, which the script makes; of anything else the detail is all of it.
        if cell.is_figure || short != cell.detail {
            cell.detail = short;
        } else {
            cell.title = std::mem::take(&mut cell.detail);
        }
    }
    for plot in drawn(sections) {
        plot.svg = svg::tooltips(&plot.svg, |tooltip| phrases.shorten(tooltip));
    }
    tables(sections).for_each(share);
    phrases.lines
}

/// What the script judges by, as JSON, with the phrases of its texts apart.
pub(super) fn advice(mut carried: Carried) -> String {
    let phrases = Phrases::of(carried.texts.iter().map(String::as_str));
    for text in &mut carried.texts {
        *text = phrases.shorten(text);
    }
    carried.phrases = phrases.lines;
    carried.json()
}

/// Gives to each column the tooltip that most of its figures have, and leaves it out of these.
fn share(table: &mut TableView) {
    for (at, head) in table.heads.iter_mut().enumerate().skip(1) {
        let mut figures: Vec<&mut CellView> =
            table.rows.iter_mut().map(|row| &mut row.cells[at]).filter(|cell| cell.is_figure).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in &figures {
            *counts.entry(&cell.detail).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 1);
        let Some(shared) = most.map(|(detail, _)| detail.to_owned()) else { continue };
        for cell in &mut figures {
            cell.is_shared = cell.detail == shared;
        }
        head.detail = shared;
    }
}

fn drawn(sections: &mut [SectionView]) -> impl Iterator<Item = &mut PlotView> {
    sections.iter_mut().flat_map(|section| {
        let judged = section.judged.iter_mut().flat_map(|judged| &mut judged.plots);
        judged.chain(&mut section.plots)
    })
}

fn tables(sections: &mut [SectionView]) -> impl Iterator<Item = &mut TableView> {
    sections.iter_mut().flat_map(|section| {
        let judged = section.judged.iter_mut().flat_map(|judged| &mut judged.tables);
        judged.chain(&mut section.tables)
    })
}

fn cells(sections: &mut [SectionView]) -> impl Iterator<Item = &mut CellView> {
    tables(sections).flat_map(|table| &mut table.rows).flat_map(|row| &mut row.cells)
}
