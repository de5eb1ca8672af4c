//! The kernel's own ciphers, hash functions and MACs, by its sockets for them (AF_ALG): what dm-crypt, IMA and TCP-AO use,
//! but with the system calls that a program needs to reach it. Its figures are never held against a library's.

#[cfg(target_os = "linux")]
mod ffi;
#[cfg(not(target_os = "linux"))]
#[path = "nowhere.rs"]
mod ffi;

use std::ffi::CString;
use std::sync::{Arc, LazyLock};

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;

use crate::cipher::Mode;
use crate::hash::Function as HashFunction;
use crate::mac::keyed::{Function as MacFunction, check_length};

use super::keyed::{BlockCipher, Keyed, digest_len};
use super::pooled::{Direction, Maker, Pooled, PooledCipher, SectorWorker, Worker};
use ffi::{Kind, Operation, Transformation};

/// As an implementation.
pub(super) const NAME: &str = "linux";

static LINUX: LazyLock<Result<String, String>> = LazyLock::new(|| {
    if !super::is_looked_for(NAME) {
        return Err("the kernel is not looked for by this process".to_owned());
    }
    ffi::release()
        .map_err(|reason| format!("this kernel offers no cryptography by sockets (AF_ALG): {reason}"))
});

/// The kernel's release, `7.3.4`, or why it is not asked.
pub(super) fn version() -> Result<String, &'static str> {
    LINUX.as_ref().cloned().map_err(String::as_str)
}

fn transformation(kind: Kind, name: &str, key: Option<&[u8]>) -> Result<Transformation, Error> {
    version().map_err(|why| Error::Library(why.to_owned()))?;
    let name = CString::new(name).map_err(|error| Error::Library(error.to_string()))?;
    Transformation::of(kind, &name, key)
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    let name = match function {
        "sha-1" => "sha1",
        "sha-256" => "sha256",
        "sha3-256" => "sha3-256",
        "blake2b-256" => "blake2b-256",
        _ => return None,
    };
    let transformation = transformation(Kind::Hash, name, None).ok()?;
    Pooled::new(digest_len(function)?, move || Ok(Hashing(transformation.operation()?))).ok()
}

/// A keyed function by the kernel's name for it.
#[derive(Clone, Copy)]
pub(crate) struct Keying {
    function: Keyed,
    name: &'static str,
}

pub(super) fn keyed(function: Keyed) -> Option<Keying> {
    let name = match function {
        Keyed::HmacSha1 => "hmac(sha1)",
        Keyed::HmacSha256 => "hmac(sha256)",
        Keyed::HmacSha384 => "hmac(sha384)",
        Keyed::HmacSha512 => "hmac(sha512)",
        Keyed::HmacSha3_256 => "hmac(sha3-256)",
        Keyed::CmacAes128 | Keyed::CmacAes192 | Keyed::CmacAes256 => "cmac(aes)",
        Keyed::CmacAria128 | Keyed::CmacAria192 | Keyed::CmacAria256 => "cmac(aria)",
        _ => return None,
    };
    let keying = Keying { function, name };
    keying.key(&[1; 32][..(*function.keys().end()).min(32)]).ok()?;
    Some(keying)
}

impl MacFunction for Keying {
    type Key = Pooled<Opener, Hashing>;

    fn longest_tag(&self) -> usize {
        self.function.output()
    }

    fn key(&self, key: &[u8]) -> Result<Self::Key, Error> {
        check_length(&self.function.keys(), key)?;
        let transformation = transformation(Kind::Hash, self.name, Some(key))?;
        let open: Opener = Box::new(move || Ok(Hashing(transformation.operation()?)));
        Pooled::new(self.function.output(), open)
    }
}

/// What opens a socket for messages under the key.
pub(crate) type Opener = Box<dyn Fn() -> Result<Hashing, Error> + Send + Sync>;

/// A socket for one message after the other. Asking for the digest ends a message, and begins the next.
pub(crate) struct Hashing(Operation);

impl Worker for Hashing {
    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.0.send(piece)
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        self.0.receive(output)
    }
}

pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let mode = match wanted.mode {
        Mode::Xts => "xts",
        Mode::Ecb => "ecb",
        Mode::Cbc => "cbc",
        Mode::Ctr => "ctr",
    };
    let name = format!("{mode}({})", wanted.block);
    PooledCipher::new(wanted.mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let transformation = Arc::new(transformation(Kind::Cipher, &name, Some(key))?);
        let make = move || Ok(Crypting { operation: transformation.operation()?, direction });
        Ok(Box::new(make) as Maker<Crypting>)
    })
}

/// A socket for one sector after the other.
struct Crypting {
    operation: Operation,
    direction: Direction,
}

impl SectorWorker for Crypting {
    /// The kernel works on 16 pages at a time, which an unaligned sector touches one more of.
    const MOST: usize = 32 << 10;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        if sector.len() > Self::MOST {
            return Err(Error::Library(format!(
                "the kernel takes at most {} bytes with one call; use smaller sectors",
                Self::MOST
            )));
        }
        self.operation.send_sector(self.direction == Direction::Encryption, tweak, sector)?;
        self.operation.receive(sector)
    }
}
