//! Whether anything that is in use needs what is missing.
//!
//! `git fsck` passes over what only unreachable objects name. Here it is listed, with the word that it is so.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use super::reflogs::Reflogs;
use super::{NamedBy, Report, Settings};
use crate::map::{Graph, Options, reachable};
use crate::{Error, ObjectId, Objects, Reference, Target};

/// Enters which missing objects only unreachable ones name, and prefers a reachable one among those that name the others.
/// `named_by` are all that name something missing, as `(number, ID)`.
pub(super) fn tell(
    objects: &Objects,
    references: &[Reference],
    reflogs: &Reflogs,
    named_by: &[(u32, ObjectId)],
    settings: &Settings<'_>,
    report: &mut Report,
) {
    // Nobody knows what the damaged ones lead to.
    if report.damaged.iter().any(|error| matches!(error, Error::Object { .. } | Error::Hash { .. })) {
        return;
    }
    let never = AtomicBool::new(false);
    let options = Options {
        threads: settings.threads,
        interrupt: settings.interrupted.unwrap_or(&never),
        ..Options::default()
    };
    let starts = references.iter().filter_map(|reference| match reference.target {
        Target::Id(id) => Some(id),
        Target::Symbolic(_) => None,
    });
    let starts = starts.chain(reflogs.ids()).filter(|id| objects.find(id.as_bytes()).is_some());
    let starts: Vec<ObjectId> = starts.collect();
    let Ok(graph) = Graph::read(objects, &options) else { return };
    let Ok(reached) = reachable(&graph, &starts) else { return };
    let needed = named_by.iter().filter(|(number, _)| reached.get(*number as usize) == Some(&true));
    // By the missing one; the first that names it is to stay.
    let needed: HashMap<ObjectId, u32> = needed.rev().map(|(number, id)| (*id, *number)).collect();
    for missing in &mut report.missing {
        let NamedBy::Object(by) = &mut missing.named_by else { continue };
        match needed.get(&missing.id) {
            Some(&number) => *by = ObjectId::from_bytes(objects.id(number)).unwrap_or(*by),
            None => drop(report.only_unreachable.insert(missing.id)),
        }
    }
}
