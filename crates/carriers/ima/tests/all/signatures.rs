//! What is signed is accepted, what was changed is refused, and the bytes are those of the format.

use crate::common;
use crate::common::keys::*;
use crate::common::*;
use fieldtest_ima::evm::{Owner, portable_digest};
use fieldtest_ima::keys::{PrivateKey, PublicKey};
use fieldtest_ima::signer::SignError;
use fieldtest_ima::xattr::Malformed;
use fieldtest_ima::{
    Digest, FileDigest, HashAlgorithm, KeyId, Keyring, SignatureType, Signer, Verdict, Version, Xattr,
};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey};
use proptest::prelude::*;

/// Private keys with the bytes of their signatures, where all are equally long.
const KEYS: [(&str, Option<usize>); 6] = [
    (RSA_2048, Some(256)),
    (P256, None),
    (P384, None),
    (ML_DSA_44, Some(2420)),
    (ML_DSA_65, Some(3309)),
    (ML_DSA_87, Some(4627)),
];

const TYPES: [SignatureType; 3] = [SignatureType::File, SignatureType::EvmPortable, SignatureType::Verity];

fn is_message_only(key: &str) -> bool {
    [ML_DSA_44, ML_DSA_65, ML_DSA_87].contains(&key)
}

fn signer_and_ring(key: &str, version: Version) -> (Signer, Keyring) {
    let signer = signer(key.as_bytes(), version);
    let mut ring = Keyring::new();
    let algorithm = PrivateKey::read(key.as_bytes()).unwrap().algorithm;
    let id = ring.add_bytes(implementation(&algorithm), signer.public_key()).unwrap();
    assert_eq!(id, signer.id());
    (signer, ring)
}

fn sha256_of(content: &[u8]) -> FileDigest {
    digest_of(content, SignatureType::File, HashAlgorithm::Sha256)
}

#[test]
fn every_key_version_type_and_hash() {
    for (key, length) in KEYS {
        for version in [Version::V2, Version::V3] {
            if is_message_only(key) && version == Version::V2 {
                continue;
            }
            let (signer, ring) = signer_and_ring(key, version);
            for (covers, hash) in TYPES.into_iter().flat_map(|covers| HASHES.map(|hash| (covers, hash))) {
                let file = digest_of(b"content", covers, hash);
                if covers == SignatureType::Verity && version == Version::V2 {
                    assert!(matches!(signer.sign(&file), Err(SignError::VerityVersion2)));
                    continue;
                }
                let xattr = signer.sign(&file).unwrap();
                assert_eq!(signer.sign(&file).unwrap(), xattr, "two runs differ");
                assert_eq!(judge(&ring, &xattr, b"content"), Verdict::Good(signer.id()));
                assert_eq!(judge(&ring, &xattr, b"contents"), Verdict::Wrong(signer.id()));
                assert!(length.is_none_or(|length| xattr.len() == 9 + length));
                let Ok(Xattr::Signature(read)) = Xattr::parse(&xattr) else { panic!() };
                assert_eq!((read.covers, read.version, read.key), (covers, version, signer.id()));
            }
        }
    }
}

/// Typed by hand from the format: what a kernel with ML-DSA is to accept for a file that holds `abc`.
#[test]
fn an_ml_dsa_signature_is_over_the_bytes_of_ima_file_id() {
    let sha256_of_abc = [
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0,
        0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    ];
    // The type 3, sha256's number 4, the digest: 34 bytes.
    let file_id = [&[3, 4], &sha256_of_abc[..]].concat();
    // FIPS 204, algorithm 2: pure, no context, and no hash before it.
    let mut signature = Vec::new();
    let seed: Vec<u8> = (0..32).collect();
    ml_dsa::MlDsa44.signing_key(&seed).unwrap().sign_deterministic(&file_id, &mut signature).unwrap();
    // The type 3, version 3, sha256, the end of the SHA-1 of the public key in RFC 9881, 2420 = 0x0974 bytes.
    let expected = [&[3, 3, 4, 0x1d, 0x6b, 0x61, 0xee, 0x09, 0x74], &signature[..]].concat();

    let signer = signer(ML_DSA_44.as_bytes(), Version::V3);
    let file = FileDigest::of_content(Digest::of(HashAlgorithm::Sha256, b"abc"));
    assert_eq!(file.file_id(), file_id);
    assert_eq!(signer.id().to_string(), "1d6b61ee");
    assert_eq!(signer.sign(&file).unwrap(), expected);
    // libcrux-ml-dsa 0.0.11 gives the same 2429 bytes.
    let of_all = "sha256:b520add2f5ee2e1324b6e81861c174991f65988f1a8da5d589bd69cd9d35fe99";
    assert_eq!(Digest::of(HashAlgorithm::Sha256, &expected).to_string(), of_all);
}

#[test]
fn versions_of_a_digest_signature_are_not_interchangeable() {
    let (signer, ring) = signer_and_ring(RSA_2048, Version::V2);
    let file = sha256_of(b"content");
    let mut xattr = signer.sign(&file).unwrap();
    xattr[1] = 3;
    assert_eq!(judge(&ring, &xattr, b"content"), Verdict::Wrong(signer.id()));
    // What version 3 guards against: the same digest as that of something else.
    let signer = common::signer(RSA_2048.as_bytes(), Version::V3);
    let mut xattr = signer.sign(&file).unwrap();
    xattr[0] = 5;
    assert_eq!(judge(&ring, &xattr, b"content"), Verdict::Wrong(signer.id()));
}

#[test]
fn every_other_verdict() {
    let (signer, ring) = signer_and_ring(P256, Version::V3);
    let file = sha256_of(b"content");
    let good = signer.sign(&file).unwrap();
    let changed = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut xattr = good.clone();
        edit(&mut xattr);
        judge(&ring, &xattr, b"content")
    };
    assert!(changed(&|_| {}).is_good());
    assert!(matches!(changed(&|xattr| xattr[3] ^= 1), Verdict::UnknownKey(_)));
    assert!(matches!(
        changed(&|xattr| xattr.truncate(40)),
        Verdict::Malformed(Malformed::WrongLength { .. })
    ));
    assert!(matches!(changed(&|xattr| xattr[9] = 0x31), Verdict::Malformed(Malformed::NotEcdsaDer)));
    assert_eq!(changed(&|xattr| xattr[1] = 4), Verdict::Malformed(Malformed::UnknownVersion(4)));
    assert_eq!(changed(&|xattr| xattr[2] = 17), Verdict::UnknownDigestAlgorithm(17));
    assert_eq!(changed(&|xattr| xattr[2] = 20), Verdict::Wrong(signer.id()));
    let verity_2 = Verdict::UnsupportedVersion { version: 2, covers: SignatureType::Verity };
    assert_eq!(changed(&|xattr| (xattr[0], xattr[1]) = (6, 2)), verity_2);
    let version_1 = [&[3, 1, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 8, 1][..]].concat();
    let version_1 = judge(&ring, &version_1, b"");
    assert_eq!(version_1, Verdict::UnsupportedVersion { version: 1, covers: SignatureType::File });
    assert_eq!(judge(&ring, &[&[4, 4], &[0; 32][..]].concat(), b""), Verdict::NoSignature(4));

    let Ok(other) = ring.verify(&good, |covers, _| {
        Ok::<_, std::convert::Infallible>(digest_of(b"content", covers, HashAlgorithm::Sha512))
    });
    assert!(matches!(other, Verdict::OtherDigest { .. }));
    assert_eq!(ring.verify(&good, |_, _| Err("unreadable")), Err("unreadable"));
}

#[test]
fn version_2_is_not_for_schemes_that_sign_messages() {
    let key = PrivateKey::read(ML_DSA_65.as_bytes()).unwrap();
    let refused = Signer::from_file(&ml_dsa::MlDsa65, &key, Version::V2).err().unwrap();
    assert!(refused.to_string().contains("use version 3"), "{refused}");

    let (signer, ring) = signer_and_ring(ML_DSA_65, Version::V3);
    let mut xattr = signer.sign(&sha256_of(b"x")).unwrap();
    xattr[1] = 2;
    assert_eq!(judge(&ring, &xattr, b"x"), Verdict::VersionNotForKey(signer.id()));
}

#[test]
fn several_keys_of_one_id_are_all_tried() {
    let id = KeyId([1, 2, 3, 4]);
    let mut ring = Keyring::new();
    for key in [P256, P384, ML_DSA_44, RSA_2048] {
        let signer = signer(key.as_bytes(), Version::V3);
        let algorithm = PrivateKey::read(key.as_bytes()).unwrap().algorithm;
        ring.add_as(id, implementation(&algorithm), signer.public_key()).unwrap();
    }
    let file = digest_of(b"content", SignatureType::File, HashAlgorithm::Sha384);
    for key in [P256, P384, ML_DSA_44, RSA_2048] {
        let xattr = signer(key.as_bytes(), Version::V3).with_id(id).sign(&file).unwrap();
        assert_eq!(judge(&ring, &xattr, b"content"), Verdict::Good(id));
        assert_eq!(judge(&ring, &xattr, b"changed"), Verdict::Wrong(id));
    }
}

#[test]
fn what_one_implementation_lacks_another_judges() {
    /// Takes the keys of RSA and verifies nothing with them.
    struct Without;
    impl VerifyingKey for Without {
        fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), Error> {
            Err(Error::Unsupported("verifying"))
        }
    }
    impl Signature for Without {
        fn public_key_form(&self) -> PublicKeyForm {
            rsa::Rsa.public_key_form()
        }
        fn generate(&self) -> Result<KeyPair, Error> {
            rsa::Rsa.generate()
        }
        fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
            rsa::Rsa.signing_key(secret)
        }
        fn verifying_key(&self, _: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
            Ok(Box::new(Without))
        }
    }
    let key = PublicKey::read_all(RSA_2048_PUBLIC.as_bytes()).unwrap().remove(0);
    let other = PublicKey::read_all(P256_PUBLIC.as_bytes()).unwrap().remove(0);
    let signer = signer(RSA_2048.as_bytes(), Version::V2);
    let digest = digest_of(b"content", SignatureType::File, HashAlgorithm::Sha3_256);
    let xattr = signer.sign(&digest).unwrap();
    let mut ring = Keyring::new();
    ring.add_further(&rsa::Rsa, &key).unwrap();
    assert_eq!(
        judge(&ring, &xattr, b"content"),
        Verdict::UnknownKey(key.id),
        "it adds to a key and adds none"
    );
    ring.add(&Without, &key).unwrap();
    assert!(matches!(judge(&ring, &xattr, b"content"), Verdict::NotJudged(_)));
    ring.add_further(&ec::P256, &PublicKey { id: key.id, ..other }).unwrap();
    assert!(matches!(judge(&ring, &xattr, b"content"), Verdict::NotJudged(_)));
    ring.add_further(&rsa::Rsa, &key).unwrap();
    assert_eq!(judge(&ring, &xattr, b"content"), Verdict::Good(key.id));
    assert_eq!(judge(&ring, &xattr, b"other"), Verdict::Wrong(key.id));
}

#[test]
fn hedged_signatures_are_others_and_are_accepted() {
    let file = sha256_of(b"content");
    let (plain, ring) = signer_and_ring(ML_DSA_44, Version::V3);
    let (same, other) = (plain.sign(&file).unwrap(), plain.hedged().sign(&file).unwrap());
    assert_ne!(same, other);
    assert!(judge(&ring, &other, b"content").is_good());
}

#[test]
fn sha1_is_read_and_not_signed() {
    let signer = signer(RSA_2048.as_bytes(), Version::V2);
    let file = digest_of(b"content", SignatureType::File, HashAlgorithm::Sha1);
    assert!(matches!(signer.sign(&file), Err(SignError::WeakDigest(HashAlgorithm::Sha1))));
}

#[test]
fn a_portable_evm_signature_covers_the_ima_signature_and_the_owner() {
    let (signer, ring) = signer_and_ring(ML_DSA_65, Version::V3);
    let ima = signer.sign(&sha256_of(b"content")).unwrap();
    let evm = |owner: &Owner, algorithm| portable_digest(algorithm, [("security.ima", &ima[..])], owner);
    let owner = Owner { uid: 0, gid: 0, mode: 0o100_755 };
    let xattr = signer.sign(&evm(&owner, HashAlgorithm::Sha512).unwrap()).unwrap();
    assert_eq!(xattr[..3], [5, 3, 6]);
    let judge = |owner: &Owner| ring.verify(&xattr, |_, algorithm| evm(owner, algorithm)).unwrap();
    assert!(judge(&owner).is_good());
    assert_eq!(judge(&Owner { mode: 0o104_755, ..owner }), Verdict::Wrong(signer.id()));
}

#[test]
fn certificates_make_a_ring() {
    let ring = ring(&[P256_CERTIFICATE.as_bytes(), P384_PUBLIC.as_bytes()]);
    let certificate = PublicKey::read_all(P256_CERTIFICATE.as_bytes()).unwrap().remove(0);
    let signer = signer(P256.as_bytes(), Version::V2).identified_by(&certificate).unwrap();
    let xattr = signer.sign(&sha256_of(b"x")).unwrap();
    assert_eq!(judge(&ring, &xattr, b"x"), Verdict::Good(KeyId([1, 2, 3, 4])));
    let error = Keyring::new().add(&rsa::Rsa, &certificate).unwrap_err();
    assert!(error.to_string().contains("EcPoint"), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_are_good(
        mut bytes in prop::collection::vec(any::<u8>(), 9..200),
        kind in prop::sample::select(vec![3_u8, 5, 6]),
        version in 2_u8..4,
        known_key in any::<bool>(),
    ) {
        let (signer, ring) = signer_and_ring(P256, Version::V3);
        (bytes[0], bytes[1], bytes[2]) = (kind, version, 4);
        if known_key {
            bytes[3..7].copy_from_slice(&signer.id().0);
        }
        let length = (bytes.len() - 9) as u16;
        bytes[7..9].copy_from_slice(&length.to_be_bytes());
        prop_assert!(!judge(&ring, &bytes, b"content").is_good());
    }

    #[test]
    fn no_changed_byte_is_good(at in any::<prop::sample::Index>(), flip in 1_u8..) {
        let (signer, ring) = signer_and_ring(P256, Version::V3);
        let file = sha256_of(b"content");
        let mut xattr = signer.sign(&file).unwrap();
        *at.get_mut(&mut xattr) ^= flip;
        prop_assert!(!judge(&ring, &xattr, b"content").is_good());
    }
}
