//! What stands before the IP packet: the link types of the tcpdump registry that carry IP.

use std::fmt;

/// A link type, by its number in <https://www.tcpdump.org/linktypes.html>.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// BSD loopback: four bytes of address family in the byte order of the capturing host.
    pub const NULL: Self = Self(0);
    /// Ethernet.
    pub const ETHERNET: Self = Self(1);
    /// Raw IP, as `DLT_RAW` is numbered on most systems.
    pub const RAW_12: Self = Self(12);
    /// Raw IP, of either version.
    pub const RAW: Self = Self(101);
    /// OpenBSD loopback: four bytes of address family in network byte order.
    pub const LOOP: Self = Self(108);
    /// Linux cooked capture, version 1.
    pub const LINUX_SLL: Self = Self(113);
    /// Raw IPv4.
    pub const IPV4: Self = Self(228);
    /// Raw IPv6.
    pub const IPV6: Self = Self(229);
    /// Linux cooked capture, version 2.
    pub const LINUX_SLL2: Self = Self(276);
}

impl fmt::Display for LinkType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NULL => write!(f, "BSD loopback"),
            Self::ETHERNET => write!(f, "Ethernet"),
            Self::RAW_12 | Self::RAW => write!(f, "raw IP"),
            Self::LOOP => write!(f, "OpenBSD loopback"),
            Self::LINUX_SLL => write!(f, "Linux cooked"),
            Self::IPV4 => write!(f, "raw IPv4"),
            Self::IPV6 => write!(f, "raw IPv6"),
            Self::LINUX_SLL2 => write!(f, "Linux cooked v2"),
            Self(number) => write!(f, "link type {number}"),
        }
    }
}

/// Why no IP packet was found in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unframed {
    /// It carries another protocol.
    NotIp,
    /// It carries this protocol, whose own packets are not looked into.
    Within(&'static str),
    /// Its link header is cut off.
    Short,
    /// Its link type is not one of [`LinkType`]'s public constants.
    UnknownLink(LinkType),
}

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// IEEE 802.1Q, 802.1ad (QinQ) and the number that came before the latter.
const ETHERTYPE_VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
/// Those of protocols that carry packets of IP (the IEEE registry).
const ETHERTYPE_WITHIN: [(u16, &str); 5] =
    [(0x8847, "MPLS"), (0x8848, "MPLS"), (0x8864, "PPPoE"), (0x88e5, "MACsec"), (0x88e7, "802.1ah")];

/// Tags that are followed; QinQ has two.
const MOST_VLAN_TAGS: usize = 4;

/// Address families of IP: `AF_INET` everywhere; `AF_INET6` of Linux, the BSDs and macOS.
const FAMILIES_OF_IP: [u32; 5] = [2, 10, 24, 28, 30];

/// Where in a frame the IP packet begins.
///
/// # Errors
/// [`Unframed`] if there is none.
pub fn network_layer(link: LinkType, frame: &[u8]) -> Result<usize, Unframed> {
    match link {
        LinkType::ETHERNET => ethertype(frame, 12),
        LinkType::LINUX_SLL => ethertype(frame, 14),
        LinkType::LINUX_SLL2 => match u16_at(frame, 0)? {
            ETHERTYPE_IPV4 | ETHERTYPE_IPV6 => behind(frame, 20),
            tag if ETHERTYPE_VLAN.contains(&tag) => ethertype(frame, 22),
            other => Err(no_ip(other)),
        },
        LinkType::RAW | LinkType::RAW_12 | LinkType::IPV4 | LinkType::IPV6 => Ok(0),
        LinkType::NULL | LinkType::LOOP => {
            let family = *frame.first_chunk().ok_or(Unframed::Short)?;
            let is_ip = |family| FAMILIES_OF_IP.contains(&family);
            if is_ip(u32::from_be_bytes(family)) || is_ip(u32::from_le_bytes(family)) {
                behind(frame, 4)
            } else {
                Err(Unframed::NotIp)
            }
        }
        unknown => Err(Unframed::UnknownLink(unknown)),
    }
}

/// Follows the EtherType at `place`, through VLAN tags.
fn ethertype(frame: &[u8], mut place: usize) -> Result<usize, Unframed> {
    for _ in 0..=MOST_VLAN_TAGS {
        match u16_at(frame, place)? {
            ETHERTYPE_IPV4 | ETHERTYPE_IPV6 => return behind(frame, place + 2),
            tag if ETHERTYPE_VLAN.contains(&tag) => place += 4,
            other => return Err(no_ip(other)),
        }
    }
    Err(Unframed::NotIp)
}

/// What a frame of this EtherType carries.
fn no_ip(ethertype: u16) -> Unframed {
    let known = ETHERTYPE_WITHIN.iter().find(|(number, _)| *number == ethertype);
    known.map_or(Unframed::NotIp, |(_, name)| Unframed::Within(name))
}

fn behind(frame: &[u8], place: usize) -> Result<usize, Unframed> {
    if frame.len() < place { Err(Unframed::Short) } else { Ok(place) }
}

fn u16_at(frame: &[u8], place: usize) -> Result<u16, Unframed> {
    let field = frame.get(place..).and_then(<[u8]>::first_chunk).ok_or(Unframed::Short)?;
    Ok(u16::from_be_bytes(*field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_is_found_behind_each_link_header() {
        let mut ethernet = vec![0; 12];
        ethernet.extend([0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 0x86, 0xdd, 0x60]);
        assert_eq!(network_layer(LinkType::ETHERNET, &ethernet), Ok(22));
        assert_eq!(network_layer(LinkType::ETHERNET, &ethernet[..21]), Err(Unframed::Short));
        ethernet[16..18].copy_from_slice(&[0x88, 0x64]);
        assert_eq!(network_layer(LinkType::ETHERNET, &ethernet), Err(Unframed::Within("PPPoE")));
        assert_eq!(network_layer(LinkType::LINUX_SLL, &[[0; 14].as_slice(), &[8, 0, 0x45]].concat()), Ok(16));
        assert_eq!(network_layer(LinkType::LINUX_SLL2, &[[8, 0].as_slice(), &[0; 18]].concat()), Ok(20));
        assert_eq!(network_layer(LinkType::NULL, &[2, 0, 0, 0, 0x45]), Ok(4));
        assert_eq!(network_layer(LinkType::LOOP, &[0, 0, 0, 24, 0x60]), Ok(4));
        assert_eq!(network_layer(LinkType::LOOP, &[0, 0, 0, 7]), Err(Unframed::NotIp));
        assert_eq!(network_layer(LinkType::IPV6, &[0x60]), Ok(0));
        assert_eq!(network_layer(LinkType(147), &[0x60]), Err(Unframed::UnknownLink(LinkType(147))));
    }
}
