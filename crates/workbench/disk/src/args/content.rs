//! What is typed after commands that make, encrypt anew, copy and serve the content.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use fieldtest_frame::arguments::Threads;

use super::{DiskKey, DiskNewSlot, DiskUnlock, sector_size};

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskFormat {
    /// Container: a new file, an empty file of the right size, or a device
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Cipher of the data in dm-crypt notation: lea-xts-plain64, aes-xts-plain64,
    /// xchacha12,aes-adiantum-plain64
    #[arg(long, short, value_name = "SPEC", default_value = "aes-xts-plain64")]
    pub(crate) cipher: String,
    /// Key size in bits; XTS counts both halves [default: the cipher's largest]
    #[arg(long, short = 's', value_name = "BITS")]
    pub(crate) key_size: Option<u32>,
    /// Container format
    #[arg(long = "type", value_name = "NAME", value_enum, default_value_t)]
    pub(crate) version: DiskType,
    /// Authenticate every sector: `aead` for a cipher such as aes-gcm-random, or hmac-sha256 (hmac-sha1,
    /// hmac-sha512) for one such as aes-xts-random
    #[arg(long, value_name = "NAME")]
    pub(crate) integrity: Option<String>,
    /// Bytes per sector [default: 4096; LUKS1: always 512]
    #[arg(long, value_name = "BYTES", value_parser = sector_size)]
    pub(crate) sector_size: Option<u32>,
    /// Write a detached header to this new file
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// Number of the keyslot [default: 0]
    #[arg(long, short = 'S', value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=31))]
    pub(crate) key_slot: Option<u32>,
    /// Use the volume key in FILE instead of a random one
    #[arg(long, value_name = "FILE")]
    pub(crate) volume_key_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) slot: DiskNewSlot,
    /// Size of the data in bytes, without the 16 MiB of header and keyslots [suffixes: K, M, G, T]
    /// [default: the size of --from, or all space of the file or device]
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Fill the container with this image
    #[arg(long, value_name = "PLAIN")]
    pub(crate) from: Option<PathBuf>,
    /// Do not encrypt the holes of that image: the container stays sparse, and holes read as noise
    #[arg(long, requires = "from")]
    pub(crate) leave_holes: bool,
    /// Label in the header
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// Use a specification that check-spec rejects
    #[arg(long)]
    pub(crate) force: bool,
    /// Overwrite existing data
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) key: DiskKey,
    #[command(flatten)]
    pub(crate) work: DiskWork,
}

/// The formats of containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiskType {
    /// LUKS1, for GRUB and QEMU: PBKDF2, 512-byte sectors
    Luks1,
    /// LUKS2
    #[default]
    Luks2,
}

/// Who does the work, and how many at once.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskWork {
    /// Implementation of the data's cipher [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskReencrypt {
    /// Container, or the data device of a detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// New cipher in dm-crypt notation, such as aria-xts-plain64 [required without --resume]
    #[arg(long, short, value_name = "SPEC", required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) cipher: Option<String>,
    /// Size of the new key in bits; XTS counts both halves [default: the cipher's largest]
    #[arg(long, short = 's', value_name = "BITS", conflicts_with = "resume")]
    pub(crate) key_size: Option<u32>,
    /// Bytes per sector [default: unchanged]
    #[arg(long, value_name = "BYTES", conflicts_with = "resume", value_parser = sector_size)]
    pub(crate) sector_size: Option<u32>,
    /// Crash protection during re-encryption
    #[arg(long, value_name = "HOW", value_enum, default_value_t, conflicts_with = "resume")]
    pub(crate) resilience: DiskResilience,
    /// Bytes to re-encrypt per step [default: as many as the header protects, at most 32 MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) hotzone_size: Option<String>,
    /// Resume an interrupted re-encryption, ours or cryptsetup's
    #[arg(long, conflicts_with_all = ["kdf", "hash", "iter_time", "kdf_memory", "keyslot_cipher"])]
    pub(crate) resume: bool,
    /// Initialise re-encryption in the header, then stop
    #[arg(long, conflicts_with = "resume")]
    pub(crate) init_only: bool,
    /// Delete the keyslots of other passphrases and key files [default: an error if there are others]
    #[arg(long, conflicts_with = "resume")]
    pub(crate) drop_other_slots: bool,
    /// Accept a cipher that check-spec rejects, and start even if the file system may lack space to allocate the
    /// holes of a sparse image
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
    /// Detached header
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// Try only this keyslot
    #[arg(long, short = 'S', value_name = "NUMBER", conflicts_with = "resume", value_parser = clap::value_parser!(u32).range(0..=31))]
    pub(crate) key_slot: Option<u32>,
    #[command(flatten)]
    pub(crate) key: DiskKey,
    #[command(flatten)]
    pub(crate) slot: DiskNewSlot,
}

/// How a zone of the content is protected while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiskResilience {
    /// Data is written twice; no demands on the disk
    #[default]
    Journal,
    /// Checksums; the disk must write sectors atomically
    Checksum,
    /// No protection: a crash loses data (Ctrl-C is safe)
    None,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskCopy {
    /// Source: a container, or an image to copy into one
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// Destination: a new image, or an existing container, which is filled from its beginning
    #[arg(value_name = "DESTINATION")]
    pub(crate) destination: PathBuf,
    /// With --header: copy into the container [default: out of it]
    #[arg(long, requires = "header")]
    pub(crate) into: bool,
    /// Replace the existing image, or fill the existing container (cannot be undone)
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) unlock: DiskUnlock,
    #[command(flatten)]
    pub(crate) work: DiskWork,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskServe {
    /// Container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Where clients connect: a socket path, or a loopback address such as 127.0.0.1:10809
    #[arg(long, short, value_name = "PATH|ADDRESS")]
    pub(crate) listen: String,
    /// Reject writes
    #[arg(long, short)]
    pub(crate) read_only: bool,
    /// Free discarded blocks in the container, which shows its readers the blocks that are unused
    #[arg(long, conflicts_with = "read_only")]
    pub(crate) discard: bool,
    /// Implementation of the data's cipher [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    #[command(flatten)]
    pub(crate) unlock: DiskUnlock,
}
