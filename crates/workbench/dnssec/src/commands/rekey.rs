//! `fieldtest dnssec rekey`: keys of a zone are replaced step by step while a resolver is asked for it.

use anyhow::Result;
use fieldtest_dns_internet::Level;
use fieldtest_dns_internet::rekey::roll::{Procedure, Roll, Wrong};
use fieldtest_dns_load::arrivals::Rate;
use fieldtest_frame::measuring::carry_out_showing;
use fieldtest_report::once::each_once;
use fieldtest_study::Plan;

use crate::args;
use crate::internet::{World, no_word};
use crate::outcome::{Outcome, of_option, usage};
use crate::output::Format;
use crate::report::{STUDY_SECTION, rolls};
use crate::study::rekey::{Light, RekeyPart};
use crate::study::resolver::Versions;
use crate::typed;
use crate::words::Denial;

/// Replaced where nobody names any: from what is deployed to what may follow.
const USUAL: &str = "ml-dsa-44";
/// Seconds that a roll takes beside its waits, as people are told.
const BESIDE: f64 = 3.0;

pub(crate) fn run(args: args::Rekey, format: Format) -> Result<Outcome> {
    let mut algorithms = args.algorithms.iter().map(|it| typed::algorithm(it)).collect::<Result<Vec<_>>>()?;
    if algorithms.is_empty() {
        algorithms.push(USUAL.to_owned());
    }
    let (from, others) = (typed::algorithm(&args.from)?, typed::algorithm(&args.others)?);
    let procedures = procedures(&args)?;
    let denials = denials(&args.denials)?;
    let of_algorithm = procedures.iter().any(|procedure| procedure.roll.is_of_algorithm());
    if of_algorithm && algorithms.contains(&from) {
        return Err(usage(format!(
            "{from} cannot replace itself; give another algorithm with --from, or with --roll a way to replace keys of one algorithm"
        )));
    }
    Rate::constant(args.rate).map_err(|error| of_option("--rate", error))?;
    let level = match args.zone.as_str() {
        "tld" => Level::Tld,
        "domain" => Level::Domain,
        other => return Err(no_word("--zone", other, &["tld", "domain"])),
    };
    let (domains, hosts) = if level == Level::Tld { (args.names, 1) } else { (1, args.names) };
    // Before a namespace is entered, and so before anything starts a thread.
    let world = World::enter(&args::World::of_one_tld([domains, hosts], args.resolver, args.servers))?;
    let number = |name: &str| -> Result<u8> { Ok(world.code(name)?.0.number()) };
    for algorithm in algorithms.iter().filter(|_| of_algorithm) {
        if number(algorithm)? == number(&from)? {
            return Err(usage(format!(
                "{from} and {algorithm} share one algorithm number; give algorithms with different numbers"
            )));
        }
    }
    let versions = Versions::of(&world.programs);
    let steps: usize = procedures.iter().map(|procedure| procedure.steps().len()).sum();
    let seconds = steps as f64 * f64::from(args.ttl + 2) + procedures.len() as f64 * BESIDE;
    let seconds = seconds * (algorithms.len() * denials.len()) as f64 * f64::from(args.repetitions);
    let light = Light { rate: args.rate, ttl: args.ttl, repetitions: args.repetitions };
    let part = RekeyPart { world, level, algorithms, from, others, procedures, denials, light, versions };
    let mut plan = Plan::of(part);
    plan.measure.budget_seconds = seconds;
    carry_out_showing(plan, &[&STUDY_SECTION], &args.run, format, &rolls)
}

fn denials(typed: &[String]) -> Result<Vec<Denial>> {
    let read = |word: &String| {
        Denial::from_word(word)
            .filter(|denial| denial.of_zones().is_some())
            .ok_or_else(|| no_word("--denial", word, &["nsec", "nsec3", "nsec3-opt-out"]))
    };
    let denials = each_once(typed.iter().map(read).collect::<Result<Vec<_>>>()?);
    Ok(if denials.is_empty() { vec![Denial::Nsec] } else { denials })
}

/// The ways that were named, or all, each in the right order or with a mistake.
fn procedures(args: &args::Rekey) -> Result<Vec<Procedure>> {
    let wrong = |typed: &str| {
        Wrong::from_word(typed).ok_or_else(|| no_word("--wrong", typed, &Wrong::ALL.map(Wrong::word)))
    };
    let wrong = args.wrong.as_deref().map(wrong).transpose()?;
    let read = |typed: &String| {
        Roll::from_word(typed).ok_or_else(|| no_word("--roll", typed, &Roll::ALL.map(Roll::word)))
    };
    let rolls = match args.rolls.is_empty() {
        true => Roll::ALL.to_vec(),
        false => args.rolls.iter().map(read).collect::<Result<_>>()?,
    };
    Ok(rolls.into_iter().map(|roll| Procedure { roll, wrong }).collect())
}
