//! Why segments of a capture do not verify: a search through what implementations and operators get wrong.
//!
//! Every fault of a catalogue is tried on a sample of the failing segments, alone and then in pairs. A fault that
//! makes their MACs right is the cause, as surely as a MAC cannot be hit by chance; so each [`Finding`] says how many
//! segments agree.

mod catalogue;
mod evidence;
mod fault;
mod master_key;
mod path;
mod recipe;
mod specimen;
mod stripped;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use fieldtest_kinds::mac::Mac;

use crate::pair::SocketPair;
use crate::sne::Sne;
use crate::verify::{Key, Report};

use catalogue::catalogue;
pub use fault::{Fault, OtherChecksum, OtherContext, OtherDerivation, OtherSne};
pub use master_key::OtherKey;
use recipe::Recipe;
use specimen::Specimen;
pub use stripped::Stripped;

/// An algorithm that may have been meant.
#[derive(Clone)]
pub struct Alternative {
    /// Its name, for the finding.
    pub name: String,
    /// The implementation.
    pub mac: Arc<dyn Mac>,
}

/// How far to search.
#[derive(Clone)]
pub struct Search {
    /// Other algorithms.
    pub alternatives: Vec<Alternative>,
    /// Addresses that an end may really have, behind NAT. Those of the samples are tried besides.
    pub addresses: Vec<IpAddr>,
    /// Ports that an end may really have.
    pub ports: Vec<u16>,
    /// Initial sequence numbers that a connection may really have, behind a device that changes them: of the pair's
    /// local end and of the other.
    pub numbers: Vec<(SocketPair, Option<u32>, Option<u32>)>,
    /// MACs to compute at most, and as many that differ in initial sequence numbers alone, which cost a
    /// fraction of that. One bound for all parts: with one for each, the time grew with the keys for other
    /// addresses.
    pub trials: u64,
}

impl Default for Search {
    /// No alternatives; two and a half million MACs, which take a few seconds.
    fn default() -> Self {
        Self {
            alternatives: Vec::new(),
            addresses: Vec::new(),
            ports: Vec::new(),
            numbers: Vec::new(),
            trials: 2_500_000,
        }
    }
}

/// What makes failing segments verify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The deviations, one or two; none if the segments verify once the initial sequence numbers are guessed.
    pub faults: Vec<Fault>,
    /// The keys that the segments then verify with, by their place.
    pub keys: Vec<usize>,
    /// The packets of the sample that agree, by their number in the capture.
    pub agree: Vec<u64>,
    /// Failing segments in the sample.
    pub of: usize,
    /// The end that all of them come from, where segments of the other end verify as they are.
    pub only_from: Option<SocketAddr>,
}

impl Finding {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        self.faults.iter().map(Fault::remedy).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Finding {
    /// One sentence, without the remedy.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verify = if self.agree.len() == 1 { "verifies" } else { "verify" };
        let segments = if self.of == 1 { "segment" } else { "segments" };
        write!(f, "{} of {} failing {segments} {verify}", self.agree.len(), self.of)?;
        for (place, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if place == 0 { " if " } else { " and " })?;
        }
        if let Some(end) = self.only_from {
            write!(f, "; all come from {end}, and its peer's segments verify unchanged")?;
        }
        Ok(())
    }
}

/// The outcome of a diagnosis.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnosis {
    /// What was found: what explains most segments first, and of these what needs fewer faults.
    pub findings: Vec<Finding>,
    /// Failing segments that were looked at.
    pub samples: usize,
    /// Whether all combinations but those with the path were tried before [`Search::trials`] ran out.
    pub complete: bool,
    /// The failing segments that no finding explains.
    pub unexplained: Vec<Unexplained>,
    /// A failing segment in whose options so many no-operations stand that timestamps or another long option may have
    /// been overwritten on the way, which no search can undo.
    pub overwritten: Option<u64>,
}

/// A failing segment that no finding explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unexplained {
    /// The packet's number in the capture.
    pub number: u64,
    /// Whether it is a SYN or SYN-ACK, whose options devices on the way change.
    pub opens: bool,
    /// Whether other segments verify that the same end signed with the same key in this connection: then the key is right,
    /// and the segment was changed on its way, or signed over other bytes.
    pub key_verifies: bool,
}

/// Bits of tags that must agree before a finding is believed.
const EVIDENCE_BITS: usize = 32;

/// Segments that every combination is tried on first: one of each connection, sender and kind.
const MOST_PROBES: usize = 12;

/// Addresses that are tried in place of each that was seen.
const MOST_ADDRESSES: usize = 16;

const MOST_SAMPLES: usize = 64;

/// Says why segments of a capture do not verify; `keys` are the ones they were verified with.
///
/// Whatever is found explains segments that fail, and contradicts none that verify.
pub fn diagnose(report: &Report, keys: &[Key], search: &Search) -> Diagnosis {
    let samples = report.samples.iter().take(MOST_SAMPLES);
    let specimens: Vec<Specimen<'_>> = samples.filter_map(Specimen::new).collect();
    let witnesses = report.witnesses.iter();
    let witnesses: Vec<_> = witnesses.filter_map(|(it, key)| Some((Specimen::new(it)?, *key))).collect();
    let mut hunt = Hunt {
        probes: probes(&specimens),
        near: specimens.iter().map(|it| Near::new(it, keys)).collect(),
        specimens: &specimens,
        witnesses: &witnesses,
        keys,
        search,
        trials: search.trials,
        walks: search.trials,
        strangers: false,
        complete: true,
        found: Vec::new(),
    };
    let faults = catalogue(&specimens, search);
    hunt.stage(search.trials / 5, |hunt| {
        hunt.attempt(&[]);
        for fault in &faults {
            hunt.attempt(&[fault]);
        }
    });
    hunt.stage(search.trials / 5, |hunt| {
        for found in hunt.search_isns(&faults) {
            hunt.attempt(&found.iter().collect::<Vec<_>>());
        }
    });
    // A pair explains more than its parts only where they do not explain everything.
    let last = search.trials / 10;
    if !hunt.explained() {
        hunt.search_path(search.trials / 5 * 3);
        hunt.stage(hunt.trials.saturating_sub(last), |hunt| hunt.pairs(&faults));
    }
    // Keys of other addresses come last: a router's key file may have thousands, which would use up all
    // trials.
    if !hunt.explained() {
        hunt.strangers = true;
        hunt.stage(hunt.trials, |hunt| {
            for stranger in &[Fault::OtherAddresses, Fault::OtherKeyId] {
                hunt.attempt(&[stranger]);
                for fault in faults.iter().filter(|fault| fault.goes_with(stranger)) {
                    hunt.attempt(&[stranger, fault]);
                }
            }
        });
    }
    let (complete, mut found) = (hunt.complete, hunt.found);
    found.sort_by_key(|(_, finding)| (std::cmp::Reverse(finding.agree.len()), finding.faults.len()));
    let findings: Vec<Finding> = found.into_iter().map(|(_, finding)| finding).collect();
    let unexplained = unexplained(&findings, &specimens, report);
    let overwritten = if unexplained.is_empty() { None } else { overwritten(&specimens) };
    Diagnosis { findings, samples: specimens.len(), complete, unexplained, overwritten }
}

fn unexplained(findings: &[Finding], specimens: &[Specimen<'_>], report: &Report) -> Vec<Unexplained> {
    let is_open =
        |it: &&Specimen<'_>| !findings.iter().any(|finding| finding.agree.contains(&it.sample.number));
    let unexplained = specimens.iter().filter(is_open).map(|it| {
        let connection = report.connections.get(it.sample.connection);
        Unexplained {
            number: it.sample.number,
            opens: it.packet.segment().flags().syn(),
            key_verifies: connection
                .is_some_and(|connection| connection.key_ids.of(it.sample.sender).contains(&it.ao.key_id)),
        }
    });
    unexplained.collect()
}

/// The first segment with a gap of ten bytes among its options, which is the length of timestamps.
fn overwritten(specimens: &[Specimen<'_>]) -> Option<u64> {
    let gap = |it: &&Specimen<'_>| {
        it.packet.segment().option_bytes().windows(10).any(|bytes| bytes == [crate::tcp::kind::NOP; 10])
    };
    specimens.iter().find(gap).map(|it| it.sample.number)
}

/// The first specimen of each connection, sender and kind.
fn probes(specimens: &[Specimen<'_>]) -> Vec<usize> {
    let kind = |specimen: &Specimen<'_>| {
        let flags = specimen.packet.segment().flags();
        (specimen.sample.connection, specimen.sample.sender, flags.syn(), specimen.ao.key_id)
    };
    let mut seen = Vec::new();
    let mut probes = Vec::new();
    for (place, specimen) in specimens.iter().enumerate() {
        let kind = kind(specimen);
        if !seen.contains(&kind) && probes.len() < MOST_PROBES {
            seen.push(kind);
            probes.push(place);
        }
    }
    probes
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, items: [T; 2]) {
    for item in items {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// The keys for a specimen's connection, by their place.
struct Near {
    named: Vec<usize>,
    others: Vec<usize>,
}

impl Near {
    fn new(specimen: &Specimen<'_>, keys: &[Key]) -> Self {
        let pair = SocketPair::of_sender(&specimen.packet);
        let near = (0..keys.len()).filter(|index| keys.get(*index).is_some_and(|key| key.is_for(&pair)));
        let (named, others) =
            near.partition(|index| keys.get(*index).is_some_and(|key| key.id() == specimen.ao.key_id));
        Self { named, others }
    }
}

struct Hunt<'a> {
    specimens: &'a [Specimen<'a>],
    witnesses: &'a [(Specimen<'a>, usize)],
    /// Places of the specimens that are tried first.
    probes: Vec<usize>,
    keys: &'a [Key],
    /// Of each specimen, the keys that are for its connection.
    near: Vec<Near>,
    search: &'a Search,
    /// MACs that may still be computed.
    trials: u64,
    /// The same for those that differ in initial sequence numbers alone.
    walks: u64,
    /// Whether keys for other addresses are tried, and no others.
    strangers: bool,
    /// Whether no stage ran out of trials.
    complete: bool,
    /// Findings with the places of the specimens they explain.
    found: Vec<(Vec<usize>, Finding)>,
}

impl Hunt<'_> {
    /// A part of the search that may use so many of the trials that are left.
    fn stage(&mut self, share: u64, run: impl FnOnce(&mut Self)) {
        let kept = self.trials.saturating_sub(share);
        self.trials -= kept;
        run(self);
        self.complete &= self.trials > 0;
        self.trials += kept;
    }

    /// Tries all pairs of faults that go together. What was done to a master key can be done in either order.
    fn pairs(&mut self, faults: &[Fault]) {
        for (place, first) in faults.iter().enumerate() {
            for second in faults.iter().skip(place + 1).filter(|second| second.goes_with(first)) {
                self.attempt(&[first, second]);
                if matches!((first, second), (Fault::MasterKey(_), Fault::MasterKey(_))) {
                    self.attempt(&[second, first]);
                }
            }
        }
    }

    fn attempt(&mut self, faults: &[&Fault]) {
        if self.trials == 0 {
            return;
        }
        if !(0..self.probes.len()).any(|probe| {
            self.probes.get(probe).copied().is_some_and(|place| self.explains(place, faults).is_some())
        }) {
            return;
        }
        let mut places = Vec::new();
        let mut keys = Vec::new();
        let mut bits = 0;
        for (place, specimen) in self.specimens.iter().enumerate() {
            if let Some(key) = self.explains(place, faults) {
                places.push(place);
                bits += specimen.ao.mac.len() * 8;
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        // With two faults, nearly anything can be explained; what a simpler finding explains needs no other
        // cause.
        let known = self.found.iter().any(|(explained, finding)| {
            finding.faults.len() <= faults.len() && places.iter().all(|place| explained.contains(place))
        });
        if bits < EVIDENCE_BITS || known || self.is_contradicted(&places, faults) {
            return;
        }
        let agree =
            places.iter().filter_map(|place| Some(self.specimens.get(*place)?.sample.number)).collect();
        let faults = faults.iter().map(|fault| self.precise(fault, &places, &keys)).collect();
        let only_from = self.only_from(&places);
        self.found.push((places, Finding { faults, keys, agree, of: self.specimens.len(), only_from }));
    }

    fn explained(&self) -> bool {
        (0..self.specimens.len()).all(|place| self.found.iter().any(|(places, _)| places.contains(&place)))
    }

    fn explains(&mut self, place: usize, faults: &[&Fault]) -> Option<usize> {
        let specimen = self.specimens.get(place)?;
        let isns = specimen.isns_with(faults);
        let has = |fault: &Fault| faults.contains(&fault);
        let (near, other_id) = (self.near.get(place)?, has(&Fault::OtherKeyId));
        let strangers = if self.strangers { 0..self.keys.len() } else { 0..0 };
        let is_stranger = |index: &usize| {
            let id = self.keys.get(*index).map(Key::id);
            (id != Some(specimen.ao.key_id)) == other_id
                && near.named.binary_search(index).is_err()
                && near.others.binary_search(index).is_err()
        };
        let near = if other_id { &near.others } else { &near.named };
        let near = near.iter().copied().filter(|_| !self.strangers);
        for index in near.chain(strangers.filter(is_stranger)) {
            let Some(key) = self.keys.get(index) else { continue };
            if (key.mac_len() != specimen.ao.mac.len()) != has(&Fault::MacLength) {
                continue;
            }
            let Some(recipe) = Recipe::new(key, faults, &self.search.alternatives) else { continue };
            for &isns in &isns {
                self.trials = self.trials.checked_sub(1)?;
                let sne = if specimen.guessed {
                    Sne::new(isns.0).of(specimen.packet.segment().sequence())
                } else {
                    specimen.sample.sne
                };
                if recipe.fits(&specimen.subject(isns, sne)) {
                    return Some(index);
                }
            }
        }
        None
    }
}
