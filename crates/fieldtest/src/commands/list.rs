//! `fieldtest list`: every algorithm in one line.

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_frame::text;
use fieldtest_report::{Cell, Kind, Table};

use crate::args::AlgorithmKind;
use crate::outcome::Outcome;
use crate::output::{self, Format};

/// The sizes that travel or are stored with every use; `show` has the others.
const SIZES: [&str; 3] = ["public-key", "signature", "tag"];

pub(crate) fn run(kind: Option<AlgorithmKind>, format: Format) -> Result<Outcome> {
    let mut table = Table::new(kind.map_or("Algorithms", AlgorithmKind::title))
        .texts(["algorithm", "kind", "status"])
        .column("NIST level", Kind::number(""));
    for size in SIZES {
        table = table.column(size.replace('-', " "), Kind::number("bytes"));
    }
    table = table.column("implementations", Kind::Text);
    let wanted = kind.map(AlgorithmKind::word);
    for entry in catalog::entries().iter().filter(|entry| wanted.is_none_or(|word| word == entry.kind())) {
        let known = entry.sizes();
        let size = |wanted| known.iter().find(|(name, _)| *name == wanted).map(|(_, bytes)| *bytes as f64);
        let mut row: Vec<Cell> = vec![
            entry.name().into(),
            entry.kind().into(),
            entry.status().word().into(),
            entry.level().map(f64::from).into(),
        ];
        row.extend(SIZES.map(|name| size(name).into()));
        let names: Vec<&str> = entry.implementations().into_iter().map(|(name, _)| name).collect();
        row.push(if names.is_empty() { "sizes only".to_owned() } else { names.join(", ") }.into());
        table.keyed_row(entry.name(), row);
    }
    for host in &catalog::host::HOSTS {
        if let Some(why) = host.unavailable() {
            table.note(text::system(&format!("{} is not listed: {why}", host.name)).into_owned());
        }
    }
    output::table(&table.without_empty_columns(), format)?;
    Ok(Outcome::Fine)
}
