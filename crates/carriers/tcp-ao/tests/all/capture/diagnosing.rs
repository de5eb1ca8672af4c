//! Diagnosis: every planted fault is named, and a right capture has none.

use std::net::IpAddr;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use fieldtest_tcp_ao::diagnose::{
    Alternative, Diagnosis, Fault, OtherChecksum, OtherContext, OtherDerivation, OtherSne, Search, diagnose,
};
use fieldtest_tcp_ao::verify::{Key, KeySpec, Report, Verifier};
use fieldtest_tcp_ao::{Coverage, Packet, SocketPair, option};

use super::mangle::translated;
use super::traffic::{
    ANSWERER_ISN, MASTER_KEY, OPENER_ISN, capture, conversation, key, key_with, keys, keys_of, packets, pair,
    plan_of, session, signed, verified,
};
use crate::common;
use crate::stack::parse;

pub(crate) fn diagnosed(packets: &[Vec<u8>], keys: &[Key], search: &Search) -> (Report, Diagnosis) {
    let (report, _) = verified(&capture(packets), Verifier::new(keys.to_vec(), &[]));
    let diagnosis = diagnose(&report, keys, search);
    (report, diagnosis)
}

/// The faults of the first finding, which must explain everything.
pub(crate) fn cause(packets: &[Vec<u8>], keys: &[Key], search: &Search) -> Vec<Fault> {
    let (_, diagnosis) = diagnosed(packets, keys, search);
    let first = diagnosis.findings.first().unwrap_or_else(|| panic!("nothing in {}", diagnosis.samples));
    assert_eq!((first.agree.len(), diagnosis.unexplained.len()), (first.of, 0), "{first}");
    assert!(!first.remedy().is_empty());
    first.faults.clone()
}

#[test]
fn nothing_is_found_where_nothing_is_wrong_or_the_key_is_another() {
    let session = session(&pair(), 3, 50);
    let (_, diagnosis) = diagnosed(&session, &keys(), &Search::default());
    assert_eq!(diagnosis, Diagnosis { complete: true, ..Diagnosis::default() });
    let wrong = keys_of(&common::sha1(), b"another", Coverage::AllOptions);
    let (_, diagnosis) = diagnosed(&session, &wrong, &Search::default());
    assert!(diagnosis.complete && diagnosis.findings.is_empty());
    assert_eq!(diagnosis.samples, 9);
}

/// AES-128-CMAC of a sender that forgets the counter of the key derivation.
struct CmacWithoutCounter;

impl Mac for CmacWithoutCounter {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        let mut extracted = [0; 16];
        self.prepare(&[0; 16])?.tag(master_key, &mut extracted)?;
        traffic_key.resize(16, 0);
        self.prepare(&extracted)?.tag(&[b"TCP-AO", context, &[0, 128]].concat(), traffic_key)
    }
    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        common::cmac().prepare(traffic_key)
    }
    fn longest_tag(&self) -> usize {
        16
    }
}

/// RFC 9235's master key has 10 bytes, which KDF_AES_128_CMAC brings to 16 first.
#[test]
fn a_derivation_that_is_wrong_behind_the_extraction() {
    let wrong: Arc<dyn Mac> = Arc::new(CmacWithoutCounter);
    let [wrong, right] = [wrong, common::cmac()].map(|mac| keys_of(&mac, MASTER_KEY, Coverage::AllOptions));
    let (file, _) = signed(&conversation(&pair(), 3, 50), &plan_of(&wrong));
    let found = cause(&packets(&file), &right, &Search::default());
    assert_eq!(found, [Fault::Derivation(OtherDerivation::NoCounter)]);
}

#[test]
fn identifiers_lengths_algorithms_and_addresses() {
    let session = session(&pair(), 3, 50);
    let found = |keys: &[Key]| cause(&session, keys, &Search::default());
    assert_eq!(found(&[key(1)]), [Fault::OtherKeyId]);
    let both = |change: fn(&mut KeySpec)| [61, 84].map(|id| key_with(id, change));
    assert_eq!(found(&both(|spec| spec.mac_len = Some(16))), [Fault::MacLength]);
    let elsewhere = both(|spec| spec.prefixes = vec!["198.51.100.0/24".parse().unwrap()]);
    assert_eq!(found(&elsewhere), [Fault::OtherAddresses]);

    let known = [("aes-128-cmac", common::cmac()), ("hmac-sha1", common::sha1())];
    let alternatives = known.map(|(name, mac)| Alternative { name: name.into(), mac }).to_vec();
    let search = Search { alternatives, ..Search::default() };
    let found = cause(&session, &keys_of(&common::sha256(), MASTER_KEY, Coverage::AllOptions), &search);
    assert_eq!(found, [Fault::Algorithm { index: 1, name: "hmac-sha1".into() }]);
}

#[test]
fn translated_addresses_and_ports() {
    let session = session(&pair(), 3, 50);
    let [real, seen]: [IpAddr; 2] = ["192.0.2.1", "203.0.113.9"].map(|it| it.parse().unwrap());
    let moved = translated(&session, &[192, 0, 2, 1], &[203, 0, 113, 9]);
    let search = Search { addresses: vec![real], ..Search::default() };
    assert_eq!(cause(&moved, &keys(), &search), [Fault::Address { seen, real }]);

    let moved = translated(&session, &40_000u16.to_be_bytes(), &1024u16.to_be_bytes());
    let search = Search { ports: vec![50000, 40000], ..Search::default() };
    assert_eq!(cause(&moved, &keys(), &search), [Fault::Port { seen: 1024, real: 40000 }]);
}

#[test]
fn initial_sequence_numbers_that_are_not_in_the_capture() {
    // Three messages of 50 bytes were sent before the capture begins.
    let found = cause(&session(&pair(), 8, 50)[9..], &keys(), &Search::default());
    assert_eq!(found, [Fault::Isns { pair: pair(), opener: OPENER_ISN, answerer: ANSWERER_ISN }]);
}

/// A MAC over an input that `key` and `input` make of a segment; planted in place of the right one.
type Wrong = fn(&Planted<'_>) -> Option<(Vec<u8>, Vec<u8>)>;

struct Planted<'a> {
    packet: Packet<'a>,
    context: Vec<u8>,
    input: Vec<u8>,
    place: usize,
}

fn derive(context: &[u8]) -> Vec<u8> {
    let mut traffic_key = Vec::new();
    common::sha1().derive(MASTER_KEY, context, &mut traffic_key).unwrap();
    traffic_key
}

fn prf(input: &[&[u8]]) -> Vec<u8> {
    let mut output = vec![0; 20];
    common::sha1().prepare(MASTER_KEY).unwrap().tag(&input.concat(), &mut output).unwrap();
    output
}

/// Signs a conversation with a fault; segments for which `wrong` gives nothing stay right.
fn faulty(wrong: Wrong) -> Vec<Vec<u8>> {
    let packets = session(&pair(), 3, 50).into_iter().map(|bytes| {
        let packet = parse(&bytes);
        let ao = option::find(packet.segment()).unwrap().unwrap();
        let ends = SocketPair::of_sender(&packet);
        let (mut own, mut peer) = (OPENER_ISN, ANSWERER_ISN);
        if ends != pair() {
            (own, peer) = (peer, own);
        }
        if packet.segment().flags().0 & 0x12 == 0x02 {
            peer = 0;
        }
        let context = [ends.as_bytes(), &own.to_be_bytes(), &peer.to_be_bytes()].concat();
        let mut input = Vec::new();
        fieldtest_tcp_ao::message::append(&packet, &ao, 0, Coverage::AllOptions, &mut input);
        let planted = Planted { packet, context, input, place: ao.place };
        let (traffic_key, input) =
            wrong(&planted).unwrap_or_else(|| (derive(&planted.context), planted.input));
        let mut tag = [0; 12];
        common::sha1().prepare(&traffic_key).unwrap().tag(&input, &mut tag).unwrap();
        let mac = packet.network_header().len() + ao.mac_range().start;
        let mut bytes = bytes.clone();
        bytes[mac..mac + 12].copy_from_slice(&tag);
        bytes
    });
    packets.collect()
}

#[test]
fn faults_of_an_implementation() {
    let cases: [(Fault, Wrong); 20] = [
        (Fault::Derivation(OtherDerivation::CounterZero), |p| {
            Some((prf(&[&[0], b"TCP-AO", &p.context, &[0, 160]]), p.input.clone()))
        }),
        (Fault::Derivation(OtherDerivation::NoCounter), |p| {
            Some((prf(&[b"TCP-AO", &p.context, &[0, 160]]), p.input.clone()))
        }),
        (Fault::Derivation(OtherDerivation::LabelWithNul), |p| {
            Some((prf(&[&[1], b"TCP-AO\0", &p.context, &[0, 160]]), p.input.clone()))
        }),
        (Fault::Derivation(OtherDerivation::NoLabel), |p| {
            Some((prf(&[&[1], &p.context, &[0, 160]]), p.input.clone()))
        }),
        (Fault::Derivation(OtherDerivation::LengthInBytes), |p| {
            Some((prf(&[&[1], b"TCP-AO", &p.context, &[0, 20]]), p.input.clone()))
        }),
        (Fault::Derivation(OtherDerivation::LengthOfMac), |p| {
            Some((prf(&[&[1], b"TCP-AO", &p.context, &[0, 96]]), p.input.clone()))
        }),
        (Fault::Derivation(OtherDerivation::NoLength), |p| {
            Some((prf(&[&[1], b"TCP-AO", &p.context]), p.input.clone()))
        }),
        (Fault::Context(OtherContext::SwappedEnds), |p| {
            let c = &p.context;
            let swapped = [&c[4..8], &c[..4], &c[10..12], &c[8..10], &c[16..], &c[12..16]].concat();
            Some((derive(&swapped), p.input.clone()))
        }),
        (Fault::Context(OtherContext::SwappedIsns), |p| {
            let c = &p.context;
            Some((derive(&[&c[..12], &c[16..], &c[12..16]].concat()), p.input.clone()))
        }),
        (Fault::Context(OtherContext::CurrentNumbers), |p| {
            let numbers = &p.packet.segment().fixed_header()[4..12];
            Some((derive(&[&p.context[..12], numbers].concat()), p.input.clone()))
        }),
        (Fault::Context(OtherContext::NoPeerIsn), |p| {
            Some((derive(&[&p.context[..16], &[0; 4]].concat()), p.input.clone()))
        }),
        (Fault::Context(OtherContext::HostOrder), |p| {
            let mut c = p.context.clone();
            [8..10, 10..12, 12..16, 16..20].into_iter().for_each(|field| c[field].reverse());
            Some((derive(&c), p.input.clone()))
        }),
        (Fault::Sne(OtherSne::More), |p| Some((derive(&p.context), [&[0, 0, 0, 1], &p.input[4..]].concat()))),
        (Fault::Sne(OtherSne::Missing), |p| Some((derive(&p.context), p.input[4..].to_vec()))),
        (Fault::Checksum(OtherChecksum::OnWire), |p| {
            let mut input = p.input.clone();
            input[32..34].copy_from_slice(&p.packet.segment().checksum().to_be_bytes());
            Some((derive(&p.context), input))
        }),
        (Fault::MacLeftOut, |p| {
            let mac = 16 + p.place + 4;
            Some((derive(&p.context), [&p.input[..mac], &p.input[mac + 12..]].concat()))
        }),
        (Fault::NoOptions, |p| {
            let payload = 16 + p.packet.segment().header_len();
            Some((derive(&p.context), [&p.input[..36], &p.input[payload..]].concat()))
        }),
        (Fault::NoPseudoHeader, |p| Some((derive(&p.context), [&p.input[..4], &p.input[16..]].concat()))),
        (Fault::LengthWithoutOption, |p| {
            let mut input = p.input.clone();
            let length = u16::from_be_bytes([input[14], input[15]]) - 16;
            input[14..16].copy_from_slice(&length.to_be_bytes());
            Some((derive(&p.context), input))
        }),
        (Fault::Context(OtherContext::NumbersAfterSyn), |p| {
            let c = &p.context;
            let after = |isn: &[u8]| (u32::from_be_bytes(isn.try_into().unwrap()) + 1).to_be_bytes();
            let first = p.packet.segment().flags().0 & 0x12 == 0x02;
            let peer = if first { [0; 4] } else { after(&c[16..]) };
            Some((derive(&[&c[..12], &after(&c[12..16]), &peer].concat()), p.input.clone()))
        }),
    ];
    for (fault, wrong) in cases {
        assert_eq!(cause(&faulty(wrong), &keys(), &Search::default()), [fault]);
    }
}
