//! A resolver under load: what a query takes, what goes over the wires, and the latencies as pictures.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::UNMEASURED;
use fieldtest_report::number::{full, grouped};
use fieldtest_report::plot::svg::{Anchor, LogAxis, Shape, Svg, tick_label};
use fieldtest_report::plot::{LEFT, Plot, WIDTH, open_row, outline, symbol};
use fieldtest_report::tables::ledger::{Ledger, Which};
use fieldtest_report::{Cell, Kind, Report, Table};

use super::projection::{self, Volume};
use super::repetitions;
use crate::words::{Counted, Flow, NOT_HELD, Operation, PerQuery, Phase, Quantile, Signed, in_phase, note};

const OPERATIONS: [Operation; 19] = [
    Operation::ResolverLatency,
    Operation::ResolverProcessor,
    Operation::AuthorityProcessor,
    Operation::AuthorityQuery,
    Operation::ResolverMemory,
    Operation::Verifications,
    Operation::Verifying,
    Operation::VerifyingShare,
    Operation::HeldRate,
    Operation::Upstream,
    Operation::Downstream,
    Operation::Connections,
    Operation::ResumedShare,
    Operation::ConnectionProcessor,
    Operation::ConnectionShare,
    Operation::SecureShare,
    Operation::FailedShare,
    Operation::LostShare,
    Operation::Overflowed,
];

/// Whether a result is of a resolver under load, or of its having had too little time.
pub(super) fn is_of_resolver(record: &Record) -> bool {
    let is_one = |word: &str| OPERATIONS.iter().any(|operation| word == operation.word());
    is_one(&record.operation) || record.operation == UNMEASURED && is_one(&record.subject)
}

struct Column {
    name: String,
    operation: Operation,
    subject: String,
    unit: &'static str,
}

impl Column {
    fn new(
        name: impl Into<String>,
        operation: Operation,
        subject: impl Into<String>,
        unit: &'static str,
    ) -> Column {
        Column { name: name.into(), operation, subject: subject.into(), unit }
    }

    fn which<'a>(&'a self, algorithm: &'a str) -> Which<'a> {
        Which::of(algorithm, self.operation.word()).on(&self.subject).in_unit(self.unit)
    }
}

/// The tables, the one that most often decides first.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    if !ledger.all().any(is_of_resolver) {
        return Vec::new();
    }
    let latency = |phase: Phase, quantile: Quantile| {
        Column::new(
            format!("{phase} {quantile}"),
            Operation::ResolverLatency,
            format!("{phase} {quantile}"),
            "ns",
        )
    };
    let of = |phase: Phase, name: &str, operation: Operation, unit| {
        Column::new(format!("{phase}, {name}"), operation, phase.word(), unit)
    };
    let wire = |phase: Phase, flow: Flow, counted: Counted| {
        let name = match flow {
            Flow::Upstream => format!("{phase}, {counted} up"),
            Flow::Downstream => format!("{phase}, {counted} down"),
        };
        Column::new(name, flow.operation(), format!("{phase} {counted}"), counted.unit().0)
    };
    let overview = [
        latency(Phase::Cold, Quantile::P50),
        latency(Phase::Cold, Quantile::P99),
        latency(Phase::Steady, Quantile::P50),
        latency(Phase::Steady, Quantile::P99),
        of(Phase::Cold, "resolver", Operation::ResolverProcessor, "ns"),
        of(Phase::Steady, "resolver", Operation::ResolverProcessor, "ns"),
        of(Phase::Cold, "verifying", Operation::Verifying, "ns"),
        of(Phase::Cold, "share verifying", Operation::VerifyingShare, "share"),
        Column::new("rate held", Operation::HeldRate, "", "per-second"),
        Column::new("rate not held", Operation::HeldRate, NOT_HELD, "per-second"),
        wire(Phase::Cold, Flow::Upstream, Counted::Bytes),
        wire(Phase::Steady, Flow::Downstream, Counted::Truncated),
        of(Phase::Steady, "secure", Operation::SecureShare, "share"),
    ];
    let latencies: Vec<Column> = Phase::ALL
        .into_iter()
        .flat_map(|phase| Quantile::ALL.map(|quantile| latency(phase, quantile)))
        .collect();
    let mut work: Vec<Column> = Vec::new();
    let mut answers: Vec<Column> = Vec::new();
    let mut connections = vec![Column::new("a connection", Operation::ConnectionProcessor, "", "ns")];
    for phase in Phase::ALL {
        work.push(of(phase, "resolver", Operation::ResolverProcessor, "ns"));
        work.push(of(phase, "verifying", Operation::Verifying, "ns"));
        work.push(of(phase, "share verifying", Operation::VerifyingShare, "share"));
        work.push(of(phase, "verifications", Operation::Verifications, "count"));
        work.push(of(phase, "name servers", Operation::AuthorityProcessor, "ns"));
        connections.push(of(phase, "made", Operation::Connections, "count"));
        connections.push(of(phase, "resumed", Operation::ResumedShare, "share"));
        connections.push(of(phase, "share of connections", Operation::ConnectionShare, "share"));
        answers.push(of(phase, "secure", Operation::SecureShare, "share"));
        answers.push(of(phase, "SERVFAIL", Operation::FailedShare, "share"));
        answers.push(of(phase, "lost", Operation::LostShare, "share"));
        answers.push(of(phase, "overflowed", Operation::Overflowed, "count"));
    }
    work.push(Column::new("rate held", Operation::HeldRate, "", "per-second"));
    work.push(Column::new("rate not held", Operation::HeldRate, NOT_HELD, "per-second"));
    work.push(Column::new("memory", Operation::ResolverMemory, "", "bytes"));
    let wires = |flow: Flow| -> Vec<Column> {
        let of_phase = |phase| Counted::ALL.map(|counted| wire(phase, flow, counted));
        Phase::ALL.into_iter().flat_map(of_phase).collect()
    };
    let of_level = |level: Signed, told: PerQuery| {
        Column::new(
            format!("{level}, {told}"),
            Operation::AuthorityQuery,
            format!("{level} {told}"),
            told.unit(),
        )
    };
    let levels = [Signed::Root, Signed::Tld, Signed::Domain];
    let queries: Vec<Column> =
        levels.into_iter().flat_map(|level| PerQuery::ALL.map(|told| of_level(level, told))).collect();
    let mut first = table(report, ledger, "A resolver under load", &overview, false);
    first.note(
        "Latencies count from the time at which a query was due, those of truncated answers include the query over TCP that \
         follows; the resolver's processor time and bytes are for each query of its clients.",
    );
    first.note(
        "Cold: each host is asked for once, with caches empty at first. Steady: popular names at a fixed rate, once all of them are cached. \
         Warming: the same, where name servers were asked less and less all the same.",
    );
    for (note, begins) in [
        (note::BY_ITS_OWN, "Verified by the resolver's usual library"),
        (
            note::BY_WHAT_WAS_ADDED,
            "Verified by what was added to the resolver, libfieldtest in those of lab/resolvers",
        ),
        (note::HELD_TO_THE_END, "Held the highest rate, so that the rate held is the least that it can"),
        (
            note::GENERATOR_LIMITED,
            "Limited by the load generator, which was late itself at the next rate, so that the rate held is the least that it can",
        ),
    ] {
        if let Some(names) = noted(report, note) {
            first.note(format!("{begins}: {names}."));
        }
    }
    for asked in asked(report) {
        first.note(format!("Clients ask {asked}."));
    }
    if let Some(remark) = repetitions::remark(ledger, is_of_resolver) {
        first.note(remark);
    }
    let projections = [
        projection::of_resolver(report, &Volume::of_a_million_clients()),
        projection::of_root(report, &Volume::of_a_root_server()),
    ];
    let mut connections =
        table(report, ledger, "What clients' connections take of a resolver", &connections, true);
    connections.note(
        "A connection: the resolver's processor time from accepting to closing it, over TLS with its handshake, from the same queries once over \
         separate connections and once over one. Share: connections times that, of the resolver's processor time.",
    );
    let tables = vec![
        first,
        table(report, ledger, "Latency of a resolver's answers", &latencies, true),
        table(report, ledger, "Processor time of a query, and a resolver's memory", &work, true),
        table(
            report,
            ledger,
            "Between resolver and name servers, for each query",
            &wires(Flow::Upstream),
            true,
        ),
        table(report, ledger, "Between clients and resolver, for each query", &wires(Flow::Downstream), true),
        connections,
        table(report, ledger, "Responses to the clients' queries", &answers, true),
        table(report, ledger, "What a query costs the name servers of a level", &queries, true),
    ];
    tables.into_iter().chain(projections.into_iter().flatten()).collect()
}

fn asked(report: &Report) -> Vec<&str> {
    let of_resolver = report.records().iter().filter(|record| is_of_resolver(record));
    let notes = of_resolver.flat_map(|record| &record.notes);
    let mut all: Vec<&str> = notes.filter_map(|note| note.strip_prefix(note::ASKED)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The algorithms that a resolver's records have this note of; nothing where there are none.
fn noted(report: &Report, note: &str) -> Option<String> {
    let is_noted = |name: &&str| {
        report.records().iter().any(|record| {
            record.algorithm == **name && is_of_resolver(record) && record.notes.iter().any(|it| it == note)
        })
    };
    let titles: Vec<&str> =
        report.measured().into_iter().filter(is_noted).map(|name| report.title(name)).collect();
    (!titles.is_empty()).then(|| titles.join(", "))
}

/// A row per algorithm; `take` ticks the records.
fn table(report: &Report, ledger: &mut Ledger, title: &str, columns: &[Column], take: bool) -> Table {
    let mut table = Table::new(title).column("algorithm", Kind::Text);
    for column in columns {
        table = table.column(column.name.as_str(), Kind::number(column.unit));
        if column.operation == Operation::ResolverProcessor {
            table = table.ratio_of(&column.name);
        }
    }
    for algorithm in report.measured() {
        let mut row: Vec<Cell> = vec![algorithm.into()];
        for column in columns {
            let which = column.which(algorithm);
            row.push(match take {
                true => ledger.show(which),
                false => ledger.find(which).map(fieldtest_report::tables::ledger::cell).into(),
            });
        }
        table.row_of_results(algorithm, row);
    }
    table.baseline_of(report.baseline());
    table.without_empty_columns()
}

/// The latency of an algorithm's answers in a phase: the share of those that took longer in percent, and milliseconds.
fn curve(records: &[&Record], algorithm: &str, phase: Phase) -> Vec<(f64, f64)> {
    let of = |quantile: Quantile| {
        records.iter().find(|record| {
            record.algorithm == algorithm
                && record.operation == Operation::ResolverLatency
                && in_phase(&record.subject, Quantile::from_word) == Some((phase, quantile))
        })
    };
    Quantile::ALL
        .into_iter()
        .filter_map(|quantile| Some(((1.0 - quantile.share()) * 100.0, of(quantile)?.value / 1e6)))
        .filter(|(_, ms)| *ms > 0.0)
        .collect()
}

fn rows<'r>(report: &'r Report, records: &[&Record]) -> Vec<&'r str> {
    let has =
        |algorithm: &&str| Phase::LOADS.iter().any(|phase| !curve(records, algorithm, *phase).is_empty());
    report.measured().into_iter().filter(has).collect()
}

/// All algorithms beside each other: from the median to the slowest percent, cold and steady.
pub(super) fn compared(report: &Report, records: &[&Record]) -> Option<Plot> {
    const TOP: f64 = 16.0;
    const ROW: f64 = 34.0;
    const RIGHT: f64 = WIDTH - 16.0;
    const SHAPES: [Shape; 2] = [Shape::Diamond, Shape::Disc];
    let rows = rows(report, records);
    let all = |algorithm: &&str| Phase::LOADS.map(|phase| curve(records, algorithm, phase)).concat();
    let axis = LogAxis::over(rows.iter().flat_map(all).map(|(_, ms)| ms), LEFT, RIGHT)?;
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 44.0);
    for tick in axis.ticks() {
        let x = axis.at(tick);
        svg.line((x, TOP), (x, bottom), "grid");
        svg.text((x, bottom + 18.0), Anchor::Middle, "tick", &tick_label(tick));
    }
    svg.text((axis.middle(), bottom + 38.0), Anchor::Middle, "axis", "latency in ms");
    for (at, algorithm) in rows.iter().enumerate() {
        let top = TOP + ROW * at as f64;
        let title = report.title(algorithm);
        let class = open_row(&mut svg, report, algorithm, [top, top + ROW], RIGHT);
        for (number, phase) in Phase::LOADS.into_iter().enumerate() {
            let points = curve(records, algorithm, phase);
            let at_share =
                |share: f64| points.iter().find(|(of, _)| (of - share).abs() < 1e-6).map(|(_, ms)| *ms);
            let (Some(median), Some(slow)) = (at_share(50.0), at_share(1.0)) else { continue };
            let y = top + ROW * (number as f64 + 1.0) / 3.0;
            let ms = |value: f64| grouped(&full((value * 1e3).round() / 1e3));
            svg.open(&format!(
                "{title}\n{phase}: median {} ms, slowest percent from {} ms",
                ms(median),
                ms(slow)
            ));
            svg.line((axis.at(median), y), (axis.at(slow), y), "range");
            svg.line((axis.at(slow), y - 3.5), (axis.at(slow), y + 3.5), "range");
            svg.shape(SHAPES[number], (axis.at(median), y), 4.0, class);
            svg.close();
        }
        svg.close();
    }
    let legend = SHAPES
        .iter()
        .zip(Phase::LOADS)
        .map(|(shape, phase)| (symbol(*shape, "p standard"), phase.to_string()));
    Some(Plot {
        title: "How long a resolver takes".to_owned(),
        caption: "Each symbol is the median latency of a resolver's answers, and its line reaches to that which one answer in a \
                  hundred takes at least: above with cold caches, below in steady state."
            .to_owned(),
        legend: legend.collect(),
        svg: svg.finish("Latency of a resolver's answers, a row per algorithm; the table below lists the results"),
    })
}

/// A picture for each algorithm: latency against the slowest percentiles, those of the others behind it.
pub(super) fn each(report: &Report, records: &[&Record]) -> Option<Plot> {
    const ACROSS: usize = 3;
    const HEIGHT: f64 = 210.0;
    const STEP: f64 = WIDTH / ACROSS as f64;
    let rows = rows(report, records);
    let curves: Vec<[Vec<(f64, f64)>; 2]> =
        rows.iter().map(|algorithm| Phase::LOADS.map(|phase| curve(records, algorithm, phase))).collect();
    let points = || curves.iter().flatten().flatten();
    let left = 52.0;
    let across = LogAxis::over(points().map(|(share, _)| *share), STEP - 12.0, left)?;
    let up = LogAxis::over(points().map(|(_, ms)| *ms), HEIGHT - 34.0, 30.0)?;
    let mut svg = Svg::new(WIDTH, HEIGHT * rows.len().div_ceil(ACROSS) as f64 + 26.0);
    for (at, algorithm) in rows.iter().enumerate() {
        let (x, y) = ((at % ACROSS) as f64 * STEP, (at / ACROSS) as f64 * HEIGHT);
        svg.open_item(algorithm, report.title(algorithm));
        for tick in across.ticks() {
            svg.line((x + across.at(tick), y + 30.0), (x + across.at(tick), y + HEIGHT - 34.0), "grid");
            svg.text((x + across.at(tick), y + HEIGHT - 18.0), Anchor::Middle, "tick", &tick_label(tick));
        }
        for tick in up.ticks() {
            svg.line((x + left, y + up.at(tick)), (x + STEP - 12.0, y + up.at(tick)), "grid");
            svg.text((x + left - 6.0, y + up.at(tick) + 4.0), Anchor::End, "tick", &tick_label(tick));
        }
        svg.text((x + left, y + 20.0), Anchor::Start, "name", report.title(algorithm));
        let mut draw = |points: &[(f64, f64)], class: &str| {
            let place = |(share, ms): &(f64, f64)| (x + across.at(*share), y + up.at(*ms));
            for pair in points.windows(2) {
                svg.line(place(&pair[0]), place(&pair[1]), class);
            }
        };
        for (_, others) in curves.iter().enumerate().filter(|(other, _)| *other != at) {
            draw(&others[1], "curve other");
        }
        let (_, class) = outline(report.status(algorithm));
        for (phase, points) in Phase::LOADS.into_iter().zip(&curves[at]) {
            draw(points, &format!("curve {phase} {class}"));
        }
        svg.close();
    }
    let bottom = HEIGHT * rows.len().div_ceil(ACROSS) as f64 + 14.0;
    let axes = "across: slowest percent of the answers; upward: latency in ms";
    svg.text((WIDTH / 2.0, bottom), Anchor::Middle, "axis", axes);
    let sample = |class: &str| {
        let mut svg = Svg::new(26.0, 14.0);
        svg.line((1.0, 7.0), (25.0, 7.0), class);
        svg.finish("").svg
    };
    Some(Plot {
        title: "A resolver's latency, algorithm by algorithm".to_owned(),
        caption: "What the slowest percent of the answers, and other shares, take at least, both logarithmic. Behind each \
                  algorithm are the others in steady state."
            .to_owned(),
        legend: vec![
            (sample("curve cold p standard"), Phase::Cold.to_string()),
            (sample("curve steady p standard"), Phase::Steady.to_string()),
            (sample("curve other"), "others, steady".to_owned()),
        ],
        svg: svg.finish("Latency of the slowest percentiles, a picture per algorithm; the table below lists the results"),
    })
}
