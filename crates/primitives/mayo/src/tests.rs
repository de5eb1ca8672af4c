//! The paths' inner loops, and what is built of them, against plain arithmetic nibble by nibble.

extern crate std;

use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use crate::engine::{self, Engine, Task};
use crate::field::{self, invert, multiply};
use crate::parameters::{ParameterSet, Parameters};
use crate::path::Path;
use crate::scratch::Scratch;
use crate::sign::{Request, SignOnce};
use crate::solve::{self, solve};
use crate::whip::Columns;
use crate::{SigningKey, maps};

/// A product by the definition: long multiplication and division by x⁴ + x + 1.
fn product(a: u8, b: u8) -> u8 {
    let long = (0..4).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u32::from(a) << bit);
    let reduced = (4..8)
        .rev()
        .filter(|bit| *bit < 8)
        .fold(long, |rest, bit| if rest >> bit & 1 == 1 { rest ^ 0b1_0011 << (bit - 4) } else { rest });
    reduced as u8
}

#[test]
fn field() {
    for a in 0..16 {
        assert_eq!(multiply(a, invert(a)), u8::from(a != 0));
        for b in 0..16 {
            assert_eq!(multiply(a, b), product(a, b), "{a} · {b}");
            let word = 0x0123_4567_89ab_cdef_u64.rotate_left(4 * u32::from(b));
            let scaled = field::scale(word, field::masks(a));
            for nibble in (0..64).step_by(4) {
                assert_eq!((scaled >> nibble & 15) as u8, product(a, (word >> nibble & 15) as u8));
            }
        }
    }
}

#[test]
fn nibbles() {
    for count in 0..9 {
        let elements: Vec<u8> = (1..=count).collect();
        let mut packed = vec![0; elements.len().div_ceil(2)];
        field::encode(&elements, &mut packed);
        let mut again = vec![0xff; elements.len()];
        field::decode(&packed, &mut again);
        assert_eq!(again, elements);
    }
    let mut packed = [0; 2];
    field::encode(&[1, 2, 3], &mut packed);
    assert_eq!(packed, [0x21, 0x03]);
}

#[test]
fn schedules_have_each_pair_once() {
    for set in ParameterSet::ALL {
        let parameters = set.parameters();
        let mut pairs: Vec<_> = parameters.schedule.iter().map(|(i, j)| (*i.min(j), *i.max(j))).collect();
        pairs.sort_unstable();
        let k = parameters.k as u8;
        let all: Vec<_> = (0..k).flat_map(|i| (i..k).map(move |j| (i, j))).collect();
        assert_eq!(pairs, all, "{set}");
    }
}

/// Sums of products of nibbles, as the maps are to give them.
struct Combine<'a> {
    scalars: &'a [[u8; 4]],
    width: usize,
    input: &'a [u8],
    output: Vec<u8>,
}

impl Task for Combine<'_> {
    type Output = Vec<u8>;

    #[inline(always)]
    fn run<E: Engine>(mut self, engine: E) -> Vec<u8> {
        let map = |[ll, hl, lh, hh]: &[u8; 4]| {
            engine.map(engine.unit(*ll), engine.unit(*hl), engine.unit(*lh), engine.unit(*hh))
        };
        let maps: Vec<_> = self.scalars.iter().map(map).collect();
        let length = self.output.len() / self.width;
        engine.combine(&maps, self.width, self.input, &mut self.output, length);
        self.output
    }
}

struct Zip<'a> {
    vectors: &'a [u8],
    each: usize,
    half: usize,
    stride: usize,
    pairs: usize,
}

impl Task for Zip<'_> {
    type Output = Vec<u8>;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> Vec<u8> {
        let mut output = vec![0; self.pairs * self.stride];
        engine.zip_all(self.vectors, self.each, &mut output, self.stride, self.half, self.pairs);
        output
    }
}

/// Bytes that look random, from a number.
fn bytes(mut seed: u64, length: usize) -> Vec<u8> {
    (0..length)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn combine_on_every_path(seed: u64, rows in 1usize..9, width in 1usize..14, sixteenths in 1usize..41) {
        let length = 16 * sixteenths;
        let scalars: Vec<[u8; 4]> = bytes(seed, 4 * rows * width)
            .chunks_exact(4)
            .map(|four| core::array::from_fn(|i| four[i] & 15))
            .collect();
        let (input, output) = (bytes(seed ^ 1, rows * length), bytes(seed ^ 2, width * length));
        let mut expected = output.clone();
        for (i, row) in input.chunks_exact(length).enumerate() {
            for (j, sum) in expected.chunks_exact_mut(length).enumerate() {
                let [ll, hl, lh, hh] = scalars[i * width + j];
                for (sum, byte) in sum.iter_mut().zip(row) {
                    let (low, high) = (byte & 15, byte >> 4);
                    *sum ^= product(low, ll) ^ product(high, hl);
                    *sum ^= (product(low, lh) ^ product(high, hh)) << 4;
                }
            }
        }
        for path in Path::available() {
            let task = Combine { scalars: &scalars, width, input: &input, output: output.clone() };
            prop_assert_eq!(&engine::run(path, task), &expected, "{}", path.name());
        }
    }

    #[test]
    fn zip_on_every_path(seed: u64, eighths in 1usize..20, less in 0usize..8, gap in 0usize..100, pairs in 1usize..9) {
        let half = 8 * eighths;
        let (each, stride) = (half - less, 2 * half + gap);
        let vectors = bytes(seed, 2 * pairs * each + less);
        let mut expected = vec![0; pairs * stride];
        for (pair, output) in expected.chunks_exact_mut(stride).enumerate() {
            for i in 0..half {
                let (first, second) = (vectors[2 * pair * each + i], vectors[(2 * pair + 1) * each + i]);
                output[i] = first & 15 | second << 4;
                output[half + i] = first >> 4 | second & 0xf0;
            }
        }
        for path in Path::available() {
            let task = Zip { vectors: &vectors, each, half, stride, pairs };
            prop_assert_eq!(&engine::run(path, task), &expected, "{}", path.name());
        }
    }

    #[test]
    fn sums_modulo_f(seed: u64, which in 0..ParameterSet::ALL.len()) {
        let parameters = ParameterSet::ALL[which].parameters();
        let (m, limbs, count) = (parameters.m, parameters.limbs(), 3);
        let mut columns = Columns::new(parameters, count);
        // Polynomials nibble by nibble, long enough for any power.
        let mut expected = vec![vec![0; m + parameters.schedule.len()]; count];
        for label in 0..parameters.schedule.len() {
            let nibbles = bytes(seed ^ label as u64, m * count);
            let mut words = vec![0; limbs * count];
            for (i, sum) in expected.iter_mut().enumerate() {
                for power in 0..m {
                    let nibble = nibbles[i * m + power] & 15;
                    words[power / 16 * count + i] |= u64::from(nibble) << (power % 16 * 4);
                    sum[label + power] ^= nibble;
                }
            }
            columns.add(0, count, &words, count, label);
        }
        for sum in &mut expected {
            for power in (m..sum.len()).rev() {
                for (i, coefficient) in parameters.tail.iter().enumerate() {
                    sum[power - m + i] ^= product(sum[power], *coefficient);
                }
                sum[power] = 0;
            }
        }
        let words = columns.reduced(parameters);
        for (i, sum) in expected.iter().enumerate() {
            for (power, nibble) in sum.iter().enumerate().take(16 * limbs) {
                let word = words[power / 16 * count + i];
                prop_assert_eq!((word >> (power % 16 * 4) & 15) as u8, *nibble);
            }
        }
    }
}

struct Solve<'a> {
    parameters: &'static Parameters,
    words: Scratch<u64>,
    random: &'a [u8],
}

impl Task for Solve<'_> {
    type Output = Option<Vec<u8>>;

    #[inline(always)]
    fn run<E: Engine>(self, engine: E) -> Self::Output {
        solve(engine, self.parameters, self.words, self.random).map(|solution| solution.to_vec())
    }
}

/// The rank of a matrix and its leading columns.
fn leading_columns(matrix: &[Vec<u8>], columns: usize) -> Vec<usize> {
    let mut rows = matrix.to_vec();
    let mut leading = Vec::new();
    for column in 0..columns {
        let rank = leading.len();
        let Some(found) = (rank..rows.len()).find(|row| rows[*row][column] != 0) else { continue };
        rows.swap(rank, found);
        let inverse = invert(rows[rank][column]);
        let pivot: Vec<u8> = rows[rank].iter().map(|entry| product(*entry, inverse)).collect();
        for row in rows.iter_mut().skip(rank + 1) {
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry ^= product(*pivot, factor));
        }
        leading.push(column);
    }
    leading
}

/// Solves on all paths; `matrix` has the rows of A.
fn check_solution(parameters: &'static Parameters, matrix: &[Vec<u8>], y: &[u8], random: &[u8]) {
    let (width, columns) = (solve::width(parameters), random.len());
    let mut words = Scratch::new(parameters.limbs() * width);
    for (i, (row, y)) in matrix.iter().zip(y).enumerate() {
        for (column, entry) in row.iter().chain([y]).enumerate() {
            words[i / 16 * width + column] |= u64::from(*entry) << (i % 16 * 4);
        }
    }
    let leading = leading_columns(matrix, columns);
    for path in Path::available() {
        let task = Solve { parameters, words: words.clone(), random };
        let Some(solution) = engine::run(path, task) else {
            assert!(leading.len() < matrix.len(), "{}: a system of full rank was not solved", path.name());
            continue;
        };
        assert_eq!(leading.len(), matrix.len(), "{}: a singular system was solved", path.name());
        for (row, y) in matrix.iter().zip(y) {
            let sum = row.iter().zip(&solution).fold(0, |sum, (a, x)| sum ^ product(*a, *x));
            assert_eq!(sum, *y, "{}", path.name());
        }
        for column in (0..columns).filter(|column| !leading.contains(column)) {
            assert_eq!(solution[column], random[column], "{}: column {column} leads nothing", path.name());
        }
    }
}

#[test]
fn linear_systems() {
    for (number, set) in ParameterSet::ALL.iter().enumerate() {
        let parameters = set.parameters();
        let (rows, columns) = (parameters.m, parameters.k * parameters.o);
        let spare = columns - rows;
        let nibbles =
            |seed, length| -> Vec<u8> { bytes(seed, length).iter().map(|byte| byte & 15).collect() };
        let seed = 100 * number as u64;
        let random = nibbles(seed, columns);
        let y = nibbles(seed + 1, rows);
        let matrix: Vec<_> = (0..rows).map(|i| nibbles(seed + 2 + 1000 * i as u64, columns)).collect();
        check_solution(parameters, &matrix, &y, &random);

        // Columns that are 0 or sums of earlier ones lead nothing: as many as there are to spare, then one more.
        for skipped in [spare, spare + 1] {
            let mut matrix = matrix.clone();
            for at in 0..skipped {
                let column = [0, 1, columns / 2, columns - 2, columns / 3][at % 5];
                for row in &mut matrix {
                    row[column] = if at % 5 < 2 { 0 } else { row[2] ^ product(row[3], 7) };
                }
            }
            check_solution(parameters, &matrix, &y, &random);
        }
        // Equal rows, and a row of zeros at either end.
        let mut singular = matrix.clone();
        singular[rows - 1] = singular[0].clone();
        check_solution(parameters, &singular, &y, &random);
        for row in [0, rows - 1] {
            let mut singular = matrix.clone();
            singular[row].fill(0);
            check_solution(parameters, &singular, &y, &random);
        }
    }
}

#[test]
fn first_attempts_that_fail() {
    // MAYO-one of round 3 has no columns to spare: about one matrix in fifteen is singular.
    let set = ParameterSet::ROUND3_ONE;
    let key = SigningKey::new(set, &[5; 24]).expect("the length is right");
    let (public, prepared) = (key.public_key().prepare(), key.prepare());
    let mut failed = 0;
    for message in 0..64u8 {
        let mut signature = vec![0; set.signature_len()];
        let request = Request { set, seed: key.as_bytes(), message: &[message], randomizer: &[0; 24] };
        failed += u32::from(!engine::run(Path::best(), SignOnce { request, signature: &mut signature }));
        let signature = key.sign(&[message], &[0; 24]).expect("some attempt succeeds");
        assert_eq!(prepared.sign(&[message], &[0; 24]).expect("some attempt succeeds"), signature);
        public.verify(&[message], &signature).expect("the signature is right");
    }
    assert!(failed > 0, "no attempt failed, so that the next ones were not tried");
}

#[test]
fn maps_of_odd_vectors() {
    struct Odd;
    impl Task for Odd {
        type Output = Vec<u8>;

        #[inline(always)]
        fn run<E: Engine>(self, engine: E) -> Vec<u8> {
            // Three vectors of three entries, and rows 0, 1 and 2 of 16 bytes in pairs.
            let maps = maps::of(engine, &[1, 2, 3, 4, 5, 6, 7, 8, 9], 3, 3);
            let input = [[0x21; 16], [0x0f; 16]].concat();
            maps::combine(engine, &maps, 2, &input, 16).to_vec()
        }
    }
    // (1, 2, 15) · (1, 2, 3), · (4, 5, 6) and · (7, 8, 9)
    let sum = |[a, b, c]: [u8; 3]| product(1, a) ^ product(2, b) ^ product(15, c);
    let (first, second, third) = (sum([1, 2, 3]), sum([4, 5, 6]), sum([7, 8, 9]));
    let expected = [[first | second << 4; 16], [third; 16]].concat();
    for path in Path::available() {
        assert_eq!(engine::run(path, Odd), expected, "{}", path.name());
    }
}
