//! What a file's signature takes on each file system and what it costs to make and to verify, a row per algorithm.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::KeyOperation;
use fieldtest_report::Report;
use fieldtest_report::number::{Scale, full, grouped};
use fieldtest_report::plot::svg::{Anchor, LogAxis, Shape, Svg, tick_label};
use fieldtest_report::plot::{LEFT, Plot, WIDTH, outline, symbol};
use fieldtest_report::symbols::UNSAFE;
use fieldtest_report::tables::ledger::fastest;

use super::tables::{FILE_SYSTEMS, Storage, appraisal, attribute, refused, storage};
use crate::NAME;
use crate::words::FileSystem;

const TOP: f64 = 34.0;
const ROW: f64 = 25.0;
/// The height of the words above a group of rows.
const HEADING: f64 = 30.0;
/// The width of a file system's cells, and the space between them.
const CELL: f64 = 76.0;
const GAP: f64 = 4.0;
/// Where the level and the end of the attribute's length stand, right of the names.
const TIED: f64 = 14.0;
const ATTRIBUTE: f64 = 88.0;
/// Where the cells begin, right of the names.
const CELLS: f64 = 102.0;
/// Room for a result on both sides of the times.
const RESULT: f64 = 52.0;
const KERNEL: f64 = WIDTH - 10.0;
/// The mean width of a letter of a name, on the generous side.
const LETTER: f64 = 7.2;
/// Bytes that most file systems give at once, by which cells are coloured.
const BLOCK: f64 = 4096.0;

const TIMED: [(KeyOperation, Shape); 2] =
    [(KeyOperation::Verify, Shape::Disc), (KeyOperation::Sign, Shape::Square)];

/// The times of single operations on an axis of their own.
struct Times<'a> {
    axis: LogAxis,
    unit: &'a str,
}

struct Group<'a> {
    heading: String,
    algorithms: Vec<&'a str>,
}

struct Drawing<'a> {
    report: &'a Report,
    records: &'a [&'a Record],
    /// Where names end and results begin.
    left: f64,
    /// The file systems with the left edge of their cells.
    systems: Vec<(FileSystem, f64)>,
    times: Option<Times<'a>>,
}

/// The plot, if any record tells what a signature takes on a file system.
pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let records: Vec<&Record> = records.iter().copied().filter(|record| record.study == NAME).collect();
    let groups = groups(report, &records);
    let rows: Vec<&str> = groups.iter().flat_map(|group| group.algorithms.iter().copied()).collect();
    let longest = rows.iter().map(|algorithm| report.title(algorithm).chars().count()).max()?;
    let left = (28.0 + longest as f64 * LETTER).clamp(LEFT, 2.0 * LEFT);
    let systems = FILE_SYSTEMS
        .into_iter()
        .filter(|system| {
            rows.iter().any(|row| storage(records.iter().copied(), row, system.word()).is_some())
        })
        .enumerate()
        .map(|(at, system)| (system, left + CELLS + at as f64 * (CELL + GAP)))
        .collect::<Vec<_>>();
    let times = times(&records, systems.last().map_or(left, |(_, from)| from + CELL));
    let drawing = Drawing { report, records: &records, left, systems, times };

    let headings = if groups.len() > 1 { HEADING } else { 0.0 };
    let bottom = TOP + ROW * rows.len() as f64 + headings * groups.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    drawing.head(&mut svg, bottom);
    let mut y = TOP;
    for group in &groups {
        if headings > 0.0 {
            svg.text((12.0, y + HEADING - 9.0), Anchor::Start, "limit", &group.heading);
            svg.line((0.0, y + HEADING - 2.0), (WIDTH, y + HEADING - 2.0), "grid");
            y += HEADING;
        }
        for algorithm in &group.algorithms {
            drawing.row(&mut svg, algorithm, y + ROW / 2.0);
            y += ROW;
        }
    }
    Some(Plot {
        title: "What a file's signature costs".to_owned(),
        caption: drawing.caption(),
        legend: drawing.legend(&rows),
        svg: svg.finish(
            "Bytes that a signature takes on each file system, and the times to sign and to verify a file, a row per \
             algorithm; the tables below list the results",
        ),
    })
}

/// The algorithms whose storage is told, those that a kernel verifies first, the unsafe ones last; each group by the
/// length of the attribute.
fn groups<'a>(report: &'a Report, records: &[&Record]) -> Vec<Group<'a>> {
    let all = || records.iter().copied();
    let stored =
        |algorithm: &&str| FILE_SYSTEMS.iter().any(|it| storage(all(), algorithm, it.word()).is_some());
    let mut algorithms: Vec<&str> = report.measured().into_iter().filter(stored).collect();
    let length = |algorithm: &str| attribute(all(), algorithm).map_or(f64::INFINITY, |record| record.value);
    algorithms.sort_by(|a, b| length(a).total_cmp(&length(b)));
    let (unsafe_ones, safe): (Vec<&str>, Vec<&str>) =
        algorithms.into_iter().partition(|algorithm| report.is_unsafe(algorithm));
    let (verified, others): (Vec<&str>, Vec<&str>) =
        safe.into_iter().partition(|algorithm| appraisal(all(), algorithm).is_some());
    let kernel = verified.first().and_then(|algorithm| appraisal(all(), algorithm));
    let kernel = kernel.map_or("", |record| &record.subject);
    [
        (format!("Verified by {kernel}"), verified),
        ("No kernel is known to verify these".to_owned(), others),
        (format!("{} Unsafe, whatever they cost", UNSAFE.symbol), unsafe_ones),
    ]
    .into_iter()
    .filter(|(_, algorithms)| !algorithms.is_empty())
    .map(|(heading, algorithms)| Group { heading, algorithms })
    .collect()
}

/// The axis of times right of `from`, in the unit of the first of them.
fn times<'a>(records: &[&'a Record], from: f64) -> Option<Times<'a>> {
    let timed = |record: &&&Record| TIMED.iter().any(|(operation, _)| record.operation == *operation);
    let unit = records.iter().find(timed)?.unit.as_str();
    let values = records.iter().filter(timed).filter(|record| record.unit == unit).map(|record| record.value);
    let right = KERNEL - 54.0;
    let axis = LogAxis::over(values, from + 18.0 + RESULT, right - RESULT)?;
    Some(Times { axis, unit })
}

/// A result with its own unit, `1.67 ms`.
fn written(value: f64, unit: &str) -> String {
    let scale = Scale::fitting(unit, [value]);
    format!("{} {}", scale.write(value), scale.label())
}

fn bytes(value: f64) -> String {
    grouped(&full(value))
}

impl<'a> Drawing<'a> {
    fn all(&self) -> impl Iterator<Item = &'a Record> {
        self.records.iter().copied()
    }

    fn any_appraisal(&self) -> Option<&'a Record> {
        self.all().find_map(|record| appraisal(self.all(), &record.algorithm))
    }

    /// What stands above and below the rows.
    fn head(&self, svg: &mut Svg, bottom: f64) {
        let y = TOP - 12.0;
        svg.text((self.left + TIED, y), Anchor::Middle, "tick", "level");
        svg.text((self.left + ATTRIBUTE, y), Anchor::End, "tick", "xattr");
        for (system, from) in &self.systems {
            svg.text((from + CELL / 2.0, y), Anchor::Middle, "limit", system.word());
        }
        if let (Some((_, from)), Some((_, last))) = (self.systems.first(), self.systems.last()) {
            let middle = (from + last + CELL) / 2.0;
            svg.text((middle, bottom + 38.0), Anchor::Middle, "axis", "bytes on disk for one file");
        }
        if self.any_appraisal().is_some() {
            svg.text((KERNEL, y), Anchor::End, "limit", "kernel");
            svg.text((KERNEL, bottom + 18.0), Anchor::End, "tick", "published");
        }
        let Some(Times { axis, unit }) = &self.times else { return };
        let mut free = f64::NEG_INFINITY;
        for tick in axis.ticks() {
            let scale = Scale::fitting(unit, [tick]);
            let label =
                format!("{} {}", tick_label((tick / scale.factor() * 1e6).round() / 1e6), scale.label());
            svg.line((axis.at(tick), TOP - 4.0), (axis.at(tick), bottom), "grid");
            // Six powers of ten with their units do not fit side by side in 300 units.
            let half = label.chars().count() as f64 * LETTER / 2.0;
            if axis.at(tick) - half > free {
                svg.text((axis.at(tick), bottom + 18.0), Anchor::Middle, "tick", &label);
                free = axis.at(tick) + half;
            }
        }
        svg.text((axis.middle(), y), Anchor::Middle, "limit", "sign and verify");
        svg.text((axis.middle(), bottom + 38.0), Anchor::Middle, "axis", "time for one file");
    }

    fn row(&self, svg: &mut Svg, algorithm: &str, y: f64) {
        let report = self.report;
        let title = report.title(algorithm);
        let is_unsafe = report.is_unsafe(algorithm);
        let tooltip =
            report.ruled_out_by(algorithm).map_or(title.to_owned(), |note| format!("{title}: {}", note.text));
        svg.open_item(algorithm, &tooltip);
        svg.rectangle((0.0, y - ROW / 2.0), (WIDTH, ROW), if is_unsafe { "over" } else { "hit" });
        let (shape, class) = outline(if is_unsafe { "broken" } else { report.status(algorithm) });
        svg.shape(shape, (self.left - 16.0, y), 4.5, class);
        svg.text((self.left - 28.0, y + 4.0), Anchor::End, "name", title);
        let level = report.candidate(algorithm).and_then(|candidate| candidate.level);
        let level = level.map_or("–".to_owned(), |level| level.to_string());
        svg.text((self.left + TIED, y + 4.0), Anchor::Middle, "tick", &level);
        if let Some(record) = attribute(self.all(), algorithm) {
            svg.text((self.left + ATTRIBUTE, y + 4.0), Anchor::End, "value", &bytes(record.value));
        }
        for (system, from) in &self.systems {
            if let Some(storage) = storage(self.all(), algorithm, system.word()) {
                draw_cell(svg, (*from, y), &format!("{title} on {system}"), storage);
            }
        }
        self.draw_times(svg, algorithm, y, class);
        if let Some(record) = appraisal(self.all(), algorithm) {
            let result = written(record.value, &record.unit);
            svg.open(&format!("{title}, {}: {result}, published, of another machine", record.subject));
            svg.text((KERNEL, y + 4.0), Anchor::End, "value", &result);
            svg.close();
        }
        svg.close();
    }

    /// The symbols of signing and verifying, joined by a line, each with its result on the outer side.
    fn draw_times(&self, svg: &mut Svg, algorithm: &str, y: f64, class: &str) {
        let Some(Times { axis, unit }) = &self.times else { return };
        let mut found: Vec<(KeyOperation, Shape, &Record)> = TIMED
            .iter()
            .filter_map(|(operation, shape)| {
                let record = fastest(self.all(), algorithm, operation.word(), "", unit)?;
                (record.value > 0.0).then_some((*operation, *shape, record))
            })
            .collect();
        found.sort_by(|(.., a), (.., b)| a.value.total_cmp(&b.value));
        let (Some((.., least)), Some((.., most))) = (found.first(), found.last()) else {
            svg.text((axis.middle(), y + 4.0), Anchor::Middle, "tick", "not timed");
            return;
        };
        svg.line((axis.at(least.value), y), (axis.at(most.value), y), "range quiet");
        for (at, (operation, shape, record)) in found.iter().enumerate() {
            let result = written(record.value, unit);
            let name = record.implementation.as_ref().map_or("", |it| &it.name);
            svg.open(&format!("{}, {operation}: {result}, {name}", self.report.title(algorithm)));
            let x = axis.at(record.value);
            svg.shape(*shape, (x, y), 4.2, class);
            let (anchor, shift) = if at == 0 { (Anchor::End, -9.0) } else { (Anchor::Start, 9.0) };
            svg.text((x + shift, y + 4.0), anchor, "value", &result);
            svg.close();
        }
    }

    fn caption(&self) -> String {
        let mut caption = "Bytes that the signature of one file takes on file systems as they are made by default, and what \
                           signing and verifying it costs with the fastest implementation of each algorithm; level is \
                           NIST's category."
            .to_owned();
        if self.systems.iter().any(|(system, _)| *system == FileSystem::Here) {
            caption.push_str(" Here is the file system of the tree.");
        }
        if let Some(record) = self.any_appraisal() {
            caption.push_str(&format!(
                " The last column is what {} takes to verify a file's signature at its first use: published, of another \
                 machine, for orientation and not for comparison.",
                record.subject
            ));
        }
        caption
    }

    fn legend(&self, rows: &[&str]) -> Vec<(String, String)> {
        let cells = rows.iter().flat_map(|row| {
            self.systems
                .iter()
                .filter_map(|(system, _)| storage(self.all(), row, system.word()))
                .map(class_of)
        });
        let cells: Vec<&str> = cells.collect();
        let known = [
            ("cell free", "nothing"),
            ("cell one", "at most a block of 4096 bytes"),
            ("cell two", "at most two"),
            ("cell more", "more"),
            ("cell refused", "⊘ rejected: the number is the limit in bytes"),
        ];
        let mut legend: Vec<(String, String)> = known
            .into_iter()
            .filter(|(class, _)| cells.contains(class))
            .map(|(class, words)| (symbol(Shape::Square, class), words.to_owned()))
            .collect();
        if self.times.is_some() {
            legend.extend(
                TIMED.map(|(operation, shape)| (symbol(shape, "fit quiet"), operation.word().to_owned())),
            );
        }
        legend
    }
}

/// How a cell is coloured.
fn class_of(storage: Storage) -> &'static str {
    match storage {
        Storage::Refused(_) => "cell refused",
        Storage::Takes(record) => match record.value / BLOCK {
            blocks if blocks <= 0.0 => "cell free",
            blocks if blocks <= 1.0 => "cell one",
            blocks if blocks <= 2.0 => "cell two",
            _ => "cell more",
        },
    }
}

/// Draws what a signature takes on one file system, from the place's left edge around its height.
fn draw_cell(svg: &mut Svg, (x, y): (f64, f64), what: &str, storage: Storage) {
    let (text, class, detail) = match storage {
        Storage::Takes(record) => {
            let about = if fieldtest_report::tables::ledger::is_approximate(record) { "≈" } else { "" };
            let range = record.interval.map(|[least, most]| format!(", {} to {}", bytes(least), bytes(most)));
            let detail = format!("{} bytes{}", bytes(record.value), range.unwrap_or_default());
            (format!("{about}{}", bytes(record.value)), "in-cell", detail)
        }
        Storage::Refused(record) => {
            let mark = refused(record.value);
            let detail =
                if record.notes.is_empty() { mark.word.to_string() } else { record.notes.join(", ") };
            (format!("{} ≤ {}", mark.symbol, bytes(record.value)), "in-cell over-word", detail)
        }
    };
    svg.open(&format!("{what}: {detail}"));
    svg.rectangle((x, y - ROW / 2.0 + GAP / 2.0), (CELL, ROW - GAP), class_of(storage));
    svg.text((x + CELL / 2.0, y + 4.0), Anchor::Middle, class, &text);
    svg.close();
}
