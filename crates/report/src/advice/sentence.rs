//! What a person would say to a colleague.

use fieldtest_measure::words::INTERRUPTED;

use super::alternatives::UNTHINKABLE;
use super::constraint::Request;
use super::judge::{Advice, Alternative, Survivor};
use super::{Decision, POST_QUANTUM, STATUS, WARNINGS, Wanted};
use crate::report::{QUIET, Report};

/// How many names a sentence holds.
const NAMES: usize = 3;
/// How many ways out are told where nobody has all that is asked.
const WAYS_OUT: usize = 3;

impl Decision {
    pub(super) fn sentence(&self, report: &Report, advice: &Advice, request: &Request) -> String {
        let yes = Wanted::Words(vec!["yes".to_owned()]);
        let post_quantum =
            advice.constraints.iter().any(|it| it.property.id == POST_QUANTUM.id && it.wanted == yes);
        let wanted =
            if post_quantum { format!("post-quantum {}", self.wanted) } else { self.wanted.to_owned() };
        let instead = request.replaces.as_deref().map(|name| format!(" in place of {}", report.title(name)));
        let instead = instead.unwrap_or_default();
        match advice.survivors.first() {
            Some(first) => self.of_survivors(report, advice, first, &format!("{wanted}{instead}")),
            None => self.of_none(report, advice, &format!("{wanted}{instead}")),
        }
    }

    fn of_survivors(&self, report: &Report, advice: &Advice, first: &Survivor, wanted: &str) -> String {
        let titles = |rank: &dyn Fn(usize) -> bool| -> Vec<&str> {
            advice.survivors.iter().filter(|it| rank(it.rank)).map(|it| it.title.as_str()).collect()
        };
        let (best, others) = (titles(&|rank| rank == 1), titles(&|rank| rank > 1));
        let told = match self.said(report, &first.algorithm).join(", ") {
            told if told.is_empty() => told,
            told => format!(": {told}"),
        };
        let decided =
            advice.by.first().and_then(|id| self.property(id)).map_or("", |property| property.title);
        let mut said = match (&first.not_ranked, best.len()) {
            (_, 1) if advice.by.is_empty() => {
                format!(
                    "As {wanted}, use {}, the only one of {} that meets all constraints{told}.",
                    first.title,
                    advice.looked_at()
                )
            }
            (_, 1) => format!("As {wanted}, use {}{told}.", first.title),
            (None, _) => {
                format!("As {wanted}, {} are tied in {decided}; {}{told}.", listed(&best, "and"), first.title)
            }
            (Some(why), many) => {
                let by = if advice.by.is_empty() { String::new() } else { format!(" by {decided}") };
                let told =
                    if advice.by.is_empty() { String::new() } else { format!(" {}{told}.", first.title) };
                format!(
                    "{many} meet all constraints as {wanted}: {}. Not ranked{by}: {why}.{told}",
                    listed(&best, "and")
                )
            }
        };
        if !others.is_empty() {
            said.push_str(&format!(
                " After {}: {}.",
                if best.len() == 1 { "it" } else { "them" },
                listed(&others, "then")
            ));
        }
        // What was not asked for has to be known all the same.
        let has = |property: super::Property| (property.of)(report, &first.algorithm);
        if let Some(held) = has(WARNINGS).filter(|held| held.number().is_some_and(|count| count > 0.0)) {
            said.push_str(&format!(" Caveat for {}: {}", first.title, held.evidence.in_words()));
        }
        if let Some(held) =
            has(STATUS).filter(|held| UNTHINKABLE.iter().any(|word| STATUS.write(held) == *word))
        {
            said.push_str(&format!(" {} is {}.", first.title, STATUS.write(&held)));
        }
        said
    }

    /// That the machine was not quiet while something of this study was timed. What follows from facts holds all the same.
    pub(super) fn caution(&self, report: &Report) -> Option<String> {
        let timed = report.of_study(self.study).any(|record| record.samples > 0);
        let run = report.runs().iter().find(|run| run.verdict != QUIET).filter(|_| timed);
        let machine = run.map(|run| {
            let mut findings = run.findings.iter().filter(|it| *it != INTERRUPTED);
            let why = findings.next().map(|finding| format!(": {finding}")).unwrap_or_default();
            format!("The machine was {} while it measured{why}", run.verdict)
        });
        let cut = report.is_interrupted().then(|| INTERRUPTED.to_owned());
        let all: Vec<String> = cut.into_iter().chain(machine).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    fn of_none(&self, report: &Report, advice: &Advice, wanted: &str) -> String {
        let asked = advice.constraints.iter().filter(|it| it.property.id != POST_QUANTUM.id);
        let asked: Vec<String> = asked.map(super::Constraint::in_words).collect();
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let count = advice.looked_at();
        let mut said = format!("No {wanted} meets all constraints ({count} checked): {}.", asked.join(", "));
        for way in advice.alternatives.iter().take(WAYS_OUT) {
            said.push_str(&way_out(report, way));
        }
        said
    }
}

/// A verdict in a few words: who is first, or who comes nearest and what it misses.
pub(crate) fn headline(report: &Report, advice: &Advice) -> String {
    let first: Vec<&Survivor> = advice.survivors.iter().filter(|it| it.rank == 1).collect();
    let titles: Vec<&str> = first.iter().map(|it| it.title.as_str()).collect();
    match (first.first(), advice.alternatives.first()) {
        (Some(_), _) if advice.by.is_empty() && titles.len() > 1 => {
            format!("{} qualify, not ranked", titles.len())
        }
        (Some(first), _) if first.not_ranked.is_some() => format!("{}, not ranked", listed(&titles, "or")),
        (Some(_), _) => listed(&titles, "or"),
        (None, Some(way)) => match &way.nearest {
            Some(nearest) => format!("nearest: {}, {}", report.title(&nearest.algorithm), nearest.text),
            None => {
                let titles: Vec<&str> = way.algorithms.iter().map(|name| report.title(name)).collect();
                format!("nearest: {}, without {}", listed(&titles, "or"), way.without.join(" and "))
            }
        },
        (None, None) => "no algorithm meets all constraints".to_owned(),
    }
}

impl Advice {
    /// How many algorithms the verdict is on: those of the records, which need not be all that there are.
    fn looked_at(&self) -> usize {
        self.survivors.len() + self.excluded.len()
    }
}

fn way_out(report: &Report, way: &Alternative) -> String {
    let titles: Vec<&str> = way.algorithms.iter().map(|name| report.title(name)).collect();
    let without: Vec<&str> = way.without.iter().map(String::as_str).collect();
    let told = if way.told.is_empty() { String::new() } else { format!(" ({})", way.told.join(", ")) };
    let nearest = way.nearest.as_ref().map(|it| match way.algorithms.as_slice() {
        [named] if *named == it.algorithm => format!(", {}", it.text),
        _ => format!("; closest: {} with {}, {}", report.title(&it.algorithm), it.has, it.text),
    });
    let nearest = nearest.unwrap_or_default();
    format!(" Without '{}': {}{told}{nearest}.", without.join("' and '"), listed(&titles, "or"))
}

/// `a, b and c`, or how many more there are.
fn listed(names: &[&str], last: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, more @ ..] if names.len() > NAMES => format!("{first} and {} others", more.len()),
        [start @ .., end] => format!("{} {last} {end}", start.join(", ")),
    }
}
