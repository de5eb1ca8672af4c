//! In which order algorithms stand, which of them are tied, and why others are not ranked.

use crate::difference::{Difference, interval_of_ratio};
use crate::judge::Judge;
use crate::matrix::Cell;
use crate::verdict::Accepted;

/// Why those who share a rank are not tied: the machine.
pub const UNFIT: &str = "this machine was unfit for timing";
/// Nothing was measured.
pub const UNMEASURED: &str = "nothing was measured";
/// Results without an interval.
pub const NO_INTERVAL: &str = "some have no result with an interval; measure longer (--budget)";
/// A contended result.
pub const CONTENDED: &str = "another thread used the core, which may explain the difference";
/// Results that are close.
pub const CLOSE: &str = "they differ by less than their intervals, or than two builds of the same code";

impl Judge<'_> {
    /// The algorithms in order with their ranks: by the first property of `order`, and those that it does not rank by the next.
    /// Those of which nothing is known, or only a result that nobody may be first by, come last.
    pub(crate) fn ranked(&self, algorithms: Vec<usize>, order: &[usize]) -> Vec<Accepted> {
        let mut out: Vec<Accepted> = Vec::new();
        for group in self.grouped(algorithms, order) {
            let (rank, sharing) = (out.len() + 1, group.len());
            let not_ranked = if sharing > 1 { self.not_ranked(&group, order) } else { None };
            let place = match (sharing, not_ranked) {
                (1, _) => rank.to_string(),
                (_, None) => format!("{rank} ="),
                (_, Some(_)) => format!("{rank}–{}", rank + sharing - 1),
            };
            out.extend(group.into_iter().map(|algorithm| Accepted {
                algorithm,
                rank,
                place: place.clone(),
                not_ranked: not_ranked.map(str::to_owned),
            }));
        }
        out
    }

    /// What an algorithm may be first by.
    fn leading(&self, algorithm: usize, at: usize) -> Option<(&Cell, f64)> {
        let cell = self.study.cell(algorithm, at).filter(|it| it.may_lead())?;
        Some((cell, cell.number?))
    }

    /// Those that the properties do not rank among each other together, the best first.
    fn grouped(&self, algorithms: Vec<usize>, order: &[usize]) -> Vec<Vec<usize>> {
        if algorithms.is_empty() {
            return Vec::new();
        }
        let Some((&at, others)) = order.split_first() else { return vec![algorithms] };
        let (mut known, unknown): (Vec<usize>, Vec<usize>) =
            algorithms.into_iter().partition(|it| self.leading(*it, at).is_some());
        let number = |it: usize| self.leading(it, at).map_or(f64::NAN, |(_, number)| number);
        let least = self.study.properties[at].least;
        known.sort_by(|a, b| {
            let (a, b) = if least { (b, a) } else { (a, b) };
            number(*a).total_cmp(&number(*b))
        });
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for it in known {
            match groups.last_mut().filter(|group| !self.is_ahead(group[0], it, at)) {
                Some(group) => group.push(it),
                None => groups.push(vec![it]),
            }
        }
        groups.into_iter().chain([unknown]).flat_map(|group| self.grouped(group, others)).collect()
    }

    fn is_ahead(&self, better: usize, other: usize, at: usize) -> bool {
        let (Some((better, a)), Some((other, b))) = (self.leading(better, at), self.leading(other, at))
        else {
            return false;
        };
        if !better.timed && !other.timed {
            return a != b;
        }
        let margin = self.matrix.layout.max(other.contended.unwrap_or(0.0));
        Difference::of_interval(ratio(better, other), margin) == Difference::Ahead
    }

    /// Why these share a rank without being tied; nothing where they are tied by every property.
    fn not_ranked(&self, group: &[usize], order: &[usize]) -> Option<&'static str> {
        if order.is_empty() {
            let usual = self.study.by.iter().filter_map(|id| self.study.at(id));
            let is_timed = |at| group.iter().any(|it| self.study.cell(*it, at).is_some_and(|it| it.timed));
            return Some(match (self.matrix.unfit, usual.into_iter().any(is_timed)) {
                (true, _) => UNFIT,
                (_, true) => NO_INTERVAL,
                _ => UNMEASURED,
            });
        }
        order.iter().find_map(|&at| {
            let mut cells = group.iter().map(|it| self.leading(*it, at));
            let Some(Some((first, _))) = cells.next() else { return Some(NO_INTERVAL) };
            cells.find_map(|other| other.map_or(Some(NO_INTERVAL), |(other, _)| self.unlike(first, other)))
        })
    }

    /// Why the better of two is not tied with the other; nothing where it is.
    fn unlike(&self, better: &Cell, other: &Cell) -> Option<&'static str> {
        if !better.timed && !other.timed {
            return None;
        }
        match Difference::of_interval(ratio(better, other), self.matrix.layout) {
            Difference::NoChange => None,
            _ if other.contended.is_some() => Some(CONTENDED),
            _ if [better, other].iter().any(|it| it.rough || it.width.is_none()) => Some(NO_INTERVAL),
            _ => Some(CLOSE),
        }
    }
}

/// How many times the better result the other is.
fn ratio(better: &Cell, other: &Cell) -> Option<[f64; 2]> {
    let of = |it: &Cell| (it.result.or(it.number).unwrap_or(f64::NAN), it.width);
    interval_of_ratio(of(other), of(better))
}
