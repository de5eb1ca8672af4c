//! Signing captures.

use fieldtest_tcp_ao::Packet;
use fieldtest_tcp_ao::capture::{LinkType, Reader, Writer};
use fieldtest_tcp_ao::flows::KnownIsns;
use fieldtest_tcp_ao::option;
use fieldtest_tcp_ao::sign::{Unsigned, sign};
use fieldtest_tcp_ao::tcp::kind;
use fieldtest_tcp_ao::verify::{Key, Verdict, Verifier};
use proptest::prelude::*;

use super::traffic::{
    ANSWERER_ISN, OPENER_ISN, capture, conversation, keys, packets, pair, pair_v6, plan, signed, verified,
    verifier,
};
use crate::common;
use crate::stack::parse;

#[test]
fn checksums_are_right_and_the_other_options_stay() {
    for pair in [pair(), pair_v6()] {
        let before = conversation(&pair, 3, 99);
        let (capture, _) = signed(&before, &plan());
        for (packet, before) in packets(&capture).iter().zip(&before) {
            let packet = parse(packet);
            let before = parse(before);
            assert_eq!(packet.segment().checksum(), packet.tcp_checksum());
            assert_eq!(packet.segment().payload(), before.segment().payload());
            let others = |packet: &Packet<'_>| -> Vec<Vec<u8>> {
                let options = packet.segment().options().map(|option| option.unwrap());
                options.filter(|option| option.kind != kind::AO).map(|option| option.bytes.to_vec()).collect()
            };
            assert_eq!(others(&packet), others(&before));
        }
    }
}

#[test]
fn link_headers_times_and_other_traffic_stay() {
    let mut file = Writer::pcapng(Vec::new(), LinkType::ETHERNET).unwrap();
    let ethernet = |ethertype: [u8; 2], packet: &[u8], padding: usize| {
        [&[2; 12][..], &[0x81, 0, 0, 5], &ethertype, packet, &vec![0; padding]].concat()
    };
    let before = conversation(&pair(), 1, 3);
    for (count, packet) in before.iter().enumerate() {
        file.write(count as u64, &ethernet([8, 0], packet, 7)).unwrap();
    }
    let arp = ethernet([8, 6], &[0; 28], 0);
    file.write(99, &arp).unwrap();
    let file = file.finish().unwrap();
    let (signed, summary) = sign(&mut Reader::new(&file[..]).unwrap(), Vec::new(), &plan(), &[]).unwrap();
    assert_eq!((summary.signed, summary.not_tcp, summary.unsigned), (5, 1, 0));
    let after = packets(&signed);
    assert_eq!(after[5], arp);
    assert!(after.iter().all(|packet| packet.starts_with(&[2; 12])));
    let (report, _) = verified(&signed, verifier());
    assert_eq!((report.counts.verified, report.counts.not_tcp), (5, 1));
}

#[test]
fn a_connection_without_its_beginning_needs_isns() {
    let all = conversation(&pair(), 2, 10);
    let (capture_, summary) = signed(&all[3..], &plan());
    assert_eq!((summary.signed, summary.unsigned), (0, 4));
    assert_eq!(summary.reasons[0], (1, Unsigned::NoIsns));
    assert_eq!(packets(&capture_), all[3..]);
    let known = [KnownIsns { pair: pair(), local: OPENER_ISN, remote: ANSWERER_ISN, extensions: None }];
    let bytes = capture(&all[3..]);
    let (file, summary) = sign(&mut Reader::new(&bytes[..]).unwrap(), Vec::new(), &plan(), &known).unwrap();
    assert_eq!(summary.signed, 4);
    let (report, _) = verified(&file, Verifier::new(keys(), &known));
    assert!(report.is_good());
}

#[test]
fn an_existing_signature_is_kept_or_replaced() {
    let all = conversation(&pair(), 2, 10);
    let (once, _) = signed(&all, &plan());
    let mut other = plan();
    other.opener = Key::new("7:hmac-sha256:01020304".parse().unwrap(), common::sha256(), 16).unwrap();
    other.answerer = Key::new("8:hmac-sha256:01020304".parse().unwrap(), common::sha256(), 16).unwrap();
    let (twice, summary) = signed(&packets(&once), &other);
    assert_eq!(summary.unsigned, 7);
    assert_eq!(packets(&twice), packets(&once));
    other.replace = true;
    let (replaced, summary) = signed(&packets(&once), &other);
    assert_eq!((summary.signed, summary.unsigned), (7, 0));
    let (directly, _) = signed(&all, &other);
    assert_eq!(packets(&replaced), packets(&directly));
    let (report, _) = verified(&replaced, Verifier::new(vec![other.opener, other.answerer], &[]));
    assert!(report.is_good());
}

#[test]
fn blocks_of_selective_acknowledgement_make_room() {
    use fieldtest_tcp_ao::sample::{self, Head, timestamps};
    let mut all = conversation(&pair(), 1, 10);
    let sack: Vec<u8> = [&timestamps(1, 2)[..], &[1, 1, 5, 26], &[7; 24]].concat();
    let head = Head {
        sequence: ANSWERER_ISN + 1,
        acknowledgment: OPENER_ISN.wrapping_add(1),
        flags: 0x10,
        options: &sack,
    };
    all.push(sample::packet(&pair().reversed(), &head, &[]));
    let (file, summary) = signed(&all, &plan());
    // 40 bytes: timestamps 12, TCP-AO 16, and 12 left for two no-operations and one block.
    assert_eq!((summary.signed, summary.sack_blocks_dropped), (6, 2));
    let last = packets(&file).pop().unwrap();
    let packet = parse(&last);
    assert!(option::find(packet.segment()).unwrap().is_some());
    let (report, _) = verified(&file, verifier());
    assert!(report.is_good());
}

proptest! {
    #[test]
    fn whatever_is_signed_verifies(exchanges in 0usize..20, size in 0usize..3000, v6: bool, mac_len in 1usize..=16) {
        let key = |id: u8| {
            let spec = format!("{id}:x:aabbcc:maclen={mac_len}").parse().unwrap();
            Key::new(spec, common::sha256(), 12).unwrap()
        };
        let mut plan = plan();
        (plan.opener, plan.answerer) = (key(0), key(255));
        let pair = if v6 { pair_v6() } else { pair() };
        let (file, summary) = signed(&conversation(&pair, exchanges, size), &plan);
        prop_assert_eq!(summary.unsigned, 0);
        let (report, outcomes) = verified(&file, Verifier::new(vec![key(0), key(255)], &[]));
        prop_assert!(report.is_good());
        let all = outcomes.iter().all(|outcome| matches!(outcome.verdict, Verdict::Verified { .. }));
        prop_assert!(all);
    }
}
