//! What is typed after `fieldtest git`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use fieldtest_git::ObjectId;

use crate::output::Format;
use fieldtest_frame::arguments::{StudyRun, Threads};
use fieldtest_frame::job::JobRun;

#[derive(Debug, Subcommand)]
pub(crate) enum Git {
    /// Recompute the ID of every object, look for SHA-1 collisions and for what is missing
    Verify(GitVerify),
    /// Compute every object's ID under another hash function
    Map(GitMap),
    /// Compute the ID of one commit, tag, tree or blob under another hash function, with what it refers to
    Id(GitId),
    /// Make a repository of the other object format out of this one
    Convert(GitConvert),
    /// Convert all repositories of a folder, the submodules of each before itself, as a job that goes on after any end
    Fleet(GitFleet),
    /// Time all hash functions over every object of a repository, and show what each costs it
    Study(GitStudy),
}

/// How a repository is gone through.
#[derive(Debug, ClapArgs)]
pub(crate) struct GitRead {
    /// The repository: a working tree or a bare one
    #[arg(value_name = "REPOSITORY", default_value = ".")]
    pub(crate) repository: PathBuf,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// The forms of what prints no table: the general option with fewer values, which it passes on.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct GitForms {
    /// Form of what goes to standard output
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = no_table())]
    format: Format,
}

fn no_table() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["human", "json"]).try_map(|word| Format::from_str(&word, false))
}

/// How objects become those of another format.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct GitRewrite {
    /// The hash function: sha256 or sha1, or any that `fieldtest list hash` shows; the other one of Git's if absent
    #[arg(long, value_name = "NAME")]
    pub(crate) to: Option<String>,
    /// The implementation that hashes; this project's own if absent, or else the first one listed
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// The IDs of a submodule's commits, as `fieldtest git map` in the submodule wrote them; may be repeated
    #[arg(long = "submodule", value_name = "MAP")]
    pub(crate) submodules: Vec<PathBuf>,
    /// Fill up with zeros the submodules' commits that no map has; they name nothing then, and the new IDs depend on it for good
    #[arg(long)]
    pub(crate) pad_submodules: bool,
    /// Fill up with zeros this submodule's commit, or those at this path, whatever the maps have; may be repeated
    #[arg(long = "pad-submodule", value_name = "PATH|ID")]
    pub(crate) padded: Vec<String>,
    /// Keep headers of this name in commits, which might name objects, as they are; may be repeated
    #[arg(long = "keep-header", value_name = "NAME")]
    pub(crate) keep_headers: Vec<String>,
    /// Keep all headers that are not known
    #[arg(long, conflicts_with = "keep_headers")]
    pub(crate) keep_unknown_headers: bool,
}

/// Which references are converted.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct GitReferences {
    /// Convert only HEAD and these references, such as heads, tags, or refs/pull/1, and what they lead to; may be repeated
    #[arg(long = "refs", value_name = "PREFIX")]
    pub(crate) only: Vec<String>,
    /// Leave out these references, such as refs/pull; may be repeated
    #[arg(long = "exclude-refs", value_name = "PREFIX")]
    pub(crate) excluded: Vec<String>,
}

impl GitReferences {
    /// Whether any are named.
    pub(crate) fn is_any(&self) -> bool {
        !self.only.is_empty() || !self.excluded.is_empty()
    }
}

/// How much of a repository is converted.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct GitScope {
    #[command(flatten)]
    pub(crate) references: GitReferences,
    /// Do not convert every object back and compare
    #[arg(long)]
    pub(crate) no_round_trip: bool,
    /// Accept that this object does not convert back or cannot be converted; all others must; may be repeated
    #[arg(long = "except", value_name = "ID")]
    pub(crate) exceptions: Vec<ObjectId>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitVerify {
    #[command(flatten)]
    pub(crate) read: GitRead,
    /// The implementation of the repository's hash function; one of SHA-1 with collision detection if absent
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Objects to show at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) show: usize,
}

/// The forms of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum GitMapForm {
    /// A line per object: old ID, new ID, type, separated by tabs
    #[default]
    Tsv,
    /// Git's text map, which Git 2.45 and later read from objects/loose-object-idx of the repository that is mapped
    LooseObjectIdx,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitMap {
    #[command(flatten)]
    pub(crate) _forms: GitForms,
    #[command(flatten)]
    pub(crate) read: GitRead,
    #[command(flatten)]
    pub(crate) rewrite: GitRewrite,
    #[command(flatten)]
    pub(crate) scope: GitScope,
    /// File for the map; standard output if absent
    #[arg(long, short, value_name = "MAP")]
    pub(crate) output: Option<PathBuf>,
    /// Form of the map
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) form: GitMapForm,
    /// A map that was made before: only what is new since then is computed
    #[arg(long, value_name = "MAP")]
    pub(crate) since: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitId {
    #[command(flatten)]
    pub(crate) _forms: GitForms,
    /// What to name: a branch, a tag, HEAD, an ID or how it begins; `^{tree}` after it for the tree
    #[arg(value_name = "REVISION", default_value = "HEAD")]
    pub(crate) revision: String,
    /// The repository: a working tree or a bare one
    #[arg(long, short = 'C', value_name = "REPOSITORY", default_value = ".")]
    pub(crate) repository: PathBuf,
    #[command(flatten)]
    pub(crate) rewrite: GitRewrite,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitConvert {
    #[command(flatten)]
    pub(crate) _forms: GitForms,
    /// The repository, which is only read
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repository: PathBuf,
    /// The new repository, which must not exist; a bare one
    #[arg(value_name = "DESTINATION")]
    pub(crate) destination: PathBuf,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) rewrite: GitRewrite,
    #[command(flatten)]
    pub(crate) scope: GitScope,
    /// Also write the map to this file
    #[arg(long, value_name = "MAP")]
    pub(crate) map: Option<PathBuf>,
}

#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct GitFleet {
    #[command(flatten)]
    pub(crate) _forms: GitForms,
    /// The folder that the repositories are in, at any depth; it is only read
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The folder for the new repositories, bare ones, each at its path
    #[arg(value_name = "DESTINATION")]
    pub(crate) destination: PathBuf,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) rewrite: GitRewrite,
    #[command(flatten)]
    pub(crate) references: GitReferences,
    /// Give new IDs to objects that an earlier run of the job gave others, where submodules' commits got names since
    #[arg(long)]
    pub(crate) rename: bool,
    /// Do not convert every object back and compare
    #[arg(long)]
    pub(crate) no_round_trip: bool,
    #[command(flatten)]
    pub(crate) run: JobRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitStudy {
    /// The repository; the one that this is run in, or else a generated one
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repository: Option<PathBuf>,
    /// Only these algorithms; may be repeated
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Only implementations of this name, `all` for all; may be repeated
    #[arg(long = "implementation", short = 'i', value_name = "NAME")]
    pub(crate) implementations: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
