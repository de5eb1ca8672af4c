//! Runs held against each other: runs of nothing new, a slowdown, other machines, and what cannot be told.

use fieldtest_measure::Rng;
use fieldtest_measure::record::{Calibrated, Implementation, Input, Line, Record, Run};
use fieldtest_measure::student::two_sided_95;
use fieldtest_measure::words::{CONTENDED, CORE_LOST};
use fieldtest_report::compare::{Comparison, Estimate, Held, Labelled, Reason, Verdict, Wanted};
use fieldtest_report::{Error, Format, Report};
use fieldtest_testing::section::EVIL;

use super::synthetic;

const HUMAN: Format = Format::Human { width: 120, colour: false };

fn run() -> Run {
    Run { verdict: "quiet".to_owned(), ..synthetic::run() }
}

fn elsewhere() -> Run {
    let mut run = run();
    run.host.id = "ba9876543210".to_owned();
    run.host.cpu = "Made-up Processor 1".to_owned();
    run
}

fn report(run: Run, records: impl IntoIterator<Item = Record>) -> Report {
    let lines = std::iter::once(Line::Run(run)).chain(records.into_iter().map(Line::Record));
    Report::from_lines(lines, &[]).expect("records of one machine")
}

/// A result of 30 processes with an interval to this share on either side.
fn timed(algorithm: &str, implementation: &str, operation: &str, value: f64, half: f64) -> Record {
    Record {
        implementation: Some(Implementation::new(implementation, "1")),
        interval: Some([value / (1.0 + half), value * (1.0 + half)]),
        estimator: "median".to_owned(),
        samples: 30,
        ..synthetic::record("speed", algorithm, operation, "", value, "cycles")
    }
}

fn compare(first: &Report, other: &Report, wanted: &Wanted<'_>) -> Comparison {
    let of = |label, report| Labelled { label, report };
    Comparison::of(of("old", first), &[of("new", other)], wanted).expect("something to compare")
}

fn held(first: &Report, other: &Report) -> Held {
    compare(first, other, &Wanted::default()).others.remove(0)
}

fn result<'a>(held: &'a Held, algorithm: &str, operation: &str) -> &'a Estimate {
    let mut found = held.results.iter();
    found.find(|it| it.name.algorithm == algorithm && it.name.operation == operation).expect("a figure")
}

/// Runs of results that are drawn anew each time, as means of processes whose logarithms are normal; those from `slower` on
/// take 5 % longer. The place of code is no excuse here.
fn drawn(rng: &mut Rng, results: usize, slower: usize) -> Report {
    let mut normal =
        move || (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos();
    let records: Vec<Record> = (0..results)
        .map(|at| {
            let processes = [3, 6, 8, 14, 30][at % 5];
            let drawn: Vec<f64> = (0..processes).map(|_| 0.005 * normal()).collect();
            let mean = drawn.iter().sum::<f64>() / processes as f64;
            let freedom = processes as f64 - 1.0;
            let variance = drawn.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / freedom;
            let width = two_sided_95(freedom) * (variance / processes as f64).sqrt();
            let value = 1000.0 * mean.exp() * if at >= slower { 1.05 } else { 1.0 };
            Record {
                interval: Some([value * (-width).exp(), value * width.exp()]),
                samples: processes as u64,
                ..timed(&format!("algorithm-{at}"), "fieldtest", "sign", value, 0.0)
            }
        })
        .collect();
    let calibration =
        Calibrated { made: "2030-01-01T00:00:00Z".to_owned(), coverage: 0.83, widening: 1.0, layout: 0.0 };
    report(Run { calibration: Some(calibration), ..run() }, records)
}

#[test]
fn at_most_one_of_a_hundred_unchanged_results_is_told() {
    let mut rng = Rng::new(11);
    let runs: Vec<Report> = (0..6).map(|_| drawn(&mut rng, 1000, 1000)).collect();
    let (mut told, mut level) = (0, 0);
    for first in &runs {
        for other in runs.iter().filter(|other| !std::ptr::eq(*other, first)) {
            let found = held(first, other);
            assert_eq!(found.counts.compared, 1000);
            told += found.counts.slower + found.counts.faster;
            level += found.counts.level;
        }
    }
    assert!(told <= 30 * 1000 / 100, "{told}");
    // By Benjamini and Hochberg it is far less where nothing changed at all.
    assert!(told <= 3 && level > 10_000, "{told} told, {level} level");
}

#[test]
fn where_half_of_all_changed_the_others_are_still_not_told() {
    let mut rng = Rng::new(5);
    let (mut missed, mut wrong) = (0, 0);
    for _ in 0..10 {
        let (first, other) = (drawn(&mut rng, 1000, 1000), drawn(&mut rng, 1000, 500));
        for result in held(&first, &other).results {
            let changed =
                result.name.algorithm["algorithm-".len()..].parse::<usize>().expect("a number") >= 500;
            match (changed, result.verdict) {
                (false, Verdict::Slower | Verdict::Faster) => wrong += 1,
                (true, Verdict::Slower) => {}
                (true, _) => missed += 1,
                (false, _) => {}
            }
        }
    }
    assert!(wrong <= 10 * 500 / 100, "{wrong}");
    assert!(missed < 10 * 500 / 10, "{missed}");
}

#[test]
fn a_slowdown_of_one_implementation_is_found() {
    let results = |slower: f64| {
        let all = (0..100).map(move |at| {
            let implementation = if at % 4 == 0 { "a-library" } else { "fieldtest" };
            let factor = if at == 48 { slower } else { 1.0 };
            timed(&format!("larch-{at}"), implementation, "verify", 50_000.0 * factor, 0.005)
        });
        report(run(), all)
    };
    let wanted = Wanted { threshold: Some(0.03), ..Wanted::default() };
    let found = compare(&results(1.0), &results(1.05), &wanted);
    let counts = found.others[0].counts;
    assert_eq!((counts.slower, counts.faster, counts.level, counts.not_told), (1, 0, 99, 0));
    assert_eq!(found.beyond(), 1);
    let worst = &found.others[0].results[0];
    assert_eq!((worst.name.algorithm.as_str(), worst.verdict), ("larch-48", Verdict::Slower));
    assert!((worst.times.expect("a ratio") - 1.05).abs() < 1e-9);
    for (format, words) in [
        (HUMAN, ["100 results compared: 1 slower, 0 faster, 99 unchanged", "more than 3%", "▲ +5.0%"]),
        (Format::Markdown, ["## new against old", "**100 results compared: 1 slower", "| ▲ +5.0% |"]),
        (
            Format::Csv,
            ["run,sort,study", "larch-48,a-library,verify,,cycles,50000,52500,1.05", ",slower,,yes,"],
        ),
        (Format::Json, ["\"beyond\": true", "\"verdict\": \"slower\"", "\"threshold\": 0.03"]),
    ] {
        let text = found.render(format, false);
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
    // The other way round it is a gain, which no threshold forbids.
    let back = compare(&results(1.05), &results(1.0), &wanted);
    assert_eq!((back.others[0].counts.faster, back.beyond()), (1, 0));
    // What may lie below the threshold is not beyond it.
    let wanted = Wanted { threshold: Some(0.048), ..Wanted::default() };
    let found = compare(&results(1.0), &results(1.05), &wanted);
    assert_eq!((found.others[0].counts.slower, found.beyond()), (1, 0));
}

#[test]
fn json_reads_back_as_the_same() {
    let [first, other] = [synthetic::tcp_ao::lines(), synthetic::disk::lines()].map(|mut lines| {
        let more = synthetic::lines();
        lines.extend(more.into_iter().filter(|line| !matches!(line, Line::Run(_))));
        if let Line::Run(run) = &mut lines[0] {
            run.verdict = "quiet".to_owned();
        }
        Report::from_lines(lines, &[]).expect("a run")
    });
    let found = compare(&first, &other, &Wanted::default());
    assert!(found.others[0].counts.level > 50 && found.others[0].counts.alone > 10);
    let again: Comparison = serde_json::from_str(&found.render(Format::Json, false)).expect("JSON");
    assert_eq!(again.others[0].counts, found.others[0].counts);
    assert_eq!(again, found);
}

#[test]
fn sizes_that_changed_are_facts() {
    let size = |value| synthetic::record("speed", "larch-44", "message-size", "soa", value, "bytes");
    let of = |value, sha256: &str| Record {
        input: Some(Input { name: "zone".into(), sha256: sha256.into(), bytes: 1, items: 1 }),
        ..size(value)
    };
    let found = held(&report(run(), [of(2553.0, "00")]), &report(run(), [of(2557.0, "00")]));
    assert_eq!((found.counts.compared, found.sizes.len()), (0, 1));
    assert_eq!(found.sizes[0].values, [2553.0, 2557.0]);
    let found = held(&report(run(), [of(2553.0, "00")]), &report(run(), [of(2557.0, "11")]));
    assert_eq!((found.sizes.len(), found.sizes_of_other_input), (0, 1));
    let found = held(&report(run(), [size(1.0)]), &report(run(), [size(1.0)]));
    assert_eq!((found.sizes.len(), found.counts.sizes_alone), (0, 0));
}

#[test]
fn what_cannot_be_told_has_a_reason() {
    let plain = || timed("larch-44", "fieldtest", "sign", 1000.0, 0.001);
    let input =
        |sha256: &str| Some(Input { name: "zone".into(), sha256: sha256.into(), bytes: 1000, items: 10 });
    let unfit = Run { verdict: "unfit".to_owned(), ..run() };
    for (first, other, reason) in [
        (Record { input: input("00"), ..plain() }, Record { input: input("11"), ..plain() }, Reason::Input),
        (plain(), Record { input: input("11"), ..plain() }, Reason::Input),
        (plain(), Record { interval: None, ..plain() }, Reason::NoInterval),
        (Record { interval: None, ..plain() }, plain(), Reason::NoInterval),
        (plain(), Record { estimator: "mean".to_owned(), ..plain() }, Reason::Estimator),
        (plain(), Record { notes: vec![CONTENDED.to_owned()], ..plain() }, Reason::SharedCore),
        (
            Record { notes: vec![CORE_LOST.to_owned()], ..plain() },
            Record { notes: vec![CONTENDED.to_owned()], ..plain() },
            Reason::SharedCore,
        ),
        (plain(), Record { interval: Some([0.0, 2000.0]), ..plain() }, Reason::Nothing),
        (plain(), timed("larch-44", "fieldtest", "sign", 1030.0, 0.02), Reason::TooLittle),
    ] {
        let found = held(&report(run(), [first]), &report(run(), [other]));
        let [result] = found.results.as_slice() else { panic!("one figure: {found:?}") };
        assert_eq!((result.verdict, result.reason), (Verdict::NotSignificant, Some(reason)));
        assert_eq!((found.counts.not_told, found.counts.compared), (1, 1));
    }
    let found = held(&report(run(), [plain()]), &report(unfit, [plain()]));
    assert_eq!(found.results[0].reason, Some(Reason::Unfit));
    // Of both, a neighbour may hide a change.
    let shared = || Record { notes: vec![CONTENDED.to_owned()], ..plain() };
    let found = compare(&report(run(), [shared()]), &report(run(), [shared()]), &Wanted::default());
    assert_eq!((found.others[0].counts.not_told, found.others[0].counts.shared_core), (1, 1));
    assert_eq!(found.others[0].results[0].reason, Some(Reason::Contended));
    assert!(found.render(HUMAN, false).contains("the other thread"));
    // What was drawn out stands for the same as what was run whole.
    let drawn_out = Record { estimator: "extrapolated".to_owned(), ..plain() };
    let whole = Record { estimator: "mean".to_owned(), ..plain() };
    assert_eq!(held(&report(run(), [drawn_out]), &report(run(), [whole])).counts.level, 1);
}

#[test]
fn ratios_are_compared_where_their_costs_are_not() {
    let ratio = |operation: &str, subject: &str, value| Record {
        subject: subject.to_owned(),
        unit: "ratio".to_owned(),
        ..timed("larch-44", "fieldtest", operation, value, 0.002)
    };
    let ratios = |value| {
        [ratio("sign-ratio", "against elder (a)", value), ratio("sign-lead", "over a-library", value)]
    };
    let cost = |value| timed("larch-44", "fieldtest", "sign", value, 0.002);
    let found = held(&report(run(), ratios(2.0)), &report(run(), ratios(2.2)));
    // A longer lead is a shorter time.
    assert_eq!(result(&found, "larch-44", "sign-ratio").verdict, Verdict::Slower);
    assert_eq!(result(&found, "larch-44", "sign-lead").verdict, Verdict::Faster);
    let with = |value| ratios(value).into_iter().chain([cost(1000.0)]);
    let found = held(&report(run(), with(2.0)), &report(run(), with(2.2)));
    assert_eq!((found.counts.compared, found.derived, found.counts.level), (1, 2, 1));
}

#[test]
fn more_in_a_time_is_faster() {
    let speed = |value| Record {
        unit: "GB/s".to_owned(),
        ..timed("birch-256-xts", "fieldtest", "throughput", value, 0.002)
    };
    let found = held(&report(run(), [speed(5.0)]), &report(run(), [speed(4.0)]));
    assert_eq!(found.results[0].verdict, Verdict::Slower);
    assert!((found.results[0].times.expect("a ratio") - 1.25).abs() < 1e-9);
}

#[test]
fn results_of_other_machines_go_through_a_baseline() {
    // Everything takes twice as long there; the second algorithm a tenth more than that.
    let here = || {
        vec![
            timed("elder-p256", "a-library", "sign", 1000.0, 0.001),
            timed("larch-44", "fieldtest", "sign", 3000.0, 0.001),
            timed("fir-512", "fieldtest", "sign", 5000.0, 0.001),
            timed("fir-512", "fieldtest", "verify", 5000.0, 0.001),
        ]
    };
    let there = || {
        let factors = [2.0, 2.2, 2.0, 2.0];
        let times = |(record, factor): (Record, f64)| Record {
            value: record.value * factor,
            interval: record.interval.map(|bounds| bounds.map(|bound| bound * factor)),
            ..record
        };
        here().into_iter().zip(factors).map(times).collect::<Vec<_>>()
    };
    let found = held(&report(run(), here()), &report(elsewhere(), there()));
    assert!(!found.same_machine && found.refused.is_empty());
    assert_eq!(found.bases[0].algorithm, "elder-p256");
    assert_eq!(found.counts.compared, 3, "the baseline itself is none of them");
    assert_eq!(result(&found, "larch-44", "sign").verdict, Verdict::Slower);
    assert!((result(&found, "larch-44", "sign").times.expect("a ratio") - 1.1).abs() < 1e-9);
    assert_eq!(result(&found, "fir-512", "sign").verdict, Verdict::Level);
    assert_eq!(result(&found, "fir-512", "verify").reason, Some(Reason::NoBase));
    assert!(found.differs.iter().any(|it| it.what == "processor"));

    // Another baseline turns it round.
    let wanted = Wanted { baseline: Some("larch-44"), ..Wanted::default() };
    let found = compare(&report(run(), here()), &report(elsewhere(), there()), &wanted).others.remove(0);
    assert_eq!(found.bases[0].algorithm, "larch-44");
    assert_eq!(result(&found, "elder-p256", "sign").verdict, Verdict::Faster);

    // ecdsa-p256 goes before others; by the same implementation on both.
    let renamed = |mut records: Vec<Record>, implementation: &str| {
        records[2].algorithm = "ecdsa-p256".to_owned();
        records[2].implementation = Some(Implementation::new(implementation, "1"));
        records
    };
    let [a, b] = [report(run(), renamed(here(), "x")), report(elsewhere(), renamed(there(), "x"))];
    let found = held(&a, &b);
    assert_eq!(result(&found, "larch-44", "sign").base.as_ref().expect("a base").algorithm, "ecdsa-p256");
    let other = report(elsewhere(), renamed(there(), "y"));
    assert_eq!(held(&a, &other).bases[0].algorithm, "elder-p256");

    // A study without an algorithm that could stand for the machines, next to one that has it, and alone.
    let other_study =
        || Record { study: "dnssec".to_owned(), ..timed("larch-44", "fieldtest", "sign", 3000.0, 0.001) };
    let with = |records: Vec<Record>| records.into_iter().chain([other_study()]).collect::<Vec<_>>();
    let found = held(&report(run(), with(here())), &report(elsewhere(), with(there())));
    assert_eq!(found.refused, ["dnssec"]);
    let [a, b] = [report(run(), [other_study()]), report(elsewhere(), [other_study()])];
    let label = |label, report| Labelled { label, report };
    let refused = Comparison::of(label("a", &a), &[label("b", &b)], &Wanted::default());
    assert!(matches!(refused, Err(Error::NoBaseline { .. })), "{refused:?}");
}

#[test]
fn several_runs_are_corrected_together() {
    let of = |value| report(run(), [timed("larch-44", "fieldtest", "sign", value, 0.002)]);
    let (first, same, slow) = (of(1000.0), of(1001.0), of(1100.0));
    let label = |label, report| Labelled { label, report };
    let others = [label("same", &same), label("slow", &slow)];
    let found = Comparison::of(label("first", &first), &others, &Wanted::default()).expect("three runs");
    assert_eq!(found.judged, 2);
    // One is not slower by so much; of the other, nothing was said about a threshold.
    assert_eq!((found.undecided(0.05), found.undecided(0.2)), (1, 0));
    // What may be slower by 5 % and may not is not decided by the others that are missing.
    let noisy = |value| report(run(), [timed("larch-44", "fieldtest", "sign", value, 0.2)]);
    let unsure =
        compare(&noisy(1000.0), &noisy(1010.0), &Wanted { threshold: Some(0.05), ..Wanted::default() });
    assert!((unsure.judged, unsure.undecided(0.05), unsure.undecided(2.0)) == (1, 1, 0));
    let verdicts: Vec<Verdict> = found.others.iter().map(|held| held.results[0].verdict).collect();
    assert_eq!(verdicts, [Verdict::Level, Verdict::Slower]);
    for (format, words) in
        [(HUMAN, ["same: ", "slow against first"]), (Format::Markdown, ["## same against first", "## slow"])]
    {
        let text = found.render(format, true);
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    assert_eq!(found.render(Format::Csv, false).lines().count(), 3);
}

#[test]
fn shares_and_counts_that_changed_are_listed() {
    let of = |secure: f64, lost: f64| {
        let share = |operation: &str, value: f64| Record {
            operation: operation.to_owned(),
            unit: "share".to_owned(),
            estimator: "mean".to_owned(),
            interval: Some([value - 0.01, value + 0.01]),
            ..timed("larch-44", "Made-up", operation, value, 0.01)
        };
        report(run(), [share("secure", secure), share("lost", lost)])
    };
    let found = compare(&of(0.98, 0.100), &of(0.5, 0.105), &Wanted::default());
    let sizes = &found.others[0].sizes;
    let changed: Vec<(&str, [f64; 2])> =
        sizes.iter().map(|size| (size.name.operation.as_str(), size.values)).collect();
    assert_eq!(changed, [("secure", [0.98, 0.5])]);
}

#[test]
fn what_differs_around_the_runs_is_said() {
    let results = || [timed("larch-44", "fieldtest", "sign", 1000.0, 0.002)];
    let mut later = Run { version: "0.2.0".to_owned(), seed: 8, verdict: "noisy".to_owned(), ..run() };
    later.host.kernel = "Made-up 1.2.4".to_owned();
    later.host.compiler = "rustc 0.0.1".to_owned();
    later.calibration =
        Some(Calibrated { made: "2030-01-01".to_owned(), coverage: 0.8, widening: 1.1, layout: 0.03 });
    let found = compare(&report(run(), results()), &report(later, results()), &Wanted::default());
    let what: Vec<&str> = found.others[0].differs.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(what, ["version", "compiler", "kernel", "seed", "verdict", "calibration"]);
    assert!((found.others[0].layout - 0.03).abs() < 1e-12);
    let text = found.render(HUMAN, false);
    assert!(text.contains("version 0.1.0 → 0.2.0; ") && text.contains("seed 7 → 8"), "{text}");
    assert!(text.contains("noisy: "), "{text}");
}

#[test]
fn requests_that_make_no_sense() {
    let of = |algorithm: &str| report(run(), [timed(algorithm, "fieldtest", "sign", 1000.0, 0.002)]);
    let (first, other) = (of("larch-44"), of("fir-512"));
    let label = |label, report| Labelled { label, report };
    let wanted = Wanted::default();
    let error =
        Comparison::of(label("a", &first), &[label("b", &other)], &wanted).expect_err("nothing in common");
    assert!(
        matches!(&error, Error::NothingInCommon { first, other } if first == "a" && other == "b"),
        "{error}"
    );
    let wanted = Wanted { baseline: Some("oak"), ..wanted };
    let error =
        Comparison::of(label("a", &first), &[label("b", &first)], &wanted).expect_err("no such baseline");
    assert!(matches!(error, Error::UnknownBaseline { .. }), "{error}");
}

#[test]
fn hostile_records_steer_no_terminal() {
    let hostile = format!("{EVIL}\u{1b}]0;x\u{7}\u{9b}8m\u{202e}\r\nfieldtest: all is well | *x*");
    let rename = |mut record: Record, value: f64| {
        let Record { study, algorithm, operation, subject, .. } = &mut record;
        for word in [study, algorithm, operation, subject] {
            word.clone_from(&hostile);
        }
        record.value = value;
        record.interval = record.interval.map(|_| [value / 1.001, value * 1.001]);
        record.implementation = Some(Implementation::new(hostile.clone(), format!("{value}{hostile}")));
        record
    };
    let mut run = run();
    run.version.clone_from(&hostile);
    run.host.cpu.clone_from(&hostile);
    run.verdict.clone_from(&hostile);
    let mut other = run.clone();
    other.host.kernel.clone_from(&hostile);
    let plain = timed("", "", "", 0.0, 0.0);
    let sizes = |value| rename(synthetic::record("", "", "", "", 0.0, "bytes"), value);
    let of = |run: &Run, value| report(run.clone(), [rename(plain.clone(), value), sizes(value)]);
    for (first, second) in [(1000.0, 1e99), (1e-99, 1e99), (1000.0, 1100.0)] {
        let (first, second) = (of(&run, first), of(&other, second));
        let label = |report| Labelled { label: &hostile, report };
        let wanted = Wanted { threshold: Some(0.01), ..Wanted::default() };
        let found = Comparison::of(label(&first), &[label(&second)], &wanted).expect("figures");
        for format in [HUMAN, Format::Markdown, Format::Json] {
            let text = found.render(format, true);
            let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(!text.contains(steers), "{text:?}");
            assert!(!text.lines().any(|line| line.starts_with("fieldtest: all is well")));
            if format == Format::Markdown {
                assert!(
                    !text.contains("<script") && !text.contains("<img") && !text.contains("| *x*"),
                    "{text}"
                );
            }
        }
        let again: Comparison = serde_json::from_str(&found.render(Format::Json, true)).expect("JSON");
        assert_eq!(again, found);
    }
}
