//! Headers that somebody might make, see `hostile.txt`: each is taken or refused as cryptsetup does it, with the
//! exceptions that stand there, and none makes anything panic.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::common::*;
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use fieldtest_disk::format::Parameters;
use fieldtest_disk::{Access, Container, Error};
use proptest::prelude::*;
use serde_json::Value;
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

const SIZE: usize = 16_384;

struct Case<'a> {
    name: &'a str,
    /// Whether the header is taken, and whether the key opens it.
    expected: [bool; 2],
    changes: &'a str,
}

fn cases() -> Vec<Case<'static>> {
    let lines =
        include_str!("../hostile.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let case = |line: &'static str| {
        let mut parts = line.split(" | ");
        let (name, theirs, changes) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        // Where the list names an exception, ours stands first in it.
        let verdict = parts.next().unwrap_or(theirs);
        let mut verdicts = verdict.split(' ').map(|verdict| verdict == "+");
        Case { name: name.trim(), expected: [verdicts.next().unwrap(), verdicts.next().unwrap()], changes }
    };
    lines.map(case).collect()
}

/// Puts the changed header into both places of a container.
fn write(path: &Path, good: &[u8], changes: &str) {
    let json = good[4096..SIZE].split(|&byte| byte == 0).next().unwrap();
    let mut document: Value = serde_json::from_slice(json).unwrap();
    let (mut text, mut swaps, mut raw, mut poked) = (None, Vec::new(), None, Vec::new());
    let (mut before, mut after, mut algorithm) = (String::new(), String::new(), "sha256");
    let (mut fill, mut damage) = (0, 0);
    let resolved = |text: &str| serde_json::from_str::<String>(&format!("\"{text}\"")).unwrap();
    for change in changes.split(" ; ") {
        let (operation, argument) = change.split_once(' ').unwrap_or((change, ""));
        let (first, second) = argument.split_once(' ').unwrap_or((argument, ""));
        match operation {
            "set" => put(
                &mut document,
                first,
                Some(serde_json::from_str(second).unwrap_or_else(|_| {
                    // Beyond what this parser takes, such as too deep nesting, it stands as it is.
                    swaps.push(("\"\\u0000swap\"".to_owned(), second.to_owned()));
                    Value::String("\0swap".to_owned())
                })),
            ),
            "remove" => put(&mut document, first, None),
            "copy" => {
                let copy = document.pointer(first).cloned();
                put(&mut document, second, copy);
            }
            "before" => before = resolved(argument),
            "after" => after = resolved(argument),
            "text" => text = Some(argument.to_owned()),
            "swap" => {
                let (old, new) = argument.split_once(" => ").unwrap();
                swaps.push((old.to_owned(), new.to_owned()));
            }
            "raw" => {
                let (old, new) = argument.split_once(" => ").unwrap();
                raw = Some((old, HEX.decode(new.as_bytes()).unwrap()));
            }
            "bytes" => poked.push((first.parse().unwrap(), HEX.decode(second.as_bytes()).unwrap())),
            "checksum" => {
                algorithm = argument;
                let mut name = argument.as_bytes().to_vec();
                name.resize(32, 0);
                poked.push((72, name));
            }
            "fill" => fill = b' ',
            "damage" => damage = 1,
            _ => panic!("{change}"),
        }
    }
    let text = text.unwrap_or_else(|| {
        swaps.iter().fold(document.to_string(), |text, (old, new)| text.replace(old, new))
    });
    let mut area = format!("{before}{text}{after}").into_bytes();
    if let Some((old, new)) = raw {
        let at = area.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
        area.splice(at..at + old.len(), new);
    }
    area.resize(SIZE - 4096, fill);
    let file = OpenOptions::new().write(true).open(path).unwrap();
    for place in [0, SIZE] {
        let mut copy = good[place..place + 4096].to_vec();
        for (offset, bytes) in &poked {
            // The second copy has its own magic.
            if place == 0 || *offset != 0 || bytes == &[0] {
                copy[*offset..offset + bytes.len()].copy_from_slice(bytes);
            }
        }
        copy[448..512].fill(0);
        copy.extend_from_slice(&area);
        let digest = match algorithm {
            "sha1" => Sha1::digest(&copy).to_vec(),
            "sha512" => Sha512::digest(&copy).to_vec(),
            _ => Sha256::digest(&copy).to_vec(),
        };
        copy[448..448 + digest.len()].copy_from_slice(&digest);
        copy[448] ^= damage;
        file.write_all_at(&copy, place as u64).unwrap();
    }
}

fn put(document: &mut Value, pointer: &str, value: Option<Value>) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => parent.insert(name.to_owned(), value),
        None => parent.remove(name),
    };
}

/// Whether the header is taken, and whether the key opens it.
fn judged(path: &Path) -> ([bool; 2], String) {
    let container = match Container::open(path, Access::Read) {
        Ok(container) => container,
        Err(error) => return ([false; 2], error.to_string()),
    };
    match container.unlock(PASSPHRASE, None, &ciphers) {
        Ok(unlocked) => {
            // Whatever comes of it, it must come. Where the data cannot be, `disk open` does not say that it opens.
            match container
                .into_volume(&unlocked.key, &ciphers)
                .and_then(|it| it.read_at(&mut [0; 10_000], 0))
            {
                Err(error @ (Error::Truncated { .. } | Error::Spec(_))) => ([true, false], error.to_string()),
                _ => ([true; 2], "opened".to_owned()),
            }
        }
        Err(error) => ([true, false], error.to_string()),
    }
}

fn container(folder: &Path) -> (std::path::PathBuf, Vec<u8>) {
    let path = folder.join("container");
    create(&path, 1 << 20, &Parameters { keyslot: cheap(true), ..usual() });
    let good = std::fs::read(&path).unwrap()[..2 * SIZE].to_vec();
    (path, good)
}

#[test]
fn headers_are_taken_and_refused_as_cryptsetup_does_it() {
    let folder = quick_folder();
    let (path, good) = container(folder.path());
    let mut wrong = String::new();
    let cases = cases();
    assert!(cases.len() > 300, "{}", cases.len());
    for Case { name, expected, changes } in cases {
        write(&path, &good, changes);
        let (found, why) = judged(&path);
        if found != expected {
            wrong.push_str(&format!("{name}: {found:?} instead of {expected:?}: {why}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// A key slot that belongs to no data: its key has another size, and the same passphrase may open it.
#[test]
fn key_slots_of_no_data_are_no_obstacle() {
    let folder = quick_folder();
    let (path, good) = container(folder.path());
    let other = folder.path().join("other");
    let unbound = Parameters { keyslot: cheap(true), ..parameters("aes-xts-plain64", 32, 4096) };
    create(&other, 1 << 20, &unbound);
    let theirs = metadata(&other);
    // The slot of the data becomes number 1, and the other one comes before it.
    let move_data =
        "copy /keyslots/0 /keyslots/1 ; copy /digests/0 /digests/1 ; set /digests/1/keyslots [\"1\"]";
    let mut slot = theirs["keyslots"]["0"].clone();
    slot["area"]["offset"] = "8388608".into();
    let mut digest = theirs["digests"]["0"].clone();
    digest["segments"] = serde_json::json!([]);
    let changes = format!("{move_data} ; set /keyslots/0 {slot} ; set /digests/0 {digest}");
    write(&path, &good, &changes);
    let bytes = std::fs::read(&other).unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&bytes[32_768..32_768 + 128_000], 8_388_608).unwrap();

    let container = Container::open(&path, Access::Read).unwrap();
    assert_eq!((container.key_size(), container.holds_data_key(0)), (Some(64), false));
    let unlocked = container.unlock(PASSPHRASE, None, &ciphers).unwrap();
    assert_eq!(unlocked.slot, Some(1));
    // By its number it opens, and opens no data.
    let named = container.unlock(PASSPHRASE, Some(0), &ciphers).unwrap();
    assert_eq!(named.key.bytes().len(), 32);
    assert!(Container::open(&path, Access::Read).unwrap().into_volume(&named.key, &ciphers).is_err());
    container.into_volume(&unlocked.key, &ciphers).unwrap();
}

#[test]
fn key_slots_of_priority_0_open_when_they_are_named() {
    let folder = quick_folder();
    let (path, good) = container(folder.path());
    write(&path, &good, "set /keyslots/0/priority 0");
    let container = Container::open(&path, Access::Read).unwrap();
    assert!(container.unlock(PASSPHRASE, None, &ciphers).is_err());
    assert_eq!(container.unlock(PASSPHRASE, Some(0), &ciphers).unwrap().slot, Some(0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any byte of the binary header or the JSON is another one, and the checksums are right.
    #[test]
    fn no_byte_makes_anything_panic(
        changes in prop::collection::vec((0..5200_usize, any::<u8>()), 1..4),
    ) {
        let folder = quick_folder();
        let path = folder.path().join("container");
        thread_local!(static GOOD: Vec<u8> = {
            let folder = quick_folder();
            container(folder.path()).1
        });
        let mut good = GOOD.with(Clone::clone);
        for (at, byte) in changes {
            good[at] = byte;
            good[SIZE + at] = byte;
        }
        for place in [0, SIZE] {
            good[place + 448..place + 512].fill(0);
            let digest = Sha256::digest(&good[place..place + SIZE]);
            good[place + 448..place + 480].copy_from_slice(&digest);
        }
        good[SIZE..SIZE + 4].copy_from_slice(b"SKUL");
        std::fs::write(&path, &good).unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(18 << 20).unwrap();
        // The key derivation may have become costly, so nothing is unlocked.
        let _ = Container::open(&path, Access::Write).map(|mut container| container.repair());
    }
}
