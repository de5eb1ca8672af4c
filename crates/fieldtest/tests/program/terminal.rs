//! What comes from strangers does not reach the terminal as it is.

#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use crate::scratch::{Run, Scratch};

/// Sets a terminal's title, hides the line, turns the rest of it round, and says that all is well on a line of its own.
const HOSTILE: &str = "e\x1b]0;x\x07\u{9b}8m\u{202e}x\u{2066}\r\nfieldtest: all is well";

/// Nothing that the program says may steer a terminal.
fn assert_harmless(command: &mut Command, words: &[&str]) -> Run {
    let run = Run::from(command.output().expect("the program starts"));
    for text in [&run.stdout, &run.stderr] {
        let steers = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{2028}".contains(c));
        assert!(!text.contains(steers), "{command:?}: {text:?}");
        assert!(
            !text.lines().any(|line| line.starts_with("fieldtest: all is well")),
            "{command:?}: {text:?}"
        );
    }
    for word in words {
        assert!(run.stderr.contains(word) || run.stdout.contains(word), "{command:?}: {word}: {run:?}");
    }
    run
}

#[test]
fn errors_about_files() {
    let scratch = Scratch::new();
    scratch.write("zone", format!("example. 1 IN SOA {} a 1 1 1 1 1\n", HOSTILE.replace(['\r', '\n'], "")));
    assert_harmless(&mut scratch.command(&["dnssec", "verify", "zone"]), &["zone"]);
    scratch.write("zone", "example. 1 IN A 1\x1b]0;x\x07\n");
    assert_harmless(&mut scratch.command(&["dnssec", "sizes", "zone"]), &["“1\\x1b]0”"]);
    scratch.write("study.toml", "[dnssec]\nzone = 'zone'\nalgorithms = ['\u{202e}x']\n");
    assert_harmless(&mut scratch.command(&["study", "study.toml"]), &["\\u{202e}x"]);
    scratch.write("records.jsonl", "\x1b[2J\n");
    assert_harmless(&mut scratch.command(&["report", "records.jsonl"]), &["records.jsonl"]);
}

#[test]
fn names_and_arguments() {
    let scratch = Scratch::new();
    let shown = "e\\x1b]0;x\\x07\\u{9b}8m\\u{202e}x\\u{2066}\\r\\nfieldtest: all is well";
    for arguments in [
        &["show", HOSTILE][..],
        &["prove", "ed25519", "-i", HOSTILE],
        &["report", HOSTILE],
        &["dnssec", "verify", HOSTILE],
        &["dnssec", "generate", "-o", &format!("missing/{HOSTILE}")],
        &["list", HOSTILE],
        &[HOSTILE],
        &["speed", "--budget", HOSTILE],
        &["speed", &format!("--{HOSTILE}")],
    ] {
        let run = assert_harmless(&mut scratch.command(arguments), &[shown]);
        assert!(matches!(run.code, Some(1 | 2)), "{arguments:?}: {run:?}");
    }
    let bytes = OsStr::from_bytes(b"\x1b[2J\xff");
    assert_harmless(scratch.command(&["report"]).arg(bytes), &["\\x1b[2J"]);
    assert_harmless(scratch.command(&["show"]).arg(bytes), &["UTF-8"]);
}
