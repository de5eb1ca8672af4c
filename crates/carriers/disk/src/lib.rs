//! LUKS2 containers with any cipher of the caller's: format, open, copy and serve.
//!
//! Everything is done in user space on files and block devices, without a kernel's device mapper, so a container can
//! be encrypted with a cipher that no kernel has yet, and its header is one that cryptsetup accepts. Which cipher a
//! specification such as `lea-xts-plain64` means is asked of the caller ([`Ciphers`]).
//!
//! Neither `luks2` 0.5.0 (AES, read only) nor `libcryptsetup-rs` 0.16.1 could do that: libcryptsetup leaves
//! every cipher but AES to the kernel (November 2026).
//!
//! * [`judge`] says what to think of a specification before anything is made with it.
//! * [`NewContainer`] and [`format::format_in_place`] make containers, [`Container`] opens them and manages their keys.
//! * [`Volume`] is the plaintext at any offset, [`copy`] brings whole images in and out, and [`serve`] offers a volume
//!   as a network block device.
//!
//! Two default features can be left out: `nbd`, which is [`serve`], and `argon2`, without which key slots are by PBKDF2
//! alone.
//!
//! ```
//! use std::sync::Arc;
//!
//! use aes::{Aes256, cipher::KeyInit};
//! use fieldtest_disk::format::Parameters;
//! use fieldtest_disk::{Access, CipherSpec, Container, Cost, Hash, KeyslotParameters, NewContainer, VolumeKey};
//! use fieldtest_kinds::Error;
//! use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
//! use xts_mode::Xts128;
//!
//! /// AES-256 in XTS, from crates that anybody has. Whatever implements these two traits will do.
//! struct AesXts;
//! struct Key(Xts128<Aes256>);
//!
//! impl Cipher for AesXts {
//!     fn key_len(&self) -> usize {
//!         64
//!     }
//!     fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
//!         let half = |key| Aes256::new_from_slice(key).map_err(|error| Error::MalformedKey(error.to_string()));
//!         Ok(Box::new(Key(Xts128::new(half(&key[..32])?, half(&key[32..])?))))
//!     }
//! }
//!
//! impl CipherKey for Key {
//!     fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
//!         let sectors = (0..).zip(data.chunks_exact_mut(sector_size));
//!         sectors.for_each(|(number, sector)| self.0.encrypt_sector(sector, tweaks.of(number).into()));
//!         Ok(())
//!     }
//!     fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
//!         let sectors = (0..).zip(data.chunks_exact_mut(sector_size));
//!         sectors.for_each(|(number, sector)| self.0.decrypt_sector(sector, tweaks.of(number).into()));
//!         Ok(())
//!     }
//! }
//!
//! let ciphers = |spec: &CipherSpec, key_len: usize| {
//!     let known = (spec.cipher(), spec.mode(), key_len) == ("aes", "xts", 64);
//!     known.then(|| Arc::new(AesXts) as Arc<dyn Cipher>)
//! };
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("volume.img");
//!
//! // Without another cost, a passphrase takes two seconds to try, and a GiB of memory, as cryptsetup has it.
//! let mut parameters = Parameters::new("aes-xts-plain64".parse()?, 64);
//! parameters.keyslot = KeyslotParameters::new(Cost::Pbkdf2 { hash: Hash::Sha256, iterations: 1000 });
//! let key = VolumeKey::generate(64)?;
//! NewContainer::create(&path, 1 << 20, b"passphrase", key, &parameters, &ciphers)?.keep(false)?;
//!
//! let container = Container::open(&path, Access::Write)?;
//! let unlocked = container.unlock(b"passphrase", None, &ciphers)?;
//! let volume = container.into_volume(&unlocked.key, &ciphers)?;
//! volume.write_at(b"at any offset", 12_345)?;
//! volume.flush()?;
//! let mut read = [0; 13];
//! volume.read_at(&mut read, 12_345)?;
//! assert_eq!(&read, b"at any offset");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
