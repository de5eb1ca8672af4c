//! Key files: round trips, BIND's fields, and one clear error for each fault.

use std::fs;

use crate::common::*;
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::keys::{KeyError, KeyTimes, KeyUse, ZoneKey};
use proptest::prelude::*;

const NUMBERS: [u8; 5] = [8, 13, 14, 15, 200];

fn made(number: u8) -> ZoneKey {
    let mut key =
        key(&read("example. 60 IN SOA a. b. 1 2 3 4 5\n"), KeyUse::KeySigning, CodePoint::Number(number));
    let [created, publish, delete] = [1_700_000_000, 1_700_000_001, 1_800_000_000].map(Some);
    key.set_times(KeyTimes { created, publish, delete, ..KeyTimes::default() });
    key
}

#[test]
fn round_trips() {
    let directory = directory();
    for number in NUMBERS {
        let key = made(number);
        let path = key.write(directory.path()).unwrap();
        assert_eq!(path.file_name().unwrap().to_str().unwrap(), key.file_name() + ".key");
        let base = directory.path().join(key.file_name());
        for path in [&path, &base, &directory.path().join(key.file_name() + ".private")] {
            let again = ZoneKey::read(path, &resolve).unwrap();
            assert_eq!(again.dnskey(), key.dnskey());
            assert_eq!(again.times(), key.times());
            assert!(again.signing().is_some());
        }
        assert!(ZoneKey::read_public(&path).unwrap().signing().is_none());
        assert!(matches!(key.write(directory.path()), Err(KeyError::Exists(_))));
    }
    let left = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(left, 2 * NUMBERS.len(), "no partial files stay behind");
}

/// BIND's dnssec-keygen leaves out the octets of zero that a private number of ECDSA begins with.
#[test]
fn ecdsa_numbers_without_leading_zeros() {
    let directory = directory();
    for number in [13, 14] {
        let (key, path, text, line, secret) = loop {
            let key = made(number);
            let path = key.write(directory.path()).unwrap();
            let text = fs::read_to_string(path.with_extension("private")).unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix("PrivateKey: ")).unwrap().to_owned();
            let secret = data_encoding::BASE64.decode(line.as_bytes()).unwrap();
            if secret[0] == 0 {
                break (key, path, text, line, secret);
            }
            fs::remove_file(&path).unwrap();
            fs::remove_file(path.with_extension("private")).unwrap();
        };
        let digits = secret.iter().position(|octet| *octet != 0).unwrap();
        let shorter = data_encoding::BASE64.encode(&secret[digits..]);
        fs::write(path.with_extension("private"), text.replace(&line, &shorter)).unwrap();
        let again = ZoneKey::read(&path, &resolve).unwrap();
        assert!(again.signing().is_some());
        assert_eq!(again.dnskey(), key.dnskey());
    }
}

#[cfg(unix)]
#[test]
fn the_private_file_is_its_owners() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    let key = made(15);
    key.write(directory.path()).unwrap();
    let mode = |suffix: &str| {
        fs::metadata(directory.path().join(key.file_name() + suffix)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode(".private"), 0o600);
    assert_ne!(mode(".key"), 0o600);
}

/// The fields of RFC 8080's example key (section 6.1), in the file that BIND writes for it.
#[test]
fn ed25519_key_of_rfc_8080() {
    let directory = directory();
    let path = directory.path().join("Kexample.com.+015+03613.key");
    let public = "example.com. 3600 IN DNSKEY 257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=\n";
    let secret = "Private-key-format: v1.2\nAlgorithm: 15 (ED25519)\n\
                  PrivateKey: ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI=\n";
    fs::write(&path, public).unwrap();
    fs::write(path.with_extension("private"), secret).unwrap();
    let key = ZoneKey::read(&path, &resolve).unwrap();
    assert_eq!(key.tag(), 3613);
    // RFC 8080 prints the DS as well.
    assert_eq!(
        data_encoding::HEXLOWER.encode(&key.ds(fieldtest_dnssec::keys::DsDigest::Sha256)[4..]),
        "3aa5ab37efce57f737fc1627013fee07bdf241bd10f3b1964ab55c78e79a304b"
    );
}

#[test]
fn faults_name_their_line() {
    let directory = directory();
    let key = made(13);
    key.write(directory.path()).unwrap();
    let rsa = made(8);
    rsa.write(directory.path()).unwrap();
    let private_text =
        |key: &ZoneKey| fs::read_to_string(directory.path().join(key.file_name() + ".private")).unwrap();
    let fault = |key: &ZoneKey, text: &str| {
        let good = private_text(key);
        let path = directory.path().join(key.file_name() + ".private");
        fs::write(&path, text).unwrap();
        let error = ZoneKey::read(&path, &resolve).unwrap_err();
        fs::write(&path, good).unwrap();
        match error {
            KeyError::File { path, line, what } => {
                assert!(path.to_str().unwrap().ends_with(".private"));
                (line, what)
            }
            other => panic!("{other}"),
        }
    };
    let good = private_text(&key);
    let with = |from: &str, to: &str| fault(&key, &good.replace(from, to));
    assert_eq!(fault(&key, "").0, 1);
    assert!(with("v1.3", "v2.0").1.contains("v2.0"));
    assert_eq!(with("Algorithm: 13", "Algorithm: 15"), (2, "algorithm 15, but the .key file says 13".into()));
    assert_eq!(with("Algorithm: 13", "Algorithm: 300").0, 2);
    assert_eq!(with("PrivateKey: ", "PrivateKey: !").0, 3);
    assert!(with("PrivateKey", "Colour").1.contains("unknown field"));
    assert!(with("Created: 2", "Created: x").1.contains("'x"));
    assert_eq!(with("PrivateKey: ", "PrivateKey: AA==\nPrivateKey: ").0, 4);
    assert!(fault(&key, &private_text(&rsa).replace(": 8 ", ": 13 ")).1.contains("has no Modulus"));
    assert!(with(&good[good.find("PrivateKey").unwrap()..], "").1.contains("no PrivateKey"));
    let foreign = fault(&key, &{
        let other = crate::common::directory();
        let stranger = made(13);
        stranger.write(other.path()).unwrap();
        fs::read_to_string(other.path().join(stranger.file_name() + ".private")).unwrap()
    });
    assert_eq!(foreign.0, 3);
    assert!(foreign.1.contains("does not belong"), "{}", foreign.1);
    let cut = private_text(&rsa);
    let cut = &cut[..cut.find("Coefficient").unwrap()];
    assert!(fault(&rsa, cut).1.contains("no Coefficient"));

    let missing = ZoneKey::read(&directory.path().join("Knone.+013+00001"), &resolve).unwrap_err();
    assert!(matches!(missing, KeyError::NoFile { .. }));
    let nothing: &fieldtest_dnssec::codepoints::Resolver<'_> = &|_| None;
    let unknown = ZoneKey::read(&directory.path().join(key.file_name()), nothing).unwrap_err();
    assert!(unknown.to_string().contains("implementation of algorithm 13"));
    assert!(!format!("{key:?}").contains("secret"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever stands in the files, reading them ends with a key or an error.
    #[test]
    fn damaged_files_do_not_panic(
        at in 0usize..2000, octet: u8, cut in 0usize..2000, which in 0..3usize, rsa: bool,
    ) {
        let directory = directory();
        let key = made(if rsa { 8 } else { 200 });
        key.write(directory.path()).unwrap();
        for (position, suffix) in [".key", ".private"].into_iter().enumerate() {
            if which == position {
                continue;
            }
            let path = directory.path().join(key.file_name() + suffix);
            let mut text = fs::read(&path).unwrap();
            let len = text.len();
            text[at % len] = octet;
            text.truncate(cut.max(len / 2));
            fs::write(&path, text).unwrap();
        }
        let _ = ZoneKey::read(&directory.path().join(key.file_name()), &resolve);
    }
}
