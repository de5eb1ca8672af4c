//! The kinds of algorithm that fieldtest measures, as traits.
//!
//! A carrier (a DNS zone, a file system, a TCP segment, …) is written against these traits and never names an
//! algorithm; the catalog implements them for every implementation it knows. The crate has no dependencies, so that
//! a carrier can be used as a library with any cryptography its user chose.
//!
//! ```
//! use fieldtest_kinds::Error;
//! use fieldtest_kinds::mac::{Mac, MacKey};
//!
//! /// An adapter: it turns a library into a [`Mac`]. This one's library is addition, so keep it out of any network.
//! struct Sum;
//! struct Prepared(u8);
//!
//! impl Mac for Sum {
//!     fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
//!         *traffic_key = vec![sum(master_key).wrapping_add(sum(context))];
//!         Ok(())
//!     }
//!     fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
//!         match traffic_key {
//!             [key] => Ok(Box::new(Prepared(*key))),
//!             _ => Err(Error::MalformedKey(format!("a key has one byte, and this one {}", traffic_key.len()))),
//!         }
//!     }
//!     fn longest_tag(&self) -> usize {
//!         1
//!     }
//! }
//!
//! impl MacKey for Prepared {
//!     fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
//!         tag.fill(self.0.wrapping_add(sum(message)));
//!         Ok(())
//!     }
//! }
//!
//! fn sum(bytes: &[u8]) -> u8 {
//!     bytes.iter().copied().fold(0, u8::wrapping_add)
//! }
//!
//! /// What a carrier does: it is given a MAC, whichever that is.
//! fn tagged(mac: &dyn Mac, message: &[u8]) -> Result<Vec<u8>, Error> {
//!     let (mut key, mut tag) = (Vec::new(), vec![0; mac.longest_tag()]);
//!     mac.derive(b"master key", b"this connection", &mut key)?;
//!     mac.prepare(&key)?.tag(message, &mut tag)?;
//!     Ok(tag)
//! }
//!
//! assert_ne!(tagged(&Sum, b"one message")?, tagged(&Sum, b"another")?);
//! assert!(Sum.prepare(b"two").is_err());
//! # Ok::<(), Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod aead;
pub mod cipher;
mod error;
pub mod hash;
pub mod mac;
pub mod own;
pub mod prepared;
pub mod signature;
pub mod toy;
mod worded;

pub use error::Error;
#[doc(hidden)]
pub use worded::are_distinct;
