//! Known answers of wide-block ciphers, whose tweaks are of other lengths than a sector's number.

use fieldtest_kinds::cipher::{Cipher, Tweaks};

use crate::KatError;
use crate::cipher::wide::{Wide, padded};
use crate::kat::{KnownAnswers, Mismatch, equal, table};

use super::{Answer, counting};

/// The rows of a file: key, tweak, plaintext, and in the given column the ciphertext. They go to the library's own
/// function, which the adapter calls with a sector's tweak.
pub(in crate::cipher) fn rows<W: Wide>(
    set: &mut KnownAnswers,
    text: &'static str,
    column: usize,
) -> Result<(), KatError> {
    for (number, row) in table::rows(text).enumerate() {
        let tweak = row.bytes(1);
        set.case(number + 1, || {
            let key = W::key(&row.bytes(0))?;
            let plaintext = row.bytes(2);
            let mut message = plaintext.clone();
            key.encrypt(&tweak, &mut message)?;
            Answer::read(row.text(column)).check(&message)?;
            key.decrypt(&tweak, &mut message)?;
            equal("plaintext", &plaintext, &message)
        })?;
    }
    Ok(())
}

/// That the cipher of sectors is the library's function under the tweaks that dm-crypt makes.
pub(in crate::cipher) fn sectors<W: Wide>(cipher: &dyn Cipher) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::unofficial("dm-crypt's tweaks of 32 bytes, compared with the function above");
    for size in [512, 4096] {
        set.case(format!("sectors of {size} bytes"), || compare::<W>(cipher, size))?;
    }
    Ok(set)
}

fn compare<W: Wide>(cipher: &dyn Cipher, size: usize) -> Result<(), Mismatch> {
    let key: Vec<u8> = counting().take(cipher.key_len()).collect();
    let plaintext: Vec<u8> = counting().take(3 * size).collect();
    let tweaks = Tweaks { first: u128::MAX - 1, step: 8 };
    let mut data = plaintext.clone();
    let prepared = cipher.prepare(&key)?;
    prepared.encrypt(tweaks, size, &mut data)?;
    let function = W::key(&key)?;
    let mut expected = plaintext.clone();
    for (number, sector) in (0..).zip(expected.chunks_exact_mut(size)) {
        function.encrypt(&padded(&tweaks.of(number)), sector)?;
    }
    equal("sectors", &expected, &data)?;
    prepared.decrypt(tweaks, size, &mut data)?;
    equal("plaintext", &plaintext, &data)
}
