//! A table with every cell written out, which the terminal, Markdown and HTML then only arrange.

use std::borrow::Cow;

use fieldtest_text as text;

use super::{Cell, Kind, Mark, Table, Tone, Value};
use crate::number::{Scale, close, full, half_width_percent};

/// What stands before a result that was not measured to its end.
static ESTIMATED: Mark =
    Mark { symbol: Cow::Borrowed("≈"), word: Cow::Borrowed("estimated"), tone: Tone::Fair };

/// A table's columns, written out.
pub(crate) struct Shown {
    pub(crate) columns: Vec<ShownColumn>,
    /// Each row's algorithm.
    pub(crate) keys: Vec<String>,
    pub(crate) baseline: Option<usize>,
}

pub(crate) struct ShownColumn {
    /// The header without its unit.
    pub(crate) name: String,
    /// The unit with its prefix, as shown; empty for text.
    pub(crate) unit: String,
    /// The unit of full values; empty for text.
    pub(crate) full_unit: String,
    pub(crate) numeric: bool,
    pub(crate) cells: Vec<ShownCell>,
}

#[derive(Default)]
pub(crate) struct ShownCell {
    /// The word or the scaled result; empty for an empty cell.
    pub(crate) text: String,
    /// Characters to fill up behind the text, so that decimal points stand below each other: the point and the digits.
    pub(crate) missing: (bool, usize),
    /// `±0.4%`, or empty.
    pub(crate) margin: String,
    pub(crate) mark: Option<Mark>,
    /// The value to six digits; empty for text.
    pub(crate) value: String,
    /// What more there is to say: the interval, the detail.
    pub(crate) detail: String,
}

impl Shown {
    /// Writes out `table`.
    pub(crate) fn of(table: &Table) -> Shown {
        let columns = table
            .columns
            .iter()
            .map(|column| {
                let cells: Vec<Cell> = table.rows.iter().map(|row| table.cell(row, column)).collect();
                match &column.kind {
                    Kind::Text => ShownColumn {
                        name: column.name.clone(),
                        unit: String::new(),
                        full_unit: String::new(),
                        numeric: false,
                        cells: cells.into_iter().map(text_cell).collect(),
                    },
                    Kind::Number { unit } => number_column(&column.name, unit, cells),
                }
            })
            .collect();
        Shown {
            columns,
            keys: table.rows.iter().map(|row| row.key.clone()).collect(),
            baseline: table.baseline.filter(|&row| row < table.rows.len()),
        }
    }

    /// What the marks mean, for media that show symbols alone: `▁ fits 512 bytes, █ over 1452 bytes`. A mark whose
    /// word stands beside it needs no explanation.
    pub(crate) fn legend(&self) -> Option<String> {
        let mut known: Vec<&Mark> = Vec::new();
        for cell in self.columns.iter().flat_map(|column| &column.cells) {
            let mark = cell.mark.as_ref().filter(|mark| !cell.text.contains(&*mark.word));
            known.extend(mark.filter(|mark| !known.contains(mark)));
            let estimated = cell.text.starts_with(&*ESTIMATED.symbol) && !known.contains(&&ESTIMATED);
            known.extend(estimated.then_some(&ESTIMATED));
        }
        // From good to bad.
        known.sort_by_key(|mark| mark.tone as u8);
        let parts = known.iter().flat_map(|mark| mark.parts());
        let mut meanings: Vec<String> = Vec::new();
        for meaning in parts.map(|(symbol, word)| format!("{symbol} {word}")) {
            if !meanings.contains(&meaning) {
                meanings.push(meaning);
            }
        }
        (!meanings.is_empty()).then(|| meanings.join("; "))
    }
}

fn text_cell(cell: Cell) -> ShownCell {
    let text = match cell.value {
        Value::Empty => String::new(),
        Value::Text(text) => text::line(&text).into_owned(),
        Value::Number { value, .. } => full(value),
    };
    let detail = text::line(&cell.detail).into_owned();
    ShownCell { text, mark: cell.mark, detail, ..ShownCell::default() }
}

fn number_column(name: &str, unit: &str, cells: Vec<Cell>) -> ShownColumn {
    let scale = Scale::fitting(unit, cells.iter().filter_map(Cell::number));
    let mut cells: Vec<ShownCell> = cells.into_iter().map(|cell| number_cell(cell, &scale)).collect();
    let decimals = |text: &str| text.split_once('.').map(|(_, digits)| digits.chars().count());
    let most = cells.iter().filter_map(|cell| decimals(&cell.text)).max();
    for cell in &mut cells {
        cell.missing = match (most, decimals(&cell.text)) {
            (Some(most), Some(own)) => (false, most - own),
            (Some(most), None) => (true, most),
            (None, _) => (false, 0),
        };
    }
    ShownColumn {
        // The ratio's header says what it is in its unit.
        name: name.strip_suffix(" ratio").unwrap_or(name).to_owned(),
        unit: scale.label().to_owned(),
        full_unit: unit.to_owned(),
        numeric: true,
        cells,
    }
}

/// Half the interval's width as a share of the result; the interval itself where that is wider than twice the result, since
/// a share of what is nearly nothing tells nothing.
fn margin(value: f64, bounds: [f64; 2], scale: &Scale) -> String {
    let [low, high] = bounds;
    if high - low > 2.0 * value.abs() {
        return format!("({} to {})", scale.write(low), scale.write(high));
    }
    half_width_percent(value, bounds).map(|percent| format!("±{percent}%")).unwrap_or_default()
}

fn number_cell(cell: Cell, scale: &Scale) -> ShownCell {
    let Value::Number { value, interval, approximate } = cell.value else {
        return text_cell(cell);
    };
    let interval_words =
        interval.map(|[low, high]| format!("95% interval {} to {}", close(low), close(high)));
    let detail = Some(text::line(&cell.detail).into_owned()).filter(|detail| !detail.is_empty());
    let detail = interval_words.into_iter().chain(detail).collect::<Vec<_>>().join(", ");
    ShownCell {
        text: format!("{}{}", if approximate { &*ESTIMATED.symbol } else { "" }, scale.write(value)),
        missing: (false, 0),
        margin: interval.map(|bounds| margin(value, bounds, scale)).unwrap_or_default(),
        mark: cell.mark,
        value: close(value),
        detail,
    }
}
