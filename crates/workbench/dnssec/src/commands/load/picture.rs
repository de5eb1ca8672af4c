//! Latency against the slowest percentiles, both logarithmic: the picture that DNS Shotgun draws, where what is seldom and slow has
//! as much room as what is usual.

use fieldtest_dns_load::Outcome;
use fieldtest_report::plot::svg::{ANCHORS, Anchor, LogAxis, Svg, tick_label};

use super::results::{WAITING, curve, waiting};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = HEIGHT - 56.0;

/// A file of its own has no page's style around it.
const STYLE: &str = "svg{background:#fff;font:12px sans-serif}.grid{stroke:#ddd}.way0{stroke:#1f5fa8}.way1{stroke:#2a8a4a}\
                     .way2{stroke:#7a4aa8}.way3{stroke:#c0561f}.way4{stroke:#555;stroke-dasharray:5 3}.way0,.way1,.way2,.way3,.way4{stroke-width:2}text{fill:#222}.word0{fill:#1f5fa8}.word1{fill:#2a8a4a}\
                     .word2{fill:#7a4aa8}.word3{fill:#c0561f}.word4{fill:#555}";

/// The picture as a file; `None` where nothing was answered.
pub(super) fn draw(outcome: &Outcome) -> Option<String> {
    let waiting = waiting(outcome);
    let ways = [
        ("over UDP", &*outcome.udp),
        ("over TCP", &*outcome.tcp),
        ("over TLS", &*outcome.tls),
        ("over UDP, then TCP", &*outcome.fallback),
        (WAITING, &waiting),
    ];
    let curves = ways.map(|(name, histogram)| {
        let points = if histogram.is_empty() { Vec::new() } else { curve(histogram) };
        // A latency below a nanosecond is none; milliseconds, as DNS Shotgun has them.
        (
            name,
            points.into_iter().map(|(share, ns)| (share * 100.0, ns.max(1) as f64 / 1e6)).collect::<Vec<_>>(),
        )
    });
    let all = || curves.iter().flat_map(|(_, points)| points);
    let across = LogAxis::over(all().map(|(share, _)| *share), RIGHT, LEFT)?;
    let up = LogAxis::over(all().map(|(_, ms)| *ms), BOTTOM, TOP)?;
    let mut svg = Svg::new(WIDTH, HEIGHT);
    for tick in across.ticks() {
        svg.line((across.at(tick), TOP), (across.at(tick), BOTTOM), "grid");
        svg.text((across.at(tick), BOTTOM + 18.0), Anchor::Middle, "tick", &tick_label(tick));
    }
    for tick in up.ticks() {
        svg.line((LEFT, up.at(tick)), (RIGHT, up.at(tick)), "grid");
        svg.text((LEFT - 8.0, up.at(tick) + 4.0), Anchor::End, "tick", &tick_label(tick));
    }
    svg.text(((LEFT + RIGHT) / 2.0, BOTTOM + 40.0), Anchor::Middle, "axis", "slowest percent");
    svg.text(
        (LEFT, TOP - 14.0),
        Anchor::Start,
        "axis",
        "latency in ms, from the moment at which a query was due",
    );
    let mut legend = RIGHT;
    for (number, (name, points)) in curves.iter().enumerate().filter(|(_, (_, points))| !points.is_empty()) {
        let place = |(share, ms): &(f64, f64)| (across.at(*share), up.at(*ms));
        for pair in points.windows(2) {
            svg.line(place(&pair[0]), place(&pair[1]), &format!("way{number}"));
        }
        svg.text((legend, TOP - 14.0), Anchor::End, &format!("word{number}"), name);
        legend -= 7.0 * name.len() as f64 + 12.0;
    }
    let svg = svg.finish("Latency of the slowest percentiles, a curve for each transport of the answers, and one with the queries that timed out").svg;
    let (head, body) = svg.split_once('>')?;
    let head = head.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    Some(format!("{head}><style>{ANCHORS}{STYLE}</style>{body}\n"))
}
