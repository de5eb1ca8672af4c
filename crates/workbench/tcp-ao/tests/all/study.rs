//! The TCP-AO study on a small plan: every result that is promised is there, and looks like one.

use std::collections::BTreeSet;

use fieldtest_catalog::mac;
use fieldtest_measure::record::{OWN, Record};
use fieldtest_study::Part as _;
use fieldtest_testing::study::{assert_words_of_schema, has, study, study_until};
use fieldtest_workbench_tcp_ao::TcpAoPart;

const LENGTHS: [usize; 3] = [83, 144, 172];
const BATCH: usize = 32;

/// Two lengths over IPv4 and one over IPv6.
fn part(algorithms: &[&str]) -> TcpAoPart {
    TcpAoPart {
        capture: None,
        ipv4: vec![144, 83],
        ipv6: vec![172],
        batch: BATCH,
        algorithms: algorithms.iter().map(|name| name.to_string()).collect(),
        implementations: Vec::new(),
    }
}

fn records(algorithms: &[&str]) -> Vec<Record> {
    study(false, &part(algorithms))
}

/// The result of an algorithm that follows from its tag, or is published.
fn exact(records: &[Record], algorithm: &str, operation: &str, subject: &str) -> f64 {
    let found = records.iter().find(|r| {
        (r.algorithm.as_str(), r.operation.as_str(), r.subject.as_str()) == (algorithm, operation, subject)
    });
    let record = found.unwrap_or_else(|| panic!("no {operation} {subject} of {algorithm}"));
    assert!(
        record.implementation.is_none() && record.samples == 0 && record.interval.is_none(),
        "{record:?}"
    );
    record.value
}

#[test]
fn every_implementation_has_every_result() {
    let names = ["aes-128-cmac-96", "tcp-md5"];
    let records = records(&names);
    assert_words_of_schema(&records);
    let of = |algorithm: &str, implementation: &str, operation: &str, subject: &str| {
        let found = records.iter().find(|r| {
            r.algorithm == algorithm
                && r.implementation.as_ref().is_some_and(|it| it.name == implementation)
                && (r.operation.as_str(), r.subject.as_str()) == (operation, subject)
        });
        found.unwrap_or_else(|| panic!("no {operation} {subject} of {algorithm} by {implementation}"))
    };
    for algorithm in names {
        let all = &mac::find(algorithm).expect("in the catalog").implementations;
        for implementation in all.iter().filter(|it| it.is_usual()).map(|it| it.name) {
            for length in LENGTHS {
                let [single, batched] = ["single", "batched"]
                    .map(|way| of(algorithm, implementation, "segment", &format!("{length} {way}")));
                // Both are for one segment.
                assert!(batched.value < single.value * 8.0, "{batched:?} {single:?}");
                let input = |version: u8| format!("{length} bytes of MAC input over IPv{version}, seed 1");
                let name = single.input.as_ref().map(|input| input.name.as_str()).unwrap_or_default();
                assert!(name.contains(&input(if length == 172 { 6 } else { 4 })), "{name}");
            }
            of(algorithm, implementation, "segment-unprepared", "144");
            of(algorithm, implementation, "derive", "");
            of(algorithm, implementation, "prepare", "");
        }
    }
    for record in records.iter().filter(|record| record.implementation.is_some()) {
        assert_eq!(record.study, "tcp-ao");
        assert!(record.samples > 0 && record.estimator == "median", "{record:?}");
        assert!(record.proof.is_some(), "{record:?}");
        assert!(record.input.as_ref().is_some_and(|input| input.items == BATCH as u64), "{record:?}");
        assert!(
            record.interval.is_none_or(|[low, high]| low <= record.value && record.value <= high),
            "{record:?}"
        );
        let (least, most) = match record.unit.as_str() {
            "ratio" => (0.01, 1000.0),
            // Deriving a key that is the master key is little more than a copy.
            "cycles" | "ns" => (1.0, 1e6),
            other => panic!("{other} in {record:?}"),
        };
        assert!((least..most).contains(&record.value), "{record:?}");
        assert_eq!(record.operation.ends_with("-lead"), record.unit == "ratio", "{record:?}");
    }
    // One row of data for each length, whatever works on it.
    let inputs: BTreeSet<_> = records.iter().filter_map(|r| Some(&r.input.as_ref()?.sha256)).collect();
    assert_eq!(inputs.len(), LENGTHS.len());
}

#[test]
fn ours_is_compared_with_the_best_other() {
    let records = records(&["aes-128-cmac-96"]);
    let leads: Vec<_> = records.iter().filter(|record| record.operation == "segment-lead").collect();
    // None is made of an uncontended and a contended result, and what the machine does meanwhile is not known.
    assert!((1..=2 * LENGTHS.len()).contains(&leads.len()), "{}", leads.len());
    for lead in leads {
        let (what, rival) = lead.subject.split_once(" over ").expect("against whom");
        assert!(has(&records, "aes-128-cmac-96", "segment", what), "{lead:?}");
        assert!(!rival.starts_with(OWN), "{lead:?}");
        let rival =
            mac::find("aes-128-cmac-96").expect("in the catalog").implementation(rival).map(|it| it.name);
        assert!(rival.is_ok(), "{lead:?}");
    }
}

#[test]
fn the_option_space_follows_from_the_tag() {
    // HMAC-MD5 has no implementation, and a tag.
    let records = records(&["aes-128-cmac-96", "tcp-md5", "hmac-sha256-128", "hmac-md5-96"]);
    for (algorithm, option, syn, [with, without], payload) in [
        ("aes-128-cmac-96", 16.0, 36.0, [1.0, 2.0], 1432.0),
        ("hmac-md5-96", 16.0, 36.0, [1.0, 2.0], 1432.0),
        ("hmac-sha256-128", 20.0, 40.0, [0.0, 2.0], 1428.0),
        // Its option of 18 bytes is filled up to 20.
        ("tcp-md5", 20.0, 40.0, [0.0, 2.0], 1428.0),
    ] {
        let exact = |operation, subject| exact(&records, algorithm, operation, subject);
        assert_eq!(exact("option", ""), option, "{algorithm}");
        assert_eq!(exact("options-of-full-syn", ""), syn, "{algorithm}");
        assert_eq!(exact("sack-blocks", "with timestamps"), with, "{algorithm}");
        assert_eq!(exact("sack-blocks", "without timestamps"), without, "{algorithm}");
        assert_eq!(exact("payload", "MTU 1500, IPv4, timestamps"), payload, "{algorithm}");
    }
    assert!(!has(&records, "hmac-md5-96", "segment", "144 single"));
}

#[test]
fn published_results_say_whose_they_are() {
    let records = records(&["aes-128-cmac-96", "tcp-md5"]);
    let published: Vec<_> = records.iter().filter(|r| r.operation == "segment-published").collect();
    assert_eq!(published.len(), 2);
    for record in published {
        assert_eq!((record.estimator.as_str(), record.unit.as_str()), ("published", "cycles"));
        assert!(record.notes.iter().any(|note| note.contains("netdev, 27 April 2026")), "{record:?}");
        assert!(record.input.is_none() && record.proof.is_none(), "{record:?}");
    }
    assert_eq!(exact(&records, "aes-128-cmac-96", "segment-published", "144 Linux before 7.2"), 2720.0);
    assert_eq!(exact(&records, "aes-128-cmac-96", "segment-published", "144 Linux 7.2"), 1107.0);
}

#[test]
fn an_interrupted_study_keeps_what_it_has() {
    let run = |point| study_until(Some(point), &part(&["aes-128-cmac-96"]));
    let records = run("");
    assert!(has(&records, "aes-128-cmac-96", "option", ""));
    assert!(!has(&records, "aes-128-cmac-96", "segment", "83 single"));
    let records = run("segment 144 single");
    for way in ["83 single", "83 batched"] {
        assert!(has(&records, "aes-128-cmac-96", "segment", way), "{way}");
    }
    assert!(!has(&records, "aes-128-cmac-96", "segment", "144 batched"));
    assert!(!has(&records, "aes-128-cmac-96", "derive", ""));
    assert_words_of_schema(&records);
}

#[test]
fn plans_that_cannot_be_are_refused() {
    let refused = |mut plan: TcpAoPart, words: &[&str]| {
        let error = plan.settle().expect_err("accepted").to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    let small = || part(&["tcp-md5"]);
    refused(TcpAoPart { ipv4: vec![144, 75], ..small() }, &["ipv4 '75'", " 76 to 60000"]);
    refused(TcpAoPart { ipv6: vec![103], ..small() }, &["ipv6 '103'", " 104 to 60000"]);
    refused(TcpAoPart { ipv4: vec![usize::MAX], ..small() }, &[" 76 to 60000"]);
    refused(TcpAoPart { ipv4: vec![172], ..small() }, &["'172'", "twice"]);
    refused(TcpAoPart { ipv4: vec![], ipv6: vec![], ..small() }, &["no length"]);
    refused(TcpAoPart { batch: 0, ..small() }, &["batch '0'", " 1 to 1024"]);
    refused(TcpAoPart { batch: 1025, ..small() }, &["batch '1025'"]);
    refused(part(&["tcp-md6"]), &["did you mean 'tcp-md5'?"]);
    // What is refused at the edge is possible beside it.
    for plan in [
        TcpAoPart { ipv4: vec![76, 60_000], ipv6: vec![104], batch: 1, ..small() },
        TcpAoPart { ipv4: vec![], batch: 1024, ..small() },
    ] {
        let records = study(false, &plan);
        assert!(has(&records, "tcp-md5", "derive", ""));
    }
}
