//! The operations of a signature algorithm, timed on given messages: what `speed` and every carrier's study share.

use std::time::Duration;

use fieldtest_catalog::kind::Kind;
use fieldtest_measure::Ratio;
use fieldtest_measure::estimate::{Core, Estimate};
use fieldtest_measure::record::{Input, Record};
pub use fieldtest_measure::words::KeyOperation as Operation;
use fieldtest_measure::words::{Against, ratio as ratio_of};

use crate::group::Named;
use crate::keys::KeyStore;
use crate::signing::SIGNING;
use crate::workers::{self, Group, Outcome};
use crate::{Bench, RecordWriter, StudyError, Subject};

/// Operations that take much longer than others would leave them few workers, so they are timed in processes of their
/// own. An operation shorter than the bound belongs to the group; each of those behind the last bound is alone.
const GROUPS: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(40)];

/// Times these operations for every subject and enters one record each, with the ratio to the baseline beside it.
///
/// `baseline` is the position of the subject that the others are compared with.
///
/// # Errors
/// What an implementation refuses.
pub fn measure_operations(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    stores: &[KeyStore<'_>],
    baseline: usize,
    operations: &[Operation],
    input: &Input,
    budget: Duration,
) -> Result<(), StudyError> {
    let mut groups = Vec::new();
    let mut members = Vec::new();
    for &what in operations {
        for places in together(stores, what)? {
            let of_group = places.clone();
            groups.push(Group {
                stage: SIGNING,
                operation: what.word().to_owned(),
                subject: String::new(),
                subjects: places.iter().map(|&at| Named::of(stores[at].subject())).collect(),
                input: Box::new(move |worker| KeyStore::material(stores, &of_group, worker)),
            });
            members.push((what, places));
        }
    }
    let outcomes = workers::run(bench, &groups, budget)?;
    drop(groups);
    for &what in operations {
        // A subject's result, whose outcome it is of, and where it stands there.
        let mut found: Vec<Option<(&Estimate, &Outcome, usize)>> = vec![None; stores.len()];
        for ((_, places), outcome) in members.iter().zip(&outcomes).filter(|((of, _), _)| *of == what) {
            for (place, (&at, estimate)) in places.iter().zip(&outcome.estimates).enumerate() {
                found[at] = estimate.as_ref().map(|estimate| (estimate, outcome, place));
            }
        }
        // A ratio is as certain as the less certain of both.
        let base = found[baseline]
            .filter(|_| stores[baseline].carries_an_interval(what))
            .map(|(estimate, ..)| estimate);
        let against = Against { of: "", baseline: &stores[baseline].subject().name() }.to_string();
        for (at, of) in found.iter().enumerate() {
            let Some((estimate, outcome, place)) = of else { continue };
            let store = &stores[at];
            let record = writer.measured(store.subject(), (what.word(), ""), (f64::NAN, outcome.unit), input);
            let is_told = store.carries_an_interval(what);
            let few = (!is_told).then(|| "too few signatures for an interval".to_owned());
            let remarks: Vec<String> = [store.extent()].into_iter().chain(few).collect();
            outcome.enter(writer, *place, 1, record, &remarks, is_told);
            let base = base.filter(|_| at != baseline && what.has_ratio() && is_told);
            if let Some(ratio) = base.and_then(|base| estimate.ratio(base)) {
                let of_base = stores[baseline].subject();
                let names = (&*ratio_of(what.word()), &*against);
                let record = writer.ratio(store.subject(), of_base, names, input);
                enter_ratio(writer, record, &ratio, estimate.core);
            }
        }
    }
    Ok(())
}

/// The positions of those that are timed together.
fn together(stores: &[KeyStore<'_>], what: Operation) -> Result<Vec<Vec<usize>>, StudyError> {
    let trials: Result<Vec<Duration>, StudyError> = stores.iter().map(|store| store.trial(what)).collect();
    Ok(grouped(&trials?))
}

/// The positions of operations that take so long.
fn grouped(trials: &[Duration]) -> Vec<Vec<usize>> {
    let mut together = vec![Vec::new(); GROUPS.len()];
    let mut alone = Vec::new();
    for (at, trial) in trials.iter().enumerate() {
        match GROUPS.iter().position(|bound| trial < bound) {
            Some(group) => together[group].push(at),
            None => alone.push(vec![at]),
        }
    }
    together.retain(|group| !group.is_empty());
    together.extend(alone);
    together
}

/// Fills in a record of two results' ratio, both of them of a core in this state, and enters it.
pub(crate) fn enter_ratio(writer: &mut RecordWriter, mut record: Record, ratio: &Ratio, core: Core) {
    record.value = ratio.value;
    record.interval = ratio.interval.map(Into::into);
    record.estimator = ratio.estimator.name().to_owned();
    record.samples = ratio.processes as u64;
    record.notes.extend(workers::remark_on(core).map(str::to_owned));
    writer.record(record);
}

/// The subject that ratios refer to: the first of that algorithm, the first of all if it is not among them.
pub fn position_of<K: Kind>(subjects: &[Subject<K>], baseline: &str) -> usize {
    subjects.iter().position(|subject| subject.algorithm.facts.name == baseline).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fieldtest_catalog::kind::Signature;
    use fieldtest_measure::Estimator;
    use fieldtest_measure::words::CONTENDED;

    use super::*;
    use crate::group::Order;
    use crate::keys::tests::signed;
    use crate::kit::Material;
    use crate::scripted::{Scripted, algorithm, records, result_of, same, subjects, with_bench, writer};
    use crate::speed::{self, input};

    #[test]
    fn operations_under_2_and_40_milliseconds_are_timed_together_and_longer_ones_alone() {
        let grouped = |trials: &[u64]| {
            let trials: Vec<Duration> = trials.iter().map(|&micros| Duration::from_micros(micros)).collect();
            super::grouped(&trials)
        };
        let all = [50_000, 1999, 2000, 39_999, 5, 40_000];
        assert_eq!(grouped(&all), [vec![1, 4], vec![2, 3], vec![0], vec![5]]);
        assert_eq!(grouped(&[3000]), [vec![0]]);
        assert!(grouped(&[]).is_empty());
    }

    #[test]
    fn too_few_signatures_carry_no_interval_and_no_ratio_of_either_side() {
        let subjects = subjects(&[algorithm::<Signature>("ed25519", "made-up", &["few", "some", "more"])]);
        let answer = |order: &Order, _: usize| Ok(result_of(&vec![100; order.subjects.len()]));
        let (launcher, messages, input) =
            (Scripted::new(&answer), vec![b"message".to_vec()], input("it", "abc", 1));
        let stores: Vec<KeyStore<'_>> =
            subjects.iter().zip([1, 6, 6]).map(|(it, count)| signed(it, &messages, count)).collect();
        for (baseline, ratios_of) in [(0, vec![]), (1, vec!["more"])] {
            let mut writer = writer();
            with_bench(&launcher, &AtomicBool::new(false), |bench| {
                let with = (baseline, &[Operation::Verify][..], &input, Duration::from_secs(36_000));
                measure_operations(bench, &mut writer, &stores, with.0, with.1, with.2, with.3)
                    .expect("no failure");
            });
            let name = |it: &Record| it.implementation.as_ref().expect("named").name.clone();
            let (ratios, estimates): (Vec<_>, Vec<_>) =
                records(&writer).into_iter().partition(|it| it.unit == "ratio");
            assert_eq!(ratios.into_iter().map(name).collect::<Vec<_>>(), ratios_of);
            let told: Vec<bool> = estimates.iter().map(|it| it.interval.is_some()).collect();
            assert_eq!(told, [false, true, true]);
            // One remark more says why.
            let notes: Vec<usize> = estimates.iter().map(|it| it.notes.len()).collect();
            assert_eq!(notes, [notes[1] + 1, notes[1], notes[1]]);
        }
    }

    #[test]
    fn a_ratio_of_shared_cores_says_so() {
        let mut writer = writer();
        let ratio = Ratio { value: 2.0, interval: None, estimator: Estimator::Mean, processes: 6 };
        let record = writer.result("a", "sign-ratio", "", f64::NAN, "ratio");
        enter_ratio(&mut writer, record, &ratio, Core::Contended);
        assert_eq!(records(&writer)[0].notes, [CONTENDED]);
    }

    #[test]
    fn each_operation_has_a_estimate_of_each_and_its_ratio_to_the_baseline() {
        let all = [
            algorithm::<Signature>("ed25519", "ecdsa-p256", &["one", "two"]),
            algorithm("ed25519", "other", &["one"]),
        ];
        let subjects = subjects(&all);
        assert_eq!(["ecdsa-p256", "other", "none"].map(|it| position_of(&subjects, it)), [0, 2, 0]);
        // However they are grouped: the third takes two and a half times what the others do, and preparing half of it.
        let answer = |order: &Order, _: usize| {
            let sign = if order.operation == "sign" { 2 } else { 1 };
            let cost = |it: &Named| sign * if it.algorithm == "other" { 125 } else { 50 };
            Ok(result_of(&order.subjects.iter().map(cost).collect::<Vec<_>>()))
        };
        let (launcher, mut writer) = (Scripted::new(&answer), writer());
        let messages = vec![b"message".to_vec(); 3];
        let (operations, input) = ([Operation::PrepareSign, Operation::Sign], input("it", "abc", 1));
        with_bench(&launcher, &AtomicBool::new(false), |bench| {
            let with = (&operations[..], Duration::from_secs(36_000));
            speed::measure_operations(bench, &mut writer, &subjects, &messages, "other", &input, with)
                .expect("no failure");
        });
        let found = records(&writer);
        let told: Vec<(&str, &str, &str)> = found
            .iter()
            .map(|it| (it.operation.as_str(), it.algorithm.as_str(), it.subject.as_str()))
            .collect();
        let against = "against other (one)";
        assert_eq!(
            told,
            [
                ("prepare-sign", "ecdsa-p256", ""),
                ("prepare-sign", "ecdsa-p256", ""),
                ("prepare-sign", "other", ""),
                ("sign", "ecdsa-p256", ""),
                ("sign-ratio", "ecdsa-p256", against),
                ("sign", "ecdsa-p256", ""),
                ("sign-ratio", "ecdsa-p256", against),
                ("sign", "other", ""),
            ]
        );
        for (record, value) in found.iter().zip([50.0, 50.0, 125.0, 100.0, 0.4, 100.0, 0.4, 250.0]) {
            same(record.value, value);
            assert!(record.interval.is_some() && !record.notes.concat().contains("too few"));
        }
        assert_eq!((found[4].samples, found[4].estimator.as_str()), (30, "median"));
        // Every worker has what its benchmarks work on.
        for order in launcher.orders.borrow().iter() {
            assert_eq!(order.task::<Material>().expect("material").kits.len(), order.subjects.len());
        }
    }
}
