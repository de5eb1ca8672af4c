//! Adiantum (Crowley and Biggers 2018), the wide-block cipher for processors without AES instructions.

use chacha20::{XChaCha12, XChaCha20};
use fieldtest_kinds::cipher::Cipher;

use super::kats::wide::{rows, sectors};
use super::wide::{self, Adiantum, Wide};
use super::{Family, List};
use crate::kat::KnownAnswers;
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    let mut twelve = List::proven_by(|cipher| prove::<Adiantum<XChaCha12>>(cipher, 3));
    twelve.add("adiantum", "adiantum", wide::cipher::<Adiantum<XChaCha12>>());
    let mut twenty = List::proven_by(|cipher| prove::<Adiantum<XChaCha20>>(cipher, 4));
    twenty.add("adiantum", "adiantum", wide::cipher::<Adiantum<XChaCha20>>());
    vec![("adiantum-xchacha12-aes", twelve.all), ("adiantum-xchacha20-aes", twenty.all)]
}

fn prove<W: Wide>(cipher: &dyn Cipher, column: usize) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::from("github.com/google/adiantum, test_vectors/ours/Adiantum");
    rows::<W>(&mut set, include_str!("../../vectors/cipher/adiantum.txt"), column)?;
    Ok(KatResult::of([set, sectors::<W>(cipher)?]))
}
