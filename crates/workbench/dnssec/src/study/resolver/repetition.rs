//! One repetition: name servers and a resolver are started, loaded twice, and ended.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use fieldtest_dns_internet::internet::{Internet, Verifications};
use fieldtest_dns_internet::server::Server;
use fieldtest_dns_internet::wire::{Counts, Watch};
use fieldtest_dns_internet::zones::Files;
use fieldtest_dns_load::Outcome;
use fieldtest_dns_load::engine::{self, LoadError, Options};
use fieldtest_dns_load::query::Transport;
use fieldtest_dns_load::schedule::Made;
use fieldtest_dns_load::target::Target;

use super::fill::{Halves, fill};
use super::held_rate::{Held, is_held, search};
use super::load::{Load, REST};
use crate::internet::World;
use crate::words::Phase;

/// How long an answer is waited for: a resolver gives up on a server after that, and a client on the resolver.
const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Repetition {
    /// In the order of [`Phase::LOADS`], or the first of them.
    pub(super) phases: Vec<Loaded>,
    /// Octets that the resolver had at most, after both.
    pub(super) memory: u64,
    /// Nanoseconds of the resolver's processor that one more connection of a client takes, where clients make any.
    pub(super) connection: Option<f64>,
    /// What it held, where the rate was raised.
    pub(super) held: Option<Held>,
}

#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) phase: Phase,
    pub(super) outcome: Outcome,
    /// Nanoseconds of processor that the resolver took.
    pub(super) resolver: u64,
    /// And the name servers of each level, from the root down.
    pub(super) servers: [u64; 3],
    /// What went over the wires, where they are our own.
    pub(super) wire: Option<Counts>,
    /// How the queries to name servers spread over its time, where they are counted.
    pub(super) halves: Option<Halves>,
    /// Datagrams that the kernel lost, as a socket's buffer was full, where the sockets are our own.
    pub(super) overflowed: Option<u64>,
    pub(super) verified: Option<Verifications>,
}

/// What servers took, and what went between them, up to a moment.
struct Snapshot {
    resolver: u64,
    servers: [u64; 3],
    wire: Option<Counts>,
    overflowed: Option<u64>,
    verified: Option<Verifications>,
}

pub(super) fn repetition(
    world: &World,
    files: &Files,
    (load, loads): (&Load, &[Phase]),
    running: &Path,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Repetition> {
    let mut internet = Internet::serve(&world.plan, files, world.place, &world.programs, running, stop)?;
    let watch = world.place.watch()?;
    internet.resolve_afresh(stop)?;
    let address = match load.asking.transport {
        Transport::Tls => world.place.resolver_over_tls(),
        Transport::Udp | Transport::Tcp => world.place.resolver(),
    };
    let mut options = Options::new(Target::here(address)?);
    load.asking.set(&mut options);
    options.timeout = TIMEOUT;
    options.threads = load.threads.into();
    options.sockets = load.clients.min(1_000) as usize;
    // Whoever waited until it answered did so by connections, which are not the load's.
    std::thread::sleep(REST);
    let connection = connection(&internet, load, &options, seed, stop)?;
    let mut phases = Vec::new();
    for &phase in loads {
        let schedule = load.schedule(&world.plan, phase, seed)?;
        if phase == Phase::Steady {
            let all = schedule.clone().chain(load.ramp(&world.plan, seed)?.into_iter().flatten());
            fill(&internet, watch.as_ref(), all.flatten().map(|query| query.question), stop);
            internet.check()?;
        }
        let before = snapshot(&internet, watch.as_ref());
        let looked_at = watch.as_ref().filter(|_| phase == Phase::Steady);
        let middle = looked_at.map(|watch| Middle::of(watch, load.time / 2));
        let outcome = run_beside(&internet, &schedule, &options, middle.as_ref(), stop)?;
        internet.check()?;
        std::thread::sleep(REST);
        let after = snapshot(&internet, watch.as_ref());
        phases.push(Loaded {
            phase,
            outcome,
            resolver: after.resolver - before.resolver,
            servers: std::array::from_fn(|at| after.servers[at] - before.servers[at]),
            halves: middle.and_then(|middle| middle.halves(load.time)),
            overflowed: after.overflowed.zip(before.overflowed).map(|(after, before)| after - before),
            wire: after.wire.zip(before.wire).map(|(after, before)| after.since(&before)),
            verified: after.verified.map(|after| since(after, before.verified.unwrap_or_default())),
        });
    }
    let memory = internet.resolver().map_or(0, |resolver| resolver.usage().memory);
    let ramp = load.ramp(&world.plan, seed)?;
    let steady = phases.iter().find(|loaded| loaded.phase == Phase::Steady);
    let begins = (load.rate, steady.is_some_and(|loaded| is_held(&loaded.outcome)));
    let held = ramp.zip(load.ramp).map(|(ramp, to)| {
        search(begins, to, |rate| {
            Ok(run_beside(&internet, &ramp.clone().due(load.step(rate, seed)?), &options, None, stop)?)
        })
    });
    let held = held.transpose()?;
    internet.check()?;
    Ok(Repetition { phases, memory, connection, held })
}

/// What one more connection costs the resolver, from accepting to closing it, by the same queries over connections of their own and
/// over one. It answers them by itself, so its caches stay as they were.
fn connection(
    internet: &Internet<'_>,
    load: &Load,
    options: &Options,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<f64>> {
    if load.asking.transport == Transport::Udp {
        return Ok(None);
    }
    let schedule = load.of_itself(seed)?;
    let taken = |keep_connections: bool| -> Result<(f64, f64)> {
        let mut options = options.clone();
        (options.threads, options.keep_connections) = (1, keep_connections);
        let before = snapshot(internet, None).resolver;
        let outcome = run_beside(internet, &schedule, &options, None, stop)?;
        std::thread::sleep(REST);
        let taken = snapshot(internet, None).resolver - before;
        Ok((taken as f64, outcome.connections as f64))
    };
    let (kept, few) = taken(true)?;
    let (fresh, many) = taken(false)?;
    Ok((many > few).then(|| (fresh - kept) / (many - few)))
}

/// Queries to name servers up to the middle of a load.
struct Middle<'a> {
    watch: &'a Watch,
    begun: Instant,
    half: Duration,
    before: u64,
    /// When it was looked at, and how many there were then.
    seen: OnceLock<(Duration, u64)>,
}

impl<'a> Middle<'a> {
    fn of(watch: &'a Watch, half: Duration) -> Middle<'a> {
        let seen = OnceLock::new();
        Middle { watch, begun: Instant::now(), half, before: Self::queries(watch), seen }
    }

    fn queries(watch: &Watch) -> u64 {
        watch.counts().servers().up.datagrams
    }

    fn look(&self) {
        let elapsed = self.begun.elapsed();
        if elapsed >= self.half {
            self.seen.get_or_init(|| (elapsed, Self::queries(self.watch) - self.before));
        }
    }

    /// Of a load of this length, after it.
    fn halves(&self, time: Duration) -> Option<Halves> {
        let (elapsed, first) = *self.seen.get()?;
        let share = elapsed.as_secs_f64() / time.as_secs_f64();
        Some(Halves { first, all: Self::queries(self.watch) - self.before, share: share.min(1.0) })
    }
}

/// Sends a schedule, and no more of it once a server has ended.
fn run_beside(
    internet: &Internet<'_>,
    schedule: &Made,
    options: &Options,
    middle: Option<&Middle<'_>>,
    stop: &AtomicBool,
) -> Result<Outcome, LoadError> {
    const LOOK: Duration = Duration::from_millis(100);
    let (end, done) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                middle.inspect(|middle| middle.look());
                end.fetch_or(stop.load(Ordering::Relaxed) || internet.has_ended(), Ordering::Relaxed);
                std::thread::park_timeout(LOOK);
            }
        });
        let outcome = engine::run(&|| Ok(Box::new(schedule.clone())), options, &end);
        done.store(true, Ordering::Relaxed);
        // So that nobody waits for its next look.
        looking.thread().unpark();
        outcome
    })
}

fn since(after: Verifications, before: Verifications) -> Verifications {
    Verifications { number: after.number - before.number, processor: after.processor - before.processor }
}

fn snapshot(internet: &Internet<'_>, watch: Option<&Watch>) -> Snapshot {
    let processor = |server: &Server| server.usage().processor;
    Snapshot {
        resolver: internet.resolver().map_or(0, processor),
        servers: std::array::from_fn(|at| internet.servers().get(at).map_or(0, processor)),
        wire: watch.map(Watch::counts),
        overflowed: internet.place().overflowed(),
        verified: internet.verifications(),
    }
}
