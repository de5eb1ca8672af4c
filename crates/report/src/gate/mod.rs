//! A gate for continuous integration: whether a new run may take the place of a base run, by a [`Policy`].
//!
//! Exact values (sizes, answers over TCP, blocks) decide on their own, since they have no measurement error. Measured
//! counts and times decide only where a difference is significant and its whole interval is above what the policy allows,
//! so other load on the machine does not stop an unchanged program. A comparison of times alone, as `compare --threshold`
//! has it, cannot be both: with a narrow threshold it is undecided on most shared machines.

mod output;
mod policy;

use std::collections::{BTreeSet, HashSet};

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{UNFIT, UNMEASURED};
pub use policy::{Exact, Exception, Measured, Open, Policy, Share, Timed};
use serde::Serialize;

use crate::Error;
use crate::compare::{Alone, Comparison, Estimate, Labelled, Name, Size, Told, Verdict, Wanted, exceeds};
use crate::result::implementation;

/// What a gate decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// The label of the base run.
    pub base: String,
    /// The label of the new run.
    pub new: String,
    /// How many results both runs have that could be compared.
    pub compared: usize,
    /// The reasons of exceptions that are about none of the results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
    /// What was not simply as good as before: the worst first.
    pub findings: Vec<Finding>,
    /// Every study and algorithm of the base run and of the findings; a fact of the catalog is of no study.
    pub checked: BTreeSet<(String, String)>,
}

/// A result that got worse, may have, or is missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What it is of.
    #[serde(flatten)]
    pub name: Name,
    /// What was decided.
    pub ruling: Ruling,
    /// Whether it keeps the gate shut.
    pub fails: bool,
    /// The base's result.
    pub was: f64,
    /// The new one, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<f64>,
    /// By how much it is worse, at least and at most, as a share; of shares, the difference. Absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worse_by: Option<[f64; 2]>,
    /// What the policy allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<f64>,
    /// Why the policy allows that, or why nothing can be decided.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// What was decided about a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// It is worse by more than the policy allows.
    Worse,
    /// Only the base has it.
    Missing,
    /// It is exact, but of other input.
    OtherInput,
    /// It may be worse by more than the policy allows.
    Undecided,
    /// It would be worse, but an exception allows it.
    Allowed,
    /// It changed, and neither value is better.
    Changed,
}

impl Ruling {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Ruling::Worse => "worse",
            Ruling::Missing => "missing",
            Ruling::OtherInput => "of other input",
            Ruling::Undecided => "undecided",
            Ruling::Allowed => "allowed",
            Ruling::Changed => "changed",
        }
    }
}

/// Whether a gate is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The new run may take the base's place.
    Open,
    /// Something is worse.
    Worse,
    /// Nothing is worse, but something cannot be decided that the policy wants decided.
    Undecided,
}

impl Gate {
    /// Decides whether `new` may take the place of `base`.
    ///
    /// # Errors
    /// Those of [`Comparison::of`].
    pub fn of(base: Labelled<'_>, new: Labelled<'_>, policy: &Policy) -> Result<Gate, Error> {
        // With a threshold of nothing, a comparison keeps all that may be worse.
        let wanted = Wanted { threshold: Some(0.0), baseline: None };
        let mut compared = Comparison::of(base, &[new], &wanted)?;
        let held = compared.others.remove(0);
        let times = held.results.iter().filter_map(|result| time(result, policy));
        let of_other_input = held.of_other_input.iter().map(|it| of_other_input(it, policy));
        let sizes = held.sizes.iter().filter_map(|size| untimed(size, policy));
        let codes: HashSet<Code<'_>> = new.report.records().iter().map(code).collect();
        let newly_unfit = held.alone.iter().filter(|it| it.run == new.label && it.name.operation == UNFIT);
        let newly_unfit = newly_unfit.map(|it| self::newly_unfit(it, policy));
        // That something was unfit or not measured is no loss; whatever it was instead is there in its own right.
        let is_result = |it: &&Alone| ![UNFIT, UNMEASURED].contains(&it.name.operation.as_str());
        let missing = held.alone.iter().filter(|it| it.run == base.label).filter(is_result);
        let missing = missing.map(|it| self::missing(it, codes.contains(&code_of(&it.name)), policy));
        let mut findings: Vec<Finding> =
            times.chain(sizes).chain(of_other_input).chain(missing).chain(newly_unfit).collect();
        let least = |it: &Finding| it.worse_by.map_or(0.0, |[low, _]| low);
        findings.sort_by(|a, b| {
            (!a.fails, a.ruling).cmp(&(!b.fails, b.ruling)).then(least(b).total_cmp(&least(a)))
        });
        // What the catalog states of an algorithm is of no record.
        let names =
            base.report.records().iter().map(Name::of).chain(findings.iter().map(|it| it.name.clone()));
        let names: Vec<Name> = names.collect();
        let is_used = |it: &&Exception| names.iter().any(|name| it.is_about(name));
        let unused = policy.exceptions.iter().filter(|it| !is_used(it));
        Ok(Gate {
            base: base.label.to_owned(),
            new: new.label.to_owned(),
            compared: held.counts.compared + held.counts.sizes,
            unused: unused.map(|it| it.reason.clone()).collect(),
            findings,
            checked: names.into_iter().map(|name| (name.study, name.algorithm)).collect(),
        })
    }

    /// Whether it is open.
    #[must_use]
    pub fn state(&self) -> State {
        let mut failing = self.findings.iter().filter(|finding| finding.fails).map(|finding| finding.ruling);
        match failing.next() {
            Some(Ruling::Worse) => State::Worse,
            Some(_) => State::Undecided,
            None => State::Open,
        }
    }

    /// How many results have a ruling and keep the gate shut, or do not.
    #[must_use]
    pub fn count(&self, ruling: Ruling, fails: bool) -> usize {
        self.findings.iter().filter(|finding| finding.ruling == ruling && finding.fails == fails).count()
    }
}

/// Decides by what an interval says; nothing of what is surely within what is allowed.
fn decide(
    name: &Name,
    [was, is]: [f64; 2],
    worse_by: Option<[f64; 2]>,
    (share, open): (Share, Open),
    why: &str,
    policy: &Policy,
) -> Option<Finding> {
    let exception = policy.exception(name);
    let allowed = exception.map_or(share, |exception| exception.worse_by);
    let ruling = |share: Share| match worse_by {
        _ if share.is_any() => None,
        Some([low, _]) if exceeds(low, share.0) => Some(Ruling::Worse),
        Some([_, high]) if !exceeds(high, share.0) => None,
        _ => Some(Ruling::Undecided),
    };
    let (ruling, reason) = match (ruling(allowed), exception) {
        (None, Some(exception)) if ruling(share) == Some(Ruling::Worse) => {
            (Ruling::Allowed, exception.reason.as_str())
        }
        (Some(Ruling::Undecided), _) => (Ruling::Undecided, why),
        (Some(ruling), exception) => (ruling, exception.map_or("", |exception| exception.reason.as_str())),
        (None, _) => return None,
    };
    Some(Finding {
        name: name.clone(),
        ruling,
        fails: ruling == Ruling::Worse || ruling == Ruling::Undecided && open == Open::Fail,
        was,
        is: Some(is),
        worse_by: worse_by.filter(|ends| ends.iter().all(|end| end.is_finite())),
        allowed: (!allowed.is_any()).then_some(allowed.0),
        reason: reason.to_owned(),
    })
}

/// A time is worse only where the comparison calls it slower: beyond its interval and the effect of code layout.
fn time(result: &Estimate, policy: &Policy) -> Option<Finding> {
    let interval = result.interval.map(|ends| ends.map(|end| end - 1.0));
    let worse_by = match (interval, result.verdict) {
        (Some([low, high]), Verdict::Slower) => Some([low, high]),
        (Some([low, high]), _) => Some([low.min(0.0), high]),
        (None, _) => None,
    };
    let why = result.reason.map_or("its interval contains what is allowed", |reason| reason.words());
    let rule = (policy.timed.worse_by, policy.timed.undecided);
    decide(&result.name, result.values, worse_by, rule, why, policy)
}

fn untimed(size: &Size, policy: &Policy) -> Option<Finding> {
    let rule = match size.exact {
        true => (policy.exact.worse_by, Open::Fail),
        false => (policy.counted.worse_by, policy.counted.undecided),
    };
    match size.verdict {
        Told::Better => None,
        Told::Changed => Some(Finding {
            name: size.name.clone(),
            ruling: Ruling::Changed,
            fails: false,
            was: size.values[0],
            is: Some(size.values[1]),
            worse_by: None,
            allowed: None,
            reason: String::new(),
        }),
        Told::Worse | Told::Undecided => {
            let why = match size.worse_by {
                Some(_) => "its interval contains what is allowed",
                None => "it has no interval, so chance may have made the difference",
            };
            decide(&size.name, size.values, size.worse_by, rule, why, policy)
        }
    }
}

/// Which code did something for which algorithm.
type Code<'a> = [&'a str; 3];

fn code(record: &Record) -> Code<'_> {
    [&record.study, &record.algorithm, implementation(record)]
}

fn code_of(name: &Name) -> Code<'_> {
    [&name.study, &name.algorithm, &name.implementation]
}

/// What no bound decides about: an exception that allows anything excuses it, with its reason.
fn unbounded(
    name: &Name,
    ruling: Ruling,
    (was, is): (f64, Option<f64>),
    open: Open,
    policy: &Policy,
) -> Finding {
    let exception = policy.exception(name).filter(|exception| exception.worse_by.is_any());
    Finding {
        name: name.clone(),
        ruling,
        fails: open == Open::Fail && exception.is_none(),
        was,
        is,
        worse_by: None,
        allowed: None,
        reason: exception.map(|exception| exception.reason.clone()).unwrap_or_default(),
    }
}

fn of_other_input((name, [was, is]): &(Name, [f64; 2]), policy: &Policy) -> Finding {
    unbounded(name, Ruling::OtherInput, (*was, Some(*is)), policy.exact.other_input, policy)
}

/// A key or a set of keys that fitted in its carrier before.
fn newly_unfit(alone: &Alone, policy: &Policy) -> Finding {
    let found = unbounded(&alone.name, Ruling::Worse, (0.0, Some(alone.value)), Open::Fail, policy);
    match found.fails {
        true => Finding { reason: "it fitted before".to_owned(), ..found },
        false => Finding { ruling: Ruling::Allowed, ..found },
    }
}

/// Which implementations a study runs depends on a trial, and so on other load. What is exact and of code that `is_there`, or of
/// none, does not.
fn missing(alone: &Alone, is_there: bool, policy: &Policy) -> Finding {
    let is_exact = !alone.timed && (is_there || alone.name.implementation.is_empty());
    let open = if is_exact { policy.exact.missing } else { policy.timed.undecided };
    unbounded(&alone.name, Ruling::Missing, (alone.value, None), open, policy)
}
