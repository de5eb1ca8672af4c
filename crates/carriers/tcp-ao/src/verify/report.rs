use std::fmt;
use std::net::IpAddr;

use crate::capture::{LinkType, Problem};
use crate::flows::{Connection, Ends, Side};
use crate::layers::Opaque;
use crate::verify::{Ignored, Rollover, TwoKeys};

/// What became of one packet of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The MAC is right.
    Verified {
        /// The key's index among those given.
        key: usize,
    },
    /// The MAC is right with the initial sequence numbers of an earlier connection on the same ports, which the receiver
    /// had left by then: it has other traffic keys, and refuses the segment. Its sender has kept the old ones, or it was
    /// played again.
    EarlierConnection {
        /// The key's index among those given.
        key: usize,
        /// The earlier connection's index in the report.
        of: usize,
    },
    /// A key of that identifier is known, and the MAC is another.
    WrongMac,
    /// The same with the sequence number extensions that were tried, behind a gap where it may have another one.
    UntriedExtension,
    /// The keys of that identifier have MACs of another length.
    WrongMacLength {
        /// Bytes of the segment's MAC.
        found: usize,
        /// Bytes of the key's.
        expected: usize,
    },
    /// No key of that identifier is for this connection.
    UnknownKeyId {
        /// The identifier.
        id: u8,
    },
    /// No TCP-AO option, in a connection where others have one.
    Unsigned,
    /// No TCP-AO option, and none was seen in this connection.
    Plain,
    /// TCP-MD5 (RFC 2385) in place of TCP-AO, in a connection without TCP-AO up to here. Its digest is not looked at.
    Md5,
    /// Neither, in a connection where others have TCP-MD5.
    Md5Missing,
    /// TCP-MD5 in place of TCP-AO, in a connection where others have TCP-AO.
    Md5Instead,
    /// TCP-AO and TCP-MD5 in one segment, which RFC 5925, section 2.2, has discarded.
    BothOptions,
    /// The connection's initial sequence numbers are not known, and the guesses did not verify.
    NoIsns,
    /// Headers or options that are damaged.
    Malformed,
    /// The capture cut the packet's end off.
    Snapped,
    /// A frame of a link type that is not understood.
    UnknownLink {
        /// The link type.
        link: LinkType,
    },
    /// A fragment of the packet that this one completes, and whose verdict holds for it.
    Fragment {
        /// The packet's number in the capture.
        of: u64,
    },
    /// A fragment of a packet that may carry TCP, whose other fragments are not in the capture.
    Incomplete,
    /// A fragment of a packet that may carry TCP and was given up, because too many fragments waited at once.
    TooManyFragments,
    /// A fragment that contradicts another one of its packet.
    Overlap,
    /// Something that may carry TCP and cannot be looked into.
    Opaque {
        /// What it is.
        what: Opaque,
    },
    /// Nothing that is or could carry TCP.
    NotTcp,
}

/// How many packets met with each [`Verdict`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)] // a verdict's name each
pub struct Counts {
    pub verified: u64,
    pub earlier_connection: u64,
    pub wrong_mac: u64,
    pub untried_extension: u64,
    pub wrong_mac_length: u64,
    pub unknown_key_id: u64,
    pub unsigned: u64,
    pub plain: u64,
    pub md5: u64,
    pub md5_missing: u64,
    pub md5_instead: u64,
    pub both_options: u64,
    pub no_isns: u64,
    pub malformed: u64,
    pub snapped: u64,
    pub unknown_link: u64,
    pub fragments: u64,
    pub incomplete: u64,
    pub too_many_fragments: u64,
    pub overlapping: u64,
    pub opaque: u64,
    pub not_tcp: u64,
}

impl Counts {
    pub(super) fn add(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Verified { .. } => &mut self.verified,
            Verdict::EarlierConnection { .. } => &mut self.earlier_connection,
            Verdict::WrongMac => &mut self.wrong_mac,
            Verdict::UntriedExtension => &mut self.untried_extension,
            Verdict::WrongMacLength { .. } => &mut self.wrong_mac_length,
            Verdict::UnknownKeyId { .. } => &mut self.unknown_key_id,
            Verdict::Unsigned => &mut self.unsigned,
            Verdict::Plain => &mut self.plain,
            Verdict::Md5 => &mut self.md5,
            Verdict::Md5Missing => &mut self.md5_missing,
            Verdict::Md5Instead => &mut self.md5_instead,
            Verdict::BothOptions => &mut self.both_options,
            Verdict::NoIsns => &mut self.no_isns,
            Verdict::Malformed => &mut self.malformed,
            Verdict::Snapped => &mut self.snapped,
            Verdict::UnknownLink { .. } => &mut self.unknown_link,
            Verdict::Fragment { .. } => &mut self.fragments,
            Verdict::Incomplete => &mut self.incomplete,
            Verdict::TooManyFragments => &mut self.too_many_fragments,
            Verdict::Overlap => &mut self.overlapping,
            Verdict::Opaque { .. } => &mut self.opaque,
            Verdict::NotTcp => &mut self.not_tcp,
        };
        *count += 1;
    }

    /// Segments that should have verified and did not, and frames of which that is not known.
    pub fn bad(&self) -> u64 {
        let all: u64 = self.named().iter().map(|(count, ..)| count).sum();
        all - (self.verified + self.fragments + self.md5 + self.md5_missing + self.plain + self.not_tcp)
    }

    /// Every count with a name for programs and words for people.
    pub fn named(&self) -> [(u64, &'static str, &'static str); 22] {
        [
            (self.verified, "verified", "verified"),
            (self.earlier_connection, "earlier_connection", "with the MAC of an earlier connection"),
            (self.wrong_mac, "wrong_mac", "with a wrong MAC"),
            (
                self.untried_extension,
                "untried_extension",
                "after a gap, possibly with a sequence number extension that was not tried",
            ),
            (self.wrong_mac_length, "wrong_mac_length", "with a MAC whose length differs from the key's"),
            (self.unknown_key_id, "unknown_key_id", "with an unknown KeyID"),
            (self.unsigned, "unsigned", "without an option in a connection with TCP-AO"),
            (self.md5_instead, "md5_instead", "with TCP-MD5 in a connection with TCP-AO"),
            (self.both_options, "both_options", "with both TCP-AO and TCP-MD5"),
            (self.no_isns, "no_isns", "of connections whose initial sequence numbers are not known"),
            (self.malformed, "malformed", "malformed"),
            (self.snapped, "snapped", "cut off by the capture"),
            (self.unknown_link, "unknown_link", "in frames of an unsupported link type"),
            (self.incomplete, "incomplete", "in fragments that the capture does not complete"),
            (self.too_many_fragments, "too_many_fragments", "in too many fragments at once"),
            (self.overlapping, "overlapping", "in fragments that contradict others"),
            (self.opaque, "opaque", "that may carry TCP but are not readable"),
            (self.fragments, "fragments", "in fragments of others"),
            (self.md5, "md5", "with TCP-MD5, which is not verified"),
            (self.md5_missing, "md5_missing", "without an option in a connection with TCP-MD5"),
            (self.plain, "plain", "of connections without TCP-AO"),
            (self.not_tcp, "not_tcp", "not TCP"),
        ]
    }
}

impl fmt::Display for Counts {
    /// The counts that are not zero, verified ones always.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(verified, _, what), rest @ ..] = self.named();
        write!(f, "{verified} {what}")?;
        rest.iter()
            .filter(|(count, _, _)| *count > 0)
            .try_for_each(|(count, _, what)| write!(f, ", {count} {what}"))
    }
}

/// The outcome for one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The packet's number in the capture.
    pub number: u64,
    /// Its connection's index in the report; none if it is no segment.
    pub connection: Option<usize>,
    /// What became of it.
    pub verdict: Verdict,
}

/// One connection of the capture.
#[derive(Debug, Clone)]
pub struct ConnectionReport {
    /// Its ends and initial sequence numbers.
    pub connection: Connection,
    /// What became of its segments.
    pub counts: Counts,
    /// The sequence number extension of the first segment of each end that verified.
    pub extensions: Ends<Option<u32>>,
    /// The KeyIDs of each end's segments that verified.
    pub key_ids: Ends<Vec<u8>>,
}

impl ConnectionReport {
    /// What tells its numbers to another verification: `--isns` of the command takes it. `None` as long as a number is
    /// missing.
    pub fn numbers(&self) -> Option<String> {
        let (opener, answerer) = self.connection.isns_from(Side::Opener)?;
        let end = |address, isn, extension: Option<u32>| match extension {
            None | Some(0) => format!("{address}={isn:#x}"),
            Some(extension) => format!("{address}={isn:#x}+{extension}"),
        };
        Some(format!(
            "{},{}",
            end(self.connection.pair.local(), opener, self.extensions.opener),
            end(self.connection.pair.remote(), answerer, self.extensions.answerer)
        ))
    }
}

/// Problems, and rollovers or unsigned segments, that are kept. Those beyond are at most counted.
pub(crate) const MOST_KEPT: usize = 1000;

/// A segment that did not verify, with what its MAC depends on, for [`diagnose`](crate::diagnose::diagnose).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The packet's number in the capture.
    pub number: u64,
    /// Its connection's index in the report.
    pub connection: usize,
    /// Who sent it.
    pub sender: Side,
    /// The initial sequence numbers, as far as they were known.
    pub isns: Ends<Option<u32>>,
    /// The lowest sequence number that was seen of each end up to then.
    pub lowest: Ends<Option<u32>>,
    /// The sequence number extension that it was verified with.
    pub sne: u32,
    /// Whether that follows from the verified segments before it, so that no other can be right.
    pub joins: bool,
    /// The packet, IP header first.
    pub packet: Vec<u8>,
}

/// Samples that are kept, of one sender in one connection and altogether, and bytes of all.
pub(super) const SAMPLES_PER_SENDER: u8 = 8;
pub(super) const MOST_SAMPLES: usize = 2048;
pub(super) const MOST_SAMPLE_BYTES: usize = 16 << 20;

/// Verified segments that are kept, of one sender in one connection.
pub(super) const WITNESSES_PER_SENDER: u8 = 2;

/// The outcome of verifying a capture.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// All packets.
    pub counts: Counts,
    /// Segments that each key verified, in the order of the keys.
    pub by_key: Vec<u64>,
    /// The connections, in the order they began.
    pub connections: Vec<ConnectionReport>,
    /// The first changes of keys.
    pub rollovers: Vec<Rollover>,
    /// Some segments that have a TCP-AO option and did not verify.
    pub samples: Vec<Sample>,
    /// Some segments that verified, each with its key: whatever is said of the others must hold for these too.
    pub witnesses: Vec<(Sample, usize)>,
    /// Openings that verify and were never answered.
    pub unanswered: Vec<Unanswered>,
    /// Keys that an end asks for and its peer never signs with.
    pub ignored: Vec<Ignored>,
    /// Ends whose segments verify with two keys of one identifier.
    pub two_keys: Vec<TwoKeys>,
    /// Packets that first seemed to stand behind a gap of gigabytes, which those after them show not to be there: for
    /// another pass.
    pub refuted: Vec<u64>,
    /// IP addresses that packets with TCP-AO have.
    pub addresses: Vec<IpAddr>,
    /// The first faults of the file itself.
    pub problems: Vec<Problem>,
    /// How many faults it has.
    pub problem_count: u64,
}

impl Report {
    /// Whether something was verified, and nothing is wrong: no segment that should have verified did not, what may
    /// carry TCP was looked into, every opening was answered that had the time, every end signs with the key that its peer
    /// asks for and with one for each identifier, and the file was read whole.
    pub fn is_good(&self) -> bool {
        let silent = self.unanswered.iter().any(Unanswered::had_time);
        let keys = self.ignored.is_empty() && self.two_keys.is_empty();
        self.counts.verified > 0 && self.counts.bad() == 0 && self.problem_count == 0 && !silent && keys
    }
}

/// An opening that verifies and to which the other end says nothing: what a TCP does that drops segments silently,
/// because its key is another, it has none for this end, or a filter is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unanswered {
    /// The connection's index in the report.
    pub connection: usize,
    /// Who waits: the opener for an answer to its SYN, or the answerer for one to its SYN-ACK.
    pub waiting: Side,
    /// How often it was sent.
    pub sent: u32,
    /// Nanoseconds from the first to the end of the capture.
    pub silence: u64,
}

impl Unanswered {
    /// Whether an answer was due: after one second TCP sends again (RFC 6298, section 2).
    pub fn had_time(&self) -> bool {
        self.sent > 1 || self.silence >= 1_000_000_000
    }
}
