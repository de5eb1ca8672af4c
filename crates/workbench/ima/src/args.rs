//! What is typed after `fieldtest ima`.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the help texts are shown as they are, and not as Markdown"
)]

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Subcommand, ValueEnum, value_parser};
use fieldtest_frame::arguments::{StudyRun, Threads};
use fieldtest_frame::job::JobRun;

#[derive(Debug, Subcommand)]
pub(crate) enum Ima {
    /// Make a key pair: the private key in PKCS #8, and a self-signed certificate for the kernel
    Keygen(ImaKeygen),
    /// Predict what signatures cost on a tree and its file system, without writing anything
    Plan(ImaPlan),
    /// Sign every file of a tree, or of a tar archive as it streams by
    Sign(ImaSign),
    /// Sign every package of a folder, tar archives and unpacked trees, as a job that goes on after any end
    Packages(ImaPackages),
    /// Verify every file of a tree, or of a tar archive
    Verify(ImaVerify),
    /// Time signing and verification of a tree with every algorithm, and show what each costs on it
    Study(ImaStudy),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaKeygen {
    /// The algorithm, as `fieldtest list signature` shows it
    #[arg(long, short, value_name = "NAME")]
    pub(crate) algorithm: String,
    /// The implementation that makes the key; the first that signs deterministically if none is named
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Directory for NAME.pem, the private key, and NAME.der, the certificate
    #[arg(long, short, value_name = "DIRECTORY", default_value = ".")]
    pub(crate) output: PathBuf,
    /// Days for which the certificate is valid
    #[arg(long, value_name = "NUMBER", default_value_t = 3_650, value_parser = value_parser!(u32).range(1..=36_500))]
    pub(crate) days: u32,
    /// The common name in the certificate; the algorithm's name if absent
    #[arg(long, value_name = "TEXT")]
    pub(crate) common_name: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaPlan {
    /// The tree
    #[arg(value_name = "TREE")]
    pub(crate) tree: PathBuf,
    /// Only these algorithms; may be repeated
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Also give every file an EVM signature by this algorithm, or `hmac`
    #[arg(long, value_name = "NAME")]
    pub(crate) evm: Option<String>,
    /// Also give files without a SELinux label one of so many bytes
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u64).range(1..=65_536))]
    pub(crate) label: Option<u64>,
    /// Plan for signatures with randomness in them, as `sign --hedged` makes: equal files then have different ones, which
    /// no file system stores once
    #[arg(long)]
    pub(crate) hedged: bool,
    /// Plan for this file system instead of the tree's: ext4:inode-size=512,ea-inode, xfs:block-size=1024,
    /// btrfs:node-size=65536,copies=1, f2fs:inline-size=400, squashfs, erofs or tmpfs
    #[arg(long, value_name = "KIND[:OPTION,…]")]
    pub(crate) file_system: Option<String>,
    /// Enter other file systems that are mounted in the tree; the prediction takes them for the tree's own
    #[arg(long)]
    pub(crate) cross_file_systems: bool,
}

/// Where signatures are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ImaStore {
    /// In the xattr of each file, where the kernel looks for it
    #[default]
    Xattr,
    /// In a file beside each file, NAME.sig
    Sidecar,
    /// In one list for the whole tree, which `setfattr --restore` applies
    Manifest,
    /// In the xattr records of a tar archive, which takes the tree's place
    Tar,
}

/// The store that is chosen.
#[derive(Debug, ClapArgs)]
pub(crate) struct ImaKept {
    /// Where signatures are kept
    #[arg(long, value_name = "WHERE", value_enum, default_value_t)]
    pub(crate) store: ImaStore,
}

/// How files are gone through.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ImaWalk {
    /// The name of the xattr; user.ima needs no privileges and means nothing to the kernel
    #[arg(long, value_name = "NAME", default_value = "security.ima")]
    pub(crate) attribute: String,
    /// Enter other file systems that are mounted in the tree
    #[arg(long)]
    pub(crate) cross_file_systems: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// What signatures are like.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ImaSigning {
    /// The hash of each file, by the kernel's name
    #[arg(long, value_name = "NAME", default_value = "sha256")]
    pub(crate) hash: String,
    /// Version of the signature; if absent, 3 with --verity and for algorithms that sign messages alone (ML-DSA), 2 for
    /// others
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u8).range(2..=3))]
    pub(crate) signature_version: Option<u8>,
    /// Sign each file's fs-verity digest (blocks of 4096 bytes, no salt) instead of its content's, with sha256 or sha512;
    /// the kernel wants fs-verity enabled on such a file, which is not done here
    #[arg(long)]
    pub(crate) verity: bool,
    /// The implementation that signs; the first that is deterministic if none is named
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Let the algorithm use randomness where it can; signatures then differ from run to run
    #[arg(long)]
    pub(crate) hedged: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaSign {
    /// The tree, or a single file; with --store tar the archive, - for standard input
    #[arg(value_name = "TREE")]
    pub(crate) tree: PathBuf,
    /// The private key, PEM or DER
    #[arg(long, short, value_name = "KEY")]
    pub(crate) key: PathBuf,
    /// The key's certificate, for the id under which the kernel will look for the key; without one, the id is that of
    /// the public key
    #[arg(long, value_name = "CERTIFICATE")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: ImaSigning,
    #[command(flatten)]
    pub(crate) kept: ImaKept,
    #[command(flatten)]
    pub(crate) walk: ImaWalk,
    /// File for the manifest or the signed archive; standard output if absent
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also set security.evm, a portable EVM signature by the same key
    #[arg(long)]
    pub(crate) evm: bool,
    /// Do not predict first whether the file system will take every xattr
    #[arg(long)]
    pub(crate) no_plan: bool,
    /// Sign what can be signed although the prediction says that files will be refused or that the room will not do, or the
    /// tree is a store that calls its files by digests; and replace values of --attribute that are none of IMA's
    #[arg(long, conflicts_with = "no_plan")]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, ClapArgs)]
#[command(group = ArgGroup::new("signing keys").required(true).args(["key", "keys"]))]
pub(crate) struct ImaPackages {
    /// The folder that the packages are in, at any depth; it is only read
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The folder for what is signed: each archive at its path, for each tree NAME.manifest for setfattr --restore
    #[arg(value_name = "DESTINATION")]
    pub(crate) destination: PathBuf,
    /// Take each folder directly in this one, below FOLDER, for a tree, and sign its files; may be repeated
    #[arg(long, value_name = "FOLDER")]
    pub(crate) trees: Vec<PathBuf>,
    /// The private key, PEM or DER
    #[arg(long, short, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// The key's certificate, for the id under which the kernel will look for the key; without one, the id is that of
    /// the public key
    #[arg(long, value_name = "CERTIFICATE", conflicts_with = "keys")]
    pub(crate) certificate: Option<PathBuf>,
    /// A folder of private keys, each NAME.pem with its certificate NAME.der if there is one; what a package holds decides
    /// which of them signs it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keys: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: ImaSigning,
    #[command(flatten)]
    pub(crate) walk: ImaWalk,
    #[command(flatten)]
    pub(crate) run: JobRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaVerify {
    /// The tree, or a single file; with --store tar the archive, - for standard input
    #[arg(value_name = "TREE")]
    pub(crate) tree: PathBuf,
    /// A file with public keys or certificates, PEM or DER; may be repeated
    #[arg(long = "key", short, value_name = "KEY", required = true)]
    pub(crate) keys: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) kept: ImaKept,
    #[command(flatten)]
    pub(crate) walk: ImaWalk,
    /// The list of signatures, for --store manifest
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Also verify security.evm
    #[arg(long)]
    pub(crate) evm: bool,
    /// The implementation that verifies, where the algorithm has it
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Files to show at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) show: usize,
    /// Show the verdict of every file, not only of those that are not good
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaStudy {
    /// The tree, which is read and not written to
    #[arg(value_name = "TREE", default_value = "/usr")]
    pub(crate) tree: PathBuf,
    /// Only these algorithms; may be repeated
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
