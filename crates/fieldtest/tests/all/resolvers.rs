//! Studies of resolvers that run, as short as can be: what a level adds, what it comes to at another rate, and the worst query. They need NSD and
//! Unbound, and are skipped by name where there is none.

use std::io::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::scratch::{Scratch, missing};

/// Whether the servers are there; with `FIELDTEST_PEERS=required` in the environment their absence is a failure.
pub(crate) fn are_here(servers: &[&str]) -> bool {
    const PLACES: [&str; 4] = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"];
    let lacks = servers.iter().find(|name| !PLACES.iter().any(|place| Path::new(place).join(name).is_file()));
    if let Some(name) = lacks {
        missing(&format!("{name} is not installed"));
    }
    lacks.is_none()
}

fn has<'r>(records: &'r [Value], operation: &str, subject: &str) -> Option<&'r Value> {
    records.iter().find(|it| it["operation"] == operation && it["subject"] == subject)
}

#[test]
fn what_a_level_adds_and_what_that_comes_to() {
    if !are_here(&["nsd", "unbound"]) {
        return;
    }
    let scratch = Scratch::new();
    let small = "--resolver unbound --tlds 2 --domains 2 --seconds 0.1 --budget 12";
    let study = |more: &str| scratch.fine(&format!("dnssec resolver -a rsa-2048 {small} {more}"));
    study("--by-level -o levels");
    let found = scratch.lines("levels/records.jsonl");
    for level in ["root", "tld", "domain"] {
        assert!(has(&found, "level-cost", &format!("{level} processor")).is_some(), "{level}: {found:?}");
    }
    // RSA's signatures are four times as long as the baseline's. Without a namespace no packets are counted.
    if let Some(more) = has(&found, "level-factor", "domain bytes-up") {
        assert!(more["value"].as_f64().is_some_and(|times| times > 1.05), "{more}");
    }
    study("-o whole");
    let told = scratch.fine("dnssec project whole/records.jsonl --rate 250000");
    assert!(
        told.stdout.contains("Projection") && told.stdout.contains("Of 250,000 queries a second"),
        "{told:?}"
    );
    scratch.refuses("dnssec project levels/records.jsonl", 1, &["one level"]);
    scratch.refuses("dnssec project whole/records.jsonl --rate=-1", 2, &["--rate '-1'"]);
    scratch.refuses(&format!("dnssec resolver --by-level -a ecdsa-p256 {small}"), 1, &["ecdsa-p256 is"]);
}

#[test]
fn clients_over_tls_and_what_their_connections_take() {
    if !are_here(&["nsd", "unbound"]) {
        return;
    }
    let scratch = Scratch::new();
    let small = "dnssec resolver -a ed25519 --resolver unbound --tlds 1 --domains 2";
    let load = "--clients 10 --rate 50 --seconds 0.5 --budget 8 -o tls";
    let over = "--transport tls --fresh-connections --resume-sessions";
    let told = scratch.fine(&format!("{small} {load} {over}"));
    assert!(told.stdout.contains("Clients ask over TLS") && !told.stdout.contains("looked at"), "{told:?}");
    let found = scratch.lines("tls/records.jsonl");
    let value = |operation: &str, subject: &str| has(&found, operation, subject)?["value"].as_f64();
    for phase in ["cold", "steady"] {
        assert_eq!(value("resolver-connections", phase), Some(1.0), "{phase}");
        assert_eq!(value("resolver-secure", phase), Some(1.0), "{phase}");
        assert!(value("resolver-resumed", phase) > Some(0.5), "{phase}");
        let share = value("resolver-connection-share", phase);
        assert!(share.is_some_and(|share| share > 0.0 && share <= 1.0), "{phase}: {share:?}");
    }
    // It is of no load, and so has no subject.
    let each = found.iter().find(|it| it["operation"] == "connection-processor");
    assert!(each.and_then(|it| it["value"].as_f64()) > Some(10_000.0), "{each:?}");
    scratch.refuses(&format!("{small} --transport tcp --resume-sessions"), 2, &["--transport tls"]);
    scratch.refuses(&format!("{small} --fresh-connections"), 2, &["--transport"]);
    scratch.refuses(&format!("{small} --transport tls --clients 20000"), 2, &["--clients '20000'", "10000"]);
    let mut few = scratch.command_after("ulimit -n 2000", &format!("{small} --transport tcp --clients 1000"));
    scratch.refused(&mut few, (2, "too-few-files"), &["Unbound", " 2000;", "--clients 750"]);
}

#[test]
fn answers_that_are_signed_as_they_are_given() {
    if !are_here(&["nsd", "unbound", "knotd", "keymgr"]) {
        return;
    }
    let scratch = Scratch::new();
    let small = "dnssec resolver --resolver unbound --tlds 2 --domains 2";
    let load = "--missing 100 --missing-below tld --rate 50 --seconds 0.5 --budget 8";
    let study = |way: &str, file: &str| {
        scratch.fine(&format!("{small} {load} -a ecdsa-p256 --denial tld={way} -o {file}"));
        scratch.lines(&format!("{file}/records.jsonl"))
    };
    let (compact, cached) = (study("compact", "compact"), study("nsec", "nsec"));
    let value = |found: &[Value], operation: &str, subject: &str| {
        has(found, operation, subject).and_then(|record| record["value"].as_f64())
    };
    for phase in ["cold", "steady"] {
        assert_eq!(value(&compact, "resolver-secure", phase), Some(1.0), "{phase}: {compact:?}");
    }
    // No denial is of any other name, so that every one is asked for; without a namespace no packets are counted.
    if let Some(asked) = value(&compact, "resolver-upstream", "steady queries") {
        assert!(asked > 0.95 && value(&cached, "resolver-upstream", "steady queries") < Some(0.5), "{asked}");
    }
    let told = compact.iter().find_map(|it| it["input"]["name"].as_str()).unwrap_or_default();
    assert!(told.contains("tld compact denial"), "{told}");
    let falcon = "-a falcon-512 --denial tld=compact";
    scratch.refuses(&format!("{small} {falcon}"), 1, &["does not support falcon-512", "--level tld="]);
    let check = "dnssec internet --check --denial tld=compact";
    scratch.refuses(check, 2, &["--check"]);
    scratch.refuses("dnssec internet --denial tld=black", 2, &["black", "compact"]);
}

#[test]
fn one_key_for_everything_and_a_second_algorithm() {
    if !are_here(&["nsd", "unbound"]) {
        return;
    }
    let scratch = Scratch::new();
    let small = "dnssec internet --check --tlds 2 --domains 1 --hosts 1 --resolver unbound";
    let both = "--keys root=csk --keys domain=csk --beside domain=ed25519 --beside tld=rsa-2048";
    let run = scratch.fine(&format!("{small} {both}"));
    assert_eq!(run.stdout.matches(" 0 not as expected").count(), 2, "{run:?}");
    for (more, words) in [
        ("--keys tld=zsk", &["'tld=zsk'", "ksk-zsk or csk"][..]),
        ("--keys tld=csk --keys tld=csk", &["names the level tld twice"]),
        ("--beside tld=ecdsa-p256", &["--double-sign", "level, ecdsa-p256;"]),
    ] {
        scratch.refuses(&format!("{small} {more}"), 2, words);
    }
}

#[test]
fn the_worst_query_is_answered_and_counted() {
    if !are_here(&["nsd", "unbound"]) {
        return;
    }
    let scratch = Scratch::new();
    let trap = "dnssec keytrap -a ed25519 --resolver unbound --keys 3 --signatures 2";
    scratch.fine(&format!("{trap} -a ecdsa-p256 --budget 16 -o trap"));
    let found = scratch.lines("trap/records.jsonl");
    let worst = has(&found, "trap-processor", "keytrap").expect("a figure of the trap");
    let estimator = |operation: &str| has(&found, operation, "keytrap").map(|it| it["estimator"].clone());
    assert_eq!(estimator("trap-processor"), Some("mean".into()));
    assert_eq!(estimator("trap-factor"), Some("geometric mean".into()));
    let measured = |it: &&Value| it["operation"] == "trap-processor" && it["subject"] == "keytrap";
    let both: Vec<&Value> = found.iter().filter(measured).collect();
    assert_eq!(both.len(), 2, "{both:?}");
    assert_eq!(both[0]["samples"], both[1]["samples"], "visits come in whole rounds");
    for it in both {
        // Of nanoseconds, which are whole, the mean is so many parts of a whole number.
        let sum = it["value"].as_f64().unwrap_or(f64::NAN) * it["samples"].as_f64().unwrap_or(f64::NAN);
        assert!((sum - sum.round()).abs() < 1e-4, "{it}");
    }
    let notes = worst["notes"].to_string();
    assert!(notes.contains("answered: SERVFAIL") && notes.contains("3 keys"), "{notes}");
    let usual = has(&found, "trap-processor", "usual").expect("a figure of a usual query");
    assert!(usual["notes"].to_string().contains("NOERROR with AD"), "{usual}");
    assert!(has(&found, "trap-factor", "nsec3").is_some());
    scratch.refuses(&format!("{trap} --draw=-1"), 2, &["--draw '-1'"]);
}

/// What netem makes late is late. Kernels have it or not, and no peer can be installed for it.
#[test]
fn late_packets() {
    if !are_here(&["nsd", "unbound"]) {
        return;
    }
    let scratch = Scratch::new();
    let late = "dnssec resolver -a ecdsa-p256 --resolver unbound --tlds 1 --domains 2 --seconds 1 --delay 20 --loss 0.1 --threads 2 --budget 15 -o late";
    let run = scratch.run(late);
    let wants = ["sch_netem", "install iproute2", "network namespace"];
    if run.code != Some(0) && wants.iter().any(|what| run.stderr.contains(what)) {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: packets cannot be made late here: {}", run.stderr.trim());
        return;
    }
    assert_eq!(run.code, Some(0), "{run:?}");
    let found = scratch.lines("late/records.jsonl");
    let median = has(&found, "resolver-latency", "cold p50").expect("a latency");
    // There and back, once at least.
    assert!(median["value"].as_f64().is_some_and(|ns| ns > 40e6), "{median}");
}
