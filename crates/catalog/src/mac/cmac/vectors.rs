//! Known answers of CMAC: RFC 4493, NIST's examples, TCP-AO's own, the Wycheproof project's, and for LEA KISA's, with longer
//! messages of Crypto++'s.

use fieldtest_kinds::mac::Mac;

use super::super::proofs::{segments, tags, wycheproof};
use crate::proof::KnownAnswers;
use crate::proof::table::{self, Row};
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

/// SP 800-38B (first edition), appendix D.2: the same for AES-192.
const SP_800_38B_192: (&str, [&str; 4]) = (
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    [
        "d17ddf46adaacde531cac483de7a9367",
        "9e99a7bf31e710900662f65e617c5184",
        "8a1de5be2eb31aad089a82e6ee908b0e",
        "a1d5df0eed790f794d77589659f39a11",
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

/// What Crypto++ 8.7 makes of LEA-CMAC under keys that count from 0, of 16, 24 and 32 bytes, and messages that do: their bytes, and
/// the tags.
const LEA: [[(usize, &str); 9]; 3] = [
    [
        (0, "e7dfd6e7ee02523ee46ddda92d616d37"),
        (1, "f02ec60626fe809fb316f8290a96e7be"),
        (15, "7dbf96cb74256c2de222daef11fc80d7"),
        (16, "2b830568abb9bb087d002bcff63cb7ed"),
        (17, "0049a758582646baf5d00e076b73b54e"),
        (64, "82775259533b9ce6e59bacaa4664d75d"),
        (100, "9afcde0cf8c1e2d4c0aff3d8952c4264"),
        (512, "e72599462c008f8b4a0078ce81b92b0d"),
        (4096, "f65932665f87cd9ab48857c2fdfc87a2"),
    ],
    [
        (0, "82a4725af9db415df9d41376f8075829"),
        (1, "779172a10af6fd4805bfd0de7b8e3ffe"),
        (15, "fe3fc9db2811326d427004d6f3e0717a"),
        (16, "75b11b98c2f648d054d02bd1e595fe03"),
        (17, "ce2a39d1b9c1071a74af017dd3da1ead"),
        (64, "56dedd667ef05dc2c9e29d485b0c1687"),
        (100, "b802d1ec3d63bb352960001368b18b28"),
        (512, "fe5fb9fb3cded558e44b9932b4450687"),
        (4096, "d4e1648bee9e9e9530284dde9c6b8f0f"),
    ],
    [
        (0, "88e5b920518ef3aa78062a1112b29383"),
        (1, "fd8f97a0f783e32f9c7b79d353fe2f37"),
        (15, "1dc0146e30ebe6a1da9ac9496c48845c"),
        (16, "7f8249df7b2c14b59535cde9e86404a1"),
        (17, "3c4458110b332369ccbcf13826907ca5"),
        (64, "fcdb68704c6891399feef9098c2668dd"),
        (100, "0c9245403027c01858900f63cd434a63"),
        (512, "30a8896b54303f20cff2748bf67b6e20"),
        (4096, "a2e9a7dfdd23e3cca898d32df5e46e47"),
    ],
];

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

pub(super) fn prove_192(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let nist = examples(mac, "SP 800-38B, appendix D.2", SP_800_38B_192)?;
    Ok(Proof::of([nist, wycheproof(mac, "aes_cmac", Some(24))?]))
}

/// The file has keys of all three lengths, and an implementation takes one of them.
pub(super) fn prove_aria(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let key = [16, 24, 32].into_iter().find(|bytes| mac.prepare(&vec![0; *bytes]).is_ok());
    Ok(Proof::of([wycheproof(mac, "aria_cmac", key)?]))
}

pub(super) fn prove_lea_128(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove_lea(mac, 16, LEA[0])
}

pub(super) fn prove_lea_192(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove_lea(mac, 24, LEA[1])
}

pub(super) fn prove_lea_256(mac: &dyn Mac) -> Result<Proof, ProofError> {
    prove_lea(mac, 32, LEA[2])
}

fn prove_lea(mac: &dyn Mac, key: u8, expected: [(usize, &str); 9]) -> Result<Proof, ProofError> {
    let mut kisa = KnownAnswers::from("KISA's reference vectors (lea_vs.c)");
    let rows = table::rows(include_str!("../../../vectors/mac/kisa-lea-cmac.txt"));
    let rows = rows.filter(|row| row.bytes(0).len() == usize::from(key));
    let message = |row: &Row| if row.text(1) == "-" { Vec::new() } else { row.bytes(1) };
    tags(&mut kisa, mac, rows.map(|row| (row.bytes(0), message(&row), row.bytes(2))))?;
    let mut set = KnownAnswers::unofficial("tags made with Crypto++ 8.7 (a cross-check)");
    let counting = |length: usize| (0..=u8::MAX).cycle().take(length).collect::<Vec<u8>>();
    tags(&mut set, mac, expected.map(|(length, tag)| (counting(key.into()), counting(length), hex(tag))))?;
    Ok(Proof::of([kisa, set]))
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

#[cfg(test)]
mod tests {
    use crate::mac;

    /// aria_cmac_test.json has 21 valid tests for each length of keys, and 81 invalid ones; KISA has ten for each.
    #[test]
    fn tests_for_other_keys_do_not_count() {
        for (name, vectors) in [
            ("aria-128-cmac-128", 102),
            ("aria-192-cmac-128", 102),
            ("aria-256-cmac-128", 102),
            ("lea-192-cmac-128", 10),
        ] {
            let code = mac::find(name).expect(name).implementation("fieldtest").expect(name);
            assert_eq!(code.proof().expect(name).vectors, vectors, "{name}");
        }
    }
}
