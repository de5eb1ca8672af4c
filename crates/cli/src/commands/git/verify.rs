//! `fieldtest git verify`: every object's ID computed again, and what is missing.

use anyhow::Result;
use fieldtest_catalog::facts::Status;
use fieldtest_git::verify::{self, NamedBy, Report, Settings};
use fieldtest_git::{Error, Options};
use fieldtest_report::{Kind, Table};

use super::formats::{self, Chosen};
use super::shown::{self, Spent};
use super::{locate, threads};
use crate::args::GitVerify;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Format};
use crate::progress::Progress;

pub(crate) fn run(args: &GitVerify, format: Format) -> Result<Outcome> {
    crate::commands::known_implementation(args.implementation.as_deref())?;
    // Of a shallow clone all is judged that it should have, and of a partial one what it lacks is shown.
    let repository = locate::open(&args.read.repository, &Options { partial: true, shallow: true })?;
    let chosen = formats::of_git(repository.object_format(), args.implementation.as_deref())?;
    let spent = Spent::start();
    let line = Progress::new();
    let settings = Settings {
        hash: chosen.format.hash.as_ref(),
        threads: threads(args.read.threads),
        connectivity: true,
        interrupted: Some(interrupt::flag()),
        progress: Some(&|run| shown::verification(&line, run)),
    };
    let report = verify::verify(&repository, &settings)?;
    drop(line);

    let name = args.read.repository.display().to_string();
    let table = problems(&name, &report, args.show);
    if !table.is_empty() || !table.notes().is_empty() || format != Format::Human {
        output::table(&table, format)?;
    }
    output::message(&format!("{name}: {}", contents(&report)));
    output::message(&format!("{name}: {}; {}", judgement(&report, &chosen), spent.words()));
    Ok(match report {
        Report { interrupted: true, .. } => Outcome::Interrupted,
        report if report.is_good() => Outcome::Fine,
        _ => Outcome::Failed,
    })
}

/// A row for all that is damaged or missing.
fn problems(name: &str, report: &Report, show: usize) -> Table {
    let mut table = Table::new(format!("Damaged or missing in {name}"))
        .column("object", Kind::Text)
        .column("what is wrong", Kind::Text);
    let damaged = report.damaged.iter().map(|error| match error {
        Error::Object { id, path, offset, problem } => {
            (id.to_string(), format!("{problem}; {} at byte {offset}", path.display()))
        }
        Error::Hash { id, source } => (id.to_string(), source.to_string()),
        other => (String::new(), other.to_string()),
    });
    let missing = report.missing.iter().map(|missing| {
        let named_by = match &missing.named_by {
            NamedBy::Object(id) => id.to_string(),
            NamedBy::Reference(name) => String::from_utf8_lossy(name).escape_debug().to_string(),
        };
        (missing.id.to_string(), format!("missing; {named_by} names it"))
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

fn contents(report: &Report) -> String {
    let all = report.sizes.all();
    format!(
        "{} with {} ({}), {} loose; longest delta chain {}",
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
    let damaged = some(report.damaged.len(), "damage");
    let missing = some(report.missing.len(), "missing object");
    match damaged.into_iter().chain(missing).collect::<Vec<_>>().join(" and ") {
        bad if bad.is_empty() => format!("good: all IDs and connections checked by {by}{plain}"),
        bad => format!("{bad}; checked by {by}{plain}"),
    }
}
