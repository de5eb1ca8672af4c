//! Known answers of HMAC: RFC 2202, RFC 4231, NIST's examples, TCP-AO's own, and the Wycheproof project's.

use fieldtest_kinds::mac::Mac;

use super::super::kats::{draft_07, segments, tags, wycheproof};
use crate::kat::{KnownAnswers, table};
use crate::adapt::hex;
use crate::{KatResult, KatError};

/// The sentence before "blocklen", the bytes of the key 00, 01, …, and the MAC: HMAC_SHA3-256.pdf of NIST's "Examples
/// with Intermediate Values".
const SHA3_256: [(&str, u8, &str); 3] = [
    ("keylen<", 32, "4fe8e202c4f058e8dddc23d8c34e467343e23555e24fc2f025d598f558f67205"),
    ("keylen=", 136, "68b94e2e538a9be4103bebb5aa016d47961d4d1aa906061313b557f8af2c3faa"),
    ("keylen>", 168, "9bcf2c238e235c3ce88404e813bd2f3a97185ac6f238c63d6229a00b07974258"),
];

pub(super) fn prove_sha1(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let mut rfc = KnownAnswers::from("RFC 2202, section 3");
    tags(&mut rfc, mac, rfc_2202_and_4231("sha-1"))?;
    let mut tcp_ao = KnownAnswers::from("RFC 9235, sections 4 and 6");
    let rows = include_str!("../../../vectors/mac/rfc9235-hmac-sha1-96.txt");
    segments(&mut tcp_ao, mac, b"testvector", rows)?;
    Ok(KatResult::of([tcp_ao, rfc, wycheproof(mac, "hmac_sha1", None)?]))
}

pub(super) fn prove_sha256(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove_sha2(mac, "sha-256", "hmac_sha256")
}

pub(super) fn prove_sha384(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove_sha2(mac, "sha-384", "hmac_sha384")
}

pub(super) fn prove_sha512(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove_sha2(mac, "sha-512", "hmac_sha512")
}

/// The draft's algorithm: its derivation first, then what holds for HMAC-SHA-256.
pub(super) fn prove_draft(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let rows = include_str!("../../../vectors/mac/draft07-hmac-sha256-128.txt");
    let draft = draft_07(mac, rows)?;
    Ok(KatResult::of([draft, rfc_4231_of(mac, "sha-256")?, wycheproof(mac, "hmac_sha256", None)?]))
}

pub(super) fn prove_sha3_256(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let mut nist = KnownAnswers::from("NIST, HMAC_SHA3-256.pdf");
    let vectors = SHA3_256.map(|(beginning, key, tag)| {
        let message = format!("Sample message for {beginning}blocklen");
        ((0..key).collect(), message.into_bytes(), hex(tag))
    });
    tags(&mut nist, mac, vectors)?;
    Ok(KatResult::of([nist, wycheproof(mac, "hmac_sha3_256", None)?]))
}

fn prove_sha2(mac: &dyn Mac, hash: &'static str, edge_cases: &str) -> Result<KatResult, KatError> {
    Ok(KatResult::of([rfc_4231_of(mac, hash)?, wycheproof(mac, edge_cases, None)?]))
}

fn rfc_4231_of(mac: &dyn Mac, hash: &'static str) -> Result<KnownAnswers, KatError> {
    let mut rfc = KnownAnswers::from("RFC 4231, section 4");
    tags(&mut rfc, mac, rfc_2202_and_4231(hash))?;
    Ok(rfc)
}

/// Key, message and tag of the cases with this hash function.
fn rfc_2202_and_4231(hash: &'static str) -> impl Iterator<Item = (Vec<u8>, Vec<u8>, Vec<u8>)> {
    let rows = table::rows(include_str!("../../../vectors/mac/hmac.txt"));
    rows.filter(move |row| row.text(0) == hash).map(|row| (row.bytes(1), row.bytes(2), row.bytes(3)))
}
