//! What can be wrong with a packet.

/// What is wrong with a packet's headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Malformed {
    /// Not even a whole IP header.
    #[error("the IP header is cut off after {found} bytes; capture whole packets")]
    ShortPacket { found: usize },
    /// Neither 4 nor 6.
    #[error("the IP version is {version}, not 4 or 6; give the packet without its link header")]
    Version { version: u8 },
    /// A length field and the packet do not fit.
    #[error("an IP header declares {stated} bytes, but there are {found}; capture whole packets")]
    IpLength { stated: usize, found: usize },
    /// The addresses of the IP header are not those of the pseudo-header.
    #[error(
        "the IPv6 routing header has segments left, so the header names no final destination; capture the packet where it arrives"
    )]
    Routing,
    /// Fewer than 20 bytes of TCP.
    #[error("the TCP header is cut off after {found} bytes; capture whole packets")]
    ShortSegment { found: usize },
    /// The data offset points before the options or behind the segment.
    #[error(
        "the TCP data offset declares {header} bytes of header in a segment of {segment} bytes; the segment is damaged"
    )]
    DataOffset { header: usize, segment: usize },
    /// An option that is shorter than its own head, or longer than what is left.
    #[error(
        "the TCP option of kind {kind} at byte {place} of the header says a length of {length}; the segment is damaged"
    )]
    Option {
        kind: u8,
        /// Where it begins, counted from the start of the TCP header.
        place: usize,
        /// The length it gives itself; 0 where even that is cut off.
        length: usize,
    },
}
