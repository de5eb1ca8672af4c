//! Signing what this end sends (RFC 5925, section 7.4).

use fieldtest_kinds::mac::MacKey;

use super::keys::{Keys, SynKey, derive};
use super::{Session, SignError};
use crate::context::Context;
use crate::ip::Packet;
use crate::message;
use crate::option::{self, HEAD, MAX_MAC, Place};
use crate::tcp::Segment;

/// What signing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signed {
    /// The KeyID of the key that made the MAC.
    pub key_id: u8,
    /// Blocks of selective acknowledgement that had to go, because 40 bytes of options do not hold everything.
    pub sack_blocks_dropped: usize,
}

/// What is put into the option of the next segment.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) key_id: u8,
    pub(crate) rnext_key_id: u8,
    pub(crate) mac_len: usize,
}

pub(crate) struct Signing<'s> {
    pub(crate) keys: &'s Keys,
    pub(crate) key: &'s dyn MacKey,
    pub(crate) sne: u32,
}

impl Session {
    /// Signs a packet that this end sends: writes it into `out`, which is overwritten, with a TCP-AO option, and with
    /// lengths and checksums made right.
    ///
    /// # Errors
    /// [`SignError`]; `out` then holds nothing useful.
    pub fn sign(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<Signed, SignError> {
        let packet = Packet::parse(packet)?.ok_or(SignError::NotTcp)?;
        self.sign_packet(&packet, out)
    }

    /// As [`Session::sign`], for a packet that is parsed already.
    ///
    /// # Errors
    /// As [`Session::sign`].
    pub fn sign_packet(&mut self, packet: &Packet<'_>, out: &mut Vec<u8>) -> Result<Signed, SignError> {
        out.clear();
        let head = self.head(packet)?;
        let inserted = option::append_unsummed(packet, head.key_id, head.rnext_key_id, head.mac_len, out)?;
        let laid_out = Packet::parse(out)?.ok_or(SignError::NotTcp)?;
        let place = Place { start: inserted.place, mac_len: head.mac_len };
        let mut mac = [0; MAX_MAC];
        let mac = self.mac(&laid_out, head, place, &mut mac)?;
        head.write(mac, out.get_mut(inserted.mac.start - HEAD..).unwrap_or_default());
        option::write_tcp_checksum(out, packet.network_header().len());
        Ok(Signed { key_id: head.key_id, sack_blocks_dropped: inserted.sack_blocks_dropped })
    }

    /// Signs in place a packet whose TCP-AO option is there already and has the right length, as a TCP that lays out
    /// its own options makes it: writes KeyID, RNextKeyID and MAC. The TCP checksum, which hardware often computes, is
    /// left as it is.
    ///
    /// # Errors
    /// [`SignError`]; the packet is then as it was.
    pub fn seal(&mut self, packet: &mut [u8]) -> Result<(), SignError> {
        let parsed = Packet::parse(packet)?.ok_or(SignError::NotTcp)?;
        let head = self.head(&parsed)?;
        let place = head.place_in(parsed.segment())?;
        let start = parsed.network_header().len() + place.start;
        let mut mac = [0; MAX_MAC];
        let mac = self.mac(&parsed, head, place, &mut mac)?;
        head.write(mac, packet.get_mut(start..).unwrap_or_default());
        Ok(())
    }

    /// Takes note of a packet that is about to be sent, derives the keys that it begins, and computes its MAC. The
    /// packet is complete but for the key identifiers, the MAC and the TCP checksum; its option is at `place`.
    #[inline(always)]
    fn mac<'m>(
        &mut self,
        packet: &Packet<'_>,
        head: Head,
        place: Place,
        mac: &'m mut [u8; MAX_MAC],
    ) -> Result<&'m [u8], SignError> {
        let segment = packet.segment();
        let (sequence, flags) = (segment.sequence(), segment.flags());
        if flags.syn() {
            self.begin_handshake(segment)?;
        }
        let keys = &self.keys[self.current];
        let key = if flags.syn() && !flags.ack() {
            keys.send_syn.as_ref().map(|syn| &*syn.key)
        } else {
            keys.other.as_ref().map(|other| &*other.send)
        };
        let key = key.ok_or(SignError::IsnsUnknown)?;
        let sne = self.send.of(sequence);
        self.send.advance(sequence);
        let message = message::write_over(packet, place, sne, keys.coverage, &mut self.message);
        let message = message.and_then(|message| message.named(head.key_id, head.rnext_key_id));
        let message = message.ok_or(SignError::NoOption)?;
        let mac = mac.get_mut(..place.mac_len).unwrap_or_default();
        key.tag(message, mac)?;
        Ok(mac)
    }

    /// What goes into the option of this packet; refuses packets that this end does not send.
    #[inline]
    pub(crate) fn head(&self, packet: &Packet<'_>) -> Result<Head, SignError> {
        if !self.pair.sends(packet) {
            return Err(SignError::OtherConnection);
        }
        let current = &self.keys[self.current];
        let rnext_key_id = self.keys[self.rnext].receive_id;
        Ok(Head { key_id: current.send_id, rnext_key_id, mac_len: current.mac_len })
    }

    /// What a segment is signed with as things stand. `None` where it must be signed alone, at its
    /// turn: a SYN, which may change keys, and what cannot be signed now.
    #[inline(always)]
    pub(crate) fn signing(&self, segment: &Segment<'_>) -> Option<Signing<'_>> {
        if segment.flags().syn() {
            return None;
        }
        let keys = self.keys.get(self.current)?;
        let key = &*keys.other.as_ref()?.send;
        Some(Signing { keys, key, sne: self.send.of(segment.sequence()) })
    }

    /// Takes note of a segment that is about to be sent if it would be signed alike now: the keys are those of
    /// `generation`, and its extension is `sne`.
    #[inline(always)]
    pub(crate) fn note_sent(&mut self, generation: u32, sequence: u32, sne: u32) -> bool {
        let alike = generation == self.generation && self.send.of(sequence) == sne;
        if alike {
            self.send.advance(sequence);
        }
        alike
    }

    #[cold]
    fn begin_handshake(&mut self, segment: &Segment<'_>) -> Result<(), SignError> {
        let isn = segment.sequence();
        if segment.flags().ack() {
            return Ok(self.establish(isn, self.answered_isn(segment))?);
        }
        let keys = &self.keys[self.current];
        if keys.send_syn.as_ref().is_none_or(|syn| syn.isn != isn) {
            let key = derive(&keys.mkt, &Context::new(&self.pair, isn, 0))?;
            self.keys[self.current].send_syn = Some(SynKey { isn, key });
        }
        self.begin(isn);
        Ok(())
    }

    /// The initial sequence number of the SYN that a SYN-ACK answers. Where none was verified, that is the number before
    /// the acknowledged one; but what a SYN carries is acknowledged with it (RFC 7413).
    fn answered_isn(&self, syn_ack: &Segment<'_>) -> u32 {
        let before = syn_ack.acknowledgement().wrapping_sub(1);
        let verified = self.keys.iter().filter_map(|keys| Some(keys.receive_syn.as_ref()?.isn));
        let retransmitted = self.remote_isn.filter(|_| self.local_isn == Some(syn_ack.sequence()));
        let answered = verified.chain(retransmitted).filter(|isn| syn_ack.acknowledges_syn(*isn));
        answered.min_by_key(|isn| before.wrapping_sub(*isn)).unwrap_or(before)
    }
}

impl Head {
    /// Where a segment has its option.
    ///
    /// # Errors
    /// [`SignError::Option`], [`SignError::NoOption`], and [`SignError::MacLength`] where the MAC has no room, or too
    /// much.
    #[inline(always)]
    pub(crate) fn place_in(self, segment: &Segment<'_>) -> Result<Place, SignError> {
        let place = option::locate(segment)?.ok_or(SignError::NoOption)?;
        if place.mac_len != self.mac_len {
            return Err(SignError::MacLength { wanted: self.mac_len, found: place.mac_len });
        }
        Ok(place)
    }

    /// Writes the key identifiers and the MAC into bytes that begin with the option.
    #[inline(always)]
    pub(crate) fn write(&self, mac: &[u8], option: &mut [u8]) {
        let Some((head, place)) = option.split_first_chunk_mut::<HEAD>() else { return };
        [head[2], head[3]] = [self.key_id, self.rnext_key_id];
        match (mac, place.first_chunk_mut::<12>()) {
            // The length that RFC 5926 has, known to the compiler, is a store or two instead of a call.
            (mac, Some(place)) if mac.len() == 12 => place.copy_from_slice(mac),
            (mac, _) => place.get_mut(..mac.len()).unwrap_or_default().copy_from_slice(mac),
        }
    }
}
