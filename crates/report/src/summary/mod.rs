//! From records to the tables that decide, one section per study.

pub(crate) mod availability;
pub(crate) mod disk;
mod dnssec;
pub(crate) mod git;
pub(crate) mod ima;
pub(crate) mod lead;
mod ledger;
mod other;
mod primitives;
mod security;
pub(crate) mod tcp_ao;

use crate::report::{Report, Section};
pub(crate) use dnssec::message_subjects;
use ledger::Ledger;
pub(crate) use ledger::{cell, fastest, is_approximate};

/// All sections of `report`, in the order in which the studies first appear.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    let mut studies: Vec<&str> = Vec::new();
    for record in &report.records {
        if !studies.contains(&record.study.as_str()) {
            studies.push(&record.study);
        }
    }
    let mut sections: Vec<Section> = studies.iter().map(|study| section(report, study)).collect();
    sections.extend(security::sections(report));
    if let Some(disturbance) = report.disturbance() {
        let tables = sections.iter_mut().flat_map(|section| &mut section.tables);
        for table in tables.filter(|table| table.is_timed()) {
            table.note(disturbance.as_str());
        }
    }
    sections
}

fn section(report: &Report, study: &str) -> Section {
    let mut ledger = Ledger::new(report, study);
    let (title, lead, tables) = match study {
        "speed" => (
            "Speed".to_owned(),
            "What one operation costs by itself, on one core.".to_owned(),
            vec![primitives::table(report, &mut ledger)],
        ),
        "dnssec" => (
            "DNSSEC".to_owned(),
            "What the algorithm does to a signed zone, to the answers made of it, and to the servers that send them."
                .to_owned(),
            dnssec::tables(report, &mut ledger),
        ),
        "tcp-ao" => (
            "TCP-AO".to_owned(),
            "What a MAC costs in the segment that carries it, what it leaves of the option space, and what its keys cost."
                .to_owned(),
            tcp_ao::tables(report, &mut ledger),
        ),
        "ima" => (
            "IMA".to_owned(),
            "What a file's signature takes on disk, which file systems refuse it, and what signing and verifying a tree \
             of files costs."
                .to_owned(),
            ima::tables(report, &mut ledger),
        ),
        "git" => (
            "Git".to_owned(),
            "What a hash function costs on a repository's objects, what longer names take, and where the function is available."
                .to_owned(),
            git::tables(report, &mut ledger),
        ),
        "disk" => (
            "Disk encryption".to_owned(),
            "What a cipher costs per sector and in a real container, what it hides, and where it is available.".to_owned(),
            disk::tables(report, &mut ledger),
        ),
        other => (other.to_owned(), format!("The figures of the study {other}."), Vec::new()),
    };
    let mut tables: Vec<_> = tables.into_iter().filter(|table| !table.is_empty()).collect();
    tables.extend(other::table(&ledger));
    Section { id: identifier(study), title, lead, tables }
}

/// `text` in the letters that an HTML identifier and a URL take without quoting.
pub(crate) fn identifier(text: &str) -> String {
    let mut out = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            _ if out.ends_with('-') || out.is_empty() => {}
            _ => out.push('-'),
        }
    }
    out.trim_end_matches('-').to_owned()
}
