//! Failing segments that the search is tried on.

use super::fault::Fault;
use super::recipe::Subject;
use crate::flows::{Ends, is_first_syn};
use crate::ip::Packet;
use crate::option::{self, AoOption};
use crate::verify::Sample;

pub(super) struct Specimen<'a> {
    pub(super) sample: &'a Sample,
    pub(super) packet: Packet<'a>,
    pub(super) ao: AoOption<'a>,
    /// Initial sequence numbers of sender and peer: the known ones, or the guesses.
    pub(super) isns: Vec<(u32, u32)>,
    pub(super) guessed: bool,
}

impl<'a> Specimen<'a> {
    pub(super) fn new(sample: &'a Sample) -> Option<Self> {
        let packet = Packet::parse(&sample.packet).ok()??;
        // A MAC of no bytes agrees with everything.
        let ao = option::find(packet.segment()).ok()?.filter(|ao| !ao.mac.is_empty())?;
        let segment = packet.segment();
        let peer = sample.sender.other();
        let of = |ends: &Ends<Option<u32>>, side| *ends.of(side);
        let (own, other) = (of(&sample.isns, sample.sender), of(&sample.isns, peer));
        let before = |number: Option<u32>| number.map(|number| number.wrapping_sub(1));
        let acknowledged = segment.flags().ack().then_some(segment.acknowledgement());
        let guess = |known: Option<u32>, seen, first| match known {
            Some(isn) => vec![isn],
            None => {
                let mut guesses: Vec<u32> = [before(seen), before(first)].into_iter().flatten().collect();
                guesses.dedup();
                guesses
            }
        };
        let own_guesses = guess(own, Some(segment.sequence()), of(&sample.lowest, sample.sender));
        let other_guesses = if is_first_syn(&packet) {
            vec![0]
        } else {
            guess(other, acknowledged, of(&sample.lowest, peer))
        };
        let isns = own_guesses
            .iter()
            .flat_map(|own| other_guesses.iter().map(move |other| (*own, *other)))
            .collect();
        let guessed = !is_first_syn(&packet) && (own.is_none() || other.is_none());
        Some(Self { sample, packet, ao, isns, guessed })
    }

    pub(super) fn subject(&self, isns: (u32, u32), sne: u32) -> Subject<'_> {
        Subject { packet: &self.packet, ao: &self.ao, sne, isns, sender: self.sample.sender }
    }

    /// The guesses, moved back by what a fault says.
    pub(super) fn isns_with(&self, faults: &[&Fault]) -> Vec<(u32, u32)> {
        let moved = faults.iter().find_map(|fault| match fault {
            Fault::Isns { opener, answerer, .. } => Some(Ends { opener: *opener, answerer: *answerer }),
            _ => None,
        });
        match moved {
            Some(isns) if self.guessed => {
                vec![(*isns.of(self.sample.sender), *isns.of(self.sample.sender.other()))]
            }
            Some(_) => Vec::new(),
            None => self.isns.clone(),
        }
    }
}
