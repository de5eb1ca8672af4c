//! What the templates are filled with: strings that are ready to be shown, in the order of the page.

use std::borrow::Cow;
use std::collections::BTreeSet;

use askama::Template;
use fieldtest_measure::record::SecurityNote;

use super::limits::limits;
use super::marks::Marks;
use super::packed::{Tooltips, packed};
use super::section_view::{SectionView, section_view};
use crate::advice::matrix;
use crate::fact::{Fact, facts};
use crate::once::each_once;
use crate::plot::words;
use crate::report::Report;
use crate::section::identifier;
use crate::table::Mark;
use crate::{number, symbols};

#[derive(Template)]
#[template(path = "page.html")]
pub(super) struct Page<'a> {
    style: String,
    script: &'a str,
    policy: String,
    title: String,
    version: &'a str,
    runs: Vec<RunView<'a>>,
    facts: Vec<Fact>,
    statuses: Vec<Mark>,
    sections: Vec<SectionView>,
    /// What tooltips say, and what the script judges by.
    packed: String,
    /// The words of marks, which refer to them.
    marks: Vec<Cow<'static, str>>,
    algorithms: Vec<Named>,
    notes: Vec<Notes<'a>>,
    limits: Vec<String>,
    measured: usize,
    results: String,
    /// What a filter may look for.
    example: String,
}

struct RunView<'a> {
    run: &'a fieldtest_measure::record::Run,
    verdict: Mark,
    features: String,
}

/// What filters look for.
struct Named {
    algorithm: String,
    status: String,
    words: String,
}

/// Dated remarks, and the algorithms that they are about.
struct Notes<'a> {
    about: Vec<About<'a>>,
    said: &'a [SecurityNote],
    notes: Vec<NoteView<'a>>,
}

struct About<'a> {
    title: &'a str,
    algorithm: &'a str,
    kind: &'a str,
    status: Mark,
}

struct NoteView<'a> {
    date: &'a str,
    severity: Mark,
    text: &'a str,
    source: &'a str,
    /// The source as an address, if it is one that a browser may follow.
    address: Option<&'a str>,
}

impl<'a> From<&'a SecurityNote> for NoteView<'a> {
    fn from(note: &'a SecurityNote) -> NoteView<'a> {
        let schemes = ["https://", "http://"];
        NoteView {
            date: &note.date,
            severity: symbols::severity(&note.severity),
            text: &note.text,
            source: schemes.iter().fold(note.source.as_str(), |source, it| source.trim_start_matches(it)),
            address: schemes.iter().any(|it| note.source.starts_with(it)).then_some(note.source.as_str()),
        }
    }
}

impl<'a> Page<'a> {
    /// The page of `report` with this style and script, and what marks add to the style, under the content security policy
    /// that `policy` makes of both.
    pub(super) fn new(
        report: &'a Report,
        style: &str,
        script: &'a str,
        policy: fn(&str, &str) -> String,
    ) -> Page<'a> {
        let sections = report.sections();
        let studies: Vec<&str> = sections
            .iter()
            .filter(|section| report.records.iter().any(|record| identifier(&record.study) == section.id))
            .map(|section| section.title.as_str())
            .collect();
        let all =
            report.measured().into_iter().chain(report.candidates.iter().map(|it| it.algorithm.as_str()));
        let mut statuses = each_once(all.map(|algorithm| symbols::status(report.status(algorithm))));
        let mut sections: Vec<SectionView> =
            sections.iter().map(|section| section_view(report, section)).collect();
        statuses.sort_by_key(|status| symbols::status_rank(&status.word));
        let Marks { words: marks, style: of_marks } = Marks::of(&mut sections);
        let style = format!("{style}{of_marks}");
        Page {
            policy: policy(&style, script),
            style,
            script,
            title: if studies.is_empty() { "No results".to_owned() } else { studies.join(" · ") },
            version: report.runs.first().map_or("", |run| &run.version),
            runs: report
                .runs
                .iter()
                .map(|run| RunView {
                    run,
                    verdict: symbols::verdict(&run.verdict),
                    features: run.host.features.join(" "),
                })
                .collect(),
            facts: facts(report),
            statuses,
            packed: packed(&Tooltips::of(&mut sections), &matrix(report)),
            marks,
            algorithms: algorithms(report, &sections),
            sections,
            notes: notes(report),
            limits: limits(report),
            measured: report.measured().len(),
            results: number::grouped(&report.records.len().to_string()),
            example: example(report),
        }
    }
}

/// Every algorithm that a row, a point or a remark is about.
fn algorithms(report: &Report, sections: &[SectionView]) -> Vec<Named> {
    let rows = sections.iter().flat_map(|section| &section.tables).flat_map(|table| &table.rows);
    let mut all: BTreeSet<&str> = rows.map(|row| row.algorithm.as_str()).collect();
    all.extend(report.measured());
    all.extend(report.candidates.iter().map(|candidate| candidate.algorithm.as_str()));
    let named = |algorithm: &str| Named {
        algorithm: algorithm.to_owned(),
        status: report.status(algorithm).to_owned(),
        words: words(report, algorithm),
    };
    all.into_iter().map(named).collect()
}

/// Words that a filter would find here.
fn example(report: &Report) -> String {
    let known = [
        ("signature", "lattice, falcon, "),
        ("mac", "hmac, "),
        ("hash", "keccak, sha, "),
        ("cipher", "aes, lea, "),
    ];
    let has = |kind: &str| report.candidates.iter().any(|candidate| candidate.kind == kind);
    let words: String = known.iter().filter(|(kind, _)| has(kind)).map(|(_, words)| *words).collect();
    format!("{words}…")
}

/// The remarks, once for all algorithms of which they are made.
fn notes(report: &Report) -> Vec<Notes<'_>> {
    let mut all: Vec<Notes> = Vec::new();
    for candidate in report.candidates.iter().filter(|candidate| !candidate.notes.is_empty()) {
        let about = About {
            title: &candidate.title,
            algorithm: &candidate.algorithm,
            kind: symbols::kind(&candidate.kind),
            status: symbols::status(&candidate.status),
        };
        match all.iter_mut().find(|it| it.said == candidate.notes) {
            Some(same) => same.about.push(about),
            None => all.push(Notes {
                about: vec![about],
                said: &candidate.notes,
                notes: candidate.notes.iter().map(NoteView::from).collect(),
            }),
        }
    }
    all
}
