//! The answers of a whole zone, by kind, and the distribution of their sizes for any algorithm.

use std::collections::HashMap;

use rayon::prelude::*;

use super::answers::Question;
use super::facts::{self, ZoneFacts};
use super::labels;
use super::setup::{DenialMethod, Glue, KeySet, Setup};
use super::shape::{AlgorithmSize, Composed};
use crate::name::Name;
use crate::rtype::Rtype;
use crate::zone::{Owner, OwnerId, Role};

/// How many random names stand for the questions that end in NXDOMAIN.
pub const RANDOM_NAMES: usize = 1500;
/// The length of the label in the questions of [`Kind::NxdomainLong`], and the longest of the random ones.
pub const LONG_LABEL: usize = 12;

/// A kind of answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The SOA record of the apex.
    Soa,
    /// The DNSKEY RRset.
    Dnskey(KeySet),
    /// The apex, for a type that it has not.
    Nodata,
    /// A label below the apex that does not exist: for NSEC the shortest label in every gap between two names, for
    /// the others every label of one or two characters. Its minimum is the best case.
    NxdomainShort,
    /// As `NxdomainShort`, for [`RANDOM_NAMES`] labels of 7 to 12 random letters. Its median is the typical case.
    NxdomainRandom,
    /// As `NxdomainShort`, for a label of 12 characters in every gap. Its maximum is the worst case.
    NxdomainLong,
    /// A name below a delegation, over all delegations.
    Referral(Delegations, Glue),
    /// The NS RRset of the apex with its addresses: what a resolver asks the root first (RFC 9609).
    Priming,
    /// Every RRset of authoritative names but SOA, NS and DNSKEY of the apex, each asked for by its name and type. A
    /// wildcard's is expanded, with the proof that this takes; a CNAME record is asked for each type of the name that it
    /// leads to within the zone, with all that lies between.
    Own,
    /// The DS RRset, over all delegations that have one.
    Ds,
}

/// Which delegations a referral comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delegations {
    /// All.
    All,
    /// Those with a DS RRset.
    Secure,
}

/// All answers of one kind, composed once for every algorithm.
#[derive(Debug)]
pub struct Family<'f, 'z> {
    facts: &'f ZoneFacts<'z>,
    kind: Kind,
    setup: Setup,
    composed: Vec<(Composed, u64)>,
}

impl<'z> ZoneFacts<'z> {
    /// Composes every answer of this kind; `None` if the zone has none.
    pub fn family(&self, kind: Kind, setup: Setup) -> Option<Family<'_, 'z>> {
        let composed = self.compose_all(kind, setup, None);
        (!composed.is_empty()).then_some(Family { facts: self, kind, setup, composed })
    }

    pub(super) fn priming_without_addresses(&self, algorithm: AlgorithmSize) -> Option<u64> {
        let setup = Setup::new(DenialMethod::Nsec);
        Some(self.compose(&Question::Priming(Glue::None), setup, None)?.shape.size(algorithm))
    }

    /// The answers of one kind with how often each occurs, in a fixed order.
    fn compose_all(
        &self,
        kind: Kind,
        setup: Setup,
        algorithm: Option<AlgorithmSize>,
    ) -> Vec<(Composed, u64)> {
        let questions = self.questions(kind, setup.denial);
        let counts = questions
            .par_chunks(4096)
            .map(|questions| {
                let mut counts: HashMap<Composed, u64> = HashMap::new();
                for composed in questions.iter().filter_map(|q| self.compose(q, setup, algorithm)) {
                    *counts.entry(composed).or_default() += 1;
                }
                counts
            })
            .reduce(HashMap::new, |mut all, part| {
                for (composed, count) in part {
                    *all.entry(composed).or_default() += count;
                }
                all
            });
        let mut composed: Vec<(Composed, u64)> = counts.into_iter().collect();
        composed.sort_unstable();
        composed
    }

    fn questions(&self, kind: Kind, denial: DenialMethod) -> Vec<Question> {
        match kind {
            Kind::Soa => vec![Question::Soa],
            Kind::Dnskey(set) => vec![Question::Dnskey(set)],
            Kind::Nodata => vec![Question::Nodata],
            Kind::Priming => vec![Question::Priming(Glue::All)],
            Kind::Own => {
                let owners = self.chain.iter().map(|link| self.zone.owner(link.owner));
                let own = owners.filter(|owner| owner.role() == Role::Authoritative);
                own.flat_map(|owner| self.own_questions(owner)).collect()
            }
            Kind::Ds => self.cuts(Delegations::Secure).map(|owner| Question::Own(owner, Rtype::DS)).collect(),
            Kind::Referral(delegations, glue) => {
                self.cuts(delegations).map(|owner| Question::Referral(owner, glue)).collect()
            }
            // A wildcard below the apex answers every such name.
            _ if self.zone.apex().child(b"*").is_some_and(|name| self.exists(name.as_wire())) => Vec::new(),
            Kind::NxdomainRandom => named(labels::random(RANDOM_NAMES, |label| self.is_free(label)), self),
            Kind::NxdomainShort => match denial {
                DenialMethod::Nsec => named(self.gap_labels(1), self),
                _ => named(labels::short(|label| self.is_free(label)), self),
            },
            Kind::NxdomainLong => match denial {
                DenialMethod::Nsec => named(self.gap_labels(LONG_LABEL), self),
                DenialMethod::Compact => named(self.one_long_label(), self),
                DenialMethod::Nsec3 | DenialMethod::Nsec3OptOut => named(self.one_long_label(), self)
                    .into_iter()
                    .flat_map(|question| {
                        let entries = self.nsec3_chain(denial).len();
                        (0..entries).filter_map(move |entry| match question {
                            Question::Nxdomain(name) => Some(Question::NxdomainAt(name, entry)),
                            _ => None,
                        })
                    })
                    .collect(),
            },
        }
    }

    fn cuts(&self, delegations: Delegations) -> impl Iterator<Item = OwnerId> + '_ {
        let is_secure = |owner: &OwnerId| self.zone.owner(*owner).rrset(Rtype::DS).is_some();
        self.delegations.iter().copied().filter(move |it| delegations == Delegations::All || is_secure(it))
    }

    fn own_questions(&self, owner: Owner<'z>) -> Vec<Question> {
        let last = *self.aliases(owner).last().unwrap_or(&owner);
        if last.rrset(Rtype::CNAME).is_some() {
            // It leads out of the zone, whatever is asked for.
            return vec![Question::Own(owner.id(), Rtype::A)];
        }
        let has_kind = |rtype| last.is_apex() && matches!(rtype, Rtype::SOA | Rtype::NS);
        let types = facts::own_types(last).filter(|rtype| !has_kind(*rtype));
        types.map(|rtype| Question::Own(owner.id(), rtype)).collect()
    }

    fn is_free(&self, label: &[u8]) -> bool {
        self.zone.apex().child(label).is_some_and(|name| !self.exists(name.as_wire()))
    }

    fn one_long_label(&self) -> Vec<Vec<u8>> {
        labels::random(1, |label| label.len() == LONG_LABEL && self.is_free(label))
    }

    /// A label of at least `length` characters in every gap of the NSEC chain that has room for one.
    fn gap_labels(&self, length: usize) -> Vec<Vec<u8>> {
        let apex = self.zone.apex();
        let below = |link: usize| self.zone.owner(self.chain[link].owner).name().label_below(apex);
        (0..self.chain.len())
            .filter_map(|link| {
                // The apex itself stands before every label.
                let low = below(link).unwrap_or_default();
                // Behind the last link, only the apex follows.
                let high = if link + 1 < self.chain.len() { Some(below(link + 1)?) } else { None };
                labels::between(&low, high.as_deref(), length).filter(|label| self.is_free(label))
            })
            .collect()
    }
}

fn named(labels: Vec<Vec<u8>>, facts: &ZoneFacts<'_>) -> Vec<Question> {
    labels.iter().filter_map(|label| facts.zone.apex().child(label)).map(Question::Nxdomain).collect()
}

impl Name {
    /// The label right below `apex` on the way to this name; `None` for the apex itself.
    fn label_below(&self, apex: &Name) -> Option<Vec<u8>> {
        let mut name = *self;
        while let Some(parent) = name.parent() {
            if parent == *apex {
                return crate::name::labels(name.as_wire()).next().map(<[u8]>::to_vec);
            }
            name = parent;
        }
        None
    }
}

impl Family<'_, '_> {
    /// The messages with how often each occurs.
    pub fn composed(&self) -> &[(Composed, u64)] {
        &self.composed
    }

    /// The sizes with this algorithm (of both, if two sign).
    pub fn sizes(&self, algorithm: AlgorithmSize) -> Distribution {
        if self.composed.iter().all(|(composed, _)| composed.is_exact(algorithm)) {
            return Distribution::of(&self.composed, algorithm);
        }
        let exact = self.facts.compose_all(self.kind, self.setup, Some(algorithm));
        Distribution::of(&exact, algorithm)
    }
}

/// Sizes in octets, sorted, with how often each occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    sizes: Vec<(u64, u64)>,
    total: u64,
}

impl Distribution {
    fn of(composed: &[(Composed, u64)], algorithm: AlgorithmSize) -> Self {
        let mut sizes: Vec<(u64, u64)> =
            composed.iter().map(|(composed, count)| (composed.shape.size(algorithm), *count)).collect();
        sizes.sort_unstable();
        sizes.dedup_by(|after, before| {
            let same = after.0 == before.0;
            if same {
                before.1 += after.1;
            }
            same
        });
        let total = sizes.iter().map(|(_, count)| count).sum();
        Distribution { sizes, total }
    }

    /// How many answers there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Every size with how often it occurs, ascending.
    pub fn sizes(&self) -> &[(u64, u64)] {
        &self.sizes
    }

    /// The smallest.
    pub fn min(&self) -> u64 {
        self.sizes.first().map_or(0, |(size, _)| *size)
    }

    /// The largest.
    pub fn max(&self) -> u64 {
        self.sizes.last().map_or(0, |(size, _)| *size)
    }

    /// The median by nearest rank.
    pub fn median(&self) -> u64 {
        self.quantile(50)
    }

    /// The smallest size that at least this share of the answers, in percent, does not exceed.
    pub fn quantile(&self, percent: u64) -> u64 {
        let rank = (self.total * percent.min(100)).div_ceil(100).max(1);
        let mut seen = 0;
        for (size, count) in &self.sizes {
            seen += count;
            if seen >= rank {
                return *size;
            }
        }
        0
    }

    /// How many answers are larger than `limit`.
    pub fn count_over(&self, limit: u64) -> u64 {
        self.sizes.iter().filter(|(size, _)| *size > limit).map(|(_, count)| count).sum()
    }
}
