//! Verification (algorithms 18 to 20).

use alloc::vec::Vec;
use core::marker::PhantomData;

use fieldtest_keccak::shake::Shake256;

use crate::arithmetic::{Arithmetic, Form, Tables};
use crate::encode;
use crate::error::{InvalidKey, InvalidSignature};
use crate::params::{MOST, ParameterSet};
use crate::path::Path;
use crate::sign::words;

/// A public key, prepared: q00 and q01 in the fixed-point FFT and modulo two primes, what it takes to divide by q00, and the
/// key's own hash. It takes 11, 22 or 44 KiB.
pub struct VerifyingKey<P> {
    path: Path,
    /// q01, transformed.
    q01: Vec<u32>,
    /// q00, transformed, which is real: divisors.
    q00: Vec<Divisor>,
    /// Modulo the two primes.
    forms: [Form; 2],
    hash: [u8; 64],
    set: PhantomData<P>,
}

impl<P: ParameterSet> VerifyingKey<P> {
    /// Prepares a public key, as [`KeyPair::public`](crate::KeyPair::public) has it (algorithm 9).
    ///
    /// # Errors
    /// [`InvalidKey`]
    pub fn new(public: &[u8]) -> Result<Self, InvalidKey> {
        Self::new_on(Path::best(), public)
    }

    /// [`Self::new`] by the given path.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn new_on(path: Path, public: &[u8]) -> Result<Self, InvalidKey> {
        if public.len() != P::PUBLIC_KEY {
            return Err(InvalidKey::Length { given: public.len(), expected: P::PUBLIC_KEY });
        }
        let (half, q01) = encode::read_public::<P>(public).ok_or(InvalidKey::Encoding)?;
        let arithmetic = Arithmetic::of(path);
        // q00 is its own adjoint.
        let mut q00 = [0; MOST];
        let q00 = &mut q00[..P::N];
        q00[..P::N / 2].copy_from_slice(&half);
        for at in 1..P::N / 2 {
            q00[P::N - at] = -half[at];
        }
        let forms = [P::TABLES1, P::TABLES2].map(|tables| form(arithmetic, tables, q00, &q01));
        let [Some(first), Some(second)] = forms else { return Err(InvalidKey::NotPositive) };

        let constant = i64::from(q00[0]);
        if constant < 0 {
            return Err(InvalidKey::NotPositive);
        }
        q00[0] = 0;
        let scaled = |poly: &[i16], bits: usize| -> Vec<u32> {
            let mut scaled = poly.iter().map(|c| (i32::from(*c) << bits).cast_unsigned()).collect::<Vec<_>>();
            (arithmetic.fft)(&mut scaled, P::ROOTS);
            scaled
        };
        let constant = (constant << (29 - P::Q00.high + 1)) >> P::LOG;
        let divisors = scaled(q00, 29 - P::Q00.high)[..P::N / 2]
            .iter()
            .map(|value| Divisor::new(constant + i64::from(value.cast_signed())))
            .collect::<Option<_>>()
            .ok_or(InvalidKey::NotPositive)?;
        let mut hash = [0; 64];
        Shake256::of(path.keccak(), &[public]).finish(&mut hash[..P::HPUB]);
        Ok(VerifyingKey {
            path,
            q01: scaled(&q01, 29 - P::Q01.high),
            q00: divisors,
            forms: [first, second],
            hash,
            set: PhantomData,
        })
    }

    /// Accepts or refuses the signature of a message (algorithm 20).
    ///
    /// # Errors
    /// [`InvalidSignature`], also for signatures of the wrong length.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        if self.accepts(message, signature) == Some(true) { Ok(()) } else { Err(InvalidSignature) }
    }

    fn accepts(&self, message: &[u8], signature: &[u8]) -> Option<bool> {
        if signature.len() != P::SIGNATURE {
            return None;
        }
        let (salt, encoded) = signature.split_at(P::SALT);
        let s1 = encode::read_signature::<P>(encoded)?;
        let keccak = self.path.keccak();
        let (mut hashed, mut hash) = ([0; 64], [0; MOST / 4]);
        let hash = &mut hash[..P::N / 4];
        Shake256::of(keccak, &[message, &self.hash[..P::HPUB]]).finish(&mut hashed);
        Shake256::of(keccak, &[&hashed, salt]).finish(hash);
        let (h0, h1) = hash.split_at(P::N / 8);
        let (h0, h1) = (words(h0), words(h1));

        let mut w1 = [0; MOST];
        let w1 = &mut w1[..P::N];
        for (at, (w1, s1)) in w1.iter_mut().zip(s1).enumerate() {
            *w1 = ((h1[at / 64] >> (at % 64)) as i16 & 1) - 2 * s1;
        }
        // Lines 13 and 14: of a signature and its opposite, one.
        if !positive(w1) {
            return None;
        }
        let mut w0 = [0; MOST];
        let w0 = &mut w0[..P::N];
        self.rebuild(&h0, w1, w0)?;
        let [first, second] = self.norms(w0, w1);
        // Both are half of n times the norm, unless it is larger than the primes.
        let half = P::N as u32 / 2;
        Some(first == second && first % half == 0 && first / half <= P::MOST_NORM)
    }

    /// Algorithm 18: w0, of which w1 and h0 tell what it is next to.
    fn rebuild(&self, h0: &[u64], w1: &[i16], w0: &mut [i16]) -> Option<()> {
        let arithmetic = Arithmetic::of(self.path);
        let mut quotient = [0; MOST];
        let quotient = &mut quotient[..P::N];
        for (to, w) in quotient.iter_mut().zip(w1) {
            *to = (i32::from(*w) << (29 - (1 + P::S1.high))).cast_unsigned();
        }
        (arithmetic.fft)(quotient, P::ROOTS);
        let (re, im) = quotient.split_at_mut(P::N / 2);
        let (q_re, q_im) = self.q01.split_at(P::N / 2);
        let mut fits = true;
        for ((re, im), (divisor, (q_re, q_im))) in
            re.iter_mut().zip(im).zip(self.q00.iter().zip(q_re.iter().zip(q_im)))
        {
            let wide = |a: u32| i64::from(a.cast_signed());
            let (a, b, c, d) = (wide(*q_re), wide(*q_im), wide(*re), wide(*im));
            let (x, y) = (a * c - b * d, a * d + b * c);
            fits &= x.unsigned_abs() >> 32 < divisor.by.into() && y.unsigned_abs() >> 32 < divisor.by.into();
            *re = divisor.divide(x);
            *im = divisor.divide(y);
        }
        if !fits {
            return None;
        }
        (arithmetic.inverse_fft)(quotient, P::ROOTS);
        // The scale of what is rounded: 2 cw1 cq01 / (n cq00), as powers of two.
        let bits = 1 + (28 - P::S1.high) + (29 - P::Q01.high) - (29 - P::Q00.high) - P::LOG;
        let limit = 1 << P::HIGHS0;
        let mut inside = true;
        for (at, (w0, quotient)) in w0.iter_mut().zip(quotient).enumerate() {
            let h = (h0[at / 64] >> (at % 64)) as i32 & 1;
            let sum = (h << bits).wrapping_add(quotient.cast_signed()).wrapping_add(1 << bits);
            let s0 = sum >> (bits + 1);
            inside &= (-limit..limit).contains(&s0);
            *w0 = (h - 2 * s0) as i16;
        }
        inside.then_some(())
    }

    /// Algorithm 19 for both primes, halved.
    fn norms(&self, w0: &[i16], w1: &[i16]) -> [u32; 2] {
        let arithmetic = Arithmetic::of(self.path);
        let mut at = 0;
        [P::TABLES1, P::TABLES2].map(|tables| {
            let mut values = [[0; MOST]; 2];
            for (values, poly) in values.iter_mut().zip([w0, w1]) {
                for (value, c) in values.iter_mut().zip(poly) {
                    *value = tables.residue((*c).into());
                }
                (arithmetic.ntt)(&mut values[..P::N], tables);
            }
            let form = &self.forms[at];
            at += 1;
            (arithmetic.norm)(&values[0][..P::N], &values[1][..P::N], form, tables)
        })
    }
}

/// Whether the first coefficient that is not zero is positive (sym-break of section 3.5.2).
fn positive(w1: &[i16]) -> bool {
    w1.iter().find(|w| **w != 0).is_some_and(|first| *first > 0)
}

/// q00 and q01 modulo a prime; `None` if q00 is not invertible.
fn form(arithmetic: &Arithmetic, tables: &Tables, q00: &[i16], q01: &[i16]) -> Option<Form> {
    let values = |poly: &[i16]| {
        let mut values = poly.iter().map(|c| tables.residue((*c).into())).collect::<Vec<_>>();
        (arithmetic.ntt)(&mut values, tables);
        values
    };
    let mut q00 = values(q00);
    q00.truncate(q01.len() / 2);
    let inverse = (arithmetic.invert)(&q00, tables)?;
    q00.iter_mut().for_each(|value| *value = tables.mul(tables.mul(*value, tables.r2), tables.r2));
    let mut ratio = values(q01);
    let mirrored = inverse.iter().chain(inverse.iter().rev()).copied().collect::<Vec<_>>();
    (arithmetic.multiply)(&mut ratio, &mirrored, tables);
    Some(Form { q00, inverse, ratio })
}

/// A positive number, and its reciprocal.
struct Divisor {
    by: u32,
    /// 2^64/by, rounded down.
    reciprocal: u64,
}

impl Divisor {
    /// `None` where the divisor is not positive.
    fn new(by: i64) -> Option<Self> {
        let by = u32::try_from(by).ok().filter(|by| *by > 0)?;
        Some(Divisor { by, reciprocal: u64::MAX / u64::from(by) })
    }

    /// |x|/by rounded down, with the sign of x, modulo 2^32.
    #[inline(always)]
    fn divide(&self, x: i64) -> u32 {
        let magnitude = x.unsigned_abs();
        let mut quotient = ((u128::from(magnitude) * u128::from(self.reciprocal)) >> 64) as u64;
        // That is too small by one at most.
        let rest = magnitude.wrapping_sub(quotient.wrapping_mul(self.by.into()));
        quotient = quotient.wrapping_add((rest >= self.by.into()).into());
        let sign = (x >> 63) as u32;
        (quotient as u32 ^ sign).wrapping_sub(sign)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::generate::KeyPair;
    use crate::params::{Hawk256, Hawk512, Hawk1024};

    const MESSAGE: &[u8] = b"a message";

    fn signed<P: ParameterSet>() -> (VerifyingKey<P>, Vec<u8>) {
        let mut state = 1_u64;
        let mut random = |bytes: &mut [u8]| {
            for byte in bytes {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = (state >> 56) as u8;
            }
        };
        let pair = KeyPair::<P>::generate(&mut random);
        let mut signature = vec![0; P::SIGNATURE];
        pair.signing.sign(MESSAGE, random, &mut signature).unwrap();
        (VerifyingKey::new(&pair.public).unwrap(), signature)
    }

    fn each_rule<P: ParameterSet>() {
        let (key, signature) = signed::<P>();
        let (salt, encoded) = signature.split_at(P::SALT);
        let mut hash = [0; 256];
        let hash = &mut hash[..P::N / 4];
        let mut hashed = [0; 64];
        Shake256::of(key.path.keccak(), &[MESSAGE, &key.hash[..P::HPUB]]).finish(&mut hashed);
        Shake256::of(key.path.keccak(), &[&hashed, salt]).finish(hash);
        let h1 = words(&hash[P::N / 8..]);
        let s1 = encode::read_signature::<P>(encoded).unwrap();
        let verified = |s1: &[i16]| {
            let mut encoded = vec![0; P::SIGNATURE - P::SALT];
            encode::signature::<P>(s1, &mut encoded).unwrap();
            key.verify(MESSAGE, &[salt, &encoded].concat()).is_ok()
        };
        assert!(verified(&s1[..P::N]));

        // Line 13: the opposite point is as near, but its sign is wrong.
        let mut opposite = s1;
        for (at, s) in opposite.iter_mut().enumerate() {
            *s = (h1[at / 64] >> (at % 64)) as i16 & 1;
            *s -= s1[at];
        }
        assert!(!verified(&opposite[..P::N]));
        assert!(positive(&[0, 0, 1, -5]) && !positive(&[0, 0, -1, 5]) && !positive(&[0; 4]));

        // Line 23: a point one step away is too far.
        let mut far = s1;
        far[P::N - 1] += 1;
        assert!(!verified(&far[..P::N]));
        let (mut w1, mut w0) = ([0; MOST], [0; MOST]);
        for (at, (w1, s1)) in w1.iter_mut().zip(s1).enumerate() {
            *w1 = ((h1[at / 64] >> (at % 64)) as i16 & 1) - 2 * s1;
        }
        let h0 = words(&hash[..P::N / 8]);
        key.rebuild(&h0, &w1[..P::N], &mut w0[..P::N]).unwrap();
        // Line 20: the norm of a good point is an integer, and the same modulo both primes.
        let [first, second] = key.norms(&w0[..P::N], &w1[..P::N]);
        assert_eq!((first, first % (P::N as u32 / 2)), (second, 0));
        w0[3] ^= 1;
        let [first, second] = key.norms(&w0[..P::N], &w1[..P::N]);
        assert!(first != second || first / (P::N as u32 / 2) > P::MOST_NORM);
    }

    #[test]
    fn each_rule_of_algorithm_20() {
        each_rule::<Hawk256>();
        each_rule::<Hawk512>();
        each_rule::<Hawk1024>();
    }

    /// Algorithm 18: what does not fit is refused, not cut.
    #[test]
    fn points_out_of_range_are_refused() {
        let (mut key, _) = signed::<Hawk512>();
        let most = [2 * 511_i16; 512];
        let mut w0 = [0; 512];
        // Divisors as small as none is make quotients large.
        let by = |by| (0..256).map(|_| Divisor::new(by).unwrap()).collect();
        key.q00 = by(1);
        assert!(key.rebuild(&[0; 16], &most, &mut w0).is_none());
        // A coefficient beyond 2^13 of s0: fits the division, but not the range.
        key.q00 = by(1 << 20);
        assert!(key.rebuild(&[0; 16], &most, &mut w0).is_none());
        key.q00 = by(1 << 29);
        assert!(key.rebuild(&[0; 16], &[1; 512], &mut w0).is_some());
    }

    #[test]
    fn quotients() {
        for by in [1, 2, 3, 7, 1 << 20, (1 << 29) - 1, (1 << 30) - 1, 0xffff_ffff] {
            let divisor = Divisor::new(by).unwrap();
            for x in [
                0,
                1,
                2,
                5,
                1 << 20,
                (1 << 31) + 12345,
                (1 << 58) - 1,
                by - 1,
                by,
                by + 1,
                7 * by,
                7 * by - 1,
            ] {
                for x in [x, -x] {
                    assert_eq!(divisor.divide(x), (x / by) as u32, "{x} {by}");
                }
            }
        }
        assert!([0, -1, 1 << 32].into_iter().all(|by| Divisor::new(by).is_none()));
    }

    /// Public keys that are encoded well, but have a q00 that no key has.
    #[test]
    fn q00_has_to_be_positive() {
        let refused = |constant: i16, second: i16| {
            let mut q00 = vec![0; 128];
            (q00[0], q00[1]) = (constant, second);
            let public = encode::public::<Hawk256>(&q00, &[0; 256]).unwrap();
            VerifyingKey::<Hawk256>::new(&public).err()
        };
        assert_eq!(refused(1000, 0), None);
        assert_eq!(refused(1000, 400), None);
        for (constant, second) in [(0, 0), (-1, 0), (i16::MIN, 0), (1000, 501), (100, -300)] {
            assert_eq!(refused(constant, second), Some(InvalidKey::NotPositive), "{constant} {second}");
        }
    }
}
