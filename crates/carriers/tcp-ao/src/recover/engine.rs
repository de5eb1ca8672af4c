//! Many traffic keys for one segment, tried in lanes.

use std::sync::Arc;

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::mac::{Job, Mac, MacKey};
use zeroize::Zeroizing;

use crate::context::Context;
use crate::ip::Packet;
use crate::message::{self, Coverage};
use crate::option::AoOption;
use crate::pair::SocketPair;
use crate::sne::Sne;
use crate::verify::Key;

/// Candidates that are tried together: enough for any implementation's lanes.
const LANES: usize = 256;

#[derive(Clone)]
pub(crate) struct Signing {
    pub(crate) mac: Arc<dyn Mac>,
    pub(crate) master_key: Zeroizing<Vec<u8>>,
    pub(crate) coverage: Coverage,
}

impl Signing {
    pub(crate) fn with(key: &Key) -> Self {
        let master_key = Zeroizing::new(key.master_key().to_vec());
        Self { mac: Arc::clone(key.mac()), master_key, coverage: key.coverage() }
    }
}

pub(crate) struct Engine<'p> {
    signing: &'p Signing,
    pair: SocketPair,
    sequence: u32,
    mac: &'p [u8],
    /// The MAC's input with a sequence number extension of 0; it stands in the first four bytes.
    message: Vec<u8>,
    derivation: Derivation,
}

enum Derivation {
    /// The algorithm's own function over RFC 5926's input, which then can be computed for many contexts at once.
    Function { key: Box<dyn MacKey>, length: usize },
    /// In some other way, one by one.
    Other,
}

impl<'p> Engine<'p> {
    pub(crate) fn new(signing: &'p Signing, packet: &Packet<'p>, ao: &AoOption<'p>) -> Option<Self> {
        let mut message = Vec::new();
        message::append(packet, ao, 0, signing.coverage, &mut message);
        let pair = SocketPair::of_sender(packet);
        let derivation = derivation(signing, &Context::new(&pair, 1, 2))?;
        let sequence = packet.segment().sequence();
        Some(Self { signing, pair, sequence, mac: ao.mac, message, derivation })
    }

    /// The candidates (initial sequence numbers of sender and peer) among at most [`Engine::LANES`] that the segment's
    /// MAC is right with. What the algorithm refuses is not.
    pub(crate) fn matching(&self, candidates: &[(u32, u32)]) -> Vec<(u32, u32)> {
        self.tags(candidates).unwrap_or_default()
    }

    fn tags(&self, candidates: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
        let mac = &self.signing.mac;
        let keys: Vec<Box<dyn MacKey>> = self.traffic_keys(candidates)?;
        let extended = |(own, _): &(u32, u32)| Sne::new(*own).of(self.sequence);
        let mut other = self.message.clone();
        other.get_mut(..4)?.copy_from_slice(&1u32.to_be_bytes());
        let mut tags = vec![0; candidates.len() * self.mac.len()];
        let mut jobs: Vec<Job<'_>> = Vec::with_capacity(candidates.len());
        for ((key, candidate), tag) in keys.iter().zip(candidates).zip(tags.chunks_mut(self.mac.len())) {
            let message = if extended(candidate) == 0 { &self.message } else { &other };
            jobs.push(Job { key: &**key, message, tag });
        }
        mac.tag_many(&mut jobs).ok()?;
        let tags = tags.chunks(self.mac.len()).zip(candidates);
        Some(
            tags.filter(|(tag, _)| constant_time_eq(tag, self.mac))
                .map(|(_, candidate)| *candidate)
                .collect(),
        )
    }

    fn traffic_keys(&self, candidates: &[(u32, u32)]) -> Option<Vec<Box<dyn MacKey>>> {
        let mac = &self.signing.mac;
        let contexts = candidates.iter().map(|(own, peer)| Context::new(&self.pair, *own, *peer));
        match &self.derivation {
            Derivation::Other => contexts
                .map(|context| {
                    let mut key = Zeroizing::new(Vec::new());
                    mac.derive(&self.signing.master_key, context.as_bytes(), &mut key).ok()?;
                    mac.prepare(&key).ok()
                })
                .collect(),
            Derivation::Function { key, length } => {
                let inputs: Vec<Vec<u8>> =
                    contexts.map(|context| kdf_input(context.as_bytes(), *length)).collect::<Option<_>>()?;
                let mut keys = Zeroizing::new(vec![0; candidates.len() * length]);
                let mut jobs: Vec<Job<'_>> = inputs
                    .iter()
                    .zip(keys.chunks_mut(*length))
                    .map(|(message, tag)| Job { key: &**key, message, tag })
                    .collect();
                mac.tag_many(&mut jobs).ok()?;
                keys.chunks(*length).map(|key| mac.prepare(key).ok()).collect()
            }
        }
    }

    pub(crate) const LANES: usize = LANES;
}

/// `i || label || context || output length in bits` (RFC 5926, section 3.1.1).
fn kdf_input(context: &[u8], length: usize) -> Option<Vec<u8>> {
    let bits = u16::try_from(length * 8).ok()?;
    Some([&[1], b"TCP-AO".as_slice(), context, &bits.to_be_bytes()].concat())
}

/// How this algorithm derives, seen from one context.
fn derivation(signing: &Signing, context: &Context) -> Option<Derivation> {
    let mac = &signing.mac;
    let mut right = Zeroizing::new(Vec::new());
    mac.derive(&signing.master_key, context.as_bytes(), &mut right).ok()?;
    let length = right.len();
    // RFC 5926, section 3.1.1.2: a master key of another length is brought to that of the function's keys first.
    let extracted = || {
        let mut key = Zeroizing::new(vec![0; length]);
        mac.prepare(&key).ok()?.tag(&signing.master_key, &mut key).ok()?;
        Some(key)
    };
    let input = kdf_input(context.as_bytes(), length);
    for key in [Some(signing.master_key.clone()), extracted()].into_iter().flatten() {
        let mut output = Zeroizing::new(vec![0; length]);
        if let (Ok(key), Some(input)) = (mac.prepare(&key), &input)
            && length <= mac.longest_tag()
            && key.tag(input, &mut output).is_ok()
            && *output == *right
        {
            return Some(Derivation::Function { key, length });
        }
    }
    Some(Derivation::Other)
}
