//! The size of every answer that a signed zone gives, for any algorithm, without signing anything.
//!
//! ```
//! use fieldtest_dnssec::sizes::{AlgorithmSize, DenialMethod, Kind, Setup, ZoneFacts};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = fieldtest_dnssec::ZoneBuilder::new();
//! # let path = std::path::Path::new("example.zone");
//! # let text = "example. 60 IN SOA ns.example. mail.example. 1 2 3 4 5\nexample. 60 IN NS ns.example.\n";
//! fieldtest_dnssec::format::text::read(text.as_bytes(), path, None, &mut builder)?;
//! let zone = builder.finish()?;
//! let facts = ZoneFacts::new(&zone)?;
//! // The answers are composed once and evaluated for as many algorithms as there are.
//! let answers = facts.family(Kind::NxdomainRandom, Setup::new(DenialMethod::Nsec)).ok_or("no such answers")?;
//! for signature in [64, 666, 2420] {
//!     let sizes = answers.sizes(AlgorithmSize::new(32, signature));
//!     assert!(sizes.max() > u64::from(signature) * 2);
//! }
//! # Ok(()) }
//! ```

mod a_root;
mod answers;
mod compress;
mod facts;
pub mod fit;
mod labels;
pub mod project;
pub mod published;
pub mod rssac;
mod setup;
mod shape;
mod survey;
mod zone_file;

pub use a_root::A_ROOT_2025_06_10;
pub use compress::{Composer, Edns};
pub use facts::{NoApex, ZoneFacts};
pub use setup::{DenialMethod, Glue, KeySet, Setup, Signers};
pub use shape::{AlgorithmSize, Composed, Shape};
pub use survey::{Delegations, Distribution, Family, Kind, LONG_LABEL, RANDOM_NAMES};
pub use zone_file::{TextSize, TransferSize};
