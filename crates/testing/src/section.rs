//! What the tests of every study's section ask a report.

use fieldtest_measure::record::{Line, OWN, Record};
use fieldtest_report::{Chapters, Format, Report, Table};
use serde_json::Value;

use crate::synthetic;

/// A report that has one chapter.
pub fn report(chapters: Chapters, lines: Vec<Line>) -> Report {
    Report::from_lines(lines, chapters).unwrap()
}

/// The section's tables, those of the verdict apart.
pub fn tables(report: &Report, section: &str) -> Vec<Table> {
    let found = report.sections().into_iter().find(|it| it.id == section);
    let tables = found.map(|it| it.tables).unwrap_or_default().into_iter();
    tables.filter(|table| !["Who qualifies", "Who does not"].contains(&table.title())).collect()
}

pub fn table(report: &Report, section: &str, title: &str) -> Value {
    let found = tables(report, section).into_iter().find(|table| table.title() == title).unwrap();
    serde_json::from_str(&found.render(Format::Json)).unwrap()
}

pub fn row<'a>(table: &'a Value, algorithm: &str) -> &'a Value {
    table["rows"].as_array().unwrap().iter().find(|row| row["algorithm"] == algorithm).unwrap()
}

/// The page without its style and script.
pub fn body(chapters: Chapters, lines: Vec<Line>) -> String {
    let html = report(chapters, lines).html().unwrap();
    let body = html.split_once("</style>").unwrap().1;
    body.split_once("<script>").unwrap().0.to_owned()
}

/// The lines without the records that are not to be kept.
pub fn only(lines: Vec<Line>, keep: impl Fn(&Record) -> bool) -> Vec<Line> {
    let lines = lines.into_iter();
    lines.filter(|line| if let Line::Record(record) = line { keep(record) } else { true }).collect()
}

/// Every record of a study is in a table of its chapter, and none among the figures that no table asks for.
pub fn leaves_nothing(chapters: Chapters, study: &str, records: Vec<Record>) {
    let lines = std::iter::once(Line::Run(synthetic::run())).chain(records.into_iter().map(Line::Record));
    let tables = tables(&report(chapters, lines.collect()), study);
    assert!(!tables.is_empty());
    let left = tables.iter().find(|table| table.title() == "Other figures");
    assert!(left.is_none(), "{}", left.map_or(String::new(), |table| table.render(Format::Markdown)));
}

/// A figure that is all there is: operation, subject, value, unit, and what of it must be seen.
pub type Lonely<'a> = (&'a str, &'a str, f64, &'a str, &'a str);

/// No figure is lost and none breaks the page, however odd it is and with nothing beside it.
pub fn shows_each_alone(chapters: Chapters, carrier: &str, figures: &[Lonely<'_>]) {
    for &(operation, subject, value, unit, seen) in figures {
        let record = synthetic::record(carrier, "lonely", operation, subject, value, unit);
        let lines = vec![Line::Run(synthetic::run()), Line::Record(record)];
        assert!(report(chapters, lines.clone()).render(Format::Json).contains(seen), "{seen}");
        let body = body(chapters, lines);
        assert!(!body.contains("NaN") && !body.contains(">inf"), "{seen}");
    }
}

/// What somebody might call an algorithm who wants the page to run a script.
pub const EVIL: &str = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>&\u{1b}[31m";

/// The page shows hostile names and never obeys them. `rename` gives them to subjects, where the study makes them of
/// names.
pub fn shows_evil_as_text(chapters: Chapters, mut lines: Vec<Line>, rename: impl Fn(&mut Record)) {
    for line in &mut lines {
        match line {
            Line::Candidate(it) => {
                it.title = EVIL.to_owned();
                it.kind = EVIL.to_owned();
                it.notes.iter_mut().for_each(|note| note.text = EVIL.to_owned());
            }
            Line::Record(it) => {
                rename(it);
                it.notes = vec![EVIL.to_owned()];
                it.input.iter_mut().for_each(|input| input.name = EVIL.to_owned());
                // This project's own code is known by its name.
                if let Some(it) = it.implementation.as_mut().filter(|it| it.name != OWN) {
                    it.name = format!("{}{EVIL}", it.name);
                }
            }
            Line::Run(_) => {}
        }
    }
    let body = body(chapters, lines);
    assert!(body.contains("alert(1)"));
    assert!(!body.contains("<script") && !body.contains("<img") && !body.contains("onerror='"));
}
