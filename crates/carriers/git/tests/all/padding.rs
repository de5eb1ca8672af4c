//! Submodules' commits that are filled up with zeros, and maps that tell so; objects that nothing leads to.

use std::collections::HashSet;

use fieldtest_git::map::round_trip::round_trip;
use fieldtest_git::map::{Conversion, Map, Options, Otherwise, Submodules, Unmappable, tsv};
use fieldtest_git::{ObjectId, ObjectType};

use crate::packs::write_loose;
use crate::repositories::{empty, formats, objects};

/// What is filled up by name is so whatever a map has, is noted in the map, and leads back; the commit of zeros stays one.
#[test]
fn what_is_filled_up_is_noted() {
    let folder = empty();
    let [named, mapped, other, null] = [1, 2, 3, 0].map(|octet| ObjectId::from_bytes(&[octet; 20]).unwrap());
    let entries = [("a", named), ("b", mapped), ("c", other), ("d", null)];
    let entries = entries.map(|(path, id)| [format!("160000 {path}\0").as_bytes(), id.as_bytes()].concat());
    let tree = write_loose(folder.path(), ObjectType::Tree, &entries.concat());
    // Whose parts are gone, and which nothing leads to.
    let gone = [&b"100644 a\0"[..], &[9; 20]].concat();
    let gone = write_loose(folder.path(), ObjectType::Tree, &gone);
    let (objects, [from, to]) = (objects(folder.path()), formats());
    let pairs = [(&named, [7; 32]), (&mapped, [8; 32])];
    let pairs = pairs.iter().map(|(id, new)| (id.as_bytes(), &new[..], ObjectType::Commit));
    let maps = [Map::from_pairs(&from, &to, pairs).unwrap()];
    for (padded, otherwise, wanted) in [
        (&[][..], Otherwise::Pad, &[other][..]),
        (&[named], Otherwise::Pad, &[named, other]),
        (&[named, other], Otherwise::Refuse, &[named, other]),
    ] {
        let submodules = Submodules { maps: &maps, padded, otherwise };
        let options = Options { submodules, unmappable: Unmappable::Leave, ..Options::default() };
        let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
        assert!(round_trip(&conversion, &options).unwrap().different.is_empty());
        let new = |id: &ObjectId, new: u8| match wanted.contains(id) {
            true => [id.as_bytes(), &[0; 12]].concat(),
            false => vec![new; 32],
        };
        let ids = [new(&named, 7), new(&mapped, 8), new(&other, 0), vec![0; 32]];
        let content = ["a", "b", "c", "d"].iter().zip(ids);
        let content = content.map(|(path, id)| [format!("160000 {path}\0").as_bytes(), &id].concat());
        let id = to.id_of(ObjectType::Tree, &content.collect::<Vec<_>>().concat()).unwrap();
        assert_eq!(conversion.new_id(&tree), Some(id));

        let map = conversion.map().unwrap();
        assert_eq!(map.padded(), wanted);
        let mut text = Vec::new();
        tsv::write(&map, &mut text).unwrap();
        assert_eq!(tsv::read(&from, &to, text.as_slice()).unwrap(), map);
        let marks: Vec<String> = wanted.iter().map(|id| format!("\t{id}")).collect();
        assert!(text.starts_with(format!("# sha1\tsha256\tpadded{}\n", marks.concat()).as_bytes()));
        // And in what is made with it.
        let options = Options { submodules: Submodules { maps: &[map], ..submodules }, ..options };
        let above = Conversion::compute(&objects, &from, &to, &options).unwrap().map().unwrap();
        assert!(wanted.iter().all(|id| above.padded().contains(id)));

        assert_eq!(conversion.pruned_beyond(&[tree]).unwrap(), HashSet::from([gone]));
        assert!(conversion.pruned_beyond(&[gone]).unwrap().is_empty());
    }
}

/// An earlier map's objects stay, and which have other names is told.
#[test]
fn maps_of_two_times() {
    let [from, to] = formats();
    let map = |pairs: &[(u8, u8)]| {
        let pairs: Vec<_> = pairs.iter().map(|(old, new)| ([*old; 20], [*new; 32])).collect();
        let pairs = pairs.iter().map(|(old, new)| (&old[..], &new[..], ObjectType::Commit));
        Map::from_pairs(&from, &to, pairs).unwrap()
    };
    let mark = ObjectId::from_bytes(&[5; 20]).unwrap();
    let earlier = map(&[(1, 11), (2, 12)]).with_padded([mark]);
    let now = map(&[(2, 22), (3, 13)]);
    let renamed: Vec<_> = now.renamed(&earlier).map(|(pair, before)| (pair.old[0], before[0])).collect();
    assert_eq!(renamed, [(2, 12)]);
    let both = now.clone().with_earlier(&earlier, &from, &to).unwrap();
    assert_eq!(both, map(&[(1, 11), (2, 22), (3, 13)]).with_padded([mark]));
    assert_eq!(now.clone().with_earlier(&map(&[(2, 12)]), &from, &to).unwrap(), now);
}
