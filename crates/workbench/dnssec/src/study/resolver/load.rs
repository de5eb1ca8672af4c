//! What a resolver is asked: each host once while its caches are cold, then popular names at a steady rate.

use std::fmt;
use std::time::Duration;

use fieldtest_dns_internet::{Level, Plan};
use fieldtest_dns_load::arrivals::{Arrivals, Rate, Spacing};
use fieldtest_dns_load::clients::Clients;
use fieldtest_dns_load::engine::Options;
use fieldtest_dns_load::query::{Flags, Transport};
use fieldtest_dns_load::schedule::Made;
use fieldtest_dns_load::traffic::{Mix, Questions, Traffic};

use super::super::fault;
use crate::words::Phase;
use fieldtest_dnssec::Name;
use fieldtest_study::StudyError;

/// Types of the questions at the steady rate, with their weights: as stub resolvers of browsers ask. Ours; nobody publishes them.
const TYPES: &str = "A:60,AAAA:30,HTTPS:10";

/// Queries that show what a connection takes, and their time: less than what any resolver holds.
pub(super) const ITSELF: f64 = 100.0;
const ITSELF_TIME: Duration = Duration::from_millis(400);

/// How many times as long as the steady load the cold one takes, so that slow algorithms keep up with it.
const LONGER: u32 = 2;
/// How long each rate is sent at most while the rate that is held is looked for.
const STEP: Duration = Duration::from_secs(1);

/// What a phase is given to end in: packets are counted when they are looked at, and connections end after their answers.
pub(super) const REST: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asking {
    pub(crate) transport: Transport,
    pub(crate) fresh_connections: bool,
    pub(crate) resume_sessions: bool,
}

impl Asking {
    /// Refuses what no transport has.
    fn check(self) -> Result<(), StudyError> {
        let wrong = match self.transport {
            Transport::Udp if self.fresh_connections => {
                "--fresh-connections applies to TCP and TLS; add --transport tcp or --transport tls"
            }
            Transport::Udp | Transport::Tcp if self.resume_sessions => {
                "--resume-sessions applies to TLS; add --transport tls"
            }
            _ => return Ok(()),
        };
        Err(fault(wrong))
    }

    /// In words, where it is not as usual.
    pub(super) fn told(self) -> Option<String> {
        (self.transport != Transport::Udp).then(|| self.to_string())
    }

    pub(super) fn set(self, options: &mut Options) {
        options.keep_connections = !self.fresh_connections;
        options.resume_sessions = self.resume_sessions;
    }
}

impl fmt::Display for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.transport {
            Transport::Udp => return f.write_str("over UDP"),
            Transport::Tcp => "over TCP",
            Transport::Tls => "over TLS, certificates not verified",
        })?;
        f.write_str(if self.fresh_connections {
            ", a connection for each query"
        } else {
            ", a connection for each client"
        })?;
        f.write_str(if self.resume_sessions { ", sessions resumed" } else { "" })
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Queries a second at the steady rate.
    pub(crate) rate: f64,
    pub(crate) time: Duration,
    pub(crate) clients: u32,
    /// Threads that send; the queries are the same for any number.
    pub(crate) threads: u16,
    pub(crate) asking: Asking,
    /// Percent of the clients with DO.
    pub(crate) dnssec_ok: f64,
    /// Percent of the questions at the steady rate for names that are not there.
    pub(crate) missing: f64,
    /// The level of the zones that these would be in.
    pub(crate) missing_below: Level,
    /// What the rate rises to after that, if it does.
    pub(crate) ramp: Option<f64>,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, then an untimed rest, then {} queries/s for {} s, {}% of them for names that do not exist below zones of the level {}",
            self.cold_told(),
            self.rate,
            self.time.as_secs_f64(),
            self.missing,
            self.missing_below
        )?;
        self.ramp.map_or(Ok(()), |to| write!(f, ", then at rates up to {to} a second"))
    }
}

impl Load {
    /// The first load in words, which is all where caches are to be cold.
    pub(super) fn cold_told(&self) -> String {
        format!(
            "{} clients, {}% with DO{}: every host once in {} s",
            self.clients,
            self.dnssec_ok,
            self.asking.told().map_or_else(String::new, |asked| format!(", {asked}")),
            (self.time * LONGER).as_secs_f64()
        )
    }

    /// Refuses what cannot be sent.
    pub(crate) fn check(&self) -> Result<(), StudyError> {
        Rate::ramp(self.rate, self.ramp.unwrap_or(self.rate)).map_err(fault)?;
        if let Some(to) = self.ramp.filter(|to| *to <= self.rate) {
            return Err(fault(format!("invalid --ramp '{to}': expected a rate above --rate {}", self.rate)));
        }
        Mix::new(self.missing, 1.0, TYPES).map_err(fault)?;
        self.asking.check()?;
        self.clients(0).map(drop)
    }

    fn clients(&self, seed: u64) -> Result<Clients, StudyError> {
        let flags = Flags { recursion_desired: true, authentic_data: true, checking_disabled: false };
        let clients = Clients::new(self.clients, seed).map_err(fault)?;
        Ok(clients.with_dnssec_ok(self.dnssec_ok).map_err(fault)?.with_flags(flags))
    }

    pub(super) fn schedule(&self, plan: &Plan, phase: Phase, seed: u64) -> Result<Made, StudyError> {
        match phase {
            Phase::Cold => {
                let hosts = plan.hosts();
                let time = self.time * LONGER;
                let rate = Rate::constant(hosts.len() as f64 / time.as_secs_f64()).map_err(fault)?;
                let arrivals = Arrivals::new(rate, Spacing::Even, time, seed);
                let questions = Questions::each_once(hosts, seed).map_err(fault)?;
                Ok(self.made(arrivals, self.clients(seed)?, questions, seed))
            }
            Phase::Steady | Phase::Warming => {
                self.popular(plan, self.arrivals(self.rate, self.time, seed)?, seed)
            }
        }
    }

    /// What is sent at the highest of the rates after that, if there are any; those below ask the beginning of it.
    pub(super) fn ramp(&self, plan: &Plan, seed: u64) -> Result<Option<Made>, StudyError> {
        let made = |to| self.popular(plan, self.step(to, seed)?, seed.rotate_left(32));
        self.ramp.map(made).transpose()
    }

    /// The moments of one of these rates.
    pub(super) fn step(&self, rate: f64, seed: u64) -> Result<Arrivals, StudyError> {
        self.arrivals(rate, self.time.min(STEP), seed.rotate_left(32))
    }

    fn arrivals(&self, rate: f64, time: Duration, seed: u64) -> Result<Arrivals, StudyError> {
        Ok(Arrivals::new(Rate::constant(rate).map_err(fault)?, Spacing::Poisson, time, seed))
    }

    fn popular(&self, plan: &Plan, arrivals: Arrivals, seed: u64) -> Result<Made, StudyError> {
        let mix = Mix::new(self.missing, 1.0, TYPES).map_err(fault)?;
        let below = plan.of_level(self.missing_below).map(|(_, zone)| zone.name).collect();
        let traffic = Traffic::of_names(&plan.hosts(), below, &mix, seed).map_err(fault)?;
        Ok(self.made(arrivals, self.clients(seed)?, Questions::of_traffic(traffic, seed), seed))
    }

    fn made(&self, arrivals: Arrivals, clients: Clients, questions: Questions, seed: u64) -> Made {
        Made::new(arrivals, clients, questions, seed).over(self.asking.transport)
    }

    /// One client's queries for a name that resolvers know by themselves, as many in a time as show what their connections take.
    pub(super) fn of_itself(&self, seed: u64) -> Result<Made, StudyError> {
        let itself = Name::ROOT.child(b"localhost").into_iter().collect();
        let rate = Rate::constant(ITSELF / ITSELF_TIME.as_secs_f64()).map_err(fault)?;
        let arrivals = Arrivals::new(rate, Spacing::Even, ITSELF_TIME, seed);
        let questions = Questions::each_once(itself, seed).map_err(fault)?;
        Ok(self.made(arrivals, Clients::new(1, seed).map_err(fault)?, questions, seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UDP: Asking =
        Asking { transport: Transport::Udp, fresh_connections: false, resume_sessions: false };

    #[test]
    fn what_cannot_be_sent_is_refused() {
        let fine = Load {
            rate: 10.0,
            time: Duration::from_secs(1),
            clients: 5,
            threads: 1,
            asking: UDP,
            dnssec_ok: 50.0,
            missing: 20.0,
            missing_below: Level::Domain,
            ramp: Some(20.0),
        };
        assert!(fine.check().is_ok());
        for wrong in [
            Load { rate: 0.0, ..fine },
            Load { ramp: Some(f64::NAN), ..fine },
            Load { ramp: Some(10.0), ..fine },
            Load { clients: 0, ..fine },
            Load { dnssec_ok: 101.0, ..fine },
            Load { missing: -1.0, ..fine },
            Load { asking: Asking { fresh_connections: true, ..UDP }, ..fine },
            Load { asking: Asking { resume_sessions: true, ..UDP }, ..fine },
            Load { asking: Asking { transport: Transport::Tcp, resume_sessions: true, ..UDP }, ..fine },
        ] {
            assert!(wrong.check().is_err(), "{wrong}");
        }
    }
}
