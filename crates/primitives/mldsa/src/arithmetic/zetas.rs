//! The powers of ζ that the NTT multiplies by (FIPS 204, section 7.5 and appendix B), in Montgomery's form and in the
//! order in which [`ntt`](super::ntt) wants them.

use super::vector::Q_INVERSE;
use crate::params::Q;

/// A root of unity of order 512 modulo q.
const ZETA: i64 = 1753;

/// A factor of a whole row.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    pub(super) value: i32,
    /// The value divided by q modulo 2^32.
    pub(super) twisted: i32,
}

/// A factor of each column of a row.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Factors {
    pub(super) value: [i32; 16],
    pub(super) twisted: [i32; 16],
}

/// `ROWS[m]` is zetas\[m\] of FIPS 204; that of group `g` of the layer with `n` groups stands at `n + g`. The first is
/// not used.
pub(super) static ROWS: [Factor; 16] = {
    let mut rows = [Factor { value: 0, twisted: 0 }; 16];
    let mut m = 1;
    while m < 16 {
        rows[m] = factor(zeta(m));
        m += 1;
    }
    rows
};

/// The layers after the transposition, in which what was row r is column r: where a layer has `n` groups in a row of 16
/// (1, 2, 4 or 8), group `g` of each stands at `n + g - 1`.
pub(super) static COLUMNS: [Factors; 15] = of_columns(false);

/// The same for the inverse NTT, which counts the factors of a layer down.
pub(super) static BACKWARD: [Factors; 15] = of_columns(true);

const fn of_columns(backward: bool) -> [Factors; 15] {
    let mut columns = [Factors { value: [0; 16], twisted: [0; 16] }; 15];
    let mut groups = 1;
    while groups < 16 {
        let mut group = 0;
        while group < groups {
            let mut row = 0;
            while row < 16 {
                let place = row * groups + group;
                let m = if backward { 32 * groups - 1 - place } else { 16 * groups + place };
                let factor = factor(zeta(m));
                columns[groups + group - 1].value[row] = factor.value;
                columns[groups + group - 1].twisted[row] = factor.twisted;
                row += 1;
            }
            group += 1;
        }
        groups *= 2;
    }
    columns
}

/// R² / 256, by which the inverse NTT ends: once R is lost in that product itself, once the product of two values had
/// lost it.
pub(super) const LAST: Factor = twist(centred(LAST_VALUE));

/// The same times the factor of the last layer.
pub(super) const LAST_DIFFERENCE: Factor = twist(centred(LAST_VALUE * zeta(1) % Q as i64));

const LAST_VALUE: i64 = {
    let r = (1_i64 << 32) % Q as i64;
    // 1 / 256 = q - (q - 1) / 256, since 256 divides q - 1.
    let inverse_of_256 = Q as i64 - (Q as i64 - 1) / 256;
    r * r % Q as i64 * inverse_of_256 % Q as i64
};

/// ζ to the power of the eight reversed bits of m.
const fn zeta(m: usize) -> i64 {
    let mut exponent = (m as u8).reverse_bits();
    let (mut result, mut base) = (1, ZETA);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % Q as i64;
        }
        base = base * base % Q as i64;
        exponent >>= 1;
    }
    result
}

/// In Montgomery's form.
const fn factor(value: i64) -> Factor {
    twist(centred((value << 32) % Q as i64))
}

const fn centred(value: i64) -> i32 {
    (if value > Q as i64 / 2 { value - Q as i64 } else { value }) as i32
}

const fn twist(value: i32) -> Factor {
    Factor { value, twisted: value.wrapping_mul(Q_INVERSE) }
}
