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
    read(&exchange(server, name, rtype, wait, 0x20)?)
}

/// As [`ask`], with CD: a resolver gives what it has without validating it (RFC 4035, section 3.2.2).
///
/// # Errors
/// As [`ask`].
pub fn ask_unchecked(server: SocketAddr, name: &Name, rtype: Rtype, wait: Duration) -> io::Result<Said> {
    read(&exchange(server, name, rtype, wait, 0x30)?)
}

/// As [`ask`], with the reasons that the answer gives: codes of Extended DNS Errors (RFC 8914).
///
/// # Errors
/// As [`ask`].
pub fn ask_why(
    server: SocketAddr,
    name: &Name,
    rtype: Rtype,
    wait: Duration,
) -> io::Result<(Said, Vec<u16>)> {
    let answer = exchange(server, name, rtype, wait, 0x20)?;
    Ok((read(&answer)?, reasons(&answer).unwrap_or_default()))
}

/// An answer's message, to a question with these flags.
fn exchange(server: SocketAddr, name: &Name, rtype: Rtype, wait: Duration, flags: u8) -> io::Result<Vec<u8>> {
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
    Ok(answer)
}

fn read(answer: &[u8]) -> io::Result<Said> {
    match answer.first_chunk::<12>() {
        Some([0x4f, 0x54, high, low, _, _, count @ .., _, _, _, _]) if high & 0x80 != 0 => Ok(Said {
            rcode: low & 0x0f,
            authentic: low & 0x20 != 0,
            authoritative: high & 0x04 != 0,
            answers: u16::from_be_bytes(*count),
            octets: answer.len() as u16, // of TCP, so it has no more
        }),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the reply is not an answer")),
    }
}

/// The INFO-CODEs in the OPT record (RFC 6891, section 6.1.2; RFC 8914, section 2).
fn reasons(answer: &[u8]) -> Option<Vec<u16>> {
    const OPT: u16 = 41;
    const EXTENDED_ERROR: u16 = 15;
    let field = |at: usize| Some(u16::from_be_bytes(*answer.get(at..)?.first_chunk()?));
    let name_end = |mut at: usize| loop {
        match *answer.get(at)? {
            0 => return Some(at + 1),
            pointer if pointer >= 0xc0 => return Some(at + 2),
            label => at += 1 + usize::from(label),
        }
    };
    let mut at = 12;
    for _ in 0..field(4)? {
        at = name_end(at)? + 4;
    }
    let records = u32::from(field(6)?) + u32::from(field(8)?) + u32::from(field(10)?);
    let mut codes = Vec::new();
    for _ in 0..records {
        let head = name_end(at)?;
        let (rtype, length) = (field(head)?, usize::from(field(head + 8)?));
        let mut option = head + 10;
        at = option + length;
        while rtype == OPT && option + 4 <= at {
            if field(option)? == EXTENDED_ERROR {
                codes.push(field(option + 4)?);
            }
            option += 4 + usize::from(field(option + 2)?);
        }
    }
    Some(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_an_answer() {
        let mut answer = vec![0x4f, 0x54, 0x81, 0x82, 0, 1, 0, 0, 0, 0, 0, 1, 1, b'x', 0, 0, 1, 0, 1];
        // OPT with a cookie of eight octets and the error 6, "no".
        answer.extend([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 20, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
        answer.extend([0, 15, 0, 4, 0, 6, b'n', b'o']);
        assert_eq!(reasons(&answer), Some(vec![6]));
        assert_eq!(read(&answer).expect("an answer").rcode, Said::SERVFAIL);
        for length in 0..answer.len() {
            let _ = reasons(&answer[..length]);
        }
    }
}
