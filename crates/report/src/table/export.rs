//! A table as JSON, CSV and Markdown. JSON and CSV carry full values, Markdown what a reader sees.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::{Cell, Column, Kind, Row, Shown, Table, Value};
use fieldtest_text as text;

use crate::number::full;

/// One JSON object with the title, the columns with their units, the rows as objects by column name, the notes.
pub(super) fn json(table: &Table) -> String {
    // A table holds no maps with other keys than strings and no results that are not finite, so this cannot fail.
    let text = serde_json::to_string_pretty(table).map(|text| text + "\n").unwrap_or_default();
    text::json(&text).into_owned()
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Table", 5)?;
        out.serialize_field("title", &self.title)?;
        out.serialize_field("columns", &self.columns.iter().map(ColumnHead).collect::<Vec<_>>())?;
        out.serialize_field(
            "rows",
            &self.rows.iter().map(|row| RowObject { table: self, row }).collect::<Vec<_>>(),
        )?;
        out.serialize_field("baseline", &self.baseline.filter(|&row| row < self.rows.len()))?;
        out.serialize_field("notes", &self.notes)?;
        out.end()
    }
}

struct ColumnHead<'a>(&'a Column);

impl Serialize for ColumnHead<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(None)?;
        out.serialize_entry("name", &self.0.name)?;
        if let Kind::Number { unit } = &self.0.kind
            && !unit.is_empty()
        {
            out.serialize_entry("unit", unit)?;
        }
        out.end()
    }
}

struct RowObject<'a> {
    table: &'a Table,
    row: &'a Row,
}

impl Serialize for RowObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(None)?;
        for column in &self.table.columns {
            let cell = self.table.cell(self.row, column);
            match &cell.value {
                Value::Empty => out.serialize_entry(&column.name, &None::<f64>)?,
                Value::Text(text) => out.serialize_entry(&column.name, text)?,
                Value::Number { value, interval, approximate } => {
                    if value.fract() == 0.0 && value.abs() < 9e15 {
                        out.serialize_entry(&column.name, &(*value as i64))?;
                    } else {
                        out.serialize_entry(&column.name, value)?;
                    }
                    if let Some(interval) = interval {
                        out.serialize_entry(&format!("{} interval", column.name), interval)?;
                    }
                    if *approximate {
                        out.serialize_entry(&format!("{} approximate", column.name), &true)?;
                    }
                }
            }
            if let Some(mark) = &cell.mark {
                out.serialize_entry(&format!("{} mark", column.name), &mark.word)?;
            }
        }
        out.end()
    }
}

/// Lines of comma-separated values, RFC 4180 with bare line feeds: `sign [cycles]`, and, where any row has them,
/// `sign low [cycles]`, `sign high [cycles]` and `sign mark`.
pub(super) fn csv(table: &Table) -> String {
    let mut head = Vec::new();
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); table.rows.len()];
    for column in &table.columns {
        let cells: Vec<Cell> = table.rows.iter().map(|row| table.cell(row, column)).collect();
        let unit = match &column.kind {
            Kind::Number { unit } if !unit.is_empty() => format!(" [{unit}]"),
            _ => String::new(),
        };
        let mut push = |name: String, write: &dyn Fn(&Cell) -> String| {
            head.push(name);
            for (line, cell) in lines.iter_mut().zip(&cells) {
                line.push(write(cell));
            }
        };
        push(format!("{}{unit}", column.name), &|cell| match &cell.value {
            Value::Empty => String::new(),
            Value::Text(text) => text.clone(),
            Value::Number { value, .. } => full(*value),
        });
        if cells.iter().any(|cell| bound(cell, 0).is_some()) {
            for (end, word) in [(0, "low"), (1, "high")] {
                let name = format!("{} {word}{unit}", column.name);
                push(name, &move |cell| bound(cell, end).map(full).unwrap_or_default());
            }
        }
        if cells.iter().any(|cell| cell.mark.is_some()) {
            let name = format!("{} mark", column.name);
            push(name, &|cell| cell.mark.as_ref().map(|mark| mark.word.to_string()).unwrap_or_default());
        }
    }
    let mut out = csv_line(&head);
    for line in &lines {
        out.push_str(&csv_line(line));
    }
    out
}

fn bound(cell: &Cell, end: usize) -> Option<f64> {
    match cell.value {
        Value::Number { interval: Some(interval), .. } => Some(interval[end]),
        _ => None,
    }
}

pub(crate) fn csv_line(fields: &[String]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|field| {
            if field.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", field.replace('"', "\"\""))
            } else {
                field.clone()
            }
        })
        .collect();
    fields.join(",") + "\n"
}

/// A heading, the table, and the footnotes as a list.
pub(super) fn markdown(table: &Table) -> String {
    let shown = Shown::of(table);
    let mut out = String::new();
    if !table.title().is_empty() {
        out.push_str(&format!("### {}\n\n", escape(table.title())));
    }
    if !shown.columns.is_empty() {
        let head = shown.columns.iter().map(|column| {
            let unit = if column.unit.is_empty() { String::new() } else { format!(", {}", column.unit) };
            escape(&format!("{}{unit}", column.name))
        });
        out.push_str(&markdown_line(head));
        out.push_str(&markdown_line(
            shown.columns.iter().map(|column| if column.numeric { "--:" } else { ":--" }.to_owned()),
        ));
        for row in 0..shown.keys.len() {
            out.push_str(&markdown_line(shown.columns.iter().map(|column| {
                let cell = &column.cells[row];
                let mark = cell.mark.as_ref().map_or("", |mark| &*mark.symbol);
                let parts = if column.numeric {
                    [&cell.text, &cell.margin, mark]
                } else {
                    [mark, &cell.text, &cell.margin]
                };
                let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                escape(&parts.join(" "))
            })));
        }
    }
    let legend = shown.legend();
    for (at, note) in table.notes().iter().chain(&legend).enumerate() {
        out.push_str(if at == 0 { "\n* " } else { "* " });
        out.push_str(&escape(note));
        out.push('\n');
    }
    out
}

fn markdown_line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Takes from `text` whatever Markdown or the HTML within it would act on.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text::line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
