//! Keys of a zone are replaced while a resolver under light load asks for it: every algorithm, every way, a fresh internet for each.

mod results;
mod timeline;

use fieldtest_catalog::kind::Signature;
use fieldtest_catalog::signature;
use fieldtest_dns_internet::Level;
use fieldtest_dns_internet::rekey::roll::Procedure;
use fieldtest_dns_internet::zones::{Signing, Terms};
use fieldtest_measure::record::Input;
use fieldtest_study::part::{Part, settle};
use fieldtest_study::speed::input_in_words;
use fieldtest_study::{About, Bench, RecordWriter, StudyError};

use super::OF_SERVERS;
use super::resolver::{Versions, proven, reproduced};
use crate::NAME;
use crate::internet::{Folder, World, is_interrupted, terms};
use crate::outcome::in_one_sentence;
use crate::words::Denial;

/// How the zone is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Light {
    pub(crate) rate: f64,
    /// Seconds for which resolvers may keep records of the zone and its delegation.
    pub(crate) ttl: u32,
    pub(crate) repetitions: u32,
}

/// What is replaced, and how. It is no table of a study file: it needs servers, and a network of its own.
#[derive(Debug)]
pub(crate) struct RekeyPart {
    /// The root, one TLD, and one domain of that or several.
    pub(crate) world: World,
    pub(crate) level: Level,
    /// The algorithms of the new keys, as the catalog names them.
    pub(crate) algorithms: Vec<String>,
    /// Of the old ones where algorithms are replaced.
    pub(crate) from: String,
    /// Of the zones above and below.
    pub(crate) others: String,
    pub(crate) procedures: Vec<Procedure>,
    /// How the zone denies existence, which [signs it](Denial::of_zones).
    pub(crate) denials: Vec<Denial>,
    pub(crate) light: Light,
    pub(crate) versions: Versions,
}

impl Part for RekeyPart {
    fn about(&self) -> &'static About {
        &OF_SERVERS
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        settle::<Signature>(&mut self.algorithms)
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        writer.open(NAME);
        let mut notes = vec![format!("name server: {}", self.versions.servers)];
        for name in self.algorithms.iter().chain([&self.from, &self.others]) {
            let Some(subject) = proven(bench, signature::find(name)?)? else { return Ok(()) };
            let told = reproduced(&subject);
            if !notes.contains(&told) {
                notes.push(told);
            }
        }
        for name in &self.algorithms {
            writer.candidate(signature::find(name)?.facts);
        }
        match self.refuse_unknown(bench) {
            Err(error) if is_interrupted(&error) => return Ok(()),
            known => known.map_err(|error| StudyError::of(NAME, in_one_sentence(&error)))?,
        }
        let (found, outcome) = self.repetitions(bench);
        for (rolled, repetitions) in self.rolled().zip(&found) {
            let Rolled { procedure, denial, from, to } = rolled;
            let (input, notes) = (self.input(from, to, denial), &notes[..]);
            let resolver = &self.versions.resolver;
            let of = results::Of { algorithm: to, procedure, denial, input, resolver, notes };
            results::enter(bench, writer, &of, repetitions);
        }
        outcome
    }
}

/// One roll: its way, how the zone denies, and the algorithms of the old and the new keys.
#[derive(Debug, Clone, Copy)]
struct Rolled<'a> {
    procedure: Procedure,
    denial: Denial,
    from: &'a String,
    to: &'a String,
}

impl RekeyPart {
    /// Refuses a resolver that does not know every algorithm, once for all rolls.
    fn refuse_unknown(&self, bench: &mut Bench<'_>) -> anyhow::Result<()> {
        let mut all: Vec<&String> = self.rolled().flat_map(|rolled| [rolled.from, rolled.to]).collect();
        all.push(&self.others);
        all.sort_unstable();
        all.dedup();
        for algorithm in all {
            (bench.say)(&format!("asking the resolver whether it knows {algorithm}"));
            let folder = Folder::new()?;
            self.world.refuse_unknown(algorithm, &folder.within("known")?, bench.interrupt)?;
        }
        Ok(())
    }

    fn rolled(&self) -> impl Iterator<Item = Rolled<'_>> {
        self.algorithms.iter().flat_map(move |to| {
            self.procedures.iter().flat_map(move |&procedure| {
                let from = if procedure.roll.is_of_algorithm() { &self.from } else { to };
                self.denials.iter().map(move |&denial| Rolled { procedure, denial, from, to })
            })
        })
    }

    /// Rolls everything as often as it is to be. In whole rounds: whatever the machine does for a while then
    /// meets all rolls. The result is what each repetition showed, of each roll, and why there are no more of
    /// them.
    fn repetitions(&self, bench: &mut Bench<'_>) -> (Vec<Vec<Vec<timeline::Seen>>>, Result<(), StudyError>) {
        let mut found: Vec<Vec<Vec<timeline::Seen>>> = self.rolled().map(|_| Vec::new()).collect();
        for round in 1..=self.light.repetitions {
            for (rolled, repetitions) in self.rolled().zip(&mut found) {
                let Rolled { procedure, denial, to, .. } = rolled;
                if bench.interrupted() {
                    return (found, Ok(()));
                }
                let which =
                    if self.light.repetitions > 1 { format!(", repetition {round}") } else { String::new() };
                (bench.say)(&format!("{procedure} with {to}, {}{which}", denial.in_words()));
                match self.roll(bench, rolled) {
                    Ok(steps) => repetitions.push(steps),
                    Err(error) if is_interrupted(&error) => return (found, Ok(())),
                    Err(error) => {
                        let error =
                            StudyError::of(NAME, format!("{procedure}, {to}: {}", in_one_sentence(&error)));
                        return (found, Err(error));
                    }
                }
            }
        }
        (found, Ok(()))
    }

    fn place(&self) -> usize {
        self.world.plan.of_level(self.level).next().map_or(0, |(place, _)| place)
    }

    /// The zone, its parent and whatever is below it change, so that all of it is asked for again and again.
    fn terms(&self) -> Terms {
        let place = self.place();
        let mut terms = terms();
        terms.changing = vec![place, self.world.plan.zones()[place].parent];
        terms.changing.extend(self.world.plan.children(place).map(|(child, _)| child));
        terms.ttl = self.light.ttl;
        terms
    }

    fn signing(&self, algorithm: &str, denial: Denial) -> anyhow::Result<Signing<'static>> {
        let (code_point, implementation) = self.world.code(algorithm)?;
        Ok(Signing::new(implementation.code.as_ref(), code_point, denial.of_zones().unwrap_or_default()))
    }

    fn roll(
        &self,
        bench: &Bench<'_>,
        Rolled { procedure, denial, from, to }: Rolled<'_>,
    ) -> anyhow::Result<Vec<timeline::Seen>> {
        let folder = Folder::new()?;
        let terms = self.terms();
        let files = self.world.sign_on(&self.others, &terms, &folder.within("zones")?, bench.interrupt)?;
        let signing = [self.signing(from, denial)?, self.signing(to, denial)?];
        let running = folder.within("run")?;
        timeline::run(self, procedure, &files, &terms, [&signing[0], &signing[1]], &running, bench)
    }

    /// What records say that they are of. The digest is of these words, as keys are new in each run.
    fn input(&self, from: &str, to: &str, denial: Denial) -> Input {
        let algorithms = if from == to { format!("signed by {to}") } else { format!("from {from} to {to}") };
        let shape = self.world.plan.shape();
        let of = match self.level {
            Level::Domain => format!("a domain of {} hosts", shape.hosts),
            _ => format!("a TLD of {} domains", shape.domains),
        };
        let denies = match denial {
            Denial::Nsec => String::new(),
            other => format!(", {}", other.in_words()),
        };
        let place = self.world.place_told();
        let told = format!(
            "{of}, {algorithms}{denies}, TTLs of {} s, {} queries a second, other zones signed by {}, {place}",
            self.light.ttl, self.light.rate, self.others
        );
        input_in_words(&told, self.world.plan.zones().len())
    }
}
