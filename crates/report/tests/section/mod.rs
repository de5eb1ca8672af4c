//! What the tests of every study's section ask a report.

use fieldtest_measure::record::{Line, Record};
use fieldtest_report::{Format, Report, Table};
use serde_json::Value;

pub(crate) fn report(lines: Vec<Line>) -> Report {
    Report::from_lines(lines).unwrap()
}

pub(crate) fn tables(report: &Report, section: &str) -> Vec<Table> {
    report.sections().into_iter().find(|it| it.id == section).map(|it| it.tables).unwrap_or_default()
}

pub(crate) fn table(report: &Report, section: &str, title: &str) -> Value {
    let found = tables(report, section).into_iter().find(|table| table.title() == title).unwrap();
    serde_json::from_str(&found.render(Format::Json)).unwrap()
}

pub(crate) fn row<'a>(table: &'a Value, algorithm: &str) -> &'a Value {
    table["rows"].as_array().unwrap().iter().find(|row| row["algorithm"] == algorithm).unwrap()
}

/// The page without its style and script.
pub(crate) fn body(lines: Vec<Line>) -> String {
    let html = report(lines).html().unwrap();
    let body = html.split_once("</style>").unwrap().1;
    body.split_once("<script>").unwrap().0.to_owned()
}

/// The lines without the records that are not to be kept.
pub(crate) fn only(lines: Vec<Line>, keep: impl Fn(&Record) -> bool) -> Vec<Line> {
    let lines = lines.into_iter();
    lines.filter(|line| if let Line::Record(record) = line { keep(record) } else { true }).collect()
}
