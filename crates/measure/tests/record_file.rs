//! Records files: what is written is read back, and what is wrong is named by its line.

use fieldtest_measure::{
    record::{
        Calibrated, Candidate, Elapsed, Host, Implementation, Input, KatResult, Line, Part, Record, Run,
        SCHEMA, SecurityNote, Shared,
    },
    record_file::{Error, load, read_lines, write_lines},
};
use proptest::prelude::*;

fn run() -> Line {
    Line::Run(Run {
        schema: SCHEMA.into(),
        version: "0.1.0".into(),
        started: "2026-01-02T03:04:05Z".into(),
        command: "fieldtest study \"my zone\"".into(),
        seed: u64::MAX,
        host: Host {
            id: "0123456789ab".into(),
            cpu: "A processor".into(),
            cores: 8,
            features: vec!["avx2".into()],
            kernel: "Linux 6.12".into(),
            system: "Debian".into(),
            compiler: "rustc".into(),
            counter: "cycles".into(),
            extensions: None,
        },
        verdict: "quiet".into(),
        findings: vec!["A finding.".into()],
        calibration: Some(Calibrated {
            made: "2026-01-02T03:04:05Z".into(),
            coverage: 0.8,
            widening: 1.2,
            layout: 0.02,
        }),
    })
}

fn candidate() -> Line {
    Line::Candidate(Candidate {
        algorithm: "ml-dsa-44".into(),
        title: "ML-DSA-44".into(),
        kind: "signature".into(),
        level: Some(2),
        strength: Some(128),
        post_quantum: Some(true),
        hardness: "module lattices".into(),
        standard: "FIPS 204".into(),
        status: "standard".into(),
        standings: vec![("dnssec".into(), "standard (RFC 6605)".into())],
        sizes: vec![("signature".into(), 2420)],
        notes: vec![SecurityNote {
            date: "2026-01".into(),
            severity: "info".into(),
            text: "ä \u{2028} \n".into(),
            source: "x".into(),
        }],
    })
}

fn record(value: f64, interval: Option<[f64; 2]>) -> Record {
    Record {
        study: "speed".into(),
        algorithm: "ml-dsa-44".into(),
        implementation: Some(Implementation {
            experiment: Some("a reason".into()),
            ..Implementation::new("aws-lc", "1.19")
        }),
        operation: "sign".into(),
        subject: String::new(),
        value,
        unit: "cycles".into(),
        interval,
        estimator: "mean".into(),
        samples: 400,
        shared: Some(Shared { value: value / 2.0, interval, samples: 7 }),
        contention: Some(1.25),
        elapsed: Some(Elapsed { mean: 2.5, deviation: Some(0.5) }),
        proof: Some(KatResult { vectors: 15, origins: vec!["ACVP".into()] }),
        input: Some(Input { name: "messages".into(), sha256: "00".into(), bytes: 1, items: 2 }),
        part: Some(Part { measured: 1, of: 2, smaller: Some(1) }),
        notes: vec!["a note".into()],
    }
}

fn write(lines: &[Line]) -> String {
    let mut bytes = Vec::new();
    write_lines(&mut bytes, lines).expect("memory can be written");
    String::from_utf8(bytes).expect("JSON is text")
}

fn error(text: &str) -> String {
    read_lines(text.as_bytes()).expect_err("something is wrong").to_string()
}

#[test]
fn one_line_each_and_back() {
    let lines = [run(), candidate(), Line::Record(record(1.5, Some([1.25, 1.75])))];
    let text = write(&lines);
    assert_eq!(text.lines().count(), 3);
    assert_eq!(read_lines(text.as_bytes()).expect("our own lines"), lines);
    let joined = format!("{text}\n{text}");
    assert_eq!(read_lines(joined.as_bytes()).expect("joined files").len(), 6);
    let marked = format!("\u{feff}{text}");
    assert_eq!(read_lines(marked.as_bytes()).expect("with a byte order mark"), lines);
}

#[test]
fn errors_name_the_line() {
    let head = write(&[run()]);
    assert!(error(&format!("{head}\n{{\"line\":\"record\"\n")).starts_with("line 3 is not"));
    let cut = read_lines(format!("{head}\n{{\"line\":\"record\"").as_bytes());
    assert!(matches!(cut, Err(Error::Truncated { line: 3 })), "{cut:?}");
    assert!(error(&format!("{head}{{\"line\":\"poem\"}}")).contains("line 2"));
    assert!(error(&write(&[candidate(), run()])).starts_with("line 1: "));
    assert!(error("").contains("no records"));
    assert!(error("\n \n").contains("no records"));
    let not_text = read_lines([head.as_bytes(), &[0xff, b'\n']].concat().as_slice()).expect_err("not UTF-8");
    assert!(not_text.to_string().starts_with("line 2: "));
    for (field, line) in [("algorithm", candidate()), ("operation", Line::Record(record(1.5, None)))] {
        let text = serde_json::to_value(&line).expect("JSON");
        let named = format!("\"{field}\":{}", text[field]);
        let found = error(&write(&[run(), line]).replace(&named, &format!("\"{field}\":\" \"")));
        assert!(found.starts_with("line 2 ") && found.contains(field), "{found}");
    }
    // With the field and its place, in nobody's words but those of the format.
    for (before, after, words) in [
        ("\"seed\":18446744073709551615", "\"seed\":\"x\"", "'seed': expected"),
        ("\"seed\":18446744073709551615,", "", "'seed' is missing"),
        ("{\"line\":\"run\",", "{", "'line' is missing"),
        ("\"run\"", "\"poem\"", "unknown word 'poem'"),
        ("\"run\"", "7", "'line' is 7; expected one of \"run\""),
        ("{", "{{", "not JSON"),
        ("}\n", "\n", "too early"),
    ] {
        let found = error(&head.replacen(before, after, 1));
        assert!(
            found.contains(words) && found.contains("(column ") && !found.contains("column 0"),
            "{found}"
        );
    }
}

#[test]
fn other_major_versions_are_refused_and_minor_ones_are_read() {
    let head = write(&[run()]);
    let other = error(&head.replace("records/2", "records/3"));
    assert!(other.contains("records/2") && other.contains("line 1"), "{other}");
    for version in ["records/1", "records/22"] {
        assert!(error(&head.replace("records/2", version)).contains(version));
    }
    assert!(error(&head.replace(SCHEMA, "something else")).contains("something else"));
    // Even where the other version's fields are unknown to us.
    assert!(error("{\"line\":\"run\",\"schema\":\"fieldtest.records/3\"}").contains("records/3"));
    assert!(read_lines(head.replace("records/2", "records/2.4").as_bytes()).is_ok());
    let newer = head.replacen("{\"line\":\"run\"", "{\"line\":\"run\",\"moon\":\"full\"", 1);
    assert!(read_lines(newer.as_bytes()).is_ok(), "unknown fields are ignored");
}

#[test]
fn a_word_that_a_field_cannot_have_is_named_with_those_that_it_can() {
    let text = write(&[run(), candidate(), Line::Record(record(1.5, None))]);
    for (line, field, word, known) in [
        (1, "verdict", "quiet", "quiet, noisy, unfit"),
        (1, "host.counter", "cycles", "cycles, ns"),
        (2, "kind", "signature", "signature, hash, mac, cipher, aead"),
        (2, "notes.severity", "info", "info, warning, broken"),
        (3, "estimator", "mean", "exact, mean, geometric mean, median"),
    ] {
        let name = field.rsplit('.').next().unwrap_or(field);
        let found =
            error(&text.replacen(&format!("\"{name}\":\"{word}\""), &format!("\"{name}\":\"loud\""), 1));
        let place = format!("line {line}: '{field}' is 'loud'");
        assert!(found.starts_with(&place) && found.contains(known), "{found}");
    }
}

#[test]
fn a_line_without_an_end_is_refused() {
    // Bounded, so that a reader that takes it all fails and does not hang.
    let blanks = std::io::Read::take(std::io::repeat(b' '), 100 << 20);
    let error = read_lines(std::io::BufReader::new(blanks)).unwrap_err().to_string();
    assert!(error.starts_with("line 1: "), "{error}");
}

#[test]
fn what_json_cannot_carry_is_refused() {
    let shared = Some(Shared { value: f64::INFINITY, interval: None, samples: 7 });
    let beside = Record { shared, ..record(1.0, None) };
    for bad in [record(f64::NAN, None), record(1.0, Some([0.0, f64::INFINITY])), beside] {
        let mut bytes = Vec::new();
        let error = write_lines(&mut bytes, &[run(), Line::Record(bad)]).expect_err("no number");
        assert!(error.to_string().contains("line 2") && error.to_string().contains("ml-dsa-44"), "{error}");
    }
}

#[test]
fn files_are_read_and_named() {
    let directory = std::env::temp_dir().join(format!("fieldtest-lines-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join("records.jsonl");
    std::fs::write(&path, write(&[run()])).expect("written");
    assert_eq!(load(&path).expect("read"), [run()]);
    let not_a_file = load(&directory).expect_err("a directory").to_string();
    assert!(not_a_file.contains("s a directory"), "{not_a_file}");
    let missing = load(&directory.join("none.jsonl")).expect_err("not there").to_string();
    assert!(missing.contains("none.jsonl"), "{missing}");
    std::fs::remove_dir_all(&directory).expect("removed");
}

proptest! {
    #[test]
    fn every_number_comes_back_as_it_was(
        value in proptest::num::f64::NORMAL | proptest::num::f64::ZERO,
        low in proptest::num::f64::NORMAL,
    ) {
        let lines = [run(), Line::Record(record(value, Some([low, value])))];
        prop_assert_eq!(read_lines(write(&lines).as_bytes()).expect("our own lines"), lines);
    }
}
