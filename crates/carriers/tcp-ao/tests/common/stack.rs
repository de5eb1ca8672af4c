//! A TCP of its own for tests: makes segments as one end of a connection sends them, and remembers nothing that the
//! tests do not ask for.

#![allow(dead_code)] // Not every test uses all of it.

use std::net::SocketAddr;
use std::sync::Arc;

use fieldtest_tcp_ao::session::{Accepted, Refusal, Session, Signed};
use fieldtest_tcp_ao::{Mkt, Packet, SocketPair};

pub(crate) const FIN: u8 = 0x01;
pub(crate) const SYN: u8 = 0x02;
pub(crate) const RST: u8 = 0x04;
pub(crate) const ACK: u8 = 0x10;

/// The usual options of a SYN: maximum segment size, window scale, SACK permitted, timestamps.
pub(crate) const SYN_OPTIONS: [u8; 20] = [2, 4, 5, 0xb4, 1, 3, 3, 8, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0];
/// The usual options of a data segment: timestamps.
pub(crate) const DATA_OPTIONS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 2, 0, 0, 0, 1];

pub(crate) fn parse(bytes: &[u8]) -> Packet<'_> {
    Packet::parse(bytes).unwrap().unwrap()
}

pub(crate) struct End {
    pub(crate) session: Session,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    /// The next sequence number to send, and the next one expected.
    pub(crate) next: u32,
    pub(crate) expected: u32,
}

impl End {
    pub(crate) fn new(local: &str, remote: &str, isn: u32, mkts: impl IntoIterator<Item = Arc<Mkt>>) -> End {
        let (local, remote) = (local.parse().unwrap(), remote.parse().unwrap());
        let pair = SocketPair::new(local, remote).unwrap();
        End { session: Session::new(pair, mkts).unwrap(), local, remote, next: isn, expected: 0 }
    }

    pub(crate) fn segment(&self, flags: u8, sequence: u32, options: &[u8], payload: &[u8]) -> Vec<u8> {
        segment(self.local, self.remote, flags, sequence, self.expected, options, payload)
    }

    /// Signs the next segment of the stream and moves on.
    pub(crate) fn send(&mut self, flags: u8, payload: &[u8]) -> Vec<u8> {
        let options = if flags & SYN != 0 { &SYN_OPTIONS[..] } else { &DATA_OPTIONS };
        let bare = self.segment(flags, self.next, options, payload);
        self.next = self.next.wrapping_add(payload.len() as u32 + u32::from(flags & (SYN | FIN) != 0));
        self.sign(&bare).1
    }

    pub(crate) fn sign(&mut self, bare: &[u8]) -> (Signed, Vec<u8>) {
        let mut out = Vec::new();
        let signed = self.session.sign(bare, &mut out).unwrap();
        let packet = parse(&out);
        assert_eq!(packet.segment().checksum(), packet.tcp_checksum());
        assert_eq!(packet.bytes().len(), out.len());
        (signed, out)
    }

    /// Verifies a segment and, where it is accepted, expects what follows it.
    pub(crate) fn receive(&mut self, packet: &[u8]) -> Result<Accepted, Refusal> {
        let accepted = self.session.verify(packet)?;
        let packet = parse(packet);
        self.expected = packet.segment().sequence().wrapping_add(packet.segment().sequence_len());
        Ok(accepted)
    }
}

/// Sends the next segment of one end to the other, which must accept it.
pub(crate) fn carry(from: &mut End, to: &mut End, flags: u8, payload: &[u8]) -> Accepted {
    to.receive(&from.send(flags, payload)).unwrap()
}

pub(crate) fn handshake(client: &mut End, server: &mut End) {
    carry(client, server, SYN, b"");
    carry(server, client, SYN | ACK, b"");
    carry(client, server, ACK, b"");
}

/// A session of the same end with the same keys, joined with these initial sequence numbers.
pub(crate) fn joined(session: &Session, local: u32, remote: u32) -> Session {
    let mkts = session.mkts().cloned().collect::<Vec<_>>();
    Session::established(*session.pair(), mkts, local, remote).unwrap()
}

/// A whole packet with right lengths and checksums.
pub(crate) fn segment(
    source: SocketAddr,
    destination: SocketAddr,
    flags: u8,
    sequence: u32,
    acknowledgement: u32,
    options: &[u8],
    payload: &[u8],
) -> Vec<u8> {
    let acknowledgement = if flags & ACK != 0 { acknowledgement } else { 0 };
    let length = 20 + options.len() + payload.len();
    let mut packet = Vec::new();
    match (source, destination) {
        (SocketAddr::V4(source), SocketAddr::V4(destination)) => {
            packet.extend_from_slice(&[0x45, 0]);
            packet.extend_from_slice(&((20 + length) as u16).to_be_bytes());
            packet.extend_from_slice(&[0x12, 0x34, 0x40, 0, 64, 6, 0, 0]);
            packet.extend_from_slice(&source.ip().octets());
            packet.extend_from_slice(&destination.ip().octets());
            let checksum = internet_checksum(&packet);
            packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        }
        (SocketAddr::V6(source), SocketAddr::V6(destination)) => {
            packet.extend_from_slice(&[0x60, 0, 0, 0]);
            packet.extend_from_slice(&(length as u16).to_be_bytes());
            packet.extend_from_slice(&[6, 64]);
            packet.extend_from_slice(&source.ip().octets());
            packet.extend_from_slice(&destination.ip().octets());
        }
        _ => panic!("two address families"),
    }
    let network = packet.len();
    packet.extend_from_slice(&source.port().to_be_bytes());
    packet.extend_from_slice(&destination.port().to_be_bytes());
    packet.extend_from_slice(&sequence.to_be_bytes());
    packet.extend_from_slice(&acknowledgement.to_be_bytes());
    packet.push((((20 + options.len()) / 4) << 4) as u8);
    packet.extend_from_slice(&[flags, 0xff, 0xff, 0, 0, 0, 0]);
    packet.extend_from_slice(options);
    packet.extend_from_slice(payload);
    let checksum = parse(&packet).tcp_checksum();
    packet[network + 16..network + 18].copy_from_slice(&checksum.to_be_bytes());
    packet
}

/// The plain reading of RFC 1071, word by word.
pub(crate) fn internet_checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
