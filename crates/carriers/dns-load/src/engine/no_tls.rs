//! What stands in the place of [`super::tls`] in a library that was built without its feature `tls`: no session is begun.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, TcpStream};

/// Begins none.
#[derive(Debug)]
pub(super) struct Tls;

impl Tls {
    /// Nothing is needed for none.
    pub(super) fn new(_server: IpAddr, _resume: bool) -> io::Result<Tls> {
        Ok(Tls)
    }

    pub(super) fn prepare(&mut self) -> io::Result<()> {
        self.session().map(|_| ())
    }

    pub(super) fn session(&mut self) -> io::Result<Session> {
        Err(io::Error::new(ErrorKind::Unsupported, "fieldtest-dns-load was built without its feature `tls`"))
    }
}

#[derive(Debug)]
pub(super) enum Session {}

impl Session {
    pub(super) fn is_ready(&self) -> bool {
        match *self {}
    }

    pub(super) fn is_resumed(&self) -> bool {
        match *self {}
    }

    pub(super) fn take(&mut self, _plain: &[u8]) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn write(&mut self, _stream: &mut TcpStream) -> io::Result<usize> {
        match *self {}
    }

    pub(super) fn read(&mut self, _stream: &mut TcpStream, _plain: &mut Vec<u8>) -> io::Result<usize> {
        match *self {}
    }

    pub(super) fn end(&mut self, _stream: &mut TcpStream) {
        match *self {}
    }
}

/// What TLS says of an error, if it is one of its own.
pub(super) fn words(_error: &io::Error) -> Option<String> {
    None
}
