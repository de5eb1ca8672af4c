//! Whom giving up as little as possible would let in.

use super::judge::{Alternative, Lack};
use super::order::ranked;
use super::property::{Property, Value};
use super::{Decision, STRENGTH, WARNINGS};
use crate::report::Report;

/// What nobody would choose for want of something better.
pub(super) const UNTHINKABLE: [&str; 3] = ["broken", "withdrawn", "superseded"];

/// What some algorithms lack alike: the properties, who they are, and the constraints in words.
type Alike<'n> = (Vec<&'static str>, Vec<&'n str>, Vec<String>);

impl Decision {
    /// The best of each set of algorithms that lack the same, where nobody lacks a part of that only.
    pub(super) fn alternatives(
        &self,
        report: &Report,
        unfit: &[(&str, Vec<Lack<'_>>)],
        order: &[Property],
        replacing: bool,
    ) -> Vec<Alternative> {
        let ids = |lacks: &[Lack<'_>]| -> Vec<&'static str> {
            lacks.iter().map(|(constraint, _)| constraint.property.id).collect()
        };
        // Nobody gives up safety, and what a carrier cannot hold no wish can change.
        let is_thinkable = |lacks: &[Lack<'_>]| {
            lacks.iter().all(|(constraint, held)| match held.as_ref().map(|held| &held.value) {
                None | Some(Value::Refused(_)) => false,
                Some(Value::Words(words)) => !words.iter().any(|word| UNTHINKABLE.contains(&word.as_str())),
                Some(Value::Number(_)) => {
                    let id = constraint.property.id;
                    id != WARNINGS.id && !(replacing && id == STRENGTH.id)
                }
            })
        };
        let mut sets: Vec<Alike<'_>> = Vec::new();
        for (algorithm, lacks) in unfit.iter().filter(|(_, lacks)| is_thinkable(lacks)) {
            let lacking = ids(lacks);
            match sets.iter_mut().find(|(set, ..)| *set == lacking) {
                Some((_, members, _)) => members.push(algorithm),
                None => {
                    let words = lacks.iter().map(|(constraint, _)| constraint.in_words()).collect();
                    sets.push((lacking, vec![algorithm], words));
                }
            }
        }
        let is_least = |set: &[&str]| {
            !sets.iter().any(|(other, ..)| other.len() < set.len() && other.iter().all(|id| set.contains(id)))
        };
        let least = sets.iter().filter(|(set, ..)| is_least(set));
        let mut found: Vec<Alternative> = least
            .map(|(set, members, words)| {
                let ranked = ranked(report, members.clone(), order);
                let first = ranked.iter().filter(|(rank, _)| *rank == 1);
                Alternative {
                    without: words.clone(),
                    properties: set.clone(),
                    algorithms: first.map(|(_, name)| (*name).to_owned()).collect(),
                    told: ranked.first().map(|(_, name)| (self.told)(report, name)).unwrap_or_default(),
                }
            })
            .collect();
        found.sort_by_key(|it| it.properties.len());
        found
    }
}
