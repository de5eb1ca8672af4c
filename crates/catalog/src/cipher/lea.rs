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
        ("lea-128-cbc", Mode::Cbc, 16, prove_cbc),
        ("lea-192-cbc", Mode::Cbc, 24, prove_cbc),
        ("lea-256-cbc", Mode::Cbc, 32, prove_cbc),
        ("lea-128-ctr", Mode::Ctr, 16, prove_ctr),
        ("lea-192-ctr", Mode::Ctr, 24, prove_ctr),
        ("lea-256-ctr", Mode::Ctr, 32, prove_ctr),
        ("lea-128-ecb", Mode::Ecb, 16, prove_ecb),
        ("lea-192-ecb", Mode::Ecb, 24, prove_ecb),
        ("lea-256-ecb", Mode::Ecb, 32, prove_ecb),
    ]
    .into_iter()
    .map(|(name, mode, key, prove)| {
        let mut list = List::proven_by(prove);
        list.add(OWN, "fieldtest-modes", own::cipher::<Lea>(mode, key));
        list.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Lea>>(mode, key));
        if mode == Mode::Ecb && key == 32 {
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

const KAT_192: Kat = Kat {
    origin: "KCMVP criteria V3.0, LEA192(ECB)KAT.txt",
    key: 24,
    text: include_str!("../../vectors/cipher/kat-lea-192.txt"),
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
    let mut set = KnownAnswers::unofficial("sectors made with Crypto++ 8.7");
    proofs::made_up(&mut set, cipher, include_str!("../../vectors/cipher/xts-lea.txt"))?;
    Ok(Proof::of([set, kat.prove(cipher, Mode::Xts)?]))
}

fn prove_ecb(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, Mode::Ecb, [
        include_str!("../../vectors/cipher/modes-lea-128-ecb.txt"),
        include_str!("../../vectors/cipher/modes-lea-192-ecb.txt"),
        include_str!("../../vectors/cipher/modes-lea-256-ecb.txt"),
    ])
}

fn prove_cbc(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, Mode::Cbc, [
        include_str!("../../vectors/cipher/modes-lea-128-cbc.txt"),
        include_str!("../../vectors/cipher/modes-lea-192-cbc.txt"),
        include_str!("../../vectors/cipher/modes-lea-256-cbc.txt"),
    ])
}

fn prove_ctr(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, Mode::Ctr, [
        include_str!("../../vectors/cipher/modes-lea-128-ctr.txt"),
        include_str!("../../vectors/cipher/modes-lea-192-ctr.txt"),
        include_str!("../../vectors/cipher/modes-lea-256-ctr.txt"),
    ])
}

/// The rows for keys of the cipher's length, in rising order of these, and the known answers of LEA by itself.
fn prove(cipher: &dyn Cipher, mode: Mode, texts: [&'static str; 3]) -> Result<Proof, ProofError> {
    let rows = proofs::by_key(cipher, "KISA's reference vectors (lea_vs.c)", texts)?;
    let kat = proofs::for_key(cipher, [KAT_128, KAT_192, KAT_256]);
    Ok(Proof::of([rows, kat.prove(cipher, mode)?]))
}
