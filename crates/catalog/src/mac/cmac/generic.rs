//! CMAC over any block cipher, one message after another: of AES the key length that TCP-AO's own code has not, of ARIA and LEA
//! all.

use std::marker::PhantomData;

use ::aes::Aes192;
use ::aria::{Aria128, Aria192, Aria256};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_block::BlockCipher16;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use fieldtest_lea::Lea;
use fieldtest_modes::Cmac;

use super::super::derivation::Derivation;
use super::super::keyed::{Adapter, Function, check_length, too_long};
use super::super::rustcrypto::RustCrypto;
use super::super::{Family, Implementation, implementation};
use super::vectors;
use crate::cipher::Portable;
use crate::host::{self, Keyed};
use crate::{Proof, ProofError, version};

/// What reproduces known answers.
pub(super) type Prove = fn(&dyn Mac) -> Result<Proof, ProofError>;

pub(super) fn family() -> Family {
    let aes_192 = vectors::prove_192 as Prove;
    let first = own::<Aes>(24, aes_192);
    #[cfg(feature = "aws-lc")]
    let first = {
        let aws_lc = super::aws_lc::implementation(aws_lc_rs::cmac::AES_192, derivation(24), aes_192);
        first.into_iter().chain([aws_lc]).collect()
    };
    let mut all =
        vec![("aes-192-cmac-128", with::<::cmac::Cmac<Aes192>>(first, Keyed::CmacAes192, aes_192))];
    let aria = vectors::prove_aria as Prove;
    all.push(("aria-128-cmac-128", with::<::cmac::Cmac<Aria128>>(own::<Aria>(16, aria), Keyed::CmacAria128, aria)));
    all.push(("aria-192-cmac-128", with::<::cmac::Cmac<Aria192>>(own::<Aria>(24, aria), Keyed::CmacAria192, aria)));
    all.push(("aria-256-cmac-128", with::<::cmac::Cmac<Aria256>>(own::<Aria>(32, aria), Keyed::CmacAria256, aria)));
    for (name, key, prove) in [
        ("lea-128-cmac-128", 16, vectors::prove_lea_128 as Prove),
        ("lea-192-cmac-128", 24, vectors::prove_lea_192),
        ("lea-256-cmac-128", 32, vectors::prove_lea_256),
    ] {
        all.push((name, own::<Lea>(key, prove)));
    }
    all
}

/// As RFC 5926 has it for AES-128.
fn derivation(key: usize) -> Derivation {
    Derivation::ExtractAndCounter { prf_key: key, traffic_key: key }
}

/// This project's own over `C`, with keys of so many bytes.
fn own<C>(key: usize, prove: Prove) -> Vec<Implementation>
where
    C: BlockCipher16 + Send + Sync + 'static,
    Portable<C>: BlockCipher16 + Send + Sync + 'static,
{
    fn one<C: BlockCipher16 + Send + Sync + 'static>(name: &'static str, key: usize, prove: Prove) -> Implementation {
        let adapter = Adapter::new(Generic::<C> { key, cipher: PhantomData }, derivation(key));
        implementation(name, version::of("fieldtest-modes"), adapter, prove)
    }
    vec![one::<C>(OWN, key, prove), one::<Portable<C>>(OWN_PORTABLE, key, prove)]
}

/// And RustCrypto's, and those of the host.
fn with<M>(mut all: Vec<Implementation>, function: Keyed, prove: Prove) -> Vec<Implementation>
where
    RustCrypto<M>: Function,
{
    let key = *function.keys().end();
    let adapter = Adapter::new(RustCrypto::<M>::new(key..=key), derivation(key));
    all.push(implementation("rustcrypto", version::of("cmac"), adapter, prove));
    all.extend(host::macs(function, derivation(key), prove));
    all
}

/// CMAC over `C` with keys of so many bytes.
struct Generic<C> {
    key: usize,
    cipher: PhantomData<fn() -> C>,
}

impl<C> Clone for Generic<C> {
    fn clone(&self) -> Self {
        Generic { key: self.key, cipher: PhantomData }
    }
}

impl<C: BlockCipher16 + Send + Sync + 'static> Function for Generic<C> {
    type Key = Key<C>;

    fn longest_tag(&self) -> usize {
        16
    }

    fn key(&self, key: &[u8]) -> Result<Key<C>, Error> {
        check_length(&(self.key..=self.key), key)?;
        Cmac::new(key).map(Key).map_err(|error| Error::MalformedKey(error.to_string()))
    }
}

struct Key<C>(Cmac<C>);

impl<C: BlockCipher16 + Send + Sync + 'static> MacKey for Key<C> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let length = tag.len();
        self.0.tag(message, tag).map_err(|_| too_long(length, 16))
    }
}
