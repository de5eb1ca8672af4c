//! Overlays: what it takes to copy files up before they are given an attribute.
//!
//! A file of a lower layer is copied whole to the upper one, with its attributes and one of the overlay's own, by the first
//! change of it (the kernel's `fs/overlayfs/copy_up.c`, Linux 6.18), and so are the directories that lead to it. With
//! `metacopy=on` its data stays below; where both layers are on one XFS or btrfs, the copy shares its data.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::mountinfo::Mount;
use super::{Attribute, Cost, Detected, FileSystem, TreeFile, detect, round_up};
use crate::xattr::name::IMA;

/// What an overlay notes of a file that it copied up.
pub(super) const ORIGIN: &str = "trusted.overlay.origin";
/// Bytes of it: 21 and a file handle, of 8 bytes on ext4 and up to 20. It may be missing too.
pub(super) const ORIGIN_LENGTHS: [u64; 2] = [29, 41];
/// Bytes that an entry takes in a directory beside its name.
const ENTRY: u64 = 8;
/// A file whose storage is so many times smaller has holes; less may be compression, which the copy has not.
const HOLES: u64 = 16;

/// An overlay, and what of it is written to.
#[derive(Debug, Clone)]
pub struct Overlay {
    /// The paths below the mount point begin here in the layers.
    root: PathBuf,
    point: PathBuf,
    upper: PathBuf,
    /// Whether the copy may share its data with the file below.
    may_share: bool,
    metacopy: bool,
    /// Bytes that data may still take in the upper layer.
    free: u64,
}

impl Overlay {
    pub(super) fn of(folder: &Path, detected: &Detected) -> Option<Overlay> {
        let mount = detect::mount(folder).ok().filter(|mount| mount.kind == "overlay")?;
        let upper = PathBuf::from(mount.option("upperdir")?);
        let free = rustix::fs::statvfs(&upper).map_or(0, |free| free.f_bavail.saturating_mul(free.f_frsize));
        let device = |path: &Path| path.metadata().ok().map(|found| found.dev());
        let own = device(&upper);
        let lower = lower_layers(&mount);
        let may_share = matches!(detected.file_system, FileSystem::Xfs(_) | FileSystem::Btrfs(_))
            && (lower.is_empty() || lower.iter().any(|layer| device(layer).is_none_or(|of| Some(of) == own)));
        Some(Overlay {
            metacopy: mount.options.iter().any(|option| option == "metacopy=on"),
            root: mount.root.clone(),
            point: mount.point,
            // Of ext4, what is kept for root too.
            free: free.max(if matches!(detected.file_system, FileSystem::Ext4(_)) {
                detected.free_bytes
            } else {
                0
            }),
            upper,
            may_share,
        })
    }

    /// Bytes that data may still take in the upper layer.
    pub fn free(&self) -> u64 {
        self.free
    }

    /// Marks the files that are copied up, and what that takes beside their attributes. At the least, none that has a
    /// signature.
    pub(super) fn cost(&self, folder: &Path, files: &mut [TreeFile], file_system: &FileSystem) -> Cost {
        let Ok(below) = folder.strip_prefix(&self.point) else { return Cost::default() };
        // A mount of a part of it shows the rest of the path as its root.
        let layer = self.upper.join(self.root.strip_prefix("/").unwrap_or(&self.root)).join(below);
        let block = block_size(file_system);
        let mut folders: HashMap<PathBuf, u64> = HashMap::new();
        let (mut least, mut bytes, mut most, mut copied) = (0, 0, 0, 0_u64);
        for file in files {
            if layer.join(&file.path).symlink_metadata().is_ok_and(|found| found.is_file()) {
                continue;
            }
            file.copied_up = true;
            file.attributes.push(Attribute::new(ORIGIN, ORIGIN_LENGTHS[0]));
            file.values.push(file.id.map_or(0, |(_, inode)| inode));
            copied += 1;
            let data = |size: u64| if self.metacopy { 0 } else { round_up(size, block) };
            let stored = file.shape.size.min(file.allocated);
            let has_holes = stored.saturating_mul(HOLES) < file.shape.size;
            if !self.may_share && !is_signed(file) {
                least += data(stored);
            }
            bytes += data(if has_holes { stored } else { file.shape.size });
            // A tree of extents, or a block of attributes more.
            most += data(file.shape.size) + block;
            let name = file.path.file_name().map_or(0, |name| name.len() as u64);
            let mut at = file.path.parent();
            let mut entry = ENTRY + round_up(name, 4);
            while let Some(folder) = at.filter(|folder| !layer.join(folder).is_dir()) {
                let known = folders.entry(folder.to_path_buf()).or_default();
                let is_new = *known == 0;
                *known += entry;
                if !is_new {
                    break;
                }
                entry = ENTRY + round_up(folder.file_name().map_or(0, |name| name.len() as u64), 4);
                at = folder.parent();
            }
        }
        let in_blocks: u64 = folders.values().map(|bytes| round_up(*bytes, block)).sum();
        let in_inodes =
            matches!(file_system, FileSystem::Xfs(_) | FileSystem::Btrfs(_) | FileSystem::Tmpfs(_));
        if !in_inodes {
            bytes += in_blocks;
        }
        most += 2 * in_blocks;
        let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        Cost {
            bytes: signed(bytes),
            least: signed(least.min(bytes)),
            most: signed(most),
            inodes: (copied + folders.len() as u64) as f64,
        }
    }
}

/// Whether a file has a signature, which may be valid, so that it is not written to.
pub(super) fn is_signed(file: &TreeFile) -> bool {
    file.attributes.iter().any(|own| own.name == IMA)
}

fn block_size(file_system: &FileSystem) -> u64 {
    match file_system {
        FileSystem::Ext4(model) => model.cluster_size,
        FileSystem::Xfs(model) => model.block_size,
        FileSystem::F2fs(model) => model.block_size,
        // Their own, and pages of memory.
        _ => 4096,
    }
}

/// The layers below: one option with colons, or several (since Linux 6.5).
fn lower_layers(mount: &Mount) -> Vec<PathBuf> {
    let all = mount.options.iter().filter_map(|option| {
        let layers = option.strip_prefix("lowerdir=").or_else(|| option.strip_prefix("lowerdir+="))?;
        Some(layers.split(':').filter(|layer| !layer.is_empty()))
    });
    all.flatten().map(PathBuf::from).collect()
}
