//! UDP sockets: one source port each.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use rustix::net::sockopt::set_socket_recv_buffer_size;

use super::poll::Poll;

/// Octets of answers that the system keeps for a socket while its thread is busy, if it allows that many.
const KEPT: usize = 4 << 20;

/// How often a datagram is tried for which the system has no room. Loopback never has none; elsewhere a queue of the network card may.
const TRIES: usize = 1_000;

#[derive(Debug)]
pub(super) struct Sockets {
    all: Vec<Option<UdpSocket>>,
    server: SocketAddr,
    /// How often the system said that nobody listens.
    pub(super) unreachable: u64,
}

impl Sockets {
    /// So many, none of them made yet.
    pub(super) fn new(number: usize, server: SocketAddr) -> Sockets {
        Sockets { all: (0..number).map(|_| None).collect(), server, unreachable: 0 }
    }

    /// Makes one that is not there yet, connected to the server and watched.
    pub(super) fn open(&mut self, number: usize, poll: &Poll) -> io::Result<&UdpSocket> {
        let server = self.server;
        let make = || -> io::Result<UdpSocket> {
            let any =
                if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
            let socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
            // A smaller buffer does, too, until the thread is late.
            let _ = set_socket_recv_buffer_size(&socket, KEPT);
            socket.connect(server)?;
            socket.set_nonblocking(true)?;
            poll.watch_socket(&socket, number as u32)?;
            Ok(socket)
        };
        let place = &mut self.all[number];
        if place.is_none() {
            *place = Some(make()?);
        }
        place.as_ref().ok_or_else(|| ErrorKind::NotConnected.into())
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Sends a datagram; says whether it is on its way.
    pub(super) fn send(&mut self, number: u32, message: &[u8], poll: &Poll) -> bool {
        for _ in 0..TRIES {
            let Ok(socket) = self.open(number as usize, poll) else { return false };
            match socket.send(message) {
                Ok(_) => return true,
                // Of an earlier datagram, which the system tells of only now.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => self.unreachable += 1,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
                Err(_) => return false,
            }
        }
        false
    }

    /// The next datagram: how many octets of the buffer it has.
    pub(super) fn receive(&mut self, socket: u32, buffer: &mut [u8]) -> Option<usize> {
        match self.all[socket as usize].as_ref()?.recv(buffer) {
            Ok(length) => Some(length),
            Err(error) => {
                self.unreachable += u64::from(error.kind() == ErrorKind::ConnectionRefused);
                None
            }
        }
    }
}
