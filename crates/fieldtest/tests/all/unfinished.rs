//! Writing that comes to no end: nothing of it is left.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fieldtest_testing::process::send;
use rustix::process::Signal;

use crate::scratch::{Run, Scratch, wait_until};

/// At most 4 KiB in a file; a POSIX shell counts in blocks of 512 bytes, some in 1,024.
const LIMIT: &str = "ulimit -f 8";

#[test]
fn files_that_become_too_large() {
    let scratch = Scratch::with_zone();
    let mut command = scratch.command_after(LIMIT, "dnssec generate -n 100 -o new");
    scratch.refused(&mut command, 1, &["cannot write new", "file too large"]);
    scratch.fine("dnssec generate -n 100 -o large");
    let sign = "dnssec sign large -a ed25519 -o";
    let mut command = scratch.command_after(LIMIT, &format!("{sign} signed"));
    scratch.refused(&mut command, 1, &["cannot write signed", "file too large"]);
    // What stood in its place still does.
    let mut command = scratch.command_after(LIMIT, &format!("{sign} large"));
    scratch.refused(&mut command, 1, &["cannot write large", "file too large"]);
}

#[test]
fn a_study_that_cannot_save_shows_its_results() {
    let scratch = Scratch::with_zone();
    let before = scratch.listing();
    let study = "study -a ed25519 --zone zone --budget 0.001 -o new";
    let run = scratch.run_after(LIMIT, study);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("Key results"), "{run:?}");
    assert!(run.stderr.contains("file too large"), "{run:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    assert_eq!(scratch.listing(), before);
}

#[test]
fn a_wait_for_a_writer_is_said_and_ends_at_a_signal() {
    let scratch = Scratch::with_zone();
    scratch.fifo("fifo");
    let waiting = ["dnssec study fifo -a ed25519 --budget 1", "dnssec sizes --rssac fifo -a ed25519"];
    let children = waiting.map(|typed| scratch.command(typed).spawn().expect("the program starts"));
    sleep(Duration::from_secs(5));
    for (typed, child) in waiting.iter().zip(children) {
        send(&child, Signal::INT);
        let start = Instant::now();
        let run = Run::of(child);
        assert!(start.elapsed() < Duration::from_secs(2), "{typed}: {run:?}");
        assert!(run.stderr.contains("'fifo'") && run.stderr.contains("FIFO"), "{typed}: {run:?}");
    }
}

/// Starts to sign a zone of five RRsets with an algorithm that takes seconds for it, and waits until it writes.
fn signing(scratch: &Scratch, command: &mut Command) -> Child {
    let child = command.spawn().expect("the program starts");
    wait_until("something is written", || is_writing(scratch, &child));
    child
}

/// Whether there is a file that has no name, or not its own, yet.
pub(crate) fn is_writing(scratch: &Scratch, child: &Child) -> bool {
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten();
    let unnamed = |path: PathBuf| {
        path.starts_with(scratch.path("").canonicalize().expect("a directory"))
            && path.as_os_str().to_string_lossy().ends_with("(deleted)")
    };
    open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).any(unnamed)
        || scratch.listing().iter().any(|name| name.contains("partial"))
}

const SIGN: &str = "dnssec sign zone -a slh-dsa-sha2-128s -o signed";

#[test]
fn signals_while_writing() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let scratch = Scratch::with_zone();
        let before = scratch.listing();
        let child = signing(&scratch, &mut scratch.command(SIGN));
        send(&child, signal);
        let run = Run::of(child);
        assert_eq!((run.code, &*run.stdout, &*run.stderr), (Some(130), "", ""), "{signal:?}");
        assert_eq!(scratch.listing(), before, "{signal:?}");
    }
}

/// As under `nohup`, and in the background of a script.
#[test]
fn who_ignores_a_signal_goes_on() {
    for (name, signal) in [("HUP", Signal::HUP), ("INT", Signal::INT)] {
        let scratch = Scratch::with_zone();
        let ignore = format!("trap '' {name}");
        let mut child = signing(&scratch, &mut scratch.command_after(&ignore, SIGN));
        send(&child, signal);
        sleep(Duration::from_millis(200));
        assert!(child.try_wait().expect("its state").is_none(), "{name} ended it");
        send(&child, Signal::TERM);
        let run = Run::of(child);
        assert_eq!(run.code, Some(130), "{run:?}");
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn killed_while_writing() {
    let scratch = Scratch::with_zone();
    let before = scratch.listing();
    let mut child = signing(&scratch, &mut scratch.command(SIGN));
    let unnamed = !scratch.listing().iter().any(|name| name.contains("partial"));
    child.kill().expect("it runs");
    child.wait().expect("its end");
    if unnamed {
        assert_eq!(scratch.listing(), before);
    } else {
        eprintln!("SKIPPED: this file system has no files without a name");
    }
}
