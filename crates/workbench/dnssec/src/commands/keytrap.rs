//! `fieldtest dnssec keytrap`: what one query for a zone that was made to cost much takes of each resolver that is here.

use std::time::Duration;

use anyhow::Result;
use fieldtest_dns_internet::internet::Programs;
use fieldtest_frame::measuring::carry_out_showing;
use fieldtest_measure::record::Implementation;
use fieldtest_study::Plan;

use crate::args;
use crate::internet::{World, apart, first_here, name, named_or_here, version_of};
use crate::outcome::{Outcome, usage};
use crate::output::Format;
use crate::report::{STUDY_SECTION, first_tables};
use crate::study::keytrap::{DOMAINS, KeyTrapPart};

/// Seconds for all of it where nobody says how many.
const BUDGET: f64 = 300.0;
/// Measured where nobody names any: what every resolver knows, and what those of lab/resolvers do.
const USUAL: [&str; 6] = ["rsa-2048", "ecdsa-p256", "ed25519", "ml-dsa-44", "falcon-512", "sqisign-1"];
/// The longest time for drawing the keys of an algorithm, in seconds.
const LONGEST: f64 = 3_600.0;

pub(crate) fn run(args: args::KeyTrap, format: Format) -> Result<Outcome> {
    if !(0.0..=LONGEST).contains(&args.draw) {
        return Err(usage(format!("invalid --draw '{}': expected 0 to {LONGEST} seconds", args.draw)));
    }
    let world = World::enter(&args::World::of_one_tld(
        [DOMAINS, 1],
        args.resolvers.first().cloned().or_else(first_here),
        args.servers,
    ))?;
    let all = named_or_here(&args.resolvers, world.place.is_private())?;
    let mut resolvers: Vec<(Programs, Implementation)> = Vec::new();
    for resolver in all {
        let name = apart(name(&resolver), |name| resolvers.iter().any(|(_, other)| other.name == name));
        let implementation = Implementation::new(name, version_of(&resolver));
        resolvers.push((Programs { resolver, ..world.programs.clone() }, implementation));
    }
    let algorithms = match args.algorithms.is_empty() {
        true => USUAL.map(str::to_owned).to_vec(),
        false => args.algorithms,
    };
    let mut plan = Plan::of(KeyTrapPart {
        algorithms,
        resolvers,
        world,
        keys: usize::from(args.keys),
        signatures: u32::from(args.signatures),
        iterations: args.iterations,
        draw: Duration::from_secs_f64(args.draw),
    });
    plan.measure.budget_seconds = BUDGET;
    carry_out_showing(plan, &[&STUDY_SECTION], &args.run, format, &|report, format| {
        first_tables(report, format, 2)
    })
}
