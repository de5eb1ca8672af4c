//! What each level of the hierarchy adds where it has another algorithm than the others.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::UNMEASURED;
use fieldtest_report::number::factor;
use fieldtest_report::plot::svg::{Anchor, LogAxis, Shape, Svg, tick_label};
use fieldtest_report::plot::{LEFT, Plot, WIDTH, open_row, symbol};
use fieldtest_report::tables::ledger::{Ledger, Which};
use fieldtest_report::{Cell, Kind, Report, Table};

use super::repetitions;
use crate::words::{AtLevel, Cost, Operation, Signed};

/// The levels that have an algorithm of their own, from the root down.
const LEVELS: [Signed; 3] = [Signed::Root, Signed::Tld, Signed::Domain];

/// Whether a result is of one level, or of its having had too little time.
pub(crate) fn is_of_levels(record: &Record) -> bool {
    record.operation == Operation::LevelCost
        || record.operation == Operation::LevelFactor
        || record.operation == UNMEASURED && record.subject == Operation::LevelCost.word()
}

/// Multiples of the baseline first, then the results themselves.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    if !ledger.all().any(is_of_levels) {
        return Vec::new();
    }
    let mut factors =
        table(report, ledger, "What each level of a chain adds", Operation::LevelFactor, &LEVELS);
    let is_base = |record: &&Record| {
        record.operation == Operation::LevelCost
            && AtLevel::read(&record.subject).is_some_and(|at| at.signed == Signed::All)
    };
    let base = ledger.all().find(is_base).map_or("the baseline", |record| report.title(&record.algorithm));
    factors.note(format!(
        "Multiples of a query's cost with {base} on every level, from workers of the same rounds: one level has the row's algorithm, \
         all others {base}. Caches are cold: each host is queried once."
    ));
    factors.note("A cost that is 0 with the baseline, as TCP connections often are, has no multiple; the next table lists the results.");
    if let Some(remark) = repetitions::remark(ledger, is_of_levels) {
        factors.note(remark);
    }
    let all = [&[Signed::All][..], &LEVELS].concat();
    let costs =
        table(report, ledger, "What a query costs by level, with caches cold", Operation::LevelCost, &all);
    vec![factors, costs]
}

fn table(
    report: &Report,
    ledger: &mut Ledger,
    title: &str,
    operation: Operation,
    levels: &[Signed],
) -> Table {
    let unit = |cost: Cost| if operation == Operation::LevelFactor { "ratio" } else { cost.unit() };
    let table = Table::new(title).texts(["algorithm", "level"]);
    let mut table =
        Cost::ALL.into_iter().fold(table, |it, cost| it.column(cost.heading(), Kind::number(unit(cost))));
    for algorithm in report.measured() {
        for &signed in levels {
            let cell = |cost: Cost| {
                let subject = AtLevel { signed, cost }.to_string();
                ledger.show(Which::of(algorithm, operation.word()).on(&subject).in_unit(unit(cost)))
            };
            let names: [Cell; 2] = [algorithm.into(), signed.word().into()];
            table.row_of_results(algorithm, names.into_iter().chain(Cost::ALL.map(cell)));
        }
    }
    table.without_empty_columns()
}

/// The resolver's processor time and the octets upstream of each algorithm at each level, as multiples of the baseline's.
pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    const TOP: f64 = 40.0;
    const ROW: f64 = 40.0;
    const GAP: f64 = 48.0;
    const SHAPES: [Shape; 3] = [Shape::Square, Shape::Diamond, Shape::Disc];
    const PANELS: [(Cost, &str); 2] = [
        (Cost::Processor, "the resolver's processor time, ×"),
        (Cost::BytesUp, "bytes to and from name servers, ×"),
    ];
    let of = |algorithm: &str, signed, cost| {
        let subject = AtLevel { signed, cost }.to_string();
        let is_one = |record: &&&Record| {
            record.algorithm == algorithm
                && record.operation == Operation::LevelFactor
                && record.subject == subject
        };
        records.iter().find(is_one).copied()
    };
    let has =
        |algorithm: &&str| LEVELS.iter().any(|signed| of(algorithm, *signed, Cost::Processor).is_some());
    let rows: Vec<&str> = report.measured().into_iter().filter(has).collect();
    let (bottom, width) = (TOP + ROW * rows.len() as f64, (WIDTH - LEFT - GAP - 16.0) / 2.0);
    let mut panels = Vec::new();
    for (at, (cost, heading)) in PANELS.into_iter().enumerate() {
        let from = LEFT + (width + GAP) * at as f64;
        let reached = rows.iter().flat_map(|name| LEVELS.map(|signed| of(name, signed, cost))).flatten();
        let reached = reached.flat_map(|it| it.interval.unwrap_or([it.value; 2]));
        if let Some(axis) = LogAxis::over(reached.chain([1.0]), from, from + width) {
            panels.push((cost, heading, axis));
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut svg = Svg::new(WIDTH, bottom + 30.0);
    for (_, heading, axis) in &panels {
        svg.text((axis.middle(), 16.0), Anchor::Middle, "axis", heading);
        for tick in axis.ticks() {
            svg.line((axis.at(tick), TOP - 8.0), (axis.at(tick), bottom), "grid");
            svg.text((axis.at(tick), bottom + 18.0), Anchor::Middle, "tick", &tick_label(tick));
        }
        svg.line((axis.at(1.0), TOP - 8.0), (axis.at(1.0), bottom), "rule base");
    }
    for (at, algorithm) in rows.iter().enumerate() {
        let top = TOP + ROW * at as f64;
        let title = report.title(algorithm);
        let class = open_row(&mut svg, report, algorithm, [top, top + ROW], WIDTH - 16.0);
        for (number, signed) in LEVELS.into_iter().enumerate() {
            let y = top + ROW * (number as f64 + 1.0) / 4.0;
            for (cost, heading, axis) in &panels {
                let Some(record) = of(algorithm, signed, *cost) else { continue };
                svg.open(&format!("{title}, {signed}\n{heading}{}", factor(record.value)));
                if let Some([low, high]) = record.interval {
                    svg.line((axis.at(low), y), (axis.at(high), y), "range");
                }
                svg.shape(SHAPES[number], (axis.at(record.value), y), 4.0, class);
                svg.close();
            }
        }
        svg.close();
    }
    let legend = SHAPES
        .iter()
        .zip(LEVELS)
        .map(|(shape, signed)| (symbol(*shape, "p standard"), format!("only {signed} has the algorithm")));
    Some(Plot {
        title: "What each level of a chain adds".to_owned(),
        caption: "With cold caches: the cost of a query if one level has the row's algorithm and all others the baseline's, as a \
                  multiple of its cost if all have the baseline's. Lines are 95% intervals."
            .to_owned(),
        legend: legend.collect(),
        svg: svg.finish("Multiples of the baseline's cost by level, a row per algorithm; the table below lists the results"),
    })
}
