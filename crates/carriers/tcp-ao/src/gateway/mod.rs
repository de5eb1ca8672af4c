//! A TCP-AO gateway: the engine that signs and verifies for a host whose TCP knows no TCP-AO.
//!
//! It stands between an *inner* side, where that host lives, and an *outer* side, where everything carries TCP-AO. A
//! packet from inside gets the option and goes on outside; a packet from outside is verified, loses the option and goes
//! on inside. Neither end of a connection notices: addresses, ports and sequence numbers stay, so that no connection is
//! ended and begun again on the way, as a proxy would do.
//!
//! [`Gateway`] takes packets and gives packets; it opens no device and reads no clock. How it treats what:
//!
//! | packet | inside → outside | outside → inside |
//! |---|---|---|
//! | TCP, connection with a key | signed | verified and stripped, or dropped |
//! | TCP, no key | [`Policy`] | [`Policy`] |
//! | fragments that may be TCP of a connection with a key | dropped | dropped, also any that may hide ICMP |
//! | ICMP errors about a connection with a key | as it is | see [`Settings`]; “packet too big” with a smaller MTU |
//! | anything else | [`Settings::pass_other_protocols`] | the same |
//!
//! **Handshakes.** The traffic keys depend on both initial sequence numbers, which the gateway learns in passing, from
//! whichever side the connection is opened. A connection that was open before the gateway was cannot be taken over; the
//! inner host gets a reset for it and opens another ([`Settings::reset_unknown`]).
//!
//! **Option space.** What does not fit into 40 bytes beside TCP-AO disappears from the SYN in both directions, and SACK
//! blocks give way on other segments; the maximum segment size that the inner host sees is lowered. Only IPv6 paths
//! that carry less than 1300 bytes need help: hosts send packets of 1280 bytes whatever they are told (RFC 8200,
//! section 5), so the inner host's link must be configured for less there.
//!
//! **Keys.** The first key in the set that matches a connection is the one that is preferred. A rollover that the other
//! end asks for is followed; [`Gateway::set_keys`] asks for one.

mod connection;
mod counters;
mod icmp;
mod inbound;
mod keys;
mod network;
mod options;
mod outbound;
mod reset;
mod settings;

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

pub use counters::{Counters, Reason};
pub use keys::KeyChanges;
pub use settings::{Policy, Settings};

use crate::mkt::MktSet;
use crate::pair::SocketPair;
use crate::session::{Session, SessionError};
use crate::space;
use connection::{Connection, Connections};
use network::{Datagram, protocol};

/// What is to be done with the packet that a gateway wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Send it on to the other side.
    Forward,
    /// Send it back to the side where the last packet came from.
    Reply,
    /// Nothing: the packet was dropped.
    Drop(Reason),
}

/// One open connection, for an operator to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionState {
    /// The connection as the inner host sees it.
    pub pair: SocketPair,
    /// Whether its handshake is over.
    pub established: bool,
    /// The SendID of the key that signs what goes outside.
    pub current_key: u8,
    /// The RecvID of the key that the other end is asked to sign with.
    pub rnext_key: u8,
}

/// The engine. All packets begin with their IP header.
#[derive(Debug)]
pub struct Gateway {
    keys: MktSet,
    settings: Settings,
    connections: Connections,
    counters: Counters,
    /// A packet between two changes; kept, so that nothing is allocated per packet.
    scratch: Vec<u8>,
}

impl Gateway {
    /// A gateway with these keys, seen from the inner host: local is inside, remote is outside.
    pub fn new(keys: MktSet, settings: Settings) -> Gateway {
        Gateway {
            keys,
            settings,
            connections: Connections::default(),
            counters: Counters::default(),
            scratch: Vec::new(),
        }
    }

    /// Takes a packet from the inner side. What is to go on is written into `out`, which is overwritten.
    pub fn outbound(&mut self, packet: &[u8], now: Instant, out: &mut Vec<u8>) -> Action {
        let result = self.take_outbound(packet, now, out);
        self.count(result)
    }

    /// Takes a packet from the outer side, as [`Gateway::outbound`] does.
    pub fn inbound(&mut self, packet: &[u8], now: Instant, out: &mut Vec<u8>) -> Action {
        let result = self.take_inbound(packet, now, out);
        self.count(result)
    }

    /// What went through and what did not.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The connections in the table, in no order.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionState> {
        self.connections.iter().map(|connection| ConnectionState {
            pair: *connection.session.pair(),
            established: connection.synchronized(),
            current_key: connection.session.current_key().send_id(),
            rnext_key: connection.session.rnext_key().receive_id(),
        })
    }

    /// Changes the keys, for new connections and for those that are open. The first key that matches a connection is
    /// what its other end is asked to sign with from now on; the gateway itself signs with another key when that end
    /// asks in turn. A key that is no longer in the set goes from a connection as soon as neither end uses it.
    ///
    /// So a rollover is: a set with the new key behind the old one, at both ends; then one with the new key in front;
    /// then one without the old key.
    pub fn set_keys(&mut self, keys: MktSet) -> KeyChanges {
        self.keys = keys;
        let mut changes = KeyChanges::default();
        for connection in self.connections.iter_mut() {
            connection.retiring = keys::apply(&mut connection.session, &self.keys, &mut changes);
        }
        changes
    }

    /// Forgets connections that were silent for too long. To be called now and then, such as once a minute.
    pub fn sweep(&mut self, now: Instant) {
        self.connections.sweep(&self.settings, now);
    }

    fn count(&mut self, result: Result<Action, Reason>) -> Action {
        result.unwrap_or_else(|reason| {
            self.counters.drop(reason);
            Action::Drop(reason)
        })
    }

    fn forward(&self, out: &mut [u8]) -> Result<Action, Reason> {
        if self.settings.count_hop && !network::count_hop(out) {
            Err(Reason::HopLimit)
        } else {
            Ok(Action::Forward)
        }
    }

    fn pass(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<Action, Reason> {
        out.clear();
        out.extend_from_slice(packet);
        let action = self.forward(out)?;
        self.counters.passed += 1;
        Ok(action)
    }

    fn pass_other(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<Action, Reason> {
        if self.settings.pass_other_protocols { self.pass(packet, out) } else { Err(Reason::NoKey) }
    }

    fn pass_unprotected(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<Action, Reason> {
        match self.settings.policy {
            Policy::Required => Err(Reason::NoKey),
            Policy::Optional => self.pass(packet, out),
        }
    }

    /// Decides about a TCP segment behind an authentication header. Signing it would break what that header covers, so
    /// that a protected connection cannot go this way. The ends are as the inner host sees them.
    fn take_authenticated(
        &mut self,
        packet: &[u8],
        (local, remote): (SocketAddr, SocketAddr),
        out: &mut Vec<u8>,
    ) -> Result<Action, Reason> {
        let pair = SocketPair::new(local, remote).map_err(|_| Reason::Malformed)?;
        if self.is_protected(&pair) { Err(Reason::Authenticated) } else { self.pass_unprotected(packet, out) }
    }

    /// Whether a connection is protected. One that is open stays so when its key is taken out of the set.
    fn is_protected(&self, pair: &SocketPair) -> bool {
        self.connections.get(pair).is_some() || self.keys.matching(pair).next().is_some()
    }

    fn may_be_protected(&self, remote: IpAddr) -> bool {
        self.settings.policy == Policy::Required
            || self.keys.iter().any(|mkt| mkt.remote().is_none_or(|prefix| prefix.contains(remote)))
    }

    fn new_session(&self, pair: SocketPair) -> Result<Session, Reason> {
        Session::new(pair, self.keys.matching(&pair).cloned()).map_err(session_reason)
    }

    /// Bytes that TCP-AO takes in the connection's segments under the longest MAC that it may roll over to.
    fn room(&self, pair: &SocketPair) -> usize {
        let session = self.connections.get(pair).map(|connection| &connection.session);
        let own = session.into_iter().flat_map(Session::mkts);
        let longest = own.chain(self.keys.matching(pair)).map(|mkt| mkt.mac_len()).max();
        longest.map_or(0, space::ao_len)
    }

    fn remember(&mut self, session: Session, now: Instant) -> Result<&mut Connection, Reason> {
        self.connections.insert(Connection::new(session, now), &self.settings, now).ok_or(Reason::TableFull)
    }
}

fn datagram(packet: &[u8]) -> Result<Datagram<'_>, Reason> {
    Datagram::parse(packet).ok_or(Reason::Malformed)
}

fn is_icmp(datagram: &Datagram<'_>) -> bool {
    let v6 = datagram.source.is_ipv6();
    datagram.protocol == if v6 { protocol::ICMPV6 } else { protocol::ICMP }
}

fn session_reason(error: SessionError) -> Reason {
    match error {
        SessionError::NoKeys => Reason::NoKey,
        _ => Reason::Failed,
    }
}
