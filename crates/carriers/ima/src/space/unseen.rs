//! What a tree's files have on the disk that nobody lists, and what that makes of a prediction.
//!
//! `listxattr` does not show everything that shares its room with attributes: the key context of fscrypt, data that ext4
//! keeps in the inode, larger fields of the inode, extents. What can be seen of these otherwise is put among a file's attributes,
//! or into the parameters, and the rule stays exact. What cannot is taken to be both ways, and the prediction is the interval
//! between them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, SeekFrom, StatxAttributes, StatxFlags, open, seek, statx};

use super::copy_up::{ORIGIN, ORIGIN_LENGTHS, Overlay, is_signed};
use super::superblock::{self, Inodes};
use super::{Attribute, Candidate, Detected, Ext4, FileSystem, Prediction, TreeFile, detect, predict};

/// The attribute in which ext4 and f2fs keep the key context of an encrypted file, by its name without a prefix.
const CONTEXT: &str = "c";
/// Bytes of a context (`struct fscrypt_context_v2`), and of an old one (`_v1`; `fs/crypto/fscrypt_private.h`).
const CONTEXT_LENGTHS: [u64; 2] = [40, 28];
/// The attribute in which ext4 keeps data (`EXT4_XATTR_SYSTEM_DATA`), behind 60 bytes in the place of the block numbers.
const DATA: &str = "system.data";
const DATA_BEFORE: u64 = 60;
/// Inodes that are looked at on the disk.
const SAMPLE: usize = 64;

/// What is unseen of the files of a tree.
#[derive(Debug, Clone, Default)]
pub struct Unseen {
    /// The folder that the paths of its files begin at.
    folder: PathBuf,
    /// The features of an ext4 or f2fs, if its superblock could be read.
    features: Option<superblock::Hides>,
    inodes: Option<Inodes>,
    overlay: Option<Overlay>,
}

/// A tree's files in another way that they may be.
struct View<'a> {
    file_system: FileSystem,
    change: Box<dyn Fn(&mut TreeFile) + 'a>,
}

impl Unseen {
    /// Finds out what can be of a tree on that file system.
    pub fn of(tree: &Path, detected: &Detected) -> Unseen {
        let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_path_buf());
        let folder = if tree.is_dir() { tree } else { tree.parent().unwrap_or(Path::new("")).to_path_buf() };
        let mount = detect::mount(detected.upper_layer.as_deref().unwrap_or(&folder)).ok();
        let head = mount.as_ref().and_then(superblock::read_head);
        Unseen {
            features: head.as_ref().and_then(|head| superblock::hides(&detected.file_system, head)),
            inodes: mount.zip(head).and_then(|(mount, head)| Inodes::of(&mount, &head)),
            overlay: Overlay::of(&folder, detected),
            folder,
        }
    }

    /// The overlay that the tree is on.
    pub fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_ref()
    }

    /// [`predict`]s for the tree as it is, with what it takes to copy files up.
    pub fn predict(
        &self,
        detected: &Detected,
        mut files: Vec<TreeFile>,
        candidates: &[Candidate],
    ) -> Vec<Prediction> {
        files.iter_mut().for_each(|file| self.complete(&detected.file_system, file));
        let copy_up = self
            .overlay
            .as_ref()
            .map(|overlay| overlay.cost(&self.folder, &mut files, &detected.file_system));
        let (file_system, views) = self.views(&detected.file_system, &files);
        let others: Vec<Vec<Prediction>> = views
            .iter()
            .map(|view| {
                let mut files = files.clone();
                files.iter_mut().for_each(|file| (view.change)(file));
                predict(&view.file_system, files, candidates)
            })
            .collect();
        let mut predictions = predict(&file_system, files, candidates);
        for (at, prediction) in predictions.iter_mut().enumerate() {
            for other in others.iter().filter_map(|other| other.get(at)) {
                prediction.total.least = prediction.total.least.min(other.total.least);
                prediction.total.most = prediction.total.most.max(other.total.most);
            }
            if let Some(copy_up) = copy_up {
                prediction.total += copy_up;
                if let Some((_, total)) = &mut prediction.remedy {
                    *total += copy_up;
                }
                prediction.copy_up = copy_up;
            }
        }
        predictions
    }

    /// Puts what can be seen otherwise among a file's attributes.
    fn complete(&self, file_system: &FileSystem, file: &mut TreeFile) {
        if let FileSystem::Xfs(model) = file_system {
            let data = file.shape.size.next_multiple_of(model.block_size);
            let blocks = data.max(file.allocated) / model.block_size;
            let most = |xattrs: &[Attribute]| model.most_extents(blocks, xattrs);
            // What has no blocks but those of its data has its attributes in the inode, which leaves no room for more extents.
            let in_inode = most(&file.attributes) < most(&[])
                && file.allocated <= data
                && has_no_hole(&self.folder.join(&file.path), file.shape.size);
            file.shape.most_extents = most(if in_inode { file.attributes.as_slice() } else { &[] });
        }
        let Some(features) = &self.features else { return };
        let mut first = |name: &str, length: u64| {
            file.attributes.insert(0, Attribute::new(name, length));
            // Like no other: a context has a number of its own, and so have inodes.
            let own = file.id.map_or(0, |(_, inode)| inode);
            file.values.insert(0, own);
        };
        // stat(2) gives such files one sector for each 512 bytes, and others whole blocks (`ext4_getattr`).
        if features.inline_data
            && let FileSystem::Ext4(model) = file_system
            && file.shape.size <= model.longest_inline_data()
            && file.allocated > 0
            && !file.allocated.is_multiple_of(model.block_size)
        {
            first(DATA, file.shape.size.saturating_sub(DATA_BEFORE));
        }
        if features.encryption && is_encrypted(&self.folder.join(&file.path)) {
            first(CONTEXT, CONTEXT_LENGTHS[0]);
        }
    }

    /// The file system with what inodes on the disk show, and the other ways that files may be.
    fn views<'a>(&self, file_system: &FileSystem, files: &[TreeFile]) -> (FileSystem, Vec<View<'a>>) {
        let mut views = Vec::new();
        let mut own = file_system.clone();
        let mut view = |file_system: FileSystem, change: Box<dyn Fn(&mut TreeFile) + 'a>| {
            views.push(View { file_system, change });
        };
        match file_system {
            FileSystem::Ext4(model) if self.features.is_none() => {
                // Nobody may read with what it was made.
                for inode_size in [128, 512, 1024] {
                    view(FileSystem::Ext4(Ext4 { inode_size, ..*model }), Box::new(|_| ()));
                }
                view(FileSystem::Ext4(Ext4 { ea_inode: true, ..*model }), Box::new(|_| ()));
            }
            FileSystem::Ext4(model) => {
                let sizes = self.extra_sizes(files);
                if let (Some(least), Some(most)) = (sizes.first(), sizes.last()) {
                    own = FileSystem::Ext4(Ext4 { extra_isize: *most, ..*model });
                    if least < most {
                        view(FileSystem::Ext4(Ext4 { extra_isize: *least, ..*model }), Box::new(|_| ()));
                    }
                }
            }
            _ => {}
        }
        let has = |name: &str| files.iter().any(|file| file.attributes.iter().any(|own| own.name == name));
        if has(CONTEXT) {
            view(own.clone(), Box::new(|file| set_length(file, CONTEXT, Some(CONTEXT_LENGTHS[1]))));
        }
        if files.iter().any(|file| file.copied_up) {
            for length in [Some(ORIGIN_LENGTHS[1]), None] {
                view(own.clone(), Box::new(move |file| set_length(file, ORIGIN, length)));
            }
            // What has a valid signature is not written.
            view(own.clone(), Box::new(|file| file.copied_up &= !is_signed(file)));
        }
        (own, views)
    }

    /// How much of their inodes the fields of some files take, as the disk has them.
    fn extra_sizes(&self, files: &[TreeFile]) -> BTreeSet<u64> {
        let Some(inodes) = &self.inodes else { return BTreeSet::new() };
        let own = files.iter().filter(|file| !file.copied_up).filter_map(|file| file.id);
        let own: Vec<u64> = own.map(|(_, inode)| inode).collect();
        let step = own.len().div_ceil(SAMPLE).max(1);
        own.iter().step_by(step).filter_map(|inode| inodes.extra_size(*inode)).collect()
    }
}

fn set_length(file: &mut TreeFile, name: &str, length: Option<u64>) {
    let Some(at) = file.attributes.iter().position(|own| own.name == name) else { return };
    match length {
        Some(length) => file.attributes[at].length = length,
        None => {
            file.attributes.remove(at);
            if at < file.values.len() {
                file.values.remove(at);
            }
        }
    }
}

/// Whether a file has data wherever it has bytes; false where it may not be opened.
fn has_no_hole(path: &Path, size: u64) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty());
    file.is_ok_and(|file| seek(file, SeekFrom::Hole(0)).is_ok_and(|hole| hole == size))
}

/// statx(2), `STATX_ATTR_ENCRYPTED`.
fn is_encrypted(path: &Path) -> bool {
    let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty());
    found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::ENCRYPTED))
}
