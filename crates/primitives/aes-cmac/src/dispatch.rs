//! From a path to its code.
#![allow(unsafe_code)] // Code for processors that have certain instructions is called after the path was checked.

use crate::batch::Batch;
use crate::block::Block;
use crate::chain::Chain;
use crate::key::{Cmac, write_tag};
use crate::path::{Kind, Path};
use crate::portable;
#[cfg(target_arch = "x86_64")]
use crate::{aesni, vaes};

pub(crate) fn prepare<const ROUNDS: usize>(key: &[u8]) -> Cmac<ROUNDS> {
    match Path::best().kind() {
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Kind::AesNi | Kind::Vaes256 | Kind::Vaes512 => unsafe { aesni::prepare(key) },
        Kind::Portable => portable::prepare(key),
    }
}

#[inline]
pub(crate) fn tag<const ROUNDS: usize>(path: Path, key: &Cmac<ROUNDS>, message: &[u8]) -> Block {
    match path.kind() {
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Kind::AesNi | Kind::Vaes256 | Kind::Vaes512 => unsafe { aesni::tag_message(key, message) },
        Kind::Portable => portable::tag(key, Chain::new(key, message)),
    }
}

/// With fewer blocks beside the longest message, messages are done one by one: short ones overlap in the processor by
/// themselves, at less expense. (Measured on the machine of the README's figures.)
const WORTH_LANES: usize = 48;

pub(crate) fn tag_many<const ROUNDS: usize>(path: Path, batch: &mut Batch<'_, '_, ROUNDS>) {
    if path != Path::PORTABLE && batch.blocks_beside_the_longest() < WORTH_LANES {
        while let Some(job) = batch.take() {
            write_tag(&tag(path, job.key, job.message), job.tag);
        }
        return;
    }
    match path.kind() {
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Kind::AesNi => unsafe { aesni::tag_many(batch) },
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Kind::Vaes256 => unsafe { vaes::tag_many256(batch) },
        // SAFETY: the processor has the path.
        #[cfg(target_arch = "x86_64")]
        Kind::Vaes512 => unsafe { vaes::tag_many512(batch) },
        Kind::Portable => portable::tag_many(batch),
    }
}
