//! The kernel's own ciphers, hash functions and MACs, by its sockets for them (AF_ALG): what dm-crypt, IMA and TCP-AO use,
//! but with the system calls that a program needs to reach it. Its results are never held against a library's.

#[cfg(target_os = "linux")]
mod ffi;
#[cfg(not(target_os = "linux"))]
#[path = "nowhere.rs"]
mod ffi;

use std::ffi::CString;
use std::sync::{Arc, LazyLock};

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use zeroize::Zeroizing;

use crate::aead;
use crate::cipher::Mode;
use crate::hash::Function as HashFunction;
use crate::mac::keyed::Function as MacFunction;

use super::keyed::{BlockCipher, Keyed, Keying, digest};
use super::pooled::{Direction, Maker, Pooled, PooledCipher, SectorWorker, Worker};
use super::pooled_aead::{self, AeadWorker};
use ffi::{Kind, Operation, Task, Transformation};

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
    Pooled::new(digest(function)?.0, move || Ok(Hashing(transformation.operation()?))).ok()
}

pub(super) fn keyed(function: Keyed) -> Option<impl MacFunction> {
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
    Keying::new(function, move |key: &[u8]| {
        let transformation = transformation(Kind::Hash, name, Some(key))?;
        Pooled::new(function.output(), move || Ok(Hashing(transformation.operation()?)))
    })
}

/// A socket for one message after the other. Asking for the digest ends a message, and begins the next.
struct Hashing(Operation);

impl Worker for Hashing {
    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.0.send(piece)
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        self.0.receive([output])
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
    const MOST: usize = MOST;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        check_most(sector.len())?;
        let encrypt = self.direction == Direction::Encryption;
        let iv = tweak.map(|tweak| &tweak[..]);
        self.operation.send_whole(&Task { encrypt, iv, associated: None }, &[&*sector])?;
        self.operation.receive([sector])
    }
}

/// The kernel works on 16 pages at a time, which an unaligned message touches one more of.
const MOST: usize = 32 << 10;

fn check_most(bytes: usize) -> Result<(), Error> {
    if bytes <= MOST {
        return Ok(());
    }
    Err(Error::Library(format!("the kernel takes at most {MOST} bytes with one call; use smaller sectors")))
}

pub(super) fn aead(block: &str, bits: usize, mode: aead::Mode) -> Option<Arc<dyn Aead>> {
    let name = match mode {
        aead::Mode::Gcm => format!("gcm({block})"),
        aead::Mode::Ccm => format!("ccm({block})"),
    };
    pooled_aead::aead(bits / 8, move |key, _| {
        let (name, key) = (name.clone(), Zeroizing::new(key.to_vec()));
        Box::new(move || {
            let operation = transformation(Kind::Aead, &name, Some(&key))?.operation()?;
            Ok(Sealing { operation, mode, associated: Vec::new() })
        }) as Maker<Sealing>
    })
}

/// A socket for one message after the other, in either direction.
struct Sealing {
    operation: Operation,
    mode: aead::Mode,
    /// The kernel gives back what it authenticated alone.
    associated: Vec<u8>,
}

impl Sealing {
    fn send(
        &mut self,
        encrypt: bool,
        nonce: &[u8; 12],
        associated: &[u8],
        parts: [&[u8]; 2],
    ) -> Result<(), Error> {
        check_most(associated.len() + parts.map(<[u8]>::len).iter().sum::<usize>())?;
        // CCM's is its first block (SP 800-38C, appendix A.3): how many bytes the counter has, less one, and the nonce.
        let mut block = [0; 16];
        block[0] = 2;
        block[1..13].copy_from_slice(nonce);
        let iv = if self.mode == aead::Mode::Ccm { &block[..] } else { nonce };
        self.associated.resize(associated.len(), 0);
        let task = Task { encrypt, iv: Some(iv), associated: Some(associated.len() as u32) };
        self.operation.send_whole(&task, &[associated, parts[0], parts[1]])
    }
}

impl AeadWorker for Sealing {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        self.send(true, nonce, associated, [message, &[]])?;
        self.operation.receive([&mut self.associated, message, tag])
    }

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        self.send(false, nonce, associated, [message, tag])?;
        self.operation.receive([&mut self.associated, message])
    }
}
