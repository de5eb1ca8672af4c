//! Inventories of cryptography (CBOMs) in CycloneDX: what others wrote is [`read`](read::read) and recognised among the
//! algorithms of the catalog, and what is known and was measured is written.
//!
//! Read are the JSON forms of CycloneDX 1.6, the first that has cryptographic assets, and 1.7 (ECMA-424); 1.7 is written.
//! Sources: the schemas `bom-1.6.schema.json`, `bom-1.7.schema.json` and the registry `cryptography-defs.json` of
//! <https://github.com/CycloneDX/specification>.

#![forbid(unsafe_code)]

pub mod read;
#[cfg(feature = "catalog")]
pub mod recognise;
#[cfg(feature = "catalog")]
pub mod write;
