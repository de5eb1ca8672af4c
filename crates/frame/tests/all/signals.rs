//! Signals that come while a command waits for the other end of a FIFO, and while it must end in good order. The test
//! starts itself again, since a signal is for a whole process.

#![allow(clippy::print_stdout, clippy::exit)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use fieldtest_frame::interrupt::{self, INTERRUPTED, Unfinished};
use fieldtest_frame::output;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

const FIFO: &str = "FIELDTEST_TEST_FIFO";
const ORDER: &str = "FIELDTEST_TEST_ORDER";

/// This test in another process, once it said that it is ready.
fn started(test: &str, variable: &str, value: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", &format!("signals::{test}"), "--nocapture"]).env(variable, value);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("text").contains("ready")), "it does not begin");
    // What the test harness still has to say is read, so that nothing waits for it.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

/// Sends a signal, or the one that asks for the same where these tests were started to ignore it, as a job in the
/// background of a script: then it is ignored there, too.
fn send(child: &Child, signal: Signal) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let ignored = mask >> (signal.as_raw() - 1) & 1 == 1;
    let signal = if ignored { Signal::TERM } else { signal };
    let pid = Pid::from_raw(child.id().cast_signed()).expect("a process");
    kill_process(pid, signal).expect("it is there");
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
            let mut child = started("a_fifo_without_a_reader_does_not_hold_the_program", FIFO, &fifo);
            sleep(Duration::from_millis(if early { 0 } else { 200 }));
            send(&child, signal);
            let code = child.wait().expect("its end").code();
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
        let mut child = started("the_first_signal_asks_and_the_second_one_ends_and_cleans_up", ORDER, &path);
        send(&child, first);
        while !path.with_extension("asked").exists() {
            sleep(Duration::from_millis(1));
        }
        assert!(path.exists());
        send(&child, second);
        assert_eq!(child.wait().expect("its end").code(), Some(INTERRUPTED.into()));
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
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "signals::work_in_order_is_told_and_then_words_are_said", "--nocapture"])
        .env(STATE, "");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for word in ["ready", "asked"] {
        assert!(lines.any(|line| line.expect("text").contains(word)), "{word}");
        send(&child, Signal::INT);
    }
    let mut said = String::new();
    let code = child.wait().expect("its end").code();
    std::io::Read::read_to_string(&mut child.stderr.take().expect("a pipe"), &mut said).expect("text");
    assert_eq!((code, said.as_str()), (Some(INTERRUPTED.into()), "fieldtest: the words\n"));
}
