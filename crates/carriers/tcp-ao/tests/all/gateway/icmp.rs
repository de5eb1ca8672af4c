//! ICMP errors, and fragments.

use fieldtest_tcp_ao::gateway::{Action, Reason, Settings};

use super::world::{ADDRESSES, World};
use crate::stack::{ACK, DATA_OPTIONS, internet_checksum};

/// An ICMP error from a router about `quoted`, with `field` in the second half of the header.
fn error(v6: bool, kind: u8, code: u8, field: u32, quoted: &[u8]) -> Vec<u8> {
    let mut message = vec![kind, code, 0, 0];
    message.extend_from_slice(&field.to_be_bytes());
    message.extend_from_slice(quoted);
    let mut packet = Vec::new();
    if v6 {
        packet.extend_from_slice(&[0x60, 0, 0, 0]);
        packet.extend_from_slice(&(message.len() as u16).to_be_bytes());
        packet.extend_from_slice(&[58, 64]);
        packet.extend_from_slice(&[0xfd; 16]);
        packet.extend_from_slice(&quoted[8..24]);
    } else {
        packet.extend_from_slice(&[0x45, 0]);
        packet.extend_from_slice(&(20 + message.len() as u16).to_be_bytes());
        packet.extend_from_slice(&[0, 0, 0, 0, 64, 1, 0, 0, 10, 9, 9, 9]);
        packet.extend_from_slice(&quoted[12..16]);
    }
    packet.extend_from_slice(&message);
    packet
}

/// The sum that the receiver of an ICMP message computes: 0 if the checksum is right.
fn checksum(packet: &[u8], v6: bool) -> u16 {
    if !v6 {
        return internet_checksum(&packet[20..]);
    }
    let length = (packet.len() - 40) as u32;
    internet_checksum(&[&packet[8..40], &length.to_be_bytes(), &[0, 0, 0, 58], &packet[40..]].concat())
}

#[test]
fn errors_that_would_end_a_connection() {
    for (addresses, hard) in ADDRESSES.into_iter().zip([[(3, 2), (3, 3)], [(1, 1), (1, 4)]]) {
        let mut world = World::open(addresses);
        world.carry_in(ACK, b"synchronized");
        let wire = world.carry_out(ACK, &DATA_OPTIONS, b"quoted");
        let v6 = world.inner.local.is_ipv6();
        for (kind, code) in hard {
            assert_eq!(world.give_outer(&error(v6, kind, code, 0, &wire)).0, Action::Drop(Reason::Icmp));
        }
        // Time exceeded is only remembered; ping and errors about other things are none of the gateway's business.
        let soft = if v6 { 3 } else { 11 };
        assert_eq!(world.give_outer(&error(v6, soft, 0, 0, &wire)).0, Action::Forward);
        let echo = if v6 { 128 } else { 8 };
        assert_eq!(world.give_outer(&error(v6, echo, 0, 0, &wire)).0, Action::Forward);
        // Too little is quoted to say what it is about.
        let ports = if v6 { 44 } else { 24 };
        assert_eq!(
            world.give_outer(&error(v6, hard[0].0, hard[0].1, 0, &wire[..ports])).0,
            Action::Drop(Reason::Icmp)
        );
    }
}

#[test]
fn packet_too_big() {
    for addresses in ADDRESSES {
        let mut world = World::open(addresses);
        world.carry_in(ACK, b"synchronized");
        let acknowledged = world.carry_out(ACK, &DATA_OPTIONS, b"acknowledged");
        world.carry_in(ACK, b"all of it");
        let under_way = world.carry_out(ACK, &DATA_OPTIONS, b"under way");
        let v6 = world.inner.local.is_ipv6();
        let (kind, code) = if v6 { (2, 0) } else { (3, 4) };
        let field = if v6 { 44 } else { 24 };
        let (action, passed) = world.give_outer(&error(v6, kind, code, 1400, &under_way));
        assert_eq!(action, Action::Forward);
        assert_eq!(passed[field..field + 4], 1384_u32.to_be_bytes());
        assert_eq!(checksum(&passed, v6), 0);
        for forged in [error(v6, kind, code, 1400, &acknowledged), error(v6, kind, code, 68, &under_way)] {
            assert_eq!(world.give_outer(&forged).0, Action::Drop(Reason::Icmp));
        }
    }
}

#[test]
fn fragments() {
    let mut world = World::open(ADDRESSES[0]);
    let mut first = world.inner.segment(ACK, &DATA_OPTIONS, b"in two pieces");
    first[6] = 0x20;
    assert_eq!(world.give_inner(&first).0, Action::Drop(Reason::Fragment));
    let mut later = world.outer.segment(ACK, 1, &DATA_OPTIONS, b"in two pieces");
    later[7] = 1;
    assert_eq!(world.give_outer(&later).0, Action::Drop(Reason::Fragment));
    // Of UDP they pass.
    for packet in [&mut first, &mut later] {
        packet[9] = 17;
    }
    assert_eq!(world.give_inner(&first).0, Action::Forward);
    assert_eq!(world.give_outer(&later).0, Action::Forward);
}

#[test]
fn icmp_in_pieces_or_behind_extension_headers_is_found() {
    let mut world = World::open(ADDRESSES[1]);
    world.carry_in(ACK, b"synchronized");
    let wire = world.carry_out(ACK, &DATA_OPTIONS, b"quoted");
    let plain = error(true, 1, 4, 0, &wire);
    // A destination options header before the message.
    let mut hidden = plain.clone();
    hidden.splice(40..40, [58, 0, 1, 4, 0, 0, 0, 0]);
    hidden[6] = 60;
    let length = (hidden.len() - 40) as u16;
    hidden[4..6].copy_from_slice(&length.to_be_bytes());
    assert_eq!(world.give_outer(&hidden).0, Action::Drop(Reason::Icmp));
    // The first of two pieces.
    let mut piece = plain;
    piece.splice(40..40, [58, 0, 0, 1, 0, 0, 0, 7]);
    piece[6] = 44;
    piece[4..6].copy_from_slice(&length.to_be_bytes());
    assert_eq!(world.give_outer(&piece).0, Action::Drop(Reason::Fragment));
}

#[test]
fn other_protocols_by_setting() {
    for (pass, expected) in [(true, Action::Forward), (false, Action::Drop(Reason::NoKey))] {
        let settings = Settings { pass_other_protocols: pass, ..Settings::default() };
        let mut world = World::new(ADDRESSES[0], settings);
        let mut packet = world.inner.segment(ACK, &[], b"really UDP");
        packet[9] = 17;
        assert_eq!(world.give_inner(&packet).0, expected);
        assert_eq!(world.give_outer(&packet).0, expected);
    }
}
