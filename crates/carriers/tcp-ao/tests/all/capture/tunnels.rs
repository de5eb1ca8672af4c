//! Tunnels and link layers: what is inside is judged, or named where it cannot be read.

use fieldtest_tcp_ao::capture::LinkType;
use fieldtest_tcp_ao::layers::Opaque;
use fieldtest_tcp_ao::verify::Verdict;

use super::mangle::{Wrap, authenticated, ether_type, ethernet, fragments, frames, ipv4, ipv6, udp};
use super::traffic::{pair, pair_v6, session, verified, verifier};

const VXLAN: [u8; 8] = [8, 0, 0, 0, 0, 0, 42, 0];

/// Every wrapping with its link type.
const WRAPS: [(&str, u32, Wrap); 34] = [
    ("802.3 with SNAP", 1, |p| {
        let llc = [&[0xaa, 0xaa, 3, 0, 0, 0][..], &ether_type(p), p].concat();
        ethernet((llc.len() as u16).to_be_bytes(), &llc)
    }),
    ("five VLAN tags", 1, |p| {
        let tags = [0x81, 0, 0, 1].repeat(4);
        ethernet([0x88, 0xa8], &[&[0, 1][..], &tags, &ether_type(p), p].concat())
    }),
    ("802.1ah", 1, |p| ethernet([0x88, 0xe7], &[&[0, 0, 0, 9][..], &ethernet(ether_type(p), p)].concat())),
    ("MPLS, one label", 1, |p| ethernet([0x88, 0x47], &[&[0, 1, 0x01, 64][..], p].concat())),
    ("MPLS, three labels", 1, |p| {
        ethernet([0x88, 0x47], &[&[0, 1, 0, 64, 0, 2, 0, 64, 0, 3, 1, 64][..], p].concat())
    }),
    ("MPLS pseudowire", 1, |p| {
        ethernet([0x88, 0x47], &[&[0, 1, 1, 64][..], &ethernet(ether_type(p), p)].concat())
    }),
    ("MPLS pseudowire with a control word", 1, |p| {
        ethernet([0x88, 0x47], &[&[0, 1, 1, 64, 0, 0, 0, 7][..], &ethernet(ether_type(p), p)].concat())
    }),
    ("PPPoE", 1, |p| ethernet([0x88, 0x64], &[&[0x11, 0, 0, 1, 0, 0][..], &ppp(p)].concat())),
    ("PPPoE in a VLAN", 1, |p| {
        ethernet([0x81, 0], &[&[0, 7, 0x88, 0x64, 0x11, 0, 0, 1, 0, 0][..], &ppp(p)].concat())
    }),
    ("PPP", 9, |p| [&[0xff, 3][..], &ppp(p)].concat()),
    ("PPP without address and control", 9, ppp),
    ("PPP with a short protocol", 9, |p| [&ppp(p)[1..2], p].concat()),
    ("C-HDLC", 104, |p| [&[0x0f, 0][..], &ether_type(p), p].concat()),
    ("MPLS as link type", 219, |p| [&[0, 1, 1, 64][..], p].concat()),
    ("raw IP as link type 14", 14, <[u8]>::to_vec),
    ("Linux cooked with MPLS", 113, |p| [&[0; 14][..], &[0x88, 0x47, 0, 1, 1, 64], p].concat()),
    ("Linux cooked v2 with PPPoE", 276, |p| {
        [&[0x88, 0x64][..], &[0; 18], &[0x11, 0, 0, 1, 0, 0], &ppp(p)].concat()
    }),
    ("IP in IP", 101, |p| ipv4(inner(p), p)),
    ("IP in IPv6", 101, |p| ipv6(inner(p), p)),
    ("IP in IP in IPv6", 101, |p| ipv6(4, &ipv4(inner(p), p))),
    ("GRE", 101, |p| ipv4(47, &[&[0, 0][..], &ether_type(p), p].concat())),
    ("GRE with checksum, key and sequence number", 101, |p| {
        ipv4(47, &[&[0xb0, 0][..], &ether_type(p), &[0; 12], p].concat())
    }),
    ("Ethernet in GRE", 101, |p| {
        ipv6(47, &[&[0x20, 0, 0x65, 0x58, 0, 0, 0, 1][..], &ethernet(ether_type(p), p)].concat())
    }),
    ("MPLS in GRE", 101, |p| ipv4(47, &[&[0, 0, 0x88, 0x47, 0, 1, 1, 64][..], p].concat())),
    ("PPTP", 101, |p| {
        ipv4(47, &[&[0x30, 0x81, 0x88, 0x0b, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1][..], &ppp(p)].concat())
    }),
    ("ERSPAN", 101, |p| {
        ipv4(47, &[&[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1][..], &[0; 8], &ethernet(ether_type(p), p)].concat())
    }),
    ("EtherIP", 101, |p| ipv4(97, &[&[0x30, 0][..], &ethernet(ether_type(p), p)].concat())),
    ("VXLAN", 1, |p| {
        let inner = udp(4789, &[&VXLAN[..], &ethernet(ether_type(p), p)].concat());
        ethernet([8, 0], &inner)
    }),
    ("VXLAN on Linux's port", 101, |p| udp(8472, &[&VXLAN[..], &ethernet(ether_type(p), p)].concat())),
    ("VXLAN-GPE", 101, |p| {
        let next = if p[0] >> 4 == 6 { 2 } else { 1 };
        udp(4790, &[&[0x0c, 0, 0, next, 0, 0, 42, 0][..], p].concat())
    }),
    ("GENEVE with options", 101, |p| {
        udp(6081, &[&[2, 0, 0x65, 0x58, 0, 0, 1, 0][..], &[0; 8], &ethernet(ether_type(p), p)].concat())
    }),
    ("GTP-U with an extension header", 101, |p| {
        let tail = [0, 0, 0, 0x85, 1, 0, 9, 0];
        udp(2152, &[&[0x34, 255, 0, 0, 0, 0, 0, 1][..], &tail, p].concat())
    }),
    ("authentication header", 101, authenticated),
    ("MPLS in UDP", 101, |p| udp(6635, &[&[0, 1, 1, 64][..], p].concat())),
];

fn inner(packet: &[u8]) -> u8 {
    if packet[0] >> 4 == 6 { 41 } else { 4 }
}

/// A PPP frame from its protocol on.
fn ppp(packet: &[u8]) -> Vec<u8> {
    [&[0, if packet[0] >> 4 == 6 { 0x57 } else { 0x21 }][..], packet].concat()
}

#[test]
fn what_is_inside_is_verified() {
    for pair in [pair(), pair_v6()] {
        let inside = session(&pair, 3, 400);
        for (name, link, wrap) in WRAPS {
            let outside: Vec<_> = inside.iter().map(|packet| wrap(packet)).collect();
            let (report, _) = verified(&frames(LinkType(link), &outside), verifier());
            assert!(report.is_good(), "{name}: {}", report.counts);
            assert_eq!(report.counts.verified, 9, "{name}");

            let mut forged = outside;
            *forged[4].last_mut().unwrap() ^= 1;
            let (report, _) = verified(&frames(LinkType(link), &forged), verifier());
            assert_eq!((report.counts.verified, report.counts.wrong_mac), (8, 1), "{name}");
        }
    }
}

#[test]
fn one_tunnel_in_another_and_in_fragments() {
    let inside = session(&pair(), 3, 400);
    let wrap = |packet: &Vec<u8>| {
        let vxlan = udp(4789, &[&VXLAN[..], &ethernet([8, 0], packet)].concat());
        let mut gre = ipv4(47, &[&[0, 0, 8, 0][..], &vxlan].concat());
        gre[6] = 0;
        gre
    };
    for size in [16, 296] {
        let pieces = inside.iter().enumerate().flat_map(|(number, packet)| {
            let whole = wrap(packet);
            if whole.len() > size + 20 { fragments(&whole, size, number as u16) } else { vec![whole] }
        });
        let (report, _) = verified(&frames(LinkType::RAW, &pieces.collect::<Vec<_>>()), verifier());
        assert!(report.is_good(), "{}", report.counts);
        assert_eq!(report.counts.verified, 9);
    }
}

#[test]
fn what_cannot_be_looked_into_is_named_and_a_fault() {
    let inside = session(&pair(), 3, 400).remove(0);
    let cases: [(Opaque, u32, Vec<u8>); 9] = [
        (Opaque::Esp, 101, ipv4(50, &[7; 60])),
        (Opaque::Esp, 101, ipv6(50, &[7; 60])),
        (Opaque::Esp, 101, udp(4500, &[7; 60])),
        (Opaque::IpComp, 101, ipv4(108, &[7; 60])),
        (Opaque::L2tp, 101, udp(1701, &[0, 2, 0, 1, 0, 1, 0, 33])),
        (Opaque::MacSec, 1, ethernet([0x88, 0xe5], &[7; 60])),
        (Opaque::Ppp, 9, vec![0xff, 3, 0, 0xfd, 1, 2, 3]),
        (Opaque::Mpls, 219, [&[0, 1, 1, 64][..], &[0xf7; 60]].concat()),
        (Opaque::Deep, 101, (0..30).fold(inside, |packet, _| ipv4(4, &packet))),
    ];
    for (what, link, frame) in cases {
        let (report, outcomes) = verified(&frames(LinkType(link), &[frame]), verifier());
        assert_eq!(outcomes[0].verdict, Verdict::Opaque { what });
        assert_eq!((report.counts.opaque, report.counts.bad()), (1, 1));
    }
}

#[test]
fn what_carries_no_tcp_is_no_fault() {
    let cases: [(u32, Vec<u8>); 11] = [
        (1, ethernet([8, 6], &[0; 28])),
        (1, ethernet([0x88, 0xcc], &[0; 28])),
        (1, ethernet([0, 38], &[0x42, 0x42, 3, 0, 0])),
        (1, ethernet([0x88, 0x63], &[0x11, 9, 0, 0, 0, 0])),
        (9, vec![0xff, 3, 0xc0, 0x21, 1, 1, 0, 4]),
        (101, ipv4(1, &[8, 0, 0, 0])),
        (101, ipv4(89, &[0; 44])),
        (101, udp(53, &[0; 40])),
        (101, udp(4500, &[0xff])),
        (101, udp(4500, &[0, 0, 0, 0, 9, 9])),
        (101, udp(4789, &[0; 40])),
    ];
    for (link, frame) in cases {
        let (report, outcomes) = verified(&frames(LinkType(link), std::slice::from_ref(&frame)), verifier());
        assert_eq!(outcomes[0].verdict, Verdict::NotTcp, "{frame:x?}");
        assert_eq!(report.counts.bad(), 0);
    }
}

/// What the capture cut off is missed only where TCP could be in it.
#[test]
fn snapped_frames() {
    use fieldtest_tcp_ao::capture::Writer;
    let inside = session(&pair(), 3, 400).remove(4);
    let vxlan = |p: &[u8]| udp(4789, &[&VXLAN[..], &ethernet([8, 0], p)].concat());
    let judged = |bytes: &[u8]| {
        let mut file = Writer::pcap(Vec::new(), LinkType::RAW).unwrap();
        file.write(0, bytes).unwrap();
        let mut file = file.finish().unwrap();
        let length = u32::from_le_bytes(file[36..40].try_into().unwrap()) + 1000;
        file[36..40].copy_from_slice(&length.to_le_bytes());
        verified(&file, verifier()).1[0].verdict
    };
    for whole in
        [inside.clone(), vxlan(&inside), ipv4(4, &inside), ipv6(47, &[&[0, 0, 8, 0][..], &inside].concat())]
    {
        for cut in 1..whole.len() {
            assert_eq!(judged(&whole[..whole.len() - cut]), Verdict::Snapped, "{cut} of {}", whole.len());
        }
    }
    assert_eq!(judged(&udp(53, &[0; 40])[..40]), Verdict::NotTcp);
    assert_eq!(judged(&ipv4(89, &[0; 40])[..30]), Verdict::NotTcp);
}
