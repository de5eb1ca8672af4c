//! The files of a tree with what they have already, for predictions. Nothing is opened or written.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fieldtest_ima::space::{Attribute, FileShape, TreeFile};
use fieldtest_ima::store::attribute::IMA;
use rustix::fs::{lgetxattr_query, llistxattr};
use walkdir::{DirEntry, WalkDir};

use super::shown::Spinner;
use crate::interrupt;

/// Goes through a tree; an iterator over its regular files, which ends early if the user asks for it.
pub(super) struct Survey<'a> {
    root: &'a Path,
    walk: walkdir::IntoIter,
    /// The device that files must be on.
    device: Option<u64>,
    /// The xattr that will be set.
    attribute: &'a str,
    spinner: Spinner,
    names: Vec<u8>,
    pub(super) files: u64,
    /// Folders and files that could not be looked at.
    pub(super) unreadable: u64,
}

impl<'a> Survey<'a> {
    pub(super) fn new(root: &'a Path, attribute: &'a str, cross_file_systems: bool) -> Survey<'a> {
        let here = if cross_file_systems { None } else { std::fs::metadata(root).ok() };
        Survey {
            root,
            walk: WalkDir::new(root).same_file_system(!cross_file_systems).sort_by_file_name().into_iter(),
            device: here.map(|meta| meta.dev()),
            attribute,
            spinner: Spinner::new(),
            names: vec![0; 65_536],
            files: 0,
            unreadable: 0,
        }
    }

    /// Nothing for what is not signed, or cannot be looked at.
    fn file(&mut self, entry: &DirEntry) -> Option<TreeFile> {
        if !entry.file_type().is_file() {
            return None;
        }
        let looked = entry.metadata().ok().and_then(|meta| Some((self.attributes(entry.path())?, meta)));
        let Some((attributes, meta)) = looked else {
            self.unreadable += 1;
            return None;
        };
        if self.device.is_some_and(|device| device != meta.dev()) {
            return None;
        }
        self.files += 1;
        Some(TreeFile { path: self.relative(entry.path()), id: id(&meta), shape: shape(&meta), attributes })
    }

    fn relative(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(self.root) {
            Ok(relative) if !relative.as_os_str().is_empty() => relative.to_path_buf(),
            _ => path.file_name().map_or_else(|| path.to_path_buf(), PathBuf::from),
        }
    }

    fn attributes(&mut self, path: &Path) -> Option<Vec<Attribute>> {
        let length = match llistxattr(path, &mut self.names[..]) {
            Ok(length) => length,
            // What has no xattrs at all has none yet.
            Err(rustix::io::Errno::OPNOTSUPP) => 0,
            Err(_) => return None,
        };
        let names = self.names.get(..length).unwrap_or_default();
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let lengths = names.filter_map(|name| {
            let length = lgetxattr_query(path, name).ok()?;
            Some(Attribute::new(self.role(&String::from_utf8_lossy(name)), length as u64))
        });
        Some(lengths.collect())
    }

    /// Predictions are for `security.ima`. Where another xattr takes its place, the two change roles.
    fn role(&self, name: &str) -> String {
        match name {
            _ if name == self.attribute => IMA,
            IMA => self.attribute,
            other => other,
        }
        .to_owned()
    }
}

impl Iterator for Survey<'_> {
    type Item = TreeFile;

    fn next(&mut self) -> Option<TreeFile> {
        while !interrupt::asked() {
            match self.walk.next()? {
                Ok(entry) => {
                    if let Some(file) = self.file(&entry) {
                        let files = self.files;
                        self.spinner.say(|| format!("{files} files looked at"));
                        return Some(file);
                    }
                }
                Err(_) => self.unreadable += 1,
            }
        }
        None
    }
}

/// What further names of a file are recognised by.
fn id(meta: &Metadata) -> Option<(u64, u64)> {
    (meta.nlink() > 1).then(|| (meta.dev(), meta.ino()))
}

/// How many extents a file has only the file system knows; nearly all have one.
fn shape(meta: &Metadata) -> FileShape {
    FileShape { size: meta.len(), extents: u32::from(meta.len() > 0) }
}
