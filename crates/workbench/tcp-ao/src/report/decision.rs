//! What whoever secures BGP sessions decides: which MAC, by who has it, by the room that its option leaves, and by what
//! a segment costs.

use fieldtest_report::Report;
use fieldtest_report::advice::{Decision, Held, Property, implemented_by, implementers, written};

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
    told,
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

fn told(report: &Report, algorithm: &str) -> Vec<String> {
    let length = short_and_full(report.of_study(NAME)).first().copied().unwrap_or_default();
    let said: [(Property, &str); 2] =
        [(MAX_SEGMENT, &format!("for a segment of {length} bytes")), (MAX_OPTION, "of option")];
    let mut told = Property::told(report, algorithm, &said);
    let held = (MAX_SEGMENT.of)(report, algorithm);
    if let Some(cycles) =
        held.filter(|held| held.record().is_some_and(|it| it.unit == "cycles")).and_then(|it| it.number())
    {
        told.push(format!(
            "100,000 such segments per second take {} of a core at 3 GHz",
            written("share", cycles * 100_000.0 / 3e9)
        ));
    }
    told
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
            found.sentence.contains("use AES-128-CMAC-96: 331 cycles")
                && found.sentence.contains(" 144 bytes"),
            "{}",
            found.sentence
        );
    }
}
