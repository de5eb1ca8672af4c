//! Whole lives of connections between two sessions.

use std::sync::Arc;

use crate::common;
use crate::stack::{
    ACK, DATA_OPTIONS, End, FIN, RST, SYN, SYN_OPTIONS, carry, handshake, joined, parse, segment,
};
use fieldtest_tcp_ao::session::{Refusal, SessionError, SignError};
use fieldtest_tcp_ao::{Mkt, MktSet, Session, SocketPair, option};

const A: &str = "192.0.2.1:40000";
const B: &str = "192.0.2.2:179";

fn mkt(send: u8, receive: u8, key: &[u8]) -> Arc<Mkt> {
    Arc::new(Mkt::new(send, receive, key, common::sha1(), 12).unwrap())
}

/// Both ends with two tuples: the first in use, the second waiting.
fn ends_with_isns(client: u32, server: u32) -> (End, End) {
    let a = End::new(A, B, client, [mkt(1, 2, b"old key"), mkt(11, 12, b"new key")]);
    let b = End::new(B, A, server, [mkt(2, 1, b"old key"), mkt(12, 11, b"new key")]);
    (a, b)
}

fn open() -> (End, End) {
    let (mut a, mut b) = ends_with_isns(1000, 2000);
    handshake(&mut a, &mut b);
    (a, b)
}

#[test]
fn handshake_data_both_ways_retransmission_and_close() {
    for (a, b) in [(A, B), ("[2001:db8::1]:40000", "[2001:db8::2]:179")] {
        let mut a = End::new(a, b, 0xffff_fff0, [mkt(1, 2, b"key")]);
        let mut b = End::new(b, &a.local.to_string(), 7, [mkt(2, 1, b"key")]);
        assert!(!a.session.is_established());
        handshake(&mut a, &mut b);
        assert_eq!((a.session.local_isn(), a.session.remote_isn()), (Some(0xffff_fff0), Some(7)));
        assert_eq!((b.session.local_isn(), b.session.remote_isn()), (Some(7), Some(0xffff_fff0)));
        for _ in 0..3 {
            let data = a.send(ACK, b"a question");
            let answer = b.send(ACK, b"the answer");
            b.receive(&data).unwrap();
            a.receive(&answer).unwrap();
            // The same segment again, for an acknowledgement that was lost.
            b.receive(&data).unwrap();
        }
        carry(&mut a, &mut b, FIN | ACK, b"");
        carry(&mut b, &mut a, RST, b"");
    }
}

#[test]
fn retransmitted_handshakes_change_nothing() {
    let (mut a, mut b) = ends_with_isns(1000, 2000);
    let syn = a.segment(SYN, 1000, &SYN_OPTIONS, b"");
    let first = a.sign(&syn).1;
    assert_eq!(first, a.sign(&syn).1);
    b.receive(&first).unwrap();
    b.receive(&first).unwrap();
    let syn_ack = b.segment(SYN | ACK, 2000, &SYN_OPTIONS, b"");
    let answer = b.sign(&syn_ack).1;
    a.receive(&answer).unwrap();
    assert_eq!(answer, b.sign(&syn_ack).1);
    a.receive(&answer).unwrap();
    (a.next, b.next) = (1001, 2001);
    let data = a.send(ACK, b"data");
    b.receive(&data).unwrap();
}

#[test]
fn a_syn_with_data_is_acknowledged_with_it() {
    // TCP Fast Open (RFC 7413).
    let (mut a, mut b) = ends_with_isns(1000, 2000);
    let syn = a.send(SYN, b"data");
    b.receive(&syn).unwrap();
    let mut forged = syn.clone();
    *forged.last_mut().unwrap() ^= 1;
    assert_eq!(b.receive(&forged), Err(Refusal::MacDiffers(1)));
    assert_eq!(b.expected, 1005);
    let bare = b.segment(SYN | ACK, 2000, &SYN_OPTIONS, b"");
    let answer = b.sign(&bare).1;
    a.receive(&answer).unwrap();
    // It is retransmitted, though another SYN was replayed meanwhile.
    let mut earlier = ends_with_isns(500, 0).0;
    b.session.verify(&earlier.send(SYN, b"")).unwrap();
    assert_eq!(b.sign(&bare).1, answer);
    b.next = 2001;
    carry(&mut b, &mut a, ACK, b"data");
}

#[test]
fn both_ends_open_at_once() {
    let (mut a, mut b) = ends_with_isns(1000, 2000);
    let (syn_a, syn_b) = (a.send(SYN, b""), b.send(SYN, b""));
    a.receive(&syn_b).unwrap();
    b.receive(&syn_a).unwrap();
    // Both answer with a SYN-ACK that repeats their initial sequence number.
    (a.next, b.next) = (1000, 2000);
    let (ack_a, ack_b) = (a.send(SYN | ACK, b""), b.send(SYN | ACK, b""));
    a.receive(&ack_b).unwrap();
    b.receive(&ack_a).unwrap();
    carry(&mut a, &mut b, ACK, b"data");
    carry(&mut b, &mut a, ACK, b"data");
}

#[test]
fn keys_roll_over_in_mid_stream() {
    let (mut a, mut b) = open();
    let late = a.send(ACK, b"under the old key");
    assert_eq!(a.session.current_key().send_id(), 1);

    // Management at B asks for the new key; A hears it with B's next segment, which B still signs with the old one.
    b.session.set_rnext_key(11).unwrap();
    let accepted = carry(&mut b, &mut a, ACK, b"from now on");
    assert_eq!((accepted.key_id, accepted.rnext_key_id, accepted.current_key_changed), (2, 11, true));
    assert_eq!(a.session.current_key().send_id(), 11);

    // A signs with the new key; what is still on the way under the old one is accepted too.
    assert_eq!(carry(&mut a, &mut b, ACK, b"under the new key").key_id, 11);
    assert_eq!(b.receive(&late).unwrap().key_id, 1);
    assert_eq!(b.session.current_key().send_id(), 2, "A has not asked for anything else");

    // An earlier segment of B arrives late and asks for the old key again: A backs up, as the RFC allows.
    b.session.set_rnext_key(1).unwrap();
    assert!(carry(&mut b, &mut a, ACK, b"sent before").current_key_changed);
    b.session.set_rnext_key(11).unwrap();
    assert!(carry(&mut b, &mut a, ACK, b"sent after").current_key_changed);

    // The other direction follows, and the old keys can go.
    a.session.set_rnext_key(12).unwrap();
    assert!(carry(&mut a, &mut b, ACK, b"you too").current_key_changed);
    a.session.remove(1).unwrap();
    b.session.remove(2).unwrap();
    assert_eq!(carry(&mut b, &mut a, ACK, b"new both ways").key_id, 12);
    assert_eq!(b.session.verify(&late), Err(Refusal::UnknownKeyId(1)));
}

#[test]
fn a_wish_for_an_unknown_key_is_ignored() {
    let (mut a, mut b) = open();
    b.session.add(mkt(21, 22, b"a key that A does not have")).unwrap();
    b.session.set_rnext_key(22).unwrap();
    let accepted = carry(&mut b, &mut a, ACK, b"data");
    assert_eq!((accepted.rnext_key_id, accepted.current_key_changed), (22, false));
    assert_eq!(a.session.current_key().send_id(), 1);
}

#[test]
fn management_is_held_to_the_keys_there_are() {
    let (mut a, _) = open();
    assert_eq!(a.session.remove(1).unwrap_err(), SessionError::InUse(1));
    assert_eq!(a.session.remove(9).unwrap_err(), SessionError::UnknownId { which: "SendID", id: 9 });
    assert_eq!(a.session.set_rnext_key(9), Err(SessionError::UnknownId { which: "RecvID", id: 9 }));
    assert!(matches!(a.session.add(mkt(1, 99, b"key")), Err(SessionError::Mkt(_))));
    assert!(matches!(a.session.add(mkt(99, 2, b"key")), Err(SessionError::Mkt(_))));
    a.session.remove(11).unwrap();
    assert_eq!(a.session.mkts().count(), 1);
    let pair = *a.session.pair();
    assert_eq!(Session::new(pair, []).unwrap_err(), SessionError::NoKeys);
}

#[test]
fn a_passive_end_takes_over_the_keys_of_the_syn() {
    let mut a = End::new(A, B, 1, [mkt(11, 12, b"new key")]);
    let mut b = End::new(B, A, 2, [mkt(2, 1, b"old key"), mkt(12, 11, b"new key")]);
    handshake(&mut a, &mut b);
    assert_eq!((b.session.current_key().send_id(), b.session.rnext_key().send_id()), (12, 12));
}

#[test]
fn the_sequence_number_passes_zero_with_reordering() {
    let (mut a, mut b) = ends_with_isns(0xffff_ff00, 5);
    handshake(&mut a, &mut b);
    let payload = [7; 100];
    // Ten segments over the end of the number space, in a different order, and the old ones once more.
    let sent: Vec<_> = (0..10).map(|_| a.send(ACK, &payload)).collect();
    let mut extensions = [0; 10];
    for place in [0, 3, 1, 2, 5, 4, 9, 8, 7, 6, 0, 1, 9] {
        extensions[place] = b.receive(&sent[place]).unwrap().sne;
    }
    assert_eq!(extensions, [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_session_joins_in_mid_stream_after_many_gigabytes() {
    let (mut a, mut b) = ends_with_isns(10, 20);
    handshake(&mut a, &mut b);
    a.session.set_sequences((7 << 32) | 0xffff_fff0, 20);
    a.next = 0xffff_fff0;
    let early = a.send(ACK, &[1; 100]);
    let late = a.send(ACK, b"behind the seventh wrap");
    assert_eq!(b.session.verify(&late), Err(Refusal::MacDiffers(1)), "B is at extension 0");

    let mut joined = joined(&b.session, 20, 10);
    joined.set_sequences(20, (7 << 32) | 0xf000_0000);
    assert_eq!(joined.verify(&late).unwrap().sne, 8);
    assert_eq!(joined.verify(&early).unwrap().sne, 7);
}

#[test]
fn what_is_refused_and_why() {
    let (mut a, mut b) = open();
    let good = a.send(ACK, b"data");
    let bare = a.segment(ACK, a.next, &DATA_OPTIONS, b"data");
    let pair = *b.session.pair();
    let before = format!("{:?}", b.session);

    assert_eq!(b.session.verify(&bare), Err(Refusal::NoOption));
    let reply = b.segment(ACK, 1, &[], b"");
    assert_eq!(b.session.verify(&reply), Err(Refusal::OtherConnection));
    assert!(matches!(b.session.verify(&good[..30]), Err(Refusal::Malformed(_))));

    let sign_with = |mkt: Arc<Mkt>| {
        let mut session = Session::established(pair.reversed(), [mkt], 1000, 2000).unwrap();
        let mut out = Vec::new();
        session.sign(&bare, &mut out).unwrap();
        out
    };
    assert_eq!(b.session.verify(&sign_with(mkt(9, 9, b"old key"))), Err(Refusal::UnknownKeyId(9)));
    assert_eq!(b.session.verify(&sign_with(mkt(1, 2, b"wrong key"))), Err(Refusal::MacDiffers(1)));
    let long = Arc::new(Mkt::new(1, 2, b"old key", common::sha1(), 16).unwrap());
    assert_eq!(
        b.session.verify(&sign_with(long)),
        Err(Refusal::MacLength { key_id: 1, wanted: 12, found: 16 })
    );
    let other_algorithm = Arc::new(Mkt::new(1, 2, b"old key", common::cmac(), 12).unwrap());
    assert_eq!(b.session.verify(&sign_with(other_algorithm)), Err(Refusal::MacDiffers(1)));

    // Every byte that the MAC covers, from the addresses to the payload.
    for place in 12..good.len() {
        let mut changed = good.clone();
        changed[place] ^= 1;
        let in_checksum = (36..38).contains(&place);
        assert_eq!(b.session.verify(&changed).is_ok(), in_checksum, "byte {place}");
    }
    let after = format!("{:?}", b.session);
    assert_eq!(before.replace("highest: 1001", ""), after.replace("highest: 1001", ""));
    b.receive(&good).unwrap();
}

#[test]
fn a_replayed_syn_does_not_disturb_an_established_connection() {
    let (mut old, _) = ends_with_isns(500, 0);
    let recorded = old.send(SYN, b"");
    let (mut a, mut b) = open();
    b.session.verify(&recorded).expect("a replayed SYN has a right MAC");
    assert_eq!(b.session.remote_isn(), Some(1000));
    carry(&mut a, &mut b, ACK, b"data");
}

#[test]
fn the_same_ends_connect_again() {
    let (mut a, mut b) = open();
    let stale = a.send(ACK, b"of the first connection");
    (a.next, b.next) = (70_000, 80_000);
    (a.expected, b.expected) = (0, 0);
    handshake(&mut a, &mut b);
    assert_eq!(b.session.remote_isn(), Some(70_000));
    assert_eq!(b.session.verify(&stale), Err(Refusal::MacDiffers(1)));
}

#[test]
fn before_the_handshake_only_syns_pass() {
    let (mut a, mut b) = ends_with_isns(1000, 2000);
    let bare = a.segment(ACK, 1001, &[], b"data");
    let mut out = Vec::new();
    assert_eq!(a.session.sign(&bare, &mut out), Err(SignError::IsnsUnknown));
    let mut established =
        Session::established(*a.session.pair(), [mkt(1, 2, b"old key")], 1000, 2000).unwrap();
    established.sign(&bare, &mut out).unwrap();
    assert_eq!(b.session.verify(&out), Err(Refusal::IsnsUnknown));
    assert_eq!(
        established.sign(&out.clone(), &mut out),
        Err(SignError::Option(option::OptionError::AlreadySigned(29)))
    );
}

#[test]
fn a_forged_syn_ack_does_not_establish() {
    let (mut a, b) = ends_with_isns(1000, 2000);
    a.send(SYN, b"");
    let mut forged = Vec::new();
    let bare = segment(b.local, b.remote, SYN | ACK, 3000, 1001, &SYN_OPTIONS, b"");
    let mut forger = Session::established(*b.session.pair(), [mkt(2, 1, b"guess")], 3000, 1000).unwrap();
    forger.sign(&bare, &mut forged).unwrap();
    assert_eq!(a.session.verify(&forged), Err(Refusal::MacDiffers(2)));
    assert_eq!(a.session.remote_isn(), None);
}

#[test]
fn a_long_mac_costs_sack_blocks_and_says_so() {
    let long = |send, receive| Arc::new(Mkt::new(send, receive, b"key", common::sha256(), 16).unwrap());
    let mut a = End::new(A, B, 1, [long(1, 2)]);
    let mut b = End::new(B, A, 2, [long(2, 1)]);
    handshake(&mut a, &mut b);
    let sack: Vec<u8> = [&DATA_OPTIONS[..], &[1, 1, 5, 26], &[9; 24]].concat();
    let bare = a.segment(ACK, a.next, &sack, b"");
    let (signed, packet) = a.sign(&bare);
    assert_eq!(signed.sack_blocks_dropped, 3);
    b.receive(&packet).unwrap();
    let parsed = parse(&packet);
    assert_eq!(parsed.segment().option_bytes().len(), 32);
}

#[test]
fn tuples_of_overlapping_connections_have_identifiers_of_their_own() {
    let mkt = |send, receive| Mkt::new(send, receive, b"key", common::sha1(), 12).unwrap();
    let mut set = MktSet::new();
    set.add(mkt(1, 1).with_remote("192.0.2.0/24".parse().unwrap())).unwrap();
    set.add(mkt(1, 1).with_remote("198.51.100.0/24".parse().unwrap())).unwrap();
    assert!(set.add(mkt(1, 2).with_remote("192.0.2.7".parse().unwrap())).is_err());
    assert!(set.add(mkt(2, 1)).is_err());
    set.add(mkt(2, 2).with_remote_port(179)).unwrap();
    set.add(mkt(2, 2).with_remote_port(180)).unwrap();
    let pair = SocketPair::new(A.parse().unwrap(), B.parse().unwrap()).unwrap();
    assert_eq!(set.matching(&pair).count(), 2);
    let pair = SocketPair::new(A.parse().unwrap(), "203.0.113.1:9".parse().unwrap()).unwrap();
    assert_eq!(set.matching(&pair).count(), 0);
    assert!(Mkt::new(1, 1, b"key", common::sha1(), 21).is_err());
    assert!(Mkt::new(1, 1, b"key", common::sha1(), 0).is_err());
}
