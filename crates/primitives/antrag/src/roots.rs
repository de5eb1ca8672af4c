//! Tables of roots of unity, made when the crate is compiled.
//!
//! Both transforms split a polynomial modulo x^2m - s² into those modulo x^m - s and x^m + s until linear factors are
//! left. With s = w^e for a root of unity w of order 1024 the exponents are: e of the modulus halves, and for the second
//! of the two half of the order is added.

/// Exponents of the factors s: `BLOCKS[(1 << layer) - 1 + block]`, where the modulus of the whole is x^m - w^`top`.
pub(crate) const fn exponents<const COUNT: usize>(top: usize) -> [usize; COUNT] {
    let mut moduli = [0; COUNT];
    let mut factors = [0; COUNT];
    moduli[0] = top;
    let mut at = 0;
    while at < COUNT {
        factors[at] = moduli[at] / 2;
        if 2 * at + 2 < COUNT {
            moduli[2 * at + 1] = factors[at];
            moduli[2 * at + 2] = factors[at] + 512;
        }
        at += 1;
    }
    factors
}

/// Cosine and sine of `number` / 1024 of a turn, by integers with 60 bits after the point.
pub(crate) const fn root_of_unity(number: usize) -> (f64, f64) {
    /// π with 60 bits after the point.
    const PI: i128 = 0x3243_f6a8_885a_308d;
    const ONE: i128 = 1 << 60;
    let eighths = number % 1024 / 128;
    // The angle to the next multiple of a quarter, at most an eighth of a turn.
    let within = (number % 128) as i128;
    let away = if eighths.is_multiple_of(2) { within } else { 128 - within };
    let angle = PI * away / 512;
    // Taylor's series of both.
    let (mut cosine, mut sine) = (0, 0);
    let (mut term, mut k) = (ONE, 0);
    while k < 24 {
        match k % 4 {
            0 => cosine += term,
            1 => sine += term,
            2 => cosine -= term,
            _ => sine -= term,
        }
        k += 1;
        term = term * angle / ONE / k;
    }
    let (c, s) = match eighths {
        0 => (cosine, sine),
        1 => (sine, cosine),
        2 => (-sine, cosine),
        3 => (-cosine, sine),
        4 => (-cosine, -sine),
        5 => (-sine, -cosine),
        6 => (sine, -cosine),
        _ => (cosine, -sine),
    };
    (c as f64 / ONE as f64, s as f64 / ONE as f64)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    #[test]
    fn roots_are_cosines_and_sines() {
        for number in 0..1024 {
            let (cosine, sine) = root_of_unity(number);
            let angle = core::f64::consts::TAU * number as f64 / 1024.0;
            assert!((cosine - angle.cos()).abs() < 1e-15 && (sine - angle.sin()).abs() < 1e-15, "{number}");
        }
        assert_eq!(root_of_unity(256), (0.0, 1.0));
        assert_eq!(root_of_unity(128).0, core::f64::consts::FRAC_1_SQRT_2);
    }
}
