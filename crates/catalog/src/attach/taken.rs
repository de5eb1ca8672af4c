//! What no algorithm that is attached may have, as another one has it.

use std::collections::BTreeMap;

use crate::facts::{self, Facts, FactsError, OtherNames};
use crate::kind::Kind;
use crate::names::{self, Known, Meant};
use crate::{aead, cipher, hash, kind, mac, signature};

/// Names, so that each finds what it found before, numbers in zones, object identifiers.
#[derive(Default)]
pub(super) struct Taken {
    /// The name users type, the one people write, and the others.
    names: Vec<(String, String, OtherNames)>,
    /// Whose they are.
    numbers: BTreeMap<u8, String>,
    /// What key files name algorithms by.
    oids: BTreeMap<String, String>,
}

impl Taken {
    pub(super) fn of_the_catalog() -> Result<Taken, FactsError> {
        let mut taken = Taken::default();
        for facts in facts::read::<kind::Signature>(signature::FACTS)? {
            taken.add_signature(&facts);
        }
        facts::read::<kind::Mac>(mac::FACTS)?.iter().for_each(|facts| taken.add(facts));
        facts::read::<kind::Hash>(hash::FACTS)?.iter().for_each(|facts| taken.add(facts));
        facts::read::<kind::Cipher>(cipher::FACTS)?.iter().for_each(|facts| taken.add(facts));
        facts::read::<kind::Aead>(aead::FACTS)?.iter().for_each(|facts| taken.add(facts));
        Ok(taken)
    }

    fn add<K: Kind>(&mut self, facts: &Facts<K>) {
        self.names.push((facts.name.clone(), facts.title.clone(), facts.names.clone()));
    }

    pub(super) fn add_signature(&mut self, facts: &Facts) {
        self.add(facts);
        self.numbers.extend(numbers(facts).map(|number| (number, facts.name.clone())));
        self.oids.extend(facts.kind.oid.iter().map(|oid| (oid.clone(), facts.name.clone())));
    }

    pub(super) fn refuse(&self, facts: &Facts) -> Result<(), String> {
        let known: Vec<Known<'_>> =
            self.names.iter().map(|(name, title, other)| Known { name, title, other }).collect();
        for name in [&facts.name, &facts.title].into_iter().chain(&facts.names.same) {
            if let Meant::Same(at) = names::meant(name, &known) {
                return Err(format!("“{name}” is {} already; give this one another name", known[at].name));
            }
        }
        let taken = |what: &str, other: &str| {
            Err(format!("{} has {what}, which is that of {other}; give it another, or none", facts.name))
        };
        if let Some((number, other)) = numbers(facts).find_map(|number| self.numbers.get_key_value(&number)) {
            return taken(&format!("DNSSEC's number {number}"), other);
        }
        match facts.kind.oid.as_ref().and_then(|oid| self.oids.get_key_value(oid)) {
            Some((oid, other)) => taken(&format!("the object identifier {oid}"), other),
            None => Ok(()),
        }
    }
}

/// Its numbers in zones, of all tables.
fn numbers(facts: &Facts) -> impl Iterator<Item = u8> {
    facts.kind.dnssec.iter().flat_map(|dnssec| dnssec.code_points.values().copied())
}
