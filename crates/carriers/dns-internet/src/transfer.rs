//! What it takes to transfer a zone: the octets of AXFR (RFC 5936) and IXFR (RFC 1995) as a server sends them.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use fieldtest_dnssec::{Name, Rtype};

const WAIT: Duration = Duration::from_secs(5);
/// Query types (RFC 1995, section 2; RFC 5936, section 2).
const IXFR: u16 = 251;
const AXFR: u16 = 252;
/// Octets of a DNS header, of a record between name and RDATA, and of the numbers of a SOA record.
const HEADER: usize = 12;
const FIXED: usize = 10;
/// Times that the newest SOA record stands in a transfer of the whole zone: around everything; and of differences: before what is added, too.
const AROUND: usize = 2;
const WITHIN: usize = 3;

/// What was transferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transferred {
    /// Octets of all messages, each with its length.
    pub octets: u64,
    /// Messages.
    pub messages: u64,
    /// Whether it was the difference, and not the whole zone.
    pub is_difference: bool,
    /// The serial of what was sent.
    pub serial: u32,
}

/// The whole zone.
///
/// # Errors
/// The server refuses, is silent, or says what is no transfer.
pub fn whole(server: SocketAddr, zone: &Name) -> io::Result<Transferred> {
    transfer(server, &query(zone, AXFR, None))
}

/// What became different since `serial`; the whole zone where the server does not have that.
///
/// # Errors
/// As [`whole`].
pub fn since(server: SocketAddr, zone: &Name, serial: u32) -> io::Result<Transferred> {
    transfer(server, &query(zone, IXFR, Some(serial)))
}

/// The serial of the zone that a server has.
///
/// # Errors
/// As [`whole`].
pub fn serial(server: SocketAddr, zone: &Name) -> io::Result<u32> {
    let mut stream = connect(server, &query(zone, Rtype::SOA.0, None))?;
    let message = receive(&mut stream)?;
    let found = records(&message).and_then(|records| records.into_iter().find_map(|record| record.serial));
    found.ok_or_else(|| odd("it has no SOA record"))
}

fn odd(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A query with its length before it; that for differences has the SOA record that is known, of which the serial alone counts.
fn query(zone: &Name, rtype: u16, serial: Option<u32>) -> Vec<u8> {
    let authority = u8::from(serial.is_some());
    let mut message = vec![0, 0, 0x58, 0x46, 0, 0, 0, 1, 0, 0, 0, authority, 0, 0];
    message.extend(zone.as_wire());
    message.extend(rtype.to_be_bytes());
    message.extend([0, 1]);
    if let Some(serial) = serial {
        message.extend(zone.as_wire());
        message.extend(Rtype::SOA.0.to_be_bytes());
        // Class IN, TTL 0, 22 octets: two names that are the root's, and five numbers.
        message.extend([0, 1, 0, 0, 0, 0, 0, 22, 0, 0]);
        message.extend(serial.to_be_bytes());
        message.extend([0; 16]);
    }
    let length = (message.len() - 2) as u16;
    message[..2].copy_from_slice(&length.to_be_bytes());
    message
}

fn connect(server: SocketAddr, query: &[u8]) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&server, WAIT)?;
    stream.set_read_timeout(Some(WAIT))?;
    stream.set_write_timeout(Some(WAIT))?;
    stream.write_all(query)?;
    Ok(stream)
}

fn receive(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut message)?;
    Ok(message)
}

fn transfer(server: SocketAddr, query: &[u8]) -> io::Result<Transferred> {
    let mut stream = connect(server, query)?;
    let mut found = Transferred { octets: 0, messages: 0, is_difference: false, serial: 0 };
    let mut newest: Option<u32> = None;
    let (mut seen, mut before) = (0, 0_usize);
    loop {
        let message = receive(&mut stream)?;
        found.octets += 2 + message.len() as u64;
        found.messages += 1;
        let rcode = message.get(3).map_or(0, |flags| flags & 0x0f);
        if rcode != 0 {
            return Err(odd("the server refuses to transfer the zone"));
        }
        for record in records(&message).ok_or_else(|| odd("the reply is not a DNS message"))? {
            let newest = match newest {
                Some(newest) => newest,
                None => {
                    *newest.insert(record.serial.ok_or_else(|| odd("it does not begin with an SOA record"))?)
                }
            };
            found.serial = newest;
            // The second record is the SOA record from before, or anything else.
            found.is_difference |= before == 1 && record.serial.is_some_and(|serial| serial != newest);
            seen += usize::from(record.serial == Some(newest));
            before += 1;
        }
        if seen >= if found.is_difference { WITHIN } else { AROUND } {
            return Ok(found);
        }
    }
}

struct Record {
    serial: Option<u32>,
}

/// The records in a message's answer section; `None` where it is no message.
fn records(message: &[u8]) -> Option<Vec<Record>> {
    let number = |at: usize| Some(u16::from_be_bytes(*message.get(at..)?.first_chunk()?));
    let mut at = HEADER;
    for _ in 0..number(4)? {
        at = after_name(message, at)? + 4;
    }
    let mut records = Vec::new();
    for _ in 0..number(6)? {
        let fixed = after_name(message, at)?;
        let (rdata, length) = (fixed + FIXED, usize::from(number(fixed + 8)?));
        message.get(rdata..rdata + length)?;
        let serial = if number(fixed)? == Rtype::SOA.0 {
            let numbers = after_name(message, after_name(message, rdata)?)?;
            Some(u32::from_be_bytes(*message.get(numbers..)?.first_chunk()?))
        } else {
            None
        };
        records.push(Record { serial });
        at = rdata + length;
    }
    Some(records)
}

/// Where a name ends, which may end in a pointer (RFC 1035, section 4.1.4).
fn after_name(message: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *message.get(at)? {
            0 => return Some(at + 1),
            pointer if pointer & 0xc0 == 0xc0 => return Some(at + 2),
            length => at += 1 + usize::from(length),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn soa(serial: u8) -> Vec<u8> {
        [&[0_u8, 0, 6, 0, 1, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0, 0, serial][..], &[0; 16]].concat()
    }

    fn other() -> Vec<u8> {
        vec![0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 1]
    }

    fn message(records: &[Vec<u8>]) -> Vec<u8> {
        let header = [0x58, 0x46, 0x84, 0, 0, 0, 0, records.len() as u8, 0, 0, 0, 0];
        let message = [&header[..], &records.concat()].concat();
        [&(message.len() as u16).to_be_bytes()[..], &message].concat()
    }

    /// A server that says this whatever it is asked.
    fn said(messages: Vec<Vec<u8>>) -> io::Result<Transferred> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let server = std::thread::spawn(move || -> io::Result<()> {
            let (mut stream, _) = listener.accept()?;
            stream.read_exact(&mut [0; 2])?;
            stream.write_all(&messages.concat())
        });
        let found = since(address, &Name::ROOT, 1);
        server.join().map_err(|_| odd("the server panicked"))??;
        found
    }

    #[test]
    fn whole_zones_and_differences() -> io::Result<()> {
        let whole = [message(&[soa(2), other()]), message(&[other(), soa(2)])];
        let octets = whole.concat().len() as u64;
        assert_eq!(
            said(whole.to_vec())?,
            Transferred { octets, messages: 2, is_difference: false, serial: 2 }
        );
        let difference = [message(&[soa(2), soa(1), other(), soa(2), other(), soa(2)])];
        assert!(said(difference.to_vec())?.is_difference);
        assert!(said(vec![message(&[other()])]).is_err());
        assert!(said(vec![message(&[soa(2)])]).is_err(), "it ends before its end");
        Ok(())
    }

    #[test]
    fn what_is_cut_off_is_no_message() {
        let whole = &message(&[soa(2), other()])[2..];
        assert_eq!(records(whole).map(|records| records.len()), Some(2));
        for length in 0..whole.len() {
            assert!(records(&whole[..length]).is_none());
        }
    }
}
