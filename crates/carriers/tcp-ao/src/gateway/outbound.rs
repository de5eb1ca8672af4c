//! From the inner side to the outer: signing.

use std::time::Instant;

use super::{Action, Connection, Gateway, Reason, datagram, options, protocol, reset, session_reason};
use crate::ip::{Packet, extension};
use crate::pair::SocketPair;
use crate::session::Session;

impl Gateway {
    pub(super) fn take_outbound(
        &mut self,
        bytes: &[u8],
        now: Instant,
        out: &mut Vec<u8>,
    ) -> Result<Action, Reason> {
        let outline = datagram(bytes)?;
        if outline.fragment {
            let tcp = matches!(outline.protocol, protocol::TCP | extension::AUTHENTICATION)
                || outline.may_hide_tcp_or_icmp() && outline.source.is_ipv6();
            let protected = tcp && self.may_be_protected(outline.destination);
            return if protected { Err(Reason::Fragment) } else { self.pass_other(bytes, out) };
        }
        if outline.authenticated && outline.protocol == protocol::TCP {
            let ends = outline.ports().ok_or(Reason::Malformed)?;
            return self.take_authenticated(bytes, ends, out);
        }
        let Some(packet) = Packet::parse(bytes).map_err(|_| Reason::Malformed)? else {
            return self.pass_other(bytes, out);
        };
        let pair = SocketPair::of_sender(&packet);
        if !self.is_protected(&pair) {
            return self.pass_unprotected(packet.bytes(), out);
        }
        self.open(&packet, &pair, now)?;
        let room = self.room(&pair);
        let mut scratch = std::mem::take(&mut self.scratch);
        let result = self.sign(&packet, &pair, room, now, &mut scratch, out);
        self.scratch = scratch;
        result
    }

    /// Makes sure that the connection of a SYN is in the table, and is that SYN's and not an older one's.
    fn open(&mut self, packet: &Packet<'_>, pair: &SocketPair, now: Instant) -> Result<(), Reason> {
        let segment = packet.segment();
        if !segment.flags().syn() || segment.flags().ack() {
            return Ok(());
        }
        let known = self.connections.get(pair).map(|connection| connection.session.local_isn());
        // A connection that the other side is just opening has no local number yet; both may open at once.
        if known.is_none_or(|isn| isn.is_some_and(|isn| isn != segment.sequence())) {
            let session = self.new_session(*pair)?;
            self.remember(session, now)?;
        }
        Ok(())
    }

    fn sign(
        &mut self,
        packet: &Packet<'_>,
        pair: &SocketPair,
        room: usize,
        now: Instant,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<Action, Reason> {
        let segment = packet.segment();
        let Some(connection) = self.connections.get_mut(pair) else {
            return self.unknown(packet, out);
        };
        let roomy = options::make_room(packet, room, scratch);
        let reduced = if roomy { Packet::parse(scratch).ok().flatten() } else { None };
        let packet = reduced.as_ref().unwrap_or(packet);
        let established = connection.session.is_established();
        // The SYN that a reset answers may be that of a new connection, while this one is the old one still.
        let signed = if segment.refuses_syn() || segment.flags().rst() && !established {
            refuse(connection, packet)?.sign_packet(packet, out)
        } else if established || segment.flags().syn() {
            connection.session.sign_packet(packet, out)
        } else {
            return self.unknown(packet, out);
        };
        let signed = signed.map_err(|error| Reason::from(&error))?;
        connection.sent(segment, now);
        self.counters.options_dropped += u64::from(roomy && segment.flags().syn());
        self.counters.sack_blocks_dropped += signed.sack_blocks_dropped as u64;
        let action = self.forward(out)?;
        self.counters.signed += 1;
        Ok(action)
    }

    /// Answers a segment that cannot be signed, because nobody saw its connection begin.
    fn unknown(&mut self, packet: &Packet<'_>, out: &mut Vec<u8>) -> Result<Action, Reason> {
        if self.settings.reset_unknown && !packet.segment().flags().syn() && reset::answer(packet, out) {
            self.counters.resets += 1;
            self.counters.drop(Reason::UnknownConnection);
            Ok(Action::Reply)
        } else {
            Err(Reason::UnknownConnection)
        }
    }
}

/// The session that signs a reset in answer to a SYN. Such a reset has no initial sequence number of its own, and the
/// other end takes its sequence number for one, as for a SYN-ACK.
fn refuse(connection: &Connection, packet: &Packet<'_>) -> Result<Session, Reason> {
    let segment = packet.segment();
    let remote = segment.acknowledgement().wrapping_sub(1);
    let mkts = connection.session.mkts().cloned();
    let current = connection.session.current_key().send_id();
    let mut session = Session::established(*connection.session.pair(), mkts, segment.sequence(), remote)
        .map_err(session_reason)?;
    session.set_current_key(current).map_err(session_reason)?;
    Ok(session)
}
