//! The packages that are in a directory: archives, and the trees of directories that are named.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use fieldtest_frame::job::{self, Met};
use fieldtest_frame::text::names;
use fieldtest_ima::tar::{self, TarError};
use fieldtest_ima::tree::Addressed;

use super::super::shown;
use crate::outcome::{coded, usage};

/// What a tree's list is called beside the tree's name.
const MANIFEST: &str = ".manifest";

/// How archives are called, also those that are compressed, encrypted or images: these are refused by name, as `ima sign`
/// does.
const ARCHIVES: [&str; 25] = [
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.xz",
    ".txz",
    ".tar.zst",
    ".tzst",
    ".tar.bz2",
    ".tbz2",
    ".tbz",
    ".tar.lzma",
    ".tar.lz",
    ".tar.lz4",
    ".tar.z",
    ".taz",
    ".tb2",
    ".tlz",
    ".tar.lzo",
    ".tzo",
    ".tar.lrz",
    ".tar.br",
    ".tar.gpg",
    ".ova",
    ".oci",
    ".squashfs",
];

/// Of these, what has no first bytes of its own.
const UNMARKED: [(&str, &str); 2] = [(".tar.br", "brotli"), (".tar.gpg", "gpg")];

/// How packages end whose files are signed otherwise, if at all.
const FOREIGN: [&str; 3] = [".deb", ".udeb", ".rpm"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A tar archive, a file.
    Archive,
    /// A directory with all below it.
    Tree,
}

/// A package, or what looks like one.
pub(super) type Found = job::Found<Kind>;

#[derive(Debug, Default)]
pub(super) struct Finds {
    /// Sorted by name.
    pub(super) packages: Vec<Found>,
    /// Symbolic links, which are not followed.
    pub(super) links: usize,
    /// Files and more that are no archives.
    pub(super) others: usize,
    /// Of these, packages of a kind that is not signed here, sorted.
    pub(super) foreign: Vec<String>,
    /// Of these, what is compressed and not called an archive, so that nobody knows whether it is one, sorted.
    pub(super) compressed: Vec<String>,
}

/// Looks through a directory and all below it for archives. Directories directly in one of `trees` are trees, and not looked into, but
/// for those on the way to another one of `trees`. A directory that calls what is in it by digests is one package, which has a
/// problem.
///
/// # Errors
/// The directory itself cannot be read, or is called so; one of `trees` was not met.
pub(super) fn find(root: &Path, trees: &[PathBuf]) -> Result<Finds> {
    let of_trees = trees.iter().map(|path| below(root, path)).collect::<Vec<_>>();
    let tree = |path: &Path| of_trees.iter().position(|tree| tree == path);
    let mut seen: HashSet<usize> = tree(Path::new("")).into_iter().collect();
    let mut finds = Finds::default();
    if let Some((store, of)) = Addressed::around(root) {
        return Err(coded(
            "addressed",
            usage(format!("cannot sign the packages in {}: {of}", shown::path(&store))),
        ));
    }
    job::walk(root, |below, met| {
        match met {
            Met::Link => finds.links += 1,
            Met::Folder => {
                if let Some(of) = Addressed::of_folder(&root.join(&below)) {
                    // Neither it nor what is in it is missed.
                    seen.extend((0..of_trees.len()).filter(|at| of_trees[*at].starts_with(&below)));
                    finds.add(root, below, Kind::Tree, Some(of.to_string()));
                    return false;
                }
                let in_trees = below.parent().is_some_and(|folder| tree(folder).is_some());
                let is_passed = !in_trees || of_trees.iter().any(|path| path.starts_with(&below));
                seen.extend(tree(&below).filter(|_| is_passed));
                if !is_passed {
                    finds.add(root, below, Kind::Tree, None);
                }
                return is_passed;
            }
            Met::Unread(problem) => finds.add(root, below, Kind::Tree, Some(problem)),
            Met::File => finds.add_file(root, below),
            Met::Other => finds.others += 1,
        }
        false
    })?;
    let is_seen = |path: &Path| tree(path).is_some_and(|tree| seen.contains(&tree));
    if let Some((missing, _)) = trees.iter().zip(&of_trees).find(|(_, path)| !is_seen(path)) {
        return Err(usage(format!(
            "invalid --trees '{}': there is no such directory below {}, or only behind a symbolic link or in a tree",
            shown::path(missing),
            shown::path(root)
        )));
    }
    job::settle(&mut finds.packages);
    finds.foreign.sort();
    finds.compressed.sort();
    Ok(finds)
}

/// The path of a directory from the root, however it was written.
fn below(root: &Path, path: &Path) -> PathBuf {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.components().filter(|part| *part != Component::CurDir).collect()
}

impl Finds {
    fn add(&mut self, root: &Path, below: PathBuf, kind: Kind, problem: Option<String>) {
        let end = if kind == Kind::Tree { MANIFEST } else { "" };
        self.packages.push(Found::new(root, below, end, kind, problem));
    }

    fn add_file(&mut self, root: &Path, below: PathBuf) {
        let is_called = |ends: &[&str]| below.file_name().is_some_and(|name| ends_with_any(name, ends));
        match begins_as(&root.join(&below)) {
            Ok(Start::Archive) => {
                let problem = Addressed::of_file(&below).map(|of| of.to_string());
                self.add(root, below, Kind::Archive, problem);
            }
            Ok(_) if is_called(&ARCHIVES) => {
                let by = UNMARKED.iter().find(|(end, _)| is_called(&[end])).map(|(_, by)| *by);
                let problem = by.map(|by| TarError::Compressed(by).to_string());
                self.add(root, below, Kind::Archive, problem);
            }
            Ok(start) => {
                self.others += 1;
                if is_called(&FOREIGN) {
                    self.foreign.push(names::of(&below));
                } else if let Start::Compressed = start {
                    self.compressed.push(names::of(&below));
                }
            }
            Err(error) => {
                let problem = format!("cannot detect whether it is an archive: {error}");
                self.add(root, below, Kind::Archive, Some(problem));
            }
        }
    }
}

/// Whether a name has one of these ends, in any case.
fn ends_with_any(name: &OsStr, ends: &[&str]) -> bool {
    let name = name.as_bytes().to_ascii_lowercase();
    ends.iter().any(|end| name.ends_with(end.as_bytes()))
}

/// What a file is by its first bytes.
enum Start {
    Archive,
    Compressed,
    Other,
}

fn begins_as(path: &Path) -> io::Result<Start> {
    /// The longest start that tells.
    const START: u64 = 512;
    let mut start = Vec::new();
    File::open(path)?.take(START).read_to_end(&mut start)?;
    Ok(match tar::compressor(&start) {
        _ if tar::is_archive(&start) => Start::Archive,
        Some(_) => Start::Compressed,
        None => Start::Other,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn found(root: &Path, trees: &[&str]) -> Vec<(String, Kind, String, bool)> {
        let trees: Vec<PathBuf> = trees.iter().map(PathBuf::from).collect();
        let packages = find(root, &trees).unwrap().packages.into_iter();
        packages
            .map(|found| (found.name, found.kind, names::of(&found.destination), found.problem.is_some()))
            .collect()
    }

    #[test]
    fn archives_by_their_names_alone() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a.OVA", "a.oci", "a.squashfs", "a.tar.br", "a.tar.gpg", "a.tar.lrz", "a.tar.lzo"]
            .into_iter()
            .chain(["a.taz", "a.tb2", "a.tlz", "a.tzo"]);
        for name in names.clone().chain(["a.gpg", "a.lzo"]) {
            fs::write(folder.path().join(name), "nothing that is known").unwrap();
        }
        // What has no first bytes by which the compressor is known is refused by its name.
        let archive = |name: &str| {
            (name.to_owned(), Kind::Archive, name.to_owned(), name.ends_with("br") || name.ends_with("gpg"))
        };
        assert_eq!(found(folder.path(), &[]), names.map(archive).collect::<Vec<_>>());
    }

    #[test]
    fn archives_and_trees() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["pool/a", "trees/one/usr", "trees/two", "trees/more/three", "trees/x"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        for path in [
            "pool/a/a.tar",
            "pool/B.TAR.XZ",
            "pool/a/a.tar.asc",
            "trees/one/usr/inner.tar",
            "trees/x.manifest.tar",
        ] {
            fs::write(root.join(path), "no archive").unwrap();
        }
        symlink("pool", root.join("link")).unwrap();
        let archive = |name: &str| (name.to_owned(), Kind::Archive, name.to_owned(), false);
        let tree = |name: &str| (name.to_owned(), Kind::Tree, format!("{name}.manifest"), false);
        let in_pool = [archive("pool/B.TAR.XZ"), archive("pool/a/a.tar")];
        let others = [archive("trees/one/usr/inner.tar"), archive("trees/x.manifest.tar")];
        assert_eq!(found(root, &[]), [in_pool.clone(), others].concat());
        let trees = [tree("trees/more"), tree("trees/one"), tree("trees/two"), tree("trees/x")];
        let whole = [&in_pool[..], &trees, &[archive("trees/x.manifest.tar")]].concat();
        assert_eq!(found(root, &["./trees/"]), whole);
        assert_eq!(found(root, &[root.join("trees").to_str().unwrap()]), whole);
        let deeper = found(root, &["trees", "trees/more"]);
        assert!(
            deeper.contains(&tree("trees/more/three")) && !deeper.contains(&tree("trees/more")),
            "{deeper:?}"
        );
        let Finds { links, others, .. } = find(root, &[]).unwrap();
        assert_eq!((links, others), (1, 1));
        for none in ["none", "../trees", "link", "pool/a/a.tar"] {
            assert!(
                find(root, &[none.into()]).unwrap_err().to_string().contains("no such directory"),
                "{none}"
            );
        }
        fs::write(root.join("trees/x.manifest"), [&b"a"[..], &[0; 511]].concat()).unwrap();
        fs::rename(root.join("trees/x.manifest"), root.join("trees/x.manifest.old")).unwrap();
        fs::rename(root.join("trees/x.manifest.tar"), root.join("trees/y.tar")).unwrap();
        fs::create_dir(root.join("trees/y.tar.manifest")).unwrap();
        assert!(found(root, &["trees"]).iter().all(|(.., refused)| !refused));
    }
}
