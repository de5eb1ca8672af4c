//! CMAC (NIST SP 800-38B; RFC 4493 for AES-128): of AES as TCP-AO has it, many messages at once, and of other ciphers and keys.

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod generic;
mod own;
mod vectors;

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};

#[cfg(feature = "aws-lc")]
use aws_lc_rs::cmac as aws;
use fieldtest_aes_cmac::Path;

use crate::host::{self, Keyed};
use crate::version;

use super::derivation::Derivation;
use super::keyed::{Adapter, Function};
use super::rustcrypto::RustCrypto;
use super::{Family, Implementation, implementation};

pub(super) fn family() -> Family {
    let aes_128 = implementations::<10, ::cmac::Cmac<aes::Aes128>>(
        16,
        #[cfg(feature = "aws-lc")]
        aws::AES_128,
        Keyed::CmacAes128,
        vectors::prove_128,
    );
    let aes_256 = implementations::<14, ::cmac::Cmac<aes::Aes256>>(
        32,
        #[cfg(feature = "aws-lc")]
        aws::AES_256,
        Keyed::CmacAes256,
        vectors::prove_256,
    );
    let mut all = vec![("aes-128-cmac-96", aes_128), ("aes-256-cmac-128", aes_256)];
    all.extend(generic::family());
    all
}

/// Every implementation, for keys of so many bytes.
fn implementations<const ROUNDS: usize, M>(
    key: usize,
    #[cfg(feature = "aws-lc")]
    aws: aws::Algorithm,
    function: Keyed,
    prove: generic::Prove,
) -> Vec<Implementation>
where
    own::Cmac<ROUNDS>: Function,
    RustCrypto<M>: Function,
{
    let derivation = Derivation::ExtractAndCounter { prf_key: key, traffic_key: key };
    let own = |name, path| {
        let adapter = Adapter::new(own::Cmac::<ROUNDS>(path), derivation);
        implementation(name, version::of("fieldtest-aes-cmac"), adapter, prove)
    };
    let rustcrypto = Adapter::new(RustCrypto::<M>::new(key..=key), derivation);
    let mut all = vec![
        own(OWN, Path::best()),
        own(OWN_PORTABLE, Path::PORTABLE),
        #[cfg(feature = "aws-lc")]
        aws_lc::implementation(aws, derivation, prove),
        implementation("rustcrypto", version::of("cmac"), rustcrypto, prove),
    ];
    all.extend(host::macs(function, derivation, prove));
    all
}
