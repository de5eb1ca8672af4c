//! What a cipher costs per page, a row per algorithm: in sectors of each size, and as others published it.

use fieldtest_measure::record::Record;
use fieldtest_report::Report;
use fieldtest_report::number::{grouped, significant};
use fieldtest_report::plot::lanes::{Panel, Row, TOP, fastest_first, left_of_panels};
use fieldtest_report::plot::svg::{Anchor, Shape, Svg};
use fieldtest_report::plot::{Plot, WIDTH, symbol};

use super::asked::{refusal, sizes};
use crate::words::{Operation, Published, Sectors, Way};

/// Where it stands what a changed bit garbles.
const GARBLED: f64 = WIDTH - 42.0;
/// Where the axis ends, with room for the name of the slowest published result.
const RIGHT: f64 = GARBLED - 130.0;
/// The symbols of sizes, from the smallest sectors on.
const SHAPES: [Shape; 4] = [Shape::Square, Shape::TriangleDown, Shape::Triangle, Shape::Disc];

struct Picture<'a> {
    report: &'a Report,
    records: &'a [&'a Record],
    sizes: Vec<u32>,
    unit: &'a str,
    /// Results of pages, measured and published.
    panel: Panel<'a>,
    left: f64,
}

impl<'a> Picture<'a> {
    /// The results of an algorithm in sectors of one size, the fastest first.
    fn of(&self, algorithm: &str, size: u32) -> Vec<&'a Record> {
        let own = self.panel.records.iter().copied();
        fastest_first(own.filter(|it| {
            it.algorithm == algorithm
                && is_page(it, self.unit)
                && Sectors::read(&it.subject) == Some(Sectors { size, way: Way::Page })
        }))
    }

    /// What others published of an algorithm, the fastest first.
    fn published(&self, algorithm: &str) -> Vec<&'a Record> {
        let own = self.panel.records.iter().copied();
        fastest_first(own.filter(|it| it.algorithm == algorithm && is_published(it, self.unit)))
    }

    fn refusal(&self, algorithm: &str) -> Option<&'a str> {
        refusal(self.report, self.records.iter().copied(), algorithm)
    }

    fn lanes(&self, algorithm: &str) -> usize {
        self.sizes.len() + usize::from(!self.published(algorithm).is_empty())
    }

    fn height(&self, algorithm: &str) -> f64 {
        Row::height_of(self.refusal(algorithm).is_some(), self.lanes(algorithm))
    }
}

/// Whether a record is of encrypting a page.
fn is_page(record: &Record, unit: &str) -> bool {
    record.operation == Operation::Encrypt
        && record.unit == unit
        && record.value > 0.0
        && Sectors::read(&record.subject).is_some_and(|it| it.way == Way::Page)
}

/// Whether a record is published. Ticks of others stand on the axis of our cycles, and on no other.
fn is_published(record: &Record, unit: &str) -> bool {
    record.operation == Operation::EncryptPublished
        && unit == "cycles"
        && record.unit == "ticks"
        && record.value > 0.0
}

pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let is_measured =
        |it: &&&Record| it.operation == Operation::Encrypt && Sectors::read(&it.subject).is_some();
    let unit = records.iter().find(is_measured)?.unit.as_str();
    let sizes = sizes(records.iter().copied());
    let rows = rows(report, records, &sizes, unit);
    let left = left_of_panels(report, &rows);
    let drawn = records
        .iter()
        .copied()
        .filter(|it| rows.contains(&it.algorithm.as_str()) && (is_page(it, unit) || is_published(it, unit)));
    let panel = Panel::over(unit, drawn.collect(), (left, RIGHT))?;
    let picture = Picture { report, records, sizes, unit, panel, left };

    let bottom = TOP + rows.iter().map(|algorithm| picture.height(algorithm)).sum::<f64>();
    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    picture.panel.grid(&mut svg, bottom, "a page of 4096 bytes", "per page");
    svg.text((GARBLED, TOP - 30.0), Anchor::Middle, "limit", "bytes that");
    svg.text((GARBLED, TOP - 14.0), Anchor::Middle, "limit", "diffusion");
    let mut top = TOP;
    for algorithm in &rows {
        row(&mut svg, &picture, algorithm, top);
        top += picture.height(algorithm);
    }
    Some(Plot {
        title: "What a cipher costs per page".to_owned(),
        caption: "A page encrypted with one call, by the fastest implementation of each algorithm; the line reaches to the \
                  slowest. Left is better. The last column says how many bytes of a sector of 4096 are lost if one bit of its \
                  ciphertext is changed."
            .to_owned(),
        legend: legend(&picture, &rows),
        svg: svg.finish(
            "Cost of encrypting 4096 bytes in sectors of each size, a row per algorithm; the tables below list the results",
        ),
    })
}

/// The algorithms by what a page costs in the largest sectors; those that protect no disk come last.
fn rows<'a>(report: &'a Report, records: &[&Record], sizes: &[u32], unit: &str) -> Vec<&'a str> {
    let cost = |algorithm: &str| {
        let own = records.iter().filter(|it| it.algorithm == algorithm && is_page(it, unit));
        let ranked = own.filter_map(|record| {
            let size = Sectors::read(&record.subject)?.size;
            Some((sizes.iter().rev().position(|known| *known == size)?, record.value))
        });
        ranked.min_by(|(a, x), (b, y)| a.cmp(b).then(x.total_cmp(y)))
    };
    let is_refused = |algorithm: &str| refusal(report, records.iter().copied(), algorithm).is_some();
    let mut rows: Vec<_> = report.measured().into_iter().filter_map(|it| Some((it, cost(it)?))).collect();
    rows.sort_by(|(a, (place, x)), (b, (other, y))| {
        is_refused(a).cmp(&is_refused(b)).then(place.cmp(other)).then(x.total_cmp(y))
    });
    rows.into_iter().map(|(algorithm, _)| algorithm).collect()
}

fn row(svg: &mut Svg, picture: &Picture, algorithm: &str, top: f64) {
    let title = picture.report.title(algorithm);
    let place = (top, picture.lanes(algorithm));
    let refusal = picture.refusal(algorithm);
    let row = Row::open_ruled_out(svg, picture.report, algorithm, place, picture.left, refusal);
    for (number, size) in picture.sizes.iter().enumerate() {
        let style = (shape_of(&picture.sizes, number), row.class);
        let words = format!("{title}, sectors of {size} bytes");
        picture.panel.draw(svg, row.lane(number), style, &words, &picture.of(algorithm, *size));
    }
    let lane = row.lane(picture.sizes.len());
    draw_published(svg, &picture.panel, lane, title, &picture.published(algorithm));
    let mut own = picture.records.iter().filter(|it| it.algorithm == algorithm && it.unit == "bytes");
    if let Some(record) = own.find(|it| it.operation == Operation::Diffusion) {
        let bytes = grouped(&format!("{:.0}", record.value));
        svg.text((GARBLED, row.middle() + 4.0), Anchor::Middle, "limit", &bytes);
    }
    svg.close();
}

/// The symbol of a size: of one alone and of the largest the disc, of the smallest the square.
fn shape_of(sizes: &[u32], number: usize) -> Shape {
    let from_last = sizes.len().saturating_sub(number + 1);
    match number {
        0 if from_last > 0 => SHAPES[0],
        _ => SHAPES[(SHAPES.len() - 1).saturating_sub(from_last)],
    }
}

/// What others published, in a lane of its own: the fastest is named on its left, the slowest on its right.
fn draw_published(svg: &mut Svg, panel: &Panel, y: f64, title: &str, published: &[&Record]) {
    let (Some(best), Some(worst)) = (published.first(), published.last()) else { return };
    svg.line((panel.at(best), y), (panel.at(worst), y), "rule");
    for (at, record) in published.iter().enumerate() {
        let who = Published::read(&record.subject).map_or("", |it| it.by);
        svg.open(&format!(
            "{title}, {who}: {} ticks of the time-stamp counter, published, of another machine",
            significant(record.value)
        ));
        svg.shape(Shape::Diamond, (panel.at(record), y), 4.2, "fit hollow quiet");
        let code = who.split(',').next().unwrap_or(who);
        let is_last = at + 1 == published.len();
        if at == 0 && !is_last {
            svg.text((panel.at(record) - 9.0, y + 4.0), Anchor::End, "tick", code);
        } else if is_last {
            svg.text((panel.at(record) + 9.0, y + 4.0), Anchor::Start, "tick", code);
        }
        svg.close();
    }
}

fn legend(picture: &Picture, rows: &[&str]) -> Vec<(String, String)> {
    let of_sizes = picture.sizes.iter().enumerate().map(|(number, size)| {
        (symbol(shape_of(&picture.sizes, number), "fit quiet"), format!("in sectors of {size} bytes"))
    });
    let mut legend: Vec<(String, String)> = of_sizes.collect();
    if rows.iter().any(|algorithm| !picture.published(algorithm).is_empty()) {
        let words =
            "published, in ticks of another machine's time-stamp counter: for orientation, not for comparison"
                .to_owned();
        legend.push((symbol(Shape::Diamond, "fit hollow quiet"), words));
    }
    if rows.iter().any(|algorithm| picture.refusal(algorithm).is_some()) {
        legend.push((symbol(Shape::Cross, "p broken"), "protects no disk, whatever it costs".to_owned()));
    }
    legend
}
