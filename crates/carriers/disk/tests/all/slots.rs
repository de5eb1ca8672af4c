//! Key slots: added, changed, removed, preferred; judged by cryptsetup.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::*;
use fieldtest_disk::format::{NewContainer, Parameters, Version};
use fieldtest_disk::header::json::Area;
use fieldtest_disk::{Access, Container, Error, KeyslotParameters, Priority, VolumeKey};

fn made() -> (tempfile::TempDir, PathBuf, VolumeKey) {
    let directory = quick_folder();
    let path = directory.path().join("container");
    let key = create(&path, 4096, &usual());
    (directory, path, key)
}

/// The bytes of a key slot's area, which are almost all others when it was changed.
fn area(path: &Path, of: &Area) -> Vec<u8> {
    fs::read(path).unwrap()[of.offset as usize..][..of.size as usize].to_vec()
}

#[track_caller]
fn is_overwritten(before: &[u8], after: &[u8]) {
    let equal = before.iter().zip(after).filter(|(one, other)| one == other).count();
    assert!(equal < before.len() / 32, "{equal} of {} bytes are as they were", before.len());
}

#[test]
fn slots_have_the_number_and_the_priority_that_are_wanted() {
    let (_directory, path, key) = made();
    let mut container = Container::open(&path, Access::Write).unwrap();
    let slot = KeyslotParameters { number: Some(9), priority: Priority::Ignore, ..cheap(true) };
    assert_eq!(container.add_key(&key, b"ninth", &slot, &ciphers).unwrap(), 9);
    let taken = container.add_key(&key, b"other", &slot, &ciphers);
    assert!(matches!(taken, Err(Error::Unfit(text)) if text.contains("keyslot 9 ")));
    let beyond = KeyslotParameters { number: Some(32), ..cheap(true) };
    assert!(matches!(container.add_key(&key, b"x", &beyond, &ciphers), Err(Error::Parameters(_))));
    let tried = |container: &Container| container.unlock(b"ninth", None, &ciphers).map(|it| it.slot);
    assert!(matches!(tried(&container), Err(Error::WrongPassphrase { tried: 1 })));
    container.set_priority(9, Priority::Prefer).unwrap();
    assert_eq!(tried(&container).unwrap(), Some(9));
    container.set_priority(9, Priority::Normal).unwrap();
    assert_eq!(container.header().metadata.keyslots()[&9].priority, None);
    assert!(matches!(container.set_priority(8, Priority::Prefer), Err(Error::NoSuchSlot(8))));
    container.remove_key(0).unwrap();
    assert!(matches!(container.remove_key(9), Err(Error::LastSlot(9))));
    container.set_priority(9, Priority::Ignore).unwrap();
    assert!(matches!(tried(&container), Err(Error::NoSlotTried(slots)) if slots == [9]));
    assert_eq!(container.unlock(b"ninth", Some(9), &ciphers).unwrap().slot, Some(9));
}

#[test]
fn only_another_slot_answers_for_one_that_goes() {
    let (_directory, path, key) = made();
    let mut container = Container::open(&path, Access::Write).unwrap();
    assert!(matches!(container.may_remove(0), Err(Error::LastSlot(0))));
    assert!(matches!(container.may_remove(1), Err(Error::NoSuchSlot(1))));
    let slot = KeyslotParameters { priority: Priority::Ignore, ..cheap(true) };
    assert_eq!(container.add_key(&key, b"other", &slot, &ciphers).unwrap(), 1);
    container.may_remove(0).unwrap();
    let beside = |passphrase: &[u8], number| container.unlock_beside(passphrase, number, &ciphers);
    assert!(matches!(beside(PASSPHRASE, 0), Err(Error::WrongPassphrase { tried: 1 })));
    // Also one that is tried only when it is named is left.
    assert_eq!(beside(b"other", 0).unwrap().slot, Some(1));
    assert_eq!(beside(PASSPHRASE, 1).unwrap().slot, Some(0));
}

/// cryptsetup makes key slots in ECB; none is made so here.
#[test]
fn a_key_slot_in_ecb_is_not_made() {
    let (directory, path, key) = made();
    let ecb = |spec: &str| KeyslotParameters { encryption: spec.parse().unwrap(), ..cheap(true) };
    let before = fs::read(&path).unwrap();
    let mut container = Container::open(&path, Access::Write).unwrap();
    for spec in ["aes-ecb", "capi:ecb(aes)"] {
        let added = container.add_key(&key, b"other", &ecb(spec), &ciphers);
        assert!(matches!(added, Err(Error::Parameters(text)) if text.contains("ECB")), "{spec}");
        let changed = container.change_key(0, &key, b"other", &ecb(spec), &ciphers);
        assert!(matches!(changed, Err(Error::Parameters(text)) if text.contains("ECB")), "{spec}");
    }
    drop(container);
    assert!(fs::read(&path).unwrap() == before);
    let wanted = Parameters { keyslot: ecb("aes-ecb"), ..usual() };
    let made = NewContainer::create(&directory.path().join("new"), 4096, PASSPHRASE, key, &wanted, &ciphers);
    assert!(matches!(made, Err(Error::Parameters(text)) if text.contains("ECB")));
}

#[test]
fn a_changed_slot_keeps_its_number_and_its_old_key_is_gone() {
    let (directory, path, key) = made();
    let folder = directory.path();
    let mut container = Container::open(&path, Access::Write).unwrap();
    let of = container.header().metadata.keyslots()[&0].area.clone();
    let before = area(&path, &of);
    let slot = KeyslotParameters { priority: Priority::Prefer, ..cheap(true) };
    assert_eq!(container.change_key(0, &key, b"new", &slot, &ciphers).unwrap(), 0);
    is_overwritten(&before, &area(&path, &of));
    let wrong = container.unlock(PASSPHRASE, None, &ciphers);
    assert!(matches!(wrong, Err(Error::WrongPassphrase { tried: 1 })));
    assert_eq!(container.unlock(b"new", None, &ciphers).unwrap().slot, Some(0));
    assert!(matches!(container.change_key(3, &key, b"x", &slot, &ciphers), Err(Error::NoSuchSlot(3))));
    drop(container);
    if installed("cryptsetup") {
        fs::write(folder.join("new"), "new").unwrap();
        cryptsetup(folder, "open --test-passphrase --key-file new --key-slot 0 container");
        let dump = cryptsetup(folder, "luksDump container");
        assert!(dump.contains("Priority:   preferred"), "{dump}");
    }
}

fn opens_there(folder: &Path, passphrase: &str, expected: bool) {
    fs::write(folder.join("tried"), passphrase).unwrap();
    let open = ["open", "--test-passphrase", "--key-file", "tried", "container"];
    let run = std::process::Command::new("cryptsetup").args(open).current_dir(folder).output().unwrap();
    assert_eq!(run.status.success(), expected, "{passphrase}: {run:?}");
}

/// Where no key slot is free, one is changed all the same: safely where there is room for its area, else in place.
#[test]
fn a_slot_is_changed_in_a_full_header() {
    // LUKS1 has eight; of LUKS2, all 32 numbers, and room for no more than three areas.
    for (version, slots, room, in_place) in [
        (Version::Luks1, 8, 0, true),
        (Version::Luks2, 32, 64, false),
        (Version::Luks2, 32, 32, true),
        (Version::Luks2, 3, 3, true),
    ] {
        let directory = quick_folder();
        let folder = directory.path();
        let path = folder.join("container");
        let mut wanted = parameters("aes-xts-plain64", 64, 512);
        wanted.version = version;
        wanted.keyslot = cheap(true);
        wanted.keyslots_size = if room == 0 { wanted.keyslots_size } else { room * 258_048 };
        let key = create(&path, 4096, &wanted);
        let mut container = Container::open(&path, Access::Write).unwrap();
        for number in 1..slots {
            let passphrase = format!("passphrase {number}");
            container.add_key(&key, passphrase.as_bytes(), &cheap(true), &ciphers).unwrap();
        }
        let full = container.add_key(&key, b"one more", &cheap(true), &ciphers);
        assert!(matches!(full, Err(Error::Unfit(text)) if text.contains("no space")));
        let of = container.header().metadata.keyslots()[&1].area.clone();
        let before = area(&path, &of);
        assert_eq!(container.is_changed_in_place(1, &key).unwrap(), in_place);
        assert_eq!(container.change_key(1, &key, b"new", &cheap(true), &ciphers).unwrap(), 1);
        is_overwritten(&before, &area(&path, &of));
        drop(container);
        let container = Container::open(&path, Access::Read).unwrap();
        assert!(container.condition().is_good());
        let moved = container.header().metadata.keyslots()[&1].area.offset != of.offset;
        assert_eq!(moved, !in_place);
        assert!(container.unlock(b"passphrase 1", Some(1), &ciphers).is_err());
        assert_eq!(container.unlock(b"new", Some(1), &ciphers).unwrap().key.bytes(), key.bytes());
        container.unlock(b"passphrase 2", Some(2), &ciphers).unwrap();
        drop(container);
        if installed("cryptsetup") {
            opens_there(folder, "passphrase 1", false);
            opens_there(folder, "new", true);
            opens_there(folder, std::str::from_utf8(PASSPHRASE).unwrap(), true);
            for number in [2, slots - 1] {
                opens_there(folder, &format!("passphrase {number}"), true);
            }
        }
    }
}

/// A power failure in the middle would lose the data.
#[test]
fn the_last_slot_is_not_written_over_where_it_lies() {
    let directory = quick_folder();
    let path = directory.path().join("container");
    let mut wanted = parameters("aes-xts-plain64", 64, 512);
    wanted.keyslots_size = 258_048;
    let key = create(&path, 4096, &wanted);
    let before = fs::read(&path).unwrap();
    let mut container = Container::open(&path, Access::Write).unwrap();
    let changed = container.change_key(0, &key, b"new", &cheap(true), &ciphers);
    assert!(matches!(changed, Err(Error::NoRoomBeside(0))), "{changed:?}");
    assert!(fs::read(&path).unwrap() == before);
}
