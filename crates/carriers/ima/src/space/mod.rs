//! What extended attributes cost on the file system that is there, before anything is written.
//!
//! A signature's length does not tell what it costs: thresholds of the file system do. A [`FileSystem`] holds the
//! parameters that decide (found by [`detect`], or given by hand or in words for a what-if) and answers with a [`Cost`] or a
//! [`Refusal`] for one file; [`predict`] answers for a tree and several candidate signatures; [`advise`] turns
//! predictions into sentences. `lab/ima/refute.py` compares predictions with real file systems.
//!
//! ```
//! use fieldtest_ima::space::{Ext4, FileShape, FileSystem, Attribute};
//!
//! let debian = FileSystem::Ext4(Ext4::default());
//! let signature = [Attribute::new("security.ima", 3318)];
//! let cost = debian.cost(&FileShape::default(), &[], &signature).unwrap();
//! assert_eq!(cost.bytes, 4096);
//! let refusal = debian.cost(&FileShape::default(), &[], &[Attribute::new("security.ima", 4636)]).unwrap_err();
//! assert_eq!(refusal.limit, 4040);
//! let large_inodes: FileSystem = "ext4:inode-size=512,ea-inode".parse().unwrap();
//! assert!(large_inodes.cost(&FileShape::default(), &[], &[Attribute::new("security.ima", 4636)]).is_ok());
//! ```

mod advice;
mod btrfs;
mod btrfs_detect;
mod btrfs_leaves;
mod btrfs_standing;
mod btrfs_tree;
mod candidate;
mod contents;
mod copy_up;
mod detect;
mod erofs;
mod erofs_image;
mod ext4;
mod ext4_sharing;
mod f2fs;
pub(crate) mod full;
mod gathered;
mod limits;
mod mountinfo;
mod prediction;
mod squashfs;
mod superblock;
mod survey;
mod tmpfs;
mod typed;
mod unseen;
mod values;
mod xattr_names;
mod xfs;

pub use advice::{Advice, advise, inodes_short};
pub use btrfs::Btrfs;
pub use candidate::{Candidate, TreeFile};
pub use copy_up::Overlay;
pub use detect::{DetectError, Detected, detect};
pub use erofs::Erofs;
pub use ext4::Ext4;
pub use f2fs::F2fs;
pub use limits::{MeasurementMemory, RPM_SIGNATURE_HEADER_MAX, measurement_memory, rpm_files_max};
pub use prediction::{Prediction, Refused, predict};
pub use squashfs::Squashfs;
pub use survey::{Survey, Surveyed, survey};
pub use tmpfs::Tmpfs;
pub use typed::TypedError;
pub use unseen::Unseen;
pub use xfs::Xfs;

use fieldtest_text::words;

use crate::xattr::name::{EVM, IMA};

/// The longest value that Linux passes to any file system: `XATTR_SIZE_MAX`, `include/uapi/linux/limits.h`.
pub const XATTR_SIZE_MAX: u64 = 65_536;

/// An extended attribute: its full name and the bytes of its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The name with its prefix: `security.ima`.
    pub name: String,
    /// Bytes of the value.
    pub length: u64,
}

impl Attribute {
    /// An attribute of that name and length.
    pub fn new(name: impl Into<String>, length: u64) -> Attribute {
        Attribute { name: name.into(), length }
    }
}

/// What a file's own data takes of the room that it shares with its attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileShape {
    /// Bytes of the file; btrfs keeps short files beside their attributes.
    pub size: u64,
    /// Extents of the file; they share the inode with the attributes on XFS.
    pub extents: u32,
    /// The most that it may have where that is not known; nothing else where that is no more.
    pub most_extents: u32,
    /// How many leaves XFS may have for its attributes beyond those that they fill: their history decides.
    pub further_leaves: u32,
}

impl Default for FileShape {
    /// A file of 6,000 bytes in one extent, as nearly all files of an installed system have.
    fn default() -> FileShape {
        FileShape { size: 6_000, extents: 1, most_extents: 1, further_leaves: 0 }
    }
}

/// What a change of a file's attributes adds to what the file system shows as used; negative where it frees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Bytes: `(f_blocks - f_bfree) × f_frsize` of statvfs after minus before; for an estimate its middle. On
    /// tmpfs, which does not account attributes as blocks, bytes of kernel memory.
    pub bytes: i64,
    /// The least that is to be expected; equal to `bytes` where the rule is exact.
    pub least: i64,
    /// The most that is to be expected; equal to `bytes` where the rule is exact.
    pub most: i64,
    /// Inodes: `f_files - f_ffree` after minus before; a fraction only on tmpfs, which accounts attributes that way.
    pub inodes: f64,
}

impl Cost {
    fn exact(bytes: i64, inodes: i64) -> Cost {
        Cost { bytes, least: bytes, most: bytes, inodes: inodes as f64 }
    }

    fn times(self, files: u64) -> Cost {
        let times = |bytes: i64| bytes.saturating_mul(i64::try_from(files).unwrap_or(i64::MAX));
        Cost {
            bytes: times(self.bytes),
            least: times(self.least),
            most: times(self.most),
            inodes: self.inodes * files as f64,
        }
    }

    /// Whether nothing is estimated.
    pub fn is_exact(&self) -> bool {
        self.least == self.most
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.bytes += other.bytes;
        self.least += other.least;
        self.most += other.most;
        self.inodes += other.inodes;
    }
}

words! {
    /// The error number with which a file system refuses an attribute.
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum RefusalKind {
        /// `ENOSPC`, although the file system may be empty: the file's own room is spent.
        NoSpace = "ENOSPC",
        /// `E2BIG`.
        TooBig = "E2BIG",
    }
}

/// Why a file system does not take an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{name} of {length} bytes is rejected with {kind}: {room} at most {limit} bytes for it")]
pub struct Refusal {
    /// The error number.
    pub kind: RefusalKind,
    /// The attribute that is refused.
    pub name: String,
    /// Bytes of its value.
    pub length: u64,
    /// The longest value that this file would take under that name, beside the attributes set before it.
    pub limit: u64,
    /// What sets the limit, as the beginning of a sentence: "the attribute block of 4096 bytes leaves".
    pub room: String,
}

impl Refusal {
    /// The refusal that is the same everywhere: more than [`XATTR_SIZE_MAX`] bytes.
    fn beyond_linux(xattr: &Attribute) -> Option<Refusal> {
        (xattr.length > XATTR_SIZE_MAX).then(|| Refusal {
            kind: RefusalKind::TooBig,
            name: xattr.name.clone(),
            length: xattr.length,
            limit: XATTR_SIZE_MAX,
            room: "Linux passes".to_owned(),
        })
    }
}

/// A file system with the parameters that decide what an attribute costs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FileSystem {
    /// ext4, and ext2 and ext3, which the same code serves.
    Ext4(Ext4),
    /// XFS.
    Xfs(Xfs),
    /// btrfs.
    Btrfs(Btrfs),
    /// f2fs.
    F2fs(F2fs),
    /// An image that `mksquashfs` makes.
    Squashfs(Squashfs),
    /// An image that `mkfs.erofs` makes.
    Erofs(Erofs),
    /// tmpfs.
    Tmpfs(Tmpfs),
}

impl FileSystem {
    /// The name as `mount` shows it.
    pub fn name(&self) -> &'static str {
        match self {
            FileSystem::Ext4(_) => "ext4",
            FileSystem::Xfs(_) => "xfs",
            FileSystem::Btrfs(_) => "btrfs",
            FileSystem::F2fs(_) => "f2fs",
            FileSystem::Squashfs(_) => "squashfs",
            FileSystem::Erofs(_) => "erofs",
            FileSystem::Tmpfs(_) => "tmpfs",
        }
    }

    /// What one file costs more when its attributes change from `before` to `after`.
    ///
    /// `before` is in the order of `listxattr`. Attributes that only `before` has are removed first; then what
    /// `after` has new, or with another length, is set in the order of `after`, which decides where attributes lie
    /// on file systems that share room between them. Values are taken to be like no other file's; [`predict`] knows
    /// which are equal.
    ///
    /// # Errors
    ///
    /// The first attribute that the file system refuses, with the limit.
    pub fn cost(&self, file: &FileShape, before: &[Attribute], after: &[Attribute]) -> Result<Cost, Refusal> {
        if let Some(refusal) = after.iter().find_map(Refusal::beyond_linux) {
            return Err(refusal);
        }
        match self {
            FileSystem::Ext4(model) => model.cost(before, after),
            FileSystem::Xfs(model) => Ok(model.cost(file, before, after)),
            FileSystem::Btrfs(model) => model.cost(file, before, after),
            FileSystem::F2fs(model) => model.cost(before, after),
            FileSystem::Squashfs(model) => Ok(model.cost(before, after)),
            FileSystem::Erofs(model) => model.cost(before, after),
            FileSystem::Tmpfs(model) => Ok(model.cost(before, after)),
        }
    }

    /// The shape reduced to what this file system looks at: files with equal ones cost the same.
    fn relevant(&self, file: &FileShape) -> FileShape {
        let of_size = |size| FileShape { size, ..FileShape::default() };
        match self {
            FileSystem::Btrfs(_) => of_size(btrfs::size_class(file.size)),
            FileSystem::Xfs(_) => FileShape { size: 0, ..*file },
            FileSystem::Erofs(model) => of_size(model.size_class(file.size)),
            _ => of_size(0),
        }
    }

    /// Whether it stores once what several files have alike, so that their contents have to be compared.
    pub fn shares(&self) -> bool {
        match self {
            FileSystem::Ext4(model) => model.shares,
            FileSystem::Squashfs(_) | FileSystem::Erofs(_) => true,
            FileSystem::Xfs(_) | FileSystem::Btrfs(_) | FileSystem::F2fs(_) | FileSystem::Tmpfs(_) => false,
        }
    }

    /// The same file system after the change that lifts its limits, and how that change is made; `None` where
    /// nothing does. `length` is the longest value that has to fit.
    pub fn remedy(&self, length: u64) -> Option<(FileSystem, String)> {
        match self {
            FileSystem::Ext4(model) => model.remedy(),
            FileSystem::Btrfs(model) => model.remedy(length),
            FileSystem::F2fs(model) => model.remedy(length),
            FileSystem::Xfs(_) | FileSystem::Squashfs(_) | FileSystem::Erofs(_) | FileSystem::Tmpfs(_) => {
                None
            }
        }
    }
}

fn round_up(n: u64, unit: u64) -> u64 {
    n.div_ceil(unit) * unit
}

/// The attributes of `after` that `before` has not, or has with another length, in the order of `after`.
fn changed<'a>(before: &'a [Attribute], after: &'a [Attribute]) -> impl Iterator<Item = &'a Attribute> {
    after.iter().filter(|xattr| !before.contains(xattr))
}

/// Those and the signatures, which may be another key's of the same length.
fn written<'a>(before: &'a [Attribute], after: &'a [Attribute]) -> impl Iterator<Item = &'a Attribute> {
    after.iter().filter(|xattr| !before.contains(xattr) || is_signature(xattr))
}

fn is_signature(xattr: &Attribute) -> bool {
    [IMA, EVM].contains(&xattr.name.as_str())
}

fn removed<'a>(before: &'a [Attribute], after: &'a [Attribute]) -> impl Iterator<Item = &'a Attribute> {
    before.iter().filter(|old| !after.iter().any(|new| new.name == old.name))
}
