//! Verifying what the other end sends (RFC 5925, section 7.5).

use fieldtest_kinds::mac::MacKey;

use super::keys::{Keys, SynKey, derive};
use super::{Refusal, Session};
use crate::context::Context;
use crate::ip::Packet;
use crate::message::{self, Coverage};
use crate::option::{self, AoOption, MAX_MAC};
use crate::sne::Sne;
use crate::tag;
use crate::tcp::Segment;

/// A segment that is authentic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The segment's KeyID: a RecvID of this end.
    pub key_id: u8,
    /// The segment's RNextKeyID: a SendID of this end, if this end has that key.
    pub rnext_key_id: u8,
    /// The extension of its sequence number.
    pub sne: u32,
    /// Whether this end signs with another key from now on, because the other end asks for it.
    pub current_key_changed: bool,
}

/// A segment that belongs to the session and names one of its keys; its MAC is not looked at yet.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'p> {
    pub(crate) ao: AoOption<'p>,
    pub(crate) key: usize,
}

/// What the MAC of a candidate is computed with.
#[derive(Clone, Copy)]
pub(crate) struct Checking<'s> {
    pub(crate) key: &'s dyn MacKey,
    pub(crate) sne: u32,
    pub(crate) coverage: Coverage,
}

impl Session {
    /// Checks a packet that this end receives. Checksums are not looked at: TCP does that.
    ///
    /// # Errors
    /// [`Refusal`] says why the packet must be dropped; the session is then as it was.
    pub fn verify(&mut self, packet: &[u8]) -> Result<Accepted, Refusal> {
        let packet = Packet::parse(packet)?.ok_or(Refusal::NotTcp)?;
        self.verify_packet(&packet)
    }

    /// As [`Session::verify`], for a packet that is parsed already.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn verify_packet(&mut self, packet: &Packet<'_>) -> Result<Accepted, Refusal> {
        let candidate = self.candidate(packet)?;
        if packet.segment().flags().syn() {
            return self.verify_syn(packet, &candidate);
        }
        let checking = checking(&self.keys, &self.receive, packet.segment(), &candidate);
        let checking = checking.ok_or(Refusal::IsnsUnknown)?;
        let sne = checking.sne;
        check(packet, &candidate, checking, &mut self.message)?;
        Ok(self.accept(packet.segment(), &candidate, sne))
    }

    /// Finds the option and the key that it names.
    #[inline(always)]
    pub(crate) fn candidate<'p>(&self, packet: &Packet<'p>) -> Result<Candidate<'p>, Refusal> {
        if !self.incoming.sends(packet) {
            return Err(Refusal::OtherConnection);
        }
        let ao = option::find(packet.segment())?.ok_or(Refusal::NoOption)?;
        let key = self.index_of_receive_id(ao.key_id).ok_or(Refusal::UnknownKeyId(ao.key_id))?;
        let (wanted, found) = (self.keys[key].mac_len, ao.mac.len());
        if wanted != found {
            return Err(Refusal::MacLength { key_id: ao.key_id, wanted, found });
        }
        Ok(Candidate { ao, key })
    }

    /// As [`checking`], for this session.
    #[inline(always)]
    pub(crate) fn checking(&self, segment: &Segment<'_>, candidate: &Candidate<'_>) -> Option<Checking<'_>> {
        checking(&self.keys, &self.receive, segment, candidate)
    }

    /// Takes note of a segment that was found authentic.
    #[inline(always)]
    pub(crate) fn accept(&mut self, segment: &Segment<'_>, candidate: &Candidate<'_>, sne: u32) -> Accepted {
        self.receive.advance(segment.sequence());
        self.accepted(candidate, sne)
    }

    /// Switches the current key if the other end asks for another that this end has (RFC 5925, section 7.5.2.e);
    /// reordered segments may switch it back and forth.
    #[inline(always)]
    fn accepted(&mut self, candidate: &Candidate<'_>, sne: u32) -> Accepted {
        let AoOption { key_id, rnext_key_id, .. } = candidate.ao;
        let mut current_key_changed = false;
        if rnext_key_id != self.keys[self.current].send_id
            && let Ok(asked_for) = self.index_of_send_id(rnext_key_id)
        {
            self.current = asked_for;
            current_key_changed = true;
        }
        Accepted { key_id, rnext_key_id, sne, current_key_changed }
    }

    #[cold]
    fn verify_syn(&mut self, packet: &Packet<'_>, candidate: &Candidate<'_>) -> Result<Accepted, Refusal> {
        if packet.segment().flags().ack() {
            self.verify_syn_ack(packet, candidate)
        } else {
            self.verify_syn_alone(packet, candidate)
        }
    }

    /// The key of a SYN depends on nothing but the segment, which may be a replay: nothing of a connection that is
    /// established changes. A connection that this end has not opened takes over the other end's choice of keys.
    fn verify_syn_alone(
        &mut self,
        packet: &Packet<'_>,
        candidate: &Candidate<'_>,
    ) -> Result<Accepted, Refusal> {
        let isn = packet.segment().sequence();
        let keys = &mut self.keys[candidate.key];
        let syn = match keys.receive_syn.take() {
            Some(syn) if syn.isn == isn => syn,
            _ => SynKey { isn, key: derive(&keys.mkt, &Context::new(&self.incoming, isn, 0))? },
        };
        let checking = Checking { key: &*syn.key, sne: 0, coverage: keys.coverage };
        check(packet, candidate, checking, &mut self.message)?;
        keys.receive_syn = Some(syn);
        if self.is_established() {
            let AoOption { key_id, rnext_key_id, .. } = candidate.ao;
            return Ok(Accepted { key_id, rnext_key_id, sne: 0, current_key_changed: false });
        }
        let before = self.current;
        if self.local_isn.is_none() {
            (self.current, self.rnext) = (candidate.key, candidate.key);
        }
        let accepted = self.accepted(candidate, 0);
        Ok(Accepted { current_key_changed: self.current != before, ..accepted })
    }

    /// A SYN-ACK tells the other end's initial sequence number, which counts only once the MAC under the key that it
    /// leads to is right.
    fn verify_syn_ack(
        &mut self,
        packet: &Packet<'_>,
        candidate: &Candidate<'_>,
    ) -> Result<Accepted, Refusal> {
        let local = self.local_isn.ok_or(Refusal::IsnsUnknown)?;
        let segment = packet.segment();
        let remote = segment.sequence();
        let keys = &self.keys[candidate.key];
        if self.is_established() {
            let checking = checking(&self.keys, &self.receive, segment, candidate);
            let checking = checking.ok_or(Refusal::IsnsUnknown)?;
            let sne = checking.sne;
            check(packet, candidate, checking, &mut self.message)?;
            return Ok(self.accept(segment, candidate, sne));
        }
        let other = keys.derive_other(&self.pair, local, remote)?;
        let checking = Checking { key: &*other.receive, sne: 0, coverage: keys.coverage };
        check(packet, candidate, checking, &mut self.message)?;
        self.establish(local, remote)?;
        Ok(self.accept(segment, candidate, 0))
    }
}

/// The key of a segment without SYN and the extension of its sequence number as things stand, or `None` before the
/// handshake.
#[inline(always)]
fn checking<'s>(
    keys: &'s [Keys],
    receive: &Sne,
    segment: &Segment<'_>,
    candidate: &Candidate<'_>,
) -> Option<Checking<'s>> {
    let keys = keys.get(candidate.key)?;
    let key = &*keys.other.as_ref()?.receive;
    Some(Checking { key, sne: receive.of(segment.sequence()), coverage: keys.coverage })
}

/// Computes the MAC of a candidate in `message`, whose content is overwritten, and compares.
#[inline(always)]
fn check(
    packet: &Packet<'_>,
    candidate: &Candidate<'_>,
    checking: Checking<'_>,
    message: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let ao = &candidate.ao;
    message.clear();
    message::append(packet, ao, checking.sne, checking.coverage, message);
    let mut mac = [0; MAX_MAC];
    let mac = mac.get_mut(..ao.mac.len()).unwrap_or_default();
    checking.key.tag(message, mac)?;
    if tag::equal(mac, ao.mac) { Ok(()) } else { Err(Refusal::MacDiffers(ao.key_id)) }
}
