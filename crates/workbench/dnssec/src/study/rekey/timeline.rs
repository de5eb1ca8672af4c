//! One roll as it goes: step after step, each for as long as it has to wait, and what clients see meanwhile, second by second.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use fieldtest_dns_internet::InternetError;
use fieldtest_dns_internet::ask::{Said, ask};
use fieldtest_dns_internet::internet::{Internet, address};
use fieldtest_dns_internet::rekey::Rolling;
use fieldtest_dns_internet::rekey::roll::{Procedure, Step, Waits};
use fieldtest_dns_internet::transfer;
use fieldtest_dns_internet::wire::{Hop, Watch};
use fieldtest_dns_internet::zones::{Files, Signing, Terms};
use fieldtest_dns_load::Outcome;
use fieldtest_dns_load::arrivals::{Arrivals, Rate, Spacing};
use fieldtest_dns_load::clients::Clients;
use fieldtest_dns_load::engine::{self, Options};
use fieldtest_dns_load::query::Flags;
use fieldtest_dns_load::schedule::Made;
use fieldtest_dns_load::target::Target;
use fieldtest_dns_load::traffic::{Mix, Questions, Traffic};
use fieldtest_dnssec::Rtype;
use fieldtest_study::Bench;

use super::RekeyPart;

/// What one look takes: a second of queries.
const TICK: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(2);
/// Seconds beyond a TTL that a step waits: resolvers count whole seconds, so a record may live almost one
/// longer.
const BEYOND: u32 = 1;
/// Clients, and percent of the questions for names that are not there.
const CLIENTS: u32 = 20;
const MISSING: f64 = 20.0;
/// Types of the questions with their weights, as of the resolver under load.
const TYPES: &str = "A:60,AAAA:30,HTTPS:10";
const WAIT: Duration = Duration::from_secs(5);
/// How often a name server is asked for a version that it has said to have.
const ATTEMPTS: usize = 50;

#[derive(Debug, Clone, Copy)]
pub(super) struct Tick {
    /// Seconds since the first one.
    pub(super) at: f64,
    pub(super) sent: u64,
    /// Of these: SERVFAIL, no answer, secure answers.
    pub(super) failed: u64,
    pub(super) lost: u64,
    pub(super) secure: u64,
    /// What went between the resolver and the zone's name server, where that is counted.
    pub(super) wire: Option<Hop>,
}

#[derive(Debug)]
pub(super) struct Seen {
    pub(super) step: Step,
    pub(super) keys: u16,
    pub(super) whole: u64,
    /// Octets of a transfer of what became different, where the zone did and the server has that.
    pub(super) difference: Option<u64>,
    pub(super) reckoned: Option<u64>,
    pub(super) signatures: u64,
    pub(super) ticks: Vec<Tick>,
}

/// Starts everything in the first state, and goes through all of them.
pub(super) fn run(
    part: &RekeyPart,
    procedure: Procedure,
    files: &Files,
    terms: &Terms,
    signing: [&Signing<'_>; 2],
    running: &Path,
    bench: &Bench<'_>,
) -> Result<Vec<Seen>> {
    let (world, stop) = (&part.world, bench.interrupt);
    let steps = procedure.steps();
    let place = part.place();
    let zone = world.plan.zones()[place].name;
    let mut rolling = Rolling::new(&world.plan, files, terms, &address, place, signing, steps[0].state)?;
    let mut internet = Internet::serve(&world.plan, files, world.place, &world.programs, running, stop)?;
    let watch = world.place.watch()?;
    internet.resolve_afresh(stop)?;
    let server = world.place.servers(part.level);
    let mut options = Options::new(Target::here(world.place.resolver())?);
    options.timeout = TIMEOUT;
    options.sockets = CLIENTS as usize;
    let mut begun = Instant::now();
    let mut seen: Vec<Seen> = Vec::new();
    for step in steps {
        let version = rolling.enter(step.state, &mut internet, stop)?;
        let told = |source| InternetError::System { what: "what the zone's name server says", source };
        // Whoever has the zone from before for a moment is not asked again.
        let whole = (0..ATTEMPTS)
            .map(|_| transfer::whole(server, &zone).map_err(told))
            .find(|found| found.as_ref().map_or(true, |found| found.serial == version.serial))
            .ok_or_else(|| InternetError::NotTaken { zone: zone.to_string(), serial: version.serial })??
            .octets;
        let keys = ask(server, &zone, Rtype::DNSKEY, WAIT).map_err(told)?.octets;
        let difference = version.before.and_then(|before| transfer::since(server, &zone, before).ok());
        let mut ticks = Vec::new();
        if seen.is_empty() {
            begun = Instant::now();
        }
        let ends = Instant::now() + waited(step.waits, part.light.ttl);
        while ticks.is_empty() || Instant::now() < ends {
            let seed = bench.seed.wrapping_add(begun.elapsed().as_nanos() as u64);
            let next = Instant::now() + TICK;
            ticks.push(tick(part, &options, watch.as_ref(), begun, seed, bench)?);
            internet.check()?;
            // The last query of a second is rarely due at its end; the next second begins there all the same.
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
        seen.push(Seen {
            step,
            keys,
            whole,
            difference: difference.filter(|found| found.is_difference).map(|found| found.octets),
            reckoned: version.difference,
            signatures: version.signatures,
            ticks,
        });
    }
    Ok(seen)
}

fn waited(waits: Waits, ttl: u32) -> Duration {
    match waits {
        Waits::NotAtAll => Duration::ZERO,
        _ => Duration::from_secs(u64::from(ttl + BEYOND)),
    }
}

fn tick(
    part: &RekeyPart,
    options: &Options,
    watch: Option<&Watch>,
    begun: Instant,
    seed: u64,
    bench: &Bench<'_>,
) -> Result<Tick> {
    let at = begun.elapsed().as_secs_f64();
    let schedule = schedule(part, seed)?;
    let level = |watch: &Watch| watch.counts().levels[part.level as usize];
    let before = watch.map(level);
    let Outcome { sent, unsent, too_late, answered, rcodes, authentic, .. } =
        engine::run(&|| Ok(Box::new(schedule.clone())), options, bench.interrupt)?;
    if bench.interrupted() {
        return Err(InternetError::Interrupted.into());
    }
    let asked = sent + unsent + too_late;
    Ok(Tick {
        at,
        sent: asked,
        failed: rcodes[usize::from(Said::SERVFAIL)],
        lost: asked - answered,
        secure: authentic,
        wire: watch.map(level).zip(before).map(|(after, before)| after.since(&before)),
    })
}

/// Popular hosts at or below the zone, and names that are not there right below it.
fn schedule(part: &RekeyPart, seed: u64) -> Result<Made> {
    let plan = &part.world.plan;
    let zone = plan.zones()[part.place()].name;
    // There is one TLD, and where a domain is rolled, it is the only one: all hosts are at or below the zone.
    let hosts = plan.hosts();
    let mix = Mix::new(MISSING, 1.0, TYPES)?;
    let traffic = Traffic::of_names(&hosts, vec![zone], &mix, seed)?;
    let arrivals = Arrivals::new(Rate::constant(part.light.rate)?, Spacing::Poisson, TICK, seed);
    let flags = Flags { recursion_desired: true, authentic_data: true, checking_disabled: false };
    let clients = Clients::new(CLIENTS, seed)?.with_flags(flags);
    Ok(Made::new(arrivals, clients, Questions::of_traffic(traffic, seed), seed))
}
