//! The section on IMA: what decides is seen, what is refused is marked, published results are named so, and no result is
//! lost.

use fieldtest_report::Format;
use fieldtest_testing::section::{Section, row};
use fieldtest_workbench_ima::STUDY_SECTION;
use serde_json::Value;

mod synthetic;

const SECTION: Section = Section { study_sections: &[&STUDY_SECTION], lines: synthetic::lines };

#[test]
fn its_tables() {
    assert_eq!(
        SECTION.titles(),
        ["Key results", "Storage per file", "Signing and verifying the tree", "One operation"]
    );
    let overview = SECTION.table("Key results");
    assert_eq!(overview["rows"].as_array().unwrap().len(), synthetic::SIGNATURES.len());
    let larch = row(&overview, "larch-65");
    assert_eq!((&larch["level"], &larch["xattr"], &larch["ext4"]), (&1.into(), &3_318.into(), &4_096.into()));
    // Of the implementations the fastest; the kernel's result beside it.
    assert_eq!((&larch["sign"], &larch["kernel verifies"]), (&398_107.into(), &211_004.into()));
    assert_eq!((&larch["RPM files"], &larch["memory"]), (&9_945.into(), &3_738.into()));
    assert_eq!(row(&overview, "elder-p256")["level"], Value::Null);
    // No tree is on a known file system here.
    assert!(larch.get("here").is_none());
}

#[test]
fn what_is_refused_is_marked_with_its_limit() {
    for title in ["Key results", "Storage per file"] {
        let oak = row(&SECTION.table(title), "oak-128s").clone();
        assert_eq!((&oak["ext4"], &oak["XFS"]), (&Value::Null, &8_192.into()));
        assert_eq!(oak["ext4 mark"], "rejected: at most 4040 bytes");
        let csv = SECTION.tables().into_iter().find(|it| it.title() == title).unwrap().render(Format::Csv);
        assert!(csv.contains("rejected: at most 3001 bytes"), "{csv}");
    }
    let overview = SECTION.tables().remove(0);
    let text = overview.render(Format::Human { width: 120, colour: false });
    assert!(overview.notes()[0].ends_with(" ext4 4040, f2fs 3001."), "{text}");
    let line = text.lines().find(|line| line.starts_with("oak-128s")).unwrap();
    assert_eq!(line.matches('⊘').count(), 2, "{line}"); // ext4 and f2fs.
    // A file system that refuses everything still has its column.
    let all_refused = SECTION.only(|record| record.operation != "storage" || record.subject != "ext4");
    assert!(SECTION.table_of(all_refused, "Key results")["rows"][0].get("ext4").is_some());
    let body = SECTION.body();
    assert!(body.contains("⊘ ≤ 4040</text>") && body.contains("a made-up file system refuses 7865 bytes"));
    assert!(body.contains("\"a made-up file system refuses 7865 bytes\""));
}

#[test]
fn estimates_have_bounds_and_no_interval() {
    let storage = SECTION.table("Storage per file");
    let larch = row(&storage, "larch-44");
    assert_eq!((&larch["btrfs"], &larch["btrfs approximate"]), (&4_859.into(), &true.into()));
    assert!(larch.get("btrfs interval").is_none());
    let body = SECTION.body();
    assert!(body.contains("estimated, 4858 to 7287 bytes") && body.contains("estimated for btrfs,"));
}

#[test]
fn published_results_are_named_so() {
    let tree = SECTION.table("Signing and verifying the tree");
    let published: Vec<&Value> = tree["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["implementation"] == "Made-up OS 3, published")
        .collect();
    assert_eq!(published.len(), 5);
    assert!(published.iter().all(|row| row["sign, wall"].is_null() && row["verify one file"].is_number()));
    assert!(tree["notes"][0].as_str().unwrap().contains("a made-up tree: 1234 files of 20,421,596 bytes"));
    let limit = "are published,";
    let body = SECTION.body();
    assert!(body.contains(limit) && !body.contains("How this machine compares with published results."));
    assert!(body.contains("Verified by Made-up OS 3</text>") && body.contains(">published</text>"));
    let without = SECTION.body_of(SECTION.only(|record| record.operation != "appraise"));
    assert!(!without.contains(limit) && !without.contains(">published<"));
}

#[test]
fn the_verdict() {
    let facts = |lines| SECTION.body_of(lines).split_once("</dl>").unwrap().0.to_owned();
    let all = facts(synthetic::lines());
    // By storage, then by the kernel's time.
    assert!(all.contains("<b>Larch-44</b><span>"), "{all}");
    assert!(SECTION.body().contains("; runner-up: Larch-65."));
}

#[test]
fn the_plot_orders_and_groups() {
    let body = SECTION.body();
    let result =
        body.split_once("What a file&#39;s signature costs").or(body.split_once("signature costs</h3>"));
    let plot = result.unwrap().1.split_once("</svg></div>").unwrap().0;
    let place =
        |words: &str| plot.find(&format!(">{words}</text>")).unwrap_or_else(|| panic!("{words}\n{plot}"));
    // Those that the kernel verifies by the length of their attribute, then the others, then the unsafe ones.
    let order = [
        "Verified by Made-up OS 3",
        "Elder-P256",
        "Elder-2048",
        "Larch-44",
        "Larch-65",
        "Oak-128s",
        "No kernel is known to verify these",
        "Spruce-I",
        "Hazel-512",
        "✕ Unsafe, whatever they cost",
        "Maple-2",
    ];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{plot}");
    assert_eq!(plot.matches(">not timed</text>").count(), 1);
    for class in ["cell free", "cell one", "cell two", "cell more", "cell refused"] {
        assert!(plot.contains(&format!("class=\"{class}\"")), "{class}");
    }
    // Without a kernel's results and unsafe algorithms there is one group, which needs no heading.
    let plain = SECTION.only(|record| record.operation != "appraise" && record.algorithm != "maple-2");
    assert!(!SECTION.body_of(plain).contains("No kernel is known to verify these"));
}
