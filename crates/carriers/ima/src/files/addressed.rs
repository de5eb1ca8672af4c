//! Stores that call what they keep by digests of it: image layouts, ostree, casync, composefs, Nix.
//!
//! What is in them is no tree that a system runs, but the parts of one. A signature in a layer changes its digest, so that the
//! name is wrong and nothing that refers to it finds it; a signature on an object is either no part of what is made of it, or
//! (ostree) breaks the checksum that it has for a name.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::xattr::LONGEST_VALUE;

/// A kind of such stores. Its text gives the reason to sign nothing in it, and the remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Addressed {
    /// An OCI layout, or what `docker save` and `podman save` write: layers and configurations (OCI image specification,
    /// `image-layout.md`).
    #[error(
        "it is a container image, whose layers are named after their digests, which signatures change; unpack the layers, \
         sign the files, and build the image from them"
    )]
    Image,
    /// A repository of ostree, whose objects are called by checksums over contents and xattrs (ostree, `repo.md`).
    #[error(
        "it is an ostree repository, whose objects are named after checksums of their contents and xattrs; sign the tree \
         before `ostree commit`"
    )]
    Ostree,
    /// Chunks of casync and desync.
    #[error(
        "it is a store of chunks named after their digests, not of files; sign the tree before it is cut into chunks"
    )]
    Chunks,
    /// Objects of composefs, and of others with two digits for a directory.
    #[error(
        "it is a store of objects named after their digests (composefs); sign the tree before the objects are made"
    )]
    Objects,
    /// A Nix store: its archives (NAR) have no xattrs, and what Nix registers loses those that it has.
    #[error(
        "it is a Nix store, and Nix removes xattrs when it adds and copies files; sign the image or the file \
         system built from it"
    )]
    Nix,
    /// A file that has the digest of its content for a name.
    #[error(
        "it is called by a digest, as parts of container images are, and signatures change the content; unpack it, sign the \
         files, and build the whole of them, or give it another name if the digest is of something else"
    )]
    Named,
}

impl Addressed {
    /// What a directory is, by what lies in it.
    pub fn of_folder(path: &Path) -> Option<Addressed> {
        let has = |name: &str| path.join(name).is_file();
        let name = |path: &Path| path.file_name().map(OsStr::to_owned).unwrap_or_default();
        let listed = |path: &Path| -> Vec<PathBuf> {
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        };
        // What is in directories that are called by so many digits.
        let sharded = |path: &Path, digits: usize| {
            let shards = listed(path).into_iter().filter(move |path| digits_of(&name(path)) == Some(digits));
            shards.flat_map(|path| listed(&path))
        };
        if has("oci-layout") || is_docker_manifest(&path.join("manifest.json")) {
            return Some(Addressed::Image);
        }
        let objects = path.join("objects");
        if objects.is_dir() && begins(&path.join("config")).is_some_and(|text| text.contains("repo_version"))
        {
            return Some(Addressed::Ostree);
        }
        if path.extension().is_some_and(|end| end == "castr")
            || sharded(path, 4).any(|path| path.extension().is_some_and(|end| end == "cacnk"))
        {
            return Some(Addressed::Chunks);
        }
        let is_object =
            |path: &PathBuf| path.file_stem().and_then(digits_of).is_some_and(|digits| digits >= 62);
        for objects in [&objects, path] {
            if let Some(object) = sharded(objects, 2).find(|path| is_object(path)) {
                return Some(of_object(&object));
            }
        }
        let is_nix = path.ends_with("nix/store") || (path.ends_with("store") && path.join(".links").is_dir());
        is_nix.then_some(Addressed::Nix)
    }

    /// The store that a path is, or is a part of, and what that is. What somebody unpacked beside the parts is none.
    pub fn around(path: &Path) -> Option<(PathBuf, Addressed)> {
        const PARTS: [&str; 4] = ["blobs", "objects", "sha256", "sha512"];
        let path = path.canonicalize().ok()?;
        if let Some(store) = path.ancestors().find(|path| path.ends_with("nix/store")) {
            return Some((store.to_path_buf(), Addressed::Nix));
        }
        for at in path.ancestors() {
            let is_file = !at.is_dir();
            if let Some(of) = if is_file { Addressed::of_file(at) } else { Addressed::of_folder(at) } {
                return Some((at.to_path_buf(), of));
            }
            let name = at.file_name()?;
            let is_part = PARTS.iter().any(|part| name == *part) || matches!(digits_of(name), Some(2 | 4));
            if !is_file && !is_part {
                break;
            }
        }
        None
    }

    /// What a file is by its name, and that of its directory: a layer, a chunk, an object.
    pub fn of_file(path: &Path) -> Option<Addressed> {
        let name = path.file_name()?;
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let end = path.extension().unwrap_or_default();
        let stem = Path::new(name).file_stem().and_then(digits_of);
        match (digits_of(folder), stem) {
            (Some(2), Some(62 | 126)) => Some(of_object(path)),
            (Some(4), Some(64)) if end == "cacnk" => Some(Addressed::Chunks),
            (_, Some(64 | 96 | 128)) => Some(Addressed::Named),
            // Of several ends, as HEX.tar.gz.
            _ => Path::new(name.to_str()?.split('.').next()?)
                .file_name()
                .and_then(digits_of)
                .is_some_and(|digits| matches!(digits, 64 | 96 | 128))
                .then_some(Addressed::Named),
        }
    }

    /// What an archive is by a member that it has. Images and stores begin at its root; an object of ostree that a layer has
    /// anywhere is one all the same (ostree-rs-ext).
    pub(crate) fn of_member(path: &Path) -> Option<Addressed> {
        const OF_OSTREE: [&str; 5] = ["file", "filez", "commit", "dirtree", "dirmeta"];
        let parts: Vec<&OsStr> = path
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name),
                _ => None,
            })
            .collect();
        let is_digest = |name: &OsStr| digits_of(name) == Some(64);
        let file = Path::new(parts.last()?);
        let is_object =
            Addressed::of_file(path).is_some_and(|of| matches!(of, Addressed::Objects | Addressed::Ostree));
        match parts[..] {
            [name] if name == "oci-layout" => Some(Addressed::Image),
            [folder, _, name] if folder == "blobs" && digits_of(name).is_some_and(|digits| digits >= 64) => {
                Some(Addressed::Image)
            }
            // Of docker save before version 25, and of podman save.
            [_] if file.extension().is_some_and(|end| end == "tar" || end == "json")
                && file.file_stem().is_some_and(is_digest) =>
            {
                Some(Addressed::Image)
            }
            [folder, name] if is_digest(folder) && name == "layer.tar" => Some(Addressed::Image),
            [_, _] if Addressed::of_file(path) == Some(Addressed::Chunks) => Some(Addressed::Chunks),
            [folder, ..] if is_object && folder == "objects" => Addressed::of_file(path),
            [..] if is_object
                && file.extension().is_some_and(|end| OF_OSTREE.iter().any(|of| end == *of)) =>
            {
                Some(Addressed::Ostree)
            }
            _ => None,
        }
    }
}

/// What keeps objects that are called so.
fn of_object(path: &Path) -> Addressed {
    if path.extension().is_some() { Addressed::Ostree } else { Addressed::Objects }
}

/// How many digits a name has that is a number in lower case of base 16.
fn digits_of(name: &OsStr) -> Option<usize> {
    let name = name.as_encoded_bytes();
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (!name.is_empty() && name.iter().all(is_digit)).then_some(name.len())
}

/// Whether it is the list of images that `docker save` writes: others have a `manifest.json` too, which is no list.
fn is_docker_manifest(path: &Path) -> bool {
    begins(path).is_some_and(|text| text.trim_start().starts_with('[') && text.contains("\"Layers\""))
}

/// How a small file begins.
fn begins(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path)
        .ok()
        .filter(|_| path.is_file())?
        .take(LONGEST_VALUE as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn folders_by_what_lies_in_them() {
        let temporary = tempfile::tempdir().unwrap();
        let (shard, object) = HEX.split_at(2);
        for (files, expected) in [
            (&["oci-layout"][..], Some(Addressed::Image)),
            (&["manifest.json=[{\"Config\":\"c\",\"Layers\":[]}]"], Some(Addressed::Image)),
            (&["manifest.json={\"Layers\":[]}"], None),
            (&["config=[core]\nrepo_version=1", "objects/00/x"], Some(Addressed::Ostree)),
            (&["config=[core]", "objects/00/x"], None),
            (&[&format!("objects/{shard}/{object}.filez")], Some(Addressed::Ostree)),
            (&[&format!("{shard}/{object}")], Some(Addressed::Objects)),
            (&[&format!("0123/{HEX}.cacnk")], Some(Addressed::Chunks)),
            // git's, by SHA-1: no kernel loads them.
            (&["objects/01/23456789abcdef0123456789abcdef01234567"], None),
            (&["usr/bin/true", "01/file"], None),
        ] {
            let folder = temporary.path().join("folder");
            for file in files {
                let (name, text) = file.split_once('=').unwrap_or((file, ""));
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            assert_eq!(Addressed::of_folder(&folder), expected, "{files:?}");
            let inside = folder.join(files[0].split_once('=').map_or(files[0], |(name, _)| name));
            assert_eq!(Addressed::around(&inside).is_some(), expected.is_some(), "{files:?}");
            fs::remove_dir_all(folder).unwrap();
        }
        for (path, store) in [("nix/store/x", "nix/store/x"), ("elsewhere/store/.links", "elsewhere/store")] {
            fs::create_dir_all(temporary.path().join(path)).unwrap();
            let found = Addressed::around(&temporary.path().join(store));
            assert_eq!(found.map(|(_, of)| of), Some(Addressed::Nix));
        }
    }

    #[test]
    fn members_by_their_names() {
        let (shard, object) = HEX.split_at(2);
        for (name, expected) in [
            ("./oci-layout".to_owned(), Some(Addressed::Image)),
            (format!("blobs/sha256/{HEX}"), Some(Addressed::Image)),
            (format!("{HEX}.json"), Some(Addressed::Image)),
            (format!("./{HEX}/layer.tar"), Some(Addressed::Image)),
            (format!("0123/{HEX}.cacnk"), Some(Addressed::Chunks)),
            (format!("objects/{shard}/{object}"), Some(Addressed::Objects)),
            (format!("sysroot/ostree/repo/objects/{shard}/{object}.file"), Some(Addressed::Ostree)),
            // What any layer may have somewhere.
            (format!("var/cache/{HEX}.json"), None),
            (format!("usr/share/cache/{shard}/{object}"), None),
            ("usr/share/oci-layout".to_owned(), None),
            ("nix/store/abc-hello/bin/hello".to_owned(), None),
        ] {
            assert_eq!(Addressed::of_member(Path::new(&name)), expected, "{name}");
        }
        for name in [HEX, &format!("{HEX}.tar.gz"), &format!("sha512/{HEX}{HEX}")] {
            assert_eq!(Addressed::of_file(Path::new(name)), Some(Addressed::Named), "{name}");
        }
        assert_eq!(Addressed::of_file(Path::new("layer.tar")), None);
    }
}
