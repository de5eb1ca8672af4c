//! What a MAC costs in the real segment, a row per algorithm: short and full segments side by side, one at a time and
//! in batches, and what is published.

use fieldtest_measure::record::Record;

use super::{LEFT, Plot, WIDTH, outline, symbol, words};
use crate::html::svg::{Anchor, LogAxis, Shape, Svg, tick_label};
use crate::mark::{self, UNSAFE};
use crate::number::{NARROW_SPACE, Scale};
use crate::report::Report;
use crate::summary::tcp_ao::{PUBLISHED, WAYS, short_and_full, split};
use crate::table::{Mark, Tone};

const TOP: f64 = 46.0;
/// The height of one way of working within a row.
const LANE: f64 = 15.0;
/// The space between rows.
const SPACE: f64 = 9.0;
/// The space between short and full segments.
const BETWEEN: f64 = 60.0;
/// Room for a figure left of the smallest value of an axis.
const FIGURE: f64 = 26.0;
/// Where the SACK blocks stand.
const SACK: f64 = WIDTH - 42.0;
/// The mean width of a letter of a name, on the generous side.
const LETTER: f64 = 7.2;

/// The symbol of each of [`WAYS`].
const SHAPES: [Shape; 2] = [Shape::Disc, Shape::Square];

/// Segments of one length, on their own axis.
struct Panel<'a> {
    length: u32,
    from: f64,
    to: f64,
    axis: LogAxis,
    scale: Scale,
    /// Figures of this length in the unit of the plot, measured and published.
    records: Vec<&'a Record>,
}

impl Panel<'_> {
    /// The figures of an algorithm worked on in this way, the fastest first.
    fn of(&self, algorithm: &str, way: &str) -> Vec<&Record> {
        let mut found: Vec<&Record> = self
            .records
            .iter()
            .copied()
            .filter(|it| {
                it.algorithm == algorithm
                    && it.operation == "segment"
                    && split(&it.subject) == Some((self.length, way))
            })
            .collect();
        found.sort_by(|a, b| a.value.total_cmp(&b.value));
        found
    }

    /// The figures that others published of an algorithm, the fastest first, with what they are of.
    fn published(&self, algorithm: &str) -> Vec<(&Record, &str)> {
        let own = self.records.iter().filter(|it| it.algorithm == algorithm && it.operation == PUBLISHED);
        let mut found: Vec<(&Record, &str)> =
            own.filter_map(|it| Some((*it, split(&it.subject)?.1))).collect();
        found.sort_by(|(a, _), (b, _)| a.value.total_cmp(&b.value));
        found
    }

    fn at(&self, record: &Record) -> f64 {
        self.axis.at(record.value / self.scale.factor())
    }

    fn write(&self, record: &Record) -> String {
        self.scale.write(record.value, NARROW_SPACE)
    }
}

/// The plot, if any record tells what a segment costs.
pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let lengths = short_and_full(records.iter().copied());
    let rows = rows(report, records, &lengths)?;
    let longest = rows.iter().map(|algorithm| report.title(algorithm).chars().count()).max()?;
    let left = (28.0 + longest as f64 * LETTER).clamp(LEFT, 2.0 * LEFT);
    let panels = panels(records, &lengths, left);
    if panels.is_empty() {
        return None;
    }
    let lanes = |algorithm: &str| {
        let published = panels.iter().any(|panel| !panel.published(algorithm).is_empty());
        WAYS.len() + usize::from(published) + usize::from(report.is_unsafe(algorithm))
    };
    let height = |algorithm: &str| LANE * lanes(algorithm) as f64 + SPACE;
    let bottom = TOP + rows.iter().map(|algorithm| height(algorithm)).sum::<f64>();

    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    for panel in &panels {
        grid(&mut svg, panel, bottom);
    }
    svg.text((SACK, TOP - 30.0), Anchor::Middle, "limit", "SACK");
    svg.text((SACK, TOP - 14.0), Anchor::Middle, "limit", "blocks");
    let mut top = TOP;
    for algorithm in &rows {
        row(&mut svg, report, records, &panels, (algorithm, top, height(algorithm)), left);
        top += height(algorithm);
    }
    Some(Plot {
        title: "What a MAC costs in the segment".to_owned(),
        caption: caption(report, records, &rows),
        legend: legend(&panels, rows.iter().any(|algorithm| report.is_unsafe(algorithm))),
        svg: svg.finish(
            "Cost of short and of full segments, one at a time and in batches, a row per algorithm; the figures stand in the \
             tables below",
        ),
    })
}

/// The algorithms by the cost of a short segment, one at a time; those that are unsafe come last.
fn rows<'a>(report: &'a Report, records: &[&Record], lengths: &[u32]) -> Option<Vec<&'a str>> {
    let unit = unit(records)?;
    let cost = |algorithm: &str| {
        let rank = |(length, way): (u32, &str)| {
            let way = WAYS.iter().position(|(known, _)| *known == way)?;
            Some((lengths.iter().position(|known| *known == length)?, way))
        };
        let own = records.iter().filter(|record| {
            record.algorithm == algorithm
                && record.operation == "segment"
                && record.unit == unit
                && record.value > 0.0
        });
        let ranked = own.filter_map(|record| Some((split(&record.subject).and_then(rank)?, record.value)));
        ranked.min_by(|(a, x), (b, y)| a.cmp(b).then(x.total_cmp(y)))
    };
    let mut rows: Vec<_> = report.measured().into_iter().filter_map(|it| Some((it, cost(it)?))).collect();
    rows.sort_by(|(a, (place, x)), (b, (other, y))| {
        let safety = report.is_unsafe(a).cmp(&report.is_unsafe(b));
        safety.then(place.cmp(other)).then(x.total_cmp(y))
    });
    Some(rows.into_iter().map(|(algorithm, _)| algorithm).collect())
}

/// The unit of the plot: that of the first figure. Two units cannot stand on one axis; the tables hold the rest.
fn unit<'a>(records: &[&'a Record]) -> Option<&'a str> {
    records.iter().find(|record| record.operation == "segment").map(|record| record.unit.as_str())
}

/// A panel per length, side by side right of `left`; none for a length without a figure above zero.
fn panels<'a>(records: &[&'a Record], lengths: &[u32], left: f64) -> Vec<Panel<'a>> {
    let Some(unit) = unit(records) else { return Vec::new() };
    let right = SACK - 36.0;
    let width = (right - left - BETWEEN * lengths.len().saturating_sub(1) as f64) / lengths.len() as f64;
    let panels = lengths.iter().enumerate().filter_map(|(at, length)| {
        let from = left + at as f64 * (width + BETWEEN);
        let own = records.iter().copied().filter(|record| {
            let known = record.operation == "segment" || record.operation == PUBLISHED;
            known
                && record.unit == unit
                && record.value > 0.0
                && split(&record.subject).is_some_and(|(it, _)| it == *length)
        });
        let records: Vec<&Record> = own.collect();
        let scale = Scale::fitting(unit, records.iter().map(|record| record.value));
        let values = records.iter().map(|record| record.value / scale.factor());
        let axis = LogAxis::over(values, from + FIGURE, from + width)?;
        Some(Panel { length: *length, from, to: from + width, axis, scale, records })
    });
    panels.collect()
}

/// The grid of a panel with what stands above and below it.
fn grid(svg: &mut Svg, panel: &Panel, bottom: f64) {
    for tick in panel.axis.ticks() {
        svg.line((panel.axis.at(tick), TOP - 6.0), (panel.axis.at(tick), bottom), "grid");
        svg.text((panel.axis.at(tick), bottom + 18.0), Anchor::Middle, "tick", &tick_label(tick));
    }
    let middle = (panel.from + panel.to) / 2.0;
    svg.text((middle, TOP - 14.0), Anchor::Middle, "limit", &format!("{} bytes of MAC input", panel.length));
    let unit = format!("{} per segment", panel.scale.label());
    svg.text((middle, bottom + 38.0), Anchor::Middle, "axis", &unit);
}

/// Draws an algorithm's row, `height` from `top`.
fn row(
    svg: &mut Svg,
    report: &Report,
    records: &[&Record],
    panels: &[Panel],
    (algorithm, top, height): (&str, f64, f64),
    left: f64,
) {
    let title = report.title(algorithm);
    let is_unsafe = report.is_unsafe(algorithm);
    let lane = |number: usize| top + SPACE / 2.0 + LANE * (number as f64 + 0.5);
    let middle = lane(0) + LANE / 2.0;
    svg.open_item(&words(report, algorithm), report.status(algorithm), title);
    if is_unsafe {
        svg.rectangle((0.0, top), (WIDTH, height), "over");
    }
    svg.line((0.0, top + height), (WIDTH, top + height), "grid");
    let (shape, class) = if is_unsafe { outline("broken") } else { outline(report.status(algorithm)) };
    svg.shape(shape, (left - 16.0, middle), 4.5, class);
    svg.text((left - 28.0, middle + 4.0), Anchor::End, "name", title);
    for panel in panels {
        for (number, (way, _)) in WAYS.iter().enumerate() {
            let class = if is_unsafe { "p broken hollow" } else { class };
            draw(svg, panel, lane(number), (SHAPES[number], class), title, &panel.of(algorithm, way));
        }
        draw_published(svg, panel, lane(WAYS.len()), title, &panel.published(algorithm));
    }
    if is_unsafe {
        let y = top + height - SPACE / 2.0 - LANE / 2.0;
        let reason = report.ruled_out_by(algorithm).map_or("broken", |note| first_clause(&note.text));
        svg.text((left, y + 4.0), Anchor::Start, "over-word", &format!("{} {reason}", UNSAFE.symbol));
    }
    sack_blocks(svg, middle, algorithm, records);
    svg.close();
}

/// A line over all implementations, and the symbol and the figure of the fastest.
fn draw(
    svg: &mut Svg,
    panel: &Panel,
    y: f64,
    (shape, class): (Shape, &str),
    title: &str,
    records: &[&Record],
) {
    let (Some(best), Some(worst)) = (records.first(), records.last()) else { return };
    let texts = records.iter().map(|record| {
        let name = record.implementation.as_ref().map_or("", |it| &it.name);
        format!("{name} {} {}", panel.write(record), panel.scale.label())
    });
    svg.open(&format!("{title}, {}\n{}", best.subject, texts.collect::<Vec<_>>().join("\n")));
    svg.line((panel.at(best), y), (panel.at(worst), y), "range quiet");
    svg.shape(shape, (panel.at(best), y), 4.2, class);
    svg.text((panel.at(best) - 9.0, y + 4.0), Anchor::End, "value", &panel.write(best));
    svg.close();
}

/// What others published, in a lane of its own: the fastest is named on its left, the slowest on its right.
fn draw_published(svg: &mut Svg, panel: &Panel, y: f64, title: &str, published: &[(&Record, &str)]) {
    let (Some((best, _)), Some((worst, _))) = (published.first(), published.last()) else { return };
    svg.line((panel.at(best), y), (panel.at(worst), y), "rule");
    for (at, (record, who)) in published.iter().enumerate() {
        let figure = format!("{} {}", panel.write(record), panel.scale.label());
        svg.open(&format!("{title}, {who}: {figure}, published, of another machine"));
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

/// The beginning of a remark, up to the first comma, semicolon or full stop.
fn first_clause(text: &str) -> &str {
    text.split([',', ';', '.']).next().unwrap_or(text)
}

/// How many blocks of selective acknowledgment remain, and whether a full SYN fits.
fn sack_blocks(svg: &mut Svg, y: f64, algorithm: &str, records: &[&Record]) {
    let Some(blocks) = space(records, algorithm, "sack-blocks", "with timestamps") else { return };
    let class = if blocks > 0.0 { "limit" } else { "tick" };
    svg.text((SACK, y + 4.0), Anchor::Middle, class, &format!("{blocks:.0}"));
    if let Some(mark) = full_syn(records, algorithm) {
        svg.open(&format!("options of a SYN: {}", mark.word));
        svg.shape(Shape::Disc, (SACK + 20.0, y), 4.2, &format!("fit {}", mark.tone.name()));
        svg.close();
    }
}

/// A figure of option space.
fn space(records: &[&Record], algorithm: &str, operation: &str, subject: &str) -> Option<f64> {
    let found = records
        .iter()
        .find(|it| it.algorithm == algorithm && it.operation == operation && it.subject == subject);
    found.map(|record| record.value)
}

/// The mark of a SYN whose usual options do not fit beside the tag.
fn full_syn(records: &[&Record], algorithm: &str) -> Option<Mark> {
    let bytes = space(records, algorithm, "options-of-full-syn", "")?;
    Some(mark::options(bytes)).filter(|mark| mark.tone == Tone::Bad)
}

fn caption(report: &Report, records: &[&Record], rows: &[&str]) -> String {
    let mut caption = "The whole receive path of a segment, by the fastest implementation of each algorithm; the line reaches \
                       to the slowest. Left is better. SACK blocks are those that a data segment with timestamps still has \
                       room for."
        .to_owned();
    if rows.iter().any(|algorithm| full_syn(records, algorithm).is_some()) {
        caption.push_str(" ● marks tags that a SYN with all usual options has no room for.");
    }
    let without: Vec<&str> = report
        .measured()
        .into_iter()
        .filter(|it| !rows.contains(it) && space(records, it, "option", "").is_some())
        .map(|it| report.title(it))
        .collect();
    if !without.is_empty() {
        caption.push_str(&format!(" Not timed: {}.", without.join(", ")));
    }
    caption
}

fn legend(panels: &[Panel], any_unsafe: bool) -> Vec<(String, String)> {
    let ways = WAYS.iter().zip(SHAPES);
    let mut legend: Vec<(String, String)> =
        ways.map(|((_, name), shape)| (symbol(shape, "fit quiet"), (*name).to_owned())).collect();
    if panels.iter().any(|panel| panel.records.iter().any(|record| record.operation == PUBLISHED)) {
        let words = "published, of another machine: to look at, not to compare by".to_owned();
        legend.push((symbol(Shape::Diamond, "fit hollow quiet"), words));
    }
    if any_unsafe {
        legend.push((symbol(Shape::Cross, "p broken"), "unsafe here, whatever it costs".to_owned()));
    }
    legend
}
