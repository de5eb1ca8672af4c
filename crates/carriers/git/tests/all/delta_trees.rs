//! Trees that are deltas are listed from their bases' lists and written as deltas again, whatever the deltas look like.

use std::collections::BTreeMap;

use crate::packs::{Builder, empty_repository, name};
use crate::repositories::{formats, objects, open, write};
use fieldtest_git::convert::{Converter, Names, UnknownHeaders};
use fieldtest_git::map::{Conversion, Options};
use fieldtest_git::{Format, ObjectId, ObjectType, Objects};
use proptest::prelude::*;

/// Names of files with the number of a blob for each.
type Files = BTreeMap<String, usize>;

const BLOBS: usize = 3;

fn blob(number: usize) -> Vec<u8> {
    format!("blob {number}\n").into_bytes()
}

fn tree(files: &Files) -> Vec<u8> {
    let entry = |(file, number): (&String, &usize)| {
        [b"100644 ", file.as_bytes(), b"\0", name(ObjectType::Blob, &blob(*number)).as_bytes()].concat()
    };
    files.iter().flat_map(entry).collect()
}

/// A delta that is cut at the given places without regard to entries: each piece of `target` is copied if `base` has it,
/// from the last place where it does.
fn delta(base: &[u8], target: &[u8], cuts: &[prop::sample::Index]) -> Vec<u8> {
    let mut delta = Vec::new();
    for size in [base.len(), target.len()] {
        // Both are shorter than 16384 bytes.
        delta.extend([0x80 | (size & 0x7f) as u8, (size >> 7) as u8]);
    }
    let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(target.len() + 1)).collect();
    places.extend([0, target.len()]);
    places.sort_unstable();
    for pair in places.windows(2) {
        let piece = &target[pair[0]..pair[1]];
        if piece.is_empty() {
            continue;
        }
        match base.windows(piece.len()).rposition(|window| window == piece) {
            Some(at) => {
                delta.push(0b1011_0011);
                delta.extend([at as u8, (at >> 8) as u8, piece.len() as u8, (piece.len() >> 8) as u8]);
            }
            None => piece.chunks(127).for_each(|chunk| {
                delta.push(chunk.len() as u8);
                delta.extend_from_slice(chunk);
            }),
        }
    }
    delta
}

struct ByHash<'a>(&'a Format);

impl Names for ByHash<'_> {
    fn object(&self, old: &[u8]) -> Option<ObjectId> {
        let content =
            (0..BLOBS).map(blob).find(|content| name(ObjectType::Blob, content).as_bytes() == old)?;
        self.0.id_of(ObjectType::Blob, &content).ok()
    }

    fn submodule(&self, _old: &[u8]) -> Option<ObjectId> {
        None
    }
}

fn files() -> impl Strategy<Value = Files> {
    prop::collection::btree_map("[a-c]{1,3}|[a-z]{30,40}", 0..BLOBS, 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn listed_and_written(
        first in files(),
        changes in prop::collection::vec((files(), prop::collection::vec(any::<prop::sample::Index>(), 0..20)), 1..4),
        keep in any::<bool>(),
    ) {
        let [from, to] = formats();
        let mut pack = Builder::new();
        for number in 0..BLOBS {
            pack.whole(ObjectType::Blob, &blob(number));
        }
        let mut last = (first.clone(), tree(&first));
        let mut trees = vec![last.1.clone()];
        pack.whole(ObjectType::Tree, &last.1);
        let mut offset = pack.entries.last().unwrap().1;
        for (change, cuts) in changes {
            let mut files = if keep { last.0.clone() } else { Files::new() };
            files.extend(change);
            let content = tree(&files);
            if trees.contains(&content) {
                continue;
            }
            let id = name(ObjectType::Tree, &content);
            offset = pack.offset_delta(id, offset, &delta(&last.1, &content, &cuts));
            trees.push(content.clone());
            last = (files, content);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.git");
        empty_repository(&path);
        pack.write(&path);
        let repository = open(&path);
        let old_objects = Objects::open(&repository).unwrap();
        let options = Options::default();
        let conversion = Conversion::compute(&old_objects, &from, &to, &options).unwrap();

        let new = folder.path().join("new.git");
        write(&conversion, &repository, &new, &options).unwrap();
        let new_objects = objects(&new);
        for content in &trees {
            let mut expected = Vec::new();
            Converter::new(&from, &to, UnknownHeaders::Refuse)
                .convert(ObjectType::Tree, content, &ByHash(&to), &mut expected)
                .unwrap();
            let new_id = conversion.new_id(&name(ObjectType::Tree, content)).unwrap();
            prop_assert_eq!(new_id, to.id_of(ObjectType::Tree, &expected).unwrap());
            let mut written = Vec::new();
            new_objects.read(new_objects.find(new_id.as_bytes()).unwrap(), &mut written).unwrap();
            prop_assert_eq!(written, expected);
        }
    }
}
