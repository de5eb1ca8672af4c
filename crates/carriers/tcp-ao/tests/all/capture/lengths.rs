//! Packets whose IP header does not say their length.

use fieldtest_tcp_ao::capture::Reader;
use fieldtest_tcp_ao::sign::{Unsigned, sign};
use fieldtest_tcp_ao::verify::Verdict;
use fieldtest_tcp_ao::{Packet, option};

use super::traffic::{
    capture, conversation, packets, pair, pair_v6, plan, session, signed, verified, verifier,
};
use crate::stack::parse;

/// A packet as captures show those that the network card is to cut into segments.
fn without_length(mut packet: Vec<u8>) -> Vec<u8> {
    let at = if packet[0] >> 4 == 4 { 2 } else { 4 };
    packet[at..at + 2].fill(0);
    packet
}

/// The IPv6 packet with its length in a hop-by-hop option (RFC 2675), behind other options.
fn jumbogram(packet: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = packet.len() - 40 + 16 + payload.len();
    let mut out = packet[..40].to_vec();
    out[4..7].fill(0);
    out.extend([6, 1, 0, 1, 1, 7, 0xc2, 4]);
    out.extend((length as u32).to_be_bytes());
    out.extend([1, 2, 0, 0]);
    out.extend_from_slice(&packet[40..]);
    out.extend_from_slice(payload);
    out
}

#[test]
fn packets_without_a_length_are_signed() {
    for pair in [pair(), pair_v6()] {
        let before: Vec<_> = conversation(&pair, 3, 3000).into_iter().map(without_length).collect();
        let (file, summary) = signed(&before, &plan());
        assert_eq!((summary.signed, summary.unsigned), (9, 0), "{:?}", summary.reasons);
        for packet in packets(&file) {
            let length = packet.len();
            let packet = parse(&packet);
            assert_eq!(packet.bytes().len(), length);
            assert_eq!(packet.segment().checksum(), packet.tcp_checksum());
        }
        let (report, _) = verified(&file, verifier());
        assert!(report.is_good(), "{}", report.counts);
        // They verify without a length, too.
        let without: Vec<_> = packets(&file).into_iter().map(without_length).collect();
        assert_eq!(verified(&capture(&without), verifier()).0.counts.verified, 9);
    }
}

#[test]
fn jumbograms_are_signed_and_verified() {
    let mut before = conversation(&pair_v6(), 2, 100);
    let payload = vec![7; 70_000];
    before[3] = jumbogram(&before[3], &payload);
    let (file, summary) = signed(&before, &plan());
    assert_eq!((summary.signed, summary.unsigned), (7, 0), "{:?}", summary.reasons);
    let after = packets(&file);
    let packet = parse(&after[3]);
    assert_eq!(packet.bytes().len(), before[3].len() + 16);
    assert_eq!(packet.segment().payload()[100..], payload);
    assert_eq!(packet.segment().checksum(), packet.tcp_checksum());
    let (report, outcomes) = verified(&file, verifier());
    assert!(matches!(outcomes[3].verdict, Verdict::Verified { .. }), "{:?}", outcomes[3]);
    assert_eq!(report.counts.bad(), 0, "{}", report.counts);
    // Every byte of it counts.
    for at in [40 + 16 + 20, after[3].len() - 1] {
        let mut changed = after.clone();
        changed[3][at] ^= 1;
        let (report, _) = verified(&capture(&changed), verifier());
        assert_eq!(report.counts.verified, 6, "{at}: {}", report.counts);
    }
}

/// A jumbogram that is none without its option becomes an ordinary packet.
#[test]
fn jumbograms_that_become_shorter() {
    let plain = conversation(&pair_v6(), 1, 1).remove(3);
    let least = (1 << 16) - (plain.len() - 40 + 16);
    assert!(
        Packet::parse(&jumbogram(&plain, &vec![7; least - 1])).is_err(),
        "a jumbogram may not be so short"
    );
    let jumbo = jumbogram(&plain, &vec![7; least]);
    let mut signed = Vec::new();
    option::insert(&parse(&jumbo), 1, 2, 12, &mut signed).unwrap();
    let mut stripped = Vec::new();
    option::strip(&parse(&signed), &mut stripped).unwrap();
    assert_eq!(stripped[40..60], jumbo[40..60]);
    signed.truncate(signed.len() - 10);
    let length = signed.len() as u32 - 40;
    signed[48..52].copy_from_slice(&length.to_be_bytes());
    option::strip(&parse(&signed), &mut stripped).unwrap();
    assert_eq!(u32::from(u16::from_be_bytes([stripped[4], stripped[5]])), length - 16);
    let packet = parse(&stripped);
    assert_eq!(packet.segment().payload().len(), 1 + least - 10);
    assert_eq!(packet.segment().checksum(), packet.tcp_checksum());
}

/// More bytes than a length can say, of a connection without TCP-AO: they are no fault, and with it they are one.
#[test]
fn packets_of_more_bytes_than_a_length_can_say() {
    for (protected, other) in
        [(pair(), "192.0.2.9:40000".parse().unwrap()), (pair_v6(), "[2001:db8::9]:40000".parse().unwrap())]
    {
        let mut all = session(&protected, 2, 100);
        let other = fieldtest_tcp_ao::SocketPair::new(other, protected.remote()).unwrap();
        let several = |packet: &[u8]| without_length([packet, &[7; 70_000]].concat());
        all.push(several(&conversation(&other, 1, 5)[3]));
        let (report, _) = verified(&capture(&all), verifier());
        assert!(report.is_good(), "{}", report.counts);
        assert_eq!((report.counts.verified, report.counts.plain), (7, 1));
        let protected = several(&all[3]);
        all.push(protected);
        let (report, outcomes) = verified(&capture(&all), verifier());
        assert!(!report.is_good());
        assert!(matches!(outcomes[8].verdict, Verdict::Opaque { .. }), "{:?}", outcomes[8]);
        let plain = [conversation(&other, 1, 5), vec![all[7].clone()]].concat();
        let file = capture(&plain);
        let (_, summary) = sign(&mut Reader::new(&file[..]).unwrap(), Vec::new(), &plan(), &[]).unwrap();
        assert_eq!((summary.signed, &summary.reasons[..]), (5, &[(6, Unsigned::Several)][..]));
    }
}
