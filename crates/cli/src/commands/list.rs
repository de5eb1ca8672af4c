//! `fieldtest list`: every algorithm in one line.

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_report::{Cell, Kind, Table};

use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(format: Format) -> Result<Outcome> {
    let mut table = Table::new("Signature algorithms")
        .column("algorithm", Kind::Text)
        .column("status", Kind::Text)
        .column("NIST level", Kind::number(""))
        .column("public key", Kind::number("bytes"))
        .column("signature", Kind::number("bytes"))
        .column("implementations", Kind::Text);
    for algorithm in catalog::all() {
        let facts = algorithm.facts;
        table.keyed_row(
            &facts.name,
            [
                facts.name.as_str().into(),
                facts.status.word().into(),
                facts.level.map_or(Cell::default(), |level| f64::from(level).into()),
                (facts.public_key as f64).into(),
                (facts.signature as f64).into(),
                match &algorithm.implementations[..] {
                    [] => "sizes only".into(),
                    some => super::names(some).into(),
                },
            ],
        );
    }
    if let Some(why) = catalog::host_openssl::unavailable() {
        table.note(format!("openssl-host is not listed: {why}"));
    }
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}
