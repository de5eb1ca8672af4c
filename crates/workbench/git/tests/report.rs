//! The section on Git: what decides is seen, what is unsafe never leads, published results are named so, and no result is
//! lost.

use fieldtest_measure::record::Line;
use fieldtest_report::Format;
use fieldtest_testing::section::{Section, row};
use fieldtest_testing::synthetic::record;
use fieldtest_workbench_git::STUDY_SECTION;
use serde_json::Value;

mod synthetic;

const SECTION: Section = Section { study_sections: &[&STUDY_SECTION], lines: synthetic::lines };

#[test]
fn its_tables() {
    assert_eq!(
        SECTION.titles(),
        [
            "Key results",
            "Messages one at a time",
            "Messages many at once",
            "fieldtest against the best library, one at a time",
            "fieldtest against the best library, many at once",
            "The whole repository",
            "Room for names",
            "Deployed support",
            "What this host has",
            "Published elsewhere"
        ]
    );
    let overview = SECTION.table("Key results");
    let fern = row(&overview, "fern-256");
    assert_eq!(
        (&fern["digest"], &fern["more per object"], &fern["available in"]),
        (&32.into(), &36.25.into(), &2.into())
    );
    // Of the sizes the repository's, of the implementations the fastest.
    assert_eq!(fern["one at a time"], 2.77);
    assert!((fern["many at once"].as_f64().unwrap() - (2.02 * 0.59 + 0.75)).abs() < 1e-9);
    assert!((fern["whole map"].as_f64().unwrap() - 0.041_22).abs() < 1e-9);
    // Nobody told how many bits withstand a collision.
    assert!(fern.get("collision").is_none());
    let mut lines = synthetic::lines();
    lines.push(Line::Record(record("git", "fern-256", "collision", "", 128.0, "bits")));
    assert_eq!(row(&SECTION.table_of(lines, "Key results"), "fern-256")["collision"], 128);
}

#[test]
fn cycles_per_byte_have_two_decimals() {
    let tables = SECTION.tables();
    let text = tables[1].render(Format::Human { width: 120, colour: false });
    let line = text.lines().find(|line| line.starts_with("sedge-512") && line.contains("b-library")).unwrap();
    assert!(line.contains("38.44") && line.contains("36.19"), "{line}");
    assert!(text.contains("cycles/byte"));
}

#[test]
fn hashing_is_told_apart_from_decoding() {
    let whole = SECTION.table("The whole repository");
    let first = &whole["rows"][0];
    assert_eq!((&first["algorithm"], &first["hash, wall"]), (&"decoding only".into(), &0.013.into()));
    let fern = row(&whole, "fern-256");
    let share = 1.0 - 0.013 / (0.013 + 0.011 * 2.02);
    assert!((fern["hashing is"].as_f64().unwrap() - share).abs() < 1e-9);
    assert!(fern["map, wall"].is_number());
    assert_eq!(
        whole["notes"][0],
        "On a made-up repository: 2345 objects of 30,421,596 bytes together, 2 threads."
    );
}

#[test]
fn room_is_compared_with_the_names_of_now() {
    let room = SECTION.tables().into_iter().find(|it| it.title() == "Room for names");
    let room: Value = serde_json::from_str(&room.unwrap().render(Format::Json)).unwrap();
    assert_eq!(room["rows"][0]["trees ratio"], 1.0);
    assert!(row(&room, "sedge-512")["trees ratio"].as_f64().unwrap() > 1.3);
    assert!(room["notes"][0].as_str().unwrap().contains("moss-160"));
    // Without the record that tells which function names the objects, nothing is compared.
    let without = SECTION.table_of(SECTION.only(|record| record.operation != "decode"), "Room for names");
    assert_eq!(without["rows"][0]["trees ratio"], Value::Null);
}

#[test]
fn availability_is_marked_with_the_version_as_detail() {
    let known = SECTION.table("Deployed support");
    assert_eq!(row(&known, "moss-160")["Made-up SSL mark"], "no");
    assert_eq!(row(&known, "moss-160")["Git mark"], "yes");
    let here = SECTION.table("What this host has");
    assert_eq!(row(&here, "fern-256")["sum mark"], "yes");
    assert!(here["notes"][0].as_str().unwrap().contains("Made-up SSL 6.0, sum 7.0."));
    let body = SECTION.body();
    assert!(body.contains("\"4.0\""));
    // A mark refers to its word.
    let (before, _) = body.split_once("\">yes</li>").unwrap();
    let number = before.rsplit_once("<li id=\"m").unwrap().1;
    assert!(body.contains(&format!("<b class=m{number}>✓</b>")));
}

#[test]
fn published_results_are_named_so() {
    let published = SECTION.table("Published elsewhere");
    let first = &published["rows"][0];
    assert_eq!(
        (&first["by"], &first["256 bytes"], &first["long"]),
        (&"a laboratory".into(), &100_007.into(), &Value::Null)
    );
    let notes = published["notes"].as_array().unwrap();
    assert_eq!(notes[1], "a laboratory: a made-up list, counted in KiB/s.");
    assert_eq!(notes[2], "another: a made-up list, counted in ticks/byte.");
    assert!(SECTION.body().contains("published results."));
}

#[test]
fn unsafe_functions_do_not_lead() {
    let overview = SECTION.table("Key results");
    assert_eq!(row(&overview, "moss-160")["algorithm mark"], "unsafe");
    assert_eq!(row(&overview, "fern-256")["algorithm mark"], Value::Null);
    let body = SECTION.body();
    let (facts, _) = body.split_once("</dl>").unwrap();
    assert!(facts.contains("<b>Fern-256</b><span>"), "{facts}");
    assert!(!facts.contains("Moss-160") && !facts.contains("Sedge-512"));
    // In the picture it stands in the last row, though it is the cheapest.
    SECTION.draws_in_order(&["Fern-256", "Sedge-512", "Moss-160"]);
    let none = SECTION.body_of(SECTION.only(|record| record.operation == "storage"));
    assert!(!none.contains("<figure ") && none.contains("Room for names"));
}

#[test]
fn little_and_odd_data() {
    SECTION.shows_each_alone(&[
        ("hash", "64 single", 5.0, "cycles/byte", "5"),
        ("hash", "64 sideways", 77.0, "cycles/byte", "77"),
        ("hash", "so much many", 78.0, "ns/byte", "78"),
        ("hash", "", 79.0, "cycles/byte", "79"),
        ("hash", "repository many", 0.0, "cycles/byte", "0"),
        ("hash", "repository many", -80.0, "cycles/byte", "-80"),
        ("hash-published", "256", 81.0, "KiB/s", "81"),
        ("hash-lead", "64 single over it", 82.0, "ratio", "82"),
        ("decode", "wall", 0.0, "s", "0"),
        ("rehash", "wall", 84.0, "s", "84"),
        ("map", "sideways", 85.0, "s", "85"),
        ("available", "somewhere", 86.0, "count", "86"),
        ("storage", "of something", 87.0, "bytes", "87"),
        ("storage", "trees", f64::MAX, "bytes", "1.797"),
    ]);
    // Two units of one operation: the commoner one has the columns, the other is not lost.
    let mut lines = synthetic::lines();
    let odd = record("git", "fern-256", "hash", "64 single", 12_345.0, "ns/byte");
    lines.push(Line::Record(odd));
    assert_eq!(SECTION.table_of(lines, "Other results")["rows"][0]["in ns/byte"], 12_345);
}
