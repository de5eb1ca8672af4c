//! What every algorithm costs against the one in use today, and how settled it is: one picture for each carrier.

use fieldtest_verdict::PROTECTS;

use super::labels::{self, Area};
use super::{Plot, WIDTH, outline};
use crate::advice::{Advice, Decision, Held, Value};
use crate::number::factor;
use crate::once::by_key;
use crate::plot::svg::{Anchor, LogAxis, Svg, tick_label};
use crate::report::Report;
use crate::symbols::{STATUSES, status_rank};

/// Where the rows begin: right of their words, below those of the lines.
const LEFT: f64 = 116.0;
const TOP: f64 = 40.0;
/// The height of a line of labels in a row, and what a row has more.
const LINE: f64 = 15.0;
const SPACE: f64 = 22.0;

struct Point<'a> {
    algorithm: &'a str,
    held: Held,
    cost: f64,
}

/// The picture of what `advice` was decided by; `None` where fewer than two costs are known. Whoever is not in it is named in
/// the caption, with the reason.
pub(crate) fn plot(report: &Report, decision: &Decision, advice: &Advice) -> Option<Plot> {
    let property = decision.property(decision.cost)?;
    let mut points = Vec::new();
    let mut missing = Vec::new();
    for algorithm in report.measured() {
        if !report.of_study(decision.study).any(|record| record.algorithm == algorithm) {
            continue;
        }
        match (property.of)(report, algorithm) {
            Some(held) if held.number().is_some_and(|cost| cost > 0.0) => {
                let cost = held.number().unwrap_or_default();
                points.push(Point { algorithm, held, cost });
            }
            Some(Held { value: Value::Refused(reason), .. }) => {
                missing.push((reason, report.title(algorithm)))
            }
            _ => missing.push(("no result".to_owned(), report.title(algorithm))),
        }
    }
    if points.len() < 2 {
        return None;
    }
    // However cheap it is, what protects nothing here is no standard to choose.
    let lacks_protection = |name: &str| {
        let own = advice.excluded.iter().find(|it| it.algorithm == name);
        own.is_some_and(|it| it.lacks.iter().any(|shown| shown.property == PROTECTS))
    };
    let row = |algorithm: &str| {
        let status = report.status(algorithm);
        match status != "broken" && (report.is_unsafe(algorithm) || lacks_protection(algorithm)) {
            true => (STATUSES.len() + 1, "unsafe"),
            false => {
                (status_rank(status), STATUSES.into_iter().find(|it| *it == status).unwrap_or("unknown"))
            }
        }
    };
    points.sort_by(|a, b| row(a.algorithm).cmp(&row(b.algorithm)).then(a.cost.total_cmp(&b.cost)));
    let in_use = advice.today(report, decision);
    let today = in_use.iter().find_map(|name| points.iter().find(|point| point.algorithm == name));
    let base = today.map_or(1.0, |point| point.cost);
    let limit = advice.constraints.iter().find(|it| it.id == property.id).and_then(|it| it.bound);
    let limit = limit.filter(|limit| *limit > 0.0);
    let ratios = points.iter().map(|point| point.cost / base).chain(limit.map(|limit| limit / base));
    let axis = LogAxis::over(ratios, LEFT, WIDTH - 24.0)?;

    let mut rows: Vec<(&str, f64, usize)> = Vec::new();
    let mut places: Vec<(f64, f64)> = Vec::new();
    let mut bottom = TOP;
    for ((_, word), own) in by_key(points.iter().map(|point| (row(point.algorithm), point))) {
        let lines = own.len().div_ceil(2);
        rows.push((word, bottom, lines));
        // Neighbours stand in different lines, so that each has room for its label beside it.
        places.extend(own.iter().enumerate().map(|(at, point)| {
            let line = (at % lines) as f64;
            (axis.at(point.cost / base), bottom + SPACE / 2.0 + LINE * (line + 0.5))
        }));
        bottom += SPACE + LINE * lines as f64;
    }

    let mut svg = Svg::new(WIDTH, bottom + 48.0);
    for (word, top, lines) in rows {
        let middle = top + (SPACE + LINE * lines as f64) / 2.0;
        svg.line((0.0, top), (WIDTH, top), "grid");
        svg.text((0.0, middle + 4.0), Anchor::Start, "limit", word);
    }
    svg.line((0.0, bottom), (WIDTH, bottom), "grid");
    for tick in axis.ticks() {
        svg.line((axis.at(tick), TOP), (axis.at(tick), bottom), "grid");
        let times = if today.is_some() { "×" } else { "" };
        svg.text(
            (axis.at(tick), bottom + 18.0),
            Anchor::Middle,
            "tick",
            &format!("{times}{}", tick_label(tick)),
        );
    }
    let mut line = |at: f64, y: f64, words: String| {
        let anchor = if at > WIDTH / 2.0 { Anchor::End } else { Anchor::Start };
        svg.line((at, y + 4.0), (at, bottom), "rule");
        svg.text((at, y), anchor, "limit", &words);
    };
    if let Some(today) = today {
        let words = format!("today: {}, {}", report.title(today.algorithm), property.write_bound(today.cost));
        line(axis.at(1.0), 12.0, words);
    }
    if let Some(limit) = limit {
        line(axis.at(limit / base), 30.0, format!("limit: {}", property.write_bound(limit)));
    }
    let of = match today {
        Some(today) => format!("{}, as a multiple of {}'s", property.title, report.title(today.algorithm)),
        None => format!("{}, {}", property.title, property.unit().unwrap_or_default()),
    };
    svg.text(((LEFT + WIDTH) / 2.0, bottom + 38.0), Anchor::Middle, "axis", &format!("{of} →"));

    let names: Vec<&str> = points.iter().map(|point| report.title(point.algorithm)).collect();
    let frame = Area { left: LEFT, top: TOP, right: WIDTH - 4.0, bottom };
    for (((point, place), name), area) in
        points.iter().zip(&places).zip(&names).zip(labels::place(&names, &places, frame))
    {
        let times = today.map(|_| format!(", ×{}", factor(point.cost / base))).unwrap_or_default();
        svg.open_item(point.algorithm, &format!("{name}: {}{times}", property.write(&point.held)));
        let is_named = advice.named.iter().any(|it| it == point.algorithm);
        let is_accepted = advice.survivors.iter().any(|it| it.algorithm == point.algorithm);
        let class = if is_named {
            "name limit"
        } else if is_accepted {
            "name"
        } else {
            ""
        };
        let (rank, _) = row(point.algorithm);
        let status = if rank > STATUSES.len() { "broken" } else { report.status(point.algorithm) };
        labels::draw(&mut svg, *place, area, outline(status), (name, class));
        svg.close();
    }
    let missing = by_key(missing).into_iter().map(|(why, titles)| format!("{} ({why})", titles.join(", ")));
    let missing: Vec<String> = missing.collect();
    let missing =
        if missing.is_empty() { String::new() } else { format!(" Not shown: {}.", missing.join("; ")) };
    Some(Plot {
        title: "Today and after".to_owned(),
        caption: format!(
            "The cost of each algorithm next to today's, by its status. Further left is cheaper. Bold: what the \
             recommendation names; grey: what does not meet the constraints.{missing}"
        ),
        legend: Vec::new(),
        svg: svg.finish(&format!("The cost of each algorithm: {of}; the tables list the results")),
    })
}
