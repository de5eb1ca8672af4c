//! Keys: made, used, and refused.

use std::fs;

use crate::scratch::{End, Scratch};

/// Makes a key and returns its name without suffix.
fn keygen(scratch: &Scratch, arguments: &str) -> String {
    let run = scratch.fine(&format!("dnssec keygen {arguments}"));
    // A broken algorithm's keys are made, but not without a word.
    match arguments.contains("hawk-512") {
        true => assert!(run.stderr.contains("HAWK-512 no longer protects"), "{run:?}"),
        false => assert_eq!(run.stderr, ""),
    }
    run.stdout.trim_end().to_owned()
}

fn sign(scratch: &Scratch, keys: &str, end: impl Into<End>, words: &[&str]) {
    scratch.refuses(&format!("dnssec sign zone -o signed --key {keys}"), end, words);
}

#[test]
fn keys_that_are_made_sign_and_are_anchors() {
    let scratch = Scratch::with_zone();
    std::fs::create_dir(scratch.path("keys")).expect("a directory");
    for algorithm in ["ed25519", "ecdsa-p256", "rsa-2048", "ml-dsa-44", "fn-dsa-512", "hawk-512"] {
        let ksk = keygen(&scratch, &format!("example -a {algorithm} --ksk -K keys"));
        let zsk = keygen(&scratch, &format!("example. -a {algorithm} -K keys"));
        let (ksk, zsk) = (format!("keys/{ksk}.key"), format!("keys/{zsk}.private"));
        scratch.fine(&format!("dnssec sign zone -o signed --key {ksk} --key {zsk}"));
        scratch.fine(&format!("dnssec verify signed --anchor {ksk}"));
        // The zone-signing key does not sign the DNSKEY RRset, so it is no anchor.
        let zsk = zsk.replace(".private", ".key");
        let run = scratch.run(&format!("dnssec verify signed --anchor {zsk}"));
        assert_eq!(run.code, Some(1), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn secrets_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::with_zone();
    let key = keygen(&scratch, "example -a ed25519");
    scratch.fine("dnssec sign zone -a ed25519 -o signed");
    let private = fs::read_dir(scratch.path(".")).expect("the directory").filter_map(|entry| {
        let path = entry.expect("an entry").path();
        (path.extension()? == "private").then_some(path)
    });
    let private: Vec<_> = private.collect();
    assert_eq!(private.len(), 3, "{private:?}");
    assert!(private.contains(&scratch.path(".").join(format!("{key}.private"))));
    for path in private {
        let mode = fs::metadata(&path).expect("a key").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn keys_that_do_not_fit() {
    let scratch = Scratch::with_zone();
    let key = keygen(&scratch, "example -a ed25519");
    let other = keygen(&scratch, "example -a ed25519");
    let foreign = keygen(&scratch, "example.net -a ed25519");
    let (public, private) = (scratch.read(&format!("{key}.key")), scratch.read(&format!("{key}.private")));

    sign(&scratch, "missing.key", 1, &["missing.key", "no such file"]);
    sign(&scratch, ".", 1, &["there is no"]);
    sign(&scratch, &foreign, 1, &[&foreign, "belongs to example.net.", "zone is example."]);
    sign(&scratch, &format!("{key} --key {key}"), 2, &[&key, "given twice"]);

    scratch.write("mixed.key", &public);
    scratch.write("mixed.private", scratch.read(&format!("{other}.private")));
    sign(&scratch, "mixed.key", (1, "file"), &["mixed.private, line 3", "public key"]);

    scratch.write("number.key", public.replace("DNSKEY 256 3 15", "DNSKEY 256 3 13"));
    scratch.write("number.private", &private);
    sign(&scratch, "number", 1, &["number.private, line 2", "algorithm 15", ".key file says 13"]);

    scratch.write("unknown.key", public.replace("DNSKEY 256 3 15", "DNSKEY 256 3 199"));
    scratch.write("unknown.private", private.replace("Algorithm: 15", "Algorithm: 199"));
    sign(&scratch, "unknown", (1, "file"), &["unknown.private, line 2", "algorithm 199"]);

    scratch.write("cut.key", &public);
    scratch.write("cut.private", &private[..40]);
    sign(&scratch, "cut", 1, &["cut.private, line 2", "cut off"]);

    scratch.write("empty.key", "; nothing\n");
    sign(&scratch, "empty", 1, &["empty.key, line 1", "no DNSKEY record"]);

    fs::create_dir(scratch.path("half.private")).expect("a directory");
    scratch.write("half.key", &public);
    sign(&scratch, "half", 1, &["half.private", "directory"]);
}

#[test]
fn anchors_that_do_not_fit() {
    let scratch = Scratch::with_zone();
    scratch.fine("dnssec sign zone -a ed25519 -o signed");
    let anchor = |name: &str, code, words: &[&str]| {
        scratch.refuses(&format!("dnssec verify signed --anchor {name}"), code, words);
    };
    anchor("missing", 1, &["cannot read missing"]);
    anchor("zone", 2, &["zone has no DS", "example."]);
    scratch.write("ds", "; the parent's\n\nexample. IN DS 1 15\n");
    anchor("ds", 1, &["ds, line 3", "DS"]);
    // A parent zone with the DS record of another key.
    let parent = "$TTL 1\n. IN SOA a. a. 1 1 1 1 1\nexample. IN DS 1 15 2 ";
    scratch.write("parent", format!("{parent}{}\n", "00".repeat(32)));
    let run = scratch.run("dnssec verify signed --anchor parent");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.ends_with("1 finding\n"), "{run:?}");
}
