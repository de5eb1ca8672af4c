//! What was begun here is finished by cryptsetup, wherever it was cut off, and the other way round. cryptsetup does this on
//! files in user space, as long as both ciphers are AES.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::testing::{Recorder, states};
use crate::{Access, Container};

#[path = "../../tests/common/mod.rs"]
mod common;

use common::{FAST, PASSPHRASE, beginning, ciphers, cryptsetup, installed, parameters, pattern};
use common::{folder_with_key, plan};

const DATA: usize = 1 << 20;
const ZONE: u64 = 384 << 10;

/// A container of AES-256 with known data.
fn filled(path: &Path) -> VolumeKey {
    let mut parameters = parameters("aes-xts-plain64", 64, 512);
    // Two key slots and what protects a zone, so that states are small.
    parameters.keyslots_size = 992 << 10;
    common::filled(path, &pattern(DATA, 9), &parameters)
}

fn begun(path: &Path, resilience: Resilience) {
    let key = filled(path);
    let plan = Plan { sector_size: Some(4096), ..plan(resilience) };
    let mut container = Container::open(path, Access::Write).unwrap();
    let new = VolumeKey::generate(32).unwrap();
    let unlocked = Unlocked { slot: Some(0), key };
    container.begin_reencryption(&unlocked, &new, PASSPHRASE, &plan, None, &ciphers).unwrap();
}

/// Whatever a re-encryption has come to, its content is right and nothing of it is left.
#[track_caller]
fn finished(path: &Path, key_len: usize) {
    let container = Container::open(path, Access::Read).unwrap();
    assert!(container.header().metadata.requirements().is_empty());
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    assert_eq!(key.bytes().len(), key_len);
    assert!(beginning(&container.into_volume(&key, &ciphers).unwrap(), DATA) == pattern(DATA, 9));
}

fn finish_here(path: &Path) {
    let mut container = Container::open(path, Access::Write).unwrap();
    if container.reencryption().unwrap().is_some() {
        let keys = container.reencryption_keys(PASSPHRASE, &ciphers).unwrap();
        container.reencrypt(keys, None, &ciphers, &Options::default()).unwrap();
    }
}

const REENCRYPT: &str = "reencrypt --force-offline-reencrypt --batch-mode --key-file key";

#[test]
fn cryptsetup_goes_on_from_every_state() {
    if !installed("cryptsetup") {
        return;
    }
    for (resilience, atom) in [(Resilience::Journal, 512), (Resilience::Checksum(Hash::Sha256), 4096)] {
        let folder = folder_with_key();
        let path = folder.path().join("container");
        begun(&path, resilience);
        let before = fs::read(&path).unwrap();
        let recorder = Recorder {
            file: File::options().read(true).write(true).open(&path).unwrap(),
            events: Mutex::default(),
        };
        let container = Container::open(&path, Access::Write).unwrap();
        let keys = container.reencryption_keys(PASSPHRASE, &ciphers).unwrap();
        let places = Places { header: &recorder, data: &recorder, path: &path };
        let options = Options { zone: Some(ZONE), ..Options::default() };
        container.reencrypt_in(&places, keys, None, &ciphers, &options).unwrap();
        drop(container);
        finished(&path, 32);
        cryptsetup(folder.path(), "open --test-passphrase --key-file key container");
        let events = recorder.events.into_inner().unwrap();
        for (number, state) in states(&before, &events, 1 << 20, atom).iter().enumerate() {
            // Each takes cryptsetup a second key derivation or two: every ninth has each kind.
            if number % 9 != 0 {
                continue;
            }
            fs::write(&path, state).unwrap();
            let begun = || Container::open(&path, Access::Read).unwrap().reencryption().unwrap().is_some();
            if begun() {
                // It goes on behind a zone alone; one that is unfinished is what it calls damaged.
                cryptsetup(folder.path(), "repair --batch-mode --key-file key container");
            }
            if begun() {
                cryptsetup(folder.path(), &format!("{REENCRYPT} --resume-only container"));
            }
            finished(&path, 32);
        }
    }
}

#[test]
fn we_go_on_with_what_cryptsetup_began() {
    if !installed("cryptsetup") {
        return;
    }
    for resilience in ["journal", "checksum", "none"] {
        let folder = folder_with_key();
        let path = folder.path().join("container");
        filled(&path);
        let what = format!("--resilience {resilience} --key-size 256 --init-only container");
        cryptsetup(folder.path(), &format!("{REENCRYPT} {FAST} {what}"));
        let standing = Container::open(&path, Access::Read).unwrap().reencryption().unwrap().unwrap();
        assert_eq!((standing.done, standing.resilience.name()), (Some(0), resilience));
        finish_here(&path);
        finished(&path, 32);
        cryptsetup(folder.path(), "open --test-passphrase --key-file key container");
    }
}

#[test]
fn we_go_on_where_cryptsetup_was_killed() {
    if !installed("cryptsetup") {
        return;
    }
    let folder = folder_with_key();
    let path = folder.path().join("container");
    for (delay, resilience) in (0..12_u64).zip(["journal", "checksum"].into_iter().cycle()) {
        let _ = fs::remove_file(&path);
        filled(&path);
        let what = format!("--resilience {resilience} --key-size 256 --hotzone-size 8K container");
        let mut child = Command::new("cryptsetup")
            .args(format!("{REENCRYPT} {FAST} {what}").split(' '))
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(120 + 40 * delay));
        child.kill().unwrap();
        child.wait().unwrap();
        let standing = Container::open(&path, Access::Read).unwrap().reencryption().unwrap();
        let begun = standing.is_some();
        finish_here(&path);
        let metadata = Container::open(&path, Access::Read).unwrap().header().metadata.clone();
        let key_len = metadata.keyslots().values().next().unwrap().key_size;
        assert!(!begun || key_len == 32);
        finished(&path, key_len as usize);
    }
}
