//! What a report says of the study: records in, tables, pictures and sentences out.

mod decision;
mod downgrade;
mod fit;
mod keytrap;
mod levels;
mod messages;
pub(crate) mod projection;
mod rekey;
mod repetitions;
mod resolver;
mod server_signer;
mod tables;
mod zone_sizes;
mod zone_work;

use fieldtest_measure::record::Record;
use fieldtest_report::tables::ledger::Ledger;
use fieldtest_report::{Format, Report, StudySection, Table};
pub(crate) use fit::fit;

use crate::NAME;
use crate::words::Operation;
pub(crate) use levels::is_of_levels;

/// Whether a result is of servers that ran, and not of a zone.
fn is_of_servers(record: &Record) -> bool {
    resolver::is_of_resolver(record)
        || levels::is_of_levels(record)
        || keytrap::is_of_traps(record)
        || downgrade::is_of_downgrade(record)
        || rekey::is_of_roll(record)
}

/// The tables of a report on downgrades, as text.
pub(crate) fn downgrades(report: &Report, format: Format) -> Option<String> {
    Some(text(
        &downgrade::tables(report, &mut Ledger::new(report, NAME)),
        format,
        "no resolver was asked to the end",
    ))
}

pub(crate) fn rolls(report: &Report, format: Format) -> Option<String> {
    Some(text(&rekey::tables(report, &mut Ledger::new(report, NAME)), format, "no roll came to its end"))
}

/// The first so many tables: what people ask servers for stands there, and no verdict on zones before it.
pub(crate) fn first_tables(report: &Report, format: Format, number: usize) -> Option<String> {
    let sections = report.sections();
    let own = sections.iter().find(|section| section.id == NAME)?;
    let texts: Vec<String> = own.tables.iter().take(number).map(|table| table.render(format)).collect();
    Some(texts.join("\n"))
}

/// Tables, or why there are none: those of other results would tell nothing of what was asked.
fn text(tables: &[Table], format: Format, none: &str) -> String {
    let texts: Vec<String> = tables.iter().map(|table| table.render(format)).collect();
    if texts.is_empty() { format!("{none}\n") } else { texts.join("\n") }
}

/// The chapter on DNSSEC.
pub const STUDY_SECTION: StudySection = StudySection {
    title: "DNSSEC",
    lead: "The effect of the algorithm on a signed zone, on its answers, and on the servers that send them.",
    plots: &[
        rekey::timeline,
        resolver::compared,
        resolver::each,
        levels::plot,
        messages::plot,
        zone_work::plot,
        zone_sizes::plot,
    ],
    columns: include_str!("columns.txt"),
    more_is_better: &[
        Operation::SecureShare.word(),
        Operation::ResumedShare.word(),
        Operation::RekeySecure.word(),
        "level-cost secure",
        "downgrade bogus",
        "downgrade failed",
    ],
    neither_is_better: &[Operation::RekeyBegins.word()],
    decision: Some(&decision::DECISION),
    limits: &[
        (
            &[Operation::MessageSize.word()],
            "What a resolver sees. Sizes are those of the messages as this program composes them, with the names of this zone; a \
             server may add or leave out records, and links with a smaller MTU exist.",
        ),
        (
            &[Operation::ResolverLatency.word(), Operation::LevelCost.word()],
            "What a resolver costs elsewhere. Clients, resolver and name servers share one machine, whose processors they also \
             share, so latencies are higher than where each has its own; packets take no time unless a delay is named. RSA, \
             ECDSA and EdDSA are verified by the resolver's own library, the others by this project's.",
        ),
    ],
    ..StudySection::of(NAME, all_tables)
};

fn all_tables(report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
    let mut tables = tables::tables(report, ledger);
    // Behind what decides on a zone, where there is that.
    let at = usize::from(!tables.first().is_none_or(Table::is_empty));
    let of_servers = [
        downgrade::tables(report, ledger),
        rekey::tables(report, ledger),
        resolver::tables(report, ledger),
        levels::tables(report, ledger),
        keytrap::tables(report, ledger),
    ];
    tables.splice(at..at, of_servers.concat());
    tables
}
