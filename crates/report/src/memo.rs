//! Half a page for the person who decides: a sentence, what it costs against today, by when, and a picture.

use askama::Template;
use fieldtest_measure::record::Record;
use fieldtest_text as text;
use fieldtest_verdict::interval_of_ratio;

use crate::advice::{Advice, Decision, Held, STRENGTH, caveat};
use crate::difference::{Difference, width};
use crate::number::factor;
use crate::once::each_once;
use crate::page;
use crate::plot::today;
use crate::report::Report;
use crate::result::{is_contended, is_timed, margin, rough_width};
use crate::table::{Format, Table, escape};
use crate::{Cell, Error};

/// The most rows of a memo's table.
const ROWS: usize = 6;

/// A recommendation without its tables.
pub struct Memo<'a> {
    report: &'a Report,
    decision: &'a Decision,
    advice: &'a Advice,
}

#[derive(Template)]
#[template(path = "memo.html")]
struct View {
    policy: String,
    style: String,
    title: String,
    lines: Vec<String>,
    caption: String,
    picture: String,
    source: String,
}

impl Report {
    /// The memo of a verdict on these records.
    pub fn memo<'a>(&'a self, decision: &'a Decision, advice: &'a Advice) -> Memo<'a> {
        Memo { report: self, decision, advice }
    }
}

impl Memo<'_> {
    /// As HTML on one printed page, which loads nothing.
    ///
    /// # Errors
    /// [`Error::Template`] if the template cannot be filled, which no records can cause.
    pub fn html(&self) -> Result<String, Error> {
        let plot = today::plot(self.report, self.decision, self.advice);
        let style = page::style();
        let view = View {
            policy: page::policy(&style, ""),
            style,
            title: self.title(),
            lines: self.lines(),
            caption: plot.as_ref().map(|plot| plot.caption.clone()).unwrap_or_default(),
            picture: plot.map(|plot| plot.svg.svg).unwrap_or_default(),
            source: self.source(),
        };
        let html = view.render().map_err(|error| Error::Template(error.to_string()))?;
        Ok(text::document(&html).into_owned())
    }

    /// As Markdown, with a table in place of the picture.
    pub fn markdown(&self) -> String {
        let lines: String = self.lines().iter().skip(1).map(|line| format!("- {}\n", escape(line))).collect();
        let table = self.table();
        let table =
            if table.is_empty() { String::new() } else { format!("\n{}", table.render(Format::Markdown)) };
        let (title, sentence, source) =
            (escape(&self.title()), escape(&self.advice.sentence), escape(&self.source()));
        format!("# {title}\n\n**{sentence}**\n\n{lines}{table}\n{source}\n")
    }

    fn title(&self) -> String {
        let section = self.report.study_section(self.advice.study);
        format!("{}: {}", section.map_or(self.advice.study, |it| it.title), self.advice.headline)
    }

    /// The sentence, the factor, what counts most in its carrier, the date, caveats, and the next command.
    fn lines(&self) -> Vec<String> {
        let advice = self.advice;
        let caveats = advice.caveats.iter().cloned().chain(self.weaker()).chain(advice.caution.clone());
        let first =
            [Some(advice.sentence.clone()), self.factor(), advice.facts.first().cloned(), self.date()];
        let first = first.into_iter().flatten();
        first.chain(caveats.map(caveat)).chain(advice.next_line()).collect()
    }

    /// What an algorithm costs, and the number.
    fn cost(&self, algorithm: &str) -> Option<(Held, f64)> {
        let held = (self.decision.property(self.decision.cost)?.of)(self.report, algorithm)?;
        // Times of an unfit machine are not used, be it beside a warning.
        if self.report.is_unfit() && held.record().is_some_and(is_timed) {
            return None;
        }
        let cost = held.number().filter(|it| *it > 0.0)?;
        Some((held, cost))
    }

    /// The algorithm in use today: the first whose cost is known.
    fn today(&self) -> Option<String> {
        let in_use = self.advice.today(self.report, self.decision);
        in_use.into_iter().find(|name| self.cost(name).is_some())
    }

    /// What the named algorithm costs as a multiple of today's, by the rule that ranks.
    fn factor(&self) -> Option<String> {
        let property = self.decision.property(self.decision.cost)?;
        let today = self.today()?;
        let named = self.advice.named.first().filter(|it| **it != today)?;
        let ((own, cost), (base, of_today)) = (self.cost(named)?, self.cost(&today)?);
        let (named, today) = (self.report.title(named), self.report.title(&today));
        let both = format!(
            "{}: {} with {named} instead of {} with {today}",
            capitalised(property.title),
            property.write_bound(cost),
            property.write_bound(of_today)
        );
        let records = own.record().zip(base.record()).filter(|(a, b)| is_timed(a) || is_timed(b));
        let why = records.and_then(|(own, base)| {
            let (small, large) = if own.value < base.value { (own, base) } else { (base, own) };
            // Medians without an interval differ by the same rule as those that are ranked.
            let of = |it: &Record| (it.value, width(it).or(rough_width(it)));
            let ratio = interval_of_ratio(of(large), of(small));
            match Difference::of_interval(ratio, margin(large, self.report.layout())) {
                _ if is_contended(own) != is_contended(base) => {
                    Some("only one of them had the core to itself")
                }
                Difference::Ahead => None,
                _ => Some("the difference is not significant"),
            }
        });
        Some(match why {
            None => format!("{both}, {} times as much", factor(cost / of_today)),
            Some(why) => format!("{both}; no factor, since {why}"),
        })
    }

    /// That less strength is recommended than is in use.
    fn weaker(&self) -> Option<String> {
        let today = self.today()?;
        let bits = |name: &str| (STRENGTH.of)(self.report, name)?.number();
        let named = self.advice.named.first()?;
        let (own, base) = (bits(named)?, bits(&today)?);
        let (named, today) = (self.report.title(named), self.report.title(&today));
        (own < base).then(|| format!("{named} has {own} bits of classical strength, {today} has {base}"))
    }

    /// By when today's algorithm has to go, by a remark of the records that names a later year than its own.
    fn date(&self) -> Option<String> {
        let in_use = self.advice.today(self.report, self.decision);
        let today = in_use.iter().find_map(|name| self.report.candidate(name))?;
        if self.advice.named.contains(&today.algorithm) {
            return None;
        }
        let year = |text: &str| {
            let words = text.split(|c: char| !c.is_ascii_digit()).filter(|it| it.len() == 4);
            words.filter_map(|it| it.parse::<u32>().ok()).filter(|it| (2000..2100).contains(it)).max()
        };
        let now = self.report.runs().iter().filter_map(|run| year(&run.started)).max();
        let dated = today.notes.iter().find(|note| year(&note.text) > now.or_else(|| year(&note.date)));
        Some(match dated {
            Some(note) => format!("{}: {} [{}, {}]", today.title, note.text, note.source, note.date),
            None => format!("No date: no remark on {} names a year by which it has to go", today.title),
        })
    }

    /// What was required, and where the figures are from.
    fn source(&self) -> String {
        let run = self.report.runs().first();
        let run = run.map(|run| format!(", on {}, {}: {}", run.host.processor(), run.started, run.command));
        format!("Constraints: {}. By fieldtest{}.", self.advice.asked(), run.unwrap_or_default())
    }

    /// Today's algorithm, what is named, who is accepted too, and who comes nearest.
    fn table(&self) -> Table {
        let (Some(property), Some(today)) = (self.decision.property(self.decision.cost), self.today()) else {
            return Table::new("");
        };
        let mut table = Table::new("").texts(["algorithm", "status", property.title]);
        let accepted = self.advice.survivors.iter().map(|it| &it.algorithm);
        let nearest = self.advice.alternatives.iter().flat_map(|it| &it.algorithms);
        let names = [&today].into_iter().chain(&self.advice.named).chain(accepted).chain(nearest);
        let rows = each_once(names).into_iter().filter_map(|name| Some((name, self.cost(name)?.1)));
        for (name, cost) in rows.take(ROWS) {
            let (title, status) = (self.report.title(name), self.report.status(name));
            let cells = [title, status, &property.write_bound(cost)];
            table.keyed_row(name, cells.map(Cell::from));
        }
        table
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
