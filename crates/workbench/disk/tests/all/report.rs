//! The section on disk encryption: what decides is seen, what protects no disk never leads, and no result is lost.

use fieldtest_testing::section::{Section, row};
use fieldtest_workbench_disk::STUDY_SECTION;
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
            "Encrypting",
            "Decrypting",
            "LUKS2 containers",
            "Unlocking",
            "Deployed support",
            "What this host has",
            "Published elsewhere"
        ]
    );
    let overview = SECTION.table("Key results");
    let birch = row(&overview, "birch-256-xts");
    // Of the implementations the fastest.
    assert_eq!(
        (&birch["4096 page"], &birch["512 page"], &birch["key"]),
        (&1_000.into(), &1_710.into(), &64.into())
    );
    assert_eq!((&birch["diffusion"], &birch["disk mark"]), (&16.into(), &"yes".into()));
    assert_eq!(birch["1 thread"], 12.288);
    let containers = SECTION.table("LUKS2 containers");
    let wide = row(&containers, "poplar-wide");
    assert_eq!(wide["specification"], "xpoplar12,birch-wide-plain64");
    assert_eq!((&wide["overhead"], &wide["fill"]), (&16_777_216.into(), &0.42.into()));
    let unlocking = SECTION.table("Unlocking");
    assert_eq!(unlocking["rows"][0]["key derivation"], "argon2id t=4 m=65536 p=4");
    let decrypting = SECTION.table("Decrypting");
    assert_eq!(row(&decrypting, "birch-256-xts")["time mark"], "constant");
    let published = SECTION.table("Published elsewhere");
    assert_eq!(
        (&published["rows"][1]["encrypt"], &published["rows"][1]["decrypt"]),
        (&35_785.into(), &Value::Null)
    );
    let leads = SECTION.table("fieldtest against the best library");
    assert_eq!(row(&leads, "willow-256-xts")["best library"], "a-library");
}

#[test]
fn what_protects_no_disk_does_not_lead() {
    let overview = SECTION.table("Key results");
    for name in ["birch-256-ctr", "birch-256-cbc"] {
        let row = row(&overview, name);
        assert_eq!((&row["algorithm mark"], &row["disk mark"]), (&"unsafe".into(), &"unsafe".into()));
    }
    assert_eq!(row(&overview, "birch-256-ctr")["status"], "standard, unsafe");
    let notes = SECTION.tables()[0].notes().join("\n");
    assert!(notes.contains("birch-256-ctr: The same"));
    assert!(notes.contains("birch-256-cbc: made-up vectors can be predicted"));
    let body = SECTION.body();
    let (facts, _) = body.split_once("</dl>").unwrap();
    assert!(facts.contains("<b>Birch-256-Xts</b><span>1.00 k cycles"), "{facts}");
    assert!(!facts.contains("Birch-256-Ctr") && !facts.contains("Birch-256-Cbc"));
    // However cheap they are, they stand in the last row.
    SECTION.draws_in_order(&["Birch-256-Xts", "Willow-256-Xts", "Birch-256-Ctr"]);
    SECTION.draws_in_order(&["Poplar-Wide", "Birch-256-Cbc"]);
}

#[test]
fn the_limits_of_the_study_are_told() {
    let body = SECTION.body();
    for words in ["How this machine compares with published results.", "How fast a disk becomes."] {
        assert!(body.contains(words), "{words}");
    }
}

#[test]
fn little_and_odd_data() {
    SECTION.shows_each_alone(&[
        ("encrypt", "4096 page", 5.0, "cycles", "5"),
        ("encrypt", "4096 sideways", 77.0, "cycles", "77"),
        ("encrypt", "so many page", 78.0, "cycles", "78"),
        ("decrypt", "512 bulk", 79.0, "ns", "79"),
        ("encrypt", "4096 page", 0.0, "cycles", "0"),
        ("encrypt", "4096 page", -80.0, "cycles", "-80"),
        ("encrypt-published", "", 81.0, "ticks", "81"),
        ("encrypt-lead", "4096 page over it", 82.0, "ratio", "82"),
        ("throughput", "1 thread", 83.5, "GB/s", "83.5"),
        ("diffusion", "", 84.0, "bytes", "84"),
        ("container", "elsewhere", 85.0, "s", "85"),
        ("unlock", "", 86.0, "s", "86"),
        ("dm-crypt", "", 0.0, "flag", "lonely"),
        ("made-up-operation", "of something", 87.0, "bytes", "87"),
    ]);
}
