//! HCTR2 (Crowley, Huckleberry and Biggers 2021), the wide-block cipher for processors with AES instructions.

use ::hctr2_rs::Hctr2_256;
use fieldtest_kinds::cipher::Cipher;

use super::kats::wide::{rows, sectors};
use super::{Family, List, kats, wide};
use crate::kat::KnownAnswers;
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    let mut list = List::proven_by(prove);
    list.add("hctr2-rs", "hctr2-rs", wide::cipher::<Hctr2_256>());
    vec![("hctr2-aes-256", list.all)]
}

fn prove(cipher: &dyn Cipher) -> Result<KatResult, KatError> {
    let mut official = KnownAnswers::from("github.com/google/hctr2, test_vectors/ours/HCTR2");
    rows::<Hctr2_256>(&mut official, include_str!("../../vectors/cipher/hctr2-aes-256.txt"), 3)?;
    let mut made_up = KnownAnswers::unofficial("sectors made with a second implementation");
    let text = include_str!("../../vectors/cipher/sectors-hctr2-aes-256.txt");
    kats::made_up(&mut made_up, cipher, text)?;
    Ok(KatResult::of([official, sectors::<Hctr2_256>(cipher)?, made_up]))
}
