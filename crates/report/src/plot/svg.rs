//! The few SVG elements that the plots are made of. Text is escaped here and nowhere else.

use std::fmt::{self, Write};

use crate::number::grouped;

/// The style of texts that do not begin at their places.
pub const ANCHORS: &str = ".mid{text-anchor:middle}.end{text-anchor:end}";

/// An SVG image under construction.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
    tooltips: Vec<String>,
}

/// A finished image.
pub struct Image {
    /// The element.
    pub svg: String,
    /// What its groups with the attribute `data-t` say, in their order; the page's script shows it.
    pub tooltips: Vec<String>,
}

/// The outline of a data point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// A filled circle.
    Disc,
    /// A circle's outline.
    Ring,
    /// A circle, half of it filled.
    HalfDisc,
    /// A square's outline.
    Square,
    /// A square on its corner.
    Diamond,
    /// A triangle that points up.
    Triangle,
    /// A triangle that points down.
    TriangleDown,
    /// Two crossing strokes.
    Cross,
}

/// Which side of its place a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

impl Svg {
    /// An empty image of `width` by `height` units.
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new(), tooltips: Vec::new() }
    }

    /// A line between two points.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let _ = write!(
            self.body,
            r#"<path class="{class}" d="M{} {}{}"/>"#,
            Place(x1),
            Place(y1),
            match (x1 == x2, y1 == y2) {
                (_, true) => format!("H{}", Place(x2)),
                (true, false) => format!("V{}", Place(y2)),
                (false, false) => format!("L{} {}", Place(x2), Place(y2)),
            }
        );
    }

    /// A rectangle by its upper left corner and its size.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        let (width, height) = (width.max(0.0), height.max(0.0));
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}"/>"#,
            Whole(x),
            Whole(y),
            Whole(width),
            Whole(height)
        );
    }

    /// A line of text on a base line; [`ANCHORS`] belongs to the style around it.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " mid",
            Anchor::End => " end",
        };
        let (x, y, text) = (Whole(x), Whole(y), escape(text));
        let _ = write!(self.body, r#"<text class="{class}{anchor}" x="{x}" y="{y}">{text}</text>"#);
    }

    /// Draws `shape` with a radius of about `r`.
    pub fn shape(&mut self, shape: Shape, (x, y): (f64, f64), r: f64, class: &str) {
        let path = |points: &[(f64, f64)], close: &str| {
            let points: Vec<String> = points
                .iter()
                .map(|(dx, dy)| format!("{} {}", Place(x + dx * r), Place(y + dy * r)))
                .collect();
            format!(r#"<path class="{class}" d="M{}{close}"/>"#, points.join("L"))
        };
        let circle = |class: &str, r: f64| {
            let [x, y, r] = [x, y, r].map(Place);
            format!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}"/>"#)
        };
        let element = match shape {
            Shape::Disc => circle(class, r),
            Shape::Ring => circle(&format!("{class} hollow"), r * 0.86),
            Shape::HalfDisc => format!(
                r#"{}<path class="{class}" d="M{} {}a{r} {r} 0 0 0 0 {}z"/>"#,
                circle(&format!("{class} hollow"), r * 0.86),
                Place(x),
                Place(y - r),
                Place(2.0 * r),
                r = Place(r)
            ),
            Shape::Square => path(&[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)], "Z"),
            Shape::Diamond => path(&[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)], "Z"),
            Shape::Triangle => path(&[(0.0, -1.1), (1.1, 0.85), (-1.1, 0.85)], "Z"),
            Shape::TriangleDown => path(&[(0.0, 1.1), (1.1, -0.85), (-1.1, -0.85)], "Z"),
            Shape::Cross => {
                let (a, b) =
                    (path(&[(-0.85, -0.85), (0.85, 0.85)], ""), path(&[(0.85, -0.85), (-0.85, 0.85)], ""));
                (a + &b).replace(&format!("\"{class}\""), &format!("\"{class} stroked\""))
            }
        };
        self.body.push_str(&element);
    }

    /// Opens a group about an algorithm, which filters show or hide, with a tooltip; where that is no more than the name
    /// that stands in the group anyway, there is none.
    pub fn open_item(&mut self, algorithm: &str, tooltip: &str) {
        let _ = write!(self.body, r#"<g data-k="{}""#, escape(algorithm));
        if tooltip.contains(['\n', ':']) {
            self.body.push_str(" data-t");
            self.tooltips.push(tooltip.to_owned());
        }
        self.body.push('>');
    }

    /// Opens a group with a tooltip.
    pub fn open(&mut self, tooltip: &str) {
        self.body.push_str("<g data-t>");
        self.tooltips.push(tooltip.to_owned());
    }

    /// Ends what was opened last.
    pub fn close(&mut self) {
        self.body.push_str("</g>");
    }

    /// The image; `label` says what it shows to who cannot see it, and one without is hidden from them, as a symbol is whose
    /// word stands beside it.
    pub fn finish(self, label: &str) -> Image {
        let said = match label {
            "" => r#"aria-hidden="true""#.to_owned(),
            label => format!(r#"role="img" aria-label="{}""#, escape(label)),
        };
        let Svg { width, height, body, tooltips } = self;
        Image { svg: format!(r#"<svg viewBox="0 0 {width:.0} {height:.0}" {said}>{body}</svg>"#), tooltips }
    }
}

/// A coordinate or a length, to a tenth of a unit.
struct Place(f64);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.1}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

/// The same to a whole unit, of texts and areas: of 1,120 units, a tenth is not seen, and takes kilobytes of a page.
struct Whole(f64);

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0}", self.0)
    }
}

/// `text` with nothing left in it that HTML would act on, within an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A logarithmic axis from one place to another.
#[derive(Debug, Clone, Copy)]
pub struct LogAxis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl LogAxis {
    /// An axis that shows `values`, all above zero, with a little room on both sides; `None` without values.
    pub fn over(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Option<LogAxis> {
        let (low, high) = values
            .into_iter()
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        let room = ((high / low).log10() * 0.05).clamp(0.06, 0.25);
        Some(LogAxis { low: low.log10() - room, high: high.log10() + room, from, to })
    }

    /// Where `value` stands.
    pub fn at(&self, value: f64) -> f64 {
        self.from + (value.log10() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The place between both ends.
    pub fn middle(&self) -> f64 {
        (self.from + self.to) / 2.0
    }

    /// Round values within the axis, few enough to be labelled.
    pub fn ticks(&self) -> Vec<f64> {
        let steps: &[f64] = match self.high - self.low {
            span if span > 4.5 => &[1.0],
            span if span > 2.2 => &[1.0, 3.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let ticks = decades.flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        ticks.filter(|tick| (self.low..=self.high).contains(&tick.log10())).collect()
    }
}

/// A tick's label: the value with at most three digits.
pub fn tick_label(value: f64) -> String {
    let digits = if value >= 1.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.6}").trim_end_matches('0').to_owned()
    };
    grouped(&digits)
}
