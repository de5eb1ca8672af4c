//! Programs that tests start: they take every signal as at a terminal, and they end.

use std::ffi::OsStr;
use std::process::{Child, Command, Output};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// How long a program may take to end, or to say what it is waited for to say.
const LIMIT: Duration = Duration::from_secs(120);

/// A program that ignores no signal. Tests in the background of a script ignore SIGINT and SIGQUIT, under
/// `nohup` SIGHUP, and children inherit that: a test that pressed Ctrl-C waited for ever. `env` (coreutils
/// 8.31) resets it without unsafe code. Its path is absolute, as some tests give the program another `PATH`.
pub fn program(path: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal").arg(path);
    command
}

/// Kills a process that takes too long, unless this is dropped first.
#[must_use]
pub struct Limit {
    _kept: Sender<()>,
}

/// See [`Limit`].
pub fn limit(child: &Child) -> Limit {
    let process = pid(child);
    let (kept, dropped) = mpsc::channel();
    thread::spawn(move || {
        if dropped.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            // It may have ended meanwhile.
            let _ = kill_process(process, Signal::KILL);
        }
    });
    Limit { _kept: kept }
}

/// What a program wrote and how it ended, by SIGKILL if it took too long.
pub fn ended(child: Child) -> Output {
    let _limit = limit(&child);
    child.wait_with_output().expect("its end")
}

/// Sends a signal.
pub fn send(child: &Child, signal: Signal) {
    kill_process(pid(child), signal).expect("it is there");
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed()).expect("a process")
}
