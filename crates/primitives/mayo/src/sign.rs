//! Signing (specification, algorithm 8 of round 2).

use crate::engine::{Engine, Task};
use crate::expand::Stream;
use crate::field::{decode, encode};
use crate::hash::shake256;
use crate::maps;
use crate::parameters::Parameters;
use crate::public::{MOST_DIGEST, Target, add_linear, add_linear_pair, squares};
use crate::scratch::Scratch;
use crate::secret::{Expanded, PreparedSigningKey, oil_row};
use crate::solve::{self, solve};
use crate::whip::Columns;

/// Signs; the lengths are right. Gives whether it did.
pub(crate) struct Sign<'a> {
    pub(crate) key: &'a PreparedSigningKey,
    pub(crate) message: &'a [u8],
    pub(crate) randomizer: &'a [u8],
    pub(crate) signature: &'a mut [u8],
}

impl Task for Sign<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> bool {
        let parameters = self.key.set.parameters();
        let (seed, expanded) = (&self.key.seed, &self.key.expanded);
        let mut digest = [0; MOST_DIGEST];
        let digest = &mut digest[..parameters.digest];
        shake256(&[self.message], digest);
        let mut salt = [0; MOST_SALT];
        let salt = &mut salt[..parameters.salt];
        shake256(&[digest, self.randomizer, seed], salt);
        let target = Target::new(parameters, digest, salt);
        let oil_linear =
            target.linear.as_ref().map(|linear| oil_linear(engine, parameters, expanded, linear));

        let (v, k, o) = (parameters.v(), parameters.k, parameters.o);
        let mut bytes = Scratch::<u8>::new(k * v.div_ceil(2) + (k * o).div_ceil(2));
        let mut vinegar = Scratch::<u8>::new(k * v);
        let mut random = Scratch::<u8>::new(k * o);
        for attempt in 0..=u8::MAX {
            shake256(&[digest, salt, seed, &[attempt]], &mut bytes);
            let (vectors, randomizer) = bytes.split_at(k * v.div_ceil(2));
            for (packed, vector) in vectors.chunks_exact(v.div_ceil(2)).zip(vinegar.chunks_exact_mut(v)) {
                decode(packed, vector);
            }
            decode(randomizer, &mut random);
            let system = system(engine, parameters, expanded, &vinegar, &target, oil_linear.as_deref());
            let Some(solution) = solve(engine, parameters, system, &random) else { continue };

            let (packed, end) = self.signature.split_at_mut(parameters.solution_bytes());
            add_oil(engine, parameters, expanded, &vinegar, &solution, packed);
            end.copy_from_slice(salt);
            return true;
        }
        false
    }
}

/// Bytes of the longest salt.
const MOST_SALT: usize = 40;

/// What the linear term adds to the system: its values at the oil space's columns. Word w of that of column t is
/// `(t * limbs + w)`.
#[inline(always)]
fn oil_linear<E: Engine>(
    engine: E,
    parameters: &Parameters,
    expanded: &Expanded,
    linear: &Stream,
) -> Scratch<u64> {
    let (v, o, width) = (parameters.v(), parameters.o, parameters.width());
    let mut rows = Scratch::<u8>::new(parameters.v_pairs() * width);
    for (pair, row) in rows.chunks_exact_mut(width).enumerate() {
        add_linear_pair(engine, linear, pair, v, row);
    }
    let oil_maps = maps::of(engine, &expanded.oil, o, v);
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

/// The linear system in the oil variables for these vinegar variables: A's columns, and y.
#[inline(always)]
fn system<E: Engine>(
    engine: E,
    parameters: &Parameters,
    expanded: &Expanded,
    vinegar: &[u8],
    target: &Target,
    oil_linear: Option<&[u64]>,
) -> Scratch<u64> {
    let (v, k, o, limbs) = (parameters.v(), parameters.k, parameters.o, parameters.limbs());
    let (k_pairs, inner) = (parameters.k_pairs(), 2 * parameters.o_pairs());
    let maps = maps::of(engine, vinegar, k, v);

    // vᵢᵀ L, of which word w of column t is (i * limbs + w) * inner + t.
    let sums = maps::combine(engine, &maps, k_pairs, &expanded.l, inner * parameters.width());
    let mut mixed = maps::unpair(engine, &sums, inner, parameters.half(), parameters.last_limb());
    if let Some(linear) = oil_linear {
        for (w, row) in mixed.chunks_exact_mut(inner).take(limbs).enumerate() {
            for (word, linear) in row[..o].iter_mut().zip(linear.chunks_exact(limbs)) {
                *word ^= linear[w];
            }
        }
    }

    let mut products = expanded.p1.times(engine, &maps, k_pairs);
    if let Some(linear) = &target.linear {
        add_linear(engine, parameters, linear, v, &mut products);
    }
    let squares = squares(engine, parameters, &maps, &products);

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

/// Writes the signature's vectors: each is vᵢ + O xᵢ, then xᵢ.
#[inline(always)]
fn add_oil<E: Engine>(
    engine: E,
    parameters: &Parameters,
    expanded: &Expanded,
    vinegar: &[u8],
    solution: &[u8],
    packed: &mut [u8],
) {
    let (v, o, n) = (parameters.v(), parameters.o, parameters.n);
    let maps = maps::of(engine, solution, parameters.k, o);
    let row = oil_row(v);
    let sums = maps::combine(engine, &maps, parameters.k_pairs(), &expanded.oil_pairs, row);
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
