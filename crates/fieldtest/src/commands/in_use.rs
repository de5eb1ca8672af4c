//! `fieldtest advise --cbom`: what of an inventory to keep, what to replace by when, and what to look at.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use fieldtest_catalog::policies::{Mark, Policy, policies};
use fieldtest_catalog::{self as catalog, Entry};
use fieldtest_cyclonedx::marked::{self, InCarrier, Marked};
use fieldtest_cyclonedx::read::{self, Asset, Inventory};
use fieldtest_cyclonedx::recognise::{Recognised, recognise};
use fieldtest_cyclonedx::verdict::{keeps, protects_no_less, verdicts};
use fieldtest_frame::{input, text};
use fieldtest_report::advice::{Decision, Excluded, POST_QUANTUM, Request, STATUS, STRENGTH, WARNINGS};
use fieldtest_report::{Cell, Error, Report, Table};
use serde_json::json;

use crate::commands::records::{self, RECORDS, STDIN};
use crate::commands::replacing;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format, count};

/// An inventory, and the document that it was read from.
pub(super) struct Document {
    text: Vec<u8>,
    inventory: Inventory,
    /// What SARIF calls it.
    name: String,
}

/// Reads an inventory from a file or from standard input. An empty one is refused first: asking the host for
/// its libraries takes seconds.
pub(super) fn read(path: &Path) -> Result<Document> {
    let shown = || match path == Path::new(STDIN) {
        true => "cannot read standard input as a CBOM".to_owned(),
        false => format!("cannot read {} as a CBOM", text::path(path)),
    };
    let bytes = match path == Path::new(STDIN) {
        true => read::text(input::stdin()),
        false => read::text(BufReader::new(input::open(path).with_context(shown)?)),
    };
    let bytes = bytes.with_context(shown)?;
    let document = text::decoded(&bytes).map_err(anyhow::Error::msg).with_context(shown)?;
    if document.trim().is_empty() {
        return Err(anyhow::anyhow!("it is empty; give an inventory, such as of fieldtest cbom"))
            .with_context(shown);
    }
    if document.starts_with("{\"line\":") {
        return Err(anyhow::anyhow!("it is {RECORDS}; give an inventory, such as of fieldtest cbom"))
            .with_context(shown);
    }
    let inventory = read::parse(&bytes).with_context(shown)?;
    if inventory.assets.is_empty() {
        anyhow::bail!(
            "the CBOM has no cryptographic assets; `fieldtest advise` without it recommends algorithms"
        );
    }
    Ok(Document { text: bytes, inventory, name: path.to_string_lossy().into_owned() })
}

/// The files that are written, each in the form that its name ends in.
const FORMS: [&str; 6] = [".cdx.json", ".sarif", ".csv", ".json", ".md", ".html"];

/// Refuses names that say no form, before anything is computed.
pub(super) fn check_outputs(outputs: &[PathBuf], document: &Path, records: &[PathBuf]) -> Result<()> {
    for (at, path) in outputs.iter().enumerate() {
        form(path)?;
        output::check_place(path)?;
        outputs[..at].iter().try_for_each(|other| output::check_apart(other, path))?;
        output::check_keeps(path, [(document, "the inventory, which would be lost")])?;
        records::check_keeps(path, records)?;
    }
    Ok(())
}

fn form(path: &Path) -> Result<&'static str> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    FORMS.into_iter().find(|form| name.ends_with(form)).ok_or_else(|| {
        let shown = text::path(path);
        coded(
            "other-extension",
            usage(format!(
                "invalid --output '{shown}': expected a name that ends in one of {}",
                FORMS.join(", ")
            )),
        )
    })
}

/// What decides about an inventory.
pub(super) struct Asked<'a> {
    pub(super) decisions: Vec<&'static Decision>,
    /// Whether the carriers were typed: then they hold what the document gives no place.
    pub(super) is_typed: bool,
    pub(super) policy: &'a str,
    pub(super) request: Request,
    pub(super) outputs: &'a [PathBuf],
    /// Makes the report that the carriers decide by. It takes seconds, so only if one is asked.
    pub(super) report: &'a dyn Fn() -> Result<Report>,
}

/// Marks every asset, and names what takes its place in the carriers that its evidence points to.
pub(super) fn run(document: &Document, asked: &Asked<'_>, format: Format) -> Result<Outcome> {
    let inventory = &document.inventory;
    let policy = policies().iter().find(|it| it.id == asked.policy);
    let policy = policy.ok_or_else(|| usage(format!("unknown policy '{}'", asked.policy)))?;
    let (entries, year) = (catalog::entries(), this_year());
    let mut carried = Carried { asked, policy, report: None, entries: &entries, known: BTreeMap::new() };
    let mut all = Vec::new();
    for (asset, verdict) in inventory.assets.iter().zip(verdicts(inventory, policy, &entries)) {
        let mut mark = Marked::of(asset, &verdict, &policy.id, year);
        let (names, is_settled) = match recognise(asset, &entries) {
            Recognised::Same(name) => (vec![name], true),
            Recognised::OneOf(names) => (names, false),
            Recognised::Not => (Vec::new(), false),
        };
        mark.algorithm = names.first().copied().filter(|_| is_settled);
        if verdict.mark == Mark::Replace {
            mark.carriers = carried.of(asset, &names, is_settled)?;
        }
        all.push(mark);
    }
    for path in asked.outputs {
        let content = match form(path)? {
            ".cdx.json" => {
                let (text, was_signed) = marked::cyclonedx(&document.text, &all)?;
                if was_signed {
                    let path = text::path(path);
                    output::message(&format!(
                        "the signature of the CBOM is not in {path}, which it does not sign"
                    ));
                }
                text
            }
            ".sarif" => marked::sarif(&all, &document.name),
            ".csv" => rows(&all).render(fieldtest_report::Format::Csv),
            ".json" => fields(inventory, policy, &all),
            ".md" => table(inventory, policy, &all, Format::Md).render(fieldtest_report::Format::Markdown),
            _ => marked::page(&all, policy),
        };
        output::file(path, content.as_bytes())?;
    }
    let text = match format {
        Format::Json => text::json(&fields(inventory, policy, &all)).into_owned(),
        Format::Csv => rows(&all).render(format.for_stdout()),
        _ => table(inventory, policy, &all, format).render(format.for_stdout()),
    };
    output::rendered(&text, format)?;
    Ok(Outcome::Fine)
}

/// The year; by the length of a mean one, so that it may be wrong for hours around midnight of New Year.
fn this_year() -> u16 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u16::try_from(1970 + since.as_secs() / 31_556_952).unwrap_or(u16::MAX)
}

/// What no replacement lacks.
const SAFETY: [&str; 4] = [STATUS.id, WARNINGS.id, STRENGTH.id, POST_QUANTUM.id];

/// What carriers would take instead of an algorithm, each asked once.
struct Carried<'a> {
    asked: &'a Asked<'a>,
    policy: &'static Policy,
    report: Option<Report>,
    entries: &'a [Box<dyn Entry>],
    known: BTreeMap<(&'static str, &'static str), Option<Taken>>,
}

/// What a carrier takes, by the catalog's name, and in words which constraints it does not meet.
type Taken = (String, Vec<String>);

impl Carried<'_> {
    fn of(&mut self, asset: &Asset, names: &[&'static str], is_settled: bool) -> Result<Vec<InCarrier>> {
        let mut found = Vec::new();
        for decision in &self.asked.decisions {
            let study = decision.study;
            let is_open = self.asked.is_typed && asset.locations.is_empty() && asset.within.is_empty();
            if names.is_empty() || !(is_open || points_to(asset, study)) {
                continue;
            }
            let report = match self.report.take() {
                Some(report) => report,
                None => (self.asked.report)()?,
            };
            let report = self.report.insert(report);
            let kind = replacing::kind(decision, report);
            let is_of_kind =
                |name: &&str| self.entries.iter().any(|it| it.name() == *name && kind == Some(it.kind()));
            let Some(name) = names.iter().copied().find(is_of_kind) else { continue };
            if !is_settled {
                let reason = Some("ambiguous");
                found.push(InCarrier {
                    carrier: study,
                    algorithm: None,
                    lacks: Vec::new(),
                    reason,
                    measure: None,
                });
                continue;
            }
            let taken = match self.known.get(&(study, name)) {
                Some(known) => known.clone(),
                None => self.first(decision, name)?,
            };
            self.known.insert((study, name), taken.clone());
            let (algorithm, lacks) = taken.map_or_else(Default::default, |(name, lacks)| (Some(name), lacks));
            let other = algorithm.as_ref().map(|it| format!(" -a {it}")).unwrap_or_default();
            found.push(InCarrier {
                carrier: study,
                reason: algorithm.is_none().then_some("none"),
                algorithm,
                lacks,
                measure: Some(format!("fieldtest {study} study -a {name}{other}")),
            });
        }
        Ok(found)
    }

    /// The first that the carrier would take, the policy keeps, and that protects no less.
    fn first(&self, decision: &Decision, name: &str) -> Result<Option<Taken>> {
        let request = Request { replaces: Some(name.to_owned()), ..self.asked.request.clone() };
        let Some(report) = &self.report else { return Ok(None) };
        let advice = match replacing::decide(decision, report, &request) {
            Ok(advice) => advice,
            // Of one algorithm it is not known how strong it is; that is no reason to say nothing of the others.
            Err(Error::Constraint { .. }) if request.typed.is_empty() && request.by.is_none() => None,
            Err(error @ Error::Constraint { .. }) => return Err(usage(error)),
            Err(error) => return Err(error.into()),
        };
        let Some(advice) = advice else { return Ok(None) };
        let entry = |name: &str| self.entries.iter().find(|entry| entry.name() == name).map(AsRef::as_ref);
        let ways_out = advice.alternatives.iter().flat_map(|it| &it.algorithms);
        // What the policy asks for goes before a size that is only usual.
        let is_safe = |it: &&Excluded| !it.lacks.iter().any(|lack| SAFETY.contains(&lack.property));
        let others = advice.excluded.iter().filter(is_safe).map(|it| &it.algorithm);
        let mut all = advice.survivors.iter().map(|it| &it.algorithm).chain(ways_out).chain(others);
        let fits = |new: &&String| match (entry(new), entry(name)) {
            (Some(new), Some(old)) => protects_no_less(new, old) && keeps(self.policy, new.title()),
            _ => false,
        };
        let lacks = |new: &String| {
            let excluded = advice.excluded.iter().find(|it| it.algorithm == *new);
            excluded.map(|it| it.why.clone()).unwrap_or_default()
        };
        Ok(all.find(fits).map(|new| (new.clone(), lacks(new))))
    }
}

/// Whether something that an asset's evidence names is a carrier: a word of its places, or of the components around it.
fn points_to(asset: &Asset, carrier: &str) -> bool {
    let names = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
        words.any(|word| word.eq_ignore_ascii_case(carrier))
    };
    let places = asset.locations.iter().map(|(place, _)| place.as_str());
    places.chain(asset.within.iter().map(|it| &**it)).any(names)
}

/// Everything, in fields.
fn fields(inventory: &Inventory, policy: &Policy, all: &[Marked]) -> String {
    let documents = policy.document.iter().map(|it| {
        json!({ "title": it.title, "version": it.version, "date": it.date, "checked": it.checked, "source": it.source })
    });
    let value = json!({
        "policy": { "id": policy.id, "title": policy.title, "documents": documents.collect::<Vec<_>>() },
        "cyclonedx": inventory.version,
        "assets": all,
        "missing": inventory.missing.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

/// A row for each asset.
fn rows(all: &[Marked]) -> Table {
    let columns = ["bom-ref", "name", "verdict", "year", "policy", "rule", "replacement"];
    let mut table = Table::new("In use").texts(columns);
    for mark in all {
        let by = mark.by.map(|by| by.to_string()).unwrap_or_default();
        let bom_ref = mark.bom_ref.clone().unwrap_or_default();
        let cells = [
            bom_ref,
            mark.shown().to_owned(),
            mark.verdict.to_owned(),
            by,
            mark.policy.clone(),
            mark.rule(),
            mark.instead(),
        ];
        // Spreadsheets compute what begins so; names are of others.
        let is_formula = |it: &str| it.starts_with(['=', '+', '-', '@']);
        let data = |it: &str| if is_formula(it) { format!("'{it}") } else { it.to_owned() };
        table.row(cells.iter().map(|it| Cell::from(&*data(&text::line(it)))));
    }
    table
}

/// What there is to do first, then what is to be looked at, then what is kept; assets of one name and one verdict in a row.
fn table(inventory: &Inventory, policy: &Policy, all: &[Marked], format: Format) -> Table {
    let mut table = Table::new(format!("In use, by {}", policy.title)).texts([
        "asset",
        "what to do",
        "why",
        "instead",
        "to measure",
    ]);
    for (mark, names) in marked::grouped(all, format == Format::Human) {
        let measure: Vec<&str> = mark.carriers.iter().filter_map(|it| it.measure.as_deref()).collect();
        let cells = [names, marked::said(mark), mark.rule(), mark.instead(), measure.join("; ")];
        table.keyed_row(mark.algorithm.unwrap_or_default(), cells.iter().map(|it| Cell::from(it.as_str())));
    }
    let of = |word: Mark| all.iter().filter(|mark| mark.verdict == word.word()).count();
    let overdue = all.iter().filter(|mark| mark.overdue).count();
    table.note(format!(
        "CycloneDX {}: {}: {} to replace ({overdue} now), {} to look at, {} to keep.",
        inventory.version,
        count(all.len(), "cryptographic asset"),
        of(Mark::Replace),
        of(Mark::Look),
        of(Mark::Keep),
    ));
    if !inventory.missing.is_empty() {
        table.note(format!(
            "{} to what the document does not hold.",
            count(inventory.missing.len(), "reference")
        ));
    }
    let mut table = table.without_empty_columns();
    table.notes_of(marked::documents(all));
    table
}
