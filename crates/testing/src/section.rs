//! What the tests of every study's section ask a report.

use std::io::Read as _;

use base64ct::{Base64, Encoding as _};
use fieldtest_measure::record::{Line, OWN, Record};
use fieldtest_report::{Format, Report, StudySections, Table};
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::synthetic;

/// A section under test: its chapter alone, over made-up records.
pub struct Section {
    pub study_sections: StudySections,
    pub lines: fn() -> Vec<Line>,
}

impl Section {
    pub fn report(&self) -> Report {
        report(self.study_sections, (self.lines)())
    }

    /// Its report of other lines.
    pub fn report_of(&self, lines: Vec<Line>) -> Report {
        report(self.study_sections, lines)
    }

    pub fn tables(&self) -> Vec<Table> {
        tables(&self.report(), self.study_sections[0].study)
    }

    pub fn titles(&self) -> Vec<String> {
        self.tables().iter().map(|table| table.title().to_owned()).collect()
    }

    pub fn table(&self, title: &str) -> Value {
        self.table_of((self.lines)(), title)
    }

    pub fn table_of(&self, lines: Vec<Line>, title: &str) -> Value {
        table(&self.report_of(lines), self.study_sections[0].study, title)
    }

    /// The page without its style and script.
    pub fn body(&self) -> String {
        self.body_of((self.lines)())
    }

    pub fn body_of(&self, lines: Vec<Line>) -> String {
        body(self.study_sections, lines)
    }

    /// The lines without the records that are not to be kept.
    pub fn only(&self, keep: impl Fn(&Record) -> bool) -> Vec<Line> {
        only((self.lines)(), keep)
    }

    /// Every result but flags, which become marks, stands in its tables, and none among those that no table asks for.
    pub fn loses_nothing(&self) {
        let json: String = self.tables().iter().map(|table| table.render(Format::Json)).collect();
        for line in (self.lines)() {
            if let Line::Record(record) = line
                && record.unit != "flag"
            {
                assert!(json.contains(&record.value.to_string()), "{record:?}");
            }
        }
        assert!(!json.contains("Other figures"));
    }

    /// Its tables fit a terminal of 120 columns, but for those that are continued once below themselves.
    pub fn fits_a_terminal(&self, wide: &[&str]) {
        for table in self.tables() {
            let text = table.render(Format::Human { width: 120, colour: false });
            let rules = text.lines().filter(|line| line.starts_with('─')).count();
            assert_eq!(rules, if wide.contains(&table.title()) { 2 } else { 1 }, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
        }
    }

    /// Its first picture, in which names stand in this order.
    pub fn draws_in_order(&self, names: &[&str]) -> String {
        let body = self.body();
        let plot = body.split_once("</dl>").unwrap().1.split_once("</svg></div>").unwrap().0;
        let place =
            |name: &str| plot.find(&format!(">{name}</text>")).unwrap_or_else(|| panic!("{name}\n{plot}"));
        assert!(names.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{plot}");
        plot.to_owned()
    }

    /// As [`shows_each_alone`].
    pub fn shows_each_alone(&self, results: &[Lonely<'_>]) {
        shows_each_alone(self.study_sections, self.study_sections[0].study, results);
    }

    /// As [`shows_evil_as_text`].
    pub fn shows_evil_as_text(&self, rename: impl Fn(&mut Record)) {
        shows_evil_as_text(self.study_sections, (self.lines)(), rename);
    }
}

/// A report that has one chapter.
pub fn report(study_sections: StudySections, lines: Vec<Line>) -> Report {
    Report::from_lines(lines, study_sections).unwrap()
}

/// The section's tables, those of the verdict apart.
pub fn tables(report: &Report, section: &str) -> Vec<Table> {
    let found = report.sections().into_iter().find(|it| it.id == section);
    let tables = found.map(|it| it.tables).unwrap_or_default().into_iter();
    tables.filter(|table| !["Accepted", "Rejected"].contains(&table.title())).collect()
}

pub fn table(report: &Report, section: &str, title: &str) -> Value {
    let found = tables(report, section).into_iter().find(|table| table.title() == title).unwrap();
    serde_json::from_str(&found.render(Format::Json)).unwrap()
}

pub fn row<'a>(table: &'a Value, algorithm: &str) -> &'a Value {
    table["rows"].as_array().unwrap().iter().find(|row| row["algorithm"] == algorithm).unwrap()
}

/// The page without its style and script, and as JSON what it carries compressed for the script, tooltips among it.
pub fn body(study_sections: StudySections, lines: Vec<Line>) -> String {
    let body = shown(study_sections, lines);
    let (before, packed) = body.split_once(r#"<pre id="packed" hidden>"#).unwrap();
    let (packed, after) = packed.split_once('<').unwrap();
    let mut content = Vec::new();
    let bytes = Base64::decode_vec(packed).unwrap();
    GzDecoder::new(&bytes[..]).read_to_end(&mut content).unwrap();
    // WebAssembly follows, which begins with a byte that JSON does not have.
    let json = content.split(|byte| *byte == 0).next().unwrap_or_default();
    // Without the Base64, which may spell any word.
    format!("{before}<{after}{}", str::from_utf8(json).unwrap())
}

/// The page without its style and script.
fn shown(study_sections: StudySections, lines: Vec<Line>) -> String {
    let html = report(study_sections, lines).html().unwrap();
    let body = html.split_once("</style>").unwrap().1;
    body.split_once("<script>").unwrap().0.to_owned()
}

/// The lines without the records that are not to be kept.
pub fn only(lines: Vec<Line>, keep: impl Fn(&Record) -> bool) -> Vec<Line> {
    let lines = lines.into_iter();
    lines.filter(|line| if let Line::Record(record) = line { keep(record) } else { true }).collect()
}

/// Every record of a study is in a table of its chapter, and none among the results that no table asks for.
pub fn leaves_nothing(study_sections: StudySections, study: &str, records: Vec<Record>) {
    let lines = std::iter::once(Line::Run(synthetic::run())).chain(records.into_iter().map(Line::Record));
    let tables = tables(&report(study_sections, lines.collect()), study);
    assert!(!tables.is_empty());
    let left = tables.iter().find(|table| table.title() == "Other results");
    assert!(left.is_none(), "{}", left.map_or(String::new(), |table| table.render(Format::Markdown)));
}

/// A result that is all there is: operation, subject, value, unit, and what of it must be seen.
pub type Lonely<'a> = (&'a str, &'a str, f64, &'a str, &'a str);

/// No result is lost and none breaks the page, however odd it is and with nothing beside it.
pub fn shows_each_alone(study_sections: StudySections, carrier: &str, results: &[Lonely<'_>]) {
    for &(operation, subject, value, unit, seen) in results {
        let record = synthetic::record(carrier, "lonely", operation, subject, value, unit);
        let lines = vec![Line::Run(synthetic::run()), Line::Record(record)];
        assert!(report(study_sections, lines.clone()).render(Format::Json).contains(seen), "{seen}");
        let body = body(study_sections, lines);
        assert!(!body.contains("NaN") && !body.contains(">inf"), "{seen}");
    }
}

/// What somebody might call an algorithm who wants the page to run a script.
pub const EVIL: &str = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>&\u{1b}[31m";

/// The page shows hostile names and never obeys them. `rename` gives them to subjects, where the study makes them of
/// names.
pub fn shows_evil_as_text(study_sections: StudySections, mut lines: Vec<Line>, rename: impl Fn(&mut Record)) {
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
    let body = shown(study_sections, lines);
    assert!(body.contains("alert(1)"));
    assert!(!body.contains("<script") && !body.contains("<img") && !body.contains("onerror='"));
}
