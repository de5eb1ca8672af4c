//! A gateway between a host that knows no TCP-AO and one that requires it.

mod hostile;
mod icmp;
mod options;
mod world;

use std::time::Duration;

use crate::capture::mangle::authenticated;
use crate::stack::{self, ACK, DATA_OPTIONS, FIN, RST, SYN, SYN_OPTIONS, joined, parse};
use fieldtest_tcp_ao::MktSet;
use fieldtest_tcp_ao::gateway::{Action, KeyChanges, Policy, Reason, Settings};
use world::{ADDRESSES, World, check_headers, keys, set};

#[test]
fn the_inner_host_opens() {
    for addresses in ADDRESSES {
        let mut world = World::open(addresses);
        for round in 0..200_u32 {
            world.carry_out(ACK, &DATA_OPTIONS, &round.to_be_bytes().repeat(300));
            world.carry_in(ACK, &round.to_be_bytes().repeat(200));
        }
        world.carry_in(FIN | ACK, b"");
        world.carry_out(FIN | ACK, &DATA_OPTIONS, b"");
        let counters = world.gateway.counters();
        assert_eq!((counters.signed, counters.verified, counters.all_dropped()), (203, 202, 0));
    }
}

#[test]
fn the_outer_host_opens() {
    for addresses in ADDRESSES {
        let mut world = World::new(addresses, Settings::default());
        let syn = world.carry_in(SYN, b"");
        check_headers(&syn, 63);
        world.carry_out(SYN | ACK, &SYN_OPTIONS, b"");
        world.carry_in(ACK, b"open");
        world.carry_out(ACK, &DATA_OPTIONS, b"likewise");
        assert!(world.gateway.connections().all(|connection| connection.established));
    }
}

#[test]
fn what_is_not_authentic_does_not_pass() {
    let mut world = World::open(ADDRESSES[0]);
    let bare = world.outer.segment(ACK, world.outer.next, &DATA_OPTIONS, b"forged");
    assert_eq!(world.give_outer(&bare).0, Action::Drop(Reason::Unsigned));
    let signed = world.outer.send(ACK, b"genuine");
    let mut changed = signed.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert_eq!(world.give_outer(&changed).0, Action::Drop(Reason::BadMac));
    let mut other_key = signed.clone();
    let ao = 20 + 20 + 12;
    assert_eq!(other_key[ao], 29);
    other_key[ao + 2] = 99;
    assert_eq!(world.give_outer(&other_key).0, Action::Drop(Reason::UnknownKeyId));
    assert_eq!(world.give_outer(&signed).0, Action::Forward);
    let counters = world.gateway.counters();
    for reason in [Reason::Unsigned, Reason::BadMac, Reason::UnknownKeyId] {
        assert_eq!(counters.dropped(reason), 1);
    }
    assert!(
        counters.to_string().ends_with("dropped 3 (unsigned 1, unknown-key-id 1, bad-mac 1)"),
        "{counters}"
    );
}

#[test]
fn a_replayed_syn_disturbs_nothing() {
    let mut world = World::new(ADDRESSES[0], Settings::default());
    let syn = world.outer.send(SYN, b"");
    assert_eq!(world.give_outer(&syn).0, Action::Forward);
    world.inner.expected = world.outer.next;
    world.carry_out(SYN | ACK, &SYN_OPTIONS, b"");
    world.carry_in(ACK, b"open");
    assert_eq!(world.give_outer(&syn).0, Action::Forward);
    world.carry_out(ACK, &DATA_OPTIONS, b"still open");
    world.carry_in(ACK, b"still open");
}

#[test]
fn a_rollover_that_the_outer_host_asks_for() {
    let mut world = World::open(ADDRESSES[0]);
    world.outer.session.set_rnext_key(11).unwrap();
    world.carry_in(ACK, b"use the new one");
    world.carry_out(ACK, &DATA_OPTIONS, b"I do");
    let state = world.gateway.connections().next().unwrap();
    assert_eq!((state.current_key, state.rnext_key), (11, 2));
    assert_eq!(world.gateway.counters().rollovers, 1);
}

#[test]
fn a_rollover_by_new_keys_and_the_end_of_the_old_one() {
    let mut world = World::open(ADDRESSES[0]);
    let [old, new] = keys(world.inner.remote);
    // The same keys, read again in another order: nothing is added, the other one is asked for.
    assert_eq!(world.gateway.set_keys(set([new.clone(), old])), KeyChanges::default());
    world.carry_out(ACK, &DATA_OPTIONS, b"use the new one");
    assert_eq!(world.outer.session.current_key().send_id(), 12);
    // The old one is taken away, while this gateway still signs with it.
    let changes = world.gateway.set_keys(set([new]));
    assert_eq!((changes.removed, changes.waiting), (0, 1));
    world.carry_in(ACK, b"signed with the new one");
    world.outer.session.set_rnext_key(11).unwrap();
    world.carry_in(ACK, b"you too");
    world.outer.session.set_current_key(2).unwrap();
    let late = world.outer.send(ACK, b"signed with the old one");
    assert_eq!(world.give_outer(&late).0, Action::Drop(Reason::UnknownKeyId));
}

#[test]
fn a_connection_keeps_its_protection_when_all_keys_go() {
    let settings = Settings { policy: Policy::Optional, ..Settings::default() };
    let mut world = World::open_with(ADDRESSES[0], settings);
    assert_eq!(world.gateway.set_keys(MktSet::new()).waiting, 1);
    world.carry_out(ACK, &DATA_OPTIONS, b"signed still");
    let bare = world.outer.segment(ACK, world.outer.next, &DATA_OPTIONS, b"forged");
    assert_eq!(world.give_outer(&bare).0, Action::Drop(Reason::Unsigned));
}

#[test]
fn connections_without_a_key() {
    for (policy, expected) in
        [(Policy::Required, Action::Drop(Reason::NoKey)), (Policy::Optional, Action::Forward)]
    {
        let mut world = World::new(ADDRESSES[0], Settings { policy, ..Settings::default() });
        let other = "10.9.0.99:179".parse().unwrap();
        let out = stack::segment(world.inner.local, other, SYN, 1, 0, &SYN_OPTIONS, b"");
        assert_eq!(world.give_inner(&out).0, expected);
        let back = stack::segment(other, world.inner.local, SYN | ACK, 1, 2, &SYN_OPTIONS, b"");
        let (action, bytes) = world.give_outer(&back);
        assert_eq!(action, expected);
        if action == Action::Forward {
            check_headers(&bytes, 63);
        }
    }
}

#[test]
fn a_connection_that_was_open_before_the_gateway_is_reset_inside() {
    for addresses in ADDRESSES {
        let mut world = World::new(addresses, Settings::default());
        world.inner.expected = 7777;
        let bare = world.inner.segment(ACK, &DATA_OPTIONS, b"hello?");
        let (action, answer) = world.give_inner(&bare);
        assert_eq!(action, Action::Reply);
        check_headers(&answer, 64);
        let reset = parse(&answer);
        assert_eq!((reset.source(), reset.destination()), (world.inner.remote.ip(), world.inner.local.ip()));
        assert_eq!((reset.segment().source_port(), reset.segment().destination_port()), (179, 40000));
        assert!(reset.segment().flags().rst());
        assert_eq!(reset.segment().sequence(), 7777);
        // A reset is not answered with another.
        let bare = world.inner.segment(RST, &[], b"");
        assert_eq!(world.give_inner(&bare).0, Action::Drop(Reason::UnknownConnection));
    }
}

#[test]
fn a_refused_connection_is_refused_on_both_sides() {
    // The outer host opens, the inner one refuses.
    let mut world = World::new(ADDRESSES[0], Settings::default());
    world.carry_in(SYN, b"");
    world.inner.next = 0;
    let bare = world.inner.segment(RST | ACK, &[], b"");
    let (action, reset) = world.give_inner(&bare);
    assert_eq!(action, Action::Forward);
    // The outer host, too, takes the reset's sequence number for the initial one.
    joined(&world.outer.session, world.outer.next.wrapping_sub(1), 0).verify(&reset).unwrap();

    // The inner host opens, the outer one refuses.
    let mut world = World::new(ADDRESSES[0], Settings::default());
    world.carry_out(SYN, &SYN_OPTIONS, b"");
    let bare = stack::segment(world.inner.remote, world.inner.local, RST | ACK, 0, 1001, &[], b"");
    assert_eq!(world.give_outer(&bare).0, Action::Drop(Reason::Unsigned));
    let mut reset = Vec::new();
    joined(&world.outer.session, 0, 1000).sign(&bare, &mut reset).unwrap();
    assert_eq!(world.give_outer(&reset).0, Action::Forward);
}

#[test]
fn a_new_connection_is_refused_while_the_old_one_is_remembered() {
    let mut world = World::open(ADDRESSES[0]);
    // The inner host has lost its state, and the outer one opens anew from the same port.
    world.outer.next = 5000;
    world.carry_in(SYN, b"");
    world.inner.next = 0;
    let bare = world.inner.segment(RST | ACK, &[], b"");
    let (action, reset) = world.give_inner(&bare);
    assert_eq!(action, Action::Forward);
    joined(&world.outer.session, 5000, 0).verify(&reset).unwrap();
}

#[test]
fn no_checksum_is_zero() {
    let mut world = World::open(ADDRESSES[0]);
    for number in 0..200_000_u32 {
        world.carry_out(ACK, &DATA_OPTIONS, &number.to_be_bytes());
    }
}

#[test]
fn the_table_is_bounded_and_forgets() {
    let settings = Settings { max_connections: 4, ..Settings::default() };
    let mut world = World::new(ADDRESSES[0], settings.clone());
    let open = |world: &mut World| {
        world.inner.local.set_port(world.inner.local.port() + 1);
        let syn = world.inner.segment(SYN, &SYN_OPTIONS, b"");
        world.give_inner(&syn).0
    };
    for _ in 0..4 {
        assert_eq!(open(&mut world), Action::Forward);
    }
    assert_eq!(open(&mut world), Action::Drop(Reason::TableFull));
    world.now += settings.handshake_timeout;
    assert_eq!(open(&mut world), Action::Forward);
    assert_eq!(world.gateway.connections().count(), 1);
    world.now += Duration::from_secs(1);
    world.gateway.sweep(world.now);
    assert_eq!(world.gateway.connections().count(), 1);
}

#[test]
fn hops_run_out() {
    let mut world = World::open(ADDRESSES[0]);
    let mut packet = world.inner.segment(ACK, &DATA_OPTIONS, b"far");
    packet[8] = 1;
    assert_eq!(world.give_inner(&packet).0, Action::Drop(Reason::HopLimit));
}

/// The option would break what the header covers, so that a protected connection has no way behind one, and nothing of it
/// gets past the key that way: in IPv4 as in IPv6.
#[test]
fn segments_behind_an_authentication_header() {
    for addresses in ADDRESSES {
        let mut world = World::open(addresses);
        let bare = world.inner.segment(ACK, &DATA_OPTIONS, b"out");
        let forged = world.outer.segment(ACK, world.outer.next, &DATA_OPTIONS, b"in");
        let genuine = world.outer.send(ACK, b"signed inside");
        let dropped = Action::Drop(Reason::Authenticated);
        assert_eq!(world.give_inner(&authenticated(&bare)).0, dropped);
        assert_eq!(world.give_outer(&authenticated(&forged)).0, dropped);
        assert_eq!(world.give_outer(&authenticated(&genuine)).0, dropped);
        // Twice behind one another.
        let twice = authenticated(&authenticated(&forged));
        assert_eq!(world.give_outer(&twice).0, dropped);
        // Other ends have no key: the policy decides, as for TCP without such a header.
        for (policy, action) in
            [(Policy::Required, Action::Drop(Reason::NoKey)), (Policy::Optional, Action::Forward)]
        {
            let settings = Settings { policy, ..Settings::default() };
            let mut world = World::open_with(addresses, settings);
            world.gateway.set_keys(MktSet::new());
            let mut stranger = world.inner.segment(ACK, &DATA_OPTIONS, b"out");
            let ports = if addresses.0.starts_with('[') { 40 } else { 20 };
            stranger[ports] ^= 1;
            let packet = authenticated(&stranger);
            let (found, out) = world.give_inner(&packet);
            assert_eq!(found, action);
            assert_eq!(world.give_outer(&packet).0, action);
            if action == Action::Forward {
                assert_eq!(out[20..], packet[20..]);
            }
        }
        // What is no TCP goes on as it is.
        let mut udp = authenticated(&bare);
        udp[if bare[0] >> 4 == 6 { 40 } else { 20 }] = 17;
        assert_eq!(world.give_inner(&udp).0, Action::Forward);
    }
}
