//! Whom a study measures that has no time for everybody: of every algorithm the implementations that decide.

use std::time::{Duration, Instant};

use fieldtest_kinds::Error;

use crate::{Bench, StudyError, Subject};

/// An operation is tried until so often, or for so long.
const TRIALS: u32 = 9;
const TRIAL: Duration = Duration::from_millis(20);

/// Of every algorithm the implementation that is quickest to sign and the one that is quickest to verify, as a trial on
/// `message` finds them, and those that `must` take part; all of them in a thorough study.
///
/// # Errors
/// What an implementation refuses.
pub fn quickest(
    bench: &mut Bench<'_>,
    subjects: Vec<Subject>,
    message: &[u8],
    must: &dyn Fn(&Subject) -> bool,
) -> Result<Vec<Subject>, StudyError> {
    if bench.thorough {
        return Ok(subjects);
    }
    let mut trials = Vec::with_capacity(subjects.len());
    for subject in &subjects {
        let name = subject.algorithm.facts.name.as_str();
        let has_rivals = subjects.iter().filter(|other| other.algorithm.facts.name == name).count() > 1;
        trials.push(if has_rivals && !bench.interrupted() {
            (bench.say)(&format!("trying {}", subject.name()));
            trial(subject, message).map_err(|error| subject.failed("a trial", error))?
        } else {
            [Duration::ZERO; 2]
        });
    }
    let is_quickest = |at: usize, operation: usize| {
        let rivals = (0..subjects.len())
            .filter(|&other| std::ptr::eq(subjects[other].algorithm, subjects[at].algorithm));
        rivals.min_by_key(|&other| trials[other][operation]) == Some(at)
    };
    let chosen: Vec<bool> = (0..subjects.len())
        .map(|at| is_quickest(at, 0) || is_quickest(at, 1) || must(&subjects[at]))
        .collect();
    Ok(subjects.into_iter().zip(chosen).filter_map(|(subject, chosen)| chosen.then_some(subject)).collect())
}

/// The shortest time to sign and to verify with prepared keys.
fn trial(subject: &Subject, message: &[u8]) -> Result<[Duration; 2], Error> {
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
