//! Revisions: from what people call an object to its ID (gitrevisions(7)).
//!
//! What is read are references by the names that Git takes for them, IDs and how they begin, and `^{type}` behind either.
//! Whatever asks for the history (`HEAD~3`, `@{yesterday}`, `:/text`) is refused and said to be: `git rev-parse` makes an ID
//! of it.
//!
//! ```
//! use std::path::Path;
//!
//! use fieldtest_git::{Format, ObjectId, Objects, Options, Repository, revision};
//!
//! /// The tree of the commit that is checked out.
//! fn tree(path: &Path, format: &Format) -> Result<ObjectId, Box<dyn std::error::Error>> {
//!     let repository = Repository::open(path, &Options::default())?;
//!     let objects = Objects::open(&repository)?;
//!     Ok(revision::resolve(&repository, &objects, format, "HEAD^{tree}")?)
//! }
//! ```

use std::fmt::Write;
use std::path::PathBuf;

use crate::convert::for_each_reference;
use crate::symbolic::{ByName, End};
use crate::{Error, Format, ObjectId, ObjectType, Objects, Reference, Repository};

/// Why a revision is no object.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum RevisionError {
    /// It is written in a way that is not read here.
    #[error(
        "unsupported revision '{0}': expected a branch, a tag, HEAD or an ID, with ^{{tree}}, ^{{commit}} or ^{{}} \
         after it if needed; `git rev-parse` converts anything else to an ID"
    )]
    Unread(String),
    /// Nothing is called so.
    #[error("{git_dir} has no branch, tag or object '{name}'; `git for-each-ref` lists all refs")]
    Unknown { git_dir: PathBuf, name: String },
    /// A reference stands for one that does not exist: a branch without commits.
    #[error("{reference} points to {target}, which does not exist yet; commit something first")]
    Unborn {
        reference: String,
        /// What it stands for, in letters that can be shown.
        target: String,
    },
    /// References lead to each other.
    #[error("{0} points from ref to ref without an end; correct it with `git symbolic-ref`")]
    Endless(String),
    /// A reference leads where Git does not follow.
    #[error("{reference}: {problem}; correct it with `git symbolic-ref`")]
    Unfollowed { reference: String, problem: String },
    /// Several IDs begin so.
    #[error("ambiguous object ID '{digits}': {count} matches ({some}); give more digits")]
    Ambiguous { digits: String, count: usize, some: String },
    /// The object does not lead to one of the type.
    #[error("{start} points to the {kind} {id}, not to a {wanted}; name another object")]
    Elsewhere { start: ObjectId, kind: ObjectType, id: ObjectId, wanted: ObjectType },
    /// A tag that names no object.
    #[error("the {kind} {id} does not refer to an object; see `git fsck` for details")]
    Nothing { kind: ObjectType, id: ObjectId },
    /// The repository cannot be read.
    #[error(transparent)]
    Read(#[from] Error),
}

type Result<T> = std::result::Result<T, RevisionError>;

/// Digits of an abbreviated ID that Git takes at least.
const SHORTEST: usize = 4;

/// The object of a revision.
///
/// # Errors
/// What is wrong with how it is written; what is missing, or several things at once, if there is no such object.
pub fn resolve(repository: &Repository, objects: &Objects, format: &Format, text: &str) -> Result<ObjectId> {
    let (name, peelings) = split(text)?;
    let mut id = named(repository, objects, name)?;
    for peeling in peelings {
        id = peel(objects, format, id, peeling)?;
    }
    Ok(id)
}

/// What is between the braces of `^{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peeling {
    /// Nothing: whatever is behind all tags.
    Tags,
    /// The word `object`: whatever it is.
    Nothing,
    To(ObjectType),
}

fn split(text: &str) -> Result<(&str, Vec<Peeling>)> {
    let unread = || RevisionError::Unread(text.to_owned());
    let (name, mut rest) = text.split_at(text.find("^{").unwrap_or(text.len()));
    if name.is_empty() || name.contains(['^', '~', ':', '?', '*', '[', '\\', ' ']) || name.contains("@{") {
        return Err(unread());
    }
    let mut peelings = Vec::new();
    while !rest.is_empty() {
        let (word, behind) =
            rest.strip_prefix("^{").and_then(|rest| rest.split_once('}')).ok_or_else(unread)?;
        peelings.push(match word {
            "" => Peeling::Tags,
            "object" => Peeling::Nothing,
            word => Peeling::To(ObjectType::from_word(word.as_bytes()).ok_or_else(unread)?),
        });
        rest = behind;
    }
    Ok((name, peelings))
}

fn named(repository: &Repository, objects: &Objects, name: &str) -> Result<ObjectId> {
    let id = name.parse().ok().filter(|id: &ObjectId| id.as_bytes().len() == repository.id_len());
    if let Some(id) = id {
        return Ok(id);
    }
    let mut references = repository.references()?;
    references.push(repository.head()?);
    let name = if name == "@" { "HEAD" } else { name };
    // The places where Git looks, in its order.
    let places =
        ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|place| format!("{place}{name}"));
    let places = places.into_iter().chain([format!("refs/remotes/{name}/HEAD")]);
    for place in places {
        if let Some(reference) = references.iter().find(|reference| reference.name == place.as_bytes()) {
            return follow(&references, reference);
        }
    }
    let unknown =
        || RevisionError::Unknown { git_dir: repository.git_dir().to_path_buf(), name: name.to_owned() };
    abbreviated(objects, name)?.ok_or_else(unknown)
}

fn follow(references: &[Reference], reference: &Reference) -> Result<ObjectId> {
    let shown = |name: &[u8]| String::from_utf8_lossy(name).escape_debug().to_string();
    let end = ByName::new(references).end(reference);
    match (end.problem(), end) {
        (_, End::Id { id, .. }) => Ok(id),
        (_, End::Nothing { from, name }) => {
            Err(RevisionError::Unborn { reference: shown(&from.name), target: shown(name) })
        }
        (Some(problem), End::NoName(_) | End::TooFar) => {
            Err(RevisionError::Unfollowed { reference: shown(&reference.name), problem })
        }
        _ => Err(RevisionError::Endless(shown(&reference.name))),
    }
}

/// The only object whose ID begins so; nothing if there is none or this is not how an ID begins.
fn abbreviated(objects: &Objects, digits: &str) -> Result<Option<ObjectId>> {
    let is_hex = digits.len() >= SHORTEST && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex || digits.len() > 2 * objects.id_len() {
        return Ok(None);
    }
    let wanted = digits.to_ascii_lowercase();
    let mut shown = String::new();
    let begins_so = |id: &ObjectId| {
        shown.clear();
        // Writing to a string does not fail.
        let _ = write!(shown, "{id}");
        shown.starts_with(&wanted)
    };
    let all = (0..objects.len() as u32).filter_map(|number| ObjectId::from_bytes(objects.id(number)));
    let mut found: Vec<ObjectId> = all.filter(begins_so).collect();
    found.sort_unstable();
    match *found.as_slice() {
        [] => Ok(None),
        [id] => Ok(Some(id)),
        _ => {
            let ids: Vec<String> = found.iter().take(5).map(ToString::to_string).collect();
            let more = if found.len() > ids.len() { ", …" } else { "" };
            let some = format!("{}{more}", ids.join(", "));
            Err(RevisionError::Ambiguous { digits: digits.to_owned(), count: found.len(), some })
        }
    }
}

fn peel(objects: &Objects, format: &Format, start: ObjectId, peeling: Peeling) -> Result<ObjectId> {
    let mut id = start;
    let mut content = Vec::new();
    loop {
        let number = objects.find(id.as_bytes());
        let kind = match number {
            Some(number) => objects.kind(number),
            // Git has it built in.
            None if format.id_of(ObjectType::Tree, b"").is_ok_and(|empty| empty == id) => ObjectType::Tree,
            None => return Err(Error::Missing(id).into()),
        };
        let is_there = match peeling {
            Peeling::Nothing => true,
            Peeling::Tags => kind != ObjectType::Tag,
            Peeling::To(wanted) => kind == wanted,
        };
        if is_there {
            return Ok(id);
        }
        let leads_on =
            kind == ObjectType::Tag || kind == ObjectType::Commit && peeling == Peeling::To(ObjectType::Tree);
        let mut next = None;
        if let Some(number) = number.filter(|_| leads_on) {
            objects.read(number, &mut content)?;
            // A tag names its object first, and a commit its tree.
            for_each_reference(kind, &content, objects.id_len(), &mut |id| {
                next = next.or(ObjectId::from_bytes(id));
            });
        }
        id = match (next, peeling) {
            (Some(next), _) => next,
            (None, Peeling::To(wanted)) => {
                return Err(RevisionError::Elsewhere { start, kind, id, wanted });
            }
            (None, _) => return Err(RevisionError::Nothing { kind, id }),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read() {
        let split = |text| split(text).expect("a revision");
        assert_eq!(split("v1.0"), ("v1.0", vec![]));
        assert_eq!(split("@"), ("@", vec![]));
        assert_eq!(split("HEAD^{tree}"), ("HEAD", vec![Peeling::To(ObjectType::Tree)]));
        let twice = vec![Peeling::Tags, Peeling::To(ObjectType::Commit)];
        assert_eq!(split("a/b^{}^{commit}"), ("a/b", twice));
    }

    #[test]
    fn what_is_not() {
        for text in
            ["", "^{tree}", "a^", "a~1", "a:b", "a^{", "a^{tree", "a^{tree}x", "a^{nonsense}", "a@{1}"]
        {
            assert!(split(text).is_err(), "{text}");
        }
    }
}
