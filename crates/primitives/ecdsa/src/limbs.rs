//! Unsigned integers of `L` 64-bit limbs, the least significant first, and masks.

/// Writes a block once for each `i` from the first number to below the last, which is at most 6. The compiler leaves
/// nested loops of six rounds as they are, and then keeps limbs in memory.
macro_rules! unrolled {
    ($i:ident in $first:expr, $last:expr => $block:block) => {
        unrolled!(@ $i, $first, $last, $block, 0 1 2 3 4 5)
    };
    (@ $i:ident, $first:expr, $last:expr, $block:block, $($n:literal)*) => {
        $({
            let $i: usize = $n;
            if ($first..$last).contains(&$i) $block
        })*
    };
}
pub(crate) use unrolled;

use cmov::Cmov;

/// `a + b + carry`, and the carry out of it, which is 0 or 1 like the one that goes in.
#[inline(always)]
pub(crate) const fn add_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry);
    (sum, (first | second) as u64)
}

/// `a - b - borrow`, and the borrow out of it, which is 0 or 1 like the one that goes in.
#[inline(always)]
pub(crate) const fn sub_borrow(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow);
    (difference, (first | second) as u64)
}

/// `sum + a * b + carry`, which always fits two limbs.
#[inline(always)]
pub(crate) const fn multiply_add(sum: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let wide = sum as u128 + a as u128 * b as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// The sum and the carry out of it.
#[inline(always)]
pub(crate) const fn add<const L: usize>(a: &[u64; L], b: &[u64; L]) -> ([u64; L], u64) {
    let (mut sum, mut carry, mut i) = ([0; L], 0, 0);
    while i < L {
        (sum[i], carry) = add_carry(a[i], b[i], carry);
        i += 1;
    }
    (sum, carry)
}

/// The difference and the borrow out of it.
#[inline(always)]
pub(crate) const fn sub<const L: usize>(a: &[u64; L], b: &[u64; L]) -> ([u64; L], u64) {
    let (mut difference, mut borrow, mut i) = ([0; L], 0, 0);
    while i < L {
        (difference[i], borrow) = sub_borrow(a[i], b[i], borrow);
        i += 1;
    }
    (difference, borrow)
}

/// `a` where the mask is all ones, `b` where it is zero.
#[inline(always)]
pub(crate) fn select<const L: usize>(mask: u64, a: &[u64; L], b: &[u64; L]) -> [u64; L] {
    core::array::from_fn(|i| b[i] ^ (mask & (a[i] ^ b[i])))
}

/// All ones for 1, zero for 0, such that the compiler does not know it is one of the two: it would make a choice of what
/// the mask is applied to, and a branch of some choices. It did so here; memcheck, with the private key
/// marked as undefined, finds such branches (`lab/constant-time.sh`).
#[inline(always)]
pub(crate) fn mask(bit: u64) -> u64 {
    let mut mask = 0_u64;
    mask.cmovnz(&u64::MAX, bit as u8);
    mask
}

/// `top * 2^(64 L) + value` less the modulus if it is not below it. It must be below twice the modulus.
#[inline(always)]
pub(crate) fn subtract_once<const L: usize>(value: &[u64; L], top: u64, modulus: &[u64; L]) -> [u64; L] {
    let (difference, borrow) = sub(value, modulus);
    select(mask(borrow & (top ^ 1)), value, &difference)
}

/// All ones if every limb is zero.
#[inline(always)]
pub(crate) fn is_zero_mask(limbs: &[u64]) -> u64 {
    let any = limbs.iter().fold(0, |any, limb| any | limb);
    ((any | any.wrapping_neg()) >> 63).wrapping_sub(1)
}

/// Reads big-endian bytes, of which there are at most `8 L`.
#[inline]
pub(crate) fn from_bytes<const L: usize>(bytes: &[u8]) -> [u64; L] {
    let mut limbs = [0; L];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks(8)) {
        *limb = chunk.iter().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
    }
    limbs
}

/// Writes big-endian bytes, `8 L` of them.
#[inline]
pub(crate) fn to_bytes(limbs: &[u64], bytes: &mut [u8]) {
    for (limb, chunk) in limbs.iter().zip(bytes.rchunks_exact_mut(8)) {
        chunk.copy_from_slice(&limb.to_be_bytes());
    }
}

/// Reads the hexadecimal digits of a constant, in groups as the standards print them.
pub(crate) const fn from_hex<const L: usize>(digits: &str) -> [u64; L] {
    let (mut limbs, digits, mut i) = ([0_u64; L], digits.as_bytes(), 0);
    while i < digits.len() {
        let digit = match digits[i] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'a'..=b'f' => digit - b'a' + 10,
            b' ' => {
                i += 1;
                continue;
            }
            _ => panic!("a constant has something else than hexadecimal digits"),
        };
        let (mut carry, mut limb) = (digit as u64, 0);
        while limb < L {
            (limbs[limb], carry) = (limbs[limb] << 4 | carry, limbs[limb] >> 60);
            limb += 1;
        }
        assert!(carry == 0, "a constant is too long");
        i += 1;
    }
    limbs
}
