//! ICMP errors that quote a protected connection (RFC 5925, section 7.8; RFC 5927).
//!
//! Whoever can guess a connection's ports can forge them, and TCP-AO does not cover them. So what would end a
//! connection is dropped, and what says that packets are too big goes on only where it quotes a sequence number that is
//! under way, with the MTU lowered by what TCP-AO takes.

use std::net::SocketAddr;

use super::network::{Datagram, protocol};
use crate::checksum::Sum;
use crate::pair::SocketPair;

/// What an error does to the connection that it quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It ends the connection: protocol or port unreachable, administratively prohibited.
    Hard,
    /// It makes the segments smaller, to this MTU.
    TooBig(u32),
    /// It is at most remembered: network or host unreachable, time exceeded.
    Soft,
}

/// An error about a TCP segment that the quoted connection's local end sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IcmpError {
    pub(super) effect: Effect,
    pub(super) pair: SocketPair,
    pub(super) sequence: u32,
}

/// What a packet is to the ICMP rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Icmp {
    /// No error, or one about something else than TCP.
    Other,
    Error(IcmpError),
    /// An error that quotes too little to say what it is about.
    Unreadable,
}

pub(super) fn read(datagram: &Datagram<'_>) -> Icmp {
    let v6 = datagram.protocol == protocol::ICMPV6;
    let Some((&[kind, code, _, _, a, b, c, d], quote)) = datagram.content.split_first_chunk::<8>() else {
        return Icmp::Unreadable;
    };
    let effect = match (v6, kind, code) {
        (false, 3, 2 | 3) | (true, 1, 1 | 4) => Effect::Hard,
        (false, 3, 4) => Effect::TooBig(u32::from(u16::from_be_bytes([c, d]))),
        (true, 2, _) => Effect::TooBig(u32::from_be_bytes([a, b, c, d])),
        // Source quench, redirect, parameter problem and the rest that quote a packet.
        (false, 3 | 4 | 5 | 11 | 12, _) | (true, 0..=127, _) => Effect::Soft,
        _ => return Icmp::Other,
    };
    let Some(quoted) = Datagram::parse(quote) else { return Icmp::Unreadable };
    if quoted.protocol != protocol::TCP {
        return Icmp::Other;
    }
    let Some(&[a, b, c, d, sequence @ ..]) = quoted.content.first_chunk::<8>() else {
        return Icmp::Unreadable;
    };
    let local = SocketAddr::new(quoted.source, u16::from_be_bytes([a, b]));
    let remote = SocketAddr::new(quoted.destination, u16::from_be_bytes([c, d]));
    match SocketPair::new(local, remote) {
        Ok(pair) => Icmp::Error(IcmpError { effect, pair, sequence: u32::from_be_bytes(sequence) }),
        Err(_) => Icmp::Unreadable,
    }
}

/// Writes another MTU into a “packet too big” or “fragmentation needed”, and the checksum that goes with it.
/// `content` is where in `packet` the ICMP message begins.
pub(super) fn write_mtu(packet: &mut [u8], content: usize, mtu: u32) {
    let v6 = packet.first().is_some_and(|first| first >> 4 == 6);
    let addresses: [u8; 32] = packet.get(8..40).and_then(|both| both.try_into().ok()).unwrap_or([0; 32]);
    let Some(message) = packet.get_mut(content..) else { return };
    let Some(head) = message.first_chunk_mut::<8>() else { return };
    let bytes = mtu.to_be_bytes();
    if v6 {
        head[4..].copy_from_slice(&bytes);
    } else {
        head[6..].copy_from_slice(&bytes[2..]);
    }
    head[2..4].fill(0);
    let mut sum = Sum::of(message);
    if v6 {
        // The pseudo-header of RFC 8200, section 8.1.
        sum.add(&addresses);
        sum.add(&(message.len() as u32).to_be_bytes());
        sum.add_word(u16::from(protocol::ICMPV6));
    }
    if let Some(checksum) = message.get_mut(2..4) {
        checksum.copy_from_slice(&sum.finish().to_be_bytes());
    }
}
