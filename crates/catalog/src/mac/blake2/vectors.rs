//! Known answers of keyed BLAKE2.

use fieldtest_kinds::mac::Mac;

use crate::proof::KnownAnswers;
use crate::adapt::hex;
use crate::{Proof, ProofError};

use super::super::proofs::tags;

const ORIGIN: &str = "BLAKE2 reference, testvectors/blake2-kat.json";

/// Keyed BLAKE2s-256: bytes of the message 00, 01, …, and its digest under the key 00, 01, …, 1f.
const BLAKE2S: [(u8, &str); 5] = [
    (0, "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49"),
    (1, "40d15fee7c328830166ac3f918650f807e7e01e177258cdc0a39b11f598066f1"),
    (64, "8975b0577fd35566d750b362b0897a26c399136df07bababbde6203ff2954ed4"),
    (128, "0c311f38c35a4fb90d651c289d486856cd1413df9b0677f53ece2cd9e477c60a"),
    (255, "3fb735061abc519dfe979e54c1ee5bfad0a9d858b3315bad34bde999efd724dd"),
];

/// Keyed BLAKE2b-512: the same under the key 00, 01, …, 3f.
const BLAKE2B: [(u8, &str); 5] = [
    (
        0,
        "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568",
    ),
    (
        1,
        "961f6dd1e4dd30f63901690c512e78e4b45e4742ed197c3c5e45c549fd25f2e4187b0bc9fe30492b16b0d0bc4ef9b0f34c7003fac09a5ef1532e69430234cebd",
    ),
    (
        64,
        "65676d800617972fbd87e4b9514e1c67402b7a331096d3bfac22f1abb95374abc942f16e9ab0ead33b87c91968a6e509e119ff07787b3ef483e1dcdccf6e3022",
    ),
    (
        128,
        "72065ee4dd91c2d8509fa1fc28a37c7fc9fa7d5b3f8ad3d0d7a25626b57b1b44788d4caf806290425f9890a3a2a35a905ab4b37acfd0da6e4517b2525c9651e4",
    ),
    (
        255,
        "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e92484be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461",
    ),
];

pub(super) fn prove_s(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove(mac, 32, &BLAKE2S)
}

pub(super) fn prove_b(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove(mac, 64, &BLAKE2B)
}

fn prove(mac: &dyn Mac, key: u8, vectors: &[(u8, &str)]) -> Result<Proof, ProofError> {
    let counted = |length: u8| (0..length).collect::<Vec<u8>>();
    let mut set = KnownAnswers::from(ORIGIN);
    let vectors = vectors.iter().map(|&(length, digest)| (counted(key), counted(length), hex(digest)));
    tags(&mut set, mac, vectors)?;
    Ok(Proof::of([set]))
}
