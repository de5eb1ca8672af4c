//! Forms of a master key, faults of the path together with those of a key, and what is said of the rest.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use fieldtest_tcp_ao::Coverage;
use fieldtest_tcp_ao::diagnose::{Fault, OtherKey, Search, diagnose};
use fieldtest_tcp_ao::recover::{self, Effort};
use fieldtest_tcp_ao::verify::{Key, Verifier};

use super::diagnosing::{self, diagnosed};
use super::mangle::translated;
use super::traffic::{
    capture, conversation, from_isns, keys_of, packets, pair, plan, plan_of, signed, spec, verified,
};
use crate::common;

/// The packets of a conversation that such keys signed.
fn session(mac: &Arc<dyn Mac>, master_key: &[u8], coverage: Coverage) -> Vec<Vec<u8>> {
    let plan = plan_of(&keys_of(mac, master_key, coverage));
    packets(&signed(&conversation(&pair(), 3, 50), &plan).0)
}

fn cause(packets: &[Vec<u8>], keys: &[Key]) -> Vec<Fault> {
    diagnosing::cause(packets, keys, &Search::default())
}

const LONG: &[u8; 90] = &[b'k'; 90];

#[test]
fn every_form_of_a_master_key() {
    let (sha1, cmac) = (common::sha1(), common::cmac());
    let all = Coverage::AllOptions;
    for (mac, sender, receiver, fault) in [
        (&sha1, &b"secret "[..], &b"secret"[..], OtherKey::TrailingBlank),
        (&sha1, b"secret", b"secret ", OtherKey::Trimmed),
        (&sha1, b"\"secret\"", b"secret", OtherKey::Quoted),
        (&sha1, b"secret", b"\"secret\"", OtherKey::Unquoted),
        (&sha1, b"secret", b"'secret'", OtherKey::Unquoted),
        (&sha1, b"c2VjcmV0", b"secret", OtherKey::Base64Text),
        (&sha1, b"secret", b"c2VjcmV0", OtherKey::FromBase64Text),
        (&sha1, b"02050D480809", b"cisco", OtherKey::Type7Text(2)),
        (&sha1, b"cisco", b"02050D480809", OtherKey::FromType7Text),
        (&sha1, &LONG[..80], LONG, OtherKey::Sized(80)),
        (&sha1, &LONG[..64], LONG, OtherKey::Sized(64)),
        (&cmac, &LONG[..16], LONG, OtherKey::Sized(16)),
        (&cmac, b"secret\0\0\0\0\0\0\0\0\0\0", b"secret", OtherKey::Sized(16)),
        // A trailing zero byte matters to CMAC.
        (&cmac, b"testvector\0", b"testvector", OtherKey::TrailingNul),
        (&sha1, b"secret", b"secret\n", OtherKey::Trimmed),
        (&sha1, b"testvector", b"74657374766563746f72", OtherKey::FromHexText),
        (&sha1, b"secret\n", b"secret", OtherKey::TrailingLineFeed),
        (&sha1, b"secret\r\n", b"secret", OtherKey::TrailingCrLf),
        (&sha1, b"74657374766563746f72", b"testvector", OtherKey::HexText),
        (&sha1, b"74657374766563746F72", b"testvector", OtherKey::UpperHexText),
        (&sha1, b"0x74657374766563746f72", b"testvector", OtherKey::PrefixedHexText),
    ] {
        let found = cause(&session(mac, sender, all), &keys_of(mac, receiver, all));
        assert_eq!(found, [Fault::MasterKey(fault)], "{receiver:?}");
    }
    // One after the other.
    let found = cause(&session(&sha1, b"736563726574\n", all), &keys_of(&sha1, b"secret", all));
    assert_eq!(found, [OtherKey::HexText, OtherKey::TrailingLineFeed].map(Fault::MasterKey));
    // And the other options left out.
    let found = |key: &[u8]| cause(&session(&sha1, b"secret", all), &keys_of(&sha1, key, Coverage::AoOnly));
    assert_eq!(found(b"secret"), [Fault::Coverage]);
    assert_eq!(found(b"secret\n"), [Fault::Coverage, Fault::MasterKey(OtherKey::Trimmed)]);
}

/// A fault of the path and one of the keys, in both ends' segments.
#[test]
fn a_path_and_another_key() {
    let sha1 = common::sha1();
    let (all, excluding) = (Coverage::AllOptions, Coverage::AoOnly);
    let keys = keys_of(&sha1, b"secret", all);
    let line_feed = Fault::MasterKey(OtherKey::TrailingLineFeed);
    let port = |packets: &[Vec<u8>]| translated(packets, &40_000u16.to_be_bytes(), &61_234u16.to_be_bytes());
    let found = cause(&port(&session(&sha1, b"secret", excluding)), &keys);
    assert_eq!(found, [Fault::Port { seen: 61_234, real: 40_000 }, Fault::Coverage]);
    let found = cause(&port(&session(&sha1, b"secret\n", all)), &keys);
    assert_eq!(found, [Fault::Port { seen: 61_234, real: 40_000 }, line_feed.clone()]);

    // The SYNs of the same session went through a device that lowers the maximum segment size.
    let mut clamped = session(&sha1, b"secret\n", all);
    for packet in &mut clamped[..2] {
        packet[42..44].copy_from_slice(&1300u16.to_be_bytes());
    }
    let (_, diagnosis) = diagnosed(&clamped, &keys, &Search::default());
    let found: Vec<_> = diagnosis.findings.iter().map(|it| (it.agree.len(), it.faults.clone())).collect();
    let size = Fault::SegmentSize { seen: 1300, real: 1460 };
    assert_eq!(found, [(7, vec![line_feed.clone()]), (2, vec![size, line_feed])]);
    assert_eq!(diagnosis.unexplained, []);
}

/// A sender whose MAC leaves the padding behind the last option out, which other segments of it do not have.
#[test]
fn padding_that_is_not_covered() {
    let sha1 = common::sha1();
    let keys = keys_of(&sha1, b"secret", Coverage::AllOptions);
    let right = session(&sha1, b"secret", Coverage::AllOptions);
    let mut padded = right.clone();
    for packet in &mut padded[..2] {
        // Four no-operations more, and the MAC of the header without them: the lengths are those with them.
        let header = usize::from(packet[32] >> 4) * 4;
        packet[32] += 0x10;
        let length = packet.len() as u16 + 4;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        packet.splice(20 + header..20 + header, [1; 4]);
        let place = 20 + header - 12;
        packet[place..place + 12].fill(0);
        let mac = covered_without_padding(packet, header, &sha1);
        packet[place..place + 12].copy_from_slice(&mac);
    }
    assert_eq!(cause(&padded, &keys), [Fault::PaddingLeftOut]);
}

/// RFC 5925, section 5.1, with the options up to the MAC's end.
fn covered_without_padding(packet: &[u8], header: usize, mac: &Arc<dyn Mac>) -> [u8; 12] {
    let (ip, tcp) = packet.split_at(20);
    let is_syn = tcp[13] & 0x10 == 0;
    let number = |place: usize| u32::from_be_bytes(tcp[place..place + 4].try_into().unwrap());
    let peer = if is_syn { 0 } else { number(8).wrapping_sub(1) };
    let context = [&ip[12..20], &tcp[..4], &number(4).to_be_bytes(), &peer.to_be_bytes()].concat();
    let mut traffic_key = Vec::new();
    mac.derive(b"secret", &context, &mut traffic_key).unwrap();
    let mut covered = tcp[..header].to_vec();
    covered[16..18].fill(0);
    let pseudo_header = [&ip[12..20], &[0, 6], &(tcp.len() as u16).to_be_bytes()].concat();
    let input = [&[0; 4][..], &pseudo_header, &covered, &tcp[header + 4..]].concat();
    let mut tag = [0; 12];
    mac.prepare(&traffic_key).unwrap().tag(&input, &mut tag).unwrap();
    tag
}

/// What no finding explains is named, and whether its key verifies elsewhere.
#[test]
fn the_rest_is_named() {
    let sha1 = common::sha1();
    let keys = keys_of(&sha1, b"secret", Coverage::AllOptions);
    let mut changed = session(&sha1, b"secret", Coverage::AllOptions);
    // The window, of a SYN and of a segment with data.
    for place in [0, 3] {
        changed[place][20 + 14] ^= 1;
    }
    let (_, diagnosis) = diagnosed(&changed, &keys, &Search::default());
    let rest: Vec<_> =
        diagnosis.unexplained.iter().map(|it| (it.number, it.opens, it.key_verifies)).collect();
    assert_eq!((rest, diagnosis.findings.len()), (vec![(1, true, true), (4, false, true)], 0));
    let other = keys_of(&sha1, b"another", Coverage::AllOptions);
    let (_, diagnosis) = diagnosed(&changed, &other, &Search::default());
    assert!(diagnosis.unexplained.len() == 9 && diagnosis.unexplained.iter().all(|it| !it.key_verifies));
}

/// A MAC that counts derivations and tags.
struct Counting {
    mac: Arc<dyn Mac>,
    derivations: AtomicU64,
    tags: Arc<AtomicU64>,
}

impl Counting {
    fn new() -> Arc<Self> {
        Arc::new(Self { mac: common::sha1(), derivations: AtomicU64::new(0), tags: Arc::default() })
    }
}

struct CountingKey(Box<dyn MacKey>, Arc<AtomicU64>);

impl MacKey for CountingKey {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.tag(message, tag)
    }
}

impl Mac for Counting {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        self.derivations.fetch_add(1, Ordering::Relaxed);
        self.mac.derive(master_key, context, traffic_key)
    }
    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        Ok(Box::new(CountingKey(self.mac.prepare(traffic_key)?, Arc::clone(&self.tags))))
    }
    fn longest_tag(&self) -> usize {
        self.mac.longest_tag()
    }
}

/// A route server has a key for each of its peers, and none for this one: the bound is that of the run, not of each key.
#[test]
fn thousands_of_keys_for_other_addresses() {
    let counting = Counting::new();
    let mac: Arc<dyn Mac> = counting.clone();
    let file = session(&common::sha1(), b"secret", Coverage::AllOptions);
    for (count, own) in [(0u32, None), (3000, None), (3000, Some(2999)), (100, Some(40))] {
        let key = |index: u32| {
            let mut spec = spec(if index.is_multiple_of(2) { 61 } else { 84 });
            spec.master_key = index.to_be_bytes().to_vec().into();
            if own == Some(index) {
                spec.master_key = b"secret".to_vec().into();
            }
            spec.prefixes = vec![std::net::Ipv4Addr::from(0x0a00_0000 + index).to_string().parse().unwrap()];
            Key::new(spec, Arc::clone(&mac), 12).unwrap()
        };
        let keys: Vec<Key> = (0..count).map(key).collect();
        let (report, _) = verified(&capture(&file), Verifier::new(keys.clone(), &[]));
        counting.derivations.store(0, Ordering::Relaxed);
        let search = Search { trials: 50_000, ..Search::default() };
        let diagnosis = diagnose(&report, &keys, &search);
        let spent = counting.derivations.load(Ordering::Relaxed);
        assert!(spent <= search.trials, "{count} keys: {spent} MACs");
        // The key itself comes first of all that is tried with keys of other addresses.
        let found = diagnosis.findings.first().map(|it| it.faults.clone());
        assert_eq!(found, own.map(|_| vec![Fault::OtherAddresses]), "{count}");
    }
}

/// Extensions are searched for within one bound, however many connections fail.
#[test]
fn many_failing_connections() {
    let counting = Counting::new();
    let mac: Arc<dyn Mac> = counting.clone();
    let mut all = Vec::new();
    for peer in 1..=100u8 {
        let ends = [format!("10.0.0.{peer}:40000"), "192.0.2.2:179".to_owned()];
        let [opener, answerer] = ends.map(|end| end.parse().unwrap());
        let pair = fieldtest_tcp_ao::SocketPair::new(opener, answerer).unwrap();
        all.extend(packets(&signed(&from_isns(&pair, 10, 20, 2, 30), &plan()).0));
    }
    let keys = keys_of(&mac, b"another", Coverage::AllOptions);
    let (report, _) = verified(&capture(&all), Verifier::new(keys.clone(), &[]));
    assert_eq!(report.counts.wrong_mac, 700);
    counting.tags.store(0, Ordering::Relaxed);
    let hints = recover::hints(&report, &keys, Effort { each: 1000, all: 20_000 });
    assert!(hints.is_empty());
    // Extensions have one such bound, and initial sequence numbers another, with a derivation for each; 200 searches begin.
    let spent = counting.tags.load(Ordering::Relaxed);
    assert!(spent <= 61_000, "{spent}");
}
