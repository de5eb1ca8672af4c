//! The section on a resolver under load, of made-up records: every figure has its place, and the pictures theirs.

use fieldtest_measure::record::{Line, Record};
use fieldtest_report::Chapter;
use fieldtest_testing::section::{body, leaves_nothing, report, row, shows_each_alone, table};
use fieldtest_testing::synthetic;
use fieldtest_workbench_dnssec::DnssecChapter;
use fieldtest_workbench_dnssec::words::{Counted, Flow, Operation, Phase, Quantile};

const CHAPTER: &[&dyn Chapter] = &[&DnssecChapter];

/// Every figure of an algorithm, `slow` times as slow as another.
fn records(algorithm: &str, slow: f64) -> Vec<Record> {
    let record = |operation: Operation, subject: &str, value: f64, unit: &str| Record {
        interval: Some([value * 0.9, value * 1.1]),
        estimator: "mean".to_owned(),
        samples: 5,
        ..synthetic::record("dnssec", algorithm, operation.word(), subject, value, unit)
    };
    let mut records = vec![
        record(Operation::ResolverMemory, "", 2e7, "bytes"),
        record(Operation::HeldRate, "", 1e4 / slow, "per-second"),
    ];
    for phase in Phase::ALL {
        for quantile in Quantile::ALL.into_iter().filter(|it| it.is_of(phase)) {
            let value = slow * 1e5 / (1.0 - quantile.share()).sqrt();
            records.push(record(Operation::ResolverLatency, &format!("{phase} {quantile}"), value, "ns"));
        }
        records.push(record(Operation::Verifications, phase.word(), 1.5, "count"));
        for operation in [Operation::ResolverProcessor, Operation::Verifying, Operation::AuthorityProcessor] {
            records.push(record(operation, phase.word(), slow * 5e4, "ns"));
        }
        for operation in [Operation::SecureShare, Operation::FailedShare, Operation::LostShare] {
            records.push(record(operation, phase.word(), 0.5, "share"));
        }
        for flow in Flow::ALL {
            for counted in Counted::ALL {
                let (unit, _) = counted.unit();
                records.push(record(flow.operation(), &format!("{phase} {counted}"), 0.25, unit));
            }
        }
    }
    records
}

#[test]
fn every_figure_has_its_place() {
    let all = [records("elder-p256", 1.0), records("larch-512", 3.0)].concat();
    leaves_nothing(CHAPTER, "dnssec", all.clone());
    let lines: Vec<Line> =
        std::iter::once(Line::Run(synthetic::run())).chain(all.into_iter().map(Line::Record)).collect();
    let first = table(&report(CHAPTER, lines.clone()), "dnssec", "A resolver under load");
    let row = row(&first, "larch-512");
    assert!(row.to_string().contains("cold p99") && row.to_string().contains("steady, resolver"), "{row}");
    // Where a resolver alone was measured, there is nothing to say of zones.
    let page = body(CHAPTER, lines);
    assert!(!page.contains("What decides"));
    for picture in ["How long a resolver takes", "algorithm by algorithm"] {
        assert!(page.contains(picture), "{picture}");
    }
    assert!(!page.contains("NaN"));
}

#[test]
fn each_alone() {
    let figures = [
        ("resolver-latency", "cold p50", 1e6, "ns", "cold p50"),
        ("resolver-latency", "steady p99.9", 0.0, "ns", "steady p99.9"),
        ("resolver-upstream", "cold truncated", 1.0, "share", "truncated"),
        ("resolver-memory", "", 1e7, "bytes", "memory"),
        ("resolver-latency", "tepid p50", 1.0, "ns", "tepid p50"),
    ];
    shows_each_alone(CHAPTER, "dnssec", &figures);
}
