//! Round keys in the form in which a path adds them.

use zeroize::{Zeroize, Zeroizing};

use crate::Block;
use crate::diffusion::{diffuse, spread};
use crate::sbox::FROM_2_TO_1;
use crate::schedule::{MOST_ROUNDS, RoundKeys};

/// How a path adds the round keys between the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are, after each round.
    Plain,
    /// Together with the S-box instructions of AES, which add something at no cost. That is before the diffusion
    /// layer, which makes the key of `diffuse(key)` since it is its own inverse, and before SB1 is turned into SB2.
    AfterAesSBox,
    /// Within the diffusion layer; see [`spread`].
    Spread,
}

#[derive(Clone)]
pub(crate) struct Prepared {
    /// The keys as they are: what is added before the first round and after each. Those of a key of fewer rounds fill
    /// only the beginning.
    pub(crate) plain: [Block; MOST_ROUNDS + 1],
    /// What is added in each round, in the path's form. Each byte stands four times in a word, since it costs
    /// nothing to fill a vector with a word.
    pub(crate) middle: [[u32; 16]; MOST_ROUNDS],
    /// 12, 14 or 16.
    pub(crate) rounds: usize,
}

impl Prepared {
    pub(crate) fn new(keys: &RoundKeys, form: Form) -> Self {
        let rounds = keys.rounds;
        let mut prepared = Self { plain: keys.keys, middle: [[0; 16]; MOST_ROUNDS], rounds };
        for (round, words) in prepared.middle[..rounds].iter_mut().enumerate() {
            let is_last = round + 1 == rounds;
            let mut key = Zeroizing::new(keys.keys[round + 1]);
            match form {
                Form::Plain => {}
                Form::AfterAesSBox => {
                    if !is_last {
                        *key = diffuse(*key);
                    }
                    // SB2 stands at the places 1 modulo 4 in odd rounds, of which the first has the index 0 here.
                    for byte in key.iter_mut().skip(1 + 2 * (round % 2)).step_by(4) {
                        *byte = FROM_2_TO_1.linear(*byte);
                    }
                }
                Form::Spread => {
                    if !is_last {
                        *key = spread(*key);
                    }
                }
            }
            *words = key.map(|byte| u32::from_ne_bytes([byte; 4]));
        }
        prepared
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        self.plain.zeroize();
        self.middle.zeroize();
    }
}
