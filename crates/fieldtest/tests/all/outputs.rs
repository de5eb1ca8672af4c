//! Outputs that are standard output or another open file, and what no output takes the place of.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::captures::{pcap, session};
use crate::scratch::{Run, Scratch};

/// A made-up zone, which has the same text every time.
const GENERATE: &str = "dnssec generate -n 2 -o";

fn zone() -> String {
    let scratch = Scratch::new();
    scratch.fine(&format!("{GENERATE} zone"));
    scratch.read("zone")
}

#[test]
fn standard_output_by_each_of_its_names() {
    let (scratch, zone) = (Scratch::new(), zone());
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let run = scratch.fine(&format!("{GENERATE} {name}"));
        assert_eq!(run.stdout, zone, "{name}");
        // A file behind it goes on where it was, and stays the file that others have open.
        let mut command = Command::new("sh");
        command.args(["-c", "echo first; \"$0\" \"$@\"; echo last", env!("CARGO_BIN_EXE_fieldtest")]);
        command.args(GENERATE.split(' ')).arg(name).stdin(Stdio::null()).stderr(Stdio::null());
        let file = File::create(scratch.path("file")).expect("a file");
        assert!(command.stdout(file).status().expect("a shell").success());
        assert_eq!(scratch.read("file"), format!("first\n{zone}last\n"), "{name}");
    }
    assert_eq!(scratch.listing().len(), 1);
    // A file of that name is not meant, unless it is called so.
    scratch.fine(&format!("{GENERATE} ./-"));
    assert_eq!(scratch.read("-"), zone);
}

#[test]
fn an_open_file_by_its_number() {
    let (scratch, zone) = (Scratch::new(), zone());
    let mut command = scratch.command_after("exec 7> seven", &format!("{GENERATE} /dev/fd/7"));
    let run = Run::from(command.output().expect("the program starts"));
    assert_eq!((run.code, scratch.read("seven")), (Some(0), zone), "{run:?}");
    let mut closed = scratch.command_after("exec 7>&-", &format!("{GENERATE} /dev/fd/7"));
    scratch.refused(&mut closed, 1, &["cannot write /dev/fd/7"]);
}

/// Keys stay, by whatever name they would be written over, and so does what is read while it is written.
#[test]
fn keys_are_not_written_over() {
    let scratch = Scratch::with_zone();
    let made = scratch.fine("dnssec keygen example. --algorithm ed25519");
    let key = made.stdout.trim().trim_end_matches(".key").to_owned();
    let [public, private] = ["key", "private"].map(|suffix| format!("{key}.{suffix}"));
    scratch.write("bgp.pcap", pcap(&session()));
    scratch.write("keys", "61:hmac-sha1-96:text:secret");
    symlink(&private, scratch.path("link")).expect("a link");
    fs::hard_link(scratch.path("keys"), scratch.path("second")).expect("a link");
    let read = || ["zone", &public, &private, "keys"].map(|name| scratch.read(name));
    let before = read();
    for output in [&public, &private, "link"] {
        scratch.refuses(&format!("dnssec sign zone -k {public} -o {output}"), 2, &["a key"]);
    }
    for output in ["keys", "second"] {
        let sign = format!("tcp-ao sign bgp.pcap --keys keys -o {output}");
        scratch.refuses(&sign, 2, &["file of keys"]);
    }
    // Nor does a zone with new keys take another key's place.
    let new = format!("dnssec sign zone --algorithm ed25519 -K . -o {private}");
    scratch.refuses(&new, 2, &["a key"]);
    for (output, redirection) in [("-", "1<> zone"), ("-", ">> zone"), ("/dev/fd/9", "9<> zone")] {
        let typed = format!("dnssec sign zone -k {public} -o {output}");
        let mut shell = scratch.command_after(&format!("exec {redirection}"), &typed);
        scratch.refused(&mut shell, 2, &["the zone"]);
    }
    let typed = "tcp-ao sign bgp.pcap --keys keys -o /dev/fd/9";
    let mut shell = scratch.command_after("exec 9<> bgp.pcap", &typed);
    scratch.refused(&mut shell, 2, &["capture"]);
    assert_eq!(read(), before);
}

/// What a command is told by stays as well: engines and the study.
#[test]
fn what_tells_a_command_is_not_written_over() {
    let scratch = Scratch::with_zone();
    let made = scratch.fine("dnssec keygen example. -a ed25519");
    let toy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/engines");
    for name in ["toy.toml", "toy.py"] {
        fs::copy(format!("{toy}/{name}"), scratch.path(name)).expect("the toy");
    }
    fs::create_dir_all(scratch.path("engines")).expect("a directory");
    fs::hard_link(scratch.path("toy.toml"), scratch.path("engines/toy.toml")).expect("a link");
    fs::create_dir(scratch.path("out")).expect("a directory");
    scratch.write("out/records.jsonl", "[dnssec]\n");
    symlink("out/records.jsonl", scratch.path("study.toml")).expect("a link");
    let before = ["toy.toml", "out/records.jsonl"].map(|name| scratch.read(name));

    let (engine, key) = ("description of an", made.stdout.trim());
    for typed in [
        "speed --engine toy.toml ed25519 --budget 0.001 -o toy.toml",
        "speed --engine engines ed25519 --budget 0.001 --windows toy.toml",
        "dnssec --engine toy.toml generate -o engines/toy.toml",
        &format!("dnssec sign --engine engines zone -k {key} -o toy.toml"),
        "cbom --engine toy.toml -o toy.toml",
    ] {
        scratch.refuses(typed, 2, &["toy.toml': it is", engine]);
    }
    let mut told = scratch.command("dnssec generate -o toy.toml");
    scratch.refused(told.env("FIELDTEST_ENGINES", "engines"), 2, &[engine]);
    let study = "study study.toml -a ed25519 -o out";
    scratch.refuses(study, (2, "would-be-lost"), &["write 'out/records.jsonl'", "study"]);
    let after = ["toy.toml", "out/records.jsonl"].map(|name| scratch.read(name));
    assert_eq!(after, before);
}
