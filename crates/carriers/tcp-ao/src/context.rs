//! The context that a traffic key is derived from (RFC 5926, section 3.1).

use crate::pair::SocketPair;

/// Source address, destination address, source port, destination port, source ISN, destination ISN: 20 bytes for
/// IPv4, 44 for IPv6, always in the direction of the segments that the key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    bytes: [u8; 44],
    len: usize,
}

impl Context {
    /// The context of segments that the pair's local end sends. `source_isn` is that end's initial sequence number
    /// and `destination_isn` the other's, which is 0 for a SYN without ACK: nobody knows it yet.
    pub fn new(pair: &SocketPair, source_isn: u32, destination_isn: u32) -> Context {
        let pair = pair.as_bytes();
        let mut bytes = [0; 44];
        let isns = (u64::from(source_isn) << 32) | u64::from(destination_isn);
        for (to, from) in bytes.iter_mut().zip(pair.iter().chain(&isns.to_be_bytes())) {
            *to = *from;
        }
        Context { bytes, len: pair.len() + 8 }
    }

    /// The bytes that [`Mac::derive`](fieldtest_kinds::mac::Mac::derive) takes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
