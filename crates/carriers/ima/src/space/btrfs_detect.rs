//! What `/sys/fs/btrfs` says of a mounted btrfs, for everyone to read: the size of its nodes, its profiles, and the room
//! that its metadata has, of which `df` knows nothing.

use std::path::{Path, PathBuf};

use rustix::fs::StatVfs;

use super::Btrfs;
use super::mountinfo::Mount;
use super::superblock::{self, read_head, unread};

/// Profiles by their directories, and how often each stores a block.
const PROFILES: [(&str, u64); 7] =
    [("raid1c4", 4), ("raid1c3", 3), ("dup", 2), ("raid1", 2), ("raid10", 2), ("single", 1), ("raid0", 1)];

/// The parameters; the superblock has the first alone.
pub(super) fn model(mount: &Mount, assumed: &mut Vec<String>) -> Btrfs {
    let default = Btrfs::default();
    let Some(folder) = folder(mount) else {
        let model = read_head(mount).and_then(|head| superblock::btrfs(&head));
        let node_size = if model.is_none() { "nodes of 16 KiB and " } else { "" };
        assumed.push(format!(
            "/sys/fs/btrfs does not show the device: {node_size}metadata stored twice (DUP) are assumed; \
             `btrfs filesystem df` shows the profile."
        ));
        return model.unwrap_or(default);
    };
    let node_size = number(&folder.join("nodesize")).unwrap_or_else(|| {
        assumed.push(unread(mount, "nodes of 16 KiB are assumed"));
        default.node_size
    });
    let present = profiles(&kind(&folder, "metadata"));
    if present.len() != 1 {
        let names: Vec<_> = present.iter().map(|(name, _)| *name).collect();
        assumed.push(match names.as_slice() {
            [] => "The metadata's profile is none of single, DUP, RAID0, 1, 10, 1C3, 1C4: DUP is assumed."
                .to_owned(),
            _ => format!("Metadata has several profiles ({}): the first is assumed.", names.join(", ")),
        });
    }
    let copies = |of: &[(&str, u64)], default| of.first().map_or(default, |(_, copies)| *copies);
    Btrfs {
        node_size,
        copies: copies(&present, default.copies),
        data_copies: copies(&profiles(&kind(&folder, "data")), 1),
        metadata: number(&kind(&folder, "metadata").join("bytes_used")),
    }
}

/// Bytes that metadata can take at most, as statvfs(3) counts them: what is free in its chunks, less what btrfs keeps for the worst
/// (`global_rsv_size`), and the device's room that belongs to no chunk yet (`fs/btrfs/space-info.c`). Data that is free in
/// data's chunks is of no use to metadata.
pub(super) fn free(model: &Btrfs, mount: &Mount, statvfs: &StatVfs) -> Option<u64> {
    let folder = folder(mount)?;
    let allocation = folder.join("allocation");
    let metadata = kind(&folder, "metadata");
    let of = |name: &str| number(&metadata.join(name));
    let closed = [of("bytes_used")?, of("bytes_readonly")?, number(&allocation.join("global_rsv_size"))?];
    let inside = of("total_bytes")?.saturating_sub(closed.iter().sum());
    // statvfs(3) shows the device divided by the copies of data.
    let device = statvfs.f_blocks.saturating_mul(statvfs.f_frsize).saturating_mul(model.data_copies);
    let chunks = ["data", "metadata", "system", "mixed"]
        .iter()
        .filter_map(|kind| number(&allocation.join(kind).join("disk_total")))
        .sum();
    let free = inside.saturating_mul(model.copies).saturating_add(device.saturating_sub(chunks));
    Some(free / model.data_copies)
}

/// The directory of a kind of chunks; small file systems may have one kind for data and metadata.
fn kind(folder: &Path, name: &str) -> PathBuf {
    let allocation = folder.join("allocation");
    let mixed = allocation.join("mixed");
    if mixed.is_dir() { mixed } else { allocation.join(name) }
}

fn profiles(kind: &Path) -> Vec<(&'static str, u64)> {
    PROFILES.into_iter().filter(|(name, _)| kind.join(name).is_dir()).collect()
}

fn number(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// `/sys/fs/btrfs/UUID` of the file system that has the mount's device among its own.
fn folder(mount: &Mount) -> Option<PathBuf> {
    let source = mount.source.canonicalize().unwrap_or_else(|_| mount.source.clone());
    let name = source.file_name()?;
    let folders = std::fs::read_dir("/sys/fs/btrfs").ok()?;
    folders.flatten().map(|entry| entry.path()).find(|folder| folder.join("devices").join(name).exists())
}
