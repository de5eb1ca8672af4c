//! The worst that one query can do to a resolver: keys with one tag and signatures by none of them, and denials by NSEC3 with many
//! iterations, each beside a usual query, with every resolver that is here. Only resolvers are asked that were started for it.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use fieldtest_catalog::kind::Signature;
use fieldtest_catalog::signature::Algorithm;
use fieldtest_dns_internet::ask::{Said, ask_why};
use fieldtest_dns_internet::internet::{Internet, Programs};
use fieldtest_dns_internet::trap::{colliding, deep, forged};
use fieldtest_dns_internet::zones::{Burden, Files};
use fieldtest_dns_internet::{InternetError, Level};
use fieldtest_dnssec::denial::{Denial, Nsec3};
use fieldtest_dnssec::{Name, Rtype};
use fieldtest_measure::record::{Implementation, Input, Record};
use fieldtest_measure::words::GEOMETRIC_MEAN;
use fieldtest_study::part::{BASELINE, Part, settle};
use fieldtest_study::selection::{self, Subject};
use fieldtest_study::speed::input_in_words;
use fieldtest_study::whole_job::enter_unmeasured;
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{About, Bench, RecordWriter, StudyError};

use super::resolver::proven;
use super::{OF_SERVERS, fault};
use crate::NAME;
use crate::internet::{Folder, World, is_interrupted, terms};
use crate::outcome::in_one_sentence;
use crate::words::{Operation, Probe, note};

/// Domains below the one TLD: one that is asked before, so that the chain above is known, and one for each probe.
pub(crate) const DOMAINS: u32 = 1 + Probe::ALL.len() as u32;
/// How long an answer is waited for: a resolver that asks again and again may take as long.
const WAIT: Duration = Duration::from_secs(60);
/// A resolver works no more on a query once it took less than [`STILL`] for so long.
const REST: Duration = Duration::from_millis(150);
const STILL: u64 = 200_000;
const LONGEST_REST: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(crate) struct KeyTrapPart {
    pub(crate) algorithms: Vec<String>,
    pub(crate) world: World,
    pub(crate) resolvers: Vec<(Programs, Implementation)>,
    pub(crate) keys: usize,
    pub(crate) signatures: u32,
    pub(crate) iterations: u16,
    /// How long keys are drawn until tags collide.
    pub(crate) draw: Duration,
}

struct Sprung {
    subject: Subject,
    files: Files,
    /// Keys and signatures of the trap in words.
    told: String,
}

#[derive(Debug)]
struct Shown {
    /// Nanoseconds of the resolver's processor.
    processor: u64,
    wait: Duration,
    verifications: Option<u64>,
    secure: bool,
    answered: String,
}

/// What a repetition showed: of each probe; nothing of a resolver that does not know the algorithm.
type Repetition = Option<[Shown; 4]>;

impl Part for KeyTrapPart {
    fn about(&self) -> &'static About {
        &OF_SERVERS
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        settle::<Signature>(&mut self.algorithms)
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        writer.open(NAME);
        let folder = Folder::new().map_err(fault)?;
        let mut all = Vec::new();
        for algorithm in selection::algorithms(&self.algorithms)? {
            writer.candidate(algorithm.facts);
            match self.spring(bench, algorithm, &folder)? {
                Some(sprung) => all.push(sprung),
                None => break,
            }
        }
        let running = folder.within("run").map_err(fault)?;
        let interrupt = bench.interrupt;
        let mut jobs: Vec<Job<'_, Repetition>> = Vec::new();
        let mut of = Vec::new();
        for sprung in &all {
            for (programs, resolver) in &self.resolvers {
                let name = &sprung.subject.algorithm.facts.name;
                let running = &running;
                let turn = move |_| {
                    self.repetition(&sprung.files, programs, running, interrupt).map_err(|error| {
                        StudyError::of(NAME, format!("cannot ask {} for {name}: {error}", resolver.name))
                    })
                };
                let doing = format!("one query of {name} to {}", resolver.name);
                jobs.push(Job { doing, fits: false, turn: Box::new(turn) });
                of.push((sprung, resolver));
            }
        }
        let left = bench.left();
        let base: Vec<usize> = of
            .iter()
            .enumerate()
            .filter(|(_, (sprung, _))| sprung.subject.algorithm.facts.name == BASELINE)
            .map(|(at, _)| at)
            .collect();
        let (found, outcome) = rounds::run_whole_rounds(bench, &mut jobs, left, &base);
        drop(jobs);
        let input = self.input();
        for ((sprung, resolver), repetitions) in of.into_iter().zip(&found) {
            self.enter(bench, writer, (sprung, resolver, &input), repetitions);
        }
        outcome
    }
}

impl KeyTrapPart {
    /// Draws keys, forges signatures, and signs the zones; nothing where that was interrupted.
    fn spring(
        &self,
        bench: &mut Bench<'_>,
        algorithm: &'static Algorithm,
        folder: &Folder,
    ) -> Result<Option<Sprung>, StudyError> {
        let name = &algorithm.facts.name;
        let Some(subject) = proven(bench, algorithm)? else { return Ok(None) };
        (bench.say)(&format!("drawing keys of {name} whose tags collide"));
        let stop = bench.interrupt;
        let made = || -> Result<(Files, String)> {
            let (code_point, implementation) = self.world.code(name)?;
            let code = (&code_point, implementation.code.as_ref());
            let (place, zone) = self.place(Probe::KeyTrap);
            let keys = colliding(&zone, code, self.keys, self.draw, stop)?;
            let terms = terms();
            let [inception, expiration] = terms.validity;
            let host = zone.child(b"www").unwrap_or(zone);
            let times = [inception, expiration];
            // The plan's first host has this address.
            let signatures = forged((&zone, &host, [192, 0, 2, 0]), code, keys.tag, self.signatures, times)?;
            let how = match keys.by_flags {
                false => format!("of {} that were drawn", keys.drawn),
                true => format!("of {} that were drawn, with unused bits of their flags set", keys.drawn),
            };
            let told = format!(
                "{} keys with the tag {} {how}, × {} signatures",
                keys.keys.len(),
                keys.tag,
                signatures.len()
            );
            let nsec3 =
                |iterations| Some(Denial::Nsec3(Nsec3 { iterations, salt: Vec::new(), opt_out: false }));
            let denied = [self.place(Probe::Denial).0, self.place(Probe::Nsec3).0];
            let burden = |at: usize| match at {
                at if at == place => {
                    Burden { keys: keys.keys.clone(), signatures: signatures.clone(), denial: None }
                }
                at if at == denied[0] => Burden { denial: nsec3(0), ..Burden::default() },
                at if at == denied[1] => Burden { denial: nsec3(self.iterations), ..Burden::default() },
                _ => Burden::default(),
            };
            let directory = folder.within(name)?;
            let files =
                self.world.sign_burdened([name; 3].map(String::as_str), &terms, &burden, &directory, stop)?;
            Ok((files, told))
        };
        match made() {
            Ok((files, told)) => Ok(Some(Sprung { subject, files, told })),
            Err(error) if is_interrupted(&error) => Ok(None),
            Err(error) => Err(StudyError::of(NAME, format!("{name}: {}", in_one_sentence(&error)))),
        }
    }

    /// The place in the plan and the name of a probe's domain; the first domain is nobody's.
    fn place(&self, probe: Probe) -> (usize, Name) {
        let mut domains = self.world.plan.of_level(Level::Domain).skip(1 + probe as usize);
        domains.next().map_or((0, Name::ROOT), |(place, zone)| (place, zone.name))
    }

    /// A fresh resolver is asked for a host of another domain, and then each probe's question.
    fn repetition(
        &self,
        files: &Files,
        programs: &Programs,
        running: &Path,
        stop: &AtomicBool,
    ) -> Result<Repetition, InternetError> {
        let world = &self.world;
        let mut internet = Internet::serve(&world.plan, files, world.place, programs, running, stop)?;
        match internet.resolve_afresh(stop) {
            Err(InternetError::UnknownAlgorithm { .. }) => return Ok(None),
            begun => begun?,
        }
        let first = world.plan.of_level(Level::Domain).next().map_or(Name::ROOT, |(_, zone)| zone.name);
        let www = |zone: Name| zone.child(b"www").unwrap_or(zone);
        if !ask(&mut internet, &www(first), stop)?.secure {
            return Ok(None);
        }
        let mut shown = Vec::new();
        for probe in Probe::ALL {
            let (_, zone) = self.place(probe);
            let name = match probe {
                Probe::Usual | Probe::KeyTrap => www(zone),
                Probe::Denial => zone.child(b"no-such-name").unwrap_or(zone),
                Probe::Nsec3 => deep(&zone),
            };
            shown.push(ask(&mut internet, &name, stop)?);
        }
        Ok(shown.try_into().ok())
    }

    fn enter(
        &self,
        bench: &Bench<'_>,
        writer: &mut RecordWriter,
        (sprung, resolver, input): (&Sprung, &Implementation, &Input),
        repetitions: &[Repetition],
    ) {
        let name = &sprung.subject.algorithm.facts.name;
        let record = |writer: &RecordWriter, operation: Operation, subject: &str, unit: &str| Record {
            implementation: Some(resolver.clone()),
            input: Some(input.clone()),
            notes: vec![format!("{}{}", note::TRAP, sprung.told)],
            ..writer.result(name, operation.word(), subject, 0.0, unit)
        };
        let whole: Option<Vec<&[Shown; 4]>> = repetitions.iter().map(Option::as_ref).collect();
        let Some(repetitions) = whole.filter(|repetitions| !repetitions.is_empty()) else {
            if !bench.interrupted() {
                let why = match repetitions.is_empty() {
                    true => "too little time for a repetition",
                    false => "the resolver does not know the algorithm",
                };
                enter_unmeasured(writer, record(writer, Operation::TrapProcessor, "", "ns"), why);
            }
            return;
        };
        let around = bench.surroundings;
        for probe in Probe::ALL {
            let each = |of: &dyn Fn(&[Shown; 4]) -> Option<f64>| -> Option<Vec<f64>> {
                repetitions.iter().map(|repetition| of(repetition)).collect()
            };
            let processor = |repetition: &[Shown; 4], of: Probe| repetition[of as usize].processor as f64;
            let verified = |repetition: &[Shown; 4]| Some(repetition[probe as usize].verifications? as f64);
            let mut answered: Vec<&str> =
                repetitions.iter().map(|repetition| repetition[probe as usize].answered.as_str()).collect();
            answered.sort_unstable();
            answered.dedup();
            let answered = format!("{}{}", note::ANSWERED, answered.join("; "));
            let results: [(Operation, &str, Option<Vec<f64>>); 4] = [
                (Operation::TrapProcessor, "ns", each(&|repetition| Some(processor(repetition, probe)))),
                (
                    Operation::TrapLatency,
                    "ns",
                    each(&|repetition| Some(repetition[probe as usize].wait.as_nanos() as f64)),
                ),
                (Operation::TrapVerifications, "count", each(&verified)),
                (
                    Operation::TrapFactor,
                    "ratio",
                    each(&|repetition| {
                        Some(processor(repetition, probe) / processor(repetition, probe.usual()?))
                    }),
                ),
            ];
            for (operation, unit, values) in results {
                let Some(values) = values else { continue };
                let is_multiple = operation == Operation::TrapFactor;
                let mean = match is_multiple {
                    true => Mean::of_positive(&values, around),
                    false => Mean::of(&values, around),
                };
                if let Some(mean) = mean {
                    let mut record = record(writer, operation, probe.word(), unit);
                    record.notes.push(answered.clone());
                    let mut record = mean.told_in(record, [0.0, f64::INFINITY]);
                    if is_multiple {
                        record.estimator = GEOMETRIC_MEAN.to_owned();
                    }
                    writer.record(record);
                }
            }
        }
    }

    fn input(&self) -> Input {
        let told = format!(
            "{}; {} keys × {} signatures wanted; NSEC3 with {} iterations for a name of as many labels as fit",
            self.world.told(),
            self.keys,
            self.signatures,
            self.iterations
        );
        input_in_words(&told, self.world.plan.zones().len())
    }
}

/// Asks, and waits until the resolver rests again: some go on after their answer.
fn ask(internet: &mut Internet<'_>, name: &Name, stop: &AtomicBool) -> Result<Shown, InternetError> {
    let processor = |internet: &Internet<'_>| internet.resolver().map_or(0, |it| it.usage().processor);
    let verified = |internet: &Internet<'_>| internet.verifications().map(|it| it.number);
    let before = (processor(internet), verified(internet));
    let begun = Instant::now();
    let said = ask_why(internet.place().resolver(), name, Rtype::A, WAIT);
    let wait = begun.elapsed();
    let resting = Instant::now();
    let mut last = processor(internet);
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(InternetError::Interrupted);
        }
        std::thread::sleep(REST);
        let now = processor(internet);
        if now.saturating_sub(last) < STILL || resting.elapsed() > LONGEST_REST {
            last = now;
            break;
        }
        last = now;
    }
    internet.check()?;
    let (secure, answered) = match &said {
        Ok((said, reasons)) => (said.authentic, in_words(*said, reasons)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            (false, "nothing: the connection was closed".to_owned())
        }
        Err(error) => (false, format!("nothing: {error}")),
    };
    Ok(Shown {
        processor: last.saturating_sub(before.0),
        wait,
        verifications: verified(internet).map(|now| now.saturating_sub(before.1.unwrap_or(0))),
        secure,
        answered,
    })
}

/// `SERVFAIL, EDE 6`.
fn in_words(said: Said, reasons: &[u16]) -> String {
    let code = match said.rcode {
        0 => "NOERROR".to_owned(),
        Said::SERVFAIL => "SERVFAIL".to_owned(),
        Said::NXDOMAIN => "NXDOMAIN".to_owned(),
        5 => "REFUSED".to_owned(),
        other => format!("response code {other}"),
    };
    let secure = if said.authentic { " with AD" } else { "" };
    let reasons: String = reasons.iter().map(|code| format!(", EDE {code}")).collect();
    format!("{code}{secure}{reasons}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_words() {
        let said = Said { rcode: 2, authentic: false, authoritative: false, answers: 0, octets: 0 };
        assert_eq!(in_words(said, &[6, 12]), "SERVFAIL, EDE 6, EDE 12");
        assert_eq!(in_words(Said { rcode: 3, authentic: true, ..said }, &[]), "NXDOMAIN with AD");
    }
}
