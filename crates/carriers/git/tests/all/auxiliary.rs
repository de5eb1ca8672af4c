//! Commit graphs, multi-pack indexes, bitmaps, reverse indexes and tables of times, as Git writes them: sound ones are
//! accepted, every flipped byte is found, and so is what contradicts the objects under a right checksum.

use crate::hashes;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::git::{git, is_installed};
use fieldtest_git::trailer::Trailer;
use fieldtest_git::verify::{Report, Settings, verify};
use fieldtest_git::{Options, Repository};

fn check(path: &Path) -> Report {
    let repository = Repository::open(path, &Options { partial: true, shallow: true }).unwrap();
    let hash = if repository.object_format() == "sha256" { hashes::sha256() } else { hashes::sha1() };
    let threads = NonZeroUsize::new(2).unwrap();
    let settings = Settings { hash: &*hash, threads, connectivity: true, interrupted: None, progress: None };
    verify(&repository, &settings).unwrap()
}

/// A repository of two packs with a branching history, an octopus merge, a tag of a tag and a submodule.
fn history(format: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main", "--object-format", format, "."]);
    for (name, value) in [
        ("pack.writeReverseIndex", "true"),
        ("pack.writeBitmapLookupTable", "true"),
        ("advice.nestedTag", "false"),
        ("gc.auto", "0"),
    ] {
        git(path, &["config", name, value]);
    }
    let commit = |step: u32| {
        fs::create_dir_all(path.join("sub/deep")).unwrap();
        fs::write(path.join("sub/deep").join((step % 5).to_string()), format!("{step}\n")).unwrap();
        fs::write(path.join("file"), format!("{step}\n").repeat(30)).unwrap();
        git(path, &["add", "."]);
        git(path, &["commit", "-q", "-m", &format!("step {step}")]);
    };
    (0..12).for_each(commit);
    for side in ["one", "two", "three"] {
        git(path, &["checkout", "-q", "-b", side, "HEAD~2"]);
        fs::write(path.join(side), side).unwrap();
        git(path, &["add", "."]);
        git(path, &["commit", "-q", "-m", side]);
        git(path, &["checkout", "-q", "main"]);
    }
    git(path, &["merge", "-q", "-m", "octopus", "one", "two", "three"]);
    let other = "5".repeat(if format == "sha256" { 64 } else { 40 });
    git(path, &["update-index", "--add", "--cacheinfo", &format!("160000,{other},lib")]);
    git(path, &["commit", "-q", "-m", "a submodule"]);
    git(path, &["tag", "-a", "-m", "a tag", "v1"]);
    git(path, &["tag", "-a", "-m", "a tag of a tag", "v2", "v1"]);
    git(path, &["repack", "-dq"]);
    git(path, &["reset", "-q", "--hard"]);
    (12..20).for_each(commit);
    folder
}

/// All files that are not packs, pack indexes or loose objects, by their ending.
fn auxiliary(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![path.join(".git/objects/pack"), path.join(".git/objects/info")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if ["rev", "bitmap", "mtimes", "graph"].contains(&ending.as_str())
                || ["commit-graph", "multi-pack-index"].contains(&name.as_str())
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Writes the checksum at the end anew.
fn sealed(mut bytes: Vec<u8>, id_len: usize) -> Vec<u8> {
    bytes.truncate(bytes.len() - id_len);
    let mut trailer = Trailer::new(id_len);
    trailer.update(&bytes);
    bytes.extend(trailer.finish().unwrap().as_bytes());
    bytes
}

/// All of what Git 2.39 writes, in one repository.
fn with_everything(format: &str) -> tempfile::TempDir {
    let folder = history(format);
    let path = folder.path();
    git(path, &["commit-graph", "write", "--reachable", "--changed-paths"]);
    git(path, &["repack", "-dq"]);
    git(path, &["multi-pack-index", "write", "--bitmap"]);
    folder
}

#[test]
fn what_git_wrote_is_accepted_in_every_combination() {
    if !is_installed() {
        return;
    }
    for format in ["sha1", "sha256"] {
        let folder = with_everything(format);
        let path = folder.path();
        let report = check(path);
        assert!(report.is_good(), "{format}: {report:?}");
        let found = &report.auxiliary;
        assert_eq!((found.commit_graphs, found.multi_pack_indexes, found.bitmaps), (1, 1, 1), "{found:?}");
        assert!(found.reverse_indexes >= 2, "{found:?}");
        // A chain of commit graphs, one pack with a bitmap of its own, and one of what nothing leads to.
        git(path, &["commit-graph", "write", "--reachable", "--split=no-merge"]);
        fs::write(path.join("file"), "more").unwrap();
        git(path, &["commit", "-qam", "more"]);
        git(path, &["commit-graph", "write", "--reachable", "--split=no-merge"]);
        git(path, &["update-ref", "-d", "refs/heads/three"]);
        git(path, &["commit", "--amend", "-qm", "amended"]);
        git(path, &["reflog", "expire", "--expire=now", "--all"]);
        git(path, &["repack", "-dq", "--cruft"]);
        git(path, &["repack", "-adqb", "--keep-unreachable"]);
        let report = check(path);
        assert!(report.is_good(), "{format}: {report:?}");
        assert!(report.auxiliary.bitmaps >= 1 && report.auxiliary.commit_graphs >= 2, "{report:?}");
    }
}

#[test]
fn tables_of_times() {
    if !is_installed() {
        return;
    }
    let folder = history("sha1");
    let path = folder.path();
    git(path, &["commit", "--amend", "-qm", "amended"]);
    git(path, &["reflog", "expire", "--expire=now", "--all"]);
    git(path, &["repack", "-dq", "--cruft"]);
    let report = check(path);
    assert!(report.is_good() && report.auxiliary.times == 1, "{report:?}");
    let file =
        auxiliary(path).into_iter().find(|path| path.extension().is_some_and(|it| it == "mtimes")).unwrap();
    flips(path, &file);
}

/// Flips bits all over a file, and cuts it; each has to be found and named by the file.
fn flips(repository: &Path, file: &Path) {
    let whole = fs::read(file).unwrap();
    let step = (whole.len() / 40).max(1);
    for at in (0..whole.len()).step_by(step) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        replace(file, &bytes);
        let report = check(repository);
        let named = report.damaged.iter().any(|error| error.to_string().contains(&*file.to_string_lossy()));
        assert!(named, "{}: byte {at}: {report:?}", file.display());
    }
    for end in [0, 3, 7, whole.len() / 2, whole.len() - 1] {
        replace(file, &whole[..end]);
        assert!(!check(repository).damaged.is_empty(), "{}: cut at {end}", file.display());
    }
    replace(file, &whole);
    assert!(check(repository).is_good());
}

#[test]
fn every_flipped_byte_is_found_in_its_file() {
    if !is_installed() {
        return;
    }
    let folder = with_everything("sha1");
    let files = auxiliary(folder.path());
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        flips(folder.path(), &file);
    }
}

/// A chunk of a file with a table of chunks that begins at byte `table`: where it lies.
fn chunk(bytes: &[u8], table: usize, name: &[u8; 4]) -> std::ops::Range<usize> {
    find_chunk(bytes, table, name).unwrap()
}

/// The same of one that need not be there.
fn find_chunk(bytes: &[u8], table: usize, name: &[u8; 4]) -> Option<std::ops::Range<usize>> {
    let offset = |at: usize| u64::from_be_bytes(bytes[at + 4..at + 12].try_into().unwrap()) as usize;
    let mut heads = (table..).step_by(12).take_while(|&at| bytes[at..at + 4] != [0; 4]);
    let at = heads.find(|&at| &bytes[at..at + 4] == name)?;
    Some(offset(at)..offset(at + 12))
}

/// In a chain, the order of packs counts from the objects of the files below (gitformat-pack(5), “RIDX”, “BTMP”).
#[test]
fn places_in_a_chain_go_on_from_what_is_below() {
    if !is_installed() {
        return;
    }
    let folders = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let packs = folders.each_ref().map(|folder| folder.path().join(".git/objects/pack"));
    let chain = packs[0].join("multi-pack-index.d");
    let (mut below, mut sums) = (0, Vec::new());
    for (nth, (folder, packs_here)) in folders.iter().zip(&packs).enumerate() {
        let path = folder.path();
        git(path, &["init", "-q", "-b", "main", "."]);
        for step in 0..=3 - nth {
            fs::write(path.join("file"), format!("{nth} {step}")).unwrap();
            git(path, &["add", "."]);
            git(path, &["commit", "-q", "-m", "step"]);
        }
        git(path, &["repack", "-adq"]);
        git(path, &["multi-pack-index", "write", "--bitmap"]);
        let mut bytes = fs::read(packs_here.join("multi-pack-index")).unwrap();
        for (name, width) in [(b"RIDX", 4), (b"BTMP", 8)] {
            let Some(places) = find_chunk(&bytes, 12, name) else { continue };
            for place in bytes[places].chunks_exact_mut(width) {
                let (number, _) = place.split_first_chunk_mut().unwrap();
                *number = (u32::from_be_bytes(*number) + below).to_be_bytes();
            }
        }
        let bytes = sealed(bytes, 20);
        below += chunk(&bytes, 12, b"OIDL").len() as u32 / 20;
        fs::create_dir_all(&chain).unwrap();
        let sum: String = bytes[bytes.len() - 20..].iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(chain.join(format!("multi-pack-index-{sum}.midx")), bytes).unwrap();
        sums.push(format!("{sum}\n"));
        for entry in fs::read_dir(packs_here).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            match name.starts_with("multi-pack-index") {
                true if path.is_file() => fs::remove_file(&path).unwrap(),
                false if nth > 0 => drop(fs::copy(&path, packs[0].join(name)).unwrap()),
                _ => {}
            }
        }
    }
    let list = chain.join("multi-pack-index-chain");
    fs::write(&list, sums.concat()).unwrap();
    let report = check(folders[0].path());
    assert!(report.is_good(), "{:?}", report.damaged);
    assert_eq!(report.auxiliary.multi_pack_indexes, 2);
    // Names in another format are Git's own, and not looked at.
    let names = folders[0].path().join(".git/objects/loose-object-idx");
    fs::write(&names, "").unwrap();
    assert!(check(folders[0].path()).auxiliary.unchecked.contains("objects/loose-object-idx"));
    // In the other order both begin elsewhere.
    sums.reverse();
    fs::write(&list, sums.concat()).unwrap();
    assert!(check(folders[0].path()).damaged.len() > 2);
}

#[test]
fn what_contradicts_the_objects_is_found_under_a_right_checksum() {
    if !is_installed() {
        return;
    }
    let folder = with_everything("sha1");
    let path = folder.path();
    let try_at = |file: &Path, at: usize, bit: u8, words: &str| {
        let whole = fs::read(file).unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= bit;
        replace(file, &sealed(bytes, 20));
        let report = check(path);
        let said: Vec<String> = report.damaged.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|said| said.contains(words)), "{}: byte {at}: {said:?}", file.display());
        replace(file, &whole);
    };
    let graph = path.join(".git/objects/info/commit-graph");
    let bytes = fs::read(&graph).unwrap();
    let row = chunk(&bytes, 8, b"CDAT").start + 36;
    try_at(&graph, row + 3, 1, "tree");
    try_at(&graph, row + 23, 1, "parents");
    try_at(&graph, row + 35, 1, "date");
    try_at(&graph, chunk(&bytes, 8, b"OIDL").start + 19, 1, "not in the");
    try_at(&graph, chunk(&bytes, 8, b"EDGE").start + 3, 1, "parents");
    try_at(&graph, chunk(&bytes, 8, b"BIDX").start, 0x40, "Bloom filter");
    // All levels are 1: children are no longer above their parents.
    let mut flat = bytes.clone();
    for row in chunk(&bytes, 8, b"CDAT").step_by(36) {
        flat[row + 28..row + 31].copy_from_slice(&[0, 0, 0]);
        flat[row + 31] = flat[row + 31] & 3 | 4;
    }
    replace(&graph, &sealed(flat, 20));
    let report = check(path);
    assert!(report.damaged.iter().any(|error| error.to_string().contains("generation number")), "{report:?}");
    replace(&graph, &bytes);

    let midx = path.join(".git/objects/pack/multi-pack-index");
    let bytes = fs::read(&midx).unwrap();
    // Its bitmap and its checksum part here, which is no matter.
    try_at(&midx, chunk(&bytes, 12, b"OOFF").start + 7, 1, "at byte");
    try_at(&midx, chunk(&bytes, 12, b"OOFF").start + 3, 8, "pack");
    try_at(&midx, chunk(&bytes, 12, b"OIDL").start, 0x80, "not in order");
    try_at(&midx, chunk(&bytes, 12, b"RIDX").start + 11, 1, "place");

    for file in auxiliary(path) {
        if file.extension().is_some_and(|ending| ending == "rev") && file.to_string_lossy().contains("pack-")
        {
            try_at(&file, 15, 1, "place 0");
        }
    }
}

#[test]
fn bitmaps_are_held_against_a_walk() {
    if !is_installed() {
        return;
    }
    let folder = history("sha1");
    let path = folder.path();
    git(path, &["repack", "-adqb"]);
    assert!(check(path).is_good());
    let file =
        auxiliary(path).into_iter().find(|path| path.extension().is_some_and(|it| it == "bitmap")).unwrap();
    let whole = fs::read(&file).unwrap();
    // What lies behind the bitmaps (hashes of names, and the table of bitmaps) is told from the end.
    let objects = check(path).objects as usize;
    let entries = u32::from_be_bytes(whole[8..12].try_into().unwrap()) as usize;
    let end = whole.len() - 20 - 4 * objects - 16 * entries;
    let (mut tried, mut missed) = (0, Vec::new());
    for at in 32..end {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        replace(&file, &sealed(bytes, 20));
        tried += 1;
        if check(path).is_good() {
            missed.push(at);
        }
    }
    replace(&file, &whole);
    // The table of bitmaps says nothing that is not checked, and the hashes of names nothing that is.
    let index = fs::read(file.with_extension("idx")).unwrap();
    let packed = u32::from_be_bytes(index[8 + 4 * 255..][..4].try_into().unwrap()) as usize;
    let table = whole.len() - 20 - 4 * packed - 16 * entries;
    for at in table..table + 16 * entries {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        replace(&file, &sealed(bytes, 20));
        assert!(!check(path).is_good(), "byte {} of the table of bitmaps", at - table);
    }
    replace(&file, &whole);
    let unchecked = check(path).auxiliary.unchecked;
    assert!(unchecked.iter().any(|what| what.contains("bitmaps")), "{unchecked:?}");
    // What a flip can change without changing what is said: the flags of an entry, sizes that are rounded up, where the
    // last run begins.
    assert!(tried > 200 && missed.len() * 8 < tried, "{tried} bytes, not found: {missed:?}");
}

/// A commit graph has 34 bits for a date, and Git believes what they say.
#[test]
fn dates_in_commit_graphs_are_what_git_reads_in_commits() {
    if !is_installed() {
        return;
    }
    for (date, fault) in [
        ("17179869183 +0000", false),
        ("17179869185 +0000", true),
        ("68719476737 +0000", true),
        ("-5 +0000", true),
        ("99999999999999999999 +0000", true),
        ("x", false),
        ("", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        git(path, &["init", "-q", "-b", "main", "."]);
        let tree = git(path, &["write-tree"]);
        let commit = format!("tree {tree}author a <a> 1 +0000\ncommitter a <a> {date}\n\nx\n");
        fs::write(path.join("commit"), commit).unwrap();
        let id = git(path, &["hash-object", "-t", "commit", "-w", "--literally", "commit"]);
        git(path, &["update-ref", "refs/heads/main", id.trim()]);
        git(path, &["commit-graph", "write", "--reachable"]);
        let mut of_git = std::process::Command::new("git");
        let of_git = of_git.args(["commit-graph", "verify"]).current_dir(path).output().unwrap();
        let of_git = of_git.status.success();
        assert_eq!(of_git, !fault, "{date}");
        let report = check(path);
        assert_eq!(report.is_good(), !fault, "{date}: {report:?}");
        assert_eq!(report.damaged.len(), usize::from(fault), "{date}: {report:?}");
    }
}
