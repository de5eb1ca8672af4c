//! The rounds of both directions, for any [`Words`] and for one or more groups of blocks side by side.
//!
//! Side by side because a round is a chain of operations that wait for each other; groups that do not depend on each
//! other fill the gaps, and a round key that was fetched serves all of them.

use crate::schedule::{Quad, RoundKey, Schedule};
use crate::words::Words;

pub(crate) trait Direction {
    /// The round keys in the order in which they are used.
    fn keys(schedule: &Schedule) -> &[Quad];

    fn round<W: Words, const GROUPS: usize>(groups: &mut [[W; 4]; GROUPS], key: &RoundKey);

    /// What is left to be done after the last round.
    fn finish<W: Words, const GROUPS: usize>(groups: &mut [[W; 4]; GROUPS], schedule: &Schedule);
}

#[inline(always)]
pub(crate) fn rounds<D: Direction, W: Words, const GROUPS: usize>(
    schedule: &Schedule,
    groups: &mut [[W; 4]; GROUPS],
) {
    for quad in D::keys(schedule) {
        for key in quad {
            D::round(groups, key);
        }
    }
    D::finish(groups, schedule);
}

pub(crate) enum Encryption {}

impl Direction for Encryption {
    #[inline(always)]
    fn keys(schedule: &Schedule) -> &[Quad] {
        schedule.encryption()
    }

    // From the last word to the first, so that what a word is made of has not changed yet.
    #[inline(always)]
    fn round<W: Words, const GROUPS: usize>(groups: &mut [[W; 4]; GROUPS], key: &RoundKey) {
        for x in groups.iter_mut() {
            x[3] = x[2].xor_key(&key[4]).add(x[3].xor_key(&key[5])).rotate::<29, 3>();
        }
        for x in groups.iter_mut() {
            x[2] = x[1].xor_key(&key[2]).add(x[2].xor_key(&key[3])).rotate::<27, 5>();
        }
        for x in groups.iter_mut() {
            x[1] = x[0].xor_key(&key[0]).add(x[1].xor_key(&key[1])).rotate::<9, 23>();
            *x = [x[1], x[2], x[3], x[0]];
        }
    }

    #[inline(always)]
    fn finish<W: Words, const GROUPS: usize>(_: &mut [[W; 4]; GROUPS], _: &Schedule) {}
}

/// From ciphertext to plaintext, with the keys of [`Schedule::decryption`].
pub(crate) enum Decryption {}

impl Direction for Decryption {
    #[inline(always)]
    fn keys(schedule: &Schedule) -> &[Quad] {
        schedule.decryption()
    }

    // The next difference waits for this one XORed with two keys, which are given as one, and not for the word that this
    // one becomes by the XOR with the first of them. The last word lacks that key until the next round.
    #[inline(always)]
    fn round<W: Words, const GROUPS: usize>(groups: &mut [[W; 4]; GROUPS], key: &RoundKey) {
        for x in groups.iter_mut() {
            x[0] = x[0].rotate::<23, 9>().sub(x[3].xor_key(&key[0]));
            x[3] = x[3].xor_key(&key[5]);
        }
        for x in groups.iter_mut() {
            x[1] = x[1].rotate::<5, 27>().sub(x[0].xor_key(&key[2]));
            x[0] = x[0].xor_key(&key[1]);
        }
        for x in groups.iter_mut() {
            x[2] = x[2].rotate::<3, 29>().sub(x[1].xor_key(&key[4]));
            x[1] = x[1].xor_key(&key[3]);
            *x = [x[3], x[0], x[1], x[2]];
        }
    }

    #[inline(always)]
    fn finish<W: Words, const GROUPS: usize>(groups: &mut [[W; 4]; GROUPS], schedule: &Schedule) {
        for x in groups {
            x[3] = x[3].xor_key(schedule.pending());
        }
    }
}
