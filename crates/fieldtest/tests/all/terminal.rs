//! What comes from strangers does not reach the terminal as it is.

#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use crate::scratch::{Run, Scratch, installed};

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
    assert_harmless(&mut scratch.command("dnssec verify zone"), &["zone"]);
    scratch.write("zone", "example. 1 IN A 1\x1b]0;x\x07\n");
    assert_harmless(&mut scratch.command("dnssec sizes zone"), &["'1\\x1b]0'"]);
    scratch.write("study.toml", "[dnssec]\nzone = 'zone'\nalgorithms = ['\u{202e}x']\n");
    assert_harmless(&mut scratch.command("study study.toml"), &["\\u{202e}x"]);
    scratch.write("records.jsonl", "\x1b[2J\n");
    assert_harmless(&mut scratch.command("report records.jsonl"), &["records.jsonl"]);
}

#[test]
fn names_and_arguments() {
    let scratch = Scratch::new();
    let shown = "e\\x1b]0;x\\x07\\u{9b}8m\\u{202e}x\\u{2066}\\r\\nfieldtest: all is well";
    for arguments in [
        &["show", HOSTILE][..],
        &["prove", "ed25519", "-i", HOSTILE],
        &["report", HOSTILE],
        &["compare", HOSTILE, "other"],
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
    assert_harmless(scratch.command("report").arg(bytes), &["\\x1b[2J"]);
    assert_harmless(scratch.command("show").arg(bytes), &["UTF-8"]);
}

/// How a command ends whose standard output is a terminal, as util-linux's `script` makes one, what it shows there, and
/// what it says; nothing where `script` is not installed. It says it elsewhere, since its progress moves the cursor.
fn on_a_terminal(scratch: &Scratch, arguments: &str) -> Option<(Option<i32>, String, String)> {
    if !installed("script") {
        return None;
    }
    let typed = format!("{} {arguments} 2> said", env!("CARGO_BIN_EXE_fieldtest"));
    let script = Command::new("script")
        .args(["-q", "-e", "-c", &typed, "/dev/null"])
        .env("SHELL", "/bin/sh")
        .current_dir(scratch.path("."))
        .stdin(std::process::Stdio::null())
        .output();
    let output = script.expect("script starts");
    let said = scratch.read("said");
    std::fs::remove_file(scratch.path("said")).expect("gone");
    Some((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), said))
}

#[test]
fn a_terminal_takes_text_alone() {
    let scratch = Scratch::with_zone();
    scratch.fine("ima keygen -a ed25519");
    std::fs::create_dir(scratch.path("tree")).expect("a directory");
    scratch.write("tree/\u{202e}x", "content");
    let sign = "ima sign tree --key ed25519.pem";
    scratch.fine(&format!("{sign} --store manifest -o list"));
    let tar = Command::new("tar").args(["cf", "tree.tar", "tree"]).current_dir(scratch.path(".")).status();
    assert!(tar.expect("tar starts").success());
    let raw = "dnssec sign zone -a ed25519 --output-format raw -K . -o";
    let archive = "ima sign tree.tar --store tar --key ed25519.pem";
    let list = format!("{sign} --store manifest");
    for arguments in [
        &format!("{raw} -"),
        &format!("{raw} /dev/stdout"),
        &format!("{raw} /dev/tty"),
        archive,
        &format!("{archive} -o -"),
        // It writes names of files as they are.
        &list,
        &format!("{list} -o /dev/fd/1"),
    ] {
        let before = scratch.listing();
        let Some((code, seen, said)) = on_a_terminal(&scratch, arguments) else { return };
        assert!(matches!(code, Some(1 | 2)) && said.contains("a terminal"), "{arguments:?}: {said}");
        let steers = |c: char| !matches!(c, '\n' | '\r' | '\t') && (c.is_control() || c == '\u{202e}');
        assert!(!seen.contains(steers), "{arguments:?}: {seen:?}");
        assert_eq!(scratch.listing(), before, "{arguments:?}");
    }
    for output in ["-", "/dev/stdout", "/dev/tty"] {
        let arguments = format!("dnssec generate -n 2 -o {output}");
        let Some((code, seen, _)) = on_a_terminal(&scratch, &arguments) else { return };
        assert!(code == Some(0) && seen.contains(" IN SOA "), "{output}: {seen}");
    }
}
