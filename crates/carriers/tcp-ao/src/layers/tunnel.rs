//! Headers that carry other packets: link layers beyond those of [`LinkType`]'s constants, MPLS, PPP, and tunnels over
//! IP and UDP.

use super::Opaque;
use crate::capture::LinkType;
use crate::ip::TCP;

/// PPP over Ethernet, from the PPPoE header on.
pub(super) const PPP_ETHER: LinkType = LinkType(51);

/// Where the way into a frame leads next.
pub(super) enum Step<'a> {
    Network(&'a [u8]),
    Ethernet(&'a [u8]),
    /// What an EtherType says.
    Typed(u16, &'a [u8]),
    /// A stack of MPLS labels (RFC 3032).
    Mpls(&'a [u8]),
    /// A PPP frame from its protocol on (RFC 1661).
    Ppp(&'a [u8]),
    /// Nothing in it is or could carry TCP.
    End,
    /// Cut off.
    Short,
    Opaque(Opaque),
}

/// IP protocols (the IANA registry “Protocol Numbers”).
mod protocol {
    pub(super) const IPV4: u8 = 4;
    pub(super) const UDP: u8 = 17;
    pub(super) const IPV6: u8 = 41;
    pub(super) const GRE: u8 = 47;
    pub(super) const ESP: u8 = 50;
    pub(super) const AH: u8 = 51;
    pub(super) const ETHER_IP: u8 = 97;
    pub(super) const IP_COMP: u8 = 108;
    pub(super) const L2TP: u8 = 115;
    pub(super) const MPLS: u8 = 137;
    pub(super) const ETHERNET: u8 = 143;
}

/// EtherTypes (the IEEE registry).
pub(super) mod ethertype {
    /// The largest length of IEEE 802.3; larger numbers are types.
    pub(in super::super) const LONGEST_LENGTH: u16 = 1500;
    pub(super) const IPV4: u16 = 0x0800;
    pub(super) const IPV6: u16 = 0x86dd;
    pub(super) const ETHERNET: u16 = 0x6558;
    pub(super) const VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
    pub(super) const MPLS: [u16; 2] = [0x8847, 0x8848];
    pub(in super::super) const PPPOE: u16 = 0x8864;
    pub(super) const PPP: u16 = 0x880b;
    pub(super) const MAC_SEC: u16 = 0x88e5;
    /// Backbone service instance tag (IEEE 802.1ah).
    pub(super) const I_TAG: u16 = 0x88e7;
    /// ERSPAN of type II and III.
    pub(super) const ERSPAN: [u16; 2] = [0x88be, 0x22eb];
}

/// UDP ports of tunnels (the IANA registry “Service Names and Port Numbers”; 8472 is what Linux had for VXLAN first).
mod port {
    pub(super) const L2TP: u16 = 1701;
    pub(super) const GTP_U: u16 = 2152;
    pub(super) const TEREDO: u16 = 3544;
    pub(super) const ESP: u16 = 4500;
    pub(super) const VXLAN: [u16; 2] = [4789, 8472];
    pub(super) const VXLAN_GPE: u16 = 4790;
    pub(super) const GENEVE: u16 = 6081;
    pub(super) const MPLS: u16 = 6635;
    pub(super) const ALL: [u16; 9] = [L2TP, GTP_U, TEREDO, ESP, VXLAN[0], VXLAN[1], VXLAN_GPE, GENEVE, MPLS];
}

/// Whether a packet of this protocol can hold TCP; `payload` is its beginning, if that is known. `None` where it
/// depends on the beginning.
pub(super) fn may_carry_tcp(protocol: u8, payload: Option<&[u8]>) -> Option<bool> {
    match protocol {
        protocol::UDP => payload.map(|payload| {
            let port = u16_at(payload, 2);
            port.is_none_or(|port| port::ALL.contains(&port))
        }),
        TCP
        | protocol::IPV4
        | protocol::IPV6
        | protocol::GRE
        | protocol::ESP
        | protocol::AH
        | protocol::ETHER_IP
        | protocol::IP_COMP
        | protocol::L2TP
        | protocol::MPLS
        | protocol::ETHERNET => Some(true),
        next if crate::ip::extension::is_one(next) => Some(true),
        _ => Some(false),
    }
}

/// The way into a frame of a link type that [`network_layer`](crate::capture::network_layer) does not know.
pub(super) fn link(link: LinkType, frame: &[u8]) -> Option<Step<'_>> {
    const PPP: u32 = 9;
    const RAW_14: u32 = 14;
    const PPP_HDLC: u32 = 50;
    const C_HDLC: u32 = 104;
    const PPP_WITH_DIRECTION: u32 = 204;
    const MPLS: u32 = 219;
    Some(match link.0 {
        RAW_14 => Step::Network(frame),
        PPP | PPP_HDLC => ppp_or_c_hdlc(frame),
        PPP_WITH_DIRECTION => behind(frame, 1).map_or(Step::Short, ppp_or_c_hdlc),
        _ if link == PPP_ETHER => pppoe(frame),
        C_HDLC => c_hdlc(frame),
        MPLS => Step::Mpls(frame),
        _ => return None,
    })
}

/// The way into a frame of a known link type that holds no IP packet at once.
pub(super) fn frame(link: LinkType, frame: &[u8]) -> Step<'_> {
    let typed = |at: usize, payload: usize| match (u16_at(frame, at), behind(frame, payload)) {
        (Some(kind), Some(payload)) => Step::Typed(kind, payload),
        _ => Step::Short,
    };
    match link {
        LinkType::ETHERNET => Step::Ethernet(frame),
        LinkType::LINUX_SLL => typed(14, 16),
        LinkType::LINUX_SLL2 => typed(0, 20),
        // BSD loopback has one number for each protocol, and no others carry IP.
        _ if frame.len() < 4 => Step::Short,
        _ => Step::End,
    }
}

/// Follows what is no IP packet.
pub(super) fn follow(step: Step<'_>) -> Step<'_> {
    match step {
        Step::Ethernet(frame) => ethernet(frame),
        Step::Typed(kind, payload) => typed(kind, payload),
        Step::Mpls(labels) => mpls(labels),
        Step::Ppp(frame) => ppp(frame),
        other => other,
    }
}

fn ethernet(frame: &[u8]) -> Step<'_> {
    ethernet_type(frame).map_or(Step::Short, |(kind, payload)| typed(kind, payload))
}

pub(super) fn ethernet_type(frame: &[u8]) -> Option<(u16, &[u8])> {
    Some((u16_at(frame, 12)?, behind(frame, 14)?))
}

fn typed(kind: u16, payload: &[u8]) -> Step<'_> {
    match kind {
        ethertype::IPV4 | ethertype::IPV6 => Step::Network(payload),
        ethertype::ETHERNET => Step::Ethernet(payload),
        ethertype::PPPOE => pppoe(payload),
        ethertype::PPP => Step::Ppp(payload),
        ethertype::MAC_SEC => Step::Opaque(Opaque::MacSec),
        ethertype::I_TAG => behind(payload, 4).map_or(Step::Short, Step::Ethernet),
        kind if ethertype::MPLS.contains(&kind) => Step::Mpls(payload),
        kind if ethertype::VLAN.contains(&kind) => match (u16_at(payload, 2), behind(payload, 4)) {
            (Some(kind), Some(payload)) => Step::Typed(kind, payload),
            _ => Step::Short,
        },
        0..=ethertype::LONGEST_LENGTH => match payload {
            // LLC with SNAP: RFC 1042.
            [0xaa, 0xaa, 3, 0, 0, 0, a, b, rest @ ..] => Step::Typed(u16::from_be_bytes([*a, *b]), rest),
            _ => Step::End,
        },
        _ => Step::End,
    }
}

fn mpls(mut labels: &[u8]) -> Step<'_> {
    loop {
        let Some((label, rest)) = labels.split_first_chunk::<4>() else { return Step::Short };
        labels = rest;
        if label[2] & 1 != 0 {
            break;
        }
    }
    match labels.first().map(|first| first >> 4) {
        None => Step::Short,
        Some(4 | 6) if !is_ethernet(labels) => Step::Network(labels),
        // The control word of a pseudowire (RFC 4385), or its associated channel, which carries no user's packets.
        Some(0) if is_ethernet(labels.get(4..).unwrap_or_default()) => {
            Step::Ethernet(labels.get(4..).unwrap_or_default())
        }
        Some(1) => Step::End,
        _ if is_ethernet(labels) => Step::Ethernet(labels),
        _ => Step::Opaque(Opaque::Mpls),
    }
}

/// Whether bytes look like an Ethernet frame, whose first byte can be that of an IP header: if its EtherType is one that
/// is known, and what would be an IPv4 header has a wrong length.
fn is_ethernet(bytes: &[u8]) -> bool {
    let known = u16_at(bytes, 12).is_some_and(|kind| {
        matches!(kind, ethertype::IPV4 | ethertype::IPV6 | 0x0806 | ethertype::PPPOE)
            || ethertype::VLAN.contains(&kind)
            || ethertype::MPLS.contains(&kind)
    });
    let stated = match bytes.first().map(|first| first >> 4) {
        Some(4) => u16_at(bytes, 2).map(usize::from),
        Some(6) => u16_at(bytes, 4).map(|length| 40 + usize::from(length)),
        _ => None,
    };
    known && stated != Some(bytes.len())
}

fn pppoe(frame: &[u8]) -> Step<'_> {
    // Version and type 1, code 0: session data (RFC 2516).
    match frame {
        [0x11, 0, _, _, _, _, rest @ ..] => Step::Ppp(rest),
        [_, _, _, _, _, _, ..] => Step::End,
        _ => Step::Short,
    }
}

fn ppp_or_c_hdlc(frame: &[u8]) -> Step<'_> {
    match frame.first() {
        Some(0x0f | 0x8f) => c_hdlc(frame),
        _ => Step::Ppp(frame),
    }
}

fn c_hdlc(frame: &[u8]) -> Step<'_> {
    match (u16_at(frame, 2), behind(frame, 4)) {
        (Some(kind), Some(payload)) => Step::Typed(kind, payload),
        _ => Step::Short,
    }
}

fn ppp(frame: &[u8]) -> Step<'_> {
    // Address and control may be left out, and so may the first byte of a small protocol's number (RFC 1661).
    let frame = frame.strip_prefix(&[0xff, 3]).unwrap_or(frame);
    let (number, payload) = match frame {
        [low, rest @ ..] if low & 1 != 0 => (u16::from(*low), rest),
        [high, low, rest @ ..] => (u16::from_be_bytes([*high, *low]), rest),
        _ => return Step::Short,
    };
    match number {
        0x0021 | 0x0057 => Step::Network(payload),
        0x0281 | 0x0283 => Step::Mpls(payload),
        0x0031 => Step::Ethernet(payload.get(2..).unwrap_or_default()),
        // Compressed TCP headers, multilink fragments, encryption, compression.
        0x002d | 0x002f | 0x003d | 0x0053 | 0x0055 | 0x00fb | 0x00fd => Step::Opaque(Opaque::Ppp),
        _ => Step::End,
    }
}

/// What is in an IP packet of this protocol; `whole` says that nothing of it is cut off.
pub(super) fn upper(number: u8, payload: &[u8], whole: bool) -> Step<'_> {
    match number {
        protocol::IPV4 | protocol::IPV6 => Step::Network(payload),
        protocol::UDP if whole && payload.len() < 12 => Step::End,
        protocol::UDP => udp(payload),
        protocol::GRE => gre(payload).unwrap_or(Step::Short),
        protocol::ESP => Step::Opaque(Opaque::Esp),
        protocol::IP_COMP => Step::Opaque(Opaque::IpComp),
        protocol::L2TP => Step::Opaque(Opaque::L2tp),
        protocol::ETHER_IP => behind(payload, 2).map_or(Step::Short, Step::Ethernet),
        protocol::ETHERNET => Step::Ethernet(payload),
        protocol::MPLS => Step::Mpls(payload),
        // IPv4's authentication header before a tunnel; IPv6's is skipped with the other extension headers.
        protocol::AH => match payload {
            [TCP | protocol::AH, ..] => Step::Short,
            [next, length, ..] => behind(payload, (usize::from(*length) + 2) * 4)
                .map_or(Step::Short, |payload| upper(*next, payload, whole)),
            _ => Step::Short,
        },
        _ => Step::End,
    }
}

fn udp(datagram: &[u8]) -> Step<'_> {
    let short = Step::Short;
    let Some(port) = u16_at(datagram, 2) else { return short };
    if !port::ALL.contains(&port) {
        return Step::End;
    }
    // No tunnel has less than four bytes to say what it carries.
    let Some(payload) = behind(datagram, 8).filter(|payload| payload.len() >= 4) else { return short };
    match (port, payload) {
        // RFC 7348: a flag says that there is a network identifier. Linux marks a group policy besides.
        (port, [flags, ..]) if port::VXLAN.contains(&port) && flags & 0x08 != 0 => {
            behind(payload, 8).map_or(short, Step::Ethernet)
        }
        (port::VXLAN_GPE, [flags, _, _, next, ..]) if flags & 0x08 != 0 => {
            let Some(payload) = behind(payload, 8) else { return short };
            match (flags & 0x04 != 0, next) {
                (true, 1 | 2) => Step::Network(payload),
                (false, _) | (true, 3) => Step::Ethernet(payload),
                (true, 5) => Step::Mpls(payload),
                _ => Step::End,
            }
        }
        // RFC 8926: version 0, the options' length in words.
        (port::GENEVE, [first, _, a, b, ..]) if first >> 6 == 0 => {
            let options = usize::from(first & 0x3f) * 4;
            let kind = u16::from_be_bytes([*a, *b]);
            behind(payload, 8 + options).map_or(short, |payload| Step::Typed(kind, payload))
        }
        (port::MPLS, _) => Step::Mpls(payload),
        (port::GTP_U, [first, 255, ..]) if first >> 4 == 3 => gtp(*first, payload).unwrap_or(short),
        (port::TEREDO, [first, ..]) if first >> 4 == 6 => Step::Network(payload),
        // RFC 3948: four zeros mark key exchange, a single byte keeps the way open.
        (port::ESP, [0, 0, 0, 0, ..]) => Step::End,
        (port::ESP, _) => Step::Opaque(Opaque::Esp),
        // Control messages have the first bit set.
        (port::L2TP, [first, _, ..]) if first & 0x80 == 0 => Step::Opaque(Opaque::L2tp),
        _ => Step::End,
    }
}

/// GTP-U (3GPP TS 29.281, section 5): eight bytes, four more if any of three flags is set, then extension headers.
fn gtp(flags: u8, payload: &[u8]) -> Option<Step<'_>> {
    if flags & 0x07 == 0 {
        return Some(Step::Network(behind(payload, 8)?));
    }
    let (mut at, mut next) = (12, *payload.get(11)?);
    while flags & 0x04 != 0 && next != 0 {
        let length = usize::from(*payload.get(at)?) * 4;
        next = *payload.get((at + length).checked_sub(1)?)?;
        at += length;
        if length == 0 {
            return Some(Step::End);
        }
    }
    Some(Step::Network(behind(payload, at)?))
}

/// GRE (RFC 2784, RFC 2890), and the version of PPTP (RFC 2637).
fn gre(payload: &[u8]) -> Option<Step<'_>> {
    let (flags, kind) = (u16_at(payload, 0)?, u16_at(payload, 2)?);
    let has = |flag: u16| usize::from(flags & flag != 0) * 4;
    Some(match flags & 7 {
        // Source routing, which RFC 2784 took out.
        0 if flags & 0x4000 != 0 => Step::Opaque(Opaque::Gre),
        0 => {
            let rest = behind(payload, 4 + has(0x8000) + has(0x2000) + has(0x1000))?;
            match kind {
                // With a sequence number there is a header of 8 bytes, for type III one of 12 and a flag for 8 more.
                kind if kind == ethertype::ERSPAN[0] => {
                    Step::Ethernet(if has(0x1000) == 0 { rest } else { behind(rest, 8)? })
                }
                kind if kind == ethertype::ERSPAN[1] => {
                    Step::Ethernet(behind(rest, if rest.get(11)? & 1 != 0 { 20 } else { 12 })?)
                }
                // WCCP version 2 may put four bytes before the packet, which then begins like no IP packet.
                0x883e if rest.first().is_some_and(|first| !matches!(first >> 4, 4 | 6)) => {
                    Step::Network(behind(rest, 4)?)
                }
                0x883e => Step::Network(rest),
                kind => Step::Typed(kind, rest),
            }
        }
        1 if kind == ethertype::PPP => {
            let rest = behind(payload, 8 + has(0x1000) + has(0x0080))?;
            if rest.is_empty() { Step::End } else { Step::Ppp(rest) }
        }
        _ => Step::Opaque(Opaque::Gre),
    })
}

fn behind(bytes: &[u8], at: usize) -> Option<&[u8]> {
    bytes.get(at..)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map(|field| u16::from_be_bytes(*field))
}
