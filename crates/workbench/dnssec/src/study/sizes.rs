//! The sizes part: every kind of answer, the whole zone, and what it does to a day of real traffic.

use fieldtest_catalog::{Algorithm, Facts};
use fieldtest_dnssec::Zone;
use fieldtest_dnssec::sizes::project::{Projection, Projector, Today, Traffic};
use fieldtest_dnssec::sizes::{
    A_ROOT_2025_06_10, AlgorithmSize, Delegations, DenialMethod, Family, Glue, KeySet, Kind, Setup,
    ZoneFacts, fit,
};
use fieldtest_measure::record::Input;
use fieldtest_study::{Book, StudyError};

use crate::NAME;

/// The limits that shares of answers are recorded for, in octets.
const LIMITS: [u64; 3] = [512, 1232, 1452];

/// Which of a family's sizes stands for it.
#[derive(Debug, Clone, Copy)]
enum Pick {
    Min,
    Median,
    Max,
}

/// The answers that records name, with what stands for each, and whether the way of denial matters to it.
const ANSWERS: [(&str, Kind, Pick, bool); 13] = [
    ("soa", Kind::Soa, Pick::Max, false),
    ("dnskey steady", Kind::Dnskey(KeySet::KskZsk), Pick::Max, false),
    ("dnskey csk", Kind::Dnskey(KeySet::Csk), Pick::Max, false),
    ("dnskey zsk-roll", Kind::Dnskey(KeySet::ZskRoll), Pick::Max, false),
    ("dnskey roll", Kind::Dnskey(KeySet::KskRoll), Pick::Max, false),
    ("dnskey double-signed", Kind::Dnskey(KeySet::BothSign), Pick::Max, false),
    ("priming", Kind::Priming, Pick::Max, false),
    ("nodata", Kind::Nodata, Pick::Max, true),
    ("nxdomain best", Kind::NxdomainShort, Pick::Min, true),
    ("nxdomain typical", Kind::NxdomainRandom, Pick::Median, true),
    ("nxdomain worst", Kind::NxdomainLong, Pick::Max, true),
    ("referral median", Kind::Referral(Delegations::All, Glue::All), Pick::Median, true),
    ("referral max", Kind::Referral(Delegations::All, Glue::All), Pick::Max, true),
];

/// The two lengths by which an algorithm enters a zone, from its facts.
pub(crate) fn algorithm_size(facts: &Facts) -> AlgorithmSize {
    let key = facts
        .kind
        .dnssec
        .as_ref()
        .and_then(|dnssec| dnssec.public_key_field)
        .unwrap_or(facts.kind.public_key);
    AlgorithmSize::new(key as u32, facts.kind.signature as u32)
}

/// The answers of a zone under one way of denial, composed once for every algorithm.
pub(crate) struct Answers<'f, 'z> {
    families: Vec<(&'static str, Pick, bool, Family<'f, 'z>)>,
}

/// One answer's size with one algorithm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerSize {
    /// The answer as records name it, `nxdomain typical`.
    pub(crate) subject: &'static str,
    /// Whether the way of denial matters to it.
    pub(crate) denies: bool,
    /// Octets.
    pub(crate) octets: u64,
    /// The share of such answers that are larger than each of 512, 1232 and 1452 octets.
    pub(crate) shares_over: [(u64, f64); LIMITS.len()],
}

impl<'f, 'z> Answers<'f, 'z> {
    /// Composes the answers that the zone has.
    pub(crate) fn compose(facts: &'f ZoneFacts<'z>, setup: Setup) -> Self {
        let families = ANSWERS.iter().filter_map(|(subject, kind, pick, denies)| {
            Some((*subject, *pick, *denies, facts.family(*kind, setup)?))
        });
        Answers { families: families.collect() }
    }

    /// The names of the answers, in order.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.families.iter().map(|(subject, ..)| *subject)
    }

    /// The sizes with this algorithm.
    pub(crate) fn sizes(&self, algorithm: AlgorithmSize) -> impl Iterator<Item = AnswerSize> + '_ {
        self.families.iter().map(move |(subject, pick, denies, family)| {
            let sizes = family.sizes(algorithm);
            let octets = match pick {
                Pick::Min => sizes.min(),
                Pick::Median => sizes.median(),
                Pick::Max => sizes.max(),
            };
            let shares_over = LIMITS.map(|limit| (limit, sizes.share_over(limit)));
            AnswerSize { subject, denies: *denies, octets, shares_over }
        })
    }
}

/// What a day of real traffic becomes with each algorithm.
pub(crate) struct Forecast<'t> {
    projector: Projector<'t>,
    traffic: &'t Traffic,
}

/// The day that traffic is projected on if no other is given.
pub(crate) const TRAFFIC: &Traffic = &A_ROOT_2025_06_10;

impl<'t> Forecast<'t> {
    /// Learns from the zone what the answers of that day were.
    pub(crate) fn new(facts: &ZoneFacts<'_>, traffic: &'t Traffic) -> Self {
        Forecast { projector: Projector::new(facts, traffic, Today::ROOT_2025), traffic }
    }

    /// The forecast for answers of at most 1232 octets over UDP.
    pub(crate) fn of(&self, algorithm: AlgorithmSize) -> Projection {
        self.projector.project(algorithm, fit::FLAG_DAY)
    }

    /// Whose day it is.
    pub(crate) fn origin(&self) -> &str {
        &self.traffic.origin
    }
}

/// The ways of denial that a study records, as its subjects name them.
const DENIALS: [(&str, DenialMethod); 3] =
    [("nsec", DenialMethod::Nsec), ("nsec3", DenialMethod::Nsec3), ("compact", DenialMethod::Compact)];

/// Enters every size of every algorithm.
pub(super) fn enter(
    book: &mut Book,
    zone: &Zone,
    algorithms: &[&'static Algorithm],
    input: &Input,
) -> Result<(), StudyError> {
    let facts = ZoneFacts::new(zone).map_err(|error| StudyError::of(NAME, error))?;
    let answers = DENIALS.map(|(word, denial)| (word, Answers::compose(&facts, Setup::new(denial))));
    // The forecast speaks of a root server; another zone's answers would not explain its traffic.
    let forecast = (zone.apex().as_wire().len() == 1).then(|| Forecast::new(&facts, TRAFFIC));
    let plain = Setup::new(DenialMethod::Nsec);
    let (raw, text) = (facts.raw_size(plain, KeySet::KskZsk), facts.text_size(plain, KeySet::KskZsk));
    let dnskey = facts.family(Kind::Dnskey(KeySet::KskZsk), plain).ok_or(StudyError::Nothing)?;
    for algorithm in algorithms {
        let name = &algorithm.facts.name;
        let lengths = algorithm_size(algorithm.facts);
        if let Err(misfit) = fit::check(lengths, zone.apex().as_wire().len()) {
            let mut record = book.figure(name, "unfit", "dnskey", f64::from(lengths.key), "bytes");
            record.notes.push(misfit.to_string());
            book.record(record);
            continue;
        }
        let keys = dnskey.sizes(lengths).max();
        if keys > fit::LONGEST_MESSAGE {
            let mut record = book.figure(name, "unfit", "dnskey steady", keys as f64, "bytes");
            record.notes.push(format!("no DNS message has more than {} octets", fit::LONGEST_MESSAGE));
            book.record(record);
        }
        let mut figure = |operation: &str,
                          subject: &str,
                          value: f64,
                          unit: &str,
                          estimator: &str,
                          note: Option<String>| {
            let mut record = book.figure(name, operation, subject, value, unit);
            record.estimator = estimator.to_owned();
            record.input = Some(input.clone());
            record.notes.extend(note);
            book.record(record);
        };
        for (word, answers) in &answers {
            for answer in answers.sizes(lengths) {
                if !answer.denies && *word != DENIALS[0].0 {
                    continue;
                }
                let subject = if answer.denies {
                    format!("{} {word}", answer.subject)
                } else {
                    answer.subject.to_owned()
                };
                figure("message-size", &subject, answer.octets as f64, "bytes", "exact", None);
                if matches!(answer.subject, "referral max" | "nxdomain typical") && *word == DENIALS[0].0 {
                    let kind = answer.subject.split(' ').next().unwrap_or_default();
                    for (limit, share) in answer.shares_over {
                        figure("share-over", &format!("{kind} {limit}"), share, "share", "exact", None);
                    }
                }
            }
        }
        figure("zone-size", "raw", raw.size(lengths) as f64, "bytes", "exact", None);
        figure("zone-size", "text", text.size(&[lengths]) as f64, "bytes", "estimated", None);
        let transfer = facts.transfer_size(plain, KeySet::KskZsk, lengths);
        figure("zone-size", "axfr", transfer.octets as f64, "bytes", "estimated", None);
        if let Some(forecast) = &forecast {
            let projection = forecast.of(lengths);
            let low = 100.0 * projection.truncated.low;
            let note =
                format!("on {}; {low:.1} % if servers leave out all addresses they may", forecast.origin());
            figure("tc-share", "", projection.truncated.high, "share", "projected", Some(note));
            let note = format!("on {}", forecast.origin());
            figure("tcp-queries", "", projection.tcp_queries.high, "per-day", "projected", Some(note));
        }
    }
    Ok(())
}
