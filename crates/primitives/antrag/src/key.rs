//! Secret keys: generation, encoding and signing.

use alloc::boxed::Box;
use core::fmt;

use fieldtest_keccak::shake::Shake256;
use zeroize::{Zeroize, Zeroizing};

use crate::annulus::quality;
use crate::basis::Basis;
use crate::coding;
use crate::engine::Engine;
use crate::error::{InvalidKey, SignError};
use crate::ntt::Multiplier;
use crate::params::{ALPHA, COMPRESSED, N, PUBLIC_KEY, Q, RANDOMIZER, SALT, SECRET_KEY, SEED, SIGNATURE};
use crate::path::Path;
use crate::point;
use crate::random::Random;

/// A secret key, prepared for signing. It takes 25 KiB and is wiped on drop.
pub struct SigningKey {
    path: Path,
    basis: Box<Basis>,
    multiplier: Multiplier,
    public: [u8; PUBLIC_KEY],
    /// f, g and F.
    encoded: Zeroizing<[u8; SECRET_KEY]>,
    /// What the randomness of signatures is made of.
    secret: Zeroizing<[u8; 32]>,
    /// α
    quality: f64,
}

/// Attempts at a signature. About one in twenty-five is too long or does not fit.
const ATTEMPTS: u32 = 1000;

impl SigningKey {
    /// The key of a seed, which has to be 32 secret random bytes. The same seed gives the same key on every processor.
    #[must_use]
    pub fn from_seed(seed: &[u8; SEED]) -> Self {
        Self::from_seed_on(Path::best(), seed)
    }

    /// [`from_seed`](Self::from_seed) by the given path, which then also signs.
    #[must_use]
    pub fn from_seed_on(path: Path, seed: &[u8; SEED]) -> Self {
        let engine = Engine::of(path);
        let key = Zeroizing::new(shake256(path, &[b"Antrag-512 key generation", seed]));
        let mut random = Random::new(&key);
        loop {
            let Some(polys) = (engine.annulus)(&mut random) else { continue };
            let polys = Zeroizing::new(polys);
            let [f, g] = &*polys;
            let Some(h) = (engine.quotient)(g, f) else { continue };
            let Some(big) = solve(f, g) else { continue };
            let [big_f, big_g] = &*big;
            return Self::complete(path, [f, g, big_f, big_g], &h);
        }
    }

    /// Reads a secret key as [`to_bytes`](Self::to_bytes) writes it.
    ///
    /// # Errors
    /// [`InvalidKey`]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidKey> {
        Self::from_bytes_on(Path::best(), bytes)
    }

    /// [`from_bytes`](Self::from_bytes) for the given path, which then also signs.
    ///
    /// # Errors
    /// [`InvalidKey`]
    pub fn from_bytes_on(path: Path, bytes: &[u8]) -> Result<Self, InvalidKey> {
        let bytes: &[u8; SECRET_KEY] =
            bytes.try_into().map_err(|_| InvalidKey::Length { given: bytes.len(), expected: SECRET_KEY })?;
        let polys = Zeroizing::new(coding::decode_secret(bytes).ok_or(InvalidKey::Coefficient)?);
        let [f, g, big_f] = &*polys;
        let engine = Engine::of(path);
        if !(engine.extremes)(f, g).is_some_and(|(least, most)| quality(least, most) <= ALPHA) {
            return Err(InvalidKey::Quality);
        }
        let h = (engine.quotient)(g, f).ok_or(InvalidKey::Inconsistent)?;
        // f G - g F = q makes G = h F modulo q.
        let product = Zeroizing::new((engine.product)(&(engine.multiplier)(&h), big_f));
        let mut big_g = Zeroizing::new([0; N]);
        for (small, coefficient) in big_g.iter_mut().zip(&*product) {
            *small = i8::try_from(*coefficient).map_err(|_| InvalidKey::Inconsistent)?;
        }
        if !is_basis([f, g, big_f, &big_g]) {
            return Err(InvalidKey::Inconsistent);
        }
        Ok(Self::complete(path, [f, g, big_f, &big_g], &h))
    }

    /// Prepares f, g, F and G, and h.
    fn complete(path: Path, polys: [&[i8; N]; 4], h: &[u16; N]) -> Self {
        let engine = Engine::of(path);
        let [f, g, big_f, _] = polys;
        let mut public = [0; PUBLIC_KEY];
        coding::encode_public(h, &mut public);
        let mut encoded = Zeroizing::new([0; SECRET_KEY]);
        coding::encode_secret(f, g, big_f, &mut encoded);
        let secret = Zeroizing::new(shake256(path, &[b"Antrag-512 signatures", &*encoded]));
        let (least, most) = (engine.extremes)(f, g).unwrap_or((0.0, 0.0));
        Self {
            path,
            basis: (engine.basis)(polys),
            multiplier: (engine.multiplier)(h),
            public,
            encoded,
            secret,
            quality: quality(least, most),
        }
    }

    /// The public key: the coefficients of h = g / f modulo q, 14 bits each.
    #[must_use]
    pub fn public_key(&self) -> &[u8; PUBLIC_KEY] {
        &self.public
    }

    /// The secret key: the coefficients of f and g, 6 bits each, and those of F, 8 bits each.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; SECRET_KEY]> {
        self.encoded.clone()
    }

    /// α: in every embedding the length of (f, g) is between √q / α and α √q. At most 1.15; the secret keys of Falcon have
    /// up to 1.17 by another measure, for which their sampler needs a tree.
    #[must_use]
    pub fn quality(&self) -> f64 {
        self.quality
    }

    /// Signs a message into a place of [`SIGNATURE`] bytes, which is left as it was if there is an error.
    ///
    /// The signature is made of the message, the key and the randomizer alone. With 32 fresh random bytes as randomizer
    /// two signatures of one message differ; with zeros signing is deterministic.
    ///
    /// # Errors
    /// [`SignError`]
    pub fn sign(
        &self,
        message: &[u8],
        randomizer: &[u8; RANDOMIZER],
        signature: &mut [u8],
    ) -> Result<(), SignError> {
        let given = signature.len();
        let place: &mut [u8; SIGNATURE] =
            signature.try_into().map_err(|_| SignError::Place { given, expected: SIGNATURE })?;
        let (engine, keccak) = (Engine::of(self.path), self.path.keccak());
        let pieces: &[&[u8]] = &[&*self.secret, randomizer, message];
        let digest = Zeroizing::new(Shake256::of(keccak, pieces).digest::<64>());
        for attempt in 0..ATTEMPTS {
            let pieces: &[&[u8]] = &[&*digest, &attempt.to_le_bytes()];
            let both = Zeroizing::new(Shake256::of(keccak, pieces).digest::<{ SALT + 32 }>());
            let (Some(salt), Some(seed)) = (both.first_chunk::<SALT>(), both.last_chunk::<32>()) else {
                unreachable!("both parts are there")
            };
            let point = point::hash(keccak, message, salt);
            let mut s1 = (engine.sample)(&self.basis, &point, &mut Random::new(seed));
            let mut compressed = [0; COMPRESSED];
            // The coefficients of what can be compressed are small enough for the product. The second condition is exact:
            // whatever floating-point numbers did, what is given away can be verified.
            if coding::compress(&s1, &mut compressed) && (engine.is_short)(&self.multiplier, &point, &s1) {
                let (first, rest) = place.split_at_mut(SALT);
                first.copy_from_slice(salt);
                rest.copy_from_slice(&compressed);
                return Ok(());
            }
            // What was not published would tell something of the basis.
            s1.zeroize();
            compressed.zeroize();
        }
        Err(SignError::Exhausted(ATTEMPTS))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("path", &self.path).finish_non_exhaustive()
    }
}

fn shake256(path: Path, pieces: &[&[u8]]) -> [u8; 32] {
    Shake256::of(path.keccak(), pieces).digest()
}

/// F and G with f G - g F = q, if there are any whose coefficients are between -127 and 127.
fn solve(f: &[i8; N], g: &[i8; N]) -> Option<Zeroizing<[[i8; N]; 2]>> {
    let [wide_f, wide_g] = [f, g].map(|poly| Zeroizing::new(poly.map(i32::from)));
    let (big_f, big_g) = fieldtest_ntru::solve(&*wide_f, &*wide_g, Q as u32)?;
    let mut small = Zeroizing::new([[0; N]; 2]);
    for (small, big) in small.iter_mut().zip([&big_f, &big_g]) {
        for (small, big) in small.iter_mut().zip(big.iter()) {
            *small = i8::try_from(*big).ok().filter(|small| *small > i8::MIN)?;
        }
    }
    let [big_f, big_g] = &*small;
    is_basis([f, g, big_f, big_g]).then_some(small)
}

/// Whether f G - g F = q over the integers.
fn is_basis([f, g, big_f, big_g]: [&[i8; N]; 4]) -> bool {
    // Twice as long as the product modulo x^512 + 1, whose upper half is the negative of its lower one.
    let mut sums = Zeroizing::new([0_i32; 2 * N]);
    for i in 0..N {
        let (f, g) = (i32::from(f[i]), i32::from(g[i]));
        for (sum, (big_f, big_g)) in sums[i..i + N].iter_mut().zip(big_f.iter().zip(big_g)) {
            *sum += f * i32::from(*big_g) - g * i32::from(*big_f);
        }
    }
    let (low, high) = sums.split_at(N);
    let mut differences = low.iter().zip(high).map(|(low, high)| low - high);
    differences.next() == Some(Q) && differences.all(|difference| difference == 0)
}
