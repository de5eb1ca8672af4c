//! `fieldtest show`: all that is known of one algorithm.

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_report::{Kind, Table};

use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(name: &str, format: Format) -> Result<Outcome> {
    let algorithm = catalog::find(name).map_err(usage)?;
    let facts = algorithm.facts;
    let mut table = Table::new(facts.title.clone()).column("fact", Kind::Text).column("value", Kind::Text);
    let mut row = |fact: &str, value: String| {
        table.row([fact.into(), value.into()]);
    };
    row("name", facts.name.clone());
    row("family", facts.family.clone());
    row("status", facts.status.word().to_owned());
    row("defined by", facts.standard.clone());
    row("rests on", facts.hardness.clone());
    row("post-quantum", if facts.post_quantum { "yes" } else { "no" }.to_owned());
    row("NIST level", facts.level.map_or("none".to_owned(), |level| level.to_string()));
    row("public key", format!("{} bytes", facts.public_key));
    row("secret key", format!("{} bytes as stored here", facts.secret_key));
    row("signature", format!("{} bytes", facts.signature));
    if let Some(dnssec) = &facts.dnssec {
        if let Some(field) = dnssec.public_key_field {
            row("DNSKEY public key", format!("{field} bytes"));
        }
        for (table, number) in &dnssec.code_points {
            row("DNSSEC number", format!("{number} ({table})"));
        }
    }
    for implementation in &algorithm.implementations {
        row("implementation", format!("{} {}", implementation.name, implementation.version));
    }
    for note in &facts.notes {
        let severity = note.severity.word();
        row("security note", format!("{} {severity}: {} [{}]", note.date, note.text, note.source));
    }
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}
