//! AES (FIPS 197) in XTS, which is what disks are encrypted with, and in the modes that it is measured in.

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use ::aes::{Aes128, Aes192, Aes256};
use fieldtest_aes::Aes;
use fieldtest_kinds::cipher::Cipher;

use super::own::Portable;
use super::proofs::block::Kat;
use super::proofs::wycheproof;
use super::{Family, List, Mode, Prove, own, proofs, rustcrypto};
use crate::{Proof, ProofError};

pub(super) fn family() -> Family {
    let mut short = List::proven_by(|cipher| prove_xts(cipher, KAT_128));
    short.add(OWN, "fieldtest-modes", own::cipher::<Aes>(Mode::Xts, 16));
    short.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aes>>(Mode::Xts, 16));
    short.add("rustcrypto", "aes", rustcrypto::cipher::<Aes128>(Mode::Xts, 16));
    short.add_hosts("aes-128-xts");

    let mut long = List::proven_by(|cipher| prove_xts(cipher, KAT_256));
    long.add(OWN, "fieldtest-modes", own::cipher::<Aes>(Mode::Xts, 32));
    long.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aes>>(Mode::Xts, 32));
    long.add("rustcrypto", "aes", rustcrypto::cipher::<Aes256>(Mode::Xts, 32));
    long.add_hosts("aes-256-xts");

    let mut family = vec![("aes-128-xts", short.all), ("aes-256-xts", long.all)];
    for (mode, names, prove) in [
        (Mode::Cbc, ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"], prove_cbc as Prove),
        (Mode::Ctr, ["aes-128-ctr", "aes-192-ctr", "aes-256-ctr"], prove_ctr),
        (Mode::Ecb, ["aes-128-ecb", "aes-192-ecb", "aes-256-ecb"], prove_ecb),
    ] {
        let others = [
            rustcrypto::cipher::<Aes128>(mode, 16),
            rustcrypto::cipher::<Aes192>(mode, 24),
            rustcrypto::cipher::<Aes256>(mode, 32),
        ];
        for ((name, key), other) in names.into_iter().zip([16, 24, 32]).zip(others) {
            let mut list = List::proven_by(prove);
            list.add(OWN, "fieldtest-modes", own::cipher::<Aes>(mode, key));
            list.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aes>>(mode, key));
            #[cfg(feature = "aws-lc")]
            if let Some(code) = super::aws_lc::aes(mode, key) {
                list.add("aws-lc", "aws-lc-rs", code);
            }
            list.add("rustcrypto", "aes", other);
            list.add_hosts(name);
            family.push((name, list.all));
        }
    }
    family
}

const KAT_128: Kat = Kat {
    origin: "NIST AESAVS: ECBVarTxt128, ECBVarKey128 and ECBGFSbox128",
    key: 16,
    text: include_str!("../../vectors/cipher/kat-aes-128.txt"),
};

const KAT_192: Kat = Kat {
    origin: "NIST AESAVS: ECBVarTxt192, ECBVarKey192 and ECBGFSbox192",
    key: 24,
    text: include_str!("../../vectors/cipher/kat-aes-192.txt"),
};

const KAT_256: Kat = Kat {
    origin: "NIST AESAVS: ECBVarTxt256, ECBVarKey256 and ECBGFSbox256",
    key: 32,
    text: include_str!("../../vectors/cipher/kat-aes-256.txt"),
};

const IEEE_1619: &str = include_str!("../../vectors/cipher/ieee-1619.txt");

const CAVP: &str = include_str!("../../vectors/cipher/cavp-xts.txt");

fn prove_xts(cipher: &dyn Cipher, kat: Kat) -> Result<Proof, ProofError> {
    Ok(Proof::of([
        proofs::xts_rows("IEEE 1619-2007, Annex B", cipher, IEEE_1619)?,
        proofs::xts_rows("NIST CAVP, XTSGenAES128 and XTSGenAES256", cipher, CAVP)?,
        wycheproof::xts(cipher)?,
        kat.prove(cipher, Mode::Xts)?,
    ]))
}

fn prove_ecb(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    modes(cipher, Mode::Ecb, "NIST SP 800-38A, F.1, and FIPS 197, appendix C", [
        include_str!("../../vectors/cipher/modes-aes-128-ecb.txt"),
        include_str!("../../vectors/cipher/modes-aes-192-ecb.txt"),
        include_str!("../../vectors/cipher/modes-aes-256-ecb.txt"),
    ])
}

fn prove_cbc(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let padded = wycheproof::cbc("aes_cbc_pkcs5", cipher)?;
    let proof = modes(cipher, Mode::Cbc, "NIST SP 800-38A, F.2", [
        include_str!("../../vectors/cipher/modes-aes-128-cbc.txt"),
        include_str!("../../vectors/cipher/modes-aes-192-cbc.txt"),
        include_str!("../../vectors/cipher/modes-aes-256-cbc.txt"),
    ])?;
    Ok(proof.and(padded))
}

fn prove_ctr(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    modes(cipher, Mode::Ctr, "NIST SP 800-38A, F.5", [
        include_str!("../../vectors/cipher/modes-aes-128-ctr.txt"),
        include_str!("../../vectors/cipher/modes-aes-192-ctr.txt"),
        include_str!("../../vectors/cipher/modes-aes-256-ctr.txt"),
    ])
}

/// The rows for keys of the cipher's length, in rising order of these, and the known answers of AES by itself.
fn modes(cipher: &dyn Cipher, mode: Mode, origin: &str, texts: [&'static str; 3]) -> Result<Proof, ProofError> {
    let rows = proofs::by_key(cipher, origin, texts)?;
    let kat = match cipher.key_len() {
        16 => KAT_128,
        24 => KAT_192,
        _ => KAT_256,
    };
    Ok(Proof::of([rows, kat.prove(cipher, mode)?]))
}
