//! What a gate lets pass, by kind of result and by policy.

use fieldtest_measure::record::{Candidate, Implementation, Input, Line, Record};
use fieldtest_measure::words::CONTENDED;
use fieldtest_report::compare::Labelled;
use fieldtest_report::gate::{Gate, Policy, Ruling, State};
use fieldtest_report::{Format, Report};
use fieldtest_study::plan::from_toml;
use fieldtest_testing::synthetic::candidate;
use proptest::prelude::*;

use super::synthetic;

fn report(records: impl IntoIterator<Item = Record>) -> Report {
    let lines = std::iter::once(Line::Run(synthetic::run())).chain(records.into_iter().map(Line::Record));
    Report::from_lines(lines, &[]).expect("records of one machine")
}

fn exact(subject: &str, value: f64) -> Record {
    synthetic::record("dnssec", "larch-44", "message-size", subject, value, "bytes")
}

/// A time of 30 processes with an interval of ±1% around it.
fn time(value: f64) -> Record {
    Record {
        implementation: Some(Implementation::new("fieldtest", "1")),
        interval: Some([0.99 * value, 1.01 * value]),
        estimator: "median".to_owned(),
        samples: 30,
        ..synthetic::record("speed", "larch-44", "sign", "", value, "cycles")
    }
}

/// Memory that was measured, with an interval of ±5%.
fn memory(value: f64) -> Record {
    Record {
        interval: Some([0.95 * value, 1.05 * value]),
        estimator: "median".to_owned(),
        samples: 30,
        ..synthetic::record("speed", "larch-44", "memory", "", value, "bytes")
    }
}

fn gate(base: Vec<Record>, new: Vec<Record>, policy: &str) -> Gate {
    let (base, new) = (report(base), report(new));
    let of = |label, report| Labelled { label, report };
    let policy: Policy = from_toml(policy).expect("a policy");
    Gate::of(of("base", &base), of("new", &new), &policy).expect("something to compare")
}

fn state(base: Vec<Record>, new: Vec<Record>, policy: &str) -> State {
    gate(base, new, policy).state()
}

#[test]
fn one_byte_more_shuts_it_and_one_less_does_not() {
    let run = |bytes| vec![exact("soa", bytes), time(1000.0)];
    assert_eq!(state(run(2553.0), run(2553.0), ""), State::Open);
    assert_eq!(state(run(2553.0), run(2552.0), ""), State::Open);
    assert_eq!(state(run(2553.0), run(2554.0), ""), State::Worse);
    // A byte is 0.04% of that.
    assert_eq!(state(run(2553.0), run(2554.0), "exact.worse-by = '0.1%'"), State::Open);
    assert_eq!(state(run(2553.0), run(2554.0), "exact.worse-by = '0.01%'"), State::Worse);
}

#[test]
fn times_decide_only_with_their_whole_interval() {
    let decided = |value, policy| state(vec![time(1000.0)], vec![time(value)], policy);
    assert_eq!(decided(1050.0, ""), State::Open);
    assert_eq!(decided(1100.0, ""), State::Open);
    assert_eq!(decided(1300.0, ""), State::Worse);
    assert_eq!(decided(1300.0, "timed.worse-by = 'any'"), State::Open);
    assert_eq!(decided(1100.0, "timed.undecided = 'fail'"), State::Undecided);
    let without = |value| Record { interval: None, samples: 3, ..time(value) };
    assert_eq!(state(vec![without(1000.0)], vec![without(9000.0)], ""), State::Open);
    assert_eq!(
        state(vec![without(1000.0)], vec![without(9000.0)], "timed.without-interval = '700%'"),
        State::Worse
    );
    assert_eq!(
        state(vec![without(1000.0)], vec![without(7000.0)], "timed.without-interval = '700%'"),
        State::Open
    );
    let policy = "timed = { undecided = 'fail' }";
    assert_eq!(state(vec![without(1000.0)], vec![without(1000.0)], policy), State::Undecided);
}

#[test]
fn counts_decide_by_their_interval() {
    let decided = |value, policy| state(vec![memory(1000.0)], vec![memory(value)], policy);
    assert_eq!(decided(1050.0, ""), State::Open);
    assert_eq!(decided(1050.0, "counted.undecided = 'fail'"), State::Undecided);
    assert_eq!(decided(1200.0, ""), State::Worse);
    assert_eq!(decided(1200.0, "counted.worse-by = '50%'"), State::Open);
}

/// One measurement may differ by chance, so it decides only where the policy says so, and is shown in any case.
#[test]
fn what_has_no_interval_is_shown_and_decides_on_request() {
    let rate = |value| Record {
        samples: 1,
        unit: "GB/s".to_owned(),
        operation: "throughput".to_owned(),
        interval: None,
        ..memory(value)
    };
    let found = |is, policy| gate(vec![rate(5.0)], vec![rate(is)], policy);
    let slow = found(1.0, "");
    assert_eq!((slow.state(), slow.findings[0].looks_worse_by), (State::Open, Some(4.0)));
    let rows =
        |gate: &Gate| gate.render(Format::Markdown).lines().filter(|line| line.starts_with('|')).count();
    assert_eq!([rows(&slow), rows(&found(4.0, ""))], [3, 0]);
    let policy = "timed.without-interval = '300%'\ncounted.without-interval = '300%'";
    assert_eq!([1.0, 2.0].map(|is| found(is, policy).state()), [State::Worse, State::Open]);
    // Answers that are lost for the first time are a few of many.
    let lost = |value| Record { unit: "count".to_owned(), operation: "lost".to_owned(), ..rate(value) };
    assert_eq!(state(vec![lost(0.0)], vec![lost(3.0)], policy), State::Open);
}

#[test]
fn what_the_policy_allows_is_listed_and_zero_bytes_are_no_gain() {
    let found = |is, policy| gate(vec![exact("soa", 100.0)], vec![exact("soa", is)], policy);
    let allowed = found(900.0, "exact.worse-by = 'any'");
    assert_eq!((allowed.state(), allowed.count(Ruling::Allowed, false)), (State::Open, 1));
    assert_eq!(found(103.0, "exact.worse-by = '5%'").count(Ruling::Allowed, false), 1);
    assert_eq!([found(0.0, "").state(), found(1.0, "").state()], [State::Undecided, State::Open]);
    assert_eq!(found(0.0, "[[exception]]\nworse-by = 'any'\nreason = 'x'").state(), State::Open);
}

#[test]
fn facts_that_are_gone_are_missing() {
    let with = |sizes: &[(&str, u64)], strength, level| {
        let sizes = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        let larch = candidate(&("larch-44", 1, 1, "standard", "", [0.0; 3]));
        let larch = Candidate { sizes, strength, level, ..larch };
        let lines = [Line::Run(synthetic::run()), Line::Candidate(larch), Line::Record(exact("soa", 1.0))];
        Report::from_lines(lines, &[]).expect("records")
    };
    let base = with(&[("signature", 100), ("public key", 50)], Some(128), Some(1));
    for (sizes, strength, level, state, findings, differs) in [
        (&[("signature", 100), ("public key", 50)][..], Some(128), Some(1), State::Open, 0, 0),
        (&[("signature", 100), ("public key", 50)][..], Some(128), Some(2), State::Open, 0, 1),
        (&[("signature", 101), ("public key", 50)][..], Some(128), Some(1), State::Worse, 1, 0),
        (&[("signature", 100)][..], Some(128), Some(1), State::Worse, 1, 0),
        (&[][..], None, Some(1), State::Worse, 3, 0),
    ] {
        let new = with(sizes, strength, level);
        let of = |label, report| Labelled { label, report };
        let found = Gate::of(of("base", &base), of("new", &new), &Policy::default()).expect("one result");
        assert_eq!((found.state(), found.findings.len(), found.differs.len()), (state, findings, differs));
    }
}

/// What decides nothing is shown where its value is much worse, and by which code it was made.
#[test]
fn nothing_much_worse_goes_by_unseen() {
    let rows =
        |gate: &Gate| gate.render(Format::Markdown).lines().filter(|line| line.starts_with('|')).count();
    let contended =
        |value| Record { notes: vec![CONTENDED.to_owned()], contention: Some(1.32), ..time(value) };
    let slow = gate(vec![time(1000.0)], vec![contended(10_000.0)], "");
    assert_eq!((slow.state(), slow.no_time_decided, rows(&slow)), (State::Open, true, 3));
    // Next to another thread, a third more is no loss, and three times as much is one.
    let beside = |is| state(vec![contended(1000.0)], vec![contended(is)], "");
    assert_eq!([beside(1360.0), beside(3000.0)], [State::Open, State::Worse]);
    let by =
        |name: &str, value| Record { implementation: Some(Implementation::new(name, "1")), ..time(value) };
    let other =
        gate(vec![exact("soa", 1.0), time(1000.0)], vec![exact("soa", 1.0), by("other", 20_000.0)], "");
    assert_eq!((other.state(), rows(&other)), (State::Open, 3));
    assert_eq!((other.findings[0].is, other.findings[0].looks_worse_by), (Some(20_000.0), Some(19.0)));
    assert!(other.findings[0].reason.contains("other"));
    // Exact by its estimator, whatever it was counted in.
    let diffusion = |value| Record { samples: 16, ..exact("one bit", value) };
    assert_eq!(state(vec![diffusion(16.0)], vec![diffusion(4096.0)], ""), State::Worse);
}

#[test]
fn what_else_differs_is_said() {
    let (base, mut run) = (report([exact("soa", 1.0)]), synthetic::run());
    run.host.compiler = "another".to_owned();
    let new = Report::from_lines([Line::Run(run), Line::Record(exact("soa", 1.0))], &[]).expect("records");
    let of = |label, report| Labelled { label, report };
    let found = Gate::of(of("base", &base), of("new", &new), &Policy::default()).expect("one result");
    assert_eq!(found.differs.iter().map(|it| &*it.what).collect::<Vec<_>>(), ["compiler"]);
    assert!(found.render(Format::Markdown).contains("another"));
}

#[test]
fn estimates_of_one_input_are_exact() {
    let estimate = |value: f64| Record {
        interval: Some([0.8 * value, 1.2 * value]),
        estimator: "estimated".to_owned(),
        ..exact("btrfs", value)
    };
    let decided = |value| state(vec![estimate(100.0)], vec![estimate(value)], "");
    assert_eq!([decided(100.0), decided(99.0), decided(101.0)], [State::Open, State::Open, State::Worse]);
    // What was exact and is measured now is still the same result.
    let measured =
        |value| Record { subject: "soa".to_owned(), operation: "message-size".to_owned(), ..memory(value) };
    let measured = |value| Record { study: "dnssec".to_owned(), ..measured(value) };
    assert_eq!(state(vec![exact("soa", 100.0)], vec![measured(1000.0)], ""), State::Worse);
}

#[test]
fn what_newly_fits_nowhere_is_worse_and_the_other_way_round_better() {
    let unfit = || Record { operation: "unfit".to_owned(), ..exact("key", 66_000.0) };
    let both = || vec![exact("soa", 100.0), unfit()];
    let one = || vec![exact("soa", 100.0)];
    assert_eq!([state(both(), one(), ""), state(one(), both(), "")], [State::Open, State::Worse]);
}

#[test]
fn exceptions_have_reasons_and_the_first_decides() {
    let policy = "
        [[exception]]
        study = 'dns*'
        subject = 's*a'
        worse-by = '5%'
        reason = 'a longer key'

        [[exception]]
        worse-by = '0%'
        reason = 'never reached by soa'
    ";
    let found = gate(vec![exact("soa", 100.0)], vec![exact("soa", 104.0)], policy);
    assert_eq!((found.state(), found.count(Ruling::Allowed, false)), (State::Open, 1));
    assert_eq!(found.findings[0].reason, "a longer key");
    assert_eq!(state(vec![exact("soa", 100.0)], vec![exact("soa", 106.0)], policy), State::Worse);
    assert_eq!(state(vec![exact("key", 100.0)], vec![exact("key", 101.0)], policy), State::Worse);
}

#[test]
fn what_is_missing_is_lost_and_other_input_is_not_decided() {
    let both = || vec![exact("soa", 100.0), exact("key", 100.0)];
    let one = || vec![exact("soa", 100.0)];
    assert_eq!(state(both(), one(), ""), State::Worse);
    assert_eq!(state(one(), both(), ""), State::Open);
    assert_eq!(state(both(), one(), "exact.missing = 'pass'"), State::Open);
    let policy = "[[exception]]\nsubject = 'key'\nworse-by = 'any'\nreason = 'gone'";
    assert_eq!(state(both(), one(), policy), State::Open);
    // Which implementations a study runs depends on other load, and so does what is counted of them.
    let counted =
        || Record { implementation: Some(Implementation::new("fieldtest", "1")), ..exact("key", 1.0) };
    let others =
        || vec![exact("soa", 100.0), Record { implementation: None, ..time(1.0) }, exact("key", 1.0)];
    assert_eq!(state(vec![exact("soa", 100.0), time(1.0), counted()], others(), ""), State::Open);
    assert_eq!(state(vec![exact("soa", 100.0), time(1.0)], one(), ""), State::Worse);
    let another = || Record { subject: "more".to_owned(), ..counted() };
    assert_eq!(state(vec![counted(), another()], vec![another()], ""), State::Worse);
    let of = |digest: &str| {
        let input = Input { name: "a zone".to_owned(), bytes: 1, items: 1, sha256: digest.to_owned() };
        vec![Record { input: Some(input), ..exact("soa", 100.0) }]
    };
    assert_eq!(state(of("aa"), of("bb"), ""), State::Undecided);
    assert_eq!(state(of("aa"), of("bb"), "exact.other-input = 'pass'"), State::Open);
}

#[test]
fn policies_with_faults_are_refused() {
    for fault in [
        "exact.worse-by = 5",
        "exact.worse-by = '5'",
        "exact.worse-by = '-1%'",
        "timed.worse-by = 'nan%'",
        "timed.undecided = 'maybe'",
        "[tmed]",
        "[[exception]]\nworse-by = '5%'",
        "[[exception]]\nreason = 'none'",
        "[[exception]]\nworse-by = '5%'\nreason = ' '",
    ] {
        assert!(from_toml::<Policy>(fault).is_err(), "{fault}");
    }
    let no_word = from_toml::<Policy>("[exact]\nmissing = true").expect_err("two words");
    assert!(
        ["line 2", "missing 'true'", "'fail' or 'pass'"].iter().all(|it| no_word.contains(it)),
        "{no_word}"
    );
}

proptest! {
    /// Files for CI services are well-formed whatever stands in names, and count what they hold.
    #[test]
    fn files_are_well_formed(name in any::<String>(), reason in any::<String>(), value in 1.0..200.0) {
        let record = |value| Record { subject: name.clone(), ..exact("", value) };
        let mut policy: Policy = from_toml("[[exception]]\nworse-by = '50%'\nreason = 'x'").expect("a policy");
        policy.exceptions[0].reason = reason;
        let (base, new) = (report([record(100.0)]), report([record(value)]));
        let of = |label, report| Labelled { label, report };
        let gate = Gate::of(of(&name, &base), of("new", &new), &policy).expect("one result");
        let failures = usize::from(gate.state() == State::Worse);
        let junit = gate.junit();
        let document = roxmltree::Document::parse(&junit).expect("XML");
        let counted = |tag: &str| document.descendants().filter(|it| it.has_tag_name(tag)).count();
        prop_assert_eq!((counted("testcase"), counted("failure")), (1, failures));
        let stated = document.root_element().attribute("failures").map(str::to_owned);
        prop_assert_eq!(stated, Some(failures.to_string()));
        let sarif: serde_json::Value = serde_json::from_str(&gate.sarif("new.jsonl", "1")).expect("JSON");
        prop_assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(gate.findings.iter().filter(|it| it.fails).count()));
    }
}
