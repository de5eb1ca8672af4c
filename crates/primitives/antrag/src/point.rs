//! Messages as polynomials, and which pairs of polynomials are short enough to be signatures.

use fieldtest_keccak::shake::{RATE_128, Shake};

use crate::ntt::{Multiplier, Ring, centred};
use crate::params::{BOUND, N, Q, SALT};

/// The polynomial of a message and a salt: 16-bit words of SHAKE128 of the message and behind it the salt, low byte first,
/// those below 5 q modulo q.
///
/// The paper leaves this hash open. This is that of the authors' program, where messages have 32 bytes; it is for
/// agreement with it that the salt stands behind the message and not, as in Falcon, before it.
pub(crate) fn hash(keccak: fieldtest_keccak::Path, message: &[u8], salt: &[u8; SALT]) -> [i16; N] {
    const Q16: u16 = Q as u16;
    let mut output = Shake::<RATE_128>::of(keccak, &[message, salt]).output();
    // Words that are refused are overwritten by the next ones, of which a block has 84.
    let mut point = [0; N + RATE_128 / 2];
    let mut count = 0;
    while count < N {
        for word in output.words() {
            for part in 0..4 {
                let number = (word >> (16 * part)) as u16;
                point[count] = (number % Q16) as i16;
                count += usize::from(number < 5 * Q16);
            }
        }
    }
    match point.first_chunk() {
        Some(point) => *point,
        None => unreachable!("there are n and more"),
    }
}

/// Whether (s₁, s₂) with s₂ = c + h s₁ is short enough. Coefficients of c are from 0 to q - 1 and those of s₁ between
/// -q / 2 and q / 2.
#[inline(always)]
pub(crate) fn is_short(key: &Multiplier, point: &[i16; N], s1: &[i16; N]) -> bool {
    length_squared(key, point, s1) <= u64::from(BOUND)
}

/// ‖(s₁, s₂)‖²
#[inline(always)]
pub(crate) fn length_squared(key: &Multiplier, point: &[i16; N], s1: &[i16; N]) -> u64 {
    let mut product = Ring(*s1);
    key.product(&mut product);
    let mut sum = 0;
    // At most q² / 2 for each pair: 2^26 of 32 of them are below 2^32.
    for (c, (s1, product)) in point.chunks_exact(16).zip(s1.chunks_exact(16).zip(product.0.chunks_exact(16)))
    {
        let mut part = 0_u32;
        for i in 0..16 {
            let (s1, s2) = (i32::from(s1[i]), i32::from(centred(c[i].wrapping_add(product[i]))));
            part = part.wrapping_add((s1 * s1 + s2 * s2) as u32);
        }
        sum += u64::from(part);
    }
    sum
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::ntt::forward;
    use shake::{ExtendableOutput, Shake128, Update, XofReader};

    #[test]
    fn points_are_words_of_shake128() {
        for length in [0, 1, 32, 127, 128, 129, 1000] {
            let message: std::vec::Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
            let salt = core::array::from_fn(|i| (i + length) as u8);
            let mut reader = Shake128::default().chain(&message).chain(salt).finalize_xof();
            let mut expected = std::vec::Vec::new();
            while expected.len() < N {
                let mut word = [0; 2];
                reader.read(&mut word);
                let word = u16::from_le_bytes(word);
                if word < 61_445 {
                    expected.push((word % 12_289) as i16);
                }
            }
            for path in fieldtest_keccak::Path::available() {
                assert_eq!(hash(path, &message, &salt), *expected, "{length}");
            }
        }
    }

    /// With h = 0 the vector is (s₁, c): at the bound it is short enough, and one more is too much.
    #[test]
    fn bound() {
        assert_eq!(BOUND, 31_484_404, "1.042² · 1.32² · 1.15² · 12289 · 1024");
        let mut zero = Ring([0; N]);
        forward(&mut zero);
        let key = Multiplier::new(&zero);
        let (mut s1, mut point) = ([0_i16; N], [0_i16; N]);
        // The rest of the bound as a sum of squares, the greatest ones first.
        let mut rest = u64::from(BOUND);
        for (i, coefficient) in s1.iter_mut().chain(&mut point).enumerate() {
            let root = rest.isqrt().min(2000);
            *coefficient = if i % 2 == 0 {
                root as i16
            } else if i < N {
                -(root as i16)
            } else {
                12_289 - root as i16
            };
            rest -= root * root;
            if i >= N && root == 0 {
                *coefficient = 0;
            }
        }
        assert_eq!((rest, length_squared(&key, &point, &s1)), (0, u64::from(BOUND)));
        assert!(is_short(&key, &point, &s1));
        assert_eq!(point[511], 0);
        point[511] = 1;
        assert!(!is_short(&key, &point, &s1));
        point[511] = 12_288;
        assert!(!is_short(&key, &point, &s1));
    }
}
