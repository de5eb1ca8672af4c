//! Verification of captures that a kernel or [`sign`](fieldtest_tcp_ao::sign) made.

use std::sync::Arc;

use fieldtest_tcp_ao::capture::{LinkType, Writer};
use fieldtest_tcp_ao::flows::{KnownIsns, Origin, Side};
use fieldtest_tcp_ao::sample::{self, Head};
use fieldtest_tcp_ao::verify::{Change, Key, Verdict, Verifier};
use fieldtest_tcp_ao::{Coverage, Mkt, Session};

use super::linux::CONVERSATIONS;
use super::traffic::{
    ANSWERER_ISN, MASTER_KEY, OPENER_ISN, capture, conversation, from_isns, key, keys, keys_of, packets,
    pair, pair_v6, plan, plan_of, session, signed, verified, verifier,
};
use crate::common;

#[test]
fn what_linux_sent_verifies() {
    for conversation in &CONVERSATIONS {
        let mac = match conversation.algorithm {
            "hmac(sha1)" => common::sha1(),
            "hmac(sha256)" => common::sha256(),
            _ => common::cmac(),
        };
        let hex = |text: &str| -> Vec<u8> {
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
        };
        let key = |id: u8| {
            let text = format!("{id}:{}:{}", conversation.algorithm, conversation.master_key);
            Key::new(text.parse().unwrap(), Arc::clone(&mac), conversation.mac_len).unwrap()
        };
        let packets: Vec<Vec<u8>> = conversation.packets.iter().map(|packet| hex(packet)).collect();
        let (report, _) = verified(&capture(&packets), Verifier::new(vec![key(61), key(84)], &[]));
        assert_eq!(report.by_key, [3, 3], "{}: {}", conversation.algorithm, report.counts);
        assert!(report.is_good());
    }
}

#[test]
fn a_signed_conversation_verifies_across_the_end_of_the_sequence_numbers() {
    for pair in [pair(), pair_v6()] {
        for coverage in [Coverage::AllOptions, Coverage::AoOnly] {
            let keys = [common::sha1(), common::cmac()].map(|mac| keys_of(&mac, MASTER_KEY, coverage));
            let keys = vec![keys[0][0].clone(), keys[1][1].clone()];
            let (capture, summary) = signed(&conversation(&pair, 700, 1000), &plan_of(&keys));
            assert_eq!((summary.signed, summary.unsigned), (1403, 0));
            let (report, _) = verified(&capture, Verifier::new(keys, &[]));
            assert!(report.is_good(), "{}", report.counts);
            assert_eq!(report.by_key, [702, 701]);
        }
    }
}

#[test]
fn each_change_to_a_segment_is_seen_and_none_to_what_the_mac_leaves_out() {
    let good = session(&pair(), 2, 100);
    for number in 0..good.len() {
        for at in 0..good[number].len() {
            let mut changed = good.clone();
            changed[number][at] ^= 1;
            let (report, outcomes) = verified(&capture(&changed), verifier());
            // IPv4: version and lengths make it malformed or cut; type of service, identification, lifetime and
            // both checksums are not covered.
            let uncovered = matches!(at, 1 | 4 | 5 | 8 | 10 | 11 | 36 | 37);
            let verdict = outcomes[number].verdict;
            let ok = matches!(verdict, Verdict::Verified { .. });
            let reserved = at == 6 || at == 7;
            assert!(ok == uncovered || reserved, "packet {number}, byte {at}: {verdict:?}");
            // A changed SYN or acknowledgement takes the numbers of the handshake away; the others must not suffer.
            if number > 1 && !uncovered {
                assert!(report.counts.verified + 1 >= good.len() as u64, "{number} {at} {}", report.counts);
            }
        }
    }
}

#[test]
fn a_forged_syn_does_not_take_the_connection_away() {
    let mut all = session(&pair(), 10, 100);
    let (forged, _) = signed(&from_isns(&pair(), 7, 9, 0, 0), &plan());
    let mut forged = packets(&forged)[0].clone();
    let last = forged.len() - 1;
    forged[last] ^= 1;
    for isn in 0..5 {
        let mut syn = forged.clone();
        syn[24 + 3] = isn;
        all.insert(8, syn);
    }
    let (report, _) = verified(&capture(&all), verifier());
    assert_eq!((report.counts.verified, report.counts.wrong_mac), (23, 5), "{}", report.counts);
}

#[test]
fn forged_answers_do_not_take_the_connection_away() {
    let mut all = session(&pair(), 10, 100);
    for isn in 0..5 {
        // One comes before the genuine answer, the others when the connection goes on.
        let (from, to) = if isn == 0 { (1, 1) } else { (2, 8) };
        let mut answer = all[from].clone();
        answer[24 + 3] = isn + 1;
        all.insert(to, answer);
    }
    let (report, _) = verified(&capture(&all), verifier());
    assert_eq!((report.counts.verified, report.counts.wrong_mac), (23, 5), "{}", report.counts);
}

#[test]
fn frames_of_an_unknown_link_type_are_not_passed_over() {
    let mut writer = Writer::pcap(Vec::new(), LinkType(147)).unwrap();
    writer.write(0, &[0; 60]).unwrap();
    let (report, outcomes) = verified(&writer.finish().unwrap(), verifier());
    assert_eq!(outcomes[0].verdict, Verdict::UnknownLink { link: LinkType(147) });
    assert!(!report.is_good());
}

#[test]
fn successive_connections_on_the_same_ports() {
    let mut both = conversation(&pair(), 3, 10);
    both.extend(from_isns(&pair(), 50, 60, 3, 10));
    let (capture_, _) = signed(&both, &plan());
    let (report, _) = verified(&capture_, verifier());
    assert!(report.is_good());
    let verified: Vec<u64> = report.connections.iter().map(|connection| connection.counts.verified).collect();
    assert_eq!(verified, [9, 9]);
}

#[test]
fn both_ends_open_at_once() {
    let all = conversation(&pair(), 2, 10);
    let syn_of_peer = conversation(&pair().reversed(), 0, 0).remove(0);
    let isns = |packet: &[u8]| u32::from_be_bytes(packet[24..28].try_into().unwrap());
    assert_eq!(isns(&syn_of_peer), OPENER_ISN);
    // The peer's SYN has the same number as the opener's; then each acknowledges the other.
    let data = from_isns(&pair(), OPENER_ISN, OPENER_ISN, 2, 10);
    let mut packets = vec![all[0].clone(), syn_of_peer];
    packets.extend_from_slice(&data[1..]);
    let (capture_, summary) = signed(&packets, &plan());
    assert_eq!(summary.unsigned, 0);
    let (report, _) = verified(&capture_, verifier());
    assert!(report.is_good(), "{}", report.counts);
    assert_eq!(report.connections.len(), 1);
}

#[test]
fn a_capture_that_begins_in_mid_stream() {
    let all = session(&pair(), 4, 100);
    // From the handshake's last segment on, the numbers can be told.
    let (report, _) = verified(&capture(&all[2..]), verifier());
    assert!(report.is_good(), "{}", report.counts);
    assert_eq!(report.connections[0].connection.origin, Origin::Recovered);
    // Later they must be given.
    let (report, _) = verified(&capture(&all[5..]), verifier());
    assert_eq!((report.counts.verified, report.counts.no_isns), (0, 6));
    for pair in [pair(), pair().reversed()] {
        let (local, remote) =
            if pair.local().port() == 179 { (ANSWERER_ISN, OPENER_ISN) } else { (OPENER_ISN, ANSWERER_ISN) };
        let known = [KnownIsns { pair, local, remote, extensions: None }];
        let (report, _) = verified(&capture(&all[5..]), Verifier::new(keys(), &known));
        assert!(report.is_good(), "{}", report.counts);
        assert_eq!(report.connections[0].connection.origin, Origin::Given);
    }
}

#[test]
fn given_numbers_stand_in_for_an_answer_that_was_not_captured() {
    let mut all = conversation(&pair(), 0, 0);
    // The answerer's data goes on long after the handshake, so that its number cannot be guessed.
    for count in 0..3 {
        let sequence = ANSWERER_ISN + 5001 + 100 * count;
        let head = Head { sequence, acknowledgment: OPENER_ISN + 1, flags: sample::DATA, options: &[] };
        all.push(sample::packet(&pair().reversed(), &head, &[1; 100]));
    }
    let mut all = packets(&signed(&all, &plan()).0);
    all.drain(1..3);
    let judged = |opener| {
        let known = [KnownIsns { pair: pair(), local: opener, remote: ANSWERER_ISN, extensions: None }];
        let (report, _) = verified(&capture(&all), Verifier::new(keys(), &known));
        assert_eq!(report.connections.len(), 1);
        (report.counts.verified, report.counts.no_isns, report.connections[0].connection.origin)
    };
    assert_eq!(judged(OPENER_ISN), (4, 0, Origin::Given));
    // Numbers that the SYN contradicts are another connection's.
    assert_eq!(judged(7), (1, 3, Origin::Captured));
}

#[test]
fn a_reset_that_answers_a_syn_has_its_own_number_for_an_isn() {
    // Refused at first; then the same SYN is answered.
    let mut all = conversation(&pair(), 2, 10);
    let head = Head { sequence: 0, acknowledgment: OPENER_ISN + 1, flags: 0x14, options: &[] };
    let reset = sample::packet(&pair().reversed(), &head, &[]);
    all.splice(1..1, [reset.clone(), all[0].clone()]);
    let (capture_, summary) = signed(&all, &plan());
    assert_eq!(summary.unsigned, 0);
    let (report, _) = verified(&capture_, verifier());
    assert!(report.is_good(), "{}", report.counts);
    // A session of the end that refuses signs it alike.
    let mkt = Mkt::new(84, 61, MASTER_KEY, common::sha1(), 12).unwrap();
    let mut refusing = Session::established(pair().reversed(), [Arc::new(mkt)], 0, OPENER_ISN).unwrap();
    let mut out = Vec::new();
    refusing.sign(&reset, &mut out).unwrap();
    assert_eq!(packets(&capture_)[1], out);
}

#[test]
fn verdicts_name_what_is_wrong() {
    let plain = conversation(&pair(), 2, 10);
    let (report, _) = verified(&capture(&plain), verifier());
    assert_eq!(report.counts.plain, 7);
    let (capture_, _) = signed(&plain, &plan());
    let mut mixed = packets(&capture_);
    mixed[5] = plain[5].clone();
    let (_, outcomes) = verified(&capture(&mixed), verifier());
    assert_eq!(outcomes[5].verdict, Verdict::Unsigned);
    let (report, outcomes) = verified(&capture_, Verifier::new(vec![key(61)], &[]));
    assert_eq!(outcomes[1].verdict, Verdict::UnknownKeyId { id: 84 });
    assert_eq!((report.counts.verified, report.counts.unknown_key_id), (4, 3));
    let longer = Key::new("61:hmac-sha1:00:maclen=16".parse().unwrap(), common::sha1(), 12).unwrap();
    let (_, outcomes) = verified(&capture_, Verifier::new(vec![longer], &[]));
    assert_eq!(outcomes[0].verdict, Verdict::WrongMacLength { found: 12, expected: 16 });
    let elsewhere = Key::new("61:hmac-sha1:00:198.51.100.0/24".parse().unwrap(), common::sha1(), 12).unwrap();
    let (_, outcomes) = verified(&capture_, Verifier::new(vec![elsewhere], &[]));
    assert_eq!(outcomes[0].verdict, Verdict::UnknownKeyId { id: 61 });
}

#[test]
fn several_keys_of_one_identifier_and_a_rollover() {
    let mut first = conversation(&pair(), 6, 10);
    let rest = first.split_off(9);
    let mut other = plan();
    for (id, key) in [(1, &mut other.opener), (2, &mut other.answerer)] {
        *key = Key::new(format!("{id}:sha256:5566").parse().unwrap(), common::sha256(), 12).unwrap();
    }
    let mut all = packets(&signed(&first, &plan()).0);
    let handshake = first[..3].to_vec();
    all.extend_from_slice(&packets(&signed(&[handshake, rest].concat(), &other).0)[3..]);
    let wrong = Key::new("61:hmac-sha1:00".parse().unwrap(), common::sha1(), 12).unwrap();
    let keys = vec![wrong, key(61), key(84), other.opener, other.answerer];
    let (report, _) = verified(&capture(&all), Verifier::new(keys, &[]));
    assert!(report.is_good(), "{}", report.counts);
    assert_eq!(report.by_key, [0, 5, 4, 3, 3]);
    let signs: Vec<_> = report.rollovers.iter().filter(|rollover| rollover.change == Change::Signs).collect();
    assert_eq!(signs.len(), 2);
    assert_eq!((signs[0].side, signs[0].from, signs[0].to), (Side::Opener, 61, 1));
    assert_eq!(report.rollovers.len(), 4);
}

#[test]
fn a_snapped_packet_is_not_a_wrong_one() {
    let (capture_, _) = signed(&conversation(&pair(), 1, 100), &plan());
    let mut bytes = capture_.clone();
    // The last record loses ten bytes of its packet, and says so.
    let length = packets(&capture_).last().unwrap().len();
    let record = bytes.len() - length - 16;
    bytes.truncate(bytes.len() - 10);
    bytes[record + 8..record + 12].copy_from_slice(&(length as u32 - 10).to_le_bytes());
    let (report, outcomes) = verified(&bytes, verifier());
    assert_eq!(outcomes.last().unwrap().verdict, Verdict::Snapped);
    assert!(!report.is_good());
    assert_eq!(report.counts.verified, 4);
}

#[test]
fn a_forged_syn_that_the_next_segment_seems_to_refer_to() {
    let mut all = session(&pair(), 10, 100);
    let mut syn = all[0].clone();
    let next = u32::from_be_bytes(all[9][24..28].try_into().unwrap());
    syn[24..28].copy_from_slice(&next.wrapping_sub(1).to_be_bytes());
    all.insert(9, syn);
    let (report, _) = verified(&capture(&all), verifier());
    assert_eq!((report.counts.verified, report.counts.wrong_mac), (23, 1), "{}", report.counts);
}
