//! Hash functions, MACs and ciphers of a library.

use std::ffi::{c_int, c_ulonglong};

use libloading::Library;
use zeroize::Zeroizing;

use super::{Answer, Functions, Names, checked, done, function, guarded, unguarded};
use crate::mac::Sizes;
use crate::protocol::Operation;

type Hash = unsafe extern "C" fn(*mut u8, *const u8, c_ulonglong) -> c_int;
type Mac = unsafe extern "C" fn(*mut u8, *const u8, c_ulonglong, *const u8) -> c_int;
type Derive = unsafe extern "C" fn(*mut u8, *const u8, c_ulonglong, *const u8, c_ulonglong) -> c_int;
type Sector = unsafe extern "C" fn(*mut u8, c_ulonglong, *const u8, *const u8) -> c_int;

/// What a function wrote into a buffer of so many octets.
fn written(
    function: &str,
    length: usize,
    call: impl FnOnce(*mut u8) -> c_int,
) -> Result<Zeroizing<Vec<u8>>, String> {
    let mut found = guarded(length);
    checked(function, call(found.as_mut_ptr()))?;
    unguarded(function, &mut found, length)?;
    Ok(found)
}

pub(super) struct Digest {
    hash: Hash,
    digest: usize,
    _library: Library,
}

impl Digest {
    pub(super) fn of(library: Library, names: &Names, digest: usize) -> Result<Digest, String> {
        // SAFETY: the type is that of the interface that docs/engines.md asks for; no more can be known of a library.
        let hash = unsafe { function(&library, names, "crypto_hash", "") }?;
        Ok(Digest { hash, digest, _library: library })
    }
}

impl Functions for Digest {
    fn answer(&self, operation: Operation, fields: &[&[u8]]) -> Option<Result<Answer, String>> {
        let digest = |message: &&[u8]| {
            // SAFETY: the buffer is as long as the description says, and has room behind; the message is read.
            written("crypto_hash", self.digest, |to| unsafe {
                (self.hash)(to, message.as_ptr(), message.len() as c_ulonglong)
            })
        };
        let all = || fields.iter().map(digest).collect::<Result<Vec<_>, _>>().and_then(done);
        (operation == Operation::Digest).then(all)
    }
}

/// A MAC with its key derivation.
pub(super) struct Auth {
    mac: Mac,
    derive: Derive,
    sizes: Sizes,
    _library: Library,
}

impl Auth {
    pub(super) fn of(library: Library, names: &Names, sizes: Sizes) -> Result<Auth, String> {
        // SAFETY: as of hash functions.
        let (mac, derive) = unsafe {
            (
                function(&library, names, "crypto_auth", "")?,
                function(&library, names, "crypto_auth", "_derive")?,
            )
        };
        Ok(Auth { mac, derive, sizes, _library: library })
    }
}

impl Functions for Auth {
    fn answer(&self, operation: Operation, fields: &[&[u8]]) -> Option<Result<Answer, String>> {
        let Sizes { traffic_key, tag } = self.sizes;
        let (pairs, rest) = fields.as_chunks::<2>();
        match (operation, fields) {
            (Operation::Derive, [master, context]) => {
                // SAFETY: the buffer is as long as the description says, and has room behind; the others are read.
                let key = written("crypto_auth_derive", traffic_key, |to| unsafe {
                    let lengths = [master, context].map(|it| it.len() as c_ulonglong);
                    (self.derive)(to, master.as_ptr(), lengths[0], context.as_ptr(), lengths[1])
                });
                Some(key.and_then(|key| done([key])))
            }
            (Operation::Tag, _)
                if rest.is_empty() && pairs.iter().all(|[key, _]| key.len() == traffic_key) =>
            {
                let of = |[key, message]: &[&[u8]; 2]| {
                    // SAFETY: as above; the key's length is looked at.
                    written("crypto_auth", tag, |to| unsafe {
                        (self.mac)(to, message.as_ptr(), message.len() as c_ulonglong, key.as_ptr())
                    })
                };
                Some(pairs.iter().map(of).collect::<Result<Vec<_>, _>>().and_then(done))
            }
            _ => None,
        }
    }
}

pub(super) struct Sectors {
    encrypt: Sector,
    decrypt: Sector,
    key: usize,
    _library: Library,
}

impl Sectors {
    pub(super) fn of(library: Library, names: &Names, key: usize) -> Result<Sectors, String> {
        // SAFETY: as of hash functions.
        let (encrypt, decrypt) = unsafe {
            (
                function(&library, names, "crypto_sector", "_encrypt")?,
                function(&library, names, "crypto_sector", "_decrypt")?,
            )
        };
        Ok(Sectors { encrypt, decrypt, key, _library: library })
    }
}

impl Functions for Sectors {
    fn answer(&self, operation: Operation, fields: &[&[u8]]) -> Option<Result<Answer, String>> {
        let (name, function) = match operation {
            Operation::Encrypt => ("crypto_sector_encrypt", self.encrypt),
            Operation::Decrypt => ("crypto_sector_decrypt", self.decrypt),
            _ => return None,
        };
        let [key, tweaks, data] = fields else { return None };
        let (tweaks, rest) = tweaks.as_chunks::<16>();
        let whole = !tweaks.is_empty() && rest.is_empty() && data.len().is_multiple_of(tweaks.len());
        if key.len() != self.key || !whole || data.len() < tweaks.len() {
            return None;
        }
        let mut all = Zeroizing::new(Vec::with_capacity(data.len()));
        for (tweak, sector) in tweaks.iter().zip(data.chunks_exact(data.len() / tweaks.len())) {
            // Each in a place of its own, so that it is seen who writes behind it.
            let found = written(name, sector.len(), |to| {
                // SAFETY: the place has at least that many octets.
                unsafe { to.copy_from_nonoverlapping(sector.as_ptr(), sector.len()) };
                // SAFETY: the sector is as long as is said and has room behind; tweak and key are read, and have their lengths.
                unsafe { function(to, sector.len() as c_ulonglong, tweak.as_ptr(), key.as_ptr()) }
            });
            match found {
                Ok(found) => all.extend_from_slice(&found),
                Err(what) => return Some(Err(what)),
            }
        }
        Some(done([all]))
    }
}
