//! The models held against real file systems: an image is made, mounted, filled with files, and statvfs(3) tells what
//! their attributes cost.
//!
//! It needs root (mounts, `security.*`), loop devices and the tools that make file systems. Everything is cleaned
//! up: when a [`Measured`] or an error is returned, the image is unmounted and gone. Files are mounted below the folder that the
//! caller names, which is best private: run under `unshare -m` where other processes should not see the mounts.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use rustix::fs::XattrFlags;

use super::{Attribute, Cost, DetectError, FileShape, Refusal, detect};

/// A file system to be made and measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// What `mkfs.KIND` and `mount -t KIND` are to make: `ext4`, `xfs`, `btrfs`, `f2fs`.
    pub kind: String,
    /// Options for the tool that makes it: `-I 512`.
    pub mkfs_options: Vec<String>,
    /// Options of the mount, separated by commas; may be empty.
    pub mount_options: String,
    /// Bytes of the image, which is sparse.
    pub image_size: u64,
}

impl Setup {
    /// A file system of 1 GiB made with these options, mounted without any.
    pub fn new(kind: &str, mkfs_options: &[&str]) -> Setup {
        Setup {
            kind: kind.to_owned(),
            mkfs_options: mkfs_options.iter().map(|option| (*option).to_owned()).collect(),
            mount_options: String::new(),
            image_size: 1 << 30,
        }
    }
}

/// Files and the attributes they are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// How many files.
    pub files: u32,
    /// Bytes of each, of random data.
    pub file_size: usize,
    /// Attributes that files have before the count starts.
    pub before: Vec<Attribute>,
    /// Attributes that are then set, in this order; of those that `before` has, the values are replaced.
    pub set: Vec<Attribute>,
}

/// What the rule says and what the file system did.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The rule's answer for one file, with parameters that [`detect`] read from the mounted image.
    pub predicted: Result<Cost, Refusal>,
    /// What happened.
    pub observed: Observed,
    /// Parameters that could not be read.
    pub assumed: Vec<String>,
}

/// What a file system did with attributes.
#[derive(Debug, Clone, PartialEq)]
pub enum Observed {
    /// It took them: the change of used bytes and inodes, divided by the files.
    Stored {
        /// Bytes per file.
        bytes: f64,
        /// Inodes per file.
        inodes: f64,
    },
    /// It refused one on the first file.
    Refused {
        /// The attribute.
        name: String,
        /// The error number.
        errno: i32,
    },
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CapacityError {
    /// A tool is missing or failed.
    #[error("{command}: {reason}; root, loop devices and the tool are needed")]
    Tool {
        /// What was run.
        command: String,
        /// Its complaint.
        reason: String,
    },
    /// A file or attribute could not be written.
    #[error("{path}: {error}; the folder must be writable and have room for the image")]
    Io {
        /// Where.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The file system that was made is not recognised.
    #[error(transparent)]
    Detect(#[from] DetectError),
}

/// Makes the file system on an image in `folder`, mounts it there, and measures.
///
/// # Errors
///
/// A tool that is missing or fails, a folder that cannot be written, or a file system without a model. That the file
/// system refuses an attribute is no error but an [`Observed::Refused`].
pub fn measure(folder: &Path, setup: &Setup, load: &Load) -> Result<Measured, CapacityError> {
    let image = Image::mount(folder, setup)?;
    measure_mounted(&image.mount_point, load)
}

/// Measures in an empty folder of a file system that is mounted already; what it writes stays there. For kernels in
/// which nothing but the file system itself can be had, and for disks.
///
/// # Errors
///
/// As [`measure`].
pub fn measure_mounted(folder: &Path, load: &Load) -> Result<Measured, CapacityError> {
    let detected = detect(folder)?;
    let mut random = Random::new();
    let mut files = Vec::with_capacity(load.files as usize);
    for index in 0..load.files {
        // Names of different lengths, as files have: equal ones make leaves of btrfs fill in step.
        let stem = "name-of-a-file-of-some-length".get(..(index % 17) as usize).unwrap_or_default();
        let path = folder.join(format!("{stem}{index:06}"));
        let file = File::create_new(&path).map_err(|error| at(&path, error))?;
        file.write_all_at(&random.bytes(load.file_size), 0).map_err(|error| at(&path, error))?;
        for attribute in &load.before {
            set(&file, attribute, &mut random).map_err(|errno| at(&path, errno.into()))?;
        }
        files.push(path);
    }
    let file = FileShape { size: load.file_size as u64, extents: 1 };
    let mut after = load.before.clone();
    after.retain(|old| !load.set.iter().any(|new| new.name == old.name));
    after.extend(load.set.iter().cloned());
    let predicted = detected.file_system.cost(&file, &load.before, &after);

    let before = used(folder)?;
    for (index, path) in files.iter().enumerate() {
        // Opened one at a time: a few thousand files are more than a process may hold open.
        let file = File::open(path).map_err(|error| at(path, error))?;
        for attribute in &load.set {
            let Err(errno) = set(&file, attribute, &mut random) else { continue };
            if index > 0 {
                return Err(at(path, errno.into()));
            }
            let observed = Observed::Refused { name: attribute.name.clone(), errno: errno.raw_os_error() };
            return Ok(Measured { predicted, observed, assumed: detected.assumed });
        }
    }
    let after = used(folder)?;
    let each = |change: i64| change as f64 / f64::from(load.files.max(1));
    let observed = Observed::Stored { bytes: each(after.0 - before.0), inodes: each(after.1 - before.1) };
    Ok(Measured { predicted, observed, assumed: detected.assumed })
}

fn set(file: &File, attribute: &Attribute, random: &mut Random) -> rustix::io::Result<()> {
    let mut value = random.bytes(attribute.length as usize);
    // A kernel with IMA takes only values that begin as a signature does: type 3, version 2, SHA-256.
    value.iter_mut().zip([3, 2, 4]).for_each(|(byte, header)| *byte = header);
    rustix::fs::fsetxattr(file, attribute.name.as_str(), &value, XattrFlags::empty())
}

/// Used bytes and inodes after everything is on disk.
fn used(folder: &Path) -> Result<(i64, i64), CapacityError> {
    let root = File::open(folder).map_err(|error| at(folder, error))?;
    // Twice, since what one transaction frees is free only after the next (btrfs, XFS).
    for _ in 0..2 {
        rustix::fs::syncfs(&root).map_err(|errno| at(folder, errno.into()))?;
    }
    let stat = rustix::fs::fstatvfs(&root).map_err(|errno| at(folder, errno.into()))?;
    let bytes = stat.f_blocks.saturating_sub(stat.f_bfree).saturating_mul(stat.f_frsize);
    Ok((bytes as i64, stat.f_files as i64 - stat.f_ffree as i64))
}

/// An image that is mounted as long as this lives.
struct Image {
    file: PathBuf,
    mount_point: PathBuf,
    mounted: bool,
}

impl Image {
    fn mount(folder: &Path, setup: &Setup) -> Result<Image, CapacityError> {
        let name = format!("fieldtest-{}-{:08x}", setup.kind, Random::new().0.next_u64() as u32);
        let (file, mount_point) = (folder.join(format!("{name}.img")), folder.join(name));
        std::fs::create_dir(&mount_point).map_err(|error| at(&mount_point, error))?;
        let mut image = Image { file, mount_point, mounted: false };
        let blank = File::create_new(&image.file).map_err(|error| at(&image.file, error))?;
        blank.set_len(setup.image_size).map_err(|error| at(&image.file, error))?;
        let mut mkfs = Command::new(format!("mkfs.{}", setup.kind));
        // mke2fs asks before it writes to what is no device.
        mkfs.args(setup.kind.starts_with("ext").then_some("-F")).args(&setup.mkfs_options).arg(&image.file);
        run(&mut mkfs)?;
        let options =
            if setup.mount_options.is_empty() { "loop" } else { &format!("loop,{}", setup.mount_options) };
        let mut mount = Command::new("mount");
        mount.args(["-t", &setup.kind, "-o", options]).arg(&image.file).arg(&image.mount_point);
        run(&mut mount)?;
        image.mounted = true;
        Ok(image)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if self.mounted && run(Command::new("umount").arg(&self.mount_point)).is_err() {
            // Something looks into it: it goes when that ends.
            let _ = run(Command::new("umount").arg("--lazy").arg(&self.mount_point));
        }
        // What is left behind when these fail is an empty folder and a sparse file with our name.
        let _ = std::fs::remove_file(&self.file);
        let _ = std::fs::remove_dir(&self.mount_point);
    }
}

fn run(command: &mut Command) -> Result<(), CapacityError> {
    let shown = || format!("{command:?}").replace('"', "");
    let failed = |command: String, reason: String| CapacityError::Tool { command, reason };
    let name = shown();
    let output = command.output().map_err(|error| failed(name.clone(), error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(name, String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

fn at(path: &Path, error: io::Error) -> CapacityError {
    CapacityError::Io { path: path.to_owned(), error }
}

/// Values that no two files share: ext4 would store equal ones once. Nothing here is a secret, so the standard
/// library's hasher, keyed by the system, is random enough.
struct Random(SplitMix64);

impl Random {
    fn new() -> Random {
        use std::hash::{BuildHasher, RandomState};
        Random(SplitMix64::seed_from_u64(RandomState::new().hash_one(std::process::id())))
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}
