//! What opens a container, and what a key slot is like.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// What opens a container.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskKey {
    /// Key file that opens a keyslot, a final newline included; `-` for standard input
    /// [default: ask for a passphrase on the terminal, or read one line of standard input]
    #[arg(long, short = 'd', value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Skip this many bytes of the key file [suffixes: K, M, G]
    #[arg(long, value_name = "SIZE", requires = "key_file")]
    pub(crate) keyfile_offset: Option<String>,
    /// Read only this many bytes of the key file
    #[arg(long, value_name = "SIZE", requires = "key_file")]
    pub(crate) keyfile_size: Option<String>,
}

/// What opens a container that is there.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskUnlock {
    #[command(flatten)]
    pub(crate) key: DiskKey,
    /// Detached header
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// Use the volume key in FILE instead of a passphrase
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key_file", "key_slot"])]
    pub(crate) volume_key_file: Option<PathBuf>,
    /// Try only this keyslot, even with priority `ignore` [default: all other keyslots that hold the key of
    /// the data]
    #[arg(long, short = 'S', value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=31))]
    pub(crate) key_slot: Option<u32>,
}

/// A key that is to open a container.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskNewKey {
    /// Key file for the new keyslot [default: ask for a passphrase on the terminal, or read one line of standard
    /// input if that is not the old key]
    #[arg(long, value_name = "FILE")]
    pub(crate) new_key_file: Option<PathBuf>,
    /// Skip this many bytes of the new key file
    #[arg(long, value_name = "SIZE", requires = "new_key_file")]
    pub(crate) new_keyfile_offset: Option<String>,
    /// Read only this many bytes of the new key file
    #[arg(long, value_name = "SIZE", requires = "new_key_file")]
    pub(crate) new_keyfile_size: Option<String>,
}

/// The hash function of key slots where none is named.
pub(crate) const SLOT_HASH: &str = "sha256";
/// Their cipher where none is named.
pub(crate) const SLOT_CIPHER: &str = "aes-xts-plain64";

/// What a new key slot is like.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct DiskNewSlot {
    /// Key derivation from the passphrase [default: argon2id; LUKS1: pbkdf2, the only one it supports]
    #[arg(long, value_name = "NAME", value_enum)]
    pub(crate) kdf: Option<DiskKdf>,
    /// Hash function of the keyslot (and of a new container's digest): sha256, sha512, sha3-256, blake2b-512, sm3
    /// and others
    #[arg(long, value_name = "NAME", default_value = SLOT_HASH)]
    pub(crate) hash: String,
    /// Unlocking time on this machine
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    pub(crate) iter_time: u32,
    /// Memory limit of Argon2, from 32 MiB to 4 GiB [default: 1048576]
    #[arg(long, value_name = "KIBIBYTES", value_parser = clap::value_parser!(u32).range(32_768..=4_194_304))]
    pub(crate) kdf_memory: Option<u32>,
    /// Cipher of the keyslots, or `same` for that of the data; every cryptsetup can open the default
    #[arg(long, value_name = "SPEC", default_value = SLOT_CIPHER)]
    pub(crate) keyslot_cipher: String,
}

/// The functions that make a key of a passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiskKdf {
    /// Argon2id, RFC 9106
    Argon2id,
    /// PBKDF2, RFC 8018
    Pbkdf2,
}
