//! Records of several hosts in one report.

use fieldtest::study_sections;
use fieldtest_measure::record::{Line, Record};
use fieldtest_report::{Error, Format, Hosts, Report};
use serde_json::Value;

use super::synthetic;

const HERE: &str = "0123456789ab";
const THERE: &str = "ba9876543210";

/// The synthetic records on another host, where everything timed takes three times as long.
fn there(keep: impl Fn(&Record) -> bool) -> Report {
    let lines = synthetic::lines().into_iter().filter_map(|line| match line {
        Line::Run(mut run) => {
            THERE.clone_into(&mut run.host.id);
            Some(Line::Run(run))
        }
        Line::Record(record) if !keep(&record) => None,
        Line::Record(mut record) if record.samples > 0 && record.unit != "ratio" => {
            record.value *= 3.0;
            record.interval = record.interval.map(|bounds| bounds.map(|bound| 3.0 * bound));
            Some(Line::Record(record))
        }
        other => Some(other),
    });
    Report::from_lines(lines, study_sections()).expect("records")
}

fn here() -> Report {
    Report::from_lines(synthetic::lines(), study_sections()).expect("records")
}

fn rows(json: &Value) -> Vec<&Value> {
    let sections = json["sections"].as_array().expect("sections").iter();
    let tables = sections.flat_map(|it| it["tables"].as_array().expect("tables"));
    tables.flat_map(|it| it["rows"].as_array().expect("rows")).collect()
}

fn json(hosts: &Hosts) -> Value {
    serde_json::from_str(&hosts.render(Format::Json)).expect("JSON")
}

/// The names of columns of ratios to the baseline in which something stands.
fn ratios(json: &Value) -> Vec<String> {
    let cells = rows(json).into_iter().flat_map(|row| row.as_object().expect("a row"));
    let told = cells.filter(|(name, value)| name.ends_with(" ratio") && value.is_number());
    told.map(|(name, _)| name.clone()).collect()
}

#[test]
fn each_result_says_whose_it_is_and_ratios_are_each_hosts_own() {
    let hosts = Hosts::of(vec![here(), there(|_| true)], None).expect("one baseline");
    let json = json(&hosts);
    assert_eq!(json["baseline"], *here().baseline().expect("a baseline"));
    let all = rows(&json);
    let one_operation = |host: &str, name: &str| -> &Value {
        let found =
            all.iter().find(|row| row["algorithm"] == name && row["host"] == host && row["sign"].is_number());
        found.expect("a row of the host")
    };
    let name = "alder-512";
    let [a, b] = [HERE, THERE].map(|host| one_operation(host, name));
    assert_eq!(3.0 * a["sign"].as_f64().unwrap(), b["sign"].as_f64().unwrap());
    assert_eq!(a["sign ratio"], b["sign ratio"], "each to its own host's baseline");
    // Sizes are facts: no host has them for itself.
    let plain: Vec<_> = all.iter().filter(|row| row.get("host").is_none()).collect();
    assert!(!plain.is_empty() && all.iter().any(|row| row["host"] == HERE));
    // Nothing of either is lost.
    let csv = hosts.render(Format::Csv);
    assert_eq!(csv.lines().count(), 1 + 2 * here().records().len());
    let human = hosts.render(Format::Human { width: 100, colour: false });
    assert!(human.contains("of different hosts"), "{human}");
    assert!(human.lines().all(|line| line.chars().count() <= 100), "{human}");
}

#[test]
fn without_a_common_baseline_there_are_no_ratios() {
    let baseline = here().baseline().expect("a baseline").to_owned();
    assert!(!ratios(&json(&Hosts::of(vec![here(), there(|_| true)], None).unwrap())).is_empty());
    // Another algorithm is taken where the usual one is not everywhere.
    let lacking = |record: &Record| record.algorithm != baseline;
    let chosen = json(&Hosts::of(vec![here(), there(lacking)], None).unwrap());
    assert!(chosen["baseline"] != *baseline && chosen["baseline"].is_string(), "{}", chosen["baseline"]);
    // None is everywhere.
    let one = |report: Report, name: &'static str| {
        let runs = report.runs().iter().cloned().map(Line::Run);
        let records = report.records().iter().filter(|it| it.algorithm == name).cloned().map(Line::Record);
        Report::from_lines(runs.chain(records), study_sections()).expect("records")
    };
    let apart = || vec![one(here(), "alder-512"), one(there(|_| true), "oak-128s")];
    let nothing = json(&Hosts::of(apart(), None).unwrap());
    assert_eq!((&nothing["baseline"], ratios(&nothing)), (&Value::Null, Vec::new()));
    // What was asked for is not exchanged for anything else.
    let error = Hosts::of(vec![here(), there(lacking)], Some(&baseline)).unwrap_err();
    assert!(matches!(error, Error::UnknownBaseline { name, .. } if name == baseline));
}
