//! Signing (algorithm 15).

use alloc::vec::Vec;
use core::marker::PhantomData;

use fieldtest_keccak::shake::Shake256;
use zeroize::{Zeroizing, optimization_barrier};

use crate::arithmetic::Arithmetic;
use crate::binary::{Binary, add_product};
use crate::encode;
use crate::error::{InvalidKey, SignError};
use crate::params::{MOST, ParameterSet};
use crate::path::Path;
use crate::sample;
use crate::values::values;

/// Two attempts have numbers that differ by two.
const ATTEMPTS: u32 = 8192;

/// A private key, prepared: f and g regenerated from the seed, in the NTT's domain and modulo 2. Secrets are wiped on drop.
pub struct SigningKey<P> {
    path: Path,
    bytes: Zeroizing<Vec<u8>>,
    /// f and g at the roots, times R.
    short: [Zeroizing<Vec<u32>>; 2],
    /// f, g, F and G modulo 2.
    basis: Zeroizing<[Binary; 4]>,
    set: PhantomData<P>,
}

impl<P: ParameterSet> SigningKey<P> {
    /// Prepares a private key (algorithm 5).
    ///
    /// # Errors
    /// [`InvalidKey`]; also where f, g, F and G do not belong together, which the specification leaves unchecked. Whether the
    /// public key's hash is that of their public key is not checked: that would be making the key again.
    pub fn new(private: &[u8]) -> Result<Self, InvalidKey> {
        Self::new_on(Path::best(), private)
    }

    /// [`Self::new`] by the given path.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn new_on(path: Path, private: &[u8]) -> Result<Self, InvalidKey> {
        if private.len() != P::PRIVATE_KEY {
            return Err(InvalidKey::Length { given: private.len(), expected: P::PRIVATE_KEY });
        }
        let (seed, rest) = private.split_at(P::KEY_SEED);
        let mut basis = Zeroizing::new([[0; MOST / 64]; 4]);
        let small = sample::regenerate::<P>(path, seed);
        for (binary, poly) in basis.iter_mut().zip(&*small) {
            for (word, group) in binary.iter_mut().zip(poly[..P::N].chunks_exact(64)) {
                *word = group.iter().enumerate().fold(0, |bits, (at, c)| bits | (*c as u64 & 1) << at);
            }
        }
        for (binary, bytes) in basis[2..].iter_mut().zip(rest.chunks_exact(P::N / 8)) {
            *binary = words(bytes);
        }
        // f·G - g·F is 1, also modulo 2.
        let mut one = [0; MOST / 64];
        add_product(path, &mut one, &basis[0], &basis[3], P::N);
        add_product(path, &mut one, &basis[1], &basis[2], P::N);
        one[0] ^= 1;
        if one.iter().fold(0, |wrong, word| wrong | word) != 0 {
            return Err(InvalidKey::Inconsistent);
        }
        let arithmetic = Arithmetic::of(path);
        let short = [&small[0], &small[1]].map(|poly| {
            let mut values = values(arithmetic, P::TABLES1, poly[..P::N].iter().map(|c| (*c).into()));
            values.iter_mut().for_each(|value| *value = P::TABLES1.mul(*value, P::TABLES1.r2));
            values
        });
        Ok(SigningKey { path, bytes: Zeroizing::new(private.to_vec()), short, basis, set: PhantomData })
    }

    /// The bytes of the private key (algorithm 4).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Signs a message; `signature` is overwritten.
    ///
    /// `random` fills its argument with secret random bytes: first as many as the salt has, then 40, again for each attempt.
    /// All of it is hashed together with the message and the key, so that bytes that are always the same make deterministic
    /// signatures, which are as secret as the key.
    ///
    /// # Errors
    /// [`SignError`]; `signature` is then worth nothing.
    pub fn sign(
        &self,
        message: &[u8],
        mut random: impl FnMut(&mut [u8]),
        signature: &mut [u8],
    ) -> Result<(), SignError> {
        if signature.len() != P::SIGNATURE {
            return Err(SignError::Place { given: signature.len(), expected: P::SIGNATURE });
        }
        let keccak = self.path.keccak();
        let (seed, rest) = self.bytes.split_at(P::KEY_SEED);
        let mut hashed = [0; 64];
        Shake256::of(keccak, &[message, &rest[P::N / 4..]]).finish(&mut hashed);
        let mut work = Work::new(P::N);
        let Work { x, values, words: room, fresh } = &mut work;
        let (salt, encoded) = signature.split_at_mut(P::SALT);
        for attempt in (0..ATTEMPTS).step_by(2) {
            random(&mut fresh[..P::SALT]);
            let pieces = [&hashed[..], seed, &attempt.to_le_bytes(), &fresh[..P::SALT]];
            Shake256::of(keccak, &pieces).finish(salt);
            let mut hash = [0; MOST / 4];
            let hash = &mut hash[..P::N / 4];
            Shake256::of(keccak, &[&hashed, salt]).finish(hash);
            let (h0, h1) = hash.split_at(P::N / 8);
            let (h0, h1) = (words(h0), words(h1));
            let [f, g, big_f, big_g] = &*self.basis;
            let mut t = Zeroizing::new([[0; MOST / 64]; 2]);
            for (t, [a, b]) in t.iter_mut().zip([[f, big_f], [g, big_g]]) {
                add_product(self.path, t, &h0, a, P::N);
                add_product(self.path, t, &h1, b, P::N);
            }
            random(fresh);
            let pieces = [&hashed[..], seed, &(attempt + 1).to_le_bytes(), fresh];
            let norm = sample::gaussian::<P>(self.path, &pieces, [&t[0], &t[1]], x, room);
            if norm > P::MOST_NORM {
                continue;
            }
            if self.finish(x, values, &h1, encoded).is_some() {
                return Ok(());
            }
        }
        Err(SignError::Exhausted)
    }

    /// Lines 14 to 18; `None` where the result has no place.
    fn finish(
        &self,
        x: &[[i8; MOST]; 2],
        values: &mut [[u32; MOST]; 2],
        h1: &Binary,
        encoded: &mut [u8],
    ) -> Option<()> {
        let arithmetic = Arithmetic::of(self.path);
        for (values, x) in values.iter_mut().zip(x) {
            for (value, x) in values[..P::N].iter_mut().zip(x) {
                *value = P::TABLES1.residue((*x).into());
            }
            (arithmetic.ntt)(&mut values[..P::N], P::TABLES1);
        }
        let [x0, x1] = values;
        let [f, g] = &self.short;
        (arithmetic.cross)(&mut x1[..P::N], [f, &x0[..P::N], g], P::TABLES1);
        (arithmetic.inverse_ntt)(&mut x1[..P::N], P::TABLES1);
        // The sign of the first coefficient that is not zero.
        let (mut sign, mut found) = (0, 0);
        for value in &mut x1[..P::N] {
            let w = P::TABLES1.centred(*value);
            let here = (w | -w) >> 31 & !found;
            sign |= here & (w >> 31);
            found |= here;
            *value = w.cast_unsigned();
        }
        let mut s1 = [0; MOST];
        let mut large = 0;
        let rows = s1.as_chunks_mut::<64>().0.iter_mut().zip(x1[..P::N].as_chunks::<64>().0);
        for ((s1, w), h1) in rows.zip(h1) {
            for (at, (s1, w)) in s1.iter_mut().zip(w).enumerate() {
                let w = (w.cast_signed() ^ sign) - sign;
                let s = (((h1 >> at) as i32 & 1) - w) >> 1;
                large |= (s ^ (s >> 31)) >> P::S1.high;
                *s1 = s as i16;
            }
        }
        // What is out of range will be refused there, unless 16 bits have hidden it.
        if large != 0 {
            return None;
        }
        encode::signature::<P>(&s1[..P::N], encoded)
    }
}

/// The room that signing works in; wiped after use, in a few pieces and not number by number.
struct Work {
    x: [[i8; MOST]; 2],
    /// Of x, at the roots.
    values: [[u32; MOST]; 2],
    /// What x is sampled from.
    words: Vec<[u64; 4]>,
    fresh: [u8; 40],
}

impl Work {
    fn new(degree: usize) -> Self {
        let words = alloc::vec![[0; 4]; degree * 5 / 8];
        Work { x: [[0; MOST]; 2], values: [[0; MOST]; 2], words, fresh: [0; 40] }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let degree = self.words.len() * 8 / 5;
        self.x.iter_mut().for_each(|x| x[..degree].fill(0));
        self.values.iter_mut().for_each(|values| values[..degree].fill(0));
        self.words.fill([0; 4]);
        self.fresh = [0; 40];
        optimization_barrier(self.words.as_slice());
        optimization_barrier(self);
    }
}

/// Bits of bytes.
pub(crate) fn words(bytes: &[u8]) -> Binary {
    let mut words = [0; MOST / 64];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}
