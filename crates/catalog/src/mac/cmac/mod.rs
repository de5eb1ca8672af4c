//! CMAC (NIST SP 800-38B; RFC 4493 for AES-128): of AES as TCP-AO has it, many messages at once, and of other ciphers and keys.

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod generic;
mod own;
mod vectors;

use fieldtest_text::own::{OWN, OWN_PORTABLE};

use ::aes::{Aes128, Aes192, Aes256};
use ::aria::{Aria128, Aria192, Aria256};
use ::cmac::Cmac;
#[cfg(feature = "aws-lc")]
use aws_lc_rs::cmac as aws;
use fieldtest_aes::Aes;
use fieldtest_aes_cmac::Path;
use fieldtest_aria::Aria;
use fieldtest_block::BlockCipher16;
use fieldtest_lea::Lea;

use crate::cipher::Portable;
use crate::host::{self, Keyed};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function};
use super::rustcrypto::RustCrypto;
use super::{Family, Implementation, List, Prove};

pub(super) fn family() -> Family {
    let mut aes_128 = Cmacs::with_keys(16, vectors::prove_128);
    aes_128.own::<10>();
    #[cfg(feature = "aws-lc")]
    aes_128.add("aws-lc", "aws-lc-rs", aws_lc::Cmac(aws::AES_128));

    let mut aes_192 = Cmacs::with_keys(24, vectors::prove_192);
    aes_192.generic::<Aes>();
    #[cfg(feature = "aws-lc")]
    aes_192.add("aws-lc", "aws-lc-rs", aws_lc::Cmac(aws::AES_192));

    let mut aes_256 = Cmacs::with_keys(32, vectors::prove_256);
    aes_256.own::<14>();
    #[cfg(feature = "aws-lc")]
    aes_256.add("aws-lc", "aws-lc-rs", aws_lc::Cmac(aws::AES_256));

    vec![
        ("aes-128-cmac-96", aes_128.with::<Cmac<Aes128>>(Keyed::CmacAes128)),
        ("aes-256-cmac-128", aes_256.with::<Cmac<Aes256>>(Keyed::CmacAes256)),
        ("aes-192-cmac-128", aes_192.with::<Cmac<Aes192>>(Keyed::CmacAes192)),
        ("aria-128-cmac-128", generic::<Aria>(16, vectors::prove_aria).with::<Cmac<Aria128>>(Keyed::CmacAria128)),
        ("aria-192-cmac-128", generic::<Aria>(24, vectors::prove_aria).with::<Cmac<Aria192>>(Keyed::CmacAria192)),
        ("aria-256-cmac-128", generic::<Aria>(32, vectors::prove_aria).with::<Cmac<Aria256>>(Keyed::CmacAria256)),
        ("lea-128-cmac-128", generic::<Lea>(16, vectors::prove_lea_128).list.all),
        ("lea-192-cmac-128", generic::<Lea>(24, vectors::prove_lea_192).list.all),
        ("lea-256-cmac-128", generic::<Lea>(32, vectors::prove_lea_256).list.all),
    ]
}

/// Begins with this project's own over `C`.
fn generic<C>(key: usize, prove: Prove) -> Cmacs
where
    C: BlockCipher16 + Send + Sync + 'static,
    Portable<C>: BlockCipher16 + Send + Sync + 'static,
{
    let mut cmacs = Cmacs::with_keys(key, prove);
    cmacs.generic::<C>();
    cmacs
}

/// The implementations of one algorithm while they are gathered, and the bytes of its keys.
struct Cmacs {
    key: usize,
    list: List,
}

impl Cmacs {
    fn with_keys(key: usize, prove: Prove) -> Self {
        Cmacs { key, list: List::proven_by(prove) }
    }

    /// As RFC 5926 has it for AES-128.
    fn derivation(&self) -> Derivation {
        Derivation::ExtractAndCounter { prf_key: self.key, traffic_key: self.key }
    }

    fn add(&mut self, name: &'static str, package: &str, function: impl Function) {
        self.list.add(name, package, Adapter::new(function, self.derivation()));
    }

    /// Adds this project's own AES-CMAC, which takes many messages at once.
    fn own<const ROUNDS: usize>(&mut self)
    where
        own::Cmac<ROUNDS>: Function,
    {
        self.add(OWN, "fieldtest-aes-cmac", own::Cmac::<ROUNDS>(Path::best()));
        self.add(OWN_PORTABLE, "fieldtest-aes-cmac", own::Cmac::<ROUNDS>(Path::PORTABLE));
    }

    /// Adds this project's own CMAC over `C`.
    fn generic<C>(&mut self)
    where
        C: BlockCipher16 + Send + Sync + 'static,
        Portable<C>: BlockCipher16 + Send + Sync + 'static,
    {
        self.add(OWN, "fieldtest-modes", generic::Generic::<C>::new(self.key));
        self.add(OWN_PORTABLE, "fieldtest-modes", generic::Generic::<Portable<C>>::new(self.key));
    }

    /// Adds RustCrypto's and those of the host, and ends the list.
    fn with<M>(mut self, function: Keyed) -> Vec<Implementation>
    where
        RustCrypto<M>: Function,
    {
        self.add("rustcrypto", "cmac", RustCrypto::<M>::new(self.key..=self.key));
        let derivation = self.derivation();
        self.list.with_hosts(|host| host::mac(host, function, derivation))
    }
}
