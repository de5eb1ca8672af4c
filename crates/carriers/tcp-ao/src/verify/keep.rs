//! What is kept of a capture for the diagnosis and for another pass over it.

use super::batch::Pending;
use super::stretch::Mark;
use super::{Verifier, report};
use crate::flows::{Ends, Place, Side};
use crate::ip::Packet;
use crate::verify::{Sample, Unanswered};

/// Addresses that are kept: ends of the connections, to try in place of others behind NAT.
const MOST_ADDRESSES: usize = 256;

impl Verifier {
    pub(super) fn note_failure(&mut self, pending: &Pending, bytes: &[u8]) {
        let mut place = pending.place;
        let mut joins = false;
        if let Ok(Some(packet)) = Packet::parse(bytes)
            && let Some(state) = self.states.get_mut(place.connection)
        {
            let mark = Mark::new(pending.number, pending.time, packet.segment());
            let stretches = state.stretches.of_mut(place.sender);
            joins = stretches.joins(mark) || self.hints.refutes(pending.number);
            if joins {
                place.sne = stretches.natural(mark).unwrap_or(place.sne);
            }
            stretches.failed(mark);
        }
        self.keep_sample(pending.number, place, bytes, joins);
    }

    /// Keeps a failing segment, if there is not enough of its like; `joins` as in [`Sample`].
    pub(super) fn keep_sample(&mut self, number: u64, place: Place, bytes: &[u8], joins: bool) {
        let Some(state) = self.states.get_mut(place.connection) else { return };
        let kept = state.samples.of_mut(place.sender);
        let full = self.report.samples.len() >= report::MOST_SAMPLES
            || self.sample_bytes + bytes.len() > report::MOST_SAMPLE_BYTES;
        if *kept >= report::SAMPLES_PER_SENDER || full {
            return;
        }
        *kept += 1;
        self.sample_bytes += bytes.len();
        let sample = self.sample(number, place, bytes).map(|sample| Sample { joins, ..sample });
        self.report.samples.extend(sample);
    }

    /// Keeps a verified segment, if there is not enough of its like.
    #[inline]
    pub(super) fn keep_witness(&mut self, number: u64, place: Place, bytes: &[u8], key: usize) {
        let Some(state) = self.states.get_mut(place.connection) else { return };
        let kept = state.witnesses.of_mut(place.sender);
        if *kept >= report::WITNESSES_PER_SENDER || self.report.witnesses.len() >= report::MOST_SAMPLES {
            return;
        }
        *kept += 1;
        let sample = self.sample(number, place, bytes);
        self.report.witnesses.extend(sample.map(|sample| (sample, key)));
    }

    fn sample(&self, number: u64, place: Place, bytes: &[u8]) -> Option<Sample> {
        let connection = self.tracker.connections().get(place.connection)?;
        Some(Sample {
            number,
            connection: place.connection,
            sender: place.sender,
            isns: connection.isns,
            lowest: connection.lowest,
            sne: place.sne,
            joins: false,
            packet: bytes.to_vec(),
        })
    }

    pub(super) fn note_addresses(&mut self, packet: &Packet<'_>) {
        if self.states.len() == self.seen_connections || self.report.addresses.len() >= MOST_ADDRESSES {
            return;
        }
        self.seen_connections = self.states.len();
        for address in [packet.source(), packet.destination()] {
            if !self.report.addresses.contains(&address) {
                self.report.addresses.push(address);
            }
        }
    }

    #[inline]
    pub(super) fn note_opening(&mut self, place: Place, packet: &Packet<'_>) {
        if packet.segment().flags().syn()
            && let Some(state) = self.states.get_mut(place.connection)
        {
            *state.openings.of_mut(place.sender) += 1;
        }
    }

    /// Looks for openings that were never answered.
    pub(super) fn note_unanswered(&mut self) {
        let all = self.tracker.connections().iter().zip(&self.states).enumerate();
        for (connection, (flow, state)) in all {
            let Ends { opener, answerer } = state.openings;
            let waits = |waiting, sent| Unanswered {
                connection,
                waiting,
                sent,
                silence: self.now.saturating_sub(state.opened.of(waiting).unwrap_or(self.now)),
            };
            let found = if opener > 0 && !flow.went_on.opener && !flow.spoke.answerer {
                waits(Side::Opener, opener)
            } else if answerer > 0 && !flow.went_on.opener && !flow.went_on.answerer {
                waits(Side::Answerer, answerer)
            } else {
                continue;
            };
            if self.report.unanswered.len() < report::MOST_KEPT {
                self.report.unanswered.push(found);
            }
        }
    }
}
