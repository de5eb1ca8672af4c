//! What resolvers make of zones with two algorithms of which one was stripped: for each resolver, a start with the zones of all attacks.

use std::path::Path;

use fieldtest_catalog::signature;
use fieldtest_dns_internet::downgrade::{Attack, Pair, Verdict, judge, make};
use fieldtest_dns_internet::internet::{Internet, Programs, address};
use fieldtest_dns_internet::resolver::Resolver;
use fieldtest_dns_internet::zones::{Files, Signing};
use fieldtest_dns_internet::{InternetError, Level};
use fieldtest_dnssec::denial::Denial;
use fieldtest_measure::record::{Implementation, Input, Record};
use fieldtest_study::part::Part;
use fieldtest_study::speed::input_in_words;
use fieldtest_study::{About, Bench, RecordWriter, StudyError};

use super::resolver::{proven, reproduced};
use super::{OF_SERVERS, fault};
use crate::NAME;
use crate::internet::{Folder, KNOWING, World, is_interrupted, terms};
use crate::outcome::in_one_sentence;
use crate::words::Operation;

#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Its name in records, which no other has.
    pub(crate) name: String,
    pub(crate) resolver: Resolver,
    pub(crate) version: String,
}

/// What is asked of whom. It is no table of a study file: it needs servers, and a network of its own.
#[derive(Debug)]
pub(crate) struct DowngradePart {
    /// A TLD with a domain for each attack.
    pub(crate) world: World,
    pub(crate) asked: Vec<Asked>,
    /// Algorithms, as the catalog names them.
    pub(crate) strong: String,
    pub(crate) weak: String,
    pub(crate) parents: String,
}

impl Part for DowngradePart {
    fn about(&self) -> &'static About {
        &OF_SERVERS
    }

    /// The command has looked at everything.
    fn settle(&mut self) -> Result<(), StudyError> {
        Ok(())
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        writer.open(NAME);
        let mut notes = Vec::new();
        for name in [&self.strong, &self.weak, &self.parents] {
            let algorithm = signature::find(name)?;
            let Some(subject) = proven(bench, algorithm)? else { return Ok(()) };
            writer.candidate(algorithm.facts);
            notes.push(reproduced(&subject));
        }
        notes.dedup();
        let folder = Folder::new().map_err(fault)?;
        (bench.say)("signing a zone for each attack");
        let files = match self.sign(&folder, bench) {
            Err(error) if is_interrupted(&error) => return Ok(()),
            other => other.map_err(|error| fault(in_one_sentence(&error)))?,
        };
        let running = folder.within("run").map_err(fault)?;
        let input = self.input();
        for asked in &self.asked {
            (bench.say)(&format!("asking {} ({})", asked.name, asked.version));
            let found = match self.ask(asked, &files, &running, bench) {
                Err(InternetError::Interrupted) => return Ok(()),
                // It has no control that would be secure.
                Err(InternetError::UnknownAlgorithm { .. }) => Vec::new(),
                other => other.map_err(|error| fault(format!("cannot ask {}: {error}", asked.name)))?,
            };
            let control = found.iter().find(|(attack, _)| *attack == Attack::Nothing);
            if !control.is_some_and(|(_, verdicts)| verdicts.iter().all(|it| *it == Verdict::Secure)) {
                return Err(fault(format!(
                    "{} cannot validate even unchanged zones below parents signed with {}; {KNOWING}",
                    asked.name,
                    self.world.numbers(&self.parents).join(", ")
                )));
            }
            for (attack, verdicts) in found {
                for verdict in Verdict::ALL {
                    let alike = verdicts.iter().filter(|it| **it == verdict).count();
                    if alike > 0 {
                        writer.record(Record {
                            implementation: Some(Implementation::new(
                                asked.name.clone(),
                                asked.version.clone(),
                            )),
                            input: Some(input.clone()),
                            notes: notes.clone(),
                            ..writer.result(
                                &self.strong,
                                Operation::Downgrade.word(),
                                &format!("{} {verdict}", attack.word()),
                                alike as f64 / verdicts.len() as f64,
                                "share",
                            )
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

impl DowngradePart {
    fn sign(&self, folder: &Folder, bench: &Bench<'_>) -> anyhow::Result<Files> {
        let (directory, stop) = (folder.within("zones")?, bench.interrupt);
        let mut terms = terms();
        terms.changing = self.world.plan.of_level(Level::Tld).map(|(place, _)| place).collect();
        let files = self.world.sign_on(&self.parents, &terms, &directory, stop)?;
        let signing = |name: &str| -> anyhow::Result<Signing<'_>> {
            let (code_point, implementation) = self.world.code(name)?;
            Ok(Signing::new(implementation.code.as_ref(), code_point, Denial::Nsec))
        };
        let pair = Pair {
            strong: signing(&self.strong)?,
            weak: signing(&self.weak)?,
            parent: signing(&self.parents)?,
            unknown: self.world.unknown_number()?,
        };
        make(&self.world.plan, &files, &pair, &terms, &address, stop)?;
        Ok(files)
    }

    fn ask(
        &self,
        asked: &Asked,
        files: &Files,
        running: &Path,
        bench: &Bench<'_>,
    ) -> Result<Vec<(Attack, Vec<Verdict>)>, InternetError> {
        let (world, stop) = (&self.world, bench.interrupt);
        let programs = Programs { resolver: asked.resolver.clone(), ..world.programs.clone() };
        let mut internet = Internet::serve(&world.plan, files, world.place, &programs, running, stop)?;
        internet.resolve_afresh(stop)?;
        Attack::ALL.into_iter().map(|attack| Ok((attack, judge(&mut internet, attack, stop)?))).collect()
    }

    /// What records say that they are of. The digest is of these words, as keys are new in each run.
    fn input(&self) -> Input {
        let place = self.world.place_told();
        let told = format!(
            "domains signed by {} and {} below a root and a TLD signed by {}, {place}",
            self.strong, self.weak, self.parents
        );
        input_in_words(&told, Attack::ALL.len())
    }
}
