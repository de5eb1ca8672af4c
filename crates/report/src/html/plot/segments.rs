//! What a MAC costs in the real segment: one at a time, in batches, and what is published.

use fieldtest_measure::record::Record;

use super::{LEFT, Plot, WIDTH, outline, symbol, words};
use crate::html::svg::{Anchor, LogAxis, Shape, Svg, tick_label};
use crate::number::{NARROW_SPACE, Scale};
use crate::report::Report;
use crate::summary::tcp_ao::{fit, split, usual};

const RIGHT: f64 = WIDTH - 120.0;
const TOP: f64 = 34.0;
const ROW: f64 = 40.0;
/// Where the SACK blocks stand.
const SACK: f64 = WIDTH - 60.0;

/// The ways a segment is worked on, each with its symbol.
const WAYS: [(&str, Shape, &str); 2] =
    [("single", Shape::Disc, "one at a time"), ("batched", Shape::Square, "in a batch")];

/// The plot, if any record tells what a segment costs.
pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let length = usual(records.iter().copied())?;
    let unit = &records.iter().find(|record| record.operation == "segment")?.unit;
    let of = |algorithm: &str, operation: &str, way: &str| -> Vec<&Record> {
        let meant = |record: &&&Record| {
            record.algorithm == algorithm
                && record.operation == operation
                && record.unit == *unit
                && split(&record.subject).is_some_and(|(at, rest)| at == length && rest.starts_with(way))
        };
        records.iter().filter(meant).copied().collect()
    };
    let best = |algorithm: &str| {
        let all = of(algorithm, "segment", "").into_iter().map(|record| record.value);
        all.reduce(f64::min)
    };
    let mut rows: Vec<(&str, f64)> =
        report.measured().into_iter().filter_map(|it| Some((it, best(it)?))).collect();
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    let shown = |record: &&&Record| {
        record.unit == *unit
            && matches!(record.operation.as_str(), "segment" | "segment-published")
            && split(&record.subject).is_some_and(|(at, _)| at == length)
    };
    let axis = LogAxis::over(records.iter().filter(shown).map(|record| record.value), LEFT, RIGHT)?;
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    for tick in axis.ticks() {
        svg.line((axis.at(tick), TOP - 6.0), (axis.at(tick), bottom), "grid");
        svg.text((axis.at(tick), bottom + 18.0), Anchor::Middle, "tick", &tick_label(tick));
    }
    let label = format!("{unit} for a segment of {length} bytes of MAC input");
    svg.text(((LEFT + RIGHT) / 2.0, bottom + 38.0), Anchor::Middle, "axis", &label);
    svg.text((SACK, TOP - 14.0), Anchor::Middle, "limit", "SACK blocks");
    for (at, (algorithm, _)) in rows.iter().enumerate() {
        let top = TOP + ROW * at as f64;
        let middle = top + ROW / 2.0;
        let title = report.title(algorithm);
        svg.open_item(&words(report, algorithm), report.status(algorithm), title);
        svg.line((0.0, top + ROW), (WIDTH, top + ROW), "grid");
        let (shape, class) = outline(report.status(algorithm));
        svg.shape(shape, (LEFT - 16.0, middle), 4.5, class);
        svg.text((LEFT - 28.0, middle + 4.0), Anchor::End, "name", title);
        for (lane, (way, shape, _)) in WAYS.iter().enumerate() {
            let y = middle + if lane == 0 { -8.0 } else { 8.0 };
            draw(&mut svg, axis, y, *shape, title, &of(algorithm, "segment", way));
        }
        for record in of(algorithm, "segment-published", "") {
            let who = split(&record.subject).map_or("", |(_, who)| who);
            svg.open(&format!("{title}, {who}: {} cycles, published", tick_label(record.value)));
            svg.shape(Shape::Diamond, (axis.at(record.value), middle - 8.0), 4.2, "fit hollow quiet");
            svg.close();
        }
        sack_blocks(&mut svg, middle, algorithm, records);
        svg.close();
    }
    let mut legend: Vec<(String, String)> = WAYS
        .iter()
        .map(|(_, shape, name)| (symbol(*shape, "fit quiet"), format!("{name}, fastest implementation")))
        .collect();
    if records.iter().any(|record| record.operation == "segment-published") {
        legend.push((
            symbol(Shape::Diamond, "fit hollow quiet"),
            "published for Linux, before and after 7.2 (another machine)".to_owned(),
        ));
    }
    Some(Plot {
        title: "What a MAC costs in the segment".to_owned(),
        caption: format!(
            "The whole receive path of a segment with {length} bytes of MAC input; lines reach to the slowest implementation. On the \
             right what the option leaves: blocks of selective acknowledgment beside timestamps, and ● where a SYN with all \
             usual options does not fit."
        ),
        legend,
        svg: svg.finish(
            "Cost of a segment, one at a time and in batches, a row per algorithm; the figures stand in the table below",
        ),
    })
}

/// A line over all implementations and a symbol at the fastest.
fn draw(svg: &mut Svg, axis: LogAxis, y: f64, shape: Shape, title: &str, records: &[&Record]) {
    let Some(best) = records.iter().min_by(|a, b| a.value.total_cmp(&b.value)) else { return };
    let most = records.iter().map(|record| record.value).fold(best.value, f64::max);
    let mut sorted = records.to_vec();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let texts = sorted.iter().map(|record| {
        let name = record.implementation.as_ref().map_or("", |it| &it.name);
        let scale = Scale::fitting(&record.unit, [record.value]);
        format!("{name} {} {}", scale.write(record.value, NARROW_SPACE), scale.label())
    });
    svg.open(&format!("{title}, {}\n{}", best.subject, texts.collect::<Vec<_>>().join("\n")));
    svg.line((axis.at(best.value), y), (axis.at(most), y), "range quiet");
    svg.shape(shape, (axis.at(best.value), y), 4.2, "fit fair");
    svg.close();
}

/// How many blocks of selective acknowledgment remain, and whether a full SYN fits.
fn sack_blocks(svg: &mut Svg, y: f64, algorithm: &str, records: &[&Record]) {
    let find = |operation: &str, subject: &str| {
        let found = records.iter().find(|record| {
            record.algorithm == algorithm
                && record.operation == operation
                && record.subject.starts_with(subject)
        });
        found.map(|record| record.value)
    };
    let blocks =
        find("sack-blocks", "with timestamps").map_or("–".to_owned(), |blocks| format!("{blocks:.0}"));
    svg.text((SACK, y + 4.0), Anchor::Middle, "value", &blocks);
    if let Some(syn) = find("options-of-full-syn", "").map(fit).filter(|mark| mark.symbol == "●") {
        svg.open(&format!("a SYN with all usual options {}", syn.word));
        svg.shape(Shape::Disc, (SACK + 24.0, y), 4.2, &format!("fit {}", syn.tone.name()));
        svg.close();
    }
}
