//! Writing that comes to no end: nothing of it is left.

#![cfg(unix)]

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::scratch::{Run, Scratch};
use crate::study::interrupt;

/// At most 4 KiB in a file; a POSIX shell counts in blocks of 512 bytes, some in 1,024.
const LIMIT: &str = "ulimit -f 8";

#[test]
fn files_that_become_too_large() {
    let scratch = Scratch::with_zone();
    let mut command = scratch.command_after(LIMIT, &["dnssec", "generate", "-n", "100", "-o", "new"]);
    scratch.refused(&mut command, 1, &["cannot write new", "File too large"]);
    scratch.fine(&["dnssec", "generate", "-n", "100", "-o", "large"]);
    let sign = ["dnssec", "sign", "large", "-a", "ed25519", "-o"];
    let mut command = scratch.command_after(LIMIT, &[&sign[..], &["signed"]].concat());
    scratch.refused(&mut command, 1, &["cannot write signed", "File too large"]);
    // What stood in its place still does.
    let mut command = scratch.command_after(LIMIT, &[&sign[..], &["large"]].concat());
    scratch.refused(&mut command, 1, &["cannot write large", "File too large"]);
}

#[test]
fn a_study_that_cannot_save_shows_its_figures() {
    let scratch = Scratch::with_zone();
    let before = scratch.listing();
    let study = ["study", "-a", "ed25519", "--zone", "zone", "--budget", "0", "-o", "new"];
    let run = Run::from(scratch.command_after(LIMIT, &study).output().expect("the program starts"));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("What decides"), "{run:?}");
    assert!(run.stderr.contains("File too large"), "{run:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    assert_eq!(scratch.listing(), before);
}

#[test]
fn ctrl_c_while_writing() {
    let scratch = Scratch::with_zone();
    let before = scratch.listing();
    // Signing five RRsets with this algorithm takes seconds.
    let sign = ["dnssec", "sign", "zone", "-a", "slh-dsa-sha2-128s", "-o", "signed"];
    let child = scratch.command(&sign).spawn().expect("the program starts");
    let started = Instant::now();
    while !scratch.listing().iter().any(|name| name.contains("partial")) {
        assert!(started.elapsed() < Duration::from_secs(30), "nothing is written");
        sleep(Duration::from_millis(1));
    }
    interrupt(child.id());
    let run = Run::from(child.wait_with_output().expect("its end"));
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (Some(130), "", ""));
    assert_eq!(scratch.listing(), before);
}
