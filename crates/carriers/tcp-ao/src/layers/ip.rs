//! IP headers on the way to a TCP segment.

use std::borrow::Cow;

use crate::checksum::Sum;
use crate::ip::{Packet, TCP, extension, jumbo};
use crate::tcp::kind;

pub(super) enum Network<'a> {
    /// A TCP segment that can be parsed.
    Tcp(Cow<'a, [u8]>),
    /// Another protocol. `whole` says that nothing of the payload is cut off.
    Upper { protocol: u8, payload: &'a [u8], whole: bool },
    /// A piece of a packet.
    Fragment(Fragment<'a>),
    /// Several TCP segments in one packet, which has more bytes than a length field can say, and an authentication.
    Several,
    /// Headers that lead nowhere.
    Damaged,
}

pub(super) struct Fragment<'a> {
    /// What the pieces of one packet have in common: addresses, identification and, in IPv4, protocol.
    pub(super) key: Vec<u8>,
    /// The protocol that the first piece begins with.
    pub(super) protocol: u8,
    /// The header of the packet without its length, as far as it stands in each piece.
    pub(super) header: &'a [u8],
    /// IPv6: where the number of the header behind stands in `header`.
    pub(super) next_at: Option<usize>,
    pub(super) offset: usize,
    pub(super) more: bool,
    pub(super) payload: &'a [u8],
    pub(super) cut: bool,
}

pub(super) fn look(bytes: &[u8]) -> Network<'_> {
    match bytes.first().map(|first| first >> 4) {
        Some(4) => look_v4(bytes),
        Some(6) => look_v6(bytes),
        _ => Network::Damaged,
    }
}

fn look_v4(bytes: &[u8]) -> Network<'_> {
    let Some(header) = bytes.first_chunk::<20>() else { return Network::Damaged };
    let header_len = usize::from(header[0] & 0x0f) * 4;
    let stated = usize::from(u16::from_be_bytes([header[2], header[3]]));
    // A length of 0 is what a capture shows of a packet that the network card is to cut into segments.
    let total = if stated == 0 { bytes.len() } else { stated };
    let whole = total <= bytes.len();
    let (Some(rest), true) = (bytes.get(..total.min(bytes.len())), header_len >= 20) else {
        return Network::Damaged;
    };
    let Some((head, payload)) = rest.split_at_checked(header_len) else { return Network::Damaged };
    let place = u16::from_be_bytes([header[6], header[7]]);
    if place & 0x3fff != 0 {
        return Network::Fragment(Fragment {
            key: [&header[12..20], &header[4..6], &header[9..10]].concat(),
            protocol: header[9],
            header: head,
            next_at: None,
            offset: usize::from(place & 0x1fff) * 8,
            more: place & 0x2000 != 0,
            payload,
            cut: !whole,
        });
    }
    if header[9] == extension::AUTHENTICATION
        && let Some(packet) = without_authentication(head, payload)
    {
        return tcp(Cow::Owned(packet));
    }
    if header[9] != TCP {
        return Network::Upper { protocol: header[9], payload, whole };
    }
    if stated != 0 { tcp(Cow::Borrowed(bytes)) } else { with_length(bytes, 2, total) }
}

/// The packet without the authentication header between IPv4 and TCP (RFC 4302), which TCP-AO knows nothing of.
fn without_authentication(header: &[u8], payload: &[u8]) -> Option<Vec<u8>> {
    let &[TCP, length, ..] = payload else { return None };
    let segment = payload.get((usize::from(length) + 2) * 4..)?;
    let mut header = header.to_vec();
    *header.get_mut(9)? = TCP;
    join(&header, None, TCP, segment)
}

fn look_v6(bytes: &[u8]) -> Network<'_> {
    let Some(header) = bytes.first_chunk::<40>() else { return Network::Damaged };
    let stated = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let total = if stated == 0 && header[6] != NO_NEXT_HEADER { bytes.len() } else { 40 + stated };
    let whole = total <= bytes.len();
    let Some(rest) = bytes.get(..total.min(bytes.len())) else { return Network::Damaged };
    let (mut next, mut next_at, mut at) = (header[6], 6, 40);
    // Every header has 8 bytes at least, so that this ends.
    while extension::is_one(next) {
        let Some(head) = rest.get(at..).and_then(|rest| rest.first_chunk::<{ extension::LEAST }>()) else {
            return Network::Damaged;
        };
        let place = u16::from_be_bytes([head[2], head[3]]);
        if next == extension::FRAGMENT && place & 0xfff9 != 0 {
            return Network::Fragment(Fragment {
                key: [&header[8..40], &head[4..8]].concat(),
                protocol: head[0],
                header: rest.get(..at).unwrap_or_default(),
                next_at: Some(next_at),
                offset: usize::from(place & 0xfff8),
                more: place & 1 != 0,
                payload: rest.get(at + 8..).unwrap_or_default(),
                cut: !whole,
            });
        }
        (next, next_at, at) = (head[0], at, at + extension::length(next, head));
    }
    if next == TCP {
        let has_length = stated != 0 || jumbo::length(bytes).is_some();
        return if has_length { tcp(Cow::Borrowed(bytes)) } else { with_length(bytes, 4, total - 40) };
    }
    Network::Upper { protocol: next, payload: rest.get(at..).unwrap_or_default(), whole }
}

/// IPv6's “no next header”.
const NO_NEXT_HEADER: u8 = 59;

fn tcp(packet: Cow<'_, [u8]>) -> Network<'_> {
    match Packet::parse(&packet) {
        Ok(Some(_)) => Network::Tcp(packet),
        _ => Network::Damaged,
    }
}

/// A packet with a length where it had none. More than 65,535 bytes have no length: a host hands them to its network card
/// as one packet, which is several segments on the wire. Their MACs would not be known, but the headers are.
fn with_length(bytes: &[u8], at: usize, length: usize) -> Network<'_> {
    let stated = u16::try_from(length);
    let mut packet = bytes.to_vec();
    packet.truncate(bytes.len() - length + usize::from(stated.unwrap_or(u16::MAX)));
    let Some(field) = packet.get_mut(at..at + 2) else { return Network::Damaged };
    field.copy_from_slice(&stated.unwrap_or(u16::MAX).to_be_bytes());
    let network = tcp(Cow::Owned(packet));
    match &network {
        Network::Tcp(packet) if stated.is_err() && has_authentication(packet) => Network::Several,
        _ => network,
    }
}

fn has_authentication(packet: &[u8]) -> bool {
    let Ok(Some(packet)) = Packet::parse(packet) else { return false };
    let mut options = packet.segment().options();
    options.any(|option| option.is_ok_and(|option| matches!(option.kind, kind::AO | kind::MD5)))
}

/// What stands in place of a packet whose IP header does not say its length.
pub(crate) enum Unstated {
    Length(Vec<u8>),
    /// It has more bytes than a length can say.
    Several,
}

/// Looks at a packet whose IP header may not say its length; `None` if it does, or it holds no TCP segment.
pub(crate) fn unstated(bytes: &[u8]) -> Option<Unstated> {
    match bytes {
        [first, _, 0, 0, ..] if first >> 4 == 4 => {}
        [first, _, _, _, 0, 0, ..] if first >> 4 == 6 && jumbo::length(bytes).is_none() => {}
        _ => return None,
    }
    match look(bytes) {
        Network::Several => Some(Unstated::Several),
        Network::Tcp(Cow::Owned(packet)) if packet.len() == bytes.len() => Some(Unstated::Length(packet)),
        Network::Tcp(_) if bytes.len() > usize::from(u16::MAX) => Some(Unstated::Several),
        _ => None,
    }
}

/// The packet that a first piece's header and the whole payload make.
pub(super) fn join(header: &[u8], next_at: Option<usize>, protocol: u8, payload: &[u8]) -> Option<Vec<u8>> {
    let mut packet = [header, payload].concat();
    let length = |bytes: usize| u16::try_from(bytes).ok().map(u16::to_be_bytes);
    match next_at {
        None => {
            let total = length(packet.len())?;
            packet.get_mut(2..4)?.copy_from_slice(&total);
            packet.get_mut(6..8)?.fill(0);
            packet.get_mut(10..12)?.fill(0);
            let checksum = Sum::of(packet.get(..header.len())?).finish();
            packet.get_mut(10..12)?.copy_from_slice(&checksum.to_be_bytes());
        }
        Some(at) => {
            let total = length(packet.len().checked_sub(40)?)?;
            packet.get_mut(4..6)?.copy_from_slice(&total);
            *packet.get_mut(at)? = protocol;
        }
    }
    Some(packet)
}
