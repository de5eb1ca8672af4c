//! Verification (FIPS 204, sections 5.3 and 6.3).

use alloc::boxed::Box;
use core::marker::PhantomData;

use fieldtest_keccak::shake::Shake256;

use crate::arithmetic::Arithmetic;
use crate::error::{InvalidKey, InvalidSignature};
use crate::pack;
use crate::params::{D, MOST, ParameterSet};
use crate::path::Path;
use crate::poly::{Poly, zeros};
use crate::sample;

/// A public key, prepared: the matrix A and t1 in the NTT's domain, and the key's own hash. It takes 20, 36
/// or 72 KiB, since expanding A each time would be more than half of a verification.
///
/// It takes 1 KiB for each of the k · (l + 1) polynomials: 20, 36 or 72 KiB.
pub struct VerifyingKey<P> {
    path: Path,
    /// k rows, each of l polynomials of A and one of -t1.
    rows: Box<[Poly]>,
    /// tr
    hash: [u8; 64],
    set: PhantomData<P>,
}

impl<P: ParameterSet> VerifyingKey<P> {
    /// Prepares a public key, as [`SigningKey::public_key`](crate::SigningKey::public_key) gives it.
    ///
    /// # Errors
    /// [`InvalidKey::Length`]. Every byte string of the right length is a public key.
    pub fn new(public: &[u8]) -> Result<Self, InvalidKey> {
        Self::new_on(Path::best(), public)
    }

    /// [`Self::new`] by the given path.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn new_on(path: Path, public: &[u8]) -> Result<Self, InvalidKey> {
        let wrong = InvalidKey::Length { given: public.len(), expected: P::PUBLIC_KEY };
        let (rho, t1) =
            public.split_first_chunk::<32>().filter(|_| public.len() == P::PUBLIC_KEY).ok_or(wrong)?;
        let arithmetic = Arithmetic::of(path);
        let mut rows = zeros(P::K * (P::L + 1));
        sample::matrix::<P>(path, rho, &mut rows, |entry| entry / P::L * (P::L + 1) + entry % P::L);
        for (row, t1) in rows.chunks_exact_mut(P::L + 1).zip(t1.as_chunks::<320>().0) {
            let (t, a) = row.split_last_mut().ok_or(wrong)?;
            a.iter_mut().for_each(arithmetic.transpose);
            (arithmetic.unpack_t1)(t1, t);
            (arithmetic.ntt)(t);
            (arithmetic.freeze)(t);
        }
        let hash = Shake256::of(path.keccak(), &[public]).digest();
        Ok(VerifyingKey { path, rows, hash, set: PhantomData })
    }

    /// Accepts or refuses the signature of a message in a context (FIPS 204, algorithm 3); most contexts are empty.
    ///
    /// # Errors
    /// [`InvalidSignature`], also for contexts of more than 255 bytes and for signatures of the wrong length.
    pub fn verify(&self, message: &[u8], context: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let length = u8::try_from(context.len()).map_err(|_| InvalidSignature)?;
        let representative =
            Shake256::of(self.path.keccak(), &[&self.hash, &[0, length], context, message]).digest();
        self.verify_representative(&representative, signature)
    }

    /// Accepts or refuses a signature of a message representative μ (FIPS 204, algorithm 8, from line 7).
    ///
    /// # Errors
    /// [`InvalidSignature`]
    pub fn verify_representative(&self, mu: &[u8; 64], signature: &[u8]) -> Result<(), InvalidSignature> {
        if signature.len() != P::SIGNATURE {
            return Err(InvalidSignature);
        }
        let arithmetic = Arithmetic::of(self.path);
        let (challenge, rest) = signature.split_at(P::CHALLENGE);
        let (responses, hints) = rest.split_at(P::L * 32 * (P::GAMMA1_BITS + 1));
        let mut hint = [Poly::ZERO; MOST];
        if !pack::unpack_hints::<P>(hints, &mut hint[..P::K]) {
            return Err(InvalidSignature);
        }
        // z and behind it c: what the rows are multiplied by.
        let mut factors = [Poly::ZERO; MOST];
        for (z, bytes) in factors.iter_mut().zip(responses.chunks_exact(32 * (P::GAMMA1_BITS + 1))) {
            arithmetic.unpack_response(P::GAMMA1_BITS, bytes, z);
            if (arithmetic.norm)(z) >= P::GAMMA1 - P::BETA {
                return Err(InvalidSignature);
            }
        }
        factors[P::L] = sample::ball(&sample::in_ball::<P>(self.path, challenge)[..P::TAU]);
        // For t1 · 2^d, of which the key has -t1.
        factors[P::L].0.iter_mut().for_each(|c| *c <<= D);
        factors[..=P::L].iter_mut().for_each(arithmetic.ntt);

        let mut commitment = Shake256::of(self.path.keccak(), &[mu]);
        let mut bytes = [0; 192];
        let bytes = &mut bytes[..32 * P::W1_BITS];
        let mut w = Poly::ZERO;
        for (row, hint) in self.rows.chunks_exact(P::L + 1).zip(&hint) {
            (arithmetic.dot)(&mut w, row, &factors[..=P::L]);
            (arithmetic.inverse_ntt)(&mut w);
            arithmetic.use_hint(P::GAMMA2, &mut w, hint);
            arithmetic.pack_high(P::GAMMA2, &w, bytes);
            commitment.absorb(bytes);
        }
        match commitment.digest::<64>()[..P::CHALLENGE] == *challenge {
            true => Ok(()),
            false => Err(InvalidSignature),
        }
    }
}
