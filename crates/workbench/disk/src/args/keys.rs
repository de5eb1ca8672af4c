//! What opens a container, and what a key slot is like.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// What opens a container.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskKey {
    /// A file that is the key, every byte of it, a newline at its end too; `-` for standard input to its end. If
    /// absent, a passphrase is asked for on the terminal, or is the first line of standard input without its newline
    #[arg(long, short = 'd', value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Pass over so many bytes of the key file; K, M and G after the number are powers of 1024
    #[arg(long, value_name = "SIZE", requires = "key_file")]
    pub(crate) keyfile_offset: Option<String>,
    /// Take so many bytes of the key file, and no others
    #[arg(long, value_name = "SIZE", requires = "key_file")]
    pub(crate) keyfile_size: Option<String>,
}

/// What opens a container that is there.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskUnlock {
    #[command(flatten)]
    pub(crate) key: DiskKey,
    /// The header lies in this file, apart from the data
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// A file that is the volume key itself, in place of a passphrase
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key_file", "key_slot"])]
    pub(crate) volume_key_file: Option<PathBuf>,
    /// Try this key slot alone, also one that is only tried when it is named (priority `ignore`); if absent, all
    /// others that hold the key of the data
    #[arg(long, short = 'S', value_name = "NUMBER")]
    pub(crate) key_slot: Option<u32>,
}

/// A key that is to open a container.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskNewKey {
    /// A file that is the new key, every byte of it; if absent, a passphrase is asked for on the terminal, or is the
    /// first line of standard input where that is not the old key
    #[arg(long, value_name = "FILE")]
    pub(crate) new_key_file: Option<PathBuf>,
    /// Pass over so many bytes of the new key file
    #[arg(long, value_name = "SIZE", requires = "new_key_file")]
    pub(crate) new_keyfile_offset: Option<String>,
    /// Take so many bytes of the new key file, and no others
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
    /// The function that derives a key from the passphrase; LUKS1 has PBKDF2 alone
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub(crate) kdf: DiskKdf,
    /// The hash function of the key slot (PBKDF2 and splitter), of a new container its digest's too, and of LUKS1
    /// the only one: sha256, sha512, sha3-256, blake2b-512, sm3 and others
    #[arg(long, value_name = "NAME", default_value = SLOT_HASH)]
    pub(crate) hash: String,
    /// How long an attempt at a passphrase shall take on this machine
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000)]
    pub(crate) iter_time: u32,
    /// Memory of Argon2 at most
    #[arg(long, value_name = "KIBIBYTES", default_value_t = 1_048_576)]
    pub(crate) kdf_memory: u32,
    /// The cipher of the key slots; AES, which every cryptsetup can open, or `same` as the content's
    #[arg(long, value_name = "SPEC", default_value = SLOT_CIPHER)]
    pub(crate) keyslot_cipher: String,
}

/// The functions that make a key of a passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiskKdf {
    /// Argon2id, RFC 9106
    #[default]
    Argon2id,
    /// PBKDF2, RFC 8018
    Pbkdf2,
}
