//! Which file system a path is on, and the parameters that decide what an attribute costs there.

use std::path::{Path, PathBuf};

use rustix::fs::{StatFs, StatVfs};

use super::mountinfo::{Mount, mount_of};
use super::superblock::{self, devices, read_head, unread, who_may};
use super::{Erofs, Ext4, F2fs, FileSystem, Squashfs, Tmpfs, Xfs, btrfs_detect};

/// Overlays may lie on overlays; the kernel allows two, we look through a few more.
const OVERLAYS_MAX: usize = 8;

/// A file system that was found, and how sure its parameters are.
#[derive(Debug, Clone, PartialEq)]
pub struct Detected {
    /// The model with its parameters.
    pub file_system: FileSystem,
    /// Where it is mounted; below an overlay, where the upper layer's is.
    pub mount_point: PathBuf,
    /// Its device, where it has one.
    pub device: Option<PathBuf>,
    /// The writable upper layer, if the path is on an overlay.
    pub upper_layer: Option<PathBuf>,
    /// What could not be read and is taken to be the default, one sentence each; empty if everything was read.
    pub assumed: Vec<String>,
    /// Bytes that are free for this process: for root on ext4, what is kept for root too, but not what it keeps for itself;
    /// on btrfs what metadata may still take, all its copies counted; else `f_bavail`.
    pub free_bytes: u64,
    /// Inodes that are free for users (`f_favail`); `None` where the file system does not count them.
    pub free_inodes: Option<u64>,
}

/// Why no model could be chosen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum DetectError {
    /// The path or the table of mounts cannot be read.
    #[error("cannot read {path}: {error}; give a readable path")]
    Io { path: PathBuf, error: std::io::Error },
    /// No model for that file system.
    #[error(
        "{path} is on {kind} (magic {magic:#x}), which has no model; \
         supported: ext2/3/4, xfs, btrfs, f2fs, squashfs, erofs, tmpfs and overlays of them"
    )]
    Unknown {
        path: PathBuf,
        kind: String,
        /// `f_type` of statfs(2).
        magic: u64,
    },
    /// The table of mounts does not have the path's mount.
    #[error("{path}: no line of /proc/self/mountinfo covers it; is /proc mounted?")]
    NotMounted { path: PathBuf },
    #[error(
        "{path} is on an overlay without an upper layer, so it is read-only; copy the tree to a file system that can be written"
    )]
    OverlayReadOnly { path: PathBuf },
    /// The upper layer is not visible from here.
    #[error(
        "{path} is on an overlay whose upper layer {upper} is not accessible ({error}); \
         run outside the container, on the upper layer itself"
    )]
    OverlayHidden { path: PathBuf, upper: PathBuf, error: std::io::Error },
}

/// Finds the file system of an existing path: `f_type` of statfs(2) says which, `/proc/self/mountinfo` where and with
/// which options, the superblock on the device with which parameters. Where the device may not be read (root may),
/// block sizes still come from statvfs(3), and what is then the default of the tools that make file systems is
/// listed in [`Detected::assumed`].
///
/// # Errors
///
/// See [`DetectError`].
pub fn detect(path: &Path) -> Result<Detected, DetectError> {
    let mut at = canonical(path)?;
    let mut upper_layer = None;
    for _ in 0..OVERLAYS_MAX {
        let mount = mount(&at)?;
        let statfs = rustix::fs::statfs(&at).map_err(|error| io(&at, error.into()))?;
        if mount.kind != "overlay" || statfs.f_type as u64 & 0xFFFF_FFFF != OVERLAY {
            return found(&at, &mount, &statfs, upper_layer);
        }
        let Some(upper) = mount.option("upperdir").map(PathBuf::from) else {
            return Err(DetectError::OverlayReadOnly { path: at });
        };
        at = upper.canonicalize().map_err(|error| DetectError::OverlayHidden {
            path: path.to_owned(),
            upper: upper.clone(),
            error,
        })?;
        upper_layer = Some(at.clone());
    }
    Err(DetectError::Unknown { path: path.to_owned(), kind: "overlay".to_owned(), magic: OVERLAY })
}

// `include/uapi/linux/magic.h`; erofs and f2fs have the magic of their superblocks.
const EXT: u64 = 0xEF53;
pub(super) const XFS: u64 = 0x5846_5342;
const BTRFS: u64 = 0x9123_683E;
const F2FS: u64 = 0xF2F5_2010;
const SQUASHFS: u64 = 0x7371_7368;
const EROFS: u64 = 0xE0F5_E1E2;
const TMPFS: u64 = 0x0102_1994;
pub(super) const OVERLAY: u64 = 0x794C_7630;

fn found(
    path: &Path,
    mount: &Mount,
    statfs: &StatFs,
    upper_layer: Option<PathBuf>,
) -> Result<Detected, DetectError> {
    let statvfs: StatVfs = rustix::fs::statvfs(path).map_err(|error| io(path, error.into()))?;
    let block_size = statvfs.f_frsize;
    let mut assumed = Vec::new();
    let magic = statfs.f_type as u64 & 0xFFFF_FFFF;
    let head = || read_head(mount);
    let file_system = match magic {
        EXT => FileSystem::Ext4(ext4(mount, head(), block_size, &mut assumed)),
        XFS => FileSystem::Xfs(head().and_then(|head| superblock::xfs(&head)).unwrap_or_else(|| {
            assumed.push(unread(mount, "inodes of 512 bytes and version 5 are assumed"));
            Xfs { block_size, ..Xfs::default() }
        })),
        BTRFS => FileSystem::Btrfs(btrfs_detect::model(mount, &mut assumed)),
        F2FS => FileSystem::F2fs(f2fs(mount, head(), block_size, &mut assumed)),
        SQUASHFS => FileSystem::Squashfs(Squashfs),
        EROFS => FileSystem::Erofs(Erofs { block_size }),
        TMPFS => FileSystem::Tmpfs(Tmpfs { inodes: (statvfs.f_files > 0).then_some(statvfs.f_files) }),
        _ => {
            let (path, kind) = (path.to_owned(), mount.kind.clone());
            return Err(DetectError::Unknown { path, kind, magic });
        }
    };
    Ok(Detected {
        mount_point: mount.point.clone(),
        device: devices(mount).into_iter().next(),
        upper_layer,
        assumed,
        free_bytes: match &file_system {
            FileSystem::Ext4(model) => free_on_ext4(model, mount, &statvfs),
            FileSystem::Btrfs(model) => btrfs_detect::free(model, mount, &statvfs)
                .unwrap_or_else(|| statvfs.f_bavail.saturating_mul(statvfs.f_frsize)),
            _ => statvfs.f_bavail.saturating_mul(statvfs.f_frsize),
        },
        file_system,
        free_inodes: (statvfs.f_files > 0).then_some(statvfs.f_favail),
    })
}

/// Bytes that this process may take on ext4. Some blocks are for root (`mke2fs -m`, 5 % if nothing is said). Some
/// clusters are for nobody: 2 % of them, but no more than 4,096, which ext4 keeps for itself
/// (`ext4_calculate_resv_clusters`; `ext4_has_free_clusters` counts them as taken for root too). `f_bfree` has both,
/// `f_bavail` neither.
fn free_on_ext4(model: &Ext4, mount: &Mount, statvfs: &StatVfs) -> u64 {
    let available = statvfs.f_bavail.saturating_mul(statvfs.f_frsize);
    if !rustix::process::geteuid().is_root() {
        return available;
    }
    let free = statvfs.f_bfree.saturating_mul(statvfs.f_frsize);
    let closed = reserved_clusters(mount).map(|clusters| clusters.saturating_mul(model.cluster_size));
    closed.map_or(available, |closed| free.saturating_sub(closed).max(available))
}

/// `/sys/fs/ext4/DEVICE/reserved_clusters`, which can be changed while it is mounted.
fn reserved_clusters(mount: &Mount) -> Option<u64> {
    let device = std::fs::read_link(Path::new("/sys/dev/block").join(&mount.device)).ok()?;
    let file = Path::new("/sys/fs/ext4").join(device.file_name()?).join("reserved_clusters");
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn ext4(mount: &Mount, head: Option<Vec<u8>>, block_size: u64, assumed: &mut Vec<String>) -> Ext4 {
    // Typed as `no_mbcache`, and shown so.
    let shares = !mount.options.iter().any(|option| option == "nombcache");
    let Some(model) = head.and_then(|head| superblock::ext4(&head)) else {
        assumed.push(format!(
            "The superblock is not readable{}: inodes of 256 bytes without the features ea_inode and bigalloc are \
             assumed; `dumpe2fs -h DEVICE` shows them.",
            who_may()
        ));
        return Ext4 { block_size, cluster_size: block_size, shares, ..Ext4::default() };
    };
    Ext4 { shares, ..model }
}

fn f2fs(mount: &Mount, head: Option<Vec<u8>>, block_size: u64, assumed: &mut Vec<String>) -> F2fs {
    let model = head.as_deref().and_then(superblock::f2fs);
    let mut model = model.unwrap_or(F2fs { block_size, ..F2fs::default() });
    let words: Option<u64> = mount.option("inline_xattr_size").and_then(|words| words.parse().ok());
    if mount.options.iter().any(|option| option == "noinline_xattr") {
        model.inline_size = 0;
    } else if let Some(words) = words {
        model.inline_size = 4 * words;
        assumed.push(format!(
            "All files are taken to have been created under inline_xattr_size={words}; older ones keep the room \
             that they were created with."
        ));
        if head.as_deref().is_some_and(|head| !superblock::f2fs_flexible(head)) {
            model.inline_size = F2fs::default().inline_size;
        }
    }
    model
}

pub(super) fn mount(path: &Path) -> Result<Mount, DetectError> {
    let table = Path::new("/proc/self/mountinfo");
    let table = std::fs::read(table).map_err(|error| io(table, error))?;
    mount_of(&table, path).ok_or_else(|| DetectError::NotMounted { path: path.to_owned() })
}

fn canonical(path: &Path) -> Result<PathBuf, DetectError> {
    path.canonicalize().map_err(|error| io(path, error))
}

fn io(path: &Path, error: std::io::Error) -> DetectError {
    DetectError::Io { path: path.to_owned(), error }
}
