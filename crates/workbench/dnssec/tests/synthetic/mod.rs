//! The study of DNSSEC over the signatures that do not exist.

use fieldtest_measure::record::{Line, Part, Record};
use fieldtest_testing::synthetic::{self, ALGORITHMS, Row, input, record, timed};

/// All lines of a run of the studies `speed` and `dnssec` over [`ALGORITHMS`].
pub(crate) fn lines() -> Vec<Line> {
    let (mut lines, speed): (Vec<_>, Vec<_>) =
        synthetic::lines().into_iter().partition(|line| !matches!(line, Line::Record(_)));
    lines.extend(ALGORITHMS.iter().flat_map(records).map(Line::Record));
    lines.extend(speed);
    lines
}

fn records(row: &Row<'_>) -> Vec<Record> {
    let (name, p, s, .., [keygen, sign, verify]) = *row;
    let (p, s) = (p as f64, s as f64);
    let exact = |operation: &str, subject: &str, value: f64, unit: &str| {
        record("dnssec", name, operation, subject, value, unit)
    };
    let mut records =
        vec![timed(exact("keygen", "", 10f64.powf(keygen).round(), "cycles"), "fieldtest/avx2", "mean")];
    for (operation, power, overhead) in [("sign-zone", sign, 0.09), ("validate-zone", verify, 0.07)] {
        let processor = 2_800.0 * 10f64.powf(power) / 1e9;
        for (subject, seconds) in [("wall", overhead + processor / 6.0), ("cpu", overhead + processor)] {
            let slow = seconds > 20.0;
            let mut it = exact(operation, subject, seconds, "s");
            it = timed(it, "fieldtest/avx2", if slow { "extrapolated" } else { "mean" });
            it.part = slow.then_some(Part { measured: 120, of: 2_800, smaller: None });
            it.input = Some(input("made-up.zone", 1_000_000, 2_800));
            records.push(it);
        }
    }
    records.push(exact("signatures", "", 2_800.0, "count"));
    records.push(exact("zone-size", "raw", 1_000_000.0 + 2_800.0 * s + 2.0 * p, "bytes"));
    records.push(exact("zone-size", "text", 1_700_000.0 + 2_800.0 * (s * 4.0 / 3.0) + 2.0 * p, "bytes"));
    records.push(exact("zone-size", "axfr", 1_300_000.0 + 2_800.0 * s + 2.0 * p, "bytes"));
    let mut messages = vec![
        ("soa".to_owned(), 131.0 + s),
        ("dnskey steady".to_owned(), 88.0 + 2.0 * p + s),
        ("dnskey roll".to_owned(), 133.0 + 3.0 * p + 2.0 * s),
        ("dnskey double-signed".to_owned(), 118.0 + 2.0 * p + 2.0 * s),
        ("referral median".to_owned(), 480.0 + s),
        ("referral max".to_owned(), 919.0 + s),
        ("priming".to_owned(), 841.0 + s),
    ];
    for (denial, signatures) in [("nsec", [2.0, 3.0]), ("nsec3", [3.0, 4.0]), ("compact", [2.0, 2.0])] {
        messages.push((format!("nodata {denial}"), 186.0 + signatures[0] * s));
        messages.push((format!("nxdomain best {denial}"), 188.0 + signatures[0] * s));
        messages.push((format!("nxdomain typical {denial}"), 260.0 + signatures[1] * s));
        messages.push((format!("nxdomain worst {denial}"), 330.0 + signatures[1] * s));
    }
    records.extend(
        messages.iter().map(|(subject, bytes)| exact("message-size", subject, bytes.round(), "bytes")),
    );
    let share = (s / 3_000.0).min(0.68);
    for (operation, subject, value, unit) in [
        ("share-over", "referral 1232", (s / 2_500.0).min(1.0), "share"),
        ("share-over", "referral 1452", (s / 4_000.0).min(1.0), "share"),
        ("tc-share", "", share, "share"),
        ("tcp-queries", "", 4.0e8 + share * 9.0e9, "per-day"),
    ] {
        let mut it = exact(operation, subject, value, unit);
        it.estimator = "projected".to_owned();
        records.push(it);
    }
    records.push(exact("made-up-operation", "something else", 42.0, "bytes"));
    records
}
