//! A small repository with what is special in real ones, mapped and converted. The SHA-256 names are those that Git
//! 2.55 gave the same objects (`hash-object -w` in a repository with `extensions.compatObjectFormat`, from its
//! `loose-object-idx`); signatures are made up, as Git does not check them here.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::packs::{empty_repository, write_loose};
use crate::repositories::{self, formats, write};
use crate::{git, hashes};
use fieldtest_git::convert::{Refusal, UnknownHeaders};
use fieldtest_git::map::round_trip::round_trip;
use fieldtest_git::map::{
    Conversion, Map, Options, Otherwise, Scope, Submodules, Unmappable, new_id_of, tsv,
};
use fieldtest_git::{Error, Format, ObjectId, ObjectType, Objects, Repository};
use tempfile::TempDir;

const WHO: &str = "A U Thor <author@example.com> 1112911993 -0700";
const SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----\n\niQEzBAABCAAdFiEE\n-----END PGP SIGNATURE-----\n";

/// Old and new names, in the order blob, tree, root, first commit, signed commit, signed tag, merge.
const NAMES: [(&str, &str); 7] = [
    (
        "ce013625030ba8dba906f756967f9e9ca394464a",
        "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4",
    ),
    (
        "a759f2f25d304db1cf58854807402be870b8ab2c",
        "82887d9e287bcfa2579bfb5085fc2a664f05dbd46e579215a7e165e34d2f72c0",
    ),
    (
        "ec3ddff0cb8f73f64f5691870033f951cb29c1a5",
        "4e763c5092668871f30e06b21dabf3c80fcdaa119311d05c670971b9ac158950",
    ),
    (
        "275f3cf6cc670c0628d1e7c2d8a34d53a8630d82",
        "06f6a56c7771a50c52f2f150265b77cc7f21d45609f3a122acd9dbd22f02593d",
    ),
    (
        "7f8f3032b13660a9c64e552ca5ae9a34a437bf1a",
        "ff8d4a640bc891c70998fd435ffdcf83c2e075499e861a0a4ab315ad0f4504b5",
    ),
    (
        "56172e03fa3b29b389e38167dc53ee3d2a0e816f",
        "ef690951f8dde1ab49080a6c737ea218a0fc7fb4ac7b17c001f01c3c9719737a",
    ),
    (
        "cd5e24f07c9518c38aa54caea8b47d5e94d25e78",
        "d361856669cc72f723a09be09315901cd60dc85b18ebc57010fabd625a83ec94",
    ),
];

fn id(hex: &str) -> ObjectId {
    hex.parse().unwrap()
}

fn tree(entries: &[(&str, ObjectId)]) -> Vec<u8> {
    entries.iter().flat_map(|(head, id)| [head.as_bytes(), b"\0", id.as_bytes()].concat()).collect()
}

fn folded(text: &str) -> String {
    format!("{}\n", text.trim_end().replace('\n', "\n "))
}

/// The repository, with `refs/heads/main` at the merge and `refs/tags/v1` at the tag.
struct Fixture {
    folder: TempDir,
    /// In the order of [`NAMES`].
    ids: Vec<ObjectId>,
}

impl Fixture {
    fn new() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.git");
        empty_repository(&path);
        let write = |kind, content: &[u8]| write_loose(&path, kind, content);
        let blob = write(ObjectType::Blob, b"hello\n");
        let sub = write(ObjectType::Tree, &tree(&[("100664 file", blob)]));
        let entries = [("100644 a.txt", blob), ("40000 dir", sub), ("120000 link", blob)];
        let root = write(ObjectType::Tree, &tree(&entries));
        let people = format!("author {WHO}\ncommitter {WHO}\n");
        let mut first = format!("tree {root}\n{people}encoding ISO-8859-1\n\nfirst, ").into_bytes();
        first.extend_from_slice(b"\xe9\n");
        let first = write(ObjectType::Commit, &first);
        let signed =
            format!("tree {sub}\nparent {first}\n{people}gpgsig {}\nsigned, no newline", folded(SIGNATURE));
        let signed = write(ObjectType::Commit, signed.as_bytes());
        let tag = format!("object {signed}\ntype commit\ntag v1\ntagger {WHO}\n\nrelease\n{SIGNATURE}");
        let merge = format!(
            "tree {root}\nparent {first}\nparent {signed}\n{people}mergetag {}\nMerge tag v1\n",
            folded(&tag)
        );
        let tag = write(ObjectType::Tag, tag.as_bytes());
        let merge = write(ObjectType::Commit, merge.as_bytes());
        let refs = format!("{merge} refs/heads/main\n{tag} refs/tags/v1\n^{signed}\n");
        fs::write(path.join("packed-refs"), format!("# pack-refs with: peeled fully-peeled sorted \n{refs}"))
            .unwrap();
        Fixture { folder, ids: vec![blob, sub, root, first, signed, tag, merge] }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("old.git")
    }

    fn open(&self) -> (Repository, Objects) {
        open(&self.path())
    }

    fn objects(&self) -> Objects {
        repositories::objects(&self.path())
    }

    fn write(&self, kind: ObjectType, content: &[u8]) -> ObjectId {
        write_loose(&self.path(), kind, content)
    }
}

fn open(path: &Path) -> (Repository, Objects) {
    let repository = repositories::open(path);
    let objects = Objects::open(&repository).unwrap();
    (repository, objects)
}

#[test]
fn new_names_are_those_that_git_gives() {
    let fixture = Fixture::new();
    let objects = fixture.objects();
    let [from, to] = formats();
    let conversion = Conversion::compute(&objects, &from, &to, &Options::default()).unwrap();
    for (written, (old, new)) in fixture.ids.iter().zip(NAMES) {
        assert_eq!(written, &id(old));
        assert_eq!(conversion.new_id(written), Some(id(new)), "of {old}");
        assert_eq!(new_id_of(&objects, &from, &to, written, &Options::default()).unwrap(), id(new));
    }
    let map = conversion.map().unwrap();
    assert_eq!(map.len(), NAMES.len());
    for (old, new) in NAMES {
        assert_eq!(map.new_of(id(old).as_bytes()), Some(id(new).as_bytes()));
        assert_eq!(map.old_of(id(new).as_bytes()), Some(id(old).as_bytes()));
    }
    let outcome = round_trip(&conversion, &Options::default()).unwrap();
    assert_eq!((outcome.same, outcome.different), (NAMES.len() as u64, vec![]));
}

#[test]
fn a_converted_repository_is_read_by_us_and_by_git() {
    let fixture = Fixture::new();
    if git::is_installed() {
        // Some objects packed, as deltas where that is possible; the others loose.
        git::git(&fixture.path(), &["repack", "-q", "-d"]);
    }
    let (repository, objects) = fixture.open();
    let [from, to] = formats();
    let options = Options::default();
    let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
    let new = fixture.folder.path().join("new.git");
    let written = write(&conversion, &repository, &new, &options).unwrap();
    assert_eq!((written.contents.objects, written.references), (NAMES.len() as u64, 2));

    let (new_repository, new_objects) = open(&new);
    assert_eq!(new_repository.object_format(), "sha256");
    let back = Conversion::compute(&new_objects, &to, &from, &options).unwrap();
    for (old, new) in NAMES {
        assert_eq!(back.new_id(&id(new)), Some(id(old)));
    }
    let old_again = fixture.folder.path().join("old-again.git");
    write(&back, &new_repository, &old_again, &options).unwrap();
    let (old_repository, old_objects) = open(&old_again);
    assert_eq!(old_repository.references().unwrap(), repository.references().unwrap());
    assert_eq!(old_repository.head().unwrap(), repository.head().unwrap());
    for number in 0..objects.len() as u32 {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        objects.read(number, &mut before).unwrap();
        old_objects.read(old_objects.find(objects.id(number)).unwrap(), &mut after).unwrap();
        assert_eq!(before, after);
    }
    if git::is_installed() {
        for repository in [&new, &old_again] {
            git::git(repository, &["fsck", "--full"]);
        }
        let log = git::git(&new, &["log", "--format=%H %s", "v1"]);
        assert_eq!(log.lines().next().unwrap(), format!("{} signed, no newline", NAMES[4].1));
    }
}

#[test]
fn an_earlier_map_is_carried_on() {
    /// So many that a new one among them is read alone.
    const BLOBS: usize = 100;
    let fixture = Fixture::new();
    for number in 0..BLOBS {
        fixture.write(ObjectType::Blob, format!("{number}\n").as_bytes());
    }
    let [from, to] = formats();
    let map = {
        let objects = fixture.objects();
        Conversion::compute(&objects, &from, &to, &Options::default()).unwrap().map().unwrap()
    };
    let blob = fixture.write(ObjectType::Blob, b"later\n");
    let unknown = fixture.write(ObjectType::Blob, b"unknown\n");
    fixture.write(ObjectType::Tree, &tree(&[("100644 later", blob), ("100644 unknown", unknown)]));
    let objects = fixture.objects();
    // Names that are known already are not computed again: a wrong one is believed.
    let wrong = ObjectId::from_bytes(&[7; 32]).unwrap();
    let pairs = map.iter().map(|pair| {
        (pair.old, if pair.old == blob.as_bytes() { wrong.as_bytes() } else { pair.new }, pair.kind)
    });
    let added = (blob.as_bytes(), wrong.as_bytes(), ObjectType::Blob);
    let known = Map::from_pairs(&from, &to, pairs.chain([added])).unwrap();
    let carried_on =
        Conversion::compute(&objects, &from, &to, &Options { known: Some(&known), ..Options::default() })
            .unwrap();
    assert_eq!(carried_on.new_id(&blob), Some(wrong));
    assert_eq!(carried_on.map().unwrap().len(), NAMES.len() + BLOBS + 3);
    let anew = Conversion::compute(&objects, &from, &to, &Options::default()).unwrap();
    assert_eq!(carried_on.new_id(&unknown), anew.new_id(&unknown));
    for (old, new) in NAMES {
        assert_eq!(carried_on.new_id(&id(old)), Some(id(new)));
        assert_eq!(anew.new_id(&id(old)), Some(id(new)));
    }
}

#[test]
fn maps_are_written_and_read() {
    let fixture = Fixture::new();
    let objects = fixture.objects();
    let [from, to] = formats();
    let map = Conversion::compute(&objects, &from, &to, &Options::default()).unwrap().map().unwrap();

    let mut text = Vec::new();
    tsv::write(&map, &mut text).unwrap();
    assert!(text.starts_with(b"# sha1\tsha256\n275f3cf6cc670c0628d1e7c2d8a34d53a8630d82\t06f6a56c"));
    assert_eq!(tsv::read(&from, &to, text.as_slice()).unwrap(), map);
    assert!(tsv::read(&to, &from, text.as_slice()).unwrap_err().to_string().contains("line 1"));
    let cut = &text[..text.len() - 1];
    assert!(tsv::read(&from, &to, cut).unwrap_err().to_string().contains("line 8"));
}

#[test]
fn what_cannot_be_converted_is_named_or_left() {
    let fixture = Fixture::new();
    let missing = id("1111111111111111111111111111111111111111");
    let gitlink = fixture.write(ObjectType::Tree, &tree(&[("160000 lib", missing)]));
    let incomplete = fixture.write(ObjectType::Tree, &tree(&[("100644 lost", missing)]));
    let above = fixture.write(ObjectType::Tree, &tree(&[("40000 up", incomplete)]));
    let unknown = format!("tree {}\njj:trees xyz\n\n", fixture.ids[1]);
    let unknown = fixture.write(ObjectType::Commit, unknown.as_bytes());
    let objects = fixture.objects();
    let [from, to] = formats();

    let reason = |start: ObjectId| {
        let options = Options { scope: Scope::Reachable(&[start]), ..Options::default() };
        match Conversion::compute(&objects, &from, &to, &options) {
            Err(Error::Convert { id, reason, .. }) => (id, reason),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("it was converted"),
        }
    };
    assert_eq!(reason(gitlink), (gitlink, Refusal::Submodule { path: "lib".into(), id: missing }));
    assert_eq!(reason(above), (incomplete, Refusal::Missing { path: "lost".into(), id: missing }));
    assert_eq!(reason(unknown), (unknown, Refusal::UnknownHeader { headers: vec!["jj:trees".into()] }));

    let options = Options { unmappable: Unmappable::Leave, ..Options::default() };
    let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
    let mut left: Vec<_> = conversion.unmapped().map(|(id, _)| id).collect();
    left.sort_unstable();
    let mut expected = vec![gitlink, incomplete, above, unknown];
    expected.sort_unstable();
    assert_eq!(left, expected);
    assert_eq!(conversion.map().unwrap().len(), NAMES.len());

    let submodule =
        Map::from_pairs(&from, &to, [(missing.as_bytes(), &[9_u8; 32][..], ObjectType::Commit)].into_iter())
            .unwrap();
    let expected = [b"160000 lib\0", &[9_u8; 32][..]].concat();
    let mut digest = [0; 32];
    to.hash.digest(b"tree 43\0", &expected, &mut digest).unwrap();
    let maps = [submodule];
    for (maps, otherwise, same) in [(&maps[..], Otherwise::Refuse, true), (&[], Otherwise::Pad, false)] {
        let options = Options {
            scope: Scope::Reachable(&[gitlink, unknown]),
            submodules: Submodules { maps, otherwise, padded: &[] },
            unknown_headers: UnknownHeaders::KeepOnly(&["jj:trees"]),
            ..Options::default()
        };
        let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
        assert_eq!(conversion.new_id(&gitlink) == ObjectId::from_bytes(&digest), same);
        assert!(conversion.new_id(&unknown).is_some());
        assert!(conversion.new_id(&above).is_none());
        let outcome = round_trip(&conversion, &options).unwrap();
        assert_eq!((outcome.same, outcome.different), (4, vec![]));
    }
}

/// With the same option, what was filled up with zeros is as it was.
#[test]
fn padded_submodules_lead_back() {
    let fixture = Fixture::new();
    let module = id("1234567890123456789012345678901234567890");
    let gitlink = fixture.write(ObjectType::Tree, &tree(&[("160000 lib", module)]));
    let commit = format!("tree {gitlink}\nauthor {WHO}\ncommitter {WHO}\n\nx\n");
    let commit = fixture.write(ObjectType::Commit, commit.as_bytes());
    let (repository, objects) = fixture.open();
    let [from, to] = formats();
    let starts = [commit];
    let submodules = Submodules { otherwise: Otherwise::Pad, ..Submodules::default() };
    let options = Options { scope: Scope::Reachable(&starts), submodules, ..Options::default() };
    let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
    let new = fixture.folder.path().join("new.git");
    write(&conversion, &repository, &new, &options).unwrap();
    let new_commit = conversion.new_id(&commit).unwrap();

    let objects = repositories::objects(&new);
    let starts = [new_commit];
    let options = Options { scope: Scope::Reachable(&starts), submodules, ..Options::default() };
    let back = Conversion::compute(&objects, &to, &from, &options).unwrap();
    assert_eq!(back.new_id(&new_commit), Some(commit));
    assert!(round_trip(&back, &options).unwrap().different.is_empty());
    // Without it, and whatever else is longer, is refused.
    let submodules = Submodules::default();
    let refused = Conversion::compute(&objects, &to, &from, &Options { submodules, ..options }).err();
    assert!(matches!(refused, Some(Error::Convert { reason: Refusal::Submodule { .. }, .. })), "{refused:?}");
}

/// Git takes capital letters in the IDs of commits and tags, and the new form has small ones alone.
#[test]
fn two_objects_never_become_one() {
    let fixture = Fixture::new();
    let commit = |tree: String| {
        let content = format!("tree {tree}\nauthor {WHO}\ncommitter {WHO}\n\nsame\n");
        fixture.write(ObjectType::Commit, content.as_bytes())
    };
    let root = fixture.ids[2].to_string();
    let (small, capital) = (commit(root.clone()), commit(root.to_uppercase()));
    let objects = fixture.objects();
    let [from, to] = formats();
    let is_of_both = |error: Option<Error>| match error {
        Some(Error::SameContent { first, second, .. }) => {
            assert!([(small, capital), (capital, small)].contains(&(first, second)));
        }
        other => panic!("{other:?}"),
    };
    is_of_both(Conversion::compute(&objects, &from, &to, &Options::default()).err());
    // Whoever goes on to the end learns of all, and gets neither a map nor a repository.
    let third = commit(format!("{}{}", &root[..20], root[20..].to_uppercase()));
    let (repository, objects) = fixture.open();
    let options = Options { unmappable: Unmappable::Leave, ..Options::default() };
    let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
    let twins = conversion.collisions();
    assert_eq!(twins.len(), 2);
    assert!(twins.iter().any(|twins| [twins.first, twins.second].contains(&third)));
    assert!(twins.iter().all(|twins| twins.is_same_content));
    assert!(matches!(conversion.map(), Err(Error::SameContent { .. })));
    let new = fixture.folder.path().join("new.git");
    let written = write(&conversion, &repository, &new, &options);
    assert!(matches!(written, Err(Error::SameContent { .. })) && !new.exists());

    // One alone is converted, and leads back to the other.
    let options = Options { scope: Scope::Reachable(&[capital]), ..Options::default() };
    let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
    assert!(!round_trip(&conversion, &options).unwrap().different.is_empty());

    // An earlier map that gives a new object's ID to another one.
    let options = Options { scope: Scope::Reachable(&[small]), ..Options::default() };
    let right = Conversion::compute(&objects, &from, &to, &options).unwrap().new_id(&small).unwrap();
    let names = [(fixture.ids[2], id(NAMES[2].1)), (fixture.ids[0], right)];
    let names = names.iter().map(|(old, new)| (old.as_bytes(), new.as_bytes(), ObjectType::Blob));
    let known = Map::from_pairs(&from, &to, names).unwrap();
    let options = Options { known: Some(&known), ..options };
    assert!(matches!(Conversion::compute(&objects, &from, &to, &options), Err(Error::Collision { .. })));
}

#[test]
fn nothing_is_left_of_a_run_that_ends_early() {
    let fixture = Fixture::new();
    let (repository, objects) = fixture.open();
    let [from, to] = formats();
    let interrupt = AtomicBool::new(false);
    let options = Options { interrupt: &interrupt, ..Options::default() };
    let conversion = Conversion::compute(&objects, &from, &to, &options).unwrap();
    interrupt.store(true, Ordering::Relaxed);
    assert!(matches!(Conversion::compute(&objects, &from, &to, &options), Err(Error::Interrupted)));
    let new = fixture.folder.path().join("new.git");
    let written = write(&conversion, &repository, &new, &options);
    assert!(matches!(written, Err(Error::Interrupted)));
    let left: Vec<_> =
        fs::read_dir(fixture.folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["old.git"]);

    fs::create_dir(&new).unwrap();
    let refused = write(&conversion, &repository, &new, &Options::default()).unwrap_err();
    assert!(matches!(&refused, Error::Repository { path, .. } if *path == new), "{refused}");
    let unknown = Format { name: "sha3-256".into(), hash: hashes::sha256() };
    let conversion = Conversion::compute(&objects, &from, &unknown, &Options::default()).unwrap();
    let elsewhere = fixture.folder.path().join("elsewhere.git");
    let refused = write(&conversion, &repository, &elsewhere, &Options::default()).unwrap_err();
    assert!(
        matches!(&refused, Error::Repository { problem, .. } if problem.contains("\"sha3-256\"")),
        "{refused}"
    );
}
