//! Segments with the MAC of an earlier connection on the same ports: the receiver has other traffic keys by then.

use fieldtest_tcp_ao::verify::{Outcome, Report, Verdict};

use super::traffic::{
    from_isns, keys, packets, pair, plan, signed, timed, verified, verified_in_passes, verifier,
};

const SECOND: u64 = 1_000_000_000;

/// A connection of 3 + 2 × `exchanges` segments, signed.
fn connection(isns: (u32, u32), exchanges: usize) -> Vec<Vec<u8>> {
    packets(&signed(&from_isns(&pair(), isns.0, isns.1, exchanges, 20), &plan()).0)
}

/// The packets a second apart.
fn in_order(packets: &[Vec<u8>]) -> Vec<u8> {
    let times = (1..).map(|count| count * SECOND);
    timed(&times.zip(packets.iter().cloned()).collect::<Vec<_>>())
}

fn judged(file: &[u8]) -> (Report, Vec<Outcome>) {
    let (once, _) = verified(file, verifier());
    let (report, outcomes) = verified_in_passes(file, &keys());
    assert_eq!(once.counts, report.counts, "another pass");
    (report, outcomes)
}

fn refused(outcomes: &[Outcome]) -> Vec<u64> {
    let refused = |outcome: &&Outcome| matches!(outcome.verdict, Verdict::EarlierConnection { .. });
    outcomes.iter().filter(refused).map(|outcome| outcome.number).collect()
}

/// Either end, or both, goes on with the traffic keys of the connection before, from the first segment behind the
/// handshake or from a later one.
#[test]
fn a_sender_that_keeps_its_traffic_keys() {
    let old = connection((1000, 2000), 3);
    let new = from_isns(&pair(), 5000, 6000, 3, 20);
    let right = connection((5000, 6000), 3);
    for ends in [&[0][..], &[1], &[0, 1]] {
        for first in [2, 3, 6] {
            // What follows a handshake with the old numbers has the MACs that the old keys give.
            let head = from_isns(&pair(), 1000, 2000, 0, 0);
            let wrong = packets(&signed(&[&head[..], &new[3..]].concat(), &plan()).0);
            let ack = packets(&signed(&[head[..2].to_vec(), vec![new[2].clone()]].concat(), &plan()).0);
            let mut all = right.clone();
            let is_stale = |place: usize| place >= first && ends.contains(&((place + 1) % 2));
            for place in (0..all.len()).filter(|place| is_stale(*place)) {
                all[place] = if place == 2 { ack[2].clone() } else { wrong[place].clone() };
            }
            let expected: Vec<u64> = (0..all.len())
                .filter(|place| is_stale(*place))
                .map(|it| (old.len() + it + 1) as u64)
                .collect();
            let (report, outcomes) = judged(&in_order(&[old.clone(), all].concat()));
            assert_eq!(refused(&outcomes), expected, "{ends:?} from {first}: {}", report.counts);
            assert_eq!(report.counts.verified as usize, 18 - expected.len());
            assert!(!report.is_good());
            // They count in the connection that they were sent into.
            assert_eq!(report.connections[1].counts.earlier_connection as usize, expected.len());
        }
    }
}

/// Segments of an earlier connection, or all of it, are played again in the next one, which goes on.
#[test]
fn a_replay_across_connections() {
    let (old, new) = (connection((1000, 2000), 3), connection((5000, 6000), 4));
    for played in [3..4, 3..9, 2..9, 1..9] {
        let (front, back) = new.split_at(5);
        let all = [&old[..], front, &old[played.clone()], back].concat();
        let (report, outcomes) = judged(&in_order(&all));
        let expected: Vec<u64> = (old.len() + 5..).take(played.len()).map(|it| it as u64 + 1).collect();
        assert_eq!(refused(&outcomes), expected, "{played:?}: {}", report.counts);
        assert_eq!(report.counts.verified, 20, "{played:?}");
    }
    // A SYN depends on no number of the receiver's: it opens wherever it is received.
    let all = [&old[..], &new[..5], &old[..], &new[5..]].concat();
    let (report, outcomes) = judged(&in_order(&all));
    assert_eq!(refused(&outcomes).len(), 8, "{}", report.counts);
}

/// The next connection's numbers are found, since its SYN-ACK, its handshake or one direction was not captured.
#[test]
fn a_replay_where_the_handshake_was_not_captured() {
    let (old, new) = (connection((1000, 2000), 3), connection((5000, 6000), 4));
    let opener = |place: usize| place.is_multiple_of(2) != (place > 2);
    let shown: [&dyn Fn(usize) -> bool; 6] = [
        &|place| place != 1,
        &|place| place > 2,
        &opener,
        &|place| opener(place) && place > 0,
        &|place| !opener(place),
        &|place| !opener(place) && place > 1,
    ];
    for (case, shown) in shown.iter().enumerate() {
        let tap = |packets: &[Vec<u8>]| -> Vec<Vec<u8>> {
            let all = packets.iter().enumerate().filter(|(place, _)| shown(*place));
            all.map(|(_, packet)| packet.clone()).collect()
        };
        let (first, second) = (if case < 2 { old.clone() } else { tap(&old) }, tap(&new));
        let (front, back) = second.split_at(2);
        for (played, packet) in first.iter().enumerate().skip(3) {
            let all = [&first, front, std::slice::from_ref(packet), back].concat();
            let (report, outcomes) = verified_in_passes(&in_order(&all), &keys());
            assert_eq!(refused(&outcomes), [first.len() as u64 + 3], "{case}, {played}: {}", report.counts);
            assert_eq!(report.counts.verified as usize, all.len() - 1, "{case}, {played}");
        }
    }
}

/// The connection that a segment is of is the first with its numbers, not a handshake that was played again.
#[test]
fn the_connection_that_is_named() {
    let (old, new) = (connection((1000, 2000), 3), connection((5000, 6000), 3));
    let (_, outcomes) = judged(&in_order(&[&old[..], &new, &old[..6]].concat()));
    let named = |outcome: &Outcome| match outcome.verdict {
        Verdict::EarlierConnection { of, .. } => Some((outcome.connection, of)),
        _ => None,
    };
    assert_eq!(outcomes.iter().filter_map(named).collect::<Vec<_>>(), [(Some(1), 0); 5]);
}

/// Time decides, not the place in the file; and a connection that only a SYN would have begun takes nothing away.
#[test]
fn parts_of_two_connections_in_any_order() {
    let (old, new) = (connection((1000, 2000), 3), connection((5000, 6000), 3));
    let at = |from: u64, packets: &[Vec<u8>]| {
        (from..).zip(packets.iter().cloned()).map(|(count, it)| (count * SECOND, it)).collect::<Vec<_>>()
    };
    let parts = [at(10, &old[..5]), at(15, &old[5..]), at(100, &new[..5]), at(105, &new[5..])];
    for order in [[0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3], [2, 0, 3, 1], [3, 2, 1, 0]] {
        let file = timed(&order.iter().flat_map(|part: &usize| parts[*part].clone()).collect::<Vec<_>>());
        let (report, _) = verified_in_passes(&file, &keys());
        assert!(report.is_good() && report.counts.verified == 18, "{order:?}: {}", report.counts);
    }
    // The SYN of a connection that is over, played again while the next one goes on.
    let all = [&old[..], &new[..4], &old[..1], &new[4..]].concat();
    let (report, outcomes) = judged(&in_order(&all));
    assert_eq!((refused(&outcomes), report.counts.verified), (Vec::new(), 19));
}
