//! The study of TCP-AO over MACs that do not exist.

use fieldtest_measure::record::{Candidate, Line, Record};
use fieldtest_testing::synthetic::{of_kind, published, record, remark, study, timed};

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
    study("fieldtest tcp-ao study --seed 7", &MACS, mac, records)
}

fn mac(&(name, tag, status, _): &Row) -> Candidate {
    let text = "Unsafe here: needs a made-up nonce, which segments have no room for.";
    let notes = [
        remark("2029-07", "info", "A newer made-up remark of no weight."),
        remark("2029-06", "broken", text),
    ];
    let notes = notes.into_iter().filter(|_| name == "rush-128").collect();
    of_kind("mac", (name, status, "a universal hash function"), &[("tag", tag)], notes)
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
            let it = of("segment-published", subject, cycles, "cycles");
            records.push(published(it, &["from a made-up patch"]));
        }
    }
    records
}
