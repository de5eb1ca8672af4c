//! Known answers of keyed BLAKE2.

use fieldtest_kinds::mac::Mac;

use crate::kat::{KnownAnswers, table};
use crate::{KatResult, KatError};

use super::super::kats::tags;

const ORIGIN: &str = "BLAKE2 reference, testvectors/blake2-kat.json";

pub(super) fn prove_s(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove(mac, 32)
}

pub(super) fn prove_b(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove(mac, 64)
}

/// Keyed BLAKE2s-256 has keys of 32 bytes in the reference's file, and BLAKE2b-512 of 64.
fn prove(mac: &dyn Mac, key_len: usize) -> Result<KatResult, KatError> {
    let counted = |length: usize| (0..=u8::MAX).take(length).collect::<Vec<u8>>();
    let mut set = KnownAnswers::from(ORIGIN);
    let rows = table::rows(include_str!("../../../vectors/mac/blake2.txt"));
    let rows = rows.filter(|row| row.count(0) == key_len);
    tags(&mut set, mac, rows.map(|row| (counted(key_len), counted(row.count(1)), row.bytes(2))))?;
    Ok(KatResult::of([set]))
}
