//! Keystream and hash of GCM at once. Rounds and carry-less multiplications keep different parts of a processor busy: between
//! two rounds of eight registers another register is hashed. Both need more registers than there are
//! without AVX-512. One after the other, a page took 1,455 cycles to be sealed instead of 1,267 (Intel with
//! AMX, November 2026).

use fieldtest_block::{Ciphertext, Hash};
use fieldtest_ghash::beside::{Hashing, Key, LANES, REGISTERS};

use super::Schedule;
use super::engine::{Between, Nothing, RoundKeys, keystream_group};
use super::vector::{Vector as _, overflows};
use super::zmm::Zmm;
use crate::Block;
use crate::path::{Kind, Path};

const GROUP: usize = REGISTERS * LANES;

/// XORs a keystream into whole groups of blocks and goes on with the hash. Returns how many blocks that was: none, where one of both is
/// of another path, or a counter overflows.
pub(crate) fn keystream_hashed(
    path: Path,
    schedule: &Schedule,
    blocks: &mut [Block],
    first: &Block,
    hash: &mut Hash<'_>,
) -> usize {
    let overflows = overflows(u128::from_be_bytes(*first), blocks.len());
    let groups = blocks.as_chunks_mut().0;
    match hash.key.beside() {
        // SAFETY: a path is the proof of its instructions, a schedule that of AES-NI, and such a key that of the hash's.
        Some(key) if path.kind() == Kind::Vaes512 && !overflows && !groups.is_empty() => unsafe {
            match schedule.rounds {
                10 => run::<10>(&schedule.encrypt, groups, first, key, hash),
                12 => run::<12>(&schedule.encrypt, groups, first, key, hash),
                _ => run::<14>(&schedule.encrypt, groups, first, key, hash),
            }
            GROUP * groups.len()
        },
        _ => 0,
    }
}

/// A group that is hashed between the rounds of another one.
struct HashBetween<'a, 'b> {
    hashing: &'a mut Hashing<'b>,
    group: *const Block,
}

impl Between for HashBetween<'_, '_> {
    #[inline(always)]
    unsafe fn after_round(&mut self, number: usize) {
        // SAFETY: as for this function; the group has a register of each number.
        unsafe {
            match number {
                0..REGISTERS => {
                    let at = (number + 1) % REGISTERS;
                    self.hashing.add(at, self.group.add(at * LANES));
                }
                REGISTERS => self.hashing.end_group(),
                _ => {}
            }
        }
    }
}

#[target_feature(enable = "aes,avx2,vaes,pclmulqdq,vpclmulqdq,avx512f,avx512bw,avx512vl")]
fn run<const ROUNDS: usize>(
    keys: &RoundKeys,
    groups: &mut [[Block; GROUP]],
    first: &Block,
    key: Key<'_>,
    hash: &mut Hash<'_>,
) {
    let mut hashing = Hashing::new(key, hash.state);
    let encrypts = hash.ciphertext == Ciphertext::After;
    // SAFETY: this function has the registers' features.
    let mut numbers = unsafe { Zmm::numbers(u128::from_be_bytes(*first)) };
    let mut before: *const Block = core::ptr::null();
    for group in groups {
        let counters = Zmm::next_counters(&mut numbers);
        let blocks = group.as_mut_ptr();
        // What is encrypted is hashed between the rounds of the next group.
        let ciphertext = if encrypts { before } else { blocks };
        // SAFETY: as above; both are whole groups.
        unsafe {
            if ciphertext.is_null() {
                keystream_group::<Zmm, ROUNDS, REGISTERS>(keys, blocks, counters, &mut Nothing);
            } else {
                let mut between = HashBetween { hashing: &mut hashing, group: ciphertext };
                keystream_group::<Zmm, ROUNDS, REGISTERS>(keys, blocks, counters, &mut between);
            }
        }
        before = blocks;
    }
    if encrypts && !before.is_null() {
        let mut last = HashBetween { hashing: &mut hashing, group: before };
        for number in 0..=REGISTERS {
            // SAFETY: as above.
            unsafe { last.after_round(number) };
        }
    }
    *hash.state = hashing.state();
}
