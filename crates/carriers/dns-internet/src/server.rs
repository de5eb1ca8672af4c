//! A server as a child of this program: it ends when its value is dropped, and when the program does.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fieldtest_dnssec::{Name, Rtype};

use crate::ask::{self, Said};
use crate::usage::{Usage, is_alive, of_group};
use crate::{InternetError, sys};

const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take to end when it is asked to.
const END: Duration = Duration::from_secs(2);
/// Octets of its log's end that are looked at, and lines of it that are told.
const LOOKED_AT: u64 = 2_000;
const TOLD: usize = 5;

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts `program` by `how`, its words and its environment; what it says goes into `log`. It has to be called by a thread that lives as
    /// long as the server is to, since the system ends the server with that.
    ///
    /// # Errors
    /// There is no such program, or the log cannot be written.
    pub fn start(
        name: &str,
        program: &Path,
        how: impl FnOnce(&mut Command) -> &mut Command,
        log: PathBuf,
        remedy: &'static str,
    ) -> Result<Server, InternetError> {
        let refused = |source| InternetError::File { path: log.clone(), source };
        let out = File::create(&log).map_err(refused)?;
        let both = out.try_clone().map_err(refused)?;
        let mut command = Command::new(program);
        how(&mut command).stdin(Stdio::null()).stdout(out).stderr(both);
        sys::tie(&mut command);
        let child = command.spawn().map_err(|source| InternetError::Start {
            program: program.to_path_buf(),
            source,
            remedy,
        })?;
        Ok(Server { name: name.to_owned(), child, log })
    }

    /// Waits until it answers at `address` for the SOA record of `zone`, as `is_right` wants the answer.
    ///
    /// # Errors
    /// It ended, or does not answer; [`InternetError::Interrupted`] once `stop` is set.
    pub fn wait_until(
        &mut self,
        address: SocketAddr,
        zone: &Name,
        is_right: impl Fn(Said) -> bool,
        stop: &AtomicBool,
    ) -> Result<(), InternetError> {
        let begun = Instant::now();
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(InternetError::Interrupted);
            }
            self.check()?;
            if ask::ask(address, zone, Rtype::SOA, Duration::from_secs(2)).is_ok_and(&is_right) {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                return Err(self.fault(format!("did not answer for {zone} at {address}")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether it runs still.
    ///
    /// # Errors
    /// It has ended, with the last lines of its log.
    pub fn check(&mut self) -> Result<(), InternetError> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(self.fault(format!("ended by itself ({status})"))),
            Err(source) => Err(InternetError::System { what: "looking after a server", source }),
        }
    }

    /// Waits until a program ends that is none that serves, until `late`; whether it had ended by then.
    ///
    /// # Errors
    /// It failed, with the last lines of its log; [`InternetError::Interrupted`] once `stop` is set.
    pub fn finish(&mut self, late: Instant, stop: &AtomicBool) -> Result<bool, InternetError> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(true),
                Ok(Some(status)) => return Err(self.fault(format!("failed ({status})"))),
                Err(source) => return Err(InternetError::System { what: "waiting for a program", source }),
                Ok(None) if stop.load(Ordering::Relaxed) => return Err(InternetError::Interrupted),
                Ok(None) if Instant::now() >= late => return Ok(false),
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// Whether it has ended; cheap enough to be asked while something is measured.
    pub fn has_ended(&self) -> bool {
        sys::has_ended(self.child.id())
    }

    /// What it took so far, its own children included.
    pub fn usage(&self) -> Usage {
        of_group(self.child.id())
    }

    /// Has it read its files again, as servers do for SIGHUP.
    pub fn reload(&self) {
        sys::hang_up(self.child.id());
    }

    /// Its process, which leads a group of its own.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn fault(&self, what: String) -> InternetError {
        let log = end_of(&self.log).unwrap_or_else(|error| format!("(cannot read it: {error})"));
        InternetError::Server { server: self.name.clone(), what, log }
    }
}

impl Drop for Server {
    /// Asks it to end, and ends it with all of its children where it does not.
    fn drop(&mut self) {
        let group = self.child.id();
        sys::signal_group(group, libc::SIGTERM);
        let begun = Instant::now();
        while begun.elapsed() < END && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(2));
        }
        // By group and not only the child, since servers start processes of their own.
        while is_alive(group) && begun.elapsed() < 2 * END {
            sys::signal_group(group, libc::SIGKILL);
            let _ = self.child.try_wait();
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.wait();
    }
}

fn end_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOOKED_AT)))?;
    let mut octets = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut octets)?;
    let text = String::from_utf8_lossy(&octets);
    let mut last: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).rev().take(TOLD).collect();
    last.reverse();
    Ok(if last.is_empty() { "(it is empty)".to_owned() } else { last.join(" | ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str, directory: &Path) -> Result<Server, InternetError> {
        Server::start(
            "the shell",
            "/bin/sh".as_ref(),
            |it| it.args(["-c", script]),
            directory.join("log"),
            "install one",
        )
    }

    #[test]
    fn nothing_outlives_its_value() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        // Both, and the child of the child, do not listen to the first signal.
        let script = "trap '' TERM; (trap '' TERM; sleep 60) & echo ready; wait; sleep 60";
        let server = start(script, directory.path())?;
        let begun = Instant::now();
        while !std::fs::read_to_string(directory.path().join("log"))?.contains("ready") {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        let group = server.id();
        drop(server);
        assert!(!is_alive(group), "a process of the group is left");
        Ok(())
    }

    #[test]
    fn a_program_that_ends_by_itself_is_waited_for() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let stop = AtomicBool::new(false);
        let in_a_minute = Instant::now() + Duration::from_secs(60);
        assert!(start("exit 0", directory.path())?.finish(in_a_minute, &stop)?);
        assert!(!start("sleep 60", directory.path())?.finish(Instant::now(), &stop)?);
        let failed = start("echo no such key; exit 1", directory.path())?.finish(in_a_minute, &stop);
        let Err(InternetError::Server { what, log, .. }) = failed else { panic!("{failed:?}") };
        assert!(what.contains("(exit status: 1)") && log == "no such key", "{what}; {log}");
        stop.store(true, Ordering::Relaxed);
        let stopped = start("sleep 60", directory.path())?.finish(in_a_minute, &stop);
        assert!(matches!(stopped, Err(InternetError::Interrupted)));
        Ok(())
    }

    #[test]
    fn an_end_is_told_with_the_log() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let mut server = start("echo no such zone; echo; echo the end; exit 3", directory.path())?;
        let stop = AtomicBool::new(false);
        let error = server.wait_until("127.0.0.1:1".parse()?, &Name::ROOT, |_| true, &stop);
        let Err(InternetError::Server { what, log, .. }) = error else { panic!("{error:?}") };
        assert!(what.contains("(exit status: 3)") && log == "no such zone | the end", "{what}; {log}");
        assert!(server.has_ended());
        stop.store(true, Ordering::Relaxed);
        let mut server = start("sleep 60", directory.path())?;
        assert!(!server.has_ended());
        let stopped = server.wait_until("127.0.0.1:1".parse()?, &Name::ROOT, |_| true, &stop);
        assert!(matches!(stopped, Err(InternetError::Interrupted)));
        Ok(())
    }
}
