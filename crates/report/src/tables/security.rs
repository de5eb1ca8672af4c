//! What is known of the candidates' security, and what is proven of the code that ran.

use fieldtest_measure::record::Candidate;

use crate::once::by_key;
use crate::report::Report;
use crate::section::Section;
use crate::symbols::{self, UNSAFE};
use crate::table::{Cell, Kind, Table};

/// The sections on security and on proofs, each if it has anything to say.
pub fn sections(report: &Report) -> Vec<Section> {
    let mut sections = Vec::new();
    if !report.candidates.is_empty() {
        sections.push(Section {
            id: "security".to_owned(),
            title: "Security".to_owned(),
            lead:
                "The status of each algorithm, with dated remarks and their sources. Speed never compensates \
                   for an entry in this table."
                    .to_owned(),
            recommendation: Vec::new(),
            tables: vec![standing(report)],
        });
    }
    let kats = kats(report);
    if !kats.is_empty() {
        sections.push(Section {
            id: "proofs".to_owned(),
            title: "Known-answer tests".to_owned(),
            lead:
                "The official test vectors that each implementation passed in the measuring process, before \
                   anything was timed."
                    .to_owned(),
            recommendation: Vec::new(),
            tables: vec![kats],
        });
    }
    sections
}

/// The algorithm's name, marked where it is unsafe.
pub fn named(report: &Report, algorithm: &str) -> Cell {
    Cell::from(algorithm).with_mark(report.is_unsafe(algorithm).then_some(UNSAFE))
}

/// How the algorithm stands; where a remark rules it out, that word is put behind and its mark in front.
pub fn status(report: &Report, algorithm: &str) -> Cell {
    let status = symbols::status(report.status(algorithm));
    match report.ruled_out_by(algorithm).filter(|_| status.word != "broken") {
        Some(note) => {
            let words = format!("{}, {}", status.word, UNSAFE.word);
            Cell::from(words).with_mark(Some(UNSAFE)).with_detail(note.text.as_str())
        }
        None => Cell::from(status.word.to_string()).with_mark(Some(status)),
    }
}

/// Why algorithms are unsafe, a sentence for each remark that rules some of them out.
pub fn verdicts<'a>(report: &Report, algorithms: &[&'a str]) -> Vec<String> {
    let remark = |name: &&'a str| Some((report.ruled_out_by(name)?.text.as_str(), *name));
    let found = by_key(algorithms.iter().filter_map(remark)).into_iter();
    found.map(|(text, names)| format!("{} {}: {text}", UNSAFE.symbol, names.join(", "))).collect()
}

fn standing(report: &Report) -> Table {
    let mut table = Table::new("Status of the algorithms")
        .texts(["algorithm", "kind", "status", "post-quantum"])
        .column("level", Kind::number("category"))
        .texts(["rests on", "defined in", "gravest remark", "dated"]);
    for candidate in &report.candidates {
        // Remarks stand newest first, so of equally grave ones this is the newest.
        let note = candidate.notes.iter().min_by_key(|note| symbols::severity_rank(&note.severity));
        table.keyed_row(
            candidate.algorithm.as_str(),
            [
                candidate.algorithm.as_str().into(),
                symbols::kind(&candidate.kind).into(),
                status(report, &candidate.algorithm),
                post_quantum(candidate).into(),
                candidate.level.map(u64::from).into(),
                candidate.hardness.as_str().into(),
                candidate.standard.as_str().into(),
                note.map(|note| {
                    Cell::from(note.text.as_str()).with_mark(Some(symbols::severity(&note.severity)))
                })
                .into(),
                note.map(|note| note.date.as_str()).into(),
            ],
        );
    }
    table.without_empty_columns()
}

/// What is said of signature algorithms; of the other kinds nobody asks.
fn post_quantum(candidate: &Candidate) -> Option<&'static str> {
    match candidate.post_quantum {
        Some(true) => Some("yes"),
        Some(false) => Some("no"),
        None => (candidate.kind == "signature").then_some("unknown"),
    }
}

fn kats(report: &Report) -> Table {
    let mut table = Table::new("Test vectors passed")
        .texts(["algorithm", "implementation", "version"])
        .column("known answers", Kind::number("count"))
        .column("from", Kind::Text);
    let mut seen = Vec::new();
    for algorithm in report.measured() {
        for record in report.records.iter().filter(|record| record.algorithm == algorithm) {
            let (Some(it), Some(proof)) = (&record.implementation, &record.proof) else { continue };
            if seen.contains(&(algorithm, it, proof)) {
                continue;
            }
            seen.push((algorithm, it, proof));
            let from = match (proof.vectors, proof.origins.join("; ")) {
                (0, others) if others.is_empty() => "no official vectors".to_owned(),
                (0, others) => format!("no official vectors; {others}"),
                (_, origins) => origins,
            };
            table.keyed_row(
                algorithm,
                [
                    algorithm.into(),
                    report.code(&it.name),
                    it.version.as_str().into(),
                    proof.vectors.into(),
                    from.into(),
                ],
            );
        }
    }
    table
}
