//! A batch has the outcome that its packets would have one after the other.

use std::sync::Arc;

use crate::common;
use crate::stack::{ACK, DATA_OPTIONS, End, SYN, SYN_OPTIONS, carry, handshake, joined, parse};
use fieldtest_kinds::mac::Mac;
use fieldtest_tcp_ao::session::{Refusal, SignError};
use fieldtest_tcp_ao::{Batch, Coverage, Mkt, Packet, Session, option};

/// Enough of a random generator to shuffle and to corrupt.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Clients and servers with different implementations, lengths and coverages; two tuples each, so that keys can roll.
fn ends(isn: u32) -> (Vec<End>, Vec<End>) {
    let macs: [Arc<dyn Mac>; 3] = [common::sha1(), common::cmac(), common::sha256()];
    let end = |number: usize, client: bool| {
        let addresses = if number.is_multiple_of(2) {
            ["192.0.2.1", "192.0.2.2"]
        } else {
            ["[2001:db8::1]", "[2001:db8::2]"]
        };
        let a = format!("{}:{}", addresses[0], 40_000 + number);
        let b = format!("{}:179", addresses[1]);
        let coverage = if number.is_multiple_of(3) { Coverage::AoOnly } else { Coverage::AllOptions };
        let mkt = |id: u8| {
            let (send, receive) = if client { (id, id + 1) } else { (id + 1, id) };
            let mac = Arc::clone(&macs[(number + usize::from(id)) % 3]);
            let key = [number as u8, id];
            Arc::new(Mkt::new(send, receive, &key, mac, 12).unwrap().with_coverage(coverage))
        };
        let (local, remote) = if client { (&a, &b) } else { (&b, &a) };
        End::new(local, remote, isn.wrapping_add(u32::from(client)), [mkt(1), mkt(11)])
    };
    ((0..5).map(|number| end(number, true)).collect(), (0..5).map(|number| end(number, false)).collect())
}

fn parsed(packets: &[(usize, Vec<u8>)]) -> Vec<(usize, Packet<'_>)> {
    packets.iter().map(|(place, bytes)| (*place, parse(bytes))).collect()
}

fn sessions(ends: Vec<End>) -> Vec<Session> {
    ends.into_iter().map(|end| end.session).collect()
}

#[test]
fn verifying_a_batch_is_verifying_one_after_the_other() {
    let mut dice = Dice(1);
    // The end of the number space is near, and one run begins far behind it, so that a batch jumps over 2 GiB.
    for isn in [0xffff_fc00, 0x7fff_ff00] {
        let (mut clients, mut servers) = ends(isn);
        let mut packets = Vec::new();
        for (place, (client, server)) in clients.iter_mut().zip(&mut servers).enumerate() {
            // The SYN is part of the batch, and so is what follows the server's answer.
            packets.push((place, client.send(SYN, b"")));
            server.receive(&packets[packets.len() - 1].1).unwrap();
            carry(server, client, SYN | ACK, b"");
        }
        for round in 0..120 {
            let place = dice.below(5);
            let client = &mut clients[place];
            if round % 17 == 0 {
                let asked_for = [2, 12][dice.below(2)];
                client.session.set_rnext_key(asked_for).unwrap();
            }
            let mut bytes = client.send(ACK, &[round as u8; 100][..dice.below(100)]);
            if round % 40 == 39 {
                client.next = client.next.wrapping_add(0x7000_0000);
            }
            if dice.below(6) == 0 {
                let byte = 20 + dice.below(bytes.len() - 20);
                bytes[byte] ^= 1 << dice.below(8);
            }
            packets.push((place, bytes));
        }
        for _ in 0..30 {
            let (a, b) = (dice.below(packets.len()), dice.below(packets.len()));
            packets.swap(a, b);
        }
        packets.retain(|(_, bytes)| Packet::parse(bytes).is_ok_and(|packet| packet.is_some()));

        // Two sets of servers in the same state; one of them verifies singly.
        let twin = |clients: &[End]| {
            let (_, servers) = ends(isn);
            let mut servers = sessions(servers);
            for (server, client) in servers.iter_mut().zip(clients) {
                *server = joined(server, isn, client.session.local_isn().unwrap());
            }
            servers
        };
        let (mut single, mut batched) = (twin(&clients), twin(&clients));
        let parsed = parsed(&packets);
        let expected: Vec<_> =
            parsed.iter().map(|(place, packet)| single[*place].verify_packet(packet)).collect();
        assert!(expected.iter().any(Result::is_ok) && expected.iter().any(Result::is_err));
        let mut outcomes = Vec::new();
        Batch::new().verify(&mut batched, &parsed, &mut outcomes);
        assert_eq!(outcomes, expected);
        assert_eq!(format!("{batched:?}"), format!("{single:?}"));
    }
}

#[test]
fn a_handshake_can_be_in_a_batch() {
    let (mut clients, mut servers) = ends(9);
    for (client, server) in clients.iter_mut().zip(&mut servers) {
        carry(client, server, SYN, b"");
    }
    // SYN-ACK and data reach the clients together.
    let mut packets = Vec::new();
    for (place, server) in servers.iter_mut().enumerate() {
        packets.push((place, server.send(SYN | ACK, b"")));
        packets.push((place, server.send(ACK, b"data")));
    }
    let mut outcomes = Vec::new();
    let mut clients = sessions(clients);
    Batch::new().verify(&mut clients, &parsed(&packets), &mut outcomes);
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    Batch::new().verify(&mut clients, &[(99, parsed(&packets)[0].1)], &mut outcomes);
    assert_eq!(outcomes, [Err(Refusal::OtherConnection)]);
}

/// Clients whose handshake is over, and what they send next: data, packets of another end, and, while segments of the
/// connection before are still in the list, a connection begun anew. In the middle the numbers jump so far that the
/// extension of what follows hangs on what goes before.
fn to_be_signed() -> (Vec<End>, Vec<(usize, Vec<u8>)>) {
    let (mut clients, mut servers) = ends(0xffff_ff00);
    for (client, server) in clients.iter_mut().zip(&mut servers) {
        handshake(client, server);
    }
    let mut dice = Dice(2);
    let mut packets = Vec::new();
    for round in 0..100_u8 {
        let place = dice.below(5);
        let client = &mut clients[place];
        let payload = vec![round; dice.below(300)];
        let options = if round % 9 == 0 { &[][..] } else { &DATA_OPTIONS };
        packets.push((place, client.segment(ACK, client.next, options, &payload)));
        client.next = client.next.wrapping_add(payload.len() as u32);
        if round % 40 == 39 {
            client.next = client.next.wrapping_add(0x7000_0000);
        }
        if round % 25 == 24 {
            // The same ends begin anew, and segments of both connections are in the batch.
            client.next = client.next.wrapping_add(1 << 20);
            packets.push((place, client.segment(SYN, client.next, &SYN_OPTIONS, b"")));
            packets.push((place, client.segment(SYN | ACK, client.next, &SYN_OPTIONS, b"")));
            client.next = client.next.wrapping_add(1);
        }
        if round % 30 == 29 {
            packets.push((place, servers[place].segment(ACK, 1, &[], b"not from this end")));
        }
    }
    (clients, packets)
}

/// Sessions in the state of these clients before they sent anything.
fn copies(clients: &[End]) -> Vec<Session> {
    let (copies, _) = ends(0);
    let copies = copies.into_iter().zip(clients).map(|(copy, client)| {
        let (local, remote) = (client.session.local_isn().unwrap(), client.session.remote_isn().unwrap());
        joined(&copy.session, local, remote)
    });
    copies.collect()
}

#[test]
fn signing_a_batch_is_signing_one_after_the_other() {
    let (clients, packets) = to_be_signed();
    let (mut single, mut batched) = (copies(&clients), copies(&clients));
    let parsed = parsed(&packets);
    let (mut out, mut outcomes) = (Vec::new(), Vec::new());
    Batch::new().sign(&mut batched, &parsed, &mut out, &mut outcomes);
    assert_eq!(outcomes.len(), parsed.len());
    let mut refused = 0;
    for ((place, packet), outcome) in parsed.iter().zip(&outcomes) {
        let mut expected = Vec::new();
        match (single[*place].sign_packet(packet, &mut expected), outcome) {
            (Ok(signed), Ok(in_batch)) => {
                assert_eq!(in_batch.signed, signed);
                assert_eq!(out[in_batch.bytes.clone()], expected);
            }
            (expected, outcome) => {
                assert_eq!(expected.unwrap_err(), *outcome.as_ref().unwrap_err());
                assert_eq!(*outcome, Err(SignError::OtherConnection));
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 3);
    assert_eq!(format!("{batched:?}"), format!("{single:?}"));
}

#[test]
fn sealing_a_batch_is_sealing_one_after_the_other() {
    let (clients, packets) = to_be_signed();
    // What is not from this end is signed by nobody, and one option has no room for the MAC.
    let mut laid_out: Vec<(usize, Vec<u8>)> = packets
        .iter()
        .enumerate()
        .map(|(turn, (place, bytes))| {
            let mut out = Vec::new();
            let mac_len = if turn == 50 { 16 } else { 12 };
            option::insert(&parse(bytes), 7, 8, mac_len, &mut out).unwrap();
            (*place, out)
        })
        .collect();
    laid_out.push((0, packets[0].1.clone()));
    laid_out.push((99, laid_out[0].1.clone()));
    laid_out.push((0, vec![0x45]));

    let (mut single, mut batched) = (copies(&clients), copies(&clients));
    let mut sealed = laid_out.clone();
    let seal = |(place, bytes): &mut (usize, Vec<u8>)| match single.get_mut(*place) {
        Some(session) => session.seal(bytes),
        None => Err(SignError::OtherConnection),
    };
    let expected: Vec<_> = sealed.iter_mut().map(seal).collect();
    assert_eq!(expected.iter().filter(|outcome| outcome.is_err()).count(), 3 + 4);
    let mut outcomes = Vec::new();
    Batch::new().seal(&mut batched, &mut laid_out, &mut outcomes);
    assert_eq!(outcomes, expected);
    assert_eq!(laid_out, sealed);
    assert_eq!(format!("{batched:?}"), format!("{single:?}"));
}
