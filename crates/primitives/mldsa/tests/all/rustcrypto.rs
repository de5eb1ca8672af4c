//! RustCrypto's traits: the example keys of RFC 9881, appendix C (the working group's repository at 785a549), of which the
//! SHA3-256 of each DER file is typed here.

use std::convert::Infallible;

use data_encoding::HEXLOWER;
use fieldtest_mldsa::{MlDsa44, MlDsa65, MlDsa87, ParameterSet, Signature, SigningKey, VerifyingKey};
use pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, Error, KeyError};
use sha3::{Digest as _, Sha3_256};
use signature::rand_core::{TryCryptoRng, TryRng};
use signature::{RandomizedSigner as _, SignatureEncoding as _, Signer as _};

/// Random bytes that a test can repeat.
struct Sevens;

impl TryRng for Sevens {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(0x0707_0707)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(0x0707_0707_0707_0707)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(7);
        Ok(())
    }
}

impl TryCryptoRng for Sevens {}

/// DER with a length of two bytes, as of all parts of these keys.
fn part(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, 0x82][..], &u16::try_from(content.len()).unwrap().to_be_bytes(), content].concat()
}

/// The private key that has both forms, which nothing here writes.
fn both<P: ParameterSet>(seed: &[u8; 32], expanded: &[u8]) -> Vec<u8> {
    let of_seed = SigningKey::<P>::from_seed(seed).to_pkcs8_der().unwrap();
    // Version and algorithm.
    let head = &of_seed.as_bytes()[2..18];
    let key = part(0x30, &[&[4, 32], &seed[..], &part(4, expanded)].concat());
    part(0x30, &[head, &part(4, &key)].concat())
}

fn examples<P: ParameterSet>(of_seed: &str, of_expanded: &str, of_both: &str, of_public: &str) {
    let digest = |bytes: &[u8]| HEXLOWER.encode(&Sha3_256::digest(bytes));
    let seed: [u8; 32] = std::array::from_fn(|at| at as u8);
    let key = SigningKey::<P>::from_seed(&seed);
    let expanded = SigningKey::<P>::from_expanded(&key.to_expanded()).unwrap();
    assert_eq!((key.seed(), expanded.seed()), (Some(&seed), None));

    let files = [key.to_pkcs8_der().unwrap(), expanded.to_pkcs8_der().unwrap()];
    let [one, two] = [&files[0], &files[1]].map(|file| file.as_bytes());
    let three = both::<P>(&seed, &key.to_expanded());
    for (bytes, official) in [(one, of_seed), (two, of_expanded), (&three, of_both)] {
        assert_eq!(digest(bytes), official, "{}", P::NAME);
        let read = SigningKey::<P>::from_pkcs8_der(bytes).unwrap();
        assert_eq!(read.public_key(), key.public_key());
        // A byte that is missing, and one that is too many.
        assert!(SigningKey::<P>::from_pkcs8_der(&bytes[..bytes.len() - 1]).is_err());
        assert!(SigningKey::<P>::from_pkcs8_der(&[bytes, &[0]].concat()).is_err());
    }
    let public = key.to_public_key_der().unwrap();
    assert_eq!(digest(public.as_bytes()), of_public);

    let signature: Signature<P> = key.try_sign(b"a message").unwrap();
    let read = VerifyingKey::<P>::from_public_key_der(public.as_bytes()).unwrap();
    signature::Verifier::verify(&read, b"a message", &signature).unwrap();
    assert!(signature::Verifier::verify(&read, b"another", &signature).is_err());
    let bytes = signature.to_bytes();
    assert_eq!(Signature::<P>::try_from(&bytes[..]).unwrap(), signature);
    assert!(Signature::<P>::try_from(&bytes[1..]).is_err());
    assert_eq!(key.try_sign(b"a message").unwrap(), signature, "deterministic");
    let hedged: Signature<P> = key.sign_with_rng(&mut Sevens, b"a message");
    let mut expected = vec![0; P::SIGNATURE];
    key.sign(b"a message", b"", &[7; 32], &mut expected).unwrap();
    assert_eq!(*hedged.to_bytes(), *expected);
    signature::Verifier::verify(&read, b"a message", &hedged).unwrap();
}

#[test]
fn the_examples_of_rfc_9881() {
    examples::<MlDsa44>(
        "4e0c06c8202e37a450e24b48a076392727a78ccd6b9b8bfc8a4f40a79f7c3f3a",
        "e3b0eb29c919d75537b4b50bad7fa76ecd75e06c5608b2460268c5c8590b7ba5",
        "3d51841206a331e2606ec694d651cb12fa276f1dce68086ff735624643007343",
        "73f721412e60b97753653b7b0472aa67044bf232cc7ac94bcb2fc31ea5687363",
    );
    examples::<MlDsa65>(
        "c544214bcab1a6bb76d0d821b286719be398937b47859f1cd8ca09cc341f8702",
        "ab8ef657c73b0595f22721f86fd4e2f40ce674118e12a3e768937d5b4a0922b8",
        "7bc448a450175a3d30d37648aced7c04076ec796e8fe0dda1ef5abf751820828",
        "f108209581856a8c1710e21b5fd222af21ec5914ab961c027542d970be4db0bd",
    );
    examples::<MlDsa87>(
        "3880fbc489e2072b558e50d47cdcddfba80d21d5c790eb739faec3fe1df1fe00",
        "9b62a6edc142269f85a0ccb34ffb8ea7e0043e13ebe724aa62b3f9ebe09bb997",
        "4281b4e4e0b38f3e1f59e1ad4c33b2efb70d0db739594c766b610f38e865714a",
        "a8f2cb9c6f5b2af12852cdd31a3986199c591fc20855d39bfb05945040eea76d",
    );
}

#[test]
fn parts_of_different_keys_and_other_algorithms_are_refused() {
    let expanded = SigningKey::<MlDsa44>::from_seed(&[1; 32]).to_expanded();
    let unlike = both::<MlDsa44>(&[2; 32], &expanded);
    let refused = |bytes: &[u8]| SigningKey::<MlDsa44>::from_pkcs8_der(bytes).err();
    assert_eq!(refused(&unlike), Some(Error::KeyMalformed(KeyError::Invalid)));
    let other = SigningKey::<MlDsa65>::from_seed(&[1; 32]);
    assert!(matches!(refused(other.to_pkcs8_der().unwrap().as_bytes()), Some(Error::PublicKey(_))));
    let public = other.to_public_key_der().unwrap();
    assert!(VerifyingKey::<MlDsa44>::from_public_key_der(public.as_bytes()).is_err());
    let keys = [SigningKey::<MlDsa44>::generate().unwrap(), SigningKey::generate().unwrap()];
    assert_ne!(keys[0].public_key(), keys[1].public_key());
}
