//! The catalog's ciphers under the names that dm-crypt and headers have for them.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Result;
use fieldtest_catalog::Wanted;
use fieldtest_catalog::cipher::{self, Algorithm, Implementation};
use fieldtest_disk::{CipherSpec, Ciphers, Hash, Iv};
use fieldtest_kinds::cipher::Cipher;

use crate::ended::Ended;
use crate::outcome::usage;

/// The cipher of a content, and with it whatever cipher a key slot has.
pub(crate) struct Content {
    pub(crate) spec: CipherSpec,
    /// Bytes of the key.
    pub(crate) key_len: usize,
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) implementation: &'static Implementation,
}

impl Content {
    /// Looks the cipher up, with the implementation that is asked for or else the default one.
    ///
    /// # Errors
    /// A usage error that says which specifications, lengths of keys, or implementations there are.
    pub(crate) fn find(spec: &CipherSpec, key_len: usize, implementation: Option<&str>) -> Result<Content> {
        let Some(algorithm) = algorithm(spec, key_len) else {
            let bits: Vec<String> = key_lens(spec).iter().map(|len| (len * 8).to_string()).collect();
            return Err(usage(match bits.is_empty() {
                true => format!(
                    "no implementation of the cipher of “{spec}” is here; those that are: {}",
                    known().into_iter().collect::<Vec<_>>().join(", ")
                ),
                false => format!(
                    "“{spec}” has no key of {} bits here; give one of {} bits",
                    key_len * 8,
                    bits.join(" or ")
                ),
            }));
        };
        let implementation = algorithm.served(Wanted::only(implementation)).map_err(usage)?;
        Ok(Content { spec: spec.clone(), key_len, algorithm, implementation })
    }

    /// Reproduces the cipher's known answers: data that was encrypted wrongly is lost.
    pub(crate) fn prove(&self) -> Result<()> {
        if let Iv::Essiv(hash) = self.spec.iv() {
            // Its vectors are made by the cipher alone.
            let key_len = Hash::from_name(hash)?.length();
            let block = Content::find(&self.spec.block_cipher(), key_len, None)?;
            block.prove()?;
        }
        self.implementation.proof().map(|_| ()).map_err(|error| {
            let Content { algorithm, implementation, .. } = self;
            Ended::unproven(format!("{} of {}: {error}", algorithm.facts.name, implementation.name)).into()
        })
    }

    /// The cipher and who computes it: `lea-256-xts (fieldtest)`.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.algorithm.facts.name, self.implementation.name)
    }
}

impl Ciphers for Content {
    fn find(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
        if *spec == self.spec && key_len == self.key_len {
            return Some(Arc::clone(&self.implementation.code));
        }
        Default.find(spec, key_len)
    }
}

/// The default implementation of every cipher.
pub(crate) struct Default;

impl Ciphers for Default {
    fn find(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
        Some(Arc::clone(&algorithm(spec, key_len)?.served(Wanted::Any).ok()?.code))
    }
}

/// The algorithm that a specification with a key of so many bytes names.
pub(crate) fn algorithm(spec: &CipherSpec, key_len: usize) -> Option<&'static Algorithm> {
    named(spec).find(|algorithm| algorithm.facts.kind.key == key_len)
}

/// Bytes of the keys that a specification can have, in rising order.
pub(crate) fn key_lens(spec: &CipherSpec) -> Vec<usize> {
    named(spec).map(|algorithm| algorithm.facts.kind.key).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The algorithms with code that have the specification's cipher and mode; how sectors are numbered is not theirs.
fn named(spec: &CipherSpec) -> impl Iterator<Item = &'static Algorithm> + use<'_> {
    cipher::all().iter().filter(move |algorithm| {
        let facts = algorithm.facts.kind.dm_crypt.parse::<CipherSpec>();
        !algorithm.implementations.is_empty()
            && facts.is_ok_and(|facts| (facts.cipher(), facts.mode()) == (spec.cipher(), spec.mode()))
    })
}

/// The specifications of ciphers that protect a disk and have code.
fn known() -> BTreeSet<&'static str> {
    let usable = cipher::all().iter().filter(|it| it.facts.kind.for_disks && !it.implementations.is_empty());
    usable.map(|algorithm| algorithm.facts.kind.dm_crypt.as_str()).collect()
}
