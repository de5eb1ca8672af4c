//! `fieldtest dnssec resolver`: a validating resolver under load, algorithm after algorithm.

use std::time::Duration;

use anyhow::Result;
use fieldtest_catalog::signature;
use fieldtest_dns_internet::Level;
use fieldtest_dns_load::arrivals::Rate;
use fieldtest_dns_load::query;
use fieldtest_frame::measuring::carry_out_showing;
use fieldtest_study::Plan;

use crate::args;
use crate::internet::{World, no_word};
use crate::outcome::{Outcome, of_option, usage};
use crate::output::Format;
use crate::report::{STUDY_SECTION, first_tables};
use crate::study::resolver::{Asking, LevelsPart, Load, ResolverPart, USUAL, Versions};

/// Seconds for all of it where nobody says how many: ten algorithms in five rounds.
const BUDGET: f64 = 900.0;
/// The longest time of one load, in seconds.
const LONGEST: f64 = 1_800.0;

pub(crate) fn run(args: args::Resolver, format: Format) -> Result<Outcome> {
    if !(args.seconds > 0.0 && args.seconds <= LONGEST) {
        return Err(usage(format!(
            "invalid --seconds '{}': expected seconds above 0, at most {LONGEST}",
            args.seconds
        )));
    }
    let missing_below = Level::from_word(&args.missing_below)
        .ok_or_else(|| no_word("--missing-below", &args.missing_below, &Level::ALL.map(Level::word)))?;
    let load = Load {
        rate: args.rate,
        time: Duration::from_secs_f64(args.seconds),
        clients: args.clients,
        threads: args.threads,
        asking: Asking {
            transport: args.transport.map(query::Transport::from).unwrap_or_default(),
            fresh_connections: args.fresh_connections,
            resume_sessions: args.resume_sessions,
        },
        dnssec_ok: args.dnssec_ok,
        missing: args.missing,
        missing_below,
        ramp: args.ramp,
    };
    let typed = [("--rate", Some(args.rate)), ("--ramp", args.ramp)];
    for (option, rate) in typed.into_iter().filter_map(|(option, rate)| Some((option, rate?))) {
        Rate::constant(rate).map_err(|error| of_option(option, error))?;
    }
    let percents = [("--dnssec-ok", args.dnssec_ok), ("--missing", args.missing)];
    if let Some((option, percent)) = percents.into_iter().find(|(_, it)| !(0.0..=100.0).contains(it)) {
        return Err(usage(format!("invalid {option} '{percent}': expected 0 to 100")));
    }
    load.check().map_err(|error| usage(error.to_string()))?;
    let mut world = World::enter(&args.world)?;
    world.answer(load.asking.transport, load.clients)?;
    let versions = Versions::of(&world.programs);
    let algorithms = match args.algorithms.is_empty() {
        true => {
            // Whoever attaches an algorithm wants to see it.
            let attached = signature::all().iter().filter(|algorithm| algorithm.is_attached());
            let attached = attached.map(|algorithm| algorithm.facts.name.clone());
            USUAL.map(str::to_owned).into_iter().chain(attached).collect()
        }
        false => args.algorithms,
    };
    let part = ResolverPart { algorithms, world, load, versions };
    let mut plan = match args.by_level {
        true => Plan::of(LevelsPart { resolver: part, baseline: args.baseline }),
        false => Plan::of(part),
    };
    plan.measure.budget_seconds = BUDGET;
    carry_out_showing(plan, &[&STUDY_SECTION], &args.run, format, &|report, format| {
        first_tables(report, format, 1)
    })
}
