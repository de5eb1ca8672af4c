//! What no algorithm that is attached may have, as another one has it.

use std::collections::{BTreeMap, BTreeSet};

use super::Attach;
use super::signature::{NUMBERS, OF_DNSSEC};
use crate::facts::{self, Facts, FactsError, OtherNames};
use crate::kind::{Aead, Cipher, Hash, Kind, Mac, Signature};
use crate::names::{self, Known, Meant};
use crate::{aead, cipher, hash, mac, signature};

/// Names, so that each finds what it found before, and numbers and identifiers.
#[derive(Default)]
pub(super) struct Taken {
    /// The name users type, the one people write, and the others.
    names: Vec<(String, String, OtherNames)>,
    claims: BTreeMap<(&'static str, String), String>,
    /// The tables that have numbers of DNSSEC.
    tables: BTreeSet<String>,
}

impl Taken {
    /// What the catalog has, and what was attached before.
    pub(super) fn of_all() -> Result<Taken, FactsError> {
        let mut taken = Taken::default();
        let own = facts::read::<Signature>(signature::FACTS)?;
        let tables = own.iter().filter_map(|facts| facts.kind.dnssec.as_ref());
        taken.tables = tables.flat_map(|dnssec| dnssec.code_points.keys().cloned()).collect();
        taken.add_all(own);
        taken.add_all(facts::read::<Mac>(mac::FACTS)?);
        taken.add_all(facts::read::<Hash>(hash::FACTS)?);
        taken.add_all(facts::read::<Cipher>(cipher::FACTS)?);
        facts::read::<Aead>(aead::FACTS)?.iter().for_each(|facts| taken.add_names(facts));
        Ok(taken)
    }

    fn add_all<K: Attach>(&mut self, own: Vec<Facts<K>>) {
        own.iter().for_each(|facts| self.add(facts));
        let attached = K::waiting().attached();
        attached.iter().flatten().for_each(|algorithm| self.add(algorithm.facts));
    }

    fn add_names<K: Kind>(&mut self, facts: &Facts<K>) {
        self.names.push((facts.name.clone(), facts.title.clone(), facts.names.clone()));
    }

    pub(super) fn add<K: Attach>(&mut self, facts: &Facts<K>) {
        self.add_names(facts);
        self.claims.extend(K::claims(&facts.kind).into_iter().map(|claim| (claim, facts.name.clone())));
    }

    pub(super) fn refuse<K: Attach>(&self, facts: &Facts<K>) -> Result<(), String> {
        let known: Vec<Known<'_>> =
            self.names.iter().map(|(name, title, other)| Known { name, title, other }).collect();
        for name in [&facts.name, &facts.title].into_iter().chain(&facts.names.same) {
            if let Meant::Same(at) = names::meant(name, &known) {
                return Err(format!("'{name}' is {} already; give this one another name", known[at].name));
            }
        }
        for table in K::tables(&facts.kind) {
            if !self.tables.contains(table) {
                let known: Vec<&str> = self.tables.iter().map(String::as_str).collect();
                return Err(format!(
                    "'{}': unknown table '{}' of numbers; expected one of {}",
                    facts.name,
                    table.escape_debug(),
                    known.join(", ")
                ));
            }
        }
        for claim in K::claims(&facts.kind) {
            let Some(other) = self.claims.get(&claim) else { continue };
            let (what, which) = claim;
            let free = self.free_number().filter(|_| what == OF_DNSSEC);
            let free = free.map(|number| format!(" ({number} is free)")).unwrap_or_default();
            return Err(format!(
                "'{}': {what} {which} is that of {other}; give it another{free}, or none",
                facts.name
            ));
        }
        Ok(())
    }

    fn free_number(&self) -> Option<u8> {
        NUMBERS.rev().find(|number| !self.claims.contains_key(&(OF_DNSSEC, number.to_string())))
    }
}

/// A private algorithm number of DNSSEC that nothing in the catalog has, for whoever has none.
#[must_use]
pub fn free_number() -> Option<u8> {
    let all = signature::all().iter().flat_map(|it| Signature::claims(&it.facts.kind));
    let used: BTreeSet<String> =
        all.filter(|(what, _)| *what == OF_DNSSEC).map(|(_, number)| number).collect();
    NUMBERS.rev().find(|number| !used.contains(&number.to_string()))
}
