//! What is typed after `fieldtest disk slot`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::{DiskKey, DiskNewKey, DiskNewSlot};

#[derive(Debug, Subcommand)]
pub(crate) enum DiskSlot {
    /// Add a passphrase or key file to a container
    Add(DiskSlotAdd),
    /// Replace a passphrase or key file, and destroy its keyslot
    ///
    /// The new keyslot is written before the old one is destroyed, so that one of them opens whenever the power fails.
    /// Without space for both, as with eight keyslots of LUKS1, the old one is overwritten in place, and a power failure
    /// meanwhile loses it, but no other keyslot. The last one that opens the data is never changed in place.
    Change(DiskSlotChange),
    /// Change the key derivation of a passphrase or key file
    ///
    /// The keyslot is changed as by `change`, in place if there is no space for another one.
    Convert(DiskSlotConvert),
    /// Destroy a keyslot
    ///
    /// Give a passphrase or key file of another one.
    Kill(DiskSlotKill),
    /// Set the priority of a keyslot
    Priority(DiskSlotPriority),
}

/// What opens a container whose key slots are to be changed.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotUnlock {
    /// Container, or its detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    #[command(flatten)]
    pub(crate) key: DiskKey,
    /// Try only this keyslot
    #[arg(long, short = 'S', value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=31))]
    pub(crate) key_slot: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotAdd {
    #[command(flatten)]
    pub(crate) unlock: DiskSlotUnlock,
    /// Use the volume key in FILE instead of a passphrase
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key_file", "key_slot"])]
    pub(crate) volume_key_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) new: DiskNewKey,
    /// Number of the new keyslot [default: the first free one]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=31))]
    pub(crate) new_key_slot: Option<u32>,
    /// Priority of the new keyslot
    #[arg(long, value_name = "WHEN", value_enum)]
    pub(crate) priority: Option<DiskPriority>,
    #[command(flatten)]
    pub(crate) slot: DiskNewSlot,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotChange {
    #[command(flatten)]
    pub(crate) unlock: DiskSlotUnlock,
    #[command(flatten)]
    pub(crate) new: DiskNewKey,
    #[command(flatten)]
    pub(crate) slot: DiskNewSlot,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotConvert {
    #[command(flatten)]
    pub(crate) unlock: DiskSlotUnlock,
    #[command(flatten)]
    pub(crate) slot: DiskNewSlot,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotKill {
    /// Container, or its detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Keyslot; never the last one that opens the data
    #[arg(value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=31))]
    pub(crate) number: u32,
    #[command(flatten)]
    pub(crate) key: DiskKey,
    /// Destroy it without a passphrase of another keyslot: the container may become inaccessible
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotPriority {
    /// Container, or its detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Keyslot
    #[arg(value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=31))]
    pub(crate) number: u32,
    /// Priority
    #[arg(value_name = "WHEN", value_enum)]
    pub(crate) priority: DiskPriority,
}

/// When a key slot is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiskPriority {
    /// Try before all others
    Prefer,
    /// Try after the preferred ones
    Normal,
    /// Try only with --key-slot
    Ignore,
}
