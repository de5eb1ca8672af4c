//! In which order algorithms stand, which of them are tied, and why others are not ranked.

use std::cmp::Ordering;

use crate::difference::{Difference, interval_of_ratio};
use crate::judge::Judge;
use crate::matrix::Cell;
use crate::verdict::Accepted;

/// The rank of those who have none.
pub(crate) const NO_RANK: &str = "–";
/// Why those who share a rank are not tied: the machine.
pub const UNFIT: &str = "this machine was unfit for timing";
/// Nothing was measured.
pub const UNMEASURED: &str = "nothing was measured";
/// Results without an interval.
pub const NO_INTERVAL: &str = "some have no result with an interval; measure longer (--budget)";
/// What others published.
pub const PUBLISHED: &str = "published results have no interval";
/// Not even a result.
pub const UNKNOWN: &str = "no value is known, or it is too large to be used";
/// A contended result.
pub const CONTENDED: &str = "other threads used the processor, which may explain the difference";
/// Results that are close.
pub const CLOSE: &str = "they differ by less than their intervals, or than two builds of the same code";

/// Tied with several that are not tied with each other.
pub const CHAIN: &str = "it is tied with some that are ranked among each other";
/// Two that another property tells apart, but not from a third that the first property puts between them and others.
pub const THIRD: &str = "a third one is too close to one of them";

impl Judge<'_> {
    /// The algorithms in order with their ranks: one more than those that are surely ahead, to as many less as are surely
    /// behind, so that ranks of those that nothing tells apart overlap: `1–2`, `1–3`, `2–3`. Those without a usable result by
    /// the first property have no rank and come last: they were ranked behind all others, and a cipher whose thread had lost
    /// its core in every window stood behind one that takes thirty times as long.
    pub(crate) fn ranked(&self, mut algorithms: Vec<usize>, order: &[usize]) -> Vec<Accepted> {
        // If nobody has a usable result by the first property, the next one would say what nobody asked.
        let leads = |at: &usize| algorithms.iter().any(|it| self.leading(*it, *at).is_some());
        let order = if order.first().is_some_and(leads) { order } else { &[] };
        // Of those that nothing tells apart the better number stands first.
        algorithms.sort_by(|a, b| {
            let differ = |at: &usize| self.compared(*a, *b, *at).0.reverse();
            order.iter().map(differ).find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
        });
        let is_ranked = |it: &usize| order.first().is_none_or(|at| self.leading(*it, *at).is_some());
        let (ranked, others): (Vec<usize>, Vec<usize>) = algorithms.into_iter().partition(is_ranked);
        let ahead = self.ahead(&ranked, order);
        let count = ranked.len();
        let mut out: Vec<Accepted> = Vec::new();
        for (one, &it) in ranked.iter().enumerate() {
            let (above, below) = (ahead.above(one).count(), ahead.below(one).count());
            let mut open = (0..count).filter(|other| ahead.is_open(one, *other));
            let why = open.clone().find_map(|other| self.not_ranked([it, ranked[other]], order));
            // Of three in a row, each tied with its neighbours, the last may be behind the first.
            let is_alike = |other| (ahead.above(other).count(), ahead.below(other).count()) == (above, below);
            let first = open.clone().find(|other| !is_alike(*other));
            let chain = || first.map(|other| (self.first_difference([it, ranked[other]], order), CHAIN));
            let why = why.or_else(chain);
            let place = match (open.next(), why) {
                (None, _) => (above + 1).to_string(),
                (_, None) => format!("{} =", above + 1),
                (_, Some(_)) => format!("{}–{}", above + 1, count - below),
            };
            out.push(Accepted {
                algorithm: it,
                rank: above + 1,
                place,
                not_ranked: why.map(|(_, why)| why.to_owned()),
                left_open_by: why.and_then(|(at, _)| at).map(|at| self.study.properties[at].title.clone()),
            });
        }
        // Whoever is ahead of another has fewer ahead of it.
        out.sort_by_key(|it| it.rank);
        let last = |it| Accepted {
            algorithm: it,
            rank: count + 1,
            place: NO_RANK.to_owned(),
            not_ranked: order.first().map(|at| self.unusable(it, *at).to_owned()),
            left_open_by: order.first().map(|at| self.study.properties[*at].title.clone()),
        };
        out.extend(others.into_iter().map(last));
        out
    }

    /// Who is surely ahead of whom. Of two that the first property does not tell apart the next one decides under two conditions.
    /// The first puts neither of them in front by way of a third: whoever is ahead of the one is ahead of the other, too, and the
    /// other way round for those behind. Without that A was ahead of B, B of C and C of A, everybody had somebody ahead, and an
    /// algorithm stood behind one that takes three times as long. And both results are [plain](Self::is_plain): by contended ones
    /// an order was sure next to a busy neighbour that was the other way round, and sure, on an idle machine.
    fn ahead(&self, algorithms: &[usize], order: &[usize]) -> Ahead {
        let mut ahead = Ahead(vec![vec![false; algorithms.len()]; algorithms.len()]);
        for (place, &at) in order.iter().enumerate() {
            let before = Ahead(ahead.0.clone());
            let are_plain =
                |a, b| order[..place].iter().all(|at| self.is_plain(a, *at) && self.is_plain(b, *at));
            for (one, &a) in algorithms.iter().enumerate() {
                for (other, &b) in algorithms.iter().enumerate() {
                    let is_better =
                        are_plain(a, b) && before.is_open(one, other) && before.may_lead(one, other);
                    ahead.0[one][other] |= is_better && self.compared(a, b, at) == (Ordering::Greater, true);
                }
            }
        }
        ahead
    }

    /// How one algorithm compares with another by a property, `Greater` where it is better, and whether that is sure.
    fn compared(&self, one: usize, other: usize, at: usize) -> (Ordering, bool) {
        let number = |it: usize| self.study.cell(it, at).and_then(|cell| cell.number);
        let (a, b) = match (self.leading(one, at), self.leading(other, at)) {
            (Some(a), Some(b)) => (a, b),
            // A result that nobody may be ranked by is still more than none.
            (None, None) => return (number(one).is_some().cmp(&number(other).is_some()), false),
            (a, b) => return (a.is_some().cmp(&b.is_some()), false),
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

    /// Whether a result is neither contended nor without an interval, nor one that nobody may be ranked by; what others
    /// published, or nobody knows, is in nobody's way.
    fn is_plain(&self, algorithm: usize, at: usize) -> bool {
        let is_plain = |it: &Cell| it.may_lead() && !it.rough && it.width.is_some() && it.contended.is_none();
        self.study.cell(algorithm, at).is_none_or(|it| it.number.is_none() || !it.timed || is_plain(it))
    }

    /// Why somebody may not be ranked by a property.
    fn unusable(&self, algorithm: usize, at: usize) -> &'static str {
        match self.study.cell(algorithm, at) {
            Some(cell) if cell.number.is_some() => NO_INTERVAL,
            _ => UNKNOWN,
        }
    }

    fn is_ahead(&self, (better, a): (&Cell, f64), (other, b): (&Cell, f64)) -> bool {
        if better.is_exact() && other.is_exact() {
            return a != b;
        }
        // What others published is of another machine.
        if better.timed != other.timed {
            return false;
        }
        let margin = self.matrix.layout.max(other.contended.unwrap_or(0.0));
        Difference::of_interval(ratio(better, other), margin) == Difference::Ahead
    }

    /// Why two that nothing tells apart are not tied, and the property that leaves them open; nothing where they are tied by
    /// every property.
    fn not_ranked(&self, pair: [usize; 2], order: &[usize]) -> Option<(Option<usize>, &'static str)> {
        if order.is_empty() {
            let usual = self.study.by.iter().filter_map(|id| self.study.at(id));
            let is_timed = |at| pair.iter().any(|it| self.study.cell(*it, at).is_some_and(|it| it.timed));
            let why = match (self.matrix.unfit, usual.into_iter().any(is_timed)) {
                (true, _) => UNFIT,
                (_, true) => NO_INTERVAL,
                _ => UNMEASURED,
            };
            return Some((None, why));
        }
        let told_apart = order.iter().position(|at| self.compared(pair[0], pair[1], *at).1);
        let before = &order[..told_apart.unwrap_or(order.len())];
        let open =
            before.iter().find_map(|at| Some((Some(*at), self.open(pair, *at, told_apart.is_some())?)));
        open.or_else(|| told_apart.map(|_| (self.first_difference(pair, before), THIRD)))
    }

    /// The first property by which two are not the same.
    fn first_difference(&self, [one, other]: [usize; 2], order: &[usize]) -> Option<usize> {
        let is_same = |at: usize| match [one, other].map(|it| self.leading(it, at)) {
            [Some((a, _)), Some((b, _))] => a.is_exact() && b.is_exact() && a.number == b.number,
            _ => false,
        };
        order.iter().copied().find(|at| !is_same(*at)).or(order.first().copied())
    }

    /// Why a property does not tell two apart that are not tied by it. Where a later one would, only what keeps it from
    /// deciding counts.
    fn open(&self, pair: [usize; 2], at: usize, is_told_later: bool) -> Option<&'static str> {
        let [Some((one, _)), Some((other, _))] = pair.map(|it| self.leading(it, at)) else {
            let unusable = pair.iter().find(|it| self.leading(**it, at).is_none())?;
            return Some(self.unusable(*unusable, at));
        };
        let is_first = self.compared(pair[0], pair[1], at).0.is_ge();
        let unlike = if is_first { self.unlike(one, other) } else { self.unlike(other, one) };
        let open = pair.iter().find(|it| is_told_later && !self.is_plain(**it, at));
        match (unlike, open) {
            (Some(CLOSE) | None, None) if is_told_later => None,
            (Some(CLOSE) | None, Some(open)) => {
                let is_contended = self.study.cell(*open, at).is_some_and(|it| it.contended.is_some());
                Some(if is_contended { CONTENDED } else { NO_INTERVAL })
            }
            (why, _) => why,
        }
    }

    /// Why the better of two is not tied with the other; nothing where it is.
    fn unlike(&self, better: &Cell, other: &Cell) -> Option<&'static str> {
        if better.is_exact() && other.is_exact() {
            return None;
        }
        match Difference::of_interval(ratio(better, other), self.matrix.layout) {
            Difference::NoChange => None,
            _ if !better.timed || !other.timed => Some(PUBLISHED),
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

/// Who is ahead of whom, by place in a list: a strict partial order.
struct Ahead(Vec<Vec<bool>>);

impl Ahead {
    fn above(&self, one: usize) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(move |other| self.0[*other][one])
    }

    fn below(&self, one: usize) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(move |other| self.0[one][*other])
    }

    fn is_open(&self, one: usize, other: usize) -> bool {
        one != other && !self.0[one][other] && !self.0[other][one]
    }

    /// Whether everybody above the one is above the other, and everybody below the other is below the one.
    fn may_lead(&self, one: usize, other: usize) -> bool {
        self.above(one).all(|it| self.0[it][other]) && self.below(other).all(|it| self.0[one][it])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Algorithm, Matrix, Property, Study};

    const COUNT: usize = 9;

    /// Three properties: times with wide intervals, of which some are contended or missing, and two that were counted.
    fn matrix(mut seed: u64) -> Matrix {
        let mut below = move |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        };
        let mut algorithm = |at: usize| {
            let time = Cell {
                number: Some(1.1_f64.powi(below(12) as i32)),
                timed: true,
                unranked: below(9) == 0,
                contended: (below(4) == 0).then(|| below(10) as f64 / 10.0),
                width: (below(8) != 0).then(|| below(20) as f64 / 100.0),
                ..Cell::default()
            };
            let counted = [below(4), below(4)].map(|it| Cell { number: Some(it as f64), ..Cell::default() });
            let [second, third] = counted.map(|it| (below(6) != 0).then_some(it));
            Algorithm { name: at.to_string(), has: vec![Some(time), second, third], ..Algorithm::default() }
        };
        let algorithms = (0..COUNT).map(&mut algorithm).collect();
        let properties =
            (0..3).map(|_| Property { ranks: true, known: true, ..Property::default() }).collect();
        let study = Study { algorithms, properties, ..Study::default() };
        Matrix { layout: 0.02, studies: vec![study], ..Matrix::default() }
    }

    #[test]
    fn the_order_is_one_and_never_against_the_first_property() {
        for seed in 0..2_000 {
            let matrix = matrix(seed);
            let judge = Judge { matrix: &matrix, study: &matrix.studies[0], replaced: None };
            let all: Vec<usize> = (0..COUNT).filter(|it| judge.leading(*it, 0).is_some()).collect();
            let Ahead(ahead) = judge.ahead(&all, &[0, 1, 2]);
            for (a, one) in all.iter().enumerate() {
                for (b, other) in all.iter().enumerate() {
                    let is_first = judge.compared(*one, *other, 0) == (Ordering::Greater, true);
                    assert!(!is_first || ahead[a][b], "{seed}: {one} {other}");
                    assert!(!(ahead[a][b] && ahead[b][a]), "{seed}: {one} {other}");
                    let through = (0..all.len()).any(|it| ahead[a][it] && ahead[it][b]);
                    assert!(!through || ahead[a][b], "{seed}: {one} {other}");
                }
            }
            let places = |all: Vec<usize>| -> Vec<(usize, String)> {
                let mut places: Vec<_> =
                    judge.ranked(all, &[0, 1, 2]).into_iter().map(|it| (it.algorithm, it.place)).collect();
                places.sort();
                places
            };
            assert_eq!(places((0..COUNT).collect()), places((0..COUNT).rev().collect()), "{seed}");
        }
    }
}
