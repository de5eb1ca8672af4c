#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! * [`judge`] checks a specification before anything is made with it; [`Ciphers`] is how the caller provides ciphers.
//! * [`NewContainer`] and [`format::format_in_place`] make containers, [`Container`] opens them and manages their keys.
//! * [`Volume`] is the plaintext at any offset, [`copy`] brings whole images in and out, and [`serve`] offers a volume
//!   as a network block device.
//!
//! The code is our own because `luks2` 0.5.0 has only AES and only reads, and libcryptsetup (`libcryptsetup-rs`
//! 0.16.1) leaves every cipher but AES to the kernel (November 2026).

#![deny(unsafe_code)]

#[cfg(test)]
extern crate self as fieldtest_disk;

pub mod antiforensic;
mod argon2;
mod container;
pub mod copy;
mod digest;
mod error;
mod file;
pub mod format;
mod hash;
pub mod header;
mod integrity;
pub mod judge;
mod kdf;
mod key_file;
mod keyslot;
mod labels;
pub mod reencrypt;
mod secret;
mod segment;
#[cfg(feature = "nbd")]
pub mod serve;
mod spec;
mod storage;
mod store;
#[cfg(test)]
mod testing;
mod volume;

pub use container::{Container, Unlocked};
pub use error::{Error, Result};
pub use file::{Access, hold};
pub use format::NewContainer;
pub use hash::Hash;
pub use integrity::Integrity;
pub use kdf::Cost;
pub use key_file::{LONGEST_KEY_FILE, read_key_file, read_secret};
pub use keyslot::{KeyslotParameters, Priority};
pub use secret::{Secret, VolumeKey, some_may_be_swapped, wipe_stack};
pub use segment::{Numbering, SectorCipher, SectorKey, has_equal_halves};
/// Headers have tokens and requirements that are kept as the JSON they are.
pub use serde_json;
pub use spec::{CipherSpec, Ciphers, Iv, SpecError};
pub use storage::{lies_on, shared};
pub use volume::Volume;
