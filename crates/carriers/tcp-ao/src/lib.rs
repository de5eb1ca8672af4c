//! TCP-AO with any MAC: sign, verify, diagnose and carry TCP segments (RFC 5925).
//!
//! The library knows no algorithm: segments are signed with whatever implements [`Mac`](fieldtest_kinds::mac::Mac).
//! An [`Mkt`] says which connections a master key protects and how; a [`Session`] is one such connection, seen from
//! one of its ends, and a [`Batch`] works on many segments of many sessions at once. Underneath, each in a module of
//! its own, are the steps: a [`Packet`] is parsed, its TCP-AO [`option`] found or inserted, the MAC's [`message`]
//! assembled, and the traffic key's [`Context`] and the sequence number extension ([`Sne`]) made.
//!
//! Compressed captures are unpacked by the default feature `decompression`. With the feature `key-chain`, chains of master keys are made, and written for the systems that are to use them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use fieldtest_kinds::mac::Mac;
//! use fieldtest_tcp_ao::{Mkt, MktSet, Packet, Session, SocketPair};
//!
//! /// Signs the packets of one connection, from its SYN on.
//! fn signed(mac: Arc<dyn Mac>, packets: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Box<dyn std::error::Error>> {
//!     let mut mkts = MktSet::new();
//!     let remote = "192.0.2.0/24".parse()?;
//!     mkts.add(Mkt::new(61, 84, b"master key", mac, 12)?.with_remote(remote).with_remote_port(179))?;
//!
//!     let syn = packets.first().ok_or("no packets")?;
//!     let pair = SocketPair::of_sender(&Packet::parse(syn)?.ok_or("not TCP")?);
//!     let mut session = Session::new(pair, mkts.matching(&pair).cloned())?;
//!     let mut out = Vec::new();
//!     let sign = |packet: &Vec<u8>| {
//!         session.sign(packet, &mut out)?;
//!         Ok(out.clone())
//!     };
//!     packets.iter().map(sign).collect()
//! }
//! ```

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
mod tag;
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
