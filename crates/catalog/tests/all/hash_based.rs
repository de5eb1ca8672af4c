//! The sizes of stateful hash-based signatures, computed from the formulas of their RFCs.

use fieldtest_catalog::facts::{Note, Severity, Status};
use fieldtest_catalog::signature::{SignatureFacts, all, find};

fn facts(name: &str) -> &'static SignatureFacts {
    &find(name).unwrap().facts.kind
}

/// The chains of a Winternitz one-time signature: the digits of the message's digest and those of the sum that is to go with
/// it (RFC 8554, appendix B; RFC 8391, section 3.1.1).
fn chains(bytes: usize, bits: usize) -> usize {
    let digits = 8 * bytes / bits;
    let largest: usize = digits * ((1 << bits) - 1);
    digits + largest.ilog2() as usize / bits + 1
}

#[test]
fn chains_are_those_of_the_tables() {
    // RFC 8554, table 1; SP 800-208, section 4; RFC 8391, section 5.2.
    for (bytes, bits, expected) in
        [(32, 1, 265), (32, 2, 133), (32, 4, 67), (32, 8, 34), (24, 4, 51), (24, 8, 26)]
    {
        assert_eq!(chains(bytes, bits), expected, "n = {bytes}, w = {bits}");
    }
}

/// RFC 8554, sections 4.5, 5.3 and 5.4, and appendix A.
#[test]
fn lms() {
    for (m, h, w) in [(32, 10, 4), (32, 10, 8), (32, 20, 4), (32, 20, 8), (24, 20, 8)] {
        let name = format!("lms-sha256-m{m}-h{h}-w{w}");
        let (word, identifier) = (4, 16);
        let one_time = word + m + chains(m, w) * m;
        let (public, secret) = (2 * word + identifier + m, m + identifier + word);
        let facts = facts(&name);
        assert_eq!(
            (facts.public_key, facts.secret_key, facts.signature),
            (public, secret, word + one_time + word + h * m),
            "{name}"
        );
    }
}

/// RFC 8391, sections 4.1.3, 4.1.7 and 4.1.8, with the Winternitz parameter 16.
#[test]
fn xmss() {
    let n = 32;
    for h in [10, 20] {
        let name = format!("xmss-sha2-{h}-256");
        let facts = facts(&name);
        assert_eq!(
            (facts.public_key, facts.secret_key, facts.signature),
            (4 + 2 * n, 4 + 4 * n, 4 + n + (chains(n, 4) + h) * n),
            "{name}"
        );
    }
}

#[test]
fn whoever_looks_is_warned_of_the_index() {
    let stateful =
        all().iter().filter(|it| ["LMS", "XMSS"].contains(&it.facts.family.as_str())).collect::<Vec<_>>();
    assert_eq!(stateful.len(), 7);
    for algorithm in stateful {
        let facts = algorithm.facts;
        assert!(algorithm.implementations.is_empty() && facts.status == Status::Standard, "{}", facts.name);
        let warned = |note: &Note| note.severity == Severity::Warning && note.text.contains("used twice");
        assert!(facts.notes.iter().any(warned), "{}", facts.name);
    }
}
