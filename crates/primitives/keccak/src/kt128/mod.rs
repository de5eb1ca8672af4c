//! KangarooTwelve with 128 bits of security: KT128 (RFC 9861, section 3).
//!
//! A message of more than one chunk of 8192 bytes is a tree of two levels: all chunks but the first are hashed on
//! their own, which can be done side by side, and their chaining values are absorbed after the first chunk.

mod hasher;
mod many;

pub(crate) use hasher::Hasher;
pub(crate) use many::run;

/// Bytes that a block of TurboSHAKE128 takes (RFC 9861, section 2.1).
const RATE: usize = 168;

/// Rounds of TurboSHAKE128.
const ROUNDS: usize = 12;

/// Bytes of a chunk.
const CHUNK: usize = 8192;

/// Bytes of a chaining value.
const VALUE: usize = 32;

/// Domain separation of a message that is one chunk, of the other chunks, and of the final node.
const ONE_CHUNK: u8 = 0x07;
const LEAF: u8 = 0x0b;
const FINAL_NODE: u8 = 0x06;

/// What comes between the first chunk and the chaining values.
const MARK: [u8; 8] = [3, 0, 0, 0, 0, 0, 0, 0];

/// A length as RFC 9861, section 3.3, writes it: the bytes of the number, the highest first and none for zero, and
/// their count.
struct Length {
    bytes: [u8; 9],
    start: usize,
}

impl Length {
    fn of(number: usize) -> Self {
        let number = number as u64;
        let start = number.leading_zeros() as usize / 8;
        let mut bytes = [0; 9];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        bytes[8] = (8 - start) as u8;
        Self { bytes, start }
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}
