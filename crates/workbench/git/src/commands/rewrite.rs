//! What `map`, `id` and `convert` have in common: two formats, the options of a conversion, and what cannot be converted.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow, bail};
use fieldtest_git::convert::{Refusal, UnknownHeaders};
use fieldtest_git::map::round_trip::{Outcome, RoundTrip, round_trip};
use fieldtest_git::map::{Conversion, Map, Options, Otherwise, Scope, Submodules, Unmappable};
use fieldtest_git::submodules::survey;
use fieldtest_git::{Error, Format, ObjectId, Objects, Repository, verify};
use serde_json::{Value, json};

use super::scope::Padding;
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
    pub(super) submodules: Vec<Map>,
    /// The submodules' commits that are filled up by name, sorted.
    padded: Vec<ObjectId>,
    otherwise: Otherwise,
    args: &'a GitRewrite,
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
                "{} already has the object format {}; give another one with --to, such as {other}",
                repository.git_dir().display(),
                from.name
            )));
        }
        let padded = Padding::of(args).ids;
        let lost = "a map of submodules, which would be lost";
        args.submodules.iter().for_each(|path| output::reads(path, lost));
        let submodules = maps::of_submodules(&args.submodules, &from, &to.format, &padded)?;
        let otherwise = if args.pad_submodules { Otherwise::Pad } else { Otherwise::Refuse };
        // Nothing else can be a header's name: a space or the end of the line ends it.
        if let Some(name) =
            args.keep_headers.iter().find(|it| it.is_empty() || it.contains([' ', '\n', '\0']))
        {
            return Err(usage(format!(
                "invalid --keep-header '{name}': expected a header's name, such as change-id"
            )));
        }
        let kept_headers = args.keep_headers.iter().map(String::as_str).collect();
        Ok(Rewrite { from, to, submodules, padded, otherwise, args, kept_headers, said: Said::Terminal })
    }

    /// As one of many conversions: with these further maps of submodules, without a word on the terminal, and with nothing filled up
    /// but these commits.
    pub(super) fn among_others(self, submodules: Vec<Map>, padded: Vec<ObjectId>) -> Rewrite<'a> {
        let submodules = self.submodules.into_iter().chain(submodules).collect();
        let said = Said::Kept(Mutex::default());
        Rewrite { submodules, padded, otherwise: Otherwise::Refuse, said, ..self }
    }

    /// Looks for the paths that `--pad-submodule` names in the histories of these objects.
    ///
    /// # Errors
    /// A usage error for a path at which no tree has a submodule. The carrier's.
    pub(super) fn pad_paths(
        &mut self,
        objects: &Objects,
        starts: impl FnOnce() -> Result<Vec<ObjectId>>,
    ) -> Result<()> {
        let paths = Padding::of(self.args).paths;
        if paths.is_empty() {
            return Ok(());
        }
        let options = Options { interrupt: interrupt::flag(), ..Options::default() };
        let links = survey(objects, &starts()?, &options)?.links;
        if let Some(path) = paths.iter().find(|path| links.iter().all(|link| link.path != **path)) {
            return Err(usage(format!(
                "invalid --pad-submodule '{path}': no tree has a submodule there; give a path from the top of the repository, or a \
                 commit's whole ID"
            )));
        }
        self.padded.extend(links.iter().filter(|link| paths.contains(&&*link.path)).map(|link| link.commit));
        self.padded.sort_unstable();
        Ok(())
    }

    /// Whether anything is to be filled up.
    pub(super) fn pads(&self) -> bool {
        self.args.pad_submodules || !self.args.padded.is_empty()
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
        let submodules =
            Submodules { maps: &self.submodules, padded: &self.padded, otherwise: self.otherwise };
        Options {
            threads,
            submodules,
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
            let why = match self.from.id_len() {
                length if length == id.as_bytes().len() => {
                    "the repository has no such object; give the ID of one that it has".to_owned()
                }
                length => format!("expected all {} digits of an ID", 2 * length),
            };
            return Err(usage(format!("invalid --except '{id}': {why}")));
        }
        let line = matches!(self.said, Said::Terminal).then(Progress::new);
        let progress = |run| line.iter().for_each(|line| shown::conversion(line, run));
        let options = Options { unmappable: Unmappable::Leave, progress: &progress, ..*options };
        let conversion = Conversion::compute(objects, &self.from, &self.to.format, &options)?;
        // What Git prunes piece by piece is no part of a history, and nothing of it can be read by anybody.
        let unused =
            match matches!(options.scope, Scope::Everything) && conversion.unmapped().next().is_some() {
                true => conversion.pruned_beyond(&verify::in_use(repository))?,
                false => HashSet::new(),
            };
        let is_excused = |id: &ObjectId| excepted.contains(id) || unused.contains(id);
        let unmapped = conversion.unmapped().filter(|(id, _)| !is_excused(id)).count();
        let unfit = unmapped > 0 || !conversion.collisions().is_empty();
        let mut checked = match scope.no_round_trip || unfit {
            true => RoundTrip::default(),
            false => round_trip(&conversion, &options)?,
        };
        drop(line);
        let unmapped = say_unmapped(repository, objects, &conversion, &is_excused, &self.said);
        let collisions = say_collisions(&conversion, &self.said);
        let reasons: Vec<String> = unmapped.into_iter().chain(collisions).collect();
        if !reasons.is_empty() {
            bail!(reasons.join("; "));
        }
        let mut exceptions = Exceptions::default();
        let of_named = conversion.unmapped().filter(|(id, _)| !unused.contains(id));
        exceptions.unmapped.extend(of_named.map(|(id, refusal)| (id, refusal.to_string())));
        exceptions.unused = unused.len();
        exceptions.from_copies = objects.from_copies();
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
                Outcome::OtherId(id) => format!("{old} becomes {new}, which converts back to {id}"),
                Outcome::Refused(refusal) => {
                    format!("{old} becomes {new}, which does not convert back: {refusal}")
                }
            });
        }
        bail!(
            "{} of {} do not convert back; `fieldtest git verify` reports whether they are damaged, and --except ID accepts one \
             of them unchanged",
            checked.different.len(),
            shown::count(checked.same + checked.different.len() as u64, "object")
        )
    }
}

/// A conversion that may be used.
pub(super) struct Computed<'o> {
    pub(super) conversion: Conversion<'o>,
    pub(super) exceptions: Value,
}

/// Objects that were accepted though something is wrong with them.
#[derive(Default)]
struct Exceptions {
    /// Those without a new ID, with the reasons.
    unmapped: Vec<(ObjectId, String)>,
    /// Those that do not lead back.
    different: Vec<ObjectId>,
    /// How many others have no new ID, and nothing leads to them.
    unused: usize,
    /// How many were read from another copy than their first.
    from_copies: usize,
}

impl Exceptions {
    fn say(&self, excepted: &HashSet<ObjectId>, said: &Said) {
        if self.unused > 0 {
            said.say(&format!(
                "skipped, since they are incomplete and unreachable: {}; `git prune` removes them",
                output::count(self.unused, "object")
            ));
        }
        if self.from_copies > 0 {
            said.say(&format!(
                "damaged in their first copy, and read from another one: {}; `fieldtest git verify` lists them",
                output::count(self.from_copies, "object")
            ));
        }
        for (id, reason) in &self.unmapped {
            said.say(&format!("{id} is skipped, as requested: {reason}"));
        }
        for id in &self.different {
            said.say(&format!("{id} does not convert back, as accepted"));
        }
        for id in excepted {
            if !self.different.contains(id) && self.unmapped.iter().all(|(unmapped, _)| unmapped != id) {
                said.say(&format!("{id} does not need an exception"));
            }
        }
    }

    fn json(&self) -> Value {
        let left_out =
            self.unmapped.iter().map(|(id, reason)| json!({ "id": id.to_string(), "reason": reason }));
        json!({
            "left_out": left_out.collect::<Vec<_>>(),
            "left_out_unreachable": self.unused,
            "read_from_copies": self.from_copies,
            "not_leading_back": self.different.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

/// What is said of the way back.
pub(super) fn led_back<'s>(scope: &GitScope, all: &'s str) -> &'s str {
    match (scope.no_round_trip, scope.exceptions.is_empty()) {
        (true, _) => "",
        (false, true) => all,
        (false, false) => ", which convert back except the exceptions",
    }
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
    is_excused: &dyn Fn(&ObjectId) -> bool,
    said: &Said,
) -> Option<String> {
    let of_interest = || conversion.unmapped().filter(|(id, _)| !is_excused(id));
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
        said.say(&format!("cannot convert {kind} {id}{others}: {refusal}"));
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
            Some("give maps of submodules with --submodule: this ID is not a padded shorter one")
        }
        Refusal::Submodule { .. } => Some(
            "give maps of submodules with --submodule, convert repositories that need each other with `fieldtest git fleet`, or pad \
             such IDs with zeros (or remove the padding) by --pad-submodule or --pad-submodules",
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
