//! IPv4 (RFC 791) and IPv6 (RFC 8200) packets that carry TCP.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::checksum::Sum;
pub use crate::malformed::Malformed;
use crate::tcp::Segment;

pub(crate) const TCP: u8 = 6;

/// Both addresses as they stand in the IP header, source first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Addresses<'a> {
    V4(&'a [u8; 8]),
    V6(&'a [u8; 32]),
}

/// An IP packet with a TCP segment in it. It borrows the bytes and is cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    bytes: &'a [u8],
    segment: Segment<'a>,
    addresses: Addresses<'a>,
}

impl<'a> Packet<'a> {
    /// Reads a packet that begins with its IP header. Bytes behind the length that the header states, such as the
    /// padding of a short Ethernet frame, are cut off.
    ///
    /// `None` means a well-formed packet that holds no whole TCP segment: another protocol, or a fragment;
    /// [`Layers`](crate::layers::Layers) looks further.
    ///
    /// # Errors
    /// [`Malformed`] where a length leads out of the packet. The TCP options are not looked at.
    #[inline(always)]
    pub fn parse(bytes: &'a [u8]) -> Result<Option<Packet<'a>>, Malformed> {
        match bytes.first().map(|first| first >> 4) {
            Some(4) => Self::parse_v4(bytes),
            Some(6) => Self::parse_v6(bytes),
            Some(version) => Err(Malformed::Version { version }),
            None => Err(Malformed::ShortPacket { found: 0 }),
        }
    }

    #[inline(always)]
    fn parse_v4(bytes: &'a [u8]) -> Result<Option<Packet<'a>>, Malformed> {
        let short = Malformed::ShortPacket { found: bytes.len() };
        let header = bytes.first_chunk::<20>().ok_or(short)?;
        let total = usize::from(u16::from_be_bytes([header[2], header[3]]));
        let network_len = usize::from(header[0] & 0x0f) * 4;
        let whole = bytes.get(..total).ok_or(Malformed::IpLength { stated: total, found: bytes.len() })?;
        if network_len < 20 {
            return Err(Malformed::IpLength { stated: network_len, found: 20 });
        }
        let segment = whole
            .get(network_len..)
            .ok_or(Malformed::IpLength { stated: network_len, found: whole.len() })?;
        let fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0;
        if header[9] != TCP || fragment {
            return Ok(None);
        }
        let (_, both) = header.split_last_chunk().ok_or(short)?;
        Ok(Some(Packet { bytes: whole, segment: Segment::parse(segment)?, addresses: Addresses::V4(both) }))
    }

    #[inline(always)]
    fn parse_v6(bytes: &'a [u8]) -> Result<Option<Packet<'a>>, Malformed> {
        let short = Malformed::ShortPacket { found: bytes.len() };
        let header = bytes.first_chunk::<40>().ok_or(short)?;
        let total = match u16::from_be_bytes([header[4], header[5]]) {
            0 => 40 + jumbo::length(bytes).unwrap_or(0),
            stated => 40 + usize::from(stated),
        };
        let whole = bytes.get(..total).ok_or(Malformed::IpLength { stated: total, found: bytes.len() })?;
        let Some(network_len) = skip_extensions(whole, header[6])? else { return Ok(None) };
        let segment = whole
            .get(network_len..)
            .ok_or(Malformed::IpLength { stated: network_len, found: whole.len() })?;
        let (_, both) = header.split_last_chunk().ok_or(short)?;
        Ok(Some(Packet { bytes: whole, segment: Segment::parse(segment)?, addresses: Addresses::V6(both) }))
    }

    /// The packet from its IP header to the end of the segment.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The IP header with its options or extension headers: what stands before the TCP header.
    #[inline]
    pub fn network_header(&self) -> &'a [u8] {
        let len = self.bytes.len() - self.segment.bytes().len();
        self.bytes.get(..len).unwrap_or_default()
    }

    /// The TCP segment.
    #[inline]
    pub fn segment(&self) -> &Segment<'a> {
        &self.segment
    }

    /// Whether the packet is IPv6.
    #[inline]
    pub fn is_v6(&self) -> bool {
        matches!(self.addresses, Addresses::V6(_))
    }

    /// Whether its length is in a hop-by-hop option (RFC 2675).
    #[inline]
    pub(crate) fn is_jumbogram(&self) -> bool {
        self.is_v6() && matches!(self.bytes, [_, _, _, _, 0, 0, ..])
    }

    /// The address that the packet comes from.
    pub fn source(&self) -> IpAddr {
        self.address_pair().0
    }

    /// The address that the packet goes to.
    pub fn destination(&self) -> IpAddr {
        self.address_pair().1
    }

    #[inline(always)]
    pub(crate) fn addresses(&self) -> Addresses<'a> {
        self.addresses
    }

    fn address_pair(&self) -> (IpAddr, IpAddr) {
        match self.addresses() {
            Addresses::V4(&[a, b, c, d, e, f, g, h]) => {
                (Ipv4Addr::new(a, b, c, d).into(), Ipv4Addr::new(e, f, g, h).into())
            }
            Addresses::V6(both) => {
                let [mut source, mut destination] = [[0; 16]; 2];
                source.copy_from_slice(&both[..16]);
                destination.copy_from_slice(&both[16..]);
                (Ipv6Addr::from(source).into(), Ipv6Addr::from(destination).into())
            }
        }
    }

    /// What the TCP checksum of this packet should be (RFC 9293, section 3.1).
    pub fn tcp_checksum(&self) -> u16 {
        let segment = self.segment.bytes();
        let mut sum = Sum::of(segment);
        match self.addresses() {
            Addresses::V4(both) => sum.add(both),
            Addresses::V6(both) => sum.add(both),
        }
        sum.add_word(u16::from(TCP));
        sum.add_word((segment.len() >> 16) as u16);
        sum.add_word(segment.len() as u16);
        // What the field holds now was added with the rest; taking it away is adding its complement.
        sum.add_word(!self.segment.checksum());
        sum.finish()
    }
}

/// IPv6's extension headers (the IANA registry “IPv6 Extension Header Types”) but for ESP, behind which nothing can be
/// read.
pub(crate) mod extension {
    pub(super) const HOP_BY_HOP: u8 = 0;
    pub(crate) const ROUTING: u8 = 43;
    pub(crate) const FRAGMENT: u8 = 44;
    pub(crate) const AUTHENTICATION: u8 = 51;
    const DESTINATION: u8 = 60;
    const MOBILITY: u8 = 135;
    const HOST_IDENTITY: u8 = 139;
    const SHIM6: u8 = 140;

    /// Every extension header is at least so many bytes long.
    pub(crate) const LEAST: usize = 8;

    /// Whether the next header of this number is one of them.
    pub(crate) fn is_one(next: u8) -> bool {
        matches!(
            next,
            HOP_BY_HOP | ROUTING | FRAGMENT | AUTHENTICATION | DESTINATION | MOBILITY | HOST_IDENTITY | SHIM6
        )
    }

    /// Bytes of the extension header of this number that begins with `head`.
    pub(crate) fn length(number: u8, head: &[u8; LEAST]) -> usize {
        match number {
            FRAGMENT => 8,
            AUTHENTICATION => (usize::from(head[1]) + 2) * 4,
            _ => (usize::from(head[1]) + 1) * 8,
        }
    }
}

/// Jumbograms (RFC 2675): IPv6 packets of more than 65,535 bytes, whose length is in a hop-by-hop option.
pub(crate) mod jumbo {
    /// The option's kind, and bytes of its length.
    const JUMBO: u8 = 0xc2;
    const LENGTH: u8 = 4;
    const PAD_1: u8 = 0;
    const PAD_N: u8 = 1;

    /// Bytes behind the IPv6 header of a jumbogram; `None` for other packets, and for lengths that a jumbogram may not have.
    #[cold]
    pub(crate) fn length(packet: &[u8]) -> Option<usize> {
        let at = place(packet)?;
        let stated = u32::from_be_bytes(*packet.get(at..)?.first_chunk()?);
        (stated > u32::from(u16::MAX)).then_some(stated as usize)
    }

    /// Where the length stands in a packet without a length in its IPv6 header.
    fn place(packet: &[u8]) -> Option<usize> {
        let [_, _, _, _, 0, 0, super::extension::HOP_BY_HOP, ..] = packet else { return None };
        let head = packet.get(40..)?.first_chunk()?;
        let end = 40 + super::extension::length(super::extension::HOP_BY_HOP, head);
        let mut at = 42;
        while at < end {
            match packet.get(at..end)? {
                [PAD_1, ..] => at += 1,
                [JUMBO, LENGTH, _, _, _, _, ..] => return Some(at + 2),
                [_, length, ..] => at += 2 + usize::from(*length),
                _ => return None,
            }
        }
        None
    }

    /// Writes another length into a jumbogram's headers; false if they are none of one. What is no jumbogram any more has
    /// padding in place of the option.
    pub(crate) fn put_length(packet: &mut [u8], length: usize) -> bool {
        let (Some(at), Ok(length)) = (place(packet), u32::try_from(length)) else { return false };
        let [.., high, low] = length.to_be_bytes();
        let (kind, value) = match u16::try_from(length) {
            Ok(_) => (PAD_N, [0; 4]),
            Err(_) => (JUMBO, length.to_be_bytes()),
        };
        if kind == PAD_N {
            packet.iter_mut().skip(4).zip([high, low]).for_each(|(to, byte)| *to = byte);
        }
        let option = [&[kind, LENGTH][..], &value].concat();
        packet.iter_mut().skip(at - 2).zip(option).for_each(|(to, byte)| *to = byte);
        true
    }
}

/// Whether a packet that begins with its IP header has an authentication header (RFC 4302) before anything that is no
/// extension header. It covers all that is behind it.
pub(crate) fn is_authenticated(packet: &[u8]) -> bool {
    let (mut next, mut at) = match packet {
        [first, ..] if first >> 4 == 4 => {
            return packet.get(9) == Some(&extension::AUTHENTICATION);
        }
        [_, _, _, _, _, _, next, ..] => (*next, 40),
        _ => return false,
    };
    while extension::is_one(next) && next != extension::AUTHENTICATION {
        let Some(head) = packet.get(at..).and_then(<[u8]>::first_chunk) else { return false };
        at += extension::length(next, head);
        next = head[0];
    }
    next == extension::AUTHENTICATION
}

/// The number of bytes before the TCP header, or `None` where there is none or only a piece of one.
fn skip_extensions(packet: &[u8], first: u8) -> Result<Option<usize>, Malformed> {
    let (mut next, mut at) = (first, 40);
    while next != TCP {
        if !extension::is_one(next) {
            return Ok(None);
        }
        let rest = packet.get(at..).unwrap_or_default();
        let short = Malformed::IpLength { stated: extension::LEAST, found: rest.len() };
        let head = rest.first_chunk().ok_or(short)?;
        match next {
            extension::FRAGMENT if u16::from_be_bytes([head[2], head[3]]) & 0xfff9 != 0 => return Ok(None),
            extension::ROUTING if head[3] != 0 => return Err(Malformed::Routing),
            _ => at += extension::length(next, head),
        }
        next = head[0];
    }
    Ok(Some(at))
}
