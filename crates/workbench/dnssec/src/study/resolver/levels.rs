//! What each level of the hierarchy adds: one level at a time has an algorithm and all others the baseline, with caches cold, in
//! rounds with repetitions where every level has the baseline.

use fieldtest_catalog::kind::Signature;
use fieldtest_catalog::signature::{self, Algorithm};
use fieldtest_dns_internet::Level;
use fieldtest_dns_internet::zones::Files;
use fieldtest_measure::record::Record;
use fieldtest_measure::words::GEOMETRIC_MEAN;
use fieldtest_study::part::{Part, settle};
use fieldtest_study::selection::{self, Subject};
use fieldtest_study::whole_job::enter_unmeasured;
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{About, Bench, RecordWriter, StudyError};

use super::super::{OF_SERVERS, fault};
use super::repetition::{Loaded, Repetition, repetition};
use super::results::{self, Of};
use super::{ResolverPart, fit, proven};
use crate::NAME;
use crate::internet::{Folder, is_interrupted};
use crate::outcome::in_one_sentence;
use crate::words::{AtLevel, Cost, Counted, Flow, Operation, Phase, Quantile, Signed};

#[derive(Debug)]
pub(crate) struct LevelsPart {
    pub(crate) resolver: ResolverPart,
    pub(crate) baseline: String,
}

struct Way {
    signed: Signed,
    subject: Subject,
    files: Files,
}

impl Part for LevelsPart {
    fn about(&self) -> &'static About {
        &OF_SERVERS
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        self.resolver.settle()?;
        settle::<Signature>(std::slice::from_mut(&mut self.baseline))?;
        // That of all levels is there anyway.
        self.resolver.algorithms.retain(|name| *name != self.baseline);
        match self.resolver.algorithms.is_empty() {
            true => Err(fault(format!(
                "{} is the baseline and the only algorithm, so no level differs; give another algorithm as well",
                self.baseline
            ))),
            false => Ok(()),
        }
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        writer.open(NAME);
        let folder = Folder::new().map_err(fault)?;
        let ways = self.sign(bench, writer, &folder)?;
        let running = folder.within("run").map_err(fault)?;
        let (interrupt, seed) = (bench.interrupt, bench.seed);
        let mut jobs: Vec<Job<'_, Repetition>> = Vec::new();
        for Way { signed, subject, files } in &ways {
            let (part, running) = (&self.resolver, &running);
            let name = &subject.algorithm.facts.name;
            let turn = move |round| {
                let load = (&part.load, &[Phase::Cold][..]);
                repetition(&part.world, files, load, running, seed.wrapping_add(round as u64), interrupt)
                    .map_err(|error| StudyError::of(NAME, format!("{name}, {signed}: {error}")))
                    .and_then(|repetition| part.credible(repetition, name))
            };
            jobs.push(Job {
                doing: format!("a resolver with cold caches, {name} at: {signed}"),
                fits: false,
                turn: Box::new(turn),
            });
        }
        let left = bench.left();
        let base = ways.iter().position(|way| way.signed == Signed::All);
        let (found, outcome) = rounds::run_whole_rounds(bench, &mut jobs, left, base.as_slice());
        drop(jobs);
        let part = &self.resolver;
        let input = part.input(&format!(
            "{}; one level at a time has an algorithm, the others {}",
            part.load.cold_told(),
            self.baseline
        ));
        let base = base.and_then(|at| found.get(at));
        for (Way { signed, subject, files }, repetitions) in ways.iter().zip(&found) {
            let of = Of { subject, files, input: &input, part };
            enter(bench, writer, &of, *signed, repetitions, base.map_or(&[][..], Vec::as_slice));
        }
        outcome
    }
}

impl LevelsPart {
    /// Proves every algorithm, and signs an internet with the baseline, and with each algorithm at each level.
    fn sign(
        &self,
        bench: &mut Bench<'_>,
        writer: &mut RecordWriter,
        folder: &Folder,
    ) -> Result<Vec<Way>, StudyError> {
        let base: &'static Algorithm = signature::find(&self.baseline)?;
        let algorithms = fit(bench, selection::algorithms(&self.resolver.algorithms)?)?;
        let mut wanted = vec![(Signed::All, base)];
        for algorithm in algorithms {
            wanted.extend([Signed::Root, Signed::Tld, Signed::Domain].map(|signed| (signed, algorithm)));
        }
        let mut ways = Vec::new();
        for (at, (signed, algorithm)) in wanted.into_iter().enumerate() {
            let name = algorithm.facts.name.as_str();
            writer.candidate(algorithm.facts);
            if bench.interrupted() {
                break;
            }
            let Some(subject) = proven(bench, algorithm)? else { break };
            (bench.say)(&format!(
                "signing {} zones, {name} at: {signed}",
                self.resolver.world.plan.zones().len()
            ));
            let of = |level: Level| match Signed::from_word(level.word()) {
                Some(own) if own == signed => name,
                _ => &self.baseline,
            };
            let directory = folder.within(&format!("zones-{at}")).map_err(fault)?;
            match self.resolver.world.sign_levels(Level::ALL.map(of), &directory, bench.interrupt) {
                Ok(files) => ways.push(Way { signed, subject, files }),
                Err(error) if is_interrupted(&error) => break,
                Err(error) => return Err(StudyError::of(NAME, in_one_sentence(&error))),
            }
        }
        Ok(ways)
    }
}

/// Enters every cost of one way to sign, and how it compares with the baseline's repetitions of the same rounds.
fn enter(
    bench: &Bench<'_>,
    writer: &mut RecordWriter,
    of: &Of<'_>,
    signed: Signed,
    repetitions: &[Repetition],
    base: &[Repetition],
) {
    if repetitions.is_empty() {
        if !bench.interrupted() {
            let subject = AtLevel { signed, cost: Cost::Processor }.to_string();
            let record = of.record(writer, Operation::LevelCost, &subject, "ns");
            enter_unmeasured(writer, record, "too little time for a repetition");
        }
        return;
    }
    let around = bench.surroundings;
    for cost in Cost::ALL {
        let subject = AtLevel { signed, cost }.to_string();
        let values: Option<Vec<f64>> = repetitions.iter().map(|repetition| told(repetition, cost)).collect();
        let Some(values) = values else { continue };
        if let Some(mean) = Mean::of(&values, around) {
            let record = of.record(writer, Operation::LevelCost, &subject, cost.unit());
            let most = if cost == Cost::Secure { 1.0 } else { f64::INFINITY };
            writer.record(mean.told_in(record, [0.0, most]));
        }
        if signed == Signed::All || cost == Cost::Secure {
            continue;
        }
        // Of a round that both have; what is nothing with the baseline has no multiple.
        let beside = base.iter().map(|repetition| told(repetition, cost).filter(|it| *it > 0.0));
        let ratios: Option<Vec<f64>> =
            values.iter().zip(beside).map(|(value, beside)| Some(value / beside?)).collect();
        let Some(ratios) = ratios.filter(|it| it.iter().all(|ratio| *ratio > 0.0)) else { continue };
        if let Some(mean) = Mean::of_positive(&ratios, around) {
            let record = of.record(writer, Operation::LevelFactor, &subject, "ratio");
            let record = mean.told_in(record, [0.0, f64::INFINITY]);
            writer.record(Record { estimator: GEOMETRIC_MEAN.to_owned(), ..record });
        }
    }
}

/// A cost of a repetition, for each query of a client.
fn told(repetition: &Repetition, cost: Cost) -> Option<f64> {
    let loaded: &Loaded = repetition.phases.first()?;
    let each = |whole: u64| whole as f64 / loaded.outcome.sent as f64;
    let up = |counted| results::wire(loaded, Flow::Upstream, counted);
    let down = |counted| results::wire(loaded, Flow::Downstream, counted);
    match cost {
        Cost::Processor => Some(each(loaded.resolver)),
        Cost::Verifications => Some(each(loaded.verified?.number)),
        Cost::Verifying => Some(each(loaded.verified?.processor)),
        Cost::Servers => Some(each(loaded.servers.iter().sum())),
        Cost::Median => results::latency(loaded, Quantile::P50),
        Cost::Slow => results::latency(loaded, Quantile::P99),
        Cost::BytesUp => up(Counted::Bytes),
        Cost::PacketsUp => up(Counted::Packets),
        Cost::ConnectionsUp => up(Counted::Connections),
        Cost::BytesDown => down(Counted::Bytes),
        Cost::PacketsDown => down(Counted::Packets),
        Cost::ConnectionsDown => down(Counted::Connections),
        Cost::Secure => Some(loaded.outcome.authentic as f64 / results::asked(loaded) as f64),
    }
}
