//! The words of studies of resolvers and name servers beyond their loads: what a level adds, and what one query can do.

use std::fmt;

use fieldtest_measure::words;

words! {
    /// One query to a resolver that has nothing of its zone in its caches.
    pub enum Probe {
        /// A host of a zone like any other.
        Usual = "usual",
        /// A host whose signatures are wrong, in a zone whose keys' tags collide.
        KeyTrap = "keytrap",
        /// A name that is not there, denied by NSEC3 without iterations.
        Denial = "denial",
        /// A name of many labels that is not there, denied by NSEC3 with many iterations.
        Nsec3 = "nsec3",
    }
}

impl Probe {
    /// What it is held against.
    pub const fn usual(self) -> Option<Probe> {
        match self {
            Probe::KeyTrap => Some(Probe::Usual),
            Probe::Nsec3 => Some(Probe::Denial),
            Probe::Usual | Probe::Denial => None,
        }
    }
}

words! {
    /// What is told of a query to the name servers of a level.
    pub enum PerQuery {
        /// Their processor time.
        Processor = "processor",
        /// IP packets, both ways.
        Packets = "packets",
        /// Octets of these.
        Bytes = "bytes",
        /// TCP connections.
        Connections = "connections",
    }
}

impl PerQuery {
    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            PerQuery::Processor => "ns",
            PerQuery::Bytes => "bytes",
            PerQuery::Packets | PerQuery::Connections => "count",
        }
    }
}

words! {
    /// Which levels of the hierarchy have an algorithm.
    pub enum Signed {
        /// All of them: the baseline's.
        All = "all",
        /// The root alone.
        Root = "root",
        /// The top-level domains alone.
        Tld = "tld",
        /// The second-level domains alone.
        Domain = "domain",
    }
}

words! {
    /// What is told of a query by level.
    #[non_exhaustive]
    pub enum Cost {
        /// The resolver's processor time.
        Processor = "processor",
        /// Signatures that it verifies.
        Verifications = "verifications",
        /// What these take.
        Verifying = "verifying",
        /// The name servers' processor time, all levels together.
        Servers = "servers",
        /// The median latency of an answer.
        Median = "p50",
        /// What one answer in a hundred takes at least.
        Slow = "p99",
        /// Octets between resolver and name servers.
        BytesUp = "bytes-up",
        /// Packets between them.
        PacketsUp = "packets-up",
        /// TCP connections to name servers.
        ConnectionsUp = "connections-up",
        /// Octets between clients and resolver.
        BytesDown = "bytes-down",
        /// Packets between them.
        PacketsDown = "packets-down",
        /// TCP connections to the resolver.
        ConnectionsDown = "connections-down",
        /// The share of the queries whose answer was secure: less than all where a resolver is overloaded.
        Secure = "secure",
    }
}

impl Cost {
    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Cost::Processor | Cost::Verifying | Cost::Servers | Cost::Median | Cost::Slow => "ns",
            Cost::BytesUp | Cost::BytesDown => "bytes",
            Cost::Secure => "share",
            _ => "count",
        }
    }

    /// As a column's heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Cost::Processor => "resolver",
            Cost::Servers => "name servers",
            Cost::BytesUp => "bytes up",
            Cost::PacketsUp => "packets up",
            Cost::ConnectionsUp => "connections up",
            Cost::BytesDown => "bytes down",
            Cost::PacketsDown => "packets down",
            Cost::ConnectionsDown => "connections down",
            other => other.word(),
        }
    }
}

/// The subject of what a level costs: `tld bytes-up`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtLevel {
    /// Which levels have the algorithm.
    pub signed: Signed,
    /// What is told.
    pub cost: Cost,
}

impl AtLevel {
    /// Reads a subject.
    pub fn read(subject: &str) -> Option<AtLevel> {
        let (signed, cost) = subject.split_once(' ')?;
        Some(AtLevel { signed: Signed::from_word(signed)?, cost: Cost::from_word(cost)? })
    }
}

impl fmt::Display for AtLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.signed, self.cost)
    }
}
