//! The signed zone's size, a bar per algorithm.

use fieldtest_measure::record::Record;
use fieldtest_report::Report;
use fieldtest_report::number::{factor, full, grouped};
use fieldtest_report::plot::svg::{Anchor, Svg};
use fieldtest_report::plot::{LEFT, Plot, WIDTH, outline, status_legend};

use crate::words::{Form, Operation};

const RIGHT: f64 = WIDTH - 190.0;
const TOP: f64 = 26.0;
const ROW: f64 = 26.0;

pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let size = |algorithm: &str, form: Form| {
        let found = records.iter().find(|record| {
            record.algorithm == algorithm
                && record.operation == Operation::ZoneSize
                && record.subject == form
                && record.unit == "bytes"
        });
        found.map(|record| record.value).filter(|value| *value > 0.0)
    };
    let mut rows: Vec<(&str, f64)> =
        report.measured().into_iter().filter_map(|it| size(it, Form::Raw).map(|bytes| (it, bytes))).collect();
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    let most = rows.last()?.1;
    let step = step(most);
    let across = |bytes: f64| LEFT + bytes / most * (RIGHT - LEFT);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 30.0);
    for tick in (0..).map(|at| f64::from(at) * step).take_while(|tick| *tick <= most) {
        svg.line((across(tick), TOP - 6.0), (across(tick), bottom), "grid");
        let label =
            format!("{} MB", if tick == 0.0 { "0".to_owned() } else { full((tick / 1e4).round() / 100.0) });
        svg.text((across(tick), bottom + 18.0), Anchor::Middle, "tick", &label);
    }
    let base = report.baseline().and_then(|name| size(name, Form::Raw));
    if let Some((base, name)) = base.zip(report.baseline()) {
        svg.line((across(base), TOP - 6.0), (across(base), bottom), "rule base");
        svg.text((across(base), TOP - 11.0), Anchor::Middle, "tick", report.title(name));
    }
    for (at, (algorithm, bytes)) in rows.iter().enumerate() {
        let middle = TOP + ROW * (at as f64 + 0.5);
        let title = report.title(algorithm);
        let mut tooltip = format!("{title}: {} bytes raw", grouped(&full(*bytes)));
        if let Some(text) = size(algorithm, Form::Text) {
            tooltip.push_str(&format!(", {} bytes as text", grouped(&full(text))));
        }
        svg.open_item(algorithm, &tooltip);
        svg.rectangle((0.0, middle - ROW / 2.0), (WIDTH, ROW), "hit");
        let (shape, class) = outline(report.status(algorithm));
        svg.shape(shape, (LEFT - 16.0, middle), 4.5, class);
        svg.text((LEFT - 28.0, middle + 4.0), Anchor::End, "name", title);
        svg.rectangle(
            (LEFT, middle - 7.5),
            (across(*bytes) - LEFT, 15.0),
            class.replacen("p ", "bar ", 1).as_str(),
        );
        let ratio = base.map(|base| format!("\u{2003}×{}", factor(bytes / base))).unwrap_or_default();
        let value = format!("{}{ratio}", grouped(&full(*bytes)));
        svg.text((across(*bytes) + 8.0, middle + 4.0), Anchor::Start, "value", &value);
        svg.close();
    }
    Some(Plot {
        title: "How large the signed zone becomes".to_owned(),
        caption: "Bytes of the signed zone in binary form, and the factor to the baseline.".to_owned(),
        legend: status_legend(report, rows.iter().map(|(algorithm, _)| *algorithm)),
        svg: svg
            .finish("Bars of the signed zone's size, one per algorithm; the table below lists the results"),
    })
}

/// The largest of 1, 2, 5 times a power of ten that gives at least four ticks up to `most`.
fn step(most: f64) -> f64 {
    let decade = 10f64.powf((most / 4.0).log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|times| times * decade).find(|step| most / step >= 4.0).unwrap_or(decade)
}
