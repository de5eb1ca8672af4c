//! The key schedule (KS X 3246; ISO/IEC 29192-2:2019; Hong et al., "LEA: A 128-Bit Block Cipher for Fast Encryption on
//! Common Processors", WISA 2013).

use zeroize::{Zeroize, ZeroizeOnDrop};

/// The first bits of the fraction of the square root of 766965, which is "LEA" in ASCII (76, 69, 65 in decimal).
const DELTA: [u32; 8] =
    [0xc3ef_e9db, 0x4462_6b02, 0x79e2_7c8a, 0x78df_30ec, 0x715e_a49e, 0xc785_da0a, 0xe04e_f22a, 0xe5c4_0957];

/// What the words of one round are rotated by.
const ROTATIONS: [u32; 6] = [1, 3, 6, 11, 13, 17];

const MOST_ROUNDS: usize = 32;

/// A word of a round key, once for each lane of AVX2. Some processors do not broadcast a word within the load, as others
/// do, but take a shuffle as well, which would cost more than the memory.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct KeyWord(pub(crate) [u32; 8]);

impl KeyWord {
    #[inline(always)]
    pub(crate) fn get(&self) -> u32 {
        self.0[0]
    }
}

pub(crate) type RoundKey = [KeyWord; 6];

/// Four rounds, after which the words of a block stand at their first places again. Each number of rounds (24, 28, 32)
/// is a multiple of it.
pub(crate) type Quad = [RoundKey; 4];

/// The round keys of both directions. Those of a key of fewer rounds fill only the beginning.
#[derive(Clone)]
pub(crate) struct Schedule {
    quads: usize,
    encryption: [Quad; MOST_ROUNDS / 4],
    decryption: [Quad; MOST_ROUNDS / 4],
}

const NO_KEYS: [Quad; MOST_ROUNDS / 4] = [[[KeyWord([0; 8]); 6]; 4]; MOST_ROUNDS / 4];

impl Schedule {
    /// Of a key of `4 * WORDS` bytes, which are 4, 6 or 8 words.
    pub(crate) fn new<const WORDS: usize>(key: &[[u8; 4]; WORDS]) -> Self {
        let rounds = 16 + 2 * WORDS;
        let mut words = key.map(u32::from_le_bytes);
        let mut schedule = Self { quads: rounds / 4, encryption: NO_KEYS, decryption: NO_KEYS };
        for round in 0..rounds {
            schedule.encryption[round / 4][round % 4] = spread(round_key(&mut words, round));
        }
        words.zeroize();
        let mut pending = 0;
        for (place, round) in (0..rounds).rev().enumerate() {
            let key = schedule.encryption[round / 4][round % 4].map(|word| word.get());
            schedule.decryption[place / 4][place % 4] = spread(merged(key, pending));
            pending = key[5];
        }
        schedule
    }

    /// Of each round, the first first.
    #[inline]
    pub(crate) fn encryption(&self) -> &[Quad] {
        &self.encryption[..self.quads]
    }

    /// Of each round, the last first. The words are those of [`merged`].
    #[inline]
    pub(crate) fn decryption(&self) -> &[Quad] {
        &self.decryption[..self.quads]
    }

    /// What the last word of the state still lacks after the last round of decryption.
    #[inline]
    pub(crate) fn pending(&self) -> &KeyWord {
        &self.encryption[0][0][5]
    }

    pub(crate) fn key_bits(&self) -> usize {
        64 * self.quads - 256
    }
}

/// The next round's key. A round takes six words; of a key of eight it goes on where the last round stopped, and the
/// key of four words lends its second one three times.
fn round_key<const WORDS: usize>(words: &mut [u32; WORDS], round: usize) -> [u32; 6] {
    let updated = if WORDS == 4 { 4 } else { 6 };
    let mut key = [0; 6];
    for place in 0..updated {
        let word = &mut words[if WORDS == 8 { (6 * round + place) % 8 } else { place }];
        // A rotation by 32 or more is one modulo 32.
        let delta = DELTA[round % WORDS].rotate_left((round + place) as u32);
        *word = word.wrapping_add(delta).rotate_left(ROTATIONS[place]);
        key[place] = *word;
    }
    if WORDS == 4 {
        let [first, second, third, fourth, ..] = key;
        key = [first, second, third, second, fourth, second];
    }
    key
}

/// A round key for decryption, which shortens the chain of dependent operations. Each difference of the round becomes a
/// word by the XOR with one key, and is XORed with another one before the next difference is taken: the two keys are
/// given as one beside the first of them. `pending` is that first key of the last word of the round before, which has
/// left it to this one; it takes the place of this round's own, which is left to the next.
fn merged(key: [u32; 6], pending: u32) -> [u32; 6] {
    let [first, second, third, fourth, fifth, _] = key;
    [first ^ pending, second, third ^ second, fourth, fifth ^ fourth, pending]
}

fn spread(key: [u32; 6]) -> RoundKey {
    key.map(|word| KeyWord([word; 8]))
}

impl Zeroize for Schedule {
    fn zeroize(&mut self) {
        self.encryption = NO_KEYS;
        self.decryption = NO_KEYS;
        // The volatile writes of `Zeroize` go word by word; the barrier keeps the compiler from leaving out these.
        zeroize::optimization_barrier(self);
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Schedule {}
