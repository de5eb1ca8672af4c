//! One question at a time, over TCP: for whoever wants to know what a server says and not how fast.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use fieldtest_dnssec::{Name, Rtype};

/// What a server said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// The response code: 0 NOERROR, 2 SERVFAIL, 3 NXDOMAIN.
    pub rcode: u8,
    /// AD: the resolver found everything secure.
    pub authentic: bool,
    /// AA: the server has the zone.
    pub authoritative: bool,
    /// Records in the answer section.
    pub answers: u16,
    /// The whole message.
    pub octets: u16,
}

impl Said {
    /// SERVFAIL, as for what is bogus (RFC 4035, section 5.5).
    pub const SERVFAIL: u8 = 2;
    /// There is no such name.
    pub const NXDOMAIN: u8 = 3;
}

/// Asks for `name` with RD, AD and DO, and waits for the answer for so long.
///
/// # Errors
/// Nobody listens or answers, or what comes is no answer.
pub fn ask(server: SocketAddr, name: &Name, rtype: Rtype, wait: Duration) -> io::Result<Said> {
    asked(server, name, rtype, wait, 0x20)
}

/// As [`ask`], with CD: a resolver gives what it has without validating it (RFC 4035, section 3.2.2).
///
/// # Errors
/// As [`ask`].
pub fn ask_unchecked(server: SocketAddr, name: &Name, rtype: Rtype, wait: Duration) -> io::Result<Said> {
    asked(server, name, rtype, wait, 0x30)
}

fn asked(server: SocketAddr, name: &Name, rtype: Rtype, wait: Duration, flags: u8) -> io::Result<Said> {
    let mut message = vec![0, 0, 0x4f, 0x54, 0x01, flags, 0, 1, 0, 0, 0, 0, 0, 1];
    message.extend(name.as_wire());
    message.extend(rtype.0.to_be_bytes());
    // Class IN; the OPT record (RFC 6891) with DO.
    message.extend([0, 1, 0, 0, 41, 0x04, 0xd0, 0, 0, 0x80, 0, 0, 0]);
    let length = (message.len() - 2) as u16;
    message[..2].copy_from_slice(&length.to_be_bytes());
    let mut stream = TcpStream::connect_timeout(&server, wait)?;
    stream.set_read_timeout(Some(wait))?;
    stream.set_write_timeout(Some(wait))?;
    stream.write_all(&message)?;
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut answer = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut answer)?;
    match answer.first_chunk::<12>() {
        Some([0x4f, 0x54, high, low, _, _, count @ .., _, _, _, _]) if high & 0x80 != 0 => Ok(Said {
            rcode: low & 0x0f,
            authentic: low & 0x20 != 0,
            authoritative: high & 0x04 != 0,
            answers: u16::from_be_bytes(*count),
            octets: u16::from_be_bytes(length),
        }),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "what came is no answer")),
    }
}
