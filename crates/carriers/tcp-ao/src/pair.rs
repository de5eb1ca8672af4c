//! The socket pair that names a connection (RFC 5925, section 3.1; RFC 9293, section 4).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::ip::{Addresses, Packet};
use crate::tcp::Segment;

/// The two addresses of a connection are not of one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} and {1} have different address families; give two IPv4 or two IPv6 addresses")]
pub struct MixedFamilies(pub IpAddr, pub IpAddr);

/// A connection as one of its ends sees it: local address and port, remote address and port.
///
/// It is kept as the key derivation's context has it, addresses first and then ports, so that neither a context nor a
/// comparison with a packet has to convert anything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketPair {
    /// 12 bytes for IPv4, 36 for IPv6; zeros behind.
    bytes: [u8; Self::V6],
    v6: bool,
}

impl SocketPair {
    pub(crate) const V4: usize = 12;
    pub(crate) const V6: usize = 36;

    /// The pair of these two ends. Flow labels and scopes of IPv6 are not part of it.
    ///
    /// # Errors
    /// [`MixedFamilies`] for one IPv4 and one IPv6 address.
    pub fn new(local: SocketAddr, remote: SocketAddr) -> Result<SocketPair, MixedFamilies> {
        let ports = ports(local.port(), remote.port());
        match (local.ip(), remote.ip()) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                let mut both = [0; 8];
                both[..4].copy_from_slice(&a.octets());
                both[4..].copy_from_slice(&b.octets());
                Ok(Self::from_parts(Addresses::V4(&both), ports))
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => {
                let mut both = [0; 32];
                both[..16].copy_from_slice(&a.octets());
                both[16..].copy_from_slice(&b.octets());
                Ok(Self::from_parts(Addresses::V6(&both), ports))
            }
            (a, b) => Err(MixedFamilies(a, b)),
        }
    }

    /// The pair of the end that sent this packet.
    #[inline]
    pub fn of_sender(packet: &Packet<'_>) -> SocketPair {
        Self::from_parts(packet.addresses(), first_four(packet))
    }

    /// The pair of the end that this packet goes to.
    #[inline]
    pub fn of_receiver(packet: &Packet<'_>) -> SocketPair {
        Self::of_sender(packet).reversed()
    }

    #[inline]
    fn from_parts(addresses: Addresses<'_>, ports: [u8; 4]) -> SocketPair {
        let mut bytes = [0; Self::V6];
        let v6 = match addresses {
            Addresses::V4(both) => {
                bytes[..8].copy_from_slice(both);
                bytes[8..12].copy_from_slice(&ports);
                false
            }
            Addresses::V6(both) => {
                bytes[..32].copy_from_slice(both);
                bytes[32..].copy_from_slice(&ports);
                true
            }
        };
        SocketPair { bytes, v6 }
    }

    /// The same connection as the other end sees it.
    pub fn reversed(&self) -> SocketPair {
        let mut bytes = [0; Self::V6];
        let (address, len) = if self.v6 { (16, Self::V6) } else { (4, Self::V4) };
        bytes[..address].copy_from_slice(&self.bytes[address..2 * address]);
        bytes[address..2 * address].copy_from_slice(&self.bytes[..address]);
        bytes[len - 4..len - 2].copy_from_slice(&self.bytes[len - 2..len]);
        bytes[len - 2..len].copy_from_slice(&self.bytes[len - 4..len - 2]);
        SocketPair { bytes, v6: self.v6 }
    }

    /// Whether the packet was sent by this pair's local end to its remote end.
    #[inline(always)]
    pub fn sends(&self, packet: &Packet<'_>) -> bool {
        self.is_of(packet.addresses(), packet.segment())
    }

    /// As [`SocketPair::sends`], for a segment between addresses that are known already.
    #[inline(always)]
    pub(crate) fn is_of(&self, addresses: Addresses<'_>, segment: &Segment<'_>) -> bool {
        let &[a, b, c, d, ..] = segment.fixed_header();
        let ports = [a, b, c, d];
        match addresses {
            Addresses::V4(both) => !self.v6 && self.bytes[..8] == both[..] && self.bytes[8..12] == ports,
            Addresses::V6(both) => self.v6 && self.bytes[..32] == both[..] && self.bytes[32..] == ports,
        }
    }

    /// Local address, remote address, local port, remote port, in network order: 12 or 36 bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        if self.v6 { &self.bytes } else { &self.bytes[..Self::V4] }
    }

    /// Whether the addresses are IPv6.
    pub fn is_v6(&self) -> bool {
        self.v6
    }

    /// The local end.
    pub fn local(&self) -> SocketAddr {
        self.end(0)
    }

    /// The remote end.
    pub fn remote(&self) -> SocketAddr {
        self.end(1)
    }

    fn end(&self, which: usize) -> SocketAddr {
        let port = |at: usize| u16::from_be_bytes([self.bytes[at], self.bytes[at + 1]]);
        if self.v6 {
            let mut address = [0; 16];
            address.copy_from_slice(&self.bytes[16 * which..16 * which + 16]);
            (Ipv6Addr::from(address), port(32 + 2 * which)).into()
        } else {
            let mut address = [0; 4];
            address.copy_from_slice(&self.bytes[4 * which..4 * which + 4]);
            (Ipv4Addr::from(address), port(8 + 2 * which)).into()
        }
    }
}

impl fmt::Display for SocketPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ↔ {}", self.local(), self.remote())
    }
}

impl fmt::Debug for SocketPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SocketPair({self})")
    }
}

fn ports(local: u16, remote: u16) -> [u8; 4] {
    let ([a, b], [c, d]) = (local.to_be_bytes(), remote.to_be_bytes());
    [a, b, c, d]
}

#[inline]
fn first_four(packet: &Packet<'_>) -> [u8; 4] {
    let &[a, b, c, d, ..] = packet.segment().fixed_header();
    [a, b, c, d]
}
