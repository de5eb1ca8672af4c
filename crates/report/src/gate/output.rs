//! A gate's decisions as text, JSON, CSV, JUnit XML and SARIF.

use std::collections::BTreeSet;

use fieldtest_text as text;
use serde_json::{Value, json};

use super::{Finding, Gate, Ruling, State};
use crate::compare::render::differences;
use crate::compare::tables::{cells, named};
use crate::plot::svg::escape;
use crate::table::{Cell, Format, Table};

/// Every ruling, in the order in which they are listed, with whether it can keep the gate shut.
const RULINGS: [(Ruling, bool); 9] = [
    (Ruling::Worse, true),
    (Ruling::Missing, true),
    (Ruling::OtherInput, true),
    (Ruling::Undecided, true),
    (Ruling::Missing, false),
    (Ruling::OtherInput, false),
    (Ruling::Undecided, false),
    (Ruling::Allowed, false),
    (Ruling::Changed, false),
];

/// From which share on a value is shown although its interval, or the want of one, decides nothing.
const DOUBTFUL: f64 = 0.5;

impl Gate {
    /// The decision as text: one line that says it, then what keeps the gate shut, and exceptions. JSON and CSV have all
    /// findings.
    #[must_use]
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Json => {
                // Infinite shares are left out and every key is a string, so this cannot fail.
                let text = serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default();
                text::json(&text).into_owned()
            }
            Format::Csv => self.table("Findings", |_| true).render(format),
            Format::Human { .. } | Format::Markdown => {
                let line = text::line(&self.headline()).into_owned();
                let differs = differences(&self.differs).map(|it| text::line(&it).into_owned());
                let line = match format {
                    Format::Markdown => {
                        let differs = differs.map(|it| format!("\n{}\n", crate::table::escape(&it)));
                        let line = crate::table::escape(&line);
                        format!("## fieldtest gate\n\n**{line}**\n{}", differs.unwrap_or_default())
                    }
                    _ => line + "\n" + &differs.map(|it| it + "\n").unwrap_or_default(),
                };
                // On a shared machine hundreds of times are undecided, which the line above counts.
                let is_exception = |it: &Finding| matches!(it.ruling, Ruling::Allowed | Ruling::Changed);
                let is_doubtful = |it: &Finding| {
                    it.ruling == Ruling::Undecided && it.looks_worse_by.is_some_and(|by| by > DOUBTFUL)
                };
                let tables = [
                    self.table("What fails", |finding| finding.fails),
                    self.table("Undecided, although the value is much worse", |it| {
                        !it.fails && is_doubtful(it)
                    }),
                    self.table("Allowed or changed", |finding| !finding.fails && is_exception(finding)),
                ];
                let tables = tables.iter().filter(|table| !table.is_empty());
                tables.fold(line, |out, table| out + "\n" + &table.render(format))
            }
        }
    }

    /// One line: open or not, and what was found.
    #[must_use]
    pub fn headline(&self) -> String {
        let state = match self.state() {
            State::Open => "pass",
            State::Worse => "fail",
            State::Undecided => "cannot decide",
        };
        let counts = RULINGS.into_iter().filter_map(|(ruling, fails)| {
            let count = self.count(ruling, fails);
            let how = if fails { "" } else { " (allowed by the policy)" };
            let how = if matches!(ruling, Ruling::Allowed | Ruling::Changed) { "" } else { how };
            (count > 0).then(|| format!("{count} {}{how}", ruling.word()))
        });
        let counts: Vec<String> = counts.collect();
        let counts = if counts.is_empty() { "none worse".to_owned() } else { counts.join(", ") };
        let counts = if self.no_time_decided { counts + "; no time is decided" } else { counts };
        format!("{state}: {} results of {} against {}: {counts}", self.compared, self.new, self.base)
    }

    fn table(&self, title: &str, wanted: impl Fn(&Finding) -> bool) -> Table {
        let table = named(Table::new(title), &self.base, &self.new);
        let mut table = table.texts(["worse by", "allowed", "result", "reason"]);
        for finding in self.findings.iter().filter(|finding| wanted(finding)) {
            let name = &finding.name;
            let any = || if finding.ruling == Ruling::Allowed { "any".to_owned() } else { String::new() };
            let mut row: Vec<Cell> =
                cells(name, name.implementation.clone(), [finding.was, finding.is.unwrap_or(finding.was)]);
            if let (None, Some(cell)) = (finding.is, row.last_mut()) {
                *cell = Cell::default();
            }
            row.extend([
                finding.worse_by.or(finding.looks_worse_by.map(|by| [by; 2])).map(span).into(),
                finding.allowed.map_or_else(any, percent).into(),
                finding.ruling.word().into(),
                finding.reason.as_str().into(),
            ]);
            table.keyed_row(&name.algorithm, row);
        }
        table.without_empty_columns()
    }

    /// JUnit XML, as CI services read it: a suite for each study, a case for each algorithm.
    #[must_use]
    pub fn junit(&self) -> String {
        let mut suites = String::new();
        let studies: BTreeSet<&str> = self.checked.iter().map(|(study, _)| &**study).collect();
        let mut counts = [0; 3];
        for study in studies {
            let mut of_study = [0; 3];
            let mut cases = String::new();
            for (_, algorithm) in self.checked.iter().filter(|(of, _)| of == study) {
                let found = || {
                    self.findings
                        .iter()
                        .filter(|it| it.name.study == study && it.name.algorithm == *algorithm)
                };
                of_study[0] += 1;
                cases += &format!(r#"<testcase classname="{}" name="{}">"#, escape(study), escape(algorithm));
                for (element, index, is_loss) in [("failure", 1, true), ("error", 2, false)] {
                    let lines: Vec<String> = found()
                        .filter(|it| it.fails && it.ruling.is_loss() == is_loss)
                        .map(Finding::sentence)
                        .collect();
                    if let Some(first) = lines.first() {
                        of_study[index] += 1;
                        let (first, all) = (escape(first), escape(&lines.join("\n")));
                        cases += &format!(r#"<{element} message="{first}">{all}</{element}>"#);
                    }
                }
                let passed: Vec<String> = found().filter(|it| !it.fails).map(Finding::sentence).collect();
                if !passed.is_empty() {
                    cases += &format!("<system-out>{}</system-out>", escape(&passed.join("\n")));
                }
                cases += "</testcase>\n";
            }
            suites += &suite("testsuite", study, of_study, &cases);
            counts.iter_mut().zip(of_study).for_each(|(all, one)| *all += one);
        }
        r#"<?xml version="1.0" encoding="UTF-8"?>"#.to_owned()
            + "\n"
            + &suite("testsuites", "fieldtest gate", counts, &suites)
    }

    /// SARIF 2.1.0, as code scanning reads it: a result for each finding that fails, at the records file `of`. Each becomes an
    /// alert, and a noisy run has hundreds of findings that do not fail.
    #[must_use]
    pub fn sarif(&self, of: &str, version: &str) -> String {
        let ids: BTreeSet<&str> = RULINGS.iter().map(|(ruling, _)| ruling.word()).collect();
        let rules: Vec<Value> = ids
            .iter()
            .map(|id| json!({ "id": id, "shortDescription": { "text": format!("a result is {id}") } }))
            .collect();
        let place = json!([{ "physicalLocation": { "artifactLocation": { "uri": uri(of) }, "region": { "startLine": 1 } } }]);
        let results: Vec<Value> = self
            .findings
            .iter()
            .filter(|finding| finding.fails)
            .map(|finding| {
                let level = if finding.ruling.is_loss() { "error" } else { "warning" };
                json!({
                    "ruleId": finding.ruling.word(),
                    "level": level,
                    "message": { "text": finding.sentence() },
                    "locations": place,
                    // The same result of two runs is one alert.
                    "partialFingerprints": { "result/v1": finding.name.words().join("/") },
                })
            })
            .collect();
        let document = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "fieldtest gate", "version": version, "rules": rules } },
                "results": results,
            }],
        });
        text::json(&format!("{document:#}\n")).into_owned()
    }
}

impl Finding {
    /// What was found, in one line.
    fn sentence(&self) -> String {
        let name = &self.name;
        let words: Vec<&str> = name.words().into_iter().filter(|it| !it.is_empty()).collect();
        let is = self.is.map_or_else(|| "absent".to_owned(), |is| format!("{is}"));
        let by = self.worse_by.map_or_else(String::new, |ends| format!(", worse by {}", span(ends)));
        let allowed = self.allowed.map_or_else(String::new, |share| format!(", allowed {}", percent(share)));
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        let line = format!(
            "{} {}: {} to {is} {}{by}{allowed}{reason}",
            words.join(" "),
            self.ruling.word(),
            self.was,
            name.unit
        );
        text::line(&line).into_owned()
    }
}

fn suite(element: &str, name: &str, [tests, failures, errors]: [usize; 3], content: &str) -> String {
    let name = escape(name);
    format!(
        "<{element} name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n{content}</{element}>\n"
    )
}

/// A path as a URI reference (RFC 3986, section 3.3): a colon in it would begin a scheme.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// By how much something is worse: one number if it is exact.
fn span([low, high]: [f64; 2]) -> String {
    if low == high { percent(low) } else { format!("{} to {}", percent(low), percent(high)) }
}

/// A share that may be as small as a byte of a zone.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    // Two digits that count, however small it is.
    let digits =
        if percent == 0.0 { 0 } else { (1.0 - percent.abs().log10().floor()).clamp(1.0, 9.0) as usize };
    let text = format!("{percent:.digits$}");
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}
