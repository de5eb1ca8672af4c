//! Fragments: what passes in pieces is judged like the rest, and never passed over.

use fieldtest_tcp_ao::capture::LinkType;
use fieldtest_tcp_ao::verify::Verdict;

use super::mangle::{fragment, fragments, frames, ipv4, udp};
use super::traffic::{conversation, pair, pair_v6, session, verified, verifier};

fn header_len(packet: &[u8]) -> usize {
    if packet[0] >> 4 == 6 { 40 } else { 20 }
}

type Packets = Vec<Vec<u8>>;

/// A signed conversation whose fifth packet is cut up.
fn cut_up(v6: bool, size: usize) -> (Packets, Packets, Packets) {
    let pair = if v6 { pair_v6() } else { pair() };
    let mut before = session(&pair, 3, 1000);
    let after = before.split_off(4);
    let pieces = fragments(&before.pop().unwrap(), size, 77);
    (before, pieces, after)
}

#[test]
fn whole_again_in_any_order() {
    for v6 in [false, true] {
        for size in [8, 64, 488, 1016] {
            let (before, pieces, after) = cut_up(v6, size);
            let mut orders = vec![pieces.clone(), pieces.iter().rev().cloned().collect()];
            orders.push([&pieces[pieces.len() / 2..], &pieces[..pieces.len() / 2]].concat());
            // Each piece twice, as a capture on two interfaces has it, and the whole packet twice.
            orders.push(pieces.iter().flat_map(|piece| [piece.clone(), piece.clone()]).collect());
            orders.push([&pieces[..], &pieces].concat());
            for order in orders {
                let all = [&before[..], &order, &after].concat();
                let (report, outcomes) = verified(&frames(LinkType::RAW, &all), verifier());
                assert!(report.is_good(), "{size}: {}", report.counts);
                assert_eq!(report.counts.verified, 9, "{}", report.counts);
                let last = outcomes.iter().find_map(|outcome| match outcome.verdict {
                    Verdict::Fragment { of } => Some(of),
                    _ => None,
                });
                assert!(last.is_some_and(|of| of >= 3 + pieces.len() as u64), "{last:?}");
            }
        }
    }
}

#[test]
fn interleaved_with_others_and_with_the_same_identification() {
    let all = session(&pair(), 4, 600);
    let (opener, answerer) = (fragments(&all[3], 304, 5), fragments(&all[4], 16, 5));
    let mut mixed = all[..3].to_vec();
    for place in 0..opener.len().max(answerer.len()) {
        mixed.extend(opener.get(place).cloned());
        mixed.extend(answerer.get(place).cloned());
    }
    // The identification is used again at once.
    mixed.extend(fragments(&all[5], 304, 5));
    mixed.extend_from_slice(&all[6..]);
    let (report, _) = verified(&frames(LinkType::RAW, &mixed), verifier());
    assert!(report.is_good(), "{}", report.counts);
    assert_eq!(report.counts.verified, all.len() as u64);
}

#[test]
fn a_missing_piece_is_a_fault() {
    for v6 in [false, true] {
        let (before, pieces, after) = cut_up(v6, 304);
        for missing in 0..pieces.len() {
            let mut left = pieces.clone();
            left.remove(missing);
            let all = [&before[..], &left, &after].concat();
            let (report, outcomes) = verified(&frames(LinkType::RAW, &all), verifier());
            assert_eq!(report.counts.incomplete, left.len() as u64, "{}", report.counts);
            assert_eq!(report.counts.verified, 8);
            assert!(!report.is_good());
            assert_eq!(outcomes[before.len()].verdict, Verdict::Incomplete);
        }
    }
}

#[test]
fn a_changed_piece_is_a_wrong_mac() {
    let (before, mut pieces, after) = cut_up(false, 304);
    *pieces.last_mut().unwrap().last_mut().unwrap() ^= 1;
    let (report, _) = verified(&frames(LinkType::RAW, &[before, pieces, after].concat()), verifier());
    assert_eq!((report.counts.verified, report.counts.wrong_mac), (8, 1), "{}", report.counts);
}

/// Two contents for one place: which of them a receiver takes depends on the receiver.
#[test]
fn pieces_that_contradict_each_other_never_verify() {
    for v6 in [false, true] {
        for early in [true, false] {
            let (before, pieces, after) = cut_up(v6, 304);
            let header = &pieces[1][..header_len(&pieces[1])];
            let mut header = header.to_vec();
            if v6 {
                header[6] = 6;
            }
            let forged = fragment(&header, &[0xee; 304], 304, true, 77);
            let mut order = pieces.clone();
            order.insert(if early { 1 } else { 2 }, forged);
            let all = [&before[..], &order, &after].concat();
            let (report, _) = verified(&frames(LinkType::RAW, &all), verifier());
            assert!(!report.is_good(), "{}", report.counts);
            assert!(report.counts.overlapping > 0, "{}", report.counts);
            assert_eq!(report.counts.verified, 8, "{}", report.counts);
        }
    }
}

#[test]
fn overlaps_that_agree_are_read_in_ipv4_and_refused_in_ipv6() {
    for v6 in [false, true] {
        let (before, pieces, after) = cut_up(v6, 304);
        let whole = session(&if v6 { pair_v6() } else { pair() }, 3, 1000);
        let (header, payload) = whole[3].split_at(header_len(&whole[3]));
        let overlap = fragment(header, &payload[152..456], 152, true, 77);
        let order = [&pieces[..1], &[overlap], &pieces[1..]].concat();
        let all = [&before[..], &order, &after].concat();
        let (report, _) = verified(&frames(LinkType::RAW, &all), verifier());
        assert_eq!(report.is_good(), !v6, "{}", report.counts);
        assert_eq!(report.counts.verified, if v6 { 8 } else { 9 });
    }
}

#[test]
fn fragments_of_other_protocols_are_none_of_ours() {
    let whole = session(&pair(), 3, 1000);
    let mut dns = udp(53, &[7; 700]);
    let mut ospf = ipv4(89, &[7; 700]);
    for packet in [&mut dns, &mut ospf] {
        packet[6] = 0;
    }
    for mut pieces in [fragments(&dns, 304, 1), fragments(&ospf, 304, 2)] {
        pieces.pop();
        for order in [pieces.clone(), pieces.iter().rev().cloned().collect()] {
            let (report, _) = verified(&frames(LinkType::RAW, &[&whole[..], &order].concat()), verifier());
            assert!(report.is_good(), "{}", report.counts);
            assert_eq!(report.counts.not_tcp, 2);
        }
    }
}

#[test]
fn a_flood_of_pieces_stays_in_bounds_and_is_counted() {
    let whole = session(&pair(), 3, 1000);
    let mut all = whole.clone();
    for number in 0..20_000u32 {
        let mut header = whole[3][..20].to_vec();
        header[16..20].copy_from_slice(&number.to_be_bytes());
        all.push(fragment(&header, &[0; 1400], 0, true, number as u16));
    }
    let (report, _) = verified(&frames(LinkType::RAW, &all), verifier());
    let counts = report.counts;
    // 4096 packets wait for the rest to the end; those before were given up for them, which is another verdict.
    assert_eq!(
        (counts.verified, counts.incomplete, counts.too_many_fragments),
        (9, 4096, 15_904),
        "{counts}"
    );
}

/// A ping of death: pieces that reach behind the longest packet.
#[test]
fn pieces_behind_the_end_of_all_packets() {
    let whole = session(&pair(), 3, 1000);
    let header = &whole[3][..20];
    let pieces = [fragment(header, &[0; 1000], 0, true, 9), fragment(header, &[0; 1000], 65_528, false, 9)];
    let (report, _) = verified(&frames(LinkType::RAW, &[&whole[..], &pieces].concat()), verifier());
    assert!(!report.is_good());
    assert_eq!(report.counts.bad(), 2, "{}", report.counts);
}

/// As many pieces as IP allows, in any order: the packet is judged, and quickly.
#[test]
fn a_packet_in_the_smallest_pieces() {
    for v6 in [false, true] {
        let pair = if v6 { pair_v6() } else { pair() };
        let mut all = session(&pair, 1, 60_000);
        let long = all.remove(3);
        let pieces = fragments(&long, 8, 9);
        assert!(pieces.len() > 7500);
        let backwards: Vec<_> = pieces.iter().rev().cloned().collect();
        // Every second one first.
        let combed: Vec<_> =
            pieces.iter().step_by(2).chain(pieces.iter().skip(1).step_by(2)).cloned().collect();
        for order in [pieces, backwards, combed] {
            let (report, _) = verified(&frames(LinkType::RAW, &[&all[..], &order].concat()), verifier());
            assert!(report.is_good(), "{}", report.counts);
            assert_eq!(report.counts.verified, 5);
        }
    }
}

/// The longest packet that there is.
#[test]
fn a_packet_of_65535_bytes_in_the_smallest_pieces() {
    let mut long = conversation(&pair(), 1, 3).remove(3);
    long.resize(65_535, 7);
    long[2..4].fill(0xff);
    let pieces = fragments(&long, 8, 9);
    assert_eq!(pieces.len(), 8190);
    let (report, _) = verified(&frames(LinkType::RAW, &pieces), verifier());
    assert_eq!((report.counts.plain, report.counts.fragments), (1, 8189), "{}", report.counts);
}

/// One piece again and again takes memory too, and what is given up for it is not said to contradict anything.
#[test]
fn a_flood_of_one_piece() {
    let whole = session(&pair(), 3, 1000);
    let piece = fragment(&whole[3][..20], &[0; 8], 0, true, 5);
    let (report, _) =
        verified(&frames(LinkType::RAW, &[&whole[..], &vec![piece; 20_000]].concat()), verifier());
    assert_eq!((report.counts.overlapping, report.counts.incomplete), (0, 20_000), "{}", report.counts);
}

/// Many packets in very many pieces are more than is kept.
#[test]
fn too_many_pieces_at_once_are_said_to_be_too_many() {
    let whole = session(&pair(), 3, 1000);
    let mut all = whole.clone();
    for identification in 0..64 {
        for number in 0..4000 {
            all.push(fragment(&whole[3][..20], &[0; 8], number * 8, true, identification));
        }
    }
    let (report, _) = verified(&frames(LinkType::RAW, &all), verifier());
    let counts = report.counts;
    assert!(counts.too_many_fragments > 0 && counts.overlapping == 0, "{counts}");
    assert_eq!(counts.too_many_fragments + counts.incomplete, 64 * 4000);
}
