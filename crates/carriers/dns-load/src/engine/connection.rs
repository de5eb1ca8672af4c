//! TCP connections (RFC 7766), plain or with TLS: made without waiting, written and read as far as the system takes and has.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use rustix::io::Errno;
use rustix::net::sockopt::{set_tcp_nodelay, socket_error};
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with};

use super::flight::Ticket;
use super::tls::Session;

#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    session: Option<Session>,
    pub(super) client: u32,
    /// Whether it stays for its client's next query.
    pub(super) kept: bool,
    pub(super) begun: u64,
    pub(super) is_open: bool,
    pub(super) counted: bool,
    pub(super) answers: u64,
    /// The queries that wait for an answer, with their IDs.
    pub(super) asked: Vec<(u16, Ticket)>,
    out: Vec<u8>,
    written: usize,
    inbox: Vec<u8>,
    /// How much of it was taken as messages.
    taken: usize,
}

/// What a look at a connection showed.
#[derive(Debug)]
pub(super) enum State {
    Open,
    /// It goes on, and may have more to read than one look takes.
    Unread,
    /// The server ended it.
    Closed,
    /// It is broken, or was never made.
    Broken(io::Error),
}

impl Connection {
    /// Begins to connect.
    ///
    /// # Errors
    /// The system's: no descriptor or no port is left, say.
    pub(super) fn begin(
        server: SocketAddr,
        session: Option<Session>,
        client: u32,
        kept: bool,
        now: u64,
    ) -> io::Result<Connection> {
        let family = if server.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(family, SocketType::STREAM, flags, None)?;
        set_tcp_nodelay(&socket, true)?;
        match connect(&socket, &server) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Connection {
            stream: socket.into(),
            session,
            client,
            kept,
            begun: now,
            is_open: false,
            counted: false,
            answers: 0,
            asked: Vec::new(),
            out: Vec::new(),
            written: 0,
            inbox: Vec::new(),
            taken: 0,
        })
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Asks a message, which is written as soon as the system takes it.
    pub(super) fn ask(&mut self, id: u16, ticket: Ticket, message: &[u8]) {
        // Of an earlier query that was given up.
        self.asked.retain(|(asked, _)| *asked != id);
        self.asked.push((id, ticket));
        self.out.extend((message.len() as u16).to_be_bytes());
        self.out.extend(message);
    }

    pub(super) fn answered(&mut self, id: u16) -> Option<Ticket> {
        let at = self.asked.iter().position(|(asked, _)| *asked == id)?;
        Some(self.asked.swap_remove(at).1)
    }

    pub(super) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Whether what is asked is on its way: it is there, and the handshake of its session is over.
    pub(super) fn is_ready(&self) -> bool {
        self.is_open && self.session.as_ref().is_none_or(Session::is_ready)
    }

    /// Whether the connection that was begun is there; an error if it will not be.
    pub(super) fn opened(&self) -> io::Result<bool> {
        if self.is_open {
            return Ok(true);
        }
        socket_error(&self.stream)?.map_err(io::Error::from)?;
        match self.stream.peer_addr() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes what waits, as far as the system takes it; says how many octets it took.
    pub(super) fn write(&mut self) -> io::Result<usize> {
        if let Some(session) = &mut self.session {
            session.take(&self.out)?;
            self.out.clear();
            return session.write(&mut self.stream);
        }
        let mut taken = 0;
        while let Some(rest) = self.out.get(self.written..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(some) => {
                    self.written += some;
                    taken += some;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(taken),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.written = 0;
        Ok(taken)
    }

    /// Reads what is there, up to about the buffer's length, so that no server keeps the thread from its other work; says how many octets
    /// that was, and what becomes of the connection.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> (usize, State) {
        let mut read = 0;
        while read < buffer.len() {
            let some = match &mut self.session {
                Some(session) => session.read(&mut self.stream, &mut self.inbox),
                None => self.stream.read(buffer).inspect(|some| self.inbox.extend(buffer.iter().take(*some))),
            };
            match some {
                Ok(0) => return (read, State::Closed),
                Ok(some) => read += some,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return (read, State::Open),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return (read, State::Broken(error)),
            }
        }
        (read, State::Unread)
    }

    /// Says that nothing more comes, where there are words for it.
    pub(super) fn end(&mut self) {
        if let Some(session) = &mut self.session {
            session.end(&mut self.stream);
        }
    }

    /// The next whole message that was read, without its length, into `message`.
    pub(super) fn message(&mut self, message: &mut Vec<u8>) -> bool {
        let rest = self.inbox.get(self.taken..).and_then(<[u8]>::split_first_chunk);
        let whole = rest.and_then(|(length, rest)| rest.get(..usize::from(u16::from_be_bytes(*length))));
        let Some(whole) = whole else {
            // Once per look and not per message: a full inbox was moved for each of its messages.
            self.inbox.drain(..std::mem::take(&mut self.taken));
            return false;
        };
        message.clear();
        message.extend(whole);
        self.taken += 2 + whole.len();
        true
    }
}
