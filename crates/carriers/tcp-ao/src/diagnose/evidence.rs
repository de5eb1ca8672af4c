//! What must hold besides the segments that a finding explains, and the search for numbers that the capture lacks.

use std::net::SocketAddr;

use super::fault::Fault;
use super::recipe::Recipe;
use super::{Hunt, Specimen};
use crate::flows::{Side, is_first_syn};
use crate::pair::SocketPair;
use crate::recover::{Bases, Failing, Search, walk};

/// MACs that are computed for one connection's numbers alone, and together with each other fault.
const ALONE: u64 = 400_000;
const WITH_ANOTHER: u64 = 20_000;

impl Hunt<'_> {
    /// Whether segments that verify speak against these faults: what is said of a connection must hold for all of it,
    /// and what is said of a sender's key for all that it signs with it. Many verify either way: a segment without other
    /// options, say, whatever flag its sender has.
    pub(super) fn is_contradicted(&self, places: &[usize], faults: &[&Fault]) -> bool {
        let explained = || places.iter().filter_map(|place| self.specimens.get(*place));
        self.witnesses.iter().any(|(witness, key)| {
            let mut same = explained().filter(|it| it.sample.connection == witness.sample.connection);
            faults.iter().any(|fault| {
                if fault.is_of_path() {
                    same.clone().next().is_some() && !self.still_verifies(witness, *key, fault)
                } else {
                    let alike = |it: &Specimen<'_>| {
                        it.sample.sender == witness.sample.sender && it.ao.key_id == witness.ao.key_id
                    };
                    fault.is_of_sender() && same.any(alike) && !self.still_verifies(witness, *key, fault)
                }
            })
        })
    }

    fn still_verifies(&self, witness: &Specimen<'_>, key: usize, fault: &Fault) -> bool {
        if let Fault::Isns { opener, answerer, .. } = fault {
            let known = witness.sample.isns;
            return is_first_syn(&witness.packet)
                || (known.opener == Some(*opener) && known.answerer == Some(*answerer));
        }
        let faults = [fault];
        let recipe = self.keys.get(key).and_then(|key| Recipe::new(key, &faults, &self.search.alternatives));
        let Some((recipe, isns)) = recipe.zip(witness.isns.first()) else { return false };
        recipe.fits(&witness.subject(*isns, witness.sample.sne))
    }

    /// Says more precisely what a key under another identifier means. “Exchanged” are two keys only if each direction
    /// has the other's, and nothing verifies with either as it is.
    pub(super) fn precise(&self, fault: &Fault, places: &[usize], keys: &[usize]) -> Fault {
        if *fault != Fault::OtherKeyId {
            return fault.clone();
        }
        let explained = || places.iter().filter_map(|place| self.specimens.get(*place));
        let ids = |id: u8| keys.iter().any(|key| self.keys.get(*key).is_some_and(|key| key.id() == id));
        let witnessed = |key: &usize| self.witnesses.iter().any(|(_, used)| used == key);
        let named: Vec<u8> = explained().map(|it| it.ao.key_id).collect();
        let there = |it: &Specimen<'_>| {
            let pair = SocketPair::of_sender(&it.packet);
            self.keys.iter().any(|key| key.id() == it.ao.key_id && key.is_for(&pair))
        };
        let both = keys.len() > 1 && named.iter().all(|id| ids(*id));
        if both && !keys.iter().any(witnessed) {
            return Fault::Exchanged;
        }
        let of = keys.first().and_then(|key| self.keys.get(*key)).map(crate::verify::Key::id);
        match (explained().next(), of) {
            (Some(first), Some(of)) if explained().all(there) => Fault::SecretOf { id: first.ao.key_id, of },
            _ => Fault::OtherKeyId,
        }
    }

    /// The end that all these segments come from, if its peer's verify.
    pub(super) fn only_from(&self, places: &[usize]) -> Option<SocketAddr> {
        let first = self.specimens.get(*places.first()?)?;
        let (connection, sender) = (first.sample.connection, first.sample.sender);
        let alone = places.iter().all(|place| {
            let sample = self.specimens.get(*place).map(|it| it.sample);
            sample.is_some_and(|sample| (sample.connection, sample.sender) == (connection, sender))
        });
        let of_connection = || {
            let witnesses = self.witnesses.iter().map(|(it, _)| it.sample);
            witnesses.filter(move |sample| sample.connection == connection)
        };
        let peer = of_connection().any(|sample| sample.sender != sender);
        let own = of_connection().any(|sample| sample.sender == sender);
        (alone && peer && !own).then(|| SocketPair::of_sender(&first.packet).local())
    }

    /// Looks for the initial sequence numbers of connections whose beginning was not captured, alone and together with
    /// each other fault of the keys.
    pub(super) fn search_isns(&mut self, faults: &[Fault]) -> Vec<Vec<Fault>> {
        let mut found: Vec<Vec<Fault>> = Vec::new();
        let mut searched = Vec::new();
        for place in self.probes.clone() {
            let Some(specimen) = self.specimens.get(place) else { continue };
            let connection = specimen.sample.connection;
            let explained = self.found.iter().any(|(places, _)| places.contains(&place));
            if !specimen.guessed || searched.contains(&connection) || explained {
                continue;
            }
            searched.push(connection);
            let Some(failing) = Failing::new(specimen.sample) else { continue };
            let bases = Bases::of(&failing, specimen.sample.isns, specimen.sample.lowest);
            let of_keys = faults.iter().filter(|fault| fault.is_of_sender() || **fault == Fault::OtherKeyId);
            for fault in std::iter::once(None).chain(of_keys.map(Some)) {
                if let Some(isns) = self.isns_with(place, fault, bases, &failing) {
                    found.push(fault.into_iter().cloned().chain([isns]).collect());
                    break;
                }
            }
        }
        found
    }

    fn isns_with(
        &mut self,
        place: usize,
        fault: Option<&Fault>,
        bases: Bases,
        failing: &Failing<'_>,
    ) -> Option<Fault> {
        let specimen = self.specimens.get(place)?;
        let pair = SocketPair::of_sender(&specimen.packet);
        let faults: Vec<&Fault> = fault.into_iter().collect();
        let (sender, other) = (specimen.sample.sender, specimen.sample.sender.other());
        let has = |fault: &Fault| faults.contains(&fault);
        let near = self.near.get(place)?;
        let near = if has(&Fault::OtherKeyId) { &near.others } else { &near.named };
        for key in near.iter().filter_map(|index| self.keys.get(*index)) {
            let fits = (key.mac_len() != specimen.ao.mac.len()) == has(&Fault::MacLength);
            let Some(recipe) = fits.then(|| Recipe::new(key, &faults, &self.search.alternatives)).flatten()
            else {
                continue;
            };
            let left = if faults.is_empty() { ALONE } else { WITH_ANOTHER }.min(self.walks);
            let mut search = Search { left, spent: 0 };
            // A short MAC is hit by chance in a search; what is found for one is not worth telling.
            let enough = |_| specimen.ao.mac.len() >= 8;
            let found = walk(&mut search, &recipe.signing(), failing, bases, enough);
            self.walks -= search.spent;
            if let Some(isns) = found {
                let mut ends = crate::flows::Ends::default();
                (*ends.of_mut(sender), *ends.of_mut(other)) = isns;
                let pair = if sender == Side::Opener { pair } else { pair.reversed() };
                return Some(Fault::Isns { pair, opener: ends.opener, answerer: ends.answerer });
            }
        }
        None
    }
}
