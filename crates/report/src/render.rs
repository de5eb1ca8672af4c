//! A report as people and programs read it.

use fieldtest_measure::record::Run;
use fieldtest_text as text;
use serde::Serialize;

use crate::advice::{Advice, said};
use crate::report::Report;
use crate::section::{Section, identifier};
use crate::table::{Format, csv_line, escape};
use crate::{Error, page};

/// Lines of the tables in a brief report: of one carrier, and of all together.
const LINES: usize = 34;
const ALL_LINES: usize = 70;

/// A report as JSON.
#[derive(Serialize)]
struct Whole<'a> {
    runs: Vec<&'a Run>,
    baseline: Option<&'a str>,
    sections: Vec<Section>,
}

impl Report {
    /// The report as text: all tables for people, Markdown and JSON; for CSV the records themselves, one a line.
    pub fn render(&self, format: Format) -> String {
        whole(std::slice::from_ref(self), self.baseline(), || self.sections(), format)
    }

    /// What people are shown first: a verdict on each carrier in a few lines. `None` where none of the studies has one.
    pub fn brief(&self, format: Format) -> Option<String> {
        let verdicts = self.verdicts();
        if verdicts.is_empty() {
            return None;
        }
        let lines = LINES.min(ALL_LINES / verdicts.len());
        let sections = self.sections();
        let brief = |advice: &Advice| {
            let title =
                self.study_section(advice.study).map_or(advice.study, |study_section| study_section.title);
            let rule = "═".repeat(title.chars().count());
            // The study's own first table, where it is short: whoever measures two algorithms wants their results.
            let own = sections.iter().find(|it| it.id == identifier(advice.study)).into_iter();
            let own = own.flat_map(|it| &it.tables).find(|table| !Advice::is_of_verdict(table));
            let own = own.map(|table| table.render(format)).filter(|text| text.lines().count() <= lines);
            let table = match own {
                None => advice.table(format, lines),
                // Results of algorithms that nobody may take leave the question open what to give up.
                Some(own) if advice.survivors.is_empty() => {
                    let left = lines - own.lines().count();
                    own + &advice.table(format, left)
                }
                Some(own) => own,
            };
            format!("{title}\n{rule}\n{}\n{table}", said(&advice.own_lines(), format))
        };
        let mut out = verdicts.iter().map(brief).collect::<Vec<_>>().join("\n");
        if let Some(disturbance) = self.disturbance().filter(|it| !out.contains(it.as_str())) {
            out.push_str(&format!("\n{disturbance}\n"));
        }
        Some(out)
    }

    /// The report as one HTML page that loads nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Template`] if the template cannot be filled, which no records can cause.
    pub fn html(&self) -> Result<String, Error> {
        page::page(self)
    }
}

/// Reports as text, of one host or of several, by the sections that are made of them.
pub(crate) fn whole(
    reports: &[Report],
    baseline: Option<&str>,
    sections: impl FnOnce() -> Vec<Section>,
    format: Format,
) -> String {
    match format {
        Format::Human { .. } => {
            let texts = sections().into_iter().map(|section| {
                let said = match section.recommendation[..] {
                    [] => String::new(),
                    _ => said(&section.recommendation, format) + "\n",
                };
                let tables: Vec<String> = section.tables.iter().map(|table| table.render(format)).collect();
                let title = text::line(&section.title);
                let rule = "═".repeat(title.chars().count());
                format!("{title}\n{rule}\n{said}{}", tables.join("\n"))
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Format::Markdown => {
            let mut out = String::new();
            for section in sections() {
                out.push_str(&format!("## {}\n\n{}\n\n", escape(&section.title), escape(&section.lead)));
                out.push_str(&said(&section.recommendation, format));
                out.push('\n');
                for table in section.tables {
                    out.push_str(&table.render(format));
                    out.push('\n');
                }
            }
            out
        }
        Format::Json => {
            let runs = reports.iter().flat_map(Report::runs).collect();
            let whole = Whole { runs, baseline, sections: sections() };
            // Every result is finite and every key is a string, so this cannot fail.
            let text = serde_json::to_string_pretty(&whole).map(|text| text + "\n").unwrap_or_default();
            text::json(&text).into_owned()
        }
        Format::Csv => records_csv(reports),
    }
}

/// The records, one a line, for a spreadsheet or a data frame.
fn records_csv(reports: &[Report]) -> String {
    const HEAD: &str = "study,algorithm,implementation,version,operation,subject,value,unit,low,high,estimator,\
        samples,shared,vectors,origins,input,measured,of,notes,run,host,machine\n";
    let mut out = HEAD.to_owned();
    for (record, run) in reports.iter().flat_map(Report::records_with_runs) {
        // An exact result is the same on any machine.
        let judged = run.filter(|_| record.samples > 0).map(|run| run.verdict.clone());
        let implementation = record.implementation.as_ref();
        let bound = |end: usize| record.interval.map(|bounds| bounds[end].to_string()).unwrap_or_default();
        out.push_str(&csv_line(&[
            record.study.clone(),
            record.algorithm.clone(),
            implementation.map(|it| it.name.clone()).unwrap_or_default(),
            implementation.map(|it| it.version.clone()).unwrap_or_default(),
            record.operation.clone(),
            record.subject.clone(),
            record.value.to_string(),
            record.unit.clone(),
            bound(0),
            bound(1),
            record.estimator.clone(),
            record.samples.to_string(),
            record.shared.map(|shared| shared.value.to_string()).unwrap_or_default(),
            record.proof.as_ref().map(|proof| proof.vectors.to_string()).unwrap_or_default(),
            record.proof.as_ref().map(|proof| proof.origins.join("; ")).unwrap_or_default(),
            record.input.as_ref().map(|input| input.name.clone()).unwrap_or_default(),
            record.part.map(|part| part.measured.to_string()).unwrap_or_default(),
            record.part.map(|part| part.of.to_string()).unwrap_or_default(),
            record.notes.join("; "),
            run.map(|run| run.started.clone()).unwrap_or_default(),
            run.map(|run| run.host.id.clone()).unwrap_or_default(),
            judged.unwrap_or_default(),
        ]));
    }
    out
}
