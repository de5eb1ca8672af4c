//! What a gateway does with an IP header: find what the packet carries, and count the hop.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::checksum::Sum;
use crate::ip::extension;

/// Protocol numbers (the IANA registry “Assigned Internet Protocol Numbers”).
pub(super) mod protocol {
    pub(in super::super) const ICMP: u8 = 1;
    pub(in super::super) use crate::ip::TCP;
    pub(in super::super) const ICMPV6: u8 = 58;
}

/// An IP packet of any content, or the beginning of one that an ICMP message quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Datagram<'a> {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    /// The protocol behind all extension headers, or the number of the extension header that a later fragment hides.
    pub(super) protocol: u8,
    /// Whether this is a piece of a larger packet.
    pub(super) fragment: bool,
    /// Whether an authentication header (RFC 4302) stands before the protocol's.
    pub(super) authenticated: bool,
    /// What the protocol's header begins; of a later fragment, its bytes.
    pub(super) content: &'a [u8],
}

impl<'a> Datagram<'a> {
    /// Reads a header, whose length fields may say more than there is: an ICMP message quotes only a beginning.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Datagram<'a>> {
        match bytes.first()? >> 4 {
            4 => Self::parse_v4(bytes),
            6 => Self::parse_v6(bytes),
            _ => None,
        }
    }

    fn parse_v4(bytes: &'a [u8]) -> Option<Datagram<'a>> {
        let &[first, _, _, _, _, _, flags, low, _, protocol, _, _, a, b, c, d, e, f, g, h] =
            bytes.first_chunk::<20>()?;
        let length = usize::from(first & 0x0f) * 4;
        let mut datagram = Datagram {
            source: Ipv4Addr::new(a, b, c, d).into(),
            destination: Ipv4Addr::new(e, f, g, h).into(),
            protocol,
            fragment: u16::from_be_bytes([flags, low]) & 0x3fff != 0,
            authenticated: false,
            content: bytes.get(length.max(20)..)?,
        };
        while datagram.protocol == extension::AUTHENTICATION && !datagram.fragment {
            // What is cut off in an ICMP message's quotation stays an authentication header.
            let Some(head) = datagram.content.first_chunk() else { break };
            let Some(content) = datagram.content.get(extension::length(datagram.protocol, head)..) else {
                break;
            };
            (datagram.protocol, datagram.authenticated, datagram.content) = (head[0], true, content);
        }
        Some(datagram)
    }

    fn parse_v6(bytes: &'a [u8]) -> Option<Datagram<'a>> {
        let (header, mut content) = bytes.split_first_chunk::<40>()?;
        let address = |from: usize| -> Option<IpAddr> {
            let octets: [u8; 16] = header.get(from..from + 16)?.try_into().ok()?;
            Some(Ipv6Addr::from(octets).into())
        };
        let mut datagram = Datagram {
            source: address(8)?,
            destination: address(24)?,
            protocol: header[6],
            fragment: false,
            authenticated: false,
            content,
        };
        while extension::is_one(datagram.protocol) {
            let head = content.first_chunk()?;
            let [offset, more] = [u16::from_be_bytes([head[2], head[3]]) >> 3, u16::from(head[3] & 1)];
            let piece = datagram.protocol == extension::FRAGMENT && offset | more != 0;
            datagram.fragment |= piece;
            datagram.authenticated |= datagram.protocol == extension::AUTHENTICATION;
            content = content.get(extension::length(datagram.protocol, head)..)?;
            datagram.protocol = head[0];
            if piece && offset != 0 {
                break;
            }
        }
        Some(Datagram { content, ..datagram })
    }

    /// The ends of the TCP connection whose segment this begins, the sender first.
    pub(super) fn ports(&self) -> Option<(SocketAddr, SocketAddr)> {
        let &[a, b, c, d] = self.content.first_chunk::<4>()?;
        let end = |address, port| SocketAddr::new(address, u16::from_be_bytes(port));
        Some((end(self.source, [a, b]), end(self.destination, [c, d])))
    }

    /// Whether a piece of a packet may belong to TCP or to ICMP. Behind the first piece an extension header hides what
    /// it is.
    pub(super) fn may_hide_tcp_or_icmp(&self) -> bool {
        matches!(self.protocol, protocol::ICMP | protocol::TCP | protocol::ICMPV6)
            || extension::is_one(self.protocol)
    }
}

/// Takes one from the time to live or the hop limit, as a router does (RFC 1812, section 5.3.1; RFC 8200, section 3).
/// `false` means that nothing was left and the packet must not go on.
pub(super) fn count_hop(packet: &mut [u8]) -> bool {
    let v4 = packet.first().is_some_and(|first| first >> 4 == 4);
    let Some(hops) = packet.get_mut(if v4 { 8 } else { 7 }) else { return false };
    if *hops <= 1 {
        return false;
    }
    *hops -= 1;
    if v4 {
        write_header_checksum(packet);
    }
    true
}

pub(super) fn write_header_checksum(packet: &mut [u8]) {
    let length = packet.first().map_or(0, |first| usize::from(first & 0x0f) * 4);
    let Some(header) = packet.get_mut(..length.max(20)) else { return };
    header[10..12].fill(0);
    let checksum = Sum::of(header).finish().to_be_bytes();
    header[10..12].copy_from_slice(&checksum);
}
