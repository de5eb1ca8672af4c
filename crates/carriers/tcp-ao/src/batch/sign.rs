use std::ops::Range;

use super::Batch;
use super::seal::Slot;
use crate::ip::Packet;
use crate::message;
use crate::option::{self, Inserted, Place};
use crate::session::{Head, Session, SignError, Signed};
use crate::tcp::MAX_OPTIONS;

/// One packet of a batch, signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedPacket {
    /// Where it stands in the buffer that the batch was written to.
    pub bytes: Range<usize>,
    /// What signing did.
    pub signed: Signed,
}

impl Batch {
    /// Signs packets, each with the place of its session in `sessions`, as [`Session::sign_packet`] would one after
    /// the other. The signed packets are written into `out`, in order, and `outcomes` says where; both are
    /// overwritten. Bytes that no outcome names are of packets that could not be signed after all.
    ///
    /// A place that `sessions` does not have is [`SignError::OtherConnection`].
    pub fn sign<S: AsRef<Session> + AsMut<Session>>(
        &mut self,
        sessions: &mut [S],
        packets: &[(usize, Packet<'_>)],
        out: &mut Vec<u8>,
        outcomes: &mut Vec<Result<SignedPacket, SignError>>,
    ) {
        let bytes = packets.iter().map(|(_, packet)| message::room(packet) + MAX_OPTIONS).sum();
        let (mut queue, tags) = self.buffers.queue(packets.len(), bytes);
        out.clear();
        outcomes.clear();
        self.signing.clear();
        for ((place, packet), tag) in packets.iter().zip(tags) {
            let session = sessions.get(*place).map(AsRef::as_ref);
            let laid_out = LaidOut::append(session, packet, out);
            self.signing.push(laid_out.as_ref().ok().and_then(|laid_out| {
                let whole = Packet::parse(out.get(laid_out.start..)?).ok()??;
                let place = Place { start: laid_out.place, mac_len: laid_out.head.mac_len };
                Slot::assemble(session?, laid_out.head, &whole, place, tag, &mut queue)
            }));
            outcomes.push(laid_out.map(|laid_out| laid_out.signed(out.len())));
        }
        let tagged = queue.tag();
        let turns = outcomes.iter_mut().zip(&self.signing).zip(packets).zip(self.buffers.tags());
        for (((outcome, slot), (place, packet)), tag) in turns {
            let Ok(SignedPacket { bytes, .. }) = outcome else { continue };
            let (Some(session), Some(bytes)) = (sessions.get_mut(*place), out.get_mut(bytes.clone())) else {
                continue;
            };
            let session = session.as_mut();
            let slot = slot.as_ref().filter(|_| tagged);
            if slot.and_then(|slot| slot.complete(session, bytes, tag)).is_none()
                && let Err(error) = session.seal(bytes)
            {
                *outcome = Err(error);
                continue;
            }
            option::write_tcp_checksum(bytes, packet.network_header().len());
        }
    }
}

/// A packet that was appended to the output with an option that lacks its MAC.
struct LaidOut {
    head: Head,
    /// Where the packet begins in the output.
    start: usize,
    /// Where the option begins, counted from the start of the TCP header.
    place: usize,
    sack_blocks_dropped: usize,
}

impl LaidOut {
    #[inline(always)]
    fn append(
        session: Option<&Session>,
        packet: &Packet<'_>,
        out: &mut Vec<u8>,
    ) -> Result<LaidOut, SignError> {
        let head = session.ok_or(SignError::OtherConnection)?.head(packet)?;
        let start = out.len();
        let inserted = option::append_unsummed(packet, head.key_id, head.rnext_key_id, head.mac_len, out)?;
        let Inserted { place, sack_blocks_dropped, .. } = inserted;
        Ok(LaidOut { head, start, place, sack_blocks_dropped })
    }

    /// The outcome once the MAC is there; the packet ends at `end` of the output.
    #[inline(always)]
    fn signed(self, end: usize) -> SignedPacket {
        let signed = Signed { key_id: self.head.key_id, sack_blocks_dropped: self.sack_blocks_dropped };
        SignedPacket { bytes: self.start..end, signed }
    }
}
