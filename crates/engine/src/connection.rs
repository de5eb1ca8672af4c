//! What requests of all kinds go through: the processes of one engine, each started when it is needed, and again after a fault.

use std::fmt::Display;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fieldtest_kinds::Error;
use rustix::process::{Pid, getpid};
use zeroize::Zeroizing;

use crate::gate::Gate;
use crate::process::{Fault, Process, Program};
use crate::protocol::{self, Operation, Outcome, VERSION};

/// How the error of an engine begins that cannot be started.
const UNSTARTED: &str = "cannot start engine";

/// An engine of one algorithm. Clones are the same engine.
#[derive(Debug, Clone)]
pub struct Connection(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    algorithm: String,
    program: Program,
    gate: Gate,
    processes: Mutex<Processes>,
    /// Is told when one of them has become idle, or has ended.
    free: Condvar,
}

/// Those that wait for a request, and how many there are at all.
#[derive(Debug)]
struct Processes {
    idle: Vec<Process>,
    all: usize,
    ended: u64,
    parent: Pid,
}

impl Connection {
    /// An engine that is not started yet.
    pub fn new(algorithm: String, program: Program) -> Connection {
        let processes = Mutex::new(Processes { idle: Vec::new(), all: 0, ended: 0, parent: getpid() });
        let (gate, free) = (Gate::default(), Condvar::new());
        Connection(Arc::new(Inner { algorithm, program, gate, processes, free }))
    }

    /// Who puts the engine to the proof before its first request, unless [`prove`](Self::prove) did so before, or somebody else did whom
    /// this process [trusts](crate::trust()). One that fails is refused for a minute. The first call counts.
    pub fn judge_by(&self, judge: impl Fn() -> Result<(), String> + Send + Sync + 'static) {
        self.0.gate.judge_by(Box::new(judge));
    }

    /// Makes a proof of it, by requests of this thread; whether it fails holds for all other requests, too.
    ///
    /// # Errors
    /// The proof's.
    pub fn prove<T, E: Display>(&self, proof: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.0.gate.prove(proof)
    }

    /// Starts it if it does not run: a program that is missing is not one that fails its tests.
    ///
    /// # Errors
    /// Its name, and why it cannot be started.
    pub fn reach(&self) -> Result<(), String> {
        let mut taken = self.take();
        taken.process = Some(match taken.process.take() {
            Some(process) => process,
            None => self.start()?,
        });
        Ok(())
    }

    /// The median time of so many requests for nothing: what being attached costs each request.
    ///
    /// # Errors
    /// As for any request.
    pub fn attachment(&self, requests: usize) -> Result<Duration, Error> {
        let mut times = Vec::with_capacity(requests);
        for _ in 0..requests.max(1) {
            let begun = Instant::now();
            self.ask(Operation::Nothing, &[], 0)?;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        Ok(times[times.len() / 2])
    }

    /// How many processes of it have ended by now: each by a fault, its own end among them, or since it could not be started.
    pub fn ended(&self) -> u64 {
        self.processes().ended
    }

    /// Whether both are the same engine.
    pub(crate) fn is(&self, other: &Connection) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What the engine did wrong, with its name.
    pub(crate) fn fault(&self, what: impl Display) -> Error {
        Error::Engine(self.said(what))
    }

    fn said(&self, what: impl Display) -> String {
        let Inner { algorithm, program, .. } = &*self.0;
        let what = what.to_string();
        let remedy = if what.contains(';') { "" } else { "; correct the engine" };
        format!("the engine of {algorithm} ({}): {what}{remedy}", program.title)
    }

    /// Looks that an answer has the octets that the description promises.
    pub(crate) fn length(&self, what: &str, octets: &[u8], wanted: usize) -> Result<(), Error> {
        match octets.len() == wanted {
            true => Ok(()),
            false => {
                Err(self
                    .fault(format!("it returned {what} of {} bytes, but declares {wanted}", octets.len())))
            }
        }
    }

    /// Asks, and takes an answer of so many fields. A process that did what none may do is ended.
    pub(crate) fn ask(
        &self,
        operation: Operation,
        fields: &[&[u8]],
        expected: usize,
    ) -> Result<Vec<Vec<u8>>, Error> {
        self.0.gate.pass().map_err(|why| match why.starts_with(UNSTARTED) {
            true => Error::Engine(why),
            false => self.fault(format!("it fails its known-answer tests: {why}")),
        })?;
        let request = Zeroizing::new(protocol::request(operation, fields).map_err(|what| self.fault(what))?);
        let mut taken = self.take();
        let mut process = match taken.process.take() {
            Some(process) => process,
            None => self.start().map_err(Error::Engine)?,
        };
        let answer = Zeroizing::new(process.ask(&request).map_err(|fault| self.fault(fault))?);
        let (outcome, fields) =
            protocol::answer(&answer).map_err(|what| self.fault(format!("it sent {what}")))?;
        let found = match outcome {
            Outcome::Invalid if operation == Operation::Verify => Err(Error::InvalidSignature),
            Outcome::Invalid => return Err(self.fault("it reported a valid input as a wrong signature")),
            Outcome::Failed => Err(self.fault(format!("it says '{}'", why(&fields)))),
            Outcome::Done if fields.len() == expected => Ok(fields.into_iter().map(<[u8]>::to_vec).collect()),
            Outcome::Done => {
                return Err(
                    self.fault(format!("it answered with {} fields instead of {expected}", fields.len()))
                );
            }
        };
        taken.process = Some(process);
        found
    }

    fn processes(&self) -> MutexGuard<'_, Processes> {
        self.0.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process that is idle, or leave to start another, once there is either.
    fn take(&self) -> Taken<'_> {
        let mut processes = self.processes();
        let own = getpid();
        if processes.parent != own {
            // This is the child of a program that forked: the engines and their answers are its parent's.
            processes.idle.drain(..).for_each(Process::leave);
            processes.all = 0;
            processes.parent = own;
        }
        loop {
            let process = processes.idle.pop();
            if process.is_none() && processes.all >= self.0.program.processes.get() {
                processes = self.0.free.wait(processes).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            processes.all += usize::from(process.is_none());
            return Taken { connection: self, process };
        }
    }

    fn start(&self) -> Result<Process, String> {
        let mut process = Process::start(&self.0.program).map_err(|fault| match fault {
            Fault::Start(..) => format!("{UNSTARTED} '{}': {fault}", self.0.algorithm),
            fault => self.said(fault),
        })?;
        let words: [&[u8]; 2] = [&[VERSION], self.0.algorithm.as_bytes()];
        let hello = protocol::request(Operation::Hello, &words).map_err(|what| self.said(what))?;
        let answer = process.ask(&hello).map_err(|fault| self.said(fault))?;
        match protocol::answer(&answer) {
            Ok((Outcome::Done, fields)) if fields == words => Ok(process),
            Ok((Outcome::Failed, fields)) => Err(self.said(format!("it says '{}' to hello", why(&fields)))),
            _ => {
                Err(self
                    .said(format!("it does not speak version {VERSION} of the protocol for this algorithm")))
            }
        }
    }
}

/// A process that nobody else has meanwhile. One that is not put back has ended.
struct Taken<'a> {
    connection: &'a Connection,
    process: Option<Process>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut processes = self.connection.processes();
        match self.process.take() {
            Some(process) => processes.idle.push(process),
            None => {
                processes.all = processes.all.saturating_sub(1);
                processes.ended += 1;
            }
        }
        self.connection.0.free.notify_one();
    }
}

/// What an engine says of its failure: as much as a message takes.
fn why(fields: &[&[u8]]) -> String {
    let text = fields.first().map(|text| String::from_utf8_lossy(text)).unwrap_or_default();
    text.chars().take(300).collect()
}
