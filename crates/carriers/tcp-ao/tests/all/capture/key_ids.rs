//! Keys that ends ask for and sign with, and TCP-MD5 where TCP-AO should be.

use fieldtest_tcp_ao::md5;
use fieldtest_tcp_ao::verify::{Ignored, Report, Verdict, Verifier};

use super::traffic::{
    capture, conversation, key, key_with, packets, pair, plan, plan_of, session, signed, timed, verified,
    verifier,
};

const SECOND: u64 = 1_000_000_000;

/// A conversation under keys 61 and 84, a second between two packets, in which the opener asks for `asked` from the packet
/// `from` on, and the answerer signs with that from `follows` on.
fn rollover(asked: u8, from: usize, follows: usize) -> Report {
    let plain = conversation(&pair(), 6, 30);
    let before = packets(&signed(&plain, &plan()).0);
    let asking = packets(&signed(&plain, &plan_of(&[key(61), key(asked)])).0);
    let answers = |place: usize| place == 1 || place > 2 && place.is_multiple_of(2);
    let mixed = (0..plain.len()).map(|place| {
        let is_new = place >= if answers(place) { follows } else { from };
        let packet = if is_new { &asking[place] } else { &before[place] };
        ((place as u64 + 1) * SECOND, packet.clone())
    });
    let file = timed(&mixed.collect::<Vec<_>>());
    let (report, _) = verified(&file, Verifier::new(vec![key(61), key(84), key(asked)], &[]));
    assert_eq!(report.counts.verified, 15, "{}", report.counts);
    report
}

#[test]
fn a_request_that_is_ignored() {
    // Packets 5, 7, 9, 11, 13 and 15 ask; the answers between them are the peer's.
    let report = rollover(85, 5, usize::MAX);
    let [Ignored { id: 85, instead: 84, number: 6, segments, lasted, acknowledged: true, .. }] =
        report.ignored[..]
    else {
        panic!("{:?}", report.ignored)
    };
    // The answer one second behind the first request counts.
    assert_eq!((segments, lasted, report.is_good()), (5, 9 * SECOND, false));
    for (from, follows) in [(5, 6), (5, 8), (5, 14), (11, usize::MAX), (usize::MAX, usize::MAX)] {
        let report = rollover(85, from, follows);
        assert_eq!((report.ignored.len(), report.is_good()), (0, true), "{from} {follows}");
    }
}

/// The peer sends and acknowledges nothing of what asks, which may not have reached it.
#[test]
fn a_request_that_nobody_acknowledged() {
    let mut all = session(&pair(), 6, 30);
    let asks = plan_of(&[key(61), key(85)]);
    let lost = packets(&signed(&conversation(&pair(), 6, 30), &asks).0)[5].clone();
    // The acknowledgment of what came before, again and again.
    let again = all[4].clone();
    all.truncate(5);
    for (repeats, is_fault) in [(2, false), (3, true)] {
        let file = [&all[..], std::slice::from_ref(&lost), &vec![again.clone(); repeats]].concat();
        let file = timed(&(1..).map(|it| it * SECOND).zip(file).collect::<Vec<_>>());
        let (report, _) = verified(&file, Verifier::new(vec![key(61), key(84), key(85)], &[]));
        let found: Vec<bool> = report.ignored.iter().map(|it| it.acknowledged).collect();
        assert_eq!((found, report.is_good()), (vec![false; usize::from(is_fault)], !is_fault));
    }
}

/// Two keys of one identifier cannot both be right in one direction of a connection.
#[test]
fn two_keys_of_one_identifier() {
    let other = key_with(61, |spec| spec.master_key = b"another".to_vec().into());
    let mut all = session(&pair(), 3, 30);
    let changed = plan_of(&[other.clone(), key(84)]);
    all[7] = packets(&signed(&conversation(&pair(), 3, 30), &changed).0)[7].clone();
    let keys = vec![key(61), key(84), other];
    let (report, _) = verified(&capture(&all), Verifier::new(keys.clone(), &[]));
    assert_eq!((report.counts.verified, report.two_keys.len(), report.is_good()), (9, 1, false));
    assert_eq!(report.two_keys[0].keys, [0, 2]);
    let (report, _) = verified(&capture(&session(&pair(), 3, 30)), Verifier::new(keys, &[]));
    assert!(report.is_good() && report.two_keys.is_empty());
}

/// The same packet with an option of TCP-MD5 behind the others.
fn with_md5(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let header = usize::from(packet[32] >> 4) * 4;
    let option = [&[19, md5::OPTION as u8][..], &[7; md5::DIGEST], &[1, 1]].concat();
    packet[32] += (option.len() as u8 / 4) << 4;
    let length = packet.len() as u16 + option.len() as u16;
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    packet.splice(20 + header..20 + header, option);
    packet
}

#[test]
fn tcp_md5_is_named() {
    let plain = conversation(&pair(), 3, 30);
    // The handshake's options leave it no room.
    let short: Vec<_> = plain[2..].to_vec();
    let verdicts = |packets: &[Vec<u8>]| {
        let (report, outcomes) = verified(&capture(packets), verifier());
        (outcomes.iter().map(|outcome| outcome.verdict).collect::<Vec<_>>(), report.counts.bad())
    };
    let md5: Vec<_> = short.iter().map(|packet| with_md5(packet)).collect();
    assert_eq!(verdicts(&md5), (vec![Verdict::Md5; 7], 0));
    let (found, bad) = verdicts(&[&md5[..1], &short[1..2]].concat());
    assert_eq!((found, bad), (vec![Verdict::Md5, Verdict::Md5Missing], 0));
    // One end has TCP-AO, and the other still TCP-MD5.
    let mut mixed = packets(&signed(&plain, &plan()).0);
    mixed[4] = with_md5(&plain[4]);
    let (found, bad) = verdicts(&mixed);
    assert_eq!((found[4], bad), (Verdict::Md5Instead, 1));
    // Both in one segment, with a MAC of 4 bytes, for which there is room beside timestamps.
    let four = key_with(61, |spec| spec.mac_len = Some(4));
    let both = plan_of(&[four.clone(), four]);
    let mut bare = plain[3].clone();
    let header = usize::from(bare[32] >> 4) * 4;
    bare.drain(40..20 + header);
    bare[32] = 5 << 4;
    let length = bare.len() as u16;
    bare[2..4].copy_from_slice(&length.to_be_bytes());
    let both = packets(&signed(&[plain[..2].to_vec(), vec![bare]].concat(), &both).0);
    let (found, bad) = verdicts(&[with_md5(&both[2])]);
    assert_eq!((found, bad), (vec![Verdict::BothOptions], 1));
}
