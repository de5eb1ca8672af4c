//! Sends a schedule and counts what comes back.
//!
//! Each thread has its own clients (the number modulo the threads), UDP sockets and epoll, and goes through the whole schedule for
//! its own. A client has one socket, and thereby one source port, for the whole run; where there are more clients than
//! [sockets](Options::sockets), several share one, by number, and their queries are told apart by ID. Sockets are connected, so that
//! only the server's answers come in, and the system's word that nobody listens is heard.

mod connection;
mod connections;
mod flight;
#[cfg(not(feature = "tls"))]
mod no_tls;
mod poll;
mod tcp;
#[cfg(feature = "tls")]
mod tls;
mod udp;
mod worker;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use thiserror::Error;

use crate::outcome::Outcome;
use crate::read::ReadError;
use crate::schedule::Schedule;
use crate::target::Target;
#[cfg(not(feature = "tls"))]
use no_tls as tls;
use worker::Worker;

/// What becomes of an answer that is truncated (RFC 7766, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// It is asked again over a connection of its own, which is closed afterwards.
    #[default]
    Fresh,
    /// It is asked again over its client's connection, which is kept.
    Kept,
    /// It counts as answered: as generators do that do not follow truncation.
    Ignored,
}

/// The most that may be sent to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Queries in any second.
    pub rate: u64,
    /// The whole run.
    pub time: Duration,
}

impl Bounds {
    /// What a server on this machine is sent at most.
    pub const HERE: Bounds = Bounds { rate: 10_000_000, time: Duration::from_secs(3_600) };
    /// What any other is sent at most: what harms nobody who agreed to it.
    pub const BEYOND: Bounds = Bounds { rate: 10_000, time: Duration::from_secs(600) };

    /// Those of this server.
    pub fn of(target: &Target) -> Bounds {
        if target.is_here() { Bounds::HERE } else { Bounds::BEYOND }
    }
}

/// How a schedule is sent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Where to.
    pub target: Target,
    /// How long an answer is waited for, from the moment at which its query was really sent; over TCP that begins anew.
    pub timeout: Duration,
    /// UDP sockets of all threads together. A run over TCP or TLS opens none in advance: they come out of the
    /// same limit of open files as its connections.
    pub sockets: usize,
    /// Threads that send.
    pub threads: usize,
    /// What becomes of truncated answers.
    pub fallback: Fallback,
    /// Whether queries that begin with TCP or TLS have their client's connection or each its own.
    pub keep_connections: bool,
    /// Whether a connection with TLS goes on with the secret of an earlier one of the thread's (RFC 8446, section 2.2), which spares the
    /// server its signature.
    pub resume_sessions: bool,
    bounds: Bounds,
}

impl Options {
    /// One thread, up to 1,000 sockets, a timeout of two seconds, and a fresh connection for each truncated answer.
    pub fn new(target: Target) -> Options {
        Options {
            target,
            timeout: Duration::from_secs(2),
            sockets: 1_000,
            threads: 1,
            fallback: Fallback::Fresh,
            keep_connections: true,
            resume_sessions: false,
            bounds: Bounds::of(&target),
        }
    }

    /// With bounds that are no wider than those of the server.
    #[must_use]
    pub fn at_most(mut self, bounds: Bounds) -> Options {
        self.bounds =
            Bounds { rate: self.bounds.rate.min(bounds.rate), time: self.bounds.time.min(bounds.time) };
        self
    }

    /// What is sent at most. `target` may be another one by now.
    pub(crate) fn bounds(&self) -> Bounds {
        self.clone().at_most(Bounds::of(&self.target)).bounds
    }
}

/// Why nothing more is sent.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum LoadError {
    #[error(transparent)]
    Schedule(#[from] ReadError),
    #[error("cannot open UDP socket {number} of {all}{}", remedy(source))]
    Socket { number: usize, all: usize, source: io::Error },
    /// The system refused what never fails.
    #[error("the system does not allow this program to wait; allow timerfd and epoll to it")]
    Wait(#[source] io::Error),
    /// The library for TLS refuses its own defaults, or there is none: the feature `tls` is off.
    #[error("cannot set up TLS")]
    Tls(#[source] io::Error),
    /// More than the bounds allow.
    #[error(
        "the schedule has more than {rate} queries in its second {second}, the limit for this server; lower the rate or the speed"
    )]
    TooFast { rate: u64, second: u64 },
}

/// What to do where a socket cannot be made, if that is known.
fn remedy(refused: &io::Error) -> &'static str {
    match Errno::from_io_error(refused) {
        Some(Errno::MFILE | Errno::NFILE) => "; request fewer, or raise the limit of open files (ulimit -n)",
        Some(Errno::ADDRINUSE | Errno::ADDRNOTAVAIL | Errno::AGAIN) => "; request fewer, as no port is free",
        Some(Errno::ACCESS) => "; a broadcast address does not belong to a host, give the server's own",
        _ => "",
    }
}

/// Whether this machine has no file or no port left, which no server can do anything about.
fn is_exhausted(refused: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(refused),
        Some(
            Errno::MFILE
                | Errno::NFILE
                | Errno::ADDRINUSE
                | Errno::ADDRNOTAVAIL
                | Errno::AGAIN
                | Errno::NOBUFS
        )
    )
}

/// Makes the schedule; each thread asks for one, and they have to be the same.
pub type Source<'s> = &'s (dyn Fn() -> Result<Schedule, ReadError> + Sync);

/// Lets the process open as many files as it may: a socket for each client, and connections, are more than the 1,024 that shells give.
fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    // Where that fails, the first socket beyond says so.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// How many files the process and those that it starts may have open, if that has a bound.
pub fn most_files() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Sends a schedule to its end, or until `stop` is set, which is looked at many times a second, or until the [`Bounds`] of the server.
/// Returns when every query has its answer or its timeout, and at once when it was stopped. The process's own limit of open files becomes
/// as high as it may.
///
/// # Errors
/// [`LoadError`]. What was sent before it is lost.
pub fn run(source: Source<'_>, options: &Options, stop: &AtomicBool) -> Result<Outcome, LoadError> {
    raise_limit();
    let threads = options.threads.max(1);
    let ready = Barrier::new(threads);
    let (begun, failed) = (OnceLock::new(), AtomicBool::new(false));
    let outcome = Mutex::new(Outcome::default());
    let work = |number: usize| -> Result<(), LoadError> {
        let worker =
            source().map_err(LoadError::from).and_then(|schedule| Worker::new(number, options, schedule));
        failed.fetch_or(worker.is_err(), Ordering::Relaxed);
        ready.wait();
        let worker = worker?;
        if failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let counted = worker.run(*begun.get_or_init(Instant::now), &|| {
            stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed)
        });
        failed.fetch_or(counted.is_err(), Ordering::Relaxed);
        outcome.lock().unwrap_or_else(PoisonError::into_inner).merge(&counted?);
        Ok(())
    };
    let results: Vec<Result<(), LoadError>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|number| {
                let work = &work;
                scope.spawn(move || work(number))
            })
            .collect();
        let own = work(0);
        let others =
            others.into_iter().map(|it| it.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(others.collect::<Vec<_>>()).collect()
    });
    results.into_iter().collect::<Result<(), LoadError>>()?;
    let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.interrupted |= stop.load(Ordering::Relaxed);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_cannot_be_made_has_its_own_remedy() {
        for (refused, part) in
            [(Errno::MFILE, "ulimit -n"), (Errno::ADDRINUSE, "port"), (Errno::ACCESS, "broadcast")]
        {
            let error = LoadError::Socket { number: 3, all: 9, source: refused.into() }.to_string();
            assert!(error.contains("socket 3 of 9; ") && error.contains(part), "{error}");
        }
    }
}
