//! What a message's length owes to the algorithm: nothing but how many signatures and keys it carries.

/// The first offset that a compression pointer of 14 bits cannot express.
pub(super) const FAR: u64 = 0x4000;

/// The two lengths by which an algorithm enters a zone, in octets.
///
/// A pair of algorithms that sign every RRset together has the sums of the two as its lengths, see
/// [`and`](Self::and).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AlgorithmSize {
    /// Length of the Public Key field of a DNSKEY record (RFC 4034, section 2.1.4). For RSA that is the encoding of
    /// RFC 3110: 260 octets for a modulus of 2048 bits and the exponent 65537.
    pub key: u32,
    /// Length of the Signature field of an RRSIG record (RFC 4034, section 3.1.8).
    pub signature: u32,
}

impl AlgorithmSize {
    /// An algorithm by the lengths of its public key and its signature.
    pub const fn new(key: u32, signature: u32) -> Self {
        AlgorithmSize { key, signature }
    }

    /// Two algorithms side by side, for a survey of [`Signers::Two`](super::Signers::Two).
    pub const fn and(self, second: Self) -> Self {
        AlgorithmSize {
            key: self.key.saturating_add(second.key),
            signature: self.signature.saturating_add(second.signature),
        }
    }
}

/// A length that is linear in the algorithm's: `base + signatures · s + keys · p`.
///
/// This is exact because neither signatures nor keys compress, and because nothing else in a message depends on
/// them, as long as no compression pointer has to reach beyond octet 16,383 (see [`Composed::is_exact`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Shape {
    /// Octets that every algorithm needs.
    pub base: u64,
    /// Signature fields.
    pub signatures: u64,
    /// Public key fields.
    pub keys: u64,
}

impl Shape {
    /// The length in octets with this algorithm.
    pub fn size(&self, algorithm: AlgorithmSize) -> u64 {
        self.base + self.signatures * u64::from(algorithm.signature) + self.keys * u64::from(algorithm.key)
    }
}

/// A composed message: its shape, and how far its compression pointers reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Composed {
    /// The message's length.
    pub shape: Shape,
    /// Where the furthest name stands that a pointer of this message points to.
    pub reach: Shape,
}

impl Composed {
    /// Whether the shape is the true length with this algorithm: a compression pointer has 14 bits (RFC 1035, section
    /// 4.1.4), so a name that large signatures push beyond octet 16,383 can no longer be pointed to, and the message
    /// must be composed with the true lengths.
    pub fn is_exact(&self, algorithm: AlgorithmSize) -> bool {
        self.reach.size(algorithm) < FAR
    }
}
