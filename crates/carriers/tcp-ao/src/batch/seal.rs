//! Signing in place a batch whose options are laid out already.

use super::Batch;
use super::queue::{Queue, Tag};
use crate::ip::Packet;
use crate::message;
use crate::option::Place;
use crate::session::{Head, Session, SignError};

/// One packet whose message waits for its MAC.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    head: Head,
    sequence: u32,
    sne: u32,
    /// The session's generation when the message was assembled.
    generation: u32,
    /// Where the option begins, counted from the start of the packet.
    option: usize,
}

impl Batch {
    /// Signs packets in place, each with the place of its session in `sessions`, as [`Session::seal`] would one after
    /// the other, and overwrites `outcomes` with one outcome for each.
    ///
    /// A place that `sessions` does not have is [`SignError::OtherConnection`].
    pub fn seal<S: AsRef<Session> + AsMut<Session>, P: AsRef<[u8]> + AsMut<[u8]>>(
        &mut self,
        sessions: &mut [S],
        packets: &mut [(usize, P)],
        outcomes: &mut Vec<Result<(), SignError>>,
    ) {
        let bytes = packets.iter().map(|(_, packet)| message::LONGEST_HEAD + packet.as_ref().len()).sum();
        let (mut queue, tags) = self.buffers.queue(packets.len(), bytes);
        self.signing.clear();
        for ((place, packet), tag) in packets.iter().zip(tags) {
            let session = sessions.get(*place).map(AsRef::as_ref);
            self.signing.push(session.and_then(|session| {
                let packet = Packet::parse(packet.as_ref()).ok()??;
                let head = session.head(&packet).ok()?;
                let place = head.place_in(packet.segment()).ok()?;
                Slot::assemble(session, head, &packet, place, tag, &mut queue)
            }));
        }
        let tagged = queue.tag();
        outcomes.clear();
        outcomes.reserve(packets.len());
        for ((slot, (place, packet)), tag) in self.signing.iter().zip(packets).zip(self.buffers.tags()) {
            let Some(session) = sessions.get_mut(*place) else {
                outcomes.push(Err(SignError::OtherConnection));
                continue;
            };
            let (session, packet) = (session.as_mut(), packet.as_mut());
            let slot = slot.as_ref().filter(|_| tagged);
            // Each kind of outcome is pushed by itself, so that none is put together elsewhere and then copied.
            match slot.and_then(|slot| slot.complete(session, packet, tag)) {
                Some(()) => outcomes.push(Ok(())),
                None => outcomes.push(session.seal(packet)),
            }
        }
    }
}

impl Slot {
    /// Assembles the message of a packet with its option at `place` and queues it, or does nothing where the packet must be
    /// signed alone.
    #[inline(always)]
    pub(super) fn assemble<'q>(
        session: &'q Session,
        head: Head,
        packet: &Packet<'_>,
        place: Place,
        tag: &'q mut Tag,
        queue: &mut Queue<'q>,
    ) -> Option<Slot> {
        let (addresses, segment) = (packet.addresses(), packet.segment());
        let signing = session.signing(segment)?;
        let (keys, sne) = (signing.keys, signing.sne);
        let message = message::write(addresses, segment, place, sne, keys.coverage, &mut queue.free)?;
        let message = message.named(head.key_id, head.rnext_key_id)?;
        queue.push(&keys.mac, signing.key, message, tag.get_mut(..head.mac_len)?);
        let option = packet.network_header().len() + place.start;
        Some(Slot { head, sequence: segment.sequence(), sne, generation: session.generation(), option })
    }

    /// Writes the option's identifiers and MAC into the packet. `None` if the message would be another now that the
    /// packets before it have been taken; nothing is done then.
    #[inline(always)]
    pub(super) fn complete(&self, session: &mut Session, packet: &mut [u8], tag: &Tag) -> Option<()> {
        let option = packet.get_mut(self.option..)?;
        let mac = tag.get(..self.head.mac_len)?;
        session.note_sent(self.generation, self.sequence, self.sne).then(|| self.head.write(mac, option))
    }
}
