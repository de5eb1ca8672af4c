//! Outputs that are links, devices, FIFOs, standard output.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use fieldtest_testing::process::send;
use rustix::process::Signal;

use crate::captures::{pcap, session};
use crate::scratch::{Run, Scratch};

/// A made-up zone, which has the same text every time.
const GENERATE: [&str; 5] = ["dnssec", "generate", "-n", "2", "-o"];

/// What it is.
fn zone() -> String {
    let scratch = Scratch::new();
    scratch.fine(&[&GENERATE[..], &["zone"]].concat());
    scratch.read("zone")
}

#[test]
fn links_are_followed() {
    let (scratch, zone) = (Scratch::new(), zone());
    fs::create_dir(scratch.path("there")).expect("a directory");
    scratch.write("there/old", "old");
    for (target, link) in [("there/old", "to-old"), ("there/new", "to-new"), ("to-old", "to-link")] {
        symlink(target, scratch.path(link)).expect("a link");
        scratch.fine(&[&GENERATE[..], &[link]].concat());
        assert!(fs::symlink_metadata(scratch.path(link)).expect("there").is_symlink(), "{link}");
        assert_eq!(scratch.read(link), zone, "{link}");
        scratch.write("there/old", "old");
    }
    symlink("circle", scratch.path("circle")).expect("a link");
    scratch.refuses(&[&GENERATE[..], &["circle"]].concat(), 1, &["cannot write circle", "form a loop"]);
    symlink("missing/zone", scratch.path("nowhere")).expect("a link");
    scratch.refuses(
        &[&GENERATE[..], &["nowhere"]].concat(),
        1,
        &["cannot write nowhere", "missing; make it"],
    );
}

#[test]
fn devices_stay_devices() {
    let scratch = Scratch::new();
    symlink("/dev/null", scratch.path("null")).expect("a link");
    scratch.fine(&[&GENERATE[..], &["null"]].concat());
    assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());
    symlink("/dev/full", scratch.path("full")).expect("a link");
    scratch.refuses(&[&GENERATE[..], &["full"]].concat(), 1, &["cannot write full", "No space left"]);
    assert_eq!(scratch.listing().len(), 2);
}

#[test]
fn standard_output_by_each_of_its_names() {
    let (scratch, zone) = (Scratch::new(), zone());
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let run = scratch.fine(&[&GENERATE[..], &[name]].concat());
        assert_eq!(run.stdout, zone, "{name}");
        // A file behind it goes on where it was, and stays the file that others have open.
        let mut command = Command::new("sh");
        command.args(["-c", "echo first; \"$0\" \"$@\"; echo last", env!("CARGO_BIN_EXE_fieldtest")]);
        command.args(GENERATE).arg(name).stdin(Stdio::null()).stderr(Stdio::null());
        let file = File::create(scratch.path("file")).expect("a file");
        assert!(command.stdout(file).status().expect("a shell").success());
        assert_eq!(scratch.read("file"), format!("first\n{zone}last\n"), "{name}");
    }
    assert_eq!(scratch.listing().len(), 1);
    // A file of that name is not meant, unless it is called so.
    scratch.fine(&[&GENERATE[..], &["./-"]].concat());
    assert_eq!(scratch.read("-"), zone);
}

#[test]
fn an_open_file_by_its_number() {
    let (scratch, zone) = (Scratch::new(), zone());
    let mut command = scratch.command_after("exec 7> seven", &[&GENERATE[..], &["/dev/fd/7"]].concat());
    let run = Run::from(command.output().expect("the program starts"));
    assert_eq!((run.code, scratch.read("seven")), (Some(0), zone), "{run:?}");
    let mut closed = scratch.command_after("exec 7>&-", &[&GENERATE[..], &["/dev/fd/7"]].concat());
    scratch.refused(&mut closed, 1, &["cannot write /dev/fd/7"]);
}

#[test]
fn fifos() {
    let (scratch, zone) = (Scratch::new(), zone());
    scratch.fifo("fifo");
    let reader = {
        let path = scratch.path("fifo");
        thread::spawn(move || fs::read_to_string(path).expect("its content"))
    };
    scratch.fine(&[&GENERATE[..], &["fifo"]].concat());
    assert_eq!(reader.join().expect("a reader"), zone);
    assert!(fs::metadata(scratch.path("fifo")).expect("it is there").file_type().is_fifo());

    // Nobody reads: every signal ends the wait, also that of a command that else would end in good order.
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let before = scratch.listing();
        for arguments in
            [&[&GENERATE[..], &["fifo"]].concat()[..], &["speed", "ed25519", "--budget", "0", "-o", "fifo"]]
        {
            let child = scratch.command(arguments).spawn().expect("the program starts");
            thread::sleep(Duration::from_millis(300));
            send(&child, signal);
            let run = Run::of(child);
            assert_ne!(run.code, Some(0), "{arguments:?}: {run:?}");
            assert_eq!(scratch.listing(), before);
        }
    }
}

/// Keys stay, by whatever name they would be written over, and so does what is read while it is written.
#[test]
fn keys_are_not_written_over() {
    let scratch = Scratch::with_zone();
    let pair = ["--algorithm", "ed25519"];
    let made = scratch.fine(&[&["dnssec", "keygen", "example."], &pair[..]].concat());
    let key = made.stdout.trim().trim_end_matches(".key").to_owned();
    let [public, private] = ["key", "private"].map(|suffix| format!("{key}.{suffix}"));
    scratch.write("bgp.pcap", pcap(&session()));
    scratch.write("keys", "61:hmac-sha1-96:text:secret");
    symlink(&private, scratch.path("link")).expect("a link");
    fs::hard_link(scratch.path("keys"), scratch.path("second")).expect("a link");
    let read = || ["zone", &public, &private, "keys"].map(|name| scratch.read(name));
    let before = read();
    let sign = |output| ["dnssec", "sign", "zone", "-k", &public, "-o", output].map(str::to_owned).to_vec();
    let tcp_ao =
        |output| ["tcp-ao", "sign", "bgp.pcap", "--keys", "keys", "-o", output].map(str::to_owned).to_vec();
    let cases = [
        (sign(&public), "a key"),
        (sign(&private), "a key"),
        (sign("link"), "a key"),
        (tcp_ao("keys"), "file of keys"),
        (tcp_ao("second"), "file of keys"),
    ];
    for (typed, what) in cases {
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        scratch.refuses(&typed, 2, &[what]);
    }
    // Nor does a zone with new keys take another key's place.
    let new = ["dnssec", "sign", "zone", "--algorithm", "ed25519", "-K", ".", "-o", &private];
    scratch.refuses(&new, 2, &["a key"]);
    for (output, redirection) in [("-", "1<> zone"), ("-", ">> zone"), ("/dev/fd/9", "9<> zone")] {
        let typed = ["dnssec", "sign", "zone", "-k", &public, "-o", output];
        let mut shell = scratch.command_after(&format!("exec {redirection}"), &typed);
        scratch.refused(&mut shell, 2, &["the zone"]);
    }
    let typed = ["tcp-ao", "sign", "bgp.pcap", "--keys", "keys", "-o", "/dev/fd/9"];
    let mut shell = scratch.command_after("exec 9<> bgp.pcap", &typed);
    scratch.refused(&mut shell, 2, &["the capture"]);
    assert_eq!(read(), before);
}

/// What a command is told by stays as well: engines and the study.
#[test]
fn what_tells_a_command_is_not_written_over() {
    let scratch = Scratch::with_zone();
    let made = scratch.fine(&["dnssec", "keygen", "example.", "-a", "ed25519"]);
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
        &["speed", "--engine", "toy.toml", "ed25519", "--budget", "0", "-o", "toy.toml"][..],
        &["speed", "--engine", "engines", "ed25519", "--budget", "0", "--windows", "toy.toml"],
        &["dnssec", "--engine", "toy.toml", "generate", "-o", "engines/toy.toml"],
        &["dnssec", "sign", "--engine", "engines", "zone", "-k", key, "-o", "toy.toml"],
        &["cbom", "--engine", "toy.toml", "-o", "toy.toml"],
    ] {
        scratch.refuses(typed, 2, &["toy.toml is", engine]);
    }
    let mut told = scratch.command(&["dnssec", "generate", "-o", "toy.toml"]);
    scratch.refused(told.env("FIELDTEST_ENGINES", "engines"), 2, &[engine]);
    let study = ["study", "study.toml", "-a", "ed25519", "-o", "out"];
    scratch.refuses(&study, (2, "would-be-lost"), &["out/records.jsonl is the study"]);
    let after = ["toy.toml", "out/records.jsonl"].map(|name| scratch.read(name));
    assert_eq!(after, before);
}
