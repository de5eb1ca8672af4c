//! The recommendation as a person would give it: one line, at most three facts, what relaxing a constraint would allow, caveats,
//! and the next command. Never "none": whoever comes nearest is named, and what it misses.

use crate::alternatives::UNTHINKABLE;
use crate::judge::Judge;
use crate::matrix::{POST_QUANTUM, STATUS, WARNINGS};
use crate::order::NO_RANK;
use crate::verdict::{Accepted, Alternative, Verdict};

/// How many names a sentence holds.
const NAMES: usize = 3;
/// How many ways of relaxing constraints are told where nobody meets all of them.
const WAYS_OUT: usize = 3;
/// How many facts there are.
const FACTS: usize = 3;

/// What is to be known of a result of a core that another thread used.
pub const SOME_CONTENDED: &str = "Some timings are contended: other threads used the processor";
/// And of one without an interval.
pub const SOME_UNCERTAIN: &str = "Some timings have no interval: too few measurements";

impl Judge<'_> {
    fn titles<'a>(&self, algorithms: impl IntoIterator<Item = &'a Accepted>) -> Vec<&str> {
        algorithms.into_iter().map(|it| self.study.algorithms[it.algorithm].title.as_str()).collect()
    }

    /// The title, with the status where that warns: whoever repeats the first line must not lose it.
    fn stated(&self, at: usize) -> String {
        let it = &self.study.algorithms[at];
        let cell = self.study.at(STATUS).and_then(|place| self.study.cell(at, place));
        let status = cell.and_then(|cell| cell.words().first());
        let warns = |status: &&String| UNTHINKABLE.contains(&status.as_str()) || *status == "research";
        match status.filter(warns) {
            Some(status) => format!("{} ({status})", it.title),
            None => it.title.clone(),
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.study.algorithms.iter().position(|it| it.name == name)
    }

    fn title<'a>(&'a self, name: &'a str) -> &'a str {
        self.place(name).map_or(name, |at| &self.study.algorithms[at].title)
    }

    /// What is looked for, and in whose place.
    fn sought(&self, verdict: &Verdict) -> String {
        let post_quantum = verdict.constraints.iter().any(|it| it.id == POST_QUANTUM && it.words == ["yes"]);
        let kind = if post_quantum { "post-quantum " } else { "" };
        let instead = self.replaced.map(|it| format!(" in place of {}", self.study.algorithms[it].title));
        format!("{kind}{}{}", self.study.wanted, instead.unwrap_or_default())
    }

    /// Fills in all parts of the recommendation.
    pub(crate) fn recommend(&self, verdict: &mut Verdict) {
        let wanted = self.sought(verdict);
        let named: Vec<usize> = match verdict.accepted.is_empty() {
            false => verdict.accepted.iter().filter(|it| it.rank == 1).map(|it| it.algorithm).collect(),
            true => verdict.alternatives.first().map_or(Vec::new(), |way| self.nearest_of(way)),
        };
        verdict.sentence = if verdict.accepted.is_empty() {
            self.of_none(verdict, &wanted)
        } else {
            self.of_accepted(verdict, &wanted)
        };
        verdict.headline = self.headline(verdict);
        let all = &self.study.algorithms;
        verdict.facts = match named[..] {
            [one] => all[one].facts.iter().take(FACTS).cloned().collect(),
            _ => {
                let several = named.iter().map(|it| &all[*it]).take(FACTS);
                several.filter_map(|it| Some(format!("{}: {}", it.title, it.facts.first()?))).collect()
            }
        };
        if verdict.accepted.is_empty() {
            verdict.relaxed = verdict.alternatives.iter().take(WAYS_OUT).map(|it| self.relaxed(it)).collect();
        }
        verdict.caveats = self.caveats(verdict, &named);
        verdict.next = named.first().map_or(String::new(), |it| all[*it].next.clone());
        verdict.named = named.into_iter().map(|it| all[it].name.clone()).collect();
    }

    /// Who comes nearest, of those whom this would let in; several where they are tied or not ranked.
    fn nearest_of(&self, way: &Alternative) -> Vec<usize> {
        match &way.nearest {
            Some(nearest) => self.place(&nearest.algorithm).into_iter().collect(),
            None => way.algorithms.iter().filter_map(|name| self.place(name)).collect(),
        }
    }

    /// `A comes nearest`, `A or B come nearest`.
    fn come_nearest(&self, way: &Alternative) -> String {
        let nearest = self.nearest_of(way);
        let titles: Vec<&str> = nearest.iter().map(|it| self.study.algorithms[*it].title.as_str()).collect();
        let come = if titles.len() == 1 { "comes" } else { "come" };
        format!("{} {come} nearest", listed(&titles, "or"))
    }

    fn of_accepted(&self, verdict: &Verdict, wanted: &str) -> String {
        let (best, others): (Vec<&Accepted>, Vec<&Accepted>) =
            verdict.accepted.iter().partition(|it| it.rank == 1);
        let best: Vec<String> = best.iter().map(|it| self.stated(it.algorithm)).collect();
        let others = others.into_iter().filter(|it| it.place != NO_RANK);
        let (best, others): (Vec<&str>, _) = (best.iter().map(String::as_str).collect(), self.titles(others));
        let (qualified, constraints) = (verdict.accepted.len(), constraints(verdict));
        let count = qualified + verdict.rejected.len();
        let is_ranked = verdict.accepted.first().is_some_and(|it| it.not_ranked.is_none());
        let next = if others.is_empty() {
            String::new()
        } else {
            let runner_up = if others.len() == 1 { "runner-up" } else { "runners-up" };
            format!("; {runner_up}: {}", listed(&others, "and then"))
        };
        let it_meets = match qualified {
            1 if count == 1 => format!("it meets {constraints}, and no other was checked"),
            1 => format!("the only one of {count} that meets {constraints}"),
            _ if verdict.constraints.is_empty() => format!("{count} were checked, without a constraint"),
            _ => format!("{qualified} of {count} meet {constraints}"),
        };
        match best.len() {
            1 => format!("Use {} as the {wanted}: {it_meets}{next}.", listed(&best, "or")),
            _ if is_ranked => {
                let (best, by) = (listed(&best, "or"), self.decided(verdict));
                format!("Use {best} as the {wanted}, tied in {by}: {it_meets}{next}.")
            }
            _ => {
                let best = listed(&best, "or");
                format!("Use {best} as the {wanted}: {it_meets}; the results do not rank them{next}.")
            }
        }
    }

    fn decided(&self, verdict: &Verdict) -> &str {
        verdict.by.first().map_or("", |at| self.study.properties[*at].title.as_str())
    }

    fn of_none(&self, verdict: &Verdict, wanted: &str) -> String {
        let (constraints, count) = (constraints(verdict), verdict.rejected.len());
        let Some(way) = verdict.alternatives.first() else {
            return format!(
                "No {wanted} meets {constraints} ({count} checked); none meets those that are never relaxed."
            );
        };
        let nearest = self.come_nearest(way);
        let miss = way.nearest.as_ref().and_then(|it| {
            let (property, algorithm) = (self.study.at(&it.property)?, self.place(&it.algorithm)?);
            let number = self.study.cell(algorithm, property)?.number?;
            let property = &self.study.properties[property];
            if property.is_category() {
                return Some(format!(", with {}", it.text));
            }
            Some(format!(" ({}: {}, {})", property.title, property.write(number), it.text))
        });
        let miss = miss.unwrap_or_else(|| format!(", without {}", given_up(way)));
        format!("No {wanted} meets {constraints} ({count} checked); {nearest}{miss}.")
    }

    /// What giving something up would allow, and which sizes are too large by how much.
    fn relaxed(&self, way: &Alternative) -> String {
        let titles: Vec<&str> = way.algorithms.iter().map(|name| self.title(name)).collect();
        let misses = way.misses.join("; ");
        let closest = way.nearest.as_ref().filter(|it| way.algorithms[..] != [it.algorithm.as_str()]);
        let closest = closest.map(|it| {
            let is_category =
                self.study.at(&it.property).is_some_and(|at| self.study.properties[at].is_category());
            let has = if is_category { String::new() } else { format!("{}, ", it.has) };
            format!("closest: {} with {has}{}", self.title(&it.algorithm), it.text)
        });
        let fact = way.facts.first().filter(|_| misses.is_empty() && titles.len() == 1).cloned();
        let said: Vec<String> =
            [Some(misses), closest, fact].into_iter().flatten().filter(|it| !it.is_empty()).collect();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join("; ")) };
        format!("Without {}: {}{said}", given_up(way), listed(&titles, "or"))
    }

    fn caveats(&self, verdict: &Verdict, named: &[usize]) -> Vec<String> {
        let mut caveats: Vec<String> = Vec::new();
        let mut add = |caveat: String| {
            if !caveats.contains(&caveat) {
                caveats.push(caveat);
            }
        };
        let first = verdict.accepted.first();
        if let Some((first, why)) = first.and_then(|it| Some((it, it.not_ranked.as_ref()?))) {
            let by = first.left_open_by.iter().map(|by| format!(" by {by}")).collect::<String>();
            add(format!("Not ranked{by}: {why}"));
        }
        for &it in named.iter().take(NAMES) {
            let algorithm = &self.study.algorithms[it];
            let title = &algorithm.title;
            let has = |id: &str| self.study.cell(it, self.study.at(id)?);
            // What was not asked for has to be known all the same.
            if let Some(cell) = has(WARNINGS).filter(|it| it.number.is_some_and(|count| count > 0.0)) {
                add(format!("{title}: {}", cell.evidence));
            }
            if let Some([status]) = has(STATUS).map(|it| it.words())
                && (UNTHINKABLE.contains(&status.as_str()) || status == "research")
            {
                add(format!("{title} is {status}"));
            }
            for cell in verdict.by.iter().filter_map(|at| self.study.cell(it, *at)).filter(|it| it.timed) {
                if cell.rough || cell.width.is_none() {
                    add(SOME_UNCERTAIN.to_owned());
                }
                if cell.contended.is_some() {
                    add(SOME_CONTENDED.to_owned());
                }
            }
            algorithm.caveats.iter().cloned().for_each(&mut add);
        }
        if !verdict.unjudged.is_empty() {
            let missing: Vec<&str> = verdict.unjudged.iter().map(|it| it.text.as_str()).collect();
            add(format!(
                "Not checked, since the records lack it or are of an unfit machine: {}",
                missing.join("; ")
            ));
        }
        caveats
    }

    /// A verdict in a few words: who is first, or who comes nearest and what it misses.
    fn headline(&self, verdict: &Verdict) -> String {
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
            (None, Some(way)) => match &way.nearest {
                Some(it) => format!("{}: {}", self.come_nearest(way), it.text),
                None => format!("{}, without {}", self.come_nearest(way), way.without.join(" and ")),
            },
            (None, None) => "no algorithm meets all constraints".to_owned(),
        }
    }

    /// Whose results are marked as those of experimental code in the tables.
    pub(crate) fn remark(&self, verdict: &Verdict) -> Option<String> {
        let is_used = |(name, _): &&(String, String)| {
            verdict.accepted.iter().any(|it| {
                let mut cells = verdict.shown.iter().filter_map(|at| self.study.cell(it.algorithm, *at));
                cells.any(|cell| cell.experiment.as_ref() == Some(name))
            })
        };
        let used = self.matrix.experiments.iter().filter(is_used);
        let used: Vec<String> = used.map(|(name, why)| format!("{name} ({why})")).collect();
        (!used.is_empty()).then(|| format!("{}: {}.", self.matrix.experiment, used.join("; ")))
    }
}

/// `all 5 constraints`.
fn constraints(verdict: &Verdict) -> String {
    match verdict.constraints.len() {
        0 => "no constraint".to_owned(),
        1 => "the constraint".to_owned(),
        2 => "both constraints".to_owned(),
        many => format!("all {many} constraints"),
    }
}

/// `'implemented by GitHub', but 'implemented by Git'`.
fn given_up(way: &Alternative) -> String {
    let quoted = |all: &[String]| format!("'{}'", all.join("' and '"));
    let usual = if way.usual.is_empty() { String::new() } else { format!(", but {}", quoted(&way.usual)) };
    quoted(&way.without) + &usual
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
