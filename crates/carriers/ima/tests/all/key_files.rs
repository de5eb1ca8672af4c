//! Key files in every form, and what is said of those that are no keys.

use crate::common::keys::*;
use crate::common::*;
use data_encoding::BASE64;
use fieldtest_ima::keys::{KeyAlgorithm, KeyError, PrivateKey, PublicKey};
use fieldtest_ima::signer::SignError;
use fieldtest_ima::{Signer, Version};
use proptest::prelude::*;

fn der(pem: &str) -> Vec<u8> {
    let body: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    BASE64.decode(body.as_bytes()).unwrap()
}

fn pem(label: &str, der: &[u8]) -> String {
    let body: Vec<char> = BASE64.encode(der).chars().collect();
    let lines: Vec<String> = body.chunks(64).map(|line| line.iter().collect()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut value = vec![tag];
    match content.len() {
        short @ 0..=127 => value.push(short as u8),
        long => value.extend([&[0x82][..], &(long as u16).to_be_bytes()].concat()),
    }
    value.extend(content);
    value
}

/// PKCS #8 of an ML-DSA-44 key with this CHOICE (RFC 9881, section 6).
fn ml_dsa_44(choice: &[u8]) -> Vec<u8> {
    let algorithm = tlv(0x30, &tlv(6, &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 17]));
    tlv(0x30, &[&[2, 1, 0][..], &algorithm, &tlv(4, choice)].concat())
}

/// The `RSAPrivateKey` that PKCS #8 has wrapped, and the `RSAPublicKey` of a SubjectPublicKeyInfo, by themselves.
fn pkcs1_pair() -> (String, String) {
    (pem("RSA PRIVATE KEY", &der(RSA_2048)[26..]), pem("RSA PUBLIC KEY", &der(RSA_2048_PUBLIC)[24..]))
}

fn seed() -> Vec<u8> {
    (0..32).collect()
}

#[test]
fn every_private_key_signs_what_its_public_key_verifies() {
    let (private, public) = pkcs1_pair();
    let pairs = [
        (RSA_2048, RSA_2048_PUBLIC),
        (&*private, &*public),
        (P256, P256_PUBLIC),
        (P256_SEC1, P256_PUBLIC),
        (P384, P384_PUBLIC),
    ];
    for (private, public) in pairs {
        let from_der = PrivateKey::read(&der(private)).unwrap();
        let from_pem = PrivateKey::read(private.as_bytes()).unwrap();
        assert_eq!(from_der.secret_bytes(), from_pem.secret_bytes());
        let signer = signer(private.as_bytes(), Version::V2);
        for file in [public.as_bytes(), &der(public)] {
            let keys = PublicKey::read_all(file).unwrap();
            assert_eq!((keys[0].bytes.as_slice(), keys[0].id), (signer.public_key(), signer.id()));
            assert_eq!(keys[0].algorithm, from_pem.algorithm);
        }
    }
    assert_eq!(PrivateKey::read(RSA_2048.as_bytes()).unwrap().algorithm, KeyAlgorithm::Rsa { bits: 2048 });
}

#[test]
fn a_certificate_gives_its_own_key_id() {
    let [with, without] = [P256_CERTIFICATE, P256_CERTIFICATE_WITHOUT_ID].map(|file| {
        assert_eq!(PublicKey::read_all(file.as_bytes()), PublicKey::read_all(&der(file)));
        PublicKey::read_all(file.as_bytes()).unwrap().remove(0)
    });
    assert_eq!((with.id.to_string().as_str(), &with.bytes), ("01020304", &without.bytes));
    // `evmctl` 1.4 names this key so.
    assert_eq!(without.id.to_string(), "e4c0d39f");
    let identified = signer(P256.as_bytes(), Version::V2).identified_by(&with).unwrap();
    assert_eq!(identified.id(), with.id);
    let other = signer(P384.as_bytes(), Version::V2).identified_by(&with);
    assert!(matches!(other, Err(SignError::OtherPublicKey)));
    assert_eq!((with.unidentified, without.unidentified), (false, true));
    let unidentified = signer(P256.as_bytes(), Version::V2).identified_by(&without);
    assert!(matches!(unidentified, Err(SignError::Unidentified)));
}

#[test]
fn a_bundle_holds_many_keys() {
    let bundle = [P256_CERTIFICATE, "text between\n", P256, P384_PUBLIC, &pkcs1_pair().1].concat();
    assert_eq!(PublicKey::read_all(bundle.as_bytes()).unwrap().len(), 3);
    let windows = bundle.replace('\n', "\r\n");
    assert_eq!(PublicKey::read_all(windows.as_bytes()), PublicKey::read_all(bundle.as_bytes()));
    assert!(PrivateKey::read(windows.as_bytes()).is_ok());
    let body: String = P256.lines().filter(|line| !line.starts_with("-----")).collect();
    let one_line = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
    assert!(PrivateKey::read(one_line.as_bytes()).is_ok());
    // OpenSSL writes the curve in a block of its own before a SEC 1 key.
    let parameters = pem("EC PARAMETERS", &tlv(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7]));
    assert!(PrivateKey::read([&parameters, P256_SEC1].concat().as_bytes()).is_ok());
}

#[test]
fn ml_dsa_keys_as_seed_expanded_and_both() {
    let from_seed = signer(ML_DSA_44.as_bytes(), Version::V3);
    assert_eq!(ml_dsa_44(&tlv(0x80, &seed())), der(ML_DSA_44));

    let mut expanded = from_seed.public_key()[..32].to_vec();
    expanded.resize(2560, 0);
    let both = |expanded: &[u8]| tlv(0x30, &[tlv(4, &seed()), tlv(4, expanded)].concat());
    let read = |choice: &[u8]| PrivateKey::read(pem("PRIVATE KEY", &ml_dsa_44(choice)).as_bytes());

    let key = read(&both(&expanded)).unwrap();
    assert_eq!(key.secret_bytes().unwrap(), seed());
    assert!(Signer::from_file(&ml_dsa::MlDsa44, &key, Version::V3).is_ok());

    expanded[0] ^= 1;
    let key = read(&both(&expanded)).unwrap();
    let refused = Signer::from_file(&ml_dsa::MlDsa44, &key, Version::V3);
    assert!(matches!(refused, Err(SignError::Key(KeyError::Contradiction(_)))));

    let key = read(&tlv(4, &expanded)).unwrap();
    assert!(matches!(key.secret_bytes(), Err(KeyError::ExpandedOnly(_))));
    for wrong in [tlv(0x80, &seed()[1..]), tlv(4, &expanded[1..]), both(&[]), tlv(2, &[1]), vec![], seed()] {
        assert!(matches!(read(&wrong), Err(KeyError::Structure { .. })), "{wrong:?}");
    }
}

#[test]
fn keys_that_cannot_be_read_are_refused_with_the_reason() {
    let old = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n\
               -----END RSA PRIVATE KEY-----\n";
    let encrypted = tlv(0x30, &[tlv(0x30, &tlv(6, &[0x2a, 3])), tlv(4, &[1, 2, 3])].concat());
    for file in [old.as_bytes(), pem("ENCRYPTED PRIVATE KEY", &encrypted).as_bytes(), &encrypted] {
        assert_eq!(PrivateKey::read(file).unwrap_err(), KeyError::Encrypted);
    }
    let whole = der(P256);
    let cut = &whole[..60];
    assert_eq!(PrivateKey::read(cut).unwrap_err(), KeyError::CutOff(60));
    assert_eq!(
        PrivateKey::read(pem("OPENSSH PRIVATE KEY", b"openssh-key-v1\0").as_bytes()).unwrap_err(),
        KeyError::OpenSsh
    );
    let private = |text: &str| PrivateKey::read(text.as_bytes()).unwrap_err();
    assert!(matches!(private(P256_PUBLIC), KeyError::NoKey { .. }));
    assert!(matches!(private(&P256[..100]), KeyError::Pem { line: 1, .. }));
    assert!(matches!(private(&P256.replace("MIGH", "MI!H")), KeyError::Pem { line: 1, .. }));
    assert!(matches!(PublicKey::read_all(P256.as_bytes()), Err(KeyError::NoKey { .. })));
    assert!(matches!(PublicKey::read_all(b""), Err(KeyError::Structure { .. })));
    assert!(matches!(PrivateKey::read(b"hello\n"), Err(KeyError::Structure { .. })));
}

#[test]
fn a_curve_that_is_described_and_not_named_is_told() {
    // SpecifiedECDomain (RFC 3279, section 2.3.5) begins with a version and the field.
    let field = tlv(0x30, &[tlv(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 1, 1]), tlv(2, &[0x7f; 32])].concat());
    let equation = tlv(0x30, &[tlv(2, &[1]), field].concat());
    let in_sec1 =
        |parameters: &[u8]| tlv(0x30, &[tlv(2, &[1]), tlv(4, &[7; 32]), parameters.to_vec()].concat());
    let ec_public_key = tlv(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]);
    let algorithm = tlv(0x30, &[ec_public_key, equation.clone()].concat());
    let sec1 = in_sec1(&tlv(0xa0, &equation));
    let pkcs8 = tlv(0x30, &[tlv(2, &[0]), algorithm.clone(), tlv(4, &in_sec1(&[]))].concat());
    for file in
        [&sec1[..], pem("EC PRIVATE KEY", &sec1).as_bytes(), &pkcs8, pem("PRIVATE KEY", &pkcs8).as_bytes()]
    {
        let error = PrivateKey::read(file).unwrap_err();
        assert_eq!(error, KeyError::UnnamedCurve);
        assert!(error.to_string().contains("openssl ec -in KEY -param_enc named_curve"), "{error}");
    }
    let public = tlv(0x30, &[algorithm, tlv(3, &[&[0, 4][..], &[7; 32]].concat())].concat());
    assert_eq!(PublicKey::read_all(&public), Err(KeyError::UnnamedCurve));
}

#[test]
fn a_point_that_is_compressed_or_of_another_key_is_refused() {
    let key = PublicKey::read_all(P256_PUBLIC.as_bytes()).unwrap().remove(0);
    let spki = der(P256_PUBLIC);
    let algorithm = &spki[2..23];
    let with_point = |point: &[u8]| tlv(0x30, &[algorithm, &tlv(3, &[&[0], point].concat())].concat());
    assert_eq!(PublicKey::read_all(&with_point(&[&[4], &key.bytes[..]].concat())), Ok(vec![key.clone()]));
    let compressed = [&[2], &key.bytes[..32]].concat();
    assert_eq!(PublicKey::read_all(&with_point(&compressed)), Err(KeyError::PointForm));

    // Beside the scalar it is no obstacle: the point is computed, and the key id is that of the whole one.
    let scalar = tlv(4, &[7; 32]);
    let curve = tlv(0xa0, &tlv(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7]));
    let beside = tlv(0xa1, &tlv(3, &[&[0], &compressed[..]].concat()));
    let sec1 = tlv(0x30, &[&tlv(2, &[1])[..], &scalar, &curve, &beside].concat());
    assert!(Signer::from_file(&ec::P256, &PrivateKey::read(&sec1).unwrap(), Version::V2).is_ok());

    let mut contradicting = der(P256_SEC1);
    *contradicting.last_mut().unwrap() ^= 1;
    let key = PrivateKey::read(&contradicting).unwrap();
    let refused = Signer::from_file(&ec::P256, &key, Version::V2);
    assert!(matches!(refused, Err(SignError::Key(KeyError::Contradiction(_)))));
    let refused = Signer::from_file(&ml_dsa::MlDsa44, &key, Version::V3);
    assert!(matches!(refused, Err(SignError::KeyForm { .. })));
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = (PrivateKey::read(&bytes), PublicKey::read_all(&bytes));
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"] {
            let _ = PrivateKey::read(pem(label, &bytes).as_bytes());
        }
        for label in ["PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE"] {
            let _ = PublicKey::read_all(pem(label, &bytes).as_bytes());
        }
    }

    #[test]
    fn no_damage_makes_a_reader_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), which in 0_usize..6) {
        let files = [RSA_2048, P256, P256_SEC1, ML_DSA_65, P256_CERTIFICATE, P384_PUBLIC];
        let mut damaged = der(files[which]);
        *at.get_mut(&mut damaged) = byte;
        let _ = (PrivateKey::read(&damaged), PublicKey::read_all(&damaged));
        let mut damaged = files[which].as_bytes().to_vec();
        *at.get_mut(&mut damaged) = byte;
        let _ = (PrivateKey::read(&damaged), PublicKey::read_all(&damaged));
    }
}
