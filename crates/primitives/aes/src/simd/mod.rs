//! AES by the processor's instructions: one engine over registers of one, two and four blocks.
#![allow(unsafe_code)] // SIMD intrinsics, loads and stores through pointers

mod absorbed;
mod chain;
mod engine;
mod hashed;
mod operations;
mod schedule;
mod vector;
mod xmm;
mod ymm;
mod zmm;

pub(crate) use absorbed::KeystreamAbsorbed;
pub(crate) use chain::{Absorb, Chain};
pub(crate) use hashed::keystream_hashed;
pub(crate) use operations::{Ecb, Keystream, Masked, Unchain, Xex};
pub(crate) use schedule::Schedule;

use crate::path::{Kind, Path};
use engine::RoundKeys;

pub(crate) trait Operation {
    /// Does it with a key of `ROUNDS` rounds, given in the order of that direction.
    ///
    /// # Safety
    /// The processor has the vector's instructions and those of [`xmm::Xmm`].
    unsafe fn run<V: vector::Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys);
}

/// Does it by the given path, which is not the portable one.
pub(crate) fn run<O: Operation, const DECRYPT: bool>(path: Path, schedule: &Schedule, operation: O) {
    match schedule.rounds {
        10 => run_rounds::<O, 10, DECRYPT>(path, schedule, operation),
        12 => run_rounds::<O, 12, DECRYPT>(path, schedule, operation),
        _ => run_rounds::<O, 14, DECRYPT>(path, schedule, operation),
    }
}

#[inline(always)]
fn run_rounds<O: Operation, const ROUNDS: usize, const DECRYPT: bool>(
    path: Path,
    schedule: &Schedule,
    operation: O,
) {
    let keys = if DECRYPT { &schedule.decrypt } else { &schedule.encrypt };
    // SAFETY: a path is the proof of its instructions, and a schedule that of AES-NI.
    unsafe {
        match path.kind() {
            Kind::Portable | Kind::AesNi => on_xmm::<O, ROUNDS, DECRYPT>(operation, keys),
            Kind::Vaes256 => on_ymm::<O, ROUNDS, DECRYPT>(operation, keys),
            Kind::Vaes512 => on_zmm::<O, ROUNDS, DECRYPT>(operation, keys),
        }
    }
}

#[target_feature(enable = "aes,avx")]
fn on_xmm<O: Operation, const ROUNDS: usize, const DECRYPT: bool>(operation: O, keys: &RoundKeys) {
    // SAFETY: this function's features are the vector's.
    unsafe { operation.run::<xmm::Xmm, ROUNDS, DECRYPT>(keys) }
}

#[target_feature(enable = "aes,avx2,vaes")]
fn on_ymm<O: Operation, const ROUNDS: usize, const DECRYPT: bool>(operation: O, keys: &RoundKeys) {
    // SAFETY: this function's features are the vector's.
    unsafe { operation.run::<ymm::Ymm, ROUNDS, DECRYPT>(keys) }
}

#[target_feature(enable = "aes,avx2,vaes,vpclmulqdq,avx512f,avx512bw,avx512vl")]
fn on_zmm<O: Operation, const ROUNDS: usize, const DECRYPT: bool>(operation: O, keys: &RoundKeys) {
    // SAFETY: this function's features are the vector's.
    unsafe { operation.run::<zmm::Zmm, ROUNDS, DECRYPT>(keys) }
}
