//! The study of TCP-AO over MACs that do not exist.

use fieldtest_measure::record::{Candidate, Line, Record, SecurityNote};

use fieldtest_testing::synthetic::{candidate, record, run, timed};

/// Name, tag bytes, status, made-up cycles of a segment of 100 bytes; `None` where no code exists.
type Row = (&'static str, u64, &'static str, Option<f64>);

/// The made-up MACs. The cheapest is unsafe, and the tag of one does not fit a full SYN.
pub(crate) const MACS: [Row; 5] = [
    ("reed-96", 12, "standard", Some(400.0)),
    ("sedge-128", 16, "candidate", Some(300.0)),
    ("rush-128", 16, "research", Some(50.0)),
    ("fern-192", 24, "research", Some(2_000.0)),
    ("moss-128", 16, "withdrawn", None),
];

/// Bytes of MAC input.
const LENGTHS: [u32; 3] = [60, 100, 1_400];

/// All lines of a run of the study `tcp-ao` over [`MACS`].
pub(crate) fn lines() -> Vec<Line> {
    let mut run = run();
    run.host.counter = "ns".to_owned();
    run.command = "fieldtest tcp-ao study --seed 7".to_owned();
    let candidates = MACS.iter().map(|row| Line::Candidate(mac(row)));
    let records = MACS.iter().flat_map(records).map(Line::Record);
    [Line::Run(run)].into_iter().chain(candidates).chain(records).collect()
}

fn mac(row: &Row) -> Candidate {
    let (name, tag, status, _) = *row;
    let note = |date: &str, severity: &str, text: &str| SecurityNote {
        date: date.to_owned(),
        severity: severity.to_owned(),
        text: text.to_owned(),
        source: "Made-up RFC 1, section 2".to_owned(),
    };
    Candidate {
        kind: "mac".to_owned(),
        level: None,
        strength: None,
        sizes: vec![("tag".to_owned(), tag)],
        notes: match name {
            "rush-128" => vec![
                note("2029-07", "info", "A newer made-up remark of no weight."),
                note(
                    "2029-06",
                    "broken",
                    "Unsafe here: needs a made-up nonce, which segments have no room for.",
                ),
            ],
            _ => Vec::new(),
        },
        ..candidate(&(name, 0, 0, status, "a universal hash function", [0.0; 3]))
    }
}

fn records(row: &Row) -> Vec<Record> {
    let (name, tag, _, cycles) = *row;
    let of = |operation: &str, subject: &str, value: f64, unit: &str| {
        record("tcp-ao", name, operation, subject, value, unit)
    };
    let tag = tag as f64;
    let mut records = vec![
        of("option", "", tag + 4.0, "bytes"),
        of("options-of-full-syn", "", tag + 24.0, "bytes"),
        of("sack-blocks", "with timestamps", if tag > 12.0 { 0.0 } else { 1.0 }, "count"),
        of("sack-blocks", "without timestamps", 2.0, "count"),
        of("payload", "MTU 1500, IPv4, timestamps", 1_444.0 - tag, "bytes"),
    ];
    let Some(cycles) = cycles else { return records };
    for (implementation, factor) in [("fieldtest", 1.0), ("fieldtest-portable", 4.1), ("a-library", 2.03)] {
        for length in LENGTHS {
            for (way, part) in [("single", 1.0), ("batched", 0.507)] {
                let value = (cycles * f64::from(length) / 100.0 * factor * part).round();
                let it = of("segment", &format!("{length} {way}"), value, "cycles");
                records.push(timed(it, implementation, "median"));
            }
        }
        for (operation, subject, part) in
            [("derive", "", 2.11), ("prepare", "", 0.61), ("segment-unprepared", "100", 1.73)]
        {
            let it = of(operation, subject, (cycles * factor * part).round(), "cycles");
            records.push(timed(it, implementation, "median"));
        }
    }
    // Leads on a step of their own, so that each can be found again.
    let mut lead = 2.03 + tag / 100.0;
    let subjects =
        LENGTHS.iter().flat_map(|length| ["single", "batched"].map(|way| format!("{length} {way}")));
    let mut leads: Vec<(&str, String)> = subjects.map(|subject| ("segment-lead", subject)).collect();
    leads.extend([("derive-lead", String::new()), ("prepare-lead", String::new())]);
    leads.push(("segment-unprepared-lead", "100".to_owned()));
    for (operation, subject) in leads {
        lead += 0.001;
        let subject = format!("{subject} over a-library");
        records.push(timed(of(operation, subject.trim(), lead, "ratio"), "fieldtest", "median"));
    }
    if name == "reed-96" {
        for (subject, cycles) in [("100 Made-up OS 1", 5_551.0), ("100 Made-up OS 2", 1_117.0)] {
            let mut it = of("segment-published", subject, cycles, "cycles");
            it.estimator = "published".to_owned();
            it.notes = vec!["from a made-up patch".to_owned()];
            records.push(it);
        }
    }
    records
}
