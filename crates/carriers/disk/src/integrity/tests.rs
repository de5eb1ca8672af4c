//! Sectors with tags: what was written is read, what was changed is not, and the power fails at every write.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use proptest::prelude::*;

use super::*;
use crate::format::{NewContainer, Parameters};
use crate::hash::Hash;
use crate::testing::{Event, KEY, Recorder, states, toys};
use crate::{Container, Cost, KeyslotParameters, Volume, VolumeKey};

const PASSPHRASE: &[u8] = b"passphrase";
const DATA: usize = 96 << 10;

fn parameters(spec: &str, sector_size: u32) -> Parameters {
    let integrity = Integrity::Hmac(Hash::Sha256);
    let mut parameters = Parameters::new(spec.parse().unwrap(), KEY + integrity.key_len());
    let cost = Cost::Pbkdf2 { hash: Hash::Sha256, iterations: 1000 };
    let encryption = "toy-xts-plain64".parse().unwrap();
    parameters.keyslot =
        KeyslotParameters { encryption, key_len: KEY as u32, ..KeyslotParameters::new(cost) };
    parameters.keyslots_size = 50 * 4096;
    parameters.digest_iterations = Some(1000);
    parameters.integrity = Some(integrity);
    parameters.sector_size = sector_size;
    parameters.accept_refused = true;
    parameters
}

struct Made {
    _folder: tempfile::TempDir,
    path: PathBuf,
    key: VolumeKey,
    at: u64,
}

impl Made {
    fn new(spec: &str, sector_size: u32) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let path = folder.path().join("container");
        let parameters = parameters(spec, sector_size);
        let key = VolumeKey::generate(parameters.key_len).unwrap();
        let new = NewContainer::create(&path, DATA as u64, PASSPHRASE, key, &parameters, &toys).unwrap();
        let key = new.keep(false).unwrap();
        Made { _folder: folder, path, key, at: parameters.data_offset() }
    }

    fn open(&self, access: Access) -> Result<Volume> {
        Container::open(&self.path, access)?.into_volume(&self.key, &toys)
    }

    fn layout(&self) -> Layout {
        let file = fs::read(&self.path).unwrap();
        Layout::read(file[self.at as usize..].first_chunk().unwrap()).unwrap()
    }

    /// The same without a volume around it, over any store.
    fn sealed(&self, store: &dyn Store, sector: usize) -> Authenticated {
        let spec = "toy-xts-random".parse().unwrap();
        let sealer =
            Sealer::find(&spec, Integrity::Hmac(Hash::Sha256), self.key.bytes().len(), &toys).unwrap();
        let seal = sealer.with_key(self.key.bytes(), sector, 0).unwrap();
        let size = fs::metadata(&self.path).unwrap().len();
        let place = Place { store, path: &self.path };
        Authenticated::open(place, size, self.at, sector, sealer.tag_len(), seal, Access::Write).unwrap()
    }
}

fn pattern(seed: u8) -> Vec<u8> {
    (0..DATA).map(|at| (at as u8).wrapping_mul(13).wrapping_add((at >> 8) as u8) ^ seed).collect()
}

#[test]
fn what_was_written_is_read() {
    for (spec, sector) in [("toy-xts-random", 512), ("toy-xts-random", 4096), ("toy-xts-plain64", 1024)] {
        let made = Made::new(spec, sector);
        let volume = made.open(Access::Write).unwrap();
        assert_eq!(volume.size(), DATA as u64);
        let mut read = vec![1; DATA];
        volume.read_at(&mut read, 0).unwrap();
        assert!(read.iter().all(|byte| *byte == 0), "a new one has zeros");
        let written = pattern(3);
        volume.write_at(&written, 0).unwrap();
        volume.write_at(b"across a border", 4090).unwrap();
        volume.flush().unwrap();
        drop(volume);
        let mut expected = written;
        expected[4090..4105].copy_from_slice(b"across a border");
        let mut read = vec![0; DATA];
        made.open(Access::Read).unwrap().read_at(&mut read, 0).unwrap();
        assert!(read == expected, "{spec}");
    }
}

#[test]
fn a_changed_bit_is_an_error_that_names_its_sector() {
    let made = Made::new("toy-xts-random", 512);
    let layout = made.layout();
    let original = fs::read(&made.path).unwrap();
    for (place, sector) in
        [(layout.data_at(7) + 100, 7), (layout.tag_at(9) + 1, 9), (layout.tag_at(9) + 40, 9)]
    {
        let mut changed = original.clone();
        changed[(made.at + place) as usize] ^= 4;
        fs::write(&made.path, changed).unwrap();
        let volume = made.open(Access::Read).unwrap();
        let mut read = vec![0; DATA];
        let error = volume.read_at(&mut read, 0).unwrap_err();
        assert!(matches!(error, Error::Altered { sector: found, .. } if found == sector), "{error}");
        volume.read_at(&mut read[..512], 512).unwrap();
    }
    // Two sectors with their tags in each other's place.
    let mut changed = original.clone();
    for (place, length) in [(Layout::data_at as fn(&Layout, u64) -> u64, 512), (Layout::tag_at, layout.tag)] {
        let (one, other) = ((made.at + place(&layout, 1)) as usize, (made.at + place(&layout, 2)) as usize);
        changed[one..one + length].copy_from_slice(&original[other..other + length]);
    }
    fs::write(&made.path, changed).unwrap();
    assert!(made.open(Access::Read).unwrap().read_at(&mut [0; 512], 512).is_err());
}

#[test]
fn the_power_fails_at_every_write() {
    for sector in [512, 4096] {
        let made = Made::new("toy-xts-random", sector as u32);
        let before = fs::read(&made.path).unwrap();
        let file = File::options().read(true).write(true).open(&made.path).unwrap();
        let recorder = Recorder { file, events: Mutex::default() };
        let place = Place { store: &recorder, path: &made.path };
        let sealed = made.sealed(&recorder, sector);
        // More than the journal takes, so that it goes round; each write is of other bytes.
        let writes = [(0, 1), (3, 2), (1, 3), (9, 4), (3, 5), (0, 6), (5, 7)];
        for (first, fill) in writes {
            let mut data = vec![fill; 2 * sector];
            sealed.write(place, first, &mut data).unwrap();
            sealed.flush(place).unwrap();
        }
        let events = recorder.events.lock().unwrap().clone();
        assert!(events.iter().filter(|event| matches!(event, Event::Barrier)).count() >= writes.len());
        for state in states(&before, &events, u64::MAX, 512) {
            fs::write(&made.path, state).unwrap();
            for access in [Access::Read, Access::Write] {
                let volume = made.open(access).unwrap();
                let mut read = vec![0; DATA];
                volume.read_at(&mut read, 0).expect("every sector has its tag");
                volume.flush().expect("there is nothing to write where it is only read");
                assert!(read.chunks(sector).all(|it| it.iter().all(|byte| *byte == it[0])), "whole sectors");
            }
        }
        // What was flushed is there.
        let last = states(&before, &events, u64::MAX, 512).pop().unwrap();
        fs::write(&made.path, last).unwrap();
        let mut read = vec![0; DATA];
        made.open(Access::Read).unwrap().read_at(&mut read, 0).unwrap();
        let found: Vec<u8> = read.chunks(sector).take(11).map(|it| it[0]).collect();
        assert_eq!(found, [6, 6, 3, 5, 5, 7, 7, 0, 0, 4, 4]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Whoever can write to the disk can write anything there.
    #[test]
    fn nothing_panics(
        changes in prop::collection::vec((0..SUPERBLOCK + 20 * 512, any::<u8>()), 1..8),
        near in prop::collection::vec((0_usize..32, any::<u8>()), 0..3),
    ) {
        let made = HOSTILE.get_or_init(|| Made::new("toy-xts-random", 512));
        let mut changed = fs::read(&made.path).unwrap();
        for (at, value) in changes.into_iter().chain(near) {
            changed[made.at as usize + at] = value;
        }
        let path = made.path.with_extension("changed");
        fs::write(&path, changed).unwrap();
        let container = Container::open(&path, Access::Write).unwrap();
        if let Ok(volume) = container.into_volume(&made.key, &toys) {
            let _ = volume.read_at(&mut [0; 2048], 0);
            let _ = volume.write_at(&[1; 700], 300);
            let _ = volume.flush();
        }
    }
}

static HOSTILE: OnceLock<Made> = OnceLock::new();

#[test]
fn a_damaged_journal_or_superblock_is_refused() {
    let made = Made::new("toy-xts-random", 4096);
    let original = fs::read(&made.path).unwrap();
    for at in [0, 8, 10, 12, 24, 28, SUPERBLOCK + 508] {
        let mut changed = original.clone();
        changed[made.at as usize + at] ^= 0x40;
        fs::write(&made.path, changed).unwrap();
        let error = made.open(Access::Write).unwrap_err();
        assert!(matches!(error, Error::Integrity { .. } | Error::Truncated { .. }), "{at}: {error}");
    }
    for length in [made.at, made.at + 100, made.at + 4096, original.len() as u64 - 1] {
        fs::write(&made.path, &original[..length as usize]).unwrap();
        assert!(matches!(made.open(Access::Read), Err(Error::Truncated { .. })), "{length}");
    }
}
