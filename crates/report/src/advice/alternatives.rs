//! Whom giving up as little as possible would let in.

use super::constraint::SIZE;
use super::judge::{Alternative, Lack, Nearest};
use super::property::{Demand, Held, Property, Value};
use super::{Decision, STRENGTH, WARNINGS, Wanted};
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
                let ranked = self.ranked(report, members.clone(), order);
                let first = ranked.iter().filter(|it| it.rank == 1);
                Alternative {
                    without: words.clone(),
                    properties: set.clone(),
                    algorithms: first.map(|it| it.name.to_owned()).collect(),
                    told: ranked.first().map(|it| self.said(report, it.name)).unwrap_or_default(),
                    nearest: nearest(unfit.iter().filter(|(name, _)| members.contains(name))),
                }
            })
            .collect();
        found.sort_by_key(|it| it.properties.len());
        found
    }
}

/// Who comes nearest to a size, of algorithms that lack nothing else; the first of several that are as near.
fn nearest<'a>(alike: impl Iterator<Item = &'a (&'a str, Vec<Lack<'a>>)>) -> Option<Nearest> {
    let off = |(name, lacks): &'a (&'a str, Vec<Lack<'a>>)| {
        let [(constraint, Some(held))] = lacks.as_slice() else { return None };
        let Wanted::Number(bound) = constraint.wanted else { return None };
        let is_size = constraint.property.unit() == Some(SIZE);
        Some((*name, constraint.property, held, (held.number()? - bound).abs())).filter(|_| is_size)
    };
    let all: Vec<(&str, Property, &Held, f64)> = alike.filter_map(off).collect();
    let (name, property, held, off) = all.into_iter().min_by(|a, b| a.3.total_cmp(&b.3))?;
    let much = if matches!(property.demand, Demand::AtLeast(_)) { "few" } else { "many" };
    Some(Nearest {
        algorithm: name.to_owned(),
        property: property.id,
        has: property.write(held),
        off,
        text: format!("{} too {much}", property.write_bound(off)),
    })
}
