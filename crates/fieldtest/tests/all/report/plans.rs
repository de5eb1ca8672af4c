//! Study files: read, checked, and refused with the place of what is wrong.

use std::path::Path;

use fieldtest::{CARRIERS, studied};
use fieldtest_study::{Plan, StudyError};

fn parse(text: &str, path: &str) -> Result<Plan, StudyError> {
    Plan::parse(text, Path::new(path), &studied())
}

/// What the parts of a study are, as a developer sees them.
fn seen(text: &str) -> String {
    format!("{:?}", parse(text, "dir/x.toml").expect("a study").parts)
}

fn refused(text: &str) -> String {
    parse(text, "x.toml").expect_err("refused").to_string()
}

#[test]
fn the_built_in_study_has_every_carrier() {
    let plan =
        parse(include_str!("../../../studies/default.toml"), "default.toml").expect("the embedded file");
    assert_eq!(plan.parts.len(), CARRIERS.len());
    assert!(format!("{plan:?}").contains("delegations: 1438"));
}

#[test]
fn faults_are_named() {
    assert!(refused("measure = 1").contains("x.toml"));
    assert!(refused("").contains("no carrier"));
    assert!(refused("[measure]\n[dnssec]\nzones = 'x'").contains("line 3, column 1: unknown key 'zones'"));
    assert!(refused("[measure]\ntarget = 2.0\n[dnssec]").contains("target"));
    assert!(refused("[measure]\nbudget-seconds = -1.0\n[dnssec]").contains("budget"));
    let unknown = refused("[dnsec]");
    assert!(unknown.contains("[dnsec]") && unknown.contains("[dnssec]?"), "{unknown}");
    let far = refused("[bind]");
    assert!(far.contains("[bind]") && far.contains("[dnssec], [tcp-ao], [ima]"), "{far}");
}

#[test]
fn names_are_found_however_they_are_spelled() {
    let seen = seen(
        "[dnssec]\nalgorithms = ['ML-DSA-44', 'Ed25519']\nbaseline = 'ECDSA P-256'\n\
         [git]\nalgorithms = ['sha256']\n[disk]\nalgorithms = ['AES_256_XTS']",
    );
    for words in
        ["[\"ml-dsa-44\", \"ed25519\"]", "baseline: \"ecdsa-p256\"", "[\"sha-256\"]", "[\"aes-256-xts\"]"]
    {
        assert!(seen.contains(words), "{words}: {seen}");
    }
    assert!(refused("[git]\nalgorithms = ['sha2']").contains("did you mean"));
    assert!(refused("[ima]\nbaseline = 'dilithium2'").contains("standardised as ml-dsa-44"));
}

#[test]
fn what_has_no_effect_is_refused() {
    for (study, key) in [
        ("[dnssec]\nzone = 'z'\ndelegations = 5", "'delegations'"),
        ("[dnssec]\norigin = 'x.'", "'origin'"),
        ("[ima]\ntree = 't'\nfiles = 5", "'files'"),
        ("[git]\nrepository = 'r'\ncommits = 5", "'commits'"),
    ] {
        assert!(refused(study).contains(key), "{study}");
    }
}

#[test]
fn inputs_are_relative_to_the_file() {
    for (carrier, option) in
        [("dnssec", "zone"), ("tcp-ao", "capture"), ("ima", "tree"), ("git", "repository"), ("disk", "disk")]
    {
        let seen = seen(&format!("[{carrier}]\n{option} = 'z'"));
        assert!(seen.contains(&format!("{option}: Some(\"dir/z\")")), "{seen}");
    }
}
