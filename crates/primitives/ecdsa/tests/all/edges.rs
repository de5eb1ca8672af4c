//! Keys and signatures at the edges of what is allowed, and beyond.

use crate::Both;
use fieldtest_ecdsa::{Curve, Hash, InvalidKey, InvalidSignature, P256, P384, SigningKey};
use num_bigint::BigUint;
use p256::ecdsa::signature::hazmat::PrehashVerifier;

const P256_ORDER: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const P256_PRIME: &str = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
const P384_ORDER: &str =
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973";
const P384_PRIME: &str =
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff";

fn number(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).unwrap()
}

fn bytes(number: &BigUint, width: usize) -> Vec<u8> {
    let digits = number.to_bytes_be();
    [vec![0; width - digits.len()], digits].concat()
}

fn public<C: Curve>(scalar: &BigUint, width: usize) -> Vec<u8> {
    SigningKey::<C>::new(&bytes(scalar, width)).unwrap().public().as_ref().to_vec()
}

macro_rules! edges {
    ($module:ident, $curve:ident, $krate:ident, $order:expr, $prime:expr, $width:literal) => {
        mod $module {
            use super::*;

            fn theirs(xy: &[u8]) -> $krate::ecdsa::VerifyingKey {
                $krate::ecdsa::VerifyingKey::from_sec1_bytes(&[&[4], xy].concat()).unwrap()
            }

            /// Small and large scalars, powers of two and their neighbours, and those at which the last row of a table
            /// of windows of w bits doubles a point: `d 2^(w t + 1) - n` with an odd d.
            #[test]
            fn public_keys() {
                let order = number($order);
                let mut scalars: Vec<BigUint> = (1_u32..40).map(BigUint::from).collect();
                scalars.extend((0..8 * $width).map(|bit| BigUint::from(1_u32) << bit));
                scalars.extend((2..8 * $width).map(|bit| (BigUint::from(1_u32) << bit) - 1_u32));
                for window in 2..10_usize {
                    let last = (8 * $width - 1) / window * window;
                    let digits = (1_u32..1 << window).step_by(2);
                    scalars.extend(digits.filter_map(|digit| {
                        let twice = BigUint::from(digit) << (last + 1);
                        (twice > order && twice < &order * 2_u32).then(|| twice - &order)
                    }));
                }
                let opposite: Vec<BigUint> = scalars.iter().map(|scalar| &order - scalar).collect();
                for scalar in scalars.iter().chain(&opposite).filter(|scalar| **scalar < order) {
                    let scalar_bytes = bytes(scalar, $width);
                    let theirs = $krate::ecdsa::SigningKey::from_slice(&scalar_bytes).unwrap();
                    let point = theirs.verifying_key().to_sec1_point(false);
                    assert_eq!(public::<$curve>(scalar, $width), point.as_bytes()[1..], "{scalar:x}");
                }
            }

            #[test]
            fn scalars_out_of_range() {
                let order = number($order);
                let largest = (BigUint::from(1_u32) << (8 * $width)) - 1_u32;
                for scalar in [BigUint::ZERO, order.clone(), order + 1_u32, largest] {
                    let refused = SigningKey::<$curve>::new(&bytes(&scalar, $width)).unwrap_err();
                    assert!(matches!(refused, InvalidKey::Scalar { .. }));
                }
                for width in [0, 1, $width - 1, $width + 1, 1000] {
                    let refused = SigningKey::<$curve>::new(&vec![1; width]).unwrap_err();
                    assert!(matches!(refused, InvalidKey::Length { .. }));
                }
            }

            /// Signatures under the keys G and -G, for which both sums are of multiples of the same point: all pairs of
            /// small and large factors, so that partial and whole sums are equal, opposite and infinite.
            #[test]
            fn sums_that_double_and_cancel() {
                let order = number($order);
                let one = BigUint::from(1_u32);
                let mut factors: Vec<BigUint> = (0_u32..9).map(BigUint::from).collect();
                factors.extend([31_u32, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257].map(BigUint::from));
                factors.extend([1, 2, 3, 4].map(|less| &order - BigUint::from(less as u32)));
                for sign in [one.clone(), &order - &one] {
                    let xy = public::<$curve>(&sign, $width);
                    let (key, theirs) = (Both::<$curve>::new(&xy).unwrap(), theirs(&xy));
                    for first in &factors {
                        for second in factors.iter().filter(|factor| **factor != BigUint::ZERO) {
                            // A signature with these factors: r is the x of the sum, s is r / second, and the digest is
                            // first times s.
                            let sum = (first + second * &sign) % &order;
                            let infinite = sum == BigUint::ZERO;
                            let r = if infinite {
                                one.clone()
                            } else {
                                BigUint::from_bytes_be(&public::<$curve>(&sum, $width)[..$width]) % &order
                            };
                            let s = &r * second.modinv(&order).unwrap() % &order;
                            let digest = bytes(&(first * &s % &order), $width);
                            let signature = [bytes(&r, $width), bytes(&s, $width)].concat();
                            let verdict = key.verify_digest(&digest, &signature);
                            assert_eq!(verdict.is_err(), infinite, "{first:x}, {second:x}: {verdict:?}");
                            let parsed = $krate::ecdsa::Signature::from_slice(&signature).unwrap();
                            assert_eq!(theirs.verify_prehash(&digest, &parsed).is_err(), infinite);
                        }
                    }
                }
            }

            #[test]
            fn public_keys_that_are_none() {
                let (prime, good) = (number($prime), public::<$curve>(&BigUint::from(7_u32), $width));
                let new = Both::<$curve>::new;
                assert!(new(&good).is_ok());
                assert!(matches!(new(&good[1..]).unwrap_err(), InvalidKey::Length { .. }));
                assert!(matches!(new(&[&[4], &good[..]].concat()).unwrap_err(), InvalidKey::Length { .. }));
                assert!(matches!(new(&[]).unwrap_err(), InvalidKey::Length { .. }));
                assert!(matches!(new(&[0; 2 * $width]).unwrap_err(), InvalidKey::NotOnCurve { .. }));
                for bit in 0..16 * $width {
                    let mut damaged = good.clone();
                    damaged[bit / 8] ^= 1 << (bit % 8);
                    assert!(new(&damaged).is_err());
                }
                for place in [0, $width] {
                    let mut damaged = good.clone();
                    damaged[place..place + $width].copy_from_slice(&bytes(&prime, $width));
                    assert!(matches!(new(&damaged).unwrap_err(), InvalidKey::Coordinate { .. }));
                }
                // The opposite point is one.
                let (x, y) = good.split_at($width);
                let opposite = bytes(&(prime - BigUint::from_bytes_be(y)), $width);
                assert!(new(&[x, &opposite].concat()).is_ok());
            }

            #[test]
            fn signatures_that_are_none() {
                let order = number($order);
                let key = SigningKey::<$curve>::new(&[5; $width]).unwrap();
                let public = Both::<$curve>::new(key.public().as_ref()).unwrap();
                let digest = [6; $width];
                let mut good = [0; 2 * $width];
                key.sign_digest(Hash::Sha384, &digest, &mut good).unwrap();
                assert_eq!(public.verify_digest(&digest, &good), Ok(()));
                for length in [0, 1, 2 * $width - 1, 2 * $width + 1] {
                    let refused = public.verify_digest(&digest, &vec![1; length]).unwrap_err();
                    assert!(matches!(refused, InvalidSignature::Length { .. }));
                    let refused = key.sign_digest(Hash::Sha384, &digest, &mut vec![0; length]).unwrap_err();
                    assert_eq!((refused.given, refused.expected), (length, 2 * $width));
                }
                let largest = (BigUint::from(1_u32) << (8 * $width)) - 1_u32;
                for value in [BigUint::ZERO, order.clone(), &order + 1_u32, largest] {
                    for place in [0, $width] {
                        let mut damaged = good;
                        damaged[place..place + $width].copy_from_slice(&bytes(&value, $width));
                        let refused = public.verify_digest(&digest, &damaged).unwrap_err();
                        assert!(matches!(refused, InvalidSignature::Range { .. }));
                    }
                }
                // In range but at its ends, and a digest that is zero as a scalar.
                let ends = [BigUint::from(1_u32), &order - 1_u32].map(|end| bytes(&end, $width));
                for [r, s] in [[0_usize, 0], [0, 1], [1, 0], [1, 1]] {
                    let signature = [&ends[r][..], &ends[s]].concat();
                    for digest in [&digest[..], &[0; $width], &bytes(&order, $width)] {
                        assert!(public.verify_digest(digest, &signature).is_err());
                    }
                }
                // The other s of the same r is one (ECDSA is malleable).
                let (r, s) = good.split_at($width);
                let other = bytes(&(order - BigUint::from_bytes_be(s)), $width);
                assert_eq!(public.verify_digest(&digest, &[r, &other].concat()), Ok(()));
            }

            /// Of longer digests the leftmost bits count, shorter ones are numbers as they are.
            #[test]
            fn digests_of_other_lengths() {
                let key = SigningKey::<$curve>::new(&[9; $width]).unwrap();
                let public = Both::<$curve>::new(key.public().as_ref()).unwrap();
                let sign = |digest: &[u8]| {
                    let mut signature = [0; 2 * $width];
                    key.sign_digest(Hash::Sha512, digest, &mut signature).unwrap();
                    assert_eq!(public.verify_digest(digest, &signature), Ok(()));
                    signature
                };
                let long: Vec<u8> = (1..=64).collect();
                assert_eq!(sign(&long), sign(&long[..$width]));
                assert_ne!(sign(&long), sign(&long[..$width - 1]));
                let padded = [&[0; $width - 20], &long[..20]].concat();
                assert_eq!(sign(&long[..20]), sign(&padded));
                assert_eq!(sign(&[]), sign(&[0; $width]));
                // A digest above the order is reduced.
                assert_eq!(sign(&[255; $width]), sign(&[255; 64]));
            }

            /// Draws out of range are passed over.
            #[test]
            fn generated_keys() {
                let draws = [[0; $width], [255; $width], [3; $width], [4; $width]];
                let mut draws = draws.iter();
                let key = SigningKey::<$curve>::generate_from(&mut |bytes| {
                    bytes.copy_from_slice(draws.next().unwrap());
                });
                assert_eq!(draws.len(), 1);
                let expected = SigningKey::<$curve>::new(&[3; $width]).unwrap();
                assert_eq!(key.public().as_ref(), expected.public().as_ref());
            }
        }
    };
}

edges!(p256_edges, P256, p256, P256_ORDER, P256_PRIME, 32);
edges!(p384_edges, P384, p384, P384_ORDER, P384_PRIME, 48);
