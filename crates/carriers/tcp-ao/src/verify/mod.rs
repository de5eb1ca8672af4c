//! Verifies every segment of a capture against a set of keys.
//!
//! Segments are sorted into connections as they come, their MAC inputs are gathered, and the tags of hundreds of
//! them are computed at once, which is where implementations that work in lanes gain most. A segment whose tag is
//! wrong then gets a second look: under other keys of the same identifier, with the sequence number extension that
//! the verified segments imply, and in the connections before it on the same ports. So a forged segment in the capture
//! cannot make genuine ones fail. What verifies only in a connection that its receiver had left by then is not
//! verified: the receiver has other traffic keys.

mod attempts;
mod batch;
mod extension;
mod frames;
mod hints;
mod keep;
mod key_ids;
mod keys;
mod report;
mod rollover;
mod stretch;
mod superseded;

use std::io::Read;
use std::sync::Arc;

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::mac::MacKey;
use thiserror::Error;

use crate::capture::{CaptureError, Captured, Item, Problem, Reader};
use crate::context::Context;
use crate::flows::{Ends, KnownIsns, Place, Side, Tracker, is_first_syn};
use crate::ip::Packet;
use crate::layers::Layers;
use crate::message;
use crate::option::{self, AoOption, OptionError};
use crate::pair::SocketPair;

use attempts::Attempt;
use batch::{Batch, Entry, Pending};
pub(crate) use extension::{EXTENSIONS, extension_of};
pub use hints::{Hint, Hints};
use key_ids::{KeyIds, Wish};
pub(crate) use keys::from_hex;
pub use keys::{Key, KeyError, KeySpec};
pub(crate) use report::MOST_KEPT;
pub use report::{ConnectionReport, Counts, Outcome, Report, Sample, Unanswered, Verdict};
pub use rollover::{Change, Ignored, Rollover, TwoKeys};
use stretch::{Mark, Stretches};
use superseded::Moment;

/// Segments of a batch, and bytes of their MAC inputs after which it is verified even if it has fewer: enough for any
/// implementation's lanes, and little enough to stay in a core's cache.
const BATCH_SEGMENTS: usize = 1024;
const BATCH_BYTES: usize = 1 << 18;

/// Prepared traffic keys that are kept at most: a capture may have any number of connections. Beyond, all are
/// forgotten, and those in use derived again: simpler than to note which were used last.
pub(crate) const MOST_PREPARED: usize = 1 << 16;

/// Why a verification could not go on. What is wrong with the capture or its segments is in the [`Report`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The capture cannot be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A MAC could not be computed.
    #[error("cannot compute a MAC")]
    Mac(#[source] fieldtest_kinds::Error),
}

/// Verifies a capture from beginning to end; `each` is told the outcome of every packet: in order, but for fragments,
/// whose outcome is told when that of their packet is known.
///
/// # Errors
/// [`VerifyError`].
pub fn verify<R: Read>(
    reader: &mut Reader<R>,
    mut verifier: Verifier,
    mut each: impl FnMut(&Outcome),
) -> Result<Report, VerifyError> {
    while let Some(item) = reader.next()? {
        match item {
            Item::Packet(captured) => verifier.push(&captured, &mut each)?,
            Item::Problem(problem) => verifier.problem(problem),
            Item::Other(_) => {}
        }
    }
    verifier.finish(each)
}

/// A verification under way.
pub struct Verifier {
    keys: Vec<Key>,
    hints: Hints,
    layers: Layers,
    tracker: Tracker,
    states: Vec<State>,
    now: u64,
    /// Bytes of the samples, and connections whose addresses were noted.
    sample_bytes: usize,
    seen_connections: usize,
    /// Prepared traffic keys that are kept in `states`.
    prepared: usize,
    /// Searches for sequence number extensions that were in vain.
    searches: u32,
    batch: Batch,
    report: Report,
}

#[derive(Default)]
struct State {
    prepared: Vec<Prepared>,
    /// Where the sequence numbers of verified segments are.
    stretches: Ends<Stretches>,
    key_ids: Ends<Option<KeyIds>>,
    /// All keys that segments verified with.
    signed_with: Ends<Vec<usize>>,
    wishes: Ends<Option<Wish>>,
    /// The key that verified each end's latest segment: the first to try where several have one identifier.
    latest_key: Ends<Option<usize>>,
    counts: Counts,
    signed: bool,
    md5: bool,
    guesses: u8,
    /// Failing segments that were kept, and verified ones.
    samples: Ends<u8>,
    witnesses: Ends<u8>,
    /// The extension of the first segment that verified.
    extensions: Ends<Option<u32>>,
    /// SYN and SYN-ACK that verified.
    openings: Ends<u32>,
    /// When the first of them was captured, verified or not.
    opened: Ends<Option<u64>>,
    /// When the first segment verified with both initial sequence numbers.
    opened_both: Option<Moment>,
}

struct Prepared {
    key: usize,
    sender: Side,
    syn: bool,
    mac_key: Arc<dyn MacKey>,
}

impl Verifier {
    /// A verification with these keys. `known` are initial sequence numbers of connections whose beginning is not
    /// in the capture.
    pub fn new(keys: Vec<Key>, known: &[KnownIsns]) -> Self {
        let report = Report { by_key: vec![0; keys.len()], ..Report::default() };
        Self {
            keys,
            hints: Hints::default(),
            layers: Layers::default(),
            tracker: Tracker::new(known),
            states: Vec::new(),
            now: 0,
            sample_bytes: 0,
            seen_connections: 0,
            prepared: 0,
            searches: 0,
            batch: Batch::default(),
            report,
        }
    }

    /// A verification that knows what an earlier one of the same capture found out.
    #[must_use]
    pub fn with_hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// Notes a fault of the file, or what is only worth a warning.
    pub fn problem(&mut self, problem: Problem) {
        self.report.problem_count += u64::from(!problem.fault.is_warning());
        if self.report.problems.len() < MOST_KEPT {
            self.report.problems.push(problem);
        }
    }

    /// Adds a packet; outcomes are told when a batch is full, in the order of the packets.
    ///
    /// # Errors
    /// [`VerifyError::Mac`].
    pub fn push(
        &mut self,
        captured: &Captured<'_>,
        each: &mut impl FnMut(&Outcome),
    ) -> Result<(), VerifyError> {
        self.now = captured.time.unwrap_or(self.now);
        let entry = self.classify(captured)?;
        self.batch.entries.extend(entry);
        if self.batch.entries.len() >= BATCH_SEGMENTS || self.batch.messages.len() >= BATCH_BYTES {
            self.flush(each)?;
        }
        Ok(())
    }

    /// Verifies what still waits, and says what was found.
    ///
    /// # Errors
    /// [`VerifyError::Mac`].
    pub fn finish(mut self, mut each: impl FnMut(&Outcome)) -> Result<Report, VerifyError> {
        self.layers.give_up();
        self.note_lost();
        self.flush(&mut each)?;
        self.note_unanswered();
        self.note_ignored();
        let connections = self.tracker.connections().iter().zip(&mut self.states);
        self.report.connections = connections
            .map(|(connection, state)| ConnectionReport {
                connection: connection.clone(),
                counts: state.counts,
                extensions: state.extensions,
                key_ids: state.key_ids_of(&self.keys),
            })
            .collect();
        Ok(self.report)
    }

    fn classify_segment(&mut self, number: u64, packet: &Packet<'_>) -> Result<Entry, VerifyError> {
        let done = |connection, verdict| Entry::Done(Outcome { number, connection, verdict });
        let mut place = self.tracker.observe(packet);
        self.states.resize_with(self.tracker.connections().len(), State::default);
        if packet.segment().flags().syn()
            && let Some(state) = self.states.get_mut(place.connection)
        {
            state.opened.of_mut(place.sender).get_or_insert(self.now);
        }
        let connection = Some(place.connection);
        let ao = match option::find(packet.segment()) {
            Ok(Some(ao)) => ao,
            Ok(None) => return Ok(done(connection, self.without_option(place, packet))),
            Err(OptionError::BesideMd5) => return Ok(done(connection, Verdict::BothOptions)),
            Err(_) => return Ok(done(connection, Verdict::Malformed)),
        };
        if let Some(state) = self.states.get_mut(place.connection) {
            state.signed = true;
        }
        self.note_addresses(packet);
        let key = match self.first_key(place, packet, &ao) {
            Ok(key) => key,
            Err(verdict) => {
                self.keep_sample(number, place, packet.bytes(), false);
                return Ok(done(connection, verdict));
            }
        };
        let mut traffic_key = self.traffic_key(place, packet, key)?;
        if traffic_key.is_none() && self.guess_isns(&mut place, packet, &ao)? {
            traffic_key = self.traffic_key(place, packet, key)?;
        }
        let Some(traffic_key) = traffic_key else {
            let mark = Mark::new(number, self.now, packet.segment());
            if let Attempt::Found(earlier, key) = self.second_look(place, None, mark, packet, &ao)? {
                return Ok(Entry::Done(self.conclude(mark, earlier, packet, &ao, key, true)));
            }
            self.keep_sample(number, place, packet.bytes(), false);
            return Ok(done(connection, Verdict::NoIsns));
        };
        let coverage = self.keys.get(key).map(Key::coverage).unwrap_or_default();
        let Batch { messages, packets, tags, .. } = &mut self.batch;
        let message = messages.len();
        message::append(packet, &ao, place.sne, coverage, messages);
        let start = packets.len();
        packets.extend_from_slice(packet.bytes());
        let tag = tags.len();
        tags.resize(tag + ao.mac.len(), 0);
        Ok(Entry::Check(Pending {
            number,
            time: self.now,
            place,
            key,
            mac_key: traffic_key,
            message: message..messages.len(),
            packet: start..packets.len(),
            tag: tag..tags.len(),
        }))
    }

    /// The keys that may have made a segment's MAC.
    fn candidates<'k>(
        keys: &'k [Key],
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> impl Iterator<Item = usize> + 'k {
        let pair = SocketPair::of_sender(packet);
        let (id, length) = (ao.key_id, ao.mac.len());
        keys.iter()
            .enumerate()
            .filter(move |(_, key)| key.id() == id && key.mac_len() == length && key.is_for(&pair))
            .map(|(index, _)| index)
    }

    fn first_key(&self, place: Place, packet: &Packet<'_>, ao: &AoOption<'_>) -> Result<usize, Verdict> {
        let latest = self.states.get(place.connection).and_then(|state| *state.latest_key.of(place.sender));
        let mut candidates = Self::candidates(&self.keys, packet, ao);
        if let Some(first) = candidates.next() {
            return Ok(latest.filter(|latest| candidates.any(|key| key == *latest)).unwrap_or(first));
        }
        let pair = SocketPair::of_sender(packet);
        match self.keys.iter().find(|key| key.id() == ao.key_id && key.is_for(&pair)) {
            Some(key) => Err(Verdict::WrongMacLength { found: ao.mac.len(), expected: key.mac_len() }),
            None => Err(Verdict::UnknownKeyId { id: ao.key_id }),
        }
    }

    /// The prepared traffic key of a segment; `None` if initial sequence numbers are missing.
    fn traffic_key(
        &mut self,
        place: Place,
        packet: &Packet<'_>,
        key: usize,
    ) -> Result<Option<Arc<dyn MacKey>>, VerifyError> {
        let syn = is_first_syn(packet);
        let sender = place.sender;
        let Some(connection) = self.tracker.connections().get(place.connection) else { return Ok(None) };
        let Some(state) = self.states.get_mut(place.connection) else { return Ok(None) };
        let same = |prepared: &&Prepared| (prepared.key, prepared.sender, prepared.syn) == (key, sender, syn);
        if let Some(prepared) = state.prepared.iter().find(same) {
            return Ok(Some(Arc::clone(&prepared.mac_key)));
        }
        let isns = connection.isns_for(sender, packet);
        let (Some((own, peer)), Some(found)) = (isns, self.keys.get(key)) else { return Ok(None) };
        let context = Context::new(&connection.pair_from(sender), own, peer);
        let mac_key = found.traffic_key(&context).map_err(VerifyError::Mac)?;
        state.prepared.push(Prepared { key, sender, syn, mac_key: Arc::clone(&mac_key) });
        self.prepared += 1;
        Ok(Some(mac_key))
    }

    /// Computes the tags that are waited for, and tells all outcomes.
    fn flush(&mut self, each: &mut impl FnMut(&Outcome)) -> Result<(), VerifyError> {
        let mut batch = std::mem::take(&mut self.batch);
        batch.compute(&self.keys)?;
        for entry in batch.entries.drain(..) {
            let outcome = match entry {
                Entry::Done(outcome) => outcome,
                Entry::Check(pending) => {
                    let bytes = batch.packets.get(pending.packet.clone()).unwrap_or_default();
                    self.decide(&pending, bytes, &batch.tags)?
                }
            };
            self.count(&outcome);
            each(&outcome);
        }
        batch.clear();
        self.batch = batch;
        self.forget_keys();
        Ok(())
    }

    fn decide(&mut self, pending: &Pending, bytes: &[u8], tags: &[u8]) -> Result<Outcome, VerifyError> {
        let failed =
            |verdict| Outcome { number: pending.number, connection: Some(pending.place.connection), verdict };
        // Both were read from these bytes before.
        let Ok(Some(packet)) = Packet::parse(bytes) else { return Ok(failed(Verdict::Malformed)) };
        let Ok(Some(ao)) = option::find(packet.segment()) else { return Ok(failed(Verdict::Malformed)) };
        let mark = Mark::new(pending.number, pending.time, packet.segment());
        let right = tags.get(pending.tag.clone()).is_some_and(|tag| constant_time_eq(tag, ao.mac))
            && self.can_be(pending.place, mark);
        let found = if right {
            Attempt::Found(pending.place, pending.key)
        } else {
            self.second_look(pending.place, Some(pending.key), mark, &packet, &ao)?
        };
        let verdict = match found {
            Attempt::Found(place, key) => return Ok(self.conclude(mark, place, &packet, &ao, key, !right)),
            Attempt::InVain => Verdict::WrongMac,
            Attempt::Untried => Verdict::UntriedExtension,
        };
        self.note_failure(pending, bytes);
        Ok(failed(verdict))
    }

    /// Notes what a verified segment shows; `astray` says that it was first taken for another connection's, or for
    /// one of another stretch of the sequence numbers.
    fn accept(
        &mut self,
        mark: Mark,
        place: Place,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
        key: usize,
        astray: bool,
    ) {
        let (number, segment) = (mark.number, packet.segment());
        if let Some(state) = self.states.get_mut(place.connection) {
            let stretches = state.stretches.of_mut(place.sender);
            self.report.refuted.extend(stretches.note(mark, place.sne));
            let now = stretches.sne();
            if segment.flags().ack() {
                state.stretches.of_mut(place.sender.other()).acknowledge(segment.acknowledgement());
            }
            if !is_first_syn(packet) {
                state.opened_both.get_or_insert(Moment::of(mark));
            }
            state.extensions.of_mut(place.sender).get_or_insert(place.sne);
            if let (true, Some(now)) = (astray, now) {
                self.tracker.settle(place.connection, place.sender, now);
                self.tracker.found(place.connection, place.sender, packet);
            }
            if state.latest_key.of_mut(place.sender).replace(key) != Some(key) {
                self.note_key(place, key);
            }
        }
        self.note_key_ids(mark, place, segment, ao);
        self.note_opening(place, packet);
        self.keep_witness(number, place, packet.bytes(), key);
    }

    fn count(&mut self, outcome: &Outcome) {
        self.report.counts.add(outcome.verdict);
        if let Some(state) = outcome.connection.and_then(|connection| self.states.get_mut(connection)) {
            state.counts.add(outcome.verdict);
        }
        if let Verdict::Verified { key } = outcome.verdict
            && let Some(count) = self.report.by_key.get_mut(key)
        {
            *count += 1;
        }
    }

    fn forget_keys(&mut self) {
        if self.prepared > MOST_PREPARED {
            self.states.iter_mut().for_each(|state| state.prepared = Vec::new());
            self.prepared = 0;
        }
    }
}
