//! Sequence number extensions: what follows from the segments before, and what may stand behind a gap of gigabytes.

use fieldtest_tcp_ao::diagnose::{Fault, OtherSne, Search, diagnose};
use fieldtest_tcp_ao::sample::{self, Head};
use fieldtest_tcp_ao::verify::Report;

use super::traffic::{capture, keys, pair, sealed, timed, verified_in_passes};

const WRAP: u64 = 1 << 32;
const PEER: u32 = 9000;
const SIZE: u64 = 200;

/// A connection that says with which extension it signs.
struct Sender {
    isn: u32,
}

impl Sender {
    fn signed(&self, opens: bool, number: u64, ack: u64, flags: u8, size: u64, extension: u32) -> Vec<u8> {
        let (pair, own, peer) =
            if opens { (pair(), self.isn, PEER) } else { (pair().reversed(), PEER, self.isn) };
        let head = Head { sequence: number as u32, acknowledgment: ack as u32, flags, options: &[] };
        let plain = sample::packet(&pair, &head, &vec![7; size as usize]);
        sealed(&plain, (own, if flags == 2 { 0 } else { peer }), extension, 12)
    }

    fn handshake(&self) -> Vec<Vec<u8>> {
        let isn = u64::from(self.isn);
        vec![self.signed(true, isn, 0, 2, 0, 0), self.signed(false, PEER.into(), isn + 1, 18, 0, 0)]
    }

    fn data(&self, number: u64, extension: u64) -> Vec<u8> {
        self.signed(true, number, u64::from(PEER) + 1, 24, SIZE, extension as u32)
    }

    fn acknowledgement(&self, number: u64) -> Vec<u8> {
        self.signed(false, u64::from(PEER) + 1, number, 16, 0, 0)
    }

    /// Data from these numbers on with the right extensions, each acknowledged.
    fn stretch(&self, from: u64, segments: u64) -> Vec<Vec<u8>> {
        let numbers = (0..segments).map(|count| from + count * SIZE);
        numbers.flat_map(|it| [self.data(it, it / WRAP), self.acknowledgement(it + SIZE)]).collect()
    }
}

fn judged(packets: &[Vec<u8>]) -> Report {
    verified_in_passes(&capture(packets), &keys()).0
}

fn good(packets: &[Vec<u8>]) {
    let report = judged(packets);
    assert!(report.is_good(), "{}", report.counts);
    assert_eq!(report.counts.verified, packets.len() as u64);
}

/// So many MACs are wrong, and the diagnosis names the extension if it can.
fn wrong(packets: &[Vec<u8>], segments: u64, finding: Option<OtherSne>) {
    let report = judged(packets);
    assert_eq!(report.counts.wrong_mac, segments, "{}", report.counts);
    assert_eq!(report.counts.verified, packets.len() as u64 - segments);
    let found = diagnose(&report, &keys(), &Search::default());
    let faults: Vec<Fault> = found.findings.iter().flat_map(|finding| finding.faults.clone()).collect();
    assert_eq!(faults, finding.map(Fault::Sne).into_iter().collect::<Vec<_>>());
}

#[test]
fn a_sender_that_never_raises_its_extension() {
    let isn = u32::MAX - 299;
    let sender = Sender { isn };
    let start = u64::from(isn) + 1;
    let right = [sender.handshake(), sender.stretch(start, 4)].concat();
    good(&right);
    for captured in [1, 2] {
        // With the acknowledgements, and without.
        let data = (0..4).map(|count| start + count * SIZE);
        let rest = data.flat_map(|it| [sender.data(it, 0), sender.acknowledgement(it + SIZE)]);
        let rest: Vec<_> = rest.step_by(3 - captured).collect();
        let all = [sender.handshake(), rest].concat();
        wrong(&all, 2, Some(OtherSne::Less));
    }
    // The first segments behind the end of the numbers are missing in the capture.
    let mut lossy = [sender.handshake(), sender.stretch(start, 2)].concat();
    lossy.extend([2, 3, 4].map(|count| sender.data(start + (count + 1) * SIZE, 0)));
    wrong(&lossy, 3, Some(OtherSne::Less));
}

#[test]
fn an_extension_that_is_wrong_where_nothing_is_missing() {
    let sender = Sender { isn: 5 };
    // One segment, which is sent rightly the next time.
    let blip = [sender.handshake(), sender.stretch(6, 1), vec![sender.data(206, 7)], sender.stretch(406, 1)];
    wrong(&blip.concat(), 1, None);
    // A retransmission, wherever it comes.
    for at in [6, 206, 806] {
        let again =
            [sender.handshake(), sender.stretch(6, 8), vec![sender.data(at, 1)], sender.stretch(1606, 3)];
        wrong(&again.concat(), 1, Some(OtherSne::More));
    }
    // From the handshake on, and from some place on, also where a segment is missing.
    for (from, captured) in [(6, 0), (206, 1), (606, 2)] {
        let rest = (0..5).map(|count| sender.data(from + count * SIZE, 1));
        let start = sender.stretch(6, captured);
        let all = [sender.handshake(), start, rest.collect()].concat();
        wrong(&all, 5, Some(OtherSne::More));
    }
}

#[test]
fn samples_of_a_long_session() {
    let sender = Sender { isn: 5 };
    let part = |extension: u64| sender.stretch(extension * WRAP + 5000, 30);
    let syn = sender.handshake();
    good(&[syn.clone(), part(0), part(1), part(2)].concat());
    good(&[syn.clone(), part(0), part(2), part(1)].concat());
    good(&[part(1), syn.clone(), part(0)].concat());
    good(&[part(2), part(0), part(1), part(1000), syn.clone()].concat());
    // Gaps of 3 and 5 GiB, with few segments between them.
    for gap in [3 << 30, 5 << 30, 9 << 30, 701 << 30] {
        for segments in [1, 2, 5] {
            let parts = (0..20).flat_map(|count| sender.stretch(6 + count * gap, segments));
            good(&[syn.clone(), parts.collect()].concat());
        }
    }
}

/// Parts in any order behind the handshake, with times in the order of the file: the first part, which goes on where the
/// handshake ends, does not show that there is nothing between the two.
#[test]
fn parts_out_of_order_behind_the_handshake() {
    for (isn, step) in [(5, 3 << 28), (0x1234_5678, 11 << 30), (0xffff_ff00, (29 << 30) + 12_345)] {
        let sender = Sender { isn };
        let part = |count: u64| sender.stretch(u64::from(isn) + 1 + count * (step + (count << 27)), 6);
        for order in [[3, 1, 6, 0, 7, 2, 5, 4], [7, 6, 5, 4, 3, 2, 1, 0], [5, 0, 4, 1, 3, 2, 7, 6]] {
            let parts = || order.iter().flat_map(|count| part(*count));
            good(&sender.handshake().into_iter().chain(parts()).collect::<Vec<_>>());
            good(&parts().chain(sender.handshake()).collect::<Vec<_>>());
        }
    }
    // The second part goes on where the first ends, and the third stands between them.
    let sender = Sender { isn: 5 };
    let far = 3 * WRAP + (1 << 30);
    good(
        &[sender.handshake(), sender.stretch(6, 4), sender.stretch(far, 4), sender.stretch(6 + 4 * SIZE, 4)]
            .concat(),
    );
    // A retransmission with a wrong extension before that is found nevertheless.
    let again = vec![sender.data(6, 1)];
    let parts = [sender.stretch(6, 4), sender.stretch(far, 4), again, sender.stretch(6 + 4 * SIZE, 4)];
    wrong(&[sender.handshake(), parts.concat()].concat(), 1, None);
}

/// Of what was not searched nobody knows that its MAC is wrong.
#[test]
fn where_not_all_extensions_are_tried() {
    let sender = Sender { isn: 5 };
    let forged = |count: u64| {
        let mut segment = sender.data(6 + (1 << 30) + (count << 21), 0);
        *segment.last_mut().unwrap() ^= 1;
        segment
    };
    let forged: Vec<_> = (0..40).map(forged).collect();
    let all = [sender.handshake(), sender.stretch(6, 4), forged, sender.stretch(900 * WRAP + (1 << 31), 4)];
    let counts = judged(&all.concat()).counts;
    // 32 searches are in vain; then eight forged segments, and four genuine ones whose extension is far away.
    assert_eq!((counts.wrong_mac, counts.untried_extension), (32, 12), "{counts}");
    assert_eq!(counts.bad(), 44);
}

/// Behind a gap the extension must go on as before it.
#[test]
fn a_wrong_extension_behind_a_gap() {
    let sender = Sender { isn: 5 };
    let mut all =
        [sender.handshake(), sender.stretch(6, 3), sender.stretch(7 * WRAP + (2 << 30), 3)].concat();
    all.push(sender.data(7 * WRAP + (2 << 30) + 3 * SIZE, 8));
    all.extend(sender.stretch(7 * WRAP + (2 << 30) + 4 * SIZE, 2));
    wrong(&all, 1, Some(OtherSne::More));
}

/// Forged segments between genuine ones on either side of gaps take nothing away.
#[test]
fn forged_segments_at_a_gap() {
    let sender = Sender { isn: 5 };
    let mut all = sender.handshake();
    let mut forged = 0;
    for part in 0..6 {
        let from = part * 5 * WRAP + (part << 29) + 6;
        for number in [from, from + 7, from ^ 0x4000_0000] {
            let mut segment = sender.data(number, number / WRAP);
            *segment.last_mut().unwrap() ^= 1;
            all.push(segment);
            forged += 1;
        }
        all.extend(sender.stretch(from, 4));
    }
    let report = judged(&all);
    assert_eq!((report.counts.wrong_mac, report.counts.verified), (forged, all.len() as u64 - forged));
}

/// Times that show the file to be out of order keep its neighbours from counting as such.
#[test]
fn the_times_of_a_file_out_of_order() {
    let sender = Sender { isn: 5 };
    // The third part begins with the number that the second ends with, and is older.
    let far = (1 << 31) + 6;
    let parts = [
        (0, [sender.handshake(), sender.stretch(6, 4)].concat()),
        (20_000_000_000, sender.stretch(3 * WRAP + far, 4)),
        (10_000_000_000, sender.stretch(WRAP + far + 4 * SIZE, 4)),
    ];
    let all = parts.into_iter().flat_map(|(time, packets)| packets.into_iter().map(move |it| (time, it)));
    let (report, _) = verified_in_passes(&timed(&all.collect::<Vec<_>>()), &keys());
    assert!(report.is_good(), "{}", report.counts);
}
