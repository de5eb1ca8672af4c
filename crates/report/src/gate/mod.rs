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
use fieldtest_measure::words::{UNFIT, UNMEASURED, of_lead, of_ratio};
pub use policy::{Exact, Exception, Measured, Open, Policy, Share, Timed};
use serde::Serialize;

use crate::Error;
use crate::compare::{
    Alone, Comparison, Differs, Estimate, Labelled, Name, Reason, Size, Told, Verdict, Wanted, exceeds,
    looks_worse_by, times,
};
use crate::result::implementation;

/// What a gate decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// The label of the base run.
    pub base: String,
    /// The label of the new run.
    pub new: String,
    /// What else differs: program, compiler, kernel, seed.
    pub differs: Vec<Differs>,
    /// How many results both runs have that could be compared.
    pub compared: usize,
    /// Whether there are times, and all of them are undecided: the gate says nothing of speed.
    pub no_time_decided: bool,
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
    /// By how much its value alone is worse, which decides nothing where it has an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks_worse_by: Option<f64>,
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
    /// It is worse, but the policy allows it.
    Allowed,
    /// It changed, and neither value is better.
    Changed,
}

impl Ruling {
    /// Whether the gate stops for it because something is lost, and not because nothing can be said.
    fn is_loss(self) -> bool {
        matches!(self, Ruling::Worse | Ruling::Missing)
    }

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
    /// Something is worse, or gone.
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
        let times: Vec<Finding> = held.results.iter().filter_map(|result| time(result, policy)).collect();
        let undecided = times.iter().filter(|it| it.ruling == Ruling::Undecided).count();
        let no_time_decided = undecided > 0 && undecided == held.results.len();
        let of_other_input = held.of_other_input.iter().map(|it| of_other_input(it, policy));
        let sizes = held.sizes.iter().filter_map(|size| untimed(size, policy));
        let codes: HashSet<Code<'_>> = new.report.records().iter().map(code).collect();
        let newly_unfit = held.alone.iter().filter(|it| it.run == new.label && it.name.operation == UNFIT);
        let newly_unfit = newly_unfit.map(|it| self::newly_unfit(it, policy));
        // That something was unfit or not measured is no loss; whatever it was instead is there in its own right.
        let is_result = |it: &&Alone| ![UNFIT, UNMEASURED].contains(&it.name.operation.as_str());
        let by_other_code = |it: &Name| {
            let of_task = new.report.records().iter().filter(|record| is_by_any_code(record, it));
            of_task.map(|record| (record.value, implementation(record))).collect::<Vec<_>>()
        };
        let missing = held.alone.iter().filter(|it| it.run == base.label).filter(is_result);
        let is_unmeasured = |it: &&Record| it.operation == UNMEASURED;
        // What was not measured, without a reason, is missing.
        let counts = |it: &&Record| !is_unmeasured(it) || it.notes.iter().any(|why| !why.trim().is_empty());
        let said: Vec<&Record> = new.report.records().iter().filter(counts).collect();
        let tasks: HashSet<[&str; 3]> = said.iter().map(|it| task(it)).collect();
        let told: HashSet<[&str; 3]> = said.into_iter().filter(is_unmeasured).map(task).collect();
        let missing = missing.map(|it| {
            let Name { study, algorithm, operation, .. } = &it.name;
            let task = [study.as_str(), algorithm, operation];
            // A time counts for its subject: all wall times of a container went unnoticed. A lead's subject changes with the trial.
            let (is_there, others) = (codes.contains(&code_of(&it.name)), by_other_code(&it.name));
            let is_measured = match it.timed && of_lead(operation).or(of_ratio(operation)).is_none() {
                true => told.contains(&task) || !others.is_empty(),
                false => tasks.contains(&task),
            };
            self::missing(it, is_there, is_measured, &others, policy)
        });
        let mut findings: Vec<Finding> =
            times.into_iter().chain(sizes).chain(of_other_input).chain(missing).chain(newly_unfit).collect();
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
            differs: held.differs,
            compared: held.counts.compared + held.counts.sizes,
            no_time_decided,
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
            Some(ruling) if ruling.is_loss() => State::Worse,
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

/// What a policy says of one kind of result.
struct Rule {
    allowed: Share,
    open: Open,
    without_interval: Share,
    /// Whether what is worse is listed also where it is allowed.
    listed: bool,
}

/// A result and how much worse it is, at least and at most, or looks.
struct Judged<'a> {
    name: &'a Name,
    values: [f64; 2],
    worse_by: Option<[f64; 2]>,
    looks_worse_by: Option<f64>,
    /// Why it may be undecided.
    why: &'a str,
}

/// Decides by what an interval says; nothing of what is surely within what is allowed.
fn decide(judged: Judged<'_>, rule: &Rule, policy: &Policy) -> Option<Finding> {
    let Judged { name, values: [was, is], worse_by, looks_worse_by, why } = judged;
    let exception = policy.exception(name);
    let ruling = |share: Share| match worse_by {
        _ if share.is_any() => None,
        Some([low, _]) if exceeds(low, share.0) => Some(Ruling::Worse),
        Some([_, high]) if !exceeds(high, share.0) => None,
        Some(_) => Some(Ruling::Undecided),
        None if looks_worse_by.is_some_and(|by| exceeds(by, rule.without_interval.0)) => Some(Ruling::Worse),
        None => Some(Ruling::Undecided),
    };
    let allowed = exception.map_or(rule.allowed, |exception| exception.worse_by);
    let is_worse = worse_by.is_some_and(|[low, _]| exceeds(low, 0.0));
    let is_allowed =
        || ruling(rule.allowed) == Some(Ruling::Worse) || (is_worse && (rule.listed || exception.is_some()));
    let reason = exception.map_or("", |exception| exception.reason.as_str());
    let (ruling, reason) = match ruling(allowed) {
        Some(Ruling::Undecided) => (Ruling::Undecided, why),
        Some(ruling) => (ruling, reason),
        None if is_allowed() => (Ruling::Allowed, reason),
        None => return None,
    };
    let allowed = if worse_by.is_none() && ruling == Ruling::Worse { rule.without_interval } else { allowed };
    Some(Finding {
        name: name.clone(),
        ruling,
        fails: ruling == Ruling::Worse || ruling == Ruling::Undecided && rule.open == Open::Fail,
        was,
        is: Some(is),
        worse_by: worse_by.filter(|ends| ends.iter().all(|end| end.is_finite())),
        looks_worse_by: looks_worse_by.filter(|by| by.is_finite()),
        allowed: (!allowed.is_any()).then_some(allowed.0),
        reason: reason.to_owned(),
    })
}

/// A time is worse only where the comparison calls it slower: beyond its interval and the effect of code layout.
fn time(result: &Estimate, policy: &Policy) -> Option<Finding> {
    let interval = result.interval.map(|ends| ends.map(|end| end - 1.0));
    let worse_by = match (interval, result.verdict) {
        (Some([low, high]), Verdict::Slower) => Some([low, high]),
        (Some([low, high]), _) => Some([low.min(0.0), (1.0 + high) * (1.0 + result.hidden) - 1.0]),
        (None, _) => None,
    };
    let looks_worse_by = result.times.map(|it| it - 1.0);
    let why = result.reason.map_or("its interval contains what is allowed", |reason| reason.words());
    let Timed { worse_by: allowed, undecided: open, without_interval } = policy.timed;
    // Of other data or of an unfit machine, no value decides.
    let has_none = result.reason == Some(Reason::NoInterval);
    let without_interval = if has_none { without_interval } else { Share::ANY };
    let judged = Judged { name: &result.name, values: result.values, worse_by, looks_worse_by, why };
    decide(judged, &Rule { allowed, open, without_interval, listed: false }, policy)
}

fn untimed(size: &Size, policy: &Policy) -> Option<Finding> {
    let Measured { worse_by: allowed, undecided: open, without_interval } = policy.counted;
    let rule = match size.exact {
        true => Rule {
            allowed: policy.exact.worse_by,
            open: Open::Fail,
            without_interval: Share::ANY,
            listed: true,
        },
        false => Rule { allowed, open, without_interval, listed: true },
    };
    let [was, is] = size.values;
    match size.verdict {
        // Something that had a size and has none was not made.
        Told::Better if size.exact && size.name.unit == "bytes" && was > 0.0 && is == 0.0 => {
            let found = unbounded(&size.name, Ruling::Undecided, (was, Some(is)), Open::Fail, policy);
            Some(match found.fails {
                true => {
                    Finding { reason: "its size is zero, so it may not have been made".to_owned(), ..found }
                }
                false => found,
            })
        }
        Told::Better => None,
        Told::Changed => Some(Finding {
            name: size.name.clone(),
            ruling: Ruling::Changed,
            fails: false,
            was,
            is: Some(is),
            worse_by: None,
            looks_worse_by: None,
            allowed: None,
            reason: String::new(),
        }),
        Told::Worse | Told::Undecided => {
            let looks_worse_by = looks_worse_by(size.values, &size.name.unit);
            let why = match size.worse_by {
                Some(_) => "its interval contains what is allowed",
                None => "it has no interval, so chance may have made the difference",
            };
            let worse_by = size.worse_by;
            let judged = Judged { name: &size.name, values: size.values, worse_by, looks_worse_by, why };
            decide(judged, &rule, policy)
        }
    }
}

/// Which code did something for which algorithm.
type Code<'a> = [&'a str; 3];

fn code(record: &Record) -> Code<'_> {
    [&record.study, &record.algorithm, implementation(record)]
}

/// What was done for which algorithm. What was not measured is named by its operation, which is the subject then.
fn task(record: &Record) -> [&str; 3] {
    let is_unmeasured = record.operation == UNMEASURED;
    let operation = if is_unmeasured { &record.subject } else { &record.operation };
    [&record.study, &record.algorithm, operation]
}

/// Whether a record is of the same, by whatever code.
fn is_by_any_code(record: &Record, name: &Name) -> bool {
    let Record { study, algorithm, operation, subject, unit, .. } = record;
    [study, algorithm, operation, subject, unit]
        == [&name.study, &name.algorithm, &name.operation, &name.subject, &name.unit]
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
        looks_worse_by: None,
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
/// none, does not; and every run measures by some code what the base measured.
/// Of `others`, values and names of other code that did the same, the best is shown.
fn missing(
    alone: &Alone,
    is_there: bool,
    is_measured: bool,
    others: &[(f64, &str)],
    policy: &Policy,
) -> Finding {
    let is_exact = !alone.timed && (is_there || alone.name.implementation.is_empty());
    if is_exact || !is_measured {
        return unbounded(&alone.name, Ruling::Missing, (alone.value, None), policy.exact.missing, policy);
    }
    let found =
        unbounded(&alone.name, Ruling::Undecided, (alone.value, None), policy.timed.undecided, policy);
    if !found.reason.is_empty() {
        return found;
    }
    let worse_by = |value: f64| match alone.timed {
        true => times(&alone.name, [alone.value, value]) - 1.0,
        false => looks_worse_by([alone.value, value], &alone.name.unit).unwrap_or_default(),
    };
    let best = others.iter().map(|&(value, code)| (worse_by(value), value, code));
    match best.min_by(|a, b| a.0.total_cmp(&b.0)) {
        None => Finding { reason: "the new run measured it by other code only".to_owned(), ..found },
        Some((by, value, code)) => Finding {
            is: Some(value),
            looks_worse_by: Some(by).filter(|by| by.is_finite() && *by > 0.0),
            reason: format!("the new run measured it by other code only: {code}"),
            ..found
        },
    }
}
