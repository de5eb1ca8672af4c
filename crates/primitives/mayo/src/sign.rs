//! Signing (MAYO.ExpandSK and MAYO.Sign).

use crate::engine::{Engine, Task};
use crate::expand::Stream;
use crate::field::{decode, encode};
use crate::grid::Grid;
use crate::hash::shake256;
use crate::maps;
use crate::oil::{Expansion, Oil};
use crate::parameters::{ParameterSet, Parameters};
use crate::public::{MOST_DIGEST, Target, add_linear, add_linear_pair, squares};
use crate::scratch::Scratch;
use crate::solve::{self, solve};
use crate::whip::Columns;

/// What is to be signed, and the seed that all secrets come from.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) set: ParameterSet,
    pub(crate) seed: &'a [u8],
    pub(crate) message: &'a [u8],
    pub(crate) randomizer: &'a [u8],
}

/// What signing needs beside the seed.
#[derive(Clone)]
pub(crate) struct Expanded {
    pub(crate) oil: Oil,
    pub(crate) p1: Grid,
    /// L = (P1 + P1ᵀ) O + P2.
    pub(crate) mixed: Scratch<u8>,
}

/// Signs; the lengths are right. Gives whether it did.
pub(crate) struct Sign<'a> {
    pub(crate) request: Request<'a>,
    pub(crate) key: &'a Expanded,
    pub(crate) signature: &'a mut [u8],
}

/// Makes one attempt at signing, without the whole key in memory. Gives whether it succeeded.
pub(crate) struct SignOnce<'a> {
    pub(crate) request: Request<'a>,
    pub(crate) signature: &'a mut [u8],
}

impl Task for Sign<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> bool {
        let Self { request, key, signature } = self;
        let parameters = request.set.parameters();
        let hashed = Hashed::new(request);
        let linear = hashed.oil_linear(engine, &key.oil);
        // A loop: a closure would be compiled without the path's instructions.
        for number in 0..=u8::MAX {
            let attempt = Attempt::new(engine, &hashed, number);
            let products = key.p1.times(engine, &attempt.maps, parameters.k_pairs());
            let (oil, mixed) = (&key.oil, &key.mixed);
            if attempt.finish(engine, &hashed, oil, mixed, products, linear.as_deref(), signature) {
                return true;
            }
        }
        false
    }
}

impl Task for SignOnce<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> bool {
        let parameters = self.request.set.parameters();
        let hashed = Hashed::new(self.request);
        let oil = Oil::new(parameters, self.request.seed);
        let linear = hashed.oil_linear(engine, &oil);
        let attempt = Attempt::new(engine, &hashed, 0);

        let mut expansion = Expansion::new(engine, parameters, &oil);
        let (layout, pairs) = (expansion.layout(), parameters.k_pairs());
        let mut products = Scratch::new(layout.products(pairs));
        let mut room = expansion.room();
        for number in (0..layout.blocks()).rev() {
            let block = expansion.block(engine, number, &mut room);
            layout.multiply(engine, (number, block), &attempt.maps, pairs, &mut products);
        }
        let mixed = &expansion.mixed;
        attempt.finish(engine, &hashed, &oil, mixed, products, linear.as_deref(), self.signature)
    }
}

/// What does not change between attempts.
struct Hashed<'a> {
    parameters: &'static Parameters,
    seed: &'a [u8],
    digest: [u8; MOST_DIGEST],
    salt: [u8; MOST_SALT],
    target: Target,
}

impl<'a> Hashed<'a> {
    fn new(request: Request<'a>) -> Self {
        let parameters = request.set.parameters();
        let mut digest = [0; MOST_DIGEST];
        shake256(&[request.message], &mut digest[..parameters.digest]);
        let mut salt = [0; MOST_SALT];
        shake256(
            &[&digest[..parameters.digest], request.randomizer, request.seed],
            &mut salt[..parameters.salt],
        );
        let target = Target::new(parameters, &digest[..parameters.digest], &salt[..parameters.salt]);
        Self { parameters, seed: request.seed, digest, salt, target }
    }

    fn salt(&self) -> &[u8] {
        &self.salt[..self.parameters.salt]
    }

    #[inline(always)]
    fn oil_linear<E: Engine>(&self, engine: E, oil: &Oil) -> Option<Scratch<u64>> {
        let linear = self.target.linear.as_ref()?;
        Some(oil_linear(engine, self.parameters, oil, linear))
    }
}

/// The secret values of one attempt.
struct Attempt<E: Engine> {
    vinegar: Scratch<u8>,
    random: Scratch<u8>,
    /// For pairs of the vinegar vectors' entries.
    maps: Scratch<E::Map>,
}

impl<E: Engine> Attempt<E> {
    #[inline(always)]
    fn new(engine: E, hashed: &Hashed<'_>, number: u8) -> Self {
        let parameters = hashed.parameters;
        let (v, k, o) = (parameters.v(), parameters.k, parameters.o);
        let mut bytes = Scratch::<u8>::new(k * v.div_ceil(2) + (k * o).div_ceil(2));
        let digest = &hashed.digest[..parameters.digest];
        shake256(&[digest, hashed.salt(), hashed.seed, &[number]], &mut bytes);
        let (vectors, randomizer) = bytes.split_at(k * v.div_ceil(2));
        let mut vinegar = Scratch::<u8>::new(k * v);
        for (packed, vector) in vectors.chunks_exact(v.div_ceil(2)).zip(vinegar.chunks_exact_mut(v)) {
            decode(packed, vector);
        }
        let mut random = Scratch::<u8>::new(k * o);
        decode(randomizer, &mut random);
        let maps = maps::of(engine, &vinegar, k, v);
        Self { vinegar, random, maps }
    }

    /// Solves for the oil variables, and writes the signature if there is a solution. `products` are those of P1 with the
    /// vinegar vectors.
    #[expect(clippy::too_many_arguments)] // all that signing has
    #[inline(always)]
    fn finish(
        &self,
        engine: E,
        hashed: &Hashed<'_>,
        oil: &Oil,
        mixed: &[u8],
        products: Scratch<u8>,
        linear: Option<&[u64]>,
        signature: &mut [u8],
    ) -> bool {
        let parameters = hashed.parameters;
        let system = self.system(engine, parameters, mixed, products, &hashed.target, linear);
        let Some(solution) = solve(engine, parameters, system, &self.random) else { return false };
        let (packed, salt) = signature.split_at_mut(parameters.solution_bytes());
        add_oil(engine, parameters, oil, &self.vinegar, &solution, packed);
        salt.copy_from_slice(hashed.salt());
        true
    }

    /// The linear system in the oil variables for these vinegar variables: A's columns, and y.
    #[inline(always)]
    fn system(
        &self,
        engine: E,
        parameters: &Parameters,
        mixed: &[u8],
        mut products: Scratch<u8>,
        target: &Target,
        linear: Option<&[u64]>,
    ) -> Scratch<u64> {
        let (v, k, o, limbs) = (parameters.v(), parameters.k, parameters.o, parameters.limbs());
        let (k_pairs, inner) = (parameters.k_pairs(), 2 * parameters.o_pairs());

        // vᵢᵀ L, of which word w of column t is (i * limbs + w) * inner + t.
        let sums = maps::combine(engine, &self.maps, k_pairs, mixed, inner * parameters.width());
        let mut mixed = maps::unpair(engine, &sums, inner, parameters.half(), parameters.last_limb());
        if let Some(linear) = linear {
            for (w, row) in mixed.chunks_exact_mut(inner).take(limbs).enumerate() {
                for (word, linear) in row[..o].iter_mut().zip(linear.chunks_exact(limbs)) {
                    *word ^= linear[w];
                }
            }
        }

        if let Some(linear) = &target.linear {
            add_linear(engine, parameters, linear, v, &mut products);
        }
        let squares = squares(engine, parameters, &self.maps, &products);

        let mut columns = Columns::new(parameters, solve::width(parameters));
        let each = limbs * inner;
        for (label, (i, j)) in parameters.schedule.iter().enumerate() {
            let (i, j) = (usize::from(*i), usize::from(*j));
            columns.add(i * o, o, &mixed[j * each..][..each], inner, label);
            if i != j {
                columns.add(j * o, o, &mixed[i * each..][..each], inner, label);
            }
        }
        columns.add_products(parameters, k * o, &squares, 2 * k_pairs);
        let mut words = columns.reduced(parameters);
        for (row, bytes) in
            words.chunks_exact_mut(solve::width(parameters)).zip(target.bytes(parameters).chunks(8))
        {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            row[k * o] ^= u64::from_le_bytes(word);
        }
        words
    }
}

/// Bytes of the longest salt.
const MOST_SALT: usize = 40;

/// What the linear term adds to the system: its values at the oil space's columns. Word w of that of column t is
/// `(t * limbs + w)`.
#[inline(always)]
fn oil_linear<E: Engine>(engine: E, parameters: &Parameters, oil: &Oil, linear: &Stream) -> Scratch<u64> {
    let (v, o, width) = (parameters.v(), parameters.o, parameters.width());
    let mut rows = Scratch::<u8>::new(parameters.v_pairs() * width);
    for (pair, row) in rows.chunks_exact_mut(width).enumerate() {
        add_linear_pair(engine, linear, pair, v, row);
    }
    let oil_maps = maps::of(engine, &oil.columns, o, v);
    let sums = maps::combine(engine, &oil_maps, parameters.o_pairs(), &rows, width);
    let mut words = maps::unpair(engine, &sums, 1, parameters.half(), parameters.last_limb());
    let limbs = parameters.limbs();
    for (t, words) in words.chunks_exact_mut(limbs).take(o).enumerate() {
        for ((w, word), bytes) in words.iter_mut().enumerate().zip(linear.get(v + t).chunks_exact(8)) {
            let mut packed = [0; 8];
            packed.copy_from_slice(bytes);
            let mask = if w + 1 == limbs { parameters.last_limb() } else { u64::MAX };
            *word ^= u64::from_le_bytes(packed) & mask;
        }
    }
    words
}

/// Writes the signature's vectors: each is vᵢ + O xᵢ, then xᵢ.
#[inline(always)]
fn add_oil<E: Engine>(
    engine: E,
    parameters: &Parameters,
    oil: &Oil,
    vinegar: &[u8],
    solution: &[u8],
    packed: &mut [u8],
) {
    let (v, o, n) = (parameters.v(), parameters.o, parameters.n);
    let maps = maps::of(engine, solution, parameters.k, o);
    let row = Oil::row(parameters);
    let sums = maps::combine(engine, &maps, parameters.k_pairs(), &oil.pairs, row);
    let mut vectors = Scratch::<u8>::new(parameters.k * n);
    for (i, ((vector, vinegar), solution)) in
        vectors.chunks_exact_mut(n).zip(vinegar.chunks_exact(v)).zip(solution.chunks_exact(o)).enumerate()
    {
        let sums = &sums[i / 2 * row..];
        let (first, second) = vector.split_at_mut(v);
        for ((element, vinegar), sum) in first.iter_mut().zip(vinegar).zip(sums) {
            *element = vinegar ^ sum >> (i % 2 * 4) & 15;
        }
        second.copy_from_slice(solution);
    }
    encode(&vectors, packed);
}
