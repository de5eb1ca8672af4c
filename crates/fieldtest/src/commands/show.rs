//! `fieldtest show`: all that is known of one algorithm.

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_report::{Kind, Table};

use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(name: &str, format: Format) -> Result<Outcome> {
    let entry = catalog::entry(name).map_err(usage)?;
    let mut table = Table::new(entry.title()).column("fact", Kind::Text).column("value", Kind::Text);
    let mut row = |fact: &str, value: &str| {
        table.row([fact.into(), value.into()]);
    };
    row("name", entry.name());
    row("family", entry.family());
    row("status", entry.status().word());
    row("defined by", entry.standard());
    row("rests on", entry.hardness());
    for (fact, value) in entry.details() {
        row(&fact, &value);
    }
    for (implementation, version) in entry.implementations() {
        row("implementation", &format!("{implementation} {version}"));
    }
    if let Some(checked) = entry.checked() {
        row("looked up", &format!("{} [{}]", checked.date, checked.source));
    }
    for note in entry.notes() {
        let severity = note.severity.word();
        row("security note", &format!("{} {severity}: {} [{}]", note.date, note.text, note.source));
    }
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}
