//! Containers: keys, headers that are damaged, and everything that is refused.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::common::*;
use fieldtest_disk::format::{NewContainer, format_in_place};
use fieldtest_disk::header::{Condition, CopyState};
use fieldtest_disk::{Access, Container, Error, VolumeKey, hold};
use proptest::prelude::*;

const DATA: u64 = 1 << 20;

fn open(path: &Path) -> Result<Container, Error> {
    Container::open(path, Access::Write)
}

fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("container");
    (directory, path)
}

/// A container of the usual kind in a directory of its own.
fn made() -> (tempfile::TempDir, std::path::PathBuf) {
    let (directory, path) = folder();
    create(&path, DATA, &usual());
    (directory, path)
}

fn overwrite(path: &Path, offset: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, offset).unwrap();
}

#[test]
fn what_is_written_is_read_again() {
    let (_directory, path) = folder();
    for (number, (key_len, sector)) in [(64, 4096), (32, 512), (64, 1024)].into_iter().enumerate() {
        let path = path.with_extension(number.to_string());
        create(&path, DATA, &parameters("aes-xts-plain64", key_len, sector));
        let data = pattern(10_000, 1);
        let container = open(&path).unwrap();
        assert!(container.condition().is_good());
        let unlocked = container.unlock(PASSPHRASE, None, &ciphers).unwrap();
        assert_eq!(unlocked.slot, Some(0));
        let volume = container.into_volume(&unlocked.key, &ciphers).unwrap();
        assert_eq!(volume.size(), DATA);
        volume.write_at(&data, 777).unwrap();
        volume.flush().unwrap();
        drop(volume);
        let volume = volume_of(&path, Access::Read);
        let mut read = vec![0; data.len()];
        volume.read_at(&mut read, 777).unwrap();
        assert_eq!(read, data);
        assert!(matches!(volume.write_at(&data, 0), Err(Error::ReadOnly)));
        assert!(matches!(volume.read_at(&mut read, DATA - 9_999), Err(Error::OutOfRange { .. })));
        assert!(matches!(volume.read_at(&mut read, u64::MAX), Err(Error::OutOfRange { .. })));
    }
}

#[test]
fn a_wrong_passphrase_opens_nothing() {
    let (_directory, path) = made();
    let container = open(&path).unwrap();
    assert!(matches!(container.unlock(b"wrong", None, &ciphers), Err(Error::WrongPassphrase { tried: 1 })));
    assert!(matches!(container.unlock(PASSPHRASE, Some(3), &ciphers), Err(Error::NoSuchSlot(3))));
    let other = VolumeKey::generate(64).unwrap();
    assert!(matches!(container.into_volume(&other, &ciphers), Err(Error::WrongVolumeKey)));
}

#[test]
fn keys_are_added_and_removed() {
    let (_directory, path) = made();
    let mut container = open(&path).unwrap();
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    assert!(matches!(container.remove_key(0), Err(Error::LastSlot(0))));
    assert_eq!(container.add_key(&key, b"second", &cheap(true), &ciphers).unwrap(), 1);
    assert_eq!(container.add_key(&key, b"third", &cheap(false), &ciphers).unwrap(), 2);
    container.remove_key(1).unwrap();
    assert!(matches!(container.remove_key(1), Err(Error::NoSuchSlot(1))));
    drop(container);
    let mut container = open(&path).unwrap();
    assert!(container.condition().is_good());
    assert_eq!(container.header().binary.sequence, 4);
    assert_eq!(container.unlock(b"third", None, &ciphers).unwrap().slot, Some(2));
    assert!(container.unlock(b"second", None, &ciphers).is_err());
    // The gap is used again.
    assert_eq!(container.add_key(&key, b"fourth", &cheap(true), &ciphers).unwrap(), 1);
    let slots = container.header().metadata.keyslots();
    assert!(slots[&1].area.offset < slots[&2].area.offset);
    let other = VolumeKey::generate(64).unwrap();
    let added = container.add_key(&other, b"fifth", &cheap(true), &ciphers);
    assert!(matches!(added, Err(Error::WrongVolumeKey)));
}

#[test]
fn a_full_header_takes_no_more_keys() {
    let (_directory, path) = folder();
    let mut small = usual();
    small.keyslots_size = 2 * 258_048;
    create(&path, DATA, &small);
    let mut container = open(&path).unwrap();
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    container.add_key(&key, b"second", &cheap(true), &ciphers).unwrap();
    assert!(matches!(container.add_key(&key, b"third", &cheap(true), &ciphers), Err(Error::Unfit(_))));
}

#[test]
fn either_header_is_enough_and_can_be_repaired() {
    for (offset, is_first) in [(100, true), (16_384 + 5_000, false)] {
        let (_directory, path) = made();
        let intact = fs::read(&path).unwrap();
        overwrite(&path, offset, b"damage");
        let mut container = open(&path).unwrap();
        let Condition { first, second } = container.condition().clone();
        let (damaged, good) = if is_first { (first, second) } else { (second, first) };
        assert!(matches!(damaged, CopyState::Damaged(_)) && good == CopyState::Good, "{damaged:?}, {good:?}");
        container.unlock(PASSPHRASE, None, &ciphers).unwrap();
        container.repair().unwrap();
        drop(container);
        assert!(open(&path).unwrap().condition().is_good());
        // Only the salts differ, and the checksums with them.
        let repaired = fs::read(&path).unwrap();
        assert_eq!(repaired[4096..16_384], intact[4096..16_384]);
        assert_eq!(repaired[16_384 + 4096..], intact[16_384 + 4096..]);
    }
}

#[test]
fn a_first_header_that_is_gone_is_found_again() {
    let (_directory, path) = folder();
    let mut large = usual();
    large.header_size = 1 << 20;
    large.keyslots_size = 1 << 20;
    create(&path, DATA, &large);
    overwrite(&path, 0, &[0; 4096]);
    let mut container = open(&path).unwrap();
    assert!(matches!(container.condition().first, CopyState::Damaged(_)));
    container.repair().unwrap();
    drop(container);
    assert!(open(&path).unwrap().condition().is_good());
}

#[test]
fn the_newer_header_counts() {
    let (_directory, path) = made();
    let old = fs::read(&path).unwrap();
    let mut container = open(&path).unwrap();
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    container.add_key(&key, b"second", &cheap(true), &ciphers).unwrap();
    drop(container);
    overwrite(&path, 0, &old[..16_384]);
    let mut container = open(&path).unwrap();
    let Condition { first, second } = container.condition();
    assert_eq!((first, second), (&CopyState::Old, &CopyState::Good));
    container.unlock(b"second", None, &ciphers).unwrap();
    container.repair().unwrap();
    drop(container);
    assert!(open(&path).unwrap().condition().is_good());
}

#[test]
fn what_is_no_container_is_named() {
    let (_directory, path) = folder();
    let refuse = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        open(&path).unwrap_err()
    };
    assert!(matches!(refuse(b""), Error::NotLuks(_)));
    assert!(matches!(refuse(&[7; 100_000]), Error::NotLuks(_)));
    assert!(matches!(refuse(b"LUKS\xba\xbe\0\x01 and so on, a while"), Error::Luks1Damaged { .. }));
    assert!(matches!(refuse(b"LUKS\xba\xbe\0\x03 and so on, a while"), Error::Version { version: 3, .. }));
    assert!(matches!(refuse(b"LUKS\xba\xbe\0\x02 and so on, a while"), Error::BothHeadersDamaged { .. }));
    let missing = path.with_extension("missing");
    assert!(matches!(open(&missing), Err(Error::Io { .. })));
}

#[test]
fn a_container_that_is_cut_off_says_so() {
    let (_directory, path) = folder();
    let key = create(&path, DATA, &usual());
    let cut = |length| OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
    cut((16 << 20) + 5000);
    let container = open(&path).unwrap();
    assert_eq!(container.into_volume(&key, &ciphers).unwrap().size(), 4096, "whole sectors remain");
    cut(16 << 20);
    assert!(matches!(open(&path).unwrap().into_volume(&key, &ciphers), Err(Error::Truncated { .. })));
    cut(40_000);
    assert!(matches!(open(&path).unwrap().unlock(PASSPHRASE, None, &ciphers), Err(Error::Truncated { .. })));
    cut(20_000);
    assert!(matches!(open(&path).unwrap().condition().second, CopyState::Damaged(_)));
    cut(10_000);
    assert!(matches!(open(&path), Err(Error::BothHeadersDamaged { .. })));
}

#[test]
fn a_container_is_open_once_for_writing() {
    let (_directory, path) = made();
    let writing = open(&path).unwrap();
    assert!(matches!(open(&path), Err(Error::InUse(_))));
    assert!(matches!(Container::open(&path, Access::Read), Err(Error::InUse(_))));
    drop(writing);
    let reading = Container::open(&path, Access::Read).unwrap();
    let mut also = Container::open(&path, Access::Read).unwrap();
    assert!(matches!(open(&path), Err(Error::InUse(_))));
    assert!(matches!(also.repair(), Err(Error::ReadOnly)));
    drop((reading, also));
    open(&path).unwrap();
}

#[test]
fn what_is_in_use_is_not_replaced() {
    let (_directory, path) = folder();
    let small = usual();
    create(&path, DATA, &small);
    let replace = || {
        let key = VolumeKey::generate(64).unwrap();
        NewContainer::create(&path, DATA, PASSPHRASE, key, &small, &ciphers).unwrap().keep(true).map(|_| ())
    };
    let before = fs::read(&path).unwrap();
    for access in [Access::Read, Access::Write] {
        let used = Container::open(&path, access).unwrap();
        assert!(matches!(hold(&path), Err(Error::InUse(_))));
        assert!(matches!(replace(), Err(Error::InUse(_))));
        assert!(fs::read(&path).unwrap() == before);
        drop(used);
    }
    replace().unwrap();
    assert!(hold(&path.with_extension("missing")).unwrap().is_none());
}

#[test]
fn nothing_is_overwritten_unasked() {
    let (directory, path) = folder();
    fs::write(&path, b"precious").unwrap();
    let small = usual();
    let new = || {
        let key = VolumeKey::generate(64).unwrap();
        NewContainer::create(&path, DATA, PASSPHRASE, key, &small, &ciphers).unwrap()
    };
    assert!(matches!(new().keep(false), Err(Error::Exists(_))));
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    drop(new());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing half-made stays");
    new().keep(true).unwrap();

    let key = VolumeKey::generate(64).unwrap();
    let format = |over| format_in_place(&path, b"new", &key, &small, over, &ciphers);
    let before = fs::read(&path).unwrap();
    assert!(matches!(format(false), Err(Error::Exists(_))));
    assert_eq!(fs::read(&path).unwrap(), before);
    format(true).unwrap();
    let container = open(&path).unwrap();
    assert!(container.unlock(PASSPHRASE, None, &ciphers).is_err());
    container.unlock(b"new", None, &ciphers).unwrap();
    assert!(matches!(format(true), Err(Error::InUse(_))));
    drop(container);
    File::create(&path).unwrap().set_len(18 << 20).unwrap();
    // The backup of a GPT and both old places of an array's metadata are at the end.
    for (before_end, label) in [
        (512, &gpt(36_863)[..]),
        (8192, b"\xfc\x4e\x2b\xa9\x01\0\0\0"),
        (65_536, b"\xfc\x4e\x2b\xa9\0\0\0\0"),
    ] {
        overwrite(&path, (18 << 20) - before_end, label);
        assert!(matches!(format(false), Err(Error::Exists(_))), "{before_end}");
        overwrite(&path, (18 << 20) - before_end, &[0; 8]);
    }
    format(false).unwrap();
    assert_eq!(open(&path).unwrap().into_volume(&key, &ciphers).unwrap().size(), 2 << 20);
    File::create(&path).unwrap().set_len(16 << 20).unwrap();
    assert!(matches!(format(false), Err(Error::Truncated { .. })));
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let (directory, path) = folder();
    type Change = fn(&mut fieldtest_disk::format::Parameters);
    let try_with = |change: Change, data| {
        let mut changed = usual();
        change(&mut changed);
        let key = VolumeKey::generate(64).unwrap();
        NewContainer::create(&path, data, PASSPHRASE, key, &changed, &ciphers).map(drop).unwrap_err()
    };
    for data in [4097, 0] {
        assert!(matches!(try_with(|_| {}, data), Error::Parameters(_)), "{data}");
    }
    let changes: [Change; 6] = [
        |p| p.header_size = 4096,
        |p| p.keyslots_size = 100,
        |p| p.keyslots_size = 4096,
        |p| p.sector_size = 8192,
        |p| p.label = "x".repeat(48),
        |p| p.key_len = 32,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert!(matches!(try_with(change, DATA), Error::Parameters(_)), "{number}");
    }
    assert!(matches!(try_with(|p| p.key_len = 48, DATA), Error::NoCipher { .. }));
    let spec = try_with(|p| p.encryption = "aria-xts-plain64".parse().unwrap(), DATA);
    assert!(matches!(spec, Error::NoCipher { .. }));
    let spec = try_with(|p| p.encryption = "aes-xts-null".parse().unwrap(), DATA);
    assert!(matches!(spec, Error::RefusedSpec { .. }));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn hash_names_may_have_capitals() {
    let (_directory, path) = made();
    replace_metadata(&path, &metadata(&path).to_string().replace("sha256", "SHA256"));
    volume_of(&path, Access::Write);
}

#[test]
fn requirements_keep_us_away() {
    let (_directory, path) = made();
    let mut json = metadata(&path);
    // What is only a wish, or unknown and no requirement, is no obstacle, and stays when a key is added.
    json["config"]["flags"] = serde_json::json!(["allow-discards", "some-wish"]);
    json["config"]["new"] = serde_json::json!({"deep": [1, 2]});
    json["tokens"]["5"] = serde_json::json!({"type": "other", "keyslots": ["0"], "more": true});
    replace_metadata(&path, &json.to_string());
    let mut container = open(&path).unwrap();
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    container.add_key(&key, b"second", &cheap(true), &ciphers).unwrap();
    container.remove_key(0).unwrap();
    drop(container);
    let mut after = metadata(&path);
    assert_eq!(after["config"], json["config"]);
    assert_eq!(after["tokens"]["5"], serde_json::json!({"type": "other", "keyslots": [], "more": true}));

    after["config"]["requirements"] = serde_json::json!({"mandatory": ["online-reencrypt-v2"]});
    replace_metadata(&path, &after.to_string());
    let mut container = open(&path).unwrap();
    let kept_away =
        |error: Error| matches!(error, Error::Requirement { name, .. } if name == "online-reencrypt-v2");
    assert!(kept_away(container.unlock(b"second", None, &ciphers).unwrap_err()));
    assert!(kept_away(container.add_key(&key, b"third", &cheap(true), &ciphers).unwrap_err()));
    assert!(kept_away(container.remove_key(1).unwrap_err()));
    assert!(kept_away(container.into_volume(&key, &ciphers).map(drop).unwrap_err()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// One value of valid metadata is replaced, or some bytes are.
    #[test]
    fn no_metadata_makes_the_parser_panic(
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "0", "-1", "\"", "{}", "[]", "null", "18446744073709551615", ",", "x"]),
        length in 0..12_usize,
    ) {
        let valid = r#"{"keyslots":{"0":{"type":"luks2","key_size":64,"af":{"type":"luks1","stripes":4000,"hash":"sha256"},"area":{"type":"raw","offset":"32768","size":"258048","encryption":"aes-xts-plain64","key_size":64},"kdf":{"type":"argon2id","time":4,"memory":64,"cpus":1,"salt":"AAAA"}}},"tokens":{},"segments":{"0":{"type":"crypt","offset":"16777216","size":"dynamic","iv_tweak":"0","encryption":"aes-xts-plain64","sector_size":512}},"digests":{"0":{"type":"pbkdf2","keyslots":["0"],"segments":["0"],"hash":"sha256","iterations":1000,"salt":"AAAA","digest":"AAAA"}},"config":{"json_size":"12288","keyslots_size":"16744448"}}"#;
        prop_assert!(fieldtest_disk::header::Metadata::parse(valid.as_bytes(), 16_384).is_ok());
        let at = at.index(valid.len());
        let changed = format!("{}{with}{}", &valid[..at], &valid[(at + length).min(valid.len())..]);
        let _ = fieldtest_disk::header::Metadata::parse(changed.as_bytes(), 16_384);
        let _ = fieldtest_disk::header::Metadata::parse(&valid.as_bytes()[..at], 16_384);
    }
}
