//! Whom giving up as little as possible would let in.

use crate::constraint::Constraint;
use crate::judge::Judge;
use crate::matrix::{AUTHENTICATES, POST_QUANTUM, PROTECTS, STRENGTH, WARNINGS};
use crate::verdict::{Alternative, Nearest};

/// What nobody would choose for want of something better.
pub(crate) const UNTHINKABLE: [&str; 3] = ["broken", "withdrawn", "superseded"];

/// An algorithm, and the constraints that it does not meet.
pub(crate) type Lacking<'v> = (usize, Vec<&'v Constraint>);

impl Judge<'_> {
    /// The best of each set of algorithms that lack the same, where nobody lacks a part of that only.
    /// What was typed is given up last.
    pub(crate) fn alternatives(
        &self,
        unfit: &[Lacking<'_>],
        order: &[usize],
        typed: &[(String, String)],
    ) -> Vec<Alternative> {
        // Who asks for an algorithm of today has it with the warning that quantum computers give it.
        let is_of_today = typed.iter().any(|(id, value)| id == POST_QUANTUM && value == "no");
        // Nobody gives up safety, and what a carrier cannot hold no wish can change.
        let is_thinkable = |algorithm: usize, lack: &Constraint| {
            let Some(cell) = self.study.cell(algorithm, lack.property) else { return false };
            let id = self.study.properties[lack.property].id.as_str();
            let is_safety = (id == WARNINGS && !is_of_today)
                || id == PROTECTS
                || (self.replaced.is_some() && [STRENGTH, AUTHENTICATES].contains(&id));
            let is_unthinkable = |word: &String| UNTHINKABLE.contains(&word.as_str());
            let never = cell.is_refused() || cell.words().iter().any(is_unthinkable);
            !(never || is_safety && (cell.number.is_some() || [PROTECTS, AUTHENTICATES].contains(&id)))
        };
        let mut sets: Vec<(Vec<String>, &[&Constraint], Vec<usize>)> = Vec::new();
        for (algorithm, lacks) in unfit {
            if !lacks.iter().all(|lack| is_thinkable(*algorithm, lack)) {
                continue;
            }
            let properties: Vec<String> = lacks.iter().map(|lack| lack.id.clone()).collect();
            match sets.iter_mut().find(|(known, ..)| *known == properties) {
                Some((.., members)) => members.push(*algorithm),
                None => sets.push((properties, lacks, vec![*algorithm])),
            }
        }
        let is_least = |set: &[String]| {
            !sets.iter().any(|(other, ..)| other.len() < set.len() && other.iter().all(|at| set.contains(at)))
        };
        let name = |it: usize| self.study.algorithms[it].name.clone();
        let least = sets.iter().filter(|(set, ..)| is_least(set));
        let mut found: Vec<Alternative> = least
            .map(|(set, lacks, members)| {
                let (members, usual) = self.falling_back(lacks, members);
                let ranked = self.ranked(members.clone(), order);
                let first = ranked.first().map(|it| it.algorithm);
                let is_size = |lack: &&&Constraint| self.study.properties[lack.property].is_size();
                let missed = |lack: &&Constraint| {
                    let cell = self.study.cell(first?, lack.property);
                    Some(self.study.properties[lack.property].missed(lack, cell))
                };
                Alternative {
                    without: lacks.iter().map(|lack| lack.text.clone()).collect(),
                    usual,
                    properties: set.clone(),
                    algorithms: ranked
                        .iter()
                        .filter(|it| it.rank == 1)
                        .map(|it| name(it.algorithm))
                        .collect(),
                    facts: first.map_or(Vec::new(), |it| self.study.algorithms[it].facts.clone()),
                    misses: lacks.iter().filter(is_size).filter_map(missed).collect(),
                    nearest: if let [lack] = lacks { self.nearest(&members, lack) } else { None },
                }
            })
            .collect();
        let is_typed = |id: &&String| typed.iter().any(|(known, _)| known == *id);
        found.sort_by_key(|it| (it.properties.iter().filter(is_typed).count(), it.properties.len()));
        found
    }

    /// Whoever gives up what was typed keeps as many of its words as somebody meets, or comes back to what is usual: a hash
    /// function that no host takes is still one of Git's. Those who do, and it in words.
    fn falling_back(&self, lacks: &[&Constraint], members: &[usize]) -> (Vec<usize>, Vec<String>) {
        let (mut members, mut texts) = (members.to_vec(), Vec::new());
        for lack in lacks {
            let property = &self.study.properties[lack.property];
            let met_by = |it: &usize| property.met(lack, self.study.cell(*it, lack.property));
            let most = members.iter().map(met_by).max_by_key(Vec::len).filter(|met| !met.is_empty());
            if let Some(most) = most {
                members.retain(|it| met_by(it) == most);
                texts.push(property.asked(&most));
                continue;
            }
            let usual = self.study.usual.iter().find(|(id, _)| *id == lack.id);
            let Some(usual) = usual.and_then(|(_, value)| property.read(lack.property, value).ok()?) else {
                continue;
            };
            let meets = |it: &usize| property.suffices(&usual, self.study.cell(*it, lack.property));
            let met: Vec<usize> = members.iter().copied().filter(meets).collect();
            if !met.is_empty() {
                members = met;
                texts.push(usual.text);
            }
        }
        (members, texts)
    }

    /// Who comes nearest to a size or a category, of algorithms that lack nothing else; the first of several that are as near.
    fn nearest(&self, alike: &[usize], lack: &Constraint) -> Option<Nearest> {
        let property = &self.study.properties[lack.property];
        let is_exact =
            property.is_size() || property.is_category() || property.unit.as_deref() == Some("bits");
        let bound = lack.bound.filter(|_| is_exact)?;
        let off = |it: &usize| {
            let cell = self.study.cell(*it, lack.property)?;
            Some((*it, cell, (cell.number? - bound).abs()))
        };
        let (algorithm, cell, off) = alike.iter().filter_map(off).min_by(|a, b| a.2.total_cmp(&b.2))?;
        let text = match property.is_category() {
            true => format!("{} {} instead of {}", property.title, cell.text, property.write(bound)),
            false => format!("{} too {}", property.write(off), if property.least { "few" } else { "many" }),
        };
        let algorithm = self.study.algorithms[algorithm].name.clone();
        Some(Nearest { algorithm, property: lack.id.clone(), has: cell.text.clone(), off, text })
    }
}
