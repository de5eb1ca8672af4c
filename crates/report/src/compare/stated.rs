//! What two runs state of the algorithms and code that both have: status, warnings, level, versions, known answers. None of it is a
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
    let both = other.measured();
    for name in first.measured().into_iter().filter(|name| both.contains(name)) {
        let (Some(was), Some(is)) = (first.candidate(name), other.candidate(name)) else { continue };
        add(format!("status of {}", was.title), was.status.clone(), is.status.clone());
        add(format!("warnings about {}", was.title), warnings(was), warnings(is));
        let [level, post_quantum] =
            ["NIST level", "post-quantum"].map(|what| format!("{what} of {}", was.title));
        let level_of = |it: &Candidate| it.level.map_or("none".to_owned(), |level| level.to_string());
        add(level, level_of(was), level_of(is));
        let is_so = |it: &Candidate| it.post_quantum.map_or("none".to_owned(), |it| it.to_string());
        add(post_quantum, is_so(was), is_so(is));
    }
    // A library may be several packages, each with algorithms of its own.
    let [was, is] = [first, other].map(code);
    let both_have = was.iter().filter_map(|(pair, version)| Some((pair[1], [*version, *is.get(pair)?])));
    let changed: BTreeSet<(&str, [&str; 2])> = both_have.filter(|(_, [was, is])| was != is).collect();
    changed.into_iter().for_each(|(name, [was, is])| add(name.to_owned(), was.to_owned(), is.to_owned()));
    let [proven_then, proven_now] = [first, other].map(proven);
    let still: Vec<&[&str; 2]> = proven_then.iter().filter(|pair| is.contains_key(*pair)).collect();
    let now = still.iter().filter(|pair| proven_now.contains(**pair)).count();
    add("implementations with known answers".to_owned(), still.len().to_string(), now.to_string());
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

/// The version of the code that ran, by algorithm and implementation.
fn code(report: &Report) -> BTreeMap<[&str; 2], &str> {
    let records = report.records().iter();
    let code = records.filter_map(|it| Some((it.algorithm.as_str(), it.implementation.as_ref()?)));
    code.map(|(algorithm, it)| ([algorithm, it.name.as_str()], it.version.as_str())).collect()
}

/// Algorithms with the implementations of them that reproduced known answers.
fn proven(report: &Report) -> BTreeSet<[&str; 2]> {
    let records = report.records().iter().filter(|it| it.proof.is_some());
    records.filter_map(|it| Some([it.algorithm.as_str(), &it.implementation.as_ref()?.name])).collect()
}
