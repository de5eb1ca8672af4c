//! Queries over TCP, plain or with TLS: which connection they take, and what becomes of it.

use std::io;

use rustix::io::Errno;

use super::connection::{Connection, State};
use super::flight::{Stage, Ticket};
use super::is_exhausted;
use super::poll::Ready;
use super::tls::{self, Session};
use super::worker::Worker;
use crate::message;
use crate::outcome::record;
use crate::query::Transport;

/// Octets of a connection that are read before the others have their turn. Reading until nothing is left kept
/// the thread in one read under a server that sends without end: neither timeouts nor Ctrl-C were looked at.
const READ: usize = 1 << 14;

/// Where the octets of a connection are counted: over TCP, or over TLS.
fn carrier(connection: &Connection) -> usize {
    if connection.session().is_some() { 2 } else { 1 }
}

impl Worker<'_> {
    pub(super) fn ask_over_tcp(&mut self, ticket: Ticket, kept: bool, now: u64) {
        let Some(flight) = self.flights.get(ticket) else { return };
        let (owner, id) = ((flight.query.client, flight.query.transport == Transport::Tls), flight.id);
        let mut message = std::mem::take(&mut self.message);
        message.clear();
        flight.query.write(id, &mut message);
        let there = if kept { self.connections.of_client.get(&owner).copied() } else { None };
        let taken = there.and_then(|place| Some((place, self.connections.take(place)?)));
        let connection = match taken {
            Some(taken) => Ok(taken),
            None => self.connect(owner, kept, now),
        };
        match connection {
            Ok((place, mut connection)) => {
                connection.ask(id, ticket, &message);
                if let Some(flight) = self.flights.get(ticket) {
                    flight.place = Some(place);
                }
                self.go_on(place, connection, State::Open);
            }
            Err(error) => {
                self.count_error(&error);
                self.outcome.refused_here += u64::from(is_exhausted(&error));
                self.fail(ticket);
            }
        }
        self.message = message;
    }

    fn connect(&mut self, owner: (u32, bool), kept: bool, now: u64) -> io::Result<(u32, Connection)> {
        let (client, has_tls) = owner;
        let session = has_tls.then(|| self.tls.session()).transpose()?;
        let connection = Connection::begin(self.options.target.address(), session, client, kept, now)?;
        let (place, turn) = self.connections.place();
        if let Err(error) = self.poll.watch_connection(connection.stream(), place, turn) {
            self.connections.leave(place, &connection);
            return Err(error.into());
        }
        if kept {
            self.connections.of_client.insert(owner, place);
        }
        Ok((place, connection))
    }

    pub(super) fn look_at(&mut self, place: u32, turn: u32) {
        if self.connections.places.get(place as usize).is_none_or(|(current, _)| *current != turn) {
            return;
        }
        let Some(mut connection) = self.connections.take(place) else { return };
        let state = match connection.opened() {
            Ok(false) => State::Open,
            Ok(true) => {
                connection.is_open = true;
                let (octets, mut state) = connection.read(&mut self.buffer[..READ]);
                self.outcome.down[carrier(&connection)] += octets as u64;
                if connection.is_ready() && !connection.counted {
                    self.count_made(&mut connection);
                }
                if matches!(state, State::Unread) {
                    // Edge-triggered epoll does not report the rest again.
                    self.unread.push(Ready::Connection(place, turn));
                    state = State::Open;
                }
                state
            }
            Err(error) => State::Broken(error),
        };
        let mut message = std::mem::take(&mut self.message);
        while connection.message(&mut message) {
            self.read_tcp(&mut connection, &message);
        }
        self.message = message;
        self.go_on(place, connection, state);
    }

    fn count_made(&mut self, connection: &mut Connection) {
        connection.counted = true;
        self.outcome.connections += 1;
        self.outcome.resumed += u64::from(connection.session().is_some_and(Session::is_resumed));
        let took = self.now().saturating_sub(connection.begun);
        record(&mut self.outcome.connect, took);
    }

    fn read_tcp(&mut self, connection: &mut Connection, octets: &[u8]) {
        let now = self.now();
        let found = message::answer_id(octets).and_then(|id| connection.answered(id));
        let Some((ticket, flight)) = found.and_then(|ticket| Some((ticket, self.flights.get(ticket)?)))
        else {
            self.outcome.unexpected += 1;
            return;
        };
        connection.answers += 1;
        match message::answer(octets, &flight.query.question) {
            Some(answer) if flight.stage == Stage::Tcp => self.settle(ticket, answer, octets.len(), now),
            Some(_) => self.outcome.late += 1,
            None => {
                self.outcome.mismatched += 1;
                let id = flight.id;
                connection.asked.push((id, ticket));
            }
        }
    }

    /// Writes what a connection has to write and puts it back, or ends it.
    fn go_on(&mut self, place: u32, mut connection: Connection, mut state: State) {
        if matches!(state, State::Open) && connection.is_open {
            match connection.write() {
                Ok(octets) => self.outcome.up[carrier(&connection)] += octets as u64,
                Err(error) => state = State::Broken(error),
            }
        }
        let done = connection.is_open && !connection.kept && connection.asked.is_empty();
        if matches!(state, State::Open) && !done {
            self.connections.put(place, connection);
            return;
        }
        self.connections.leave(place, &connection);
        if done {
            connection.end();
        }
        // A server may end a kept connection at any time; queries that crossed with that are sent once more (RFC 7766, section 6.2.4).
        let crossed = connection.kept && connection.answers > 0;
        let lost = !connection.asked.is_empty();
        match state {
            State::Open | State::Unread => {}
            State::Closed if lost && !crossed => {
                self.count_error_named("the server closed the connection without an answer")
            }
            State::Closed => {}
            State::Broken(error) => self.count_error(&error),
        }
        for (_, ticket) in connection.asked {
            let again = match self.flights.get(ticket) {
                Some(flight) if flight.stage == Stage::Tcp && crossed && !flight.resent => {
                    flight.resent = true;
                    true
                }
                _ => false,
            };
            if again {
                self.outcome.resent += 1;
                self.ask_over_tcp(ticket, true, self.now());
            } else {
                self.fail(ticket);
            }
        }
    }

    fn fail(&mut self, ticket: Ticket) {
        let Some(flight) = self.flights.get(ticket).filter(|flight| flight.stage == Stage::Tcp) else {
            return;
        };
        let (due, deadline) = (flight.query.at, flight.sent + self.timeout);
        self.outcome.fail(due, deadline.max(self.now()));
        self.flights.settle(ticket, Stage::Failed);
    }

    /// A query over TCP timed out: a connection of its own is of no use any more.
    pub(super) fn forget_over_tcp(&mut self, place: u32, ticket: Ticket) {
        let Some(connection) = self.connections.take(place) else { return };
        if !connection.kept && connection.asked.iter().any(|(_, asked)| *asked == ticket) {
            self.connections.leave(place, &connection);
        } else {
            self.connections.put(place, connection);
        }
    }

    fn count_error(&mut self, error: &io::Error) {
        match tls::words(error) {
            Some(words) => self.count_error_named(&words),
            None if matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE)) => {
                self.count_error_named("this program may open no more files: raise the limit (ulimit -n)");
            }
            None if is_exhausted(error) => {
                self.count_error_named("this machine has no port left: they rest for a minute")
            }
            None => self.count_error_named(&error.kind().to_string()),
        }
    }

    fn count_error_named(&mut self, words: &str) {
        *self.outcome.connection_errors.entry(words.to_owned()).or_default() += 1;
    }
}
