//! The section on TCP-AO: what decides is seen, what is unsafe never leads, and no result is lost.

use fieldtest_measure::record::{Implementation, Line, OWN};
use fieldtest_report::Format;
use fieldtest_testing::section::{Section, row, tables};
use fieldtest_testing::synthetic::record;
use fieldtest_workbench_tcp_ao::STUDY_SECTION;
use serde_json::Value;

use crate::synthetic;

const SECTION: Section = Section { study_sections: &[&STUDY_SECTION], lines: synthetic::lines };

#[test]
fn its_tables() {
    assert_eq!(
        SECTION.titles(),
        [
            "Key results",
            "fieldtest against the best library",
            "A segment at a time",
            "Segments in batches",
            "Keys",
            "Option space"
        ]
    );
    let overview = SECTION.table("Key results");
    let reed = row(&overview, "reed-96");
    assert_eq!((&reed["tag"], &reed["full SYN"], &reed["SACK blocks"]), (&12.into(), &36.into(), &1.into()));
    // Of the lengths the published one and the longest, of the implementations the fastest.
    assert_eq!((&reed["100 single"], &reed["1400 single"]), (&400.into(), &5_600.into()));
    // Batches stand further down.
    assert_eq!(reed["1400 batched"], Value::Null);
    assert_eq!(reed["60 single"], Value::Null);
    assert_eq!(row(&overview, "fern-192")["full SYN mark"], "over the 40 bytes for options");
    let speeds = SECTION.table("A segment at a time");
    let published: Vec<&Value> = speeds["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["implementation"].as_str().unwrap().ends_with(", published"))
        .collect();
    assert_eq!(published.len(), 2);
    assert_eq!((&published[1]["100 bytes"], &published[1]["60 bytes"]), (&1_117.into(), &Value::Null));
}

#[test]
fn unsafe_algorithms_do_not_lead() {
    let overview = SECTION.table("Key results");
    let rush = row(&overview, "rush-128");
    assert_eq!((&rush["algorithm mark"], &rush["status"]), (&"unsafe".into(), &"research, unsafe".into()));
    assert_eq!(row(&overview, "reed-96")["algorithm mark"], Value::Null);
    let body = SECTION.body();
    let (facts, _) = body.split_once("</dl>").unwrap();
    assert!(facts.contains("<b>Reed-96</b><span>400 cycles"), "{facts}");
    assert!(!facts.contains("Rush-128"));
    // In the picture it stands in the last row, though it is the cheapest.
    let plot = SECTION.draws_in_order(&["Reed-96", "Fern-192", "Rush-128"]);
    assert!(plot.contains("Sedge-128"));
    // The table of remarks shows the gravest one, not the newest.
    let standing = tables(&SECTION.report(), "security");
    let standing: Value = serde_json::from_str(&standing[0].render(Format::Json)).unwrap();
    assert_eq!(row(&standing, "rush-128")["gravest remark mark"], "broken");
    assert_eq!(row(&standing, "rush-128")["kind"], "MAC");
}

#[test]
fn algorithms_without_code_tell_their_space_alone() {
    for table in SECTION.tables() {
        let is_told = table.render(Format::Csv).contains("moss-128");
        assert_eq!(is_told, table.title() == "Option space", "{}", table.title());
    }
    let body = SECTION.body();
    assert!(body.contains("Not shown: Moss-128 (no result)."));
    assert!(!body.contains(">Moss-128</text>"));
}

#[test]
fn the_limits_are_true() {
    let chain = "ratios to a";
    let body = SECTION.body();
    assert!(body.contains(chain) && !body.contains("other times are nanoseconds"));
    assert!(!body.contains("so times are nanoseconds"));
    assert!(body.contains("How this machine compares with published results."));
    let mut both = synthetic::lines();
    let mut signing = record("speed", "reed-96", "sign", "", 9.0, "ns");
    signing.implementation = Some(Implementation::new(OWN, "1"));
    both.push(Line::Record(signing));
    let body = SECTION.body_of(both);
    assert!(body.contains(chain) && body.contains("other times are nanoseconds"));
    let counted = fieldtest_testing::synthetic::lines();
    assert!(!SECTION.body_of(counted).contains("no cycle counter"));
}

#[test]
fn little_and_odd_data() {
    SECTION.shows_each_alone(&[
        ("segment", "100 single", 5.0, "cycles", "5"),
        ("segment", "100 sideways", 77.0, "cycles", "77"),
        ("segment", "so many single", 78.0, "cycles", "78"),
        ("segment", "", 79.0, "ns", "79"),
        ("segment", "100 single", 0.0, "cycles", "0"),
        ("segment", "100 single", -80.0, "cycles", "-80"),
        ("segment-published", "100 Somewhere", 81.0, "cycles", "81"),
        ("segment-lead", "100 single over it", 82.0, "ratio", "82"),
        ("segment-lead", "", 83.0, "ratio", "83"),
        ("made-up-operation", "of something", 84.0, "bytes", "84"),
        ("option", "", 85.0, "bytes", "85"),
        ("options-of-full-syn", "", f64::MAX, "bytes", "1.797"),
    ]);
    // Two units of one operation: the commoner one has the columns, the other is not lost.
    let mut lines = synthetic::lines();
    let odd = record("tcp-ao", "reed-96", "segment", "100 single", 12_345.0, "ns");
    lines.push(Line::Record(odd));
    assert_eq!(SECTION.table_of(lines, "Other results")["rows"][0]["in ns"], 12_345);
}
