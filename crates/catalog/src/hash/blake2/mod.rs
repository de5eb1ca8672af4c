//! BLAKE2b (RFC 7693) and its four-lane variant BLAKE2bp, both parametrised for digests of 32 bytes.

mod simd;
mod vectors;

use ::blake2::Blake2b256;

use super::rustcrypto::RustCrypto;
use super::{Family, List};
use crate::host;

pub(super) fn family() -> Family {
    let mut blake2b = List::proven_by(vectors::prove_b_simd);
    blake2b.add("blake2-simd", "blake2b_simd", simd::Blake2b::new());
    blake2b.prove = vectors::prove_b_rustcrypto;
    blake2b.add("rustcrypto", "blake2", RustCrypto::<Blake2b256>::new());

    blake2b.prove = vectors::prove_b_host;
    blake2b.add_hosts(|host| host::hash(host, "blake2b-256"));

    let mut blake2bp = List::proven_by(vectors::prove_bp);
    blake2bp.add("blake2-simd", "blake2b_simd", simd::Blake2bp::new());
    blake2bp.prove = vectors::prove_bp_host;
    blake2bp.add_hosts(|host| host::hash(host, "blake2bp-256"));
    vec![("blake2b-256", blake2b.all), ("blake2bp-256", blake2bp.all)]
}
