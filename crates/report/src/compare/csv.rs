//! A comparison as comma-separated values: every result of every run, judged or not.

use super::{Comparison, Name, Reason};
use crate::table::csv_line;

const HEAD: &str = "run,sort,study,algorithm,implementation,operation,subject,unit,\
    first,other,times,low,high,verdict,reason,beyond threshold,baseline,baseline first,baseline other\n";

/// What is said of a result beside its name, in the order of the columns.
#[derive(Default)]
struct Said {
    values: [Option<f64>; 2],
    times: Option<f64>,
    interval: Option<[f64; 2]>,
    verdict: &'static str,
    reason: Option<Reason>,
    beyond: bool,
    baseline: Option<(String, [f64; 2])>,
}

/// A line for each result, after the head.
pub(super) fn csv(comparison: &Comparison) -> String {
    let mut out = HEAD.to_owned();
    for held in &comparison.others {
        for result in &held.results {
            let base = result.base.as_ref();
            let said = Said {
                values: result.values.map(Some),
                times: result.times,
                interval: result.interval,
                verdict: result.verdict.word(),
                reason: result.reason,
                beyond: result.beyond,
                baseline: base.map(|it| (format!("{} ({})", it.algorithm, it.implementation), it.values)),
            };
            out.push_str(&line(&held.label, "timed", &result.name, &said));
        }
        for size in &held.sizes {
            let (values, verdict) = (size.values.map(Some), size.verdict.word());
            let said = Said { values, verdict, beyond: size.beyond, ..Said::default() };
            out.push_str(&line(&held.label, "exact", &size.name, &said));
        }
        for alone in &held.alone {
            let values =
                if alone.run == held.label { [None, Some(alone.value)] } else { [Some(alone.value), None] };
            let sort = if alone.timed { "timed, in one run" } else { "exact, in one run" };
            out.push_str(&line(&held.label, sort, &alone.name, &Said { values, ..Said::default() }));
        }
    }
    out
}

fn line(run: &str, sort: &str, name: &Name, said: &Said) -> String {
    let Name { study, algorithm, implementation, operation, subject, unit } = name;
    let words = [run, sort, study, algorithm, implementation, operation, subject, unit].map(str::to_owned);
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let baseline = |at: usize| number(said.baseline.as_ref().map(|(_, values)| values[at]));
    let told = [
        number(said.values[0]),
        number(said.values[1]),
        number(said.times),
        number(said.interval.map(|[low, _]| low)),
        number(said.interval.map(|[_, high]| high)),
        said.verdict.to_owned(),
        said.reason.map(Reason::words).unwrap_or_default().to_owned(),
        if said.beyond { "yes" } else { "" }.to_owned(),
        said.baseline.as_ref().map(|(name, _)| name.clone()).unwrap_or_default(),
        baseline(0),
        baseline(1),
    ];
    csv_line(&words.into_iter().chain(told).collect::<Vec<_>>())
}
