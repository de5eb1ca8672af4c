//! What the plots with a row of lanes per algorithm share: panels with an axis of their own, and a line over all
//! implementations with the result of the fastest.

use fieldtest_measure::record::Record;

use super::{LEFT, WIDTH, outline, shared_core};
use crate::number::Scale;
use crate::plot::svg::{Anchor, LogAxis, Shape, Svg, tick_label};
use crate::report::Report;
use crate::result::has_system_call;
use crate::symbols::UNSAFE;

/// Where the rows begin, below the headings.
pub const TOP: f64 = 46.0;
/// The height of a lane within a row.
pub const LANE: f64 = 15.0;

/// The space between rows.
const SPACE: f64 = 9.0;
/// Room for a result left of the smallest value of an axis.
const RESULT: f64 = 26.0;
/// The mean width of a letter of a name, on the generous side.
const LETTER: f64 = 7.2;

/// Results of one unit on an axis of their own.
pub struct Panel<'a> {
    from: f64,
    to: f64,
    axis: LogAxis,
    /// How its results are written.
    pub scale: Scale,
    /// What is drawn.
    pub records: Vec<&'a Record>,
}

impl<'a> Panel<'a> {
    /// A panel over `records`, all of one unit; none where no result is above zero.
    pub fn over(unit: &str, records: Vec<&'a Record>, (from, to): (f64, f64)) -> Option<Panel<'a>> {
        let scale = Scale::fitting(unit, records.iter().map(|record| record.value));
        let values = records.iter().map(|record| record.value / scale.factor());
        let axis = LogAxis::over(values, from + RESULT, to)?;
        Some(Panel { from, to, axis, scale, records })
    }

    /// Where a result stands.
    pub fn at(&self, record: &Record) -> f64 {
        self.axis.at(record.value / self.scale.factor())
    }

    /// A result without its unit, with its mark if it is of a contended core.
    pub fn write(&self, record: &Record) -> String {
        format!("{}{}", self.scale.write(record.value), shared_core(&[record]))
    }

    /// Draws the grid, `heading` above it and the unit with `per` below it.
    pub fn grid(&self, svg: &mut Svg, bottom: f64, heading: &str, per: &str) {
        for tick in self.axis.ticks() {
            svg.line((self.axis.at(tick), TOP - 6.0), (self.axis.at(tick), bottom), "grid");
            svg.text((self.axis.at(tick), bottom + 18.0), Anchor::Middle, "tick", &tick_label(tick));
        }
        let middle = (self.from + self.to) / 2.0;
        svg.text((middle, TOP - 14.0), Anchor::Middle, "limit", heading);
        let unit = format!("{} {per}", self.scale.label());
        svg.text((middle, bottom + 38.0), Anchor::Middle, "axis", unit.trim_end());
    }

    /// Draws a line over all implementations, `records` with the fastest first, and the symbol and the result of that
    /// one; `title` says what they are of.
    pub fn draw(
        &self,
        svg: &mut Svg,
        y: f64,
        (shape, class): (Shape, &str),
        title: &str,
        records: &[&Record],
    ) {
        let (Some(best), Some(worst)) = (records.first(), records.last()) else { return };
        let texts = records.iter().map(|record| {
            let name = record.implementation.as_ref().map_or("", |it| &it.name);
            format!("{name} {} {}", self.write(record), self.scale.label())
        });
        svg.open(&format!("{title}\n{}", texts.collect::<Vec<_>>().join("\n")));
        svg.line((self.at(best), y), (self.at(worst), y), "range quiet");
        svg.shape(shape, (self.at(best), y), 4.2, class);
        svg.text((self.at(best) - 9.0, y + 4.0), Anchor::End, "value", &self.write(best));
        svg.close();
    }
}

/// Sorts results, the fastest first; those of a kernel are no library's.
pub fn fastest_first<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<&'a Record> {
    let mut found: Vec<&Record> = records.filter(|record| !has_system_call(record)).collect();
    found.sort_by(|a, b| a.value.total_cmp(&b.value));
    found
}

/// Where the names of `algorithms` end and the panels begin.
pub fn left_of_panels(report: &Report, algorithms: &[&str]) -> f64 {
    let longest = algorithms.iter().map(|algorithm| report.title(algorithm).chars().count()).max();
    (28.0 + longest.unwrap_or(0) as f64 * LETTER).clamp(LEFT, 2.0 * LEFT)
}

/// An algorithm's row, opened: its ground, its name and, if it is unsafe, why.
pub struct Row {
    top: f64,
    /// The style of its points.
    pub class: &'static str,
}

impl Row {
    /// The height of a row with so many lanes of results; one that is unsafe has one more, for the reason.
    pub fn height(report: &Report, algorithm: &str, lanes: usize) -> f64 {
        Row::height_of(report.is_unsafe(algorithm), lanes)
    }

    /// The same where it is ruled out by something else than its remarks.
    pub fn height_of(ruled_out: bool, lanes: usize) -> f64 {
        LANE * (lanes + usize::from(ruled_out)) as f64 + SPACE
    }

    /// Opens the row of `algorithm` at the height `top` with so many lanes of results; names end at `left`.
    pub fn open(svg: &mut Svg, report: &Report, algorithm: &str, place: (f64, usize), left: f64) -> Row {
        let reason = || report.ruled_out_by(algorithm).map_or("broken", |note| &note.text);
        let reason = report.is_unsafe(algorithm).then(reason);
        Row::open_ruled_out(svg, report, algorithm, place, left, reason)
    }

    /// The same with the reason why it is ruled out, if it is.
    pub fn open_ruled_out(
        svg: &mut Svg,
        report: &Report,
        algorithm: &str,
        (top, lanes): (f64, usize),
        left: f64,
        reason: Option<&str>,
    ) -> Row {
        let (title, is_unsafe) = (report.title(algorithm), reason.is_some());
        let height = Row::height_of(is_unsafe, lanes);
        svg.open_item(algorithm, title);
        if is_unsafe {
            svg.rectangle((0.0, top), (WIDTH, height), "over");
        }
        svg.line((0.0, top + height), (WIDTH, top + height), "grid");
        let (shape, class) = outline(if is_unsafe { "broken" } else { report.status(algorithm) });
        let row = Row { top, class: if is_unsafe { "p broken hollow" } else { class } };
        svg.shape(shape, (left - 16.0, row.middle()), 4.5, class);
        svg.text((left - 28.0, row.middle() + 4.0), Anchor::End, "name", title);
        if let Some(reason) = reason {
            let words = format!("{} {}", UNSAFE.symbol, first_clause(reason));
            svg.text((left, row.lane(lanes) + 4.0), Anchor::Start, "over-word", &words);
        }
        row
    }

    /// The height of a lane, counted from 0.
    pub fn lane(&self, number: usize) -> f64 {
        self.top + SPACE / 2.0 + LANE * (number as f64 + 0.5)
    }

    /// The height between the first two lanes.
    pub fn middle(&self) -> f64 {
        self.lane(0) + LANE / 2.0
    }
}

/// The beginning of a remark, up to the first comma, semicolon or full stop; one within a number ends nothing.
fn first_clause(text: &str) -> &str {
    let is_end = |at: usize, c: char| {
        matches!(c, ',' | ';' | '.')
            && !text.get(at + 1..).is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    };
    let end = text.char_indices().find(|(at, c)| is_end(*at, *c));
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::first_clause;

    #[test]
    fn clauses_end_at_punctuation_and_not_within_numbers() {
        for (text, clause) in [
            ("A collision at 2^63.4, one of any prefix at 2^61.2.", "A collision at 2^63.4"),
            ("Unsafe here: no nonce; nothing helps.", "Unsafe here: no nonce"),
            ("No end", "No end"),
            ("", ""),
            ("Ends.", "Ends"),
        ] {
            assert_eq!(first_clause(text), clause);
        }
    }
}
