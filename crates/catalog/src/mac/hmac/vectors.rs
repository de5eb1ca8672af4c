//! Known answers of HMAC: RFC 2202, RFC 4231, NIST's examples, TCP-AO's own, and the Wycheproof project's.

use fieldtest_kinds::mac::Mac;

use super::super::proofs::{draft_07, segments, tags, wycheproof};
use crate::proof::KnownAnswers;
use crate::adapt::hex;
use crate::{Proof, ProofError};

/// Key, message and tag.
type Case = (Vec<u8>, Vec<u8>, Vec<u8>);

/// The cases of RFC 2202, section 3, and RFC 4231, section 4: these differ in the length of the last two keys, and in
/// the last message.
fn cases(expected: [&str; 7], long_key: usize, last: &str) -> impl Iterator<Item = Case> {
    let long_key = vec![0xaa; long_key];
    let cases = [
        (vec![0x0b; 20], b"Hi There".to_vec()),
        (b"Jefe".to_vec(), b"what do ya want for nothing?".to_vec()),
        (vec![0xaa; 20], vec![0xdd; 50]),
        ((1..=25).collect(), vec![0xcd; 50]),
        (vec![0x0c; 20], b"Test With Truncation".to_vec()),
        (long_key.clone(), b"Test Using Larger Than Block-Size Key - Hash Key First".to_vec()),
        (long_key, last.as_bytes().to_vec()),
    ];
    cases.into_iter().zip(expected).map(|((key, message), tag)| (key, message, hex(tag)))
}

const RFC_2202_LAST: &str = "Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data";
const RFC_4231_LAST: &str = "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.";

/// RFC 2202, section 3.
const SHA1: [&str; 7] = [
    "b617318655057264e28bc0b6fb378c8ef146be00",
    "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
    "125d7342b9ac11cd91a39af48aa17b4f63f175d3",
    "4c9007f4026250c6bc8414f9bf50c86c2d7235da",
    "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04",
    "aa4ae5e15272d00e95705637ce8a3b55ed402112",
    "e8e99d0f45237d786d6bbaa7965c7808bbff1a91",
];

/// RFC 4231, section 4; the fifth is truncated to 128 bits there.
const SHA256: [&str; 7] = [
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    "a3b6167473100ee06e0c796c2955552b",
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
];

/// The same for SHA-384.
const SHA384: [&str; 7] = [
    "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
    "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
    "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
    "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb",
    "3abf34c3503b2a23a46efc619baef897",
    "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
    "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e",
];

/// The same for SHA-512.
const SHA512: [&str; 7] = [
    "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
    "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
    "415fad6271580a531d4179bc891d87a6",
    "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
    "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
];

/// The sentence before "blocklen", the bytes of the key 00, 01, …, and the MAC: HMAC_SHA3-256.pdf of NIST's "Examples
/// with Intermediate Values".
const SHA3_256: [(&str, u8, &str); 3] = [
    ("keylen<", 32, "4fe8e202c4f058e8dddc23d8c34e467343e23555e24fc2f025d598f558f67205"),
    ("keylen=", 136, "68b94e2e538a9be4103bebb5aa016d47961d4d1aa906061313b557f8af2c3faa"),
    ("keylen>", 168, "9bcf2c238e235c3ce88404e813bd2f3a97185ac6f238c63d6229a00b07974258"),
];

pub(super) fn prove_sha1(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let mut rfc = KnownAnswers::from("RFC 2202, section 3");
    tags(&mut rfc, mac, cases(SHA1, 80, RFC_2202_LAST))?;
    let mut tcp_ao = KnownAnswers::from("RFC 9235, sections 4 and 6");
    let rows = include_str!("../../../vectors/mac/rfc9235-hmac-sha1-96.txt");
    segments(&mut tcp_ao, mac, b"testvector", rows)?;
    Ok(Proof::of([tcp_ao, rfc, wycheproof(mac, "hmac_sha1", None)?]))
}

pub(super) fn prove_sha256(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove_sha2(mac, SHA256, "hmac_sha256")
}

pub(super) fn prove_sha384(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove_sha2(mac, SHA384, "hmac_sha384")
}

pub(super) fn prove_sha512(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove_sha2(mac, SHA512, "hmac_sha512")
}

/// The draft's algorithm: its derivation first, then what holds for HMAC-SHA-256.
pub(super) fn prove_draft(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let rows = include_str!("../../../vectors/mac/draft07-hmac-sha256-128.txt");
    let draft = draft_07(mac, rows)?;
    Ok(Proof::of([draft, rfc_4231_of(mac, SHA256)?, wycheproof(mac, "hmac_sha256", None)?]))
}

pub(super) fn prove_sha3_256(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let mut nist = KnownAnswers::from("NIST, HMAC_SHA3-256.pdf");
    let vectors = SHA3_256.map(|(beginning, key, tag)| {
        let message = format!("Sample message for {beginning}blocklen");
        ((0..key).collect(), message.into_bytes(), hex(tag))
    });
    tags(&mut nist, mac, vectors)?;
    Ok(Proof::of([nist, wycheproof(mac, "hmac_sha3_256", None)?]))
}

fn prove_sha2(mac: &dyn Mac, expected: [&str; 7], edge_cases: &str) -> Result<Proof, ProofError> {
    Ok(Proof::of([rfc_4231_of(mac, expected)?, wycheproof(mac, edge_cases, None)?]))
}

fn rfc_4231_of(mac: &dyn Mac, expected: [&str; 7]) -> Result<KnownAnswers, ProofError> {
    let mut rfc = KnownAnswers::from("RFC 4231, section 4");
    tags(&mut rfc, mac, cases(expected, 131, RFC_4231_LAST))?;
    Ok(rfc)
}
