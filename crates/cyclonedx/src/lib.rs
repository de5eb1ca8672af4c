//! Inventories of cryptography (CBOMs) in CycloneDX: what others wrote is [`read`](read::read) and recognised among the
//! algorithms of the catalog, and what is known and was measured is written.
//!
//! Read are the JSON forms of CycloneDX 1.6, the first that has cryptographic assets, and 1.7 (ECMA-424); 1.7 is written.
//! Sources: the schemas `bom-1.6.schema.json`, `bom-1.7.schema.json` and the registry `cryptography-defs.json` of
//! <https://github.com/CycloneDX/specification>.
//!
//! ```
//! # #[cfg(feature = "catalog")] {
//! use fieldtest_cyclonedx::read::read;
//! use fieldtest_cyclonedx::recognise::{Recognised, recognise};
//!
//! let cbom = r#"{
//!     "bomFormat": "CycloneDX", "specVersion": "1.7",
//!     "components": [{
//!         "type": "cryptographic-asset", "name": "SHA256withECDSA",
//!         "cryptoProperties": {
//!             "assetType": "algorithm",
//!             "algorithmProperties": { "primitive": "signature", "ellipticCurve": "nist/P-256" }
//!         }
//!     }]
//! }"#;
//! let inventory = read(cbom.as_bytes())?;
//! let entries = fieldtest_catalog::entries();
//! assert_eq!(recognise(&inventory.assets[0], &entries), Recognised::Same("ecdsa-p256"));
//! # }
//! # Ok::<(), fieldtest_cyclonedx::read::Error>(())
//! ```

#![forbid(unsafe_code)]

mod asset;
#[cfg(feature = "catalog")]
mod fields;
#[cfg(feature = "catalog")]
pub mod marked;
#[cfg(feature = "catalog")]
pub mod meaning;
mod members;
#[cfg(feature = "catalog")]
pub mod parts;
mod properties;
#[cfg(feature = "catalog")]
mod protocol;
pub mod read;
#[cfg(feature = "catalog")]
mod reading;
#[cfg(feature = "catalog")]
pub mod recognise;
#[cfg(feature = "catalog")]
mod rules;
#[cfg(feature = "catalog")]
mod tokens;
mod unique;
#[cfg(feature = "catalog")]
pub mod verdict;
#[cfg(feature = "catalog")]
mod words;
#[cfg(feature = "catalog")]
pub mod write;
