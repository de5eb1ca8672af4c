//! Initial sequence numbers and extensions that the capture does not show where they are needed.

use fieldtest_tcp_ao::flows::{KnownIsns, Origin};
use fieldtest_tcp_ao::recover::{self, Effort};
use fieldtest_tcp_ao::verify::{Key, Report, Verdict, Verifier};
use fieldtest_tcp_ao::{SocketPair, option, sample};

use super::mangle::exchange;
use super::traffic::{
    capture, from_isns, key, key_with, keys, packets, pair, pair_v6, plan, sealed, session, signed, timed,
    verified, verified_in_passes, verified_in_passes_with,
};
use crate::stack::parse;

/// Enough to find a false proof if there were one: a hit by chance is as likely for each trial.
const SMALL: Effort = Effort { each: 200_000, all: 400_000 };

/// Signs packets of one connection with any numbers and extensions, as no captured SYN would have it.
fn sign(
    packets: &[Vec<u8>],
    pair: &SocketPair,
    isns: (u32, u32),
    sne: (u32, u32),
    length: usize,
) -> Vec<Vec<u8>> {
    let signed = packets.iter().map(|bytes| {
        let opens = pair.sends(&parse(bytes));
        let (own, peer, sne) = if opens { (isns.0, isns.1, sne.0) } else { (isns.1, isns.0, sne.1) };
        sealed(bytes, (own, peer), sne, length)
    });
    signed.collect()
}

/// Both keys with MACs of this length.
fn keys_with(mac_len: usize) -> Vec<Key> {
    [61, 84].map(|id| key_with(id, |spec| spec.mac_len = Some(mac_len))).to_vec()
}

/// A session that is joined when its ends have sent so much.
fn joined(pair: &SocketPair, isns: (u32, u32), sent: (u32, u32)) -> Vec<Vec<u8>> {
    let after = |isn: u32, sent: u32| isn.wrapping_add(1).wrapping_add(sent);
    let packets = exchange(pair, after(isns.0, sent.0), after(isns.1, sent.1), 5);
    sign(&packets, pair, isns, (0, 0), 12)
}

fn good(report: &Report, segments: u64) {
    assert!(report.is_good(), "{}", report.counts);
    assert_eq!(report.counts.verified, segments, "{}", report.counts);
}

#[test]
fn both_ends_have_sent_before_the_capture() {
    let isns = (0x1234_5678, 0x8765_4321);
    for pair in [pair(), pair_v6()] {
        for sent in [(0, 0), (29, 29), (93, 421), (1000, 3), (0, 2500), (120, 310), (30_000, 0)] {
            let (report, _) = verified_in_passes(&capture(&joined(&pair, isns, sent)), &keys());
            good(&report, 10);
            assert_eq!(report.connections[0].connection.origin, Origin::Recovered);
            // What is said can be given to another verification.
            let numbers = report.connections[0].numbers().unwrap();
            assert!(numbers.contains("=0x12345678") && numbers.contains("=0x87654321"), "{numbers}");
        }
    }
}

#[test]
fn numbers_that_pass_their_end_between_the_syn_and_the_capture() {
    let pair = pair();
    let isns = (0xffff_fff0, 0xffff_ff80);
    let packets = exchange(&pair, 60, 20, 5);
    let signed = sign(&packets, &pair, isns, (1, 1), 12);
    let (report, _) = verified_in_passes(&capture(&signed), &keys());
    good(&report, 10);
    assert!(report.connections[0].numbers().unwrap().ends_with("=0xffffff80+1"));
}

#[test]
fn every_order_of_the_file_and_one_direction_alone() {
    let isns = (1_000_000, 5_000_000);
    let session = joined(&pair(), isns, (300, 200));
    let mut reversed = session.clone();
    reversed.reverse();
    good(&verified_in_passes(&capture(&reversed), &keys()).0, 10);
    for skip in [0, 1] {
        let one: Vec<_> = session.iter().skip(skip).step_by(2).cloned().collect();
        good(&verified_in_passes(&capture(&one), &keys()).0, 5);
        // With the key of that direction alone.
        let (report, _) = verified_in_passes(&capture(&one), &[key([61, 84][skip])]);
        good(&report, 5);
    }
}

#[test]
fn a_syn_behind_the_segments_that_need_it() {
    let all = session(&pair(), 6, 5000);
    for order in [
        all.iter().rev().cloned().collect::<Vec<_>>(),
        [&all[9..], &all[..9]].concat(),
        [&all[2..], &all[1..2], &all[..1]].concat(),
        [&all[10..], &all[2..10], &all[..2]].concat(),
    ] {
        let (report, _) = verified_in_passes(&capture(&order), &keys());
        good(&report, 15);
    }
    // Any order at all.
    for seed in 1..40usize {
        let mut order = all.clone();
        order.sort_by_key(|packet| (packet[packet.len() / 2 % 40] as usize + seed) * seed * 7919 % 101);
        order.rotate_left(seed % 15);
        good(&verified_in_passes(&capture(&order), &keys()).0, 15);
    }
}

#[test]
fn connections_on_the_same_ports_in_any_order() {
    // One follows the other; the order of the file is another one.
    let connections: Vec<Vec<(u64, Vec<u8>)>> = [(10, 20), (0x4000_0000, 0x5000_0000), (0x9000_0000, 7)]
        .into_iter()
        .zip([0, 100, 200])
        .map(|((opener, answerer), time)| {
            (time..).zip(packets(&signed(&from_isns(&pair(), opener, answerer, 4, 300), &plan()).0)).collect()
        })
        .collect();
    let [first, second, third] = &connections[..] else { unreachable!() };
    let turns = |order: &[&Vec<(u64, Vec<u8>)>]| -> Vec<(u64, Vec<u8>)> {
        (0..11).flat_map(|at| order.iter().map(move |packets| packets[at].clone())).collect()
    };
    let mut backwards = [first.clone(), second.clone(), third.clone()].concat();
    backwards.reverse();
    // The last has no SYN, and what is left of it lies between those of the others.
    let without = [&first[..6], &second[..], &third[2..], &first[6..]].concat();
    for (order, segments) in [
        ([third.clone(), first.clone(), second.clone()].concat(), 33),
        (turns(&[first, second, third]), 33),
        (backwards, 33),
        (without, 31),
    ] {
        let (report, _) = verified_in_passes(&timed(&order), &keys());
        good(&report, segments);
    }
}

#[test]
fn long_sessions_have_extensions() {
    let (pair, isns) = (pair(), (77, 88));
    let known = |extensions| [KnownIsns { pair, local: isns.0, remote: isns.1, extensions }];
    let session = sign(&exchange(&pair, 1000, 0x9000_0000, 5), &pair, isns, (3, 1200), 12);
    let judged = |extensions, hints| {
        let verifier = Verifier::new(keys(), &known(extensions)).with_hints(hints);
        verified(&capture(&session), verifier).0
    };
    // Given.
    good(&judged(Some((3, 1200)), Default::default()), 10);
    // Found, and said so that it can be given.
    let without = judged(None, Default::default());
    assert_eq!(without.counts.wrong_mac, 10);
    let report = judged(None, recover::hints(&without, &keys(), Effort::default()));
    good(&report, 10);
    assert_eq!(report.connections[0].extensions.opener, Some(3));
    assert!(report.connections[0].numbers().unwrap().ends_with(":179=0x58+1200"));
}

/// MACs of 4 bytes are hit by chance: one segment is no proof, three are.
#[test]
fn short_macs_need_more_segments() {
    let isns = (0x1234_5678, 0x8765_4321);
    let keys = keys_with(4);
    let all = sign(&exchange(&pair(), isns.0 + 41, isns.1 + 91, 5), &pair(), isns, (0, 0), 4);
    good(&verified_in_passes(&capture(&all), &keys).0, 10);
    good(&verified_in_passes(&capture(&all[..3]), &keys).0, 3);
    // The same segment again is no more proof.
    for few in [all[..1].to_vec(), vec![all[0].clone(); 5]] {
        let (report, outcomes) = verified_in_passes_with(&capture(&few), &keys, SMALL);
        assert_eq!(report.counts.verified, 0);
        assert!(outcomes.iter().all(|outcome| outcome.verdict == Verdict::NoIsns));
    }
}

/// No search may find what is not there: MACs that nobody made, of every length.
#[test]
fn noise_never_verifies() {
    let head = |sequence| sample::Head { sequence, acknowledgment: 1, flags: sample::DATA, options: &[] };
    for length in [1, 2, 3, 4, 8, 12] {
        let keys = keys_with(length);
        let mut noise = Vec::new();
        for count in 0..12u32 {
            let packet = sample::packet(&pair(), &head(1000 + count), &[9; 20]);
            let mut out = Vec::new();
            let mac = option::insert(&parse(&packet), 61, 84, length, &mut out).unwrap().mac;
            for (place, byte) in out[mac].iter_mut().enumerate() {
                *byte = (count.wrapping_mul(0x9e37_79b9) >> (place % 4 * 8)) as u8 ^ place as u8;
            }
            noise.push(out);
        }
        let (report, _) = verified_in_passes_with(&capture(&noise), &keys, SMALL);
        assert_eq!(report.counts.verified, 0, "{length} bytes: {}", report.counts);
        assert!(!report.is_good());
    }
}

/// TCP Fast Open (RFC 7413): the SYN carries data, and was not captured. The SYN-ACK acknowledges the data too, so that the
/// numbers it suggests are wrong; the search finds the right ones, and who opened stays who opened.
#[test]
fn a_syn_with_data_that_was_not_captured() {
    for pair in [pair(), pair_v6()] {
        let (opener, answerer) = (5000u32, 9000u32);
        let options = sample::timestamps(2, 3);
        let head = |sequence, acknowledgment, flags| sample::Head {
            sequence,
            acknowledgment,
            flags,
            options: &options,
        };
        let packets = [
            sample::packet(&pair.reversed(), &head(answerer, opener + 4, 0x12), &[]),
            sample::packet(&pair, &head(opener + 4, answerer + 1, 0x10), &[]),
        ];
        let all = sign(&packets, &pair, (opener, answerer), (0, 0), 12);
        let (report, _) = verified_in_passes(&capture(&all), &keys());
        good(&report, 2);
        assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
        let found = report.connections.iter().find(|it| it.counts.verified == 2).expect("a connection");
        assert_eq!(found.connection.pair, pair);
    }
}
