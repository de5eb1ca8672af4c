//! The marks of a report: how an algorithm stands, how grave a remark is, how the machine was, where something is to be
//! had, which limit a message, a segment's options or a file's attribute keep. Each has a symbol and a word; colour only repeats them.

use std::borrow::Cow;

use crate::number::{NARROW_SPACE, full, grouped};
use crate::table::{Mark, Tone};

/// A size that a DNS message may keep or exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Bytes of DNS message.
    pub bytes: u32,
    /// Where the limit comes from.
    pub why: &'static str,
}

/// The limits that decide whether a DNS answer travels over UDP.
pub const LIMITS: [Limit; 3] = [
    Limit { bytes: 512, why: "UDP without EDNS, RFC 1035 section 4.2.1" },
    Limit { bytes: 1232, why: "the usual EDNS buffer: 1280 (least IPv6 MTU) - 40 - 8, DNS flag day 2020" },
    Limit { bytes: 1452, why: "what Ethernet carries unfragmented over IPv6: 1500 - 40 - 8" },
];

const fn mark(symbol: &'static str, word: &'static str, tone: Tone) -> Mark {
    Mark { symbol, word: Cow::Borrowed(word), tone }
}

/// Which of [`LIMITS`] a message of `bytes` keeps: a circle that fills up.
pub fn fit(bytes: f64) -> Mark {
    match bytes {
        b if b <= 512.0 => mark("○", "fits 512 bytes", Tone::Good),
        b if b <= 1232.0 => mark("◔", "fits 1232 bytes", Tone::Good),
        b if b <= 1452.0 => mark("◑", "over 1232, fits 1452 bytes", Tone::Poor),
        b if b <= LONGEST_MESSAGE => mark("●", "over 1452 bytes: truncated, asked again over TCP", Tone::Bad),
        _ => mark("✕", "over 65535 bytes: no DNS message is that long, it cannot be sent at all", Tone::Bad),
    }
}

/// Bytes that the longest DNS message has, as its length stands in two of them (RFC 1035, section 4.2.2).
const LONGEST_MESSAGE: f64 = 65_535.0;

/// Bytes that all options of a TCP segment may have together (RFC 9293, section 3.1).
const OPTION_SPACE: f64 = 40.0;

/// Whether TCP options of `bytes` fit a segment.
pub(crate) fn options(bytes: f64) -> Mark {
    if bytes <= OPTION_SPACE {
        mark("○", "fits 40 bytes", Tone::Good)
    } else {
        mark("●", "over the 40 bytes for options", Tone::Bad)
    }
}

/// An attribute that a file system refuses, since it takes at most `limit` bytes.
pub(crate) fn refused(limit: f64) -> Mark {
    let word = format!("refused: at most {} bytes", grouped(&full(limit), NARROW_SPACE));
    Mark { symbol: "●", word: Cow::Owned(word), tone: Tone::Bad }
}

/// An algorithm that is not to be used here, whatever it costs and however it stands elsewhere.
pub(crate) const UNSAFE: Mark = mark("✕", "unsafe", Tone::Bad);

/// Whether something is there.
pub(crate) fn available(is: bool) -> Mark {
    if is { mark("✓", "yes", Tone::Good) } else { mark("–", "no", Tone::Quiet) }
}

/// Code whose time is independent of its secrets.
pub(crate) const CONSTANT_TIME: Mark = mark("●", "constant", Tone::Good);
/// Code that looks tables up with secret indices.
pub(crate) const TABLES: Mark = mark("○", "by tables", Tone::Poor);

/// How an algorithm stands, by the word that the records use.
pub fn status(word: &str) -> Mark {
    match word {
        "standard" => mark("●", "standard", Tone::Good),
        "provisional" => mark("◐", "provisional", Tone::Fair),
        "candidate" => mark("○", "candidate", Tone::Fair),
        "research" => mark("△", "research", Tone::Fair),
        "superseded" => mark("◇", "superseded", Tone::Poor),
        "withdrawn" => mark("□", "withdrawn", Tone::Poor),
        "broken" => mark("✕", "broken", Tone::Bad),
        "" => mark("?", "unknown", Tone::Quiet),
        other => Mark { symbol: "?", word: Cow::Owned(other.to_owned()), tone: Tone::Quiet },
    }
}

/// The words for how an algorithm stands, from the most settled to the ruled out.
pub(crate) const STATUSES: [&str; 7] =
    ["standard", "provisional", "candidate", "research", "superseded", "withdrawn", "broken"];

/// Where a status stands in [`STATUSES`]; unknown ones come last.
pub(crate) fn status_rank(word: &str) -> usize {
    STATUSES.iter().position(|known| *known == word).unwrap_or(STATUSES.len())
}

/// How grave a remark is, by the word that the records use.
pub fn severity(word: &str) -> Mark {
    match word {
        "info" => mark("i", "info", Tone::Quiet),
        "warning" => mark("!", "warning", Tone::Poor),
        "broken" => mark("✕", "broken", Tone::Bad),
        other => Mark { symbol: "?", word: Cow::Owned(other.to_owned()), tone: Tone::Quiet },
    }
}

/// Where a severity stands from the gravest to the lightest; unknown ones come last.
pub(crate) fn severity_rank(word: &str) -> usize {
    ["broken", "warning", "info"].iter().position(|known| *known == word).unwrap_or(3)
}

/// What sort of algorithm it is, by the word that the records use.
pub(crate) fn kind(word: &str) -> &str {
    match word {
        "mac" => "MAC",
        other => other,
    }
}

/// How fit the machine was for measuring, by the word that the records use.
pub fn verdict(word: &str) -> Mark {
    match word {
        "quiet" => mark("●", "quiet", Tone::Good),
        "noisy" => mark("◐", "noisy", Tone::Poor),
        "hopeless" => mark("✕", "hopeless", Tone::Bad),
        other => Mark { symbol: "?", word: Cow::Owned(other.to_owned()), tone: Tone::Quiet },
    }
}
