//! In which order survivors stand, and which of them cannot be told apart.

use super::Decision;
use super::constraint::Request;
use super::property::{Demand, Held, Property};
use crate::Error;
use crate::difference::Difference;
use crate::figure::{NEIGHBOUR, is_comparable, is_of_shared_core, is_timed};
use crate::report::{HOPELESS, Report};

impl Decision {
    /// By what survivors are put in order. Time tells nothing of a hopeless machine.
    pub(super) fn order(&self, report: &Report, request: &Request) -> Result<Vec<Property>, Error> {
        let typed = request.by.as_deref();
        let ids = typed.into_iter().chain(self.by.iter().copied().filter(|id| typed != Some(*id)));
        let mut order = Vec::new();
        for id in ids {
            let property = self.property(id).ok_or_else(|| self.unknown(&format!("--by {id}")))?;
            if property.unit().is_none() {
                return Err(Error::Constraint {
                    what: format!("--by {id}"),
                    remedy: "an order takes figures, and these are words".to_owned(),
                });
            }
            order.push(property);
        }
        order.retain(|property| {
            let all = report.measured().into_iter().filter_map(|name| (property.of)(report, name));
            let mut leading = all.filter(may_lead).peekable();
            let is_timed = leading.peek().and_then(Held::record).is_some_and(is_timed);
            leading.peek().is_some() && !(is_timed && is_hopeless(report))
        });
        Ok(order)
    }
}

/// Whether somebody may be first by that.
pub(super) fn may_lead(held: &Held) -> bool {
    held.number().is_some() && held.record().is_none_or(is_comparable)
}

/// By how much more than their intervals two figures have to differ: of cores that others used, each may be off by what a
/// neighbour takes.
pub(super) fn margin(of_shared_core: bool, layout: f64) -> f64 {
    if of_shared_core { NEIGHBOUR * NEIGHBOUR - 1.0 } else { layout }
}

/// Whether something was timed on a machine that was unfit for it.
pub(super) fn is_hopeless(report: &Report) -> bool {
    report.runs().iter().any(|run| run.verdict == HOPELESS)
        && report.records().iter().any(|it| it.samples > 0)
}

/// The algorithms in order with their ranks: by the first property, and those that it cannot tell apart by the next. Those
/// of which nothing is known, or only a figure that nobody may be first by, come last.
pub(super) fn ranked<'n>(
    report: &Report,
    algorithms: Vec<&'n str>,
    order: &[Property],
) -> Vec<(usize, &'n str)> {
    let Some((property, others)) = order.split_first() else {
        return algorithms.into_iter().map(|name| (1, name)).collect();
    };
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
        match groups.last_mut().filter(|group| is_level(report, &group[0], &it)) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    let names =
        |group: Vec<(&'n str, Held, f64)>| group.into_iter().map(|(name, ..)| name).collect::<Vec<_>>();
    let mut out: Vec<(usize, &str)> = Vec::new();
    for group in groups.into_iter().map(names).chain([unknown]) {
        let before = out.len();
        out.extend(ranked(report, group, others).into_iter().map(|(rank, name)| (before + rank, name)));
    }
    out
}

/// Whether the better of two cannot be told from the other.
fn is_level(report: &Report, better: &(&str, Held, f64), other: &(&str, Held, f64)) -> bool {
    match (better.1.record(), other.1.record()) {
        (Some(better), Some(other)) if is_timed(better) || is_timed(other) => {
            let is_shared = is_of_shared_core(better) || is_of_shared_core(other);
            Difference::between(better, other, margin(is_shared, report.layout())) != Difference::Ahead
        }
        _ => better.2 == other.2,
    }
}
