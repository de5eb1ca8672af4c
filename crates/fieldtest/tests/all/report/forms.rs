//! Tables and whole reports in every form, and records that do not make a report.

use fieldtest::study_sections;
use fieldtest_measure::record::{Candidate, Line, Record, Run};
use fieldtest_report::advice::Request;
use fieldtest_report::symbols::mark;
use fieldtest_report::{Cell, Error, Format, Kind, Mark, Report, Table, Tone};

use super::synthetic;

/// A mark of one of four words, as by how much something fits.
fn fit(bytes: f64) -> Mark {
    match bytes {
        b if b <= 512.0 => mark("▁", "fits 512 bytes", Tone::Good),
        b if b <= 1232.0 => mark("▃", "fits 1232 bytes", Tone::Good),
        b if b <= 1452.0 => mark("▅", "over 1232, fits 1452 bytes", Tone::Poor),
        _ => mark("█", "over 1452 bytes: truncated, asked again over TCP", Tone::Bad),
    }
}

fn report() -> Report {
    Report::from_lines(synthetic::lines(), study_sections()).unwrap().with_baseline("elder-p256").unwrap()
}

fn small() -> Table {
    let mut table = Table::new("Signing")
        .column("algorithm", Kind::Text)
        .column("sign", Kind::number("cycles"))
        .ratio_of("sign")
        .column("size", Kind::number("bytes"))
        .column("remark", Kind::Text);
    table.row(["base".into(), Cell::from(80_000.0).with_interval(Some([79_600.0, 80_400.0])), 64u64.into()]);
    table.row([
        "other, one".into(),
        Cell::from(1_234_567.0).approximately(true),
        Cell::from(12_345u64).with_mark(Some(fit(12_345.0))),
        "it says \"so\" | and <more>".into(),
    ]);
    table.baseline(0).note("A note.");
    table
}

#[test]
fn human() {
    assert_eq!(
        small().render(Format::Human { width: 100, colour: false }),
        "\
Signing
algorithm          sign   sign      size  remark
               k cycles      ×     bytes
───────────────────────────────────────────────────────────────────
base        80.0  ±0.5%   1.00        64
other, one      ≈1235    15.4   12,345 █  it says \"so\" | and <more>
* A note.
* ≈ estimated; █ over 1452 bytes: truncated, asked again over TCP
"
    );
}

#[test]
fn an_interval_wider_than_its_result_is_no_share_of_it() {
    let mut table =
        Table::new("Growth").column("algorithm", Kind::Text).column("bytes", Kind::number("bytes"));
    table.row(["flat".into(), Cell::from(12.0).with_interval(Some([-3900.0, 4000.0]))]);
    let text = table.render(Format::Human { width: 100, colour: false });
    assert!(!text.contains('±') && text.contains("to 4000)"), "{text}");
}

#[test]
fn a_path_breaks_between_its_names() {
    let mut table = Table::new("").column("object", Kind::Text).column("what", Kind::Text);
    let path = "repository/objects/pack/pack-0123456789abcdef0123456789abcdef01234567.pack";
    table.row(["x".into(), path.into()]);
    let text = table.render(Format::Human { width: 60, colour: false });
    assert!(text.lines().any(|line| line.ends_with("pack/")), "{text}");
    assert_eq!(
        text.lines().skip(2).map(|line| line.trim_start_matches('x').trim()).collect::<String>(),
        path,
        "{text}"
    );
}

#[test]
fn human_keeps_the_width() {
    for width in [40, 60, 80, 120, 200] {
        for section in report().sections() {
            for table in section.tables {
                let text = table.render(Format::Human { width, colour: false });
                let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(longest <= width.max(50), "{longest} columns of {width}:\n{text}");
            }
        }
    }
}

#[test]
fn human_cannot_steer_the_terminal() {
    let evil = "x\u{1b}]0;title\u{7}\u{202e}y\u{9b}31m\u{2066}\u{2028}";
    let mut table = Table::new(evil).column(format!("name{evil}"), Kind::Text);
    table.row([Cell::from(format!("{evil}\n")).with_detail(evil)]).note(evil);
    let mut lines = vec![Line::Run(synthetic::run())];
    lines.push(Line::Record(synthetic::record(evil, evil, evil, evil, 1.0, "cycles")));
    let report = Report::from_lines(lines, study_sections()).unwrap();
    for format in [Format::Human { width: 80, colour: false }, Format::Json, Format::Markdown] {
        for text in [table.render(format), report.render(format)] {
            let steers = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{2028}".contains(c));
            assert!(!text.contains(steers), "{format:?}: {text:?}");
        }
    }
    // JSON says the same in other words, and CSV is for programs.
    let json: serde_json::Value = serde_json::from_str(&table.render(Format::Json)).unwrap();
    assert_eq!(json["title"], evil);
    assert!(report.render(Format::Csv).contains(evil));
    // The page shows what the terminal shows.
    assert!(!report.html().unwrap().contains('\u{202e}'));
}

/// Where a medium shows symbols alone, it says what they mean.
#[test]
fn marks_are_explained() {
    for format in [Format::Human { width: 200, colour: false }, Format::Markdown] {
        let mut table = Table::new("").column("answer", Kind::Text).column("size", Kind::number("bytes"));
        for bytes in [400.0, 1_000.0, 1_300.0, 1_300.0, 9_000.0] {
            table.row(["a".into(), Cell::from(bytes).with_mark(Some(fit(bytes)))]);
        }
        let text = table.render(format);
        for mark in [400.0, 1_000.0, 1_300.0, 9_000.0].map(fit) {
            assert_eq!(text.matches(&format!("{} {}", mark.symbol, mark.word)).count(), 1, "{text}");
        }
        // Its word stands beside it.
        let mut table = Table::new("").column("status", Kind::Text);
        table.row([Cell::from("candidate").with_mark(Some(fieldtest_report::symbols::status("candidate")))]);
        assert_eq!(table.render(format).matches("candidate").count(), 1);
    }
}

/// Results stand beside what the machine was like.
#[test]
fn the_verdict_stands_beside_the_results() {
    const WORDS: &str = "machine that was noisy";
    let timed = |report: &Report| {
        let tables = report.sections().into_iter().flat_map(|section| section.tables);
        let (with, without): (Vec<Table>, Vec<Table>) =
            tables.partition(|table| table.notes().iter().any(|note| note.contains(WORDS)));
        let titles = |tables: Vec<Table>| tables.iter().map(|it| it.title().to_owned()).collect::<Vec<_>>();
        (titles(with), titles(without))
    };
    let noisy = report();
    let (with, without) = timed(&noisy);
    assert!(with.iter().any(|title| title == "Key results"), "{with:?}");
    assert!(without.iter().any(|title| title == "Status of the algorithms"), "{without:?}");
    for text in [
        noisy.render(Format::Human { width: 200, colour: false }),
        noisy.render(Format::Markdown),
        noisy.html().unwrap(),
    ] {
        assert!(text.matches(WORDS).count() >= with.len(), "{}", text.len());
    }
    let csv = noisy.render(Format::Csv);
    assert!(csv.lines().next().unwrap().ends_with(",run,host,machine"), "{csv}");
    assert!(csv.lines().any(|line| line.ends_with(",2030-01-02T03:04:05Z,0123456789ab,noisy")), "{csv}");
    let quiet = synthetic::lines().into_iter().map(|line| match line {
        Line::Run(run) => Line::Run(Run { verdict: "quiet".to_owned(), ..run }),
        line => line,
    });
    assert_eq!(timed(&Report::from_lines(quiet, study_sections()).unwrap()).0, Vec::<String>::new());
}

/// A signature algorithm that is no more than a paper stands in every table, and leads nowhere.
#[test]
fn what_is_research_does_not_lead() {
    let qualifies = |status: &str| {
        let lines = synthetic::lines().into_iter().map(|line| match line {
            Line::Candidate(it) if it.algorithm == "hazel-256" => {
                Line::Candidate(Candidate { status: status.to_owned(), ..it })
            }
            line => line,
        });
        let report = Report::from_lines(lines, study_sections()).unwrap();
        let typed = [("status", "candidate"), ("max-answer", "any")];
        let typed = typed.map(|(id, value)| (id.to_owned(), value.to_owned())).to_vec();
        let decision = study_sections()[0].decision.unwrap();
        let advice = decision.decide(&report, &Request { typed, ..Request::default() }).unwrap().unwrap();
        advice.survivors.iter().any(|it| it.algorithm == "hazel-256")
    };
    assert!(qualifies("candidate"));
    assert!(!qualifies("research"));
}

/// Whether an algorithm is post-quantum is stated, and never read out of what it rests on.
#[test]
fn post_quantum_is_a_fact() {
    let with = |post_quantum: Option<bool>, hardness: &str| {
        let lines = synthetic::lines().into_iter().map(|line| match line {
            Line::Candidate(it) => {
                Line::Candidate(Candidate { post_quantum, hardness: hardness.to_owned(), ..it })
            }
            line => line,
        });
        Report::from_lines(lines, study_sections()).unwrap()
    };
    // Of whom the verdict says that they are not.
    let lacking = |report: &Report| {
        let verdicts = report.verdicts();
        let excluded = verdicts.iter().flat_map(|advice| &advice.excluded);
        excluded.filter(|it| it.lacks.iter().any(|shown| shown.property == "post-quantum")).count()
    };
    let column = |report: &Report| {
        let sections = report.sections();
        let security = sections.iter().find(|section| section.id == "security").expect("it is there");
        let table: serde_json::Value =
            serde_json::from_str(&security.tables[0].render(Format::Json)).unwrap();
        table["rows"][0]["post-quantum"].clone()
    };
    for hardness in ["elliptic curves, factoring and RSA", "lattices"] {
        assert_eq!(lacking(&with(Some(true), hardness)), 0);
        assert_eq!(column(&with(Some(true), hardness)), "yes");
        assert!(lacking(&with(Some(false), hardness)) > 0);
        let unknown = with(None, hardness);
        assert_eq!(lacking(&unknown), 0);
        assert!(unknown.verdicts()[0].unjudged.contains(&"post-quantum".to_owned()));
        assert_eq!(column(&unknown), "unknown");
    }
}

/// Two runs beside each other, as long as nobody could take a result of the one for the other's.
#[test]
fn two_runs_of_one_machine() {
    let run = |started: &str| Line::Run(Run { started: started.to_owned(), ..synthetic::run() });
    let record = |study: &str| Line::Record(synthetic::record(study, "a", "sign", "", 1.0, "cycles"));
    let error =
        Report::from_lines([run("one"), record("speed"), run("two"), record("speed")], study_sections())
            .unwrap_err();
    assert!(matches!(error, Error::TwoRuns { .. }));
    for word in ["one", "two", "speed a sign"] {
        assert!(error.to_string().contains(word), "{error}");
    }
    let both =
        Report::from_lines([run("one"), record("speed"), run("two"), record("dnssec")], study_sections())
            .unwrap();
    let csv = both.render(Format::Csv);
    let of = |study: &str| csv.lines().find(|line| line.starts_with(study)).unwrap().to_owned();
    assert!(of("speed").contains(",one,") && of("dnssec").contains(",two,"), "{csv}");
}

/// Groups of a study's job are runs of their own: their results stand in one table, and the table says that they took no turns.
#[test]
fn algorithms_of_several_runs_are_told() {
    let run = |started: &str| Line::Run(Run { started: started.to_owned(), ..synthetic::run() });
    let record = |algorithm: &str, operation: &str| {
        let record = synthetic::record("speed", algorithm, operation, "", 1.0, "cycles");
        Line::Record(Record { samples: 9, ..record })
    };
    let said =
        |lines: Vec<Line>| Report::from_lines(lines, study_sections()).unwrap().render(Format::Markdown);
    let groups = [run("one"), record("a", "sign"), run("two"), record("c", "sign"), record("b", "sign")];
    let words = "speed in 2 (a; b, c).";
    assert!(said(groups.to_vec()).contains(words), "{}", said(groups.to_vec()));
    let parts = [run("one"), record("a", "sign"), run("two"), record("a", "verify")];
    assert!(!said(parts.to_vec()).contains("several runs"));
}

#[test]
fn json() {
    let table: serde_json::Value = serde_json::from_str(&small().render(Format::Json)).unwrap();
    assert_eq!(table["columns"][1]["unit"], "cycles");
    assert_eq!(table["rows"][0]["sign"], 80_000);
    assert_eq!(table["rows"][0]["sign interval"][1], 80_400.0);
    assert_eq!(table["rows"][1]["sign ratio"], 1_234_567.0 / 80_000.0);
    assert_eq!(table["rows"][0]["remark"], serde_json::Value::Null);
    let whole: serde_json::Value = serde_json::from_str(&report().render(Format::Json)).unwrap();
    assert_eq!(whole["baseline"], "elder-p256");
    assert_eq!(whole["sections"][0]["id"], "dnssec");
}

#[test]
fn csv() {
    assert_eq!(
        small().render(Format::Csv),
        "algorithm,sign [cycles],sign low [cycles],sign high [cycles],sign ratio [ratio],size [bytes],size mark,remark\n\
         base,80000,79600,80400,1,64,,\n\
         \"other, one\",1234567,,,15.4320875,12345,\"over 1452 bytes: truncated, asked again over TCP\",\"it says \"\"so\"\" | and <more>\"\n"
    );
    let whole = report().render(Format::Csv);
    let records = synthetic::lines().iter().filter(|line| matches!(line, Line::Record(_))).count();
    assert_eq!(whole.lines().count(), records + 1);
}

#[test]
fn markdown() {
    let text = small().render(Format::Markdown);
    assert!(text.contains(
        "| algorithm | sign, k cycles | sign, × | size, bytes | remark |\n| :-- | --: | --: | --: | :-- |\n"
    ));
    assert!(text.contains("\\| and &lt;more&gt; |\n"), "{text}");
    let whole = report().render(Format::Markdown);
    assert!(whole.contains("## DNSSEC"));
}

/// Every result of the records stands in some table.
#[test]
fn nothing_is_lost() {
    let json = report().render(Format::Json);
    let lines = synthetic::lines();
    for line in &lines {
        if let Line::Record(record) = line {
            let value = if record.value.fract() == 0.0 {
                format!("{:.0}", record.value)
            } else {
                record.value.to_string()
            };
            assert!(json.contains(&value), "{record:?}");
        }
    }
    assert!(json.contains("made-up-operation"));
}

#[test]
fn second_results_of_the_same_thing_are_kept() {
    let mut lines = vec![Line::Run(synthetic::run())];
    for value in [1_111.0, 2_222.0] {
        lines.push(Line::Record(synthetic::record("speed", "a", "sign", "", value, "cycles")));
    }
    lines.push(Line::Record(synthetic::record("speed", "a", "sign", "", 3_333.0, "ns")));
    let json = Report::from_lines(lines, study_sections()).unwrap().render(Format::Json);
    assert!(["1111", "2222", "3333"].iter().all(|value| json.contains(value)), "{json}");
}

#[test]
fn columns_of_one_name_are_told_apart() {
    let mut table = Table::new("").column("a", Kind::Text).column("a", Kind::Text).column("a", Kind::Text);
    table.row(["x".into(), "y".into(), "z".into()]);
    let json: serde_json::Value = serde_json::from_str(&table.render(Format::Json)).unwrap();
    assert_eq!(json["rows"][0], serde_json::json!({ "a": "x", "a 2": "y", "a 3": "z" }));
}

/// A result never stands in a column of another unit.
#[test]
fn units_are_not_mixed() {
    let mut lines = vec![Line::Run(synthetic::run())];
    for (algorithm, unit) in [("a", "cycles"), ("b", "cycles"), ("c", "ns")] {
        lines.push(Line::Record(synthetic::record("dnssec", algorithm, "keygen", "", 7_777.0, unit)));
    }
    let report = Report::from_lines(lines, study_sections()).unwrap();
    let tables: Vec<Table> = report.sections().into_iter().flat_map(|section| section.tables).collect();
    let titles: Vec<&str> = tables.iter().map(Table::title).collect();
    assert_eq!(titles, ["Key results", "One operation", "Other results"]);
    let json: serde_json::Value = serde_json::from_str(&tables[0].render(Format::Json)).unwrap();
    assert_eq!(json["columns"][2]["unit"], "cycles");
    assert_eq!(json["rows"][2]["keygen"], serde_json::Value::Null);
    let other: serde_json::Value = serde_json::from_str(&tables[2].render(Format::Json)).unwrap();
    assert_eq!(other["rows"][0]["in ns"], 7_777);
}

#[test]
fn refusals() {
    let run = || Line::Run(synthetic::run());
    assert_eq!(Report::from_lines([], study_sections()).unwrap_err(), Error::NoRun);
    for (value, interval) in
        [(f64::NAN, None), (f64::INFINITY, None), (1.0, Some([f64::NAN, 2.0])), (1.0, Some([2.0, 1.0]))]
    {
        let mut record = synthetic::record("speed", "a", "sign", "", value, "cycles");
        record.interval = interval;
        let error = Report::from_lines([run(), Line::Record(record)], study_sections()).unwrap_err();
        assert!(matches!(error, Error::InvalidResult { number: 1, .. }), "{error}");
        assert!(error.to_string().contains("speed a sign"));
    }
    let mut other = synthetic::run();
    other.host.id = "ffffffffffff".to_owned();
    assert!(matches!(
        Report::from_lines([run(), Line::Run(other)], study_sections()),
        Err(Error::TwoMachines { .. })
    ));
    let mut other = synthetic::run();
    other.schema = "fieldtest.records/3".to_owned();
    assert!(matches!(Report::from_lines([Line::Run(other)], study_sections()), Err(Error::Schema { .. })));
    let error =
        Report::from_lines(synthetic::lines(), study_sections()).unwrap().with_baseline("birch").unwrap_err();
    assert!(error.to_string().contains("elder-p256"));
}

#[test]
fn the_baseline_is_a_classic_algorithm() {
    assert_eq!(
        Report::from_lines(synthetic::lines(), study_sections()).unwrap().baseline(),
        Some("elder-2048")
    );
    assert_eq!(Report::from_lines([Line::Run(synthetic::run())], study_sections()).unwrap().baseline(), None);
}
