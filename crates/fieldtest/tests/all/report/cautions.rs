//! What a report does with results that carry little: it says so, and lets nobody lead by them.

use fieldtest::study_sections;
use fieldtest_measure::record::{Line, Part, Record, Run, Shared};
use fieldtest_measure::words::CONTENDED;
use fieldtest_report::advice::{Advice, Request};
use fieldtest_report::{Format, Report, StudySection};

use super::synthetic;

const TABLES: Format = Format::Human { width: 200, colour: false };

fn changed(lines: Vec<Line>, mut change: impl FnMut(&mut Record)) -> Vec<Line> {
    let each = |line| match line {
        Line::Record(mut record) => {
            change(&mut record);
            Line::Record(record)
        }
        line => line,
    };
    lines.into_iter().map(each).collect()
}

fn all() -> Vec<Line> {
    let without_run = |lines: Vec<Line>| lines.into_iter().filter(|line| !matches!(line, Line::Run(_)));
    let others = [synthetic::tcp_ao::lines(), synthetic::git::lines(), synthetic::disk::lines()];
    synthetic::lines().into_iter().chain(others.into_iter().flat_map(without_run)).collect()
}

fn report(lines: Vec<Line>) -> Report {
    Report::from_lines(lines, study_sections()).expect("records")
}

/// By which times the verdicts put somebody first.
fn timed(report: &Report) -> Vec<&'static str> {
    let times = ["max-verify", "max-segment", "max-hash", "max-encrypt"];
    let by = report.verdicts().into_iter().flat_map(|advice| advice.by);
    by.filter(|property| times.contains(property)).collect()
}

#[test]
fn nobody_leads_by_a_mean_without_an_interval() {
    assert_eq!(timed(&report(all())), ["max-segment", "max-hash", "max-encrypt"]);
    let bare = |estimator: &str| {
        report(changed(all(), |record| {
            if record.samples > 0 {
                record.interval = None;
                record.estimator = estimator.to_owned();
            }
        }))
    };
    assert_eq!(timed(&bare("mean")), Vec::<&str>::new());
    assert!(bare("mean").render(TABLES).contains("~ no interval"));
    // Medians of windows without an interval may lead, by 1.4 times at least.
    assert_eq!(timed(&bare("median")), ["max-segment", "max-hash", "max-encrypt"]);
}

#[test]
fn a_verdict_says_that_the_machine_was_noisy() {
    let quiet = all().into_iter().map(|line| match line {
        Line::Run(run) => Line::Run(Run { verdict: "quiet".to_owned(), ..run }),
        line => line,
    });
    for (report, is_said) in [(report(all()), true), (report(quiet.collect()), false)] {
        let found: Vec<_> = report.verdicts().into_iter().filter_map(|advice| advice.caution).collect();
        assert_eq!(!found.is_empty(), is_said, "{found:?}");
        assert!(found.iter().all(|caution| caution.contains("load average is 3.1")), "{found:?}");
    }
}

/// How many verdicts have several survivors, and how many of these have several firsts.
fn counts(report: &Report) -> (usize, usize) {
    let typed = ["status", "implemented-by", "warnings"].map(|id| (id.to_owned(), "any".to_owned())).to_vec();
    let request = Request { typed, ..Request::default() };
    let of = |study_section: &&StudySection| study_section.decision?.decide(report, &request).ok().flatten();
    let several: Vec<_> =
        study_sections().iter().filter_map(of).filter(|advice| advice.survivors.len() > 1).collect();
    let tied = several.iter().filter(|advice| advice.survivors[1].rank == 1).count();
    (several.len(), tied)
}

/// Each result there may be off by a factor of two, so that two are told apart where they lie four times apart.
#[test]
fn on_a_shared_core_only_who_is_far_ahead_leads() {
    let spread = |factor: f64| {
        let mut names: Vec<String> = Vec::new();
        report(changed(all(), |record| {
            if record.samples == 0 {
                return;
            }
            let place = names.iter().position(|name| *name == record.algorithm).unwrap_or(names.len());
            if place == names.len() {
                names.push(record.algorithm.clone());
            }
            record.value = 1e3 * factor.powi(i32::try_from(place).expect("few"));
            record.interval = Some([record.value * 0.99, record.value * 1.01]);
            record.notes.push(CONTENDED.to_owned());
        }))
    };
    let (several, tied) = counts(&spread(1.05));
    assert!(several >= 2 && tied == several, "{tied} of {several}");
    assert_eq!(counts(&spread(4.5)).1, 0);
}

#[test]
fn who_cannot_be_told_from_the_first_shares_its_place() {
    let wide = report(changed(all(), |record| {
        record.interval = record.interval.map(|_| [record.value / 50.0, record.value * 50.0]);
    }));
    let (several, tied) = counts(&wide);
    assert!(several >= 2 && tied == several, "{tied} of {several}");
    assert_eq!(counts(&report(all())).1, 0);
}

/// Two share a place by being tied, within 2 %, or by not being ranked; only the first is called so.
#[test]
fn what_is_not_ranked_is_not_called_tied() {
    let first = |half: f64, note: Option<&str>| {
        let report = report(changed(all(), |record| {
            if record.samples > 0 {
                record.value = 1e3;
                record.interval = Some([1e3 / half, 1e3 * half]);
                record.notes.extend(note.map(str::to_owned));
            }
        }));
        let found = of_disk(&report);
        let first = &found.survivors[0];
        assert_eq!(found.survivors[1].rank, 1);
        (first.place.clone(), first.not_ranked.is_some(), found.sentence.contains("tied in"))
    };
    let (place, is_not_ranked, is_tied) = first(1.005, None);
    assert_eq!((&*place, is_not_ranked, is_tied), ("1 =", false, true));
    for (half, note) in [(1.1, None), (1.1, Some(CONTENDED))] {
        let (place, is_not_ranked, is_tied) = first(half, note);
        assert!(place.starts_with("1–") && is_not_ranked && !is_tied, "{place}");
    }
}

/// The verdict on ciphers of disks where nearly nothing is asked.
fn of_disk(report: &Report) -> Advice {
    let typed = ["status", "implemented-by", "warnings"].map(|id| (id.to_owned(), "any".to_owned())).to_vec();
    let request = Request { typed, ..Request::default() };
    let mut decisions = study_sections().iter().filter_map(|study_section| study_section.decision);
    let decision = decisions.find(|it| it.own.iter().any(|own| own.id == "max-encrypt"));
    decision.expect("of disks").decide(report, &request).expect("sense").expect("records")
}

#[test]
fn results_of_a_shared_core_are_marked() {
    let words = "◫";
    assert!(!report(all()).render(TABLES).contains(words));
    let shared = changed(all(), |record| {
        if record.study == "speed" && record.operation == "verify" {
            record.notes.push(CONTENDED.to_owned());
        }
    });
    let report = report(shared);
    assert!(report.render(TABLES).contains(words));
    // In pictures beside the name.
    let page = report.html().expect("a page");
    assert!(page.contains(" ◫</text>"), "no picture marks it");
}

/// What somebody else slowed down may be the faster all the same.
#[test]
fn who_was_held_up_is_named_beside_the_fastest() {
    let verify = |record: &Record| record.study == "speed" && record.operation == "verify";
    let of_a_carrier = |line: &Line| matches!(line, Line::Record(it) if it.study != "speed");
    let lines: Vec<Line> = synthetic::lines().into_iter().filter(|line| !of_a_carrier(line)).collect();
    let times = lines.iter().filter_map(|line| match line {
        Line::Record(it) if verify(it) => Some(it.value),
        _ => None,
    });
    let best = times.min_by(f64::total_cmp).expect("figures");
    let headline = |times: f64, has_interval: bool| {
        let held_up = changed(lines.clone(), |record| {
            if verify(record) && record.algorithm == "larch-65" {
                let factor = times * best / record.value;
                record.value *= factor;
                record.interval =
                    record.interval.filter(|_| has_interval).map(|ends| ends.map(|end| end * factor));
                record.notes.push(CONTENDED.to_owned());
            }
        });
        report(held_up).html().expect("a page")
    };
    // A contended result may be too high by a factor of two; one without an interval by anything.
    let [unsure, unranked] = ["difference not significant", "perhaps faster"];
    assert!(headline(1.5, true).contains(unsure) && !headline(2.5, true).contains(unsure));
    assert!(headline(0.9, false).contains(unranked) && !headline(1.5, false).contains(unranked));
}

#[test]
fn ratios_follow_the_baseline() {
    let mut lines = synthetic::lines();
    let results: Vec<Record> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Record(it) if it.study == "speed" && it.operation == "verify" => Some(it.clone()),
            _ => None,
        })
        .collect();
    let base = results.iter().find(|it| it.algorithm == "elder-p256").expect("a baseline").clone();
    for result in results.iter().filter(|it| it.algorithm != base.algorithm) {
        lines.push(Line::Record(Record {
            operation: "verify-ratio".to_owned(),
            subject: "against elder-p256 (fieldtest/avx2)".to_owned(),
            value: result.value / base.value,
            interval: None,
            unit: "ratio".to_owned(),
            ..result.clone()
        }));
    }
    let other = results.iter().find(|it| it.algorithm != base.algorithm).expect("two").algorithm.clone();
    let report = report(lines).with_baseline(&other).expect("it is there");
    let ratios: Vec<&Record> =
        report.records().iter().filter(|record| record.operation == "verify-ratio").collect();
    let of = |algorithm: &str| results.iter().find(|it| it.algorithm == algorithm).expect("a figure").value;
    assert_eq!(ratios.len(), results.len() - 1);
    for ratio in ratios {
        assert!(ratio.subject.starts_with(&format!("against {other} (")), "{}", ratio.subject);
        let [low, high] = ratio.interval.expect("both figures have one");
        assert!(low < ratio.value && ratio.value < high);
        if ratio.algorithm == "elder-p256" && ratio.implementation == base.implementation {
            assert!((ratio.value - base.value / of(&other)).abs() < 1e-12);
        }
    }
}

#[test]
fn results_that_cannot_be_are_refused() {
    let fault = |change: &dyn Fn(&mut Record)| {
        let timed = |record: &Record| record.study == "speed" && record.samples > 0;
        let lines = changed(synthetic::lines(), |record| {
            if timed(record) {
                change(record);
            }
        });
        Report::from_lines(lines, study_sections()).expect_err("it cannot be").to_string()
    };
    assert!(fault(&|record| record.value *= 3.0).contains("its interval"));
    let negative = fault(&|record| (record.value, record.interval) = (-1.0, None));
    assert!(negative.contains("is negative"), "{negative}");
    assert!(fault(&|record| (record.value, record.interval) = (0.0, None)).contains("zero or negative"));
    assert!(fault(&|record| (record.value, record.interval) = (1e-200, None)).contains("out of range"));
    assert!(fault(&|record| record.samples = 2).contains("too few samples"));
    let shared = Shared { value: 5.0, interval: Some([6.0, 7.0]), samples: 9 };
    assert!(fault(&|record| record.shared = Some(shared)).contains("contended value"));
    assert!(fault(&|record| record.samples = 0).contains("without samples"));
    let part = Part { measured: 3, of: 2, smaller: None };
    assert!(fault(&|record| record.part = Some(part)).contains("more was measured"));
    assert!(fault(&|record| "verify".clone_into(&mut record.operation)).contains("this result"));
}

#[test]
fn facts_that_cannot_be_are_refused() {
    let with = |change: &dyn Fn(&mut Record)| {
        let mut lines = synthetic::lines();
        let exact = |line: &Line| match line {
            Line::Record(record) if record.samples == 0 && record.value > 0.0 && record.unit == "bytes" => {
                Some(record.clone())
            }
            _ => None,
        };
        let mut second = lines.iter().find_map(exact).expect("a size");
        change(&mut second);
        lines.push(Line::Record(second));
        Report::from_lines(lines, study_sections()).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(with(&|_| ()), Ok(()), "the same once more");
    let other = with(&|record| record.value += 1.0).expect_err("nobody could say which");
    assert!(other.contains("this result"), "{other}");
    let subject = |record: &mut Record| "elsewhere".clone_into(&mut record.subject);
    let negative = with(&|record| {
        subject(record);
        record.value = -1.0;
    });
    assert!(negative.expect_err("no size").contains("negative"));
    let freed = with(&|record| {
        subject(record);
        "ima".clone_into(&mut record.study);
        "storage".clone_into(&mut record.operation);
        record.value = -1.0;
    });
    assert_eq!(freed, Ok(()), "blocks that are given back");
}
