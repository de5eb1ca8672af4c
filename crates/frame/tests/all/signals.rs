//! Signals that come while a command waits for the other end of a FIFO, and while it must end in good order. The test
//! starts itself again, since a signal is for a whole process.

#![allow(clippy::print_stdout, clippy::exit)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fieldtest_frame::interrupt::{self, INTERRUPTED, Unfinished};
use fieldtest_frame::output;
use fieldtest_testing::process::{ended, limit, program, send};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Signal;

const FIFO: &str = "FIELDTEST_TEST_FIFO";
const ORDER: &str = "FIELDTEST_TEST_ORDER";

/// This test in another process.
fn again(test: &str) -> Command {
    let mut command = program(std::env::current_exe().expect("this program"));
    command.args(["--exact", &format!("signals::{test}"), "--nocapture"]).stdout(Stdio::piped());
    command
}

/// The same, once it said that it is ready.
fn started(test: &str, variable: &str, value: &Path) -> Child {
    let mut child = again(test).env(variable, value).stderr(Stdio::null()).spawn().expect("it starts");
    let _limit = limit(&child);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("text").contains("ready")), "it does not begin");
    // What the test harness still has to say is read, so that nothing waits for it.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

#[test]
fn a_fifo_without_a_reader_does_not_hold_the_program() {
    if let Some(fifo) = std::env::var_os(FIFO) {
        // As a measurement, which looks at the flag between its rounds.
        interrupt::flag();
        println!("ready");
        let written = output::file(Path::new(&fifo), b"content");
        std::process::exit(if written.is_err() { 1 } else { 0 });
    }
    let directory = tempfile::tempdir().expect("a directory");
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        for early in [true, false] {
            let child = started("a_fifo_without_a_reader_does_not_hold_the_program", FIFO, &fifo);
            sleep(Duration::from_millis(if early { 0 } else { 200 }));
            send(&child, signal);
            let code = ended(child).status.code();
            // If the signal came before the wait, there is none.
            assert!(matches!(code, Some(1 | 130)), "{signal:?}: {code:?}");
        }
    }
}

#[test]
fn the_first_signal_asks_and_the_second_one_ends_and_cleans_up() {
    if let Some(path) = std::env::var_os(ORDER) {
        let path = Path::new(&path);
        let flag = interrupt::flag();
        let _unfinished = Unfinished::new();
        Unfinished::add(path);
        fs::write(path, "half").expect("a file");
        println!("ready");
        let _ = std::io::stdout().flush();
        while !flag.load(std::sync::atomic::Ordering::Relaxed) {
            sleep(Duration::from_millis(1));
        }
        fs::write(path.with_extension("asked"), "").expect("a file");
        loop {
            sleep(Duration::from_secs(1));
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    for (first, second) in [(Signal::INT, Signal::TERM), (Signal::HUP, Signal::HUP)] {
        let path = directory.path().join("half");
        let child = started("the_first_signal_asks_and_the_second_one_ends_and_cleans_up", ORDER, &path);
        send(&child, first);
        let begun = Instant::now();
        while !path.with_extension("asked").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{first:?} does not arrive");
            sleep(Duration::from_millis(1));
        }
        assert!(path.exists());
        send(&child, second);
        assert_eq!(ended(child).status.code(), Some(INTERRUPTED.into()));
        assert!(!path.exists());
        fs::remove_file(path.with_extension("asked")).expect("gone");
    }
}

#[test]
fn work_in_order_is_told_and_then_words_are_said() {
    const STATE: &str = "FIELDTEST_TEST_STATE";
    if std::env::var_os(STATE).is_some() {
        interrupt::left("the words");
        let asked = interrupt::in_order(|asked| {
            println!("ready");
            while !asked.load(std::sync::atomic::Ordering::Relaxed) {
                sleep(Duration::from_millis(1));
            }
            true
        });
        assert!(asked && interrupt::asked());
        println!("asked");
        loop {
            sleep(Duration::from_secs(1));
        }
    }
    let mut command = again("work_in_order_is_told_and_then_words_are_said");
    let mut child = command.env(STATE, "").stderr(Stdio::piped()).spawn().expect("it starts");
    let _limit = limit(&child);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for word in ["ready", "asked"] {
        assert!(lines.any(|line| line.expect("text").contains(word)), "{word}");
        send(&child, Signal::INT);
    }
    let run = ended(child);
    assert_eq!((run.status.code(), &*run.stderr), (Some(INTERRUPTED.into()), &b"fieldtest: the words\n"[..]));
}
