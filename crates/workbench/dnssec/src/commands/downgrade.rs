//! `fieldtest dnssec downgrade`: one of two algorithms is stripped, and resolvers are asked what they make of that.

use anyhow::Result;
use fieldtest_dns_internet::downgrade::Attack;
use fieldtest_dns_internet::resolver::{Resolver, Software};
use fieldtest_frame::measuring::carry_out_showing;
use fieldtest_study::Plan;

use crate::args;
use crate::internet::{World, apart, first_here, name, named_or_here, version_of};
use crate::outcome::{Outcome, usage};
use crate::output::Format;
use crate::report::{STUDY_SECTION, downgrades};
use crate::study::downgrade::{Asked, DowngradePart};
use crate::typed;

/// Seconds for all of it, as people are told; it takes what it takes.
const BUDGET: f64 = 60.0;

pub(crate) fn run(args: args::Downgrade, format: Format) -> Result<Outcome> {
    let (strong, weak) = (typed::algorithm(&args.strong)?, typed::algorithm(&args.weak)?);
    let parents = args.parents.as_deref().map_or_else(|| Ok(weak.clone()), typed::algorithm)?;
    // Before a namespace is entered, and so before anything starts a thread.
    let world = World::enter(&args::World::of_one_tld(
        [Attack::ALL.len() as u32, 1],
        args.resolvers.first().cloned().or_else(first_here),
        args.servers,
    ))?;
    if world.code(&strong)?.0.number() == world.code(&weak)?.0.number() {
        return Err(usage(format!(
            "{strong} and {weak} share one algorithm number, so resolvers cannot distinguish them; give two algorithms"
        )));
    }
    let resolvers = named_or_here(&args.resolvers, world.place.is_private())?;
    let mut asked: Vec<Asked> = Vec::new();
    for resolver in resolvers {
        let version = version_of(&resolver);
        let has_switch = resolver.software == Software::Unbound;
        let hardened = has_switch.then(|| Resolver { every_algorithm: true, ..resolver.clone() });
        for resolver in [Some(resolver), hardened].into_iter().flatten() {
            let own = name(&resolver);
            let own = if resolver.every_algorithm { format!("{own}, harden-algo-downgrade") } else { own };
            let name = apart(own, |name| asked.iter().any(|other| other.name == name));
            asked.push(Asked { name, resolver, version: version.clone() });
        }
    }
    let mut plan = Plan::of(DowngradePart { world, asked, strong, weak, parents });
    plan.measure.budget_seconds = BUDGET;
    carry_out_showing(plan, &[&STUDY_SECTION], &args.run, format, &downgrades)
}
