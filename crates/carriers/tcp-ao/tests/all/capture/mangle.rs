//! What the way from a sender to a capture does to packets: cutting, wrapping, translating, rewriting.

use std::net::Ipv4Addr;

use fieldtest_tcp_ao::SocketPair;
use fieldtest_tcp_ao::capture::{LinkType, Writer};
use fieldtest_tcp_ao::sample::{self, DATA, Head, timestamps};

/// The fragments of an IP packet, with at most `size` bytes of payload each, a multiple of eight.
pub(crate) fn fragments(packet: &[u8], size: usize, identification: u16) -> Vec<Vec<u8>> {
    let v6 = packet[0] >> 4 == 6;
    let (header, payload) = packet.split_at(if v6 { 40 } else { usize::from(packet[0] & 15) * 4 });
    let count = payload.chunks(size).count();
    let cut = payload.chunks(size).enumerate().map(|(number, piece)| {
        let (offset, more) = (number * size, number + 1 < count);
        fragment(header, piece, offset, more, identification)
    });
    cut.collect()
}

/// One fragment behind a copy of the packet's header.
pub(crate) fn fragment(
    header: &[u8],
    piece: &[u8],
    offset: usize,
    more: bool,
    identification: u16,
) -> Vec<u8> {
    let mut head = header.to_vec();
    if header[0] >> 4 == 6 {
        head[4..6].copy_from_slice(&(8 + piece.len() as u16).to_be_bytes());
        head[6] = 44;
        let place = (offset as u16 | u16::from(more)).to_be_bytes();
        head.extend([header[6], 0, place[0], place[1], 0, 0]);
        head.extend(identification.to_be_bytes());
    } else {
        head[2..4].copy_from_slice(&((header.len() + piece.len()) as u16).to_be_bytes());
        head[4..6].copy_from_slice(&identification.to_be_bytes());
        head[6..8].copy_from_slice(&((offset / 8) as u16 | u16::from(more) << 13).to_be_bytes());
    }
    [head, piece.to_vec()].concat()
}

/// An IPv4 packet of this protocol between two tunnel ends.
pub(crate) fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, protocol, 0, 0];
    packet.extend(Ipv4Addr::new(198, 51, 100, 1).octets());
    packet.extend(Ipv4Addr::new(198, 51, 100, 2).octets());
    packet[2..4].copy_from_slice(&(20 + payload.len() as u16).to_be_bytes());
    [packet, payload.to_vec()].concat()
}

pub(crate) fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0, 0, 0, next, 64];
    packet[4..6].copy_from_slice(&(payload.len() as u16).to_be_bytes());
    packet.extend([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    packet.extend([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    [packet, payload.to_vec()].concat()
}

/// A UDP datagram to a port, in IPv4.
pub(crate) fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut datagram = vec![0xc0, 0];
    datagram.extend(port.to_be_bytes());
    datagram.extend((8 + payload.len() as u16).to_be_bytes());
    datagram.extend([0, 0]);
    ipv4(17, &[datagram, payload.to_vec()].concat())
}

/// A way to put headers before a packet.
pub(crate) type Wrap = fn(&[u8]) -> Vec<u8>;

/// A packet with an authentication header (RFC 4302) between its IP header and what is behind.
pub(crate) fn authenticated(packet: &[u8]) -> Vec<u8> {
    let v6 = packet[0] >> 4 == 6;
    let (length, next, field) = if v6 { (40, 6, 4) } else { (20, 9, 2) };
    let (header, rest) = packet.split_at(length);
    let mut out = [header, &[packet[next], 4, 0, 0], &[7; 20], rest].concat();
    out[next] = 51;
    let total = out.len() - if v6 { 40 } else { 0 };
    out[field..field + 2].copy_from_slice(&(total as u16).to_be_bytes());
    out
}

pub(crate) fn ether_type(packet: &[u8]) -> [u8; 2] {
    if packet[0] >> 4 == 6 { [0x86, 0xdd] } else { [8, 0] }
}

pub(crate) fn ethernet(kind: [u8; 2], payload: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2][..], &kind, payload].concat()
}

/// A pcap file of frames of a link type, a millisecond apart.
pub(crate) fn frames(link: LinkType, frames: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = Writer::pcap(Vec::new(), link).expect("memory");
    for (count, frame) in (0u64..).zip(frames) {
        writer.write(1_700_000_000_000_000_000 + count * 1_000_000, frame).expect("memory");
    }
    writer.finish().expect("memory")
}

/// Segments in the middle of a connection: `exchanges` messages of 50 bytes from either end, the first right behind
/// the given numbers.
pub(crate) fn exchange(pair: &SocketPair, opener: u32, answerer: u32, exchanges: u32) -> Vec<Vec<u8>> {
    let options = timestamps(2, 3);
    let both = (0..exchanges).flat_map(|count| {
        let (ours, theirs) = (opener.wrapping_add(50 * count), answerer.wrapping_add(50 * count));
        let head =
            |sequence, acknowledgment| Head { sequence, acknowledgment, flags: DATA, options: &options };
        let message = [count as u8; 50];
        [
            sample::packet(pair, &head(ours, theirs), &message),
            sample::packet(&pair.reversed(), &head(theirs, ours.wrapping_add(50)), &message),
        ]
    });
    both.collect()
}

/// The same bytes put in another's place wherever they stand in the first 40 bytes of a packet: addresses and ports.
pub(crate) fn translated(packets: &[Vec<u8>], from: &[u8], to: &[u8]) -> Vec<Vec<u8>> {
    let mut packets = packets.to_vec();
    for packet in &mut packets {
        for at in 12..=24 - from.len() {
            if packet[at..].starts_with(from) {
                packet[at..at + from.len()].copy_from_slice(to);
                break;
            }
        }
    }
    packets
}
