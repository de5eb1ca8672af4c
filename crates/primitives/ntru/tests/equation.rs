//! The equation holds exactly, for many keys of each degree, of HAWK's kind and of Falcon's.

use fieldtest_ntru::solve;
use proptest::prelude::*;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;

struct Random(SplitMix64);

fn random(seed: u64) -> Random {
    Random(SplitMix64::seed_from_u64(seed))
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Coefficients from the centred binomial distribution of this many bits; odd in sum.
    fn poly(&mut self, degree: usize, bits: u32) -> Vec<i32> {
        loop {
            let poly: Vec<i32> = (0..degree)
                .map(|_| {
                    let ones: u32 = (0..bits / 4).map(|_| (self.next() >> 60).count_ones()).sum();
                    ones as i32 - (bits / 2) as i32
                })
                .collect();
            if poly.iter().sum::<i32>() & 1 == 1 {
                return poly;
            }
        }
    }
}

/// f·G - g·F by the definition.
fn left_side(f: &[i32], g: &[i32], big_f: &[i32], big_g: &[i32]) -> Vec<i64> {
    let degree = f.len();
    let mut all = vec![0_i64; degree];
    for i in 0..degree {
        for j in 0..degree {
            let term = i64::from(f[i]) * i64::from(big_g[j]) - i64::from(g[i]) * i64::from(big_f[j]);
            all[(i + j) % degree] += if i + j < degree { term } else { -term };
        }
    }
    all
}

/// How many of these keys have a solution; those that have one are checked.
fn solved(degree: usize, bits: u32, q: u32, keys: usize, bound: i32) -> usize {
    let mut random = random(degree as u64 ^ u64::from(q) << 20);
    let mut expected = vec![0; degree];
    expected[0] = i64::from(q);
    (0..keys)
        .filter(|_| {
            let (f, g) = (random.poly(degree, bits), random.poly(degree, bits));
            let Some((big_f, big_g)) = solve(&f, &g, q) else { return false };
            assert_eq!(left_side(&f, &g, &big_f, &big_g), expected);
            let most = big_f.iter().chain(big_g.iter()).map(|c| c.abs()).max().unwrap();
            assert!(most <= bound, "{most}");
            true
        })
        .count()
}

/// The degrees of Hawk and of Falcon. Of two odd norms few have a common prime: it is 1 modulo 2n, and divides one with a
/// probability of about n/p.
#[test]
fn degrees_in_use() {
    for (degree, bits) in [(256, 4), (512, 8), (1024, 16)] {
        assert!(solved(degree, bits, 1, 200, 127) >= 190, "{degree}");
    }
    for (degree, bits) in [(256, 132), (512, 64), (1024, 32)] {
        assert!(solved(degree, bits, 12289, 200, 2000) >= 190, "{degree}");
    }
}

#[test]
fn small_degrees() {
    for log in 1..8 {
        assert!(solved(1 << log, 32, 12289, 200, i32::MAX) > 100, "{log}");
        assert!(solved(1 << log, 8, 1, 200, i32::MAX) > 100, "{log}");
    }
}

#[test]
fn no_solution() {
    let zero = vec![0; 256];
    let mut one = zero.clone();
    one[0] = 1;
    let mut two = zero.clone();
    two[0] = 2;
    let mut three = zero.clone();
    three[0] = 3;
    assert!(solve(&zero, &zero, 1).is_none());
    assert!(solve(&two, &zero, 1).is_none());
    assert!(solve(&two, &two, 1).is_none());
    assert!(solve(&three, &three, 1).is_none());
    // 1 + x divides 2, and is a factor of all that has an even sum.
    let mut even = zero.clone();
    (even[3], even[7], even[90], even[200]) = (1, 1, -1, 3);
    assert!(solve(&even, &two, 1).is_none());
    // The same key twice, and a multiple of it.
    let f = random(7).poly(256, 4);
    assert!(solve(&f, &f, 1).is_none());
    let doubled: Vec<i32> = f.iter().map(|c| 2 * c).collect();
    assert!(solve(&f, &doubled, 1).is_none());
}

#[test]
fn trivial_solutions() {
    let zero = vec![0; 256];
    let mut one = zero.clone();
    one[0] = 1;
    let (big_f, big_g) = solve(&one, &zero, 1).unwrap();
    assert_eq!((&*big_f, &*big_g), (&zero, &one));
    let (big_f, big_g) = solve(&zero, &one, 1).unwrap();
    let minus: Vec<i32> = one.iter().map(|c| -c).collect();
    assert_eq!((&*big_f, &*big_g), (&minus, &zero));
}

#[test]
fn coefficients_that_are_too_large_are_refused_not_wrapped() {
    let f = random(1).poly(1024, 4).iter().map(|c| c * 500_000_000 + 1).collect::<Vec<_>>();
    let g = random(2).poly(1024, 4).iter().map(|c| c * 400_000_000 - 3).collect::<Vec<_>>();
    assert!(solve(&f, &g, 1).is_none());
}

proptest! {
    #[test]
    fn whatever_is_found_is_a_solution(
        log in 1_u32..6,
        q in 1_u32..20000,
        values in prop::collection::vec(-200_i32..200, 64),
    ) {
        let degree = 1 << log;
        let (f, g) = (&values[..degree], &values[degree..2 * degree]);
        if let Some((big_f, big_g)) = solve(f, g, q) {
            let mut expected = vec![0; degree];
            expected[0] = i64::from(q);
            prop_assert_eq!(left_side(f, g, &big_f, &big_g), expected);
        }
    }
}
