//! `fieldtest git verify`: every object's ID computed again, and what is missing.

use anyhow::Result;
use fieldtest_catalog::facts::Status;
use fieldtest_frame::measuring;
use fieldtest_frame::text;
use fieldtest_git::verify::{self, NamedBy, Report, Settings};
use fieldtest_git::{Error, ObjectType, Options};
use fieldtest_report::Table;
use serde_json::{Value, json};

use super::locate;
use super::shown::{self, Spent};
use crate::algorithms::{self, Chosen};
use crate::args::GitVerify;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Format};
use crate::progress::Progress;

pub(crate) fn run(args: &GitVerify, format: Format) -> Result<Outcome> {
    measuring::known_implementation(args.implementation.as_deref())?;
    // Of a shallow clone all is judged that it should have, and of a partial one what it lacks is shown.
    let repository = locate::open(&args.read.repository, &Options { partial: true, shallow: true })?;
    let chosen = algorithms::of_git(repository.object_format(), args.implementation.as_deref())?;
    let spent = Spent::start();
    let line = Progress::new();
    let settings = Settings {
        hash: chosen.format.hash.as_ref(),
        threads: args.read.threads.or_all(),
        connectivity: true,
        interrupted: Some(interrupt::flag()),
        progress: Some(&|run| shown::verification(&line, run)),
    };
    let report = verify::verify(&repository, &settings)?;
    drop(line);

    let name = args.read.repository.display().to_string();
    if format == Format::Json {
        let mut found = found(&name, &report, &chosen);
        found["shallow"] = repository.shallow().len().into();
        super::json(&found)?;
    } else {
        let table = problems(&name, &report, &chosen, args.show);
        if !table.is_empty() || !table.notes().is_empty() || format != Format::Human {
            output::table(&table, format)?;
        }
    }
    output::message(&format!("{name}: {}", contents(&report)));
    if !repository.shallow().is_empty() {
        output::message(&format!(
            "{name}: a shallow clone, whose history ends at {}; earlier history was not checked",
            output::count(repository.shallow().len(), "commit")
        ));
    }
    output::message(&format!("{name}: {}; {}", judgement(&report, &chosen), spent.words()));
    Ok(match report {
        Report { interrupted: true, .. } => Outcome::Interrupted,
        report if report.is_good() => Outcome::Fine,
        _ => Outcome::Failed,
    })
}

/// A row for all that is damaged or missing.
fn problems(name: &str, report: &Report, chosen: &Chosen, show: usize) -> Table {
    let empty_tree = chosen.format.id_of(ObjectType::Tree, b"").ok();
    let mut table = Table::new(format!("Damaged or missing in {name}")).texts(["object", "problem"]);
    let damaged = report.damaged.iter().map(|error| match error {
        Error::Object { id, path, offset, problem } => {
            (id.to_string(), format!("{problem}; {} at byte {offset}", path.display()))
        }
        Error::Hash { id, source } => (id.to_string(), source.to_string()),
        Error::Unsound { id, kind, problem } => {
            (id.to_string(), format!("this {kind} is unsound: {problem}; see `git fsck` for details"))
        }
        other => (String::new(), other.to_string()),
    });
    let missing = report.missing.iter();
    let missing = missing.map(|missing| {
        let by = named_by(&missing.named_by);
        let only = match report.only_unreachable.contains(&missing.id) {
            true => ", which nothing in use leads to",
            false => "",
        };
        let remedy = match missing.named_by {
            NamedBy::Reflog(_) => "; `git reflog expire --stale-fix --all` drops such entries",
            _ => "",
        };
        let built_in = match Some(missing.id) == empty_tree {
            true => "; Git has the empty tree built in, and `git hash-object -w -t tree /dev/null` stores it",
            false => "",
        };
        (missing.id.to_string(), format!("missing; {by} names it{only}{remedy}{built_in}"))
    });
    for (object, what) in damaged.chain(missing).take(show) {
        table.row([object.into(), what.into()]);
    }
    let all = report.damaged.len() + report.missing.len();
    if all > show {
        table.note(format!("{} more; see them with --show {all}", output::count(all - show, "problem")));
    }
    table
}

fn named_by(named_by: &NamedBy) -> String {
    match named_by {
        NamedBy::Object(id) => id.to_string(),
        NamedBy::Reference(name) => text::bytes(name),
        NamedBy::Reflog(name) => format!("the reflog of {}", text::bytes(name)),
        other => format!("{other:?}"),
    }
}

/// All that is known, whatever `--show` says.
fn found(name: &str, report: &Report, chosen: &Chosen) -> Value {
    let damaged = report.damaged.iter().map(|error| match error {
        Error::Object { id, path, offset, problem } => json!({
            "object": id.to_string(),
            "path": path.to_string_lossy(),
            "offset": offset,
            "problem": problem.to_string(),
        }),
        Error::Hash { id, source } => json!({ "object": id.to_string(), "problem": source.to_string() }),
        Error::Unsound { id, problem, .. } => {
            json!({ "object": id.to_string(), "problem": problem.to_string() })
        }
        Error::Reference { name, problem } => {
            json!({ "reference": String::from_utf8_lossy(name), "problem": problem })
        }
        Error::File { path, offset, problem, .. } => {
            json!({ "path": path.to_string_lossy(), "offset": offset, "problem": problem })
        }
        other => json!({ "problem": other.to_string() }),
    });
    let missing = report.missing.iter();
    let missing = missing.map(|missing| {
        json!({
            "object": missing.id.to_string(),
            "named_by": named_by(&missing.named_by),
            "only_unreachable": report.only_unreachable.contains(&missing.id),
        })
    });
    json!({
        "repository": name,
        "verdict": match report {
            Report { interrupted: true, .. } => "interrupted",
            report if report.is_good() => "good",
            _ => "bad",
        },
        "algorithm": chosen.algorithm.facts.name,
        "implementation": chosen.implementation.name,
        "detects_collisions": chosen.algorithm.facts.status != Status::Broken,
        "objects": report.objects,
        "by_type": shown::types(|kind| report.sizes.of(kind).count()),
        "bytes": report.sizes.all().bytes(),
        "loose": report.loose,
        "copies": report.copies,
        "longest_chain": report.longest_chain,
        "references": report.references,
        "reflogs": report.reflogs,
        "not_checked": report.unchecked,
        "promised": report.promised,
        "damaged": damaged.collect::<Vec<_>>(),
        "missing": missing.collect::<Vec<_>>(),
    })
}

fn contents(report: &Report) -> String {
    let all = report.sizes.all();
    let copies = match report.copies {
        0 => String::new(),
        1 => ", 1 further copy".to_owned(),
        copies => format!(", {copies} further copies"),
    };
    format!(
        "{} with {} ({}), {} loose{copies}; longest delta chain {}",
        shown::count(report.objects, "object"),
        shown::size(all.bytes()),
        shown::by_type(|kind| report.sizes.of(kind).count()),
        report.loose,
        report.longest_chain
    )
}

fn judgement(report: &Report, chosen: &Chosen) -> String {
    let by = chosen.words();
    if report.interrupted {
        return format!("interrupted; the rest was not checked by {by}");
    }
    let plain = match chosen.algorithm.facts.status {
        Status::Broken => ", which does not detect collisions",
        _ => "",
    };
    let some = |number: usize, what: &str| (number > 0).then(|| output::count(number, what));
    let damaged = some(report.damaged.len(), "fault");
    let missing = some(report.missing.len(), "missing object");
    let missing = missing.map(|missing| match (report.only_unreachable.len(), report.missing.len()) {
        (0, _) => missing,
        (only, all) if only == all => format!("{missing} that only unreachable objects name"),
        (only, _) => format!("{missing}, of which only unreachable ones name {only}"),
    });
    match damaged.into_iter().chain(missing).collect::<Vec<_>>().join(" and ") {
        bad if bad.is_empty() => {
            format!("good: all IDs and connections checked by {by}{plain}{}", beside(report))
        }
        bad => format!("{bad}; checked by {by}{plain}{}", beside(report)),
    }
}

/// What is absent by promise, and what was not looked at.
fn beside(report: &Report) -> String {
    let promised = match report.promised {
        0 => String::new(),
        promised => format!("; {} absent that a remote has promised", shown::count(promised, "object")),
    };
    let unchecked: Vec<&str> = report.unchecked.iter().copied().collect();
    match unchecked.is_empty() {
        true => promised,
        false => format!("{promised}; not checked: {}", unchecked.join(", ")),
    }
}
