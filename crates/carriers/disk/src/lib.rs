//! LUKS2 containers with any cipher: format, open, copy and serve.
//!
//! Everything is done in user space on files and block devices, without a kernel's device mapper, so a container can
//! be encrypted with a cipher that no kernel has yet, and its header is one that cryptsetup accepts. Which cipher a
//! specification such as `lea-xts-plain64` means is asked of the caller ([`Ciphers`]).
//!
//! * [`judge`] says what to think of a specification before anything is made with it.
//! * [`NewContainer`] and [`format::format_in_place`] make containers, [`Container`] opens them and manages their keys.
//! * [`Volume`] is the plaintext at any offset, [`copy`] brings whole images in and out, and [`serve`] offers a volume
//!   as a network block device.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use fieldtest_disk::format::Parameters;
//! use fieldtest_disk::{Access, Ciphers, Container, NewContainer, Result, VolumeKey};
//!
//! fn round_trip(path: &Path, ciphers: &dyn Ciphers) -> Result<()> {
//!     // LEA-256 in XTS with sectors of 4096 bytes. The key slot is encrypted with AES, so that every cryptsetup can
//!     // tell whether a passphrase is right.
//!     let parameters = Parameters::new("lea-xts-plain64".parse()?, 64);
//!     let key = VolumeKey::generate(64)?;
//!     NewContainer::create(path, 1 << 30, b"passphrase", key, &parameters, ciphers)?.keep(false)?;
//!
//!     let container = Container::open(path, Access::Write)?;
//!     let unlocked = container.unlock(b"passphrase", None, ciphers)?;
//!     let volume = container.into_volume(&unlocked.key, ciphers)?;
//!     volume.write_at(b"at any offset", 12_345)?;
//!     volume.flush()
//! }
//! ```

#![deny(unsafe_code)]

pub mod antiforensic;
mod container;
pub mod copy;
mod digest;
mod error;
mod file;
pub mod format;
mod hash;
pub mod header;
pub mod judge;
mod kdf;
mod key_file;
mod keyslot;
mod labels;
mod secret;
mod segment;
pub mod serve;
mod spec;
mod storage;
mod volume;

pub use container::{Container, Unlocked};
pub use error::{Error, Result};
pub use file::{Access, hold};
pub use format::NewContainer;
pub use hash::Hash;
pub use kdf::Cost;
pub use key_file::{LONGEST_KEY_FILE, read_key_file, read_secret};
pub use keyslot::KeyslotParameters;
pub use secret::{Secret, VolumeKey, some_may_be_swapped, wipe_stack};
pub use segment::{Numbering, SectorCipher, SectorKey};
/// Headers have tokens and requirements that are kept as the JSON they are.
pub use serde_json;
pub use spec::{CipherSpec, Ciphers, Iv, SpecError};
pub use storage::{lies_on, shared};
pub use volume::Volume;
