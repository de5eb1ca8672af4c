//! What is typed after commands that make, encrypt anew, copy and serve the content.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use fieldtest_frame::arguments::Threads;

use super::{DiskKey, DiskNewSlot, DiskUnlock};

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskFormat {
    /// The container: a new file, one that has its size and nothing else yet, or a device
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// The cipher of the content, as dm-crypt writes it: lea-xts-plain64, aes-xts-plain64,
    /// xchacha12,aes-adiantum-plain64
    #[arg(long, short, value_name = "SPEC", default_value = "aes-xts-plain64")]
    pub(crate) cipher: String,
    /// Bits of the content's key, both halves together for XTS; the cipher's longest if absent
    #[arg(long, short = 's', value_name = "BITS")]
    pub(crate) key_size: Option<u32>,
    /// The format of the container
    #[arg(long = "type", value_name = "NAME", value_enum, default_value_t)]
    pub(crate) version: DiskType,
    /// Give every sector a tag, by which a change of it is noticed: `aead` for a cipher such as aes-gcm-random, or
    /// hmac-sha256 (hmac-sha1, hmac-sha512) for one such as aes-xts-random
    #[arg(long, value_name = "NAME")]
    pub(crate) integrity: Option<String>,
    /// Bytes per sector; 4096 if absent, of LUKS1 always 512
    #[arg(long, value_name = "BYTES")]
    pub(crate) sector_size: Option<u32>,
    /// Write the header to this new file, apart from the data
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// The number of the key slot
    #[arg(long, short = 'S', value_name = "NUMBER")]
    pub(crate) key_slot: Option<u32>,
    /// A file that is the volume key, in place of a random one
    #[arg(long, value_name = "FILE")]
    pub(crate) volume_key_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) slot: DiskNewSlot,
    /// Bytes of the content, which 16 MiB of header and key slots come on top of; K, M, G and T after the number
    /// are powers of 1024. Those of --from, or what the file or device has room for, if absent
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Fill the container with this image
    #[arg(long, value_name = "PLAIN")]
    pub(crate) from: Option<PathBuf>,
    /// Do not encrypt the holes of that image: the container stays as sparse as it, and they read as noise
    #[arg(long, requires = "from")]
    pub(crate) leave_holes: bool,
    /// A label in the header
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// Use a specification that check-spec advises against
    #[arg(long)]
    pub(crate) force: bool,
    /// Overwrite what is there already
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
    /// LUKS1, which GRUB and QEMU read: PBKDF2, sectors of 512 bytes
    Luks1,
    /// LUKS2
    #[default]
    Luks2,
}

/// Who does the work, and how many at once.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskWork {
    /// The implementation of the content's cipher; if absent `fieldtest`, this project's own, or else the first that
    /// `fieldtest show` lists
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskReencrypt {
    /// The container, or the data of a detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// The cipher that the content shall have, as dm-crypt writes it
    #[arg(long, short, value_name = "SPEC", required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) cipher: Option<String>,
    /// Bits of the new key, both halves together for XTS; the cipher's longest if absent
    #[arg(long, short = 's', value_name = "BITS", conflicts_with = "resume")]
    pub(crate) key_size: Option<u32>,
    /// Bytes per sector; those that the content has if absent
    #[arg(long, value_name = "BYTES", conflicts_with = "resume")]
    pub(crate) sector_size: Option<u32>,
    /// How the content is protected against crashes meanwhile
    #[arg(long, value_name = "HOW", value_enum, default_value_t, conflicts_with = "resume")]
    pub(crate) resilience: DiskResilience,
    /// Bytes that are worked on at once; as many as the header protects, and at most 32 MiB, if absent
    #[arg(long, value_name = "SIZE")]
    pub(crate) hotzone_size: Option<String>,
    /// Go on with what was begun, here or by cryptsetup
    #[arg(long)]
    pub(crate) resume: bool,
    /// Only write down what is to be done
    #[arg(long, conflicts_with = "resume")]
    pub(crate) init_only: bool,
    /// Lose the key slots of other passphrases and key files
    #[arg(long, conflicts_with = "resume")]
    pub(crate) drop_other_slots: bool,
    /// Use a specification that check-spec advises against, and begin where the file system has no room for what holes
    /// become
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
    /// The header lies in this file, apart from the data
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// Try this key slot alone
    #[arg(long, short = 'S', value_name = "NUMBER", conflicts_with = "resume")]
    pub(crate) key_slot: Option<u32>,
    #[command(flatten)]
    pub(crate) key: DiskKey,
    #[command(flatten)]
    pub(crate) slot: DiskNewSlot,
}

/// How a zone of the content is protected while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiskResilience {
    /// By a copy of it: everything is written twice, and nothing is expected of the disk
    #[default]
    Journal,
    /// By checksums: the disk has to write a sector of the content whole or not at all
    Checksum,
    /// Not at all: a crash loses data, Ctrl-C does not
    None,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskCopy {
    /// Where from: a container, or an image to put into one
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// Where to: an image to make, or a container that is there, which is filled from its beginning
    #[arg(value_name = "DESTINATION")]
    pub(crate) destination: PathBuf,
    /// With a --header: the destination is the container's data. If absent, the source is
    #[arg(long, requires = "header")]
    pub(crate) into: bool,
    /// Replace the image that is there, or fill the container that is there, which cannot be undone
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) unlock: DiskUnlock,
    #[command(flatten)]
    pub(crate) work: DiskWork,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskServe {
    /// The container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Where clients connect: a path for a socket, or a loopback address such as 127.0.0.1:10809
    #[arg(long, short, value_name = "PATH|ADDRESS")]
    pub(crate) listen: String,
    /// Refuse writes
    #[arg(long, short)]
    pub(crate) read_only: bool,
    /// Pass on which blocks are unused: the container gets holes, which show to who reads it
    #[arg(long, conflicts_with = "read_only")]
    pub(crate) discard: bool,
    /// The implementation of the content's cipher; if absent `fieldtest`, this project's own, or else the first that
    /// `fieldtest show` lists
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    #[command(flatten)]
    pub(crate) unlock: DiskUnlock,
}
