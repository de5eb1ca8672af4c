#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! An [`Mkt`] states which connections a master key protects and how; a [`Session`] is one such connection, seen from
//! one of its ends, and a [`Batch`] works on many segments of many sessions at once. Underneath, each in a module of
//! its own, are the steps: a [`Packet`] is parsed, its TCP-AO [`option`] found or inserted, the MAC's [`message`]
//! assembled, and the traffic key's [`Context`] and the sequence number extension ([`Sne`]) made.

#![forbid(unsafe_code)]

pub mod batch;
mod checksum;
pub mod context;
pub mod diagnose;
pub mod flows;
pub mod gateway;
pub mod ip;
#[cfg(feature = "key-chain")]
pub mod key_chain;
pub mod layers;
mod malformed;
pub mod md5;
pub mod message;
pub mod mkt;
pub mod option;
pub mod pair;
pub mod recover;
pub mod sample;
pub mod session;
pub mod sign;
pub mod sne;
pub mod space;
pub mod tcp;
pub mod verify;

pub use batch::Batch;
pub use context::Context;
pub use fieldtest_capture as capture;
pub use ip::{Malformed, Packet};
/// Key chains say their times in its types.
#[cfg(feature = "key-chain")]
pub use jiff;
pub use message::Coverage;
pub use mkt::{Mkt, MktSet, Prefix};
pub use pair::SocketPair;
pub use session::Session;
pub use sne::Sne;
pub use tcp::Segment;
/// What keys are kept in.
pub use zeroize::Zeroizing;
