//! Captures and packets, from the link layer down to the options of TCP, and keys as they are written.

use std::sync::Arc;
use std::time::Instant;

use fieldtest_kinds::mac::Mac;
use fieldtest_tcp_ao::capture::{Item, LinkType, Reader, Rewriter, Writer, network_layer};
use fieldtest_tcp_ao::diagnose::{Search, diagnose};
use fieldtest_tcp_ao::flows::KnownIsns;
use fieldtest_tcp_ao::gateway::{Gateway, Policy, Settings};
use fieldtest_tcp_ao::recover::{self, Effort};
use fieldtest_tcp_ao::sample::{self, DATA, Head};
use fieldtest_tcp_ao::sign::{self, Plan};
use fieldtest_tcp_ao::verify::{self, Key, KeySpec, Verifier};
use fieldtest_tcp_ao::{Mkt, MktSet, Packet, Prefix, Session, SocketPair, option};

use super::{Target, texts};
use crate::fakes::FakeMac;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "capture", run: capture, seeds: captures },
    Target { name: "capture-verify", run: verify_capture, seeds: captures },
    Target { name: "capture-sign", run: sign_capture, seeds: captures },
    Target { name: "frame", run: frame, seeds: frames },
    Target { name: "gateway", run: gateway, seeds: conversations },
    Target { name: "tcp-ao-key", run: key, seeds: keys },
];

fn mac() -> Arc<dyn Mac> {
    Arc::new(FakeMac)
}

fn key_of(spec: &str) -> Key {
    Key::new(spec.parse::<KeySpec>().expect("a key"), mac(), 12).expect("a key")
}

fn pair() -> SocketPair {
    let [local, remote] = ["192.0.2.1:179", "192.0.2.2:50000"].map(|end| end.parse().expect("an end"));
    SocketPair::new(local, remote).expect("one family")
}

fn pair_v6() -> SocketPair {
    let [local, remote] =
        ["[2001:db8::1]:179", "[2001:db8::2]:50000"].map(|end| end.parse().expect("an end"));
    SocketPair::new(local, remote).expect("one family")
}

fn known() -> [KnownIsns; 1] {
    [KnownIsns { pair: pair(), local: 1, remote: 2, extensions: None }]
}

/// What is read can be copied, and the copy of a file without faults has the same packets. Only a cut Simple Packet Block
/// is refused, where snapshot lengths grow.
fn capture(input: &[u8]) {
    let (packets, faults, cut) = packets_of(input);
    let Some(kept) = copied(input, Rewriter::new(Vec::new()).with_snapshot_lengths_kept()) else {
        panic!("refused with its snapshot lengths kept");
    };
    let grown = copied(input, Rewriter::new(Vec::new()));
    assert!(grown.is_none() == cut, "refused, or not, against the rule");
    if faults == 0 {
        for copy in [Some(kept), grown].into_iter().flatten() {
            assert!(packets_of(&copy).0 == packets, "the copy has other packets");
        }
    }
}

/// The file item by item, or `None` if a packet is refused.
fn copied(bytes: &[u8], mut out: Rewriter<Vec<u8>>) -> Option<Vec<u8>> {
    let Ok(mut reader) = Reader::new(bytes) else { return Some(Vec::new()) };
    while let Ok(Some(item)) = reader.next() {
        match item {
            Item::Packet(packet) => out.copy(&packet).ok()?,
            Item::Other(other) => out.copy_other(&other).expect("room"),
            Item::Problem(_) => {}
        }
    }
    Some(out.finish().expect("room"))
}

/// The link type, length on the wire and bytes of each packet, how many faults there are, and whether a Simple Packet
/// Block is cut off.
fn packets_of(bytes: &[u8]) -> (Vec<(u32, u32, Vec<u8>)>, usize, bool) {
    let (mut found, mut faults, mut cut) = (Vec::new(), 0, false);
    let Ok(mut reader) = Reader::new(bytes) else { return (found, 1, cut) };
    while let Ok(Some(item)) = reader.next() {
        match item {
            Item::Packet(packet) => {
                if let Ok(at) = network_layer(packet.link, packet.bytes) {
                    assert!(at <= packet.bytes.len());
                }
                cut |= packet.hangs_on_snapshot_length();
                found.push((packet.link.0, packet.original, packet.bytes.to_vec()));
            }
            Item::Problem(problem) => {
                let _ = problem.fault.to_string();
                faults += 1;
            }
            Item::Other(_) => {}
        }
    }
    (found, faults, cut)
}

fn verify_capture(input: &[u8]) {
    let keys = [
        key_of("1:fake:00"),
        key_of("2:fake:01:exclude-options"),
        key_of("1:fake:02:maclen=16:192.0.2.0/24"),
    ];
    let Ok(mut reader) = Reader::new(input) else { return };
    let verifier = Verifier::new(keys.to_vec(), &known());
    let Ok(report) = verify::verify(&mut reader, verifier, |_| ()) else { return };
    let hints = recover::hints(&report, &keys, Effort { each: 500, all: 1000 });
    let Ok(mut reader) = Reader::new(input) else { return };
    let verifier = Verifier::new(keys.to_vec(), &known()).with_hints(hints);
    let Ok(again) = verify::verify(&mut reader, verifier, |_| ()) else { return };
    // Hints may show that a connection was over.
    let right = again.counts.verified + again.counts.earlier_connection;
    assert!(right >= report.counts.verified, "less verifies with hints");
    let search = Search { trials: 2000, ..Search::default() };
    for finding in diagnose(&again, &keys, &search).findings {
        let _ = (finding.to_string(), finding.remedy());
    }
}

/// What is signed verifies, if nothing of the file had to be left out.
fn sign_capture(input: &[u8]) {
    let Ok(mut reader) = Reader::new(input) else { return };
    let (opener, answerer) = (key_of("1:fake:00"), key_of("2:fake:00"));
    let plan = Plan {
        opener: opener.clone(),
        answerer: answerer.clone(),
        replace: true,
        keep_snapshot_lengths: false,
    };
    let Ok((signed, summary)) = sign::sign(&mut reader, Vec::new(), &plan, &known()) else { return };
    if summary.problem_count > 0 {
        return; // What held the packets together may be among what was left out.
    }
    let mut reader = Reader::new(&signed[..]).expect("a capture");
    let verifier = Verifier::new(vec![opener, answerer], &known());
    let report = verify::verify(&mut reader, verifier, |_| ()).expect("what was written");
    assert!(summary.signed == 0 || report.by_key.iter().sum::<u64>() > 0, "nothing of it verifies");
}

/// The first two bytes are the type of the link.
fn frame(input: &[u8]) {
    let Some((link, frame)) = input.split_first_chunk::<2>() else { return };
    let link = LinkType(u16::from_be_bytes(*link).into());
    let packet = match network_layer(link, frame) {
        Ok(at) => frame.get(at..).expect("a place within the frame"),
        Err(_) => return,
    };
    let parsed = match Packet::parse(packet) {
        Ok(Some(parsed)) => parsed,
        Ok(None) => return,
        Err(error) => return drop(error.to_string()),
    };
    let _ = (option::find(parsed.segment()), parsed.tcp_checksum(), parsed.segment().options().count());
    let (mut with, mut without) = (Vec::new(), Vec::new());
    if option::insert(&parsed, 1, 2, 12, &mut with).is_ok() {
        let inserted = Packet::parse(&with).expect("a packet").expect("TCP");
        assert!(option::find(inserted.segment()).expect("options").is_some());
        assert_eq!(inserted.segment().payload(), parsed.segment().payload());
        option::strip(&inserted, &mut without).expect("an option");
        let stripped = Packet::parse(&without).expect("a packet").expect("TCP");
        assert_eq!(stripped.segment().payload(), parsed.segment().payload());
    }
    let _ = option::strip_md5(&parsed, &mut without);
    let own = SocketPair::of_receiver(&parsed);
    if let Ok(mkt) = Mkt::new(1, 1, &[0], mac(), 12)
        && let Ok(mut session) = Session::established(own, [Arc::new(mkt)], 1, 2)
    {
        let _ = session.verify(packet);
        let _ = session.sign(packet, &mut with);
    }
}

/// Packets with two bytes of length in front, of which the highest bit says the side.
fn gateway(mut input: &[u8]) {
    let mut keys = MktSet::new();
    let mkt = Mkt::new(1, 1, &[0], mac(), 12).expect("a key");
    keys.add(mkt.with_remote(Prefix::host("192.0.2.2".parse().expect("an address")))).expect("one key");
    let settings = Settings {
        policy: Policy::default(),
        accept_icmp_errors: true,
        accept_packet_too_big: true,
        pass_other_protocols: true,
        reset_unknown: true,
        ..Settings::default()
    };
    let mut gateway = Gateway::new(keys, settings);
    let (now, mut out) = (Instant::now(), Vec::new());
    while let Some((head, rest)) = input.split_first_chunk::<2>() {
        let head = u16::from_be_bytes(*head);
        let (packet, rest) = rest.split_at(usize::from(head & 0x7fff).min(rest.len()));
        if head & 0x8000 == 0 {
            gateway.outbound(packet, now, &mut out);
        } else {
            gateway.inbound(packet, now, &mut out);
        }
        input = rest;
    }
}

fn key(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match text.parse::<KeySpec>() {
        Ok(spec) => drop(Key::new(spec, mac(), 12).map_err(|error| error.to_string())),
        Err(error) => drop(error.to_string()),
    }
    if let Err(error) = text.parse::<Prefix>() {
        let _ = error.to_string();
    }
}

fn packets(pair: &SocketPair) -> Vec<Vec<u8>> {
    let back = pair.reversed();
    let head = |sequence, acknowledgment, flags| Head { sequence, acknowledgment, flags, options: &[] };
    let mss = [2, 4, 5, 180, 1, 3, 3, 7, 4, 2];
    let stamps = sample::timestamps(1, 2);
    let sack = [1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2];
    vec![
        sample::packet(&back, &Head { options: &mss, ..head(1, 0, 2) }, b""),
        sample::packet(pair, &Head { options: &mss, ..head(1, 2, 0x12) }, b""),
        sample::packet(&back, &head(2, 2, 0x10), b""),
        sample::packet(&back, &Head { options: &stamps, ..head(2, 2, DATA) }, b"data"),
        sample::packet(pair, &Head { options: &sack, ..head(2, 6, DATA) }, b"answer"),
        sample::packet(pair, &head(8, 6, 0x11), b""),
        sample::packet(&back, &head(6, 9, 4), b""),
    ]
}

fn with_option(packet: &[u8]) -> Vec<u8> {
    let parsed = Packet::parse(packet).expect("a packet").expect("TCP");
    let mut out = Vec::new();
    option::insert(&parsed, 1, 2, 12, &mut out).expect("room");
    out
}

fn captures() -> Vec<Vec<u8>> {
    let ethernet = |packet: &[u8]| [&[0; 12][..], &[8, 0], packet].concat();
    let mut plain = Writer::pcap(Vec::new(), LinkType::ETHERNET).expect("room");
    let mut next = Writer::pcapng(Vec::new(), LinkType::RAW).expect("room");
    for (time, packet) in packets(&pair()).iter().enumerate() {
        plain.write(time as u64, &ethernet(packet)).expect("room");
        next.write(time as u64, packet).expect("room");
    }
    for packet in packets(&pair_v6()) {
        next.write(9, &packet).expect("room");
    }
    let [plain, next] = [plain, next].map(|writer| writer.finish().expect("room"));
    let sign = |capture: &[u8]| {
        let plan = Plan {
            opener: key_of("1:fake:00"),
            answerer: key_of("2:fake:00"),
            replace: false,
            keep_snapshot_lengths: false,
        };
        let mut reader = Reader::new(capture).expect("a capture");
        sign::sign(&mut reader, Vec::new(), &plan, &[]).expect("a signed capture").0
    };
    let big_endian =
        [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65535, 101, 1, 2, 1, 1].map(u32::to_be_bytes).concat();
    // A Simple Packet Block, an obsolete Packet Block and a block that nobody knows (draft-ietf-opsawg-pcapng).
    let section = &next[..28 + 32];
    let simple = [3_u32, 20, 4, 0x45, 20].map(u32::to_le_bytes).concat();
    let obsolete = [2_u32, 36, 0, 0, 0, 4, 4, 0x45, 36].map(u32::to_le_bytes).concat();
    let unknown = [0x0bad_u32, 12, 12].map(u32::to_le_bytes).concat();
    vec![
        sign(&plain),
        sign(&next),
        [section, &simple, &obsolete, &unknown].concat(),
        [&big_endian[..], &[0x45]].concat(),
        plain,
        next,
    ]
}

fn frames() -> Vec<Vec<u8>> {
    let with = |link: u16, head: &[u8], packet: &[u8]| [&link.to_be_bytes()[..], head, packet].concat();
    let (four, six) = (packets(&pair()), packets(&pair_v6()));
    let mut seeds = vec![
        with(0, &[2, 0, 0, 0], &four[3]),
        with(1, &[&[0; 12][..], &[0x81, 0, 0, 1, 8, 0]].concat(), &four[4]),
        with(1, &[&[0; 12][..], &[0x86, 0xdd]].concat(), &with_option(&six[3])),
        with(101, &[], &with_option(&four[0])),
        with(113, &[&[0; 14][..], &[8, 0]].concat(), &four[1]),
        with(276, &[&[8, 0][..], &[0; 18]].concat(), &four[1]),
        with(108, &[0, 0, 0, 2], &four[3]),
    ];
    // IPv6 with a hop-by-hop header before TCP (RFC 8200, section 4.3).
    let mut extended = six[3].clone();
    extended[6] = 0;
    extended.splice(40..40, [6, 0, 1, 4, 0, 0, 0, 0]);
    extended[5] += 8;
    seeds.push(with(101, &[], &extended));
    seeds
}

fn conversations() -> Vec<Vec<u8>> {
    let pair = pair();
    let sent = |packet: Vec<u8>| {
        let parsed = Packet::parse(&packet).expect("a packet").expect("TCP");
        let side = if pair.sends(&parsed) { 0 } else { 0x8000 };
        [&(side | packet.len() as u16).to_be_bytes()[..], &packet].concat()
    };
    let icmp =
        [&[0x45, 0, 0, 28, 0, 0, 0, 0, 64, 1, 0, 0, 192, 0, 2, 2, 192, 0, 2, 1, 3, 4][..], &[0; 6]].concat();
    vec![
        packets(&pair).into_iter().flat_map(sent).collect(),
        packets(&pair).iter().map(|packet| with_option(packet)).flat_map(sent).collect(),
        [&(0x8000 | icmp.len() as u16).to_be_bytes()[..], &icmp].concat(),
    ]
}

fn keys() -> Vec<Vec<u8>> {
    texts(&[
        "1:hmac-sha1-96:00ff",
        "255:fake:00:exclude-options:maclen=16:192.0.2.1,2001:db8::/32",
        "0:a:00:maclen=0:10.0.0.0/8",
        "192.0.2.0/24",
        "2001:db8::/129",
    ])
}
