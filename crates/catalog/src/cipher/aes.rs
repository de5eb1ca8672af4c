//! AES (FIPS 197) in XTS, which is what disks are encrypted with, and in the modes that it is measured in.

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use ::aes::{Aes128, Aes256};
use fieldtest_aes::Aes;
use fieldtest_kinds::cipher::Cipher;

use super::own::Portable;
use super::proofs::block::Kat;
use super::proofs::wycheproof;
use super::{Family, List, Mode, Prove, own, proofs, rustcrypto};
use crate::proof::KnownAnswers;
use crate::{Proof, ProofError};

pub(super) fn family() -> Family {
    let mut short = List::proven_by(|cipher| prove_xts(cipher, KAT_128));
    short.add(OWN, "fieldtest-modes", own::cipher::<Aes>(Mode::Xts, 16));
    short.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aes>>(Mode::Xts, 16));
    short.add("rustcrypto", "aes", rustcrypto::cipher::<Aes128>(Mode::Xts, 16));
    short.add_hosts("aes-128-xts");

    let mut family = vec![("aes-128-xts", short.all)];
    for (name, mode, prove) in [
        ("aes-256-xts", Mode::Xts, prove_256_xts as Prove),
        ("aes-256-cbc", Mode::Cbc, prove_cbc),
        ("aes-256-ctr", Mode::Ctr, prove_ctr),
        ("aes-256-ecb", Mode::Ecb, prove_ecb),
    ] {
        let mut list = List::proven_by(prove);
        list.add(OWN, "fieldtest-modes", own::cipher::<Aes>(mode, 32));
        list.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aes>>(mode, 32));
        #[cfg(feature = "aws-lc")]
        if let Some(code) = super::aws_lc::aes_256(mode) {
            list.add("aws-lc", "aws-lc-rs", code);
        }
        list.add("rustcrypto", "aes", rustcrypto::cipher::<Aes256>(mode, 32));
        list.add_hosts(name);
        family.push((name, list.all));
    }
    family
}

const KAT_128: Kat = Kat {
    origin: "NIST AESAVS: ECBVarTxt128, ECBVarKey128 and ECBGFSbox128",
    key: 16,
    text: include_str!("../../vectors/cipher/kat-aes-128.txt"),
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

fn prove_256_xts(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove_xts(cipher, KAT_256)
}

fn prove_ecb(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::from("NIST SP 800-38A, F.1.5, and FIPS 197, C.3");
    proofs::rows(&mut set, cipher, include_str!("../../vectors/cipher/modes-aes-256-ecb.txt"))?;
    Ok(Proof::of([set, KAT_256.prove(cipher, Mode::Ecb)?]))
}

fn prove_cbc(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::from("NIST SP 800-38A, F.2.5");
    proofs::rows(&mut set, cipher, include_str!("../../vectors/cipher/modes-aes-256-cbc.txt"))?;
    let padded = wycheproof::cbc("aes_cbc_pkcs5", cipher)?;
    Ok(Proof::of([set, padded, KAT_256.prove(cipher, Mode::Cbc)?]))
}

fn prove_ctr(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::from("NIST SP 800-38A, F.5.5");
    proofs::rows(&mut set, cipher, include_str!("../../vectors/cipher/modes-aes-256-ctr.txt"))?;
    Ok(Proof::of([set, KAT_256.prove(cipher, Mode::Ctr)?]))
}
