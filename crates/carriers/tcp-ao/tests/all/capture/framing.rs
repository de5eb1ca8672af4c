//! What stands around the IP packets that are signed: labels and tags in front, check sequences behind.

use fieldtest_tcp_ao::capture::{LinkType, Reader};
use fieldtest_tcp_ao::sign::{Summary, Unsigned, sign};

use super::formats::Order;
use super::mangle::{Wrap, authenticated, ether_type, ethernet, frames, ipv4};
use super::traffic::{conversation, packets, pair, pair_v6, plan, verified, verifier};
use crate::stack::parse;

fn signed(file: &[u8]) -> (Vec<u8>, Summary) {
    sign(&mut Reader::new(file).expect("a capture"), Vec::new(), &plan(), &[]).expect("signs")
}

/// The CRC-32 of IEEE 802.3, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}

/// Lengths in these headers are those of the packet.
const WAYS: [(&str, u32, Wrap); 9] = [
    ("MPLS", 1, |packet| ethernet([0x88, 0x47], &[&[0, 1, 0, 0xff, 0, 1, 1, 0xff][..], packet].concat())),
    ("VLAN and MPLS", 1, |packet| {
        ethernet([0x81, 0], &[&[0, 5, 0x88, 0x47, 0, 1, 1, 0xff][..], packet].concat())
    }),
    ("MPLS alone", 219, |packet| [&[0, 1, 1, 0xff][..], packet].concat()),
    ("PPP", 9, |packet| [&[0xff, 3, 0, if packet[0] >> 4 == 6 { 0x57 } else { 0x21 }][..], packet].concat()),
    ("Cisco HDLC", 104, |packet| [&[0x0f, 0][..], &ether_type(packet), packet].concat()),
    ("SNAP", 1, |packet| {
        let length = (8 + packet.len() as u16).to_be_bytes();
        ethernet(length, &[&[0xaa, 0xaa, 3, 0, 0, 0][..], &ether_type(packet), packet].concat())
    }),
    ("PPPoE", 1, |packet| ethernet([0x88, 0x64], &pppoe(packet))),
    ("PPPoE alone", 51, pppoe),
    ("cooked, MPLS", 113, |packet| [&[0; 14][..], &[0x88, 0x47, 0, 1, 1, 0xff], packet].concat()),
];

fn pppoe(packet: &[u8]) -> Vec<u8> {
    let [a, b] = (2 + packet.len() as u16).to_be_bytes();
    [&[0x11, 0, 0, 9, a, b, 0, if packet[0] >> 4 == 6 { 0x57 } else { 0x21 }][..], packet].concat()
}

#[test]
fn behind_labels_and_other_plain_headers() {
    for pair in [pair(), pair_v6()] {
        for (name, link, wrap) in WAYS {
            let before = conversation(&pair, 2, 99);
            let wrapped: Vec<Vec<u8>> = before.iter().map(|packet| wrap(packet)).collect();
            let (file, summary) = signed(&frames(LinkType(link), &wrapped));
            assert_eq!((summary.signed, summary.unsigned), (7, 0), "{name}: {summary:?}");
            let (report, _) = verified(&file, verifier());
            assert!(report.is_good() && report.counts.verified == 7, "{name}: {}", report.counts);
            for (frame, old) in packets(&file).iter().zip(&before) {
                let at = wrap(old).len() - old.len();
                let packet = parse(&frame[at..]);
                assert_eq!(packet.segment().checksum(), packet.tcp_checksum(), "{name}");
                // The same headers as before a packet that was so long from the beginning.
                assert_eq!(*frame, wrap(&frame[at..]), "{name}");
            }
        }
    }
}

#[test]
fn what_cannot_grow_stays_as_it_is() {
    let mut all = conversation(&pair(), 1, 3);
    // 1500 bytes behind a length of IEEE 802.3 that cannot be more.
    all.push(conversation(&pair(), 1, 1440).remove(3));
    let wrapped: Vec<Vec<u8>> = all.iter().map(|packet| (WAYS[5].2)(packet)).collect();
    let (file, summary) = signed(&frames(LinkType::ETHERNET, &wrapped));
    assert_eq!(summary.reasons, [(6, Unsigned::FrameLength)]);
    assert_eq!(packets(&file)[5], wrapped[5]);
}

/// A pseudowire is a tunnel.
#[test]
fn tunnels_are_refused() {
    let inner = conversation(&pair(), 1, 3).remove(0);
    let wire = [&[0, 1, 1, 0xff, 0, 0, 0, 0][..], &ethernet([8, 0], &inner)].concat();
    for frame in [ethernet([0x88, 0x47], &wire), ethernet([8, 0], &ipv4(4, &inner))] {
        let (file, summary) = signed(&frames(LinkType::ETHERNET, std::slice::from_ref(&frame)));
        assert_eq!(summary.reasons, [(1, Unsigned::Tunnelled)]);
        assert_eq!(packets(&file), [frame]);
    }
}

/// An authentication header covers the segment behind it, in IPv4 as in IPv6.
#[test]
fn what_an_authentication_header_covers_is_left_alone() {
    for pair in [pair(), pair_v6()] {
        let frame = authenticated(&conversation(&pair, 1, 3)[0]);
        let (file, summary) = signed(&frames(LinkType::RAW, std::slice::from_ref(&frame)));
        assert_eq!(summary.reasons, [(1, Unsigned::Authenticated)]);
        assert_eq!(packets(&file), [frame]);
    }
}

#[test]
fn frame_check_sequences_are_those_of_the_longer_frames() {
    let order = Order(false);
    let frame = |packet: &[u8]| {
        let mut frame = ethernet([8, 0], packet);
        // A short frame is padded to 60 bytes before its check sequence.
        frame.resize(frame.len().max(60), 0);
        frame.extend(crc(&frame).to_le_bytes());
        frame
    };
    let all: Vec<Vec<u8>> = conversation(&pair(), 2, 3).iter().map(|packet| frame(packet)).collect();
    let mut pcap = order.pcap(0xa1b2_c3d4);
    pcap[20..24].copy_from_slice(&order.long(1 | 1 << 26 | 2 << 28));
    let length = |frame: &[u8]| frame.len() as u32;
    for frame in &all {
        pcap.extend([order.longs(&[5, 7, length(frame), length(frame)]), frame.clone()].concat());
    }
    let option = |code: u16, value: &[u8]| {
        [
            &order.short(code)[..],
            &order.short(value.len() as u16),
            value,
            &vec![0; value.len().next_multiple_of(4) - value.len()],
        ]
        .concat()
    };
    let section = [order.section(), order.interface(1, 0, &option(13, &[4]))].concat();
    let flags = [order.section(), order.interface(1, 0, &[])].concat();
    let block = |frame: &[u8], options: &[u8]| {
        let padded = [frame, &vec![0; frame.len().next_multiple_of(4) - frame.len()]].concat();
        let fields = order.longs(&[0, 0, 7, length(frame), length(frame)]);
        order.block(6, &[&fields[..], &padded, options].concat())
    };
    let by_interface: Vec<u8> = all.iter().flat_map(|frame| block(frame, &[])).collect();
    let by_packet: Vec<u8> =
        all.iter().flat_map(|frame| block(frame, &option(2, &(4u32 << 5).to_le_bytes()))).collect();
    for file in [pcap, [section, by_interface].concat(), [flags, by_packet].concat()] {
        let (out, summary) = signed(&file);
        assert_eq!((summary.signed, summary.unsigned), (7, 0));
        for frame in packets(&out) {
            let (frame, check) = frame.split_last_chunk::<4>().unwrap();
            assert_eq!(crc(frame).to_le_bytes(), *check);
            assert_eq!(frame.len(), 14 + usize::from(u16::from_be_bytes([frame[16], frame[17]])));
        }
        let (report, _) = verified(&out, verifier());
        assert!(report.is_good(), "{}", report.counts);
    }
    // One of another kind cannot be computed: nothing is signed that would be wrong.
    let section = [order.section(), order.interface(1, 0, &option(13, &[2]))].concat();
    let file = [section, all.iter().flat_map(|frame| block(frame, &[])).collect()].concat();
    let (out, summary) = signed(&file);
    assert_eq!(summary.reasons.first(), Some(&(1, Unsigned::FrameCheck(2))));
    assert_eq!(packets(&out), all);
}
