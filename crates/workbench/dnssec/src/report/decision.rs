//! What a zone's owner decides: which signature algorithm, by the answers that it makes, and by what it costs those who
//! sign and those who validate.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{KeyOperation, Time, UNFIT};
use fieldtest_report::Report;
use fieldtest_report::advice::{
    Decision, Evidence, Fact, Held, Property, Value, implemented_by, implementers, support, written,
};
use fieldtest_report::number::{factor, grouped};
use fieldtest_report::tables::ledger::least;

use crate::NAME;
use crate::words::{Denial, Form, Message, Operation};

pub(super) const DECISION: Decision = Decision {
    study: NAME,
    wanted: "signature for DNSSEC",
    own: &[IMPLEMENTED_BY, MAX_ANSWER, MAX_ANSWER_NSEC3, MAX_TRUNCATED, MAX_ZONE, MAX_VERIFY, MIN_SIGNED],
    usual: &[
        ("post-quantum", "yes"),
        ("warnings", "0"),
        ("status", "standard"),
        ("implemented-by", "anyone"),
        ("max-answer", "1232"),
    ],
    by: &["max-verify", "max-answer"],
    must: &["max-answer"],
    made: &[],
    facts,
    caveats: |_, _| Vec::new(),
    next: |_, algorithm| format!("fieldtest dnssec sign ZONE --algorithm {algorithm} -o signed.zone"),
    today: |report| {
        ["ecdsa-p256", "rsa-2048"].into_iter().chain(report.baseline()).map(str::to_owned).collect()
    },
    cost: "max-answer",
    meanings: &[
        ("max-answer", "Maximum size of a typical response"),
        ("max-answer-nsec3", "Maximum size of a typical response with NSEC3"),
        ("max-truncated", "Maximum share of a root server's answers that are repeated over TCP"),
        ("max-zone", "Maximum size of the signed zone"),
        ("max-verify", "Maximum time to verify a signature"),
        ("min-signed", "Minimum number of signatures by one core"),
    ],
    example: Some((
        "Find a signature that fits into DNS responses, by sizes and facts only",
        "fieldtest advise --carrier dnssec --max-answer 1232",
    )),
};

const IMPLEMENTED_BY: Property = implemented_by(|report, algorithm| implementers(report, NAME, algorithm));
// A zone that denies with NSEC3 has no answers with NSEC.
const MAX_ANSWER: Property =
    Property::at_most("max-answer", "largest typical response", "bytes", |report, algorithm| {
        let with_nsec =
            |it: &Record| Message::read(&it.subject).is_some_and(|it| it.denial == Some(Denial::Nsec));
        let own = if report.of_study(NAME).any(with_nsec) { Denial::Nsec } else { Denial::Nsec3 };
        largest_answer(report, algorithm, own)
    });
const MAX_ANSWER_NSEC3: Property = Property::at_most(
    "max-answer-nsec3",
    "largest typical response with NSEC3",
    "bytes",
    |report, algorithm| largest_answer(report, algorithm, Denial::Nsec3),
);
const MAX_TRUNCATED: Property = Property::at_most(
    "max-truncated",
    "a root server's answers sent again over TCP",
    "share",
    |report, algorithm| first(report, algorithm, Operation::TruncatedShare, ""),
);
const MAX_ZONE: Property = Property::at_most("max-zone", "signed zone", "bytes", |report, algorithm| {
    first(report, algorithm, Operation::ZoneSize, Form::Raw.word())
});
const MAX_VERIFY: Property = Property::at_most("max-verify", "verifying", "cycles", |report, algorithm| {
    Held::quickest(report.of_study(NAME), algorithm, KeyOperation::Verify.word(), "")
});
const MIN_SIGNED: Property =
    Property::at_least("min-signed", "signatures by a core", "per-second", |report, algorithm| {
        rate(report, algorithm, Operation::SignZone)
    });

/// What one algorithm has of an operation, whatever code ran.
fn first(report: &Report, algorithm: &str, operation: Operation, subject: &str) -> Option<Held> {
    Held::first(report.of_study(NAME), algorithm, operation.word(), subject)
}

/// The largest answer of those that a zone gives every day ([`Answer::is_usual`]), with this denial where one is in it.
fn largest_answer(report: &Report, algorithm: &str, denial: Denial) -> Option<Held> {
    let own = report.of_study(NAME).filter(|record| record.algorithm == algorithm);
    if let Some(unfit) = own.clone().find(|record| record.operation == UNFIT) {
        return Some(Held::refused(unfit, unfit.notes.join(", ")));
    }
    let is_usual = |record: &&Record| {
        record.operation == Operation::MessageSize
            && record.unit == "bytes"
            && Message::read(&record.subject)
                .is_some_and(|it| it.answer.is_usual() && it.denial.is_none_or(|of| of == denial))
    };
    let kind = |record: &Record| Message::read(&record.subject).map(|it| it.answer.kind());
    let largest = |but: Option<&str>| {
        let others = own.clone().filter(is_usual).filter(|it| but.is_none() || kind(it) != but);
        others.max_by(|a, b| a.value.total_cmp(&b.value))
    };
    let first = largest(None)?;
    // Where keys alone are large, all other answers may fit.
    let name = |record: &Record| Message::read(&record.subject).map_or_else(String::new, Message::in_words);
    let next = largest(kind(first))
        .map(|next| format!("; next is {}, {}", name(next), written("bytes", next.value)));
    Some(Held { of: Some(format!("{}{}", name(first), next.unwrap_or_default())), ..Held::result(first) })
}

/// Signatures in a second of one core, by what the whole zone takes.
fn rate(report: &Report, algorithm: &str, operation: Operation) -> Option<Held> {
    let signatures = first(report, algorithm, Operation::Signatures, "")?.number()?;
    let is_job = |it: &&Record| {
        it.algorithm == algorithm && it.operation == operation && it.subject == Time::Cpu.word()
    };
    let job = least(report.of_study(NAME).filter(is_job)).filter(|record| record.value > 0.0)?;
    Some(Held {
        value: Value::Number(signatures / job.value),
        of: None,
        evidence: Evidence::Record(Box::new(job.clone())),
    })
}

fn facts(report: &Report, algorithm: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(fact) = MAX_ANSWER.fact(report, algorithm, "in the largest typical response") {
        let largest = |it: Property| (it.of)(report, algorithm).and_then(|held| held.number());
        let with_nsec3 = largest(MAX_ANSWER_NSEC3).filter(|bytes| largest(MAX_ANSWER) != Some(*bytes));
        let with_nsec3 = with_nsec3.map(|bytes| format!("{} with NSEC3", written("bytes", bytes)).into());
        let share = largest(MAX_TRUNCATED)
            .map(|share| format!("{} of a root server's answers over TCP", written("share", share)).into());
        facts.push(fact.and(", ", with_nsec3).and("; ", share));
    }
    if let (Some(own), Some(base)) = (size_of_zone(report, algorithm), report.baseline())
        && let Some(classic) = size_of_zone(report, base).filter(|_| base != algorithm)
    {
        let (factor, base) = (factor(own / classic), report.title(base));
        facts.push(format!("A signed zone {factor} times as large as with {base}").into());
    }
    let rate = |operation: Operation, verb: &str| {
        let held = rate(report, algorithm, operation)?;
        Some(held.fact(format!("{verb} {}/s", grouped(&format!("{:.0}", round(held.number()?))))))
    };
    let (signs, validates) = (rate(Operation::SignZone, "signs"), rate(Operation::ValidateZone, "validates"));
    let per_core = match signs {
        Some(signs) => Some(signs.and(" and ", validates)),
        None => validates,
    };
    let per_core = per_core.map(|it| it.and(" ", Some("per core".to_owned().into())));
    match facts.pop() {
        Some(last) => facts.push(last.and("; ", per_core)),
        None => facts.extend(per_core),
    }
    facts.extend(support(report, NAME, algorithm));
    facts
}

fn size_of_zone(report: &Report, algorithm: &str) -> Option<f64> {
    (MAX_ZONE.of)(report, algorithm)?.number().filter(|bytes| *bytes > 0.0)
}

/// Two digits, since whole jobs are known to no more.
fn round(rate: f64) -> f64 {
    let unit = 10f64.powf(rate.log10().floor() - 1.0).max(1.0);
    (rate / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use fieldtest_report::Format;
    use fieldtest_report::advice::{Excluded, written};
    use fieldtest_testing::advice::{Measured, advice, lacks, report, survivors};

    use crate::{DnssecPart, STUDY_SECTION};

    /// Verifying, and the CPU time for a zone of so many signatures: as they were on one machine, rounded.
    fn measured() -> Vec<Measured<'static>> {
        let mut all = Vec::new();
        for (name, verify, sign_zone) in [
            ("ecdsa-p256", 56e3, 0.04),
            ("ecdsa-p384", 700e3, 0.5),
            ("ml-dsa-44", 66e3, 0.16),
            ("ml-dsa-65", 110e3, 0.22),
            ("falcon-512", 40e3, 0.3),
            ("sqisign-1", 9e6, 280.0),
            ("mayo-2", 60e3, 0.3),
        ] {
            all.push((name, "verify", "", verify, "cycles"));
            all.push((name, "sign-zone", "cpu", sign_zone, "s"));
            all.push((name, "signatures", "", 2792.0, "count"));
        }
        all
    }

    #[test]
    fn no_standard_fits_a_datagram_and_what_to_give_up_is_said() {
        let report = report(&[&STUDY_SECTION], &DnssecPart::default(), &measured());
        let found = advice(&report, &STUDY_SECTION, &[], None);
        assert!(found.survivors.is_empty(), "{found:?}");
        assert_eq!(lacks(&found, "ml-dsa-44"), ["max-answer"]);
        assert!(lacks(&found, "ecdsa-p256").contains(&"post-quantum"));
        let of = |name: &str| found.alternatives.iter().find(|it| it.algorithms == [name]);
        assert_eq!(of("ml-dsa-44").unwrap().properties, ["max-answer"]);
        assert!(of("ml-dsa-44").unwrap().facts.iter().any(|it| it.ends_with("over TCP")));
        assert_eq!(found.named, ["ml-dsa-44"]);
        assert!(found.sentence.contains("ML-DSA-44") && found.facts.len() == 3, "{found:?}");
        // Where a size is all that it lacks, how far that is; who lacks more is not near.
        let nearest = of("ml-dsa-44").unwrap().nearest.as_ref().unwrap();
        assert_eq!((&*nearest.algorithm, nearest.property.as_str()), ("ml-dsa-44", "max-answer"));
        let has = (super::MAX_ANSWER.of)(&report, "ml-dsa-44").unwrap().number().unwrap();
        assert_eq!(nearest.off, has - 1232.0);
        let off = written("bytes", nearest.off);
        assert!(
            [&found.sentence, &nearest.text, &found.relaxed[0]].iter().all(|it| it.contains(&off)),
            "{found:?}"
        );
        assert!(
            found.alternatives.iter().all(|it| it.nearest.is_some() == (it.properties == ["max-answer"]))
        );
        let brief = report.brief(Format::Human { width: 120, colour: false }).unwrap();
        assert!(brief.lines().count() <= 40, "{brief}");
        let words = brief.split_whitespace().collect::<Vec<_>>().join(" ").replace(" * ", " ");
        let lacking = |id: &str| {
            let lacks = |it: &&Excluded| it.lacks.iter().any(|shown| shown.property == id);
            found.excluded.iter().filter(lacks).count()
        };
        assert!(words.contains(&format!("{} rejected; ", found.excluded.len())), "{brief}");
        assert!(words.contains(&format!("'status standard' ({})", lacking("status"))), "{brief}");
    }

    #[test]
    fn what_fits_is_slow_or_no_standard() {
        let report = report(&[&STUDY_SECTION], &DnssecPart::default(), &measured());
        let found =
            advice(&report, &STUDY_SECTION, &[("status", "candidate"), ("implemented-by", "any")], None);
        let named: Vec<&str> = survivors(&found).into_iter().map(|(_, name)| name).collect();
        assert!(named.contains(&"sqisign-1") && !named.contains(&"ml-dsa-44"), "{named:?}");
        let sqisign = (super::DECISION.facts)(&report, "sqisign-1");
        assert!(sqisign.iter().any(|it| it.text.contains("signs 10/s")), "{sqisign:?}");
    }

    /// The largest answer of a zone's own counts, and of delegations and denials those that are asked for every day.
    #[test]
    fn a_large_rrset_of_the_zones_own_decides() {
        let size = |subject| ("sqisign-1", "message-size", subject, 1374.0, "bytes");
        for (subject, counts) in
            [("own max", true), ("own max nsec", true), ("own max compact", false), ("ds max", false)]
        {
            let report = report(
                &[&STUDY_SECTION],
                &DnssecPart::default(),
                &[&measured()[..], &[size(subject)]].concat(),
            );
            let typed = [("status", "candidate"), ("implemented-by", "any")];
            let found = advice(&report, &STUDY_SECTION, &typed, None);
            let survives = survivors(&found).into_iter().any(|(_, name)| name == "sqisign-1");
            assert_eq!(survives, !counts, "{subject}: {found:?}");
        }
    }

    #[test]
    fn what_cannot_be_sent_is_outside_whatever_is_asked() {
        let report = report(&[&STUDY_SECTION], &DnssecPart::default(), &measured());
        let any =
            ["post-quantum", "warnings", "status", "implemented-by", "max-answer"].map(|id| (id, "any"));
        let found = advice(&report, &STUDY_SECTION, &any, None);
        for name in ["uov-ip-pkc", "uov-is-pkc"] {
            assert_eq!(lacks(&found, name), ["max-answer"]);
        }
        assert!(found.alternatives.is_empty() && found.excluded.len() == 2, "{found:?}");
    }

    #[test]
    fn the_answer_that_is_too_long_is_named() {
        let report = report(&[&STUDY_SECTION], &DnssecPart::default(), &measured());
        let of = |name| (super::MAX_ANSWER.of)(&report, name).unwrap().of.unwrap();
        // Of one its keys alone are large, of the other its signatures.
        assert!(
            of("mayo-2").starts_with("DNSKEY") && of("ml-dsa-44").contains("NXDOMAIN"),
            "{}",
            of("mayo-2")
        );
        let found = advice(&report, &STUDY_SECTION, &[], None);
        let why = &found.excluded.iter().find(|it| it.algorithm == "ml-dsa-44").unwrap().why[0];
        let off = (super::MAX_ANSWER.of)(&report, "ml-dsa-44").unwrap().number().unwrap() - 1232.0;
        assert!(why.contains(&format!("{} over ", written("bytes", off))), "{why}");
    }

    #[test]
    fn all_that_are_named_have_to_have_it() {
        let report = report(&[&STUDY_SECTION], &DnssecPart::default(), &measured());
        let with = |names| {
            advice(&report, &STUDY_SECTION, &[("max-answer", "any"), ("implemented-by", names)], None)
        };
        assert_eq!(survivors(&with("PowerDNS,domain")), [(1, "ml-dsa-44")]);
        assert_eq!(lacks(&with("PowerDNS,BIND"), "ml-dsa-44"), ["implemented-by"]);
        // Its use there is no standard, though it is one.
        let caveats = with("domain").caveats;
        assert!(caveats.iter().any(|it| it.contains("draft-westerbaan")), "{caveats:?}");
    }

    #[test]
    fn what_takes_the_place_of_another_is_no_weaker() {
        let report = report(&[&STUDY_SECTION], &DnssecPart::default(), &measured());
        let typed = [("max-answer", "any")];
        let found = advice(
            &report,
            &STUDY_SECTION,
            &[("max-answer", "any"), ("implemented-by", "any")],
            Some("ecdsa-p384"),
        );
        assert_eq!(survivors(&found)[0], (1, "ml-dsa-65"));
        assert_eq!(lacks(&found, "ml-dsa-44"), ["strength"]);
        let found = advice(&report, &STUDY_SECTION, &typed, Some("ecdsa-p256"));
        assert_eq!(survivors(&found), [(1, "ml-dsa-44")]);
        assert!(
            ["ECDSA P-256", "ML-DSA-44"].iter().all(|it| found.sentence.contains(it)),
            "{}",
            found.sentence
        );
    }
}
