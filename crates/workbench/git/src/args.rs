//! What is typed after `fieldtest git`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args as ClapArgs, Subcommand, ValueEnum};

use fieldtest_git::ObjectId;

use crate::output::Format;
use fieldtest_frame::arguments::{StudyRun, Threads};
use fieldtest_frame::job::JobRun;

#[derive(Debug, Subcommand)]
pub(crate) enum Git {
    /// Recompute the ID of every object
    ///
    /// Find SHA-1 collisions and missing objects.
    Verify(GitVerify),
    /// Write a map of all IDs to those under another hash function
    Map(GitMap),
    /// Compute the ID of one object under another hash function
    Id(GitId),
    /// Convert a repository to the other object format
    Convert(GitConvert),
    /// Convert all repositories of a directory as a resumable job
    ///
    /// Convert submodules first.
    Fleet(GitFleet),
    /// Time all hash functions over every object of a repository
    Study(GitStudy),
}

/// How a repository is gone through.
#[derive(Debug, ClapArgs)]
pub(crate) struct GitRead {
    /// Repository: a working tree or a bare one
    #[arg(value_name = "REPOSITORY", default_value = ".")]
    pub(crate) repository: PathBuf,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// The forms of what prints no table: the general option with fewer values, which it passes on.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct GitForms {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = no_table())]
    format: Format,
}

fn no_table() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["human", "json"]).try_map(|word| Format::from_str(&word, false))
}

/// How objects become those of another format.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct GitRewrite {
    /// Hash function: sha256, sha1, or any of `fieldtest list hash` [default: Git's other one]
    #[arg(long, value_name = "NAME")]
    pub(crate) to: Option<String>,
    /// Implementation that hashes [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Map (table of old and new IDs) of a submodule, as written by `fieldtest git map` there [can be repeated]
    #[arg(long = "submodule", value_name = "MAP")]
    pub(crate) submodules: Vec<PathBuf>,
    /// If no map has a submodule's commit, write its old ID padded with zeros; the submodule cannot be checked out, and this
    /// changes the new IDs for good
    #[arg(long)]
    pub(crate) pad_submodules: bool,
    /// Write this submodule commit's old ID, or those at this path, padded with zeros, even if a map has it [can be
    /// repeated]
    #[arg(long = "pad-submodule", value_name = "PATH|ID")]
    pub(crate) padded: Vec<String>,
    /// Keep commit headers of this name unchanged, although they might contain IDs [can be repeated] [default: reject
    /// unknown headers]
    #[arg(long = "keep-header", value_name = "NAME")]
    pub(crate) keep_headers: Vec<String>,
    /// Keep all unknown headers
    #[arg(long, conflicts_with = "keep_headers")]
    pub(crate) keep_unknown_headers: bool,
}

/// Repositories have two formats; only maps can have other hash functions.
fn between_formats(option: Arg) -> Arg {
    if option.get_id() != "to" {
        return option;
    }
    option.help("Hash function: sha256 or sha1 [default: Git's other one]")
}

/// Which references are converted.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct GitReferences {
    /// Convert only HEAD and these refs, such as heads, tags, or refs/pull/1, and their objects [can be repeated]
    #[arg(long = "refs", value_name = "PREFIX")]
    pub(crate) only: Vec<String>,
    /// Exclude these refs, such as refs/pull [can be repeated]
    #[arg(long = "exclude-refs", value_name = "PREFIX")]
    pub(crate) excluded: Vec<String>,
}

impl GitReferences {
    pub(crate) fn is_any(&self) -> bool {
        !self.only.is_empty() || !self.excluded.is_empty()
    }
}

/// How much of a repository is converted.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct GitScope {
    #[command(flatten)]
    pub(crate) references: GitReferences,
    /// Do not verify by converting every object back
    #[arg(long)]
    pub(crate) no_round_trip: bool,
    /// Accept that this object does not convert, or not back; all others must [can be repeated]
    #[arg(long = "except", value_name = "ID")]
    pub(crate) exceptions: Vec<ObjectId>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitVerify {
    #[command(flatten)]
    pub(crate) read: GitRead,
    /// Implementation of the repository's hash function [default: the first in `fieldtest show`; SHA-1: with collision
    /// detection]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Maximum number of objects to show
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) show: usize,
}

/// The forms of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum GitMapForm {
    /// A line per object: old ID, new ID, type, separated by tabs
    #[default]
    Tsv,
    /// Git's text map, which Git 2.45 and later read from objects/loose-object-idx of the mapped repository
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
    /// Write the map to FILE [default: standard output]
    #[arg(long, short, value_name = "MAP")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the map
    #[arg(long = "output-format", alias = "form", value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) form: GitMapForm,
    /// Earlier map: compute only newer objects
    #[arg(long, value_name = "MAP")]
    pub(crate) since: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitId {
    #[command(flatten)]
    pub(crate) _forms: GitForms,
    /// Object: a branch, a tag, HEAD, an ID or its beginning; append `^{tree}` for the tree
    #[arg(value_name = "REVISION", default_value = "HEAD")]
    pub(crate) revision: String,
    /// Repository: a working tree or a bare one
    #[arg(long, short = 'C', value_name = "REPOSITORY", default_value = ".")]
    pub(crate) repository: PathBuf,
    #[command(flatten)]
    pub(crate) rewrite: GitRewrite,
}

#[derive(Debug, ClapArgs)]
#[command(mut_args(between_formats))]
pub(crate) struct GitConvert {
    #[command(flatten)]
    pub(crate) _forms: GitForms,
    /// Repository (read only)
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repository: PathBuf,
    /// New bare repository, which must not exist
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
#[command(mut_args(between_formats))]
pub(crate) struct GitFleet {
    #[command(flatten)]
    pub(crate) _forms: GitForms,
    /// Directory with the repositories, at any depth (read only)
    #[arg(value_name = "DIRECTORY")]
    pub(crate) folder: PathBuf,
    /// Directory for the new bare repositories, each at its path
    #[arg(value_name = "DESTINATION")]
    pub(crate) destination: PathBuf,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) rewrite: GitRewrite,
    #[command(flatten)]
    pub(crate) references: GitReferences,
    /// Allow new IDs for objects of earlier runs of the job if submodules' commits have new IDs
    #[arg(long)]
    pub(crate) rename: bool,
    /// Do not verify by converting every object back
    #[arg(long)]
    pub(crate) no_round_trip: bool,
    #[command(flatten)]
    pub(crate) run: JobRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GitStudy {
    /// Repository [default: the current one, else a generated one]
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repository: Option<PathBuf>,
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Only this implementation, `all` for all [can be repeated] [default: each algorithm's fastest in a trial; with
    /// --thorough all]
    #[arg(long = "implementation", short = 'i', value_name = "NAME")]
    pub(crate) implementations: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
