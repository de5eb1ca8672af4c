//! Which limits a DNS message keeps.

use fieldtest_dnssec::sizes::fit::{ETHERNET, FLAG_DAY, WITHOUT_EDNS};
use fieldtest_report::symbols::mark;
use fieldtest_report::{Mark, Tone};

/// A size that a DNS message may keep or exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) bytes: u32,
    pub(crate) why: &'static str,
}

/// The limits that decide whether a DNS answer travels over UDP.
pub(crate) const LIMITS: [Limit; 3] = [
    Limit { bytes: WITHOUT_EDNS as u32, why: "UDP without EDNS, RFC 1035 section 4.2.1" },
    Limit {
        bytes: FLAG_DAY as u32,
        why: "the usual EDNS buffer: 1280 (least IPv6 MTU) - 40 - 8, DNS flag day 2020",
    },
    Limit { bytes: ETHERNET as u32, why: "what Ethernet carries unfragmented over IPv6: 1500 - 40 - 8" },
];

/// Which of [`LIMITS`] a message of `bytes` keeps: a bar that grows. Circles are how an algorithm stands.
pub(crate) fn fit(bytes: f64) -> Mark {
    match bytes {
        b if b <= WITHOUT_EDNS as f64 => mark("▁", "fits 512 bytes", Tone::Good),
        b if b <= FLAG_DAY as f64 => mark("▃", "fits 1232 bytes", Tone::Good),
        b if b <= ETHERNET as f64 => mark("▅", "over 1232, fits 1452 bytes", Tone::Poor),
        b if b <= LONGEST_MESSAGE => mark("█", "over 1452 bytes: truncated, asked again over TCP", Tone::Bad),
        _ => mark("⊘", "over 65535 bytes: no DNS message is that long, it cannot be sent at all", Tone::Bad),
    }
}

/// Bytes that the longest DNS message has, as its length stands in two of them (RFC 1035, section 4.2.2).
const LONGEST_MESSAGE: f64 = 65_535.0;
