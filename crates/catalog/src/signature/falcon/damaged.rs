//! Finds damaged secret keys, which the library takes: with them, round-3 Falcon signs for ever, and FN-DSA signs wrongly.

use fn_dsa::hashed_vrfykey_from_vrfykey;
use zeroize::Zeroizing;

/// Bytes of a public key of Falcon-512.
const PUBLIC_KEY: usize = 897;
/// The degree of its polynomials.
const N: usize = 512;
/// The modulus of the public key's coefficients.
const Q: i32 = 12289;
/// Where F begins in a secret key (Falcon specification, section 3.11.5): behind a header, and f and g with 6 bits a
/// coefficient; those of F itself have 8.
const BIG_F: usize = 1 + 2 * N * 6 / 8;

/// Whether the parts of a round-3 secret key do not belong together.
///
/// It stands for f, g, F and G with `f·G - g·F = q` modulo `X^n + 1`. G is not stored: it is `h·F` modulo q, with the
/// public key `h = g/f`, and all its coefficients are small; those of any other product are like random ones. The
/// library tests this, but on processors with AVX2 its comparison lets everything pass.
pub(super) fn falcon(secret: &[u8; 1281], public: &[u8; PUBLIC_KEY]) -> bool {
    let h = coefficients(public);
    // With h twice, the first time negated, a window of it is X^i·h modulo X^n + 1. Sums stay below 2^31.
    let windows: Vec<i16> = h.iter().map(|c| -c).chain(h).collect();
    let mut big_g = Zeroizing::new([0_i32; N]);
    for (i, &byte) in secret[BIG_F..].iter().enumerate() {
        let factor = i32::from(byte as i8);
        big_g.iter_mut().zip(&windows[N - i..]).for_each(|(sum, &c)| *sum += factor * i32::from(c));
    }
    big_g.iter().any(|sum| (sum + 127).rem_euclid(Q) > 2 * 127)
}

/// The coefficients of a public key: 14 bits each, behind a header (Falcon specification, section 3.11.4).
fn coefficients(public: &[u8; PUBLIC_KEY]) -> [i16; N] {
    std::array::from_fn(|i| {
        let start = 8 + 14 * i;
        let bits = (start..start + 14).map(|at| public[at / 8] >> (7 - at % 8) & 1);
        bits.fold(0, |number, bit| number << 1 | i16::from(bit))
    })
}

/// Whether the hash of the public key at the end of an FN-DSA secret key of either degree is another than that of the public
/// key that f and g lead to. With a damaged F signing fails, and says so.
pub(super) fn fn_dsa(secret: &[u8], public: &[u8]) -> bool {
    !secret.ends_with(&hashed_vrfykey_from_vrfykey(public))
}

#[cfg(test)]
mod tests {
    use fieldtest_kinds::signature::Signature;

    use super::super::{falcon_512, fn_dsa_512, fn_dsa_1024};
    use super::*;

    fn is_damaged(adapter: &dyn Signature, secret: &[u8]) -> bool {
        match adapter.signing_key(secret) {
            Err(_) => true,
            // Only FN-DSA notices some damage when it signs; Falcon would not come back.
            Ok(key) => secret.len() != 1281 && key.sign(b"message", &mut Vec::new()).is_err(),
        }
    }

    /// One bit in f, in g, in F and, where there is one, in the hash; then a whole F of another key. FN-DSA takes seconds to
    /// find out that it cannot sign with a damaged F, so that there each place has one bit.
    fn damaged_secret_keys_are_refused(adapter: &dyn Signature, big_f: usize, n: usize) {
        let [mut secret, other] = [(); 2].map(|()| adapter.generate().unwrap().secret);
        assert!(!is_damaged(adapter, &secret));
        let ends_with_f = secret.len() == big_f + n;
        for at in [1, 100, big_f / 2, big_f / 2 + 1, big_f - 1, big_f, big_f + 231, big_f + n - 1, secret.len() - 1] {
            let is_slow = !ends_with_f && (big_f..big_f + n).contains(&at);
            for bit in if is_slow { &[3][..] } else { &[0, 3] } {
                secret[at] ^= 1 << bit;
                assert!(is_damaged(adapter, &secret), "bit {bit} of byte {at} of {}", secret.len());
                secret[at] ^= 1 << bit;
            }
        }
        secret[big_f..big_f + n].copy_from_slice(&other[big_f..big_f + n]);
        assert!(is_damaged(adapter, &secret));
    }

    #[test]
    fn damaged_secret_keys_of_falcon_are_refused() {
        damaged_secret_keys_are_refused(&falcon_512::Adapter, BIG_F, N);
    }

    #[test]
    fn damaged_secret_keys_of_fn_dsa_512_are_refused() {
        damaged_secret_keys_are_refused(&fn_dsa_512::Adapter, BIG_F, N);
    }

    #[test]
    fn damaged_secret_keys_of_fn_dsa_1024_are_refused() {
        // At this degree f and g have 5 bits a coefficient.
        damaged_secret_keys_are_refused(&fn_dsa_1024::Adapter, 1 + 2 * 1024 * 5 / 8, 1024);
    }

    #[test]
    fn sound_secret_keys_are_taken() {
        for _ in 0..50 {
            let pair = falcon_512::Adapter.generate().unwrap();
            falcon_512::Adapter.signing_key(&pair.secret).unwrap();
        }
    }
}
