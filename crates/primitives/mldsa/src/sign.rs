//! Key generation and signing (FIPS 204, sections 5.1, 5.2, 6.1 and 6.2).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::marker::PhantomData;

use fieldtest_keccak::shake::Shake256;
use zeroize::{Zeroize, Zeroizing};

use crate::arithmetic::Arithmetic;
use crate::arithmetic::rounding::centred;
use crate::error::{InvalidKey, SignError};
use crate::pack;
use crate::params::{D, MOST, ParameterSet};
use crate::path::Path;
use crate::poly::{Poly, Short, zeros};
use crate::sample;

/// A private key, prepared: the matrix A and t0 in the NTT's domain, s1 and s2 for sums of windows. A takes most of
/// its 26, 44 or 75 KiB; to expand it again is more than half of the work of a verification.
///
/// It takes 1 KiB for each of k · l + k polynomials and 3/4 KiB for each of s1 and s2. Secrets are wiped on drop.
pub struct SigningKey<P> {
    path: Path,
    /// A, row after row.
    matrix: Box<[Poly]>,
    /// s1 and -s2.
    short: Box<[Short]>,
    t0: Box<[Poly]>,
    /// K, of which the masks are made.
    key: [u8; 32],
    /// tr
    hash: [u8; 64],
    public: Vec<u8>,
    /// ξ, unless the key was read in its expanded form, which does not have it.
    seed: Option<[u8; 32]>,
    set: PhantomData<P>,
}

impl<P: ParameterSet> SigningKey<P> {
    /// A new key, whose seed is of the system's random generator.
    ///
    /// # Errors
    /// The generator's.
    #[cfg(feature = "getrandom")]
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed)?;
        Ok(Self::from_seed(&seed))
    }

    /// The key of a seed ξ (FIPS 204, algorithm 6), which has to be 32 secret random bytes.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self::from_seed_on(Path::best(), seed)
    }

    /// [`Self::from_seed`] by the given path.
    #[must_use]
    pub fn from_seed_on(path: Path, seed: &[u8; 32]) -> Self {
        let mut seeds: [u8; 128] = Shake256::of(path.keccak(), &[seed, &[P::K as u8, P::L as u8]]).digest();
        let (rho, rest) = seeds.split_at(32);
        let (secret_seed, key) = rest.split_at(64);
        let [rho, key] = [rho, key].map(|part| part.try_into().unwrap_or([0; 32]));
        let secret_seed = Zeroizing::new(secret_seed.try_into().unwrap_or([0; 64]));
        let mut secrets = Zeroizing::new(zeros(P::L + P::K));
        sample::secrets::<P>(path, &secret_seed, &mut secrets);
        seeds.zeroize();
        Self::complete(path, &rho, key, secrets, Some(*seed))
    }

    /// Reads a private key in its expanded form (FIPS 204, algorithm 25).
    ///
    /// # Errors
    /// [`InvalidKey`]; also where the parts do not belong together, which FIPS 204 leaves unchecked.
    pub fn from_expanded(bytes: &[u8]) -> Result<Self, InvalidKey> {
        Self::from_expanded_on(Path::best(), bytes)
    }

    /// [`Self::from_expanded`] by the given path.
    ///
    /// # Errors
    /// As for [`Self::from_expanded`].
    pub fn from_expanded_on(path: Path, bytes: &[u8]) -> Result<Self, InvalidKey> {
        let wrong = InvalidKey::Length { given: bytes.len(), expected: P::EXPANDED_KEY };
        if bytes.len() != P::EXPANDED_KEY {
            return Err(wrong);
        }
        let (rho, rest) = bytes.split_first_chunk::<32>().ok_or(wrong)?;
        let (key, rest) = rest.split_first_chunk::<32>().ok_or(wrong)?;
        let (hash, rest) = rest.split_first_chunk::<64>().ok_or(wrong)?;
        let (short, _) = rest.split_at(32 * P::ETA_BITS * (P::L + P::K));
        let mut secrets = Zeroizing::new(zeros(P::L + P::K));
        for (poly, bytes) in secrets.iter_mut().zip(short.chunks_exact(32 * P::ETA_BITS)) {
            pack::unpack_of(P::ETA_BITS, bytes, poly, |number| P::ETA - number as i32);
            if poly.0.iter().fold(false, |wrong, value| wrong | (*value < -P::ETA)) {
                return Err(InvalidKey::Coefficient);
            }
        }
        let made = Self::complete(path, rho, *key, secrets, None);
        let again = Zeroizing::new(made.to_expanded());
        // t0 and the hash are made of the rest, so that comparing all compares them.
        if again.iter().zip(bytes).fold(0, |different, (a, b)| different | (a ^ b)) != 0 || made.hash != *hash
        {
            return Err(InvalidKey::Inconsistent);
        }
        Ok(made)
    }

    /// The rest of algorithm 6: `secrets` has s1 and s2.
    fn complete(
        path: Path,
        rho: &[u8; 32],
        key: [u8; 32],
        mut secrets: Zeroizing<Box<[Poly]>>,
        seed: Option<[u8; 32]>,
    ) -> Self {
        let arithmetic = Arithmetic::of(path);
        let mut matrix = zeros(P::K * P::L);
        sample::matrix::<P>(path, rho, &mut matrix, |entry| entry);
        matrix.iter_mut().for_each(arithmetic.transpose);

        let mut short = alloc::vec![Short::ZERO; P::L + P::K].into_boxed_slice();
        for (number, (short, poly)) in short.iter_mut().zip(secrets.iter()).enumerate() {
            short.set(poly, number >= P::L);
        }
        let mut t0 = zeros(P::K);
        let (s1, s2) = secrets.split_at_mut(P::L);
        s1.iter_mut().for_each(arithmetic.ntt);
        let mut public = Vec::with_capacity(P::PUBLIC_KEY);
        public.extend_from_slice(rho);
        let mut t1 = Poly::ZERO;
        for ((row, s2), t0) in matrix.chunks_exact(P::L).zip(&*s2).zip(&mut t0) {
            (arithmetic.dot)(t0, row, s1);
            (arithmetic.inverse_ntt)(t0);
            (arithmetic.add)(t0, s2);
            (arithmetic.freeze)(t0);
            // Algorithm 35.
            for (low, high) in t0.0.iter_mut().zip(&mut t1.0) {
                *high = (*low + (1 << (D - 1)) - 1) >> D;
                *low -= *high << D;
            }
            let at = public.len();
            public.resize(at + 320, 0);
            pack::pack::<10>(&t1, &mut public[at..], |high| high as u32);
        }
        let hash = Shake256::of(path.keccak(), &[&public]).digest();
        t0.iter_mut().for_each(arithmetic.ntt);
        t0.iter_mut().for_each(arithmetic.freeze);
        SigningKey { path, matrix, short, t0, key, hash, public, seed, set: PhantomData }
    }

    /// The private key in its expanded form (FIPS 204, algorithm 24).
    #[must_use]
    pub fn to_expanded(&self) -> Vec<u8> {
        let arithmetic = Arithmetic::of(self.path);
        let mut bytes = alloc::vec![0; P::EXPANDED_KEY];
        let (head, rest) = bytes.split_at_mut(128);
        head[..32].copy_from_slice(&self.public[..32]);
        head[32..64].copy_from_slice(&self.key);
        head[64..].copy_from_slice(&self.hash);
        let (short, long) = rest.split_at_mut(32 * P::ETA_BITS * (P::L + P::K));
        let one = {
            // Multiplied by one, since the inverse NTT expects a product.
            let mut one = Poly::ZERO;
            one.0[0] = 1;
            (arithmetic.ntt)(&mut one);
            one
        };
        let mut poly = Zeroizing::new(Poly::ZERO);
        let short = short.chunks_exact_mut(32 * P::ETA_BITS);
        for (number, (secret, bytes)) in self.short.iter().zip(short).enumerate() {
            *poly = secret.coefficients(number >= P::L);
            pack::pack_of(P::ETA_BITS, &poly, bytes, |value| (P::ETA - value) as u32);
        }
        for (t0, bytes) in self.t0.iter().zip(long.chunks_exact_mut(32 * D)) {
            (arithmetic.dot)(&mut poly, core::slice::from_ref(t0), core::slice::from_ref(&one));
            (arithmetic.inverse_ntt)(&mut poly);
            (arithmetic.freeze)(&mut poly);
            pack::pack::<D>(&poly, bytes, |value| ((1 << (D - 1)) - centred(value)) as u32);
        }
        bytes
    }

    /// The seed ξ that the key was made of; `None` if it was read in its expanded form.
    #[must_use]
    pub fn seed(&self) -> Option<&[u8; 32]> {
        self.seed.as_ref()
    }

    /// The public key (FIPS 204, algorithm 22).
    #[must_use]
    pub fn public_key(&self) -> &[u8] {
        &self.public
    }

    /// Signs a message in a context (FIPS 204, algorithm 2); most contexts are empty. `signature` is overwritten.
    ///
    /// `random` should be 32 fresh random bytes (hedged signing). With zeros the same message has the same signature
    /// (the deterministic variant).
    ///
    /// # Errors
    /// [`SignError`]; `signature` is then worth nothing.
    pub fn sign(
        &self,
        message: &[u8],
        context: &[u8],
        random: &[u8; 32],
        signature: &mut [u8],
    ) -> Result<(), SignError> {
        let length = u8::try_from(context.len()).map_err(|_| SignError::Context(context.len()))?;
        let mu = Shake256::of(self.path.keccak(), &[&self.hash, &[0, length], context, message]).digest();
        self.sign_representative(&mu, random, signature)
    }

    /// Signs a message representative μ (FIPS 204, algorithm 7, from line 7).
    ///
    /// # Errors
    /// As for [`Self::sign`].
    pub fn sign_representative(
        &self,
        mu: &[u8; 64],
        random: &[u8; 32],
        signature: &mut [u8],
    ) -> Result<(), SignError> {
        if signature.len() != P::SIGNATURE {
            return Err(SignError::Place { given: signature.len(), expected: P::SIGNATURE });
        }
        let seed = Zeroizing::new(Shake256::of(self.path.keccak(), &[&self.key, random, mu]).digest::<64>());
        let mut work = Work::new();
        // The masks of all attempts are numbered through. Four or eight are made at a time, whatever an attempt takes.
        let (mut next, mut ready) = (0_usize, 0);
        loop {
            while ready < P::L {
                let first = u16::try_from(next).map_err(|_| SignError::Exhausted)?;
                let more = sample::masks::<P>(self.path, &seed, first, &mut work.masks[ready..]);
                next += more;
                ready += more;
            }
            let signed = self.attempt(mu, &mut work, signature);
            if signed {
                return Ok(());
            }
            work.masks.copy_within(P::L..ready, 0);
            ready -= P::L;
        }
    }

    /// One round of the loop of algorithm 7, with the first l masks. Whether it ends is all that its time tells.
    fn attempt(&self, mu: &[u8; 64], work: &mut Work, signature: &mut [u8]) -> bool {
        let arithmetic = Arithmetic::of(self.path);
        let Work { masks, transformed, low, high, product } = work;
        let (s1, minus_s2) = self.short.split_at(P::L);
        let (challenge, rest) = signature.split_at_mut(P::CHALLENGE);
        let (responses, hints) = rest.split_at_mut(P::L * 32 * (P::GAMMA1_BITS + 1));

        let transformed = &mut transformed[..P::L];
        transformed.copy_from_slice(&masks[..P::L]);
        transformed.iter_mut().for_each(arithmetic.ntt);
        let mut commitment = Shake256::of(self.path.keccak(), &[mu]);
        let mut bytes = [0; 192];
        let bytes = &mut bytes[..32 * P::W1_BITS];
        for ((row, w), high) in self.matrix.chunks_exact(P::L).zip(low.iter_mut()).zip(high.iter_mut()) {
            (arithmetic.dot)(w, row, transformed);
            (arithmetic.inverse_ntt)(w);
            arithmetic.decompose(P::GAMMA2, w, high);
            arithmetic.pack_high(P::GAMMA2, high, bytes);
            commitment.absorb(bytes);
        }
        challenge.copy_from_slice(&commitment.digest::<64>()[..P::CHALLENGE]);
        let starts = &sample::in_ball::<P>(self.path, challenge)[..P::TAU];
        // As many windows at once as have sums that fit in a byte.
        let add_product = |poly: &mut Poly, secret: &Short| {
            let windows = starts.chunks(127 / P::ETA as usize);
            windows.fold(0, |_, starts| (arithmetic.add_windows)(poly, secret, starts))
        };

        // Line 23, as soon as one part says so. First the part that most attempts fail in. If either LowBits(w - c s2) or
        // LowBits(w) - c s2 is in the range, they are the same, and the high bits are those of w.
        for (w, minus_s2) in low.iter_mut().zip(minus_s2) {
            if add_product(w, minus_s2) >= P::GAMMA2.value() - P::BETA {
                return false;
            }
        }
        for (y, s1) in masks.iter_mut().zip(s1) {
            if add_product(y, s1) >= P::GAMMA1 - P::BETA {
                return false;
            }
        }
        // Lines 25 to 28.
        let mut c = sample::ball(starts);
        (arithmetic.ntt)(&mut c);
        for ((w, high), t0) in low.iter().zip(high.iter_mut()).zip(&self.t0) {
            (arithmetic.dot)(product, core::slice::from_ref(t0), core::slice::from_ref(&c));
            (arithmetic.inverse_ntt)(product);
            (arithmetic.freeze)(product);
            if (arithmetic.norm)(product) >= P::GAMMA2.value() {
                return false;
            }
            arithmetic.make_hint(P::GAMMA2, high, w, product);
        }
        if !pack::pack_hints::<P>(&high[..P::K], hints) {
            return false;
        }
        for (z, bytes) in masks.iter().zip(responses.chunks_exact_mut(32 * (P::GAMMA1_BITS + 1))) {
            pack::pack_of(P::GAMMA1_BITS + 1, z, bytes, |value| (P::GAMMA1 - value) as u32);
        }
        true
    }
}

impl<P> Drop for SigningKey<P> {
    fn drop(&mut self) {
        self.short.iter_mut().for_each(Zeroize::zeroize);
        self.t0.iter_mut().for_each(Zeroize::zeroize);
        self.key.zeroize();
        self.seed.zeroize();
    }
}

/// The room that signing works in; wiped after use.
struct Work {
    masks: [Poly; 15],
    transformed: [Poly; MOST],
    /// The low bits of w, and what is left of them.
    low: [Poly; MOST],
    /// w1, then the hints.
    high: [Poly; MOST],
    product: Poly,
}

impl Work {
    fn new() -> Self {
        Work {
            masks: [Poly::ZERO; 15],
            transformed: [Poly::ZERO; MOST],
            low: [Poly::ZERO; MOST],
            high: [Poly::ZERO; MOST],
            product: Poly::ZERO,
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let Work { masks, transformed, low, high, product } = self;
        let rooms = [masks.as_mut_slice(), transformed, low, high];
        rooms.into_iter().flatten().chain([product]).for_each(Zeroize::zeroize);
    }
}
