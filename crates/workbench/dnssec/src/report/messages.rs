//! What fits a datagram: the size of each kind of answer against the limits, a row per algorithm.

use fieldtest_measure::record::Record;
use fieldtest_report::Report;
use fieldtest_report::number::{full, grouped};
use fieldtest_report::plot::svg::{Anchor, LogAxis, Shape, Svg, tick_label};
use fieldtest_report::plot::{LEFT, Plot, WIDTH, open_row, symbol};

use super::fit::{LIMITS, fit};
use super::tables::message_subjects;
use crate::words::{Answer, Operation};

const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 34.0;
/// The height of one kind of answer within a row.
const LANE: f64 = 8.0;
const SPACE: f64 = 10.0;

/// The kinds of answer that share a lane, `nxdomain` with its best, typical and worst.
struct Lane<'a> {
    name: &'a str,
    answers: Vec<(&'a str, &'a str)>,
}

pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let records: Vec<&Record> = records.iter().copied().filter(|record| record.unit == "bytes").collect();
    let lanes = lanes(&records);
    let sizes = |algorithm: &str, lane: &Lane| -> Vec<(String, f64)> {
        let of = |subject: &str| {
            records.iter().find(|record| {
                record.algorithm == algorithm
                    && record.operation == Operation::MessageSize
                    && record.subject == subject
            })
        };
        let answers = lane.answers.iter();
        let sizes =
            answers.filter_map(|(name, subject)| of(subject).map(|it| ((*name).to_owned(), it.value)));
        sizes.filter(|(_, bytes)| *bytes > 0.0).collect()
    };
    let all = |algorithm: &&str| lanes.iter().any(|lane| !sizes(algorithm, lane).is_empty());
    let rows: Vec<&str> = report.measured().into_iter().filter(all).collect();
    let values = rows.iter().flat_map(|row| lanes.iter().flat_map(|lane| sizes(row, lane)));
    let limits = LIMITS.iter().map(|limit| f64::from(limit.bytes));
    let axis = LogAxis::over(values.map(|(_, bytes)| bytes).chain(limits), LEFT, RIGHT)?;
    if rows.is_empty() {
        return None;
    }

    let height = LANE * lanes.len() as f64 + SPACE;
    let bottom = TOP + height * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    background(&mut svg, axis, bottom);
    for (at, algorithm) in rows.iter().enumerate() {
        let top = TOP + height * at as f64;
        let title = report.title(algorithm);
        open_row(&mut svg, report, algorithm, [top, top + height], RIGHT);
        for (number, lane) in lanes.iter().enumerate() {
            let y = top + SPACE / 2.0 + LANE * (number as f64 + 0.5);
            draw(&mut svg, axis, y, shape_of(number), title, &sizes(algorithm, lane));
        }
        svg.close();
    }
    let legend =
        lanes.iter().enumerate().map(|(at, lane)| (symbol(shape_of(at), "fit quiet"), lane.name.to_owned()));
    Some(Plot {
        title: "What fits a datagram".to_owned(),
        caption: "Each symbol is an answer, always in the same order from top to bottom; its line reaches from the \
                  smallest to the largest of its kind. Answers in the shaded parts do not fit the limit to the left of \
                  them: beyond 1452 bytes they are truncated and asked again over TCP."
            .to_owned(),
        legend: legend.collect(),
        svg: svg.finish(
            "Sizes of the answers and the limits of 512, 1232 and 1452 bytes, a row per algorithm; the table below \
             lists the results",
        ),
    })
}

fn background(svg: &mut Svg, axis: LogAxis, bottom: f64) {
    let [least, usual, most] = LIMITS.map(|limit| axis.at(f64::from(limit.bytes)));
    svg.rectangle((usual, TOP - 8.0), (most - usual, bottom - TOP + 8.0), "tight");
    svg.rectangle((most, TOP - 8.0), (RIGHT - most, bottom - TOP + 8.0), "over");
    for tick in axis.ticks() {
        let x = axis.at(tick);
        if x > RIGHT - 24.0 {
            continue;
        }
        svg.line((x, TOP), (x, bottom), "grid");
        svg.text((x, bottom + 18.0), Anchor::Middle, "tick", &tick_label(tick));
    }
    let middle = (LEFT + RIGHT) / 2.0;
    svg.text((middle, bottom + 38.0), Anchor::Middle, "axis", "bytes of DNS message");
    for (limit, (x, anchor, shift)) in LIMITS.iter().zip([
        (least, Anchor::Middle, 0.0),
        (usual, Anchor::End, 3.0),
        (most, Anchor::Start, -3.0),
    ]) {
        svg.open(&format!("{} bytes: {}", limit.bytes, limit.why));
        svg.line((x, TOP - 8.0), (x, bottom), "rule");
        svg.text((x + shift, TOP - 14.0), anchor, "limit", &limit.bytes.to_string());
        svg.close();
    }
    svg.text((RIGHT - 6.0, TOP - 14.0), Anchor::End, "limit over-word", "over TCP");
}

/// Draws one lane of one row: a line over its range, a symbol at the first answer that is neither best nor worst.
fn draw(svg: &mut Svg, axis: LogAxis, y: f64, shape: Shape, title: &str, sizes: &[(String, f64)]) {
    let stands = |name: &str| Answer::from_word(name).is_some_and(Answer::stands_for_its_kind);
    let main = sizes.iter().find(|(name, _)| stands(name)).or(sizes.first());
    let Some((_, value)) = main else { return };
    let least = sizes.iter().map(|(_, bytes)| *bytes).fold(f64::INFINITY, f64::min);
    let most = sizes.iter().map(|(_, bytes)| *bytes).fold(0.0, f64::max);
    let texts = sizes.iter().map(|(name, bytes)| {
        let size = grouped(&full(*bytes));
        format!("{name} {size} B, {}", fit(*bytes).word)
    });
    svg.open(&format!("{title}\n{}", texts.collect::<Vec<_>>().join("\n")));
    let class = format!("fit {}", fit(*value).tone.name());
    if most > least {
        svg.line((axis.at(least), y), (axis.at(most), y), &format!("range {}", fit(most).tone.name()));
        svg.line(
            (axis.at(most), y - 2.5),
            (axis.at(most), y + 2.5),
            &format!("range {}", fit(most).tone.name()),
        );
    }
    svg.shape(shape, (axis.at(*value), y), 3.8, &class);
    svg.close();
}

fn lanes<'a>(records: &[&'a Record]) -> Vec<Lane<'a>> {
    let mut lanes: Vec<Lane> = Vec::new();
    for (answer, subject) in message_subjects(records.iter().copied()) {
        let name = answer.split_once(' ').map_or(answer, |(kind, _)| kind);
        match lanes.iter_mut().find(|lane| lane.name == name) {
            Some(lane) => lane.answers.push((answer, subject)),
            None => lanes.push(Lane { name, answers: vec![(answer, subject)] }),
        }
    }
    lanes
}

fn shape_of(lane: usize) -> Shape {
    const SHAPES: [Shape; 8] = [
        Shape::Disc,
        Shape::Square,
        Shape::Diamond,
        Shape::Triangle,
        Shape::TriangleDown,
        Shape::Ring,
        Shape::HalfDisc,
        Shape::Cross,
    ];
    SHAPES[lane % SHAPES.len()]
}
