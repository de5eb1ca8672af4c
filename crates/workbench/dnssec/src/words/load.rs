//! Words of a resolver under load: its phases, and what is counted of its queries.

use fieldtest_measure::words;

use super::Operation;

words! {
    /// What a resolver is loaded with.
    pub enum Phase {
        /// Every name once, while its caches are empty at first.
        Cold = "cold",
        /// Popular names at a steady rate, once the caches have what is asked for.
        Steady = "steady",
        /// The same where the resolver had to ask name servers less and less: what it takes depends on how long it was looked at.
        Warming = "warming",
    }
}

impl Phase {
    /// What a repetition loads a resolver with: the second turns out to be steady or not.
    pub const LOADS: [Phase; 2] = [Phase::Cold, Phase::Steady];
}

words! {
    /// A point of a distribution of latencies.
    #[non_exhaustive]
    pub enum Quantile {
        /// Half of the answers took no longer.
        P50 = "p50",
        /// Three of four.
        P75 = "p75",
        /// Nine of ten.
        P90 = "p90",
        /// 19 of 20.
        P95 = "p95",
        /// 99 of 100.
        P99 = "p99",
        /// 999 of 1,000.
        P999 = "p99.9",
    }
}

impl Quantile {
    /// As a share.
    pub const fn share(self) -> f64 {
        match self {
            Quantile::P50 => 0.5,
            Quantile::P75 => 0.75,
            Quantile::P90 => 0.9,
            Quantile::P95 => 0.95,
            Quantile::P99 => 0.99,
            Quantile::P999 => 0.999,
        }
    }

    /// Whether there are queries enough for it: while caches are cold there is one for each name.
    pub const fn is_of(self, phase: Phase) -> bool {
        !matches!((self, phase), (Quantile::P999, Phase::Cold))
    }
}

words! {
    /// What is counted on a wire.
    #[non_exhaustive]
    pub enum Counted {
        /// Queries over UDP, those that a client repeats over TCP not counted again.
        Queries = "queries",
        /// IP packets, both ways.
        Packets = "packets",
        /// Octets of these.
        Bytes = "bytes",
        /// TCP connections.
        Connections = "connections",
        /// Truncated answers, as a share of those over UDP.
        Truncated = "truncated",
    }
}

impl Counted {
    /// Its unit, and the most that it can be.
    pub const fn unit(self) -> (&'static str, f64) {
        match self {
            Counted::Bytes => ("bytes", f64::INFINITY),
            Counted::Truncated => ("share", 1.0),
            _ => ("count", f64::INFINITY),
        }
    }
}

/// One of a resolver's two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// That of name servers.
    Upstream,
    /// That of clients.
    Downstream,
}

impl Flow {
    /// Both.
    pub const ALL: [Flow; 2] = [Flow::Upstream, Flow::Downstream];

    /// The operation of its records.
    pub const fn operation(self) -> Operation {
        match self {
            Flow::Upstream => Operation::Upstream,
            Flow::Downstream => Operation::Downstream,
        }
    }
}

/// Reads a subject that begins with a phase: `cold p99`.
pub fn in_phase<T>(subject: &str, read: impl Fn(&str) -> Option<T>) -> Option<(Phase, T)> {
    let (phase, rest) = subject.split_once(' ')?;
    Some((Phase::from_word(phase)?, read(rest)?))
}
