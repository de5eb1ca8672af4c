//! A small DNS internet on one machine: a root, top-level domains and second-level domains, signed with any algorithm at each
//! level, served by real name servers, and resolved by a real validating resolver.
//!
//! [`plan`] says which zones there are, [`zones`] makes and signs them, [`config`] and [`resolver`] write what servers read, [`server`] runs
//! them, and [`internet`] joins these. Everything lives in a private network [`namespace`] where the system gives one: each
//! level has addresses of its own at port 53, and a resolver follows delegations from a root hint as it does elsewhere. Where
//! there is none, servers have high ports on loopback addresses, and the resolver is told where each zone is. [`wire`] counts
//! what goes over such a namespace, and [`usage`] what processes took. [`downgrade`] alters zones as attackers do, [`rekey`] replaces
//! keys while zones are served, and [`transfer`] weighs what that sends to secondaries.
//!
//! The library knows no algorithm and no terminal.

#![deny(unsafe_code)]

pub mod ask;
pub mod config;
pub mod downgrade;
mod error;
pub mod internet;
pub mod namespace;
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

pub use error::InternetError;
pub use internet::Internet;
pub use plan::{Level, Plan, Shape};
