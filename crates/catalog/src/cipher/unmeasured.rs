//! Ciphers that containers of others have, and that nobody measures here: they have no facts, stand in no listing, and
//! are there to open and to make such containers.
//!
//! Each is a block cipher of the RustCrypto project in a mode of `rustcrypto`, and is proven by one official answer of
//! the block cipher before a container's data is touched. Twofish, Camellia and SM4 look up tables by secrets.

use std::sync::Arc;

use camellia::{Camellia128, Camellia192, Camellia256};
use fieldtest_kinds::cipher::{Cipher, Tweaks};
use serpent::Serpent;
use sm4::Sm4;
use twofish::Twofish;

use super::Mode;
use super::rustcrypto::cipher;
use crate::KatError;
use crate::kat::{KnownAnswers, equal, table};

/// A cipher of storage without facts.
pub struct Unmeasured {
    /// The block cipher, its key's bits and the mode: `twofish-256-xts`.
    pub name: String,
    /// Encrypts and decrypts sectors.
    pub code: Arc<dyn Cipher>,
    block: &'static Block,
}

/// A block cipher with keys of one length, and where its official answer is from.
struct Block {
    /// As dm-crypt calls it.
    name: &'static str,
    key_len: usize,
    in_mode: fn(Mode, usize) -> Arc<dyn Cipher>,
    origin: &'static str,
}

const NESSIE: &str =
    "E. Biham, Serpent-128-128, -192-128 and -256-128.verified.test-vectors (NESSIE), set 1, vector 0";
const PAPER: &str =
    "B. Schneier et al., Twofish: A 128-Bit Block Cipher, 1998, the first of the tables of answers";
const RFC: &str = "RFC 3713, appendix A";
const SM4: &str = "GB/T 32907-2016, appendix A.1";

const BLOCKS: &[Block] = &[
    Block { name: "serpent", key_len: 16, in_mode: cipher::<Serpent>, origin: NESSIE },
    Block { name: "serpent", key_len: 24, in_mode: cipher::<Serpent>, origin: NESSIE },
    Block { name: "serpent", key_len: 32, in_mode: cipher::<Serpent>, origin: NESSIE },
    Block { name: "twofish", key_len: 16, in_mode: cipher::<Twofish>, origin: PAPER },
    Block { name: "twofish", key_len: 24, in_mode: cipher::<Twofish>, origin: PAPER },
    Block { name: "twofish", key_len: 32, in_mode: cipher::<Twofish>, origin: PAPER },
    Block { name: "camellia", key_len: 16, in_mode: cipher::<Camellia128>, origin: RFC },
    Block { name: "camellia", key_len: 24, in_mode: cipher::<Camellia192>, origin: RFC },
    Block { name: "camellia", key_len: 32, in_mode: cipher::<Camellia256>, origin: RFC },
    Block { name: "sm4", key_len: 16, in_mode: cipher::<Sm4>, origin: SM4 },
];

const MODES: [(&str, Mode); 4] =
    [("xts", Mode::Xts), ("cbc", Mode::Cbc), ("ctr", Mode::Ctr), ("ecb", Mode::Ecb)];

/// The cipher and mode that dm-crypt calls so, with a key of so many bytes.
pub fn unmeasured(cipher: &str, mode: &str, key_len: usize) -> Option<Unmeasured> {
    all(cipher, mode).find(|found| found.code.key_len() == key_len)
}

/// Bytes of the keys that [`unmeasured`] has for a cipher and mode, in rising order.
pub fn unmeasured_keys(cipher: &str, mode: &str) -> impl Iterator<Item = usize> {
    all(cipher, mode).map(|found| found.code.key_len())
}

fn all(cipher: &str, mode: &str) -> impl Iterator<Item = Unmeasured> {
    let found = MODES.iter().find(|(name, _)| *name == mode);
    let blocks = BLOCKS.iter().filter(move |block| block.name == cipher);
    blocks.filter_map(move |block| {
        let (name, mode) = found?;
        Some(Unmeasured {
            name: format!("{}-{}-{name}", block.name, block.key_len * 8),
            code: (block.in_mode)(*mode, block.key_len),
            block,
        })
    })
}

impl Unmeasured {
    /// Who wrote the code.
    pub const IMPLEMENTATION: &'static str = "rustcrypto";

    /// Reproduces the block cipher's official answer, both ways.
    ///
    /// # Errors
    /// Where it does not.
    pub fn prove(&self) -> Result<(), KatError> {
        let Block { name, key_len, in_mode, origin } = self.block;
        let mut set = KnownAnswers::from(*origin);
        let mut rows = table::rows(include_str!("../../vectors/cipher/unmeasured.txt"));
        let row = rows.find(|row| row.text(0) == *name && row.bytes(1).len() == *key_len);
        let row = row.ok_or_else(|| set.failure("the answer", "the file has none for this key length"))?;
        set.case(1, || {
            let (key, plain, encrypted) = (row.bytes(1), row.bytes(2), row.bytes(3));
            let prepared = in_mode(Mode::Ecb, *key_len).prepare(&key)?;
            let (tweaks, mut block) = (Tweaks { first: 0, step: 0 }, plain.clone());
            prepared.encrypt(tweaks, 16, &mut block)?;
            equal("ciphertext", &encrypted, &block)?;
            prepared.decrypt(tweaks, 16, &mut block)?;
            equal("plaintext", &plain, &block)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reproduces_its_answer_and_has_every_mode() {
        for block in BLOCKS {
            for (mode, in_mode) in MODES {
                let found = unmeasured(block.name, mode, in_mode.key_len(block.key_len)).unwrap();
                found.prove().unwrap();
            }
        }
        assert!(unmeasured("twofish", "lrw", 48).is_none() && unmeasured("tiger", "xts", 64).is_none());
        assert_eq!(unmeasured_keys("twofish", "xts").collect::<Vec<_>>(), [32, 48, 64]);
    }
}
