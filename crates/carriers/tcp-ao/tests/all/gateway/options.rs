//! What disappears for lack of option space.

use fieldtest_tcp_ao::gateway::{Action, Gateway, Settings};
use fieldtest_tcp_ao::{Mkt, option};

use super::world::{ADDRESSES, World, set};
use crate::common;
use crate::stack::{ACK, SYN, SYN_OPTIONS, parse};

fn kinds(bytes: &[u8]) -> Vec<u8> {
    let packet = parse(bytes);
    packet.segment().options().map(|option| option.unwrap().kind).collect()
}

fn mss(bytes: &[u8]) -> u16 {
    let packet = parse(bytes);
    let option = packet.segment().options().find_map(|option| option.ok().filter(|option| option.kind == 2));
    u16::from_be_bytes(option.unwrap().bytes[2..].try_into().unwrap())
}

/// A world whose gateway has one key with MACs of this length.
fn world(mac_len: usize) -> World {
    let mut world = World::new(ADDRESSES[0], Settings::default());
    let key = Mkt::new(1, 2, b"key", common::sha256(), mac_len).unwrap();
    world.gateway = Gateway::new(set([key]), Settings::default());
    world
}

#[test]
fn a_syn_loses_what_does_not_fit() {
    // Maximum segment size, window scale, SACK permitted, timestamps; Multipath TCP; Fast Open.
    let usual: &[u8] = &[2, 3, 4, 8];
    let multipath = [30, 4, 1, 0];
    let fast_open = [34, 4, 1, 2];
    let with = |more: &[u8]| [&SYN_OPTIONS, more].concat();
    let cases = [
        (12, SYN_OPTIONS.to_vec(), usual),
        (16, SYN_OPTIONS.to_vec(), usual),
        (16, with(&multipath), usual),
        (12, with(&[multipath, fast_open].concat()), &[2, 3, 4, 8, 34]),
        (16, with(&fast_open), usual),
        (20, with(&fast_open), &[2, 3, 4]),
    ];
    for (mac_len, options, left) in cases {
        let mut world = world(mac_len);
        let bare = world.inner.segment(SYN, &options, b"");
        let (action, signed) = world.give_inner(&bare);
        assert_eq!(action, Action::Forward, "MAC of {mac_len} bytes");
        let kept: Vec<u8> = kinds(&signed).into_iter().filter(|kind| *kind != 29).collect();
        let mut sorted = kept.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, left, "MAC of {mac_len} bytes");
        assert_eq!(world.gateway.counters().options_dropped, u64::from(kinds(&bare) != kept));
    }
}

#[test]
fn the_longest_mac_leaves_the_segment_size() {
    let mut world = world(32);
    let bare = world.inner.segment(SYN, &SYN_OPTIONS, b"");
    let (_, signed) = world.give_inner(&bare);
    assert_eq!(kinds(&signed), [2, 29]);
}

#[test]
fn the_inner_host_sees_a_smaller_segment_size() {
    for addresses in ADDRESSES {
        let mut world = World::new(addresses, Settings::default());
        let syn = world.carry_in(SYN, b"");
        assert_eq!(mss(&syn), 1460 - 16);
        let syn_ack = world.carry_out(SYN | ACK, &SYN_OPTIONS, b"");
        assert_eq!(mss(&syn_ack), 1460);
    }
}

#[test]
fn sack_blocks_give_way() {
    let mut world = World::open(ADDRESSES[0]);
    let mut options = vec![1, 1, 8, 10, 0, 0, 0, 2, 0, 0, 0, 1, 1, 1, 5, 26];
    options.extend_from_slice(&[7; 24]);
    let signed = world.carry_out(ACK, &options, b"");
    let packet = parse(&signed);
    let sack = packet.segment().options().find_map(|option| option.ok().filter(|option| option.kind == 5));
    assert_eq!(sack.unwrap().bytes.len(), 2 + 8);
    assert_eq!(world.gateway.counters().sack_blocks_dropped, 2);
}

#[test]
fn a_segment_that_is_signed_already_is_refused() {
    let mut world = World::open(ADDRESSES[0]);
    let (_, signed) = world.give_inner(&world.inner.segment(ACK, &[], b"once"));
    let packet = parse(&signed);
    assert!(option::find(packet.segment()).unwrap().is_some());
    assert!(matches!(world.give_inner(&signed).0, Action::Drop(_)));
}
