//! Which copies of objects and which deltas are read: those that Git reads.

use std::path::Path;

use crate::damage::{history, problems};
use crate::git::{git_runs, is_installed};
use crate::packs::*;
use crate::repositories::{check, empty, formats, objects};
use fieldtest_git::map::round_trip::round_trip;
use fieldtest_git::map::{Conversion, Map};
use fieldtest_git::{ObjectId, ObjectType, Problem};

/// Git looks for the base of a delta in the same pack, and reads no delta of fewer than four bytes.
#[test]
fn deltas_that_git_does_not_read_are_damaged() {
    let (text, base) = (b"the base and more", name(ObjectType::Blob, b"the base"));
    let id = name(ObjectType::Blob, text);
    let on_name = |pack: &mut Builder| _ = pack.name_delta(id, base, &delta(8, 8, b" and more"));
    let wanted = Problem::ForeignBase(base);
    let check_one = |folder: &Path, id: ObjectId, wanted: &dyn Fn(&Problem) -> bool| {
        let found = problems(&check(folder));
        assert!(matches!(&found[..], [(found, problem)] if *found == id && wanted(problem)), "{found:?}");
        if is_installed() {
            assert!(!git_runs(folder, &["cat-file", "blob", &id.to_string()]));
        }
    };

    let folder = empty();
    write_loose(folder.path(), ObjectType::Blob, b"the base");
    let mut pack = Builder::new();
    on_name(&mut pack);
    pack.write(folder.path());
    check_one(folder.path(), id, &|problem| *problem == wanted);

    let folder = empty();
    let mut other = Builder::new();
    other.whole(ObjectType::Blob, b"the base");
    other.write_as(folder.path(), "a");
    pack.write_as(folder.path(), "b");
    check_one(folder.path(), id, &|problem| *problem == wanted);
    // With another copy it can be read.
    write_loose(folder.path(), ObjectType::Blob, text);
    let objects = objects(folder.path());
    let mut content = Vec::new();
    objects.read(objects.find(id.as_bytes()).unwrap(), &mut content).unwrap();
    assert_eq!((content.as_slice(), objects.from_copies()), (&text[..], 1));

    // In the same pack it is sound, whatever comes first; and too short a one is not.
    let folder = empty();
    let mut pack = Builder::new();
    on_name(&mut pack);
    pack.whole(ObjectType::Blob, b"the base");
    pack.write(folder.path());
    assert!(check(folder.path()).is_good());
    let folder = empty();
    let mut pack = Builder::new();
    pack.whole(ObjectType::Blob, &[b'x'; 200]);
    let empty = name(ObjectType::Blob, b"");
    pack.offset_delta(empty, 12, &delta(200, 0, b""));
    pack.write(folder.path());
    check_one(folder.path(), empty, &|problem| matches!(problem, Problem::Delta(_)));
}

/// Whichever copy of an object is damaged, another one is read, as by Git; and `verify` names the damaged one.
#[test]
fn another_copy_is_read_where_the_first_is_damaged() {
    let pack = history();
    let sound = empty();
    pack.write(sound.path());
    let wanted = map(sound.path()).0;
    let ends: Vec<u64> =
        pack.entries.iter().skip(1).map(|entry| entry.1).chain([pack.bytes.len() as u64]).collect();
    for (&(id, begin), end) in pack.entries.iter().zip(ends) {
        // A type that does not exist, a damaged header of the stream, and damage in the middle of it.
        let no_type = pack.bytes[begin as usize] & 0x70;
        for (at, flip) in [(begin, no_type), (end - 6, 0xff), (begin.midpoint(end), 0xff)] {
            let folder = empty();
            let mut damaged = Builder { bytes: pack.bytes.clone(), entries: pack.entries.clone() };
            damaged.bytes[at as usize] ^= flip;
            damaged.write_as(folder.path(), "a");
            let is_found = problems(&check(folder.path())).iter().any(|(damaged, _)| *damaged == id);
            assert!(is_found, "byte {at}");
            pack.write_as(folder.path(), "b");
            let (found, copied) = map(folder.path());
            assert!(found == wanted && copied > 0, "byte {at}");
            assert!(problems(&check(folder.path())).iter().any(|(damaged, _)| *damaged == id), "byte {at}");
        }
    }
}

/// The names of all objects in the other format, led back; and how many of them were read from another copy.
fn map(path: &Path) -> (Map, usize) {
    let (objects, [from, to]) = (objects(path), formats());
    let options = fieldtest_git::map::Options::default();
    let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
    assert!(round_trip(&conversion, &options).unwrap().different.is_empty());
    (conversion.map().unwrap(), objects.from_copies())
}
