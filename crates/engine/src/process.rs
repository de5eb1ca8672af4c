//! An engine that runs: requests go in, answers come out, each before a deadline.

use std::io::{self, Read};
use std::num::NonZero;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::SendFlags;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::guard::Guard;
use crate::last_words::LastWords;
use crate::protocol::LONGEST;
use crate::{running, spawn};

/// How often whoever waits looks whether the user still wants the answer. Without it, Ctrl-C would wait for
/// a hung engine's deadline: 10 seconds, unless its description says otherwise.
const LOOK: Duration = Duration::from_millis(50);

/// How an engine is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// What it is called where it did something wrong.
    pub title: String,
    /// The program and its words; a name without a slash is looked for in the search path, a path is below `directory`.
    pub words: Vec<String>,
    /// Where it is started.
    pub directory: PathBuf,
    /// How long any answer may take.
    pub deadline: Duration,
    /// How many processes of it may run, each for one request at a time.
    pub processes: NonZero<usize>,
}

/// What an engine did that no engine may do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// Its program cannot be started: which one, as a library is served by another, and why.
    #[error("{1}: {0}; correct 'program' in its description")]
    Start(String, io::Error),
    /// It ended: how, and what it said last.
    #[error("it ended by itself ({0}){1}")]
    Ended(End, Words),
    /// It runs, and its pipes are closed.
    #[error("it closed its standard input or output before it answered{0}")]
    Closed(Words),
    /// It took too long.
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Late(Duration),
    #[error("it sent {} as the length of an answer, which is at most {LONGEST}", told(.0))]
    Long([u8; 4]),
    #[error("the pipe to it broke: {0}")]
    Pipe(io::Error),
    #[error("the program ended before it answered")]
    Unwanted,
}

/// Four octets that are no length: mostly the beginning of what it printed.
fn told(length: &[u8; 4]) -> String {
    match str::from_utf8(length) {
        Ok(text) if text.chars().all(|it| it.is_ascii_whitespace() || !it.is_control()) => {
            format!("the text '{}'; nothing else may be written to its standard output,", text.escape_debug())
        }
        _ => u32::from_be_bytes(*length).to_string(),
    }
}

#[derive(Debug)]
pub(crate) enum End {
    Status(i32),
    Signal(i32),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Status(status) => write!(f, "exit status {status}"),
            End::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The last line that an engine wrote to standard error; perhaps none.
#[derive(Debug)]
pub(crate) struct Words(String);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "; its last output: {}", self.0) }
    }
}

/// A running engine. It is killed with all that it started when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Pid,
    requests: UnixStream,
    answers: ChildStdout,
    words: LastWords,
    deadline: Duration,
    guard: Option<Guard>,
    is_own: bool,
}

impl Process {
    pub(crate) fn start(program: &Program) -> Result<Process, Fault> {
        let (first, words) =
            program.words.split_first().map_or(("", &[][..]), |(first, words)| (&**first, words));
        let (path, whence) = match first.contains('/') {
            true => (program.directory.join(first), ""),
            false => (PathBuf::from(first), ", which is searched in PATH"),
        };
        let impossible = |error| Fault::Start(format!("'{first}'{whence}"), error);
        let mut command = Command::new(path);
        command.args(words).current_dir(&program.directory);
        // Whoever uses libfieldtest may end at SIGPIPE, which a socket need not send.
        let (requests, input) = UnixStream::pair().map_err(impossible)?;
        command.stdin(OwnedFd::from(input)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn::spawn(command).map_err(impossible)?;
        let group = Pid::from_child(&child);
        let (Some(answers), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(impossible(io::Error::other("it has no pipes")));
        };
        let words = LastWords::of(errors);
        running::add(group);
        let process = Process {
            child,
            group,
            requests,
            answers,
            words,
            deadline: program.deadline,
            guard: Some(Guard::over(group)),
            is_own: true,
        };
        for end in [process.requests.as_fd(), process.answers.as_fd()] {
            rustix::io::ioctl_fionbio(end, true).map_err(|error| Fault::Pipe(error.into()))?;
        }
        Ok(process)
    }

    /// Sends a request and waits for its answer, which is without its length.
    pub(crate) fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, Fault> {
        let until = Instant::now() + self.deadline;
        let mut left = request;
        while !left.is_empty() {
            match rustix::net::send(&self.requests, left, SendFlags::NOSIGNAL).map_err(io::Error::from) {
                Ok(0) => return Err(self.ended()),
                Ok(sent) => left = &left[sent..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(self.requests.as_fd(), PollFlags::OUT, until)?;
                }
                Err(error) if is_closed(&error) => return Err(self.ended()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Pipe(error)),
            }
        }
        let mut length = [0; 4];
        self.fill(&mut length, until)?;
        if u32::from_be_bytes(length) as usize > LONGEST {
            return Err(Fault::Long(length));
        }
        let mut answer = vec![0; u32::from_be_bytes(length) as usize];
        self.fill(&mut answer, until)?;
        Ok(answer)
    }

    fn fill(&mut self, octets: &mut [u8], until: Instant) -> Result<(), Fault> {
        let mut at = 0;
        while at < octets.len() {
            match self.answers.read(&mut octets[at..]) {
                Ok(0) => return Err(self.ended()),
                Ok(read) => at += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(self.answers.as_fd(), PollFlags::IN, until)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Pipe(error)),
            }
        }
        Ok(())
    }

    fn wait(&self, end: BorrowedFd<'_>, flags: PollFlags, until: Instant) -> Result<(), Fault> {
        let late = || Fault::Late(self.deadline);
        let left = until.checked_duration_since(Instant::now()).ok_or_else(late)?;
        let time = Timespec::try_from(left.min(LOOK)).map_err(|_| late())?;
        match poll(&mut [PollFd::from_borrowed_fd(end, flags)], Some(&time)) {
            Ok(0) if running::is_unwanted() => Err(Fault::Unwanted),
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(Fault::Pipe(error.into())),
        }
    }

    /// Has nothing to do with it any longer, as it is the engine of a process that forked this one.
    pub(crate) fn leave(mut self) {
        running::forget(self.group);
        if let Some(guard) = self.guard.take() {
            guard.leave();
        }
        // Its descriptors are closed here; that it ends is its parent's business.
        self.is_own = false;
    }

    /// Why a pipe is closed: its status needs a moment after that.
    fn ended(&self) -> Fault {
        // It stays a zombie for now, so that nobody else gets the number of its group before that is killed.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let words = || Words(self.words.line());
        for _ in 0..100 {
            if let Ok(Some(status)) = waitid(WaitId::Pid(self.group), options) {
                let (status, signal) = (status.exit_status(), status.terminating_signal());
                if let Some(how) = status.map(End::Status).or(signal.map(End::Signal)) {
                    return Fault::Ended(how, words());
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Fault::Closed(words())
    }
}

/// Whether whoever is at the other end went away.
fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_own {
            return;
        }
        running::end(self.group);
        // Before its number can be another's.
        drop(self.guard.take());
        // It may have left its group, and would be waited for in vain.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
