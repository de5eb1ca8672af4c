//! `fieldtest advise --cbom`: which algorithms of an inventory to keep, and what takes the place of the others.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, Result};
use fieldtest_catalog::facts::{Note, Severity, Status};
use fieldtest_catalog::{self as catalog, Entry};
use fieldtest_cyclonedx::read::{self, Asset, AssetKind, Inventory};
use fieldtest_cyclonedx::recognise::{Recognised, recognise};
use fieldtest_frame::{input, text};
use fieldtest_report::advice::{Decision, Request};
use fieldtest_report::{Cell, Error, Report, Table};

use crate::commands::records::STDIN;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format, count};

/// Reads an inventory from a file or from standard input. An empty one is refused first: asking the host for
/// its libraries takes seconds.
pub(super) fn read(path: &Path) -> Result<Inventory> {
    let inventory = if path == Path::new(STDIN) {
        read::read(input::stdin()).context("cannot read standard input as a CBOM")?
    } else {
        let shown = || format!("cannot read {} as a CBOM", text::path(path));
        let file = input::open(path).with_context(shown)?;
        read::read(BufReader::new(file)).with_context(shown)?
    };
    if inventory.assets.is_empty() && inventory.missing.is_empty() {
        anyhow::bail!(
            "the CBOM has no cryptographic assets; `fieldtest advise` without it recommends algorithms"
        );
    }
    Ok(inventory)
}

/// Says of every asset what it is here, and of every algorithm whether to keep it or what each carrier would take instead.
pub(super) fn run(
    inventory: &Inventory,
    decisions: &[&Decision],
    report: &Report,
    request: &Request,
    format: Format,
) -> Result<Outcome> {
    let found = Found::of(inventory);
    let mut table = Table::new("In use: what to keep, and what to replace").texts([
        "algorithm",
        "carrier",
        "in the CBOM",
        "what to do",
        "why",
        "to measure",
    ]);
    for used in &found.same {
        let name = used.name;
        let called = listed(&used.called);
        let (what, why) = judge(catalog::entry(name).map_err(usage)?.as_ref());
        let mut row = |carrier: &str, why: &str, measure: &str| {
            table.keyed_row(name, [name, carrier, &called, what, why, measure].map(Cell::from));
        };
        let carried = |it: &&&Decision| report.of_study(it.study).any(|record| record.algorithm == name);
        let asked: Vec<&&Decision> =
            decisions.iter().filter(|it| used.may_be_in(it.study)).filter(carried).collect();
        if what != REPLACE || asked.is_empty() {
            let carriers: Vec<&str> = asked.iter().map(|it| it.study).collect();
            let carriers = if asked.is_empty() { "none".to_owned() } else { carriers.join(", ") };
            row(&carriers, &why, &format!("fieldtest show {name}"));
            continue;
        }
        for decision in asked {
            let (sentence, first) = verdict(decision, report, request, name)?;
            let others = first.map(|first| format!(" -a {first}")).unwrap_or_default();
            let measure = format!("fieldtest {} study -a {name}{others}", decision.study);
            row(decision.study, &format!("{why}. {sentence}"), &measure);
        }
    }
    for (why, called) in &found.broken {
        let called = listed(called);
        table.row([&called, "none", &called, REPLACE, why, ""].map(Cell::from));
    }
    let mut others = Table::new("Ambiguous or unknown").texts(["in the CBOM", "what", "why"]);
    for ((what, why), called) in &found.others {
        // Keys are many, and their names say little; who reads this by a program has them all.
        let is_list = *what != AssetKind::Algorithm.word() && format == Format::Human;
        let rows = match is_list {
            true => vec![shortened(called)],
            false => called.iter().map(|(name, times)| with_times(name, *times)).collect(),
        };
        for called in rows {
            others.row([called.as_str().into(), (*what).into(), why.as_str().into()]);
        }
    }
    if found.is_open {
        others.note("For possible algorithms: `fieldtest advise --replaces NAME` recommends a replacement.");
    }
    let algorithms = count(found.same.len(), "algorithm");
    others.note(format!(
        "CycloneDX {}: {}; {algorithms} of the catalog recognised.",
        inventory.version,
        count(inventory.assets.len(), "cryptographic asset"),
    ));
    let tables: Vec<String> = [&table, &others].map(|table| table.render(format.for_stdout())).into();
    let text = match format {
        Format::Json => {
            format!("[{}]\n", tables.iter().map(|it| it.trim_end()).collect::<Vec<_>>().join(",\n"))
        }
        _ => tables.join("\n"),
    };
    output::rendered(&text, format)?;
    Ok(Outcome::Fine)
}

/// What is done about an algorithm that is not sound.
const REPLACE: &str = "replace";
/// The least strength that is sound, in bits (NIST SP 800-131A revision 2).
const LEAST: u16 = 112;

/// Whether to keep an algorithm by what is known of it, and why.
fn judge(entry: &dyn Entry) -> (&'static str, String) {
    let newest = |severity| entry.notes().iter().find(|note| note.severity == severity);
    let noted = |note: &Note| format!("{} [{}, {}]", note.text, note.source, note.date);
    let status = entry.status();
    if let Some(note) = newest(Severity::Broken) {
        return (REPLACE, noted(note));
    }
    if matches!(status, Status::Broken | Status::Withdrawn | Status::Superseded) {
        return (REPLACE, format!("it is {}", status.word()));
    }
    if entry.post_quantum() == Some(false) {
        return (REPLACE, newest(Severity::Warning).map_or("a quantum computer breaks it".to_owned(), noted));
    }
    if let Some(bits) = entry.strength().filter(|bits| *bits < LEAST) {
        return (REPLACE, format!("its strength is {bits} bits, under {LEAST}"));
    }
    match newest(Severity::Warning) {
        _ if status != Status::Standard => {
            ("look", format!("it is {} ({})", status.word(), entry.standard()))
        }
        Some(note) => ("keep", format!("sound; heed: {}", noted(note))),
        None => ("keep", format!("sound: {}", entry.standard())),
    }
}

/// What a carrier would take instead, in a sentence, and the name of the first.
fn verdict(
    decision: &Decision,
    report: &Report,
    request: &Request,
    name: &str,
) -> Result<(String, Option<String>)> {
    let request = Request { replaces: Some(name.to_owned()), ..request.clone() };
    match decision.decide(report, &request) {
        Ok(Some(advice)) => {
            let first = advice.survivors.first().map(|it| it.algorithm.clone());
            let way_out = || advice.alternatives.first().and_then(|it| it.algorithms.first().cloned());
            let first = first.or_else(way_out);
            Ok((advice.sentence, first))
        }
        Ok(None) => Ok(("these records do not contain the constrained properties".to_owned(), None)),
        // Of one algorithm it is not known how strong it is; that is no reason to say nothing of the others.
        Err(error @ Error::Constraint { .. }) if request.typed.is_empty() && request.by.is_none() => {
            Ok((error.to_string(), None))
        }
        Err(error @ Error::Constraint { .. }) => Err(usage(error)),
        Err(error) => Err(error.into()),
    }
}

#[derive(Default)]
struct Used {
    name: &'static str,
    /// What the assets are called, with how often.
    called: BTreeMap<String, usize>,
    /// Where they were found.
    locations: Vec<String>,
    /// Whether of one of them the document does not say where.
    is_anywhere: bool,
}

impl Used {
    /// Whether it may be in a carrier: a location names it, or nothing says where it is.
    fn may_be_in(&self, carrier: &str) -> bool {
        let names = |location: &String| {
            let mut words = location.split(|c: char| !c.is_alphanumeric() && c != '-');
            words.any(|word| word.eq_ignore_ascii_case(carrier))
        };
        self.is_anywhere || self.locations.iter().any(names)
    }
}

/// The assets, sorted by what they are here.
#[derive(Default)]
struct Found {
    /// Those of the catalog, in the order of the document.
    same: Vec<Used>,
    /// Why it is to be replaced, whichever algorithm it is: what is called so, with how often.
    broken: BTreeMap<String, BTreeMap<String, usize>>,
    /// What it is and why it is none of those: what is called so, with how often.
    others: BTreeMap<(&'static str, String), BTreeMap<String, usize>>,
    /// Whether something could be an algorithm of the catalog.
    is_open: bool,
}

impl Found {
    fn of(inventory: &Inventory) -> Found {
        let entries = catalog::entries();
        let mut found = Found::default();
        for asset in &inventory.assets {
            found.enter(asset, &entries);
        }
        for (from, to) in &inventory.missing {
            let why = format!("{from} refers to it, but this document lacks it");
            found.other("reference", why, to);
        }
        found
    }

    fn enter(&mut self, asset: &Asset, entries: &[Box<dyn Entry>]) {
        let what = asset.kind.word();
        let why = match asset.kind {
            AssetKind::Certificate | AssetKind::Protocol => {
                "its algorithms are those that the document names as such".to_owned()
            }
            AssetKind::Algorithm | AssetKind::Material => match recognise(asset, entries) {
                Recognised::Same(name) => {
                    let at = self.same.iter().position(|used| used.name == name);
                    let at = at.unwrap_or_else(|| {
                        self.same.push(Used { name, ..Used::default() });
                        self.same.len() - 1
                    });
                    let used = &mut self.same[at];
                    *used.called.entry(asset.name.clone()).or_default() += 1;
                    used.is_anywhere |= asset.locations.is_empty();
                    used.locations.extend(asset.locations.iter().cloned());
                    return;
                }
                Recognised::Broken(why) => {
                    return self.replace(why.to_owned(), &asset.name);
                }
                Recognised::OneOf(names) => {
                    self.is_open = true;
                    let could = format!("could be {}", names.join(" or "));
                    let judged = entries.iter().filter(|entry| names.contains(&entry.name()));
                    let mut judged = judged.map(|entry| judge(entry.as_ref())).peekable();
                    let first = judged.peek().map(|(_, why)| why.clone());
                    match first.filter(|_| judged.all(|(what, _)| what == REPLACE)) {
                        Some(why) => return self.replace(format!("{could}; {why}"), &asset.name),
                        None => format!("{could}; the document does not say which"),
                    }
                }
                Recognised::Not(_) if asset.kind == AssetKind::Material => {
                    "not an algorithm of the catalog".to_owned()
                }
                Recognised::Not(why) => why,
            },
        };
        self.other(what, why, &asset.name);
    }

    fn replace(&mut self, why: String, called: &str) {
        *self.broken.entry(why).or_default().entry(called.to_owned()).or_default() += 1;
    }

    fn other(&mut self, what: &'static str, why: String, called: &str) {
        *self.others.entry((what, why)).or_default().entry(called.to_owned()).or_default() += 1;
    }
}

/// Names with how often each stands there.
fn listed(names: &BTreeMap<String, usize>) -> String {
    names.iter().map(|(name, times)| with_times(name, *times)).collect::<Vec<_>>().join(", ")
}

/// The first of them, and how many more there are.
fn shortened(names: &BTreeMap<String, usize>) -> String {
    let first = names.iter().next().map(|(name, times)| with_times(name, *times)).unwrap_or_default();
    match names.len().saturating_sub(1) {
        0 => first,
        more => format!("{first} and {}", count(more, "other")),
    }
}

fn with_times(name: &str, times: usize) -> String {
    if times > 1 { format!("{name} ({times} times)") } else { name.to_owned() }
}
