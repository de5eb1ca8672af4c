//! What devices on the way change is named; and nothing is advised that segments which verify speak against.

use std::net::IpAddr;

use fieldtest_tcp_ao::diagnose::{Fault, Search};
use fieldtest_tcp_ao::flows::{Ends, Side};
use fieldtest_tcp_ao::{Coverage, sample};

use super::diagnosing::{self, diagnosed};
use super::mangle::{frames, translated};
use super::traffic::{
    ANSWERER_ISN, MASTER_KEY, OPENER_ISN, conversation, key, key_with, keys, keys_of, packets, pair, plan,
    plan_of, signed, verified, verifier,
};
use crate::common;

fn session() -> Vec<Vec<u8>> {
    super::traffic::session(&pair(), 3, 50)
}

fn cause(packets: &[Vec<u8>], search: &Search) -> Vec<Fault> {
    diagnosing::cause(packets, &keys(), search)
}

/// Puts other options of the same length into both SYNs.
fn rewritten(change: impl Fn(&mut [u8])) -> Vec<Vec<u8>> {
    let mut packets = session();
    for packet in &mut packets[..2] {
        let end = 20 + usize::from(packet[32] >> 4) * 4;
        change(&mut packet[40..end]);
    }
    packets
}

fn find(options: &[u8], part: &[u8]) -> usize {
    options.windows(part.len()).position(|bytes| bytes == part).unwrap()
}

#[test]
fn a_clamped_segment_size() {
    let packets = rewritten(|options| {
        let at = find(options, &[2, 4, 5, 0xb4]);
        options[at + 2..at + 4].copy_from_slice(&1311u16.to_be_bytes());
    });
    assert_eq!(cause(&packets, &Search::default()), [Fault::SegmentSize { seen: 1311, real: 1460 }]);
}

#[test]
fn an_option_that_was_overwritten() {
    let packets = rewritten(|options| {
        let at = find(options, &[4, 2]);
        options[at..at + 2].fill(1);
    });
    let found = cause(&packets, &Search::default());
    assert!(matches!(&found[..], [Fault::Stripped(it)] if it.option == [4, 2]), "{found:?}");
    let packets = rewritten(|options| {
        let at = find(options, &[3, 3, 7]);
        options[at..at + 3].fill(1);
    });
    let found = cause(&packets, &Search::default());
    assert!(matches!(&found[..], [Fault::Stripped(it)] if it.option == [3, 3, 7]), "{found:?}");
}

/// The option is gone, the others move up, and the segment size is another.
#[test]
fn an_option_that_was_taken_out_of_a_clamped_syn() {
    let mut packets = session();
    for packet in &mut packets[..2] {
        let end = 20 + usize::from(packet[32] >> 4) * 4;
        let mut options = packet[40..end].to_vec();
        options[2..4].copy_from_slice(&1360u16.to_be_bytes());
        let at = find(&options, &[4, 2]);
        options.drain(at..at + 2);
        options.resize(options.len().next_multiple_of(4), 0);
        packet.splice(40..end, options.iter().copied());
        packet[32] = (packet[32] & 15) | (((20 + options.len()) / 4) << 4) as u8;
        let total = (packet.len() as u16).to_be_bytes();
        packet[2..4].copy_from_slice(&total);
    }
    let found = cause(&packets, &Search::default());
    assert!(
        matches!(&found[..], [Fault::Stripped(it), Fault::SegmentSize { seen: 1360, real: 1460 }] if it.option == [4, 2]),
        "{found:?}"
    );
}

/// Timestamps cannot be guessed; that they may be the reason is said.
#[test]
fn timestamps_that_were_overwritten() {
    let packets = rewritten(|options| {
        let at = find(options, &[8, 10]);
        options[at..at + 10].fill(1);
    });
    let (_, diagnosis) = diagnosed(&packets[..1], &keys(), &Search::default());
    assert_eq!((diagnosis.findings.len(), diagnosis.overwritten), (0, Some(1)));
}

#[test]
fn any_port() {
    let packets = translated(&session(), &40_000u16.to_be_bytes(), &61_234u16.to_be_bytes());
    assert_eq!(cause(&packets, &Search::default()), [Fault::Port { seen: 61_234, real: 40_000 }]);
}

#[test]
fn an_address_of_a_small_network_and_its_port() {
    // The opener is really 192.168.7.9, behind a NAT that shows 192.0.2.1.
    let inside = fieldtest_tcp_ao::SocketPair::new(
        "192.168.7.9:40000".parse().unwrap(),
        "192.0.2.2:179".parse().unwrap(),
    )
    .unwrap();
    let session = packets(&signed(&conversation(&inside, 3, 50), &plan()).0);
    let outside = translated(&session, &[192, 168, 7, 9], &[192, 0, 2, 1]);
    let (seen, real): (IpAddr, IpAddr) = ("192.0.2.1".parse().unwrap(), "192.168.7.9".parse().unwrap());
    assert_eq!(cause(&outside, &Search::default()), [Fault::Address { seen, real }]);

    // The port too, where the address is given.
    let both = translated(&outside, &40_000u16.to_be_bytes(), &1025u16.to_be_bytes());
    let search = Search { addresses: vec![real], ..Search::default() };
    let found = cause(&both, &search);
    assert_eq!(found, [Fault::Address { seen, real }, Fault::Port { seen: 1025, real: 40_000 }]);
}

#[test]
fn both_addresses() {
    let outside = translated(&session(), &[192, 0, 2, 1], &[198, 51, 100, 7]);
    let outside = translated(&outside, &[192, 0, 2, 2], &[203, 0, 113, 9]);
    let addresses = ["192.0.2.2", "10.0.0.1", "192.0.2.1"].map(|it| it.parse().unwrap()).to_vec();
    let found = cause(&outside, &Search { addresses, ..Search::default() });
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|fault| matches!(fault, Fault::Address { .. })), "{found:?}");
}

#[test]
fn sequence_numbers_that_a_firewall_changes() {
    // The opener's numbers are 0x5000 more outside.
    let mut outside = session();
    for packet in &mut outside {
        let opens = packet[12..16] == [192, 0, 2, 1];
        let at = if opens { 24 } else { 28 };
        let field: [u8; 4] = packet[at..at + 4].try_into().unwrap();
        packet[at..at + 4].copy_from_slice(&(u32::from_be_bytes(field).wrapping_add(0x5000)).to_be_bytes());
    }
    let real = Ends { opener: OPENER_ISN, answerer: ANSWERER_ISN };
    let seen = Ends { opener: OPENER_ISN.wrapping_add(0x5000), ..real };
    let search = Search { numbers: vec![(pair(), Some(OPENER_ISN), None)], ..Search::default() };
    assert_eq!(cause(&outside, &search), [Fault::Numbers { seen, real }]);
}

/// One direction has another secret, and the keys are not exchanged: the other direction verifies.
#[test]
fn one_direction_with_another_secret() {
    let with_secret = |id, secret: &[u8]| key_with(id, |spec| spec.master_key = secret.to_vec().into());
    let keys = [key(61), with_secret(84, b"mistyped")];
    let (report, diagnosis) = diagnosed(&session(), &keys, &Search::default());
    assert!(report.counts.verified > 0 && report.counts.wrong_mac > 0);
    let first = &diagnosis.findings[0];
    assert_eq!(first.faults, [Fault::SecretOf { id: 84, of: 61 }]);
    assert_eq!(first.only_from, Some(pair().remote()));
    let all: String = diagnosis.findings.iter().map(|it| format!("{it}. {}", it.remedy())).collect();
    assert!(!all.contains("Exchange"), "{all}");

    // Where each direction has the secret of the other, that is the advice.
    let plan = plan_of(&[with_secret(61, b"one"), with_secret(84, b"two")]);
    let session = packets(&signed(&conversation(&pair(), 3, 50), &plan).0);
    let swapped = [with_secret(84, b"one"), with_secret(61, b"two")];
    let (_, diagnosis) = diagnosed(&session, &swapped, &Search::default());
    assert_eq!(diagnosis.findings[0].faults, [Fault::Exchanged]);
}

/// Segments without other options verify whatever the flag is, and are no reason to think that it is right.
#[test]
fn what_verifies_either_way_speaks_against_nothing() {
    let other = keys_of(&common::sha1(), MASTER_KEY, Coverage::AoOnly);
    let mut all = conversation(&pair(), 0, 0);
    all.truncate(2);
    for count in 0..4u32 {
        let (sequence, acknowledgment) =
            (OPENER_ISN.wrapping_add(1 + 9 * count), ANSWERER_ISN.wrapping_add(1));
        let head = sample::Head { sequence, acknowledgment, flags: sample::DATA, options: &[] };
        all.push(sample::packet(&pair(), &head, &[7; 9]));
    }
    let all = packets(&signed(&all, &plan()).0);
    let (report, diagnosis) = diagnosed(&all, &other, &Search::default());
    assert_eq!((report.counts.verified, report.counts.wrong_mac), (4, 2));
    assert_eq!(diagnosis.findings[0].faults, [Fault::Coverage], "{:?}", diagnosis.findings);
}

/// No finding of any kind may contradict what verifies: each is applied to the witnesses by another way than the
/// search takes.
#[test]
fn a_path_that_changes_one_direction_alone_is_none() {
    // What the answerer sends comes from another address: no NAT does that to one direction.
    let mut packets = session();
    for packet in packets.iter_mut().filter(|packet| packet[12..16] == [192, 0, 2, 2]) {
        *packet.last_mut().unwrap() ^= 1;
    }
    let addresses = vec!["192.0.2.1".parse().unwrap(), "10.0.0.1".parse().unwrap()];
    let (_, diagnosis) = diagnosed(&packets, &keys(), &Search { addresses, ..Search::default() });
    assert!(diagnosis.findings.is_empty(), "{:?}", diagnosis.findings);
}

#[test]
fn numbers_that_no_syn_shows_under_another_option_flag() {
    let other = keys_of(&common::sha1(), MASTER_KEY, Coverage::AoOnly);
    let (report, diagnosis) = diagnosed(&session()[5..], &other, &Search::default());
    assert_eq!(report.counts.verified, 0);
    let [Fault::Coverage, Fault::Isns { opener, answerer, .. }] = diagnosis.findings[0].faults[..] else {
        panic!("{:?}", diagnosis.findings)
    };
    assert_eq!((opener, answerer), (OPENER_ISN, ANSWERER_ISN));
}

#[test]
fn openings_that_nobody_answers() {
    let all = session();
    let judged = |packets: &[Vec<u8>]| {
        let file = frames(fieldtest_tcp_ao::capture::LinkType::RAW, packets);
        verified(&file, verifier()).0
    };
    // Sent once, at the very end: said, and no fault.
    let report = judged(&all[..1]);
    assert_eq!((report.unanswered.len(), report.unanswered[0].sent), (1, 1));
    assert!(report.is_good());
    // Sent again, or followed by a second of other traffic.
    let report = judged(&[all[0].clone(), all[0].clone()]);
    assert_eq!((report.unanswered[0].waiting, report.unanswered[0].sent), (Side::Opener, 2));
    assert!(!report.is_good());
    let mut late = vec![all[0].clone()];
    late.extend((0..1001).map(|_| super::mangle::udp(53, &[0; 8])));
    assert!(!judged(&late).is_good());
    // An answer that is not taken.
    let report = judged(&[&all[..2], &all[..2]].concat());
    assert_eq!((report.unanswered[0].waiting, report.unanswered[0].sent), (Side::Answerer, 2));
    assert!(!report.is_good());
    // One direction alone shows that it went on.
    for skip in [0, 1] {
        let one: Vec<_> =
            all.iter().filter(|it| (it[12..16] == [192, 0, 2, 1]) == (skip == 0)).cloned().collect();
        let report = judged(&one);
        assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
    }
    assert!(judged(&all).unanswered.is_empty());
}
