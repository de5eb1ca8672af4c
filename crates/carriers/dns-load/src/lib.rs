//! A load generator for DNS servers, open loop: every query has a moment at which it is to be sent, whatever became of those
//! before it.
//!
//! A [schedule] says when which client asks what, over which transport and with which EDNS size. It is produced while it is
//! sent: [made up](schedule::Made) at a rate, from a list of questions or from [generated traffic](traffic::Traffic), or
//! replayed from a [capture](read::capture) or a [table](read::csv). [`engine::run`] sends it, follows truncated answers to
//! TCP, and counts an [`Outcome`]. dnsperf, flamethrower and DNS Shotgun do not follow truncation (sources
//! read in November 2026), so they miss the cost that decides for large signatures.
//!
//! Latency is counted from the scheduled moment. A generator that waits for answers, or that is late itself,
//! leaves out the queries that would have waited longest (“coordinated omission”).
//! generator's own is a histogram beside them.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use std::time::Duration;
//!
//! use fieldtest_dns_load::arrivals::{Arrivals, Rate, Spacing};
//! use fieldtest_dns_load::clients::Clients;
//! use fieldtest_dns_load::engine::{self, Options};
//! use fieldtest_dns_load::schedule::Made;
//! use fieldtest_dns_load::target::Target;
//! use fieldtest_dns_load::read::text;
//!
//! // A thousand clients ask 5,000 questions a second in all, for ten seconds.
//! let questions = text::read("www.example. A\nexample. DNSKEY\n".as_bytes(), "two".as_ref())?;
//! let time = Duration::from_secs(10);
//! let arrivals = Arrivals::new(Rate::constant(5_000.0)?, Spacing::Poisson, time, 1);
//! let made = Made::new(arrivals, Clients::new(1_000, 1)?, questions.into(), 1);
//! let options = Options::new(Target::here("127.0.0.1:53".parse()?)?);
//! let outcome = engine::run(&|| Ok(Box::new(made.clone())), &options, &AtomicBool::new(false))?;
//! println!("median {} ns", outcome.udp.value_at_quantile(0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod arrivals;
pub mod clients;
pub mod engine;
mod left_out;
mod message;
pub mod outcome;
pub mod popularity;
pub mod query;
mod random;
pub mod read;
pub mod schedule;
pub mod target;
pub mod traffic;

pub use outcome::Outcome;
