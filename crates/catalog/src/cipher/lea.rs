//! LEA (KS X 3246, ISO/IEC 29192-2) in XTS, and in the modes that its authors measured it in.

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use fieldtest_kinds::cipher::Cipher;
use fieldtest_lea::Lea;

use super::own::Portable;
use super::proofs::block::Kat;
use super::{Family, List, Mode, Prove, own, proofs, published_lea};
use crate::proof::KnownAnswers;
use crate::{Proof, ProofError};

pub(super) fn family() -> Family {
    [
        ("lea-128-xts", Mode::Xts, 16, prove_128_xts as Prove),
        ("lea-256-xts", Mode::Xts, 32, prove_256_xts),
        ("lea-256-cbc", Mode::Cbc, 32, prove_cbc),
        ("lea-256-ctr", Mode::Ctr, 32, prove_ctr),
        ("lea-256-ecb", Mode::Ecb, 32, prove_ecb),
    ]
    .into_iter()
    .map(|(name, mode, key, prove)| {
        let mut list = List::proven_by(prove);
        list.add(OWN, "fieldtest-modes", own::cipher::<Lea>(mode, key));
        list.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Lea>>(mode, key));
        if mode == Mode::Ecb {
            list.add("lea", "lea", published_lea::ecb());
        }
        (name, list.all)
    })
    .collect()
}

const KAT_128: Kat = Kat {
    origin: "KCMVP criteria V3.0, LEA128(ECB)KAT.txt",
    key: 16,
    text: include_str!("../../vectors/cipher/kat-lea-128.txt"),
};

const KAT_256: Kat = Kat {
    origin: "KCMVP criteria V3.0, LEA256(ECB)KAT.txt",
    key: 32,
    text: include_str!("../../vectors/cipher/kat-lea-256.txt"),
};

fn prove_128_xts(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove_xts(cipher, KAT_128)
}

fn prove_256_xts(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove_xts(cipher, KAT_256)
}

fn prove_xts(cipher: &dyn Cipher, kat: Kat) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::unofficial("no official vectors of LEA-XTS: sectors made with Crypto++ 8.7");
    proofs::made_up(&mut set, cipher, include_str!("../../vectors/cipher/xts-lea.txt"))?;
    Ok(Proof::of([set, kat.prove(cipher, Mode::Xts)?]))
}

fn prove_ecb(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, Mode::Ecb, include_str!("../../vectors/cipher/modes-lea-256-ecb.txt"))
}

fn prove_cbc(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, Mode::Cbc, include_str!("../../vectors/cipher/modes-lea-256-cbc.txt"))
}

fn prove_ctr(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, Mode::Ctr, include_str!("../../vectors/cipher/modes-lea-256-ctr.txt"))
}

fn prove(cipher: &dyn Cipher, mode: Mode, text: &'static str) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::from("KISA's reference vectors (lea_vs.c)");
    proofs::rows(&mut set, cipher, text)?;
    Ok(Proof::of([set, KAT_256.prove(cipher, mode)?]))
}
