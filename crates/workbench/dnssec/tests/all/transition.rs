//! The sections on zones in transition, of made-up records.

use fieldtest_dns_internet::downgrade::{Attack, Verdict};
use fieldtest_dns_internet::rekey::roll::{Procedure, Roll, Wrong};
use fieldtest_measure::record::{Implementation, Input, Record};
use fieldtest_report::StudySections;
use fieldtest_testing::section::{body, leaves_nothing, report, shows_each_alone, table};
use fieldtest_testing::synthetic;
use fieldtest_workbench_dnssec::STUDY_SECTION;
use fieldtest_workbench_dnssec::words::{Denial, Operation, Stage};

use crate::lines;

const STUDY_SECTIONS: StudySections = &[&STUDY_SECTION];

/// What a resolver made of every attack: of one of its answers this, of the others something else.
fn downgrades(resolver: &str, verdicts: &[(Verdict, f64)]) -> Vec<Record> {
    let of = |attack: Attack| {
        verdicts.iter().map(move |(verdict, share)| Record {
            implementation: Some(Implementation::new(resolver, "1")),
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
    leaves_nothing(STUDY_SECTIONS, "dnssec", records.clone());
    let report = report(STUDY_SECTIONS, lines(&records));
    let title = format!("What stripping {} does", report.title("larch-512"));
    let found = table(&report, "dnssec", &title);
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), Attack::ALL.len());
    assert!(
        rows[0].to_string().contains("secure") && rows[0].to_string().contains("25 % insecure, 75 % bogus")
    );
    for (attack, row) in Attack::ALL.iter().zip(rows) {
        let of_parent = attack.forges() && *attack != Attack::StrongKeys;
        assert_eq!(row.to_string().contains("TLD key"), of_parent, "{attack:?}");
    }
    assert!(!body(STUDY_SECTIONS, lines(&records)).contains("Key results"));
}

/// Records may come from anywhere: what they say that they are of begins with any letter.
#[test]
fn an_input_may_begin_with_any_letter() {
    let mut records = downgrades("Elm", &[(Verdict::Secure, 1.0)]);
    for record in &mut records {
        let name = "école".to_owned();
        record.input = Some(Input { name, sha256: "0".repeat(64), bytes: 6, items: 1 });
    }
    assert!(body(STUDY_SECTIONS, lines(&records)).contains("école."));
}

/// Everything that is seen of a roll, two seconds of each step.
fn rolled(procedure: Procedure, denial: Denial) -> Vec<Record> {
    let of = |operation: Operation, stage: Stage, value: f64, unit: &str| {
        synthetic::record("dnssec", "larch-512", operation.word(), &stage.to_string(), value, unit)
    };
    let step = |(step, it): (usize, &fieldtest_dns_internet::rekey::roll::Step)| {
        let stage = Stage { procedure, step, phase: it.phase, denial, at: None };
        let second = |at: usize| {
            let stage = Stage { at: Some((2 * step + at) as f64), ..stage };
            [
                of(Operation::RekeyUnanswered, stage, 0.5, "share"),
                of(Operation::RekeyUpstream, stage, 0.1, "count"),
            ]
        };
        let mut records = vec![
            of(Operation::RekeyBegins, stage, 2.0 * step as f64, "s"),
            of(Operation::RekeyKeys, stage, 5_000.0, "bytes"),
            of(Operation::RekeyWhole, stage, 100_000.0, "bytes"),
            of(Operation::RekeyDifference, stage, 10_000.0, "bytes"),
            of(Operation::RekeySignatures, stage, 46.0, "count"),
            of(Operation::RekeyUpstream, stage, 0.1, "count"),
        ];
        for operation in
            [Operation::RekeyTruncated, Operation::RekeySecure, Operation::RekeyFailed, Operation::RekeyLost]
        {
            records.push(of(operation, stage, 0.5, "share"));
        }
        records.extend((0..2).flat_map(second));
        records
    };
    procedure.steps().iter().enumerate().flat_map(step).collect()
}

#[test]
fn a_row_for_each_step_and_a_picture() {
    for roll in Roll::ALL {
        for wrong in [None, Some(Wrong::Removed)] {
            let procedure = Procedure { roll, wrong };
            let records = [Denial::Nsec, Denial::Nsec3].map(|denial| rolled(procedure, denial)).concat();
            leaves_nothing(STUDY_SECTIONS, "dnssec", records.clone());
            let page = body(STUDY_SECTIONS, lines(&records));
            assert!(page.contains("NSEC3"), "{page}");
            assert!(page.contains("Keys replaced, second by second") && !page.contains("NaN"));
            assert!(page.contains(&procedure.to_string()) && !page.contains("Key results"));
        }
    }
}

#[test]
fn each_alone() {
    let results = [
        ("downgrade", "strong-ds bogus", 1.0, "share", "bogus"),
        ("downgrade", "another-way bogus", 1.0, "share", "another-way"),
        ("rekey-unanswered", "zsk-pre-publication 1 new-dnskey 0.5", 1.0, "share", "new-dnskey"),
        ("rekey-servfail", "zsk-pre-publication 1 new-dnskey", 1.0, "share", "SERVFAIL"),
        ("rekey-servfail", "another-way 1 new-dnskey", 1.0, "share", "another-way"),
    ];
    shows_each_alone(STUDY_SECTIONS, "dnssec", &results);
}
