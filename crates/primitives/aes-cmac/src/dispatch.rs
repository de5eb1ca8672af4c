//! From a path to its code.
#![allow(unsafe_code)] // Code for processors that have certain instructions is called after the path was checked.

use crate::batch::Batch;
use crate::block::Block;
use crate::chain::Chain;
use crate::key::{Cmac, write_tag};
use crate::path::Path;
use crate::portable;
#[cfg(target_arch = "x86_64")]
use crate::{aesni, vaes};

pub(crate) fn prepare<const ROUNDS: usize>(key: &[u8]) -> Cmac<ROUNDS> {
    match Path::best() {
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Path::AesNi | Path::Vaes256 | Path::Vaes512 => unsafe { aesni::prepare(key) },
        _ => portable::prepare(key),
    }
}

#[inline]
pub(crate) fn tag<const ROUNDS: usize>(path: Path, key: &Cmac<ROUNDS>, message: &[u8]) -> Block {
    match path.or_best() {
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Path::AesNi | Path::Vaes256 | Path::Vaes512 => unsafe { aesni::tag_message(key, message) },
        _ => portable::tag(key, Chain::new(key, message)),
    }
}

/// With fewer blocks beside the longest message, messages are done one by one: short ones overlap in the processor by
/// themselves, at less expense. (Measured on the machine of the README's figures.)
const WORTH_LANES: usize = 48;

pub(crate) fn tag_many<const ROUNDS: usize>(path: Path, batch: &mut Batch<'_, '_, ROUNDS>) {
    let path = path.or_best();
    if path != Path::Portable && batch.blocks_beside_the_longest() < WORTH_LANES {
        while let Some(job) = batch.take() {
            write_tag(&tag(path, job.key, job.message), job.tag);
        }
        return;
    }
    match path {
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Path::AesNi => unsafe { aesni::tag_many(batch) },
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Path::Vaes256 => unsafe { vaes::tag_many256(batch) },
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Path::Vaes512 => unsafe { vaes::tag_many512(batch) },
        _ => portable::tag_many(batch),
    }
}
