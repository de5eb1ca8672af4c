//! One cost against another, both logarithmic, a point per algorithm.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{KeyOperation, UNMEASURED};

use super::labels::{self, Area};
use super::{Plot, WIDTH, outline, shared_core, status_legend};
use crate::number::Scale;
use crate::plot::svg::{Anchor, LogAxis, Svg, tick_label};
use crate::report::Report;
use crate::result::is_comparable;

const FRAME: Area = Area { left: 76.0, top: 18.0, right: WIDTH - 24.0, bottom: 500.0 };

/// What stands on an axis: the operation and subject of records, and the words for them.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    /// The operation of the records.
    pub operation: &'static str,
    /// Their subject.
    pub subject: &'static str,
    /// What stands at the axis.
    pub words: &'static str,
}

/// What stands around a plot.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// The heading.
    pub title: &'static str,
    /// What to see in it.
    pub caption: &'static str,
}

struct Point<'a> {
    across: &'a Record,
    up: &'a Record,
}

/// Signing and verifying one message.
pub(crate) fn operations(report: &Report, records: &[&Record]) -> Option<Plot> {
    let words = Words {
        title: "What one signature costs",
        caption: "Verifying and signing, with the fastest signer of each algorithm. Down and to the left is better; each \
                  step of the grid is a round factor.",
    };
    let axis =
        |operation: KeyOperation| Axis { operation: operation.word(), subject: "", words: operation.word() };
    plot(report, records, words, [axis(KeyOperation::Sign), axis(KeyOperation::Verify)])
}

/// The pairs of records that differ only in operation and subject, in the report's order. Of several implementations
/// the one that is fastest in `across` stands for its algorithm; the tables have them all.
fn points<'a>(report: &Report, records: &[&'a Record], [across, up]: [Axis; 2]) -> Vec<Point<'a>> {
    let is = |record: &Record, axis: Axis| {
        record.operation == axis.operation
            && record.subject == axis.subject
            && record.value > 0.0
            && is_comparable(record)
    };
    let mut points = Vec::new();
    for algorithm in report.measured() {
        let of_algorithm = || records.iter().copied().filter(|record| record.algorithm == algorithm);
        let pairs = of_algorithm().filter(|record| is(record, across)).filter_map(|first| {
            let second = of_algorithm().find(|record| {
                is(record, up) && record.implementation == first.implementation && record.unit == first.unit
            });
            second.map(|second| Point { across: first, up: second })
        });
        points.extend(pairs.min_by(|one, other| one.across.value.total_cmp(&other.across.value)));
    }
    // Two units cannot stand on one axis: the unit of the first point decides, the tables hold the rest.
    if let Some(unit) = points.first().map(|point: &Point| point.across.unit.clone()) {
        points.retain(|point| point.across.unit == unit);
    }
    points
}

/// The algorithms that a reader would look for in vain, in a sentence.
fn missing(report: &Report, records: &[&Record], points: &[Point<'_>], axes: [Axis; 2]) -> String {
    let is_here = |name: &str| points.iter().any(|point| point.across.algorithm == name);
    let is_meant = |it: &Record| {
        let operations = axes.map(|axis| axis.operation);
        let of = if it.operation == UNMEASURED { it.subject.as_str() } else { it.operation.as_str() };
        operations.contains(&of)
    };
    let is_sought = |name: &&str| records.iter().any(|it| it.algorithm == *name && is_meant(it));
    let names = report.measured().into_iter().filter(|name| !is_here(name)).filter(is_sought);
    let titles: Vec<&str> = names.map(|name| report.title(name)).collect();
    match titles.is_empty() {
        true => String::new(),
        false => format!(" Not shown, without comparable results of both: {}.", titles.join(", ")),
    }
}

/// A point for every algorithm with a record on both axes, the first to the right and the second upwards; none for less
/// than two.
pub fn plot(report: &Report, records: &[&Record], about: Words, axes: [Axis; 2]) -> Option<Plot> {
    let points = points(report, records, axes);
    let [across, up] = axes.map(|axis| axis.words);
    if points.len() < 2 {
        return None;
    }
    let unit = &points[0].across.unit;
    let x_scale = Scale::fitting(unit, points.iter().map(|point| point.across.value));
    let y_scale = Scale::fitting(unit, points.iter().map(|point| point.up.value));
    let (x_factor, y_factor) = (x_scale.factor(), y_scale.factor());
    let x_axis = LogAxis::over(points.iter().map(|it| it.across.value / x_factor), FRAME.left, FRAME.right)?;
    let y_axis = LogAxis::over(points.iter().map(|it| it.up.value / y_factor), FRAME.bottom, FRAME.top)?;
    let mut svg = Svg::new(WIDTH, FRAME.bottom + 52.0);
    for tick in x_axis.ticks() {
        let x = x_axis.at(tick);
        svg.line((x, FRAME.top), (x, FRAME.bottom), "grid");
        svg.text((x, FRAME.bottom + 18.0), Anchor::Middle, "tick", &tick_label(tick));
    }
    for tick in y_axis.ticks() {
        let y = y_axis.at(tick);
        svg.line((FRAME.left, y), (FRAME.right, y), "grid");
        svg.text((FRAME.left - 8.0, y + 4.0), Anchor::End, "tick", &tick_label(tick));
    }
    let middle = (FRAME.left + FRAME.right) / 2.0;
    svg.text(
        (middle, FRAME.bottom + 42.0),
        Anchor::Middle,
        "axis",
        &format!("{across}, {} →", x_scale.label()),
    );
    svg.text(
        (FRAME.left - 62.0, FRAME.top - 4.0),
        Anchor::Start,
        "axis",
        &format!("↑ {up}, {}", y_scale.label()),
    );
    let places: Vec<(f64, f64)> = points
        .iter()
        .map(|it| (x_axis.at(it.across.value / x_factor), y_axis.at(it.up.value / y_factor)))
        .collect();
    let name = |it: &Point<'_>| {
        format!("{}{}", report.title(&it.across.algorithm), shared_core(&[it.across, it.up]))
    };
    let names: Vec<String> = points.iter().map(name).collect();
    let labels: Vec<&str> = names.iter().map(String::as_str).collect();
    let areas = labels::place(&labels, &places, FRAME);
    for (((point, place), label), area) in points.iter().zip(&places).zip(&labels).zip(&areas) {
        let algorithm = point.across.algorithm.as_str();
        let (shape, class) = outline(report.status(algorithm));
        let tooltip = format!(
            "{label}: {across} {} {}, {up} {} {}",
            x_scale.write(point.across.value),
            x_scale.label(),
            y_scale.write(point.up.value),
            y_scale.label()
        );
        svg.open_item(algorithm, &tooltip);
        labels::draw(&mut svg, *place, *area, (shape, class), (label, "name"));
        svg.close();
    }
    Some(Plot {
        title: about.title.to_owned(),
        caption: format!("{}{}", about.caption, missing(report, records, &points, axes)),
        legend: status_legend(report, points.iter().map(|point| point.across.algorithm.as_str())),
        svg: svg.finish(&format!("Scatter plot of {up} and {across}; the tables below list the results")),
    })
}
