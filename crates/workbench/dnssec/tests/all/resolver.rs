//! The section on a resolver under load, of made-up records: every result has its place, and the pictures theirs.

use fieldtest_measure::record::{Implementation, Record};
use fieldtest_report::StudySections;
use fieldtest_testing::section::{body, leaves_nothing, report, row, shows_each_alone, table};
use fieldtest_testing::synthetic;
use fieldtest_workbench_dnssec::STUDY_SECTION;
use fieldtest_workbench_dnssec::words::{
    AtLevel, Cost, Counted, Flow, NOT_HELD, Operation, PerQuery, Phase, Probe, Quantile, Signed,
};

use crate::lines;

const STUDY_SECTIONS: StudySections = &[&STUDY_SECTION];

/// A mean of so many repetitions.
fn mean(algorithm: &str, of: (Operation, &str), value: f64, unit: &str) -> Record {
    Record {
        interval: Some([value * 0.9, value * 1.1]),
        estimator: "mean".to_owned(),
        samples: 5,
        ..synthetic::record("dnssec", algorithm, of.0.word(), of.1, value, unit)
    }
}

/// Every result of an algorithm, `slow` times as slow as another.
fn records(algorithm: &str, slow: f64) -> Vec<Record> {
    let record = |operation: Operation, subject: &str, value: f64, unit: &str| {
        mean(algorithm, (operation, subject), value, unit)
    };
    let mut records = vec![
        record(Operation::ResolverMemory, "", 2e7, "bytes"),
        record(Operation::HeldRate, "", 1e4 / slow, "per-second"),
        record(Operation::HeldRate, NOT_HELD, 1.1e4 / slow, "per-second"),
        record(Operation::ConnectionProcessor, "", 1e6, "ns"),
    ];
    for phase in Phase::ALL {
        for quantile in Quantile::ALL.into_iter().filter(|it| it.is_of(phase)) {
            let value = slow * 1e5 / (1.0 - quantile.share()).sqrt();
            records.push(record(Operation::ResolverLatency, &format!("{phase} {quantile}"), value, "ns"));
        }
        records.push(record(Operation::Verifications, phase.word(), 1.5, "count"));
        records.push(record(Operation::Connections, phase.word(), 0.5, "count"));
        records.push(record(Operation::Overflowed, phase.word(), 0.5, "count"));
        for operation in [Operation::ResolverProcessor, Operation::Verifying, Operation::AuthorityProcessor] {
            records.push(record(operation, phase.word(), slow * 5e4, "ns"));
        }
        for operation in [
            Operation::SecureShare,
            Operation::FailedShare,
            Operation::LostShare,
            Operation::VerifyingShare,
            Operation::ResumedShare,
            Operation::ConnectionShare,
        ] {
            records.push(record(operation, phase.word(), 0.5, "share"));
        }
        for flow in Flow::ALL {
            for counted in Counted::ALL {
                let (unit, _) = counted.unit();
                records.push(record(flow.operation(), &format!("{phase} {counted}"), 0.25, unit));
            }
        }
    }
    for level in [Signed::Root, Signed::Tld, Signed::Domain] {
        for told in PerQuery::ALL {
            records.push(record(Operation::AuthorityQuery, &format!("{level} {told}"), 1e4, told.unit()));
        }
    }
    records
}

/// What each level adds to the cost of a query, beside a baseline.
fn levels(algorithm: &str, baseline: &str, times: f64) -> Vec<Record> {
    let record = |algorithm: &str, operation: Operation, at: AtLevel, value: f64, unit: &str| {
        mean(algorithm, (operation, &at.to_string()), value, unit)
    };
    let mut records = Vec::new();
    for cost in Cost::ALL {
        let unit = cost.unit();
        let at = |signed| AtLevel { signed, cost };
        records.push(record(baseline, Operation::LevelCost, at(Signed::All), 1e4, unit));
        for signed in [Signed::Root, Signed::Tld, Signed::Domain] {
            records.push(record(algorithm, Operation::LevelCost, at(signed), 1e4 * times, unit));
            records.push(record(algorithm, Operation::LevelFactor, at(signed), times, "ratio"));
        }
    }
    records
}

#[test]
fn what_each_level_adds() {
    let all = levels("larch-512", "elder-p256", 3.0);
    let lines = lines(&all);
    leaves_nothing(STUDY_SECTIONS, "dnssec", all);
    let factors = table(&report(STUDY_SECTIONS, lines.clone()), "dnssec", "What each level of a chain adds");
    assert!(row(&factors, "larch-512").to_string().contains("root"), "{factors}");
    let page = body(STUDY_SECTIONS, lines);
    assert!(page.contains("one level has the row") && !page.contains("NaN"), "{page}");
}

#[test]
fn the_worst_query_of_each_resolver() {
    let record = |operation: Operation, probe: Probe, value: f64, unit: &str| Record {
        notes: vec![
            "trap: 8 keys with the tag 4711 of 9 that were drawn, × 8 signatures".to_owned(),
            "answered: SERVFAIL, EDE 6".to_owned(),
        ],
        implementation: Some(Implementation::new("Unbound", "1.0")),
        ..mean("larch-512", (operation, probe.word()), value, unit)
    };
    let mut all = Vec::new();
    for probe in Probe::ALL {
        all.push(record(Operation::TrapProcessor, probe, 1e6, "ns"));
        all.push(record(Operation::TrapLatency, probe, 2e6, "ns"));
        all.push(record(Operation::TrapVerifications, probe, 64.0, "count"));
        all.extend(probe.usual().map(|_| record(Operation::TrapFactor, probe, 30.0, "ratio")));
    }
    leaves_nothing(STUDY_SECTIONS, "dnssec", all.clone());
    let title = "One query for keys with one tag (KeyTrap, CVE-2023-50387)";
    let keys = table(&report(STUDY_SECTIONS, lines(&all)), "dnssec", title);
    let row = row(&keys, "larch-512").to_string();
    assert!(row.contains("SERVFAIL, EDE 6") && row.contains("Unbound"), "{row}");
    assert!(keys.to_string().contains("tag 4711"), "{keys}");
}

#[test]
fn projections_stand_beside_their_records() {
    let lines = lines(&records("elder-p256", 1.0));
    for title in ["Projection for a resolver", "Projection for a root server"] {
        let table = table(&report(STUDY_SECTIONS, lines.clone()), "dnssec", title).to_string();
        assert!(table.contains("projection from"), "{table}");
    }
}

#[test]
fn every_result_has_its_place() {
    let all = [records("elder-p256", 1.0), records("larch-512", 3.0)].concat();
    let lines = lines(&all);
    leaves_nothing(STUDY_SECTIONS, "dnssec", all);
    let first = table(&report(STUDY_SECTIONS, lines.clone()), "dnssec", "A resolver under load");
    let row = row(&first, "larch-512");
    assert!(row.to_string().contains("cold p99") && row.to_string().contains("steady, resolver"), "{row}");
    // Where a resolver alone was measured, there is nothing to say of zones.
    let page = body(STUDY_SECTIONS, lines);
    assert!(!page.contains("Key results"));
    for picture in ["How long a resolver takes", "algorithm by algorithm"] {
        assert!(page.contains(picture), "{picture}");
    }
    assert!(!page.contains("NaN"));
}

#[test]
fn each_alone() {
    let results = [
        ("resolver-latency", "cold p50", 1e6, "ns", "cold p50"),
        ("resolver-latency", "steady p99.9", 0.0, "ns", "steady p99.9"),
        ("resolver-upstream", "cold truncated", 1.0, "share", "truncated"),
        ("resolver-memory", "", 1e7, "bytes", "memory"),
        ("resolver-latency", "tepid p50", 1.0, "ns", "tepid p50"),
    ];
    shows_each_alone(STUDY_SECTIONS, "dnssec", &results);
}
