//! What is typed after `fieldtest disk slot`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::{DiskKey, DiskNewKey, DiskNewSlot};

#[derive(Debug, Subcommand)]
pub(crate) enum DiskSlot {
    /// Let another passphrase or key file open a container
    Add(DiskSlotAdd),
    /// Put another passphrase or key file in the place of one, whose key slot is destroyed
    ///
    /// The new key slot is made beside the old one, so that one of both opens whenever the power fails. Where there is no
    /// room for that, as with eight key slots of LUKS1, the old one is written over where it lies, and a power failure
    /// meanwhile loses it; the others stay as they are. The last one that opens the data is not changed so.
    Change(DiskSlotChange),
    /// Give the same passphrase or key file another key derivation
    ///
    /// The key slot is changed as `change` does it, also where there is no room for another one.
    Convert(DiskSlotConvert),
    /// Destroy a key slot, given what opens one that remains: its own passphrase or key file opens the container no more
    Kill(DiskSlotKill),
    /// Say when a key slot is tried
    Priority(DiskSlotPriority),
}

/// What opens a container whose key slots are to be changed.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotUnlock {
    /// The container, or its detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    #[command(flatten)]
    pub(crate) key: DiskKey,
    /// Try this key slot alone
    #[arg(long, short = 'S', value_name = "NUMBER")]
    pub(crate) key_slot: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotAdd {
    #[command(flatten)]
    pub(crate) unlock: DiskSlotUnlock,
    /// A file that is the volume key itself, in place of a passphrase that opens the container
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key_file", "key_slot"])]
    pub(crate) volume_key_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) new: DiskNewKey,
    /// The number of the new key slot; the first that is free if absent
    #[arg(long, value_name = "NUMBER")]
    pub(crate) new_key_slot: Option<u32>,
    /// When the new key slot is tried
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
    /// The container, or its detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// The key slot; never the last one that opens the data
    #[arg(value_name = "NUMBER")]
    pub(crate) number: u32,
    #[command(flatten)]
    pub(crate) key: DiskKey,
    /// Destroy it without asking for a passphrase of another one: the container may open for nobody then
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiskSlotPriority {
    /// The container, or its detached header
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// The key slot
    #[arg(value_name = "NUMBER")]
    pub(crate) number: u32,
    /// When it is tried
    #[arg(value_name = "WHEN", value_enum)]
    pub(crate) priority: DiskPriority,
}

/// When a key slot is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiskPriority {
    /// Before all others
    Prefer,
    /// Behind those that are preferred
    Normal,
    /// Only when it is named with --key-slot
    Ignore,
}
