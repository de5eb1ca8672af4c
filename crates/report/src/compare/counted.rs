//! What is no time: sizes, counts, shares and memory. Whether it got worse, and whether by more than the threshold.

use std::collections::HashMap;

use fieldtest_measure::record::{Candidate, Record};

use super::pairs::{Pair, is_rate};
use super::{Alone, Labelled, Name, Size, Told};
use crate::Report;
use crate::result::is_exact;

/// The unit of which a difference is judged, and not a quotient: a share of nothing is no base to divide by.
const SHARE: &str = "share";

/// Which way a result is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    More,
    Less,
    Neither,
}

impl Better {
    /// Of sizes, counts and shares less, unless the study says otherwise; of rates, of bits of security, and of what is there or
    /// not, more.
    fn of(record: &Record, report: &Report) -> Better {
        let section = report.study_section(&record.study);
        // Where the operation does not say it, the last word of its subject does.
        let is_among = |list: &[&str]| {
            list.iter().any(|entry| match entry.split_once(' ') {
                Some((operation, word)) => record.operation == operation && record.subject.ends_with(word),
                None => record.operation == *entry,
            })
        };
        match record.unit.as_str() {
            _ if section.is_some_and(|it| is_among(it.neither_is_better)) => Better::Neither,
            _ if section.is_some_and(|it| is_among(it.more_is_better)) => Better::More,
            "flag" | "bits" => Better::More,
            unit if is_rate(unit) => Better::More,
            _ => Better::Less,
        }
    }
}

/// The result if it changed, or if it may be worse by more than the `threshold`.
pub(super) fn judge(pair: Pair<'_>, report: &Report, threshold: Option<f64>) -> Option<Size> {
    // What was not measured is the same whenever the input is, be it an estimate with an interval.
    // What was exact decides by its value: an interval that the other run gives it would hide any change.
    let exact = is_exact(pair.first);
    let measured = |record: &Record| record.interval.filter(|_| record.samples > 0 && !exact);
    let ends = |record: &Record| measured(record).unwrap_or([record.value; 2]);
    let [first, other] = pair.both().map(ends);
    let changed = first[0] > other[1] || other[0] > first[1];
    let worse = match Better::of(pair.first, report) {
        Better::Less => Some(by(first, other, &pair.first.unit)),
        Better::More => Some(by(other, first, &pair.first.unit)),
        Better::Neither => None,
    };
    // What was measured without an interval may differ by chance.
    let is_certain = exact || pair.both().iter().all(|record| is_exact(record) || record.interval.is_some());
    let verdict = match worse {
        _ if !is_certain && (threshold.is_none() || worse.is_none()) => return None,
        Some([low, _]) if !is_certain => {
            threshold.filter(|most| exceeds(low, *most)).map(|_| Told::Undecided)?
        }
        Some([low, _]) if changed && low > 0.0 => Told::Worse,
        Some(_) if changed => Told::Better,
        None if changed => Told::Changed,
        // Where nobody asks for a threshold, what may be equal is.
        Some([_, high]) if threshold.is_some_and(|most| exceeds(high, most)) => Told::Undecided,
        _ => return None,
    };
    let beyond =
        verdict == Told::Worse && threshold.zip(worse).is_some_and(|(most, [low, _])| exceeds(low, most));
    let values = pair.both().map(|record| record.value);
    Some(Size { name: pair.name(), values, verdict, beyond, exact, worse_by: worse.filter(|_| is_certain) })
}

/// What the catalog states of the algorithms that both runs have, a run of `speed` has no other sizes: what is stated
/// otherwise, and what the other run does not state.
pub(super) fn facts(first: Labelled<'_>, other: &Report, threshold: Option<f64>) -> (Vec<Size>, Vec<Alone>) {
    let both = other.measured();
    let (mut changed, mut lost) = (Vec::new(), Vec::new());
    for algorithm in first.report.measured().into_iter().filter(|name| both.contains(name)) {
        let now: HashMap<_, _> = other.candidate(algorithm).into_iter().flat_map(stated).collect();
        for (what, was) in first.report.candidate(algorithm).into_iter().flat_map(stated) {
            let (unit, text) = (if what.0 == "size" { "bytes" } else { "bits" }, str::to_owned);
            let name = Name {
                study: String::new(),
                algorithm: algorithm.to_owned(),
                implementation: String::new(),
                operation: text(what.0),
                subject: text(what.1),
                unit: text(unit),
            };
            match now.get(&what) {
                None => lost.push(Alone { run: first.label.to_owned(), name, value: was, timed: false }),
                Some(is) if *is != was => changed.push(fact(name, [was, *is], threshold)),
                Some(_) => {}
            }
        }
    }
    (changed, lost)
}

/// Sizes by their names, and the strength.
fn stated(candidate: &Candidate) -> impl Iterator<Item = ((&str, &str), f64)> {
    let sizes = candidate.sizes.iter().map(|(name, size)| (("size", name.as_str()), *size as f64));
    sizes.chain(candidate.strength.map(|bits| (("strength", ""), f64::from(bits))))
}

fn fact(name: Name, values: [f64; 2], threshold: Option<f64>) -> Size {
    let [was, is] = values.map(|value| [value; 2]);
    let worse_by = if name.unit == "bits" { by(is, was, &name.unit) } else { by(was, is, &name.unit) };
    Size {
        name,
        values,
        verdict: if worse_by[0] > 0.0 { Told::Worse } else { Told::Better },
        beyond: threshold.is_some_and(|most| exceeds(worse_by[0], most)),
        exact: true,
        worse_by: Some(worse_by),
    }
}

/// Whether something is worse by more than is allowed. In binary, 0.55 is more than 0.05 above 0.5.
pub(crate) fn exceeds(worse_by: f64, allowed: f64) -> bool {
    worse_by - allowed > 1e-9
}

/// By how much a result looks worse than another that is better, by their values alone; nothing where it rose from zero, as lost
/// answers do.
pub(crate) fn looks_worse_by([was, is]: [f64; 2], unit: &str) -> Option<f64> {
    let [least, _] = by([was.min(is); 2], [was.max(is); 2], unit);
    Some(least).filter(|_| was != 0.0 || unit == SHARE)
}

/// By how much more this is than that, as a share of that: the least and the most that the intervals allow.
fn by(that: [f64; 2], this: [f64; 2], unit: &str) -> [f64; 2] {
    let more = |this: f64, that: f64| match this - that {
        difference if difference == 0.0 || unit == SHARE => difference,
        difference if that > 0.0 => difference / that,
        difference => f64::INFINITY.copysign(difference),
    };
    [more(this[0], that[1]), more(this[1], that[0])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_more() {
        assert_eq!(by([100.0; 2], [101.0; 2], "bytes"), [0.01; 2]);
        assert_eq!(by([90.0, 110.0], [121.0, 180.0], "bytes"), [0.1, 1.0]);
        // A share is held against the threshold by points.
        assert_eq!(by([0.0; 2], [0.25; 2], SHARE), [0.25; 2]);
        assert_eq!(by([0.0; 2], [0.0; 2], "count"), [0.0; 2]);
        assert_eq!(by([0.0; 2], [1.0; 2], "count"), [f64::INFINITY; 2]);
        // Bytes may come back where a shorter signature takes a longer one's place.
        assert_eq!(by([-5.0; 2], [-7.0; 2], "bytes"), [f64::NEG_INFINITY; 2]);
    }
}
