//! Chains of keys: made, written for every system, used, and refused.

use super::{KEY, OTHER, says, with_plain};
use crate::scratch::Scratch;

fn keys(more: &str) -> String {
    format!("tcp-ao keys {more}")
}

#[test]
fn keys_that_are_made_sign_and_verify() {
    let scratch = with_plain();
    let run = scratch.fine(&keys("-n 1 --peer 192.0.2.2 --mac-length 8 -o chain"));
    assert_eq!((&*run.stdout, &*run.stderr), ("", "fieldtest: chain: 1 key of aes-128-cmac-96\n"));
    scratch.fine("tcp-ao sign plain --keys chain -o signed");
    says(&scratch.fine("tcp-ao verify signed --keys chain"), 0, &["6 verified"]);
    // Another chain has other keys.
    scratch.fine(&keys("-n 1 --mac-length 8 -o other"));
    says(&scratch.run("tcp-ao verify signed --keys other"), 1, &["6 with"]);
}

#[test]
fn every_system() {
    let scratch = Scratch::new();
    for (system, part) in [
        ("fieldtest", "\n7:aes-128-cmac-96:"),
        ("gateway", "\n7/7:aes-128-cmac-96:"),
        ("linux", "cmac(aes128)"),
        ("bird", "algorithm cmac aes128;"),
        ("gobgp", "[[keychains.keys]]"),
        ("rfc8177", "\"crypto-algorithm\": \"ietf-key-chain:aes-cmac-prf-128\""),
    ] {
        let run = scratch.fine(&keys(&format!("--for {system} --first-id 7 --start 2027-01-01T00:00:00Z")));
        assert!(run.stdout.contains(part), "{run:?}");
        assert!(run.stdout.contains("2027-04-01T00:00:00Z"), "{run:?}");
        let again = scratch.fine(&keys(&format!("--for {system} --first-id 7 --start 2027-01-01T00:00:00Z")));
        assert_ne!(run.stdout, again.stdout, "the same keys twice");
        assert_eq!(run.stdout.len(), again.stdout.len());
    }
}

/// BIRD reads `include` only at the beginning of a line, so an example that is copied must have it there.
#[test]
fn the_example_for_bird_has_include_on_a_line_of_its_own() {
    let run = Scratch::new().fine(&keys("--for bird --peer 192.0.2.2"));
    let example: Vec<&str> = run.stdout.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    assert!(example.iter().any(|line| line.trim_start().starts_with("include \"")), "{run:?}");
    assert!(example.contains(&"        neighbor 192.0.2.2 as NUMBER;"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn secrets_are_for_their_owner() {
    use std::fs::metadata;
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    scratch.run_after("umask 0", &keys("-o new")).tells(0, &[]);
    let mode = metadata(scratch.path("new")).expect("the keys").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A second run would end every session that has the first one's keys.
    let chain = scratch.read("new");
    scratch.refuses(&keys("-o new"), 1, &["new"]);
    assert_eq!(scratch.read("new"), chain);
}

#[test]
fn chains_that_cannot_be() {
    let scratch = Scratch::new();
    scratch.write("chain", "as it was");
    let refused = |more: &str, words: &[&str]| {
        scratch.refuses(&keys(&format!("-o chain {more}")), 2, words);
    };
    refused("--first-id 254", &["identifier is 255", "253 or lower"]);
    refused("-a aes-128-cmac", &["did you mean 'aes-128-cmac-96'?"]);
    refused("-a tcp-md5", &["fieldtest list mac"]);
    refused("--start tomorrow", &["2026-12-31T23:59:59Z"]);
    refused("--mac-length 17", &[" 1 to 16"]);
    scratch.refuses(&["tcp-ao", "keys", "-o", "chain", "--name", "a b"], 2, &["'a b'"]);
    refused("--for bird --exclude-options", &["--exclude-options"]);
    refused("--lifetime 4000000000", &["year 9999"]);
    for (argument, value) in [
        ("--first-id", "256"),
        ("--first-id", "-1"),
        ("--count", "0"),
        ("--count", "65"),
        ("--mac-length", "0"),
        ("--key-bytes", "15"),
        ("--lifetime", "0"),
        ("--peer", "192.0.2"),
        ("--for", "cisco"),
    ] {
        scratch.refuses_by_clap(&keys(&format!("-o chain {argument}={value}")), &[argument, value]);
    }
    assert_eq!(scratch.read("chain"), "as it was");
    scratch.refuses(&keys("-o missing/chain"), 1, &["no directory missing", "create it first"]);
    scratch.refuses(&keys("-o ."), 1, &["directory"]);
}

/// Lines of the gateway are keys here, too: one secret under the KeyIDs of both ends.
#[test]
fn keys_of_both_ends() {
    let scratch = with_plain();
    scratch.fine(&format!("tcp-ao sign plain -k {KEY} -k {OTHER} -o signed"));
    let both = KEY.replacen("61:", "61/84:", 1);
    says(&scratch.run(&format!("tcp-ao verify signed -k {both}")), 0, &["6 verified"]);
    scratch.fine(&format!("tcp-ao sign plain -k {both} -o again"));
    let [first, second] =
        ["signed", "again"].map(|name| std::fs::read(scratch.path(name)).expect("a capture"));
    assert_eq!(first, second);
    let one = KEY.replacen("61:", "61/61:", 1);
    says(&scratch.run(&format!("tcp-ao verify signed -k {one}")), 1, &["4 verified"]);
    scratch.refuses(&["tcp-ao", "verify", "signed", "-k", &KEY.replacen("61:", "61/256:", 1)], 2, &["256"]);
}
