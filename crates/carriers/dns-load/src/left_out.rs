//! What a recording holds and is not replayed, counted by reason.

use std::collections::BTreeMap;
use std::fmt;

use fieldtest_capture::LinkType;

/// Why something in a recording is not replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Why {
    /// The capture cut its end off.
    Cut,
    /// A packet that was sent in pieces, to port 53.
    Fragment,
    /// A packet within another, of this protocol.
    Within(&'static str),
    /// A packet behind a link header that is not read: its [`LinkType`].
    Link(u32),
    /// A record that cannot be read.
    Unreadable,
    /// A query of which nobody noted when it came.
    NoMoment,
    /// A message to port 53 with another number of questions than one.
    Questions,
    /// Another operation than a query, by its number (RFC 6895, section 2.2).
    Opcode(u8),
    /// A query with records beside its question, as for a difference of zones (RFC 1995).
    Records,
    /// A piece of a TCP connection that holds no whole query: what is around it was not captured, or not in its order.
    Piece,
    /// What was sent to port 53 and is no message of DNS.
    NoMessage,
    /// An item of which name, type or signature was not kept.
    NotKept,
    /// Of a query that is replayed: bits of its header beside RD, AD and CD, an extended RCODE, or octets behind its message.
    Bits,
    /// A piece of a TCP connection that was sent before.
    Again,
    /// A segment of TCP without data.
    NoData,
    /// A later piece of a packet, which tells no port.
    LaterFragment,
    /// An answer.
    Answer,
    /// A query to another server than was chosen.
    OtherServer,
    /// What a server asked itself, and what tools and stubs said of theirs.
    Own,
    /// A packet of UDP or TCP to another port than 53.
    OtherPort,
    /// A packet of another protocol than UDP and TCP.
    OtherProtocol,
    /// A frame of this [`LinkType`] without a packet of IP.
    NotIp(u32),
}

impl Why {
    /// Whether it was a query to the server, or may have been one, so that the load is not what was recorded.
    pub fn is_loss(self) -> bool {
        self < Why::Bits
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Why::Cut => "cut by the capture",
            Why::Fragment => "fragments to port 53",
            Why::Link(number) => {
                return write!(f, "behind headers of {}, which are not read", LinkType(number));
            }
            Why::Within(protocol) => {
                return write!(f, "packets within {protocol}, which are not looked into");
            }
            Why::Unreadable => "unreadable records",
            Why::NoMoment => "without a time",
            Why::Questions => "with no question or several",
            Why::Opcode(4) => "NOTIFY",
            Why::Opcode(5) => "UPDATE",
            Why::Opcode(number) => return write!(f, "of opcode {number}"),
            Why::Records => "with records in addition to the question",
            Why::Piece => "pieces of TCP without a whole query",
            Why::NoMessage => "not DNS messages",
            Why::NotKept => "of which too much was not kept",
            Why::Bits => "replayed without other header bits, extended RCODE or bytes after the message",
            Why::Again => "TCP data sent again",
            Why::NoData => "TCP segments without data",
            Why::LaterFragment => "later fragments",
            Why::Answer => "answers",
            Why::OtherServer => "to other servers",
            Why::Own => "the server's own queries",
            Why::OtherPort => "to other ports",
            Why::OtherProtocol => "of other protocols",
            Why::NotIp(number) => return write!(f, "frames of {} without IP", LinkType(number)),
        })
    }
}

/// How much is not replayed, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeMap<Why, u64>);

impl LeftOut {
    pub(crate) fn count(&mut self, why: Why) {
        *self.0.entry(why).or_default() += 1;
    }

    /// Each reason with its count.
    pub fn by_reason(&self) -> impl Iterator<Item = (Why, u64)> {
        self.0.iter().map(|(why, count)| (*why, *count))
    }

    /// What was queries to the server, or may have been.
    pub fn lost(&self) -> LeftOut {
        LeftOut(self.by_reason().filter(|(why, _)| why.is_loss()).collect())
    }

    /// All of it together.
    pub fn sum(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether all was replayed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Each reason behind its count: `10 cut by the capture, 2 NOTIFY`.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (why, count)) in self.by_reason().enumerate() {
            write!(f, "{}{count} {why}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
