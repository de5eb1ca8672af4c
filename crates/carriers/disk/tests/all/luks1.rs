//! LUKS1, made and read here and by cryptsetup.

use std::fs::{self, File};

use crate::common::*;
use fieldtest_disk::format::{NewContainer, Parameters, Version};
use fieldtest_disk::{Access, Container, Cost, Error, Hash, KeyslotParameters, VolumeKey};

const DATA: usize = 1 << 20;

/// What each of both makes for the other: specification, bits, hash function.
const VARIANTS: [(&str, usize, Hash); 6] = [
    ("aes-xts-plain64", 512, Hash::Sha256),
    ("aes-xts-plain64", 256, Hash::Sha1),
    ("aes-xts-plain", 256, Hash::Sha512),
    ("aes-cbc-essiv:sha256", 256, Hash::Sha1),
    ("aes-cbc-plain64", 256, Hash::Sha384),
    ("aes-cbc-essiv:sha256", 256, Hash::Sha224),
];

fn luks1((spec, bits, hash): (&str, usize, Hash)) -> Parameters {
    Parameters {
        version: Version::Luks1,
        digest_hash: hash,
        keyslot: slot(hash),
        accept_refused: true,
        ..parameters(spec, bits / 8, 512)
    }
}

fn slot(hash: Hash) -> KeyslotParameters {
    KeyslotParameters { hash, ..KeyslotParameters::new(Cost::Pbkdf2 { hash, iterations: 1000 }) }
}

#[test]
fn what_is_written_is_read() {
    let directory = folder_with_key();
    let data = pattern(DATA, 5);
    for (number, variant) in VARIANTS.into_iter().enumerate() {
        let path = directory.path().join(number.to_string());
        filled(&path, &data, &luks1(variant));
        assert!(beginning(&volume_of(&path, Access::Read), DATA) == data, "{variant:?}");
        let container = Container::open(&path, Access::Read).unwrap();
        let wrong = container.unlock(b"wrong", None, &ciphers);
        assert!(matches!(wrong, Err(Error::WrongPassphrase { tried: 1 })));
    }
}

#[test]
fn cryptsetup_opens_and_decrypts_ours() {
    if !installed("cryptsetup") {
        return;
    }
    let data = pattern(DATA, 6);
    for variant in VARIANTS {
        let directory = folder_with_key();
        let path = directory.path();
        let key = filled(&path.join("container"), &data, &luks1(variant));
        cryptsetup(path, "isLuks --type luks1 container");
        cryptsetup(path, "open --test-passphrase --key-file key container");
        shows_key(path, &key);
        // It decrypts in user space what is LUKS2, which it makes of this without touching the data.
        cryptsetup(path, "convert --type luks2 --batch-mode container");
        assert!(decrypted(path, data.len()) == data, "{variant:?}");
    }
}

#[test]
fn we_open_and_change_what_cryptsetup_made() {
    if !installed("cryptsetup") {
        return;
    }
    for (spec, bits, hash) in VARIANTS {
        let directory = folder_with_key();
        let path = directory.path();
        File::create(path.join("container")).unwrap().set_len(8 << 20).unwrap();
        let what = format!("--cipher {spec} --key-size {bits} --hash {}", hash.name());
        cryptsetup(path, &format!("luksFormat {FAST} --type luks1 {what} container key"));
        let file = path.join("container");
        let mut container = Container::open(&file, Access::Write).unwrap();
        let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
        let mut slot = slot(hash);
        slot.number = Some(5);
        assert_eq!(container.add_key(&key, b"another", &slot, &ciphers).unwrap(), 5);
        slot.number = None;
        assert_eq!(container.change_key(0, &key, b"a third", &slot, &ciphers).unwrap(), 1);
        container.remove_key(5).unwrap();
        assert!(matches!(container.remove_key(1), Err(Error::LastSlot(1))));
        drop(container);
        fs::write(path.join("third"), "a third").unwrap();
        cryptsetup(path, "open --test-passphrase container --key-file third");
        let dump = cryptsetup(path, "luksDump container");
        let states: Vec<_> = dump.lines().filter(|line| line.starts_with("Key Slot")).collect();
        assert_eq!(states.len(), 8, "{dump}");
        for (number, state) in states.into_iter().enumerate() {
            assert_eq!(state.ends_with("ENABLED"), number == 1, "{state}");
        }
    }
}

#[test]
fn what_luks1_has_not_is_refused() {
    let directory = folder_with_key();
    let path = directory.path().join("container");
    let refused = |parameters: &Parameters| {
        let key = VolumeKey::generate(parameters.key_len).unwrap();
        let new = NewContainer::create(&path, 4096, PASSPHRASE, key, parameters, &ciphers);
        assert!(matches!(new, Err(Error::Parameters(_))), "{new:?}");
    };
    refused(&Parameters { sector_size: 4096, ..luks1(VARIANTS[0]) });
    refused(&Parameters { label: "a label".into(), ..luks1(VARIANTS[0]) });
    refused(&Parameters { keyslot: cheap(false), ..luks1(VARIANTS[0]) });
    // The header has one hash function, which is that of its key slots.
    refused(&Parameters { keyslot: slot(Hash::Sha512), ..luks1(VARIANTS[0]) });
    refused(&Parameters { digest_hash: Hash::Sha512, ..luks1(VARIANTS[0]) });
    create(&path, 4096, &luks1(VARIANTS[0]));
    let mut container = Container::open(&path, Access::Write).unwrap();
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    let of_cost = Cost::Pbkdf2 { hash: Hash::Sha1, iterations: 1000 };
    for other in [slot(Hash::Sha512), KeyslotParameters { cost: of_cost, ..slot(Hash::Sha256) }] {
        let added = container.add_key(&key, b"other", &other, &ciphers);
        assert!(matches!(added, Err(Error::Parameters(why)) if why.contains("LUKS1 keyslots use sha256")));
    }
    drop(container);
    fs::remove_file(&path).unwrap();
    let keyslot = KeyslotParameters { number: Some(8), ..cheap(true) };
    refused(&Parameters { keyslot, ..luks1(VARIANTS[0]) });
}
