//! A verdict as people read it: the sentence, who survives, who does not and why.

use std::fmt::Display;

use fieldtest_text as text;

use super::judge::{Advice, Shown};
use crate::symbols::{CONTENDED, UNCERTAIN, UNRESTRICTED};
use crate::table::{Cell, Format, Table, escape, wrap};

/// The titles of the tables.
const QUALIFIES: &str = "Accepted";
const DOES_NOT: &str = "Rejected";
/// Lines of a table's head and notes.
const HEAD: usize = 6;

/// A recommendation as text: its first line, and the others below it.
pub(crate) fn said(lines: &[String], format: Format) -> String {
    let Some((first, more)) = lines.split_first() else { return String::new() };
    match format {
        Format::Markdown => {
            let more = more.iter().map(|line| format!("- {}\n", escape(line)));
            format!("**{}**\n\n{}", escape(first), more.collect::<String>())
        }
        _ => {
            let width = if let Format::Human { width, .. } = format { width } else { usize::MAX };
            let more = more.iter().map(|line| {
                let wrapped = wrap(&text::line(line), width.saturating_sub(4));
                format!("  {}\n", wrapped.join("\n    "))
            });
            format!("{}\n{}", wrap(&text::line(first), width).join("\n"), more.collect::<String>())
        }
    }
}

pub(crate) fn caveat(it: impl Display) -> String {
    format!("Caveat: {it}")
}

impl Advice {
    /// The recommendation: a line that can be repeated, facts, what relaxing a constraint would allow, caveats, the next command.
    pub fn lines(&self) -> Vec<String> {
        self.lines_with(self.caution.as_ref())
    }

    /// The same without what is said of the machine: of several carriers, that is said once.
    pub(crate) fn own_lines(&self) -> Vec<String> {
        self.lines_with(None)
    }

    fn lines_with(&self, caution: Option<&String>) -> Vec<String> {
        let all = [&self.sentence].into_iter().chain(&self.facts).chain(&self.relaxed).cloned();
        all.chain(self.caveats.iter().chain(caution).map(caveat)).chain(self.next_line()).collect()
    }

    /// The next command as a line, where there is one.
    pub(crate) fn next_line(&self) -> Option<String> {
        (!self.next.is_empty()).then(|| format!("Next: {}", self.next))
    }

    /// Verdicts as text: the sentence and both tables of each. CSV has a line for everything that somebody lacks or has, JSON all.
    pub fn render(all: &[Advice], format: Format) -> String {
        match format {
            Format::Csv => everything(all).render(format),
            Format::Json => {
                // Every result is finite and every key is a string, so this cannot fail.
                let json = serde_json::to_string_pretty(all).map(|json| json + "\n").unwrap_or_default();
                text::json(&json).into_owned()
            }
            Format::Human { .. } | Format::Markdown => {
                all.iter().map(|advice| advice.shown(format)).collect::<Vec<_>>().join("\n")
            }
        }
    }

    fn shown(&self, format: Format) -> String {
        let mut out = said(&self.lines(), format);
        for table in self.tables() {
            out.push('\n');
            out.push_str(&table.render(format));
        }
        out
    }

    /// Those who qualify, or the ways out where nobody does, in no more than about so many lines; nothing where these are too few.
    pub(crate) fn table(&self, format: Format, lines: usize) -> String {
        let rows = lines.saturating_sub(HEAD);
        let table = if self.survivors.is_empty() { self.ways_out(rows) } else { self.shortlist(rows) };
        if table.is_empty() { String::new() } else { table.render(format) }
    }

    pub(crate) fn is_of_verdict(table: &Table) -> bool {
        [QUALIFIES, DOES_NOT].contains(&table.title())
    }

    /// The first of those who qualify, with the results that decide.
    fn shortlist(&self, rows: usize) -> Table {
        let is_result =
            |shown: &&Shown| shown.held.as_ref().is_none_or(|held| held.number().is_some_and(|it| it > 0.0));
        let mut table = Table::new("").texts(["algorithm", "rank"]).texts(
            self.survivors
                .first()
                .map(|first| &first.has)
                .into_iter()
                .flatten()
                .filter(is_result)
                .map(|shown| shown.title),
        );
        let results: Vec<&str> = match self.survivors.first() {
            Some(first) => first.has.iter().filter(is_result).map(|shown| shown.property).collect(),
            None => Vec::new(),
        };
        for survivor in self.survivors.iter().take(rows) {
            let has = survivor.has.iter().filter(|shown| results.contains(&shown.property));
            let head = [survivor.title.as_str().into(), survivor.place.as_str().into()];
            table.keyed_row(
                &survivor.algorithm,
                head.into_iter().chain(has.map(|it| Cell::from(it.text.as_str()))),
            );
        }
        let more = self.survivors.len().saturating_sub(rows);
        let more = if more > 0 { format!("{more} more accepted; ") } else { String::new() };
        table.note(format!("{more}{} rejected. Constraints: {}.", self.excluded.len(), self.asked()));
        self.remark_on_ranks(&mut table);
        table.notes_of(self.remark.clone());
        table
    }

    /// Whom giving something up would let in.
    fn ways_out(&self, rows: usize) -> Table {
        let mut table = Table::new("").texts(["algorithm", "without"]);
        for way in self.alternatives.iter().take(rows) {
            table.row([way.algorithms.join(", ").into(), way.without.join("; ").into()]);
        }
        if !table.is_empty() {
            table.note(format!("{} rejected; unmet constraints: {}.", self.excluded.len(), self.reasons()));
            table.notes_of(self.remark.clone());
        }
        table
    }

    /// What those who do not qualify miss, and how many of them each; the most frequent first.
    fn reasons(&self) -> String {
        let lacking = |id: &str| {
            let lacks = |it: &&super::Excluded| it.lacks.iter().any(|shown| shown.property == id);
            self.excluded.iter().filter(lacks).count()
        };
        let mut counts: Vec<(usize, String)> =
            self.constraints.iter().map(|it| (lacking(&it.id), it.text.clone())).collect();
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, words)| format!("'{words}' ({count})")).collect::<Vec<_>>().join(", ")
    }

    /// Who survives, and who does not.
    pub fn tables(&self) -> Vec<Table> {
        [self.survivors(), self.excluded()].into_iter().filter(|table| !table.is_empty()).collect()
    }

    /// Who has all that is asked, in order.
    pub fn survivors(&self) -> Table {
        let mut table = Table::new(QUALIFIES).texts(["algorithm", "rank"]).texts(
            self.survivors.first().map(|first| &first.has).into_iter().flatten().map(|shown| shown.title),
        );
        for survivor in &self.survivors {
            let has = survivor
                .has
                .iter()
                .map(|shown| Cell::from(shown.text.as_str()).with_detail(shown.evidence()));
            let head = [survivor.title.as_str().into(), survivor.place.as_str().into()];
            table.keyed_row(&survivor.algorithm, head.into_iter().chain(has).collect::<Vec<_>>());
        }
        if !self.asked().is_empty() {
            table.note(format!("Constraints: {}.", self.asked()));
        }
        self.remark_on_ranks(&mut table);
        table.notes_of(self.remark.clone());
        table
    }

    /// Says what ranks mean that several have, and what the marks behind results mean; that of experiments has a remark of its own.
    fn remark_on_ranks(&self, table: &mut Table) {
        let texts = || self.survivors.iter().flat_map(|it| &it.has).map(|shown| shown.text.as_str());
        for mark in [UNCERTAIN, CONTENDED, UNRESTRICTED] {
            if texts().any(|text| text.contains(&*mark.symbol)) {
                table.note(mark.footnote());
            }
        }
        let has = |mark: char| self.survivors.iter().any(|it| it.place.contains(mark));
        for (mark, meaning) in
            [('=', "= tied within 2%"), ('–', "1–2 range of ranks: the results do not decide between them")]
        {
            if has(mark) {
                table.note(meaning);
            }
        }
    }

    /// Who has not, with every reason and where it is from.
    pub fn excluded(&self) -> Table {
        let mut table = Table::new(DOES_NOT).texts(["algorithm", "reason"]);
        for excluded in &self.excluded {
            let evidence: Vec<String> = excluded.lacks.iter().map(Shown::evidence).collect();
            let cell = Cell::from(excluded.why.join("; ")).with_detail(evidence.join("; "));
            table.keyed_row(&excluded.algorithm, [excluded.title.as_str().into(), cell]);
        }
        if self.survivors.is_empty() {
            table.notes_of(self.remark.clone());
        }
        table
    }
}

/// Everything that somebody has or lacks, as one table.
fn everything(all: &[Advice]) -> Table {
    let mut table =
        Table::new("All").texts(["study", "algorithm", "rank", "property", "value", "suffices", "evidence"]);
    let mut enter = |study: &str, algorithm: &str, rank: String, shown: &Shown, suffices: &str| {
        let evidence = shown.evidence();
        let words = [study, algorithm, &rank, shown.property, &shown.text, suffices, &evidence];
        table.keyed_row(algorithm, words.map(Cell::from));
    };
    for advice in all {
        for it in &advice.survivors {
            it.has
                .iter()
                .for_each(|shown| enter(advice.study, &it.algorithm, it.rank.to_string(), shown, "yes"));
        }
        for it in &advice.excluded {
            it.lacks.iter().for_each(|shown| enter(advice.study, &it.algorithm, String::new(), shown, "no"));
        }
    }
    table
}
