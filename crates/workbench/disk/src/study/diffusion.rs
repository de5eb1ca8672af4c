//! What becomes of a sector of which one bit is changed on the disk.

use fieldtest_catalog::kind::Cipher;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::CipherKey;
use fieldtest_study::{RecordWriter, StudyError, Subject};

use super::PAGE;
use super::data::Data;
use super::sectors::prepared;
use crate::words::{ONE_BIT, Operation};

/// Sectors in which the bit is changed. A byte that depends on it stays the same in one sector of 256, and in all of
/// these never.
const TRIALS: usize = 16;
/// The byte that has the bit: within a block in the middle.
const PLACE: usize = PAGE / 2 + 5;

/// Enters how many bytes of a sector of 4096 change where a bit of its ciphertext is changed.
pub(super) fn enter(
    writer: &mut RecordWriter,
    subject: &Subject<Cipher>,
    seed: u64,
) -> Result<(), StudyError> {
    let data = Data::random(TRIALS * PAGE, PAGE, seed);
    let key = prepared(subject)?;
    let changed =
        changed(key.as_ref(), &data).map_err(|e| subject.failed("decrypting a changed sector", e))?;
    let of = (Operation::Diffusion.word(), ONE_BIT);
    let mut record = writer.measured(subject, of, (changed as f64, "bytes"), &data.input);
    record.samples = TRIALS as u64;
    record.notes.push(format!(
        "bytes of a sector of {PAGE} that differ in any of {TRIALS} sectors after bit 0 of byte {PLACE} of the \
         ciphertext was changed"
    ));
    writer.record(record);
    Ok(())
}

/// The places within a sector at which any of the sectors differs from what it was.
fn changed(key: &dyn CipherKey, data: &Data) -> Result<usize, Error> {
    let mut sectors = data.bytes.clone();
    key.encrypt(data.tweaks(0), data.sector, &mut sectors)?;
    for byte in sectors.iter_mut().skip(PLACE).step_by(PAGE) {
        *byte ^= 1;
    }
    key.decrypt(data.tweaks(0), data.sector, &mut sectors)?;
    let mut differs = [false; PAGE];
    for (was, is) in data.bytes.chunks_exact(PAGE).zip(sectors.chunks_exact(PAGE)) {
        for (differs, (was, is)) in differs.iter_mut().zip(was.iter().zip(is)) {
            *differs |= was != is;
        }
    }
    Ok(differs.into_iter().filter(|differs| *differs).count())
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::cipher::{Width, all};

    use super::*;
    use crate::study::data;

    /// By the modes' definitions: in CBC the block that was changed is lost, and of the next one a bit flips.
    #[test]
    fn modes_spread_a_changed_bit_as_defined() {
        let sample = Data::random(TRIALS * PAGE, PAGE, 5);
        for algorithm in all() {
            let Some(code) = algorithm.implementations.first().map(|it| &it.code) else { continue };
            let key = code.prepare(&data::key(code.key_len(), 5)).expect("a random key");
            let own = &algorithm.facts.kind;
            let expected = match (own.width, own.mode.as_str()) {
                (Width::Wide, _) => PAGE,
                (_, "CTR") => 1,
                (_, "CBC") => 17,
                (_, _) => 16,
            };
            assert_eq!(
                changed(key.as_ref(), &sample).expect("sectors"),
                expected,
                "{}",
                algorithm.facts.name
            );
        }
    }
}
