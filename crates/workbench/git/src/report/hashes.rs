//! What a hash function costs a repository, a row per algorithm: a byte of its objects, one at a time and many at once;
//! the whole of it; what each object takes more; and in how many places the function is available.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::Time;
use fieldtest_report::Report;
use fieldtest_report::number::Scale;
use fieldtest_report::plot::lanes::{Panel, Row, TOP, fastest_first, left_of_panels};
use fieldtest_report::plot::svg::{Anchor, Shape, Svg};
use fieldtest_report::plot::{Plot, WIDTH, symbol};
use fieldtest_report::tables::availability::known_places;

use super::tables::{decoding, sizes};
use crate::NAME;
use crate::words::{Messages, Operation, Size, Storage, Way};

/// The space between the panels.
const BETWEEN: f64 = 60.0;
/// Where the bytes for each object end, and where the places stand.
const BYTES: f64 = WIDTH - 76.0;
const PLACES: f64 = WIDTH - 24.0;
/// Where the panels end.
const RIGHT: f64 = BYTES - 62.0;

const WAY_SHAPES: [Shape; 2] = [Shape::Disc, Shape::Square];
/// The operations on the whole repository with their symbols and what they are called.
const WHOLE: [(Operation, Shape, &str); 2] = [
    (Operation::Rehash, Shape::TriangleDown, "decode and hash every object"),
    (Operation::Map, Shape::Diamond, "map every object to its new name"),
];

struct Drawing<'a> {
    report: &'a Report,
    records: &'a [&'a Record],
    /// The messages that are shown: those of the repository's sizes, or else the longest.
    size: Size,
    /// Where names end and panels begin.
    left: f64,
    messages: Panel<'a>,
    repository: Option<Panel<'a>>,
}

pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let records: Vec<&Record> = records.iter().copied().filter(|record| record.study == NAME).collect();
    let size = sizes(records.iter().copied()).last().copied()?;
    let shown: Vec<&Record> = messages(&records, size);
    let rows = rows(report, &shown);
    let left = left_of_panels(report, &rows);
    let repository: Vec<&Record> =
        records.iter().copied().filter(|record| is_shown_of_whole(record)).collect();
    let width = if repository.is_empty() { RIGHT - left } else { (RIGHT - left - BETWEEN) / 2.0 };
    let unit = &shown.first()?.unit;
    let drawing = Drawing {
        report,
        records: &records,
        size,
        left,
        messages: Panel::over(unit, shown.clone(), (left, left + width))?,
        repository: Panel::over("s", repository, (RIGHT - width, RIGHT)),
    };
    let height = |algorithm: &str| Row::height(report, algorithm, Way::ALL.len());
    let bottom = TOP + rows.iter().map(|algorithm| height(algorithm)).sum::<f64>();
    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    drawing.head(&mut svg, bottom);
    let mut top = TOP;
    for algorithm in &rows {
        drawing.row(&mut svg, algorithm, top);
        top += height(algorithm);
    }
    Some(Plot {
        title: "What a hash function costs a repository".to_owned(),
        caption: drawing.caption(),
        legend: drawing.legend(&rows),
        svg: svg.finish(
            "Cost of hashing a byte and of hashing and mapping the whole repository, a row per algorithm; the tables below \
             list the results",
        ),
    })
}

/// The results of messages of this size, all of the first one's unit: two units cannot stand on one axis, and the
/// tables hold the rest.
fn messages<'a>(records: &[&'a Record], size: Size) -> Vec<&'a Record> {
    let subjects = Way::ALL.map(|way| Messages { size, way }.to_string());
    let own = records.iter().copied().filter(|record| {
        record.operation == Operation::Hash && subjects.contains(&record.subject) && record.value > 0.0
    });
    let own: Vec<&Record> = own.collect();
    let unit = own.first().map(|record| record.unit.as_str());
    own.into_iter().filter(|record| Some(record.unit.as_str()) == unit).collect()
}

fn is_shown_of_whole(record: &Record) -> bool {
    let known = record.operation == Operation::Decode
        || WHOLE.iter().any(|(operation, ..)| record.operation == *operation);
    known && record.subject == Time::Wall && record.unit == "s" && record.value > 0.0
}

/// Whether a record is of the bytes that each object takes more.
fn is_more(record: &Record) -> bool {
    record.operation == Operation::Storage && record.subject == Storage::MoreForEachObject
}

/// The algorithms by what a byte costs at best; those that are unsafe come last.
fn rows<'a>(report: &'a Report, messages: &[&Record]) -> Vec<&'a str> {
    let least = |algorithm: &str| {
        let own = messages.iter().filter(|record| record.algorithm == algorithm);
        own.map(|record| record.value).reduce(f64::min)
    };
    let mut rows: Vec<(&str, f64)> =
        report.measured().into_iter().filter_map(|it| Some((it, least(it)?))).collect();
    rows.sort_by(|(a, x), (b, y)| report.is_unsafe(a).cmp(&report.is_unsafe(b)).then(x.total_cmp(y)));
    rows.into_iter().map(|(algorithm, _)| algorithm).collect()
}

impl<'a> Drawing<'a> {
    fn all(&self) -> impl Iterator<Item = &'a Record> {
        self.records.iter().copied()
    }

    /// The bytes that each object takes more.
    fn more(&self, algorithm: &str) -> Option<&'a Record> {
        self.all().find(|record| record.algorithm == algorithm && is_more(record))
    }

    /// What stands above and below the rows, and the floor that decoding is.
    fn head(&self, svg: &mut Svg, bottom: f64) {
        self.messages.grid(svg, bottom, &format!("Messages of {}", self.size.in_words()), "");
        if let Some(panel) = &self.repository {
            panel.grid(svg, bottom, "The whole repository", "wall time");
            if let Some(record) = decoding(self.all(), Time::Wall).filter(|record| record.value > 0.0) {
                let result = format!("decoding: {} {}", panel.write(record), panel.scale.label());
                svg.open(&format!("{result}, which no hash function can save"));
                svg.line((panel.at(record), TOP - 6.0), (panel.at(record), bottom), "rule");
                svg.text((panel.at(record), bottom + 38.0), Anchor::Middle, "tick", &result);
                svg.close();
            }
        }
        if self.records.iter().any(|record| is_more(record)) {
            svg.text((BYTES, TOP - 30.0), Anchor::End, "limit", "more");
            svg.text((BYTES, TOP - 14.0), Anchor::End, "limit", "bytes");
        }
        if self.places_asked().is_some() {
            svg.text((WIDTH - 4.0, TOP - 30.0), Anchor::End, "limit", "available");
            svg.text((WIDTH - 4.0, TOP - 14.0), Anchor::End, "limit", "in");
        }
    }

    fn places_asked(&self) -> Option<usize> {
        self.all().filter_map(|record| Some(known_places(self.all(), &record.algorithm)?.1)).max()
    }

    fn row(&self, svg: &mut Svg, algorithm: &str, top: f64) {
        let title = self.report.title(algorithm);
        let row = Row::open(svg, self.report, algorithm, (top, Way::ALL.len()), self.left);
        let own = |panel: &Panel<'a>, operation: Operation, subject: &str| {
            let records = panel.records.iter().copied().filter(|record| {
                record.algorithm == algorithm && record.operation == operation && record.subject == subject
            });
            fastest_first(records)
        };
        for (number, (way, shape)) in Way::ALL.into_iter().zip(WAY_SHAPES).enumerate() {
            let found = own(&self.messages, Operation::Hash, &Messages { size: self.size, way }.to_string());
            let what = format!("{title}, {}", way.in_words());
            self.messages.draw(svg, row.lane(number), (shape, row.class), &what, &found);
        }
        if let Some(panel) = &self.repository {
            for (number, (operation, shape, words)) in WHOLE.iter().enumerate() {
                let found = own(panel, *operation, Time::Wall.word());
                let what = format!("{title}, {words}");
                panel.draw(svg, row.lane(number), (*shape, row.class), &what, &found);
            }
        }
        let y = row.middle() + 4.0;
        if let Some(record) = self.more(algorithm) {
            let text = Scale::fitting("bytes", [record.value]).write(record.value);
            svg.text((BYTES, y), Anchor::End, "value", &text);
        }
        if let Some((having, asked)) = known_places(self.all(), algorithm) {
            svg.open(&format!("{title}, {} of {asked} places: {}", having.len(), having.join(", ")));
            svg.text((PLACES, y), Anchor::Middle, "value", &having.len().to_string());
            svg.close();
        }
        svg.close();
    }

    fn caption(&self) -> String {
        let mut caption = format!(
            "The cost of hashing a byte in messages of {}, with the fastest implementation of each algorithm; the line reaches to \
             the slowest. Left is better.",
            self.size.in_words()
        );
        let of_whole = |record: &Record| record.operation == WHOLE[0].0 && is_shown_of_whole(record);
        let whole = self.all().find(|record| of_whole(record)).and_then(|record| record.input.as_ref());
        if let Some(input) = whole {
            caption.push_str(&format!(" Next to it, all objects of {}.", input.name));
            if decoding(self.all(), Time::Wall).is_some() {
                caption.push_str(" The dashed line is decoding only, the minimum for any hash function.");
            }
        }
        if self.records.iter().any(|record| is_more(record)) {
            caption.push_str(
                " More bytes: what longer names take for each object, in trees and the pack's index.",
            );
        }
        if let Some(asked) = self.places_asked() {
            caption.push_str(&format!(" Available in: how many of {asked} libraries and systems have it."));
        }
        caption
    }

    fn legend(&self, rows: &[&str]) -> Vec<(String, String)> {
        let ways = Way::ALL.into_iter().zip(WAY_SHAPES);
        let mut legend: Vec<(String, String)> =
            ways.map(|(way, shape)| (symbol(shape, "fit quiet"), way.in_words().to_owned())).collect();
        let shown = WHOLE.iter().filter(|(operation, ..)| {
            let panel = self.repository.iter();
            panel.flat_map(|it| &it.records).any(|record| record.operation == *operation)
        });
        legend.extend(shown.map(|(_, shape, words)| (symbol(*shape, "fit quiet"), (*words).to_owned())));
        if rows.iter().any(|algorithm| self.report.is_unsafe(algorithm)) {
            legend.push((symbol(Shape::Cross, "p broken"), "unsafe, whatever it costs".to_owned()));
        }
        legend
    }
}
