//! In which order algorithms stand, which of them are tied, and why others are not ranked.

use std::cmp::Ordering;

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
    /// The algorithms in order with their ranks: of two, the first property of `order` that tells them apart decides. A rank is
    /// one more than those that are ahead, so ranks of those that nothing tells apart overlap: `1–2`, `1–3`, `2–3`. They were
    /// put into groups by who is not behind the first of a group, which separated results of later groups that nothing tells
    /// apart. Those of which nothing is known, or only a result that nobody may be first by, come last.
    pub(crate) fn ranked(&self, mut algorithms: Vec<usize>, order: &[usize]) -> Vec<Accepted> {
        // Of those that nothing tells apart the better number stands first.
        algorithms.sort_by(|a, b| {
            let differ = |at: &usize| self.compared(*a, *b, *at).0.reverse();
            order.iter().map(differ).find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
        });
        let decided = |a: usize, b: usize| {
            order.iter().map(|at| self.compared(a, b, *at)).find(|(_, sure)| *sure).map(|(it, _)| it)
        };
        let count = algorithms.len();
        let of = |it: usize, is: Ordering| {
            algorithms.iter().filter(|other| **other != it && decided(it, **other) == Some(is)).count()
        };
        let mut out: Vec<(usize, Accepted)> = Vec::new();
        for &it in &algorithms {
            let [behind, ahead] = [Ordering::Less, Ordering::Greater].map(|is| of(it, is));
            let (first, last) = (behind + 1, count - ahead);
            let open = algorithms.iter().filter(|other| **other != it && decided(it, **other).is_none());
            let why = open.clone().find_map(|other| self.not_ranked([it, *other], order));
            let place = match (open.count(), why) {
                (0, _) => first.to_string(),
                (_, None) => format!("{first} ="),
                (_, Some(_)) => format!("{first}–{last}"),
            };
            let not_ranked = why.map(str::to_owned);
            out.push((behind, Accepted { algorithm: it, rank: first, place, not_ranked }));
        }
        out.sort_by_key(|(behind, _)| *behind);
        // By several properties three may each be ahead of another: those that the fewest are ahead of are first.
        let least = out.first().map_or(0, |(behind, _)| *behind);
        for (_, accepted) in out.iter_mut().filter(|(behind, _)| *behind == least) {
            accepted.rank = 1;
        }
        out.into_iter().map(|(_, accepted)| accepted).collect()
    }

    /// How one algorithm compares with another by a property, `Greater` where it is better, and whether that is sure.
    fn compared(&self, one: usize, other: usize, at: usize) -> (Ordering, bool) {
        let number = |it: usize| self.study.cell(it, at).and_then(|cell| cell.number);
        let (a, b) = match (self.leading(one, at), self.leading(other, at)) {
            (Some(a), Some(b)) => (a, b),
            (Some(_), None) => return (Ordering::Greater, true),
            (None, Some(_)) => return (Ordering::Less, true),
            // A result that nobody may be first by is still more than none.
            (None, None) => {
                let found = number(one).is_some().cmp(&number(other).is_some());
                return (found, found.is_ne());
            }
        };
        let by_number = a.1.total_cmp(&b.1);
        let order = if self.study.properties[at].least { by_number } else { by_number.reverse() };
        let is_sure = match order {
            Ordering::Greater => self.is_ahead(a, b),
            Ordering::Less => self.is_ahead(b, a),
            Ordering::Equal => false,
        };
        (order, is_sure)
    }

    /// What an algorithm may be first by.
    fn leading(&self, algorithm: usize, at: usize) -> Option<(&Cell, f64)> {
        let cell = self.study.cell(algorithm, at).filter(|it| it.may_lead())?;
        Some((cell, cell.number?))
    }

    fn is_ahead(&self, (better, a): (&Cell, f64), (other, b): (&Cell, f64)) -> bool {
        if !better.timed && !other.timed {
            return a != b;
        }
        let margin = self.matrix.layout.max(other.contended.unwrap_or(0.0));
        Difference::of_interval(ratio(better, other), margin) == Difference::Ahead
    }

    /// Why two that nothing tells apart are not tied; nothing where they are tied by every property.
    fn not_ranked(&self, pair: [usize; 2], order: &[usize]) -> Option<&'static str> {
        if order.is_empty() {
            let usual = self.study.by.iter().filter_map(|id| self.study.at(id));
            let is_timed = |at| pair.iter().any(|it| self.study.cell(*it, at).is_some_and(|it| it.timed));
            return Some(match (self.matrix.unfit, usual.into_iter().any(is_timed)) {
                (true, _) => UNFIT,
                (_, true) => NO_INTERVAL,
                _ => UNMEASURED,
            });
        }
        order.iter().find_map(|&at| {
            let [Some(one), Some(other)] = pair.map(|it| self.leading(it, at)) else {
                return Some(NO_INTERVAL);
            };
            let is_first = self.compared(pair[0], pair[1], at).0.is_ge();
            let (better, other) = if is_first { (one.0, other.0) } else { (other.0, one.0) };
            self.unlike(better, other)
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
