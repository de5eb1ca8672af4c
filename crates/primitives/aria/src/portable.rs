//! Plain Rust: 64 blocks bit by bit.
//! Not tables of S-boxes: an address that depends on key or data shows in the cache, and they are no faster
//! here (RustCrypto's `aria` 0.2.0 has them and takes 171,000 cycles a page; this takes 163,000).

use core::array;
use core::ops::{BitAnd, BitXor, Not};

use crate::Block;
use crate::diffusion::diffuse;
use crate::prepared::Prepared;
use crate::sbox;

/// Blocks at once: one for each bit of a plane.
pub(crate) const BLOCKS: usize = 64;

/// The first index is a byte's place in its block, the second a bit of that byte; the bits of the element are of
/// the 64 blocks.
type State = [[u64; 8]; 16];

/// Encrypts or decrypts, which the keys determine.
pub(crate) fn crypt(keys: &Prepared, blocks: &mut [Block; BLOCKS], masks: Option<&[Block; BLOCKS]>) {
    add_masks(blocks, masks);
    let mut state = load(blocks);
    add_key(&mut state, &keys.plain[0].map(u32::from));
    for (round, key) in keys.middle[..keys.rounds].iter().enumerate() {
        substitute(&mut state, 2 * (round % 2));
        if round + 1 < keys.rounds {
            diffuse_planes(&mut state);
        }
        add_key(&mut state, key);
    }
    store(&state, blocks);
    add_masks(blocks, masks);
}

fn add_masks(blocks: &mut [Block; BLOCKS], masks: Option<&[Block; BLOCKS]>) {
    for (block, mask) in blocks.iter_mut().zip(masks.into_iter().flatten()) {
        block.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    }
}

fn add_key(state: &mut State, key: &[u32; 16]) {
    for (planes, byte) in state.iter_mut().zip(key) {
        for (bit, plane) in planes.iter_mut().enumerate() {
            *plane ^= u64::from(byte >> bit & 1).wrapping_neg();
        }
    }
}

/// The substitution layer that begins with the S-box `first`. The four bytes that take the same S-box take it
/// together.
fn substitute(state: &mut State, first: usize) {
    for place in 0..4 {
        let planes = array::from_fn(|bit| Four(array::from_fn(|word| state[4 * word + place][bit])));
        let planes = sbox::substitute(place + first, planes);
        for (bit, plane) in planes.into_iter().enumerate() {
            for (word, plane) in plane.0.into_iter().enumerate() {
                state[4 * word + place][bit] = plane;
            }
        }
    }
}

fn diffuse_planes(state: &mut State) {
    for bit in 0..8 {
        let planes = diffuse(array::from_fn(|place| state[place][bit]));
        state.iter_mut().zip(planes).for_each(|(byte, plane)| byte[bit] = plane);
    }
}

/// Four planes, which compilers put into vectors.
#[derive(Clone, Copy, Default)]
struct Four([u64; 4]);

impl BitXor for Four {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        Self(array::from_fn(|i| self.0[i] ^ b.0[i]))
    }
}

impl BitAnd for Four {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, b: Self) -> Self {
        Self(array::from_fn(|i| self.0[i] & b.0[i]))
    }
}

impl Not for Four {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|plane| !plane))
    }
}

fn load(blocks: &[Block; BLOCKS]) -> State {
    let mut state = [[0; 8]; 16];
    for (shift, eight) in blocks.as_chunks::<8>().0.iter().enumerate() {
        for (place, planes) in state.iter_mut().enumerate() {
            let bits = transpose(u64::from_le_bytes(eight.map(|block| block[place])));
            for (plane, bits) in planes.iter_mut().zip(bits.to_le_bytes()) {
                *plane |= u64::from(bits) << (8 * shift);
            }
        }
    }
    state
}

fn store(state: &State, blocks: &mut [Block; BLOCKS]) {
    for (shift, eight) in blocks.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        for (place, planes) in state.iter().enumerate() {
            let bits = u64::from_le_bytes(planes.map(|plane| (plane >> (8 * shift)) as u8));
            let bytes = transpose(bits).to_le_bytes();
            eight.iter_mut().zip(bytes).for_each(|(block, byte)| block[place] = byte);
        }
    }
}

/// Eight rows of eight bits, mirrored: bit 8a + b and bit 8b + a change places.
fn transpose(mut bits: u64) -> u64 {
    for (distance, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swap = (bits ^ (bits >> distance)) & mask;
        bits ^= swap ^ (swap << distance);
    }
    bits
}
