//! Zones in transition from one algorithm or key to another, with name servers and a resolver that are installed.

use serde_json::Value;

use crate::disk::installed;
use crate::scratch::Scratch;

/// The records of a run, by operation and subject.
fn records(scratch: &Scratch) -> Vec<Value> {
    let text = scratch.read("report/records.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines.filter(|line| line["line"] == "record").collect()
}

#[test]
fn what_a_resolver_makes_of_stripped_signatures() {
    if !(installed("nsd") && installed("unbound")) {
        return;
    }
    let scratch = Scratch::new();
    let words = ["dnssec", "downgrade", "--strong", "ed25519", "--resolver", "unbound", "-o", "report"];
    let run = scratch.fine(&words);
    assert!(run.stdout.contains("What stripping Ed25519 does"), "{run:?}");
    let records = records(&scratch);
    let verdict = |resolver: &str, attack: &str| {
        let of = |record: &&Value| {
            record["implementation"]["name"].as_str().is_some_and(|name| name.contains(resolver))
                && record["subject"]
                    .as_str()
                    .is_some_and(|subject| subject.starts_with(&format!("{attack} ")))
        };
        records.iter().rev().find(of).map(|record| record["subject"].as_str().unwrap_or("").to_owned())
    };
    let hardened = "harden-algo-downgrade";
    assert_eq!(verdict("Unbound", "nothing").as_deref(), Some("nothing secure"));
    assert_eq!(verdict(hardened, "all-strong-signatures").as_deref(), Some("all-strong-signatures bogus"));
    assert_eq!(verdict(hardened, "strong-ds").as_deref(), Some("strong-ds bogus"));
    assert_eq!(verdict(hardened, "unknown-alone").as_deref(), Some("unknown-alone insecure"));
    assert!(scratch.listing().iter().all(|name| !name.contains("fieldtest-internet")), "a folder is left");
}

#[test]
fn downgrades_that_cannot_be() {
    let scratch = Scratch::new();
    let downgrade = |more: &[&'static str]| [&["dnssec", "downgrade"], more].concat();
    scratch.refuses(&downgrade(&["--strong", "no-such"]), 2, &["no-such"]);
    scratch.refuses(
        &downgrade(&["--resolver", "no-such-resolver"]),
        2,
        &["there is no no-such-resolver here"],
    );
    if installed("nsd") && installed("unbound") {
        let words = downgrade(&["--strong", "rsa-3072", "--weak", "rsa-2048", "--resolver", "unbound"]);
        scratch.refuses(&words, 2, &["have one number"]);
    }
}
