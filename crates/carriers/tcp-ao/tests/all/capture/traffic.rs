//! A made-up conversation, and captures of it.

use std::sync::Arc;

use fieldtest_kinds::mac::Mac;
use fieldtest_tcp_ao::capture::{LinkType, Reader, Writer};
use fieldtest_tcp_ao::recover::{self, Effort, Hints, MOST_PASSES};
use fieldtest_tcp_ao::sample::{self, Head, timestamps};
use fieldtest_tcp_ao::sign::{Plan, Summary, sign};
use fieldtest_tcp_ao::verify::{Key, KeySpec, Outcome, Report, Verifier, verify};
use fieldtest_tcp_ao::{Context, Coverage, SocketPair, message, option};

use crate::common;
use crate::stack::parse;

pub(crate) const MASTER_KEY: &[u8] = b"testvector";

/// The key of this identifier with HMAC-SHA-1-96.
pub(crate) fn key(id: u8) -> Key {
    key_with(id, |_| {})
}

pub(crate) fn key_with(id: u8, change: impl Fn(&mut KeySpec)) -> Key {
    let mut spec = spec(id);
    change(&mut spec);
    Key::new(spec, common::sha1(), 12).expect("a key")
}

/// The keys of both ends, the opener's first.
pub(crate) fn keys() -> Vec<Key> {
    vec![key(61), key(84)]
}

/// The same with another algorithm, secret or coverage.
pub(crate) fn keys_of(mac: &Arc<dyn Mac>, master_key: &[u8], coverage: Coverage) -> Vec<Key> {
    let spec = |id| KeySpec { master_key: master_key.to_vec().into(), coverage, ..spec(id) };
    [61, 84].map(|id| Key::new(spec(id), Arc::clone(mac), 12).expect("a key")).to_vec()
}

pub(crate) fn verifier() -> Verifier {
    Verifier::new(keys(), &[])
}

pub(crate) fn spec(id: u8) -> KeySpec {
    KeySpec {
        id,
        algorithm: "hmac-sha1".into(),
        master_key: MASTER_KEY.to_vec().into(),
        coverage: Coverage::AllOptions,
        mac_len: None,
        prefixes: Vec::new(),
    }
}

pub(crate) fn plan() -> Plan {
    plan_of(&keys())
}

pub(crate) fn plan_of(keys: &[Key]) -> Plan {
    let [opener, answerer] = [0, 1].map(|end| keys[end].clone());
    Plan { opener, answerer, replace: false, keep_snapshot_lengths: false }
}

pub(crate) const OPENER_ISN: u32 = 0xffff_f000;
pub(crate) const ANSWERER_ISN: u32 = 0x1000;

pub(crate) fn pair() -> SocketPair {
    SocketPair::new("192.0.2.1:40000".parse().unwrap(), "192.0.2.2:179".parse().unwrap()).unwrap()
}

pub(crate) fn pair_v6() -> SocketPair {
    SocketPair::new("[2001:db8::1]:40000".parse().unwrap(), "[2001:db8::2]:179".parse().unwrap()).unwrap()
}

/// Handshake, then `exchanges` messages of `size` bytes from the opener, each acknowledged; the opener's sequence
/// numbers pass 2^32 with the first.
pub(crate) fn conversation(pair: &SocketPair, exchanges: usize, size: usize) -> Vec<Vec<u8>> {
    from_isns(pair, OPENER_ISN, ANSWERER_ISN, exchanges, size)
}

pub(crate) fn from_isns(
    pair: &SocketPair,
    opener_isn: u32,
    answerer_isn: u32,
    exchanges: usize,
    size: usize,
) -> Vec<Vec<u8>> {
    let peer = pair.reversed();
    let syn = [&[2, 4, 5, 0xb4, 4, 2][..], &timestamps(1, 0)[2..], &[1, 3, 3, 7]].concat();
    let head = |sequence, acknowledgment, flags, options| Head { sequence, acknowledgment, flags, options };
    let mut sequence = opener_isn.wrapping_add(1);
    let answer = answerer_isn.wrapping_add(1);
    let plain = timestamps(2, 3);
    let mut packets = vec![
        sample::packet(pair, &head(opener_isn, 0, 0x02, &syn), &[]),
        sample::packet(&peer, &head(answerer_isn, sequence, 0x12, &syn), &[]),
        sample::packet(pair, &head(sequence, answer, 0x10, &plain), &[]),
    ];
    for count in 0..exchanges {
        let payload = vec![count as u8; size];
        packets.push(sample::packet(pair, &head(sequence, answer, 0x18, &plain), &payload));
        sequence = sequence.wrapping_add(size as u32);
        packets.push(sample::packet(&peer, &head(answer, sequence, 0x10, &plain), &[]));
    }
    packets
}

pub(crate) fn session(pair: &SocketPair, exchanges: usize, size: usize) -> Vec<Vec<u8>> {
    packets(&signed(&conversation(pair, exchanges, size), &plan()).0)
}

/// A packet of a connection to port 179, signed with any numbers and any extension, as no captured SYN would have it.
pub(crate) fn sealed(plain: &[u8], (own, peer): (u32, u32), sne: u32, mac_len: usize) -> Vec<u8> {
    let plain = parse(plain);
    let (id, other) = if plain.segment().destination_port() == 179 { (61, 84) } else { (84, 61) };
    let mut out = Vec::new();
    let mac = option::insert(&plain, id, other, mac_len, &mut out).unwrap().mac;
    let packet = parse(&out);
    let ao = option::find(packet.segment()).unwrap().unwrap();
    let (mut input, mut traffic_key) = (Vec::new(), Vec::new());
    message::append(&packet, &ao, sne, Coverage::AllOptions, &mut input);
    let context = Context::new(&SocketPair::of_sender(&packet), own, peer);
    common::sha1().derive(MASTER_KEY, context.as_bytes(), &mut traffic_key).unwrap();
    let mut tag = vec![0; mac_len];
    common::sha1().prepare(&traffic_key).unwrap().tag(&input, &mut tag).unwrap();
    out[mac].copy_from_slice(&tag);
    out
}

/// A pcap file of raw IP, a nanosecond between two packets.
pub(crate) fn capture(packets: &[Vec<u8>]) -> Vec<u8> {
    timed(&(1_700_000_000_000_000_000..).zip(packets.iter().cloned()).collect::<Vec<_>>())
}

pub(crate) fn timed(packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut writer = Writer::pcap(Vec::new(), LinkType::RAW).expect("memory");
    for (time, packet) in packets {
        writer.write(*time, packet).expect("memory");
    }
    writer.finish().expect("memory")
}

/// The packets of a capture file, link header first.
pub(crate) fn packets(capture: &[u8]) -> Vec<Vec<u8>> {
    use fieldtest_tcp_ao::capture::Item;
    let mut reader = Reader::new(capture).expect("a capture");
    let mut packets = Vec::new();
    while let Some(item) = reader.next().expect("memory") {
        match item {
            Item::Packet(captured) => packets.push(captured.bytes.to_vec()),
            Item::Problem(problem) => panic!("{problem}"),
            Item::Other(_) => {}
        }
    }
    packets
}

pub(crate) fn signed(packets: &[Vec<u8>], plan: &Plan) -> (Vec<u8>, Summary) {
    let capture = capture(packets);
    sign(&mut Reader::new(capture.as_slice()).expect("a capture"), Vec::new(), plan, &[]).expect("signs")
}

pub(crate) fn verified(capture: &[u8], verifier: Verifier) -> (Report, Vec<Outcome>) {
    let mut outcomes = Vec::new();
    let mut reader = Reader::new(capture).expect("a capture");
    let report = verify(&mut reader, verifier, |outcome| outcomes.push(*outcome)).expect("verifies");
    // Every packet has one outcome; those of fragments come when their packet's is known.
    outcomes.sort_by_key(|outcome| outcome.number);
    assert!(outcomes.iter().zip(1..).all(|(outcome, number)| outcome.number == number));
    (report, outcomes)
}

/// Verifies a capture again and again until another pass has nothing to go by that the last had not.
pub(crate) fn verified_in_passes(capture: &[u8], keys: &[Key]) -> (Report, Vec<Outcome>) {
    verified_in_passes_with(capture, keys, Effort::default())
}

pub(crate) fn verified_in_passes_with(
    capture: &[u8],
    keys: &[Key],
    effort: Effort,
) -> (Report, Vec<Outcome>) {
    let mut hints = Hints::default();
    for _ in 0..MOST_PASSES {
        let (report, outcomes) =
            verified(capture, Verifier::new(keys.to_vec(), &[]).with_hints(hints.clone()));
        if !hints.extend(recover::hints(&report, keys, effort)) {
            return (report, outcomes);
        }
    }
    panic!("each pass finds something new");
}
