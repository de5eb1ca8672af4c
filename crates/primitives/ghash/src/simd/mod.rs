//! GHASH by carry-less multiplications: one engine over registers of one, two and four blocks.
#![allow(unsafe_code)] // SIMD intrinsics, loads and stores through pointers

pub mod beside;
mod element;
mod vector;
mod xmm;
mod ymm;
mod zmm;

use core::arch::x86_64::__m128i;

use zeroize::Zeroize;

use crate::path::{Kind, Path};
use crate::{Block, portable};
use element::{loaded, reduced, stored};
use vector::{Products, Vector};

/// Blocks whose products are added up before they are reduced, once for all of them. So many powers take
/// 560 cycles for each key; a page takes 419, of which the multiplications are 256 (VPCLMULQDQ on 512
/// bits).
const GROUP: usize = 32;

/// From so many blocks on wide registers take less time than one block after another. (Measured on the machine of the README's
/// figures.)
const FEW: usize = 8;

/// The key to the powers 32 to 1, as POLYVAL has them: the last `n` are what `n` blocks are multiplied by. A value is the proof
/// that the processor has PCLMULQDQ and AVX. They are erased on drop.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Powers([Block; GROUP]);

impl Drop for Powers {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Powers {
    /// Those of a hash subkey; `None` for the portable path, which has its own form.
    pub(crate) fn new(path: Path, subkey: &Block) -> Option<Self> {
        // SAFETY: every other path needs PCLMULQDQ and AVX.
        (path.kind() != Kind::Portable).then(|| unsafe { powers(subkey) })
    }

    /// Goes on with the hash by the given path, which is the one that they were made for.
    #[inline]
    pub(crate) fn update(&self, path: Path, state: &mut Block, blocks: &[Block]) {
        // SAFETY: a path is the proof of its instructions, and the powers are that of PCLMULQDQ.
        unsafe {
            match path.kind() {
                Kind::Portable | Kind::Pclmul => on_xmm(self, state, blocks),
                Kind::Vpclmul256 => on_ymm(self, state, blocks),
                Kind::Vpclmul512 => on_zmm(self, state, blocks),
            }
        }
    }
}

#[target_feature(enable = "avx,pclmulqdq")]
fn powers(subkey: &Block) -> Powers {
    let mut powers = Powers([[0; 16]; GROUP]);
    powers.0[GROUP - 1] = portable::polyval_key(subkey).to_le_bytes();
    // Those times the highest one are as many further ones, and wait for nothing but that.
    let mut have = 1;
    while have < GROUP {
        // SAFETY: this function has the instructions.
        unsafe {
            let highest = loaded(&powers.0[GROUP - have]);
            for at in 0..have {
                let power = loaded(&powers.0[GROUP - 1 - at]);
                let mut product = Products::<xmm::Xmm>::zero();
                product.add(xmm::Xmm(power), xmm::Xmm(highest));
                powers.0[GROUP - 1 - have - at] = stored(reduced(product));
            }
        }
        have *= 2;
    }
    powers
}

#[target_feature(enable = "avx,pclmulqdq")]
fn on_xmm(powers: &Powers, state: &mut Block, blocks: &[Block]) {
    // SAFETY: this function's features are the vector's.
    unsafe { update::<xmm::Xmm>(powers, state, blocks) }
}

#[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq")]
fn on_ymm(powers: &Powers, state: &mut Block, blocks: &[Block]) {
    // SAFETY: this function's features are the vector's.
    unsafe { update::<ymm::Ymm>(powers, state, blocks) }
}

#[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq,avx512f,avx512bw,avx512vl")]
fn on_zmm(powers: &Powers, state: &mut Block, blocks: &[Block]) {
    // SAFETY: this function's features are the vector's.
    unsafe { update::<zmm::Zmm>(powers, state, blocks) }
}

/// Whole groups last, since only the first one can be short.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
unsafe fn update<V: Vector>(powers: &Powers, state: &mut Block, blocks: &[Block]) {
    let (short, groups) = blocks.split_at(blocks.len() % GROUP);
    // SAFETY: as for this function; every register is inside the blocks and inside the powers.
    unsafe {
        let mut sum = element::reversed(loaded(state));
        if short.len() >= FEW {
            sum = short_group::<V>(powers, sum, short);
        } else if !short.is_empty() {
            sum = short_group::<xmm::Xmm>(powers, sum, short);
        }
        for group in groups.as_chunks::<GROUP>().0 {
            let mut products = Products::<V>::zero();
            // The first register waits for the group before, and so goes last.
            for at in (V::LANES..GROUP).step_by(V::LANES) {
                products.add(V::load(&raw const group[at]).reversed(), V::load(&raw const powers.0[at]));
            }
            let first = V::load(&raw const group[0]).reversed().xor(V::first_lane(sum));
            products.add(first, V::load(&raw const powers.0[0]));
            sum = reduced(products);
        }
        *state = stored(element::reversed(sum));
    }
}

/// Fewer blocks than a group has. What is no whole register stands at the beginning, after zeros.
///
/// # Safety
/// The processor has the vector's instructions; there are 1 to 31 blocks.
#[inline(always)]
unsafe fn short_group<V: Vector>(powers: &Powers, sum: __m128i, blocks: &[Block]) -> __m128i {
    let (beginning, registers) = blocks.split_at(blocks.len() % V::LANES);
    // SAFETY: as for this function; every register is inside the blocks or the buffer, and inside the powers.
    unsafe {
        let mut products = Products::<V>::zero();
        let place = GROUP - registers.len();
        for at in (0..registers.len()).step_by(V::LANES) {
            let mut register = V::load(&raw const registers[at]).reversed();
            if at == 0 && beginning.is_empty() {
                register = register.xor(V::first_lane(sum));
            }
            products.add(register, V::load(&raw const powers.0[place + at]));
        }
        if !beginning.is_empty() {
            let mut buffer = [[0; 16]; 4];
            let buffer = &mut buffer[..V::LANES];
            let zeros = V::LANES - beginning.len();
            buffer[zeros..].copy_from_slice(beginning);
            let sum = u128::from_ne_bytes(stored(element::reversed(sum)));
            buffer[zeros] = (u128::from_ne_bytes(buffer[zeros]) ^ sum).to_ne_bytes();
            let register = V::load(buffer.as_ptr()).reversed();
            products.add(register, V::load(&raw const powers.0[place - V::LANES]));
        }
        reduced(products)
    }
}
