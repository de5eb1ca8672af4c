//! Known answers of AES-CMAC: RFC 4493, NIST's examples, TCP-AO's own, and the Wycheproof project's.

use fieldtest_kinds::mac::Mac;

use super::super::proofs::{segments, tags, wycheproof};
use crate::proof::KnownAnswers;
use crate::adapt::hex;
use crate::{Proof, ProofError};

/// The message of all examples, and how many bytes of it each takes.
const MESSAGE: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const LENGTHS: [usize; 4] = [0, 16, 40, 64];

/// RFC 4493, section 4: the key, and the tags of examples 1 to 4.
const RFC_4493: (&str, [&str; 4]) = (
    "2b7e151628aed2a6abf7158809cf4f3c",
    [
        "bb1d6929e95937287fa37d129b756746",
        "070a16b46b4d4144f79bdd9dd04a287c",
        "dfa66747de9ae63030ca32611497c827",
        "51f0bebf7e3b9d92fc49741779363cfe",
    ],
);

/// SP 800-38B (first edition), appendix D.3: the same for AES-256.
const SP_800_38B: (&str, [&str; 4]) = (
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    [
        "028962f61b7bf89efc6b551f4667d983",
        "28a7023f452e8f82bd4bf28d8c37c35c",
        "aaf3d8f1de5640c232f5b169b9c911e6",
        "e1992190549f6ed5696a2c056c315410",
    ],
);

pub(super) fn prove_128(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let mut tcp_ao = KnownAnswers::from("RFC 9235, sections 5 and 7");
    let rows = include_str!("../../../vectors/mac/rfc9235-aes-128-cmac-96.txt");
    segments(&mut tcp_ao, mac, b"testvector", rows)?;
    let rfc = examples(mac, "RFC 4493, section 4", RFC_4493)?;
    Ok(Proof::of([tcp_ao, rfc, wycheproof(mac, "aes_cmac", Some(16))?]))
}

pub(super) fn prove_256(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let nist = examples(mac, "SP 800-38B, appendix D.3", SP_800_38B)?;
    Ok(Proof::of([nist, wycheproof(mac, "aes_cmac", Some(32))?]))
}

fn examples(
    mac: &dyn Mac,
    origin: &str,
    (key, expected): (&str, [&str; 4]),
) -> Result<KnownAnswers, ProofError> {
    let mut set = KnownAnswers::from(origin);
    let message = hex(MESSAGE);
    let vectors = LENGTHS.into_iter().zip(expected);
    tags(&mut set, mac, vectors.map(|(length, tag)| (hex(key), message[..length].to_vec(), hex(tag))))?;
    Ok(set)
}
