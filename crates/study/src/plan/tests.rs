//! Study files of two made-up carriers.

use std::path::PathBuf;

use fieldtest_catalog::kind::Signature;

use super::*;
use crate::group::Stage;
use crate::part::{About, BASELINE, settle_with_baseline};
use crate::{Bench, RecordWriter};

/// What a table of a carrier has.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Road {
    algorithms: Vec<String>,
    baseline: Option<String>,
    map: Option<PathBuf>,
}

static ROAD: About = About { weight: 3.0, stage: Some(&crate::Signing), ..About::of("road", &["signature"]) };

impl Part for Road {
    fn about(&self) -> &'static About {
        &ROAD
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn input(&mut self) -> Option<&mut Option<PathBuf>> {
        Some(&mut self.map)
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        let mut baseline = self.baseline.clone().unwrap_or(BASELINE.to_owned());
        settle_with_baseline::<Signature>("road", &mut baseline, &mut self.algorithms)?;
        self.baseline = Some(baseline);
        Ok(())
    }

    fn run(&self, _: &mut Bench<'_>, _: &mut RecordWriter) -> Result<(), StudyError> {
        Ok(())
    }
}

/// One without data and without benchmark groups of its own.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Rail {}

static RAIL: About = About::of("rail", &["hash"]);

impl Part for Rail {
    fn about(&self) -> &'static About {
        &RAIL
    }

    fn restrict(&mut self, _: Vec<String>) {}

    fn settle(&mut self) -> Result<(), StudyError> {
        Ok(())
    }

    fn run(&self, _: &mut Bench<'_>, _: &mut RecordWriter) -> Result<(), StudyError> {
        Ok(())
    }
}

const CARRIERS: [Studied; 2] = [Studied::of::<Road>("road"), Studied::of::<Rail>("rail")];

fn parse(text: &str) -> Result<Plan, StudyError> {
    Plan::parse(text, Path::new("some/where/study.toml"), &CARRIERS)
}

#[test]
fn a_study_file_is_read_in_the_order_of_the_carriers() {
    let text = "[rail]\n[measure]\nseed = 9\nbudget-seconds = 2.5\nthorough = true\n[road]\n\
                algorithms = [\"Ed25519\", \"ECDSA-P256\"]\nmap = \"a/map\"\n";
    let mut plan = parse(text).expect("a study");
    assert_eq!(plan.measure, Measure { seed: 9, target: 0.005, budget_seconds: 2.5, thorough: true });
    assert_eq!(plan.measure.budget(), Duration::from_millis(2500));
    let names: Vec<&str> = plan.parts.iter().map(|part| part.carrier()).collect();
    assert_eq!(names, ["road", "rail"]);
    assert_eq!(plan.parts.iter().map(|part| part.weight()).collect::<Vec<_>>(), [3.0, 1.0]);
    let stages: Vec<_> = plan.parts.iter().map(|part| part.stage().map(Stage::name)).collect();
    assert_eq!(stages, [Some("signing"), None]);
    // Beside the file, and with the catalog's names.
    assert_eq!(plan.parts[0].input(), Some(&mut Some(PathBuf::from("some/where/a/map"))));
    assert_eq!(plan.parts[1].input(), None);
    let shown = format!("{:?}", plan.parts[0]);
    assert!(shown.contains("ed25519") && shown.contains("ecdsa-p256"), "{shown}");
    assert!(plan.parts.iter().all(|part| part.check_outputs(&[Path::new("any")]).is_ok()));
    let one = Plan::of(Rail {});
    assert_eq!((one.parts.len(), one.measure), (1, Measure::default()));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, told) in [
        ("[road]\n[air]\n", &["air", "[measure]", "[road]", "[rail]"][..]),
        ("[measure]\nseed = 1\n", &["[road]", "[rail]"]),
        ("[road]\n\nmap = 7\n", &["line 3, column 7: invalid map '7'"]),
        ("measure = []\n[road]\n", &["'measure'", "[measure]"]),
        ("[measure]\nseed = 9223372036854775808\n[rail]\n", &["line 2, ", "seed '9223372036854775808'"]),
        ("[measure]\nbudget-seconds = 0\n[rail]\n", &["line 2, column 1: ", "budget-seconds '0'"]),
        ("[rail]\nmap = \"a\"\n", &["line 2, ", "map"]),
        ("[measure]\nseed = -1\n[rail]\n", &["line 2, "]),
        ("[rail]\n[road\n", &["line 2, "]),
        ("[rail]\n[measure]\ntarget = 1.0\n", &["target '1'"]),
        ("[rail]\n[measure]\ntarget = nan\n", &["target 'NaN'"]),
        ("[rail]\n[measure]\ntarget = -0.1\n", &["target '-0.1'"]),
        ("[rail]\n[measure]\nbudget-seconds = nan\n", &["budget-seconds 'NaN'"]),
        ("[rail]\n[measure]\nbudget-seconds = inf\n", &["budget-seconds 'inf'"]),
        ("[rail]\n[measure]\nbudget-seconds = 1e10\n", &["at most 1000000000"]),
        ("[road]\nalgorithms = [\"none\"]\n", &["line 2, ", "none"]),
        ("[road]\nalgorithms = [\"ed25519\"]\nbaseline = \"hawk-512\"\n", &["line 3, ", "hawk-512"]),
    ] {
        let error = parse(text).expect_err(text);
        let StudyError::Plan { path, text: said } = error else { panic!("{error}") };
        assert_eq!(path, Path::new("some/where/study.toml"));
        assert!(told.iter().all(|told| said.contains(told)), "{text}: {said}");
    }
}

/// The parser's words change with its version; no name of a part of its grammar is shown, and what is wrong is located.
#[test]
fn what_is_no_toml_is_said_in_plain_words() {
    let long = format!("x = {}1", "[".repeat(300));
    for text in [
        "a = [\"b",
        "a = [1,,2]",
        "a = [1 2]",
        "a = [b=1]",
        "a = {b=1",
        "a = {b=1 c=2}",
        "a = {,}",
        "a = {b}",
        "a",
        "a b = 1",
        "a: 1",
        "a = 1 b = 2",
        "= 1",
        "é = 1",
        "a =",
        "a = yes",
        "a = True",
        "a = 1979-99-01",
        "a = 0x",
        "a = 01",
        "a = 1_",
        "a = ++1",
        "a = 1.",
        "a = 1e999",
        "a = nan_",
        "a = \"\\q\"",
        "a = \"\\u12\"",
        "a = \"b",
        "a = 'b",
        "a = \"\"\"b",
        "a = \"b\u{1}\"",
        "# \u{1}",
        "a\rb",
        "[a",
        "[[a]",
        "[]",
        "[a.]",
        "[a] b",
        "a=1\na=2",
        "[a]\n[a]",
        &long,
        "a = 99999999999999999999",
        "a = \"b\" \"c\"",
        "\"\"\"a\"\"\" = 1",
    ] {
        let StudyError::Plan { text: said, .. } = parse(text).expect_err(text) else { panic!("{text}") };
        assert!(said.starts_with("line ") && said.contains(", column "), "{text}: {said}");
        for word in
            ["literal", "inline", "unquoted", "key", "array", "integer", "boolean", "`", "i128", "newline"]
        {
            assert!(!said.contains(word), "{text}: {said}");
        }
    }
    for (text, near) in [
        ("[raod]\n", "[road]"),
        ("[road]\nalgorithm = []\n", "'algorithms'?"),
        ("[rail]\n[measure]\nbudget-second = 1\n", "'budget-seconds'?"),
        ("seed = 1\n[road]\n", "write it below [measure]"),
        ("map = 'a'\n[road]\n", "below [road]"),
        ("[rail]\n[measure]\nseed = 1e3\n", "'1e3'"),
    ] {
        let said = parse(text).expect_err(text).to_string();
        assert!(said.contains(near), "{text}: {said}");
    }
}

#[test]
fn a_baseline_takes_part_where_somebody_chose_it() {
    for (algorithms, baseline, fits) in [
        (&[][..], "hawk-512", true),
        (&["ed25519", "hawk-512"], "hawk-512", true),
        (&["ed25519"], "hawk-512", false),
        (&["ed25519"], BASELINE, true),
    ] {
        let mut plan = Plan::of(Road {
            algorithms: algorithms.iter().map(|&it| it.to_owned()).collect(),
            baseline: Some(baseline.to_owned()),
            map: None,
        });
        assert_eq!(plan.settle().is_ok(), fits, "{algorithms:?} {baseline}");
    }
}

#[test]
fn a_part_has_its_weight_of_what_is_left_and_half_of_its_own_at_least() {
    let plan = Plan {
        measure: Measure::default(),
        parts: vec![Box::new(Rail {}), Box::new(Road::default()), Box::new(Rail {})],
    };
    let share = |at, left| plan.share(at, Duration::from_secs(100), Duration::from_secs(left)).as_secs_f64();
    // Of 1, 3 and 1: a fifth, three quarters of the rest, and all of what is left then.
    assert_eq!([share(0, 100), share(1, 80), share(2, 20)], [20.0, 60.0, 20.0]);
    assert_eq!([share(1, 44), share(1, 20), share(1, 0), share(2, 0)], [33.0, 30.0, 30.0, 10.0]);
}
