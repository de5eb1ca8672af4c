//! The tables of a comparison: what is slower beyond the threshold, what changed, which sizes did, what cannot be told.

use super::{Comparison, Estimate, Held, MOST_FALSE, Name, Reason, Verdict};
use crate::number::{Scale, count, factor};
use crate::symbols::mark;
use crate::table::{Cell, Kind, Mark, Table, Tone};

impl Verdict {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::Level => "level",
            Verdict::NotSignificant => "not told",
        }
    }

    fn mark(self) -> Mark {
        match self {
            Verdict::Slower => mark("▲", "slower", Tone::Poor),
            Verdict::Faster => mark("▼", "faster", Tone::Good),
            Verdict::Level => mark("=", "no change", Tone::Fair),
            Verdict::NotSignificant => mark("?", "not significant", Tone::Quiet),
        }
    }
}

impl Reason {
    const ALL: [Reason; 9] = [
        Reason::TooLittle,
        Reason::Contended,
        Reason::NoInterval,
        Reason::Input,
        Reason::SharedCore,
        Reason::Unfit,
        Reason::NoBase,
        Reason::Estimator,
        Reason::Nothing,
    ];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Reason::TooLittle => "no change beyond the interval, but too uncertain for 'no change'",
            Reason::Contended => "contended: the other threads may explain the change, or hide one",
            Reason::NoInterval => "no interval in one of the runs: too few processes or rounds",
            Reason::Input => "measured on different input",
            Reason::SharedCore => "contended in one of the runs, uncontended in the other",
            Reason::Unfit => "one of the runs is from an unfit machine, whose results are unreliable",
            Reason::NoBase => "no result of a baseline that both machines have",
            Reason::Estimator => "a mean in one of the runs, a median in the other",
            Reason::Nothing => "a result or a bound of its interval is zero or less",
        }
    }
}

impl Comparison {
    /// The tables of one of the runs: changes, what cannot be told, and with `all` every result.
    pub(super) fn tables(&self, held: &Held, all: bool) -> Vec<Table> {
        let mut tables = Vec::new();
        if let Some(most) = self.threshold.filter(|_| held.counts.beyond > 0) {
            let percent = format!("{:.1}", 100.0 * most);
            let title = format!("Slower by more than {}%", percent.trim_end_matches(".0"));
            tables.push(self.results(held, &title, |result| result.beyond));
        }
        let is_other_change =
            |result: &Estimate| matches!(result.verdict, Verdict::Slower | Verdict::Faster) && !result.beyond;
        if held.results.iter().any(is_other_change) {
            let title = if held.counts.beyond > 0 { "What else changed" } else { "What changed" };
            tables.push(self.results(held, title, is_other_change));
        }
        if let Some(table) = tables.last_mut() {
            table.note(self.told(held));
        }
        tables.extend(self.sizes(held));
        tables.extend(not_told(held));
        if all {
            tables.push(self.results(held, "All results", |_| true));
            tables.extend(alone(held));
        }
        tables
    }

    /// When something counts as a change.
    fn told(&self, held: &Held) -> String {
        let of =
            if held.same_machine { "1" } else { "1 (the results relative to the baseline on their machine)" };
        format!(
            "Intervals are corrected for {}, so that on average at most {:.0}% of the reported changes are \
             false. A change excludes {of} by more than two builds of the same code differ ({:.1}%).",
            count(self.judged, "result"),
            100.0 * MOST_FALSE,
            100.0 * held.layout
        )
    }

    fn results(&self, held: &Held, title: &str, wanted: impl Fn(&Estimate) -> bool) -> Table {
        let mut table =
            named(Table::new(title), &self.first, &held.label).texts(["time", "interval", "remark"]);
        for result in held.results.iter().filter(|result| wanted(result)) {
            let implementation = match &result.versions {
                Some([was, is]) => format!("{} {was} → {is}", result.name.implementation),
                None => result.name.implementation.clone(),
            };
            let remark = result.reason.map(Reason::words).or(result.shared_core.then_some("contended"));
            let mark = Some(result.verdict.mark());
            let mut row = cells(&result.name, implementation, result.values);
            row.extend([
                Cell::from(result.times.map(change)).with_mark(mark),
                result.interval.map(span).into(),
                remark.into(),
            ]);
            table.keyed_row(&result.name.algorithm, row);
        }
        table.without_empty_columns()
    }

    fn sizes(&self, held: &Held) -> Option<Table> {
        let mut table = named(Table::new("Other results that changed"), &self.first, &held.label)
            .texts(["change", "threshold"]);
        for size in &held.sizes {
            let mut row = cells(&size.name, size.name.implementation.clone(), size.values);
            row.extend([size.verdict.word().into(), if size.beyond { "exceeded" } else { "" }.into()]);
            table.keyed_row(&size.name.algorithm, row);
        }
        (!table.is_empty()).then(|| table.without_empty_columns())
    }
}

/// The columns that name a result and give it.
pub(crate) fn named(table: Table, first: &str, other: &str) -> Table {
    ["study", "algorithm", "implementation", "operation", first, other]
        .into_iter()
        .fold(table, |table, name| table.column(name, Kind::Text))
}

pub(crate) fn cells(name: &Name, implementation: String, values: [f64; 2]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![
        name.study.as_str().into(),
        name.algorithm.as_str().into(),
        implementation.into(),
        operation(name).into(),
    ];
    let scale = Scale::fitting(&name.unit, values);
    cells.extend(values.map(|value| Cell::from(format!("{} {}", scale.write(value), scale.label()))));
    cells
}

fn operation(name: &Name) -> String {
    [name.operation.as_str(), &name.subject].join(" ").trim_end().to_owned()
}

/// How many results cannot be told, by reason.
fn not_told(held: &Held) -> Option<Table> {
    let mut table =
        Table::new("Not significant").column("reason", Kind::Text).column("results", Kind::number("count"));
    for reason in Reason::ALL {
        let results = held.results.iter().filter(|result| result.reason == Some(reason)).count();
        if results > 0 {
            table.row([reason.words().into(), results.into()]);
        }
    }
    if held.sizes_of_other_input > 0 {
        table.row(["exact results of different input".into(), held.sizes_of_other_input.into()]);
    }
    for study in &held.refused {
        table.note(format!(
            "{study}: no baseline that both machines have, with an interval, next to another result."
        ));
    }
    (!table.is_empty()).then_some(table)
}

fn alone(held: &Held) -> Option<Table> {
    let mut table = Table::new("In one run only").texts([
        "run",
        "study",
        "algorithm",
        "implementation",
        "operation",
        "result",
    ]);
    for it in &held.alone {
        let scale = Scale::fitting(&it.name.unit, [it.value]);
        table.keyed_row(
            &it.name.algorithm,
            [
                it.run.as_str().into(),
                it.name.study.as_str().into(),
                it.name.algorithm.as_str().into(),
                it.name.implementation.as_str().into(),
                operation(&it.name).into(),
                format!("{} {}", scale.write(it.value), scale.label()).into(),
            ],
        );
    }
    (!table.is_empty()).then_some(table)
}

/// How many times as long something takes, as people say it: `+5.3 %`, `×2.67`.
pub(super) fn change(times: f64) -> String {
    match times {
        _ if (0.5..2.0).contains(&times) => percent(times - 1.0),
        _ => self::times(times),
    }
}

/// From where to where that is: both ends in one form, a unit that both have said once.
fn span(ends: [f64; 2]) -> String {
    match ends.iter().all(|end| (0.5..2.0).contains(end)) {
        true => ends.map(|end| format!("{:+.1}", 100.0 * (end - 1.0))).join(" to ") + "%",
        false => ends.map(times).join(" to "),
    }
}

fn times(times: f64) -> String {
    match (1e-3..1e6).contains(&times) {
        true => format!("×{}", factor(times)),
        false => format!("×{times:.0e}"),
    }
}

fn percent(share: f64) -> String {
    format!("{:+.1}%", 100.0 * share)
}
