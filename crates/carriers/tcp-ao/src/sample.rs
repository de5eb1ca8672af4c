//! Packets to try things on, made of whole cloth.

use crate::checksum::Sum;
use crate::ip::TCP;
use crate::option;
use crate::pair::SocketPair;
use crate::tcp::{FIXED_HEADER, MAX_OPTIONS};

/// What a sample packet says beside its ends and its payload.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgment number.
    pub acknowledgment: u32,
    /// The flags, FIN in the lowest bit (RFC 9293, section 3.1).
    pub flags: u8,
    /// Options, at most 40 bytes; filled up with the end-of-list option.
    pub options: &'a [u8],
}

/// The flags of a segment in the middle of a connection: PSH and ACK.
pub const DATA: u8 = 0x18;

/// The timestamps option as every data segment of a modern TCP has it: two no-operations, then kind 8
/// (RFC 7323, section 3.2).
pub fn timestamps(value: u32, echo: u32) -> [u8; 12] {
    let mut option = [1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0];
    option[4..8].copy_from_slice(&value.to_be_bytes());
    option[8..].copy_from_slice(&echo.to_be_bytes());
    option
}

/// A packet that the pair's local end sends, with right lengths and checksums. Options beyond 40 bytes and payload
/// beyond 60,000 are cut off.
pub fn packet(pair: &SocketPair, head: &Head<'_>, payload: &[u8]) -> Vec<u8> {
    let options = head.options.get(..MAX_OPTIONS).unwrap_or(head.options);
    let payload = payload.get(..60_000).unwrap_or(payload);
    let tcp_header = FIXED_HEADER + options.len().next_multiple_of(4);
    let tcp_len = (tcp_header + payload.len()) as u16;
    let (addresses, ports) = pair.as_bytes().split_at(pair.as_bytes().len() - 4);
    let mut packet = Vec::with_capacity(60 + usize::from(tcp_len));
    if pair.is_v6() {
        packet.extend_from_slice(&[0x60, 0, 0, 0]);
        packet.extend_from_slice(&tcp_len.to_be_bytes());
        packet.extend_from_slice(&[TCP, 64]);
        packet.extend_from_slice(addresses);
    } else {
        packet.extend_from_slice(&[0x45, 0]);
        packet.extend_from_slice(&(20 + tcp_len).to_be_bytes());
        packet.extend_from_slice(&[0, 0, 0x40, 0, 64, TCP, 0, 0]);
        packet.extend_from_slice(addresses);
        let checksum = Sum::of(&packet).finish();
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
    }
    let network = packet.len();
    packet.extend_from_slice(ports);
    packet.extend_from_slice(&head.sequence.to_be_bytes());
    packet.extend_from_slice(&head.acknowledgment.to_be_bytes());
    packet.extend_from_slice(&[((tcp_header / 4) << 4) as u8, head.flags, 0xff, 0xff, 0, 0, 0, 0]);
    packet.extend_from_slice(options);
    packet.resize(network + tcp_header, 0);
    packet.extend_from_slice(payload);
    option::write_tcp_checksum(&mut packet, network);
    packet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ip::Packet;

    #[test]
    fn a_sample_is_a_packet() {
        for (local, remote) in
            [("192.0.2.1:179", "192.0.2.2:50000"), ("[2001:db8::1]:179", "[2001:db8::2]:50000")]
        {
            let pair = SocketPair::new(local.parse().unwrap(), remote.parse().unwrap()).unwrap();
            let head = Head { sequence: 7, acknowledgment: 9, flags: DATA, options: &timestamps(1, 2) };
            let bytes = packet(&pair, &head, b"payload");
            let parsed = Packet::parse(&bytes).unwrap().expect("TCP");
            assert!(pair.sends(&parsed));
            assert_eq!((parsed.segment().sequence(), parsed.segment().payload()), (7, &b"payload"[..]));
            // The sum over pseudo-header and segment, checksum included, is all ones, and its complement zero.
            let mut sum = Sum::of(&pair.as_bytes()[..pair.as_bytes().len() - 4]);
            sum.add_word(u16::from(TCP));
            sum.add_word(parsed.segment().bytes().len() as u16);
            sum.add(parsed.segment().bytes());
            assert_eq!(sum.finish(), 0);
        }
    }
}
