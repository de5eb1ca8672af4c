//! What `map`, `id` and `convert` have in common: two formats, the options of a conversion, and what cannot be converted.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow, bail};
use fieldtest_git::convert::{Refusal, UnknownHeaders};
use fieldtest_git::map::round_trip::{Outcome, RoundTrip, round_trip};
use fieldtest_git::map::{Conversion, Map, Options, Otherwise, Scope, Submodules, Unmappable};
use fieldtest_git::refs::{self, Snapshot};
use fieldtest_git::{Error, Format, ObjectId, Objects, Reference, Repository, Target};
use serde_json::{Value, json};

use super::{maps, shown};
use crate::algorithms::{self, Chosen};
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
    said: Said,
}

/// Where goes what is said of single objects, and how far it is.
enum Said {
    Terminal,
    /// Nowhere, for now: several conversions at once would talk at once.
    Kept(Mutex<Vec<String>>),
}

impl Said {
    fn say(&self, line: &str) {
        match self {
            Said::Terminal => output::message(line),
            Said::Kept(lines) => lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned()),
        }
    }
}

impl<'a> Rewrite<'a> {
    /// Finds the formats and reads the maps of submodules.
    ///
    /// # Errors
    /// Usage errors: unknown names, and a repository that has the format already.
    pub(super) fn new(args: &'a GitRewrite, repository: &Repository) -> Result<Rewrite<'a>> {
        let from = algorithms::of_git(repository.object_format(), None)?.format;
        let other = if from.name == "sha1" { "sha256" } else { "sha1" };
        let to = algorithms::named(args.to.as_deref().unwrap_or(other), args.implementation.as_deref())?;
        if to.format.name == from.name {
            return Err(usage(format!(
                "{} has the object format {} already; name another one with --to, such as {other}",
                repository.git_dir().display(),
                from.name
            )));
        }
        let submodules = args.submodules.iter().map(|path| {
            output::reads(path, "a map of submodules, which would be lost");
            maps::read(path, &from, &to.format)
        });
        let submodules = submodules.collect::<Result<_>>()?;
        let kept_headers = args.keep_headers.iter().map(String::as_str).collect();
        Ok(Rewrite { from, to, args, submodules, kept_headers, said: Said::Terminal })
    }

    /// As one of many conversions: with these further maps of submodules, and without a word on the terminal.
    pub(super) fn among_others(self, submodules: Vec<Map>) -> Rewrite<'a> {
        let submodules = self.submodules.into_iter().chain(submodules).collect();
        Rewrite { submodules, said: Said::Kept(Mutex::default()), ..self }
    }

    /// What was not said on the terminal.
    pub(super) fn unsaid(&self) -> Vec<String> {
        match &self.said {
            Said::Terminal => Vec::new(),
            Said::Kept(lines) => std::mem::take(&mut lines.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// The carrier's options, without progress and with all of the repository as scope.
    pub(super) fn options(&self, threads: NonZeroUsize) -> Options<'_> {
        let otherwise = if self.args.pad_submodules { Otherwise::Pad } else { Otherwise::Refuse };
        Options {
            threads,
            submodules: Submodules { maps: &self.submodules, padded: &[], otherwise },
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
    /// Those of the carrier; and if an object that is no exception cannot be converted or does not come back, after all
    /// reasons were said on standard error.
    pub(super) fn compute<'o>(
        &'o self,
        repository: &Repository,
        objects: &'o Objects,
        scope: &GitScope,
        options: &Options<'_>,
    ) -> Result<Computed<'o>> {
        let excepted: HashSet<ObjectId> = scope.exceptions.iter().copied().collect();
        if let Some(id) = excepted.iter().find(|id| objects.find(id.as_bytes()).is_none()) {
            return Err(usage(format!("--except {id}: there is no such object; name one by its whole ID")));
        }
        let line = matches!(self.said, Said::Terminal).then(Progress::new);
        let progress = |run| line.iter().for_each(|line| shown::conversion(line, run));
        let options = Options { unmappable: Unmappable::Leave, progress: &progress, ..*options };
        let conversion = Conversion::compute(objects, &self.from, &self.to.format, &options)?;
        let unmapped = conversion.unmapped().filter(|(id, _)| !excepted.contains(id)).count();
        let hopeless = unmapped > 0 || !conversion.collisions().is_empty();
        let mut checked = match scope.no_round_trip || hopeless {
            true => RoundTrip::default(),
            false => round_trip(&conversion, &options)?,
        };
        drop(line);
        let unmapped = say_unmapped(repository, objects, &conversion, &excepted, &self.said);
        let collisions = say_collisions(&conversion, &self.said);
        let reasons: Vec<String> = unmapped.into_iter().chain(collisions).collect();
        if !reasons.is_empty() {
            bail!(reasons.join("; "));
        }
        let mut exceptions = Exceptions::default();
        exceptions.unmapped.extend(conversion.unmapped().map(|(id, refusal)| (id, refusal.to_string())));
        checked.different.retain(|difference| {
            let is_excepted = excepted.contains(&difference.old);
            if is_excepted {
                exceptions.different.push(difference.old);
            }
            !is_excepted
        });
        if checked.different.is_empty() {
            exceptions.say(&excepted, &self.said);
            return Ok(Computed { conversion, exceptions: exceptions.json() });
        }
        for difference in checked.different.iter().take(SHOWN) {
            let (old, new) = (difference.old, difference.new);
            self.said.say(&match &difference.outcome {
                Outcome::OtherId(id) => format!("{old} becomes {new}, which leads back to {id}"),
                Outcome::Refused(refusal) => {
                    format!("{old} becomes {new}, which does not lead back: {refusal}")
                }
            });
        }
        bail!(
            "{} of {} do not come back; `fieldtest git verify` tells whether they are damaged, and --except ID accepts one \
             of them as it is",
            checked.different.len(),
            shown::count(checked.same + checked.different.len() as u64, "object")
        )
    }
}

/// A conversion that may be used.
pub(super) struct Computed<'o> {
    pub(super) conversion: Conversion<'o>,
    /// What came of the exceptions.
    pub(super) exceptions: Value,
}

/// Objects that were accepted though something is wrong with them.
#[derive(Default)]
struct Exceptions {
    /// Those without a new ID, with the reasons.
    unmapped: Vec<(ObjectId, String)>,
    /// Those that do not lead back.
    different: Vec<ObjectId>,
}

impl Exceptions {
    fn say(&self, excepted: &HashSet<ObjectId>, said: &Said) {
        for (id, reason) in &self.unmapped {
            said.say(&format!("{id} is left out, as was asked for: {reason}"));
        }
        for id in &self.different {
            said.say(&format!("{id} does not lead back, which was accepted"));
        }
        for id in excepted {
            if !self.different.contains(id) && self.unmapped.iter().all(|(unmapped, _)| unmapped != id) {
                said.say(&format!("{id} needs no exception"));
            }
        }
    }

    fn json(&self) -> Value {
        let left_out =
            self.unmapped.iter().map(|(id, reason)| json!({ "id": id.to_string(), "reason": reason }));
        json!({
            "left_out": left_out.collect::<Vec<_>>(),
            "not_leading_back": self.different.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

/// What is said of the way back.
pub(super) fn led_back<'s>(scope: &GitScope, all: &'s str) -> &'s str {
    match (scope.no_round_trip, scope.exceptions.is_empty()) {
        (true, _) => "",
        (false, true) => all,
        (false, false) => ", which lead back but for the exceptions",
    }
}

/// What a conversion begins with.
pub(super) struct Starts {
    /// `HEAD` first, if it holds an ID.
    head: Option<ObjectId>,
    references: Vec<ObjectId>,
    /// What `refs/replace` replaces, by the names there.
    replaced: Vec<ObjectId>,
}

impl Starts {
    /// All of them, which have to be there.
    pub(super) fn ids(&self) -> Vec<ObjectId> {
        self.references.iter().chain(&self.head).copied().collect()
    }

    /// Those that are there; of the others the destination says which references they are the objects of.
    pub(super) fn present(&self, objects: &Objects) -> Vec<ObjectId> {
        let all = self.references.iter().chain(&self.head).chain(&self.replaced);
        all.copied().filter(|id| objects.find(id.as_bytes()).is_some()).collect()
    }
}

/// The IDs that a conversion begins with: those of `HEAD` and of the references with these prefixes, or of all if there
/// is no prefix.
///
/// # Errors
/// A usage error for a prefix that no reference has.
pub(super) fn starts(repository: &Repository, references: &Snapshot, scope: &GitScope) -> Result<Starts> {
    let Snapshot { head, listing } = references;
    let references = &listing.references;
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
    let is_head = |name: &[u8]| matches!(&head.target, Target::Symbolic(target) if target == name);
    let wanted = references.iter().filter(|reference| {
        let named = |prefix: &String| has(&reference.name, prefix);
        scope.references.is_empty() || is_head(&reference.name) || scope.references.iter().any(named)
    });
    let id = |reference: &Reference| match &reference.target {
        Target::Id(id) => Some(*id),
        Target::Symbolic(_) => None,
    };
    let wanted: Vec<&Reference> = wanted.collect();
    Ok(Starts {
        head: id(head),
        references: wanted.iter().copied().filter_map(id).collect(),
        replaced: wanted.iter().filter_map(|reference| refs::replaced(&reference.name)).collect(),
    })
}

/// The scope of a conversion: all that these lead to, or everything.
pub(super) fn scope(starts: Option<&[ObjectId]>) -> Scope<'_> {
    starts.map_or(Scope::Everything, Scope::Reachable)
}

/// Says which objects would have the same new ID as another; returns how many.
fn say_collisions(conversion: &Conversion<'_>, said: &Said) -> Option<String> {
    let collisions = conversion.collisions();
    collisions.iter().take(SHOWN).for_each(|twins| said.say(&twins.error().to_string()));
    let hidden = collisions.len().saturating_sub(SHOWN);
    let more = if hidden > 0 { format!(", {hidden} of which are not shown") } else { String::new() };
    let words = |one: &str| {
        format!("{} with the new ID of another{more}", shown::count(collisions.len() as u64, one))
    };
    (!collisions.is_empty()).then(|| words("object"))
}

/// Says why objects have no new ID, each reason once; returns how many there are and what helps.
fn say_unmapped(
    repository: &Repository,
    objects: &Objects,
    conversion: &Conversion<'_>,
    excepted: &HashSet<ObjectId>,
    said: &Said,
) -> Option<String> {
    let of_interest = || conversion.unmapped().filter(|(id, _)| !excepted.contains(id));
    let unmapped: HashSet<ObjectId> = of_interest().map(|(id, _)| id).collect();
    let mut causes: BTreeMap<String, Vec<(ObjectId, &Refusal)>> = BTreeMap::new();
    for (id, refusal) in of_interest() {
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
        said.say(&format!("{kind} {id}{others} cannot be converted: {refusal}"));
    }
    if unmapped.is_empty() {
        return None;
    }
    let hidden = causes.len().saturating_sub(SHOWN);
    let more = if hidden > 0 { format!(", and {hidden} more") } else { String::new() };
    let id_len = conversion.new_id_len();
    let mut remedies: Vec<&str> =
        causes.values().flatten().filter_map(|(_, refusal)| remedy(refusal, id_len)).collect();
    let is_missing = |refusal: &Refusal| match refusal {
        Refusal::Missing { id, .. } | Refusal::Unmapped { id, .. } => objects.find(id.as_bytes()).is_none(),
        _ => false,
    };
    if repository.is_partial() && causes.values().flatten().any(|(_, refusal)| is_missing(refusal)) {
        remedies.push("this is a partial clone: make a whole one with `git clone` without --filter");
    }
    remedies.sort_unstable();
    remedies.dedup();
    let remedies: String = remedies.iter().map(|remedy| format!("; {remedy}")).collect();
    Some(format!(
        "{} without a new ID, for {}{more}{remedies}",
        shown::count(unmapped.len() as u64, "object"),
        if causes.len() == 1 { "this reason" } else { "these reasons" },
    ))
}

/// The options that help, towards IDs of so many bytes.
fn remedy(refusal: &Refusal, id_len: usize) -> Option<&'static str> {
    match refusal {
        Refusal::Submodule { id, .. } if !can_be_resized(id, id_len) => {
            Some("give maps of submodules with --submodule: this ID is no shorter one filled up with zeros")
        }
        Refusal::Submodule { .. } => Some(
            "give maps of submodules with --submodule, or have --pad-submodules fill up their IDs with zeros, or take \
             these off again",
        ),
        Refusal::UnknownHeader { .. } => Some("keep such headers with --keep-header NAME"),
        _ => None,
    }
}

/// Whether `--pad-submodules` would help.
fn can_be_resized(id: &ObjectId, id_len: usize) -> bool {
    id.as_bytes().get(id_len..).is_none_or(|padding| padding.iter().all(|&byte| byte == 0))
}

/// An error of the carrier with the option that helps, towards IDs of so many bytes.
pub(super) fn with_remedy(error: Error, id_len: usize) -> anyhow::Error {
    match &error {
        Error::Convert { reason, .. } => match remedy(reason, id_len) {
            Some(remedy) => anyhow!("{error}; {remedy}"),
            None => anyhow!(error),
        },
        _ => anyhow!(error),
    }
}
