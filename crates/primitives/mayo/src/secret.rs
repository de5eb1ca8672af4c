//! Signing keys.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use zeroize::Zeroizing;

use crate::engine::{self, Engine, Task};
use crate::error::{InvalidKey, SigningError};
use crate::expand::Source;
use crate::grid::Grid;
use crate::maps;
use crate::oil::{Expansion, Oil};
use crate::parameters::ParameterSet;
use crate::path::Path;
use crate::public::PublicKey;
use crate::scratch::Scratch;
use crate::sign::{Expanded, Request, Sign, SignOnce};

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

    /// Its public key (MAYO.CompactKeyGen).
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
        self.sign_on(Path::best(), message, randomizer)
    }

    /// [`sign`](Self::sign) on the given path.
    ///
    /// # Errors
    /// As [`PreparedSigningKey::sign`].
    pub fn sign_on(&self, path: Path, message: &[u8], randomizer: &[u8]) -> Result<Vec<u8>, SigningError> {
        check_randomizer(self.set, randomizer)?;
        let mut signature = vec![0; self.set.signature_len()];
        let request = Request { set: self.set, seed: &self.seed, message, randomizer };
        if !engine::run(path, SignOnce { request, signature: &mut signature }) {
            // The first attempt failed, which is rare and public; the others want the whole key.
            self.prepare_on(path).sign_into(message, randomizer, &mut signature)?;
        }
        Ok(signature)
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

    /// Signs a message (MAYO.Sign). The randomiser is the caller's random bytes, or zeros to sign
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
        let request = Request { set: self.set, seed: &self.seed, message, randomizer };
        if engine::run(self.path, Sign { request, key: &self.expanded, signature }) {
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
        let oil = Oil::new(parameters, &self.0.seed);
        let maps = maps::of(engine, &oil.columns, o, parameters.v());

        // P3 is the upper triangle of Oᵀ (P1 O + P2), what is below the diagonal added to what is above.
        let mut source = Source::vinegar(parameters, &oil.public_seed);
        let layout = source.layout();
        let mut products = Scratch::new(layout.products(o_pairs));
        let mut room = source.room();
        for number in 0..layout.blocks() {
            let block = source.block(engine, number, &mut room);
            layout.multiply(engine, (number, block), &maps, o_pairs, &mut products);
            source.add_p2(engine, number, &mut products);
        }
        let length = 2 * o_pairs * parameters.width();
        let sums = maps::combine(engine, &maps, o_pairs, &products, length);
        let words = maps::unpair(engine, &sums, 2 * o_pairs, parameters.half(), parameters.last_limb());
        let word = |i: usize, j: usize, w: usize| words[(i * limbs + w) * 2 * o_pairs + j];

        let mut bytes = Vec::with_capacity(set.public_key_len() + 8);
        bytes.extend_from_slice(&oil.public_seed);
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
        let oil = Oil::new(parameters, &self.0.seed);
        let mut expansion = Expansion::new(engine, parameters, &oil);
        let mut p1 = Grid::new(expansion.layout());
        for number in (0..expansion.layout().blocks()).rev() {
            expansion.block(engine, number, p1.block_mut(number));
        }
        Expanded { mixed: expansion.mixed, oil, p1 }
    }
}
