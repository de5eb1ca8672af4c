//! Labels of points that keep clear of each other and of the points.

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
/// stay. The cost is the area shared with other labels and points, and the distance.
pub fn place(labels: &[&str], points: &[(f64, f64)], frame: Area) -> Vec<Area> {
    let mut placed: Vec<Option<Area>> = vec![None; labels.len()];
    for _ in 0..3 {
        for (own, (label, &point)) in labels.iter().zip(points).enumerate() {
            let width = label.chars().count() as f64 * LETTER;
            let best = places(point, width).into_iter().map(|(area, distance)| {
                let others = placed.iter().enumerate().filter(|(other, _)| *other != own);
                let labels: f64 =
                    others.filter_map(|(_, other)| *other).map(|other| area.shared(&other)).sum();
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
                (area, labels * 3.0 + dots * 2.0 + crossings + outside + distance)
            });
            placed[own] = best.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(area, _)| area);
        }
    }
    placed.into_iter().flatten().collect()
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
    use super::*;

    #[test]
    fn crowded_labels_keep_clear() {
        let frame = Area { left: 0.0, top: 0.0, right: 1000.0, bottom: 500.0 };
        let labels = ["algorithm-a", "algorithm-b", "algorithm-c", "algorithm-d", "algorithm-e"];
        let points = [(500.0, 250.0), (503.0, 252.0), (498.0, 247.0), (505.0, 249.0), (500.0, 255.0)];
        let placed = place(&labels, &points, frame);
        assert_eq!(placed.len(), labels.len());
        for (at, area) in placed.iter().enumerate() {
            assert!(!area.outside(&frame));
            assert!(placed[at + 1..].iter().all(|other| area.shared(other) == 0.0), "{area:?}");
        }
    }
}
