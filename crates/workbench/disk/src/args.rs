//! What is typed after `fieldtest disk`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum, value_parser};
use fieldtest_frame::arguments::{StudyRun, examples};

#[derive(Debug, Subcommand)]
#[command(after_help = examples(&[
    (
        "A file system's image, encrypted by LEA",
        "fieldtest disk format lea.img -c lea-xts-plain64 --from fs.img -d volume.key",
    ),
]))]
pub(crate) enum Disk {
    /// Make a container in a file or on a device
    #[command(after_help = examples(&[
        (
            "An encrypted disk of 10 GiB in a file, as cryptsetup would make it",
            "fieldtest disk format volume.img --size 10G --key-file volume.key",
        ),
        (
            "A file system's image, encrypted by LEA",
            "fieldtest disk format lea.img -c lea-xts-plain64 --from fs.img -d volume.key",
        ),
    ]))]
    Format(DiskFormat),
    /// Try a passphrase or key file on a container, and say what it opens
    #[command(after_help = examples(&[
        (
            "Whether a key file opens a container, and what is in it",
            "fieldtest disk open volume.img --key-file volume.key",
        ),
    ]))]
    Open(DiskOpen),
    /// Show a container's headers
    #[command(after_help = examples(&[
        ("What a container's headers say", "fieldtest disk dump volume.img"),
    ]))]
    Dump(DiskDump),
    /// Copy an image into a container, or out of it
    #[command(after_help = examples(&[
        (
            "What is in a container, as an image",
            "fieldtest disk copy lea.img plain.img --key-file volume.key",
        ),
        (
            "An image into a container that is there, over what it has",
            "fieldtest disk copy fs.img lea.img --key-file volume.key --overwrite",
        ),
    ]))]
    Copy(DiskCopy),
    /// Serve a container's content as a block device over NBD, until Ctrl-C or SIGTERM
    #[command(after_help = examples(&[
        (
            "A container as a block device, for nbd-client or qemu",
            "fieldtest disk serve volume.img --listen /run/volume.sock -d volume.key",
        ),
    ]))]
    Serve(DiskServe),
    /// Add, change, remove or prefer the passphrases and key files that open a container
    #[command(subcommand)]
    Slot(DiskSlot),
    /// Encrypt the content anew, with another cipher and another key, where it lies
    #[command(after_help = examples(&[
        (
            "From LEA to ARIA; whatever ends it, --resume goes on",
            "fieldtest disk reencrypt lea.img --cipher aria-xts-plain64 -d volume.key",
        ),
    ]))]
    Reencrypt(DiskReencrypt),
    /// Rewrite a damaged header copy from the other one
    #[command(after_help = examples(&[
        ("Both header copies whole again, where one of them is", "fieldtest disk repair volume.img"),
    ]))]
    Repair(DiskRepair),
    /// Judge a cipher specification before it is used: exit code 0 if it is safe, 1 if not
    #[command(after_help = examples(&[
        (
            "Whether a cipher specification is safe for a disk of 1 TiB",
            "fieldtest disk check-spec aes-xts-plain64 --key-size 512 --size 1T",
        ),
        ("Why one must not be used (exit code 1)", "fieldtest disk check-spec chacha20-plain64"),
    ]))]
    CheckSpec(DiskCheckSpec),
    /// Time every cipher on sectors, with the costs beside it
    #[command(after_help = examples(&[
        (
            "What LEA costs beside AES in sectors of 4096 bytes",
            "fieldtest disk study -a aes-256-xts -a lea-256-xts --sector-size 4096",
        ),
        (
            "What a container of your own takes under LEA, and what limits it",
            "fieldtest disk study --disk volume.img -a lea-256-xts --budget 10",
        ),
    ]))]
    Study(DiskStudy),
}

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

/// Who does the work, and how many at once.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskWork {
    /// The implementation of the content's cipher; if absent `fieldtest`, this project's own, or else the first that
    /// `fieldtest show` lists
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Threads; all cores if absent
    #[arg(long, short = 'j', value_name = "NUMBER", value_parser = value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// What a new key slot is like.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskNewSlot {
    /// The function that derives a key from the passphrase; LUKS1 has PBKDF2 alone
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub(crate) kdf: DiskKdf,
    /// How long an attempt at a passphrase shall take on this machine
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000)]
    pub(crate) iter_time: u32,
    /// Memory of Argon2 at most
    #[arg(long, value_name = "KIBIBYTES", default_value_t = 1_048_576)]
    pub(crate) kdf_memory: u32,
    /// The cipher of the key slots; AES, which every cryptsetup can open, or `same` as the content's
    #[arg(long, value_name = "SPEC", default_value = "aes-xts-plain64")]
    pub(crate) keyslot_cipher: String,
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

#[derive(Debug, Subcommand)]
#[command(after_help = examples(&[
    (
        "A second key file that opens it",
        "fieldtest disk slot add volume.img -d volume.key --new-key-file other.key",
    ),
]))]
pub(crate) enum DiskSlot {
    /// Let another passphrase or key file open a container
    #[command(after_help = examples(&[
        (
            "A second key file that opens it",
            "fieldtest disk slot add volume.img -d volume.key --new-key-file other.key",
        ),
    ]))]
    Add(DiskSlotAdd),
    /// Put another passphrase or key file in the place of one, whose key slot is destroyed
    #[command(after_help = examples(&[
        (
            "A new key file in the place of another",
            "fieldtest disk slot change volume.img -d other.key --new-key-file new.key",
        ),
    ]))]
    Change(DiskSlotChange),
    /// Give the same passphrase or key file another key derivation
    #[command(after_help = examples(&[
        (
            "PBKDF2, which GRUB can compute, in the place of Argon2id",
            "fieldtest disk slot convert volume.img -d volume.key --kdf pbkdf2",
        ),
    ]))]
    Convert(DiskSlotConvert),
    /// Destroy a key slot: its passphrase or key file opens the container no more
    #[command(after_help = examples(&[
        ("Nobody opens a container with key slot 1 any more", "fieldtest disk slot kill volume.img 1"),
    ]))]
    Kill(DiskSlotKill),
    /// Say when a key slot is tried
    #[command(after_help = examples(&[
        (
            "A key slot that is tried before others",
            "fieldtest disk slot priority volume.img 0 prefer",
        ),
    ]))]
    Priority(DiskSlotPriority),
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

/// The functions that make a key of a passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiskKdf {
    /// Argon2id, RFC 9106
    #[default]
    Argon2id,
    /// PBKDF2 with SHA-256, RFC 8018
    Pbkdf2,
}

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
    /// The hash function of a LUKS1 container: sha1, sha224, sha256, sha384 or sha512
    #[arg(long, value_name = "NAME", default_value = "sha256")]
    pub(crate) hash: String,
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
    /// Use a specification that check-spec advises against
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
