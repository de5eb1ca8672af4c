//! What `map`, `id` and `convert` have in common: two formats, the options of a conversion, and what cannot be converted.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;

use anyhow::{Result, anyhow, bail};
use fieldtest_git::convert::{Refusal, UnknownHeaders};
use fieldtest_git::map::round_trip::{Outcome, round_trip};
use fieldtest_git::map::{Conversion, Map, Options, Otherwise, Scope, Submodules, Unmappable};
use fieldtest_git::{Error, Format, ObjectId, Objects, Repository, Target};

use super::formats::{self, Chosen};
use super::{maps, shown};
use crate::args::{GitRewrite, GitScope};
use crate::interrupt;
use crate::outcome::usage;
use crate::output;
use crate::progress::Progress;

/// Lines that are shown of a kind of trouble.
const SHOWN: usize = 10;

/// A conversion that was asked for.
pub(super) struct Rewrite<'a> {
    pub(super) from: Format,
    pub(super) to: Chosen,
    args: &'a GitRewrite,
    submodules: Vec<Map>,
    kept_headers: Vec<&'a str>,
}

impl<'a> Rewrite<'a> {
    /// Finds the formats and reads the maps of submodules.
    ///
    /// # Errors
    /// Usage errors: unknown names, and a repository that has the format already.
    pub(super) fn new(args: &'a GitRewrite, repository: &Repository) -> Result<Rewrite<'a>> {
        let from = formats::of_git(repository.object_format(), None)?.format;
        let other = if from.name == "sha1" { "sha256" } else { "sha1" };
        let to = formats::named(args.to.as_deref().unwrap_or(other), args.implementation.as_deref())?;
        if to.format.name == from.name {
            return Err(usage(format!(
                "{} has the object format {} already; name another one with --to, such as {other}",
                repository.git_dir().display(),
                from.name
            )));
        }
        let submodules = args.submodules.iter().map(|path| maps::read(path, &from, &to.format));
        let submodules = submodules.collect::<Result<_>>()?;
        let kept_headers = args.keep_headers.iter().map(String::as_str).collect();
        Ok(Rewrite { from, to, args, submodules, kept_headers })
    }

    /// The carrier's options, without progress and with all of the repository as scope.
    pub(super) fn options(&self, threads: NonZeroUsize) -> Options<'_> {
        let otherwise = if self.args.pad_submodules { Otherwise::Pad } else { Otherwise::Refuse };
        Options {
            threads,
            submodules: Submodules { maps: &self.submodules, otherwise },
            unknown_headers: match self.args.keep_unknown_headers {
                true => UnknownHeaders::Keep,
                false => UnknownHeaders::KeepOnly(&self.kept_headers),
            },
            interrupt: interrupt::flag(),
            ..Options::default()
        }
    }

    /// Computes all new IDs, and unless that was declined, leads all objects back.
    ///
    /// # Errors
    /// Those of the carrier; and if an object cannot be converted or does not come back, after all reasons were said on
    /// standard error.
    pub(super) fn compute<'o>(
        &'o self,
        objects: &'o Objects,
        scope: &GitScope,
        options: &Options<'_>,
    ) -> Result<Conversion<'o>> {
        let line = Progress::new();
        let progress = |run| shown::conversion(&line, run);
        let options = Options { unmappable: Unmappable::Leave, progress: &progress, ..*options };
        let conversion = Conversion::compute(objects, &self.from, &self.to.format, &options)?;
        let checked = match scope.no_round_trip || conversion.unmapped().next().is_some() {
            true => None,
            false => Some(round_trip(&conversion, &options)?),
        };
        drop(line);
        refuse_unmapped(objects, &conversion)?;
        let Some(checked) = checked.filter(|checked| !checked.different.is_empty()) else {
            return Ok(conversion);
        };
        for difference in checked.different.iter().take(SHOWN) {
            let (old, new) = (difference.old, difference.new);
            output::message(&match &difference.outcome {
                Outcome::OtherId(id) => format!("{old} becomes {new}, which leads back to {id}"),
                Outcome::Refused(refusal) => {
                    format!("{old} becomes {new}, which does not lead back: {refusal}")
                }
            });
        }
        bail!(
            "{} of {} do not come back; `fieldtest git verify` tells whether they are damaged, and --no-round-trip goes \
             on all the same",
            checked.different.len(),
            shown::count(checked.same + checked.different.len() as u64, "object")
        )
    }
}

/// The IDs that a conversion begins with: those of `HEAD` and of the references with these prefixes, or of all if there
/// is no prefix.
///
/// # Errors
/// A usage error for a prefix that no reference has.
pub(super) fn starts(repository: &Repository, scope: &GitScope) -> Result<Vec<ObjectId>> {
    let references = repository.references()?;
    let has = |name: &[u8], prefix: &str| {
        let prefix = prefix.strip_prefix("refs/").unwrap_or(prefix).trim_end_matches('/');
        let rest = name.strip_prefix(b"refs/").and_then(|name| name.strip_prefix(prefix.as_bytes()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    let none = |prefix: &&String| !references.iter().any(|reference| has(&reference.name, prefix));
    if let Some(prefix) = scope.references.iter().find(none) {
        return Err(usage(format!(
            "{} has no references below '{prefix}'; `git for-each-ref` lists all of them",
            repository.git_dir().display()
        )));
    }
    let head = repository.head()?;
    let is_head = |name: &[u8]| matches!(&head.target, Target::Symbolic(target) if target == name);
    let wanted = references.iter().filter(|reference| {
        let named = |prefix: &String| has(&reference.name, prefix);
        scope.references.is_empty() || is_head(&reference.name) || scope.references.iter().any(named)
    });
    let starts = wanted.chain([&head]).filter_map(|reference| match &reference.target {
        Target::Id(id) => Some(*id),
        Target::Symbolic(_) => None,
    });
    Ok(starts.collect())
}

/// The scope of a conversion: all that these lead to, or everything.
pub(super) fn scope(starts: Option<&[ObjectId]>) -> Scope<'_> {
    starts.map_or(Scope::Everything, Scope::Reachable)
}

/// Says why objects have no new ID, each reason once, and fails if any has none.
fn refuse_unmapped(objects: &Objects, conversion: &Conversion<'_>) -> Result<()> {
    let unmapped: HashSet<ObjectId> = conversion.unmapped().map(|(id, _)| id).collect();
    let mut causes: BTreeMap<String, Vec<(ObjectId, &Refusal)>> = BTreeMap::new();
    for (id, refusal) in conversion.unmapped() {
        // What merely names another such object is no cause.
        if !matches!(refusal, Refusal::Unmapped { id, .. } if unmapped.contains(id)) {
            causes.entry(refusal.to_string()).or_default().push((id, refusal));
        }
    }
    for objects_of_cause in causes.values_mut().take(SHOWN) {
        objects_of_cause.sort_unstable_by_key(|(id, _)| *id);
        let Some(&(id, refusal)) = objects_of_cause.first() else { continue };
        let kind = objects.find(id.as_bytes()).map_or("object", |number| objects.kind(number).word());
        let others = match objects_of_cause.len() - 1 {
            0 => String::new(),
            others => format!(" (and {} more)", shown::count(others as u64, "object")),
        };
        output::message(&format!("{kind} {id}{others} cannot be converted: {refusal}"));
    }
    if unmapped.is_empty() {
        return Ok(());
    }
    let hidden = causes.len().saturating_sub(SHOWN);
    let more = if hidden > 0 { format!(", and {hidden} more") } else { String::new() };
    let mut remedies: Vec<&str> =
        causes.values().flatten().filter_map(|(_, refusal)| remedy(refusal)).collect();
    remedies.sort_unstable();
    remedies.dedup();
    let remedies: String = remedies.iter().map(|remedy| format!("; {remedy}")).collect();
    bail!(
        "{} without a new ID, for {}{more}{remedies}",
        shown::count(unmapped.len() as u64, "object"),
        if causes.len() == 1 { "this reason" } else { "these reasons" },
    )
}

/// The options that help.
fn remedy(refusal: &Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::Submodule { .. } => Some(
            "give maps of submodules with --submodule, or have --pad-submodules fill up their IDs with zeros",
        ),
        Refusal::UnknownHeader { .. } => Some("keep such headers with --keep-header NAME"),
        _ => None,
    }
}

/// An error of the carrier with the option that helps.
pub(super) fn with_remedy(error: Error) -> anyhow::Error {
    match &error {
        Error::Convert { reason, .. } => match remedy(reason) {
            Some(remedy) => anyhow!("{error}; {remedy}"),
            None => anyhow!(error),
        },
        _ => anyhow!(error),
    }
}
