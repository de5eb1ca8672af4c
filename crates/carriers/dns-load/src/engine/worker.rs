//! One thread's work: what is due is sent, what came is read, what waited too long is given up.

use std::iter::Peekable;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

use super::connections::Connections;
use super::flight::{Flights, Stage, Ticket};
use super::poll::{Poll, Ready};
use super::tls::Tls;
use super::udp::Sockets;
use super::{Bounds, Fallback, LoadError, Options};
use crate::message::{self, Answer};
use crate::outcome::{Outcome, Way, record};
use crate::query::{Query, Transport};
use crate::schedule::Schedule;

/// Queries of the schedule that are looked at before the others have their turn: not all of them are this thread's, or in time to be sent.
const LOOKED_AT: usize = 1_024;
/// Queries that are sent, and datagrams of a socket that are read, before the others have their turn: else
/// one busy socket delays all sending.
const BURST: usize = 32;
/// How long before a moment the thread is awake, in nanoseconds: waking takes about as long, and would be in every latency.
const EARLY: u64 = 50_000;
/// The longest sleep, so that the request to stop is seen.
const LONGEST_SLEEP: u64 = 100_000_000;

pub(super) struct Worker<'r> {
    pub(super) options: &'r Options,
    bounds: Bounds,
    number: usize,
    schedule: Peekable<Schedule>,
    begun: Instant,
    pub(super) poll: Poll,
    /// What is to be looked at again, as it was not read to its end.
    pub(super) unread: Vec<Ready>,
    sockets: Sockets,
    pub(super) flights: Flights,
    pub(super) connections: Connections,
    pub(super) tls: Tls,
    pub(super) outcome: Outcome,
    pub(super) timeout: u64,
    pub(super) buffer: Vec<u8>,
    pub(super) message: Vec<u8>,
    /// The second of the schedule that is being sent, and how many queries it has so far.
    second: (u64, u64),
}

impl<'r> Worker<'r> {
    pub(super) fn new(
        number: usize,
        options: &'r Options,
        schedule: Schedule,
    ) -> Result<Worker<'r>, LoadError> {
        let poll = Poll::new().map_err(|error| LoadError::Wait(error.into()))?;
        let share = options.sockets.max(options.threads) / options.threads.max(1);
        let mut sockets = Sockets::new(share, options.target.address());
        // What a capture has before its first query is read now, and not when the clock runs.
        let mut schedule = schedule.peekable();
        let mut tls =
            Tls::new(options.target.address().ip(), options.resume_sessions).map_err(LoadError::Tls)?;
        match schedule.peek() {
            Some(Ok(Query { transport: Transport::Tls, .. })) => tls.prepare().map_err(LoadError::Tls)?,
            // What goes over TCP alone needs the files for its connections.
            Some(Ok(Query { transport: Transport::Tcp, .. })) => {}
            _ => {
                for number in 0..share {
                    let failed = |source| LoadError::Socket { number: number + 1, all: share, source };
                    sockets.open(number, &poll).map_err(failed)?;
                }
            }
        }
        Ok(Worker {
            tls,
            options,
            bounds: options.bounds(),
            number,
            schedule,
            begun: Instant::now(),
            flights: Flights::new(sockets.len()),
            sockets,
            poll,
            unread: Vec::new(),
            connections: Connections::default(),
            outcome: Outcome::default(),
            timeout: options.timeout.as_nanos() as u64,
            buffer: vec![0; 1 << 16],
            message: Vec::new(),
            second: (0, 0),
        })
    }

    pub(super) fn now(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// Sends all that is this thread's, and waits for what is to come of it.
    pub(super) fn run(mut self, begun: Instant, stop: &dyn Fn() -> bool) -> Result<Outcome, LoadError> {
        self.begun = begun;
        let mut ready = Vec::new();
        while !stop() {
            let due = self.send_due()?;
            while let Some(ticket) = self.flights.expired(self.now()) {
                self.give_up(ticket);
            }
            if due.is_none() && self.flights.waiting() == 0 {
                break;
            }
            let now = self.now();
            let next = due.unwrap_or(u64::MAX).min(self.flights.deadline().unwrap_or(u64::MAX));
            let longest = if self.unread.is_empty() { LONGEST_SLEEP } else { 0 };
            let until = next.saturating_sub(EARLY).min(now + longest);
            self.poll.wait(now, until, &mut ready).map_err(|error| LoadError::Wait(error.into()))?;
            ready.append(&mut self.unread);
            // With many sockets ready, each is read once: a second read, which finds nothing, costs a
            // system call per answer. What came meanwhile is reported next time.
            let most = (BURST / ready.len().max(1)).max(1);
            for what in &ready {
                match *what {
                    Ready::Socket(socket) => self.receive(socket, most),
                    Ready::Connection(place, turn) => self.look_at(place, turn),
                }
                if stop() {
                    break;
                }
            }
        }
        self.outcome.unfinished = self.flights.waiting() as u64;
        self.outcome.unreachable = self.sockets.unreachable;
        self.outcome.took = self.now();
        let time = clock_gettime(ClockId::ThreadCPUTime);
        self.outcome.processor = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
        Ok(self.outcome)
    }

    /// Sends what is due, a burst of it at most, and says when the next one is.
    fn send_due(&mut self) -> Result<Option<u64>, LoadError> {
        let mut sent = 0;
        for _ in 0..LOOKED_AT {
            let now = self.now();
            let at = match self.schedule.peek() {
                None => return Ok(None),
                Some(Ok(query)) => query.at,
                Some(Err(_)) => now,
            };
            if at >= self.bounds.time.as_nanos() as u64 {
                return Ok(None);
            }
            if at > now || sent == BURST {
                return Ok(Some(at));
            }
            let Some(query) = self.schedule.next().transpose()? else { return Ok(None) };
            self.count_rate(query.at)?;
            if query.client as usize % self.options.threads.max(1) != self.number {
                continue;
            }
            self.outcome.second(query.at).due += 1;
            // Not sent: sent late, these queries would shift the whole rest of the schedule, and their
            // clients have given up.
            if now - query.at > self.timeout {
                self.outcome.too_late += 1;
                continue;
            }
            self.send(query, now);
            sent += 1;
        }
        Ok(Some(self.now()))
    }

    fn count_rate(&mut self, at: u64) -> Result<(), LoadError> {
        let second = at / 1_000_000_000;
        self.second = if self.second.0 == second { (second, self.second.1 + 1) } else { (second, 1) };
        if self.second.1 > self.bounds.rate {
            return Err(LoadError::TooFast { rate: self.bounds.rate, second });
        }
        Ok(())
    }

    fn send(&mut self, query: Query, now: u64) {
        let socket = (query.client as usize / self.options.threads.max(1) % self.sockets.len()) as u32;
        let Some(id) = self.flights.id(socket) else {
            self.outcome.unsent += 1;
            return;
        };
        if query.transport == Transport::Udp {
            self.message.clear();
            query.write(id, &mut self.message);
            if !self.sockets.send(socket, &self.message, &self.poll) {
                self.outcome.unsent += 1;
                return;
            }
            self.outcome.up[0] += self.message.len() as u64;
        }
        self.outcome.sent += 1;
        record(&mut self.outcome.lag, now.saturating_sub(query.at));
        let (stage, tcp) = match query.transport {
            Transport::Udp => (Stage::Udp, false),
            Transport::Tcp | Transport::Tls => (Stage::Tcp, true),
        };
        let ticket = self.flights.begin(query, socket, id, now, stage, now + self.timeout);
        if tcp {
            self.ask_over_tcp(ticket, self.options.keep_connections, now);
        }
    }

    fn receive(&mut self, socket: u32, most: usize) {
        for _ in 0..most {
            let Some(length) = self.sockets.receive(socket, &mut self.buffer) else { return };
            let now = self.now();
            self.outcome.down[0] += length as u64;
            let message = std::mem::take(&mut self.buffer);
            self.read_udp(socket, message.get(..length).unwrap_or_default(), now);
            self.buffer = message;
        }
    }

    fn read_udp(&mut self, socket: u32, octets: &[u8], now: u64) {
        let found = message::answer_id(octets).and_then(|id| self.flights.find(socket, id));
        let Some((ticket, flight)) = found.and_then(|ticket| Some((ticket, self.flights.get(ticket)?)))
        else {
            self.outcome.unexpected += 1;
            return;
        };
        let Some(answer) = message::answer(octets, &flight.query.question) else {
            self.outcome.mismatched += 1;
            return;
        };
        match flight.stage {
            Stage::Udp => {}
            Stage::TimedOut => {
                self.outcome.late += 1;
                return;
            }
            Stage::Tcp | Stage::Answered | Stage::Failed => {
                self.outcome.duplicates += 1;
                return;
            }
        }
        if answer.truncated {
            self.outcome.truncated += 1;
            if self.options.fallback != Fallback::Ignored {
                flight.again = true;
                self.outcome.asked_again += 1;
                self.outcome.size(octets.len());
                self.flights.renew(ticket, Stage::Tcp, now + self.timeout);
                self.ask_over_tcp(ticket, self.options.fallback == Fallback::Kept, now);
                return;
            }
        }
        self.settle(ticket, answer, octets.len(), now);
    }

    pub(super) fn settle(&mut self, ticket: Ticket, answer: Answer, length: usize, now: u64) {
        let Some(flight) = self.flights.get(ticket) else { return };
        let way = match (flight.stage, flight.again) {
            (Stage::Tcp, false) if flight.query.transport == Transport::Tls => Way::Tls,
            (Stage::Tcp, false) => Way::Tcp,
            (Stage::Tcp, true) => Way::Fallback,
            _ => Way::Udp,
        };
        let (due, sent) = (flight.query.at, flight.sent);
        self.outcome.answer(way, due, sent, now);
        self.outcome.rcodes[usize::from(answer.rcode)] += 1;
        self.outcome.authentic += u64::from(answer.authentic);
        self.outcome.size(length);
        self.flights.settle(ticket, Stage::Answered);
    }

    fn give_up(&mut self, ticket: Ticket) {
        let Some(flight) = self.flights.get(ticket) else { return };
        let (due, place, now) = (flight.query.at, flight.place.take(), self.now());
        self.outcome.give_up(due, now);
        self.flights.settle(ticket, Stage::TimedOut);
        self.flights.renew(ticket, Stage::TimedOut, now + self.timeout);
        if let Some(place) = place {
            self.forget_over_tcp(place, ticket);
        }
    }
}

#[cfg(all(test, feature = "tls"))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use fieldtest_dnssec::{Name, Rtype};

    use super::*;
    use crate::query::{Flags, Question};
    use crate::target::Target;

    /// Before the clock runs: what a schedule reads for its first query, and what TLS prepares for its first session.
    #[test]
    fn whatever_is_prepared_once_is_before_the_first_query_is_due() -> Result<(), Box<dyn std::error::Error>>
    {
        let options = Options::new(Target::here("127.0.0.1:9".parse()?)?);
        for (transport, prepared) in [(Transport::Tls, true), (Transport::Udp, false)] {
            static READ: AtomicUsize = AtomicUsize::new(0);
            let question = Question::new(&Name::ROOT, Rtype::SOA);
            let query = Query { at: 0, client: 0, question, transport, edns: None, flags: Flags::default() };
            READ.store(0, Ordering::Relaxed);
            let schedule =
                std::iter::repeat_n(query, 3).inspect(|_| _ = READ.fetch_add(1, Ordering::Relaxed)).map(Ok);
            let mut worker = Worker::new(0, &options, Box::new(schedule))?;
            assert_eq!((worker.tls.is_prepared(), READ.load(Ordering::Relaxed)), (prepared, 1));
            worker.tls.session()?;
            assert!(!worker.tls.is_prepared(), "it is the first that is asked for");
        }
        Ok(())
    }
}
