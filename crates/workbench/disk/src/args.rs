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
    /// Make a container in a file or on a device
    Format(DiskFormat),
    /// Try a passphrase or key file on a container, and say what it opens
    Open(DiskOpen),
    /// Show a container's headers
    Dump(DiskDump),
    /// Copy an image into a container, or out of it
    Copy(DiskCopy),
    /// Serve a container's content as a block device over NBD, until Ctrl-C or SIGTERM
    Serve(DiskServe),
    /// Add, change, remove or prefer the passphrases and key files that open a container
    #[command(subcommand)]
    Slot(DiskSlot),
    /// Encrypt the content anew, with another cipher and another key, where it lies
    Reencrypt(DiskReencrypt),
    /// Rewrite a damaged header copy from the other one
    Repair(DiskRepair),
    /// Judge a cipher specification before it is used: exit code 0 if it is safe, 1 if not
    CheckSpec(DiskCheckSpec),
    /// Time every cipher on sectors, with the costs beside it
    Study(DiskStudy),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskOpen {
    /// The container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    #[command(flatten)]
    pub(crate) unlock: DiskUnlock,
    /// Write the volume key to this new file: who has it opens the container for ever, whatever its passphrases
    #[arg(long, value_name = "FILE")]
    pub(crate) save_volume_key: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskDump {
    /// The container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskRepair {
    /// The container
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Repair although the labels of other formats are there too, and lose those that lie where the header goes
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskCheckSpec {
    /// The specification, as dm-crypt and cryptsetup take it
    #[arg(value_name = "SPEC")]
    pub(crate) spec: String,
    /// Bits of the key
    #[arg(long, short = 's', value_name = "BITS")]
    pub(crate) key_size: Option<u32>,
    /// Bytes per sector
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub(crate) sector_size: u32,
    /// What gives each sector a tag: aead, hmac-sha256, hmac-sha512 or hmac-sha1
    #[arg(long, value_name = "NAME")]
    pub(crate) integrity: Option<String>,
    /// Bytes of a block of the file system on it, or of a sector of the disk if that is less
    #[arg(long, value_name = "BYTES")]
    pub(crate) block_size: Option<u32>,
    /// Bytes of the content; K, M, G and T after the number are powers of 1024
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskStudy {
    /// Measure on this LUKS2 container, image or block device, which is only read
    #[arg(long, value_name = "FILE")]
    pub(crate) disk: Option<PathBuf>,
    /// Only these algorithms; may be repeated
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Only implementations of this name, `all` for all; may be repeated
    #[arg(long = "implementation", short = 'i', value_name = "NAME")]
    pub(crate) implementations: Vec<String>,
    /// Bytes per sector; may be repeated; those of the container, or 512 and 4096 if absent
    #[arg(long, value_name = "BYTES")]
    pub(crate) sector_size: Vec<usize>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
