//! Random keys, digests and damaged signatures, against RustCrypto's `p256` and `p384`.

use fieldtest_ecdsa::{Hash, P256, P384, SigningKey};
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use proptest::prelude::*;

macro_rules! agreement {
    ($test:ident, $curve:ident, $krate:ident, $hash:expr, $bytes:literal) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(200))]
            #[test]
            fn $test(
                scalar: [u8; $bytes],
                digest: [u8; $bytes],
                damaged_digest in 0..8_usize * $bytes,
                damaged_signature in 0..16_usize * $bytes,
            ) {
                let Ok(theirs) = $krate::ecdsa::SigningKey::from_slice(&scalar) else {
                    prop_assert!(SigningKey::<$curve>::new(&scalar).is_err());
                    return Ok(());
                };
                let ours = SigningKey::<$curve>::new(&scalar).unwrap();
                let point = theirs.verifying_key().to_sec1_point(false);
                let public = ours.public();
                prop_assert_eq!(public.as_ref(), &point.as_bytes()[1..]);

                let mut signature = [0; 2 * $bytes];
                ours.sign_digest($hash, &digest, &mut signature).unwrap();
                let expected: $krate::ecdsa::Signature = theirs.sign_prehash(&digest).unwrap();
                prop_assert_eq!(&signature[..], &expected.to_bytes()[..]);

                let key = crate::Both::<$curve>::new(public.as_ref()).unwrap();
                key.verify_digest(&digest, &signature).unwrap();
                let flip = |bytes: &mut [u8], bit: usize| bytes[bit / 8] ^= 1 << (bit % 8);
                let mut other = digest;
                flip(&mut other, damaged_digest);
                prop_assert!(key.verify_digest(&other, &signature).is_err());
                flip(&mut signature, damaged_signature);
                prop_assert!(key.verify_digest(&digest, &signature).is_err());
                let accepted = $krate::ecdsa::Signature::from_slice(&signature)
                    .and_then(|signature| theirs.verifying_key().verify_prehash(&digest, &signature));
                prop_assert!(accepted.is_err());
            }
        }
    };
}

agreement!(p256_agrees, P256, p256, Hash::Sha256, 32);
agreement!(p384_agrees, P384, p384, Hash::Sha384, 48);
