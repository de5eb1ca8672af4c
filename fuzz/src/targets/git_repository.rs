//! A whole repository of which one file is foreign: references, configuration, packs with their indexes.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};

use fieldtest_git::pack::index_write::write_index;
use fieldtest_git::pack::write::PackWriter;
use fieldtest_git::verify::{Settings, verify};
use fieldtest_git::{Format, ObjectId, ObjectType, Objects, Options, Repository};

use super::Target;
use super::git::stored;
use crate::{fakes, scratch};

pub(super) const TARGETS: &[Target] = &[Target { name: "git-repository", run: repository, seeds }];

/// The files that an input may replace; its first byte chooses one.
const FILES: [&str; 13] = [
    "HEAD",
    "config",
    "packed-refs",
    "refs/heads/main",
    "refs/notes/commits",
    "refs/replace/0123456789abcdef0123456789abcdef01234567",
    "shallow",
    "commondir",
    "objects/info/alternates",
    "objects/ab/cdef0123456789abcdef0123456789abcdef01",
    "objects/pack/pack-a.pack",
    "objects/pack/pack-a.idx",
    "logs/refs/stash",
];

fn format() -> Format {
    Format { name: "sha1".to_owned(), hash: fakes::sha1() }
}

/// The repository before anything is replaced: path within it, content.
fn sound() -> &'static [(PathBuf, Vec<u8>)] {
    static SOUND: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();
    SOUND.get_or_init(|| {
        let format = format();
        let id = |kind, content: &[u8]| format.id_of(kind, content).expect("an ID");
        let blob = (ObjectType::Blob, b"a line\n".repeat(9));
        let tree_content = [&b"100644 a\0"[..], id(blob.0, &blob.1).as_bytes()].concat();
        let tree = (ObjectType::Tree, tree_content);
        let people = "author A <a@x> 1 +0000\ncommitter C <c@x> 2 +0000\n";
        let commit_text = format!("tree {}\n{people}\nm\n", id(tree.0, &tree.1));
        let commit = (ObjectType::Commit, commit_text.into_bytes());
        let main = id(commit.0, &commit.1);
        // The second blob is the first with another end, as a delta.
        let other = [&blob.1[..60], b"end"].concat();
        let delta = [&[63, 63, 0x90, 60, 3][..], b"end"].concat();

        let mut pack = PackWriter::new(Vec::new(), 4, 20).expect("room");
        let mut at = 0;
        for (kind, content) in [&commit, &tree, &blob] {
            let (id, size) = (id(*kind, content), content.len() as u64);
            at = pack.object(id, *kind, size, &stored(content)).expect("room");
        }
        pack.delta(id(ObjectType::Blob, &other), at, delta.len() as u64, &stored(&delta)).expect("room");
        let mut packed = pack.finish().expect("all objects");
        let mut index = Vec::new();
        write_index(&mut packed.entries, &packed.trailer, &mut index).expect("room");

        let file = |path: &str, content: &[u8]| (PathBuf::from(path), content.to_vec());
        vec![
            file("HEAD", b"ref: refs/heads/main\n"),
            file("config", b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n"),
            file(
                "packed-refs",
                format!("# pack-refs with: peeled fully-peeled sorted \n{main} refs/heads/main\n").as_bytes(),
            ),
            file("objects/pack/pack-a.pack", &packed.out),
            file("objects/pack/pack-a.idx", &index),
        ]
    })
}

fn folder() -> PathBuf {
    scratch::folder().join("repository.git")
}

fn put(path: &Path, content: &[u8]) {
    let path = folder().join(path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).expect("a directory");
    }
    fs::write(path, content).expect("room");
}

fn repository(input: &[u8]) {
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        sound().iter().for_each(|(path, content)| put(path, content));
        fs::create_dir_all(folder().join("refs")).expect("a directory");
    });
    let Some((which, content)) = input.split_first() else { return };
    let path = Path::new(FILES[usize::from(*which) % FILES.len()]);
    put(path, content);
    judge();
    match sound().iter().find(|(known, _)| known == path) {
        Some((_, content)) => put(path, content),
        None => fs::remove_file(folder().join(path)).expect("the file that was put there"),
    }
}

fn judge() {
    let repository = match Repository::open(&folder(), &Options { partial: true, shallow: true }) {
        Ok(repository) => repository,
        Err(error) => return drop(error.to_string()),
    };
    let _ = repository.references();
    let hash = if repository.id_len() == 20 { fakes::sha1() } else { fakes::sha256() };
    let settings = Settings {
        hash: &*hash,
        threads: NonZeroUsize::MIN,
        connectivity: true,
        interrupted: None,
        progress: None,
    };
    match verify(&repository, &settings) {
        Ok(report) => report.damaged.iter().for_each(|error| drop(error.to_string())),
        Err(error) => drop(error.to_string()),
    }
    let Ok(objects) = Objects::open_damaged(&repository, &mut |_| Ok(())) else { return };
    let mut content = Vec::new();
    for number in 0..objects.len().min(16) as u32 {
        let _ = objects.read(number, &mut content);
    }
    let _ = objects.find(ObjectId::from_bytes(&[0; 20]).expect("an ID").as_bytes());
}

fn seeds() -> Vec<Vec<u8>> {
    let of = |file: &str, content: &[u8]| {
        let which = FILES.iter().position(|known| *known == file).expect("a file of the list");
        [&[which as u8][..], content].concat()
    };
    let sound_ones = sound().iter().map(|(path, content)| of(path.to_str().expect("text"), content));
    let id = "0123456789abcdef0123456789abcdef01234567";
    sound_ones
        .chain([
            of("HEAD", format!("{id}\n").as_bytes()),
            of("config", b"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n\tpartialClone = o\n"),
            of("config", b"[a \"b\\\"c\"] d = \"e\\n\" ; f\n[include]\n\tpath = g\n"),
            of("refs/heads/main", format!("{id}\n").as_bytes()),
            of("refs/notes/commits", b"ref: refs/heads/main\n"),
            of("refs/replace/0123456789abcdef0123456789abcdef01234567", format!("{id}\n").as_bytes()),
            of("packed-refs", format!("{id} refs/tags/t\n^{id}\n").as_bytes()),
            of("shallow", format!("{id}\n").as_bytes()),
            of("commondir", b".\n"),
            of("objects/info/alternates", b"# c\n../x\n\"quoted\\012\"\n"),
            of("objects/ab/cdef0123456789abcdef0123456789abcdef01", &stored(b"blob 0\0")),
            of("logs/refs/stash", format!("{id} {id} A <a@x> 1 +0000\tm\n").as_bytes()),
        ])
        .collect()
}
