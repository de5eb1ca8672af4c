//! The catalog's ciphers under the names that dm-crypt and headers have for them.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Result;
use fieldtest_catalog::cipher::{self, Algorithm, Implementation, Unmeasured, unmeasured, unmeasured_keys};
use fieldtest_catalog::{Wanted, aead};
use fieldtest_disk::{CipherSpec, Ciphers, Hash, Integrity, Iv};
use fieldtest_frame::text::near;
use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;

use crate::ended::Ended;
use crate::outcome::usage;

/// The cipher of a content, and with it whatever cipher a key slot has.
pub(crate) struct Content {
    pub(crate) spec: CipherSpec,
    pub(crate) key_len: usize,
    code: Code,
}

enum Code {
    /// One of the catalog's algorithms.
    Measured { algorithm: &'static Algorithm, implementation: &'static Implementation },
    /// One of them that authenticates.
    Aead { algorithm: &'static aead::Algorithm, implementation: &'static aead::Implementation },
    /// One that containers may have and that is not among them.
    Unmeasured(Unmeasured),
}

impl Content {
    /// Looks the cipher up, in the implementation that serves it.
    pub(crate) fn find(spec: &CipherSpec, key_len: usize) -> Result<Content> {
        Self::find_with(spec, key_len, None, None)
    }

    /// The same where sectors may have tags, with the implementation that is asked for or else the default one.
    ///
    /// # Errors
    /// A usage error that says which specifications, lengths of keys, or implementations there are.
    pub(crate) fn find_with(
        spec: &CipherSpec,
        key_len: usize,
        integrity: Option<Integrity>,
        implementation: Option<&str>,
    ) -> Result<Content> {
        let wanted = Wanted::only(implementation);
        let code = match algorithm(spec, key_len) {
            _ if integrity == Some(Integrity::Aead) => {
                let algorithm = authenticating(spec, key_len).ok_or_else(|| {
                    usage(format!(
                        "'{spec}' with a {}-bit key is not a supported authenticated cipher; use aes-gcm-random, lea-gcm-random or aria-gcm-random, with a key of 128, 192 or 256 bits",
                        key_len * 8
                    ))
                })?;
                Code::Aead { algorithm, implementation: algorithm.served(wanted).map_err(usage)? }
            }
            Some(algorithm) => {
                Code::Measured { algorithm, implementation: algorithm.served(wanted).map_err(usage)? }
            }
            None => Code::Unmeasured(unmeasured_by(spec, key_len, implementation)?),
        };
        Ok(Content { spec: spec.clone(), key_len, code })
    }

    /// Reproduces the cipher's known answers: data that was encrypted wrongly is lost.
    pub(crate) fn prove(&self) -> Result<()> {
        if let Iv::Essiv(hash) = self.spec.iv() {
            // Its vectors are made by the cipher alone.
            let key_len = Hash::from_name(hash)?.length();
            Content::find(&self.spec.block_cipher(), key_len)?.prove()?;
        }
        let proven = match &self.code {
            Code::Measured { implementation, .. } => implementation.kat().map(drop),
            Code::Aead { implementation, .. } => implementation.kat().map(drop),
            Code::Unmeasured(cipher) => cipher.prove(),
        };
        let (algorithm, implementation) = (self.algorithm(), self.implementation());
        proven.map_err(|error| Ended::unproven(format!("{algorithm} of {implementation}: {error}")).into())
    }

    /// What the catalog calls the cipher: `lea-256-xts`.
    pub(crate) fn algorithm(&self) -> &str {
        match &self.code {
            Code::Measured { algorithm, .. } => &algorithm.facts.name,
            Code::Aead { algorithm, .. } => &algorithm.facts.name,
            Code::Unmeasured(cipher) => &cipher.name,
        }
    }

    /// Who computes it.
    pub(crate) fn implementation(&self) -> &'static str {
        match &self.code {
            Code::Measured { implementation, .. } => implementation.name,
            Code::Aead { implementation, .. } => implementation.name,
            Code::Unmeasured(_) => Unmeasured::IMPLEMENTATION,
        }
    }

    /// The cipher and who computes it: `lea-256-xts (fieldtest)`.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.algorithm(), self.implementation())
    }
}

/// The same among those that nobody measures, with what there is where it is not.
fn unmeasured_by(spec: &CipherSpec, key_len: usize, implementation: Option<&str>) -> Result<Unmeasured> {
    let Some(found) = unmeasured(spec.cipher(), spec.mode(), key_len) else {
        let bits: Vec<String> = key_lens(spec).iter().map(|len| (len * 8).to_string()).collect();
        return Err(match bits.is_empty() {
            true => unknown(spec),
            false => usage(format!(
                "invalid key size for '{spec}': {} bits; use {} bits",
                key_len * 8,
                bits.join(" or ")
            )),
        });
    };
    match implementation {
        Some(name) if name != Unmeasured::IMPLEMENTATION => Err(usage(format!(
            "'{name}' has no {}; its only implementation is {}",
            found.name,
            Unmeasured::IMPLEMENTATION
        ))),
        _ => Ok(found),
    }
}

/// The error for a specification that nothing has. The names of `fieldtest list` look like some.
pub(crate) fn unknown(spec: &CipherSpec) -> anyhow::Error {
    let ciphers = cipher::all().iter().map(|it| {
        let own = &it.facts.kind;
        (&it.facts.name, format!("{} --key-size {}", own.dm_crypt, own.key * 8))
    });
    let aeads = aead::all().iter().filter_map(|it| {
        let (own, spec) = (&it.facts.kind, it.facts.kind.dm_crypt.as_ref()?);
        Some((&it.facts.name, format!("{spec} --integrity aead --key-size {}", own.key * 8)))
    });
    let meant = match ciphers.chain(aeads).find(|(name, _)| *name == spec.as_str()) {
        Some((_, options)) => format!("; in dm-crypt's notation it is {options}"),
        None => {
            let cipher = |spec: &'static str| spec.split('-').next().unwrap_or(spec);
            let own = spec.as_str().split('-').next().unwrap_or_default();
            // Else the mode makes another cipher near.
            let meant = near::nearest(own, known().into_iter().map(cipher));
            near::meant(spec.as_str(), known().into_iter().filter(|it| Some(cipher(it)) == meant))
        }
    };
    usage(match meant.is_empty() {
        false => format!("unknown cipher '{spec}'{meant}"),
        true => format!(
            "unknown cipher '{spec}'; use one of {}, or Serpent, Twofish, Camellia or SM4 in XTS and CBC",
            known().into_iter().collect::<Vec<_>>().join(", ")
        ),
    })
}

impl Ciphers for Content {
    fn find(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
        let own = *spec == self.spec && key_len == self.key_len;
        match &self.code {
            Code::Measured { implementation, .. } if own => Some(Arc::clone(&implementation.code)),
            Code::Unmeasured(cipher) if own => Some(Arc::clone(&cipher.code)),
            _ => Default.find(spec, key_len),
        }
    }

    fn find_aead(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Aead>> {
        match &self.code {
            Code::Aead { implementation, .. } if *spec == self.spec && key_len == self.key_len => {
                Some(Arc::clone(&implementation.code))
            }
            _ => Default.find_aead(spec, key_len),
        }
    }
}

pub(crate) struct Default;

impl Ciphers for Default {
    fn find(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
        match algorithm(spec, key_len) {
            Some(algorithm) => Some(Arc::clone(&algorithm.served(Wanted::Any).ok()?.code)),
            None => unmeasured(spec.cipher(), spec.mode(), key_len).map(|cipher| cipher.code),
        }
    }

    fn find_aead(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Aead>> {
        Some(Arc::clone(&authenticating(spec, key_len)?.served(Wanted::Any).ok()?.code))
    }
}

/// The one that authenticates and that a specification with a key of so many bytes names: `lea-256-gcm`.
fn authenticating(spec: &CipherSpec, key_len: usize) -> Option<&'static aead::Algorithm> {
    let name = format!("{}-{}-{}", spec.cipher(), key_len * 8, spec.mode());
    aead::all().iter().find(|it| it.facts.name == name && !it.implementations.is_empty())
}

/// The algorithm that a specification with a key of so many bytes names.
pub(crate) fn algorithm(spec: &CipherSpec, key_len: usize) -> Option<&'static Algorithm> {
    named(spec).find(|algorithm| algorithm.facts.kind.key == key_len)
}

/// Bytes of the keys that a specification can have, in rising order.
fn key_lens(spec: &CipherSpec) -> Vec<usize> {
    let measured = named(spec).map(|algorithm| algorithm.facts.kind.key);
    let others = unmeasured_keys(spec.cipher(), spec.mode());
    measured.chain(others).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Bytes of the longest of them.
pub(crate) fn longest_key(spec: &CipherSpec) -> usize {
    key_lens(spec).last().copied().unwrap_or(0)
}

/// The algorithms with code that have the specification's cipher and mode; how sectors are numbered is not theirs.
fn named(spec: &CipherSpec) -> impl Iterator<Item = &'static Algorithm> + use<'_> {
    cipher::all().iter().filter(move |algorithm| {
        let facts = algorithm.facts.kind.dm_crypt.parse::<CipherSpec>();
        !algorithm.implementations.is_empty()
            && facts.is_ok_and(|facts| (facts.cipher(), facts.mode()) == (spec.cipher(), spec.mode()))
    })
}

/// Whether any specification has the cipher, in some mode.
pub(crate) fn knows(cipher: &str) -> bool {
    known().iter().any(|spec| spec.split('-').next() == Some(cipher))
}

/// The specifications of the catalog's ciphers that protect a disk and have code.
fn known() -> BTreeSet<&'static str> {
    let usable = cipher::all().iter().filter(|it| it.facts.kind.for_disks && !it.implementations.is_empty());
    usable.map(|algorithm| algorithm.facts.kind.dm_crypt.as_str()).collect()
}
