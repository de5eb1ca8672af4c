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
    /// Generate a key pair and a certificate for the kernel
    ///
    /// Write the key in PKCS #8, and sign the certificate by itself.
    Keygen(ImaKeygen),
    /// Predict the cost of signatures on a tree
    ///
    /// Consider its file system, and write nothing.
    Plan(ImaPlan),
    /// Sign every file of a tree, or of a tar archive as a stream
    Sign(ImaSign),
    /// Sign every package of a directory as a resumable job
    ///
    /// Packages are archives and unpacked trees.
    Packages(ImaPackages),
    /// Verify every file of a tree, or of a tar archive
    Verify(ImaVerify),
    /// Time signing and verification of a tree with every algorithm
    Study(ImaStudy),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaKeygen {
    /// Algorithm, as in `fieldtest list signature`
    #[arg(long, short, value_name = "NAME")]
    pub(crate) algorithm: String,
    /// Implementation that generates the key [default: the first that signs deterministically]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Directory for NAME.pem, the private key, and NAME.der, the certificate
    #[arg(long, short, value_name = "DIRECTORY", default_value = ".")]
    pub(crate) output: PathBuf,
    /// Validity of the certificate in days
    #[arg(long, value_name = "NUMBER", default_value_t = 3_650, value_parser = value_parser!(u32).range(1..=36_500))]
    pub(crate) days: u32,
    /// Common name in the certificate [default: the algorithm's name]
    #[arg(long, value_name = "TEXT")]
    pub(crate) common_name: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaPlan {
    /// Directory of files, or one file
    #[arg(value_name = "TREE")]
    pub(crate) tree: PathBuf,
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Add an EVM signature by this algorithm, or `hmac`, to every file
    #[arg(long, value_name = "NAME")]
    pub(crate) evm: Option<String>,
    /// Add an SELinux label of this many bytes to files without one
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u64).range(1..=65_536))]
    pub(crate) label: Option<u64>,
    /// Plan for randomised signatures (as `sign --hedged`); identical files then have different signatures, which cannot
    /// be deduplicated
    #[arg(long)]
    pub(crate) hedged: bool,
    /// Plan for this file system [default: that of TREE]: ext4:inode-size=512,ea-inode, xfs:block-size=1024,
    /// btrfs:node-size=65536,copies=1, f2fs:inline-size=400, squashfs, erofs or tmpfs
    #[arg(long, value_name = "KIND[:OPTION,…]")]
    pub(crate) file_system: Option<String>,
    /// Descend into mounted file systems, treated as part of TREE's
    #[arg(long)]
    pub(crate) cross_file_systems: bool,
}

/// Where signatures are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ImaStore {
    /// In the xattr of each file, where the kernel expects it
    #[default]
    Xattr,
    /// In a file next to each file, NAME.sig
    Sidecar,
    /// In one list for the whole tree, for `setfattr --restore`
    Manifest,
    /// In the xattr records of a tar archive, instead of a tree
    Tar,
}

/// The store that is chosen.
#[derive(Debug, ClapArgs)]
pub(crate) struct ImaKept {
    /// Where signatures are stored
    #[arg(long, value_name = "WHERE", value_enum, default_value_t)]
    pub(crate) store: ImaStore,
}

/// How files are gone through.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ImaWalk {
    /// Name of the xattr; user.ima needs no privileges, but the kernel ignores it
    #[arg(long, value_name = "NAME", default_value = "security.ima")]
    pub(crate) attribute: String,
    /// Descend into mounted file systems
    #[arg(long)]
    pub(crate) cross_file_systems: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// What signatures are like.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ImaSigning {
    /// Hash function for each file, by the kernel's name
    #[arg(long, value_name = "NAME", default_value = "sha256")]
    pub(crate) hash: String,
    /// Version of the signature [default: 3 with --verity and for algorithms that sign only messages (ML-DSA), else 2]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u8).range(2..=3))]
    pub(crate) signature_version: Option<u8>,
    /// Sign each file's fs-verity digest (blocks of 4096 bytes, no salt) instead of its contents, with sha256 or sha512;
    /// the kernel needs fs-verity enabled on such files, which this command does not do
    #[arg(long)]
    pub(crate) verity: bool,
    /// Implementation that signs [default: the first deterministic one]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Allow randomised signatures, which differ from run to run
    #[arg(long)]
    pub(crate) hedged: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaSign {
    /// Tree, or a single file; with --store tar the archive, - for standard input
    #[arg(value_name = "TREE")]
    pub(crate) tree: PathBuf,
    /// Private key, PEM or DER
    #[arg(long, short, value_name = "KEY")]
    pub(crate) key: PathBuf,
    /// Certificate of the key, whose ID the kernel looks up [default: the ID of the public key]
    #[arg(long, value_name = "CERTIFICATE")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: ImaSigning,
    #[command(flatten)]
    pub(crate) kept: ImaKept,
    #[command(flatten)]
    pub(crate) walk: ImaWalk,
    /// Write the manifest or the signed archive to FILE [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Set security.evm too, a portable EVM signature by the same key
    #[arg(long)]
    pub(crate) evm: bool,
    /// Do not predict first whether the file system accepts every xattr
    #[arg(long)]
    pub(crate) no_plan: bool,
    /// Sign as much as possible if the prediction finds rejected files or too little space. Also sign a store that names its
    /// files after digests, and replace values of --attribute that do not belong to IMA
    #[arg(long, conflicts_with = "no_plan")]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, ClapArgs)]
#[command(group = ArgGroup::new("signing keys").required(true).args(["key", "keys"]))]
pub(crate) struct ImaPackages {
    /// Directory with the packages, at any depth (read only)
    #[arg(value_name = "DIRECTORY")]
    pub(crate) folder: PathBuf,
    /// Directory for the results: each archive at its path, for each tree NAME.manifest for setfattr --restore
    #[arg(value_name = "DESTINATION")]
    pub(crate) destination: PathBuf,
    /// Sign the files of each directory in DIRECTORY/SUBDIRECTORY as a tree [can be repeated]
    #[arg(long, value_name = "SUBDIRECTORY")]
    pub(crate) trees: Vec<PathBuf>,
    /// Private key, PEM or DER
    #[arg(long, short, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Certificate of the key, whose ID the kernel looks up [default: the ID of the public key]
    #[arg(long, value_name = "CERTIFICATE", conflicts_with = "keys")]
    pub(crate) certificate: Option<PathBuf>,
    /// Directory of private keys, each NAME.pem with an optional certificate NAME.der; the contents of a package decide which
    /// of them signs it
    #[arg(long, value_name = "DIRECTORY")]
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
    /// Tree, or a single file; with --store tar the archive, - for standard input
    #[arg(value_name = "TREE")]
    pub(crate) tree: PathBuf,
    /// File with public keys or certificates, PEM or DER [can be repeated]
    #[arg(long = "key", short, value_name = "KEY", required = true)]
    pub(crate) keys: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) kept: ImaKept,
    #[command(flatten)]
    pub(crate) walk: ImaWalk,
    /// Manifest with the signatures, for --store manifest
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Verify security.evm too
    #[arg(long)]
    pub(crate) evm: bool,
    /// Implementation that verifies, for algorithms that have it [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Maximum number of files to show [default: 50; with --all: no limit]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) show: Option<usize>,
    /// Show the result of every file, including those with a good signature
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImaStudy {
    /// Tree (read only)
    #[arg(value_name = "TREE", default_value = "/usr")]
    pub(crate) tree: PathBuf,
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
