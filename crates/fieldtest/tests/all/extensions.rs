//! As on a smaller machine: `--extensions`.

use std::collections::BTreeSet;

use crate::engines::{SAME, changed};
use crate::scratch::Scratch;

/// One that every processor has which the tests run on.
const LEVEL: &str = if cfg!(target_arch = "x86_64") { "sse" } else { "none" };

#[test]
fn workers_and_records_are_restricted() {
    let scratch = Scratch::new();
    // What started the engine, and what it was given.
    let seen = "import os, sys\nwith open('seen', 'a') as out: print(os.getppid(), *map(os.environ.get, \
                ('FIELDTEST_EXTENSIONS', 'OPENSSL_ia32cap', 'OPENSSL_armcap')), file=out)";
    let engine = changed(&scratch, ["import sys", seen], SAME);
    let speed = format!("--engine {engine} speed toy ed25519 -i engine-pipe -i aws-lc --budget 1 -o");
    let shown = scratch.fine(&format!("{speed} small.jsonl --extensions {LEVEL}")).stdout;
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains("‡ not restricted"), "{shown}");
    let seen = scratch.read("seen");
    let given = seen.lines().filter_map(|line| line.split_once(' '));
    let (parents, given): (BTreeSet<&str>, BTreeSet<&str>) = given.unzip();
    assert!(parents.len() > 1 && given.len() == 1 && seen.contains(&format!(" {LEVEL} ")), "{seen}");
    assert!(seen.contains(if LEVEL == "sse" { " ~0x" } else { " 0" }), "{seen}");
    let lines = scratch.lines("small.jsonl");
    assert_eq!(lines[0]["host"]["extensions"], LEVEL);
    for record in lines.iter().filter(|line| line["line"] == "record" && line["samples"] != 0) {
        let is_engine = record["implementation"]["name"] == "engine-pipe";
        assert_eq!(record["notes"].to_string().contains("not restricted"), is_engine, "{record}");
    }
    // The whole machine is another one.
    scratch.fine(&format!("{speed} all.jsonl"));
    let hosts = scratch.fine("report all.jsonl small.jsonl").stdout;
    assert!(hosts.contains(&format!("restricted to {LEVEL}")), "{hosts}");
    let compared = scratch.run("compare all.jsonl small.jsonl").stdout;
    assert!(compared.contains("extensions") && compared.contains(LEVEL), "{compared}");
}

#[test]
fn paths_are_proven_below_the_processor() {
    let scratch = Scratch::new();
    let proof = scratch.fine("prove ml-dsa-44 sha-256 -i fieldtest -i ring --extensions none").stdout;
    assert!(proof.contains("restricted to none") && proof.contains("‡"), "{proof}");
    scratch.refuses_by_clap("prove --extensions sse5", &["sse5", "avx512"]);
    let mut command = scratch.command("prove sha-256");
    scratch.refused(command.env("FIELDTEST_EXTENSIONS", "sse5"), 2, &["'sse5'", "none"]);
}
