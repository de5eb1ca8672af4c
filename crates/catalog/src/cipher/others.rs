//! What cryptsetup offers beside AES, in XTS with 256-bit keys: Serpent, a finalist of the competition that AES won, and
//! Camellia.

use camellia::Camellia256;
use fieldtest_kinds::cipher::Cipher;
use serpent::Serpent;

use super::rustcrypto::{Block16, cipher};
use super::{Family, List, Mode, Prove, proofs};
use crate::proof::KnownAnswers;
use crate::{Proof, ProofError};

pub(super) fn family() -> Family {
    vec![
        ("serpent-256-xts", xts::<Serpent>("serpent-256-xts", "serpent", prove_serpent)),
        ("camellia-256-xts", xts::<Camellia256>("camellia-256-xts", "camellia", prove_camellia)),
    ]
}

fn xts<C: Block16>(name: &str, package: &str, prove: Prove) -> Vec<super::Implementation> {
    let mut list = List::proven_by(prove);
    list.add("rustcrypto", package, cipher::<C>(Mode::Xts, 32));
    list.add_hosts(name);
    list.all
}

fn prove_serpent(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, "Serpent", include_str!("../../vectors/cipher/xts-serpent.txt"))
}

fn prove_camellia(cipher: &dyn Cipher) -> Result<Proof, ProofError> {
    prove(cipher, "Camellia", include_str!("../../vectors/cipher/xts-camellia.txt"))
}

fn prove(cipher: &dyn Cipher, name: &str, text: &'static str) -> Result<Proof, ProofError> {
    let origin = format!("{name}-XTS sectors made with libgcrypt 1.10");
    let mut set = KnownAnswers::unofficial(origin);
    proofs::made_up(&mut set, cipher, text)?;
    Ok(Proof::of([set]))
}
