//! The power fails at every write of a re-encryption: each state opens, goes on, and ends with the right plaintext.
//!
//! A store notes every write and barrier. A state of the medium is what was durable at some barrier and any part of what
//! was written behind it: none, all, one write alone, all but one, and a write of which only some pieces came.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::*;
use crate::format::{NewContainer, Parameters};
use crate::testing::{Event, KEY, Recorder, states, toys};
use crate::{Access, Cost};

const PASSPHRASE: &[u8] = b"passphrase";
const DATA: usize = 40 << 10;
const ZONE: u64 = 16 << 10;

fn cheap() -> KeyslotParameters {
    let cost = Cost::Pbkdf2 { hash: Hash::Sha256, iterations: 1000 };
    let encryption = "toy-xts-plain64".parse().unwrap();
    KeyslotParameters { encryption, key_len: KEY as u32, ..KeyslotParameters::new(cost) }
}

fn plaintext() -> Vec<u8> {
    (0..DATA as u32 / 4).flat_map(|number| number.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect()
}

fn reencrypted_on(medium: &dyn Store, path: &Path) -> Result<()> {
    let container = Container::open(path, Access::Write).unwrap();
    let keys = container.reencryption_keys(PASSPHRASE, &toys).unwrap();
    let places = Places { header: medium, data: medium, path };
    let options = Options { zone: Some(ZONE), ..Options::default() };
    container.reencrypt_in(&places, keys, None, &toys, &options).map(drop)
}

fn opened(path: &Path) -> Container {
    Container::open(path, Access::Read).unwrap()
}

fn medium(path: &Path) -> File {
    File::options().read(true).write(true).open(path).unwrap()
}

/// Goes on with what is there to its end, and says what was written.
fn resume(path: &Path) -> Vec<Event> {
    if opened(path).reencryption().unwrap().is_none() {
        return Vec::new();
    }
    let recorder = Recorder { file: medium(path), events: Mutex::default() };
    reencrypted_on(&recorder, path).unwrap();
    recorder.events.into_inner().unwrap()
}

fn finished(path: &Path, sector: u32) {
    let container = opened(path);
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

/// A container with the plaintext, of which a re-encryption was begun, in a directory of its own; with where its data lies.
fn begun(resilience: Resilience, sectors: (u32, u32)) -> (tempfile::TempDir, PathBuf, u64) {
    begun_with(resilience, sectors, &json!({}))
}

fn begun_with(
    resilience: Resilience,
    sectors: (u32, u32),
    tokens: &Value,
) -> (tempfile::TempDir, PathBuf, u64) {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let path = folder.path().join("container");
    let mut parameters = Parameters::new("toy-xts-plain64".parse().unwrap(), KEY);
    parameters.sector_size = sectors.0;
    parameters.keyslots_size = 160 << 10;
    parameters.keyslot = cheap();
    parameters.digest_iterations = Some(1000);
    parameters.accept_refused = true;
    let key = VolumeKey::generate(KEY).unwrap();
    let new = NewContainer::create(&path, DATA as u64, PASSPHRASE, key, &parameters, &toys).unwrap();
    new.volume(&toys).unwrap().write_at(&plaintext(), 0).unwrap();
    let key = new.keep(false).unwrap();
    let plan = Plan {
        encryption: "other-xts-plain64".parse().unwrap(),
        sector_size: Some(sectors.1),
        resilience,
        keyslot: cheap(),
        digest_iterations: Some(1000),
    };
    changed(&path, |document| document["tokens"] = tokens.clone());
    let mut container = Container::open(&path, Access::Write).unwrap();
    let new = VolumeKey::generate(KEY).unwrap();
    let unlocked = Unlocked { slot: Some(0), key };
    container.begin_reencryption(&unlocked, &new, PASSPHRASE, &plan, None, &toys).unwrap();
    assert!(matches!(container.unlock(PASSPHRASE, None, &toys), Err(Error::Requirement { .. })));
    (folder, path, parameters.data_offset())
}

/// The states of a whole re-encryption, and of going on from some of them those of that.
fn sweep(resilience: Resilience, sectors: (u32, u32), atom: usize) {
    let (_folder, path, data) = begun(resilience, sectors);
    let before = fs::read(&path).unwrap();
    let events = resume(&path);
    finished(&path, sectors.1);
    let states_once = states(&before, &events, data, atom);
    assert!(states_once.len() > 100, "{}", states_once.len());
    let mut differing = 0;
    for (number, state) in states_once.iter().enumerate() {
        fs::write(&path, state).unwrap();
        let is_good = opened(&path).condition().is_good();
        differing += u32::from(!is_good);
        let again = resume(&path);
        finished(&path, sectors.1);
        // Where one header is damaged or old, it is the first writes that may trust it too early.
        let cut = match (number % 61 == 7, is_good) {
            (true, _) => again.len(),
            (false, false) if number % 3 == 0 => again.len().min(8),
            _ => 0,
        };
        if cut > 0 {
            for state in states(state, &again[..cut], data, atom) {
                fs::write(&path, state).unwrap();
                resume(&path);
                finished(&path, sectors.1);
            }
        }
    }
    assert!(differing > 50, "{differing}");
}

/// A change that is cut off leaves two headers that differ, and the next one is cut off too, in the header or before it.
#[test]
fn a_header_that_is_behind_is_written_before_anything_is_changed() {
    let (_folder, path, _) = begun(Resilience::Journal, (512, 512));
    let whole = fs::read(&path).unwrap();
    let size = opened(&path).header().binary.header_size as usize;
    let is_good = || opened(&path).condition().is_good();
    for harmed in [0..size, size..2 * size] {
        let mut image = whole.clone();
        image[harmed.start + 4096..harmed.end].fill(0);
        fs::write(&path, &image).unwrap();
        assert!(!is_good());
        let mut container = Container::open(&path, Access::Write).unwrap();
        let area = container.header().metadata.keyslots()[&0].area.clone();
        let before = &whole[area.offset as usize..][..512];
        container.write_area(before, area.offset).unwrap();
        drop(container);
        assert!(is_good());
        fs::write(&path, &image).unwrap();
        let mut container = Container::open(&path, Access::Write).unwrap();
        // It fails behind the first thing that it does.
        container.replace(|_| Err(Error::ReadOnly), |_| {}).unwrap_err();
        drop(container);
        assert!(is_good());
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
    let (_folder, path, _) = begun(Resilience::None, (4096, 4096));
    let asked = std::sync::atomic::AtomicBool::new(false);
    let stop = |done: u64, _: u64| asked.store(done == ZONE, std::sync::atomic::Ordering::Relaxed);
    let options = Options { zone: Some(ZONE), interrupted: Some(&asked), progress: Some(&stop) };
    let mut container = Container::open(&path, Access::Write).unwrap();
    let keys = container.reencryption_keys(PASSPHRASE, &toys).unwrap();
    let ended = container.reencrypt(keys, None, &toys, &options);
    assert!(matches!(ended, Err(Error::Interrupted { done: ZONE, total }) if total == DATA as u64));
    drop(container);
    assert_eq!(opened(&path).reencryption().unwrap().unwrap().done, Some(ZONE));
    resume(&path);
    finished(&path, 4096);
}

/// A re-encryption that ended behind its first zone says so, and goes on to its end.
fn goes_on_behind_a_zone(path: &Path) {
    assert_eq!(opened(path).reencryption().unwrap().unwrap().done, Some(ZONE));
    resume(path);
    finished(path, 4096);
}

/// A medium that has room for so many zones.
struct Full(File, std::sync::atomic::AtomicUsize);

impl Store for Full {
    fn read(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        self.0.read(buffer, offset)
    }

    fn write(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        self.0.write(bytes, offset)
    }

    fn barrier(&self) -> std::io::Result<()> {
        Ok(())
    }

    fn reserve(&self, _: u64, _: u64) -> std::io::Result<()> {
        match self.1.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) {
            0 => Err(std::io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_full_file_system_loses_nothing() {
    for resilience in [Resilience::None, Resilience::Journal, Resilience::Checksum(Hash::Sha256)] {
        let (_folder, path, _) = begun(resilience, (4096, 4096));
        let full = Full(medium(&path), 1.into());
        let ended = reencrypted_on(&full, &path);
        let is_full = |error: &std::io::Error| error.kind() == std::io::ErrorKind::StorageFull;
        assert!(matches!(ended, Err(Error::Io { source, .. }) if is_full(&source)));
        goes_on_behind_a_zone(&path);
    }
}

/// A medium with one place that can be neither read nor written.
struct Faulty(File, u64);

impl Faulty {
    fn at(&self, length: usize, offset: u64) -> std::io::Result<()> {
        match (offset..offset + length as u64).contains(&self.1) {
            true => Err(rustix::io::Errno::IO.into()),
            false => Ok(()),
        }
    }
}

impl Store for Faulty {
    fn read(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        self.at(buffer.len(), offset)?;
        self.0.read(buffer, offset)
    }

    fn write(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        self.at(bytes.len(), offset)?;
        self.0.write(bytes, offset)
    }

    fn barrier(&self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whatever is left of the disk is copied to a sound one, and it goes on there.
#[test]
fn a_faulty_medium_loses_nothing() {
    for resilience in [Resilience::None, Resilience::Journal, Resilience::Checksum(Hash::Sha256)] {
        let (_folder, path, data) = begun(resilience, (4096, 4096));
        let file = medium(&path);
        let ended = reencrypted_on(&Faulty(file, data + ZONE + 512), &path);
        assert!(matches!(ended, Err(Error::Medium { offset: Some(at), .. }) if at == data + ZONE));
        goes_on_behind_a_zone(&path);
    }
}

/// What the medium is like when the second zone's data is to be written, or has just been.
fn killed_at_the_second_zone(path: &Path, data: u64, is_written: bool) -> Vec<u8> {
    let mut image = fs::read(path).unwrap();
    let events = resume(path);
    let is_second = |event: &Event| matches!(event, Event::Write(at, _) if *at == data + ZONE);
    let until = events.iter().position(is_second).unwrap() + usize::from(is_written);
    for event in &events[..until] {
        if let Event::Write(at, bytes) = event {
            crate::testing::apply(&mut image, *at, bytes);
        }
    }
    image
}

/// Other data of the same size is not encrypted in the place of the right one, as far as that can be seen.
#[test]
fn other_data_is_refused_where_a_zone_is_unfinished() {
    for resilience in [Resilience::Journal, Resilience::Checksum(Hash::Sha256)] {
        let (_folder, path, data) = begun(resilience, (512, 4096));
        let image = killed_at_the_second_zone(&path, data, false);
        let mut other = image.clone();
        other[data as usize..].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(&path, &other).unwrap();
        let mut container = Container::open(&path, Access::Write).unwrap();
        assert_eq!(container.reencryption().unwrap().unwrap().done, Some(ZONE));
        let keys = container.reencryption_keys(PASSPHRASE, &toys).unwrap();
        let refused = container.reencrypt(keys, None, &toys, &Options::default());
        assert!(matches!(refused, Err(Error::OtherData(at)) if at == path));
        drop(container);
        assert!(fs::read(&path).unwrap() == other);
        fs::write(&path, &image).unwrap();
        resume(&path);
        finished(&path, 4096);
    }
}

#[test]
fn holes_need_room() {
    let (_folder, path, _) = begun(Resilience::Journal, (4096, 4096));
    let file = File::options().write(true).open(&path).unwrap();
    let before = opened(&path).space(None).unwrap().unwrap();
    file.set_len(file.metadata().unwrap().len() + (64 << 20)).unwrap();
    let after = opened(&path).space(None).unwrap().unwrap();
    assert_eq!(after.needed - before.needed, 64 << 20);
    assert!(after.free > 0);
}

#[test]
fn metadata_that_somebody_else_wrote_is_refused() {
    let (_folder, path, _) = begun(Resilience::Journal, (4096, 4096));
    // As an attacker would have it who wants plaintext on the disk: another cipher at the end.
    changed(&path, |document| document["segments"]["2"]["encryption"] = "null-xts-plain64".into());
    let refused = opened(&path).reencryption_keys(PASSPHRASE, &toys);
    assert!(matches!(refused, Err(Error::ForeignReencryption)));
}

/// What a segment leaves out before it would keep the old key, which goes at the end.
#[test]
fn segments_begin_where_the_data_does() {
    let (_folder, path, _) = begun(Resilience::Journal, (512, 512));
    let container = opened(&path);
    let metadata = &container.header().metadata;
    let data = State::read(metadata).unwrap().data;
    for behind in [512, ZONE] {
        let moved = metadata.edited(|document| {
            document["segments"]["0"]["offset"] = (data + behind).to_string().into();
        });
        let refused = State::read(&moved.unwrap());
        assert!(matches!(refused, Err(Error::Metadata(text)) if text.contains("follow one another")));
    }
}

/// Whatever is started with a token's passphrase before goes on to be started with it afterwards.
#[test]
fn tokens_go_to_the_new_key_slot() {
    let token = |slots: &[&str]| json!({"type": "other", "keyslots": slots});
    let before = json!({"0": token(&["0"]), "1": token(&[])});
    let (_folder, path, _) = begun_with(Resilience::Journal, (512, 4096), &before);
    let tokens = || opened(&path).header().metadata.document()["tokens"].clone();
    assert_eq!(tokens(), json!({"0": token(&["0", "1"]), "1": token(&[])}));
    resume(&path);
    assert_eq!(tokens(), json!({"0": token(&["1"]), "1": token(&[])}));
    finished(&path, 4096);
    let container = opened(&path);
    assert_eq!((container.tokens_of(&[1]), container.tokens_of(&[0])), (vec![("0", "other")], Vec::new()));
}

/// All data has the new key, and the header says so, but not yet that this is the end; as cryptsetup leaves it for some writes.
fn all_done() -> (tempfile::TempDir, PathBuf) {
    let (folder, path, data) = begun(Resilience::Journal, (512, 4096));
    let before = fs::read(&path).unwrap();
    resume(&path);
    let after = fs::read(&path).unwrap();
    fs::write(&path, [&before[..data as usize], &after[data as usize..]].concat()).unwrap();
    let state = State::read(&opened(&path).header().metadata).unwrap();
    changed(&path, |document| {
        document["segments"]["0"] = document["segments"]["2"].clone();
        document["segments"]["0"].as_object_mut().unwrap().remove("flags");
        document["digests"][state.old_digest.to_string()]["segments"] = json!(["1"]);
        document["digests"][state.new_digest.to_string()]["segments"] = json!(["0", "2"]);
    });
    (folder, path)
}

fn changed(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut container = Container::open(path, Access::Write).unwrap();
    container.replace(|metadata| metadata.edited(change), |_| {}).unwrap();
}

fn wipe_slot(path: &Path, number: u32) {
    let mut container = Container::open(path, Access::Write).unwrap();
    let area = container.header().metadata.keyslots()[&number].area.clone();
    container.write_area(&vec![0x55; area.size as usize], area.offset).unwrap();
}

/// cryptsetup wipes the old key's slots, then takes them out of the header, and then says that all is done.
#[test]
fn an_end_that_is_only_not_said_is_said() {
    let (_folder, path) = all_done();
    let whole = fs::read(&path).unwrap();
    let lost: [&dyn Fn(); 3] = [&|| {}, &|| wipe_slot(&path, 0), &|| {
        changed(&path, |document| {
            document["keyslots"].as_object_mut().unwrap().remove("0");
            document["digests"]["0"]["keyslots"] = json!([]);
        });
    }];
    for (number, lose) in lost.into_iter().enumerate() {
        fs::write(&path, &whole).unwrap();
        lose();
        let container = opened(&path);
        assert_eq!(container.reencryption().unwrap().unwrap().done, None);
        assert_eq!(container.reencryption_keys(PASSPHRASE, &toys).unwrap().old.is_none(), number > 0);
        let other = container.reencryption_keys(b"other", &toys);
        assert!(matches!(other, Err(Error::WrongPassphrase { .. })));
        drop(container);
        resume(&path);
        finished(&path, 4096);
    }
    // What the data becomes is what the header said of it from the beginning.
    fs::write(&path, &whole).unwrap();
    let container = opened(&path);
    let other = |document: &mut Value| document["segments"]["2"]["encryption"] = "null-xts-plain64".into();
    assert!(matches!(container.header().metadata.edited(other), Err(Error::Metadata(_))));
}

#[test]
fn the_new_key_alone_does_not_go_on() {
    let (_folder, path, _) = begun(Resilience::Journal, (512, 4096));
    let right = opened(&path).reencryption_keys(PASSPHRASE, &toys).unwrap();
    wipe_slot(&path, 0);
    let mut container = Container::open(&path, Access::Write).unwrap();
    let refused = container.reencryption_keys(PASSPHRASE, &toys);
    assert!(matches!(refused, Err(Error::OneKey { closed }) if closed == [0]));
    let keys = BothKeys { old: None, new: right.new };
    let refused = container.reencrypt(keys, None, &toys, &Options::default());
    assert!(matches!(refused, Err(Error::ForeignReencryption)));
}

/// Killed without protection, it does not go on: what has the new key already would be encrypted once more.
#[test]
fn without_protection_it_does_not_go_on_if_it_was_killed() {
    let (_folder, path, data) = begun(Resilience::None, (4096, 4096));
    let image = killed_at_the_second_zone(&path, data, true);
    fs::write(&path, &image).unwrap();
    let mut container = Container::open(&path, Access::Write).unwrap();
    let keys = container.reencryption_keys(PASSPHRASE, &toys).unwrap();
    let refused = container.reencrypt(keys, None, &toys, &Options::default());
    assert!(matches!(refused, Err(Error::Unprotected(at)) if at == path));
    assert!(fs::read(&path).unwrap() == image);
}
