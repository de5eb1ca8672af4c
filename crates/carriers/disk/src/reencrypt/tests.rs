//! The power fails at every write of a re-encryption: each state opens, goes on, and ends with the right plaintext.
//!
//! A store notes every write and barrier. A state of the medium is what was durable at some barrier and any part of what
//! was written behind it: none, all, one write alone, all but one, and a write of which only some pieces came.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};

use super::*;
use crate::format::{NewContainer, Parameters};
use crate::{Access, Cost};

const PASSPHRASE: &[u8] = b"passphrase";
const DATA: usize = 40 << 10;
const ZONE: u64 = 16 << 10;
const KEY: usize = 16;

/// Any cipher does whose ciphertexts depend on key and place.
struct Toy;
struct ToyKey(Vec<u8>);

impl Cipher for Toy {
    fn key_len(&self) -> usize {
        KEY
    }

    fn prepare(&self, key: &[u8]) -> std::result::Result<Box<dyn CipherKey>, fieldtest_kinds::Error> {
        Ok(Box::new(ToyKey(key.to_vec())))
    }
}

impl CipherKey for ToyKey {
    fn encrypt(
        &self,
        tweaks: Tweaks,
        sector_size: usize,
        data: &mut [u8],
    ) -> std::result::Result<(), fieldtest_kinds::Error> {
        for (number, sector) in (0..).zip(data.chunks_mut(sector_size)) {
            for (at, piece) in (0_u32..).zip(sector.chunks_mut(32)) {
                Hash::Sha256.digest(&[&self.0, &tweaks.of(number), &at.to_le_bytes()], |pad| {
                    piece.iter_mut().zip(pad).for_each(|(byte, pad)| *byte ^= pad);
                });
            }
        }
        Ok(())
    }

    fn decrypt(
        &self,
        tweaks: Tweaks,
        sector_size: usize,
        data: &mut [u8],
    ) -> std::result::Result<(), fieldtest_kinds::Error> {
        self.encrypt(tweaks, sector_size, data)
    }
}

fn toys(spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
    (key_len == KEY && spec.mode() == "xts").then(|| Arc::new(Toy) as Arc<dyn Cipher>)
}

fn cheap() -> KeyslotParameters {
    let cost = Cost::Pbkdf2 { hash: Hash::Sha256, iterations: 1000 };
    let encryption = "toy-xts-plain64".parse().unwrap();
    KeyslotParameters { encryption, key_len: KEY as u32, ..KeyslotParameters::new(cost) }
}

fn plaintext() -> Vec<u8> {
    (0..DATA as u32 / 4).flat_map(|number| number.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect()
}

#[derive(Debug, Clone)]
pub(super) enum Event {
    Write(u64, Vec<u8>),
    Barrier,
}

pub(super) struct Recorder {
    pub(super) file: File,
    pub(super) events: Mutex<Vec<Event>>,
}

impl Store for Recorder {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read(buffer, offset)
    }

    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.events.lock().unwrap().push(Event::Write(offset, bytes.to_vec()));
        self.file.write(bytes, offset)
    }

    fn barrier(&self) -> io::Result<()> {
        self.events.lock().unwrap().push(Event::Barrier);
        Ok(())
    }
}

pub(super) fn apply(image: &mut [u8], offset: u64, bytes: &[u8]) {
    let start = usize::try_from(offset).unwrap();
    image[start..start + bytes.len()].copy_from_slice(bytes);
}

/// Every state that the medium can be found in, where pieces of `atom` bytes of the data are whole or not there at all.
pub(super) fn states(before: &[u8], events: &[Event], data: u64, atom: usize) -> Vec<Vec<u8>> {
    let mut durable = before.to_vec();
    let mut states = vec![durable.clone()];
    for window in events.split(|event| matches!(event, Event::Barrier)) {
        let writes: Vec<(u64, &[u8])> = window
            .iter()
            .filter_map(|event| match event {
                Event::Write(offset, bytes) => Some((*offset, &bytes[..])),
                Event::Barrier => None,
            })
            .collect();
        let with = |chosen: &dyn Fn(usize) -> bool| {
            let mut image = durable.clone();
            for (number, (offset, bytes)) in writes.iter().enumerate() {
                if chosen(number) {
                    apply(&mut image, *offset, bytes);
                }
            }
            image
        };
        for (number, (offset, bytes)) in writes.iter().enumerate() {
            states.push(with(&|it| it == number));
            states.push(with(&|it| it != number));
            states.push(with(&|it| it <= number));
            // Headers and key slots are torn at sectors of 512 bytes whatever the data's medium does.
            let atom = if *offset < data { 512 } else { atom };
            let pieces = bytes.len().div_ceil(atom);
            let torn: [&dyn Fn(usize) -> bool; 4] =
                [&|it| it == 0, &|it| it < pieces / 2, &|it| it >= pieces / 2, &|it| it % 2 == 0];
            for there in torn {
                let mut image = with(&|it| it < number);
                for (piece, part) in bytes.chunks(atom).enumerate().filter(|(piece, _)| there(*piece)) {
                    apply(&mut image, offset + (piece * atom) as u64, part);
                }
                states.push(image);
            }
        }
        let all = with(&|_| true);
        durable = all;
    }
    states.push(durable);
    states
}

/// Goes on with what is there to its end, and says what was written.
fn resume(path: &Path) -> Vec<Event> {
    let container = Container::open(path, Access::Write).unwrap();
    if container.reencryption().unwrap().is_none() {
        return Vec::new();
    }
    let keys = container.reencryption_keys(PASSPHRASE, &toys).unwrap();
    let file = File::options().read(true).write(true).open(path).unwrap();
    let recorder = Recorder { file, events: Mutex::default() };
    let places = Places { header: &recorder, data: &recorder, path };
    let options = Options { zone: Some(ZONE), ..Options::default() };
    container.reencrypt_in(&places, keys, None, &toys, &options).unwrap();
    recorder.events.into_inner().unwrap()
}

fn finished(path: &Path, sector: u32) {
    let container = Container::open(path, Access::Read).unwrap();
    assert!(container.header().metadata.requirements().is_empty());
    assert_eq!(container.header().metadata.keyslots().len(), 1);
    assert_eq!(container.header().metadata.digests().len(), 1);
    let segment = &container.header().metadata.segments()[&0];
    assert_eq!(segment.encryption.as_deref(), Some("other-xts-plain64"));
    assert_eq!(segment.sector_size, Some(sector));
    let key = container.unlock(PASSPHRASE, None, &toys).unwrap().key;
    let mut data = vec![0; DATA];
    container.into_volume(&key, &toys).unwrap().read_at(&mut data, 0).unwrap();
    assert!(data == plaintext());
}

/// A container with the plaintext, of which a re-encryption was begun.
fn begun(path: &Path, resilience: Resilience, sectors: (u32, u32)) -> u64 {
    let mut parameters = Parameters::new("toy-xts-plain64".parse().unwrap(), KEY);
    parameters.sector_size = sectors.0;
    parameters.keyslots_size = 160 << 10;
    parameters.keyslot = cheap();
    parameters.digest_iterations = Some(1000);
    parameters.accept_refused = true;
    let key = VolumeKey::generate(KEY).unwrap();
    let new = NewContainer::create(path, DATA as u64, PASSPHRASE, key, &parameters, &toys).unwrap();
    new.volume(&toys).unwrap().write_at(&plaintext(), 0).unwrap();
    let key = new.keep(false).unwrap();
    let plan = Plan {
        encryption: "other-xts-plain64".parse().unwrap(),
        sector_size: Some(sectors.1),
        resilience,
        keyslot: cheap(),
        digest_iterations: Some(1000),
    };
    let mut container = Container::open(path, Access::Write).unwrap();
    let new = VolumeKey::generate(KEY).unwrap();
    container.begin_reencryption(&key, &new, PASSPHRASE, &plan, None, &toys).unwrap();
    assert!(matches!(container.unlock(PASSPHRASE, None, &toys), Err(Error::Requirement(_))));
    parameters.data_offset()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The states of a whole re-encryption, and of going on from some of them those of that.
fn sweep(resilience: Resilience, sectors: (u32, u32), atom: usize) {
    let folder = folder();
    let path = folder.path().join("container");
    let data = begun(&path, resilience, sectors);
    let before = fs::read(&path).unwrap();
    let events = resume(&path);
    finished(&path, sectors.1);
    let states_once = states(&before, &events, data, atom);
    assert!(states_once.len() > 100, "{}", states_once.len());
    for (number, state) in states_once.iter().enumerate() {
        fs::write(&path, state).unwrap();
        let again = resume(&path);
        finished(&path, sectors.1);
        if number % 61 == 7 {
            for state in states(state, &again, data, atom) {
                fs::write(&path, state).unwrap();
                resume(&path);
                finished(&path, sectors.1);
            }
        }
    }
}

#[test]
fn a_journal_survives_at_every_write() {
    sweep(Resilience::Journal, (512, 4096), 512);
    sweep(Resilience::Journal, (4096, 512), 512);
}

#[test]
fn checksums_survive_at_every_write_of_whole_sectors() {
    sweep(Resilience::Checksum(Hash::Sha256), (512, 512), 512);
    sweep(Resilience::Checksum(Hash::Sha1), (512, 4096), 4096);
}

/// What checksums expect of the medium they need; and the sweep finds what is lost.
#[test]
#[should_panic(expected = "data == plaintext()")]
fn checksums_lose_sectors_that_are_torn() {
    sweep(Resilience::Checksum(Hash::Sha256), (512, 4096), 512);
}

#[test]
fn without_protection_it_ends_where_it_is_asked_to() {
    let folder = folder();
    let path = folder.path().join("container");
    begun(&path, Resilience::None, (4096, 4096));
    let asked = std::sync::atomic::AtomicBool::new(false);
    let stop = |done: u64, _: u64| asked.store(done == ZONE, std::sync::atomic::Ordering::Relaxed);
    let options = Options { zone: Some(ZONE), interrupted: Some(&asked), progress: Some(&stop) };
    let mut container = Container::open(&path, Access::Write).unwrap();
    let keys = container.reencryption_keys(PASSPHRASE, &toys).unwrap();
    let ended = container.reencrypt(keys, None, &toys, &options);
    assert!(matches!(ended, Err(Error::Interrupted { done: ZONE, total }) if total == DATA as u64));
    drop(container);
    assert_eq!(
        Container::open(&path, Access::Read).unwrap().reencryption().unwrap().unwrap().done,
        Some(ZONE)
    );
    resume(&path);
    finished(&path, 4096);
}

#[test]
fn metadata_that_somebody_else_wrote_is_refused() {
    let folder = folder();
    let path = folder.path().join("container");
    begun(&path, Resilience::Journal, (4096, 4096));
    let mut container = Container::open(&path, Access::Write).unwrap();
    // As an attacker would have it who wants plaintext on the disk: another cipher at the end.
    let size = container.header().binary.header_size;
    let forge = |metadata: &crate::header::Metadata| {
        metadata.edited(size, |document| document["segments"]["2"]["encryption"] = "null-xts-plain64".into())
    };
    container.replace(forge, |_| {}).unwrap();
    let refused = container.reencryption_keys(PASSPHRASE, &toys);
    assert!(matches!(refused, Err(Error::Metadata(text)) if text.contains("not what the owner")));
}
