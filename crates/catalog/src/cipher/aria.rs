//! ARIA (KS X 1213, RFC 5794) in XTS, and in the modes that it is measured in.

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use ::aria::{Aria128, Aria192, Aria256};
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

    let mut long = List::proven_by(|cipher| prove_xts(cipher, KAT_256));
    long.add(OWN, "fieldtest-modes", own::cipher::<Aria>(Mode::Xts, 32));
    long.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aria>>(Mode::Xts, 32));
    long.add("rustcrypto", "aria", rustcrypto::cipher::<Aria256>(Mode::Xts, 32));
    long.add_hosts("aria-256-xts");

    let mut family = vec![("aria-128-xts", short.all), ("aria-256-xts", long.all)];
    for (mode, names, prove) in [
        (Mode::Cbc, ["aria-128-cbc", "aria-192-cbc", "aria-256-cbc"], prove_cbc as Prove),
        (Mode::Ctr, ["aria-128-ctr", "aria-192-ctr", "aria-256-ctr"], prove_ctr),
        (Mode::Ecb, ["aria-128-ecb", "aria-192-ecb", "aria-256-ecb"], prove_ecb),
    ] {
        let others = [
            rustcrypto::cipher::<Aria128>(mode, 16),
            rustcrypto::cipher::<Aria192>(mode, 24),
            rustcrypto::cipher::<Aria256>(mode, 32),
        ];
        for ((name, key), other) in names.into_iter().zip([16, 24, 32]).zip(others) {
            let mut list = List::proven_by(prove);
            list.add(OWN, "fieldtest-modes", own::cipher::<Aria>(mode, key));
            list.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<Aria>>(mode, key));
            list.add("rustcrypto", "aria", other);
            list.add_hosts(name);
            family.push((name, list.all));
        }
    }
    family
}

const KAT_128: Kat = Kat {
    origin: "KCMVP criteria V3.0, ARIA128(ECB)KAT.txt",
    key: 16,
    text: include_str!("../../vectors/cipher/kat-aria-128.txt"),
};

const KAT_192: Kat = Kat {
    origin: "KCMVP criteria V3.0, ARIA192(ECB)KAT.txt",
    key: 24,
    text: include_str!("../../vectors/cipher/kat-aria-192.txt"),
};

const KAT_256: Kat = Kat {
    origin: "KCMVP criteria V3.0, ARIA256(ECB)KAT.txt",
    key: 32,
    text: include_str!("../../vectors/cipher/kat-aria-256.txt"),
};

fn prove_xts(cipher: &dyn Cipher, kat: Kat) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::unofficial(
        "sectors made with the ARIA of OpenSSL 3.0 under an XTS of their own",
    );
    proofs::made_up(&mut set, cipher, include_str!("../../vectors/cipher/xts-aria.txt"))?;
    Ok(Proof::of([set, kat.prove(cipher, Mode::Xts)?]))
}

fn prove_ecb(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    modes(cipher, Mode::Ecb, [
        include_str!("../../vectors/cipher/modes-aria-128-ecb.txt"),
        include_str!("../../vectors/cipher/modes-aria-192-ecb.txt"),
        include_str!("../../vectors/cipher/modes-aria-256-ecb.txt"),
    ])
}

fn prove_cbc(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    let padded = wycheproof::cbc("aria_cbc_pkcs5", cipher)?;
    let proof = modes(cipher, Mode::Cbc, [
        include_str!("../../vectors/cipher/modes-aria-128-cbc.txt"),
        include_str!("../../vectors/cipher/modes-aria-192-cbc.txt"),
        include_str!("../../vectors/cipher/modes-aria-256-cbc.txt"),
    ])?;
    Ok(proof.and(padded))
}

fn prove_ctr(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    modes(cipher, Mode::Ctr, [
        include_str!("../../vectors/cipher/modes-aria-128-ctr.txt"),
        include_str!("../../vectors/cipher/modes-aria-192-ctr.txt"),
        include_str!("../../vectors/cipher/modes-aria-256-ctr.txt"),
    ])
}

/// The rows for keys of the cipher's length, in rising order of these, and the known answers of ARIA by itself.
fn modes(cipher: &dyn Cipher, mode: Mode, texts: [&'static str; 3]) -> Result<Proof, ProofError> {
    let rows = proofs::by_key(cipher, "ARIA Test Vectors, 5 May 2004, and RFC 5794", texts)?;
    let kat = proofs::for_key(cipher, [KAT_128, KAT_192, KAT_256]);
    Ok(Proof::of([rows, kat.prove(cipher, mode)?]))
}
