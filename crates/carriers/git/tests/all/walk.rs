//! The walk visits every object once, after its base, with the right content, whatever the delta trees look like.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::packs::*;
use crate::repositories::{empty, objects as open};
use fieldtest_git::{Error, Object, ObjectId, ObjectType, Objects, Visitor};
use proptest::prelude::*;

/// The number of a base, counted as long as it is kept.
struct Kept {
    number: u32,
    _counted: Arc<()>,
}

/// What one thread has seen: number, base, content.
struct Walker {
    seen: Vec<(u32, Option<u32>, Vec<u8>)>,
    alive: Arc<()>,
    most_alive: usize,
    only: Option<ObjectType>,
}

impl Visitor for Walker {
    type Kept = Kept;

    fn visit(&mut self, object: &Object<'_>, base: Option<&Kept>) -> Result<Kept, Error> {
        assert_eq!(object.delta.is_some(), base.is_some());
        self.seen.push((object.number, base.map(|base| base.number), object.content.to_vec()));
        let kept = Kept { number: object.number, _counted: self.alive.clone() };
        self.most_alive = self.most_alive.max(Arc::strong_count(&self.alive) - 1);
        Ok(kept)
    }

    fn visit_large(&mut self, number: u32, _size: u64, content: &mut dyn Read) -> Result<(), Error> {
        let mut all = Vec::new();
        content.read_to_end(&mut all).map_err(|source| Error::Io { path: "large".into(), source })?;
        self.seen.push((number, None, all));
        Ok(())
    }

    fn wants(&self, kind: ObjectType) -> bool {
        self.only.is_none_or(|only| only == kind)
    }
}

impl Walker {
    fn new(only: Option<ObjectType>) -> Walker {
        Walker { seen: Vec::new(), alive: Arc::default(), most_alive: 0, only }
    }
}

fn walk(objects: &Objects, threads: usize, only: Option<ObjectType>) -> Vec<Walker> {
    objects.walk(NonZeroUsize::new(threads).unwrap(), || Walker::new(only)).unwrap()
}

/// A walk over every third object visits these and what they are made of, and nothing else.
fn wanted_alone(objects: &Objects, threads: usize) {
    let threads = NonZeroUsize::new(threads).unwrap();
    let wanted = |number| number % 3 == 1;
    let walkers = objects.walk_wanted(threads, &wanted, || Walker::new(None)).unwrap();
    let mut seen: Vec<u32> =
        walkers.iter().flat_map(|walker| &walker.seen).map(|(number, ..)| *number).collect();
    seen.sort_unstable();
    let mut wanted = std::collections::BTreeSet::new();
    for number in (0..objects.len() as u32).filter(|number| number % 3 == 1) {
        wanted.extend(std::iter::successors(Some(number), |number| objects.base(*number)));
    }
    assert!(seen.into_iter().eq(wanted));
}

/// ID, offset in the pack, type, content, base.
type Made = (ObjectId, u64, ObjectType, Vec<u8>, Option<ObjectId>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_forest(
        plan in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..4, any::<bool>(), 0_usize..3), 1..80),
        threads in 1_usize..4,
    ) {
        let folder = empty();
        let mut pack = Builder::new();
        let mut made: Vec<Made> = Vec::new();
        for (at, (base, form, copies, loose)) in plan.iter().enumerate() {
            let own = format!("object {at}");
            let kind = [ObjectType::Blob, ObjectType::Tag][at % 2];
            if made.is_empty() || *form == 0 {
                let content = own.into_bytes();
                let id = pack.whole(kind, &content);
                made.push((id, pack.entries.last().unwrap().1, kind, content, None));
            } else {
                let (base_id, offset, kind, base, _) = base.get(&made).clone();
                let copied = if *copies { base.len() } else { 0 };
                let content = [&base[..copied], own.as_bytes()].concat();
                let id = name(kind, &content);
                let instructions = delta(base.len(), copied, own.as_bytes());
                let offset = match form {
                    1 => pack.name_delta(id, base_id, &instructions),
                    _ => pack.offset_delta(id, offset, &instructions),
                };
                made.push((id, offset, kind, content, Some(base_id)));
            }
            // A second copy, which must not be read as another object.
            if *loose == 0 {
                let (_, _, kind, content, _) = made.last().unwrap();
                write_loose(folder.path(), *kind, content);
            }
        }
        pack.write(folder.path());
        let objects = open(folder.path());
        prop_assert_eq!(objects.len(), made.len());
        wanted_alone(&objects, threads);
        let mut seen: Vec<_> = walk(&objects, threads, None).into_iter().flat_map(|walker| walker.seen).collect();
        seen.sort();
        prop_assert_eq!(seen.len(), made.len());
        let mut content = Vec::new();
        for (id, _, kind, wanted, base) in &made {
            let number = objects.find(id.as_bytes()).unwrap();
            prop_assert_eq!(objects.id(number), id.as_bytes());
            prop_assert_eq!(objects.kind(number), *kind);
            prop_assert_eq!(objects.size(number).unwrap(), wanted.len() as u64);
            prop_assert_eq!(objects.read(number, &mut content).unwrap(), *kind);
            prop_assert_eq!(&content, wanted);
            let base = base.map(|base| objects.find(base.as_bytes()).unwrap());
            prop_assert_eq!(objects.stored(number).base, base);
            prop_assert_eq!(&seen[number as usize], &(number, base, wanted.clone()));
        }
        let tags: usize = walk(&objects, threads, Some(ObjectType::Tag)).iter().map(|walker| walker.seen.len()).sum();
        prop_assert_eq!(tags, made.iter().filter(|object| object.2 == ObjectType::Tag).count());
    }
}

/// A chain of thousands of deltas, each with further deltas on it, takes the memory of a few contents only.
#[test]
fn long_chains_take_little_memory() {
    let folder = empty();
    let mut pack = Builder::new();
    pack.whole(ObjectType::Blob, b"0");
    let mut offset = pack.entries[0].1;
    let mut len = 1;
    for step in 0..5000 {
        let own = format!("step {step}");
        let id = name(ObjectType::Blob, own.as_bytes());
        let side = name(ObjectType::Blob, format!("side {step}").as_bytes());
        pack.offset_delta(side, offset, &delta(len, 0, format!("side {step}").as_bytes()));
        offset = pack.offset_delta(id, offset, &delta(len, 0, own.as_bytes()));
        len = own.len();
    }
    pack.write(folder.path());
    let walkers = walk(&open(folder.path()), 1, None);
    assert_eq!(walkers[0].seen.len(), 10_001);
    assert!(walkers[0].most_alive <= 3, "{}", walkers[0].most_alive);
}

/// An entry behind the first 4 GiB of its pack, where the index needs offsets of 8 bytes.
#[test]
fn packs_larger_than_4_gib() {
    let folder = empty();
    let mut pack = Builder::new();
    let near = pack.whole(ObjectType::Blob, b"near");
    let far = pack.whole(ObjectType::Blob, b"far");
    let begin = pack.entries[1].1 as usize;
    let (bytes, index) = pack.finish();
    let path = folder.path().join("objects/pack/pack-made.pack");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(&bytes[..begin]).unwrap();
    file.seek(SeekFrom::Start((5 << 30) + 1)).unwrap();
    file.write_all(&bytes[begin..]).unwrap();
    // One offset of 8 bytes, before both checksums at the end.
    let mut index = index[..index.len() - 20].to_vec();
    let narrow = index.len() - 20 - 8 + if far < near { 0 } else { 4 };
    index[narrow..narrow + 4].copy_from_slice(&0x8000_0000_u32.to_be_bytes());
    let wide = index.len() - 20;
    index.splice(wide..wide, ((5_u64 << 30) + 1).to_be_bytes());
    seal(&mut index);
    fs::write(path.with_extension("idx"), index).unwrap();

    let objects = open(folder.path());
    let mut content = Vec::new();
    objects.read(objects.find(far.as_bytes()).unwrap(), &mut content).unwrap();
    assert_eq!(content, b"far");
    // The hole behind the first one belongs to no object.
    let Err(error) = objects.read(objects.find(near.as_bytes()).unwrap(), &mut content) else {
        panic!("it was read")
    };
    assert!(error.to_string().contains(" bytes "), "{error}");
}
