//! What a resolver is asked: each host once while its caches are cold, then popular names at a steady rate.

use std::fmt;
use std::time::Duration;

use fieldtest_dns_internet::{Level, Plan};
use fieldtest_dns_load::arrivals::{Arrivals, Rate, Spacing};
use fieldtest_dns_load::clients::Clients;
use fieldtest_dns_load::query::Flags;
use fieldtest_dns_load::schedule::Made;
use fieldtest_dns_load::traffic::{Mix, Questions, Traffic};

use super::super::fault;
use crate::words::Phase;
use fieldtest_study::StudyError;

/// Types of the questions at the steady rate, with their weights: as stub resolvers of browsers ask. Ours; nobody publishes them.
const TYPES: &str = "A:60,AAAA:30,HTTPS:10";

/// How a resolver is loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Queries a second at the steady rate.
    pub(crate) rate: f64,
    /// The time of each phase.
    pub(crate) time: Duration,
    pub(crate) clients: u32,
    /// Percent of the clients with DO.
    pub(crate) dnssec_ok: f64,
    /// Percent of the questions at the steady rate for names that are not there.
    pub(crate) missing: f64,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} clients, {} % with DO: every host once in {} s, then {} queries a second for {} s, {} % of them for names that \
             do not exist",
            self.clients,
            self.dnssec_ok,
            self.time.as_secs_f64(),
            self.rate,
            self.time.as_secs_f64(),
            self.missing
        )
    }
}

impl Load {
    /// Refuses what cannot be sent.
    ///
    /// # Errors
    /// Which number is none.
    pub(crate) fn check(&self) -> Result<(), StudyError> {
        Rate::constant(self.rate).map_err(fault)?;
        Mix::new(self.missing, 1.0, TYPES).map_err(fault)?;
        self.clients(0).map(drop)
    }

    fn clients(&self, seed: u64) -> Result<Clients, StudyError> {
        let flags = Flags { recursion_desired: true, authentic_data: true, checking_disabled: false };
        let clients = Clients::new(self.clients, seed).map_err(fault)?;
        Ok(clients.with_dnssec_ok(self.dnssec_ok).map_err(fault)?.with_flags(flags))
    }

    /// What is sent in this phase.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(crate) fn schedule(&self, plan: &Plan, phase: Phase, seed: u64) -> Result<Made, StudyError> {
        let hosts = plan.hosts();
        let clients = self.clients(seed)?;
        let (rate, spacing, questions) = match phase {
            Phase::Cold => {
                let rate = hosts.len() as f64 / self.time.as_secs_f64();
                (rate, Spacing::Even, Questions::each_once(hosts, seed).map_err(fault)?)
            }
            Phase::Steady => {
                let mix = Mix::new(self.missing, 1.0, TYPES).map_err(fault)?;
                let below = plan.of_level(Level::Domain).map(|(_, zone)| zone.name).collect();
                let traffic = Traffic::of_names(&hosts, below, &mix, seed).map_err(fault)?;
                (self.rate, Spacing::Poisson, Questions::of_traffic(traffic, seed))
            }
        };
        let arrivals = Arrivals::new(Rate::constant(rate).map_err(fault)?, spacing, self.time, seed);
        Ok(Made::new(arrivals, clients, questions, seed))
    }
}
