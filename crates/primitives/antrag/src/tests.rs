//! What the paper says of signatures, on those of keys of our own.

extern crate std;

use zeroize::Zeroizing;

use crate::coding;
use crate::engine::Engine;
use crate::fft::{self, Complex};
use crate::ntt::{Multiplier, Ring, centred};
use crate::params::{BOUND, HALF, N, SECRET_KEY, SIGMA_SQUARED};
use crate::path::Path;
use crate::point;
use crate::random::Random;
use crate::{SALT, SigningKey};

/// f, g and F of a key, and h.
fn parts(key: &SigningKey) -> ([[i8; N]; 3], Multiplier) {
    let bytes: Zeroizing<[u8; SECRET_KEY]> = key.to_bytes();
    let h = coding::decode_public(key.public_key()).unwrap();
    (coding::decode_secret(&bytes).unwrap(), (Engine::of(Path::best()).multiplier)(&h))
}

/// s₂ = c + h s₁ modulo q.
fn second(key: &Multiplier, point: &[i16; N], s1: &[i16; N]) -> [i16; N] {
    let mut product = Ring(*s1);
    key.product(&mut product);
    core::array::from_fn(|i| centred(product.0[i] + point[i]))
}

fn values(poly: &[i16; N]) -> Complex {
    let mut values = Complex::of(poly);
    fft::forward(&mut values);
    values
}

/// Signatures before those that are too long are refused: the length of both halves is that of a Gaussian with width σ, and
/// so is it along the first basis vector and across it, though these have different lengths: signatures do not show the
/// basis.
#[test]
fn signatures_are_round_gaussians() {
    const SAMPLES: usize = 600;
    let engine = Engine::of(Path::best());
    for seed in 0..2 {
        let key = SigningKey::from_seed(&[seed; 32]);
        let ([f, g, big_f], h) = parts(&key);
        let product = (engine.product)(&h, &big_f);
        let big_g = product.map(|coefficient| i8::try_from(coefficient).unwrap());
        let basis = (engine.basis)([&f, &g, &big_f, &big_g]);
        let (f, g) = (values(&f.map(i16::from)), values(&g.map(i16::from)));
        let mut random = Random::new(&[seed; 32]);
        let (mut halves, mut along, mut across, mut too_long) = ([0.0; 2], 0.0, 0.0, 0);
        for number in 0..SAMPLES {
            let point = point::hash(Path::best().keccak(), &number.to_le_bytes(), &[seed; SALT]);
            let s1 = (engine.sample)(&basis, &point, &mut random);
            let s2 = second(&h, &point, &s1);
            for (half, s) in halves.iter_mut().zip([&s1, &s2]) {
                *half += s.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>();
            }
            too_long += usize::from(point::length_squared(&h, &point, &s1) > BOUND.into());
            let (s1, s2) = (values(&s1), values(&s2));
            for i in 0..HALF {
                let norm = f.re[i].powi(2) + f.im[i].powi(2) + g.re[i].powi(2) + g.im[i].powi(2);
                let inner_re =
                    s1.re[i] * f.re[i] + s1.im[i] * f.im[i] + s2.re[i] * g.re[i] + s2.im[i] * g.im[i];
                let inner_im =
                    s1.im[i] * f.re[i] - s1.re[i] * f.im[i] + s2.im[i] * g.re[i] - s2.re[i] * g.im[i];
                let part = (inner_re.powi(2) + inner_im.powi(2)) / norm;
                along += part;
                across += s1.re[i].powi(2) + s1.im[i].powi(2) + s2.re[i].powi(2) + s2.im[i].powi(2) - part;
            }
        }
        // Of each of these sums of squares there are 512 in a sample, in the values as many times n / 2.
        let expected = SIGMA_SQUARED * (N * SAMPLES) as f64;
        let deviation = (2.0 / (N * SAMPLES) as f64).sqrt();
        for (what, ratio) in [
            ("s1", halves[0] / expected),
            ("s2", halves[1] / expected),
            ("along", along / HALF as f64 / expected),
            ("across", across / HALF as f64 / expected),
        ] {
            assert!((ratio - 1.0).abs() < 5.0 * deviation, "{what}: {ratio}, {deviation}");
        }
        // χ² with 1,024 degrees of freedom is beyond 1.042² times its mean in 2.9 cases of a hundred.
        let share = too_long as f64 / SAMPLES as f64;
        assert!((0.005..0.065).contains(&share), "{share}");
    }
}

/// Signatures that were given away: never longer than the bound, and their mean is that of what is not beyond it.
#[test]
fn published_signatures_are_short() {
    let key = SigningKey::from_seed(&[9; 32]);
    let (_, h) = parts(&key);
    let (mut sum, mut most) = (0.0, 0);
    const SIGNATURES: u32 = 300;
    for number in 0..SIGNATURES {
        let message = number.to_le_bytes();
        let mut signature = [0; crate::SIGNATURE];
        key.sign(&message, &[1; 32], &mut signature).unwrap();
        let (salt, rest) = signature.split_first_chunk::<SALT>().unwrap();
        let s1 = coding::decompress(rest.try_into().unwrap()).unwrap();
        let length = point::length_squared(&h, &point::hash(Path::best().keccak(), &message, salt), &s1);
        most = most.max(length);
        sum += (length as f64).sqrt();
    }
    let mean = sum / f64::from(SIGNATURES) / (SIGMA_SQUARED * (2 * N) as f64).sqrt();
    assert!(most <= BOUND.into());
    assert!((0.992..1.004).contains(&mean), "‖(s1, s2)‖ is {mean} σ √(2 n)");
}

#[test]
fn keys_have_the_quality_of_the_paper() {
    for seed in 0..20 {
        let key = SigningKey::from_seed(&[seed; 32]);
        assert!((1.0..=1.15).contains(&key.quality()), "{}", key.quality());
        // The norms by the definition are in the tests of the annulus; here that they are of this key.
        let ([f, g, _], _) = parts(&key);
        let (least, most) = (Engine::of(Path::PORTABLE).extremes)(&f, &g).unwrap();
        assert_eq!(key.quality(), crate::annulus::quality(least, most));
    }
}
