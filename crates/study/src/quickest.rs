//! Whom a study measures that has no time for everybody: of every algorithm the implementations that decide.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Kind;
use fieldtest_kinds::Error;
use fieldtest_measure::record::{Line, Record};

use crate::timed::Timed;
use crate::{Bench, Book, Choice, StudyError, Subject, visits};

/// An operation is tried until so often, or for so long.
const TRIALS: u32 = 9;
const TRIAL: Duration = Duration::from_millis(20);

/// Of every algorithm the implementation that is quickest in each of the `deciding` figures, as one visit to all of them
/// finds it; all of them where more than the usual ones were chosen.
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
        (bench.say)(&format!("{stage}, trying {} {}", timed.figure.operation, timed.figure.subject));
        match visits::trial(bench, &timed.contest(stage, &subjects)) {
            Ok(trial) => trials.push(trial),
            // A process that the user's interrupt ended as well.
            Err(_) if bench.interrupted() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(keep(subjects, &trials, &|_| false))
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

/// The implementation of each algorithm whose figures in the open study that `count` are the least together, system calls
/// apart; the first where nothing was measured. In the order of `subjects`.
pub fn fastest<'s, K: Kind>(
    book: &Book,
    subjects: &'s [Subject<K>],
    count: &dyn Fn(&Record) -> bool,
) -> Vec<&'s Subject<K>> {
    let cost = |of: &Subject<K>| -> f64 {
        let own = |record: &Record| {
            record.study == book.study()
                && record.algorithm == of.algorithm.facts.name
                && record.implementation.as_ref().is_some_and(|it| it.name == of.implementation.name)
                && count(record)
        };
        let values = book.lines().iter().filter_map(|line| match line {
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
    let is_first = |at: usize, costs: &Vec<f64>| {
        let rivals = (0..subjects.len())
            .filter(|&other| std::ptr::eq(subjects[other].algorithm, subjects[at].algorithm));
        rivals.min_by(|a, b| costs[*a].total_cmp(&costs[*b])) == Some(at)
    };
    let stays = |at: usize| {
        trials.is_empty() || trials.iter().any(|costs| is_first(at, costs)) || must(&subjects[at])
    };
    let stay: Vec<bool> = (0..subjects.len()).map(stays).collect();
    subjects.into_iter().zip(stay).filter_map(|(subject, stays)| stays.then_some(subject)).collect()
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
