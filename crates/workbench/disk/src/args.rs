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
    /// Make a LUKS2 container in a file or on a device
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
}

/// What opens a container that is there.
#[derive(Debug, ClapArgs)]
pub(crate) struct DiskUnlock {
    #[command(flatten)]
    pub(crate) key: DiskKey,
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
    /// The cipher of the key slots; AES, which every cryptsetup can open, or `same` as the content's
    #[arg(long, value_name = "SPEC", default_value = "aes-xts-plain64")]
    pub(crate) keyslot_cipher: String,
    /// Bytes per sector
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub(crate) sector_size: u32,
    /// The function that derives a key from the passphrase
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub(crate) kdf: DiskKdf,
    /// How long an attempt at a passphrase shall take on this machine
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000)]
    pub(crate) iter_time: u32,
    /// Memory of Argon2 at most
    #[arg(long, value_name = "KIBIBYTES", default_value_t = 1_048_576)]
    pub(crate) kdf_memory: u32,
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
