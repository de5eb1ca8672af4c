//! Several states side by side, one per element of a vector.

#![allow(unsafe_code)] // the constructors of vectors need the processor's instructions

use super::round;
use super::word::Word;

/// One lane of `W` states side by side.
pub(crate) type Side<const W: usize> = [u64; W];

/// A vector of one lane of `W` states.
pub(crate) trait Vector<const W: usize>: Word {
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn load(side: &Side<W>) -> Self;

    fn store(self, side: &mut Side<W>);

    /// The next two words of each message.
    ///
    /// # Safety
    /// The processor has the vector's instructions, and each pointer sixteen readable bytes.
    unsafe fn two_words(messages: [*const u8; W]) -> [Self; 2];
}

/// Absorbs as many blocks as the shortest of the messages has, each into its own state; returns how many.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(crate) unsafe fn absorb<V: Vector<W>, const RATE: usize, const W: usize>(
    states: &mut [Side<W>; 25],
    messages: &[&[[u8; RATE]]; W],
    iota: &[u64],
) -> usize {
    let count = messages.iter().map(|message| message.len()).min().unwrap_or(0);
    // SAFETY: as for this function.
    let mut lanes: [V; 25] = core::array::from_fn(|lane| unsafe { V::load(&states[lane]) });
    for index in 0..count {
        // SAFETY: `index` is below the length of every message.
        let block = |lane: usize| unsafe { messages[lane].get_unchecked(index) };
        for pair in 0..RATE / 16 {
            // SAFETY: the two words are inside the block.
            let words =
                unsafe { V::two_words(core::array::from_fn(|lane| block(lane).as_ptr().add(16 * pair))) };
            lanes[2 * pair] = lanes[2 * pair].xor(words[0]);
            lanes[2 * pair + 1] = lanes[2 * pair + 1].xor(words[1]);
        }
        if !RATE.is_multiple_of(16) {
            // The last word, as the second of two.
            // SAFETY: the two words are inside the block.
            let words =
                unsafe { V::two_words(core::array::from_fn(|lane| block(lane).as_ptr().add(RATE - 16))) };
            lanes[RATE / 8 - 1] = lanes[RATE / 8 - 1].xor(words[1]);
        }
        for constant in iota {
            lanes = round(lanes, *constant);
        }
    }
    for (lane, state) in lanes.into_iter().zip(states) {
        lane.store(state);
    }
    count
}

/// Permutes `W` states of those that lie side by side, from the given one on.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(crate) unsafe fn permute<V: Vector<W>, const W: usize, const N: usize>(
    states: &mut [Side<N>; 25],
    first: usize,
    iota: &[u64],
) {
    // Loops instead of closures, which are compiled without the caller's instructions and then not always inlined.
    // SAFETY: as for this function.
    unsafe {
        let mut lanes = [V::load(&[0; W]); 25];
        for (lane, state) in lanes.iter_mut().zip(states.iter()) {
            let mut side = [0; W];
            side.copy_from_slice(&state[first..first + W]);
            *lane = V::load(&side);
        }
        for constant in iota {
            lanes = round(lanes, *constant);
        }
        for (lane, state) in lanes.into_iter().zip(states) {
            let mut side = [0; W];
            lane.store(&mut side);
            state[first..first + W].copy_from_slice(&side);
        }
    }
}
