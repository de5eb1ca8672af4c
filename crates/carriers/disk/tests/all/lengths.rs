//! A volume key has the length that the header says. HMAC fills keys up with zeros and hashes long ones, so the digest alone
//! takes several.

use std::path::Path;

use crate::common::*;
use fieldtest_disk::format::{NewContainer, Parameters, Version};
use fieldtest_disk::reencrypt::Resilience;
use fieldtest_disk::{Access, Container, Error, Integrity, Secret, Unlocked, VolumeKey};
use sha2::{Digest as _, Sha256};

fn key(bytes: &[u8]) -> VolumeKey {
    VolumeKey::new(Secret::copy(bytes).unwrap())
}

/// 32 bytes, the last of which is no zero, and zeros behind.
fn padded(length: usize) -> Vec<u8> {
    let mut bytes = pattern(32, 3);
    bytes[31] |= 1;
    bytes.resize(length, 0);
    bytes
}

fn made(path: &Path, bytes: &[u8], version: Version) {
    made_with(path, bytes, Parameters { version, ..parameters("aes-xts-plain64", bytes.len(), 512) });
}

fn made_with(path: &Path, bytes: &[u8], parameters: Parameters) {
    let parameters = Parameters { keyslot: cheap(true), ..parameters };
    let new = NewContainer::create(path, 1 << 16, PASSPHRASE, key(bytes), &parameters, &ciphers).unwrap();
    new.keep(false).unwrap();
}

/// What takes a volume key takes none of another length, and changes nothing.
#[track_caller]
fn refused(path: &Path, other: &[u8], right: usize) {
    let before = std::fs::read(path).unwrap();
    let open = || Container::open(path, Access::Write).unwrap();
    let is_refused = |result: fieldtest_disk::Result<()>| {
        let wrong = matches!(&result, Err(Error::KeyLength { found, expected })
            if *found == other.len() && expected.contains(&right) && !expected.contains(found));
        assert!(wrong, "{} bytes: {result:?}", other.len());
    };
    is_refused(open().recognises(&key(other)));
    is_refused(open().into_volume(&key(other), &ciphers).map(drop));
    is_refused(open().add_key(&key(other), b"two", &cheap(true), &ciphers).map(drop));
    is_refused(open().change_key(0, &key(other), b"two", &cheap(true), &ciphers).map(drop));
    if open().may_be_reencrypted().is_ok() {
        let plan = plan(Resilience::Journal);
        let unlocked = Unlocked { slot: None, key: key(other) };
        let new = VolumeKey::generate(64).unwrap();
        is_refused(open().begin_reencryption(&unlocked, &new, PASSPHRASE, &plan, None, &ciphers));
    }
    assert!(std::fs::read(path).unwrap() == before);
}

#[test]
fn a_key_of_another_length_is_not_the_key() {
    let folder = quick_folder();
    for version in [Version::Luks1, Version::Luks2] {
        for (right, others) in [(64, &[32, 63, 33][..]), (32, &[64, 48])] {
            let path = folder.path().join(format!("{version:?} {right}"));
            made(&path, &padded(right), version);
            for other in others {
                refused(&path, &padded(*other), right);
            }
            let container = Container::open(&path, Access::Read).unwrap();
            container.recognises(&key(&padded(right))).unwrap();
            let of_other = key(&pattern(right, 5));
            assert!(matches!(container.recognises(&of_other), Err(Error::WrongVolumeKey)));
        }
    }
}

/// What is longer than a block of the hash function is hashed: 96 bytes and their digest of 32 are the same to HMAC.
#[test]
fn the_hash_of_a_long_key_is_not_the_key() {
    let folder = quick_folder();
    let path = folder.path().join("container");
    let integrity = Some(Integrity::from_name("hmac-sha256").unwrap());
    let long = pattern(96, 7);
    made_with(&path, &long, Parameters { integrity, ..parameters("aes-xts-plain64", 96, 512) });
    refused(&path, &Sha256::digest(&long), 96);
}

/// Without a key slot it is the cipher that says the lengths.
#[test]
fn without_key_slots_a_key_has_a_length_of_its_cipher() {
    let folder = quick_folder();
    let path = folder.path().join("container");
    made(&path, &padded(64), Version::Luks2);
    let mut json = metadata(&path);
    json["keyslots"] = serde_json::json!({});
    json["digests"]["0"]["keyslots"] = serde_json::json!([]);
    replace_metadata(&path, &json.to_string());
    Container::open(&path, Access::Read).unwrap().recognises(&key(&padded(64))).unwrap();
    for other in [63, 33, 65] {
        let container = Container::open(&path, Access::Read).unwrap();
        let found = container.recognises(&key(&padded(other)));
        assert!(
            matches!(&found, Err(Error::KeyLength { expected, .. }) if *expected == [32, 48, 64]),
            "{other}: {found:?}"
        );
    }
}

/// Key slots of two lengths under one digest contradict each other, whichever is tried; one of them can be removed.
#[test]
fn key_slots_of_one_digest_have_one_length() {
    let folder = quick_folder();
    let path = folder.path().join("container");
    made(&path, &padded(64), Version::Luks2);
    let mut container = Container::open(&path, Access::Write).unwrap();
    container.add_key(&key(&padded(64)), b"two", &cheap(true), &ciphers).unwrap();
    drop(container);
    let mut json = metadata(&path);
    json["keyslots"]["1"]["key_size"] = 32.into();
    replace_metadata(&path, &json.to_string());
    let mut container = Container::open(&path, Access::Write).unwrap();
    for passphrase in [PASSPHRASE, b"two"] {
        assert!(matches!(container.unlock(passphrase, None, &ciphers), Err(Error::Metadata(_))));
    }
    for length in [32, 64] {
        assert!(matches!(container.recognises(&key(&padded(length))), Err(Error::Metadata(_))));
    }
    container.remove_key(1).unwrap();
    assert_eq!(container.unlock(PASSPHRASE, None, &ciphers).unwrap().key.bytes(), padded(64));
}
