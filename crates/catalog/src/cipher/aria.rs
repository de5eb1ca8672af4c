//! ARIA (KS X 1213, RFC 5794) in XTS, and in the modes that it is measured in.

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use ::aria::{Aria128, Aria256};
use fieldtest_aria::Aria;
use fieldtest_kinds::cipher::Cipher;

use super::own::Portable;
use super::proofs::block::Kat;
use super::proofs::wycheproof;
use super::{Family, List, Mode, Prove, own, proofs, rustcrypto};
use crate::proof::KnownAnswers;
use crate::{Proof, ProofError};

pub(super) fn family() -> Family {
    let mut short = List::proven_by(|cipher| prove_xts(cipher, KAT_128));
    short.add(OWN, "fieldtest-modes", own::cipher::<Aria>(Mode::Xts, 16));
    short.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aria>>(Mode::Xts, 16));
    short.add("rustcrypto", "aria", rustcrypto::cipher::<Aria128>(Mode::Xts, 16));
    short.add_hosts("aria-128-xts");

    let mut family = vec![("aria-128-xts", short.all)];
    for (name, mode, prove) in [
        ("aria-256-xts", Mode::Xts, prove_256_xts as Prove),
        ("aria-256-cbc", Mode::Cbc, prove_cbc),
        ("aria-256-ctr", Mode::Ctr, prove_ctr),
        ("aria-256-ecb", Mode::Ecb, prove_ecb),
    ] {
        let mut list = List::proven_by(prove);
        list.add(OWN, "fieldtest-modes", own::cipher::<Aria>(mode, 32));
        list.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aria>>(mode, 32));
        list.add("rustcrypto", "aria", rustcrypto::cipher::<Aria256>(mode, 32));
        list.add_hosts(name);
        family.push((name, list.all));
    }
    family
}

const KAT_128: Kat = Kat {
    origin: "KCMVP criteria V3.0, ARIA128(ECB)KAT.txt",
    key: 16,
    text: include_str!("../../vectors/cipher/kat-aria-128.txt"),
};

const KAT_256: Kat = Kat {
    origin: "KCMVP criteria V3.0, ARIA256(ECB)KAT.txt",
    key: 32,
    text: include_str!("../../vectors/cipher/kat-aria-256.txt"),
};

fn prove_256_xts(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove_xts(cipher, KAT_256)
}

fn prove_xts(cipher: &dyn Cipher, kat: Kat) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::unofficial(
        "no official vectors of ARIA-XTS: sectors made with the ARIA of OpenSSL 3.0 under an XTS of their own",
    );
    proofs::made_up(&mut set, cipher, include_str!("../../vectors/cipher/xts-aria.txt"))?;
    Ok(Proof::of([set, kat.prove(cipher, Mode::Xts)?]))
}

fn prove_ecb(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let set = modes(cipher, include_str!("../../vectors/cipher/modes-aria-256-ecb.txt"))?;
    Ok(Proof::of([set, KAT_256.prove(cipher, Mode::Ecb)?]))
}

fn prove_cbc(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let set = modes(cipher, include_str!("../../vectors/cipher/modes-aria-256-cbc.txt"))?;
    let padded = wycheproof::cbc("aria_cbc_pkcs5", cipher)?;
    Ok(Proof::of([set, padded, KAT_256.prove(cipher, Mode::Cbc)?]))
}

fn prove_ctr(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let set = modes(cipher, include_str!("../../vectors/cipher/modes-aria-256-ctr.txt"))?;
    Ok(Proof::of([set, KAT_256.prove(cipher, Mode::Ctr)?]))
}

fn modes(cipher: &dyn Cipher, text: &'static str) -> Result<KnownAnswers, ProofError> {
    let mut set = KnownAnswers::from("ARIA Test Vectors, 5 May 2004, and RFC 5794");
    proofs::rows(&mut set, cipher, text)?;
    Ok(set)
}
