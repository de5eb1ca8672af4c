//! What became of a fleet, for people and as JSON.

use std::collections::BTreeMap;

use anyhow::Result;
use fieldtest_frame::job::{self, Entry, Plan, State, Status};
use fieldtest_frame::text;
use serde_json::{Value, json};

use crate::commands::shown;
use crate::outcome::Outcome;
use crate::output::{self, Format};

/// Says what became of all.
pub(super) fn tell(
    plan: &Plan,
    aliases: usize,
    state: &State,
    before: usize,
    format: Format,
) -> Result<Outcome> {
    let items = &plan.items;
    let entries = || items.iter().filter_map(|item| state.of(&item.id));
    let of = |status: Status| entries().filter(move |entry| entry.status == status).collect::<Vec<_>>();
    let (refused, failed) = (of(Status::Refused), of(Status::Failed));
    let done = entries().filter(|entry| entry.status == Status::Done).count();
    let left: Vec<(&str, &Value)> = entries()
        .flat_map(|entry| {
            entry.facts["left"].as_array().into_iter().flatten().map(|left| (entry.name.as_str(), left))
        })
        .collect();
    let waves = plan.waves().count();
    let done_ones = || entries().filter(|entry| entry.status == Status::Done);
    let padded: Vec<(&str, &Value)> = done_ones()
        .map(|entry| (entry.name.as_str(), &entry.facts["padded"]))
        .filter(|(_, ids)| ids.as_array().is_some_and(|ids| !ids.is_empty()))
        .collect();
    // What is left of how many.
    let mut behind: BTreeMap<&str, usize> = BTreeMap::new();
    for what in done_ones().flat_map(|entry| entry.facts["not_carried"].as_array().into_iter().flatten()) {
        *behind.entry(what.as_str().unwrap_or_default()).or_default() += 1;
    }
    let out_of_scope: u64 =
        done_ones().filter_map(|entry| entry.facts["references_out_of_scope"].as_u64()).sum();
    let borrows = |entry: &&Entry| entry.facts["alternates"].as_u64() > Some(0);
    let borrowing = done_ones().filter(borrows).count();
    let of_borrowing =
        done_ones().filter(borrows).filter_map(|entry| entry.facts["pack_bytes"].as_u64()).sum();
    if format == Format::Json {
        let named = |entries: &[&Entry]| -> Vec<Value> {
            let name = |entry: &&Entry| json!({ "repository": entry.name, "reason": entry.reason });
            entries.iter().map(name).collect()
        };
        let name = |(repository, left): &(&str, &Value)| json!({ "repository": repository, "name": left["name"], "reason": left["reason"] });
        crate::commands::json(&json!({
            "repositories": items.len(),
            "waves": waves,
            "converted": done.saturating_sub(before),
            "as_they_were": before,
            "refused": named(&refused),
            "failed": named(&failed),
            "references_left": left.iter().map(name).collect::<Vec<_>>(),
            "references_out_of_scope": out_of_scope,
            "padded": padded.iter().map(|(name, ids)| json!({ "repository": name, "commits": ids }))
                .collect::<Vec<_>>(),
            "not_carried": behind,
            "with_alternates": borrowing,
            "same_repositories": aliases,
        }))?;
    }
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of_left = left.iter().map(|(repository, left)| {
        format!("{repository}: {} is not carried over: {}", word(&left["name"]), word(&left["reason"]))
    });
    // The ledger names all that is refused; what is lost of a repository that is done is told here alone.
    job::tell_refused(&refused);
    of_left.for_each(|line| output::message(&line));
    let line = |(name, ids): &(&str, &Value)| {
        let ids = ids.as_array().map(Vec::as_slice).unwrap_or_default();
        let first = ids.first().and_then(Value::as_str).unwrap_or_default();
        format!(
            "{name} depends on {} padded with zeros, such as {first}: once that has a new ID, all IDs that depend on it change",
            output::count(ids.len(), "submodule's commit")
        )
    };
    job::tell_first(padded.iter().map(line), |others| {
        format!("and so do {others} more; --format json lists all")
    });
    let mut behind: Vec<String> =
        behind.iter().map(|(what, of)| format!("{} (of {of})", text::bytes(what.as_bytes()))).collect();
    if out_of_scope > 0 {
        behind.push(format!(
            "{} excluded by --refs or --exclude-refs",
            shown::count(out_of_scope, "reference")
        ));
    }
    if !behind.is_empty() {
        output::message(&format!("not carried over, by design: {}", behind.join(", ")));
    }
    if borrowing > 0 {
        output::message(&format!(
            "with alternates: {}; conversions do not share objects, so their packs have {} together",
            if borrowing == 1 { "1 repository".to_owned() } else { format!("{borrowing} repositories") },
            shown::size(of_borrowing)
        ));
    }
    let failed = job::tell_failed(&failed);
    output::message(&format!(
        "{} in {}: {} converted, {before} unchanged, {} rejected{failed}",
        if items.len() == 1 { "1 repository".to_owned() } else { format!("{} repositories", items.len()) },
        output::count(waves, "wave"),
        done.saturating_sub(before),
        refused.len()
    ));
    Ok(if refused.is_empty() && left.is_empty() { Outcome::Fine } else { Outcome::Failed })
}
