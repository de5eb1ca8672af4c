//! The reset that tells the inner host that its connection cannot go on (RFC 9293, section 3.10.7.1).

use super::network::{protocol, write_header_checksum};
use crate::ip::Packet;
use crate::option::write_tcp_checksum;
use crate::pair::SocketPair;
use crate::tcp::FIXED_HEADER;

const HOPS: u8 = 64;

/// Writes into `out` the reset that the other end of `packet`'s connection would send if it knew of no connection.
/// A reset is not answered: `false`.
pub(super) fn answer(packet: &Packet<'_>, out: &mut Vec<u8>) -> bool {
    let segment = packet.segment();
    if segment.flags().rst() {
        return false;
    }
    let pair = SocketPair::of_receiver(packet);
    let pair = pair.as_bytes();
    out.clear();
    let network = if packet.is_v6() {
        out.extend_from_slice(&[0x60, 0, 0, 0, 0, FIXED_HEADER as u8, protocol::TCP, HOPS]);
        40
    } else {
        out.extend_from_slice(&[
            0x45,
            0,
            0,
            20 + FIXED_HEADER as u8,
            0,
            0,
            0x40,
            0,
            HOPS,
            protocol::TCP,
            0,
            0,
        ]);
        20
    };
    // The pair is laid out as the headers are: both addresses, then both ports.
    out.extend_from_slice(pair);
    let (sequence, acknowledgement, flags) = if segment.flags().ack() {
        (segment.acknowledgement(), 0, 0x04)
    } else {
        (0, segment.sequence().wrapping_add(segment.sequence_len()), 0x14)
    };
    out.extend_from_slice(&sequence.to_be_bytes());
    out.extend_from_slice(&acknowledgement.to_be_bytes());
    out.extend_from_slice(&[5 << 4, flags, 0, 0, 0, 0, 0, 0]);
    if !packet.is_v6() {
        write_header_checksum(out);
    }
    write_tcp_checksum(out, network);
    true
}
