//! From the key to the round keys (RFC 5794, section 2.2).

use zeroize::Zeroize;

use crate::diffusion::diffuse;
use crate::sbox::substitute;

/// The longest key has sixteen rounds, and there is one round key more than rounds.
pub(crate) const MOST_ROUNDS: usize = 16;

/// The round keys of one direction, in the order of their use; what stands beyond round `rounds` is zero.
#[derive(Clone)]
pub(crate) struct RoundKeys {
    pub(crate) keys: [[u8; 16]; MOST_ROUNDS + 1],
    pub(crate) rounds: usize,
}

impl Drop for RoundKeys {
    fn drop(&mut self) {
        self.keys.zeroize();
    }
}

/// CK1, CK2 and CK3 are these in an order that the key's length determines: the fraction of 1/pi.
const CONSTANTS: [u128; 3] = [
    0x517c_c1b7_2722_0a94_fe13_abe8_fa9a_6ee0,
    0x6db1_4acc_9e21_c820_ff28_b1d5_ef5d_e2b0,
    0xdb92_371d_2126_e970_0324_9775_04e8_c90e,
];

/// The round keys for encryption, of a key of 16, 24 or 32 bytes; `None` for other lengths.
pub(crate) fn encryption(key: &[u8]) -> Option<RoundKeys> {
    let (rounds, first) = match key.len() {
        16 => (12, 0),
        24 => (14, 1),
        32 => (16, 2),
        _ => return None,
    };
    let mut both = [0; 32];
    both.iter_mut().zip(key).for_each(|(padded, byte)| *padded = *byte);
    let (left, right) = both.split_at(16);
    let half = |half: &[u8]| half.iter().fold(0, |sum, byte| sum << 8 | u128::from(*byte));
    let constant = |number: usize| CONSTANTS[(first + number) % 3];

    let mut w = [half(left), 0, 0, 0];
    w[1] = round::<0>(w[0], constant(0)) ^ half(right);
    w[2] = round::<2>(w[1], constant(1)) ^ w[0];
    w[3] = round::<0>(w[2], constant(2)) ^ w[1];

    let mut keys = RoundKeys { keys: [[0; 16]; MOST_ROUNDS + 1], rounds };
    // Four keys at a time are a word plus the next one, rotated; 61 bits to the left are 67 to the right, and so on.
    let rotations = [19, 31, 67, 97, 109];
    for (index, key) in keys.keys[..=rounds].iter_mut().enumerate() {
        let (word, next) = (w[index % 4], w[(index + 1) % 4]);
        *key = (word ^ next.rotate_right(rotations[index / 4])).to_be_bytes();
    }
    both.zeroize();
    w.zeroize();
    Some(keys)
}

impl RoundKeys {
    /// The round keys that undo these: in reverse order, and all but the outermost through the diffusion layer.
    pub(crate) fn inverted(&self) -> Self {
        let mut inverted = self.clone();
        inverted.keys[..=self.rounds].reverse();
        for key in &mut inverted.keys[1..self.rounds] {
            *key = diffuse(*key);
        }
        inverted
    }
}

/// A round function for one block: FO with `FIRST` 0, FE with `FIRST` 2, which is the number of the S-box for the
/// first byte (RFC 5794, section 2.4.1). The portable S-boxes serve every path here; they are most of the
/// 3,500 to 7,000 cycles that preparing a key takes.
fn round<const FIRST: usize>(block: u128, key: u128) -> u128 {
    let mut bytes = (block ^ key).to_be_bytes();
    for place in 0..4 {
        // The bit `word` of a plane is of the byte `place` of that word.
        let mut planes = [0u8; 8];
        for (bit, plane) in planes.iter_mut().enumerate() {
            *plane = (0..4).fold(0, |sum, word| sum | (bytes[4 * word + place] >> bit & 1) << word);
        }
        let planes = substitute(place + FIRST, planes);
        for word in 0..4 {
            bytes[4 * word + place] =
                planes.iter().rev().fold(0, |byte, plane| byte << 1 | plane >> word & 1);
        }
    }
    u128::from_be_bytes(diffuse(bytes))
}
