//! Keyed BLAKE2 (RFC 7693), with the whole digest computed and its beginning used, as HMAC does it. This is another
//! function than BLAKE2 parametrised for a shorter digest.

mod simd;
mod vectors;

use crate::host::{self, Keyed};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function};
use super::rustcrypto::RustCrypto;
use super::{Family, Implementation, List, Prove};

pub(super) fn family() -> Family {
    let blake2s = implementations::<::blake2::Blake2sMac256>(
        ("blake2s_simd", simd::Blake2s),
        32,
        Keyed::Blake2s,
        vectors::prove_s,
    );
    let blake2b = implementations::<::blake2::Blake2bMac512>(
        ("blake2b_simd", simd::Blake2b),
        64,
        Keyed::Blake2b,
        vectors::prove_b,
    );
    vec![("blake2s-128", blake2s), ("blake2b-128", blake2b)]
}

/// Every implementation; the longest key has as many bytes as the whole digest.
fn implementations<M>(
    (package, simd): (&str, impl Function),
    longest: usize,
    function: Keyed,
    prove: Prove,
) -> Vec<Implementation>
where
    RustCrypto<M>: Function,
{
    let derivation = Derivation::ExtractAndCounter { prf_key: longest, traffic_key: longest };
    let mut list = List::proven_by(prove);
    list.add("blake2-simd", package, Adapter::new(simd, derivation));
    list.add("rustcrypto", "blake2", Adapter::new(RustCrypto::<M>::new(1..=longest), derivation));
    list.with_hosts(|host| host::mac(host, function, derivation))
}
