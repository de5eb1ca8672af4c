//! What a carrier's study times of all its implementations, in core cycles wherever they can be known.

use std::time::Duration;

use fieldtest_catalog::OWN;
use fieldtest_catalog::kind::Kind;
use fieldtest_measure::estimate::{Core, Estimate as Measured};
use fieldtest_measure::record::Input;
use fieldtest_measure::words::{self, Over};
use serde::Serialize;

use crate::group::Named;
use crate::operations::enter_ratio;
use crate::workers::{self, Group, Outcome};
use crate::{Bench, RecordWriter, StudyError, Subject};

/// What records are called, and what their results are for.
pub struct Estimate {
    /// The operation.
    pub operation: &'static str,
    /// What it was done to, and how.
    pub subject: String,
    /// How many of what the result is for one operation has.
    pub items: usize,
    /// Follows the unit where a result is for something smaller than an operation of its name: `/byte`.
    pub per: &'static str,
}

/// One operation of all subjects.
pub struct Timed {
    /// What its records are called.
    pub estimate: Estimate,
    /// What they say of its data.
    pub input: Input,
    /// What the carrier's stage sets it up from.
    task: Vec<u8>,
}

impl Timed {
    /// An operation that a stage sets up from `task`, which it reads by [`crate::group::Order::task`].
    pub fn new(estimate: Estimate, input: Input, task: &impl Serialize) -> Timed {
        // Plain data always has a form.
        Timed { estimate, input, task: postcard::to_stdvec(task).unwrap_or_default() }
    }

    pub(crate) fn group<K: Kind>(&self, stage: &'static str, subjects: &[Subject<K>]) -> Group<'_> {
        Group {
            stage,
            operation: self.estimate.operation.to_owned(),
            subject: self.estimate.subject.clone(),
            subjects: subjects.iter().map(Named::of).collect(),
            input: Box::new(|_| self.task.clone()),
        }
    }
}

/// Times all of these within `budget` and enters a record for each subject, and how far this project's own
/// implementation is ahead of the best other. The outcomes are those of `timed`, in its order.
///
/// # Errors
/// What an implementation or the stage refuses.
pub fn run<K: Kind>(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    stage: &'static str,
    subjects: &[Subject<K>],
    timed: &[Timed],
    budget: Duration,
) -> Result<Vec<Outcome>, StudyError> {
    let groups: Vec<Group<'_>> = timed.iter().map(|it| it.group(stage, subjects)).collect();
    let outcomes = workers::run(bench, &groups, budget)?;
    for (it, outcome) in timed.iter().zip(&outcomes) {
        for (at, (subject, estimate)) in subjects.iter().zip(&outcome.estimates).enumerate() {
            if estimate.is_some() {
                let Estimate { operation, subject: of, items, per } = &it.estimate;
                let unit = format!("{}{per}", outcome.unit);
                let record = writer.measured(subject, (operation, of), (f64::NAN, &unit), &it.input);
                outcome.enter(writer, at, *items, record, &[], true);
            }
        }
        enter_leads(writer, it, subjects, outcome);
    }
    Ok(outcomes)
}

/// For every algorithm that this project implements, how many times as much the best library takes.
fn enter_leads<K: Kind>(writer: &mut RecordWriter, it: &Timed, subjects: &[Subject<K>], outcome: &Outcome) {
    let Timed { estimate, input, .. } = it;
    let found =
        || subjects.iter().zip(&outcome.estimates).filter_map(|(s, estimate)| Some((s, estimate.as_ref()?)));
    for (subject, own) in found().filter(|(subject, _)| subject.implementation.name == OWN) {
        let is_rival = |other: &Subject<K>| {
            other.algorithm.facts.name == subject.algorithm.facts.name
                && !other.implementation.name.starts_with(OWN)
                && !other.implementation.with_system_call()
        };
        let rivals = || found().filter(|(other, _)| is_rival(other));
        let (like, unlike): (Vec<_>, Vec<_>) = rivals().partition(|(_, estimate)| estimate.core == own.core);
        let Some((rival, best)) = like.into_iter().min_by(|a, b| a.1.value.total_cmp(&b.1.value)) else {
            continue;
        };
        // A lead over the second best would be a false one: of another core, a rival may be as fast as it is less what
        // another thread took from it. Where the thread lost its core in every window, nobody knows how fast.
        let may_be = |it: &Measured| if it.core == Core::Lost { 0.0 } else { it.value / it.taken };
        if unlike.iter().any(|(_, estimate)| may_be(estimate) < best.value) {
            continue;
        }
        let Some(ratio) = best.ratio(own) else { continue };
        let over = Over { of: &estimate.subject, rival: rival.implementation.name }.to_string();
        let operation = words::lead(estimate.operation);
        let record = writer.ratio(subject, rival, (&operation, &over), input);
        enter_ratio(writer, record, &ratio, own.core);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fieldtest_catalog::kind::Hash;

    use super::*;
    use crate::group::Order;
    use crate::scripted::{Scripted, algorithm, records, result_of, same, subjects, with_bench, writer};
    use crate::speed::input;

    #[test]
    fn a_rival_of_a_contended_core_that_may_be_faster_leaves_no_lead() {
        let all = [algorithm::<Hash>("sha-256", "made-up", &[OWN, "rustcrypto", "ring"])];
        let subjects = subjects(&all);
        // Half of what was seen is the least that it can be.
        for (ring, leads) in [(250, 1), (230, 0)] {
            let answer = |_: &Order, _: usize| {
                let mut result = result_of(&[100, 120, ring]);
                result.seen[2].windows.iter_mut().for_each(|window| window.rulers = [16_384; 2]);
                Ok(result)
            };
            let (launcher, mut writer) = (Scripted::new(&answer), writer());
            let estimate = Estimate { operation: "hash", subject: "64".to_owned(), items: 4, per: "/byte" };
            let timed = [Timed::new(estimate, input("it", "abc", 9), &7_u8)];
            with_bench(&launcher, &AtomicBool::new(false), |bench| {
                run(bench, &mut writer, "stage", &subjects, &timed, Duration::from_secs(36_000))
                    .expect("no failure");
            });
            let found = records(&writer).iter().filter(|it| it.operation == "hash-lead").count();
            assert_eq!(found, leads, "{ring}");
        }
    }

    #[test]
    fn a_lead_is_over_the_best_library_on_the_same_core() {
        let names = [OWN, "fieldtest-portable", "aws-lc", "rustcrypto", "ring", "linux"];
        let all = [algorithm::<Hash>("sha-256", "made-up", &names), algorithm("sha-1", "other", &["aws-lc"])];
        let subjects = subjects(&all);
        let answer = |_: &Order, _: usize| {
            let mut result = result_of(&[100, 50, 150, 120, 300, 10, 1]);
            // On another core.
            result.seen[4].windows.iter_mut().for_each(|window| window.rulers = [16_384; 2]);
            Ok(result)
        };
        let (launcher, mut writer) = (Scripted::new(&answer), writer());
        let estimate = Estimate { operation: "hash", subject: "64".to_owned(), items: 4, per: "/byte" };
        let timed = [Timed::new(estimate, input("it", "abc", 9), &7_u8)];
        with_bench(&launcher, &AtomicBool::new(false), |bench| {
            run(bench, &mut writer, "stage", &subjects, &timed, Duration::from_secs(36_000))
                .expect("no failure");
        });
        let found = records(&writer);
        let costs = [100, 50, 150, 120, 300, 10, 1];
        for ((record, subject), cost) in found.iter().zip(&subjects).zip(costs) {
            same(record.value, f64::from(cost) / 4.0);
            assert_eq!(record.implementation, Some(subject.implementation_record()));
            assert_eq!((record.operation.as_str(), record.subject.as_str()), ("hash", "64"));
            assert!(record.unit.ends_with("/byte") && record.interval.is_some());
        }
        let [lead] = found[costs.len()..] else { panic!("{found:?}") };
        same(lead.value, 1.2);
        assert_eq!((lead.operation.as_str(), lead.subject.as_str()), ("hash-lead", "64 over rustcrypto"));
        assert_eq!((lead.unit.as_str(), lead.samples), ("ratio", 30));
        assert_eq!(lead.implementation.as_ref().map(|it| it.name.as_str()), Some(OWN));
        let order = launcher.orders.into_inner().swap_remove(30);
        assert_eq!((order.stage.as_str(), order.operation.as_str()), ("stage", "hash"));
        assert_eq!((order.subject.as_str(), order.task::<u8>().ok()), ("64", Some(7)));
        assert_eq!(order.subjects, subjects.iter().map(Named::of).collect::<Vec<_>>());
    }
}
