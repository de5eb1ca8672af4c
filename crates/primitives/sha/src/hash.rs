//! What a hash function brings, and the choice of the engine that absorbs its blocks.

#![allow(unsafe_code)] // calls of functions with target features

use fieldtest_many::DigestLength;

use crate::block::{Block, State, Tail, write_digest};
use crate::path::{Engine, Path};
#[cfg(target_arch = "x86_64")]
use crate::vector;

/// A hash function of this crate: [`Sha1`](crate::Sha1) or [`Sha256`](crate::Sha256).
#[allow(private_bounds)] // the trait is sealed: what it needs is this crate's own
pub trait Hash: Compression + 'static {
    /// Bytes of a digest.
    const DIGEST: usize;
}

/// The digest of the message that is `head` followed by `body`, by the given path; `digest` is overwritten.
///
/// # Errors
/// [`DigestLength`] if `digest` is not [`Hash::DIGEST`] bytes long; it is left as it was.
pub fn hash_on<H: Hash>(path: Path, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), DigestLength> {
    DigestLength::check(digest, H::DIGEST)?;
    let mut tail = Tail::EMPTY;
    write_digest(digest, &absorb_message::<H>(path, head, body, &mut tail));
    Ok(())
}

pub(crate) fn digest<H: Hash, const N: usize>(path: Path, message: &[u8]) -> [u8; N] {
    let mut digest = [0; N];
    let mut tail = Tail::EMPTY;
    write_digest(&mut digest, &absorb_message::<H>(path, &[], message, &mut tail));
    digest
}

/// The compression function in all its forms. Those for several messages absorb as many blocks as the shortest of
/// them has, each into its own state, and return how many.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Compression: vector::Rounds {
    /// The state before the first block.
    const INITIAL: State;

    /// The number of messages from which on eight lanes of AVX-512VL, partly empty, beat the SHA extensions.
    const EIGHT_FROM: usize;

    /// One message in plain Rust.
    fn portable(state: &mut State, blocks: &[Block]);

    /// `L` messages with the SHA extensions.
    ///
    /// # Safety
    /// The processor has them, SSSE3 and SSE4.1.
    unsafe fn sha_ni<const L: usize>(states: &mut [State; L], messages: &[&[Block]; L]) -> usize;

    /// The outer state of HMAC after the digest of the inner hash, whose message is `body` and then `tail`.
    ///
    /// # Safety
    /// As [`Self::sha_ni`].
    unsafe fn hmac_sha_ni(inner: &State, outer: &State, body: &[Block], tail: &[Block]) -> State;
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) trait Compression {
    /// The state before the first block.
    const INITIAL: State;

    /// The number of messages from which on eight lanes beat one; there are none here.
    const EIGHT_FROM: usize;

    /// One message in plain Rust.
    fn portable(state: &mut State, blocks: &[Block]);
}

/// Makes a type the hash function of the module it stands in, which has the constants `INITIAL` and `EIGHT_FROM` and
/// the modules `portable` and `ni`.
macro_rules! hash_function {
    ($name:ident, $digest:literal) => {
        impl $crate::hash::Hash for $name {
            const DIGEST: usize = $digest;
        }

        #[allow(unsafe_code)] // calls of functions with target features
        impl $crate::hash::Compression for $name {
            const INITIAL: $crate::block::State = INITIAL;
            const EIGHT_FROM: usize = EIGHT_FROM;

            fn portable(state: &mut $crate::block::State, blocks: &[$crate::block::Block]) {
                portable::compress(state, blocks);
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn sha_ni<const L: usize>(
                states: &mut [$crate::block::State; L],
                messages: &[&[$crate::block::Block]; L],
            ) -> usize {
                // SAFETY: as for this function.
                unsafe { ni::compress(states, messages) }
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn hmac_sha_ni(
                inner: &$crate::block::State,
                outer: &$crate::block::State,
                body: &[$crate::block::Block],
                tail: &[$crate::block::Block],
            ) -> $crate::block::State {
                // SAFETY: as for this function.
                unsafe { ni::hmac(inner, outer, body, tail) }
            }
        }
    };
}
pub(crate) use hash_function;

/// Absorbs blocks by an engine that `path` offers: as many as the shortest of the engine's messages has, each into
/// its own state. Returns how many, which is zero if there are fewer states or messages than the engine has lanes.
pub(crate) fn absorb<H: Hash>(engine: Engine, states: &mut [State], messages: &[&[Block]]) -> usize {
    fn exactly<const L: usize>(
        states: &mut [State],
        messages: &[&[Block]],
        compress: impl FnOnce(&mut [State; L], &[&[Block]; L]) -> usize,
    ) -> usize {
        match (states.first_chunk_mut(), messages.first_chunk()) {
            (Some(states), Some(messages)) => compress(states, messages),
            _ => 0,
        }
    }
    #[cfg(target_arch = "x86_64")]
    macro_rules! with_feature {
        ($compress:expr) => {
            exactly(states, messages, |states, messages| {
                // SAFETY: engines come from a `Path`, and a path that offers this one exists only where the
                // processor has its instructions.
                unsafe { $compress(states, messages) }
            })
        };
    }
    match engine {
        Engine::Portable => exactly(states, messages, |[state], [blocks]| {
            H::portable(state, blocks);
            blocks.len()
        }),
        #[cfg(target_arch = "x86_64")]
        Engine::ShaNi1 => with_feature!(H::sha_ni::<1>),
        #[cfg(target_arch = "x86_64")]
        Engine::ShaNi2 => with_feature!(H::sha_ni::<2>),
        #[cfg(target_arch = "x86_64")]
        Engine::ShaNi4 => with_feature!(H::sha_ni::<4>),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 => with_feature!(vector::avx2::compress::<H>),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512Half => with_feature!(vector::avx2::compress_ternary::<H>),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 => with_feature!(vector::avx512::compress::<H>),
    }
}

/// The state after the whole message that is `head` followed by `body`. Its end is left in `tail`.
pub(crate) fn absorb_message<H: Hash>(path: Path, head: &[u8], body: &[u8], tail: &mut Tail) -> State {
    let mut state = H::INITIAL;
    let mut absorb =
        |blocks: &[Block]| absorb::<H>(path.single(), core::slice::from_mut(&mut state), &[blocks]);
    let cut = tail.begin(head, body);
    absorb(cut.blocks);
    absorb(tail.pending());
    if let Some(rest) = cut.after {
        absorb(tail.end(rest));
        absorb(tail.pending());
    }
    state
}

/// The outer state of HMAC after the digest of the inner hash, whose message is `body` and then `tail`.
#[inline]
pub(crate) fn hmac<H: Hash>(
    path: Path,
    inner: &State,
    outer: &State,
    body: &[Block],
    tail: &[Block],
) -> State {
    #[cfg(target_arch = "x86_64")]
    if path.single() == Engine::ShaNi1 {
        // SAFETY: the path offers the SHA extensions.
        return unsafe { H::hmac_sha_ni(inner, outer, body, tail) };
    }
    let (mut inner, mut outer) = (*inner, *outer);
    for blocks in [body, tail] {
        absorb::<H>(path.single(), core::slice::from_mut(&mut inner), &[blocks]);
    }
    let mut last = Tail::EMPTY;
    last.fill_outer(&inner, H::DIGEST);
    absorb::<H>(path.single(), core::slice::from_mut(&mut outer), &[last.pending()]);
    outer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BLOCK;
    use crate::{Sha1, Sha256};

    /// Every engine that a path may name, partly empty or not, computes what plain Rust computes.
    #[test]
    fn engines_agree() {
        fn check<H: Hash>() {
            let mut seed = 1_u32;
            let mut word = || {
                // The multiplier and the increment of Numerical Recipes.
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                seed.rotate_left(16)
            };
            for path in Path::available() {
                for active in 1..20 {
                    let engine = path.engine(active, H::EIGHT_FROM);
                    let mut states = [[0; 8]; 16];
                    states.iter_mut().for_each(|state| state[..H::DIGEST / 4].fill_with(&mut word));
                    let mut blocks = [[[0; BLOCK]; 3]; 16];
                    blocks.as_flattened_mut().as_flattened_mut().fill_with(|| word() as u8);
                    let messages = core::array::from_fn(|lane| &blocks[lane][..3 - lane % 2]);
                    let messages: [&[Block]; 16] = messages;

                    let mut expected = states;
                    let lanes = engine.lanes();
                    let shortest = if lanes == 1 { 3 } else { 2 };
                    for (state, blocks) in expected.iter_mut().zip(messages).take(lanes) {
                        H::portable(state, &blocks[..shortest]);
                    }
                    assert_eq!(absorb::<H>(engine, &mut states, &messages), shortest, "{engine:?}");
                    assert_eq!(states, expected, "{engine:?}");
                    assert_eq!(absorb::<H>(engine, &mut states[..lanes - 1], &messages), 0, "{engine:?}");
                }
            }
        }
        check::<Sha1>();
        check::<Sha256>();
    }
}
