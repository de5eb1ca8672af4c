//! Standard output that is closed, full, a pipe without reader, or no terminal.

use std::fs::File;
use std::io;
use std::process::Command;

use crate::scratch::{Run, Scratch};

fn run(command: &mut Command) -> Run {
    command.output().expect("the program starts").into()
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let scratch = Scratch::with_zone();
    for arguments in ["list", "dnssec sizes zone", "dnssec keygen a -a ed25519"] {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let run = run(scratch.command(arguments).stdout(writer));
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one() {
    let scratch = Scratch::new();
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    scratch.refused(scratch.command("list").stdout(full), 1, &["standard output", "no space left"]);
}

/// Also where clap writes, and where standard output is named.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_to_standard_output_is_said() {
    let scratch = Scratch::new();
    let full = || File::options().write(true).open("/dev/full").expect("/dev/full");
    for arguments in [
        "list",
        "list --format json",
        "--help",
        "--version",
        "dnssec --help",
        "completions bash",
        "dnssec generate -n 2 -o -",
        "dnssec generate -n 2 -o /dev/stdout",
    ] {
        scratch.refused(scratch.command(arguments).stdout(full()), 1, &["cannot write", "no space left"]);
        let words = ["cannot write", "closed"];
        scratch.refused(&mut scratch.command_after("exec >&-", arguments), 1, &words);
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let left = run(scratch.command(arguments).stdout(writer));
        let stayed = scratch.fine(arguments);
        assert_eq!((left.code, left.stderr), (Some(0), stayed.stderr), "{arguments:?}");
    }
    // Who asks for nothing to be shown has lost nothing, and what is thrown away on purpose is not lost.
    let null = || File::options().read(true).write(true).open("/dev/null").expect("/dev/null");
    assert_eq!(run(scratch.command("list").stdout(null())).code, Some(0));
    assert_eq!(scratch.run_after("exec >&-", "dnssec generate -n 2 -o zone").code, Some(0));
}

#[test]
fn closed_streams_do_not_hurt() {
    let scratch = Scratch::with_zone();
    assert_eq!(scratch.run_after("exec 2>&-", "show nonsense").code, Some(2));
    // With all three closed, the files that are opened next must not be taken for streams.
    let sign = "dnssec sign zone -a ed25519 -o signed";
    assert_eq!(scratch.run_after("exec <&- >&- 2>&-", sign).code, Some(0));
    scratch.fine("dnssec verify signed");
}

#[test]
fn colours_are_for_terminals() {
    let scratch = Scratch::with_zone();
    let coloured = |command: &mut Command| {
        let run = run(command);
        assert!(!run.stderr.contains('\x1b'), "{run:?}");
        run.stdout.contains('\x1b')
    };
    let sizes = "dnssec sizes zone";
    assert!(!coloured(&mut scratch.command(sizes)));
    assert!(coloured(scratch.command(sizes).env("CLICOLOR_FORCE", "1")));
    assert!(!coloured(scratch.command(sizes).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")));
    for format in ["csv", "json", "md"] {
        assert!(!coloured(scratch.command(sizes).args(["--format", format]).env("CLICOLOR_FORCE", "1")));
    }
    // Help and usage errors, which clap writes.
    assert!(!coloured(&mut scratch.command("--help")));
    assert!(!coloured(&mut scratch.command("nonsense")));
}

/// `--color` goes before the environment, and `--quiet` leaves errors.
#[test]
fn colour_and_talk_can_be_asked_for() {
    let scratch = Scratch::with_zone();
    let coloured = |words: &str| run(scratch.command(words).env("NO_COLOR", "1")).stdout.contains('\x1b');
    assert_eq!(
        ["always", "never", "auto"].map(|when| coloured(&format!("list mac --color {when}"))),
        [true, false, false]
    );
    let said = |words: &str| run(&mut scratch.command(words)).stderr;
    let write = "dnssec sign zone -a ed25519 -o signed";
    assert!(!said(write).is_empty());
    assert!(said(&format!("{write} -q")).is_empty());
    assert!(!said("show nonsense --quiet").is_empty());
}

/// What a configuration file sets holds until it is typed, and its faults are one error.
#[test]
fn defaults_come_from_a_file() {
    let scratch = Scratch::new();
    scratch.write("own.toml", "format = 'csv'\n[list]\nquiet = true\n");
    let run = |words: &str, file: &str| run(scratch.command(words).env("FIELDTEST_CONFIG", file));
    assert!(run("list mac", "own.toml").stdout.starts_with("algorithm,"));
    assert!(run("list mac --format json", "own.toml").stdout.starts_with('{'));
    assert_eq!(run("list mac -v", "own.toml").code, Some(0));
    for fault in ["[lst]\nx = 1\n", "[list]\nbudget = 1\n", "format = 'x'\n", "format = [[1]]\n", "x\n"] {
        scratch.write("bad.toml", fault);
        let found = run("list mac", "bad.toml");
        assert_eq!((found.code, found.stderr.lines().count()), (Some(2), 1), "{found:?}");
    }
    assert_eq!(run("list mac", "absent.toml").code, Some(2));
}
