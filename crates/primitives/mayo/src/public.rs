//! Public keys and verification.

use alloc::vec::Vec;
use core::fmt;

use crate::engine::{self, Engine, Task};
use crate::error::{InvalidKey, InvalidSignature};
use crate::expand::{Source, Stream, add_pair};
use crate::field::decode;
use crate::grid::Grid;
use crate::hash::shake256;
use crate::maps::{self, MOST_BYTES};
use crate::parameters::{ParameterSet, Parameters};
use crate::path::Path;
use crate::scratch::Scratch;
use crate::whip::Columns;

/// A public key as it is sent: the seed of P1 and P2, and P3.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    pub(crate) set: ParameterSet,
    pub(crate) bytes: Vec<u8>,
}

/// A public key whose map is expanded, for verifying many signatures.
///
/// It takes 160 kB (MAYO-one), 120 kB (two), 410 kB (three) or 880 kB (five).
#[derive(Clone)]
pub struct PreparedPublicKey {
    set: ParameterSet,
    path: Path,
    map: Grid,
}

impl PublicKey {
    /// A key from its bytes.
    ///
    /// # Errors
    /// [`InvalidKey`] for another length than the set's.
    pub fn new(set: ParameterSet, bytes: &[u8]) -> Result<Self, InvalidKey> {
        let expected = set.public_key_len();
        if bytes.len() != expected {
            return Err(InvalidKey { set: set.name(), what: "public key", given: bytes.len(), expected });
        }
        Ok(Self { set, bytes: bytes.to_vec() })
    }

    /// Its parameter set.
    #[must_use]
    pub fn set(&self) -> ParameterSet {
        self.set
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Expands it, on the fastest path.
    #[must_use]
    pub fn prepare(&self) -> PreparedPublicKey {
        self.prepare_on(Path::best())
    }

    /// [`prepare`](Self::prepare) on the given path, which then also verifies.
    #[must_use]
    pub fn prepare_on(&self, path: Path) -> PreparedPublicKey {
        let map = engine::run(path, Prepare(self));
        PreparedPublicKey { set: self.set, path, map }
    }

    /// Verifies one signature. For more of them, [`prepare`](Self::prepare) the key: expanding it is most of the work.
    ///
    /// # Errors
    /// [`InvalidSignature`] if it has another length than the set's, or is not one of the message under this key.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        self.verify_on(Path::best(), message, signature)
    }

    /// [`verify`](Self::verify) on the given path.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_on(&self, path: Path, message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        verify(path, Verify { set: self.set, map: Map::Compact(&self.bytes), message, signature })
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey").field("set", &self.set).finish_non_exhaustive()
    }
}

impl PreparedPublicKey {
    /// Its parameter set.
    #[must_use]
    pub fn set(&self) -> ParameterSet {
        self.set
    }

    /// The path on which it verifies.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Verifies a signature (MAYO.Verify).
    ///
    /// Every string of a signature's length is read as one; there are no encodings to reject, and no second encoding of
    /// the same signature.
    ///
    /// # Errors
    /// [`InvalidSignature`] if it has another length than the set's, or is not one of the message under this key.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        verify(self.path, Verify { set: self.set, map: Map::Prepared(&self.map), message, signature })
    }
}

impl fmt::Debug for PreparedPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedPublicKey")
            .field("set", &self.set)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

fn verify(path: Path, task: Verify<'_>) -> Result<(), InvalidSignature> {
    let (set, given, expected) = (task.set.name(), task.signature.len(), task.set.signature_len());
    if given != expected {
        Err(InvalidSignature::Length { set, given, expected })
    } else if engine::run(path, task) {
        Ok(())
    } else {
        Err(InvalidSignature::Mismatch { set })
    }
}

struct Prepare<'a>(&'a PublicKey);

impl Task for Prepare<'_> {
    type Output = Grid;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> Grid {
        let mut source = Source::whole(self.0.set.parameters(), &self.0.bytes);
        let mut map = Grid::new(source.layout());
        for number in 0..source.layout().blocks() {
            source.block(engine, number, map.block_mut(number));
        }
        map
    }
}

/// Where the map's matrix comes from.
enum Map<'a> {
    Prepared(&'a Grid),
    Compact(&'a [u8]),
}

struct Verify<'a> {
    set: ParameterSet,
    map: Map<'a>,
    message: &'a [u8],
    signature: &'a [u8],
}

impl Task for Verify<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> bool {
        let parameters = self.set.parameters();
        let (packed, salt) = self.signature.split_at(parameters.solution_bytes());
        let mut digest = [0; MOST_DIGEST];
        let digest = &mut digest[..parameters.digest];
        shake256(&[self.message], digest);
        let target = Target::new(parameters, digest, salt);

        let mut vectors = Scratch::new(parameters.k * parameters.n);
        decode(packed, &mut vectors);
        let maps = maps::of(engine, &vectors, parameters.k, parameters.n);
        let mut products = match self.map {
            Map::Prepared(map) => map.times(engine, &maps, parameters.k_pairs()),
            Map::Compact(key) => {
                let mut source = Source::whole(parameters, key);
                let layout = source.layout();
                let mut products = Scratch::new(layout.products(parameters.k_pairs()));
                let mut room = source.room();
                for number in 0..layout.blocks() {
                    let block = source.block(engine, number, &mut room);
                    layout.multiply(engine, (number, block), &maps, parameters.k_pairs(), &mut products);
                }
                products
            }
        };
        if let Some(linear) = &target.linear {
            add_linear(engine, parameters, linear, parameters.n, &mut products);
        }
        let squares = squares(engine, parameters, &maps, &products);
        let mut sum = Columns::new(parameters, 1);
        sum.add_products(parameters, 0, &squares, 2 * parameters.k_pairs());
        let sum = sum.reduced(parameters);
        let sum = sum.iter().flat_map(|word| word.to_le_bytes());
        sum.zip(target.bytes(parameters)).all(|(sum, target)| sum == *target)
    }
}

/// Bytes of the longest digest of a message.
pub(crate) const MOST_DIGEST: usize = 64;

/// What a signature's map is to give.
pub(crate) struct Target {
    bytes: [u8; MOST_BYTES],
    /// The linear term of round 3: n m-vectors.
    pub(crate) linear: Option<Stream>,
}

impl Target {
    /// Hashes the message's digest and the salt.
    pub(crate) fn new(parameters: &Parameters, digest: &[u8], salt: &[u8]) -> Self {
        const SEEDS: usize = 32;
        let mut hash = [0; MOST_BYTES + SEEDS];
        let half = parameters.m / 2;
        let length = if parameters.linear { half + SEEDS } else { half };
        shake256(&[digest, salt], &mut hash[..length]);
        let linear = parameters.linear.then(|| Stream::linear(parameters, &hash[half..length]));
        let mut bytes = [0; MOST_BYTES];
        bytes[..half].copy_from_slice(&hash[..half]);
        Self { bytes, linear }
    }

    /// Its m nibbles.
    pub(crate) fn bytes(&self, parameters: &Parameters) -> &[u8] {
        &self.bytes[..parameters.m / 2]
    }
}

/// Adds the first `count` m-vectors of the linear term to the products of the first vector, with which all meet in
/// [`squares`]: E(i, 0) times what the term gives for vector i is then in the sum.
#[inline(always)]
pub(crate) fn add_linear<E: Engine>(
    engine: E,
    parameters: &Parameters,
    linear: &Stream,
    count: usize,
    products: &mut [u8],
) {
    let width = parameters.width();
    for (pair, products) in products.chunks_exact_mut(2 * parameters.k_pairs() * width).enumerate() {
        add_linear_pair(engine, linear, pair, count, &mut products[..width]);
    }
}

/// Adds the m-vectors of the linear term at a pair of rows, of which there are `count`.
#[inline(always)]
pub(crate) fn add_linear_pair<E: Engine>(
    engine: E,
    linear: &Stream,
    pair: usize,
    count: usize,
    sum: &mut [u8],
) {
    let zeros = [0; MOST_BYTES];
    let second = 2 * pair + 1;
    let second = if second < count { linear.get(second) } else { &zeros };
    add_pair(engine, linear.get(2 * pair), second, sum);
}

/// The products of all pairs of vectors, from those of the matrix with the vectors, in the order of [`maps::unpair`].
#[inline(always)]
pub(crate) fn squares<E: Engine>(
    engine: E,
    parameters: &Parameters,
    maps: &[E::Map],
    products: &[u8],
) -> Scratch<u64> {
    let pairs = parameters.k_pairs();
    let sums = maps::combine(engine, maps, pairs, products, 2 * pairs * parameters.width());
    maps::unpair(engine, &sums, 2 * pairs, parameters.half(), parameters.last_limb())
}
