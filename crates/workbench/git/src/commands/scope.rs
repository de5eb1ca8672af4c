//! How much of a repository is converted: which references, what that begins with, and which submodules' commits are filled up.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use fieldtest_frame::text;
use fieldtest_git::refs::{self, Snapshot};
use fieldtest_git::{ObjectId, Objects, Reference, Repository, Target};

use crate::args::{GitReferences, GitRewrite};
use crate::outcome::usage;
use crate::output;

/// The IDs that a conversion begins with: those of `HEAD` and of all references, which have to be there.
pub(super) fn starts(references: &Snapshot) -> Vec<ObjectId> {
    let Snapshot { head, listing } = references;
    let id = |reference: &Reference| match &reference.target {
        Target::Id(id) => Some(*id),
        Target::Symbolic(_) => None,
    };
    listing.references.iter().chain([head]).filter_map(id).collect()
}

/// The same with what `refs/replace` replaces, by the names there: those that are there. Of the others the destination says which
/// references they are the objects of.
pub(super) fn present_starts(references: &Snapshot, objects: &Objects) -> Vec<ObjectId> {
    let listed = &references.listing.references;
    let replaced = listed.iter().filter_map(|reference| refs::replaced(&reference.name));
    let all = starts(references).into_iter().chain(replaced);
    all.filter(|id| objects.find(id.as_bytes()).is_some()).collect()
}

/// Which of some references are wanted.
pub(super) struct Narrowed {
    pub(super) snapshot: Snapshot,
    /// How many others there are.
    pub(super) others: usize,
    /// The prefixes of `--refs` and `--exclude-refs` that no reference has.
    pub(super) unmatched: Vec<String>,
    /// Those that `--exclude-refs` names, and that a wanted one or `HEAD` stands for.
    pub(super) kept: Vec<Vec<u8>>,
}

impl Narrowed {
    /// Takes `HEAD`, what that stands for, the references that are wanted, and those that wanted ones stand for.
    pub(super) fn of(snapshot: Snapshot, wanted: &GitReferences) -> Narrowed {
        let Snapshot { head, mut listing } = snapshot;
        let has = |name: &[u8], prefix: &str| {
            let prefix = prefix.strip_prefix("refs/").unwrap_or(prefix).trim_end_matches('/');
            let rest = name.strip_prefix(b"refs/").and_then(|name| name.strip_prefix(prefix.as_bytes()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        let has_any = |name: &[u8], prefixes: &[String]| prefixes.iter().any(|prefix| has(name, prefix));
        let is_named = |name: &[u8]| {
            (wanted.only.is_empty() || has_any(name, &wanted.only)) && !has_any(name, &wanted.excluded)
        };
        let unreadable = listing.unreadable.iter().map(|(name, _)| name);
        let names: Vec<&Vec<u8>> = listing.references.iter().map(|it| &it.name).chain(unreadable).collect();
        let has_none = |prefix: &&String| !names.iter().any(|name| has(name, prefix));
        let unmatched = wanted.only.iter().chain(&wanted.excluded).filter(has_none).cloned().collect();
        let mut stood_for: HashSet<Vec<u8>> = HashSet::new();
        let mut next = vec![&head];
        next.extend(listing.references.iter().filter(|it| is_named(&it.name)));
        while let Some(reference) = next.pop() {
            if let Target::Symbolic(target) = &reference.target
                && stood_for.insert(target.clone())
            {
                next.extend(listing.references.iter().find(|it| it.name == *target));
            }
        }
        let all = listing.references.len() + listing.unreadable.len();
        listing.references.retain(|it| is_named(&it.name) || stood_for.contains(&it.name));
        listing.unreadable.retain(|(name, _)| is_named(name) || stood_for.contains(name));
        let others = all - listing.references.len() - listing.unreadable.len();
        let names = listing.references.iter().map(|it| &it.name);
        let kept = names.filter(|name| has_any(name, &wanted.excluded)).cloned().collect();
        Narrowed { snapshot: Snapshot { head, listing }, others, unmatched, kept }
    }

    /// The references of one repository, in which all prefixes have to be. Says which are kept although they are left out.
    ///
    /// # Errors
    /// A usage error for a prefix that no reference has.
    pub(super) fn of_one(repository: &Repository, wanted: &GitReferences) -> Result<Narrowed> {
        let narrowed = Narrowed::of(repository.snapshot()?, wanted);
        if let Some(prefix) = narrowed.unmatched.first() {
            return Err(no_such_prefix(repository.git_dir(), prefix));
        }
        narrowed.kept.iter().for_each(|name| output::message(&is_kept(name)));
        Ok(narrowed)
    }
}

/// What is said of a reference that `--exclude-refs` names and that is not left out.
pub(super) fn is_kept(name: &[u8]) -> String {
    format!(
        "--exclude-refs does not exclude {}: HEAD or another symbolic ref points to it",
        text::bytes(name)
    )
}

/// The error for a prefix that no reference has.
/// An error and no warning: a mistyped prefix would convert, and publish, what should stay out.
pub(super) fn no_such_prefix(place: &Path, prefix: &str) -> anyhow::Error {
    usage(format!("{} has no refs below '{prefix}'; `git for-each-ref` lists all refs", text::path(place)))
}

/// What `--pad-submodule` names.
pub(super) struct Padding<'a> {
    /// Commits, sorted.
    pub(super) ids: Vec<ObjectId>,
    pub(super) paths: Vec<&'a str>,
}

impl<'a> Padding<'a> {
    pub(super) fn of(args: &'a GitRewrite) -> Padding<'a> {
        let mut padding = Padding { ids: Vec::new(), paths: Vec::new() };
        for named in &args.padded {
            // Paths may be of such digits, too, and whole IDs are hardly paths.
            match named.parse::<ObjectId>() {
                Ok(id) if matches!(id.as_bytes().len(), 20 | 32) => padding.ids.push(id),
                _ => padding.paths.push(named.trim_end_matches('/')),
            }
        }
        padding.ids.sort_unstable();
        padding
    }
}
