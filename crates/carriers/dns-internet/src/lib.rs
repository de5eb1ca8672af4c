//! A small DNS internet on one machine: a root, top-level domains and second-level domains, signed with any algorithm at each
//! level, served by real name servers, and resolved by a real validating resolver.
//!
//! [`plan`] says which zones there are, [`zones`] makes and signs them, [`config`], [`online`] and [`resolver`] write what servers read, [`server`] runs
//! them, and [`internet`] joins these. Everything lives in a private network [`namespace`] where the system gives one: each
//! level has addresses of its own at port 53, and a resolver follows delegations from a root hint as it does elsewhere. Where
//! there is none, servers have high ports on loopback addresses, and the resolver is told where each zone is. [`wire`] counts
//! what goes over such a namespace, and [`usage`] what processes took. [`downgrade`] alters zones as attackers do, [`rekey`] replaces
//! keys while zones are served, and [`transfer`] weighs what that sends to secondaries.
//!
//! The library knows no algorithm and no terminal.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//!
//! use fieldtest_dns_internet::internet::{Place, Programs, address};
//! use fieldtest_dns_internet::resolver::{Resolver, Software};
//! use fieldtest_dns_internet::zones::{Signing, Terms, make};
//! use fieldtest_dns_internet::{Internet, Plan, Shape};
//! use fieldtest_dnssec::codepoints::CodePoint;
//! use fieldtest_dnssec::denial::Denial;
//! use fieldtest_kinds::signature::Signature;
//!
//! # fn example(ed25519: &dyn Signature) -> Result<(), Box<dyn std::error::Error>> {
//! // `ed25519` can be anything that implements `Signature`; 15 is Ed25519's number.
//! let signing = |_| Signing::new(ed25519, CodePoint::Number(15), Denial::Nsec);
//!
//! // Ten TLDs with ten domains of two hosts each: 111 zones, which are signed into a directory.
//! let plan = Plan::new(Shape::default(), None)?;
//! let (directory, stop) = (tempfile::tempdir()?, AtomicBool::new(false));
//! let terms = Terms::new([1_767_225_600, 1_798_761_600]);
//! let files = make(&plan, None, &signing, &address, &terms, directory.path(), &stop)?;
//!
//! // Without a namespace of our own: servers at high ports of loopback addresses. They end with `internet`.
//! let (software, program) = (Software::Unbound, "unbound".into());
//! let resolver = Resolver::new(software, program);
//! let programs = Programs { nsd: "nsd".into(), knot: None, resolver, environment: Vec::new() };
//! let mut internet = Internet::serve(&plan, &files, Place::shared()?, &programs, directory.path(), &stop)?;
//! internet.resolve_afresh(&stop)?;
//! println!("ask {}", internet.place().resolver());
//! # Ok(())
//! # }
//! ```

#![deny(unsafe_code)]

pub mod ask;
pub mod certificate;
pub mod config;
pub mod downgrade;
mod error;
pub mod internet;
pub mod namespace;
pub mod online;
pub mod plan;
pub mod rekey;
pub mod resolver;
pub mod server;
mod sys;
pub mod transfer;
pub mod trap;
pub mod usage;
pub mod verdict;
pub mod wire;
pub mod zones;

pub use error::{InternetError, KNOWING};
pub use internet::Internet;
pub use plan::{Level, Plan, Shape};
