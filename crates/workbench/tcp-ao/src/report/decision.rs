//! What whoever secures BGP sessions decides: which MAC, by who has it, by the room that its option leaves, and by what
//! a segment costs.

use fieldtest_report::Report;
use fieldtest_report::advice::{
    Decision, Fact, Held, Property, implemented_by, implementers, support, written,
};

use super::tables::short_and_full;
use crate::NAME;
use crate::words::{Operation, Segments, Way};

pub(super) const DECISION: Decision = Decision {
    study: NAME,
    wanted: "MAC for TCP-AO",
    own: &[IMPLEMENTED_BY, MAX_OPTION, MAX_SYN_OPTIONS, MAX_SEGMENT],
    usual: &[
        ("warnings", "0"),
        ("status", "standard"),
        ("implemented-by", "anyone"),
        // RFC 9293, section 3.1: the header has room for no more.
        ("max-syn-options", "40"),
    ],
    by: &["max-segment"],
    must: &[],
    made: &[],
    facts,
    caveats: |_, _| Vec::new(),
    next: |_, algorithm| format!("fieldtest tcp-ao keys --algorithm {algorithm} -o bgp.keys"),
    today: |_| ["hmac-sha1-96", "aes-128-cmac-96"].map(str::to_owned).to_vec(),
    cost: "max-segment",
    meanings: &[
        ("max-option", "Maximum size of the TCP-AO option"),
        ("max-syn-options", "Maximum size of all TCP options of a SYN"),
        ("max-segment", "Maximum time to verify a short segment"),
    ],
    example: Some((
        "List the MACs of a vendor's routers, deprecated ones included",
        "fieldtest advise -c tcp-ao --implemented-by Cisco --warnings any",
    )),
};

const IMPLEMENTED_BY: Property = implemented_by(|report, algorithm| implementers(report, NAME, algorithm));
const MAX_OPTION: Property = Property::at_most("max-option", "option", "bytes", |report, algorithm| {
    Held::first(report.of_study(NAME), algorithm, Operation::Option.word(), "")
});
const MAX_SYN_OPTIONS: Property =
    Property::at_most("max-syn-options", "options of a full SYN", "bytes", |report, algorithm| {
        Held::first(report.of_study(NAME), algorithm, Operation::OptionsOfFullSyn.word(), "")
    });
const MAX_SEGMENT: Property =
    Property::at_most("max-segment", "short segment", "cycles", |report, algorithm| {
        let length = *short_and_full(report.of_study(NAME)).first()?;
        let subject = Segments { length, way: Way::Single }.to_string();
        Held::quickest(report.of_study(NAME), algorithm, Operation::Segment.word(), &subject)
    });

fn facts(report: &Report, algorithm: &str) -> Vec<Fact> {
    let length = short_and_full(report.of_study(NAME)).first().copied().unwrap_or_default();
    let mut facts: Vec<Fact> = Vec::new();
    if let Some(fact) = MAX_SEGMENT.fact(report, algorithm, &format!("per segment of {length} bytes")) {
        let held = (MAX_SEGMENT.of)(report, algorithm)
            .filter(|held| held.record().is_some_and(|it| it.unit == "cycles"));
        let share = held.and_then(|it| it.number()).map(|cycles| {
            let share = written("share", cycles * 100_000.0 / 3e9);
            format!("100,000 such segments per second take {share} of a core at 3 GHz").into()
        });
        facts.push(fact.and("; ", share));
    }
    let syn = MAX_SYN_OPTIONS.fact(report, algorithm, "of 40 in a full SYN");
    facts.extend(MAX_OPTION.fact(report, algorithm, "of option").map(|it| it.and(", ", syn)));
    facts.extend(support(report, NAME, algorithm));
    facts
}

#[cfg(test)]
mod tests {
    use fieldtest_testing::advice::{advice, lacks, report, survivors};

    use crate::{STUDY_SECTION, TcpAoPart};

    #[test]
    fn what_nobody_implements_is_not_first() {
        let measured = [
            ("aes-128-cmac-96", "segment", "144 single", 331.0, "cycles"),
            ("hmac-sha1-96", "segment", "144 single", 720.0, "cycles"),
            ("hmac-sha256-128", "segment", "144 single", 733.0, "cycles"),
            ("siphash-2-4-128", "segment", "144 single", 250.0, "cycles"),
        ];
        let report = report(&[&STUDY_SECTION], &TcpAoPart::default(), &measured);
        let found = advice(&report, &STUDY_SECTION, &[], None);
        assert_eq!(survivors(&found), [(1, "aes-128-cmac-96")]);
        assert_eq!(lacks(&found, "hmac-sha1-96"), ["warnings"]);
        assert!(lacks(&found, "siphash-2-4-128").contains(&"implemented-by"));
        assert!(
            found.named == ["aes-128-cmac-96"]
                && found.facts[0].starts_with("331 cycles")
                && found.facts[0].contains(" 144 bytes"),
            "{:?}",
            found.facts
        );
    }
}
