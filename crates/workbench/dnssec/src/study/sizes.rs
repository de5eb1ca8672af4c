//! The sizes part: every kind of answer, the whole zone, and what it does to a day of real traffic.

use fieldtest_catalog::{Algorithm, Facts};
use fieldtest_dnssec::Zone;
use fieldtest_dnssec::denial::Denial as ZoneDenial;
use fieldtest_dnssec::sizes::project::{Projection, Projector, Today, Traffic};
use fieldtest_dnssec::sizes::{
    A_ROOT_2025_06_10, AlgorithmSize, Delegations, DenialMethod, Family, Glue, KeySet, Kind, Setup,
    ZoneFacts, fit,
};
use fieldtest_measure::record::Input;
use fieldtest_measure::words::UNFIT;
use fieldtest_study::{RecordWriter, StudyError};

use crate::NAME;
use crate::words::{Answer, Denial, Form, Larger, Message, Operation, Unfit};

/// The limits that shares of answers are recorded for, in octets.
const LIMITS: [u64; 3] = [fit::WITHOUT_EDNS, fit::FLAG_DAY, fit::ETHERNET];

/// Which of a family's sizes stands for it.
#[derive(Debug, Clone, Copy)]
enum Pick {
    Min,
    Median,
    P99,
    Max,
}

/// The answers that records name, with what stands for each, and whether the way of denial matters to it.
const ANSWERS: [(Answer, Kind, Pick, bool); 17] = [
    (Answer::Soa, Kind::Soa, Pick::Max, false),
    (Answer::OwnMedian, Kind::Own, Pick::Median, true),
    (Answer::OwnP99, Kind::Own, Pick::P99, true),
    (Answer::OwnMax, Kind::Own, Pick::Max, true),
    (Answer::DnskeySteady, Kind::Dnskey(KeySet::KskZsk), Pick::Max, false),
    (Answer::DnskeyCsk, Kind::Dnskey(KeySet::Csk), Pick::Max, false),
    (Answer::DnskeyZskRoll, Kind::Dnskey(KeySet::ZskRoll), Pick::Max, false),
    (Answer::DnskeyRoll, Kind::Dnskey(KeySet::KskRoll), Pick::Max, false),
    (Answer::DnskeyDoubleSigned, Kind::Dnskey(KeySet::BothSign), Pick::Max, false),
    (Answer::Priming, Kind::Priming, Pick::Max, false),
    (Answer::Nodata, Kind::Nodata, Pick::Max, true),
    (Answer::NxdomainBest, Kind::NxdomainShort, Pick::Min, true),
    (Answer::NxdomainTypical, Kind::NxdomainRandom, Pick::Median, true),
    (Answer::NxdomainWorst, Kind::NxdomainLong, Pick::Max, true),
    (Answer::ReferralMedian, Kind::Referral(Delegations::All, Glue::All), Pick::Median, true),
    (Answer::ReferralMax, Kind::Referral(Delegations::All, Glue::All), Pick::Max, true),
    (Answer::DsMax, Kind::Ds, Pick::Max, false),
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

fn is_root(zone: &Zone) -> bool {
    zone.apex().as_wire().len() == 1
}

/// The answers of a zone under one way of denial, composed once for every algorithm.
pub(crate) struct Answers<'f, 'z> {
    families: Vec<(Answer, Pick, bool, Family<'f, 'z>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerSize {
    pub(crate) answer: Answer,
    /// Whether the way of denial matters to it.
    pub(crate) denies: bool,
    pub(crate) octets: u64,
    /// How many such answers are larger than each of 512, 1232 and 1452 octets.
    pub(crate) over: [(u64, u64); LIMITS.len()],
    pub(crate) of: u64,
}

impl<'f, 'z> Answers<'f, 'z> {
    pub(crate) fn compose(facts: &'f ZoneFacts<'z>, setup: Setup) -> Self {
        let is_root = is_root(facts.zone());
        let families = ANSWERS.iter().filter_map(|(answer, kind, pick, denies)| {
            let answer = match answer {
                // Only the root primes resolvers (RFC 9609).
                Answer::Priming if !is_root => Answer::ApexNs,
                answer => *answer,
            };
            // Of the zone's own RRsets, those of wildcards come with a proof.
            let denies = *denies && (*kind != Kind::Own || facts.has_wildcards());
            Some((answer, *pick, denies, facts.family(*kind, setup)?))
        });
        Answers { families: families.collect() }
    }

    pub(crate) fn answers(&self) -> impl Iterator<Item = Answer> + '_ {
        self.families.iter().map(|(answer, ..)| *answer)
    }

    pub(crate) fn sizes(&self, algorithm: AlgorithmSize) -> impl Iterator<Item = AnswerSize> + '_ {
        self.families.iter().map(move |(answer, pick, denies, family)| {
            let sizes = family.sizes(algorithm);
            let octets = match pick {
                Pick::Min => sizes.min(),
                Pick::Median => sizes.median(),
                Pick::P99 => sizes.quantile(99),
                Pick::Max => sizes.max(),
            };
            let over = LIMITS.map(|limit| (limit, sizes.count_over(limit)));
            AnswerSize { answer: *answer, denies: *denies, octets, over, of: sizes.count() }
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

    pub(crate) fn origin(&self) -> &str {
        &self.traffic.origin
    }
}

/// How a zone says that it denies, as a survey of its answers has it.
pub(crate) fn own_denial(zone: &Zone) -> DenialMethod {
    match ZoneDenial::of(zone) {
        ZoneDenial::Nsec3(nsec3) if nsec3.opt_out => DenialMethod::Nsec3OptOut,
        ZoneDenial::Nsec3(_) => DenialMethod::Nsec3,
        _ => DenialMethod::Nsec,
    }
}

/// The ways of denial that a study records, as its subjects name them; the zone's own first. Whoever has chosen NSEC3, so
/// that nobody can list the zone, does not ask what NSEC would take.
fn denials(zone: &Zone) -> Vec<(Denial, DenialMethod)> {
    let compact = (Denial::Compact, DenialMethod::Compact);
    match own_denial(zone) {
        DenialMethod::Nsec => {
            vec![(Denial::Nsec, DenialMethod::Nsec), (Denial::Nsec3, DenialMethod::Nsec3), compact]
        }
        own => vec![(Denial::Nsec3, own), compact],
    }
}

pub(super) fn enter(
    writer: &mut RecordWriter,
    zone: &Zone,
    algorithms: &[&'static Algorithm],
    input: &Input,
) -> Result<(), StudyError> {
    let facts = ZoneFacts::new(zone).map_err(|error| StudyError::of(NAME, error))?;
    let denials = denials(zone);
    let answers: Vec<_> =
        denials.iter().map(|(word, denial)| (*word, Answers::compose(&facts, Setup::new(*denial)))).collect();
    // The forecast speaks of a root server; another zone's answers would not explain its traffic.
    let forecast = is_root(zone).then(|| Forecast::new(&facts, TRAFFIC));
    let plain = Setup::new(denials[0].1);
    let (raw, text) = (facts.raw_size(plain, KeySet::KskZsk), facts.text_size(plain, KeySet::KskZsk));
    let dnskey = facts.family(Kind::Dnskey(KeySet::KskZsk), plain).ok_or(StudyError::Nothing)?;
    for algorithm in algorithms {
        let name = &algorithm.facts.name;
        let lengths = algorithm_size(algorithm.facts);
        if let Err(misfit) = fit::check(lengths, zone.apex().as_wire().len()) {
            let mut record = writer.result(name, UNFIT, Unfit::Key.word(), f64::from(lengths.key), "bytes");
            record.notes.push(misfit.to_string());
            writer.record(record);
            continue;
        }
        let keys = dnskey.sizes(lengths).max();
        if keys > fit::LONGEST_MESSAGE {
            let mut record = writer.result(name, UNFIT, Unfit::KeySet.word(), keys as f64, "bytes");
            record.notes.push("no DNS message has more than 65,535 bytes".to_owned());
            writer.record(record);
        }
        let mut result = |operation: Operation,
                          subject: &str,
                          value: f64,
                          unit: &str,
                          estimator: &str,
                          note: Option<String>| {
            let mut record = writer.result(name, operation.word(), subject, value, unit);
            record.estimator = estimator.to_owned();
            record.input = Some(input.clone());
            record.notes.extend(note);
            writer.record(record);
        };
        for (word, answers) in &answers {
            for answer in answers.sizes(lengths) {
                let is_first = *word == denials[0].0;
                if !answer.denies && !is_first {
                    continue;
                }
                let subject = Message { answer: answer.answer, denial: answer.denies.then_some(*word) };
                let subject = subject.to_string();
                result(Operation::MessageSize, &subject, answer.octets as f64, "bytes", "exact", None);
                const COUNTED: [Answer; 3] = [Answer::OwnMax, Answer::ReferralMax, Answer::NxdomainTypical];
                if is_first && COUNTED.contains(&answer.answer) {
                    for (limit, count) in answer.over {
                        let subject = Larger { kind: answer.answer.kind(), limit }.to_string();
                        let share = count as f64 / answer.of as f64;
                        let note = Some(format!("{count} of {}", answer.of));
                        result(Operation::ShareOver, &subject, share, "share", "exact", note);
                    }
                }
            }
        }
        result(Operation::ZoneSize, Form::Raw.word(), raw.size(lengths) as f64, "bytes", "exact", None);
        result(
            Operation::ZoneSize,
            Form::Text.word(),
            text.size(&[lengths]) as f64,
            "bytes",
            "estimated",
            None,
        );
        let transfer = facts.transfer_size(plain, KeySet::KskZsk, lengths);
        result(Operation::ZoneSize, Form::Axfr.word(), transfer.octets as f64, "bytes", "estimated", None);
        if let Some(forecast) = &forecast {
            let projection = forecast.of(lengths);
            let low = 100.0 * projection.truncated.low;
            let note = format!("on {}; {low:.1}% if servers omit all addresses they may", forecast.origin());
            result(
                Operation::TruncatedShare,
                "",
                projection.truncated.high,
                "share",
                "projected",
                Some(note),
            );
            let note = format!("on {}", forecast.origin());
            result(
                Operation::TcpQueries,
                "",
                projection.tcp_queries.high,
                "per-day",
                "projected",
                Some(note),
            );
        }
    }
    Ok(())
}
