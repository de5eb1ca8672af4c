//! Projects an algorithm onto real traffic: how many of today's UDP answers would no longer fit.
//!
//! # The model
//! A root server's statistics say how many answers had which size, in bins of 16 octets, but not what they answered.
//! The zone's own answers, sized with the algorithm that signed the zone on that day, say which kinds of answer have
//! that size. Each bin is given to the first of these classes that it meets:
//!
//! 1. *DNSKEY*: the bin holds the DNSKEY answer's size.
//! 2. *priming*: it holds the size of the apex NS answer with all addresses.
//! 3. *NXDOMAIN*: it meets the range of sizes of names that do not exist, with the most signatures that such an answer
//!    has.
//! 4. *referral*: it lies between the smallest twentieth of secure referrals with all their glue and the largest of them with a
//!    question [`LONGER_QUESTION`] octets longer.
//! 5. *unchanged*: anything else, above all answers without signatures.
//!
//! Then each class grows by its signatures and keys, and what is over the limit is counted; within a bin, sizes are
//! taken to be spread evenly. Referrals and priming answers also fit if leaving out addresses makes them fit, which
//! servers may do but need not (RFC 9471, section 3): hence a range, whose low end has every server leave out whatever
//! it may or may not, and whose high end has none do it.
//!
//! # Its error
//! Signed answers that are smaller than the referrals (SOA, DS, NODATA of some lengths) count as unchanged, and answers
//! without signatures in a class's range count as signed. Neither share is published. Both only matter for signatures of
//! more than about 600 octets, where referrals begin to be over the limit. That resolvers with buffers smaller than the limit get
//! truncated answers earlier, and that truncation changes what they ask, is left out.

use std::borrow::Cow;

use fieldtest_text::words;

use super::facts::ZoneFacts;
use super::rssac::Statistics;
use super::setup::{DenialMethod, Glue, KeySet, Setup};
use super::shape::AlgorithmSize;
use super::survey::{Delegations, Kind};

/// How much longer than `www.example` below a delegation the questions behind referrals may be, in octets.
pub const LONGER_QUESTION: u64 = 56;
/// Width of a histogram's bins in octets (RSSAC002).
const BIN: u64 = 16;

/// A server's answers over UDP by size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// Which server and day, for reports.
    pub origin: Cow<'static, str>,
    /// The smallest size of each bin of 16 octets, and the answers in it.
    pub bins: Cow<'static, [(u32, u64)]>,
    /// Queries over TCP in the same time.
    pub tcp_queries: u64,
}

/// Why statistics are no traffic that can be projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// Not the metric that was asked for.
    #[error("the file has no {0}; use the operator's file with the metric '{1}'")]
    Metric(&'static str, &'static str),
    /// A bin that is not 16 octets wide.
    #[error(
        "the bin that begins at {0} is not 16 bytes wide, as RSSAC002 requires; give a report of that standard"
    )]
    Width(u32),
}

impl Traffic {
    /// Takes the UDP answers from a `traffic-sizes` file, and the TCP queries from a `traffic-volume` file.
    pub fn from_rssac(sizes: &Statistics, volume: &Statistics) -> Result<Self, TrafficError> {
        let bins = sizes
            .sections
            .get("udp-response-sizes")
            .ok_or(TrafficError::Metric("section udp-response-sizes", "traffic-sizes"))?;
        if let Some(odd) = bins.iter().find(|bin| bin.high.is_some_and(|high| high - bin.low != 15)) {
            return Err(TrafficError::Width(odd.low));
        }
        let mut tcp_queries = 0u64;
        for counter in ["dns-tcp-queries-received-ipv4", "dns-tcp-queries-received-ipv6"] {
            let count = volume.counts.get(counter);
            tcp_queries = tcp_queries.saturating_add(
                *count.ok_or(TrafficError::Metric("counter of TCP queries", "traffic-volume"))?,
            );
        }
        Ok(Traffic {
            origin: format!("{}, {} (RSSAC002)", sizes.service, sizes.start.get(..10).unwrap_or("?")).into(),
            bins: bins.iter().map(|bin| (bin.low, bin.count)).collect(),
            tcp_queries,
        })
    }

    /// All answers over UDP.
    pub fn answers(&self) -> u64 {
        self.bins.iter().map(|(_, count)| count).sum()
    }
}

/// How the zone was signed when the traffic was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Today {
    /// The algorithm.
    pub algorithm: AlgorithmSize,
    /// The DNSKEY RRset.
    pub keys: KeySet,
}

impl Today {
    /// The root zone in June 2025: RSA of 2048 bits; three keys, one signature.
    pub const ROOT_2025: Today = Today { algorithm: AlgorithmSize::new(260, 256), keys: KeySet::ZskRoll };
}

words! {
    /// What the answers of a bin are, in the order in which a bin is given to one.
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum Class as label {
        /// The DNSKEY RRset.
        Dnskey = "DNSKEY",
        /// The apex NS RRset.
        Priming = "priming",
        /// Proofs that a name does not exist.
        Nxdomain = "NXDOMAIN",
        /// Delegations.
        Referral = "referral",
        /// Whatever a change of algorithm leaves alone.
        Unchanged = "unchanged",
    }
}

/// Today's sizes of a class: the range, what an answer carries, and what it needs at least without addresses.
#[derive(Debug, Clone, Copy)]
struct Model {
    class: Class,
    low: u64,
    high: u64,
    signatures: i64,
    keys: i64,
    bare: Option<u64>,
}

/// The model, ready for any algorithm.
#[derive(Debug)]
pub struct Projector<'t> {
    traffic: &'t Traffic,
    today: Today,
    models: Vec<Model>,
}

/// The share of answers over the limit, between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// If addresses are left out wherever that helps.
    pub low: f64,
    /// If they never are.
    pub high: f64,
}

/// What becomes of the traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// The share of UDP answers, from 0 to 1, that are truncated.
    pub truncated: Bounds,
    /// Queries over TCP a day: today's, and one more for each truncated answer.
    pub tcp_queries: Bounds,
    /// Each class's share of all answers, and the share of all answers that it contributes to `truncated`.
    pub classes: Vec<(Class, f64, Bounds)>,
}

impl<'t> Projector<'t> {
    /// Sizes the zone's answers as they are today. The zone should be the one that the traffic asked for; a sample of
    /// the same form will do. It is taken to deny with NSEC, as the root does.
    pub fn new(facts: &ZoneFacts<'_>, traffic: &'t Traffic, today: Today) -> Self {
        let setup = Setup::new(DenialMethod::Nsec);
        let family = |kind| facts.family(kind, setup);
        let mut models = Vec::new();
        let mut exactly = |class, kind, bare| {
            for (composed, _) in family(kind).iter().flat_map(|family| family.composed().to_vec()) {
                let size = composed.shape.size(today.algorithm);
                let (signatures, keys) = (composed.shape.signatures as i64, composed.shape.keys as i64);
                models.push(Model { class, low: size, high: size, signatures, keys, bare });
            }
        };
        exactly(Class::Dnskey, Kind::Dnskey(today.keys), None);
        // Without addresses, a priming answer is its 13 servers and their signature: below any limit that one signature
        // leaves.
        exactly(Class::Priming, Kind::Priming, facts.priming_without_addresses(today.algorithm));

        let missing: Vec<_> = [Kind::NxdomainShort, Kind::NxdomainRandom, Kind::NxdomainLong]
            .into_iter()
            .filter_map(family)
            .flat_map(|family| family.composed().to_vec())
            .collect();
        if let Some(signatures) = missing.iter().map(|(composed, _)| composed.shape.signatures).max() {
            let sizes = || {
                missing
                    .iter()
                    .filter(|(composed, _)| composed.shape.signatures == signatures)
                    .map(|(composed, _)| composed.shape.size(today.algorithm))
            };
            models.push(Model {
                class: Class::Nxdomain,
                low: sizes().min().unwrap_or(0),
                high: sizes().max().unwrap_or(0),
                signatures: signatures as i64,
                keys: 0,
                bare: None,
            });
        }
        let all = family(Kind::Referral(Delegations::Secure, Glue::All));
        let bare = family(Kind::Referral(Delegations::Secure, Glue::None));
        if let (Some(all), Some(bare)) = (all, bare) {
            let sizes = all.sizes(today.algorithm);
            models.push(Model {
                class: Class::Referral,
                low: sizes.quantile(5),
                high: sizes.max() + LONGER_QUESTION,
                signatures: 1,
                keys: 0,
                bare: Some(bare.sizes(today.algorithm).median()),
            });
        }
        Projector { traffic, today, models }
    }

    /// What the traffic becomes with another algorithm, where answers over `limit` octets are truncated.
    pub fn project(&self, algorithm: AlgorithmSize, limit: u64) -> Projection {
        let all = self.traffic.answers().max(1) as f64;
        let growth = |model: &Model| {
            let more = |new: u32, old: u32| i64::from(new) - i64::from(old);
            model.signatures * more(algorithm.signature, self.today.algorithm.signature)
                + model.keys * more(algorithm.key, self.today.algorithm.key)
        };
        let mut classes: Vec<(Class, f64, Bounds)> =
            Class::ALL.map(|class| (class, 0.0, Bounds { low: 0.0, high: 0.0 })).to_vec();
        for &(start, count) in self.traffic.bins.iter() {
            let start = u64::from(start);
            let model = self.models.iter().find(|model| model.low < start + BIN && start <= model.high);
            let share = count as f64 / all;
            let (class, high, rescued) = match model {
                None => (Class::Unchanged, over(start as i64, limit), false),
                Some(model) => {
                    let growth = growth(model);
                    let fits_bare = model.bare.is_some_and(|bare| bare as i64 + growth <= limit as i64);
                    (model.class, over(start as i64 + growth, limit), fits_bare)
                }
            };
            if let Some(entry) = classes.iter_mut().find(|entry| entry.0 == class) {
                entry.1 += share;
                entry.2.high += share * high;
                entry.2.low += if rescued { 0.0 } else { share * high };
            }
        }
        let sum = |pick: fn(&Bounds) -> f64| classes.iter().map(|(_, _, bounds)| pick(bounds)).sum::<f64>();
        let truncated = Bounds { low: sum(|b| b.low), high: sum(|b| b.high) };
        let queries = |share: f64| self.traffic.tcp_queries as f64 + share * all;
        let tcp_queries = Bounds { low: queries(truncated.low), high: queries(truncated.high) };
        Projection { truncated, tcp_queries, classes }
    }
}

/// The part of a bin that begins at `start` which lies over `limit`.
fn over(start: i64, limit: u64) -> f64 {
    let above = (start + BIN as i64 - 1 - limit as i64).clamp(0, BIN as i64);
    above as f64 / BIN as f64
}
