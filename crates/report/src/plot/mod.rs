//! Pictures: what several studies draw with. A picture of one study alone is drawn where its chapter is.

pub mod labels;
pub mod scatter;
pub mod svg;
pub(crate) mod today;

use fieldtest_measure::record::Record;
use svg::{Image, Shape, Svg};

use crate::once::each_once;
use crate::report::Report;
use crate::result::is_contended;
use crate::symbols::{CONTENDED, status_rank};

/// A plot with what stands around it.
pub struct Plot {
    /// The heading.
    pub title: String,
    /// What to see in it.
    pub caption: String,
    /// Symbols and their meaning: finished SVG, then plain text.
    pub legend: Vec<(String, String)>,
    /// The image.
    pub svg: Image,
}

/// The width of every plot, in the units of its image.
pub const WIDTH: f64 = 1120.0;
/// Where the plots with a row per algorithm begin; their names stand left of it.
pub const LEFT: f64 = 216.0;

/// The outline and the style of an algorithm's points, by how it stands.
pub fn outline(status: &str) -> (Shape, &'static str) {
    match status {
        "standard" => (Shape::Disc, "p standard"),
        "provisional" => (Shape::HalfDisc, "p provisional"),
        "candidate" => (Shape::Ring, "p candidate"),
        "research" => (Shape::Triangle, "p research"),
        "superseded" => (Shape::Diamond, "p superseded"),
        "withdrawn" => (Shape::Square, "p withdrawn"),
        "broken" => (Shape::Cross, "p broken"),
        _ => (Shape::Disc, "p unknown"),
    }
}

/// What stands beside a name or a result where one of these records is of a contended core; nothing where none is.
pub fn shared_core(records: &[&Record]) -> String {
    let any = records.iter().copied().any(is_contended);
    if any { format!(" {}", CONTENDED.symbol) } else { String::new() }
}

/// A symbol by itself, for a legend or a label.
pub fn symbol(shape: Shape, class: &str) -> String {
    let mut svg = Svg::new(14.0, 14.0);
    svg.shape(shape, (7.0, 7.0), 5.0, class);
    svg.finish("").svg
}

/// A legend of the statuses that `algorithms` have.
pub fn status_legend<'a>(
    report: &Report,
    algorithms: impl Iterator<Item = &'a str>,
) -> Vec<(String, String)> {
    let mut found = each_once(algorithms.map(|algorithm| crate::symbols::status(report.status(algorithm))));
    found.sort_by_key(|mark| status_rank(&mark.word));
    found
        .into_iter()
        .map(|mark| {
            let (shape, class) = outline(&mark.word);
            (symbol(shape, class), mark.word.into_owned())
        })
        .collect()
}

/// Opens the row of an algorithm between these heights, with its name at its left and a line below it that ends at `right`;
/// the style of its points.
pub fn open_row(
    svg: &mut Svg,
    report: &Report,
    algorithm: &str,
    [top, bottom]: [f64; 2],
    right: f64,
) -> &'static str {
    let (title, middle) = (report.title(algorithm), (top + bottom) / 2.0);
    svg.open_item(algorithm, title);
    svg.line((0.0, bottom), (right, bottom), "grid");
    let (shape, class) = outline(report.status(algorithm));
    svg.shape(shape, (LEFT - 16.0, middle), 4.5, class);
    svg.text((LEFT - 28.0, middle + 4.0), svg::Anchor::End, "name", title);
    class
}

/// The words by which a filter finds an algorithm, besides its name and status.
pub fn words(report: &Report, algorithm: &str) -> String {
    let title = report.title(algorithm).to_lowercase();
    let title = if title == algorithm { "" } else { &title };
    let hardness = report.candidate(algorithm).map_or("", |candidate| &candidate.hardness).to_lowercase();
    format!("{title} {hardness}").trim().to_owned()
}
