//! Everything that can be wrong with a repository is found and named; what is sound beside it is still read.

use crate::hashes;
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use crate::packs::*;
use crate::repositories::{check, empty, open, settings, verified};
use fieldtest_git::verify::{Missing, NamedBy, Report, Settings, verify};
use fieldtest_git::{Error, ObjectId, ObjectType, Objects, Options, Problem, Repository};

/// An ID of one byte again and again.
fn made_up(byte: u8) -> ObjectId {
    ObjectId::from_bytes(&[byte; 20]).unwrap()
}

pub(crate) fn problems(report: &Report) -> Vec<(ObjectId, Problem)> {
    let of = |error: &Error| match error {
        Error::Object { id, problem, .. } => Some((*id, problem.clone())),
        _ => None,
    };
    report.damaged.iter().filter_map(of).collect()
}

/// Bytes that do not deflate: a linear congruential generator's upper ones.
fn noise(seed: u8, len: usize) -> Vec<u8> {
    let mut state = u64::from(seed);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// A history in one pack: blobs of which most are deltas in chains, trees, commits.
pub(crate) fn history() -> Builder {
    let mut pack = Builder::new();
    let blob = noise(1, 3000);
    pack.whole(ObjectType::Blob, &blob);
    let (mut content, mut offset) = (blob, pack.entries[0].1);
    let mut parent = String::new();
    for step in 0..20_u8 {
        let appended = noise(step + 2, 200);
        let instructions = delta(content.len(), content.len() - 50, &appended);
        content.truncate(content.len() - 50);
        content.extend(appended);
        let blob = name(ObjectType::Blob, &content);
        if step % 3 == 0 {
            let base = pack.entries.iter().find(|entry| entry.1 == offset).unwrap().0;
            offset = pack.name_delta(blob, base, &instructions);
        } else {
            offset = pack.offset_delta(blob, offset, &instructions);
        }
        let tree = pack.whole(ObjectType::Tree, &[b"100644 file\0", blob.as_bytes()].concat());
        let text = format!("tree {tree}\n{parent}author A <a@example.org> {step} +0000\n\nstep {step}\n");
        parent = format!("parent {}\n", pack.whole(ObjectType::Commit, text.as_bytes()));
    }
    pack
}

#[test]
fn a_sound_repository() {
    let folder = empty();
    history().write(folder.path());
    let report = check(folder.path());
    assert!(report.is_good(), "{report:?}");
    assert_eq!((report.objects, report.longest_chain), (61, 20));
    assert_eq!(ObjectType::ALL.map(|kind| report.sizes.of(kind).count()), [20, 20, 21, 0]);
}

#[test]
fn an_empty_repository() {
    let folder = empty();
    let report = check(folder.path());
    assert!(report.is_good());
    assert_eq!(report.objects, 0);
    Builder::new().write(folder.path());
    assert!(check(folder.path()).is_good(), "a pack without entries");
}

#[test]
fn every_flipped_bit_of_a_pack_is_found_with_its_object() {
    let pack = history();
    let folder = empty();
    let path = pack.write(folder.path());
    let whole = fs::read(&path).unwrap();
    let places = noise(99, 4 * 400);
    for place in places.chunks(4) {
        let at = u32::from_le_bytes(place.try_into().unwrap()) as usize % (8 * whole.len());
        let mut bytes = whole.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        fs::write(&path, bytes).unwrap();
        let report = check(folder.path());
        let objects = problems(&report);
        let once: BTreeSet<ObjectId> = objects.iter().map(|(id, _)| *id).collect();
        assert_eq!(once.len(), objects.len(), "an object is named twice: {report:?}");
        let at = (at / 8) as u64;
        if at < 12 || at as usize >= whole.len() - 20 {
            let named = |error: &Error| matches!(error, Error::File { path: found, .. } if *found == path);
            assert!(report.damaged.iter().any(named), "byte {at}: {report:?}");
        } else {
            let id = pack.entries.iter().rfind(|(_, offset)| *offset <= at).unwrap().0;
            assert!(once.contains(&id), "byte {at}: {report:?}");
        }
    }
}

#[test]
fn every_flipped_bit_of_an_index_is_found() {
    let folder = empty();
    let path = history().write(folder.path()).with_extension("idx");
    let whole = fs::read(&path).unwrap();
    for at in (0..8 * whole.len()).step_by(61) {
        let mut bytes = whole.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        fs::write(&path, bytes).unwrap();
        assert!(!check(folder.path()).damaged.is_empty(), "bit {at}");
    }
}

#[test]
fn a_pack_that_is_cut_off() {
    let pack = history();
    let folder = empty();
    let path = pack.write(folder.path());
    let whole = fs::read(&path).unwrap();
    for len in (0..whole.len()).step_by(whole.len() / 97) {
        fs::write(&path, &whole[..len]).unwrap();
        let report = check(folder.path());
        let found: BTreeSet<ObjectId> = problems(&report).into_iter().map(|(id, _)| id).collect();
        let ends = pack.entries.iter().map(|entry| entry.1).skip(1).chain([whole.len() as u64 - 20]);
        for ((id, _), end) in pack.entries.iter().zip(ends) {
            // The last 20 bytes of what is left are taken for a checksum.
            assert!(found.contains(id) || end + 20 <= len as u64, "{id} ends at {end} of {len} bytes");
        }
        let Err(error) = Objects::open(&open(folder.path())) else { panic!("{len} bytes were opened") };
        assert!(error.to_string().contains("pack-made.pack"), "{error}");
    }
}

#[test]
fn bases_that_are_missing_or_lead_in_a_circle() {
    let folder = empty();
    let mut pack = Builder::new();
    let ids: Vec<ObjectId> = (0..5).map(made_up).collect();
    let missing = made_up(0xff);
    pack.name_delta(ids[0], missing, &delta(3, 3, b"x"));
    pack.name_delta(ids[1], ids[0], &delta(4, 4, b"x"));
    pack.name_delta(ids[2], ids[3], &delta(3, 3, b"x"));
    pack.name_delta(ids[3], ids[2], &delta(3, 3, b"x"));
    pack.offset_delta(ids[4], 13, &delta(3, 3, b"x"));
    let sound = pack.whole(ObjectType::Blob, b"sound");
    let path = pack.write(folder.path());
    let found = problems(&check(folder.path()));
    let wanted = [
        (ids[0], Problem::MissingBase(missing)),
        (ids[1], Problem::UnreadableBase(ids[0])),
        (ids[2], Problem::Loop),
        (ids[3], Problem::UnreadableBase(ids[2])),
        (ids[4], Problem::BaseOffset(13)),
    ];
    assert_eq!(found, wanted);

    let mut errors = 0;
    let mut count = |_| {
        errors += 1;
        Ok(())
    };
    let objects = Objects::open_damaged(&open(folder.path()), &mut count).unwrap();
    assert_eq!(errors, 3);
    let mut content = Vec::new();
    let read = objects.read(objects.find(ids[3].as_bytes()).unwrap(), &mut content);
    let problem = Problem::UnreadableBase(ids[2]);
    assert!(
        matches!(read, Err(Error::Object { id, problem: found, .. }) if id == ids[3] && found == problem)
    );
    let kind = objects.read(objects.find(sound.as_bytes()).unwrap(), &mut content).unwrap();
    assert_eq!((kind, &content[..]), (ObjectType::Blob, &b"sound"[..]));
    let Err(Error::Object { path: found, offset: 12, .. }) = Objects::open(&open(folder.path())) else {
        panic!("it was opened")
    };
    assert_eq!(found, path);
}

#[test]
fn names_that_are_wrong() {
    let folder = empty();
    let mut pack = Builder::new();
    let (good, wrong) = (name(ObjectType::Blob, b"content"), made_up(7));
    pack.entry(wrong, 3, &[], b"content");
    pack.write(folder.path());
    let loose = made_up(8);
    write_loose_file(folder.path(), loose, &deflated(b"blob 7\0content"));
    let found = problems(&check(folder.path()));
    assert_eq!(found, [(wrong, Problem::Name(good)), (loose, Problem::Name(good))]);
}

#[test]
fn entries_that_are_none() {
    let folder = empty();
    let mut pack = Builder::new();
    let ids: Vec<ObjectId> = (0..5).map(made_up).collect();
    pack.entry(ids[0], 5, &[], b"content");
    pack.entry(ids[1], 0, &[], b"content");
    // Bytes that belong to nothing.
    pack.whole(ObjectType::Blob, b"sound");
    pack.bytes.extend(b"more");
    pack.entry(ids[2], 6, &[0x7f, 0x80], b"content");
    let blob = pack.whole(ObjectType::Blob, b"a base");
    let base = pack.entries.last().unwrap().1;
    pack.offset_delta(ids[3], base, &delta(7, 3, b"x"));
    pack.offset_delta(ids[4], base, &delta(6, 7, b"x"));
    pack.write(folder.path());
    let found = problems(&check(folder.path()));
    let of = |id: ObjectId| found.iter().find(|(found, _)| *found == id).map(|(_, problem)| problem.clone());
    assert_eq!(of(ids[0]), Some(Problem::PackType(5)));
    assert_eq!(of(ids[1]), Some(Problem::PackType(0)));
    assert_eq!(of(name(ObjectType::Blob, b"sound")), Some(Problem::Followed(4)));
    assert!(matches!(of(ids[2]), Some(Problem::BaseOffset(_) | Problem::Header(_))), "{found:?}");
    assert!(matches!(of(ids[3]), Some(Problem::Delta(_))));
    assert!(matches!(of(ids[4]), Some(Problem::Delta(_))));
    assert_eq!(of(blob), None);
}

/// Whether a problem is the one that is expected.
type Judge = fn(&Problem) -> bool;

#[test]
fn loose_objects_that_are_garbage() {
    let folder = empty();
    let header = |text: &'static str| deflated(text.as_bytes());
    let mut followed = header("blob 1\0x");
    followed.extend(b"more");
    let mut cut = header("blob 7\0content");
    cut.truncate(cut.len() - 5);
    let cases: [(Vec<u8>, Judge); 9] = [
        (Vec::new(), |problem| *problem == Problem::Deflated),
        (b"garbage, not deflated".to_vec(), |problem| *problem == Problem::Deflated),
        (header("blub 1\0x"), |problem| matches!(problem, Problem::Header(_))),
        (header("blob 01\0x"), |problem| matches!(problem, Problem::Header(_))),
        (header("blob 1\0xy"), |problem| *problem == Problem::Size { declared: 1, found: 2 }),
        (header("blob 3\0x"), |problem| *problem == Problem::Size { declared: 3, found: 1 }),
        (header("blob 9999999999999999999\0x"), |problem| {
            matches!(problem, Problem::Deflated | Problem::Size { .. })
        }),
        (followed, |problem| *problem == Problem::Followed(4)),
        (cut, |problem| *problem == Problem::Deflated),
    ];
    for (seed, (bytes, _)) in cases.iter().enumerate() {
        write_loose_file(folder.path(), made_up(seed as u8), bytes);
    }
    write_loose(folder.path(), ObjectType::Blob, b"sound");
    fs::write(folder.path().join("objects/aa"), "a file where directories are").unwrap();
    fs::write(folder.path().join("objects/00/tmp_obj_x"), "unfinished").unwrap();
    fs::create_dir_all(folder.path().join("objects/ff").join("f".repeat(38))).unwrap();
    fs::remove_file(folder.path().join("objects/aa")).unwrap();
    let report = check(folder.path());
    let found = problems(&report);
    assert_eq!(report.damaged.len(), cases.len() + 1, "{report:?}");
    for (seed, (_, wanted)) in cases.iter().enumerate() {
        let (id, problem) = &found[seed];
        assert_eq!(id.as_bytes(), [seed as u8; 20]);
        assert!(wanted(problem), "{seed}: {problem:?}");
    }
    assert!(matches!(found[cases.len()].1, Problem::Unreadable(_)));
    assert_eq!(report.sizes.all().count(), 1);
}

#[test]
fn every_flipped_bit_of_a_loose_object_is_found() {
    let folder = empty();
    let content = noise(5, 300);
    let id = write_loose(folder.path(), ObjectType::Blob, &content);
    let path = fieldtest_git::loose::path(&folder.path().join("objects"), id.as_bytes());
    let whole = fs::read(&path).unwrap();
    for at in 0..8 * whole.len() {
        let mut bytes = whole.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        fs::write(&path, &bytes).unwrap();
        // A stream whose unused bits are other ones is the same object.
        let mut read = Vec::new();
        let same = Objects::open(&open(folder.path())).and_then(|objects| objects.read(0, &mut read));
        let same = same.is_ok() && read == content;
        assert!(!same || (8 * (whole.len() - 5)..8 * (whole.len() - 4)).contains(&at), "bit {at}");
        assert_eq!(problems(&check(folder.path())).len(), usize::from(!same), "bit {at}");
    }
}

#[test]
fn packs_without_indexes_and_the_other_way_round() {
    let folder = empty();
    let path = history().write(folder.path());
    let index = path.with_extension("idx");
    let bytes = fs::read(&index).unwrap();
    fs::remove_file(&index).unwrap();
    let Err(error) = Objects::open(&open(folder.path())) else { panic!("it was opened") };
    assert!(error.to_string().contains("git index-pack"), "{error}");
    assert_eq!(check(folder.path()).damaged.len(), 1);
    // The index of another pack.
    let mut other = Builder::new();
    other.whole(ObjectType::Blob, b"another");
    fs::write(&index, other.finish().1).unwrap();
    let Err(error) = Objects::open(&open(folder.path())) else { panic!("it was opened") };
    assert!(error.to_string().contains("61 entries"), "{error}");
    assert!(!check(folder.path()).damaged.is_empty());
    // An index alone.
    fs::write(&index, bytes).unwrap();
    fs::remove_file(&path).unwrap();
    let Err(error) = Objects::open(&open(folder.path())) else { panic!("it was opened") };
    assert!(error.to_string().contains("pack-made.idx"), "{error}");
}

#[test]
fn objects_that_are_named_and_missing() {
    let folder = empty();
    let entries = [("100644 a\0", made_up(1)), ("160000 submodule\0", made_up(2)), ("40000 t\0", made_up(3))];
    let entries = entries.map(|(head, id)| [head.as_bytes(), id.as_bytes()].concat());
    let tree = write_loose(folder.path(), ObjectType::Tree, &entries.concat());
    let text = format!("tree {tree}\nparent {}\nauthor A <a> 0 +0000\n\nx\n", made_up(4));
    let commit = write_loose(folder.path(), ObjectType::Commit, text.as_bytes());
    fs::create_dir_all(folder.path().join("refs/heads")).unwrap();
    fs::write(folder.path().join("refs/heads/main"), format!("{commit}\n")).unwrap();
    fs::write(folder.path().join("packed-refs"), format!("{} refs/heads/other\n", made_up(5))).unwrap();
    let report = check(folder.path());
    assert!(report.damaged.is_empty() && !report.is_good());
    let mut found = report.missing;
    found.sort_by_key(|missing| missing.id);
    let by = |id, from: ObjectId| Missing { id, named_by: NamedBy::Object(from) };
    let reference = Missing { id: made_up(5), named_by: NamedBy::Reference(b"refs/heads/other".to_vec()) };
    assert_eq!(found, [by(made_up(1), tree), by(made_up(3), tree), by(made_up(4), commit), reference]);

    // The same history, cut off at this commit by intent.
    fs::write(folder.path().join("shallow"), format!("{commit}\n")).unwrap();
    let Err(error) = Repository::open(folder.path(), &Options::default()) else { panic!("it was opened") };
    assert!(error.to_string().contains("--unshallow"), "{error}");
    let shallow = Repository::open(folder.path(), &Options { shallow: true, ..Options::default() }).unwrap();
    let found = verified(&shallow).missing;
    assert!(found.iter().all(|missing| missing.id != made_up(4)) && found.len() == 3);
}

#[test]
fn a_raised_flag_ends_the_run() {
    let folder = empty();
    history().write(folder.path());
    let hash = hashes::sha1();
    let interrupted = Some(&AtomicBool::new(true));
    let threads = NonZeroUsize::new(3).unwrap();
    let settings = Settings { threads, connectivity: false, interrupted, ..settings(&*hash) };
    let report = verify(&open(folder.path()), &settings).unwrap();
    assert!(report.interrupted && !report.is_good());
    assert!(report.sizes.all().count() <= 3);
}

#[test]
fn a_function_of_another_length_is_refused() {
    let folder = empty();
    let hash = hashes::sha256();
    assert!(matches!(verify(&open(folder.path()), &settings(&*hash)), Err(Error::Repository { .. })));
}
