//! Signs the TCP segments of a capture: every one gets a TCP-AO option, as if both ends had had the keys.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use fieldtest_kinds::mac::MacKey;
use thiserror::Error;

use crate::capture::{CaptureError, Captured, Item, LinkType, Problem, Reader, Rewriter};
use crate::context::Context;
use crate::flows::{KnownIsns, Place, Side, Tracker, is_first_syn};
use crate::ip::{Malformed, Packet, is_authenticated};
use crate::layers::{Content, Framing, Layers, Lost, Opaque, Unstated, framing, grow, unstated};
use crate::message;
use crate::option::{self, OptionError};
use crate::verify::{Key, MOST_KEPT, MOST_PREPARED};

/// With which keys a capture is signed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The key of the ends that open connections. Its identifier is their KeyID, and the RNextKeyID of the others.
    pub opener: Key,
    /// The key of the ends that answer; in TCP-AO the same master key under another identifier.
    pub answerer: Key,
    /// Take TCP-AO and TCP-MD5 options away first. Segments that have one are passed through otherwise.
    pub replace: bool,
    /// Leave snapshot lengths as they are, and segments unsigned that would not fit into them. Without it captures are
    /// refused in which a Simple Packet Block was cut off ([`SignError::CutSimpleBlock`]).
    pub keep_snapshot_lengths: bool,
}

impl Plan {
    fn key(&self, side: Side) -> &Key {
        match side {
            Side::Opener => &self.opener,
            Side::Answerer => &self.answerer,
        }
    }
}

/// Why a segment was passed through unsigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Unsigned {
    #[error("the connection's SYN and SYN-ACK are not in the capture; give its initial sequence numbers")]
    NoIsns,
    #[error("the capture cut off the packet's end, but the MAC covers all of it; capture whole packets")]
    Snapped,
    /// Its link type is not understood, so that nothing is known of it.
    #[error("frames of {0} are not understood; capture on another kind of interface")]
    UnknownLink(LinkType),
    #[error("it is a fragment, but TCP-AO signs whole packets; capture where they are not fragmented")]
    Fragment,
    #[error("its TCP segment is inside a tunnel; capture at the tunnel's end")]
    Tunnelled,
    /// More bytes than its IP header could say, and no length there.
    #[error(
        "it has more than 65,535 bytes and no length, several segments that the network card would have split; capture with \
         'ethtool -K DEVICE tso off gso off', or on another host"
    )]
    Several,
    #[error("the length in a header before its IP packet cannot hold a longer one; capture at another place")]
    FrameLength,
    /// A frame check sequence that is not computed here.
    #[error(
        "the frame ends with a check sequence of {0} bytes, which is not supported; capture without check sequences"
    )]
    FrameCheck(usize),
    /// The interface's snapshot length has no room for a longer packet.
    #[error(
        "the longer packet would not fit into the snapshot length, which must stay since Simple Packet Blocks were cut \
         off at it; capture with Enhanced Packet Blocks"
    )]
    SnapshotLength,
    /// An authentication header (RFC 4302) covers it.
    #[error(
        "an IP authentication header covers its TCP segment and would be invalid; capture where it has been removed"
    )]
    Authenticated,
    /// It is inside something that cannot be read.
    #[error("it is {0}, which is not readable; capture where it has been decoded")]
    Opaque(Opaque),
    /// Its headers are damaged.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The option cannot be added.
    #[error(transparent)]
    Option(#[from] OptionError),
}

/// What signing a capture did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Segments signed.
    pub signed: u64,
    /// Packets that are no TCP segments, copied.
    pub not_tcp: u64,
    /// SACK blocks that had to make room.
    pub sack_blocks_dropped: u64,
    /// How many segments were passed through unsigned.
    pub unsigned: u64,
    /// The first of them: the packet's number and why.
    pub reasons: Vec<(u64, Unsigned)>,
    /// How many faults the file has. What they are about is not in the new capture.
    pub problem_count: u64,
    /// The first of them, and what is worth a warning and no fault.
    pub problems: Vec<Problem>,
}

/// Why a capture could not be signed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SignError {
    /// It cannot be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The new one cannot be written.
    #[error("cannot write the signed capture")]
    Write(#[source] io::Error),
    /// A MAC could not be computed.
    #[error("cannot compute a MAC")]
    Mac(#[source] fieldtest_kinds::Error),
    /// Nothing of it can be read, so that there is nothing to write.
    #[error("cannot read any packet of the capture: {0}")]
    Nothing(Problem),
    /// A Simple Packet Block that was cut off: its captured length is that of the snapshot length, which has grown by then.
    #[error(
        "packet {0} is a Simple Packet Block that was cut off at the snapshot length, which must stay as it is therefore"
    )]
    CutSimpleBlock(u64),
}

/// Signs a capture from beginning to end. Link headers, timestamps and all that is not TCP stay as they are.
///
/// `known` are initial sequence numbers of connections whose beginning is not in the capture.
///
/// # Errors
/// [`SignError`]; single segments that cannot be signed are in the [`Summary`].
pub fn sign<R: Read, W: Write>(
    reader: &mut Reader<R>,
    out: W,
    plan: &Plan,
    known: &[KnownIsns],
) -> Result<(W, Summary), SignError> {
    let mut out = Rewriter::new(out);
    if plan.keep_snapshot_lengths {
        out = out.with_snapshot_lengths_kept();
    }
    let mut signer = Signer::new(plan, known);
    let mut frame = Vec::new();
    while let Some(item) = reader.next()? {
        match item {
            Item::Other(other) => out.copy_other(&other),
            Item::Problem(problem) => {
                signer.summary.problem_count += u64::from(!problem.fault.is_warning());
                keep(&mut signer.summary.problems, problem);
                Ok(())
            }
            Item::Packet(captured) if captured.hangs_on_snapshot_length() && !plan.keep_snapshot_lengths => {
                return Err(SignError::CutSimpleBlock(captured.number));
            }
            Item::Packet(captured) => {
                if signer.sign(&captured, &mut frame)? {
                    out.replace(&captured, &frame)
                } else {
                    out.copy(&captured)
                }
            }
        }
        .map_err(SignError::Write)?;
    }
    if let (0, Some(problem)) = (out.written(), signer.summary.problems.first()) {
        return Err(SignError::Nothing(*problem));
    }
    signer.layers.give_up();
    signer.leave_lost();
    let out = out.finish().map_err(SignError::Write)?;
    Ok((out, signer.summary))
}

struct Signer<'p> {
    plan: &'p Plan,
    layers: Layers,
    tracker: Tracker,
    /// By connection, sender, and whether it is for the SYN.
    traffic_keys: HashMap<(usize, Side, bool), Arc<dyn MacKey>>,
    stripped: Vec<u8>,
    message: Vec<u8>,
    summary: Summary,
}

impl<'p> Signer<'p> {
    fn new(plan: &'p Plan, known: &[KnownIsns]) -> Self {
        Self {
            plan,
            layers: Layers::default(),
            tracker: Tracker::new(known),
            traffic_keys: HashMap::new(),
            stripped: Vec::new(),
            message: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// Writes a signed frame; false if the packet stays as it is.
    fn sign(&mut self, captured: &Captured<'_>, frame: &mut Vec<u8>) -> Result<bool, SignError> {
        let found = framing(captured);
        let bytes = found.as_ref().and_then(|found| captured.bytes.get(found.at..));
        let unstated = bytes.filter(|_| !captured.is_snapped()).and_then(unstated);
        let bytes = match &unstated {
            Some(Unstated::Length(packet)) => Some(packet.as_slice()),
            _ => bytes,
        };
        let parsed = bytes.map(Packet::parse);
        let authenticated = bytes.is_some_and(is_authenticated);
        let (framing, packet) = match (found, parsed) {
            (Some(framing), Some(Ok(Some(packet)))) if !authenticated => (framing, packet),
            (_, parsed) => {
                let error = parsed.and_then(Result::err).map(Unsigned::Malformed);
                let several = matches!(unstated, Some(Unstated::Several)).then_some(Unsigned::Several);
                let error = several.or(error).or(authenticated.then_some(Unsigned::Authenticated));
                self.pass_by(captured, error.unwrap_or(Unsigned::Tunnelled));
                return Ok(false);
            }
        };
        let place = self.tracker.observe(&packet);
        let mut stripped = std::mem::take(&mut self.stripped);
        let link_header = captured.bytes.get(..framing.at).unwrap_or_default();
        let result = self.sign_segment(place, &packet, link_header, &mut stripped, frame);
        self.stripped = stripped;
        match result?.and_then(|dropped| {
            finish(captured, &framing, packet.bytes().len(), frame)?;
            if self.plan.keep_snapshot_lengths && !captured.has_room_for(frame.len()) {
                return Err(Unsigned::SnapshotLength);
            }
            Ok(dropped)
        }) {
            Ok(dropped) => {
                self.summary.signed += 1;
                self.summary.sack_blocks_dropped += dropped;
                Ok(true)
            }
            Err(reason) => {
                self.leave(captured.number, reason);
                Ok(false)
            }
        }
    }

    /// Says why a frame is copied that does not begin with a TCP segment that could be signed; `why` holds if there is one
    /// further in.
    fn pass_by(&mut self, captured: &Captured<'_>, why: Unsigned) {
        let content = self.layers.open(captured);
        let reason = match content {
            Content::Other | Content::Repeated => {
                self.summary.not_tcp += 1;
                None
            }
            Content::Fragment => None,
            Content::Tcp(_) if self.layers.joined().is_empty() => Some(why),
            Content::Tcp(_) | Content::Overlap => Some(Unsigned::Fragment),
            Content::Snapped => Some(Unsigned::Snapped),
            Content::Damaged => Some(why),
            Content::UnknownLink(link) => Some(Unsigned::UnknownLink(link)),
            Content::Opaque(what) => Some(Unsigned::Opaque(what)),
        };
        // What was put together matters as a whole; the pieces before this one were only waited with.
        for number in self.layers.joined().to_vec() {
            match reason {
                Some(_) => self.leave(number, Unsigned::Fragment),
                None => self.summary.not_tcp += 1,
            }
        }
        if let Some(reason) = reason {
            self.leave(captured.number, reason);
        }
        self.leave_lost();
    }

    fn leave_lost(&mut self) {
        for Lost { number, matters, .. } in self.layers.lost() {
            if matters { self.leave(number, Unsigned::Fragment) } else { self.summary.not_tcp += 1 }
        }
    }

    fn leave(&mut self, number: u64, reason: Unsigned) {
        self.summary.unsigned += 1;
        keep(&mut self.summary.reasons, (number, reason));
    }

    /// Writes a signed frame up to the end of its IP packet; the number of SACK blocks that made room.
    fn sign_segment(
        &mut self,
        place: Place,
        packet: &Packet<'_>,
        link_header: &[u8],
        stripped: &mut Vec<u8>,
        frame: &mut Vec<u8>,
    ) -> Result<Result<u64, Unsigned>, SignError> {
        let key = self.plan.key(place.sender);
        let Some(traffic_key) = self.traffic_key(place, packet, key)? else {
            return Ok(Err(Unsigned::NoIsns));
        };
        frame.clear();
        frame.extend_from_slice(link_header);
        let rnext_key_id = self.plan.key(place.sender.other()).id();
        let inserted = if self.plan.replace {
            without_authentication(packet, stripped).and_then(|packet| {
                Ok(option::append_unsummed(&packet, key.id(), rnext_key_id, key.mac_len(), frame)?)
            })
        } else {
            option::append_unsummed(packet, key.id(), rnext_key_id, key.mac_len(), frame)
                .map_err(Unsigned::from)
        };
        let inserted = match inserted {
            Ok(inserted) => inserted,
            Err(reason) => return Ok(Err(reason)),
        };
        let start = link_header.len();
        if let Err(reason) = self.append_message(place, frame.get(start..).unwrap_or_default(), key) {
            return Ok(Err(reason));
        }
        let mac = inserted.mac.start + start..inserted.mac.end + start;
        if let Some(tag) = frame.get_mut(mac) {
            traffic_key.tag(&self.message, tag).map_err(SignError::Mac)?;
        }
        let network = packet.network_header().len();
        option::write_tcp_checksum(frame.get_mut(start..).unwrap_or_default(), network);
        Ok(Ok(inserted.sack_blocks_dropped as u64))
    }

    fn append_message(&mut self, place: Place, bytes: &[u8], key: &Key) -> Result<(), Unsigned> {
        self.message.clear();
        if let Some(packet) = Packet::parse(bytes)?
            && let Some(ao) = option::find(packet.segment())?
        {
            message::append(&packet, &ao, place.sne, key.coverage(), &mut self.message);
        }
        Ok(())
    }

    fn traffic_key(
        &mut self,
        place: Place,
        packet: &Packet<'_>,
        key: &Key,
    ) -> Result<Option<Arc<dyn MacKey>>, SignError> {
        let syn = is_first_syn(packet);
        let slot = (place.connection, place.sender, syn);
        if let Some(traffic_key) = self.traffic_keys.get(&slot) {
            return Ok(Some(Arc::clone(traffic_key)));
        }
        let Some(connection) = self.tracker.connections().get(place.connection) else { return Ok(None) };
        let Some((own, peer)) = connection.isns_for(place.sender, packet) else { return Ok(None) };
        let context = Context::new(&connection.pair_from(place.sender), own, peer);
        let traffic_key = key.traffic_key(&context).map_err(SignError::Mac)?;
        if self.traffic_keys.len() >= MOST_PREPARED {
            self.traffic_keys.clear();
        }
        self.traffic_keys.insert(slot, Arc::clone(&traffic_key));
        Ok(Some(traffic_key))
    }
}

/// A packet without its TCP-AO or TCP-MD5 option, in `buffer`.
fn without_authentication<'a>(packet: &Packet<'a>, buffer: &'a mut Vec<u8>) -> Result<Packet<'a>, Unsigned> {
    // A segment with both is refused, so that at most one of them is there.
    if option::find(packet.segment())?.is_some() {
        option::strip(packet, buffer)?;
    } else {
        option::strip_md5(packet, buffer)?;
    }
    Ok(Packet::parse(buffer)?.unwrap_or(*packet))
}

/// Puts right what depends on the length of a frame's IP packet, which had `before` bytes: lengths in front of it and the
/// check sequence behind. What stood between, padding up to the least length of a frame, is not needed any more.
fn finish(
    captured: &Captured<'_>,
    framing: &Framing,
    before: usize,
    frame: &mut Vec<u8>,
) -> Result<(), Unsigned> {
    let after = frame.len().saturating_sub(framing.at);
    if !framing.lengths.is_empty() && !grow(frame, &framing.lengths, after as isize - before as isize) {
        return Err(Unsigned::FrameLength);
    }
    let check = captured.frame_check();
    let behind = captured.bytes.len().saturating_sub(framing.at + before);
    if check == 0 || check > behind || captured.is_snapped() {
        return Ok(());
    }
    if check != 4 || captured.link != LinkType::ETHERNET {
        return Err(Unsigned::FrameCheck(check));
    }
    // IEEE 802.3, section 3.2.9: the CRC-32 that gzip has too, its lowest byte first.
    let sum = crc32fast::hash(frame);
    frame.extend(sum.to_le_bytes());
    Ok(())
}

fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() < MOST_KEPT {
        list.push(item);
    }
}
