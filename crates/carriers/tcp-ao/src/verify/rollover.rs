//! Which keys the ends of a connection use and ask for, as verified segments show.

use crate::flows::Side;

/// A change of keys that verified segments show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollover {
    /// The packet that shows it.
    pub number: u64,
    /// Its connection's index in the report.
    pub connection: usize,
    /// Who changed.
    pub side: Side,
    /// What changed.
    pub change: Change,
    /// The identifier before.
    pub from: u8,
    /// The identifier now.
    pub to: u8,
}

/// What changes in a rollover, in this order (RFC 5925, section 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The RNextKeyID: the end asks its peer for another key.
    Asks,
    /// The KeyID: the end signs with another key.
    Signs,
}

/// A key that an end asks for and its peer does not sign with. Who has such a key signs with it at once (RFC 5925,
/// section 7.5.2.e), so the peer has none with this SendID, or the requests did not reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ignored {
    /// The first packet that asks for it.
    pub number: u64,
    /// Its connection's index in the report.
    pub connection: usize,
    /// Who asks.
    pub side: Side,
    /// The identifier that it asks for.
    pub id: u8,
    /// The identifier that the peer signs with.
    pub instead: u8,
    /// The peer's segments under that key, those of the first second left out.
    pub segments: u64,
    /// Nanoseconds from the first request to the last of these.
    pub lasted: u64,
    /// Whether the peer acknowledged bytes of a request, so that it knows of it.
    pub acknowledged: bool,
}

/// Segments of one end verify with two keys of one identifier. Tuples that overlap must differ in it (RFC 5925, section
/// 3.1), so that a receiver refuses the segments of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoKeys {
    /// The connection's index in the report.
    pub connection: usize,
    /// Whose segments they are.
    pub side: Side,
    /// Both keys, by their place.
    pub keys: [usize; 2],
}
