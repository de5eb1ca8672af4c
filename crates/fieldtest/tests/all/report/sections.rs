//! What holds of the report section of each carrier, over made-up records.

use fieldtest::study_sections;
use fieldtest_measure::record::{Line, Record};
use fieldtest_testing::section::{EVIL, Section};

use super::synthetic::{disk, git, ima, tcp_ao};

type Lines = fn() -> Vec<Line>;

/// Studies with their records. DNSSEC's chapters have tests of their own in its workbench.
const STUDIES: [(&str, Lines); 4] =
    [("disk", disk::lines), ("git", git::lines), ("ima", ima::lines), ("tcp-ao", tcp_ao::lines)];

fn each(check: impl Fn(&str, Section)) {
    for (study, lines) in STUDIES {
        let it = study_sections().iter().find(|it| it.study == study).expect(study);
        check(study, Section { study_sections: std::slice::from_ref(it), lines });
    }
}

#[test]
fn nothing_is_lost() {
    each(|_, section| section.loses_nothing());
}

/// The widest are continued once below themselves.
#[test]
fn tables_fit_a_terminal_of_120_columns() {
    each(|study, section| {
        section.fits_a_terminal(match study {
            "ima" => &["Key results", "One operation"],
            "disk" => &["LUKS2 containers"],
            _ => &[],
        });
    });
}

#[test]
fn hostile_names() {
    let rename = |it: &mut Record| match (it.study.as_str(), it.operation.as_str()) {
        ("disk", "unlock" | "dm-crypt") | ("git", "available") => it.subject.push_str(EVIL),
        ("disk", "encrypt-published" | "decrypt-published") => it.subject = format!("4096 {EVIL}"),
        ("git", "hash-published") => it.subject = format!("256 {EVIL}"),
        ("tcp-ao", "segment-published") => it.subject = format!("100 {EVIL}"),
        ("tcp-ao", "segment-lead") => it.subject = it.subject.replace("a-library", EVIL),
        _ => {}
    };
    each(|_, section| section.shows_evil_as_text(rename));
}
