//! Downgrades: what each resolver makes of zones of which somebody stripped one of two algorithms.

use std::collections::BTreeMap;

use fieldtest_dns_internet::downgrade::{Attack, Verdict};
use fieldtest_measure::record::Record;
use fieldtest_report::once::by_key;
use fieldtest_report::tables::ledger::{Ledger, Which, implementation};
use fieldtest_report::{Cell, Report, Table};

use crate::words::{Operation, downgraded};

pub(super) fn is_of_downgrade(record: &Record) -> bool {
    record.operation == Operation::Downgrade.word()
}

/// A table for each pair of algorithms: what was stripped, and what each resolver says.
pub(super) fn tables(report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
    let records: Vec<&Record> = ledger.all().filter(|record| is_known(record)).collect();
    let own = records.iter().map(|record| ((record.algorithm.as_str(), input(record)), *record));
    let tables = by_key(own).into_iter().map(|(_, own)| table(report, &own)).collect();
    for record in records {
        let which = Which::of(&record.algorithm, &record.operation);
        ledger.take(which.on(&record.subject).by(implementation(record)));
    }
    tables
}

fn is_known(record: &Record) -> bool {
    is_of_downgrade(record) && downgraded(&record.subject).is_some()
}

fn input(record: &Record) -> &str {
    record.input.as_ref().map_or("", |input| &input.name)
}

fn resolver(record: &Record) -> (&str, &str) {
    let version = record.implementation.as_ref().map_or("", |it| &it.version);
    (implementation(record), version)
}

fn table(report: &Report, records: &[&Record]) -> Table {
    let mut resolvers: Vec<(&str, &str)> = Vec::new();
    let mut found: BTreeMap<(Attack, usize), Vec<(Verdict, f64)>> = BTreeMap::new();
    for record in records {
        let Some((attack, verdict)) = downgraded(&record.subject) else { continue };
        let own = resolver(record);
        let at = resolvers.iter().position(|other| *other == own).unwrap_or_else(|| {
            resolvers.push(own);
            resolvers.len() - 1
        });
        found.entry((attack, at)).or_default().push((verdict, record.value));
    }
    let title = records.first().map_or("", |record| report.title(&record.algorithm));
    let mut table = Table::new(format!("What stripping {title} does"))
        .texts(["stripped", "attacker forges with"])
        .texts(resolvers.iter().map(|(name, _)| *name));
    for attack in Attack::ALL {
        let cells: Vec<Cell> = (0..resolvers.len())
            .map(|at| found.get(&(attack, at)).map_or_else(Cell::default, |verdicts| cell(verdicts)))
            .collect();
        if cells.iter().any(|cell| *cell != Cell::default()) {
            let key = match attack {
                Attack::StrongKeys => "weak key",
                attack if attack.forges() => "weak and TLD key",
                _ => "",
            };
            table.row([attack.in_words().into(), key.into()].into_iter().chain(cells));
        }
    }
    if let Some(input) = records.first().map(|record| input(record)).filter(|input| !input.is_empty()) {
        // Records may come from anywhere, and begin with anything.
        let (first, rest) = input.split_at_checked(1).unwrap_or(("", input));
        table.note(format!("{}{rest}.", first.to_uppercase()));
    }
    table.note(
        "Secure, bogus, insecure: the resolver's result for the SOA record, a host and a nonexistent name (RFC 4035, section 4.3). \
         If strong signatures were stripped and an answer is secure or insecure, an attacker who can sign with the keys of the second \
         column can forge it.",
    );
    table.note(
        "Weak key: of the weak algorithm, in the domain; TLD key: of the TLD, which signs the DS. Resolvers must not insist on every \
         algorithm (RFC 6840, section 5.11); with harden-algo-downgrade Unbound does, for the DS records' algorithms that it supports.",
    );
    let blind: Vec<&str> = (0..resolvers.len())
        .filter(|at| {
            let untouched = found.get(&(Attack::Nothing, *at));
            untouched.is_some_and(|all| !matches!(all[..], [(Verdict::Secure, share)] if share >= 1.0))
        })
        .map(|at| resolvers[at].0)
        .collect();
    if !blind.is_empty() {
        table.note(format!(
            "Even unchanged zones are not secure to {}, which does not support one of the algorithms: its column does not describe attacks.",
            blind.join(", ")
        ));
    }
    let versions: Vec<String> = resolvers
        .iter()
        .filter(|(name, _)| !name.contains(','))
        .map(|(name, version)| format!("{name}: {version}"))
        .collect();
    table.note(format!("Resolvers: {}.", versions.join("; ")));
    table
}

/// `secure`, or what became of how many of the questions.
fn cell(verdicts: &[(Verdict, f64)]) -> Cell {
    match verdicts {
        [(verdict, share)] if *share >= 1.0 => verdict.word().into(),
        several => {
            let part = |(verdict, share): &(Verdict, f64)| format!("{:.0} % {verdict}", share * 100.0);
            several.iter().map(part).collect::<Vec<_>>().join(", ").into()
        }
    }
}
