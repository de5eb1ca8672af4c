//! Signing a batch.

use std::ops::Range;

use super::Batch;
use crate::ip::Packet;
use crate::message;
use crate::option::{self, AoOption};
use crate::session::{Session, SignError, Signed};

/// One packet of a batch, signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedPacket {
    /// Where it stands in the buffer that the batch was written to.
    pub bytes: Range<usize>,
    /// What signing did.
    pub signed: Signed,
}

/// One packet that is laid out and waits for its MAC.
pub(super) struct Slot {
    /// Its place in the batch.
    turn: usize,
    number: usize,
    /// Where its MAC stands in the output.
    mac: Range<usize>,
    /// Where it begins in the output, and how long its IP header is.
    start: usize,
    network: usize,
}

impl Batch {
    /// Signs packets, each with the place of its session in `sessions`, as [`Session::sign_packet`] would one after
    /// the other. The signed packets are written one behind the other into `out`, and `outcomes` says where; both are
    /// overwritten.
    ///
    /// A place that `sessions` does not have is [`SignError::OtherConnection`].
    pub fn sign<S: AsRef<Session> + AsMut<Session>>(
        &mut self,
        sessions: &mut [S],
        packets: &[(usize, Packet<'_>)],
        out: &mut Vec<u8>,
        outcomes: &mut Vec<Result<SignedPacket, SignError>>,
    ) {
        out.clear();
        outcomes.clear();
        self.assembly.clear();
        self.signing.clear();
        for (turn, (place, packet)) in packets.iter().enumerate() {
            let outcome = if sessions.get(*place).is_none() {
                Err(SignError::OtherConnection)
            } else if packet.segment().flags().syn() {
                // A SYN may begin the connection anew, and what waits is signed with the keys of before.
                self.finish_signing(sessions, out, outcomes);
                self.sign_alone(sessions, *place, packet, out)
            } else {
                self.lay_out(sessions, turn, *place, packet, out)
            };
            outcomes.push(outcome);
        }
        self.finish_signing(sessions, out, outcomes);
    }

    fn sign_alone<S: AsMut<Session>>(
        &mut self,
        sessions: &mut [S],
        place: usize,
        packet: &Packet<'_>,
        out: &mut Vec<u8>,
    ) -> Result<SignedPacket, SignError> {
        let session = sessions.get_mut(place).ok_or(SignError::OtherConnection)?.as_mut();
        let signed = session.sign_packet(packet, &mut self.single)?;
        let start = out.len();
        out.extend_from_slice(&self.single);
        Ok(SignedPacket { bytes: start..out.len(), signed })
    }

    /// Appends the packet with an empty option to `out` and assembles its message.
    #[inline]
    fn lay_out<S: AsMut<Session>>(
        &mut self,
        sessions: &mut [S],
        turn: usize,
        place: usize,
        packet: &Packet<'_>,
        out: &mut Vec<u8>,
    ) -> Result<SignedPacket, SignError> {
        let session = sessions.get_mut(place).ok_or(SignError::OtherConnection)?.as_mut();
        let head = session.head(packet)?;
        let start = out.len();
        let inserted = option::append_unsummed(packet, head.key_id, head.rnext_key_id, head.mac_len, out);
        let assembled = inserted.map_err(SignError::from).and_then(|inserted| {
            let bytes = out.get(start..).unwrap_or_default();
            let laid_out = Packet::parse(bytes)?.ok_or(SignError::NotTcp)?;
            let ao = AoOption::at(laid_out.segment(), inserted.place, head.mac_len);
            let ao = ao.ok_or(SignError::NoOption)?;
            let signing = session.begin_signing(laid_out.segment())?;
            let mac = session.implementation(signing.key).ok_or(SignError::IsnsUnknown)?;
            let from = self.assembly.messages.len();
            message::append(&laid_out, &ao, signing.sne, signing.coverage, &mut self.assembly.messages);
            let number = self.assembly.queue(place, signing.key, mac, from, head.mac_len);
            let network = laid_out.network_header().len();
            let mac = start + inserted.mac.start..start + inserted.mac.end;
            self.signing.push(Slot { turn, number, mac, start, network });
            Ok(Signed { key_id: head.key_id, sack_blocks_dropped: inserted.sack_blocks_dropped })
        });
        match assembled {
            Ok(signed) => Ok(SignedPacket { bytes: start..out.len(), signed }),
            Err(error) => {
                out.truncate(start);
                Err(error)
            }
        }
    }

    /// Tags what waits, and writes the MACs and the checksums.
    fn finish_signing<S: AsRef<Session>>(
        &mut self,
        sessions: &[S],
        out: &mut [u8],
        outcomes: &mut [Result<SignedPacket, SignError>],
    ) {
        let tagged = self.assembly.tag(|waiting| {
            let session: &Session = sessions.get(waiting.session)?.as_ref();
            session.send_key(waiting.key)
        });
        for slot in self.signing.drain(..) {
            if let Err(error) = &tagged {
                if let Some(outcome) = outcomes.get_mut(slot.turn) {
                    *outcome = Err(error.clone().into());
                }
                continue;
            }
            if let Some(mac) = out.get_mut(slot.mac) {
                mac.copy_from_slice(self.assembly.tag_of(slot.number));
            }
            if let Some(packet) = out.get_mut(slot.start..) {
                option::write_tcp_checksum(packet, slot.network);
            }
        }
        self.assembly.clear();
    }
}
