//! A block cipher's own known answers, carried through a mode.
//!
//! In every mode the first block of a sector is one call of the block cipher between two XORs with what is known, so
//! that a file of known answers for the block cipher alone can be worked through in the mode that is to be proven, and
//! its key schedule and its rounds are held against the designers' values even where the mode has none.

use fieldtest_kinds::cipher::{Cipher, Tweaks};

use crate::KatError;
use crate::cipher::Mode;
use crate::kat::table::{self, Row};
use crate::kat::{KnownAnswers, Mismatch, equal, nist};

use super::array;

type Block = [u8; 16];

/// A file of ECB known answers (KAT) in the form of KCMVP and of NIST: the key zero with every block of leading ones, every
/// key of leading ones with the block zero, and the key zero with blocks without a pattern.
#[derive(Clone, Copy)]
pub(in crate::cipher) struct Kat {
    pub(in crate::cipher) origin: &'static str,
    /// Bytes of the block cipher's keys.
    pub(in crate::cipher) key: usize,
    /// What is typed in of it, a file under `vectors/cipher/`.
    pub(in crate::cipher) text: &'static str,
}

impl Kat {
    /// Reproduces all answers of the file through the mode. Carried through XTS they are not counted as official: they
    /// are the block cipher's, and nothing in them is of XTS.
    pub(in crate::cipher) fn prove(&self, cipher: &dyn Cipher, mode: Mode) -> Result<KnownAnswers, KatError> {
        let carried = format!("{}, in a sector's first block", self.origin);
        let mut set = match mode {
            Mode::Ecb => KnownAnswers::from(self.origin),
            Mode::Cbc | Mode::Ctr => KnownAnswers::from(carried),
            Mode::Xts => KnownAnswers::unofficial(carried),
        };
        let mut answers = Vec::new();
        for (place, (key, block)) in self.questions().enumerate() {
            set.case(place, || {
                let block = array(&block)?;
                let answer = match mode {
                    Mode::Ecb => first_block(cipher, &key, [0; 16], block)?,
                    Mode::Cbc | Mode::Ctr => first_block(cipher, &key, block, [0; 16])?,
                    Mode::Xts => self.through_xts(cipher, &key, block)?,
                };
                if let Some(expected) = self.typed_in(place) {
                    equal("ciphertext", &expected, &answer)?;
                }
                answers.extend_from_slice(&answer);
                Ok(())
            })?;
        }
        for row in self.rows("digest") {
            equal("SHA-256 of all ciphertexts", &row.bytes(1), &nist::sha256(&answers))
                .map_err(|Mismatch(what)| set.failure("all", what))?;
        }
        Ok(set)
    }

    /// The keys and blocks of the file, in its order.
    fn questions(&self) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> + use<> {
        let bytes = self.key;
        let under_zero = move |block| (vec![0; bytes], block);
        let blocks = (1..=128).map(|ones| leading_ones(ones, 16)).map(under_zero);
        let keys = (1..=8 * bytes).map(move |ones| (leading_ones(ones, bytes), vec![0; 16]));
        let others = self.rows("block").map(|row| row.bytes(1)).map(under_zero);
        blocks.chain(keys).chain(others)
    }

    /// The XTS tweak is the answer to a question of the file that is typed in, and the data's key is another one.
    fn through_xts(&self, cipher: &dyn Cipher, key: &[u8], block: Block) -> Result<Block, Mismatch> {
        let (zero, one) = (vec![0; self.key], leading_ones(1, self.key));
        let (tweak_key, number, place) =
            if key == zero { (one, [0; 16], 128) } else { (zero, array(&leading_ones(1, 16))?, 0) };
        let tweak = array(&self.typed_in(place).unwrap_or_default())?;
        let keys = [key, &tweak_key].concat();
        Ok(xor(first_block(cipher, &keys, number, xor(block, tweak))?, tweak))
    }

    fn rows(&self, word: &'static str) -> impl Iterator<Item = Row> + use<> {
        table::rows(self.text).filter(move |row| row.text(0) == word)
    }

    fn typed_in(&self, place: usize) -> Option<Vec<u8>> {
        self.rows("answer").find(|row| row.count(1) == place).map(|row| row.bytes(2))
    }
}

/// Encrypts a sector of one block, and decrypts it again.
fn first_block(cipher: &dyn Cipher, key: &[u8], tweak: Block, block: Block) -> Result<Block, Mismatch> {
    let key = cipher.prepare(key)?;
    let tweaks = Tweaks { first: u128::from_le_bytes(tweak), step: 0 };
    let mut sector = block;
    key.encrypt(tweaks, 16, &mut sector)?;
    let ciphertext = sector;
    key.decrypt(tweaks, 16, &mut sector)?;
    equal("plaintext", &block, &sector)?;
    Ok(ciphertext)
}

/// Ones, and then zeros, in so many bytes.
fn leading_ones(ones: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|byte| !(0xff_u32 >> ones.saturating_sub(8 * byte).min(8)) as u8).collect()
}

fn xor(a: Block, b: Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}
