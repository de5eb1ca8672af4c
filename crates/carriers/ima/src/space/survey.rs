//! The files of a tree with what they have already, for predictions. Nothing is written, and nothing is read of files
//! unless it is asked which are equal.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{fgetxattr, flistxattr, fstatfs, lgetxattr, llistxattr};
use rustix::io::Errno;

use super::contents::{Compared, groups};
use super::{Attribute, FileShape, TreeFile, detect};
use crate::files::report::Tally;
use crate::files::root::{CannotOpen, Root};
use crate::files::walk::{Found, Walk};
use crate::xattr::LONGEST_VALUE;
use crate::xattr::name::IMA;

/// How a tree is looked at.
pub struct Survey<'a> {
    /// The xattr that will be set.
    pub attribute: &'a str,
    /// Whether to enter other file systems.
    pub cross_file_systems: bool,
    /// Whether to find out which files have equal contents, for file systems on which that matters
    /// ([`super::FileSystem::shares`]) and signatures that are equal then. Files are read for it, as little as tells them
    /// apart.
    pub compare: bool,
    /// Raised by the caller to end it soon.
    pub interrupted: &'a AtomicBool,
    /// Told from time to time how many files were looked at, and of how many of those the contents.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// What was found.
#[derive(Debug, Default)]
pub struct Surveyed {
    /// The regular files in the order of their paths, each once.
    pub files: Vec<TreeFile>,
    /// Further names of files.
    pub further_names: u64,
    /// Directories and files that could not be looked at.
    pub unreadable: u64,
    /// Files with further names that were not found in the tree, and are given what the files are given.
    pub elsewhere: Tally,
}

/// Looks at the files of a tree.
///
/// # Errors
/// The root cannot be opened.
pub fn survey(tree: &Path, wanted: &Survey<'_>) -> Result<Surveyed, CannotOpen> {
    let root = Root::of_tree(tree)?;
    let walk = Walk { cross_file_systems: wanted.cross_file_systems, sidecars: Vec::new() };
    let mut look = Look::new(tree, &root, wanted.attribute);
    let mut surveyed = Surveyed::default();
    let elsewhere = walk.run(&root, &mut |path, found| {
        match found {
            Found::File { further_name: true, .. } => surveyed.further_names += 1,
            Found::File { size, owner, place, .. } => match look.attributes(&path) {
                Ok((attributes, values)) => {
                    // How many extents a file has only the file system knows; nearly all have one.
                    let extents = u32::from(size > 0);
                    let shape = FileShape { size, extents, most_extents: extents, further_leaves: 0 };
                    surveyed.files.push(TreeFile {
                        path,
                        id: Some(place.id),
                        names: place.names,
                        allocated: place.allocated,
                        shape,
                        attributes,
                        values,
                        block: None,
                        content: None,
                        copied_up: false,
                        owner,
                    });
                    (wanted.progress)(surveyed.files.len() as u64, 0);
                }
                Err(_) => surveyed.unreadable += 1,
            },
            Found::Skipped(_) => {}
            Found::Failed(_) => surveyed.unreadable += 1,
        }
        !wanted.interrupted.load(Ordering::Relaxed)
    });
    surveyed.elsewhere = elsewhere;
    if wanted.compare {
        let known = surveyed.files.len() as u64;
        let compared: Vec<Compared<'_>> =
            surveyed.files.iter().map(|file| Compared { path: &file.path, size: file.shape.size }).collect();
        let found = groups(&root, &compared, wanted.interrupted, &|read| (wanted.progress)(known, read));
        for (file, group) in surveyed.files.iter_mut().zip(found) {
            file.content = group;
        }
    }
    Ok(surveyed)
}

struct Look<'a> {
    /// As the user named it: paths from here are faster than opening each file, and need no right to read it.
    tree: PathBuf,
    root: &'a Root,
    attribute: &'a str,
    random: RandomState,
    names: Vec<u8>,
    value: Vec<u8>,
    /// Names that came by.
    known: HashMap<Vec<u8>, String>,
    /// Whether lists of XFS come by, directly or through an overlay.
    is_xfs: bool,
}

/// XFS shows root each of its access control lists a second time, by the name and in the form that it has on the disk
/// (`xfs_xattr_put_listent`): what is there once is counted once.
const SHOWN_TWICE: [(&str, &str); 2] = [
    ("trusted.SGI_ACL_FILE", "system.posix_acl_access"),
    ("trusted.SGI_ACL_DEFAULT", "system.posix_acl_default"),
];

type Attributes = (Vec<Attribute>, Vec<u64>);

impl<'a> Look<'a> {
    fn new(tree: &Path, root: &'a Root, attribute: &'a str) -> Look<'a> {
        let folder = if root.only.is_some() { tree.parent().unwrap_or(Path::new("")) } else { tree };
        Look {
            tree: folder.to_path_buf(),
            root,
            attribute,
            random: RandomState::new(),
            names: vec![0; LONGEST_VALUE],
            value: vec![0; LONGEST_VALUE],
            known: HashMap::new(),
            is_xfs: fstatfs(root.folder()).is_ok_and(|found| {
                matches!(found.f_type as u64 & 0xFFFF_FFFF, detect::XFS | detect::OVERLAY)
            }),
        }
    }

    fn attributes(&mut self, path: &Path) -> Result<Attributes, Errno> {
        let place = self.tree.join(path);
        match self.read(&Place::Path(&place)) {
            // A path that is longer than the system takes at once.
            Err(Errno::NAMETOOLONG) => {
                let file = self.root.open_file(path)?;
                self.read(&Place::File(&file))
            }
            read => read,
        }
    }

    fn read(&mut self, place: &Place<'_>) -> Result<Attributes, Errno> {
        let length = match place.list(&mut self.names) {
            Ok(length) => length,
            // What has no xattrs at all has none yet.
            Err(Errno::OPNOTSUPP) => 0,
            Err(error) => return Err(error),
        };
        let (mut attributes, mut values) = (Vec::new(), Vec::new());
        let names = self.names.get(..length).unwrap_or_default();
        for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            // One that was removed meanwhile is not there.
            let Ok(length) = place.get(name, &mut self.value) else { continue };
            let value = self.value.get(..length).unwrap_or_default();
            if !self.known.contains_key(name) {
                self.known.insert(name.to_vec(), role(&String::from_utf8_lossy(name), self.attribute));
            }
            let name = self.known.get(name).cloned().unwrap_or_default();
            attributes.push(Attribute::new(name, length as u64));
            values.push(self.random.hash_one(value));
        }
        if self.is_xfs {
            for (copy, of) in SHOWN_TWICE {
                let at = |name: &str| attributes.iter().position(|own: &Attribute| own.name == name);
                if let (Some(copy), Some(_)) = (at(copy), at(of)) {
                    attributes.remove(copy);
                    values.remove(copy);
                }
            }
        }
        Ok((attributes, values))
    }
}

/// Predictions are for `security.ima`. Where another xattr takes its place, the two change roles.
fn role(name: &str, attribute: &str) -> String {
    match name {
        _ if name == attribute => IMA,
        IMA => attribute,
        other => other,
    }
    .to_owned()
}

/// By what a file's attributes are asked for.
enum Place<'a> {
    Path(&'a Path),
    File(&'a OwnedFd),
}

impl Place<'_> {
    fn list(&self, names: &mut [u8]) -> Result<usize, Errno> {
        match self {
            Place::Path(path) => llistxattr(*path, names),
            Place::File(file) => flistxattr(file, names),
        }
    }

    fn get(&self, name: &[u8], value: &mut [u8]) -> Result<usize, Errno> {
        // Linux clears memory for as much as is asked for: most values are short.
        let usual = value.len().min(8_192);
        let get = |value: &mut [u8]| match self {
            Place::Path(path) => lgetxattr(*path, name, value),
            Place::File(file) => fgetxattr(file, name, value),
        };
        match get(value.get_mut(..usual).unwrap_or_default()) {
            Err(Errno::RANGE) => get(value),
            got => got,
        }
    }
}
