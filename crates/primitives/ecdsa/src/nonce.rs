//! Secret numbers per signature that follow from key and digest (RFC 6979, section 3.2).

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha384, Sha512};
use zeroize::Zeroize;

/// The hash function of the deterministic generator: by RFC 6979 the one that made the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hash {
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
}

impl Hash {
    /// Bytes of a digest.
    const fn bytes(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// The HMAC of the parts, joined: the first [`Self::bytes`] of what is returned.
    fn hmac(self, key: &[u8], parts: &[&[u8]]) -> [u8; 64] {
        fn tag<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> [u8; 64] {
            let mut tag = [0; 64];
            // HMAC takes keys of every length.
            if let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) {
                parts.iter().for_each(|part| mac.update(part));
                let mut bytes = mac.finalize().into_bytes();
                tag.iter_mut().zip(&bytes).for_each(|(to, from)| *to = *from);
                bytes.as_mut_slice().zeroize();
            }
            tag
        }
        match self {
            Self::Sha256 => tag::<Hmac<Sha256>>(key, parts),
            Self::Sha384 => tag::<Hmac<Sha384>>(key, parts),
            Self::Sha512 => tag::<Hmac<Sha512>>(key, parts),
        }
    }
}

/// HMAC_DRBG as RFC 6979 uses it: `key` and `value` are its K and V.
pub(crate) struct Nonces {
    hash: Hash,
    key: [u8; 64],
    value: [u8; 64],
}

impl Nonces {
    /// Steps b to g. The private key and the digest, reduced modulo the order, are as wide as the order.
    pub(crate) fn new(hash: Hash, private_key: &[u8], digest: &[u8]) -> Self {
        let mut nonces = Self { hash, key: [0; 64], value: [1; 64] };
        for round in [0, 1] {
            nonces.update(round, private_key, digest);
        }
        nonces
    }

    /// Step h.2: fills `candidate`, which is as wide as the order.
    pub(crate) fn fill(&mut self, candidate: &mut [u8]) {
        for part in candidate.chunks_mut(self.hash.bytes()) {
            self.next_value();
            part.iter_mut().zip(&self.value).for_each(|(to, from)| *to = *from);
        }
    }

    /// Step h.3, for when a candidate was no use.
    pub(crate) fn reject(&mut self) {
        self.update(0, &[], &[]);
    }

    fn update(&mut self, marker: u8, private_key: &[u8], digest: &[u8]) {
        let width = self.hash.bytes();
        let parts = [&self.value[..width], &[marker], private_key, digest];
        self.key = self.hash.hmac(&self.key[..width], &parts);
        self.next_value();
    }

    fn next_value(&mut self) {
        let width = self.hash.bytes();
        self.value = self.hash.hmac(&self.key[..width], &[&self.value[..width]]);
    }
}

impl Drop for Nonces {
    fn drop(&mut self) {
        self.key.zeroize();
        self.value.zeroize();
    }
}
