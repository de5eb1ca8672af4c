//! A comparison as text: a summary first, then tables.

use fieldtest_measure::record::Run;
use fieldtest_text as text;

use super::hosts::of_all;
use super::tables::change;
use super::{Comparison, Differs, Held, Told, Verdict, csv};
use crate::number::count;
use crate::report::QUIET;
use crate::table::{Format, escape};

impl Comparison {
    /// The comparison as text. People get a summary, what changed and how much cannot be told, and with `all` every
    /// result; JSON and CSV always have all.
    pub fn render(&self, format: Format, all: bool) -> String {
        match format {
            Format::Human { .. } => self.human(format, all),
            Format::Markdown => self.markdown(format, all),
            Format::Csv => csv::csv(self),
            Format::Json => {
                // Every result is finite and every key is a string, so this cannot fail.
                let text = serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default();
                text::json(&text).into_owned()
            }
        }
    }

    fn human(&self, format: Format, all: bool) -> String {
        let mut lines = vec![format!("{}: {}", self.first, of_runs(&self.runs, true))];
        for held in &self.others {
            lines.push(format!("{}: {}", held.label, of_runs(&held.runs, !held.same_machine)));
            lines.extend(held.summary(&self.first).into_iter().map(|line| format!("  {line}")));
        }
        let mut out = String::new();
        for line in lines {
            out.push_str(&text::line(&line));
            out.push('\n');
        }
        for held in &self.others {
            let heading = format!("{} against {}", held.label, self.first);
            for (at, table) in self.tables(held, all).iter().enumerate() {
                if at == 0 && self.others.len() > 1 {
                    let rule = "═".repeat(text::line(&heading).chars().count());
                    out.push_str(&format!("\n{}\n{rule}", text::line(&heading)));
                }
                out.push('\n');
                out.push_str(&table.render(format));
            }
        }
        out
    }

    fn markdown(&self, format: Format, all: bool) -> String {
        let mut out = String::new();
        for held in &self.others {
            let [first, label] = [&self.first, &held.label].map(|label| escape(label));
            let mut summary = held.summary(&self.first);
            let counts = if summary.is_empty() { String::new() } else { summary.remove(0) };
            out.push_str(&format!("## {label} against {first}\n\n**{}**\n\n", escape(&counts)));
            let of = of_runs(&self.runs, true);
            let is = of_runs(&held.runs, !held.same_machine);
            let about = [format!("{}: {of}", self.first), format!("{}: {is}", held.label)];
            for line in about.iter().chain(&summary) {
                out.push_str(&format!("* {}\n", escape(line)));
            }
            for table in self.tables(held, all) {
                out.push('\n');
                out.push_str(&table.render(format));
            }
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out + "\n"
    }
}

impl Held {
    /// What was found in a few lines, the counts first.
    fn summary(&self, first: &str) -> Vec<String> {
        let counts = self.counts;
        let mut lines = vec![format!(
            "{} result{} compared: {} slower, {} faster, {} unchanged, {} not significant; {} in one run only",
            counts.compared,
            if counts.compared == 1 { "" } else { "s" },
            counts.slower,
            counts.faster,
            counts.level,
            counts.not_told,
            counts.alone
        )];
        let mut say = |line: String| lines.push(line);
        if counts.beyond > 0 {
            say(format!("{} of them slower beyond the threshold", counts.beyond));
        }
        let worst = self.results.iter().find(|result| result.verdict == Verdict::Slower);
        if let Some((worst, times)) = worst.and_then(|worst| Some((worst, worst.times?))) {
            let name = &worst.name;
            let words: Vec<&str> = name.words().into_iter().filter(|it| !it.is_empty()).collect();
            say(format!("worst: {} {}", words.join(" "), change(times)));
        }
        if self.sizes.len() + counts.sizes_alone > 0 {
            let of = |verdict| self.sizes.iter().filter(|size| size.verdict == verdict).count();
            let told = [Told::Worse, Told::Better, Told::Changed, Told::Undecided];
            let told =
                told.map(|verdict| (of(verdict), verdict.word())).into_iter().filter(|(count, _)| *count > 0);
            let told = told.map(|(count, word)| format!("{count} {word}, ")).collect::<String>();
            say(format!("other results: {told}{} in one run only", counts.sizes_alone));
        }
        if !self.same_machine {
            let bases = self.bases.iter().map(|base| format!("{} in {}", base.algorithm, base.study));
            let by = bases.collect::<Vec<_>>().join(", ");
            say(format!("not the machine of {first}: results are compared relative to {by}"));
        }
        lines.extend(differences(&self.differs));
        if counts.shared_core > 0 {
            lines.push(format!(
                "contended in both runs: {}; changes may be due to the other thread",
                count(counts.shared_core, "result")
            ));
        }
        lines
    }
}

/// What else differs, in a line.
pub(crate) fn differences(all: &[Differs]) -> Option<String> {
    let all: Vec<String> = all.iter().map(|it| format!("{} {} → {}", it.what, it.was, it.is)).collect();
    (!all.is_empty()).then(|| format!("differs: {}", all.join("; ")))
}

/// What ran when, where, and in which condition.
fn of_runs(runs: &[Run], with_machine: bool) -> String {
    let machine = match with_machine {
        true => of_all(runs, |run| format!("{}, {} cores", run.host.processor(), run.host.cores)),
        false => "the same machine".to_owned(),
    };
    let verdict = of_all(runs, |run| run.verdict.clone());
    let warning = if runs.iter().any(|run| run.verdict != QUIET) {
        ": results may be off by more than their intervals"
    } else {
        ""
    };
    format!(
        "fieldtest {} of {}, {machine}, {verdict}{warning}",
        of_all(runs, |run| run.version.clone()),
        of_all(runs, |run| run.started.clone())
    )
}
