//! `fieldtest show`: all that is known of one algorithm.

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_report::Table;

use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(name: &str, format: Format) -> Result<Outcome> {
    let entry = catalog::entry(name).map_err(usage)?;
    let mut table = Table::new(entry.title()).texts(["fact", "value"]);
    table.fact("name", entry.name());
    table.fact("family", entry.family());
    table.fact("status", entry.status().word());
    table.fact("defined by", entry.standard());
    table.fact("rests on", entry.hardness());
    for (fact, value) in entry.details() {
        table.fact(&fact, &value);
    }
    for (implementation, version) in entry.implementations() {
        table.fact("implementation", format!("{implementation} {version}"));
    }
    if let Some(checked) = entry.checked() {
        table.fact("looked up", format!("{} [{}]", checked.date, checked.source));
    }
    for note in entry.notes() {
        let severity = note.severity.word();
        table.fact("security note", format!("{} {severity}: {} [{}]", note.date, note.text, note.source));
    }
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}
