//! Zones that cannot be used, and options that contradict them.

use crate::scratch::{Scratch, ZONE};

const SIGN: [&str; 5] = ["dnssec", "sign", "-a", "ed25519", "-o"];

fn sign<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SIGN[..], &["signed"], more].concat()
}

#[test]
fn a_file_that_cannot_be_read() {
    let scratch = Scratch::with_zone();
    scratch.refuses(&sign(&["missing"]), 1, &["cannot read missing", "No such file"]);
    scratch.refuses(&sign(&["."]), 1, &["cannot read .", "directory"]);
    scratch.refuses(&["dnssec", "verify", "missing"], 1, &["cannot read missing"]);
    scratch.refuses(&["dnssec", "sizes", "missing"], 1, &["cannot read missing"]);
    scratch.refuses(&["dnssec", "sizes", "zone", "--rssac", "missing"], 1, &["cannot read missing"]);
    scratch.refuses(&["dnssec", "sizes", "zone", "--rssac", "zone"], 1, &["zone", "line 1"]);
    scratch.refuses(&["study", "--zone", "missing", "-o", "a/b"], 1, &["cannot read missing"]);
}

#[test]
fn damaged_text_names_the_line() {
    let scratch = Scratch::new();
    let cut = ZONE.find("2.0.2.53").expect("part of the zone");
    for (name, text, words) in [
        ("cut", &ZONE[..cut], "cut, line 7"),
        ("rdata", &ZONE.replace("192.0.2.25", "192.0.2.256"), "rdata, line 6: '192.0.2.256'"),
        ("type", &ZONE.replace("MX  10", "MXX 10"), "type, line 5: "),
        ("open", &ZONE.replace("ns hostmaster", "ns ( hostmaster"), "open, line 3"),
        ("quote", &format!("{ZONE}x IN TXT \"a"), "quote, line 8"),
        ("generate", &format!("{ZONE}$GENERATE 3-1 a A 192.0.2.$"), "generate, line 8"),
        ("relative", "a 3600 IN A 192.0.2.1\n", "relative, line 1"),
        ("empty", "", "empty: "),
        ("soaless", &ZONE.replace("SOA ns hostmaster 1 1800 900 604800 3600", "TXT a"), "soaless: "),
        ("double", &format!("{ZONE}b IN SOA a a 1 1 1 1 1\n"), "b.example."),
    ] {
        scratch.write(name, text);
        scratch.refuses(&sign(&[name]), 1, &[words]);
        scratch.refuses(&["dnssec", "verify", name], 1, &[words]);
        scratch.refuses(&["study", "-a", "ed25519", "--zone", name, "-o", "out"], 1, &[words]);
    }
}

#[test]
fn cut_raw_files_name_the_byte() {
    let scratch = Scratch::with_zone();
    scratch.fine(&sign(&["zone", "--output-format", "raw"]));
    let raw = std::fs::read(scratch.path("signed")).expect("the signed zone");
    for length in [4, 23, 30, raw.len() / 2, raw.len() - 1] {
        scratch.write("raw", &raw[..length]);
        scratch.refuses(&["dnssec", "verify", "raw"], 1, &["raw, byte", "cut off"]);
    }
    scratch.fine(&["dnssec", "verify", "signed"]);
}

#[test]
fn contradictions() {
    let scratch = Scratch::with_zone();
    let times = ["zone", "--inception", "20260201000000", "--expiration", "20260101000000"];
    scratch.refuses(&sign(&times), 2, &["2026-01-01", "is not after", "2026-02-01", "--expiration"]);
    // The inception is an hour ago.
    scratch.refuses(&sign(&["zone", "--expiration", "20200101000000"]), 2, &["--expiration"]);
    let salt = "00".repeat(256);
    scratch.refuses(&sign(&["zone", "--nsec3", "--salt", &salt]), 2, &["256 octets", "255"]);
}

#[test]
fn places_that_cannot_be_written_to() {
    let scratch = Scratch::with_zone();
    let sign = |output| [&SIGN[..], &[output, "zone"]].concat();
    scratch.refuses(
        &sign("missing/signed"),
        1,
        &["missing/signed", "no directory missing", "create it first"],
    );
    scratch.refuses(&sign("."), 1, &[" .: "]);
    scratch.refuses(&["dnssec", "generate", "-o", "missing/zone"], 1, &["no directory missing"]);
    scratch.refuses(&["dnssec", "keygen", "a", "-a", "ed25519", "-K", "zone"], 2, &["zone is not"]);
    scratch.refuses(&["study", "-o", "zone"], (1, "not-a-directory"), &[" zone: "]);
    scratch.refuses(&["speed", "ed25519", "-o", "missing/x"], 1, &["no directory missing"]);
}

#[test]
fn a_damaged_signature_is_found() {
    let scratch = Scratch::with_zone();
    scratch.fine(&sign(&["zone"]));
    let signed = scratch.read("signed");
    // The record changes, its signature does not.
    scratch.write("damaged", signed.replace("192.0.2.25", "192.0.2.26"));
    let run = scratch.run(&["dnssec", "verify", "damaged", "--format", "csv"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("mail.example.,A,"), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    assert!(run.stderr.ends_with("1 finding\n"), "{run:?}");
}
