//! A study leaves records and a report, whether it ends or is ended.

use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::scratch::{Run, Scratch, wait_until};

/// Both outputs are there, and the records make a report.
fn assert_outputs(scratch: &Scratch, directory: &str) {
    let records = format!("{directory}/records.jsonl");
    for (at, line) in scratch.lines(&records).into_iter().enumerate() {
        assert_eq!(line["line"] == "run", at == 0, "{line}");
        if at == 0 {
            let compiler = line["host"]["compiler"].as_str().expect("a compiler");
            assert_eq!(compiler.ends_with("debug assertions"), cfg!(debug_assertions), "{compiler}");
        }
    }
    assert!(scratch.read(&format!("{directory}/report.html")).trim_end().ends_with("</html>"));
    let csv = scratch.fine(&format!("report {records} --format csv")).stdout;
    assert!(csv.contains("dnssec,ed25519,,,message-size,soa,"), "{csv}");
}

#[test]
fn outputs() {
    let scratch = Scratch::with_zone();
    let run = scratch.fine("study -a ed25519 --zone zone --budget 2 -o a/b");
    assert!(run.stdout.contains("Key results"), "{run:?}");
    assert_eq!(
        run.stderr,
        "fieldtest: records in a/b/records.jsonl, report in a/b/report.html\n\
         fieldtest: all tables: fieldtest report a/b/records.jsonl\n"
    );
    assert_eq!(scratch.listing().len(), 6, "{:?}", scratch.listing());
    assert_outputs(&scratch, "a/b");
    let csv = scratch.fine("report a/b/records.jsonl --format csv").stdout;
    // By whichever implementation is the quickest here.
    assert!(
        csv.lines().any(|line| line.starts_with("dnssec,ed25519,") && line.contains(",verify,")),
        "{csv}"
    );
    let all = "study -a ed25519 --zone zone --budget 2 --thorough -o all";
    scratch.fine(all);
    let csv = scratch.fine("report all/records.jsonl --format csv").stdout;
    assert!(csv.contains("dnssec,ed25519,aws-lc,") && csv.contains("dnssec,ed25519,rustcrypto,"), "{csv}");
}

#[test]
fn a_second_run_keeps_the_first() {
    let scratch = Scratch::with_zone();
    let study = "study -a ed25519 --zone zone --budget 0.001";
    scratch.fine(study);
    let first = scratch.read("fieldtest-report/records.jsonl");
    for (number, runs) in [(1, 2), (2, 3)] {
        let before = scratch.read("fieldtest-report/records.jsonl");
        let run = scratch.fine(study);
        let kept = format!("fieldtest-report/records.{number}.jsonl");
        assert!(
            run.stderr.contains(&format!("kept as {kept} and fieldtest-report/report.{number}.html")),
            "{run:?}"
        );
        assert_eq!(scratch.read(&kept), before);
        assert_ne!(scratch.read("fieldtest-report/records.jsonl"), before);
        assert_eq!(scratch.listing().len(), 2 + 3 * runs, "{:?}", scratch.listing());
    }
    assert_eq!(scratch.read("fieldtest-report/records.1.jsonl"), first);
    assert_outputs(&scratch, "fieldtest-report");
    // One that cannot save leaves everything as it was.
    let before = scratch.listing();
    let run = scratch.run_after("ulimit -f 1", study);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(scratch.listing(), before);
}

#[test]
fn a_study_file() {
    let scratch = Scratch::with_zone();
    let study = "[measure]\nbudget-seconds = 0.1\n[dnssec]\nzone = 'zone'\nalgorithms = ['ed25519']\n";
    scratch.write("mine.toml", format!("{study}implementations = ['aws-lc']\n"));
    let run = scratch.fine("study mine.toml --format csv");
    assert!(run.stdout.starts_with("study,algorithm,"), "{run:?}");
    assert_outputs(&scratch, "fieldtest-report");

    scratch.refuses("study zone -o new", 2, &["not a study", "--zone zone"]);
    scratch.refuses("study missing.toml -o new", 1, &["missing.toml", "no such file"]);
    scratch.write("bad.toml", study.replace("ed25519", "ed2551"));
    scratch.refuses("study bad.toml -o new", 2, &["did you mean 'ed25519'?"]);
    scratch.write("bad.toml", study.replace("0.1", "-0.1"));
    scratch.refuses("study bad.toml -o new", 2, &["bad.toml", "budget-seconds '-0.1'"]);
}

#[test]
fn arguments_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    let mut command = scratch.command("study -a ed25519 --budget 0.001 --zone");
    scratch.refused(command.arg(OsStr::from_bytes(b"\xff")), 1, &["cannot read", "no such file"]);
}

#[test]
fn ctrl_c_keeps_what_is_measured() {
    let scratch = Scratch::with_zone();
    let study = "study -a ed25519 --zone zone --budget 300 -o kept";
    let run = interrupted(&scratch, study);
    assert!(run.stdout.contains("Key results"), "{run:?}");
    assert_outputs(&scratch, "kept");
}

/// A study of minutes that writes into `kept`, ended by Ctrl-C when it has measured for a moment.
pub(crate) fn interrupted(scratch: &Scratch, study: &str) -> Run {
    let child = scratch.command(study).spawn().expect("the program starts");
    wait_until("the study begins", || scratch.path("kept").exists());
    // Long enough for some rounds; right at the end or at the beginning would do as well.
    sleep(Duration::from_millis(1500));
    interrupt(&child);
    let stopped = Instant::now();
    let run = Run::of(child);
    assert!(stopped.elapsed() < Duration::from_secs(100), "it did not stop");
    run.tells(130, &["stopping"]);
    run
}

/// What Ctrl-C does to one process.
pub(crate) fn interrupt(child: &Child) {
    fieldtest_testing::process::send(child, rustix::process::Signal::INT);
}

/// Runs that cannot be held against each other, and files that would replace each other, are refused before they cost time.
#[test]
fn what_does_not_go_together() {
    let scratch = Scratch::new();
    let speed = |file: &str, seed: &str| {
        let command = format!("speed ed25519 -i aws-lc --budget 0.1 --seed {seed} -o {file}");
        scratch.fine(&command);
    };
    for place in ["one", "./one"] {
        let both = format!("speed ed25519 --budget 0.001 -o one --windows {place}");
        scratch.refuses(&both, 2, &["are one file"]);
    }
    assert!(scratch.listing().is_empty());
    speed("a", "1");
    speed("b", "2");
    scratch.refuses("calibrate a a", (2, "same-run"), &["a is given twice"]);
    let machine = |text: String| text.replacen("\"host\":{\"id\":\"", "\"host\":{\"id\":\"x", 1);
    scratch.write("elsewhere", machine(scratch.read("b")));
    scratch.refuses("calibrate a elsewhere", 1, &["another machine"]);
}

#[test]
fn speed_of_every_kind() {
    let scratch = Scratch::new();
    let names = ["ed25519", "hmac-sha1-96", "sha-256", "aes-256-xts", "aes-256-gcm"];
    let command =
        format!("speed {} -i fieldtest -i aws-lc --size 512 --budget 1 -o it.jsonl", names.join(" "));
    let run = scratch.fine(&command);
    let records = scratch.lines("it.jsonl").into_iter().filter(|line| line["line"] == "record");
    let found: Vec<(String, String)> = records
        .map(|it| {
            ["algorithm", "operation"].map(|field| it[field].as_str().expect("a word").to_owned()).into()
        })
        .collect();
    for (name, operation) in names.into_iter().zip(["sign", "tag", "hash", "decrypt", "open"]) {
        assert!(found.contains(&(name.into(), operation.into())), "{name} {operation} in {found:?}");
    }
    // Every result is in a table of its kind.
    let titles = [
        "One operation",
        "MACs: cost",
        "Hash functions: rate",
        "Ciphers: cost",
        "Authenticated ciphers: rate",
    ];
    assert!(titles.iter().all(|title| run.stdout.contains(title)), "{run:?}");
    assert!(!run.stdout.contains("Other results"), "{run:?}");
}
