//! Whole studies on small data: every result that is promised is there, and every line is of the published format.

#![allow(clippy::print_stderr)] // a test that is skipped says so

use std::sync::atomic::AtomicBool;

use fieldtest_catalog::kind::Signature;
use fieldtest_measure::record::Record;
use fieldtest_study::{Choice, StudyError, selection, speed};
use fieldtest_testing::section::{leaves_nothing, report, row, table};
use fieldtest_testing::study::{assert_words_of_schema, has, study, study_by, undisturbed};
use fieldtest_workbench_dnssec::{DnssecPart, STUDY_SECTION};
use tempfile::TempDir;

use crate::lines;

fn part(algorithms: &[&str]) -> DnssecPart {
    DnssecPart {
        delegations: 60,
        algorithms: algorithms.iter().map(|name| name.to_string()).collect(),
        ..DnssecPart::default()
    }
}

#[test]
fn dnssec_has_every_result() {
    let names =
        ["ecdsa-p256", "ml-dsa-44", "slh-dsa-sha2-128s", "antrag-512-published", "uov-is-pkc", "uov-ip-pkc"];
    let records = study(false, &part(&names));
    for algorithm in ["ecdsa-p256", "ml-dsa-44", "slh-dsa-sha2-128s"] {
        for operation in ["keygen", "prepare-sign", "sign", "prepare-verify", "verify", "signatures"] {
            assert!(has(&records, algorithm, operation, ""), "{algorithm} {operation}");
        }
        for operation in
            ["sign-zone", "validate-zone"].into_iter().filter(|_| algorithm != "slh-dsa-sha2-128s")
        {
            for time in ["wall", "cpu"] {
                undisturbed(&records, algorithm, operation, time);
            }
        }
    }
    for algorithm in ["ecdsa-p256", "ml-dsa-44", "antrag-512-published"] {
        for subject in ["soa", "dnskey steady", "nodata nsec", "nxdomain worst nsec3", "referral max compact"]
        {
            assert!(has(&records, algorithm, "message-size", subject), "{algorithm} {subject}");
        }
        assert!(has(&records, algorithm, "tc-share", "") && has(&records, algorithm, "zone-size", "raw"));
    }
    assert!(
        has(&records, "uov-is-pkc", "unfit", "dnskey") && !has(&records, "uov-is-pkc", "zone-size", "raw")
    );
    assert!(has(&records, "uov-ip-pkc", "unfit", "dnskey steady"));

    // A second is not enough for thirty signatures of a third of a second each: there is no result, and a record says so.
    assert!(!has(&records, "slh-dsa-sha2-128s", "sign-zone", "wall"));
    for operation in ["sign-zone", "validate-zone"] {
        assert!(has(&records, "slh-dsa-sha2-128s", "unmeasured", operation), "{operation}");
    }
    // Nor is a cell of the overview empty where a result is missing.
    let overview = table(&report(&[&STUDY_SECTION], lines(&records)), "dnssec", "Key results");
    for column in ["signing rate", "sign zone", "validate zone"] {
        let cell = &row(&overview, "slh-dsa-sha2-128s")[format!("{column} mark")];
        assert!(cell.is_string(), "{column}: {overview}");
    }
    // What stands for more than was measured says so, with both numbers of items.
    for record in records.iter().filter(|record| record.unit == "s") {
        assert_eq!(record.estimator == "extrapolated", record.part.is_some(), "{record:?}");
        assert!(
            record
                .part
                .is_none_or(|it| it.measured >= 30 && it.measured <= it.of && it.smaller < Some(it.measured))
        );
        assert_eq!(record.samples >= 3, record.interval.is_some(), "{record:?}");
    }
    for record in records.iter().filter(|record| record.implementation.is_some()) {
        assert!(record.proof.is_some() && record.input.is_some(), "{record:?}");
    }
}

/// The whole job reads the zone again, and finds what it includes beside it.
#[test]
fn a_zone_may_include_files() {
    let directory = TempDir::new().expect("a directory");
    let zone = directory.path().join("zone");
    std::fs::write(&zone, "example. 60 IN SOA a. b. 1 2 3 4 5\n$INCLUDE rest\n").expect("written");
    std::fs::write(directory.path().join("rest"), "example. 60 IN NS a.\n").expect("written");
    let records = study(false, &DnssecPart { zone: Some(zone), ..part(&["ed25519"]) });
    undisturbed(&records, "ed25519", "sign-zone", "wall");
}

/// What the zone is there for is sized as well.
#[test]
fn a_zones_own_rrsets_are_sized() {
    let directory = TempDir::new().expect("a directory");
    let zone = directory.path().join("zone");
    let text = "t".repeat(250);
    let records = format!("big 60 IN TXT {}\n*.w 60 IN A 192.0.2.1\n", [&*text; 5].join(" "));
    std::fs::write(&zone, format!("$ORIGIN x.\n@ 60 IN SOA a. b. 1 2 3 4 5\n@ 60 IN NS a.\n{records}"))
        .expect("written");
    let records = study(true, &DnssecPart { zone: Some(zone), ..part(&["sqisign-1", "ed25519"]) });
    let of = |operation: &str, subject: &str| {
        let is_meant =
            |it: &&Record| it.algorithm == "sqisign-1" && it.operation == operation && it.subject == subject;
        records.iter().find(is_meant).unwrap_or_else(|| panic!("{operation} {subject}")).value
    };
    // With the proof for the wildcard, which depends on the way of denial; one of the two answers is over 1232 octets.
    assert!(of("message-size", "own max nsec") > 1400.0);
    assert_eq!(of("message-size", "own max nsec"), of("message-size", "own p99 compact"));
    assert!(of("message-size", "own median compact") < of("message-size", "own median nsec3"));
    assert_eq!((of("share-over", "own 512"), of("share-over", "own 1232")), (1.0, 0.5));
}

/// BIND's signer signs the same zone with keys of ours, its signatures are validated, and the chapter has a place for what it took.
#[test]
fn the_servers_own_signer_stands_beside_ours() {
    const SIGNER: &str = "/usr/bin/dnssec-signzone";
    if !std::path::Path::new(SIGNER).exists() {
        let required = std::env::var_os("FIELDTEST_PEERS").is_some_and(|wanted| wanted == "required");
        assert!(!required, "{SIGNER} is missing, and FIELDTEST_PEERS=required demands it");
        eprintln!("SKIPPED: {SIGNER} is missing: apt-get install bind9-utils");
        return;
    }
    let part = DnssecPart { signer: Some(SIGNER.into()), ..part(&["ed25519", "falcon-512"]) };
    let mut records = study(false, &part);
    let is_of_signer =
        |record: &Record| record.implementation.as_ref().is_some_and(|it| it.name == "dnssec-signzone");
    records.retain(is_of_signer);
    for time in ["wall", "cpu"] {
        assert!(has(&records, "ed25519", "server-sign-zone", time), "{time}");
    }
    // The one that is installed does not know it.
    let refused = records.iter().find(|record| record.algorithm == "falcon-512").expect("a record");
    assert_eq!((refused.operation.as_str(), refused.subject.as_str()), ("unmeasured", "server-sign-zone"));
    // The table has the reason, and no longer time would help.
    let reason = refused.notes.join(", ");
    let found = table(&report(&[&STUDY_SECTION], lines(&records)), "dnssec", "The server's own signer");
    let notes = found["notes"].as_array().expect("notes");
    assert!(notes.iter().any(|note| note.as_str().is_some_and(|note| note.contains(&reason))), "{found}");
    leaves_nothing(&[&STUDY_SECTION], "dnssec", records);
}

#[test]
fn records_use_the_words_of_the_schema() {
    let records = study(false, &part(&["ed25519", "ecdsa-p256"]));
    assert!(records.len() > 50);
    assert_words_of_schema(&records);
}

#[test]
fn speed_compares_with_the_baseline() {
    let algorithms = selection::algorithms(&["ed25519".into(), "ecdsa-p256".into()]).expect("in the catalog");
    let subjects = selection::prove(
        &algorithms,
        &Choice::Named(vec!["aws-lc".into()]),
        &AtomicBool::new(false),
        &mut |_| (),
        &mut Vec::new(),
    )
    .expect("proven");
    let records = study_by(None, None, |bench, writer| speed::run(bench, writer, &subjects, "ed25519"));
    // None is made of an uncontended and a contended result, and what the machine does meanwhile is not known.
    let ratio = records.iter().find(|r| r.operation.ends_with("-ratio")).expect("a ratio");
    assert_eq!(
        (ratio.algorithm.as_str(), ratio.subject.as_str()),
        ("ecdsa-p256", "against ed25519 (aws-lc)")
    );
    assert!(ratio.value > 0.0);
}

#[test]
fn an_interrupted_study_keeps_what_it_has() {
    let records = study(true, &part(&["ed25519"]));
    assert!(has(&records, "ed25519", "message-size", "soa"));
    assert!(!has(&records, "ed25519", "sign-zone", "wall"));
}

#[test]
fn what_cannot_be_studied_is_refused() {
    let refused = |result: Result<_, StudyError>| match result {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    assert!(refused(selection::algorithms::<Signature>(&["ed2551".into()])).contains("ed25519"));
    let sizes_only = selection::algorithms::<Signature>(&["uov-is-pkc".into()]).expect("in the catalog");
    assert!(
        refused(
            selection::prove(
                &sizes_only,
                &Choice::All,
                &AtomicBool::new(false),
                &mut |_| (),
                &mut Vec::new()
            )
            .map(|_| vec![])
        )
        .contains("list")
    );
}
