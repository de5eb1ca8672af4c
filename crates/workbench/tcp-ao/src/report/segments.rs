//! What a MAC costs in the real segment, a row per algorithm: short and full segments side by side, one at a time and
//! in batches, and what is published.

use fieldtest_measure::record::Record;
use fieldtest_report::Report;
use fieldtest_report::plot::lanes::{self, Row, TOP, fastest_first};
use fieldtest_report::plot::svg::{Anchor, Shape, Svg};
use fieldtest_report::plot::{Plot, WIDTH, symbol};
use fieldtest_report::{Mark, Tone};

use super::tables::{options, short_and_full};
use crate::words::{Operation, Published, Segments, Timestamps, Way};

const BETWEEN: f64 = 60.0;
const SACK: f64 = WIDTH - 42.0;
/// The symbol of each [`Way`].
const SHAPES: [Shape; 2] = [Shape::Disc, Shape::Square];

/// Segments of one length, in the unit of the plot, measured and published.
struct Panel<'a> {
    length: u32,
    panel: lanes::Panel<'a>,
}

impl Panel<'_> {
    /// The results of an algorithm worked on in this way, the fastest first.
    fn of(&self, algorithm: &str, way: Way) -> Vec<&Record> {
        let own = self.panel.records.iter().copied().filter(|it| {
            it.algorithm == algorithm
                && it.operation == Operation::Segment
                && Segments::read(&it.subject) == Some(Segments { length: self.length, way })
        });
        fastest_first(own)
    }

    /// The results that others published of an algorithm, the fastest first, with what they are of.
    fn published(&self, algorithm: &str) -> Vec<(&Record, &str)> {
        let records = self.panel.records.iter().copied();
        let own =
            records.filter(|it| it.algorithm == algorithm && it.operation == Operation::SegmentPublished);
        fastest_first(own)
            .into_iter()
            .filter_map(|it| Some((it, Published::read(&it.subject)?.code)))
            .collect()
    }
}

pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let lengths = short_and_full(records.iter().copied());
    let rows = rows(report, records, &lengths)?;
    let left = lanes::left_of_panels(report, &rows);
    let panels = panels(records, &lengths, left);
    if panels.is_empty() {
        return None;
    }
    let lanes = |algorithm: &str| {
        let published = panels.iter().any(|panel| !panel.published(algorithm).is_empty());
        Way::ALL.len() + usize::from(published)
    };
    let height = |algorithm: &str| Row::height(report, algorithm, lanes(algorithm));
    let bottom = TOP + rows.iter().map(|algorithm| height(algorithm)).sum::<f64>();

    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    for Panel { length, panel } in &panels {
        panel.grid(&mut svg, bottom, &format!("{length} bytes of MAC input"), "per segment");
    }
    svg.text((SACK, TOP - 30.0), Anchor::Middle, "limit", "SACK");
    svg.text((SACK, TOP - 14.0), Anchor::Middle, "limit", "blocks");
    let mut top = TOP;
    for algorithm in &rows {
        let row = Row::open(&mut svg, report, algorithm, (top, lanes(algorithm)), left);
        draw(&mut svg, report.title(algorithm), &panels, algorithm, &row);
        sack_blocks(&mut svg, row.middle(), algorithm, records);
        svg.close();
        top += height(algorithm);
    }
    Some(Plot {
        title: "What a MAC costs in the segment".to_owned(),
        caption: caption(report, records, &rows),
        legend: legend(&panels, rows.iter().any(|algorithm| report.is_unsafe(algorithm))),
        svg: svg.finish(
            "Cost of short and of full segments, one at a time and in batches, a row per algorithm; the tables below \
             list the results",
        ),
    })
}

/// The algorithms by the cost of a short segment, one at a time; those that are unsafe come last.
fn rows<'a>(report: &'a Report, records: &[&Record], lengths: &[u32]) -> Option<Vec<&'a str>> {
    let unit = unit(records)?;
    let cost = |algorithm: &str| {
        let rank = |it: Segments| {
            let way = Way::ALL.iter().position(|known| *known == it.way)?;
            Some((lengths.iter().position(|known| *known == it.length)?, way))
        };
        let own = records.iter().filter(|record| {
            record.algorithm == algorithm
                && record.operation == Operation::Segment
                && record.unit == unit
                && record.value > 0.0
        });
        let ranked =
            own.filter_map(|record| Some((Segments::read(&record.subject).and_then(rank)?, record.value)));
        ranked.min_by(|(a, x), (b, y)| a.cmp(b).then(x.total_cmp(y)))
    };
    let mut rows: Vec<_> = report.measured().into_iter().filter_map(|it| Some((it, cost(it)?))).collect();
    rows.sort_by(|(a, (place, x)), (b, (other, y))| {
        let safety = report.is_unsafe(a).cmp(&report.is_unsafe(b));
        safety.then(place.cmp(other)).then(x.total_cmp(y))
    });
    Some(rows.into_iter().map(|(algorithm, _)| algorithm).collect())
}

/// The unit of the plot: that of the first result. Cycles and nanoseconds cannot share an axis; the tables
/// hold the rest.
fn unit<'a>(records: &[&'a Record]) -> Option<&'a str> {
    records.iter().find(|record| record.operation == Operation::Segment).map(|record| record.unit.as_str())
}

fn length_of(record: &Record) -> Option<u32> {
    match Operation::from_word(&record.operation)? {
        Operation::Segment => Some(Segments::read(&record.subject)?.length),
        Operation::SegmentPublished => Some(Published::read(&record.subject)?.length),
        _ => None,
    }
}

/// A panel per length, side by side right of `left`; none for a length without a result above zero.
fn panels<'a>(records: &[&'a Record], lengths: &[u32], left: f64) -> Vec<Panel<'a>> {
    let Some(unit) = unit(records) else { return Vec::new() };
    let right = SACK - 36.0;
    let width = (right - left - BETWEEN * lengths.len().saturating_sub(1) as f64) / lengths.len() as f64;
    let panels = lengths.iter().enumerate().filter_map(|(at, length)| {
        let from = left + at as f64 * (width + BETWEEN);
        let own = records
            .iter()
            .copied()
            .filter(|record| length_of(record) == Some(*length) && record.unit == unit && record.value > 0.0);
        let records: Vec<&Record> = own.collect();
        let panel = lanes::Panel::over(unit, records, (from, from + width))?;
        Some(Panel { length: *length, panel })
    });
    panels.collect()
}

/// Draws the results of an algorithm, a lane per way and one for what is published.
fn draw(svg: &mut Svg, title: &str, panels: &[Panel], algorithm: &str, row: &Row) {
    for it in panels {
        for (number, way) in Way::ALL.into_iter().enumerate() {
            let what = format!("{title}, {} {way}", it.length);
            it.panel.draw(svg, row.lane(number), (SHAPES[number], row.class), &what, &it.of(algorithm, way));
        }
        draw_published(svg, &it.panel, row.lane(Way::ALL.len()), title, &it.published(algorithm));
    }
}

/// What others published, in a lane of its own: the fastest is named on its left, the slowest on its right.
fn draw_published(svg: &mut Svg, panel: &lanes::Panel, y: f64, title: &str, published: &[(&Record, &str)]) {
    let (Some((best, _)), Some((worst, _))) = (published.first(), published.last()) else { return };
    svg.line((panel.at(best), y), (panel.at(worst), y), "rule");
    for (at, (record, who)) in published.iter().enumerate() {
        let result = format!("{} {}", panel.write(record), panel.scale.label());
        svg.open(&format!("{title}, {who}: {result}, published, of another machine"));
        svg.shape(Shape::Diamond, (panel.at(record), y), 4.2, "fit hollow quiet");
        if at == 0 && published.len() > 1 {
            let label = format!("{who}: {}", panel.write(record));
            svg.text((panel.at(record) - 9.0, y + 4.0), Anchor::End, "tick", &label);
        } else if at + 1 == published.len() {
            let label = format!("{who}: {}", panel.write(record));
            svg.text((panel.at(record) + 9.0, y + 4.0), Anchor::Start, "tick", &label);
        }
        svg.close();
    }
}

/// How many blocks of selective acknowledgment remain, and whether a full SYN fits.
fn sack_blocks(svg: &mut Svg, y: f64, algorithm: &str, records: &[&Record]) {
    let Some(blocks) = space(records, algorithm, Operation::SackBlocks, Timestamps::With.word()) else {
        return;
    };
    let class = if blocks > 0.0 { "limit" } else { "tick" };
    svg.text((SACK, y + 4.0), Anchor::Middle, class, &format!("{blocks:.0}"));
    if let Some(mark) = full_syn(records, algorithm) {
        svg.open(&format!("options of a SYN: {}", mark.word));
        svg.shape(Shape::Disc, (SACK + 20.0, y), 4.2, &format!("fit {}", mark.tone.name()));
        svg.close();
    }
}

fn space(records: &[&Record], algorithm: &str, operation: Operation, subject: &str) -> Option<f64> {
    let found = records
        .iter()
        .find(|it| it.algorithm == algorithm && it.operation == operation && it.subject == subject);
    found.map(|record| record.value)
}

/// The mark of a SYN whose usual options do not fit beside the tag.
fn full_syn(records: &[&Record], algorithm: &str) -> Option<Mark> {
    let bytes = space(records, algorithm, Operation::OptionsOfFullSyn, "")?;
    Some(options(bytes)).filter(|mark| mark.tone == Tone::Bad)
}

fn caption(report: &Report, records: &[&Record], rows: &[&str]) -> String {
    let mut caption = "The whole receive path of a segment, by the fastest implementation of each algorithm; the line reaches \
                       to the slowest. Left is better. SACK blocks are those that a data segment with timestamps still has \
                       room for."
        .to_owned();
    if rows.iter().any(|algorithm| full_syn(records, algorithm).is_some()) {
        caption.push_str(" █ marks tags that do not fit in a SYN with all usual options.");
    }
    let without: Vec<&str> = report
        .measured()
        .into_iter()
        .filter(|it| !rows.contains(it) && space(records, it, Operation::Option, "").is_some())
        .map(|it| report.title(it))
        .collect();
    if !without.is_empty() {
        caption.push_str(&format!(" Not timed: {}.", without.join(", ")));
    }
    caption
}

fn legend(panels: &[Panel], any_unsafe: bool) -> Vec<(String, String)> {
    let ways = Way::ALL.into_iter().zip(SHAPES);
    let mut legend: Vec<(String, String)> =
        ways.map(|(way, shape)| (symbol(shape, "fit quiet"), way.in_words().to_owned())).collect();
    if panels
        .iter()
        .any(|panel| panel.panel.records.iter().any(|record| record.operation == Operation::SegmentPublished))
    {
        let words = "published, of another machine: for orientation, not for comparison".to_owned();
        legend.push((symbol(Shape::Diamond, "fit hollow quiet"), words));
    }
    if any_unsafe {
        legend.push((symbol(Shape::Cross, "p broken"), "unsafe in TCP-AO, whatever it costs".to_owned()));
    }
    legend
}
