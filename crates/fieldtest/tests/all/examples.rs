//! Every command's help ends with examples, and every example does what it says: it is run as it stands there, among
//! the files that it names, and measures for a second.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Command as Clap;
use fieldtest_frame::arguments::after_help;

use crate::captures::{pcap, session};
use crate::git;
use crate::ima_archives::archive;
use crate::scratch::{Run, Scratch};

/// Columns of a terminal that nobody made wider.
const COLUMNS: usize = 80;
/// Of the captured session, once for itself and once in the file that another example names.
const KEY: &str = "61:hmac-sha1-96:text:secret";
/// Bytes of an image.
const IMAGE: usize = 3 << 20;

/// Why no test runs the load generator: `lab/load.sh` does.
const SERVER: &str = "needs a name server at that port";
/// Why no test runs an internet: `lab/internet.sh` does.
const SERVERS: &str = "needs name servers and a resolver";
/// Examples that no test runs, and why.
const NOT_RUN: [(&str, &str); 21] = [
    ("fieldtest study", "two minutes; README's main command, which is run as it stands there"),
    ("fieldtest calibrate", "a minute and a half, on a machine that does nothing else"),
    ("fieldtest ima plan /usr", "as long as the machine's system is large"),
    ("fieldtest ima sign /usr --key ml-dsa-65.pem", "changes the machine's system, and needs root"),
    ("fieldtest ima verify /usr --key ml-dsa-65.der", "the machine's system is not signed"),
    ("fieldtest dnssec load 127.0.0.1:5300 --zone signed.zone --rate 5000", SERVER),
    ("fieldtest dnssec load 127.0.0.1:5300 --capture clients.pcap -o load.jsonl", SERVER),
    ("fieldtest dnssec load ::1 --questions ask --rate 10:9000 --picture load.svg", SERVER),
    ("fieldtest dnssec internet --algorithm ed25519", SERVERS),
    ("fieldtest dnssec internet -a ed25519 --check --tlds 2 --domains 2", SERVERS),
    ("fieldtest dnssec resolver -a ed25519 -a rsa-2048 --seconds 1 --budget 20", SERVERS),
    ("fieldtest dnssec downgrade --strong ml-dsa-44 --weak ecdsa-p256", SERVERS),
    ("fieldtest dnssec downgrade --strong ed25519 --resolver unbound", SERVERS),
    ("fieldtest dnssec rekey --algorithm ed25519", SERVERS),
    ("fieldtest dnssec rekey --roll zsk-pre-publication --wrong unpublished", SERVERS),
    ("fieldtest dnssec resolver -a ed25519 --transport tls --budget 20", SERVERS),
    ("fieldtest dnssec resolver --by-level -a ml-dsa-44 --seconds 1", SERVERS),
    ("fieldtest dnssec project records.jsonl --rate 250000", "needs records of a resolver under load"),
    ("fieldtest dnssec keytrap -a ecdsa-p256 --budget 60", SERVERS),
    ("fieldtest disk serve volume.img --listen /run/volume.sock -d keyfile", "serves until it is ended"),
    (
        "fieldtest tcp-ao gateway --inner ao-in --outer ao-out --keys gateway.keys",
        "carries packets until it is ended, and makes interfaces; it has tests between two hosts of its own",
    ),
];
/// Examples of what ends with another exit code than 0, as they say.
const EXIT_CODES: [(&str, i32); 4] = [
    ("fieldtest gate old.jsonl new.jsonl", 4),
    ("fieldtest gate old.jsonl new.jsonl --policy gate.toml --junit gate.xml", 4),
    ("fieldtest compare main=old.jsonl branch=new.jsonl --threshold 5", 4),
    ("fieldtest disk check-spec chacha20-plain64", 1),
];

fn is_run(typed: &str) -> bool {
    NOT_RUN.iter().all(|(not_run, _)| *not_run != typed)
}

/// The commands below one, the deepest first, each with the words that call it.
fn commands(command: &Clap, words: &[String]) -> Vec<(Vec<String>, Clap)> {
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    let mut all: Vec<_> =
        below.flat_map(|below| commands(below, &[words, &[below.get_name().to_owned()]].concat())).collect();
    all.push((words.to_vec(), command.clone()));
    all
}

/// What is typed in the examples of some commands, in the order of the help, nothing twice.
fn typed(of: impl Fn(&[String]) -> bool) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let of = commands(&fieldtest::command(), &[]).into_iter().filter(|(words, _)| of(words));
    of.flat_map(|(_, command)| after_help(&command).examples)
        .map(|(_, typed)| typed)
        .filter(|typed| seen.insert(typed.clone()))
        .collect()
}

/// Runs a line as a shell would in the test's directory, which is its home as well.
pub(crate) fn run_line(scratch: &Scratch, line: &str) -> Run {
    let program = Path::new(env!("CARGO_BIN_EXE_fieldtest")).parent().expect("the directory of the program");
    let mut path = program.as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin")));
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("set -o pipefail; {line}")]).current_dir(scratch.path("."));
    shell.env("PATH", path).env("HOME", scratch.path(".")).stdin(Stdio::null());
    shell.output().expect("bash starts").into()
}

/// Runs the examples of a family of commands among the files that they name.
fn run_examples(scratch: &Scratch, family: &str) {
    for line in typed(|words| words.first().is_some_and(|first| first == family)) {
        run_example(scratch, &line);
    }
}

fn run_example(scratch: &Scratch, line: &str) {
    if !is_run(line) {
        return;
    }
    let code = EXIT_CODES.iter().find(|(of, _)| *of == line).map_or(0, |(_, code)| *code);
    // What the machine is like, no example knows.
    let codes = if line == "fieldtest doctor" { vec![0, 5, 6] } else { vec![code] };
    let run = run_line(scratch, &hurried(line));
    assert!(run.code.is_some_and(|code| codes.contains(&code)), "{line}: {run:?}");
}

/// An example with a budget of a second where it has more, or measures for as long as it takes by itself.
pub(crate) fn hurried(line: &str) -> String {
    const SECOND: [&str; 2] = ["--budget", "1"];
    let mut words: Vec<&str> = line.split(' ').collect();
    match words.iter().position(|word| *word == SECOND[0]) {
        Some(at) => words[at..at + 2].copy_from_slice(&SECOND),
        None if words.get(2) == Some(&"study") => words.extend(SECOND),
        None => {}
    }
    words.join(" ")
}

/// Short and long help alike, each command in one piece on a usual terminal.
#[test]
fn every_command_has_some() {
    let scratch = Scratch::new();
    for (words, command) in commands(&fieldtest::command(), &[]) {
        let examples = after_help(&command).examples;
        assert!((1..=3).contains(&examples.len()), "{words:?} has {} examples", examples.len());
        for help in ["-h", "--help"] {
            let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            arguments.push(help);
            let shown = scratch.fine(&arguments).stdout;
            let end = shown.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{arguments:?}: {shown}")).1;
            assert!(end.lines().all(|line| line.chars().count() <= COLUMNS), "{arguments:?}: {end}");
            for (what, typed) in &examples {
                assert!(end.contains(&format!("  {what}:\n    {typed}\n")), "{arguments:?}: {shown}");
                let called = format!("fieldtest {}", words.join(" "));
                assert!(words.len() < 2 || typed.contains(&called), "{typed} is no example of {called}");
            }
        }
    }
}

#[test]
fn what_is_not_run_is_one() {
    let all = typed(|_| true);
    let named = NOT_RUN.iter().map(|(typed, _)| *typed).chain(EXIT_CODES.map(|(typed, _)| typed));
    for named in named {
        assert!(all.iter().any(|typed| typed == named), "no help has the example {named}");
    }
}

#[test]
fn of_general_commands() {
    let scratch = Scratch::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/compare.in");
    fs::create_dir(scratch.path(".zfunc")).expect("a directory");
    for records in ["old.jsonl", "new.jsonl"] {
        fs::copy(tests.join(records), scratch.path(records)).expect("a copy");
    }
    // Two runs of one version; measured, they would have intervals only where the machine has time for them.
    scratch.write("here.jsonl", scratch.read("old.jsonl"));
    scratch.write("there.jsonl", scratch.read("old.jsonl").replacen("\"id\":\"", "\"id\":\"f", 1));
    scratch.write("gate.toml", "timed.worse-by = '5%'\n");
    scratch.write("monday.jsonl", scratch.read("old.jsonl"));
    scratch.write("tuesday.jsonl", scratch.read("new.jsonl").replace("0.2.0", "0.1.0"));
    scratch.fine("dnssec generate -n 20 -o root.zone");
    scratch.fine("study --budget 1 -a ml-dsa-44 -a ml-dsa-65 -a ecdsa-p384");
    fs::copy(scratch.path("fieldtest-report/records.jsonl"), scratch.path("records.jsonl")).expect("a copy");
    let block = "PT = 00000000000000000000000000000000\n";
    let begins = block.replace("PT", "KEY") + &block.replace("PT", "IV");
    scratch.write("LEA128(CBC)MCT.req", begins + block);
    scratch.write("aria.req", format!("KEY = {}\n{block}", "00".repeat(32)));
    let study = "[measure]\nbudget-seconds = 0.1\n[dnssec]\nzone = 'root.zone'\nalgorithms = ['ed25519']\n";
    scratch.write("zones.toml", study);
    fs::create_dir(scratch.path("pool")).expect("a directory");
    scratch.write("pool/a.tar", archive("data", &[7; 6000]));
    scratch.fine("ima keygen -a ecdsa-p256 -o keys");
    let packages = "ima packages pool new --job job -k keys/ecdsa-p256.pem";
    scratch.fine(packages);
    let families: Vec<String> =
        fieldtest::CARRIERS.iter().map(|carrier| carrier.command().get_name().to_owned()).collect();
    for line in typed(|words| words.first().is_none_or(|first| !families.contains(first))) {
        run_example(&scratch, &line);
    }
    assert!(scratch.path(".local/share/man/man1/fieldtest-man.1").is_file());
}

#[test]
fn of_dnssec() {
    let scratch = Scratch::new();
    scratch.fine("dnssec generate -n 20 -o root.zone");
    fs::create_dir(scratch.path("keys")).expect("a directory");
    let signer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/rfc8080.in");
    for file in fs::read_dir(signer).expect("a zone with its key") {
        let file = file.expect("an entry");
        fs::copy(file.path(), scratch.path(&file.file_name().to_string_lossy())).expect("a copy");
    }
    run_examples(&scratch, "dnssec");
}

#[test]
fn of_tcp_ao() {
    let scratch = Scratch::new();
    scratch.write("plain.pcap", pcap(&session()));
    scratch.write("keys.txt", KEY);
    scratch.write("new.txt", KEY.replace("hmac-sha1-96", "aes-128-cmac-96"));
    scratch.fine("tcp-ao sign plain.pcap --keys keys.txt -o bgp.pcap");
    run_examples(&scratch, "tcp-ao");
}

#[test]
fn of_ima() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("root/bin")).expect("folders");
    scratch.write("root/bin/program", "#!/bin/sh\n");
    scratch.write("root/data", [7; 6000]);
    fs::create_dir_all(scratch.path("pool/unpacked/tree")).expect("folders");
    scratch.write("pool/a.tar", archive("data", &[7; 6000]));
    scratch.write("pool/unpacked/tree/data", [7; 6000]);
    run_examples(&scratch, "ima");
}

/// Without Git there is no repository to run them on.
#[test]
fn of_git() {
    let Some(scratch) = git::with_repository() else { return };
    fs::rename(scratch.path("old/.git"), scratch.path("repo.git")).expect("a bare repository");
    git::git(&scratch.path("repo.git"), &["config", "core.bare", "true"]);
    git::git(&scratch.path("."), &["clone", "--quiet", "--bare", "repo.git", "repos/copy.git"]);
    run_examples(&scratch, "git");
}

#[test]
fn of_disk() {
    let scratch = Scratch::new();
    scratch.write("keyfile", "correct horse\n");
    scratch.write("keyfile2", "battery staple\n");
    scratch.write("keyfile3", "a third one\n");
    scratch.write("fs.img", vec![7; IMAGE]);
    run_examples(&scratch, "disk");
}
