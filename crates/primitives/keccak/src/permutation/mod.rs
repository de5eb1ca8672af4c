//! Keccak-p\[1600\] (FIPS 202, section 3.3) for one state and for several side by side.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512vl;
#[cfg(target_arch = "x86_64")]
pub(crate) mod bmi;
#[cfg(target_arch = "x86_64")]
pub(crate) mod rows;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vector;
pub(crate) mod word;

use word::Word;

/// The lanes of a state, that with the coordinates x and y at `x + 5 * y` (FIPS 202, section 3.1.2).
pub(crate) type State = [u64; 25];

/// The round constants of ι (FIPS 202, section 3.2.5). Fewer than 24 rounds are the last ones (section 3.3).
const IOTA: [u64; 24] = iota();

/// The distances by which ρ rotates the lanes (FIPS 202, section 3.2.2), at `x + 5 * y`.
const RHO: [u32; 25] = rho();

pub(crate) fn last_rounds(rounds: usize) -> &'static [u64] {
    IOTA.get(IOTA.len().saturating_sub(rounds)..).unwrap_or_default()
}

/// Algorithms 5 and 6: bits 2^j - 1 of a constant are taken from a shift register.
const fn iota() -> [u64; 24] {
    let mut constants = [0; 24];
    let mut register = 1_u8;
    let mut round = 0;
    while round < 24 {
        let mut j = 0;
        while j <= 6 {
            constants[round] |= ((register & 1) as u64) << ((1 << j) - 1);
            // x^8 + x^6 + x^5 + x^4 + 1
            register = (register << 1) ^ (0x71 * (register >> 7));
            j += 1;
        }
        round += 1;
    }
    constants
}

/// Algorithm 2.
const fn rho() -> [u32; 25] {
    let mut distances = [0; 25];
    let (mut x, mut y) = (1, 0);
    let mut t = 0;
    while t < 24 {
        distances[x + 5 * y] = (((t + 1) * (t + 2) / 2) % 64) as u32;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    distances
}

/// One round on as many states as a word has elements.
#[inline(always)]
fn round<W: Word>(a: [W; 25], iota: u64) -> [W; 25] {
    // θ (section 3.2.1)
    let column: [W; 5] =
        core::array::from_fn(|x| a[x].parity(a[x + 5], a[x + 10]).parity(a[x + 15], a[x + 20]));
    // Written out: in a closure for `map` the instructions of AVX2 are calls, one for each. That made four
    // messages take twice as long as with plain code, on every processor without AVX-512.
    let [c0, c1, c2, c3, c4] = column;
    let turned = [c0.rotate(1), c1.rotate(1), c2.rotate(1), c3.rotate(1), c4.rotate(1)];
    let change = match W::TERNARY {
        true => column, // not used
        false => core::array::from_fn(|x| column[(x + 4) % 5].xor(turned[(x + 1) % 5])),
    };
    let sums = Sums { column, turned, change };
    let mut rows = [
        row::<W, 0>(&a, &sums),
        row::<W, 1>(&a, &sums),
        row::<W, 2>(&a, &sums),
        row::<W, 3>(&a, &sums),
        row::<W, 4>(&a, &sums),
    ];
    rows[0][0] = rows[0][0].iota(iota);
    core::array::from_fn(|lane| rows[lane / 5][lane % 5])
}

/// What θ adds to the columns.
struct Sums<W> {
    column: [W; 5],
    /// The same, rotated.
    turned: [W; 5],
    /// The two of the neighbours added up, where that is worth an instruction.
    change: [W; 5],
}

/// The new row `Y`; written out, since compilers do not unroll loops over so many vectors.
#[inline(always)]
fn row<W: Word, const Y: usize>(a: &[W; 25], sums: &Sums<W>) -> [W; 5] {
    // θ, ρ and π (sections 3.2.1 to 3.2.3): the lane at (x, y) goes to (y, 2x + 3y).
    macro_rules! moved {
        ($x:literal) => {{
            let (x, y) = const { (($x + 3 * Y) % 5, $x) };
            let lane = a[x + 5 * y];
            let lane = match W::TERNARY {
                true => lane.parity(sums.column[(x + 4) % 5], sums.turned[(x + 1) % 5]),
                false => lane.xor(sums.change[x]),
            };
            lane.rotate(const { RHO[($x + 3 * Y) % 5 + 5 * $x] })
        }};
    }
    let [a, b, c, d, e] = [moved!(0), moved!(1), moved!(2), moved!(3), moved!(4)];
    // χ (section 3.2.4)
    [a.chi(b, c), b.chi(c, d), c.chi(d, e), d.chi(e, a), e.chi(a, b)]
}

/// Absorbs blocks of `RATE` bytes into one state in plain Rust, with the constants of each permutation's rounds.
#[inline(always)] // into a function with target features, too
pub(crate) fn absorb<const RATE: usize>(state: &mut State, blocks: &[[u8; RATE]], iota: &[u64]) {
    for block in blocks {
        for (lane, bytes) in state.iter_mut().zip(block.as_chunks().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        for [first, second] in iota.as_chunks().0 {
            *state = round(round(*state, *first), *second);
        }
    }
}
