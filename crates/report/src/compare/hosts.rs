//! Whether two runs were made on one machine, what differs around them, and what stands for a machine otherwise.

use std::collections::HashMap;

use fieldtest_measure::record::{Record, Run};

use super::pairs::Pair;
use super::{Base, Differs};
use crate::once::each_once;
use crate::report::Report;
use crate::result::implementation;

/// Whether the runs of two reports were made on one machine.
pub(super) fn same(first: &Report, other: &Report) -> bool {
    let is_one =
        |a: &Run, b: &Run| (&a.host.id, &a.host.cpu, a.host.cores) == (&b.host.id, &b.host.cpu, b.host.cores);
    first.runs().iter().all(|a| other.runs().iter().all(|b| is_one(a, b)))
}

/// A fact of a run that a reader of a comparison must know, in words.
type Fact = (&'static str, fn(&Run) -> String);

const FACTS: [Fact; 11] = [
    ("version", |run| run.version.clone()),
    ("compiler", |run| run.host.compiler.clone()),
    ("processor", |run| run.host.cpu.clone()),
    ("extensions", |run| run.host.extensions.clone().unwrap_or_else(|| "all".to_owned())),
    ("cores", |run| run.host.cores.to_string()),
    ("machine", |run| run.host.id.clone()),
    ("kernel", |run| run.host.kernel.clone()),
    ("system", |run| run.host.system.clone()),
    ("seed", |run| run.seed.to_string()),
    ("verdict", |run| run.verdict.clone()),
    ("calibration", |run| match &run.calibration {
        Some(it) => format!(
            "{}: intervals {:.2} times as wide, builds of the same code differ by {:.1}%",
            it.made,
            it.widening,
            100.0 * it.layout
        ),
        None => "none".to_owned(),
    }),
];

/// A fact of several runs: each word once.
pub(super) fn of_all(runs: &[Run], fact: impl Fn(&Run) -> String) -> String {
    each_once(runs.iter().map(fact)).join(" and ")
}

pub(super) fn differs(first: &Report, other: &Report) -> Vec<Differs> {
    let of = |(what, fact): Fact| {
        let [was, is] = [first, other].map(|report| of_all(report.runs(), fact));
        (was != is).then(|| Differs { what: what.to_owned(), was, is })
    };
    FACTS.into_iter().filter_map(of).collect()
}

/// What stands for each machine: the results of one algorithm for each study, by the same implementation on both.
pub(super) struct Bases<'a> {
    /// By study, operation, subject and unit.
    of_task: HashMap<[&'a str; 4], Pair<'a>>,
    /// By study.
    chosen: Vec<Base>,
    /// Studies that have none.
    refused: Vec<String>,
}

impl<'a> Bases<'a> {
    /// Chooses among the results that both machines have: the algorithm `wanted`, if one is, or `ecdsa-p256`, or else the first
    /// that another result can be held against.
    pub(super) fn among(timed: &[Pair<'a>], wanted: Option<&str>) -> Bases<'a> {
        let mut bases = Bases { of_task: HashMap::new(), chosen: Vec::new(), refused: Vec::new() };
        let mut tasks: HashMap<[&str; 4], Vec<Pair<'a>>> = HashMap::new();
        for pair in timed.iter().filter(|pair| !pair.is_ratio()) {
            tasks.entry(pair.task()).or_default().push(*pair);
        }
        let own = timed.iter().filter(|pair| !pair.is_ratio());
        for study in each_once(own.map(|pair| pair.first.study.as_str())) {
            let of_study: Vec<&Pair<'a>> =
                timed.iter().filter(|pair| pair.first.study == study && !pair.is_ratio()).collect();
            let algorithms = of_study.iter().map(|pair| pair.first.algorithm.as_str());
            let serves = |algorithm: &&str| {
                of_study.iter().any(|pair| {
                    pair.first.algorithm == **algorithm && can_stand(**pair) && tasks[&pair.task()].len() > 1
                })
            };
            // One that was asked for is not replaced by another without a word.
            let found = match wanted {
                Some(wanted) => Some(wanted).filter(serves),
                None => ["ecdsa-p256"].into_iter().chain(algorithms).find(serves),
            };
            let Some(algorithm) = found else {
                bases.refused.push(study.to_owned());
                continue;
            };
            bases.chosen.push(Base { study: study.to_owned(), algorithm: algorithm.to_owned() });
            for (task, pairs) in tasks.iter().filter(|(task, _)| task[0] == study) {
                let best = pairs.iter().filter(|pair| pair.first.algorithm == algorithm && can_stand(**pair));
                // The same version is the same code; of those, the fastest.
                let best = best.min_by(|a, b| {
                    let rank = |pair: &Pair<'_>| pair.versions().is_some();
                    rank(a).cmp(&rank(b)).then(a.first.value.total_cmp(&b.first.value))
                });
                bases.of_task.extend(best.map(|pair| (*task, *pair)));
            }
        }
        bases
    }

    /// What this result is held against on both machines.
    pub(super) fn of(&self, pair: Pair<'a>) -> Option<Pair<'a>> {
        self.of_task.get(&pair.task()).copied()
    }

    /// Whether this result is one that others are held against.
    pub(super) fn are(&self, pair: Pair<'a>) -> bool {
        self.of(pair).is_some_and(|base| std::ptr::eq::<Record>(base.first, pair.first))
    }

    pub(super) fn into_words(self) -> (Vec<Base>, Vec<String>) {
        (self.chosen, self.refused)
    }
}

/// Whether any two algorithms did the same on both machines, so that one could stand for them if it were fit to.
pub(super) fn share_a_task(timed: &[Pair<'_>]) -> bool {
    let mut tasks = std::collections::HashSet::new();
    timed.iter().filter(|pair| !pair.is_ratio()).any(|pair| !tasks.insert(pair.task()))
}

/// Whether a result can stand for its machine.
fn can_stand(pair: Pair<'_>) -> bool {
    pair.unfit().is_none() && !implementation(pair.first).is_empty()
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::record::{Implementation, Run};

    use super::super::pairs::Pairs;
    use super::*;
    use crate::made_up::{report, run, timed};

    #[test]
    fn a_machine_is_known_by_its_id_processor_and_cores() {
        let with = |change: fn(&mut Run)| {
            let mut run = run();
            change(&mut run);
            report(run, [], &[])
        };
        let same = |change| same(&with(|_| ()), &with(change));
        assert!(same(|run| run.host.kernel.clear()));
        assert!(!same(|run| run.host.id.clear()));
        assert!(!same(|run| run.host.cpu.clear()));
        assert!(!same(|run| run.host.cores += 1));
    }

    #[test]
    fn the_fastest_of_those_whose_version_stayed_stands_for_a_machine() {
        let versions = |of_fastest: &str| {
            let implementation = Some(Implementation::new("fastest", of_fastest));
            let fastest = Record { implementation, ..timed("elder", "fastest", 900.0) };
            let others = [("slow", 2000.0), ("quick", 1000.0)].map(|(name, cost)| timed("elder", name, cost));
            report(run(), others.into_iter().chain([fastest, timed("larch", "it", 3000.0)]), &[])
        };
        let base = |first: &str, other: &str| {
            let reports = [first, other].map(versions);
            let pairs = Pairs::of(&reports[0], &reports[1]);
            let bases = Bases::among(&pairs.timed, Some("elder"));
            let base = bases.of(*pairs.timed.last().expect("four")).expect("a base");
            implementation(base.first).to_owned()
        };
        assert_eq!([base("1", "1"), base("1", "2")], ["fastest", "quick"]);
    }
}
