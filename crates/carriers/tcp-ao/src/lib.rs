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
//! use fieldtest_tcp_ao::sample::{Head, packet};
//! use fieldtest_tcp_ao::{Mkt, MktSet, Session, SocketPair};
//!
//! # use fieldtest_kinds::{Error, mac::{Mac, MacKey}};
//! # struct Toy;
//! # struct Prepared(u8);
//! # impl Mac for Toy {
//! #     fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
//! #         *traffic_key = [master_key, context].concat();
//! #         Ok(())
//! #     }
//! #     fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
//! #         Ok(Box::new(Prepared(traffic_key.iter().copied().fold(0, u8::wrapping_add))))
//! #     }
//! #     fn longest_tag(&self) -> usize {
//! #         12
//! #     }
//! # }
//! # impl MacKey for Prepared {
//! #     fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
//! #         tag.fill(message.iter().copied().fold(self.0, u8::wrapping_add));
//! #         Ok(())
//! #     }
//! # }
//! // Whatever implements `Mac` will do; this toy adds bytes up. Both ends have the same master key for BGP.
//! let mac = std::sync::Arc::new(Toy);
//! let mut mkts = MktSet::new();
//! mkts.add(Mkt::new(61, 84, b"master key", mac.clone(), 12)?.with_remote("192.0.2.0/24".parse()?).with_remote_port(179))?;
//! let of_router = Mkt::new(84, 61, b"master key", mac, 12)?;
//!
//! // What the host sends first: a SYN.
//! let pair = SocketPair::new("198.51.100.7:50000".parse()?, "192.0.2.1:179".parse()?)?;
//! let syn = packet(&pair, &Head { sequence: 1000, flags: 0x02, ..Head::default() }, b"");
//! let mut host = Session::new(pair, mkts.matching(&pair).cloned())?;
//! let mut signed = Vec::new();
//! host.sign(&syn, &mut signed)?;
//! assert_eq!(signed.len(), syn.len() + 16); // the option: kind, length, two key IDs and 12 bytes of MAC
//!
//! // The router accepts it, and refuses what was changed on the way.
//! let mut router = Session::new(pair.reversed(), [of_router.into()])?;
//! let mut changed = signed.clone();
//! changed[34] ^= 1;
//! assert!(router.verify(&changed).is_err());
//! router.verify(&signed)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
