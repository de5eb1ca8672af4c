//! Signing keys.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use zeroize::Zeroizing;

use crate::engine::{self, Engine, Task};
use crate::error::{InvalidKey, SigningError};
use crate::expand::{self, Stream};
use crate::grid::{Grid, Shape};
use crate::maps;
use crate::parameters::ParameterSet;
use crate::path::Path;
use crate::public::PublicKey;
use crate::scratch::Scratch;
use crate::sign::Sign;

/// A signing key as it is kept: a seed. It is wiped on drop.
#[derive(Clone)]
pub struct SigningKey {
    set: ParameterSet,
    seed: Zeroizing<Vec<u8>>,
}

/// A signing key that is expanded, for signing often. It is wiped on drop, but for what is public.
#[derive(Clone)]
pub struct PreparedSigningKey {
    pub(crate) set: ParameterSet,
    path: Path,
    pub(crate) seed: Zeroizing<Vec<u8>>,
    pub(crate) expanded: Expanded,
}

/// What signing needs beside the seed.
#[derive(Clone)]
pub(crate) struct Expanded {
    /// The oil space's columns, one after another.
    pub(crate) oil: Scratch<u8>,
    /// The same in pairs of columns that share bytes, each of [`oil_row`] bytes.
    pub(crate) oil_pairs: Scratch<u8>,
    pub(crate) p1: Grid,
    /// (P1 + P1ᵀ) O + P2 in the form that [`Grid::times`] gives.
    pub(crate) l: Scratch<u8>,
}

/// Bytes for one nibble of each vinegar variable.
pub(crate) const fn oil_row(v: usize) -> usize {
    v.next_multiple_of(16)
}

impl SigningKey {
    /// A key from its seed: random bytes of the caller's, as many as the set's secret keys have.
    ///
    /// # Errors
    /// [`InvalidKey`] for another length.
    pub fn new(set: ParameterSet, seed: &[u8]) -> Result<Self, InvalidKey> {
        let expected = set.secret_key_len();
        if seed.len() != expected {
            return Err(InvalidKey { set: set.name(), what: "secret key", given: seed.len(), expected });
        }
        Ok(Self { set, seed: Zeroizing::new(seed.to_vec()) })
    }

    /// Its parameter set.
    #[must_use]
    pub fn set(&self) -> ParameterSet {
        self.set
    }

    /// Its bytes, the seed.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.seed
    }

    /// Its public key (specification, algorithm 5: compact key generation).
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.public_key_on(Path::best())
    }

    /// [`public_key`](Self::public_key) on the given path.
    #[must_use]
    pub fn public_key_on(&self, path: Path) -> PublicKey {
        engine::run(path, Generate(self))
    }

    /// Expands it, on the fastest path.
    #[must_use]
    pub fn prepare(&self) -> PreparedSigningKey {
        self.prepare_on(Path::best())
    }

    /// [`prepare`](Self::prepare) on the given path, which then also signs.
    #[must_use]
    pub fn prepare_on(&self, path: Path) -> PreparedSigningKey {
        let expanded = engine::run(path, Expand(self));
        PreparedSigningKey { set: self.set, path, seed: self.seed.clone(), expanded }
    }

    /// Signs one message. For more of them, [`prepare`](Self::prepare) the key.
    ///
    /// # Errors
    /// As [`PreparedSigningKey::sign`].
    pub fn sign(&self, message: &[u8], randomizer: &[u8]) -> Result<Vec<u8>, SigningError> {
        check_randomizer(self.set, randomizer)?;
        self.prepare().sign(message, randomizer)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("set", &self.set).finish_non_exhaustive()
    }
}

impl PreparedSigningKey {
    /// Its parameter set.
    #[must_use]
    pub fn set(&self) -> ParameterSet {
        self.set
    }

    /// The path on which it signs.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Signs a message (specification, algorithm 8 of round 2). The randomiser is the caller's random bytes, or zeros to sign
    /// deterministically, which the specification allows and which helps an attacker who can induce faults.
    ///
    /// # Errors
    /// [`SigningError`] for a randomiser of another length than the set's; and if 256 attempts fail, which does not happen.
    pub fn sign(&self, message: &[u8], randomizer: &[u8]) -> Result<Vec<u8>, SigningError> {
        let mut signature = vec![0; self.set.signature_len()];
        self.sign_into(message, randomizer, &mut signature)?;
        Ok(signature)
    }

    /// [`sign`](Self::sign) into the caller's memory, which is left as it was if there is an error.
    ///
    /// # Errors
    /// As [`sign`](Self::sign), and for another length than that of a signature.
    pub fn sign_into(
        &self,
        message: &[u8],
        randomizer: &[u8],
        signature: &mut [u8],
    ) -> Result<(), SigningError> {
        check_randomizer(self.set, randomizer)?;
        let (given, expected) = (signature.len(), self.set.signature_len());
        if given != expected {
            return Err(SigningError::SignatureLength { set: self.set.name(), given, expected });
        }
        if engine::run(self.path, Sign { key: self, message, randomizer, signature }) {
            Ok(())
        } else {
            Err(SigningError::Exhausted { set: self.set.name() })
        }
    }
}

impl fmt::Debug for PreparedSigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedSigningKey")
            .field("set", &self.set)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

fn check_randomizer(set: ParameterSet, randomizer: &[u8]) -> Result<(), SigningError> {
    let (given, expected) = (randomizer.len(), set.randomizer_len());
    if given == expected {
        Ok(())
    } else {
        Err(SigningError::Randomizer { set: set.name(), given, expected })
    }
}

struct Generate<'a>(&'a SigningKey);

impl Task for Generate<'_> {
    type Output = PublicKey;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> PublicKey {
        let set = self.0.set;
        let parameters = set.parameters();
        let (o, o_pairs, limbs) = (parameters.o, parameters.o_pairs(), parameters.limbs());
        let (seed, oil) = expand::secret(parameters, &self.0.seed);
        let expanded = Stream::public(parameters, &seed);
        let p1 = expand::vinegar(engine, parameters, &expanded, Shape::Upper);

        // P3 is the upper triangle of Oᵀ (P1 O + P2), what is below the diagonal added to what is above.
        let oil = expand::transposed(&oil, o);
        let oil_maps = maps::of(engine, &oil, o, parameters.v());
        let mut products = p1.times(engine, &oil_maps, o_pairs);
        expand::add_p2(engine, parameters, &expanded, &mut products);
        let length = 2 * o_pairs * parameters.width();
        let sums = maps::combine(engine, &oil_maps, o_pairs, &products, length);
        let words = maps::unpair(engine, &sums, 2 * o_pairs, parameters.half(), parameters.last_limb());
        let word = |i: usize, j: usize, w: usize| words[(i * limbs + w) * 2 * o_pairs + j];

        let mut bytes = Vec::with_capacity(set.public_key_len());
        bytes.extend_from_slice(&seed);
        for i in 0..o {
            for j in i..o {
                let end = bytes.len() + parameters.m / 2;
                for w in 0..limbs {
                    let below = if i == j { 0 } else { word(j, i, w) };
                    bytes.extend_from_slice(&(word(i, j, w) ^ below).to_le_bytes());
                }
                bytes.truncate(end);
            }
        }
        PublicKey { set, bytes }
    }
}

struct Expand<'a>(&'a SigningKey);

impl Task for Expand<'_> {
    type Output = Expanded;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> Expanded {
        let parameters = self.0.set.parameters();
        let (o, v, o_pairs) = (parameters.o, parameters.v(), parameters.o_pairs());
        let (seed, oil) = expand::secret(parameters, &self.0.seed);
        let expanded = Stream::public(parameters, &seed);
        let p1 = expand::vinegar(engine, parameters, &expanded, Shape::Upper);

        let oil = expand::transposed(&oil, o);
        let oil_maps = maps::of(engine, &oil, o, v);
        let mut l = p1.times(engine, &oil_maps, o_pairs);
        // Both triangles have the diagonal, which is 0 in their sum.
        let lower = expand::vinegar(engine, parameters, &expanded, Shape::Lower);
        for (sum, byte) in l.iter_mut().zip(lower.times(engine, &oil_maps, o_pairs).iter()) {
            *sum ^= byte;
        }
        expand::add_p2(engine, parameters, &expanded, &mut l);

        let mut oil_pairs = Scratch::new(o_pairs * oil_row(v));
        for (row, columns) in oil_pairs.chunks_exact_mut(oil_row(v)).zip(oil.chunks(2 * v)) {
            let (first, second) = columns.split_at(v);
            for (byte, element) in row.iter_mut().zip(first) {
                *byte = *element;
            }
            for (byte, element) in row.iter_mut().zip(second) {
                *byte |= element << 4;
            }
        }
        Expanded { oil, oil_pairs, p1, l }
    }
}
