//! Zones in transition from one algorithm or key to another, with name servers and a resolver that are installed.

use serde_json::Value;

use crate::resolvers::are_here;
use crate::scratch::Scratch;

#[test]
fn what_a_resolver_makes_of_stripped_signatures() {
    if !are_here(&["nsd", "unbound"]) {
        return;
    }
    let scratch = Scratch::new();
    let words = ["dnssec", "downgrade", "--strong", "ed25519", "--resolver", "unbound", "-o", "report"];
    let run = scratch.fine(&words);
    assert!(run.stdout.contains("What stripping Ed25519 does"), "{run:?}");
    let records = scratch.lines("report/records.jsonl");
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
    assert!(scratch.listing().iter().all(|name| !name.contains("fieldtest-internet")), "a directory is left");
}

fn of_step(records: &[Value], operation: &str, subject: &str) -> Option<f64> {
    let is = |record: &&Value| record["operation"] == operation && record["subject"] == subject;
    records.iter().find(is)?["value"].as_f64()
}

#[test]
fn what_clients_see_of_a_roll() {
    if !are_here(&["nsd", "unbound"]) {
        return;
    }
    let scratch = Scratch::new();
    let roll = |more: &str| {
        let rekey = "dnssec rekey -a ed25519 --resolver unbound --ttl 1 --rate 50 -o report --roll";
        let run = scratch.fine(&format!("{rekey} {more}"));
        assert!(run.stdout.contains("new-ds"), "{run:?}");
        scratch.lines("report/records.jsonl")
    };
    let right = roll("ksk-double-signature");
    for step in ["0 initial", "1 new-dnskey", "2 new-ds", "3 dnskey-removal"] {
        let subject = format!("ksk-double-signature {step}");
        assert_eq!(of_step(&right, "rekey-servfail", &subject), Some(0.0), "{subject}");
        assert!(of_step(&right, "rekey-axfr", &subject) > Some(1_000.0), "{subject}");
    }
    // A TTL and a second more; on a slow machine fewer seconds pass with more time in each.
    let seconds = |step: &str| {
        let begins = format!("ksk-double-signature {step} ");
        let is =
            |record: &&Value| record["subject"].as_str().is_some_and(|subject| subject.starts_with(&begins));
        right.iter().filter(|record| record["operation"] == "rekey-unanswered").filter(is).count()
    };
    assert!((1..=2).contains(&seconds("1 new-dnskey")), "{}", seconds("1 new-dnskey"));
    let keys = |step: &str| of_step(&right, "rekey-dnskey", &format!("ksk-double-signature {step}"));
    assert!(keys("1 new-dnskey") > keys("0 initial"));
    assert_eq!(keys("3 dnskey-removal"), keys("0 initial"));
    let nsec3 = roll("ksk-double-signature --denial nsec3");
    for step in ["0 initial", "3 dnskey-removal"] {
        let subject = format!("ksk-double-signature {step} nsec3");
        assert_eq!(of_step(&nsec3, "rekey-secure", &subject), Some(1.0), "{subject}");
    }
    let wrong = roll("ksk-double-signature --wrong unpublished");
    // When the resolver forgets the old DS, in whole seconds, decides how much of that step fails, and no less of the next.
    let failed = ["1 new-ds", "2 new-dnskey"].map(|step| {
        of_step(&wrong, "rekey-servfail", &format!("ksk-double-signature/unpublished {step}")).expect(step)
    });
    assert!(failed[0].max(failed[1]) > 0.1, "{failed:?}");
    assert!(scratch.listing().iter().all(|name| !name.contains("fieldtest-internet")), "a directory is left");
}

/// Knot Resolver keeps records for five seconds by default, whatever their TTL: no wait has that.
#[test]
fn waits_for_ttls_are_long_enough() {
    if !are_here(&["nsd", "kresd"]) {
        return;
    }
    let scratch = Scratch::new();
    let roll = "dnssec rekey -a ed25519 --ttl 1 --names 5 --denial nsec3 --roll zsk-pre-publication";
    scratch.fine(&format!("{roll} --resolver kresd -o report"));
    let failed = of_step(
        &scratch.lines("report/records.jsonl"),
        "rekey-servfail",
        "zsk-pre-publication 2 new-rrsigs nsec3",
    );
    assert_eq!(failed, Some(0.0));
}

/// The resolver of a distribution knows no post-quantum algorithm: to it all answers are insecure, which says nothing of a roll.
#[test]
fn a_resolver_that_does_not_know_the_algorithm() {
    const OF_THE_SYSTEM: &str = "/usr/sbin/unbound";
    if !(are_here(&["nsd", "unbound", "kresd"]) && std::path::Path::new(OF_THE_SYSTEM).exists()) {
        return;
    }
    let scratch = Scratch::new();
    for resolver in [OF_THE_SYSTEM, "kresd"] {
        for words in [
            "dnssec rekey -a ml-dsa-44 --roll algorithm-liberal --ttl 1",
            "dnssec downgrade --strong ed25519 --parents ml-dsa-44",
        ] {
            let run = scratch.run(&format!("{words} --resolver {resolver} -o report"));
            assert!(run.code != Some(0) && run.code.is_some(), "{run:?}");
            assert!(run.stderr.contains("cannot validate") && run.stderr.contains("ml-dsa-44 ("), "{run:?}");
            assert!(run.stderr.contains("lab/resolvers/build.sh"), "{run:?}");
        }
    }
    let check = "dnssec internet --check -a ml-dsa-44 --resolver kresd --tlds 1";
    scratch.refuses(check, (1, "unknown-algorithm"), &["ml-dsa-44 (", "lab/resolvers/build.sh"]);
}

#[test]
fn rolls_that_cannot_be() {
    let scratch = Scratch::new();
    let rekey = |more: &str| format!("dnssec rekey {more}");
    scratch.refuses(&rekey("-a no-such"), 2, &["no-such"]);
    scratch.refuses(&rekey("-a ecdsa-p256"), 2, &["ecdsa-p256 cannot replace itself", "--from"]);
    scratch.refuses(&rekey("--roll sideways"), 2, &["sideways", "zsk-pre-publication"]);
    scratch.refuses(&rekey("--wrong late"), 2, &["late", "hasty"]);
    scratch.refuses(&rekey("--zone root"), 2, &["'root'", "tld, domain"]);
    scratch.refuses(&rekey("--rate 0"), 2, &["0"]);
    scratch.refuses(&rekey("--denial compact"), 2, &["compact", "nsec3-opt-out"]);
}

#[test]
fn downgrades_that_cannot_be() {
    let scratch = Scratch::new();
    let downgrade = |more: &str| format!("dnssec downgrade {more}");
    scratch.refuses(&downgrade("--strong no-such"), 2, &["no-such"]);
    scratch.refuses(&downgrade("--resolver no-such-resolver"), 1, &["no-such-resolver"]);
    if are_here(&["nsd", "unbound"]) {
        let words = downgrade("--strong rsa-3072 --weak rsa-2048 --resolver unbound");
        scratch.refuses(&words, 2, &["one algorithm number"]);
    }
}
