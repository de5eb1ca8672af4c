//! What two runs state of the algorithms and code that both have: status, warnings, versions, known answers. None of it is a
//! result, and a reader of results has to know of each change.

use std::collections::{BTreeMap, BTreeSet};

use fieldtest_measure::record::Candidate;

use super::Differs;
use crate::Report;

pub(super) fn differs(first: &Report, other: &Report) -> Vec<Differs> {
    let mut all = Vec::new();
    let mut add = |what: String, was: String, is: String| {
        if was != is {
            all.push(Differs { what, was, is });
        }
    };
    let (mut stated, mut lost) = (0, 0);
    let both = other.measured();
    for name in first.measured().into_iter().filter(|name| both.contains(name)) {
        let Some(was) = first.candidate(name) else { continue };
        stated += 1;
        let Some(is) = other.candidate(name) else {
            lost += 1;
            continue;
        };
        add(format!("status of {}", was.title), was.status.clone(), is.status.clone());
        add(format!("warnings about {}", was.title), warnings(was), warnings(is));
    }
    add("algorithms with facts".to_owned(), stated.to_string(), (stated - lost).to_string());
    let [was, is] = [first, other].map(code);
    for (name, versions) in &was {
        let Some(now) = is.get(name) else { continue };
        add((*name).to_owned(), listed(versions), listed(now));
    }
    let [was, is] = [first, other].map(|report| proven(report, &both));
    let is_there = |pair: &&[&str; 2]| {
        other.records().iter().any(|it| {
            it.algorithm == pair[0] && it.implementation.as_ref().is_some_and(|it| it.name == pair[1])
        })
    };
    let was: Vec<&[&str; 2]> = was.iter().filter(is_there).collect();
    let still = was.iter().filter(|pair| is.contains(**pair)).count();
    add("implementations with known answers".to_owned(), was.len().to_string(), still.to_string());
    all
}

/// How many there are, and the day of the newest.
fn warnings(candidate: &Candidate) -> String {
    let mut warnings = candidate.notes.iter().filter(|note| note.severity != "info");
    match warnings.next() {
        None => "none".to_owned(),
        Some(newest) => format!("{}, the newest of {}", 1 + warnings.count(), newest.date),
    }
}

fn code(report: &Report) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for it in report.records().iter().filter_map(|record| record.implementation.as_ref()) {
        all.entry(&it.name).or_default().insert(&it.version);
    }
    all
}

fn listed(versions: &BTreeSet<&str>) -> String {
    versions.iter().copied().collect::<Vec<_>>().join(" and ")
}

/// Algorithms with the implementations of them that reproduced known answers.
fn proven<'a>(report: &'a Report, of: &[&str]) -> BTreeSet<[&'a str; 2]> {
    let records =
        report.records().iter().filter(|it| it.proof.is_some() && of.contains(&it.algorithm.as_str()));
    records
        .filter_map(|it| Some([it.algorithm.as_str(), it.implementation.as_ref()?.name.as_str()]))
        .collect()
}
