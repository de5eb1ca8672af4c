//! References: names of objects that people use (gitrepository-layout(5), git-pack-refs(1)).

mod files;
mod parse;
mod working_trees;

use crate::{Error, ObjectId};
pub(crate) use files::{entries, read_all, read_one};
pub(crate) use working_trees::{heads as worktree_heads, working_trees};

/// What a reference stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An object.
    Id(ObjectId),
    /// Another reference, by its name.
    Symbolic(Vec<u8>),
}

/// A name for an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Such as `refs/heads/main` or `HEAD`.
    pub name: Vec<u8>,
    /// What it stands for.
    pub target: Target,
}

impl Reference {
    /// Whether it has to lead to a commit (`HEAD`, and all below `refs/heads`).
    pub(crate) fn is_branch(&self) -> bool {
        self.name == b"HEAD" || self.name.starts_with(b"refs/heads/")
    }
}

/// The references of a repository, as far as they can be read.
#[derive(Debug, Default)]
pub struct Listing {
    /// Those that can be read, sorted by name.
    pub references: Vec<Reference>,
    /// The names of those that cannot, and why.
    pub unreadable: Vec<(Vec<u8>, Error)>,
}

/// What a repository's names led to at one moment. Whoever reads it before the objects finds all that these names lead
/// to, whatever is committed meanwhile: Git stores an object before anything names it. Had it been read
/// after them, a commit at the wrong moment would take its branch out of the new repository, and look like
/// damage to `verify`.
#[derive(Debug)]
pub struct Snapshot {
    /// `HEAD`, which was read before the others: the branch that it stands for is among them.
    pub head: Reference,
    /// All below `refs/`.
    pub listing: Listing,
}

/// Below this Git looks for objects that take the place of others, by the names of the latter (git-replace(1)).
const REPLACE: &[u8] = b"refs/replace/";

/// The object that a reference `refs/replace/ID` replaces; none of other references.
pub fn replaced(name: &[u8]) -> Option<ObjectId> {
    name.strip_prefix(REPLACE).and_then(ObjectId::from_hex)
}

/// The name of the reference that replaces an object.
pub(crate) fn replacing(id: &ObjectId) -> Vec<u8> {
    [REPLACE, id.to_string().as_bytes()].concat()
}

/// Whether Git allows a name for a reference, other than `HEAD` (git-check-ref-format(1)). Such names stay within the
/// directory `refs`, and within a line of `packed-refs`.
pub fn is_valid_name(name: &[u8]) -> bool {
    name.starts_with(b"refs/") && has_valid_form(name)
}

/// The same, also of names without directories, such as `HEAD`: what Git follows where a reference stands for it, and what it
/// believes to be a reference in `packed-refs`.
pub(crate) fn has_valid_form(name: &[u8]) -> bool {
    let odd = |byte: &u8| byte.is_ascii_control() || b" ~^:?*[\\".contains(byte);
    let part_is_valid =
        |part: &[u8]| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock");
    let has = |pair: &[u8; 2]| name.windows(2).any(|found| found == pair);
    name != b"@"
        && !name.iter().any(odd)
        && name.split(|byte| *byte == b'/').all(part_is_valid)
        && !name.ends_with(b".")
        && !has(b"..")
        && !has(b"@{")
}

/// Where references are that each working tree has for itself (gitrepository-layout(5), “refs”).
const OWN: [&str; 3] = ["refs/bisect", "refs/rewritten", "refs/worktree"];

/// Whether each working tree has a reference of this name for itself (git-worktree(1), “REFS”): those in [`OWN`], and such
/// as `HEAD`, which have capitals, hyphens and underscores alone.
pub(crate) fn is_of_one_working_tree(name: &[u8]) -> bool {
    let is_below = |own: &&str| name.strip_prefix(own.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
    name.iter().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(byte)) || OWN.iter().any(is_below)
}

/// Whether a name is one working tree's as another one calls it: `main-worktree/HEAD`, `worktrees/w/HEAD`. Git looks for
/// it there, and for nothing under this name itself.
pub(crate) fn is_in_another_working_tree<'n>(name: &'n [u8]) -> bool {
    let of_further = |name: &'n [u8]| {
        let rest = name.strip_prefix(b"worktrees/")?;
        rest.iter().position(|byte| *byte == b'/').map(|at| &rest[at + 1..])
    };
    name.strip_prefix(b"main-worktree/").or_else(|| of_further(name)).is_some_and(is_of_one_working_tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "165e5ad3169d0fd26637da3383a4514f1a9d1e72";

    #[test]
    fn names_that_git_allows() {
        for name in
            [&b"refs/heads/main"[..], b"refs/a", b"refs/heads/latin-\xe9", b"refs/heads/a.b", b"refs/x@y"]
        {
            assert!(is_valid_name(name), "{name:?}");
        }
        for name in [
            &b""[..],
            b"HEAD",
            b"refs/",
            b"refs//a",
            b"refs/a/",
            b"refs/../a",
            b"refs/a..b",
            b"refs/.a",
            b"refs/a.lock",
            b"refs/a.lock/b",
            b"refs/a.",
            b"refs/a b",
            b"refs/a\nb",
            b"refs/a\x7f",
            b"refs/a@{b",
            b"../../etc/passwd",
        ] {
            assert!(!is_valid_name(name), "{name:?}");
        }
        assert!(has_valid_form(b"HEAD") && has_valid_form(b"worktrees/x/HEAD") && has_valid_form(b"refs/@"));
        assert!(!has_valid_form(b"@") && !has_valid_form(b"") && !has_valid_form(b"../HEAD"));
        assert_eq!(replaced(format!("refs/replace/{ONE}").as_bytes()), Some(ONE.parse().unwrap()));
        assert_eq!(replaced(b"refs/replace/x"), None);
        assert_eq!(replacing(&ONE.parse().unwrap()), format!("refs/replace/{ONE}").as_bytes());
    }
}
