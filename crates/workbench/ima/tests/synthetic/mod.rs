//! The study of IMA over some of the signatures that do not exist.

use fieldtest_measure::record::{Line, Record};
use fieldtest_testing::synthetic::{ALGORITHMS, Row, candidate, input, noted, published, record, run, timed};

/// The algorithms of the study, and what a made-up kernel takes to verify a signature in nanoseconds.
pub(crate) const SIGNATURES: [(&str, Option<f64>); 8] = [
    ("elder-p256", Some(1_600_002.0)),
    ("elder-2048", Some(161_001.0)),
    ("larch-44", Some(151_003.0)),
    ("larch-65", Some(211_004.0)),
    ("oak-128s", Some(901_005.0)),
    ("hazel-512", None),
    ("maple-2", None),
    ("spruce-i", None),
];

/// The most bytes that two of the made-up file systems take.
pub(crate) const LIMITS: [(&str, f64); 2] = [("ext4", 4_040.0), ("f2fs", 3_001.0)];

/// All lines of a run of the study `ima` over [`SIGNATURES`].
pub(crate) fn lines() -> Vec<Line> {
    let mut run = run();
    run.command = "fieldtest study ima.toml --seed 7".to_owned();
    let rows: Vec<(&Row<'_>, Option<f64>)> = SIGNATURES
        .iter()
        .filter_map(|(name, kernel)| Some((ALGORITHMS.iter().find(|row| row.0 == *name)?, *kernel)))
        .collect();
    let candidates = rows.iter().map(|(row, _)| Line::Candidate(candidate(row)));
    let records = rows.iter().flat_map(|(row, kernel)| records(row, *kernel)).map(Line::Record);
    [Line::Run(run)].into_iter().chain(candidates).chain(records).collect()
}

fn records(row: &Row<'_>, kernel: Option<f64>) -> Vec<Record> {
    let (name, _, signature, .., [_, sign, verify]) = *row;
    let of = |operation: &str, subject: &str, value: f64, unit: &str| {
        record("ima", name, operation, subject, value, unit)
    };
    let xattr = signature as f64 + 9.0;
    let mut records = vec![
        of("xattr", "", xattr, "bytes"),
        of("rpm-files", "", (33_000_000.0 / xattr).floor(), "count"),
        of("measurement", "kernel memory", xattr + 420.0, "bytes"),
    ];
    for (system, inline) in [("ext4", 0.0), ("ext4, larger inodes", 300.0), ("XFS", 200.0), ("f2fs", 150.0)] {
        let blocks = if xattr <= inline { 0.0 } else { ((xattr + 56.0) / 4_096.0).ceil() };
        let limit = LIMITS.iter().find(|(known, limit)| *known == system && xattr > *limit);
        records.push(match limit {
            Some((_, limit)) => {
                let it = of("storage-limit", system, *limit, "bytes");
                noted(it, &[&format!("a made-up file system refuses {xattr} bytes")])
            }
            None => of("storage", system, blocks * 4_096.0, "bytes"),
        });
    }
    let mut shared = of("storage", "btrfs", xattr * 2.0 + 1.0, "bytes");
    shared.interval = Some([xattr * 2.0, xattr * 3.0]);
    shared.estimator = "estimated".to_owned();
    records.push(shared);
    if let Some(ns) = kernel {
        records.push(published(of("appraise", "Made-up OS 3", ns, "ns"), &["from a made-up laboratory"]));
    }
    if name == "spruce-i" {
        return records;
    }
    for (implementation, factor) in [("fieldtest/avx2", 1.0), ("portable", 2.71)] {
        for (operation, power) in [("sign", sign), ("verify", verify)] {
            let ns = (10f64.powf(power) * factor).round();
            records.push(timed(of(operation, "", ns, "ns"), implementation, "mean"));
            let ratio = of(
                &format!("{operation}-ratio"),
                "against elder-p256 (fieldtest/avx2)",
                ns / 70_000.0,
                "ratio",
            );
            records.push(timed(ratio, implementation, "mean"));
        }
    }
    for (operation, power) in [("sign-tree", sign), ("verify-tree", verify)] {
        for (subject, part) in [("wall", 0.000_171), ("cpu", 0.001)] {
            let seconds = 10f64.powf(power) / 1e6 * part + 0.031;
            let mut it = timed(of(operation, subject, seconds, "s"), "fieldtest/avx2", "median");
            it.input = Some(input("a made-up tree", 20_421_596, 1_234));
            records.push(it);
        }
    }
    records
}
