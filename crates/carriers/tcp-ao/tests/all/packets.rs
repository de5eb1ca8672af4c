//! Packets as nobody should send them, and the way from a bare packet to one with a TCP-AO option and back.

use std::sync::Arc;

use crate::common;
use crate::stack::{ACK, SYN, internet_checksum, parse, segment};
use fieldtest_tcp_ao::option::{self, OptionError};
use fieldtest_tcp_ao::{Batch, Coverage, Malformed, Mkt, Packet, Session, SocketPair, message};
use proptest::prelude::*;

const V4: [&str; 2] = ["192.0.2.1:40000", "192.0.2.2:179"];
const V6: [&str; 2] = ["[2001:db8::1]:40000", "[2001:db8::2]:179"];

/// Options other than the authenticating ones, up to 40 bytes, with every kind of padding.
fn options() -> impl Strategy<Value = Vec<u8>> {
    let one = prop_oneof![
        Just(vec![1]),
        Just(vec![2, 4, 5, 0xb4]),
        Just(vec![1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]),
        (1..=4_usize).prop_map(|blocks| [vec![1, 1, 5, 2 + 8 * blocks as u8], vec![3; 8 * blocks]].concat()),
        (1..=4_usize).prop_map(|blocks| [vec![5, 2 + 8 * blocks as u8], vec![4; 8 * blocks]].concat()),
        (30..=255_u8, 0..6_usize).prop_map(|(kind, len)| [vec![kind, 2 + len as u8], vec![9; len]].concat()),
    ];
    (proptest::collection::vec(one, 0..5), any::<bool>()).prop_map(|(list, end)| {
        let mut options = Vec::new();
        for option in list {
            if options.len() + option.len() <= 40 {
                options.extend(option);
            }
        }
        let padded = options.len().next_multiple_of(4);
        options.resize(padded, u8::from(!end));
        options
    })
}

fn packet() -> impl Strategy<Value = Vec<u8>> {
    let payload = proptest::collection::vec(any::<u8>(), 0..120);
    (any::<bool>(), prop_oneof![Just(ACK), Just(SYN), Just(SYN | ACK)], any::<u32>(), options(), payload)
        .prop_map(|(v6, flags, sequence, options, payload)| {
            let [source, destination] = if v6 { V6 } else { V4 }.map(|end| end.parse().unwrap());
            segment(source, destination, flags, sequence, 77, &options, &payload)
        })
}

fn receivers() -> [Session; 2] {
    [V4, V6].map(|[remote, local]| {
        let pair = SocketPair::new(local.parse().unwrap(), remote.parse().unwrap()).unwrap();
        let mkt = Mkt::new(1, 1, b"key", common::cmac(), 12).unwrap();
        Session::established(pair, [Arc::new(mkt)], 5, 6).unwrap()
    })
}

/// Everything that takes packets from outside; nothing of it may panic.
fn walk(bytes: &[u8], receivers: &mut [Session; 2]) {
    let mut out = Vec::new();
    for receiver in receivers.iter_mut() {
        let _ = receiver.verify(bytes);
        let _ = receiver.sign(bytes, &mut out);
        let _ = receiver.seal(&mut bytes.to_vec());
    }
    let Ok(Some(packet)) = Packet::parse(bytes) else { return };
    let mut outcomes = Vec::new();
    Batch::new().verify(receivers, &[(0, packet), (1, packet), (2, packet)], &mut outcomes);
    assert_eq!(outcomes.len(), 3);
    let _ = (packet.tcp_checksum(), packet.source(), packet.destination());
    for coverage in [Coverage::AllOptions, Coverage::AoOnly] {
        if let Ok(Some(ao)) = option::find(packet.segment()) {
            message::append(&packet, &ao, 0, coverage, &mut out);
        }
    }
    message::append_md5(&packet, &mut out);
    for mac_len in [0, 7, 12, 16, 36, usize::MAX] {
        if option::insert(&packet, 1, 2, mac_len, &mut out).is_ok() {
            let inserted = parse(&out);
            assert_eq!(option::find(inserted.segment()).unwrap().unwrap().mac.len(), mac_len);
        }
    }
    if option::strip(&packet, &mut out).is_ok() {
        parse(&out);
    }
    let _ = option::strip_md5(&packet, &mut out);
}

fn signed(bytes: &[u8]) -> Vec<u8> {
    let packet = parse(bytes);
    let mut out = Vec::new();
    match option::insert(&packet, 1, 1, 12, &mut out) {
        Ok(_) => out,
        Err(_) => bytes.to_vec(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_packets_never_panic(
        bytes in packet(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        in_options in proptest::collection::vec((0..60_usize, any::<u8>()), 0..4),
        keep in prop_oneof![3 => Just(usize::MAX), 1 => 0..120_usize],
    ) {
        let mut bytes = signed(&bytes);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let headers = bytes.len().min(80);
        for (place, value) in in_options {
            let place = (20 + place) % headers;
            bytes[place] = value;
        }
        bytes.truncate(keep);
        thread_local!(static RECEIVERS: std::cell::RefCell<[Session; 2]> = receivers().into());
        RECEIVERS.with_borrow_mut(|receivers| walk(&bytes, receivers));
    }

    #[test]
    fn stripping_undoes_inserting(bytes in packet(), mac_len in 0..=36_usize) {
        let packet = parse(&bytes);
        let (mut with, mut without) = (Vec::new(), Vec::new());
        let wanted = packet.segment().option_bytes().len() + (4 + mac_len).next_multiple_of(4);
        match option::insert(&packet, 3, 4, mac_len, &mut with) {
            Ok(inserted) => {
                let parsed = parse(&with);
                prop_assert_eq!(parsed.bytes().len(), with.len());
                prop_assert_eq!(parsed.segment().checksum(), parsed.tcp_checksum());
                prop_assert_eq!(parsed.segment().payload(), packet.segment().payload());
                if !parsed.is_v6() {
                    prop_assert_eq!(internet_checksum(parsed.network_header()), 0);
                }
                let ao = option::find(parsed.segment()).unwrap().unwrap();
                prop_assert_eq!((ao.key_id, ao.rnext_key_id, ao.place), (3, 4, inserted.place));
                prop_assert_eq!(inserted.mac.clone(), {
                    let range = ao.mac_range();
                    let network = parsed.network_header().len();
                    network + range.start..network + range.end
                });
                option::strip(&parsed, &mut without).unwrap();
                if wanted <= 40 {
                    prop_assert_eq!(inserted.sack_blocks_dropped, 0);
                    prop_assert_eq!(&without, &bytes);
                }
                let blocks = |bytes: &[u8]| -> usize {
                    let packet = parse(bytes);
                    let lens = packet.segment().options().map(Result::unwrap).filter(|option| option.kind == 5);
                    lens.map(|option| (option.bytes.len() - 2) / 8).sum()
                };
                prop_assert_eq!(blocks(&bytes), blocks(&without) + inserted.sack_blocks_dropped);
            }
            Err(error) => {
                prop_assert!(wanted > 40);
                prop_assert!(matches!(error, OptionError::NoRoom { .. }), "{}", error);
            }
        }
    }
}

/// A segment with these options, as long as a multiple of four.
fn with_options(options: &[u8]) -> Vec<u8> {
    segment(V4[0].parse().unwrap(), V4[1].parse().unwrap(), ACK, 1, 1, options, b"payload")
}

fn find(options: &[u8]) -> Result<Option<(u8, usize)>, OptionError> {
    let bytes = with_options(options);
    let packet = parse(&bytes);
    option::find(packet.segment()).map(|found| found.map(|ao| (ao.key_id, ao.mac.len())))
}

#[test]
fn what_is_wrong_with_options_is_said() {
    assert_eq!(find(&[1, 1, 1, 1]), Ok(None));
    assert_eq!(find(&[29, 4, 7, 8]), Ok(Some((7, 0))));
    assert_eq!(find(&[0, 29, 4, 7]), Ok(None), "behind the end of the list");
    assert_eq!(find(&[29, 3, 7, 1]), Err(OptionError::Short(3)));
    assert_eq!(find(&[29, 4, 7, 8, 29, 4, 7, 8]), Err(OptionError::Duplicate(20, 24)));
    let md5 = [&[19, 18][..], &[0; 16], &[29, 4, 7, 8, 1, 1]].concat();
    assert_eq!(find(&md5), Err(OptionError::BesideMd5));
    let wrong = |kind, place, length| Err(OptionError::Malformed(Malformed::Option { kind, place, length }));
    assert_eq!(find(&[1, 1, 1, 8]), wrong(8, 23, 0));
    assert_eq!(find(&[8, 10, 0, 0]), wrong(8, 20, 10));
    assert_eq!(find(&[29, 1, 0, 0]), wrong(29, 20, 1));
}

#[test]
fn lengths_are_not_trusted_and_link_padding_is_cut_off() {
    let whole = with_options(&[]);
    let padded = [&whole[..], &[0; 13]].concat();
    assert_eq!(parse(&padded).bytes(), whole);
    assert!(matches!(Packet::parse(&whole[..whole.len() - 1]), Err(Malformed::IpLength { .. })));
    assert!(matches!(Packet::parse(&[]), Err(Malformed::ShortPacket { found: 0 })));
    assert!(matches!(Packet::parse(&[0x15]), Err(Malformed::Version { version: 1 })));
    let changed = |place: usize, value: u8| {
        let mut bytes = whole.clone();
        bytes[place] = value;
        bytes
    };
    assert!(Packet::parse(&changed(9, 17)).unwrap().is_none(), "UDP");
    assert!(Packet::parse(&changed(6, 0x20)).unwrap().is_none(), "a fragment");
    assert!(Packet::parse(&changed(7, 1)).unwrap().is_none(), "a later fragment");
    assert!(matches!(Packet::parse(&changed(0, 0x44)), Err(Malformed::IpLength { .. })));
    assert!(matches!(Packet::parse(&changed(32, 0x40)), Err(Malformed::DataOffset { header: 16, .. })));
    assert!(matches!(Packet::parse(&changed(32, 0xf0)), Err(Malformed::DataOffset { header: 60, .. })));
}

#[test]
fn extension_headers_are_skipped() {
    let bare = segment(V6[0].parse().unwrap(), V6[1].parse().unwrap(), ACK, 1, 1, &[], b"payload");
    let with = |first: u8, headers: &[u8]| {
        let mut bytes = bare.clone();
        bytes[6] = first;
        let length = (bare.len() - 40 + headers.len()) as u16;
        bytes[4..6].copy_from_slice(&length.to_be_bytes());
        bytes.splice(40..40, headers.iter().copied());
        bytes
    };
    let hop_by_hop_and_options = [&[60, 0, 1, 4, 0, 0, 0, 0][..], &[6, 1], &[0; 14]].concat();
    let bytes = with(0, &hop_by_hop_and_options);
    let packet = parse(&bytes);
    assert_eq!(packet.segment().payload(), b"payload");
    assert_eq!(packet.tcp_checksum(), packet.segment().checksum());
    assert_eq!(packet.network_header().len(), 64);
    assert!(Packet::parse(&with(44, &[6, 0, 0, 0, 0, 0, 0, 9])).unwrap().is_some(), "an atomic fragment");
    assert!(Packet::parse(&with(44, &[6, 0, 0, 1, 0, 0, 0, 9])).unwrap().is_none(), "a first fragment");
    assert!(Packet::parse(&with(50, &[0; 8])).unwrap().is_none(), "ESP");
    assert_eq!(Packet::parse(&with(43, &[6, 0, 0, 1, 0, 0, 0, 0])).unwrap_err(), Malformed::Routing);
    assert!(Packet::parse(&with(43, &[6, 0, 0, 0, 0, 0, 0, 0])).unwrap().is_some(), "no segments left");
    assert!(matches!(Packet::parse(&with(0, &[6, 255, 0, 0, 0, 0, 0, 0])), Err(Malformed::IpLength { .. })));
}

#[test]
fn selective_acknowledgements_make_room() {
    let sack = |blocks: u8| [vec![1, 1, 5, 2 + 8 * blocks], (0..8 * blocks).collect()].concat();
    let timestamps = [1, 1, 8, 10, 0, 0, 0, 2, 0, 0, 0, 1];
    let mut out = Vec::new();
    // Options before, MAC length, blocks dropped, bytes of options afterwards.
    for (options, mac_len, dropped, after) in [
        ([&timestamps[..], &sack(3)].concat(), 12, 2, 40),
        ([&timestamps[..], &sack(1)].concat(), 12, 0, 40),
        ([&timestamps[..], &sack(3)].concat(), 16, 3, 32),
        (sack(4), 12, 2, 36),
        ([&sack(2)[..], &timestamps].concat(), 12, 1, 40),
    ] {
        let bytes = with_options(&options);
        let packet = parse(&bytes);
        let inserted = option::insert(&packet, 1, 1, mac_len, &mut out).unwrap();
        let parsed = parse(&out);
        assert_eq!(inserted.sack_blocks_dropped, dropped, "{options:?}");
        assert_eq!(parsed.segment().option_bytes().len(), after, "{options:?}");
        let kinds: Vec<_> = parsed.segment().options().map(|option| option.unwrap().kind).collect();
        assert_eq!(kinds.contains(&8), options.windows(2).any(|pair| pair == [8, 10]));
        // The newest block stays first.
        if let Some(Ok(sack)) =
            parsed.segment().options().find(|option| option.is_ok_and(|option| option.kind == 5))
        {
            assert_eq!(sack.bytes[2..10], [0, 1, 2, 3, 4, 5, 6, 7]);
        }
    }
    // Two bytes that look like no-operations before the block, of which the first belongs to another option.
    let bytes = with_options(
        &[&timestamps[..], &[253, 12, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1], &sack(1)[1..], &[0]].concat(),
    );
    let packet = parse(&bytes);
    assert_eq!(option::insert(&packet, 1, 1, 12, &mut out).unwrap().sack_blocks_dropped, 1);
    let parsed = parse(&out);
    let last_but_one = parsed.segment().options().nth(1).unwrap().unwrap();
    assert_eq!((last_but_one.bytes.len(), last_but_one.bytes[11]), (12, 1));

    let full = with_options(&[&timestamps[..], &[253, 16], &[0; 14]].concat());
    let packet = parse(&full);
    assert_eq!(
        option::insert(&packet, 1, 1, 12, &mut out),
        Err(OptionError::NoRoom { needed: 16, left: 12 })
    );
}
