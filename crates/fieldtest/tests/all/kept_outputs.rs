//! No command destroys what it did not make: every option that names an output, on a file that is there.

use std::fs;
use std::net::UdpSocket;

use clap::Command;

use crate::captures::{pcap, session};
use crate::git::git;
use crate::records::RECORDS;
use crate::scratch::{Scratch, ZONE};

const PRECIOUS: &str = "not ours\n";

/// Commands that write a file which the user names, each with the file. The first words are the command; no argument has a space.
const NAMED: [(&str, &str); 24] = [
    ("man .", "fieldtest-git-map.1"),
    ("speed ed25519 --budget 0.001 -o precious", "precious"),
    ("speed ed25519 --budget 0.001 --windows precious", "precious"),
    ("report records.jsonl -o precious", "precious"),
    ("merge records.jsonl -o precious", "precious"),
    ("cbom records.jsonl -o precious", "precious"),
    ("memo records.jsonl -c dnssec -o precious", "precious"),
    ("advise --cbom in-use.json -o precious.csv", "precious.csv"),
    ("kcmvp answer LEA128(CBC)MCT.req -o precious", "precious"),
    ("kcmvp answer LEA128(CBC)MCT.req", "LEA128(CBC)MCT.rsp"),
    ("dnssec generate -n 2 -o precious", "precious"),
    ("dnssec sign zone -a ed25519 -o precious", "precious"),
    ("dnssec load SERVER --zone zone --seconds 0.1 --timeout 0.1 -o precious", "precious"),
    ("dnssec load SERVER --zone zone --seconds 0.1 --timeout 0.1 --picture precious", "precious"),
    ("tcp-ao sign packets --key 7:hmac-sha1-96:00 -o precious", "precious"),
    ("tcp-ao keys -o precious", "precious"),
    ("ima sign tree --key ima.pem --store manifest -o precious", "precious"),
    ("git map git -o precious", "precious"),
    ("git convert git new.git --map precious", "precious"),
    ("disk format precious --size 1M --kdf pbkdf2 --iter-time 10 -d disk-key", "precious"),
    ("disk format new --size 1M --header precious --kdf pbkdf2 --iter-time 10 -d disk-key", "precious"),
    ("disk copy luks precious -d disk-key", "precious"),
    ("disk open luks -d disk-key --save-volume-key precious", "precious"),
    ("dnssec study -a ed25519 --budget 0.001 -o .", "report.html"),
];

/// Outputs that are directories, and the studies, which share the code of the one above.
const ELSEWHERE: [&str; 10] = [
    "dnssec resolver",
    "dnssec downgrade",
    "dnssec rekey",
    "dnssec keytrap",
    "tcp-ao study",
    "ima study",
    "ima keygen",
    "git study",
    "disk study",
    "study",
];

fn inputs() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("zone", ZONE);
    scratch.write("records.jsonl", RECORDS);
    scratch.write("in-use.json", crate::cbom::IN_USE);
    scratch.write("LEA128(CBC)MCT.req", crate::kcmvp::REQUEST);
    scratch.write("packets", pcap(&session()));
    scratch.write("disk-key", "a key");
    fs::create_dir(scratch.path("tree")).expect("a directory");
    scratch.write("tree/file", "content");
    scratch.fine("ima keygen -a ecdsa-p256");
    fs::rename(scratch.path("ecdsa-p256.pem"), scratch.path("ima.pem")).expect("a key");
    let format = "disk format luks --size 1M --kdf pbkdf2 --iter-time 10 -d disk-key";
    scratch.fine(format);
    fs::create_dir(scratch.path("git")).expect("a directory");
    git(&scratch.path("git"), &["init", "-q", "."]);
    git(&scratch.path("git"), &["commit", "-q", "--allow-empty", "-m", "first"]);
    scratch
}

#[test]
fn what_is_there_is_refused_or_kept() {
    let nobody = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let server = nobody.local_addr().expect("its address").to_string();
    let scratch = inputs();
    for (arguments, file) in NAMED {
        let arguments = arguments.replace("SERVER", &server);
        scratch.write(file, PRECIOUS);
        let run = scratch.run(&arguments);
        let stands = fs::read(scratch.path(file)).is_ok_and(|it| it == PRECIOUS.as_bytes());
        let kept = fs::read_dir(scratch.path(".")).expect("a directory").flatten().filter(|entry| {
            entry.path() != scratch.path(file)
                && fs::read(entry.path()).is_ok_and(|it| it == PRECIOUS.as_bytes())
        });
        let kept: Vec<_> = kept.map(|entry| entry.path()).collect();
        match stands {
            true => assert!(run.stderr.contains(file), "{arguments:?} does not name {file}: {run:?}"),
            false => {
                let [kept] = kept.as_slice() else { panic!("{arguments:?} keeps {kept:?}: {run:?}") };
                let name = kept.file_name().expect("a name").to_string_lossy();
                assert!(run.stderr.contains(&*name), "{arguments:?} does not name {name}: {run:?}");
            }
        }
        for place in kept.into_iter().chain([scratch.path(file)]) {
            fs::remove_file(place).expect("it is there");
        }
    }
}

#[test]
fn every_command_with_an_output_is_tried() {
    fn walk(command: &Command, above: &str) {
        for below in command.get_subcommands() {
            let name = format!("{above}{}", below.get_name());
            let writes = below.get_arguments().any(|it| it.get_long() == Some("output"));
            let command = format!("{name} ");
            let tried = NAMED.iter().any(|(arguments, _)| arguments.starts_with(&command));
            assert!(!writes || tried || ELSEWHERE.contains(&&*name), "{name} has an --output: try it above");
            walk(below, &command);
        }
    }
    walk(&fieldtest::command(), "");
}

#[test]
fn a_name_that_promises_another_form_is_refused() {
    let scratch = inputs();
    for arguments in [
        ["report", "records.jsonl", "-o", "report.pdf"],
        ["merge", "records.jsonl", "-o", "all.csv"],
        ["cbom", "records.jsonl", "-o", "bom.xml"],
        ["speed", "ed25519", "-o", "speed.csv"],
        ["speed", "ed25519", "--windows", "windows.csv"],
    ] {
        scratch.refuses(&arguments, 2, &[arguments[3]]);
    }
    scratch.fine("report records.jsonl -o report.2026");
}
