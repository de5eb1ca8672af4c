//! Certificates and private key files, read back by this crate's own reader and by OpenSSL.
#![cfg(feature = "certificates")]

use std::path::Path;
use std::process::Command;

use crate::common::keys::*;
use crate::common::*;
use crate::tree_support::{installed, run};
use der::{Decode, Encode};
use fieldtest_ima::certificate::{CertificateError, Terms, private_key_pem, self_signed};
use fieldtest_ima::keys::{KeyAlgorithm, ObjectIdentifier, PrivateKey, PublicKey, key_id};
use fieldtest_ima::{Digest, HashAlgorithm};
use fieldtest_kinds::signature::{KeyPair, PublicKeyForm};
use proptest::prelude::*;
use x509_cert::Certificate;
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage, SubjectKeyIdentifier};

const KEYS: [&str; 6] = [RSA_2048, P256, P384, ML_DSA_44, ML_DSA_65, ML_DSA_87];

/// Of 2026-01-01 and ten years.
const TERMS: Terms<'static> = Terms {
    common_name: "IMA signing key, \"lab\" €",
    serial: &[0x80, 1, 2, 3],
    not_before: 1_767_225_600,
    not_after: 2_082_758_400,
};

fn certificate_of(key: &PrivateKey, terms: &Terms<'_>) -> Result<Vec<u8>, CertificateError> {
    self_signed(implementation(&key.algorithm), &key.algorithm, key.secret_bytes().unwrap(), terms)
}

fn pair(key: &PrivateKey) -> KeyPair {
    let secret = key.secret_bytes().unwrap().to_vec();
    let public = implementation(&key.algorithm).signing_key(&secret).unwrap().public_key();
    KeyPair { secret, public }
}

#[test]
fn a_certificate_is_of_its_key_and_signed_by_it() {
    for pem in KEYS {
        let key = PrivateKey::read(pem.as_bytes()).unwrap();
        let public = pair(&key).public;
        let der = certificate_of(&key, &TERMS).unwrap();
        assert_eq!(certificate_of(&key, &TERMS).unwrap(), der, "the same in every run");

        let read = PublicKey::from_certificate(&der).unwrap();
        assert_eq!((read.algorithm, &read.bytes), (key.algorithm, &public));
        assert_eq!(read.id, key_id(key.algorithm.public_key_form(), &public));

        let certificate = Certificate::from_der(&der).unwrap();
        let tbs = certificate.tbs_certificate();
        assert_eq!(tbs.signature(), certificate.signature_algorithm());
        assert_eq!((tbs.issuer(), tbs.serial_number().as_bytes()), (tbs.subject(), &[0, 0x80, 1, 2, 3][..]));
        assert_eq!(tbs.validity().not_before.to_unix_duration().as_secs(), TERMS.not_before);
        assert_eq!(tbs.validity().not_after.to_unix_duration().as_secs(), TERMS.not_after);
        let (critical, constraints) = tbs.get_extension::<BasicConstraints>().unwrap().unwrap();
        assert!(critical && !constraints.ca);
        let (critical, usage) = tbs.get_extension::<KeyUsage>().unwrap().unwrap();
        assert!(critical && usage.digital_signature() && !usage.key_cert_sign());
        let (critical, identifier) = tbs.get_extension::<SubjectKeyIdentifier>().unwrap().unwrap();
        assert!(!critical && identifier.0.as_bytes().len() == 20);

        let message = tbs.to_der().unwrap();
        let signature = certificate.signature().as_bytes().unwrap();
        let verifier = implementation(&key.algorithm).verifying_key(&public).unwrap();
        let digest = |hash| Digest::of(hash, &message);
        match key.algorithm.public_key_form() {
            PublicKeyForm::Plain => verifier.verify(&message, signature),
            PublicKeyForm::RsaPkcs1 => verifier.verify_digest(
                HashAlgorithm::Sha256.into(),
                digest(HashAlgorithm::Sha256).bytes(),
                signature,
            ),
            PublicKeyForm::EcPoint => {
                let (hash, width) = match public.len() {
                    64 => (HashAlgorithm::Sha256, 32),
                    _ => (HashAlgorithm::Sha384, 48),
                };
                verifier.verify_digest(hash.into(), digest(hash).bytes(), &r_and_s(signature, width))
            }
            other => panic!("no verification for keys of the form {other:?}"),
        }
        .unwrap();
    }
}

/// `r ‖ s` of an Ecdsa-Sig-Value.
fn r_and_s(der: &[u8], width: usize) -> Vec<u8> {
    let numbers = Vec::<der::asn1::Uint>::from_der(der).unwrap();
    let fixed = |number: &der::asn1::Uint| {
        [vec![0; width - number.as_bytes().len()], number.as_bytes().to_vec()].concat()
    };
    numbers.iter().flat_map(fixed).collect()
}

#[test]
fn private_keys_are_written_as_openssl_and_rfc_9881_write_them() {
    for pem in KEYS {
        let key = PrivateKey::read(pem.as_bytes()).unwrap();
        assert_eq!(*private_key_pem(&key.algorithm, &pair(&key)).unwrap(), pem);
    }
}

#[test]
fn a_key_that_its_specification_wraps_is_wrapped() {
    // RFC 8410, section 10.3.
    let pem = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
        -----END PRIVATE KEY-----\n";
    let key = PrivateKey::read(pem.as_bytes()).unwrap();
    let secret = key.secret_bytes().unwrap().to_vec();
    assert_eq!(secret.len(), 32);
    let written = private_key_pem(&key.algorithm, &KeyPair { secret, public: Vec::new() }).unwrap();
    assert_eq!(*written, pem);
}

#[test]
fn what_is_no_secret_of_its_algorithm_is_not_written() {
    let named = |oid| KeyAlgorithm::Named(ObjectIdentifier::new_unwrap(oid));
    let write = |algorithm: &KeyAlgorithm, length| {
        private_key_pem(algorithm, &KeyPair { secret: vec![7; length], public: vec![8; 64] })
    };
    let ml_dsa = named("2.16.840.1.101.3.4.3.17");
    assert_eq!(write(&ml_dsa, 31), Err(CertificateError::Secret(ml_dsa)));
    assert_eq!(write(&ml_dsa, 2560), Err(CertificateError::Secret(ml_dsa)), "an expanded key");
    let rsa = KeyAlgorithm::Rsa { bits: 2048 };
    assert_eq!(write(&rsa, 100), Err(CertificateError::Secret(rsa)));
    // An algorithm that nobody here knows: its bytes as they are.
    let written = write(&named("1.3.6.1.4.1.32473.1"), 5).unwrap();
    assert_eq!(PrivateKey::read(written.as_bytes()).unwrap().secret_bytes().unwrap(), [7; 5]);
}

#[test]
fn terms_that_no_certificate_has_are_refused() {
    let key = PrivateKey::read(P256.as_bytes()).unwrap();
    let error = |terms: Terms<'_>| certificate_of(&key, &terms).unwrap_err();
    assert_eq!(error(Terms { common_name: "", ..TERMS }), CertificateError::CommonName(0));
    assert_eq!(error(Terms { common_name: &"é".repeat(65), ..TERMS }), CertificateError::CommonName(65));
    for serial in [&[][..], &[0, 0], &[0x80; 20], &[1; 21]] {
        assert_eq!(error(Terms { serial, ..TERMS }), CertificateError::Serial);
    }
    for (from, to) in [(1, 0), (0, 253_402_300_800), (0, u64::MAX)] {
        let terms = Terms { not_before: from, not_after: to, ..TERMS };
        assert_eq!(error(terms), CertificateError::Validity { from, to });
    }
    assert!(
        certificate_of(&key, &Terms { common_name: &"é".repeat(64), serial: &[0x7f; 20], ..TERMS }).is_ok()
    );
}

#[test]
fn another_algorithms_implementation_is_refused() {
    let key = PrivateKey::read(P256.as_bytes()).unwrap();
    let rsa = KeyAlgorithm::Rsa { bits: 2048 };
    let secret = key.secret_bytes().unwrap();
    let refused = self_signed(implementation(&key.algorithm), &rsa, secret, &TERMS);
    assert_eq!(refused, Err(CertificateError::KeyForm(rsa)));
    let short = self_signed(implementation(&key.algorithm), &key.algorithm, b"short", &TERMS);
    assert!(matches!(short, Err(CertificateError::Implementation(_))));
}

/// Debian 12's OpenSSL knows RSA and ECDSA; ML-DSA from 3.5 on.
#[test]
fn openssl_reads_and_verifies() {
    if !installed("openssl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (pem, shown) in
        [(RSA_2048, "sha256WithRSA"), (P256, "ecdsa-with-SHA256"), (P384, "ecdsa-with-SHA384")]
    {
        let key = PrivateKey::read(pem.as_bytes()).unwrap();
        std::fs::write(path("key.pem"), private_key_pem(&key.algorithm, &pair(&key)).unwrap().as_bytes())
            .unwrap();
        std::fs::write(path("cert.der"), certificate_of(&key, &TERMS).unwrap()).unwrap();
        let text = openssl(&path(""), "x509 -inform DER -in cert.der -text");
        std::fs::write(path("cert.pem"), &text).unwrap();
        for part in [shown, "Digital Signature", "CA:FALSE", "(0x80010203)", "Jan  1 00:00:00 2026 GMT"] {
            assert!(text.contains(part), "{part} is missing from what openssl shows: {text}");
        }
        let verified = openssl(&path(""), "verify -check_ss_sig -CAfile cert.pem cert.pem");
        assert!(verified.contains("OK"), "{verified}");
        let of_key = openssl(&path(""), "pkey -in key.pem -pubout");
        assert_eq!(of_key, openssl(&path(""), "x509 -in cert.pem -noout -pubkey"));
    }
}

fn openssl(folder: &Path, arguments: &str) -> String {
    run(Command::new("openssl").args(arguments.split(' ')).current_dir(folder))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_terms_make_a_certificate_or_an_error(
        common_name in ".{0,70}",
        serial in prop::collection::vec(any::<u8>(), 0..24),
        not_before in 0_u64..300_000_000_000,
        years in 0_u64..9000,
    ) {
        let key = PrivateKey::read(P256.as_bytes()).unwrap();
        let not_after = not_before + years * 31_556_952;
        let terms = Terms { common_name: &common_name, serial: &serial, not_before, not_after };
        if let Ok(der) = certificate_of(&key, &terms) {
            let certificate = Certificate::from_der(&der).unwrap();
            let tbs = certificate.tbs_certificate();
            prop_assert_eq!(tbs.validity().not_after.to_unix_duration().as_secs(), not_after);
            let read = tbs.subject().common_name().unwrap().unwrap();
            prop_assert_eq!(read.value(), common_name);
        }
    }
}
