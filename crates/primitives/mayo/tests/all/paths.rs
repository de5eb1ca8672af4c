//! All paths make the same keys and signatures, in one piece and prepared, and all reject the same.

use fieldtest_mayo::{ParameterSet, Path, PublicKey, SigningKey};
use proptest::prelude::*;

fn seed(set: ParameterSet, byte: u8) -> Vec<u8> {
    (0..set.secret_key_len()).map(|i| byte.wrapping_mul(i as u8 | 1)).collect()
}

#[test]
fn all_paths_agree() {
    for set in ParameterSet::ALL {
        for byte in [0, 1, 0xff, 0x5a] {
            let key = SigningKey::new(*set, &seed(*set, byte)).expect("the length is right");
            let message = vec![byte; usize::from(byte)];
            let randomizer = vec![byte; set.randomizer_len()];
            let public = key.public_key_on(Path::PORTABLE);
            let signature = key.sign_on(Path::PORTABLE, &message, &randomizer).expect("the key signs");
            for path in Path::available() {
                let about = format!("{set}, {}", path.name());
                assert_eq!(key.public_key_on(path), public, "{about}");
                assert_eq!(key.sign_on(path, &message, &randomizer).as_ref(), Ok(&signature), "{about}");
                let prepared = key.prepare_on(path);
                assert_eq!(prepared.sign(&message, &randomizer).as_ref(), Ok(&signature), "{about}");
                assert_eq!(public.verify_on(path, &message, &signature), Ok(()), "{about}");
                assert_eq!(public.prepare_on(path).verify(&message, &signature), Ok(()), "{about}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_damage_is_found(
        which in 0..ParameterSet::ALL.len(),
        byte: u8,
        message in proptest::collection::vec(any::<u8>(), 0..300),
        bit: prop::sample::Index,
    ) {
        let set = ParameterSet::ALL[which];
        let key = SigningKey::new(set, &seed(set, byte)).expect("the length is right");
        let mut signature = key.sign(&message, &vec![0; set.randomizer_len()]).expect("the key signs");
        let public = key.public_key();
        prop_assert_eq!(public.verify(&message, &signature), Ok(()));

        let mut other = message.clone();
        other.push(0);
        let bit_of_signature = bit.index(8 * signature.len());
        signature[bit_of_signature / 8] ^= 1 << (bit_of_signature % 8);
        for path in Path::available() {
            let prepared = public.prepare_on(path);
            prop_assert!(prepared.verify(&message, &signature).is_err());
            prop_assert!(public.verify_on(path, &message, &signature).is_err());
            signature[bit_of_signature / 8] ^= 1 << (bit_of_signature % 8);
            prop_assert_eq!(prepared.verify(&message, &signature), Ok(()));
            prop_assert!(prepared.verify(&other, &signature).is_err());
            let mut damaged = public.as_bytes().to_vec();
            let bit = bit.index(8 * damaged.len());
            damaged[bit / 8] ^= 1 << (bit % 8);
            let damaged = PublicKey::new(set, &damaged).expect("the length is right");
            prop_assert!(damaged.verify_on(path, &message, &signature).is_err());
            signature[bit_of_signature / 8] ^= 1 << (bit_of_signature % 8);
        }
    }
}
