//! One table, built once, shown as terminal text, Markdown, CSV, JSON or HTML.
//!
//! ```
//! use fieldtest_report::{Format, Kind, Table};
//!
//! let mut table = Table::new("Signing")
//!     .column("algorithm", Kind::Text)
//!     .column("sign", Kind::number("cycles"))
//!     .ratio_of("sign");
//! table.row(["ecdsa-p256".into(), 79_393.0.into()]);
//! table.row(["hawk-512".into(), 77_315.0.into()]);
//! table.baseline(0);
//! assert!(table.render(Format::Human { width: 80, colour: false }).contains("×"));
//! ```

mod cell;
mod export;
mod shown;
mod terminal;

use std::borrow::Cow;

use crate::number::TIMES;

pub use cell::{Cell, Mark, Tone, Value};
pub(crate) use export::{csv_line, escape};
pub(crate) use shown::{Shown, ShownCell, ShownColumn};
pub(crate) use terminal::wrap;

/// The form a table or a report is wanted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// For a terminal `width` columns wide; the caller knows whether it shows `colour`.
    Human {
        /// Columns of the terminal; a wider table is continued below itself.
        width: usize,
        /// Whether to write ANSI colours.
        colour: bool,
    },
    /// JSON with full values.
    Json,
    /// Comma-separated values, RFC 4180, with full values.
    Csv,
    /// A GitHub-flavoured Markdown table.
    Markdown,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Words, aligned left.
    Text,
    /// Results of one unit, aligned right; the unit is one of those the records use.
    Number {
        /// `cycles`, `ns`, `s`, `bytes`, `count`, `share`, `ratio`, `per-second`, `per-day`, or any other word.
        unit: Cow<'static, str>,
    },
}

impl Kind {
    /// A column of results in `unit`.
    pub fn number(unit: impl Into<Cow<'static, str>>) -> Kind {
        Kind::Number { unit: unit.into() }
    }
}

/// A column: what the caller fills, or a ratio that the table computes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) source: Source,
}

/// Where a column's cells come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The cell at this place of each row.
    Given(usize),
    /// The given cell at this place, divided by the baseline row's.
    RatioOf(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The algorithm, where the row is about one: filters go by it.
    pub(crate) key: String,
    pub(crate) cells: Vec<Cell>,
}

/// A titled table with typed columns, footnotes and, where one is set, a baseline row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    title: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    notes: Vec<String>,
    pub(crate) baseline: Option<usize>,
}

impl Table {
    /// A table without columns.
    pub fn new(title: impl Into<String>) -> Table {
        Table { title: title.into(), ..Table::default() }
    }

    /// A table of facts, each with what it is of.
    pub fn of_facts<'a>(
        title: impl Into<String>,
        facts: impl IntoIterator<Item = (&'a str, String)>,
    ) -> Table {
        let mut table = Table::new(title).texts(["what", "value"]);
        for (what, value) in facts {
            table.fact(what, value);
        }
        table
    }

    /// Adds a row of two words: a fact, and what it is of.
    pub fn fact(&mut self, what: &str, value: impl Into<String>) {
        self.row([what.into(), value.into().into()]);
    }

    /// Adds a column. The first column names the row; a table too wide for its medium repeats it. A name that is taken
    /// gets a number, since JSON finds a row's cells by name.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, kind: Kind) -> Table {
        let name = name.into();
        let taken = |name: &str| self.columns.iter().any(|column| column.name == name);
        let name = match (2..).map(|number| format!("{name} {number}")).find(|it| !taken(it)) {
            Some(numbered) if taken(&name) => numbered,
            _ => name,
        };
        let given = self.given_columns();
        self.columns.push(Column { name, kind, source: Source::Given(given) });
        self
    }

    /// Adds columns of words.
    #[must_use]
    pub fn texts<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Table {
        names.into_iter().fold(self, |table, name| table.column(name, Kind::Text))
    }

    /// Adds columns of results in one unit.
    #[must_use]
    pub fn numbers<N: Into<String>>(self, names: impl IntoIterator<Item = N>, unit: &str) -> Table {
        names.into_iter().fold(self, |table, name| table.column(name, Kind::number(unit.to_owned())))
    }

    /// Adds a column of the latest column named `name` divided by the baseline row's; rows carry no cell for it.
    /// Without such a column of results nothing is added.
    #[must_use]
    pub fn ratio_of(mut self, name: &str) -> Table {
        let found = self.columns.iter().rev().find(|c| c.name == name && c.kind != Kind::Text);
        if let Some(Column { source: Source::Given(given), .. }) = found {
            let source = Source::RatioOf(*given);
            self.columns.push(Column { name: format!("{name} ratio"), kind: Kind::number("ratio"), source });
        }
        self
    }

    /// Adds a row. One that is shorter than the columns is filled up with empty cells; cells beyond them are dropped.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> &mut Table {
        self.keyed_row("", cells)
    }

    /// Adds a row about the algorithm `key`, by which a report filters.
    pub fn keyed_row(&mut self, key: impl Into<String>, cells: impl IntoIterator<Item = Cell>) -> &mut Table {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize(self.given_columns(), Cell::default());
        self.rows.push(Row { key: key.into(), cells });
        self
    }

    /// Adds a row about an algorithm if it holds a result, and says whether it does.
    pub fn row_of_results(&mut self, key: &str, cells: impl IntoIterator<Item = Cell>) -> bool {
        let cells: Vec<Cell> = cells.into_iter().collect();
        let holds = cells.iter().any(|cell| cell.number().is_some());
        if holds {
            self.keyed_row(key, cells);
        }
        holds
    }

    /// Adds footnotes.
    pub fn notes_of<N: Into<String>>(&mut self, texts: impl IntoIterator<Item = N>) -> &mut Table {
        self.notes.extend(texts.into_iter().map(Into::into));
        self
    }

    /// Adds a footnote.
    pub fn note(&mut self, text: impl Into<String>) -> &mut Table {
        self.notes.push(text.into());
        self
    }

    /// Names the row, counted from 0, that ratios refer to; one that does not exist leaves the ratios empty.
    pub fn baseline(&mut self, row: usize) -> &mut Table {
        self.baseline = Some(row);
        self
    }

    /// Names the first row about this algorithm for that, where there is one.
    pub fn baseline_of(&mut self, algorithm: Option<&str>) {
        self.baseline = algorithm.and_then(|name| self.rows.iter().position(|row| row.key == name));
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The footnotes.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text in the form asked for, ending in a line break.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Human { width, colour } => terminal::render(self, width, colour),
            Format::Json => export::json(self),
            Format::Csv => export::csv(self),
            Format::Markdown => export::markdown(self),
        }
    }

    fn given_columns(&self) -> usize {
        self.columns.iter().filter(|column| matches!(column.source, Source::Given(_))).count()
    }

    /// Whether it holds results that the machine's condition can spoil.
    pub(crate) fn is_timed(&self) -> bool {
        let has_interval = |cell: &Cell| matches!(cell.value, Value::Number { interval: Some(_), .. });
        self.columns.iter().any(|column| match &column.kind {
            Kind::Number { unit } => TIMES.contains(&unit.as_ref()),
            Kind::Text => false,
        }) || self.rows.iter().any(|row| row.cells.iter().any(has_interval))
    }

    /// Takes away the columns, save the first, in which no row holds anything, be it a mark.
    pub fn without_empty_columns(mut self) -> Table {
        let rows = &self.rows;
        let first = self.columns.first().map(|column| column.source);
        self.columns.retain(|column| {
            let (Source::Given(at) | Source::RatioOf(at)) = column.source;
            Some(column.source) == first
                || rows.iter().any(|row| row.cells[at].value != Value::Empty || row.cells[at].mark.is_some())
        });
        // The columns that stay still point at the same places of the rows; the rows keep the empty cells.
        self
    }

    /// The value in `column` of `row`, computed where the column is a ratio.
    pub(crate) fn cell(&self, row: &Row, column: &Column) -> Cell {
        match column.source {
            Source::Given(at) => row.cells.get(at).cloned().unwrap_or_default(),
            Source::RatioOf(at) => {
                let base = self.baseline.and_then(|index| self.rows.get(index));
                let of = |row: &Row| row.cells.get(at).filter(|cell| !cell.alone).and_then(Cell::number);
                match (of(row), base.and_then(of)) {
                    (Some(value), Some(base)) if base != 0.0 => Cell::from(value / base),
                    _ => Cell::default(),
                }
            }
        }
    }
}
