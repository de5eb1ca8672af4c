//! A repository's directories and configuration (gitrepository-layout(5)).

mod alternates;
pub(crate) mod config;

use std::path::{Path, PathBuf};

use crate::file::{kind, read_if_there};
use crate::refs::{self, Listing, Reference, Snapshot};
use crate::{Error, ObjectId};
pub(crate) use alternates::path;
use config::Variable;

/// What to accept of a repository.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether to read partial clones; what they lack is missing when it is asked for.
    pub partial: bool,
    /// Whether to read shallow clones, whose history ends at [`Repository::shallow`].
    pub shallow: bool,
}

/// A repository that can be read.
#[derive(Debug, Clone)]
pub struct Repository {
    git_dir: PathBuf,
    common_dir: PathBuf,
    object_dirs: Vec<PathBuf>,
    object_format: &'static str,
    partial: bool,
    shallow: Vec<ObjectId>,
    /// The directories of its first working tree that are known.
    work_trees: Vec<PathBuf>,
}

/// Extensions that change nothing of what is read here (git-config(1), `extensions.*`). `partialclone`, `objectformat`
/// and `refstorage` are looked at by themselves.
const HARMLESS: [&str; 7] = [
    "noop",
    "noop-v1",
    "preciousobjects",
    "worktreeconfig",
    "relativeworktrees",
    "compatobjectformat",
    "submodulepathconfig",
];

/// Variables that Git reads to find out what a repository is, and that are true or false.
const BOOLEAN: [(&str, &str); 4] = [
    ("core", "bare"),
    ("extensions", "preciousobjects"),
    ("extensions", "worktreeconfig"),
    ("extensions", "relativeworktrees"),
];

impl Repository {
    /// Opens the repository at a path: a bare one, a working tree with a `.git` directory or file, or such a file.
    ///
    /// A pack that only says it came from a partial clone (`.promisor`) is read like any other.
    ///
    /// # Errors
    /// [`Error::Repository`] if there is none or it cannot be read as it is: of an unknown version or extension, with
    /// references in another form than files, partial or shallow without being asked for. [`Error::Io`]; [`Error::File`] if
    /// its configuration is damaged.
    pub fn open(path: &Path, options: &Options) -> Result<Repository, Error> {
        let git_dir = git_dir(path)?;
        let common_dir = match read_if_there(&git_dir.join("commondir"))? {
            Some(text) => git_dir.join(path_in(&text)),
            None => git_dir.clone(),
        };
        if !(git_dir.join("HEAD").symlink_metadata().is_ok() && common_dir.join("objects").is_dir()) {
            return Err(none_there(path));
        }
        head_is_none_elsewhere(&git_dir.join("HEAD"))?;
        let Format { object_format, partial, work_tree } = format(&common_dir.join("config"), options)?;
        let shallow_path = common_dir.join("shallow");
        let shallow = shallow(&shallow_path)?;
        if !options.shallow && !shallow.is_empty() {
            return Err(Error::Repository {
                path: shallow_path,
                problem: format!("the history was cut off at {} commits", shallow.len()),
                remedy: "fetch the rest with `git fetch --unshallow`",
            });
        }
        let object_dirs = alternates::object_dirs(&common_dir.join("objects"))?;
        let of_git_file = if path.is_dir() { (path != git_dir).then_some(path) } else { path.parent() };
        let work_tree = work_tree.map(|folder| git_dir.join(folder));
        let work_trees = of_git_file.map(Path::to_path_buf).into_iter().chain(work_tree).collect();
        Ok(Repository { git_dir, common_dir, object_dirs, object_format, partial, shallow, work_trees })
    }

    /// The directories of its first working tree, as far as its configuration and the path that it was opened by name them; some may
    /// be gone.
    pub(crate) fn work_trees(&self) -> &[PathBuf] {
        &self.work_trees
    }

    /// The directory with `HEAD`.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The directory with `objects` and `refs`, which several working trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The directory of its objects, and those of its alternates after it.
    pub fn object_dirs(&self) -> &[PathBuf] {
        &self.object_dirs
    }

    /// `sha1` or `sha256`.
    pub fn object_format(&self) -> &str {
        self.object_format
    }

    /// Bytes of an ID.
    pub fn id_len(&self) -> usize {
        if self.object_format == "sha256" { 32 } else { 20 }
    }

    /// The commits whose parents are absent by intent; empty unless it is a shallow clone.
    pub fn shallow(&self) -> &[ObjectId] {
        &self.shallow
    }

    /// All references below `refs/`, sorted by name; a loose one is stronger than a packed one.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::File`], and what is wrong with the first one that cannot be read.
    pub fn references(&self) -> Result<Vec<Reference>, Error> {
        let listing = self.list_references()?;
        listing.unreadable.into_iter().next().map_or(Ok(listing.references), |(_, error)| Err(error))
    }

    /// The same, with those that cannot be read beside the others.
    ///
    /// # Errors
    /// [`Error::File`] of `packed-refs`, of which nobody can tell what is lost; [`Error::Io`] of directories.
    pub fn list_references(&self) -> Result<Listing, Error> {
        refs::read_all(&self.git_dir, &self.common_dir, self.id_len())
    }

    /// `HEAD` and all references. To be read before the objects ([`Snapshot`]).
    ///
    /// # Errors
    /// Those of [`head`](Self::head) and [`list_references`](Self::list_references).
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        let head = self.head()?;
        Ok(Snapshot { head, listing: self.list_references()? })
    }

    /// Whether its configuration says that objects may be absent because a remote has promised to keep them (partial
    /// clone).
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// `HEAD`.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::File`].
    pub fn head(&self) -> Result<Reference, Error> {
        refs::read_one(&self.git_dir.join("HEAD"), b"HEAD".to_vec(), self.id_len())
    }

    /// The `HEAD` of each further working tree, as `worktrees/<name>/HEAD`.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::File`].
    pub fn worktree_heads(&self) -> Result<Vec<Reference>, Error> {
        refs::worktree_heads(&self.common_dir, self.id_len())
    }
}

/// To Git, a `HEAD` that is a link to anything but a name below `refs/` makes no repository.
fn head_is_none_elsewhere(head: &Path) -> Result<(), Error> {
    match std::fs::read_link(head) {
        Ok(link) if !link.as_os_str().as_encoded_bytes().starts_with(b"refs/") => Err(Error::Repository {
            path: head.to_path_buf(),
            problem: format!("this is a link to {}, which is not a valid name of a ref", link.display()),
            remedy: "replace it by a file with `ref: ` and a branch, or with an ID",
        }),
        _ => Ok(()),
    }
}

fn none_there(path: &Path) -> Error {
    let device =
        path.metadata().ok().map(|found| found.file_type()).filter(|kind| !kind.is_dir() && !kind.is_file());
    Error::Repository {
        path: path.to_path_buf(),
        problem: match device {
            Some(other) => format!("it is {}, not a repository", kind(other)),
            None if !path.exists() => "there is no such file or directory".to_owned(),
            None => "it is not a Git repository".to_owned(),
        },
        remedy: "give a bare repository, or a working tree with .git",
    }
}

fn git_dir(path: &Path) -> Result<PathBuf, Error> {
    let inner = path.join(".git");
    let candidate = if inner.exists() { inner } else { path.to_path_buf() };
    if candidate.is_dir() {
        return Ok(candidate);
    }
    if candidate == path && path.exists() && !path.is_file() {
        return Err(none_there(path));
    }
    let text = read_if_there(&candidate)?.ok_or_else(|| none_there(path))?;
    let target = text.strip_prefix(b"gitdir:").ok_or_else(|| none_there(path))?;
    let folder = candidate.parent().unwrap_or(Path::new("")).join(path_in(target.trim_ascii_start()));
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Error::Repository {
        path: candidate,
        problem: format!("it refers to {}, which is not a directory", folder.display()),
        remedy: "correct it with `git worktree repair`, or give the repository itself",
    })
}

pub(crate) fn path_in(text: &[u8]) -> PathBuf {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    alternates::path(text.get(..end).unwrap_or_default())
}

/// What a configuration says of a repository.
struct Format {
    object_format: &'static str,
    partial: bool,
    /// `core.worktree`.
    work_tree: Option<PathBuf>,
}

fn format(path: &Path, options: &Options) -> Result<Format, Error> {
    let mut found = Format { object_format: "sha1", partial: false, work_tree: None };
    let Some(text) = read_if_there(path)? else { return Ok(found) };
    let variables = config::parse(&text).map_err(|(offset, problem)| Error::File {
        path: path.to_path_buf(),
        offset: offset as u64,
        problem: problem.to_owned(),
        remedy: "correct it with an editor",
    })?;
    let refused = |problem: String, remedy| Error::Repository { path: path.to_path_buf(), problem, remedy };
    let mut version = None;
    for variable in &variables {
        if variable.is("core", "repositoryformatversion") {
            // As Git reads numbers, which takes 0x1 and 1k too: a stricter parser refused what Git opens.
            version = Some(variable.number().ok_or_else(|| {
                let value = variable.value.as_deref().unwrap_or_default();
                refused(
                    format!("core.repositoryFormatVersion is {value:?}, which is not a number"),
                    "set it to what `git init` sets: 0, or 1 if there are extensions",
                )
            })?);
        } else if BOOLEAN.iter().any(|(section, name)| variable.is(section, name))
            && variable.boolean().is_none()
        {
            let value = variable.value.as_deref().unwrap_or_default();
            return Err(refused(
                format!(
                    "{}.{} is {value:?}, which is neither true nor false",
                    variable.section, variable.name
                ),
                "set it to true or false",
            ));
        }
    }
    // Without a version Git forgets the extensions that it could read (read_repository_format).
    let version = version.filter(|version| *version >= 0);
    if let Some(version @ 2..) = version {
        return Err(refused(
            format!("the repository is of version {version}, not 0 or 1"),
            "read it with a release of this program that knows that version",
        ));
    }
    for variable in &variables {
        let value = variable.value.as_deref().unwrap_or_default();
        let promised = variable.section == "remote" && variable.name == "promisor" && variable.is_true();
        let extension = variable.section == "extensions";
        // To Git, `[extensions "x"] y` is the extension x.y, which it does not know.
        let name = match &variable.subsection {
            Some(subsection) => format!("{subsection}.{}", variable.name),
            None => variable.name.clone(),
        };
        if variable.is("core", "worktree") {
            found.work_tree = Some(alternates::path(value.as_bytes()));
        }
        if promised || extension && name == "partialclone" && version.is_some() {
            found.partial = true;
            if !options.partial {
                return Err(refused(
                    "this is a partial clone: some objects are only on its remote".to_owned(),
                    "make a whole one with `git clone` without --filter",
                ));
            }
        }
        if !extension || name == "partialclone" {
            continue;
        }
        match (name.as_str(), value) {
            ("objectformat", "sha1") => found.object_format = "sha1",
            ("objectformat", "sha256") if version.is_some() => found.object_format = "sha256",
            ("objectformat", "sha256") => {}
            ("objectformat", other) => {
                return Err(refused(
                    format!("extensions.objectFormat is {other:?}, not sha1 or sha256"),
                    "read it with a release of this program that knows that format",
                ));
            }
            _ if version.is_none() => {}
            ("refstorage", "files") => {}
            ("refstorage", other) => {
                return Err(refused(
                    format!("its references are stored as {other:?}"),
                    "make a copy with references in files: `git refs migrate --ref-format=files`",
                ));
            }
            (name, _) if HARMLESS.contains(&name) => {}
            // Git ignores unknown extensions of version 0 too.
            _ if version == Some(0) => {}
            (name, _) => {
                return Err(refused(
                    format!("it has the extension {name:?}, which is not supported"),
                    "read it with a release of this program that knows that extension",
                ));
            }
        }
    }
    if version == Some(0) && has_extensions_of_version_1(&variables) {
        return Err(refused(
            "it has extensions that a repository of version 0 cannot have".to_owned(),
            "set core.repositoryFormatVersion to 1",
        ));
    }
    Ok(found)
}

fn has_extensions_of_version_1(variables: &[Variable]) -> bool {
    const OF_VERSION_1: [&str; 5] =
        ["noop-v1", "objectformat", "compatobjectformat", "refstorage", "relativeworktrees"];
    variables.iter().any(|variable| OF_VERSION_1.iter().any(|name| variable.is("extensions", name)))
}

fn shallow(path: &Path) -> Result<Vec<ObjectId>, Error> {
    let text = read_if_there(path)?.unwrap_or_default();
    let mut offset = 0;
    let mut ids = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let id = ObjectId::from_hex(line.trim_ascii_end()).ok_or_else(|| Error::File {
            path: path.to_path_buf(),
            offset,
            problem: "this line is not an object ID".to_owned(),
            remedy: "recreate it with `git fetch --unshallow` or `git fetch --depth`",
        })?;
        ids.push(id);
        offset += line.len() as u64;
    }
    Ok(ids)
}
