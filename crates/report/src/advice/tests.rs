//! The rules of rank, on typed-in records: who is first, who is tied, and who is not ranked, and why.

use fieldtest_measure::record::{Candidate, Line, Record, Run};
use fieldtest_measure::words::{CONTENDED, CORE_LOST, PUBLISHED};
use fieldtest_verdict::{CHAIN, CLOSE, NO_INTERVAL, THIRD, UNFIT};

use super::{Advice, Decision, Held, Property, Request};
use crate::StudySection;
use crate::made_up::{STUDY, report, run, timed};
use crate::report::Report;

const COST: Property = Property::at_most("cost", "cost of signing", "cycles", |report, algorithm| {
    Held::quickest(report.of_study(STUDY), algorithm, "sign", "")
});
const SIZE: Property = Property::at_most("size", "signature", "bytes", |report, algorithm| {
    Held::first(report.of_study(STUDY), algorithm, "size", "").map(|held| match held.number() {
        Some(0.0) => Held::refused(held.record().expect("a figure's"), "too small"),
        _ => held,
    })
});

static DECISION: Decision = Decision {
    study: STUDY,
    wanted: "signature",
    own: &[COST, SIZE],
    usual: &[("cost", "100000"), ("status", "standard")],
    by: &["cost", "size"],
    must: &["size"],
    made: &[],
    facts: |_, _| Vec::new(),
    caveats: |_, _| Vec::new(),
    next: |_, _| String::new(),
    today: |_| Vec::new(),
    cost: "max-answer",
    meanings: &[],
    example: None,
};
static STUDY_SECTION: StudySection =
    StudySection { decision: Some(&DECISION), ..StudySection::of(STUDY, |_, _| Vec::new()) };
static STUDY_SECTIONS: [&StudySection; 1] = [&STUDY_SECTION];

fn cost(algorithm: &str, value: f64) -> Record {
    timed(algorithm, "a library", value)
}

fn size(algorithm: &str, value: f64) -> Record {
    Record {
        operation: "size".to_owned(),
        value,
        unit: "bytes".to_owned(),
        interval: None,
        estimator: "exact".to_owned(),
        samples: 0,
        ..cost(algorithm, value)
    }
}

fn shared(algorithm: &str, value: f64) -> Record {
    Record { notes: vec![CONTENDED.to_owned()], ..cost(algorithm, value) }
}

fn made(run: Run, records: impl IntoIterator<Item = Record>) -> Report {
    report(run, records, &STUDY_SECTIONS)
}

fn advice(report: &Report) -> Advice {
    DECISION.decide(report, &Request::default()).expect("a request").expect("a verdict")
}

/// Who stands in which place, and why no other.
fn places(records: impl IntoIterator<Item = Record>) -> Vec<(String, String, Option<String>)> {
    let survivors = advice(&made(run(), records)).survivors;
    survivors.into_iter().map(|it| (it.algorithm, it.place, it.not_ranked)).collect()
}

#[track_caller]
fn holds(records: impl IntoIterator<Item = Record>, expected: &[(&str, &str, Option<&str>)]) {
    let owned = |it: &(&str, &str, Option<&str>)| (it.0.to_owned(), it.1.to_owned(), it.2.map(str::to_owned));
    assert_eq!(places(records), expected.iter().map(owned).collect::<Vec<_>>());
}

#[test]
fn who_is_within_2_percent_is_tied_and_who_may_be_is_not_ranked() {
    holds([cost("b", 1018.0), cost("a", 1000.0)], &[("a", "1 =", None), ("b", "1 =", None)]);
    holds(
        [cost("c", 1100.0), cost("b", 1004.0), cost("a", 1000.0)],
        &[("a", "1 =", None), ("b", "1 =", None), ("c", "3", None)],
    );
    // The ends of a chain are ranked, its links are tied.
    let chain = Some(CHAIN);
    holds(
        [cost("c", 1036.0), cost("b", 1018.0), cost("a", 1000.0)],
        &[("a", "1–2", chain), ("b", "1–3", chain), ("c", "2–3", chain)],
    );
    // More than 2 %, and no more than the place of code makes: 2.1 % where no calibration says.
    let close = Some(CLOSE);
    holds([cost("b", 1021.0), cost("a", 1000.0)], &[("a", "1–2", close), ("b", "1–2", close)]);
    holds([cost("b", 1025.0), cost("a", 1000.0)], &[("a", "1", None), ("b", "2", None)]);
    let wide = Record { interval: Some([950.0, 1150.0]), ..cost("b", 1050.0) };
    holds([wide, cost("a", 1000.0)], &[("a", "1–2", close), ("b", "1–2", close)]);
}

#[test]
fn who_is_tied_is_ranked_by_what_comes_next() {
    let records = [cost("a", 1000.0), cost("b", 1004.0), cost("c", 900.0), size("a", 64.0), size("b", 32.0)];
    holds(records, &[("c", "1", None), ("b", "2", None), ("a", "3", None)]);
}

#[test]
fn a_contended_result_is_later_only_by_more_than_its_neighbour_may_have_cost() {
    let why = Some(fieldtest_verdict::CONTENDED);
    let taken = |times, value| Record { contention: Some(times), ..shared("b", value) };
    for (contended, is_ranked) in [
        // Twice, where the record does not say.
        (shared("b", 1990.0), false),
        (shared("b", 2010.0), true),
        (taken(1.9, 1990.0), false),
        (taken(1.9, 2010.0), true),
        // The square of it: 1.44.
        (taken(1.2, 1430.0), false),
        (taken(1.2, 1450.0), true),
        // Never less than the code layout makes: 2.1%.
        (taken(1.0, 1025.0), true),
    ] {
        match is_ranked {
            true => holds([cost("a", 1000.0), contended], &[("a", "1", None), ("b", "2", None)]),
            false => holds([cost("a", 1000.0), contended], &[("a", "1–2", why), ("b", "1–2", why)]),
        }
    }
    // The smaller one can only be smaller still.
    holds([shared("a", 1000.0), cost("b", 1030.0)], &[("a", "1", None), ("b", "2", None)]);
}

#[test]
fn without_an_interval_only_medians_that_are_far_apart_are_ranked() {
    let bare = |algorithm, value| Record { interval: None, ..cost(algorithm, value) };
    let why = Some(NO_INTERVAL);
    holds([bare("a", 1000.0), bare("b", 1390.0)], &[("a", "1–2", why), ("b", "1–2", why)]);
    holds([bare("a", 1000.0), bare("b", 1450.0)], &[("a", "1", None), ("b", "2", None)]);
    holds([bare("a", 500.0), cost("b", 1000.0)], &[("a", "1", None), ("b", "2", None)]);
    // Not where the cost varies, nor where the thread lost its core in every window.
    let mean = |algorithm, value| Record { estimator: "mean".to_owned(), ..bare(algorithm, value) };
    let lost = |algorithm, value| Record { notes: vec![CORE_LOST.to_owned()], ..bare(algorithm, value) };
    holds([mean("a", 500.0), cost("b", 1000.0)], &[("b", "1", None), ("a", "–", why)]);
    holds([lost("a", 500.0), lost("b", 9000.0)], &[("a", "1–2", why), ("b", "1–2", why)]);
    // Ahead of nobody who was measured here is who has a result of others.
    let published = |algorithm, value| Record {
        estimator: PUBLISHED.to_owned(),
        samples: 0,
        interval: None,
        ..cost(algorithm, value)
    };
    let why = Some(fieldtest_verdict::PUBLISHED);
    holds([published("a", 500.0), cost("b", 1000.0)], &[("a", "1–2", why), ("b", "1–2", why)]);
    holds([published("a", 1000.0), published("b", 1390.0)], &[("a", "1–2", why), ("b", "1–2", why)]);
    holds([published("a", 1000.0), published("b", 1450.0)], &[("a", "1", None), ("b", "2", None)]);
}

#[test]
fn what_comes_next_decides_nothing_against_a_third() {
    let sizes = [size("a", 64.0), size("b", 32.0), size("c", 16.0)];
    let costs = [cost("a", 1000.0), cost("b", 1020.0), cost("c", 1040.0)];
    let why = Some(THIRD);
    holds(costs.into_iter().chain(sizes), &[("a", "1–2", why), ("b", "1–3", why), ("c", "2–3", why)]);
}

#[test]
fn time_tells_nothing_of_a_unfit_machine() {
    let unfit = || Run { verdict: "unfit".to_owned(), ..run() };
    let found = advice(&made(unfit(), [cost("a", 9000.0), cost("b", 1000.0)]));
    let places = |found: &Advice| -> Vec<(String, String)> {
        found.survivors.iter().map(|it| (it.algorithm.clone(), it.place.clone())).collect()
    };
    let pair =
        |a: (&str, &str), b: (&str, &str)| [a, b].map(|(name, place)| (name.to_owned(), place.to_owned()));
    assert_eq!((&found.by[..], found.caution.is_some()), (&[][..], true));
    assert_eq!(places(&found), pair(("a", "1–2"), ("b", "1–2")));
    assert!(found.survivors.iter().all(|it| it.not_ranked.as_deref() == Some(UNFIT)));
    // What was counted is as true there.
    let sizes = [size("a", 32.0), size("b", 64.0)];
    let found = advice(&made(unfit(), [cost("a", 9000.0), cost("b", 1000.0)].into_iter().chain(sizes)));
    assert_eq!((&found.by[..], places(&found)), (&["size"][..], pair(("a", "1"), ("b", "2")).to_vec()));
    assert_eq!(advice(&made(run(), [cost("a", 1.0)])).caution, None);
}

#[test]
fn who_lacks_something_is_excluded_and_what_cannot_be_held_whatever_is_asked() {
    let records = [cost("a", 1000.0), cost("b", 200_000.0), cost("c", 10.0), size("c", 0.0)];
    let found = advice(&made(run(), records));
    let names = |it: &[super::Survivor]| it.iter().map(|it| it.algorithm.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found.survivors), ["a"]);
    let lacks: Vec<(&str, Vec<&str>)> = found
        .excluded
        .iter()
        .map(|it| (it.algorithm.as_str(), it.lacks.iter().map(|lack| lack.property).collect()))
        .collect();
    assert_eq!(lacks, [("b", vec!["cost"]), ("c", vec!["size"])]);
    // Who cannot be held at all is no alternative.
    let alternatives: Vec<&[String]> = found.alternatives.iter().map(|it| &it.algorithms[..]).collect();
    assert_eq!(alternatives, [["b"]]);
}

#[test]
fn a_verdict_is_on_studies_that_say_something_of_their_own() {
    // How it stands is known of every one.
    let candidate = |algorithm: &str| {
        let word = || algorithm.to_owned();
        Line::Candidate(Candidate {
            algorithm: word(),
            title: word(),
            kind: "signature".to_owned(),
            level: None,
            strength: None,
            post_quantum: None,
            hardness: word(),
            standard: word(),
            status: "standard".to_owned(),
            standings: Vec::new(),
            sizes: Vec::new(),
            notes: Vec::new(),
        })
    };
    let studies = |record: Record| -> Vec<&str> {
        let lines = [Line::Run(run()), candidate("a"), Line::Record(record)];
        let report = Report::from_lines(lines, &STUDY_SECTIONS).expect("a run");
        report.verdicts().iter().map(|it| it.study).collect()
    };
    assert_eq!(studies(cost("a", 1000.0)), [STUDY]);
    assert!(studies(Record { operation: "other".to_owned(), ..cost("a", 1000.0) }).is_empty());
    assert!(studies(Record { study: "another".to_owned(), ..cost("a", 1000.0) }).is_empty());
}
