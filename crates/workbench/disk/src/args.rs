//! What is typed after `fieldtest disk`.

mod content;
mod keys;
mod slots;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use fieldtest_frame::arguments::StudyRun;

pub(crate) use content::{
    DiskCopy, DiskFormat, DiskReencrypt, DiskResilience, DiskServe, DiskType, DiskWork,
};
pub(crate) use keys::{DiskKdf, DiskKey, DiskNewKey, DiskNewSlot, DiskUnlock, SLOT_CIPHER, SLOT_HASH};
pub(crate) use slots::{DiskPriority, DiskSlot, DiskSlotUnlock};

#[derive(Debug, Subcommand)]
pub(crate) enum Disk {
    /// Create a container in a file or on a device
    Format(DiskFormat),
    /// Try a passphrase or key file on a container
    Open(DiskOpen),
    /// Show a container's headers
    Dump(DiskDump),
    /// Copy an image into a container, or out of it
    Copy(DiskCopy),
    /// Serve a container's data as a block device over NBD
    ///
    /// End it with Ctrl-C or SIGTERM.
    Serve(DiskServe),
    /// Add, change, remove or prioritise keyslots
    ///
    /// A keyslot belongs to a passphrase or a key file.
    #[command(subcommand)]
    Slot(DiskSlot),
    /// Re-encrypt a container in place with a new cipher and key
    Reencrypt(DiskReencrypt),
    /// Repair a damaged header from its other copy
    Repair(DiskRepair),
    /// Check a cipher specification before use
    ///
    /// Exit code 0: safe, 1: not.
    CheckSpec(DiskCheckSpec),
    /// Time every cipher on sectors, and show its other costs
    Study(DiskStudy),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskOpen {
    /// Container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    #[command(flatten)]
    pub(crate) unlock: DiskUnlock,
    /// Write the volume key to a new file; it opens the container even after all passphrases change
    #[arg(long, value_name = "FILE")]
    pub(crate) save_volume_key: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskDump {
    /// Container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskRepair {
    /// Container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Repair despite labels of other formats; labels in the place of the header are lost
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskCheckSpec {
    /// Cipher in dm-crypt notation, such as aes-xts-plain64
    #[arg(value_name = "SPEC")]
    pub(crate) spec: String,
    /// Key size in bits [default: not checked]
    #[arg(long, short = 's', value_name = "BITS")]
    pub(crate) key_size: Option<u32>,
    /// Size of a sector
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub(crate) sector_size: u32,
    /// Authentication of each sector: aead, hmac-sha256, hmac-sha512 or hmac-sha1
    #[arg(long, value_name = "NAME")]
    pub(crate) integrity: Option<String>,
    /// Block size of the file system on it, or the disk's sector size if smaller [default: 4096]
    #[arg(long, value_name = "BYTES")]
    pub(crate) block_size: Option<u32>,
    /// Size of the data in bytes [suffixes: K, M, G, T] [default: unknown]
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
}

/// Bytes of a sector, as dm-crypt has them.
fn sector_size(typed: &str) -> Result<u32, &'static str> {
    let size = typed.parse().ok().filter(|size| [512, 1024, 2048, 4096].contains(size));
    size.ok_or("expected 512, 1024, 2048 or 4096")
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskStudy {
    /// LUKS2 container, image or block device (read only) [default: random data]
    #[arg(value_name = "IMAGE")]
    pub(crate) image: Option<PathBuf>,
    /// As `fieldtest study` has it
    #[arg(long, hide = true, value_name = "FILE", conflicts_with = "image")]
    pub(crate) disk: Option<PathBuf>,
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Only this implementation, `all` for all [can be repeated] [default: each algorithm's fastest in a trial; with
    /// --thorough all]
    #[arg(long = "implementation", short = 'i', value_name = "NAME")]
    pub(crate) implementations: Vec<String>,
    /// Bytes per sector [can be repeated] [default: the container's, or 512 and 4096]
    #[arg(long, value_name = "BYTES", value_parser = sector_size)]
    pub(crate) sector_size: Vec<u32>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
