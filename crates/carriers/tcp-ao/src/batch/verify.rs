use std::num::NonZeroU64;

use fieldtest_cpu::constant_time_eq;

use super::Batch;
use super::queue::{Queue, Tag};
use crate::ip::Packet;
use crate::message;
use crate::option::Place;
use crate::session::{Accepted, Refusal, Session};

/// One received packet whose message waits for its tag: the sequence number extension in the lower half, above it a
/// byte for where the option begins, and one for the length of its MAC. The option begins behind 20 bytes at least, so
/// that this is never zero.
///
/// One word, because it is written and read once for every segment: smaller pieces, written one by one and read
/// together a moment later, make the processor wait.
#[derive(Clone, Copy)]
pub(super) struct Slot(NonZeroU64);

impl Batch {
    /// Checks packets, each with the place of its session in `sessions`, as
    /// [`Session::verify_packet`] would one after the other, and overwrites `outcomes` with one outcome for each.
    ///
    /// A place that `sessions` does not have is [`Refusal::OtherConnection`].
    pub fn verify<S: AsRef<Session> + AsMut<Session>>(
        &mut self,
        sessions: &mut [S],
        received: &[(usize, Packet<'_>)],
        outcomes: &mut Vec<Result<Accepted, Refusal>>,
    ) {
        let bytes = received.iter().map(|(_, packet)| message::room(packet)).sum();
        let (mut queue, tags) = self.buffers.queue(received.len(), bytes);
        self.verifying.clear();
        for ((place, packet), tag) in received.iter().zip(tags) {
            let session = sessions.get(*place).map(AsRef::as_ref);
            self.verifying.push(session.and_then(|session| Slot::assemble(session, packet, tag, &mut queue)));
        }
        // Whether what was computed may still be used: as long as no session has changed its keys.
        let mut usable = queue.tag();
        outcomes.clear();
        outcomes.reserve(received.len());
        for ((slot, (place, packet)), tag) in self.verifying.iter().zip(received).zip(self.buffers.tags()) {
            let Some(session) = sessions.get_mut(*place) else {
                outcomes.push(Err(Refusal::OtherConnection));
                continue;
            };
            let session = session.as_mut();
            let slot = slot.filter(|slot| usable && slot.still_holds(session, packet));
            // Each kind of outcome is pushed by itself, so that none is put together elsewhere and then copied.
            match slot.and_then(|slot| Some((slot, slot.place().option(packet.segment())?))) {
                None => {
                    let before = session.generation();
                    outcomes.push(session.verify_packet(packet));
                    usable &= session.generation() == before;
                }
                Some((slot, ao))
                    if tag.get(..ao.mac.len()).is_some_and(|tag| constant_time_eq(tag, ao.mac)) =>
                {
                    outcomes.push(Ok(session.accept(packet.segment(), &ao, slot.sne())));
                }
                Some((_, ao)) => outcomes.push(Err(Refusal::MacDiffers(ao.key_id))),
            }
        }
    }
}

impl Slot {
    /// Assembles the message of a packet and queues it, or does nothing where the packet must be looked at alone.
    ///
    /// A function of its own, because the loop around it would otherwise compete for the registers.
    #[inline(never)]
    fn assemble<'q>(
        session: &'q Session,
        packet: &Packet<'_>,
        tag: &'q mut Tag,
        queue: &mut Queue<'q>,
    ) -> Option<Slot> {
        let (addresses, segment) = (packet.addresses(), packet.segment());
        let checking = session.checking(addresses, segment)?;
        let (place, keys, sne) = (checking.place, checking.keys, checking.sne);
        let message = message::write(addresses, segment, place, sne, keys.coverage, &mut queue.free)?;
        queue.push(&keys.mac, checking.key, message.bytes, tag.get_mut(..place.mac_len)?);
        Slot::new(sne, place)
    }

    #[inline(always)]
    fn new(sne: u32, place: Place) -> Option<Slot> {
        // Both are less than the 60 bytes of the longest header.
        let place = (place.mac_len as u64) << 8 | place.start as u64;
        NonZeroU64::new(place << 32 | u64::from(sne)).map(Slot)
    }

    #[inline(always)]
    fn sne(self) -> u32 {
        self.0.get() as u32
    }

    #[inline(always)]
    fn place(self) -> Place {
        let [_, _, _, _, start, mac_len, ..] = self.0.get().to_le_bytes();
        Place { start: usize::from(start), mac_len: usize::from(mac_len) }
    }

    /// Whether the packet has the same sequence number extension now that those before it have been taken.
    #[inline(always)]
    fn still_holds(self, session: &Session, packet: &Packet<'_>) -> bool {
        self.sne() == session.receive_sequences().of(packet.segment().sequence())
    }
}
