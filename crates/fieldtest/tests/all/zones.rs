//! Zones that cannot be used, and options that contradict them.

use crate::scratch::{Scratch, ZONE};

const SIGN: &str = "dnssec sign -a ed25519 -o";

fn sign(more: &str) -> String {
    format!("{SIGN} signed {more}")
}

#[test]
fn a_file_that_cannot_be_read() {
    let scratch = Scratch::with_zone();
    scratch.refuses(&sign("missing"), 1, &["cannot read missing", "no such file"]);
    scratch.refuses(&sign("."), 1, &["cannot read .", "directory"]);
    scratch.refuses("dnssec verify missing", 1, &["cannot read missing"]);
    scratch.refuses("dnssec sizes missing", 1, &["cannot read missing"]);
    scratch.refuses("dnssec sizes zone --rssac missing", 1, &["cannot read missing"]);
    scratch.refuses("dnssec sizes zone --rssac zone", 1, &["zone", "line 1"]);
    scratch.refuses("study --zone missing -o a/b", 1, &["cannot read missing"]);
    for other in ["--capture missing", "--tree missing", "--disk missing"] {
        scratch.refuses(&format!("study --zone zone {other} -o a/b"), (1, "carrier"), &["missing"]);
    }
}

#[test]
fn damaged_text_names_the_line() {
    let scratch = Scratch::new();
    for (name, text, words) in [
        ("rdata", &*ZONE.replace("192.0.2.25", "192.0.2.256"), "rdata, line 6: '192.0.2.256'"),
        ("empty", "", "use empty as"),
        ("double", &format!("{ZONE}b IN SOA a a 1 1 1 1 1\n"), "b.example."),
    ] {
        scratch.write(name, text);
        scratch.refuses(&sign(name), 1, &[words]);
        scratch.refuses(&format!("dnssec verify {name}"), 1, &[words]);
        scratch.refuses(&format!("study -a ed25519 --zone {name} -o out"), 1, &[words]);
    }
}

#[test]
fn contradictions() {
    let scratch = Scratch::with_zone();
    let times = sign("zone --inception 20260201000000 --expiration 20260101000000");
    scratch.refuses(&times, 2, &["2026-01-01", "is not after", "2026-02-01", "--expiration"]);
    // The inception is an hour ago.
    scratch.refuses(&sign("zone --expiration 20200101000000"), 2, &["--expiration"]);
    let salt = "00".repeat(256);
    scratch.refuses(&sign(&format!("zone --nsec3 --salt {salt}")), 2, &["--salt", "510"]);
}

#[test]
fn places_that_cannot_be_written_to() {
    let scratch = Scratch::with_zone();
    let sign = |output| format!("{SIGN} {output} zone");
    scratch.refuses(
        &sign("missing/signed"),
        1,
        &["missing/signed", "no directory missing", "create it first"],
    );
    scratch.refuses(&sign("."), 1, &[" .: "]);
    scratch.refuses("dnssec generate -o missing/zone", 1, &["no directory missing"]);
    scratch.refuses("dnssec keygen a -a ed25519 -K zone", 1, &["zone is not"]);
    scratch.refuses("study -o zone", (1, "not-a-directory"), &[" zone: "]);
    scratch.refuses("speed ed25519 -o missing/x", 1, &["no directory missing"]);
}

#[test]
fn a_damaged_signature_is_found() {
    let scratch = Scratch::with_zone();
    scratch.fine(&sign("zone"));
    let signed = scratch.read("signed");
    // The record changes, its signature does not.
    scratch.write("damaged", signed.replace("192.0.2.25", "192.0.2.26"));
    let run = scratch.run("dnssec verify damaged --format csv");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("mail.example.,A,"), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    assert!(run.stderr.ends_with("1 finding\n"), "{run:?}");
}
