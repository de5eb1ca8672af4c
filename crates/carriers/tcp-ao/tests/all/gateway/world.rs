//! Two hosts and the gateway between them: one that knows nothing of TCP-AO, and one that wants nothing else.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use fieldtest_tcp_ao::gateway::{Action, Gateway, Settings};
use fieldtest_tcp_ao::{Mkt, MktSet, Prefix, option};

use crate::common;
use crate::stack::{ACK, DATA_OPTIONS, End, SYN, SYN_OPTIONS, internet_checksum, parse, segment};

pub(crate) const ADDRESSES: [(&str, &str); 2] =
    [("10.8.0.1:40000", "10.9.0.2:179"), ("[fd00:8::1]:40000", "[fd00:9::2]:179")];

/// The inner host's view of the two keys; the outer host has the same with the identifiers exchanged.
pub(crate) fn keys(remote: SocketAddr) -> [Mkt; 2] {
    let key = |send, receive, secret: &[u8]| Mkt::new(send, receive, secret, common::sha1(), 12).unwrap();
    [key(1, 2, b"old key"), key(11, 12, b"new key")].map(|mkt| mkt.with_remote(Prefix::host(remote.ip())))
}

pub(crate) fn set(keys: impl IntoIterator<Item = Mkt>) -> MktSet {
    let mut set = MktSet::new();
    for key in keys {
        set.add(key).unwrap();
    }
    set
}

pub(crate) struct Plain {
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) next: u32,
    pub(crate) expected: u32,
}

impl Plain {
    pub(crate) fn segment(&self, flags: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
        segment(self.local, self.remote, flags, self.next, self.expected, options, payload)
    }
}

pub(crate) struct World {
    pub(crate) gateway: Gateway,
    pub(crate) inner: Plain,
    pub(crate) outer: End,
    pub(crate) now: Instant,
}

impl World {
    pub(crate) fn new((inner, outer): (&str, &str), settings: Settings) -> World {
        let remote = outer.parse().unwrap();
        let swapped = [(2, 1, "old key"), (12, 11, "new key")].map(|(send, receive, secret)| {
            Arc::new(Mkt::new(send, receive, secret.as_bytes(), common::sha1(), 12).unwrap())
        });
        World {
            gateway: Gateway::new(set(keys(remote)), settings),
            inner: Plain { local: inner.parse().unwrap(), remote, next: 1000, expected: 0 },
            outer: End::new(outer, inner, 0xffff_f000, swapped),
            now: Instant::now(),
        }
    }

    pub(crate) fn open(addresses: (&str, &str)) -> World {
        World::open_with(addresses, Settings::default())
    }

    pub(crate) fn open_with(addresses: (&str, &str), settings: Settings) -> World {
        let mut world = World::new(addresses, settings);
        world.carry_out(SYN, &SYN_OPTIONS, b"");
        world.carry_in(SYN | ACK, b"");
        world.carry_out(ACK, &DATA_OPTIONS, b"");
        world
    }

    pub(crate) fn give_inner(&mut self, packet: &[u8]) -> (Action, Vec<u8>) {
        let mut out = Vec::new();
        let action = self.gateway.outbound(packet, self.now, &mut out);
        (action, out)
    }

    pub(crate) fn give_outer(&mut self, packet: &[u8]) -> (Action, Vec<u8>) {
        let mut out = Vec::new();
        let action = self.gateway.inbound(packet, self.now, &mut out);
        (action, out)
    }

    /// Carries a segment from the inner host to the outer one, which must accept it; gives what is on the wire.
    pub(crate) fn carry_out(&mut self, flags: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
        let bare = self.inner.segment(flags, options, payload);
        let (action, signed) = self.give_inner(&bare);
        assert_eq!(action, Action::Forward);
        check_headers(&signed, 63);
        self.outer.receive(&signed).unwrap();
        let before = parse(&bare);
        assert_eq!(parse(&signed).segment().payload(), payload);
        self.inner.next = self.inner.next.wrapping_add(before.segment().sequence_len());
        signed
    }

    /// Carries a segment from the outer host to the inner one; gives what the inner host gets.
    pub(crate) fn carry_in(&mut self, flags: u8, payload: &[u8]) -> Vec<u8> {
        let signed = self.outer.send(flags, payload);
        let (action, bare) = self.give_outer(&signed);
        assert_eq!(action, Action::Forward);
        check_headers(&bare, 63);
        let packet = parse(&bare);
        assert_eq!(option::find(packet.segment()), Ok(None));
        assert_eq!(packet.segment().payload(), payload);
        self.inner.expected = packet.segment().sequence().wrapping_add(packet.segment().sequence_len());
        bare
    }
}

/// Lengths, checksums and hops of a packet that the gateway wrote.
pub(crate) fn check_headers(bytes: &[u8], hops: u8) {
    let packet = parse(bytes);
    assert_eq!(packet.bytes().len(), bytes.len());
    let stated = packet.segment().checksum();
    assert_ne!(stated, 0, "a peer of Linux refuses this");
    assert_eq!(if stated == 0xffff { 0 } else { stated }, packet.tcp_checksum() % 0xffff);
    if !packet.is_v6() {
        assert_eq!(internet_checksum(&bytes[..20]), 0);
    }
    assert_eq!(bytes[if packet.is_v6() { 7 } else { 8 }], hops);
}
