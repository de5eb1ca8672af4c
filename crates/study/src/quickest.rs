//! Whom a study measures that has no time for everybody: of every algorithm the implementations that decide.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Kind;
use fieldtest_kinds::Error;
use fieldtest_measure::record::{Line, OWN, Record};

use crate::timed::Timed;
use crate::{Bench, Choice, RecordWriter, StudyError, Subject, workers};

/// An operation is tried until so often, or for so long.
const TRIALS: u32 = 9;
const TRIAL: Duration = Duration::from_millis(20);

/// Of every algorithm the implementation that is quickest in each of the `deciding` results, as one worker to all of them
/// finds it, and the fastest other one where that is this project's own; all of them where more than the usual ones were
/// chosen.
///
/// # Errors
/// What an implementation or the stage refuses.
pub fn quickest<K: Kind>(
    bench: &mut Bench<'_>,
    choice: &Choice,
    subjects: Vec<Subject<K>>,
    stage: &'static str,
    deciding: &[&Timed],
) -> Result<Vec<Subject<K>>, StudyError> {
    if *choice != Choice::Usual {
        return Ok(subjects);
    }
    let mut trials = Vec::with_capacity(deciding.len());
    for timed in deciding {
        (bench.say)(&format!("{stage}, trying {} {}", timed.estimate.operation, timed.estimate.subject));
        match workers::trial(bench, &timed.group(stage, &subjects)) {
            Ok(trial) => trials.push(trial),
            // A process that the user's interrupt ended as well.
            Err(_) if bench.interrupted() => break,
            Err(error) => return Err(error),
        }
    }
    let rivals = rivals(&subjects, &trials);
    Ok(keep(subjects, &trials, &|subject| rivals.contains(&subject.name())))
}

/// The fastest other implementations where this project's own is the fastest in a trial: a lead over what is left would be
/// one over a slower library (SHA-256 was 2.00 times as fast, and 1.69 times as fast as the library that was left out).
fn rivals<K: Kind>(subjects: &[Subject<K>], trials: &[Vec<f64>]) -> BTreeSet<String> {
    let is_own = |at: usize| subjects[at].implementation.name.starts_with(OWN);
    let is_rival = |at: usize| !is_own(at) && !subjects[at].implementation.with_system_call();
    let of_trial = |costs: &Vec<f64>| -> Vec<String> {
        let won =
            (0..subjects.len()).filter(|&at| is_own(at) && first(subjects, costs, at, &|_| true) == Some(at));
        won.filter_map(|at| Some(subjects[first(subjects, costs, at, &is_rival)?].name())).collect()
    };
    trials.iter().flat_map(of_trial).collect()
}

/// The cheapest that counts of those with the algorithm of the subject at `of`.
fn first<K: Kind>(
    subjects: &[Subject<K>],
    costs: &[f64],
    of: usize,
    counts: &dyn Fn(usize) -> bool,
) -> Option<usize> {
    let alike =
        (0..subjects.len()).filter(|&at| std::ptr::eq(subjects[at].algorithm, subjects[of].algorithm));
    alike.filter(|&at| counts(at)).min_by(|a, b| costs[*a].total_cmp(&costs[*b]))
}

/// Of every algorithm the implementation that is quickest to sign and the one that is quickest to verify, as a trial on
/// `message` finds them, and those that `must` take part; all of them where more than the usual ones were chosen.
///
/// # Errors
/// What an implementation refuses.
pub fn quickest_signers(
    bench: &mut Bench<'_>,
    choice: &Choice,
    subjects: Vec<Subject>,
    message: &[u8],
    must: &dyn Fn(&Subject) -> bool,
) -> Result<Vec<Subject>, StudyError> {
    if *choice != Choice::Usual {
        return Ok(subjects);
    }
    let mut trials = [Vec::with_capacity(subjects.len()), Vec::with_capacity(subjects.len())];
    for subject in &subjects {
        let name = subject.algorithm.facts.name.as_str();
        let has_rivals = subjects.iter().filter(|other| other.algorithm.facts.name == name).count() > 1;
        let trial = if has_rivals && !bench.interrupted() {
            (bench.say)(&format!("trying {}", subject.name()));
            signing_and_verifying(subject, message).map_err(|error| subject.failed("a trial", error))?
        } else {
            [Duration::ZERO; 2]
        };
        trials.iter_mut().zip(trial).for_each(|(trials, trial)| trials.push(trial.as_secs_f64()));
    }
    Ok(keep(subjects, &trials, must))
}

/// The implementation of each algorithm whose results in the open study that `count` are the least together, system calls
/// apart; the first where nothing was measured. In the order of `subjects`.
pub fn fastest<'s, K: Kind>(
    writer: &RecordWriter,
    subjects: &'s [Subject<K>],
    count: &dyn Fn(&Record) -> bool,
) -> Vec<&'s Subject<K>> {
    let cost = |of: &Subject<K>| -> f64 {
        let own = |record: &Record| {
            record.study == writer.study()
                && record.algorithm == of.algorithm.facts.name
                && record.implementation.as_ref().is_some_and(|it| it.name == of.implementation.name)
                && count(record)
        };
        let values = writer.lines().iter().filter_map(|line| match line {
            Line::Record(record) if own(record) => Some(record.value),
            _ => None,
        });
        values.reduce(|all, one| all + one).unwrap_or(f64::INFINITY)
    };
    let mut seen = BTreeSet::new();
    let names = subjects.iter().map(|subject| subject.algorithm.facts.name.as_str());
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let of = |name: &&str| {
        let own = subjects
            .iter()
            .filter(|it| it.algorithm.facts.name == *name && !it.implementation.with_system_call());
        own.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    };
    names.iter().filter_map(of).collect()
}

/// Of every algorithm whoever is first in one of the trials, which have a cost for each subject, and those that `must` stay.
fn keep<K: Kind>(
    subjects: Vec<Subject<K>>,
    trials: &[Vec<f64>],
    must: &dyn Fn(&Subject<K>) -> bool,
) -> Vec<Subject<K>> {
    let stays = |at: usize| {
        trials.is_empty()
            || trials.iter().any(|costs| first(&subjects, costs, at, &|_| true) == Some(at))
            || must(&subjects[at])
    };
    let kept: Vec<bool> = (0..subjects.len()).map(stays).collect();
    subjects.into_iter().zip(kept).filter_map(|(subject, stays)| stays.then_some(subject)).collect()
}

/// The shortest time to sign and to verify with prepared keys.
fn signing_and_verifying(subject: &Subject, message: &[u8]) -> Result<[Duration; 2], Error> {
    let code = subject.implementation.code.as_ref();
    let pair = code.generate()?;
    let (signing, verifying) = (code.signing_key(&pair.secret)?, code.verifying_key(&pair.public)?);
    let mut signature = Vec::new();
    let sign = shortest(&mut || {
        signature.clear();
        signing.sign(message, &mut signature)
    })?;
    Ok([sign, shortest(&mut || verifying.verify(message, &signature))?])
}

fn shortest(work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
    let begin = Instant::now();
    let mut shortest = Duration::MAX;
    for _ in 0..TRIALS {
        let start = Instant::now();
        work()?;
        shortest = shortest.min(start.elapsed());
        if begin.elapsed() > TRIAL {
            break;
        }
    }
    Ok(shortest)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering};

    use fieldtest_catalog::kind::{Hash, Signature};

    use super::*;
    use crate::group::Order;
    use crate::scripted::{Scripted, algorithm, result_of, subjects, with_bench, writer};
    use crate::speed::input;
    use crate::timed::Estimate;

    fn timed(operation: &'static str) -> Timed {
        Timed::new(Estimate { operation, subject: String::new(), items: 1, per: "" }, input("", "", 1), &())
    }

    fn hashes() -> Vec<Subject<Hash>> {
        subjects(&[
            algorithm("sha-256", "made-up", &["one", "two", "three"]),
            algorithm("sha-256", "other", &["one", "linux"]),
        ])
    }

    fn names<K: Kind>(subjects: &[Subject<K>]) -> Vec<String> {
        subjects.iter().map(Subject::name).collect()
    }

    #[test]
    fn whoever_is_first_in_a_trial_stays() {
        let kept = |trials: &[Vec<f64>], must: &dyn Fn(&Subject<Hash>) -> bool| {
            names(&keep(hashes(), trials, must)).join(" ")
        };
        let none = |_: &Subject<Hash>| false;
        let (first, second) = (vec![3.0, 2.0, 1.0, 5.0, 4.0], vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(kept(std::slice::from_ref(&first), &none), "made-up (three) other (linux)");
        let all = "made-up (one) made-up (three) other (one) other (linux)";
        assert_eq!(kept(&[first.clone(), second], &none), all);
        let must = |it: &Subject<Hash>| it.implementation.name == "two";
        assert_eq!(kept(&[first], &must), "made-up (two) made-up (three) other (linux)");
        assert_eq!(kept(&[], &none), names(&hashes()).join(" "));
    }

    #[test]
    fn one_worker_finds_the_quickest_of_each_estimate() {
        let interrupt = AtomicBool::new(false);
        let costs = |order: &Order| match order.operation.as_str() {
            "hash" => [3, 2, 1, 5, 4],
            _ => [1, 2, 3, 4, 5],
        };
        let answer = |order: &Order, _: usize| Ok(result_of(&costs(order)));
        let launcher = Scripted::new(&answer);
        let (hash, other) = (timed("hash"), timed("other"));
        let run = |launcher: &Scripted<'_>, choice, deciding: &[&Timed]| {
            let run = |bench: &mut Bench<'_>| quickest(bench, &choice, hashes(), "stage", deciding);
            with_bench(launcher, &interrupt, run).0.map(|found| names(&found).join(" "))
        };
        let usual = |deciding: &[&Timed]| run(&launcher, Choice::Usual, deciding).expect("no failure");
        assert_eq!(usual(&[&hash]), "made-up (three) other (linux)");
        assert_eq!(usual(&[&hash, &other]), "made-up (one) made-up (three) other (one) other (linux)");
        assert_eq!(run(&launcher, Choice::All, &[&hash]).ok(), Some(names(&hashes()).join(" ")));
        assert_eq!(launcher.orders.borrow().len(), 3);
        // A process that the user's interrupt ended is no failure.
        for interrupted in [false, true] {
            let answer = |order: &Order, before: usize| {
                interrupt.store(interrupted && before == 1, Ordering::Relaxed);
                if before == 1 { Err(StudyError::Nothing) } else { Ok(result_of(&costs(order))) }
            };
            let found = run(&Scripted::new(&answer), Choice::Usual, &[&hash, &other]).ok();
            assert_eq!(found.as_deref(), interrupted.then_some("made-up (three) other (linux)"));
        }
    }

    #[test]
    fn the_fastest_rival_of_own_code_is_kept() {
        let all =
            [algorithm::<Hash>("sha-256", "made-up", &["fieldtest-portable", OWN, "one", "two", "three"])];
        let kept = |costs: [u64; 5]| {
            let answer = |_: &Order, _: usize| Ok(result_of(&costs));
            let run = |bench: &mut Bench<'_>| {
                quickest(bench, &Choice::Usual, subjects(&all), "stage", &[&timed("hash")])
            };
            let found = with_bench(&Scripted::new(&answer), &AtomicBool::new(false), run).0;
            names(&found.expect("no failure")).join(" ")
        };
        assert_eq!(kept([9, 1, 5, 3, 4]), "made-up (fieldtest) made-up (two)");
        assert_eq!(kept([1, 2, 5, 4, 3]), "made-up (fieldtest-portable) made-up (three)");
        assert_eq!(kept([9, 2, 1, 3, 4]), "made-up (one)");
    }

    #[test]
    fn those_that_must_sign_do() {
        let all = || {
            let rivals = algorithm::<Signature>("ed25519", "made-up", &["one", "two", "three", "four"]);
            subjects(&[rivals, algorithm("ed25519", "alone", &["one"])])
        };
        let interrupt = AtomicBool::new(false);
        let launcher = Scripted::new(&|_: &Order, _: usize| Ok(result_of(&[1])));
        let must = |it: &Subject| it.implementation.name == "two";
        let of = |choice| {
            let run = |bench: &mut Bench<'_>| quickest_signers(bench, &choice, all(), b"message", &must);
            let (found, said) = with_bench(&launcher, &interrupt, run);
            (names(&found.expect("no failure")), said.len())
        };
        let (found, tried) = of(Choice::Usual);
        // One that signs, one that verifies, one that must, and whoever has no rival and is not even tried.
        assert!(found.contains(&"made-up (two)".to_owned()) && found.len() <= 4 && tried == 4, "{found:?}");
        assert_eq!(found.last().map(String::as_str), Some("alone (one)"));
        assert_eq!(of(Choice::All), (names(&all()), 0));
        interrupt.store(true, Ordering::Relaxed);
        assert_eq!(
            of(Choice::Usual),
            (["made-up (one)", "made-up (two)", "alone (one)"].map(String::from).to_vec(), 0)
        );
    }

    #[test]
    fn a_trial_is_of_nine_or_of_twenty_milliseconds() {
        let tried = |milliseconds: u64| {
            let times = Cell::new(0);
            let wait = Duration::from_millis(milliseconds);
            let mut work = || {
                times.set(times.get() + 1);
                std::thread::sleep(wait);
                Ok(())
            };
            assert!(shortest(&mut work).expect("no failure") >= wait);
            times.get()
        };
        assert_eq!(tried(21), 1);
        // Unless the machine is so busy that this takes 20 ms.
        assert!((0..20).any(|_| tried(0) == TRIALS));
        let [sign, verify] =
            signing_and_verifying(&subjects(&[algorithm("ed25519", "made-up", &["one"])])[0], b"message")
                .expect("no failure");
        assert!(sign > Duration::ZERO && verify > Duration::ZERO);
    }

    #[test]
    fn the_fastest_takes_least_in_all_that_counts() {
        let subjects = hashes();
        let mut writer = writer();
        for (subject, values) in
            subjects.iter().zip([[3.0, 3.0], [1.0, 6.0], [2.0, 3.0], [9.0, 9.0], [1.0, 1.0]])
        {
            for (operation, value) in ["hash", "tree"].into_iter().zip(values) {
                writer.record(writer.measured(
                    subject,
                    (operation, ""),
                    (value, "cycles"),
                    &input("", "", 1),
                ));
            }
        }
        let of = |writer: &RecordWriter, count: &dyn Fn(&Record) -> bool| {
            let found = fastest(writer, &subjects, count);
            found.into_iter().map(Subject::name).collect::<Vec<_>>().join(" ")
        };
        // 6, 7 and 5 together; what has a system call is nobody's fastest.
        assert_eq!(of(&writer, &|_| true), "made-up (three) other (one)");
        assert_eq!(of(&writer, &|it| it.operation == "hash"), "made-up (two) other (one)");
        assert_eq!(of(&writer, &|_| false), "made-up (one) other (one)");
        // Results of another study do not count.
        writer.open("later");
        assert_eq!(of(&writer, &|_| true), "made-up (one) other (one)");
        writer.record(writer.measured(&subjects[1], ("hash", ""), (1.0, "cycles"), &input("", "", 1)));
        assert_eq!(of(&writer, &|_| true), "made-up (two) other (one)");
    }
}
