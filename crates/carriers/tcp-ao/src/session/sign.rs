//! Signing what this end sends (RFC 5925, section 7.4).

use fieldtest_kinds::mac::MacKey;

use super::keys::{SynKey, derive};
use super::{Session, SignError};
use crate::context::Context;
use crate::ip::Packet;
use crate::message::{self, Coverage};
use crate::option::{self, AoOption, HEAD};
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

/// What one segment is signed with.
#[derive(Clone, Copy)]
pub(crate) struct Signing {
    pub(crate) key: usize,
    pub(crate) sne: u32,
    pub(crate) coverage: Coverage,
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
        self.complete(out, head, inserted.place)?;
        option::write_tcp_checksum(out, packet.network_header().len());
        Ok(Signed { key_id: head.key_id, sack_blocks_dropped: inserted.sack_blocks_dropped })
    }

    /// Signs in place a packet whose TCP-AO option is there already and has the right length, as a TCP that lays out
    /// its own options makes it: writes KeyID, RNextKeyID and MAC. The TCP checksum, which hardware often computes, is
    /// left as it is.
    ///
    /// # Errors
    /// [`SignError`]; KeyID and RNextKeyID may be written even then.
    pub fn seal(&mut self, packet: &mut [u8]) -> Result<(), SignError> {
        let parsed = Packet::parse(packet)?.ok_or(SignError::NotTcp)?;
        let head = self.head(&parsed)?;
        let ao = option::find(parsed.segment())?.ok_or(SignError::NoOption)?;
        if ao.mac.len() != head.mac_len {
            return Err(SignError::MacLength { wanted: head.mac_len, found: ao.mac.len() });
        }
        let ao_place = ao.place;
        let place = parsed.network_header().len() + ao_place;
        if let Some(ids) = packet.get_mut(place + 2..place + HEAD) {
            ids.copy_from_slice(&[head.key_id, head.rnext_key_id]);
        }
        self.complete(packet, head, ao_place)
    }

    /// Computes and writes the MAC of a packet that is complete but for it and the TCP checksum. The option begins at
    /// `place` of the TCP header.
    #[inline(always)]
    fn complete(&mut self, bytes: &mut [u8], head: Head, place: usize) -> Result<(), SignError> {
        let packet = Packet::parse(bytes)?.ok_or(SignError::NotTcp)?;
        let segment = *packet.segment();
        let ao = AoOption::at(&segment, place, head.mac_len).ok_or(SignError::NoOption)?;
        let signing = self.begin_signing(&segment)?;
        self.message.clear();
        message::append(&packet, &ao, signing.sne, signing.coverage, &mut self.message);
        let key = self.signing_key(&signing, &segment).ok_or(SignError::IsnsUnknown)?;
        let network = packet.network_header().len();
        let mac = network + place + HEAD;
        Ok(key.tag(&self.message, bytes.get_mut(mac..mac + head.mac_len).unwrap_or_default())?)
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

    /// Takes note of a segment that is about to be sent, and derives the keys that it begins.
    #[inline]
    pub(crate) fn begin_signing(&mut self, segment: &Segment<'_>) -> Result<Signing, SignError> {
        let sequence = segment.sequence();
        if segment.flags().syn() {
            self.begin_handshake(segment)?;
        } else if !self.is_established() {
            return Err(SignError::IsnsUnknown);
        }
        let sne = self.send.of(sequence);
        self.send.advance(sequence);
        Ok(Signing { key: self.current, sne, coverage: self.keys[self.current].coverage })
    }

    #[cold]
    fn begin_handshake(&mut self, segment: &Segment<'_>) -> Result<(), SignError> {
        let isn = segment.sequence();
        if segment.flags().ack() {
            return Ok(self.establish(isn, segment.acknowledgement().wrapping_sub(1))?);
        }
        let keys = &self.keys[self.current];
        if keys.send_syn.as_ref().is_none_or(|syn| syn.isn != isn) {
            let key = derive(&keys.mkt, &Context::new(&self.pair, isn, 0))?;
            self.keys[self.current].send_syn = Some(SynKey { isn, key });
        }
        self.begin(isn);
        Ok(())
    }

    /// The key for a segment that [`Session::begin_signing`] took note of.
    #[inline]
    fn signing_key(&self, signing: &Signing, segment: &Segment<'_>) -> Option<&dyn MacKey> {
        if segment.flags().syn() && !segment.flags().ack() {
            self.keys.get(signing.key)?.send_syn.as_ref().map(|syn| &*syn.key)
        } else {
            self.send_key(signing.key)
        }
    }
}
