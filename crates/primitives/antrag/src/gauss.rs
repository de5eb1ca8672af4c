//! Gaussians: over the reals, and over the integers with any centres.

use zeroize::Zeroizing;

use crate::fft::Complex;
use crate::math::{exp_minus, floor, ln, sqrt, turn};
use crate::params::{HALF, N, R_SQUARED, R_SQUARED_TEN_THOUSANDTHS};
use crate::random::Random;

/// The values of a polynomial whose coefficients are Gaussian with variance 1: real and imaginary parts have variance
/// n / 2 (Box and Muller).
#[inline(always)]
pub(crate) fn continuous(random: &mut Random) -> Complex {
    let mut words = Zeroizing::new([0; N]);
    random.fill(&mut *words);
    let mut values = Complex::ZERO;
    let (radii, angles) = words.split_at(HALF);
    for i in 0..HALF {
        // The square of the length is exponential with mean n. The smallest of 2^64 numbers is 2^-65, so that the tail
        // ends where 2^-65 is left of it.
        let uniform = (radii[i] as f64 + 0.5) * (1.0 / 18_446_744_073_709_551_616.0);
        let radius = sqrt(-(N as f64) * ln(uniform).min(0.0));
        let (cosine, sine) = turn(angles[i] as i64 as f64 * (1.0 / 18_446_744_073_709_551_616.0));
        values.re[i] = radius * cosine;
        values.im[i] = radius * sine;
    }
    values
}

/// The largest number that the half Gaussian gives: of more the probability is below 2^-68.
const NUMBERS: usize = 12;

/// 2^63 times the probability that the half Gaussian with width r, ρ(z) for z = 0, 1, …, gives at most z: of 12 less is left than 1.
static DISTRIBUTION: [i64; NUMBERS] = {
    // Fractions of 2^64. First e^(-1 / 2 r²) by its series.
    let step = {
        let x = (10_000_u128 << 64) / (2 * R_SQUARED_TEN_THOUSANDTHS);
        let (mut sum, mut term, mut k) = (1_u128 << 64, 1_u128 << 64, 1);
        while k < 30 {
            term = ((term * x) >> 64) / k;
            sum = if k % 2 == 1 { sum - term } else { sum + term };
            k += 1;
        }
        sum
    };
    // e^(-z² / 2 r²): from z to z + 1 the exponent grows by 2 z + 1.
    let mut sums = [0_u128; NUMBERS + 4];
    let (mut weight, mut z) = ((1_u128 << 64) - 1, 0);
    let mut total = 0;
    while z < NUMBERS + 4 {
        total += weight;
        sums[z] = total;
        let mut k = 0;
        while k < 2 * z + 1 {
            weight = (weight * step) >> 64;
            k += 1;
        }
        z += 1;
    }
    let mut distribution = [0; NUMBERS];
    let mut z = 0;
    while z < NUMBERS {
        distribution[z] = ((sums[z] << 62) / total * 2) as i64;
        z += 1;
    }
    distribution
};

/// Candidates that are made side by side.
const LANES: usize = 8;

/// One candidate for the distance of a number from the whole part of its centre, and whether it is accepted.
///
/// A number z₀ of the half Gaussian and a bit make 1 + z₀ or -z₀, which are further from a centre between 0 and 1 than
/// z₀ is from 0; it is accepted with the ratio of the two densities.
#[inline(always)]
fn candidates(
    fraction: &[f64; LANES],
    choice: &[u64; LANES],
    chance: &[u64; LANES],
) -> ([f64; LANES], [bool; LANES]) {
    let mut half = [0.0; LANES];
    for z in &DISTRIBUTION {
        for lane in 0..LANES {
            half[lane] += if (choice[lane] >> 1) as i64 >= *z { 1.0 } else { 0.0 };
        }
    }
    let mut distance = [0.0; LANES];
    let mut accepted = [false; LANES];
    for lane in 0..LANES {
        let bit = choice[lane] & 1 == 1;
        distance[lane] = if bit { 1.0 + half[lane] } else { -half[lane] };
        let off = distance[lane] - fraction[lane];
        let ratio = exp_minus((off * off - half[lane] * half[lane]) * (1.0 / (2.0 * R_SQUARED)));
        let uniform = (chance[lane] >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0);
        accepted[lane] = uniform < ratio;
    }
    (distance, accepted)
}

/// Replaces each number by an integer of the Gaussian with width r around it.
#[inline(always)]
pub(crate) fn round(centres: &mut Complex, random: &mut Random) {
    let mut fraction = Zeroizing::new([0.0; N]);
    let mut whole = Zeroizing::new([0.0; N]);
    let mut place = Zeroizing::new([0; N]);
    for i in 0..HALF {
        whole[i] = floor(centres.re[i]);
        fraction[i] = centres.re[i] - whole[i];
        place[i] = i;
    }
    for i in 0..HALF {
        whole[HALF + i] = floor(centres.im[i]);
        fraction[HALF + i] = centres.im[i] - whole[HALF + i];
        place[HALF + i] = HALF + i;
    }
    let mut numbers = Zeroizing::new([0.0; N]);
    let mut words = Zeroizing::new([0; 2 * N]);
    // Each round has a candidate for each number that is still missing; the missing ones move to the front.
    let mut missing = N;
    while missing > 0 {
        let groups = missing.div_ceil(LANES);
        random.fill(&mut words[..2 * LANES * groups]);
        let (words, _) = words.as_chunks::<LANES>();
        let mut left = 0;
        for group in 0..groups {
            let first = LANES * group;
            let fractions = match fraction[first..].first_chunk() {
                Some(fractions) => *fractions,
                None => unreachable!("512 is a multiple of 8"),
            };
            let (distance, accepted) = candidates(&fractions, &words[2 * group], &words[2 * group + 1]);
            for lane in 0..LANES.min(missing - first) {
                let (at, base) = (place[first + lane], whole[first + lane]);
                numbers[at] = base + distance[lane];
                // Overwritten by the next one, if this one is not missing.
                (place[left], whole[left], fraction[left]) = (at, base, fractions[lane]);
                left += usize::from(!accepted[lane]);
            }
        }
        missing = left;
    }
    centres.re.copy_from_slice(&numbers[..HALF]);
    centres.im.copy_from_slice(&numbers[HALF..]);
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    fn density(x: f64) -> f64 {
        (-x * x / (2.0 * R_SQUARED)).exp()
    }

    #[test]
    fn distribution_is_that_of_the_half_gaussian() {
        let total: f64 = (0..40).map(|z| density(f64::from(z))).sum();
        let mut sum = 0.0;
        for (z, probability) in DISTRIBUTION.iter().enumerate() {
            sum += density(z as f64);
            let ours = *probability as f64 / 9_223_372_036_854_775_808.0;
            assert!((ours - sum / total).abs() < 5e-16, "{z} {ours} {}", sum / total);
        }
        // What is left behind.
        let tails: std::vec::Vec<i64> = DISTRIBUTION.iter().map(|p| i64::MAX - p).collect();
        for z in 5..NUMBERS {
            let tail: f64 = (z + 1..40).map(|z| density(z as f64)).sum::<f64>() / total * 2.0_f64.powi(63);
            assert!((tails[z] as f64 - tail).abs() < 16.0 + tail * 1e-10, "{z}: {} {tail}", tails[z]);
        }
    }

    /// χ² of counts against probabilities, those that are expected less than 10 times taken together; and the degrees of
    /// freedom.
    fn chi_squared(counts: &[(f64, f64)]) -> (f64, f64) {
        let (mut sum, mut cells) = (0.0, 0.0);
        let (mut rest, mut rest_expected) = (0.0, 0.0);
        for (count, expected) in counts {
            if *expected < 10.0 {
                rest += count;
                rest_expected += expected;
            } else {
                sum += (count - expected) * (count - expected) / expected;
                cells += 1.0;
            }
        }
        if rest_expected > 1.0 {
            sum += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
            cells += 1.0;
        } else {
            assert!(rest < 8.0, "{rest} where {rest_expected} are expected");
        }
        (sum, cells - 1.0)
    }

    fn is_plausible((sum, freedom): (f64, f64), what: &str) {
        // Five standard deviations beyond the mean.
        assert!(
            sum < freedom + 5.0 * (2.0 * freedom).sqrt(),
            "{what}: {sum} with {freedom} degrees of freedom"
        );
    }

    #[test]
    fn numbers_around_every_centre_are_gaussian() {
        let mut random = Random::new(&[1; 32]);
        const ROUNDS: usize = 400;
        let centres = [0.0, 0.001, 0.25, 0.5, 0.75, 0.999, -17.3, 1234.5];
        let mut counts = [[0.0; 41]; 8];
        for _ in 0..ROUNDS {
            let mut poly = Complex::ZERO;
            for i in 0..HALF {
                poly.re[i] = centres[i % 8];
                poly.im[i] = centres[i % 8];
            }
            round(&mut poly, &mut random);
            for i in 0..HALF {
                for z in [poly.re[i], poly.im[i]] {
                    assert_eq!(z, z.round());
                    counts[i % 8][(z - centres[i % 8].floor() + 20.0) as usize] += 1.0;
                }
            }
        }
        for (counts, centre) in counts.iter().zip(centres) {
            let fraction = centre - centre.floor();
            let total: f64 = (-40..41).map(|z| density(f64::from(z) - fraction)).sum();
            let all = (N / 8 * ROUNDS) as f64;
            let cells: std::vec::Vec<(f64, f64)> = (-20..=20)
                .zip(counts)
                .map(|(z, count)| (*count, density(f64::from(z) - fraction) / total * all))
                .collect();
            is_plausible(chi_squared(&cells), "around a centre");
        }
    }

    #[test]
    fn values_are_gaussian() {
        let mut random = Random::new(&[2; 32]);
        const ROUNDS: usize = 200;
        let deviation = (HALF as f64).sqrt();
        // Cells of half a standard deviation, whose probabilities are sums of the density.
        let mut counts = [0.0; 24];
        let mut mixed = 0.0;
        for _ in 0..ROUNDS {
            let values = continuous(&mut random);
            for i in 0..HALF {
                for x in [values.re[i], values.im[i]] {
                    counts[((x / deviation * 2.0 + 12.0) as usize).min(23)] += 1.0;
                }
                mixed += values.re[i] * values.im[i] / HALF as f64;
            }
        }
        let normal = |x: f64| (-x * x / 2.0).exp() / core::f64::consts::TAU.sqrt();
        let cells: std::vec::Vec<(f64, f64)> = (0..24)
            .map(|cell| {
                let left = f64::from(cell) / 2.0 - 6.0;
                let probability: f64 =
                    (0..1000).map(|k| normal(left + (f64::from(k) + 0.5) / 2000.0) / 2000.0).sum();
                (counts[cell as usize], probability * (N * ROUNDS) as f64)
            })
            .collect();
        is_plausible(chi_squared(&cells), "values");
        assert!(mixed.abs() < 5.0 * ((HALF * ROUNDS) as f64).sqrt(), "{mixed}");
    }
}
