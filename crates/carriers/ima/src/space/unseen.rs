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
use super::{
    Attribute, Candidate, Detected, Ext4, F2fs, FileSystem, Prediction, TreeFile, Xfs, detect, is_signature,
    predict,
};

/// The attribute in which ext4 and f2fs keep the key context of an encrypted file, by its name without a prefix.
const CONTEXT: &str = "c";
/// Bytes of a context (`struct fscrypt_context_v2`), and of an old one (`_v1`; `fs/crypto/fscrypt_private.h`).
const CONTEXT_LENGTHS: [u64; 2] = [40, 28];
/// The attribute in which ext4 keeps data (`EXT4_XATTR_SYSTEM_DATA`), behind 60 bytes in the place of the block numbers.
const DATA: &str = "system.data";
const DATA_BEFORE: u64 = 60;
/// The attribute in which XFS keeps where a name is (`struct xfs_parent_rec`); the name of the file is that of the attribute.
const PARENT: &str = "trusted.";
const PARENT_LENGTH: u64 = 12;
/// Inodes that are looked at on the disk.
const SAMPLE: usize = 64;

/// What is unseen of the files of a tree.
#[derive(Debug, Clone, Default)]
pub struct Unseen {
    /// The directory that the paths of its files begin at.
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
        let unplaced = |candidate: &Candidate| match &file_system {
            FileSystem::Ext4(model) => {
                files.iter().map(|file| model.unplaced(candidate, &file.attributes)).sum()
            }
            _ => 0,
        };
        let unplaced: Vec<i64> = candidates.iter().map(unplaced).collect();
        let mut predictions = predict(&file_system, files, candidates);
        for (at, prediction) in predictions.iter_mut().enumerate() {
            for other in others.iter().filter_map(|other| other.get(at)) {
                prediction.total.least = prediction.total.least.min(other.total.least);
                prediction.total.most = prediction.total.most.max(other.total.most);
            }
            prediction.total.least -= unplaced[at];
            prediction.total.most += unplaced[at];
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
        let features = self.features.unwrap_or_default();
        if let (Some(inodes), Some((_, inode)), false) = (&self.inodes, file.id, file.attributes.is_empty()) {
            file.block = inodes.attribute_block(inode);
        }
        let mut first = |name: &str, length: u64| {
            file.attributes.insert(0, Attribute::new(name, length));
            // Like no other: a context has a number of its own, and so have inodes.
            let own = file.id.map_or(0, |(_, inode)| inode);
            file.values.insert(0, own);
        };
        if features.inline_data
            && let FileSystem::Ext4(model) = file_system
        {
            let on_disk =
                self.inodes.as_ref().zip(file.id).map(|(inodes, (_, inode))| inodes.inline_data(inode));
            // stat(2) gives such files one sector for each 512 bytes, and others whole blocks (`ext4_getattr`).
            let is_short = file.shape.size <= model.longest_inline_data() && file.allocated > 0;
            let seen = (is_short && !file.allocated.is_multiple_of(model.block_size))
                .then(|| file.shape.size.saturating_sub(DATA_BEFORE));
            if let Some(length) = on_disk.unwrap_or(seen) {
                first(DATA, length);
            }
        }
        if features.encryption && is_encrypted(&self.folder.join(&file.path)) {
            first(CONTEXT, CONTEXT_LENGTHS[0]);
        }
        if features.parents {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            first(&format!("{PARENT}{name}"), PARENT_LENGTH);
            (1..file.names).for_each(|_| first(PARENT, PARENT_LENGTH));
        }
        if let FileSystem::Xfs(model) = file_system {
            self.complete_shape(model, file);
        }
    }

    /// What shares the inode with the attributes of a file on XFS.
    fn complete_shape(&self, model: &Xfs, file: &mut TreeFile) {
        let data = file.shape.size.next_multiple_of(model.block_size);
        let blocks = data.max(file.allocated) / model.block_size;
        let most = |xattrs: &[Attribute]| model.most_extents(blocks, xattrs);
        let path = self.folder.join(&file.path);
        let is_whole = !file.attributes.is_empty() && has_no_hole(&path, file.shape.size);
        // What has no blocks but those of its data has its attributes in the inode, which leaves no room for more extents.
        let in_inode = is_whole && file.allocated <= data;
        file.shape.most_extents = most(if in_inode { file.attributes.as_slice() } else { &[] });
        let of_attributes = file.allocated.saturating_sub(if is_whole { data } else { 0 }) / model.block_size;
        let further = of_attributes.saturating_sub(model.blocks(file.shape.extents, &file.attributes));
        // One attribute alone has one leaf, or goes back into the inode.
        let leaves = file.attributes.len() as u64;
        file.shape.further_leaves = further.min(if leaves > 1 { leaves } else { 0 }) as u32;
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
                if !model.shares {
                    // Found before, under another option of the mount.
                    view(FileSystem::Ext4(Ext4 { shares: true, ..*model }), Box::new(|_| ()));
                }
                if model.ea_inode || self.inodes.is_none() {
                    // Equal signatures in inodes of their own may lie there several times, and blocks that nobody looked at.
                    view(own.clone(), Box::new(shares_nothing));
                }
            }
            FileSystem::F2fs(model) if *model != F2fs::default() => {
                // Files that were made under other options of the mount keep their room.
                let inline_size = F2fs::default().inline_size;
                view(FileSystem::F2fs(F2fs { inline_size, ..*model }), Box::new(|_| ()));
            }
            _ => {}
        }
        if files.iter().any(|file| file.attributes.iter().any(|own| own.name == PARENT)) {
            // Further names may be of any length.
            for length in (16..=255).step_by(40) {
                view(
                    own.clone(),
                    Box::new(move |file| {
                        let further = file.attributes.iter_mut().filter(|own| own.name == PARENT);
                        further.for_each(|own| own.name.push_str(&"x".repeat(length)));
                    }),
                );
            }
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

fn shares_nothing(file: &mut TreeFile) {
    let own = file.id.map_or(0, |(_, inode)| inode);
    file.block = file.block.or(Some(own));
    for (_, value) in file.attributes.iter().zip(&mut file.values).filter(|(xattr, _)| is_signature(xattr)) {
        *value = own;
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

/// Whether a file has data wherever it has bytes; false where it may not be opened. Asked since blocks alone
/// mislead: a file with holes, seven extents and an xattr of 240 bytes has a leaf already. FIEMAP would tell
/// the extents, but needs unsafe code.
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
