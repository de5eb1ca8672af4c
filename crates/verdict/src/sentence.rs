//! What a person would say to a colleague.

use crate::alternatives::UNTHINKABLE;
use crate::judge::Judge;
use crate::matrix::{POST_QUANTUM, STATUS, WARNINGS};
use crate::verdict::{Accepted, Alternative, Verdict};

/// How many names a sentence holds.
const NAMES: usize = 3;
/// How many ways out are told where nobody has all that is asked.
const WAYS_OUT: usize = 3;

impl Judge<'_> {
    fn titles<'a>(&self, algorithms: impl IntoIterator<Item = &'a Accepted>) -> Vec<&str> {
        algorithms.into_iter().map(|it| self.study.algorithms[it.algorithm].title.as_str()).collect()
    }

    fn title<'a>(&'a self, name: &'a str) -> &'a str {
        self.study.algorithms.iter().find(|it| it.name == name).map_or(name, |it| &it.title)
    }

    /// How many algorithms were looked at: those of the records, which need not be all that there are.
    fn count(verdict: &Verdict) -> usize {
        verdict.accepted.len() + verdict.rejected.len()
    }

    /// What is looked for, and in whose place.
    fn sought(&self, verdict: &Verdict) -> String {
        let post_quantum = verdict.constraints.iter().any(|it| it.id == POST_QUANTUM && it.words == ["yes"]);
        let kind = if post_quantum { "post-quantum " } else { "" };
        let instead = self.replaced.map(|it| format!(" in place of {}", self.study.algorithms[it].title));
        format!("{kind}{}{}", self.study.wanted, instead.unwrap_or_default())
    }

    pub(crate) fn sentence(&self, verdict: &Verdict) -> String {
        let wanted = self.sought(verdict);
        match verdict.accepted.first() {
            Some(first) => self.of_accepted(verdict, first, &wanted),
            None => self.of_none(verdict, &wanted),
        }
    }

    fn of_accepted(&self, verdict: &Verdict, first: &Accepted, wanted: &str) -> String {
        let (best, others): (Vec<&Accepted>, Vec<&Accepted>) =
            verdict.accepted.iter().partition(|it| it.rank == 1);
        let best = self.titles(best);
        let others = self.titles(others);
        let algorithm = &self.study.algorithms[first.algorithm];
        let title = &algorithm.title;
        let told = algorithm.told.join(", ");
        let told = if told.is_empty() { told } else { format!(": {told}") };
        let decided = verdict.by.first().map_or("", |at| self.study.properties[*at].title.as_str());
        let mut said = match (&first.not_ranked, best.len()) {
            (_, 1) if verdict.by.is_empty() => {
                let count = Self::count(verdict);
                format!("As {wanted}, use {title}, the only one of {count} that meets all constraints{told}.")
            }
            (_, 1) => format!("As {wanted}, use {title}{told}."),
            (None, _) => {
                format!("As {wanted}, {} are tied in {decided}; {title}{told}.", listed(&best, "and"))
            }
            (Some(why), many) => {
                let (by, told) = match verdict.by.is_empty() {
                    true => (String::new(), String::new()),
                    false => (format!(" by {decided}"), format!(" {title}{told}.")),
                };
                let best = listed(&best, "and");
                format!("{many} meet all constraints as {wanted}: {best}. Not ranked{by}: {why}.{told}")
            }
        };
        if !others.is_empty() {
            let after = if best.len() == 1 { "it" } else { "them" };
            said.push_str(&format!(" After {after}: {}.", listed(&others, "then")));
        }
        // What was not asked for has to be known all the same.
        let has = |id: &str| self.study.cell(first.algorithm, self.study.at(id)?);
        if let Some(cell) = has(WARNINGS).filter(|it| it.number.is_some_and(|count| count > 0.0)) {
            said.push_str(&format!(" Caveat for {title}: {}", cell.evidence));
        }
        if let Some([status]) = has(STATUS).map(|it| it.words())
            && UNTHINKABLE.contains(&status.as_str())
        {
            said.push_str(&format!(" {title} is {status}."));
        }
        said
    }

    fn of_none(&self, verdict: &Verdict, wanted: &str) -> String {
        let asked = verdict.constraints.iter().filter(|it| it.id != POST_QUANTUM);
        let asked: Vec<&str> = asked.map(|it| it.text.as_str()).collect();
        let count = Self::count(verdict);
        let mut said = format!("No {wanted} meets all constraints ({count} checked): {}.", asked.join(", "));
        for way in verdict.alternatives.iter().take(WAYS_OUT) {
            said.push_str(&self.way_out(way));
        }
        said
    }

    fn way_out(&self, way: &Alternative) -> String {
        let titles: Vec<&str> = way.algorithms.iter().map(|name| self.title(name)).collect();
        let told = way.told.join(", ");
        let told = if told.is_empty() { told } else { format!(" ({told})") };
        let nearest = way.nearest.as_ref().map(|it| match way.algorithms[..] == [it.algorithm.as_str()] {
            true => format!(", {}", it.text),
            false => format!("; closest: {} with {}, {}", self.title(&it.algorithm), it.has, it.text),
        });
        let nearest = nearest.unwrap_or_default();
        format!(" Without '{}': {}{told}{nearest}.", way.without.join("' and '"), listed(&titles, "or"))
    }

    /// A verdict in a few words: who is first, or who comes nearest and what it misses.
    pub(crate) fn headline(&self, verdict: &Verdict) -> String {
        let first = verdict.accepted.iter().filter(|it| it.rank == 1);
        let titles = self.titles(first);
        match (verdict.accepted.first(), verdict.alternatives.first()) {
            (Some(_), _) if verdict.by.is_empty() && titles.len() > 1 => {
                format!("{} qualify, not ranked", titles.len())
            }
            (Some(first), _) if first.not_ranked.is_some() => {
                format!("{}, not ranked", listed(&titles, "or"))
            }
            (Some(_), _) => listed(&titles, "or"),
            (None, Some(Alternative { nearest: Some(it), .. })) => {
                format!("nearest: {}, {}", self.title(&it.algorithm), it.text)
            }
            (None, Some(way)) => {
                let titles: Vec<&str> = way.algorithms.iter().map(|name| self.title(name)).collect();
                format!("nearest: {}, without {}", listed(&titles, "or"), way.without.join(" and "))
            }
            (None, None) => "no algorithm meets all constraints".to_owned(),
        }
    }

    /// Whose results are marked as those of experimental code, in the tables or else in the sentence.
    pub(crate) fn remark(&self, verdict: &Verdict) -> Option<String> {
        let meaning = &self.matrix.experiment;
        let is_used = |(name, _): &&(String, String)| {
            verdict.accepted.iter().any(|it| {
                let mut cells = verdict.shown.iter().filter_map(|at| self.study.cell(it.algorithm, *at));
                cells.any(|cell| cell.experiment.as_ref() == Some(name))
            })
        };
        let used = self.matrix.experiments.iter().filter(is_used);
        let used: Vec<String> = used.map(|(name, why)| format!("{name} ({why})")).collect();
        if !used.is_empty() {
            return Some(format!("{meaning}: {}.", used.join("; ")));
        }
        // The sentence has a result that the table has not.
        let mark = meaning.chars().next()?;
        verdict.sentence.contains(mark).then(|| format!("{meaning}."))
    }
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
