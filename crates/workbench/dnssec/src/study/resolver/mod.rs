//! A validating resolver under load with every algorithm: fresh servers and a fresh resolver for every repetition, in rounds, so that
//! whatever the machine does for a while meets all algorithms.

mod fill;
mod held_rate;
mod levels;
mod load;
mod repetition;
mod results;

use fieldtest_catalog::Wanted;
use fieldtest_catalog::kind::Signature;
use fieldtest_catalog::signature::{self, Algorithm};
use fieldtest_dns_internet::internet::Programs;
use fieldtest_dns_internet::zones::Files;
use fieldtest_measure::record::{Implementation, Input};
use fieldtest_study::part::{BASELINE, Part, settle};
use fieldtest_study::selection::{self, Choice, Subject};
use fieldtest_study::speed::input_in_words;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{About, Bench, RecordWriter, StudyError};

use super::{OF_SERVERS, fault};
use crate::NAME;
use crate::internet::{Folder, World, is_interrupted, name, version, version_of};
use crate::outcome::in_one_sentence;
use crate::words::Phase;
pub(crate) use levels::LevelsPart;
pub(crate) use load::{Asking, Load};
use repetition::{Repetition, repetition};

/// Measured where nobody names any: what is deployed, and what may follow.
pub(crate) const USUAL: [&str; 10] = [
    "rsa-2048",
    "ecdsa-p256",
    "ed25519",
    "ml-dsa-44",
    "falcon-512",
    "hawk-256",
    "hawk-512",
    "mayo-1",
    "antrag-512",
    "sqisign-1",
];

/// What is measured, and where. It is no table of a study file: it needs servers, and a network of its own.
#[derive(Debug)]
pub(crate) struct ResolverPart {
    pub(crate) algorithms: Vec<String>,
    pub(crate) world: World,
    pub(crate) load: Load,
    /// What the programs call themselves.
    pub(crate) versions: Versions,
}

#[derive(Debug, Clone)]
pub(crate) struct Versions {
    pub(crate) resolver: Implementation,
    pub(crate) servers: String,
}

impl Versions {
    pub(crate) fn of(programs: &Programs) -> Versions {
        let resolver = Implementation::new(name(&programs.resolver), version_of(&programs.resolver));
        Versions { resolver, servers: version(&programs.nsd, "-v") }
    }
}

impl Part for ResolverPart {
    fn about(&self) -> &'static About {
        &OF_SERVERS
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        settle::<Signature>(&mut self.algorithms)
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        writer.open(NAME);
        let algorithms = fit(bench, selection::algorithms(&self.algorithms)?)?;
        for algorithm in &algorithms {
            writer.candidate(algorithm.facts);
        }
        let folder = Folder::new().map_err(fault)?;
        let signed = self.sign(bench, &algorithms, &folder)?;
        let running = folder.within("run").map_err(fault)?;
        let (interrupt, seed) = (bench.interrupt, bench.seed);
        let mut jobs: Vec<Job<'_, Repetition>> = Vec::new();
        for (subject, files) in &signed {
            let name = &subject.algorithm.facts.name;
            let running = &running;
            let turn = move |round| {
                let load = (&self.load, &Phase::LOADS[..]);
                repetition(&self.world, files, load, running, seed.wrapping_add(round as u64), interrupt)
                    .map_err(|error| StudyError::of(NAME, format!("{name}: {error}")))
                    .and_then(|repetition| self.credible(repetition, name))
            };
            jobs.push(Job {
                doing: format!("a resolver under load with {name}"),
                fits: false,
                turn: Box::new(turn),
            });
        }
        let left = bench.left();
        // A server that ended spoils its repetition and no other.
        let base =
            signed.iter().position(|(subject, _)| subject.algorithm.facts.name == BASELINE).unwrap_or(0);
        let (found, outcome) = rounds::run_whole_rounds(bench, &mut jobs, left, &[base]);
        drop(jobs);
        let input = self.input(&self.load.to_string());
        for ((subject, files), repetitions) in signed.iter().zip(&found) {
            let of = results::Of { subject, files, input: &input, part: self };
            if outcome.is_ok() || !repetitions.is_empty() {
                results::enter(bench, writer, &of, repetitions);
            }
        }
        outcome
    }
}

/// The implementation that zones are signed by, once it was proven; `None` where that was interrupted.
pub(crate) fn proven(
    bench: &mut Bench<'_>,
    algorithm: &'static Algorithm,
) -> Result<Option<Subject>, StudyError> {
    let serving = algorithm.served(Wanted::Any).map_err(|error| StudyError::of(NAME, error.to_string()))?;
    let choice = Choice::Named(vec![serving.name.to_owned()]);
    let subjects = bench.prove(&[algorithm], &choice)?;
    Ok(subjects.into_iter().next())
}

/// What notes say of its proof.
pub(crate) fn reproduced(subject: &Subject) -> String {
    format!("{} reproduced {} known answers", subject.name(), subject.proof_record().vectors)
}

/// The algorithms without engines that fail, or have failed: these go among the failed.
///
/// # Errors
/// Why one of them failed, where none is left.
pub(super) fn fit(
    bench: &mut Bench<'_>,
    mut algorithms: Vec<&'static Algorithm>,
) -> Result<Vec<&'static Algorithm>, StudyError> {
    for algorithm in algorithms.clone().into_iter().filter(|algorithm| algorithm.is_attached()) {
        match proven(bench, algorithm) {
            Ok(_) => {}
            Err(error) if error.engine().is_some() && algorithms.len() > 1 => {
                bench.failed.push(error);
                algorithms.retain(|it| !std::ptr::eq(*it, algorithm));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(algorithms)
}

impl ResolverPart {
    /// Proves each algorithm's implementation and those that levels have anyway, and signs all zones with each algorithm.
    fn sign(
        &self,
        bench: &mut Bench<'_>,
        algorithms: &[&'static Algorithm],
        folder: &Folder,
    ) -> Result<Vec<(Subject, Files)>, StudyError> {
        for name in self.world.fixed() {
            proven(bench, signature::find(name)?)?;
        }
        let mut signed = Vec::new();
        for &algorithm in algorithms {
            let name = &algorithm.facts.name;
            if bench.interrupted() {
                break;
            }
            let Some(subject) = proven(bench, algorithm)? else { break };
            (bench.say)(&format!("signing {} zones with {name}", self.world.plan.zones().len()));
            let directory = folder.within(name).map_err(fault)?;
            match self.world.sign(name, &directory, bench.interrupt) {
                Ok(files) => signed.push((subject, files)),
                Err(error) if is_interrupted(&error) => break,
                Err(error) => return Err(StudyError::of(NAME, in_one_sentence(&error))),
            }
        }
        Ok(signed)
    }

    /// Refuses a repetition in which nothing was secure: its results would be those of a resolver that does not validate.
    fn credible(&self, repetition: Repetition, name: &str) -> Result<Repetition, StudyError> {
        if repetition.phases.iter().all(|phase| phase.outcome.authentic == 0 && phase.outcome.answered > 0) {
            return Err(StudyError::of(NAME, self.world.told_unknown(name)));
        }
        Ok(repetition)
    }

    /// What records say that they were measured on. The digest is of the plan, as keys and signatures are new in each run.
    fn input(&self, loaded: &str) -> Input {
        let told = format!("{}; {loaded}", self.world.told());
        input_in_words(&told, self.world.plan.zones().len())
    }
}
