//! Verifying a batch.

use super::Batch;
use crate::ip::Packet;
use crate::message;
use crate::option::AoOption;
use crate::session::{Accepted, Candidate, Refusal, Session};
use crate::tag;

/// One received packet whose message waits for its tag. It is small, and the option is looked up again in the packet,
/// because what is kept here is written and read once for every segment.
pub(super) struct Slot {
    /// The number of its tag.
    number: usize,
    key: u32,
    sne: u32,
    /// The session's generation when the message was assembled.
    generation: u32,
    /// Where the option begins, and the length of its MAC.
    place: u8,
    mac_len: u8,
}

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
        outcomes.clear();
        self.assembly.clear();
        self.verifying.clear();
        for (place, packet) in received {
            if self.assemble(sessions, *place, packet).is_none() {
                self.verifying.push(None);
            }
        }
        let tagged = self.assembly.tag(|waiting| {
            let session: &Session = sessions.get(waiting.session)?.as_ref();
            session.receive_key(waiting.key)
        });
        for (slot, (place, packet)) in self.verifying.iter().zip(received) {
            let Some(session) = sessions.get_mut(*place) else {
                outcomes.push(Err(Refusal::OtherConnection));
                continue;
            };
            let session = session.as_mut();
            let slot = slot.as_ref().filter(|slot| tagged.is_ok() && slot.still_holds(session, packet));
            let waited = slot.and_then(|slot| Some((slot, slot.candidate(packet)?)));
            match waited {
                None => outcomes.push(session.verify_packet(packet)),
                Some((slot, candidate))
                    if tag::equal(self.assembly.tag_of(slot.number), candidate.ao.mac) =>
                {
                    outcomes.push(Ok(session.accept(packet.segment(), &candidate, slot.sne)));
                }
                Some((_, candidate)) => outcomes.push(Err(Refusal::MacDiffers(candidate.ao.key_id))),
            }
        }
    }

    /// Assembles the message of a packet and queues it, or does nothing where it must be looked at alone, at its turn: a SYN, which may
    /// change keys, and what cannot be verified as things stand before the batch.
    #[inline(always)]
    fn assemble<S: AsRef<Session>>(
        &mut self,
        sessions: &[S],
        place: usize,
        packet: &Packet<'_>,
    ) -> Option<()> {
        let session: &Session = sessions.get(place)?.as_ref();
        if packet.segment().flags().syn() {
            return None;
        }
        let candidate = session.candidate(packet).ok()?;
        let checking = session.checking(packet.segment(), &candidate)?;
        let mac = session.implementation(candidate.key)?;
        let sne = checking.sne;
        let start = self.assembly.messages.len();
        message::append(packet, &candidate.ao, sne, checking.coverage, &mut self.assembly.messages);
        let mac_len = candidate.ao.mac.len();
        let number = self.assembly.queue(place, candidate.key, mac, start, mac_len);
        self.verifying.push(Some(Slot {
            number,
            key: candidate.key as u32,
            sne,
            generation: session.generation(),
            // Both are less than the 60 bytes of the longest header.
            place: candidate.ao.place as u8,
            mac_len: mac_len as u8,
        }));
        Some(())
    }
}

impl Slot {
    /// What was found in the packet when its message was assembled.
    #[inline(always)]
    fn candidate<'p>(&self, packet: &Packet<'p>) -> Option<Candidate<'p>> {
        let ao = AoOption::at(packet.segment(), usize::from(self.place), usize::from(self.mac_len))?;
        Some(Candidate { ao, key: self.key as usize })
    }

    /// Whether the message would be assembled alike now that the packets before it have been taken.
    #[inline(always)]
    fn still_holds(&self, session: &Session, packet: &Packet<'_>) -> bool {
        self.generation == session.generation()
            && self.sne == session.receive_sequences().of(packet.segment().sequence())
    }
}
