//! The marks of a page: their colours and words stand at thousands of results and are said once.

use std::borrow::Cow;
use std::fmt::Write;

use super::section_view::{CellView, SectionView};
use crate::table::Mark;

/// The marks of a page, by their numbers.
pub(super) struct Marks {
    pub(super) words: Vec<Cow<'static, str>>,
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

fn cells(sections: &mut [SectionView]) -> impl Iterator<Item = &mut CellView> {
    sections
        .iter_mut()
        .flat_map(SectionView::tables)
        .flat_map(|table| &mut table.rows)
        .flat_map(|row| &mut row.cells)
}
