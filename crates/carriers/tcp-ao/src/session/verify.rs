//! Verifying what the other end sends (RFC 5925, section 7.5).

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::mac::MacKey;

use super::keys::{Keys, SynKey, derive};
use super::{Refusal, Session};
use crate::context::Context;
use crate::ip::{Addresses, Packet};
use crate::message;
use crate::option::{self, AoOption, MAX_MAC, Place};
use crate::pair::SocketPair;
use crate::sne::Sne;
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
struct Candidate<'s> {
    place: Place,
    /// The key that it names, and its index.
    keys: &'s Keys,
    index: usize,
}

/// A candidate, and what its MAC is computed with.
pub(crate) struct Checking<'s> {
    pub(crate) place: Place,
    pub(crate) keys: &'s Keys,
    pub(crate) key: &'s dyn MacKey,
    pub(crate) sne: u32,
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
        let candidate = candidate(&self.incoming, &self.keys, packet.addresses(), packet.segment())?;
        if packet.segment().flags().syn() {
            let (place, index) = (candidate.place, candidate.index);
            return self.verify_syn(packet, place, index);
        }
        let checking = candidate.checked_by(&self.receive, packet.segment()).ok_or(Refusal::IsnsUnknown)?;
        let ao = check(packet, &checking, &mut self.message)?;
        let sne = checking.sne;
        Ok(self.accept(packet.segment(), &ao, sne))
    }

    /// What the MAC of a packet is computed with as things stand. `None` where the packet must be looked at alone, at
    /// its turn: a SYN, which may change keys, and what cannot be verified now.
    #[inline(always)]
    pub(crate) fn checking(&self, addresses: Addresses<'_>, segment: &Segment<'_>) -> Option<Checking<'_>> {
        if segment.flags().syn() {
            return None;
        }
        candidate(&self.incoming, &self.keys, addresses, segment).ok()?.checked_by(&self.receive, segment)
    }

    /// Takes note of a segment that was found authentic.
    #[inline(always)]
    pub(crate) fn accept(&mut self, segment: &Segment<'_>, ao: &AoOption<'_>, sne: u32) -> Accepted {
        self.receive.advance(segment.sequence());
        self.accepted(ao, sne)
    }

    /// Switches the current key if the other end asks for another that this end has (RFC 5925, section 7.5.2.e);
    /// reordered segments may switch it back and forth.
    #[inline(always)]
    fn accepted(&mut self, ao: &AoOption<'_>, sne: u32) -> Accepted {
        let &AoOption { key_id, rnext_key_id, .. } = ao;
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
    fn verify_syn(&mut self, packet: &Packet<'_>, place: Place, index: usize) -> Result<Accepted, Refusal> {
        if packet.segment().flags().ack() {
            self.verify_syn_ack(packet, place, index)
        } else {
            self.verify_syn_alone(packet, place, index)
        }
    }

    /// The key of a SYN depends on nothing but the segment, which may be a replay: nothing of a connection that is
    /// established changes. A connection that this end has not opened takes over the other end's choice of keys.
    fn verify_syn_alone(
        &mut self,
        packet: &Packet<'_>,
        place: Place,
        index: usize,
    ) -> Result<Accepted, Refusal> {
        let isn = packet.segment().sequence();
        let keys = &self.keys[index];
        let mut derived = None;
        let key = match &keys.receive_syn {
            Some(syn) if syn.isn == isn => &syn.key,
            _ => &*derived.insert(derive(&keys.mkt, &Context::new(&self.incoming, isn, 0))?),
        };
        let checking = Checking { place, keys, key: &**key, sne: 0 };
        let ao = check(packet, &checking, &mut self.message)?;
        if let Some(key) = derived {
            self.keys[index].receive_syn = Some(SynKey { isn, key });
        }
        if self.is_established() {
            let AoOption { key_id, rnext_key_id, .. } = ao;
            return Ok(Accepted { key_id, rnext_key_id, sne: 0, current_key_changed: false });
        }
        let before = self.current;
        if self.local_isn.is_none() {
            (self.current, self.rnext) = (index, index);
        }
        let accepted = self.accepted(&ao, 0);
        Ok(Accepted { current_key_changed: self.current != before, ..accepted })
    }

    /// A SYN-ACK tells the other end's initial sequence number, which counts only once the MAC under the key that it
    /// leads to is right.
    fn verify_syn_ack(
        &mut self,
        packet: &Packet<'_>,
        place: Place,
        index: usize,
    ) -> Result<Accepted, Refusal> {
        let local = self.local_isn.ok_or(Refusal::IsnsUnknown)?;
        let segment = packet.segment();
        let remote = segment.sequence();
        let keys = &self.keys[index];
        if self.is_established() {
            let candidate = Candidate { place, keys, index };
            let checking = candidate.checked_by(&self.receive, segment).ok_or(Refusal::IsnsUnknown)?;
            let ao = check(packet, &checking, &mut self.message)?;
            let sne = checking.sne;
            return Ok(self.accept(segment, &ao, sne));
        }
        let other = keys.derive_other(&self.pair, local, remote)?;
        let checking = Checking { place, keys, key: &*other.receive, sne: 0 };
        let ao = check(packet, &checking, &mut self.message)?;
        self.establish(local, remote)?;
        Ok(self.accept(segment, &ao, 0))
    }
}

/// Finds the option of a packet and the key that it names.
#[inline(always)]
fn candidate<'s>(
    incoming: &SocketPair,
    keys: &'s [Keys],
    addresses: Addresses<'_>,
    segment: &Segment<'_>,
) -> Result<Candidate<'s>, Refusal> {
    if !incoming.is_of(addresses, segment) {
        return Err(Refusal::OtherConnection);
    }
    let place = option::locate(segment)?.ok_or(Refusal::NoOption)?;
    let key_id = *segment.bytes().get(place.start + 2).ok_or(Refusal::NoOption)?;
    let named = keys.iter().enumerate().find(|(_, keys)| keys.receive_id == key_id);
    let (index, keys) = named.ok_or(Refusal::UnknownKeyId(key_id))?;
    let (wanted, found) = (keys.mac_len, place.mac_len);
    if wanted != found {
        return Err(Refusal::MacLength { key_id, wanted, found });
    }
    Ok(Candidate { place, keys, index })
}

impl<'s> Candidate<'s> {
    /// The key and the extension of the sequence number of anything but a SYN without ACK, or `None` before the
    /// handshake.
    #[inline(always)]
    fn checked_by(self, receive: &Sne, segment: &Segment<'_>) -> Option<Checking<'s>> {
        let Candidate { place, keys, .. } = self;
        let key = &*keys.other.as_ref()?.receive;
        Some(Checking { place, keys, key, sne: receive.of(segment.sequence()) })
    }
}

/// Computes the MAC of a candidate, with `buffer` for the message, and compares. The result is the option.
#[inline(always)]
fn check<'p>(
    packet: &Packet<'p>,
    checking: &Checking<'_>,
    buffer: &mut Vec<u8>,
) -> Result<AoOption<'p>, Refusal> {
    let &Checking { place, keys, key, sne } = checking;
    let ao = place.option(packet.segment()).ok_or(Refusal::NoOption)?;
    let message = message::write_over(packet, place, sne, keys.coverage, buffer).ok_or(Refusal::NoOption)?;
    let mut mac = [0; MAX_MAC];
    let mac = mac.get_mut(..ao.mac.len()).unwrap_or_default();
    key.tag(message.bytes, mac)?;
    if constant_time_eq(mac, ao.mac) { Ok(ao) } else { Err(Refusal::MacDiffers(ao.key_id)) }
}
