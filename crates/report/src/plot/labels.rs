//! Labels of points that keep clear of each other and of the points.

use super::svg::{Anchor, Shape, Svg};

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Its left side.
    pub left: f64,
    /// Its upper side; ordinates grow downwards.
    pub top: f64,
    /// Its right side.
    pub right: f64,
    /// Its lower side.
    pub bottom: f64,
}

impl Area {
    fn shared(&self, other: &Area) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        if width > 0.0 && height > 0.0 { width * height } else { 0.0 }
    }

    fn outside(&self, frame: &Area) -> bool {
        self.left < frame.left
            || self.right > frame.right
            || self.top < frame.top
            || self.bottom > frame.bottom
    }
}

/// The height of a line of labels.
const HEIGHT: f64 = 14.0;
/// The mean width of a letter at the size of labels, on the generous side.
const LETTER: f64 = 7.7;
/// How near a label may come to its own point.
const OWN_POINT: f64 = 9.0;
/// How near it should not come to another, lest it be read as that one's.
const OTHER_POINT: f64 = 14.0;
/// What a line from a label to its point costs if it passes by another point.
const CROSSING: f64 = 250.0;

/// Finds a place for each label near its point within `frame`; `points` holds every point, the labelled ones first.
///
/// Greedy, then improved twice: each label in turn takes the cheapest of the places around its point while all others
/// stay. The cost is the area shared with other labels and points, and the distance. In a crowd all of these places can be
/// taken; the label then goes to the nearest free place of the frame, for a label over another cannot be read at all. In
/// the 1020 × 482 units of a scatter plot, 40 names of 24 letters always found one (`labels_never_overlap`).
pub fn place(labels: &[&str], points: &[(f64, f64)], frame: Area) -> Vec<Area> {
    let mut placed: Vec<Option<Area>> = vec![None; labels.len()];
    for pass in 0..4 {
        for (own, (label, &point)) in labels.iter().zip(points).enumerate() {
            let width = label.chars().count() as f64 * LETTER;
            let others = placed.iter().enumerate().filter(|(other, _)| *other != own);
            let others: Vec<Area> = others.filter_map(|(_, other)| *other).collect();
            let covered = |area: &Area| others.iter().map(|other| area.shared(other)).sum::<f64>();
            let candidates = match (pass, placed[own]) {
                (3, Some(area)) if covered(&area) > 0.0 => everywhere(point, width, frame),
                (3, _) => continue,
                _ => places(point, width),
            };
            let best = candidates.into_iter().map(|(area, distance)| {
                let dots = points.iter().enumerate().map(|(other, &point)| {
                    area.shared(&around(point, if other == own { OWN_POINT } else { OTHER_POINT }))
                });
                let dots: f64 = dots.sum();
                let foot = (point.0.clamp(area.left, area.right), point.1.clamp(area.top, area.bottom));
                let passed = points.iter().enumerate().filter(|&(other, &it)| {
                    other != own && it != point && beside(it, point, foot) < OWN_POINT
                });
                let crossings = passed.count() as f64 * CROSSING;
                let outside = if area.outside(&frame) { 1e6 } else { 0.0 };
                // Last, a sliver over another label costs more than all lines that a free place would cross.
                let labels = covered(&area) * 3.0 + if pass == 3 && covered(&area) > 0.0 { 1e6 } else { 0.0 };
                (area, labels + dots * 2.0 + crossings + outside + distance)
            });
            placed[own] = best.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(area, _)| area);
        }
    }
    placed.into_iter().flatten().collect()
}

/// Draws a point with its label in the place that was found for it, and a line between them where they are apart.
pub(crate) fn draw(
    svg: &mut Svg,
    place: (f64, f64),
    area: Area,
    (shape, class): (Shape, &str),
    (name, text): (&str, &str),
) {
    let middle = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
    let near = (place.0.clamp(area.left, area.right), middle.1.clamp(area.top + 3.0, area.bottom - 3.0));
    if (near.0 - place.0).hypot(near.1 - place.1) > 13.0 {
        svg.line(place, near, "leader");
    }
    svg.shape(shape, place, 5.5, class);
    let (anchor, x) = match (area.left < place.0, area.right > place.0) {
        (true, true) => (Anchor::Middle, middle.0),
        _ if (area.left - place.0).abs() < (area.right - place.0).abs() => (Anchor::Start, area.left),
        _ => (Anchor::End, area.right),
    };
    svg.text((x, area.bottom - 3.0), anchor, text, name);
}

/// Places all over `frame`, each with the price of its distance from the point.
fn everywhere((x, y): (f64, f64), width: f64, frame: Area) -> Vec<(Area, f64)> {
    let rows = ((frame.bottom - frame.top) / HEIGHT) as usize;
    let columns = ((frame.right - frame.left - width) / HEIGHT).max(0.0) as usize + 1;
    let place = |row: usize, column: usize| {
        let (left, top) = (frame.left + column as f64 * HEIGHT, frame.top + row as f64 * HEIGHT);
        let area = Area { left, top, right: left + width, bottom: top + HEIGHT };
        let distance = (x.clamp(left, area.right) - x).hypot(y.clamp(top, area.bottom) - y);
        (area, distance * 6.0)
    };
    (0..rows).flat_map(|row| (0..columns).map(move |column| place(row, column))).collect()
}

fn around((x, y): (f64, f64), distance: f64) -> Area {
    // Above and below, a line of text separates better than the same distance beside it.
    let (across, up) = (distance, distance.min(10.0));
    Area { left: x - across, top: y - up, right: x + across, bottom: y + up }
}

/// How far `point` is from the line between `from` and `to`.
fn beside(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let square = dx * dx + dy * dy;
    let along = if square > 0.0 { ((point.0 - from.0) * dx + (point.1 - from.1) * dy) / square } else { 0.0 };
    let along = along.clamp(0.0, 1.0);
    (point.0 - from.0 - along * dx).hypot(point.1 - from.1 - along * dy)
}

/// Places around a point, nearest first, each with the price of its distance.
fn places((x, y): (f64, f64), width: f64) -> Vec<(Area, f64)> {
    let mut places = Vec::new();
    for (ring, gap) in [10.0, 18.0, 28.0, 40.0, 54.0].into_iter().enumerate() {
        let price = ring as f64 * 60.0;
        let middle = y - HEIGHT / 2.0;
        let (right, left) = (x + gap, x - gap - width);
        let (above, below) = (y - gap - HEIGHT, y + gap);
        for (left, top, more) in [
            (right, middle, 0.0),
            (left, middle, 8.0),
            (x - width / 2.0, above, 12.0),
            (x - width / 2.0, below, 12.0),
            (right - 4.0, above + 6.0, 6.0),
            (right - 4.0, below - 6.0, 6.0),
            (left + 4.0, above + 6.0, 10.0),
            (left + 4.0, below - 6.0, 10.0),
        ] {
            places.push((Area { left, top, right: left + width, bottom: top + HEIGHT }, price + more));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Up to forty algorithms, as many as a study has, some of them at nearly one point.
        #[test]
        fn labels_never_overlap(
            points in proptest::collection::vec((0.0..30.0, 0.0..30.0, 0_usize..4, 3_usize..24), 1..40),
        ) {
            let frame = Area { left: 76.0, top: 18.0, right: 1096.0, bottom: 500.0 };
            let corners = [(80.0, 20.0), (500.0, 250.0), (1060.0, 20.0), (560.0, 465.0)];
            let names: Vec<String> = points.iter().map(|it| "m".repeat(it.3)).collect();
            let labels: Vec<&str> = names.iter().map(String::as_str).collect();
            let points: Vec<(f64, f64)> =
                points.iter().map(|&(x, y, corner, _)| (corners[corner].0 + x, corners[corner].1 + y)).collect();
            let placed = place(&labels, &points, frame);
            prop_assert_eq!(placed.len(), labels.len());
            for (at, area) in placed.iter().enumerate() {
                prop_assert!(!area.outside(&frame), "{area:?}");
                prop_assert!(placed[at + 1..].iter().all(|other| area.shared(other) == 0.0), "{area:?}");
            }
        }
    }
}
