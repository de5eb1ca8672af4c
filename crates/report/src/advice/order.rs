//! In which order survivors stand, which of them are tied, and why others are not ranked.

use serde::Serialize;

use super::Decision;
use super::constraint::Request;
use super::property::{Demand, Held, Property};
use crate::Error;
use crate::difference::Difference;
use crate::report::{Report, UNFIT};
use crate::result::{is_comparable, is_contended, is_timed, margin};

impl Decision {
    /// By what survivors are put in order. Time tells nothing of a unfit machine.
    pub(super) fn order(&self, report: &Report, request: &Request) -> Result<Vec<Property>, Error> {
        let typed = request.by.as_deref();
        let ids = typed.into_iter().chain(self.by.iter().copied().filter(|id| typed != Some(*id)));
        let mut order = Vec::new();
        for id in ids {
            let property = self.property(id).ok_or_else(|| self.unknown(&format!("--by {id}")))?;
            if property.unit().is_none() {
                return Err(Error::Constraint {
                    what: format!("--by {id}"),
                    remedy: "ranking needs numbers, but these are words".to_owned(),
                });
            }
            order.push(property);
        }
        order.retain(|property| {
            let all = report.measured().into_iter().filter_map(|name| (property.of)(report, name));
            let mut leading = all.filter(may_lead).peekable();
            let is_timed = leading.peek().and_then(Held::record).is_some_and(is_timed);
            leading.peek().is_some() && !(is_timed && is_unfit(report))
        });
        Ok(order)
    }
}

/// Whether somebody may be first by that.
pub(super) fn may_lead(held: &Held) -> bool {
    held.number().is_some() && held.record().is_none_or(is_comparable)
}

/// Whether something was timed on a machine that was unfit for it.
pub(super) fn is_unfit(report: &Report) -> bool {
    report.runs().iter().any(|run| run.verdict == UNFIT) && report.records().iter().any(|it| it.samples > 0)
}

#[derive(Debug, Clone)]
pub(super) struct Placed<'n> {
    pub(super) name: &'n str,
    /// From 1, shared by those that are tied or not ranked among each other.
    pub(super) rank: usize,
    sharing: usize,
    /// Why it is not ranked among them; nothing where they are tied.
    pub(super) not_ranked: Option<String>,
}

impl Placed<'_> {
    /// The rank as it is shown: `1`, `1 =` of those that are tied, `1–3` of those that are not ranked.
    pub(super) fn shown(&self) -> String {
        match (self.sharing, &self.not_ranked) {
            (..=1, _) => self.rank.to_string(),
            (_, None) => format!("{} =", self.rank),
            (sharing, Some(_)) => format!("{}–{}", self.rank, self.rank + sharing - 1),
        }
    }
}

impl Decision {
    /// The algorithms in order with their ranks: by the first property, and those that it does not rank by the next. Those
    /// of which nothing is known, or only a result that nobody may be first by, come last.
    pub(super) fn ranked<'n>(
        &self,
        report: &Report,
        algorithms: Vec<&'n str>,
        order: &[Property],
    ) -> Vec<Placed<'n>> {
        let mut out: Vec<Placed<'n>> = Vec::new();
        for group in grouped(report, algorithms, order) {
            let rank = out.len() + 1;
            let not_ranked = if group.len() > 1 { self.not_ranked(report, &group, order) } else { None };
            let sharing = group.len();
            let place = |name| Placed { name, rank, sharing, not_ranked: not_ranked.clone() };
            out.extend(group.into_iter().map(place));
        }
        out
    }

    /// Why these share a rank without being tied; nothing where they are tied by every property.
    fn not_ranked(&self, report: &Report, group: &[&str], order: &[Property]) -> Option<String> {
        if order.is_empty() {
            let timed = |it: &Property| {
                group
                    .iter()
                    .any(|name| (it.of)(report, name).is_some_and(|it| it.record().is_some_and(is_timed)))
            };
            let is_timed = self.by.iter().filter_map(|id| self.property(id)).any(|property| timed(&property));
            let why = match (is_unfit(report), is_timed) {
                (true, _) => WHY.unfit,
                (_, true) => WHY.interval,
                _ => WHY.unmeasured,
            };
            return Some(why.to_owned());
        }
        order.iter().find_map(|property| {
            let held: Vec<Option<Held>> =
                group.iter().map(|name| (property.of)(report, name).filter(may_lead)).collect();
            let [Some(first), others @ ..] = held.as_slice() else { return Some(WHY.interval.to_owned()) };
            others.iter().find_map(|other| {
                other
                    .as_ref()
                    .map_or(Some(WHY.interval), |other| unlike(report, first, other))
                    .map(str::to_owned)
            })
        })
    }
}

/// Why algorithms that share a rank are not tied.
#[derive(Serialize)]
pub(super) struct Why {
    pub(super) unfit: &'static str,
    pub(super) unmeasured: &'static str,
    pub(super) interval: &'static str,
    pub(super) contended: &'static str,
    pub(super) close: &'static str,
}

pub(super) const WHY: Why = Why {
    unfit: "this machine was unfit for timing",
    unmeasured: "nothing was measured",
    interval: "some have no result with an interval; measure longer (--budget)",
    contended: "another thread used the core (◫), which may explain the difference",
    close: "they differ by less than their intervals and the code layout allow",
};

/// Why the better of two is not tied with the other; nothing where it is.
fn unlike(report: &Report, better: &Held, other: &Held) -> Option<&'static str> {
    match (better.record(), other.record()) {
        (Some(better), Some(other)) if is_timed(better) || is_timed(other) => {
            match Difference::between(better, other, report.layout()) {
                Difference::NoChange => None,
                _ if is_contended(other) => Some(WHY.contended),
                _ if better.interval.is_none() || other.interval.is_none() => Some(WHY.interval),
                _ => Some(WHY.close),
            }
        }
        _ => None,
    }
}

/// Those that the properties do not rank among each other together, the best first.
fn grouped<'n>(report: &Report, algorithms: Vec<&'n str>, order: &[Property]) -> Vec<Vec<&'n str>> {
    if algorithms.is_empty() {
        return Vec::new();
    }
    let Some((property, others)) = order.split_first() else { return vec![algorithms] };
    let mut known: Vec<(&str, Held, f64)> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for name in algorithms {
        let held = (property.of)(report, name);
        match held.as_ref().filter(|held| may_lead(held)).and_then(Held::number) {
            Some(number) => known.extend(held.map(|held| (name, held, number))),
            None => unknown.push(name),
        }
    }
    let more_is_better = matches!(property.demand, Demand::AtLeast(_));
    known.sort_by(|(_, _, a), (_, _, b)| if more_is_better { b.total_cmp(a) } else { a.total_cmp(b) });
    let mut groups: Vec<Vec<(&str, Held, f64)>> = Vec::new();
    for it in known {
        match groups.last_mut().filter(|group| !is_ahead(report, &group[0], &it)) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    let names = |group: Vec<(&'n str, Held, f64)>| group.into_iter().map(|(name, ..)| name).collect();
    let groups = groups.into_iter().map(names).chain([unknown]);
    groups.flat_map(|group| grouped(report, group, others)).collect()
}

fn is_ahead(report: &Report, better: &(&str, Held, f64), other: &(&str, Held, f64)) -> bool {
    match (better.1.record(), other.1.record()) {
        (Some(better), Some(other)) if is_timed(better) || is_timed(other) => {
            Difference::between(better, other, margin(other, report.layout())) == Difference::Ahead
        }
        _ => better.2 != other.2,
    }
}
