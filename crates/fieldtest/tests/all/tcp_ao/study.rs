//! The carrier's study: its records and report, alone and beside the other carrier's.

use crate::scratch::Scratch;
use crate::study::interrupted;

fn records(scratch: &Scratch, directory: &str) -> String {
    let records = format!("{directory}/records.jsonl");
    assert!(scratch.read(&format!("{directory}/report.html")).trim_end().ends_with("</html>"));
    scratch.fine(&format!("report {records} --format csv")).stdout
}

#[test]
fn alone() {
    let scratch = Scratch::new();
    let study = "tcp-ao study -a aes-128-cmac-96 -a tcp-md5 --budget 0.5";
    let run = scratch.fine(&format!("{study} -o out"));
    assert!(run.stdout.contains("Key results") && !run.stdout.contains("Option space"), "{run:?}");
    assert!(run.stderr.starts_with("fieldtest: records in out/records.jsonl, report in out/report.html\n"));
    let full = scratch.fine(&format!("{study} -o full --full"));
    assert!(full.stdout.contains("Key results") && full.stdout.contains("Option space"), "{full:?}");
    assert_eq!(full.stderr, "fieldtest: records in full/records.jsonl, report in full/report.html\n");
    let csv = records(&scratch, "out");
    assert!(csv.contains("tcp-ao,aes-128-cmac-96,fieldtest,"), "{csv}");
    assert!(csv.contains("tcp-ao,tcp-md5,rustcrypto,"), "{csv}");
    assert!(csv.contains("tcp-ao,aes-128-cmac-96,,,segment-published,144 Linux 7.2,1107"), "{csv}");
    assert!(!csv.contains("dnssec"), "{csv}");

    let ours = "tcp-ao study -a aes-128-cmac-96 -i fieldtest --budget 0.1 -o ours";
    scratch.fine(ours);
    let csv = records(&scratch, "ours");
    assert!(csv.contains("tcp-ao,aes-128-cmac-96,fieldtest,") && !csv.contains("rustcrypto"), "{csv}");
}

/// Each carrier takes what it can carry; one that can carry nothing takes no part.
#[test]
fn beside_the_other_carrier() {
    let scratch = Scratch::with_zone();
    let study = |more: &str, output: &str| {
        scratch.fine(&format!("study --budget 0.2 -o {output} {more}"));
        let csv = records(&scratch, output);
        (csv.contains("\ndnssec,"), csv.contains("\ntcp-ao,"))
    };
    assert_eq!(study("-a ed25519 -a aes-128-cmac-96 --zone zone", "both"), (true, true));
    assert_eq!(study("-a aes-128-cmac-96", "macs"), (false, true));
    assert_eq!(study("-a ed25519 --zone zone", "signatures"), (true, false));

    let refused = |arguments: &str, code: &'static str, words: &[&str]| {
        scratch.refuses(&format!("study {arguments} -o new"), (2, code), words);
    };
    refused("-a aes-128-cmac", "unknown-name", &["'aes-128-cmac-96'?"]);
    refused("-a aes-128-cmac-96 --zone zone", "usage", &["--zone"]);
    scratch.write("dnssec.toml", "[dnssec]\nzone = 'zone'\n");
    refused("dnssec.toml -a aes-128-cmac-96", "nothing-to-carry", &[]);
    scratch.write("tcp-ao.toml", "[tcp-ao]\nipv4 = [83]\nipv6 = []\n");
    refused("tcp-ao.toml -a ed25519", "nothing-to-carry", &[]);
    refused("tcp-ao.toml --zone zone", "usage", &["--zone"]);
    assert_eq!(study("tcp-ao.toml -a tcp-md5", "file"), (false, true));
}

/// What is wrong with one carrier's part is said before another's is measured.
#[test]
fn study_files_that_do_not_fit() {
    let scratch = Scratch::with_zone();
    let before = "[measure]\nbudget-seconds = 600\n[dnssec]\nzone = 'zone'\n[tcp-ao]\n";
    let refused = |part: &str, words: &[&str]| {
        scratch.write("bad.toml", format!("{before}{part}\n"));
        scratch.refuses("study bad.toml -o new", 2, words);
    };
    refused("ipv4 = [10]", &["bad.toml", "line 6", "ipv4 '10'", "76"]);
    refused("ipv6 = [60001]", &["bad.toml", "ipv6 '60001'", "60000"]);
    refused("ipv4 = [144]\nipv6 = [144]", &["bad.toml", "144", "twice"]);
    refused("ipv4 = []\nipv6 = []", &["bad.toml", "no length"]);
    refused("batch = 0", &["bad.toml", "batch '0'"]);
    refused("batch = 1000000", &["bad.toml", "batch '1000000'"]);
    refused("batch = -1", &["bad.toml: line 6", "-1"]);
    refused("batches = 1", &["bad.toml: line 6", "batches"]);
    refused("algorithms = ['aes-128-cmac']", &["did you mean 'aes-128-cmac-96'?"]);
    refused("algorithms = ['ed25519']", &["ed25519"]);
}

#[test]
fn arguments_that_do_not_fit() {
    let scratch = Scratch::new();
    let refused = |more: &str, code, words: &[&str]| {
        scratch.refuses(&format!("tcp-ao study -o new {more}"), code, words);
    };
    refused("-a aes-128-cmac", 2, &["did you mean 'aes-128-cmac-96'?"]);
    refused("-a ed25519", 2, &["'ed25519'", "give a MAC"]);
    refused("-i nonsense", 2, &["unknown implementation 'nonsense'"]);
    refused("-a tcp-md5 -i aws-lc", 2, &["implemented"]);
    refused("--budget -1", 2, &["--budget '-1'"]);
}

#[test]
fn ctrl_c_keeps_what_is_measured() {
    let scratch = Scratch::new();
    // A target that is not reached.
    let study = "tcp-ao study -a tcp-md5 --budget 300 --target 0.000001 -o kept";
    let run = interrupted(&scratch, study);
    assert!(records(&scratch, "kept").contains("tcp-ao,tcp-md5,,,option,"), "{run:?}");
}
