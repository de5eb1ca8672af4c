//! `fieldtest report` and `compare`: every form of a small records file, and damaged ones.

use std::fs::File;

use crate::scratch::Scratch;

/// Two algorithms, sizes only, as a study would write them.
pub(crate) const RECORDS: &str = include_str!("../records.jsonl");

#[test]
fn every_form() {
    let scratch = Scratch::new();
    scratch.write("records.jsonl", RECORDS);
    let report = |format| scratch.fine(&format!("report records.jsonl --format {format}")).stdout;
    let csv = report("csv");
    assert!(csv.starts_with("study,algorithm,implementation,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + RECORDS.lines().filter(|line| line.contains("\"value\"")).count());
    let json = scratch.json("report records.jsonl", 0);
    assert!(json.is_object() || json.is_array(), "{json}");
    let md = report("md");
    assert!(md.contains("| ml-dsa-44 |"), "{md}");
    let human = report("human");
    assert!(human.contains("ml-dsa-44"), "{human}");

    let run = scratch.fine("report records.jsonl -o report.html");
    assert_eq!(run.stdout, "");
    let page = scratch.read("report.html");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{}", &page[..80]);
    assert!(page.trim_end().ends_with("</html>"));
    assert!(page.contains("ml-dsa-44"));
    // The page takes no records' place.
    scratch.refuses("report records.jsonl -o records.jsonl", 2, &["write 'records.jsonl'"]);
    let mut from_input = scratch.command("report - -o records.jsonl");
    from_input.stdin(File::open(scratch.path("records.jsonl")).expect("a file"));
    scratch.refused(&mut from_input, 2, &["write 'records.jsonl'"]);
    assert_eq!(scratch.read("records.jsonl"), RECORDS);
}

#[test]
fn damaged_records_name_the_line() {
    let scratch = Scratch::new();
    let lines: Vec<&str> = RECORDS.lines().collect();
    scratch.write("damaged", RECORDS.replacen(lines[3], &lines[3][1..], 1));
    scratch.refuses("report damaged", 1, &["damaged: line 4", "not a record"]);
    scratch.write("inventory", "{\n  \"bomFormat\": \"CycloneDX\",\n}\n");
    scratch.refuses("report inventory", (1, "file"), &["CycloneDX", "--cbom"]);
    scratch.refuses("report missing", 1, &["missing", "no such file"]);
}

/// Blank lines and the files before are counted as an editor counts them.
#[test]
fn records_that_cannot_be_name_the_file_and_the_line() {
    let scratch = Scratch::new();
    scratch.write("fine", RECORDS);
    let spoiled = RECORDS.replacen("\"value\":2553", "\"value\":-2553", 1).replacen('\n', "\n\n", 1);
    let line = spoiled.lines().position(|line| line.contains("-2553")).expect("the record") + 1;
    scratch.write("negative", spoiled);
    let words = [&format!("negative: line {line}"), "dnssec ml-dsa-44 message-size soa", "negative;"];
    scratch.refuses("report negative", (1, "invalid-result"), &words);
    scratch.refuses("advise negative -c dnssec", (1, "invalid-result"), &words);
    scratch.refuses("compare fine negative", (1, "invalid-result"), &words);
    let record = RECORDS.lines().find(|line| line.contains("\"value\":2553")).expect("the record");
    scratch.write("twice", format!("{RECORDS}{record}\n"));
    scratch.fine("report twice");
    scratch.write("contradiction", format!("{RECORDS}{}\n", record.replacen("2553", "2554", 1)));
    let place = format!("contradiction: line {}", RECORDS.lines().count() + 1);
    for arguments in ["report contradiction", "compare contradiction fine"] {
        scratch.refuses(arguments, (1, "invalid-result"), &[&place]);
    }
    scratch.refuses("advise contradiction -c dnssec", (1, "invalid-result"), &[&place]);
}

/// What editors make of line ends is read, and candidates behind their records are.
#[test]
fn lines_as_others_write_them() {
    let scratch = Scratch::new();
    scratch.write("records.jsonl", RECORDS);
    let (candidates, others): (Vec<&str>, Vec<&str>) =
        RECORDS.lines().partition(|line| line.contains("\"line\":\"candidate\""));
    assert!(!candidates.is_empty());
    scratch.write("edited.jsonl", [others, candidates].concat().join("\r\n\r\n"));
    let told = |file: &str| scratch.fine(&format!("report {file}")).stdout;
    assert_eq!(told("edited.jsonl"), told("records.jsonl"));
}

#[test]
fn a_run_without_results() {
    let scratch = Scratch::new();
    scratch.write("run", RECORDS.lines().next().expect("a run"));
    scratch.refuses("report run", 1, &["run: a run", "nothing to report"]);
}

#[test]
fn requests_that_do_not_fit() {
    let scratch = Scratch::new();
    scratch.write("records.jsonl", RECORDS);
    let report = |more: &str, code, words: &[&str]| {
        scratch.refuses(&format!("report records.jsonl {more}"), code, words);
    };
    report("--baseline ml-dsa-65", 2, &["ml-dsa-65", "ml-dsa-44"]);
    report("-o missing/report.html", 1, &["no directory missing"]);
    report("-o .", 1, &["a directory"]);
}

/// Records of an earlier run from a pipe, as a job that fetched them has them.
#[test]
fn a_run_from_standard_input() {
    let scratch = Scratch::new();
    scratch.write("records.jsonl", RECORDS);
    let slower = RECORDS.replace("8000.0", "9000.0").replace("7900.0", "8990.0").replace("8100.0", "9010.0");
    scratch.write("slower.jsonl", slower);
    let piped = |arguments: &str| scratch.run_on("records.jsonl", arguments);
    let run = piped("compare - slower.jsonl --threshold 5");
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stdout.contains("standard input: ") && run.stdout.contains("1 slower"), "{run:?}");
    assert!(run.stderr.contains("5%: 1 result"), "{run:?}");
    let run = piped("compare slower.jsonl before=- --threshold 5");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("before: ") && run.stdout.contains("1 faster"), "{run:?}");
    // Without an interval nothing can be decided.
    let unsure = RECORDS.replace("\"interval\":[7900.0,8100.0]", "\"interval\":null");
    assert_ne!(unsure, RECORDS);
    scratch.write("unsure.jsonl", unsure);
    assert_eq!(piped("compare - unsure.jsonl --threshold 5").code, Some(5));
    assert_eq!(piped("report -").stdout, scratch.fine("report records.jsonl").stdout);
    let nothing = scratch.run("compare - slower.jsonl");
    assert!(nothing.code == Some(1) && nothing.stderr.contains("standard input: "), "{nothing:?}");
}

/// Each host's results have a row; sizes that follow from facts are the same on all.
#[test]
fn records_of_two_hosts_stand_side_by_side() {
    let scratch = Scratch::new();
    let there = RECORDS.replace("0123456789ab", "ba9876543210").replace("8000.0", "16000.0");
    let there = there.replace("7900.0,8100.0", "15900.0,16100.0");
    scratch.write("here.jsonl", RECORDS);
    scratch.write("there.jsonl", &there);
    scratch.write("both.jsonl", format!("{RECORDS}{there}"));
    let json = scratch.json("report here.jsonl there.jsonl", 0);
    assert_eq!(scratch.json("report both.jsonl", 0), json, "one file or two");
    assert_eq!((json["runs"].as_array().map(Vec::len), &json["baseline"]), (Some(2), &"ed25519".into()));
    assert_eq!(json["sections"][0]["id"], "hosts");
    let csv = scratch.fine("report here.jsonl there.jsonl --format csv").stdout;
    for host in ["0123456789ab", "ba9876543210"] {
        let rows = csv.lines().filter(|line| line.contains(host)).count();
        assert_eq!(rows, RECORDS.lines().filter(|line| line.contains("\"value\"")).count(), "{csv}");
    }
    let human = scratch.fine("report here.jsonl there.jsonl").stdout;
    assert!(human.contains("of different hosts"), "{human}");
    let refused = "report here.jsonl there.jsonl -o page.html";
    scratch.refuses(refused, 2, &["one host", "--output"]);
    let refused = "report here.jsonl there.jsonl --baseline hawk-512";
    scratch.refuses(refused, 2, &["hawk-512", "ed25519"]);
    scratch.refuses("advise here.jsonl there.jsonl", 1, &["two machines", "fieldtest report"]);
    let spoiled = there.replacen("\"value\":2553", "\"value\":-2553", 1);
    let line = spoiled.lines().position(|line| line.contains("-2553")).expect("the record") + 1;
    scratch.write("spoiled", spoiled);
    scratch.refuses("report here.jsonl spoiled", 1, &[&format!("spoiled: line {line}")]);
}

/// One file of several, in which each run and each result is once; all of one version.
#[test]
fn records_of_two_hosts_become_one_file() {
    let scratch = Scratch::new();
    let there = RECORDS.replace("0123456789ab", "ba9876543210").replace("8000.0", "7999.0");
    scratch.write("here.jsonl", RECORDS);
    scratch.write("there.jsonl", &there);
    scratch.fine("merge here.jsonl there.jsonl -o both.jsonl");
    let both = scratch.read("both.jsonl");
    assert_eq!(both.lines().count(), RECORDS.lines().count() + there.lines().count());
    let csv = |files: &str| scratch.fine(&format!("report --format csv {files}")).stdout;
    assert_eq!(csv("both.jsonl"), csv("here.jsonl there.jsonl"));
    assert_eq!(scratch.fine("merge here.jsonl there.jsonl").stdout, both);
    let told = scratch.fine("report both.jsonl").stdout;
    let table = told.split("Recommendation of each host").nth(1).expect("a table of verdicts");
    let head = table.lines().nth(1).expect("its head");
    assert_eq!(head.split_whitespace().collect::<Vec<_>>(), ["study", "0123456789ab", "ba9876543210"]);
    assert!(table.lines().any(|line| line.starts_with("dnssec ")), "{table}");

    // What was there before is kept.
    scratch.write("kept.jsonl", "mine");
    scratch.fine("merge here.jsonl there.jsonl -o kept.jsonl").tells(0, &[" kept.1.jsonl"]);
    assert_eq!((scratch.read("kept.jsonl"), scratch.read("kept.1.jsonl")), (both.clone(), "mine".to_owned()));

    // Of other data results are others for that reason.
    assert!(RECORDS.contains("\"sha256\":\""), "the records are of data");
    let other = there.replace("\"sha256\":\"", "\"sha256\":\"00");
    scratch.write("other.jsonl", other);
    let run = scratch.fine("merge here.jsonl other.jsonl -o mixed.jsonl");
    assert!(run.stderr.contains("different data"), "{run:?}");
    let told = scratch.fine("report mixed.jsonl").stdout;
    assert!(told.contains("different data"), "{told}");

    let refuses = |files: &str, words: &[&str]| {
        scratch.refuses(&format!("merge -o refused.jsonl {files}"), 1, words);
        assert!(!scratch.path("refused.jsonl").exists());
    };
    refuses("both.jsonl here.jsonl", &["here.jsonl: line 1", "both.jsonl: line 1"]);
    let version = "\"version\":\"";
    scratch.write("older.jsonl", there.replacen(version, &format!("{version}0.0."), 1));
    refuses("here.jsonl older.jsonl", &["older.jsonl: line 1", "fieldtest 0.0.", "here.jsonl", "compare"]);
    let started = "\"started\":\"2";
    scratch.write("again.jsonl", RECORDS.replacen(started, "\"started\":\"3", 1));
    let record = RECORDS.lines().find(|line| line.contains("\"value\":2553")).expect("the record");
    scratch.write("twice.jsonl", format!("{RECORDS}{record}\n"));
    let (first, second) = (RECORDS.lines().position(|line| line == record), RECORDS.lines().count());
    let first = format!(" line {}:", first.expect("a line") + 1);
    let second = format!("twice.jsonl: line {}", second + 1);
    refuses("there.jsonl twice.jsonl", &[&first, &second]);
    refuses("here.jsonl again.jsonl", &["of one host", "dnssec", "omit one"]);
    scratch.write("headless.jsonl", RECORDS.split_once('\n').expect("lines").1);
    refuses("here.jsonl headless.jsonl", &["headless.jsonl: line 1", "run"]);
    scratch.refuses("merge here.jsonl -o here.jsonl", 2, &["write 'here.jsonl'"]);
    scratch.refuses("merge here.jsonl --format csv", 2, &["records are JSON Lines"]);
    assert_eq!(scratch.read("here.jsonl"), RECORDS);
}

#[test]
fn records_that_are_not_of_one_machine_are_not_compared() {
    let scratch = Scratch::new();
    scratch.write("records.jsonl", RECORDS);
    scratch.write("two.jsonl", format!("{RECORDS}{}", RECORDS.replace("0123456789ab", "ba9876543210")));
    scratch.refuses("compare records.jsonl two.jsonl", 1, &["two.jsonl", "two machines"]);
    // One file under two names.
    std::os::unix::fs::symlink("records.jsonl", scratch.path("link")).expect("a link");
    for name in ["records.jsonl", "./records.jsonl", "link"] {
        for command in ["report", "advise", "cbom", "compare", "calibrate"] {
            scratch.refuses(&format!("{command} records.jsonl {name}"), (2, "same-run"), &[name]);
        }
        scratch.refuses(&format!("merge records.jsonl {name}"), 2, &[name]);
    }
}
