//! The sections on zones in transition, of made-up records.

use fieldtest_dns_internet::downgrade::{Attack, Verdict};
use fieldtest_measure::record::{Implementation, Line, Record};
use fieldtest_report::Chapter;
use fieldtest_testing::section::{body, leaves_nothing, report, shows_each_alone, table};
use fieldtest_testing::synthetic;
use fieldtest_workbench_dnssec::DnssecChapter;
use fieldtest_workbench_dnssec::words::Operation;

const CHAPTER: &[&dyn Chapter] = &[&DnssecChapter];

fn lines(records: Vec<Record>) -> Vec<Line> {
    std::iter::once(Line::Run(synthetic::run())).chain(records.into_iter().map(Line::Record)).collect()
}

/// What a resolver made of every attack: of one of its answers this, of the others something else.
fn downgrades(resolver: &str, verdicts: &[(Verdict, f64)]) -> Vec<Record> {
    let of = |attack: Attack| {
        verdicts.iter().map(move |(verdict, share)| Record {
            implementation: Some(Implementation {
                name: resolver.to_owned(),
                version: "1".to_owned(),
                experiment: None,
            }),
            ..synthetic::record(
                "dnssec",
                "larch-512",
                Operation::Downgrade.word(),
                &format!("{} {verdict}", attack.word()),
                *share,
                "share",
            )
        })
    };
    Attack::ALL.into_iter().flat_map(of).collect()
}

#[test]
fn a_row_for_each_attack_and_a_column_for_each_resolver() {
    let records = [
        downgrades("Elm", &[(Verdict::Secure, 1.0)]),
        downgrades("Oak", &[(Verdict::Insecure, 0.25), (Verdict::Bogus, 0.75)]),
    ]
    .concat();
    leaves_nothing(CHAPTER, "dnssec", records.clone());
    let report = report(CHAPTER, lines(records.clone()));
    let title = format!("What stripping {} does", report.title("larch-512"));
    let found = table(&report, "dnssec", &title);
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), Attack::ALL.len());
    assert!(
        rows[0].to_string().contains("secure") && rows[0].to_string().contains("25 % insecure, 75 % bogus")
    );
    assert!(!body(CHAPTER, lines(records)).contains("What decides"));
}

#[test]
fn each_alone() {
    let figures = [
        ("downgrade", "strong-ds bogus", 1.0, "share", "bogus"),
        ("downgrade", "another-way bogus", 1.0, "share", "another-way"),
    ];
    shows_each_alone(CHAPTER, "dnssec", &figures);
}
