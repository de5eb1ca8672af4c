//! From the outer side to the inner: verifying.

use std::time::Instant;

use super::icmp::{Effect, Icmp, IcmpError};
use super::{
    Action, Connection, Gateway, KeyChanges, Reason, datagram, icmp, is_icmp, keys, options, protocol,
    session_reason,
};
use crate::ip::Packet;
use crate::option;
use crate::pair::SocketPair;
use crate::session::{Accepted, Refusal, Session};

/// Links of less than this are not believed, since a forged error could shrink segments to nothing: IPv4's
/// least MTU that hosts reckon with (RFC 1122, section 3.3.3), and IPv6's (RFC 8200, section 5).
const LEAST_MTU: [u32; 2] = [576, 1280];

impl Gateway {
    pub(super) fn take_inbound(
        &mut self,
        bytes: &[u8],
        now: Instant,
        out: &mut Vec<u8>,
    ) -> Result<Action, Reason> {
        let outline = datagram(bytes)?;
        if outline.fragment {
            let protected = self.may_be_protected(outline.source);
            let hidden = outline.may_hide_tcp_or_icmp() && (protected || is_icmp(&outline));
            return if hidden { Err(Reason::Fragment) } else { self.pass_other(bytes, out) };
        }
        if is_icmp(&outline) {
            return match icmp::read(&outline) {
                Icmp::Other => self.pass_other(bytes, out),
                Icmp::Unreadable => Err(Reason::Icmp),
                Icmp::Error(error) => {
                    self.take_error(bytes, bytes.len() - outline.content.len(), &error, out)
                }
            };
        }
        if outline.authenticated && outline.protocol == protocol::TCP {
            let (remote, local) = outline.ports().ok_or(Reason::Malformed)?;
            return self.take_authenticated(bytes, (local, remote), out);
        }
        let Some(packet) = Packet::parse(bytes).map_err(|_| Reason::Malformed)? else {
            return self.pass_other(bytes, out);
        };
        let pair = SocketPair::of_receiver(&packet);
        if !self.is_protected(&pair) {
            return self.pass_unprotected(packet.bytes(), out);
        }
        self.verify(&packet, &pair, now)?;
        let room = self.room(&pair);
        self.strip(&packet, room, out)?;
        let action = self.forward(out)?;
        self.counters.verified += 1;
        Ok(action)
    }

    fn verify(&mut self, packet: &Packet<'_>, pair: &SocketPair, now: Instant) -> Result<(), Reason> {
        let segment = packet.segment();
        let Some(connection) = self.connections.get_mut(pair) else {
            // Only a SYN whose MAC is right makes a connection known: forged ones would fill the table.
            if !segment.flags().syn() || segment.flags().ack() {
                option::find(segment).map_err(|_| Reason::Malformed)?.ok_or(Reason::Unsigned)?;
                return Err(Reason::UnknownConnection);
            }
            let mut session = self.new_session(*pair)?;
            let preferred = session.rnext_key().receive_id();
            session.verify_packet(packet).map_err(|refusal| Reason::from(&refusal))?;
            // The other end chose the key; management may want another.
            session.set_rnext_key(preferred).map_err(session_reason)?;
            self.remember(session, now)?;
            return Ok(());
        };
        let accepted = accept(connection, packet).map_err(|refusal| Reason::from(&refusal))?;
        connection.received(segment, now);
        if accepted.current_key_changed {
            self.counters.rollovers += 1;
            if connection.retiring {
                connection.retiring =
                    keys::retire(&mut connection.session, &self.keys, &mut KeyChanges::default());
            }
        }
        Ok(())
    }

    /// Takes the option out, and from a SYN what the inner host must not use.
    fn strip(&mut self, packet: &Packet<'_>, room: usize, out: &mut Vec<u8>) -> Result<(), Reason> {
        option::strip(packet, out).map_err(|_| Reason::Malformed)?;
        if !packet.segment().flags().syn() {
            return Ok(());
        }
        let stripped = Packet::parse(out).ok().flatten();
        if stripped.is_some_and(|stripped| options::make_room(&stripped, room, &mut self.scratch)) {
            std::mem::swap(out, &mut self.scratch);
            self.counters.options_dropped += 1;
        }
        options::lower_mss(out, room);
        Ok(())
    }

    /// Decides about an ICMP error that quotes a TCP segment from inside. `content` is where the ICMP message begins.
    fn take_error(
        &mut self,
        bytes: &[u8],
        content: usize,
        error: &IcmpError,
        out: &mut Vec<u8>,
    ) -> Result<Action, Reason> {
        if !self.is_protected(&error.pair) {
            return self.pass_other(bytes, out);
        }
        let connection = self.connections.get(&error.pair).ok_or(Reason::Icmp)?;
        match error.effect {
            Effect::Soft => self.pass_other(bytes, out),
            // RFC 5925, section 7.8: anybody can send such an error, and it has no MAC.
            Effect::Hard if connection.synchronized() && !self.settings.accept_icmp_errors => {
                Err(Reason::Icmp)
            }
            Effect::Hard => self.pass_other(bytes, out),
            Effect::TooBig(mtu) => {
                let [least_v4, least_v6] = LEAST_MTU;
                let least = if error.pair.is_v6() { least_v6 } else { least_v4 };
                if !self.settings.accept_packet_too_big
                    || mtu < least
                    || !connection.under_way(error.sequence)
                {
                    return Err(Reason::Icmp);
                }
                let lowered = mtu - self.room(&error.pair) as u32;
                let action = self.pass_other(bytes, out)?;
                icmp::write_mtu(out, content, lowered);
                Ok(action)
            }
        }
    }
}

fn accept(connection: &mut Connection, packet: &Packet<'_>) -> Result<Accepted, Refusal> {
    let session = &mut connection.session;
    let segment = packet.segment();
    let (Some(local), None, true) = (session.local_isn(), session.remote_isn(), segment.flags().rst()) else {
        return session.verify_packet(packet);
    };
    // A reset in answer to a SYN: its sequence number stands for the initial one that the other end never had.
    let mkts = session.mkts().cloned();
    let refused = Session::established(*session.pair(), mkts, local, segment.sequence());
    refused.map_err(|_| Refusal::IsnsUnknown)?.verify_packet(packet)
}
