//! Composes messages without writing them: only lengths, with the name compression of RFC 1035, section 4.1.4.
//!
//! Compression is what servers do: every name in a question or an owner, and the names in the RDATA of the types of
//! RFC 1035 (RFC 3597, section 4 forbids it for all later ones), end in a pointer to the longest suffix that stood in
//! the message before. The signer's name of an RRSIG and the next name of an NSEC are written in full, and are not
//! pointed to. The root costs its one octet and never a pointer.

use super::shape::{AlgorithmSize, Composed, FAR, Shape};
use crate::rtype::Rtype;

/// A message's header (RFC 1035, section 4.1.1).
pub(super) const HEADER: u64 = 12;
/// Type and class of a question.
const QUESTION: u64 = 4;
/// Type, class, TTL and RDATA length of a record.
const RECORD: u64 = 10;
/// An RRSIG's RDATA without signer and signature (RFC 4034, section 3.1).
pub(super) const RRSIG_FIXED: u64 = 18;
/// A DNSKEY's RDATA without the key (RFC 4034, section 2.1).
pub(super) const DNSKEY_FIXED: u64 = 4;

/// The parts of an OPT record (RFC 6891, section 6.1.2) that an answer carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Edns {
    /// Whether the answer carries a DNS cookie, of the client's 8 and the server's 16 octets (RFC 9018, section 4).
    pub cookie: bool,
}

impl Edns {
    /// Length of the OPT record: 11 octets, or 39 with a cookie.
    pub fn len(self) -> u64 {
        if self.cookie { 11 + 4 + 8 + 16 } else { 11 }
    }

    /// Whether there is no OPT record: never.
    pub fn is_empty(self) -> bool {
        false
    }
}

/// A message in the making. The names it is given must outlive it, as it remembers suffixes of them.
#[derive(Debug)]
pub struct Composer<'m> {
    at: Shape,
    reach: Shape,
    /// With an algorithm, targets beyond [`FAR`] are not pointed to; without one, there is no limit.
    algorithm: Option<AlgorithmSize>,
    /// The suffixes that can be pointed to. Their hashes stand apart, so that a search runs over few cache lines.
    hashes: Vec<u32>,
    targets: Vec<(&'m [u8], Shape)>,
}

impl<'m> Composer<'m> {
    /// An empty message. Without an algorithm the length comes out as a [`Shape`] for all of them; with one, pointers
    /// stop at octet 16,383.
    pub fn new(algorithm: Option<AlgorithmSize>) -> Self {
        let at = Shape { base: HEADER, ..Shape::default() };
        Composer {
            at,
            reach: Shape::default(),
            algorithm,
            hashes: Vec::with_capacity(64),
            targets: Vec::with_capacity(64),
        }
    }

    /// The message as it stands.
    pub fn finish(self) -> Composed {
        Composed { shape: self.at, reach: self.reach }
    }

    /// The length as it stands.
    pub fn length(&self) -> Shape {
        self.at
    }

    /// Adds a question.
    pub fn question(&mut self, name: &'m [u8]) {
        self.name(name);
        self.at.base += QUESTION;
    }

    /// Adds a record of any type; `rdata` is uncompressed.
    pub fn record(&mut self, owner: &'m [u8], rtype: Rtype, rdata: &'m [u8]) {
        self.name(owner);
        self.at.base += RECORD;
        match rtype {
            Rtype::SOA | Rtype::MINFO => self.rdata_names(rdata, 2),
            Rtype::MX if rdata.len() > 2 => {
                self.at.base += 2;
                self.rdata_names(&rdata[2..], 1);
            }
            Rtype::MX => self.at.base += rdata.len() as u64,
            _ if rtype.compresses() => self.rdata_names(rdata, 1),
            _ => self.at.base += rdata.len() as u64,
        }
    }

    /// Adds a record whose RDATA holds nothing that compresses, by the length of its RDATA.
    pub fn opaque(&mut self, owner: &'m [u8], rdata_len: u64) {
        self.name(owner);
        self.at.base += RECORD + rdata_len;
    }

    /// Adds `count` RRSIG records over one RRset, which together hold one signature field of the algorithm's length
    /// (with two signers, the algorithm's length is the sum of both).
    pub fn rrsigs(&mut self, owner: &'m [u8], signer: &[u8], count: u64) {
        for _ in 0..count {
            self.name(owner);
            self.at.base += RECORD + RRSIG_FIXED + signer.len() as u64;
        }
        self.at.signatures += 1;
    }

    /// Adds `count` DNSKEY records, which together hold one key field of the algorithm's length.
    pub fn dnskeys(&mut self, owner: &'m [u8], count: u64) {
        for _ in 0..count {
            self.name(owner);
            self.at.base += RECORD + DNSKEY_FIXED;
        }
        self.at.keys += 1;
    }

    /// Adds the OPT record.
    pub fn opt(&mut self, edns: Edns) {
        self.at.base += edns.len();
    }

    /// RDATA that begins with `count` names and goes on with octets.
    fn rdata_names(&mut self, rdata: &'m [u8], count: usize) {
        let mut rest = rdata;
        for _ in 0..count {
            // RDATA that is shorter than its type's fields counts with the octets that it has.
            let Some(len) = crate::name::wire_len(rest) else { break };
            let (name, after) = rest.split_at(len);
            self.name(name);
            rest = after;
        }
        self.at.base += rest.len() as u64;
    }

    /// A name that may end in a pointer.
    fn name(&mut self, wire: &'m [u8]) {
        let known = self.targets.len();
        let start = self.at;
        let mut label = 0usize;
        loop {
            if wire[label] == 0 {
                self.at.base += 1;
                return;
            }
            let suffix = &wire[label..];
            let hash = hash(suffix);
            if let Some(position) = self.find(hash, suffix, known) {
                self.at.base += 2;
                // Positions grow in every part, so the order of shapes is the order in the message.
                self.reach = self.reach.max(position);
                return;
            }
            let position = Shape { base: start.base + label as u64, ..start };
            if self.algorithm.is_none_or(|algorithm| position.size(algorithm) < FAR) {
                self.hashes.push(hash);
                self.targets.push((suffix, position));
            }
            let length = 1 + usize::from(wire[label]);
            self.at.base += length as u64;
            label += length;
        }
    }

    /// Where this suffix stands, among the first `known` targets.
    fn find(&self, hash: u32, suffix: &[u8], known: usize) -> Option<Shape> {
        self.hashes[..known]
            .iter()
            .zip(&self.targets)
            .find(|(other, (target, _))| **other == hash && *target == suffix)
            .map(|(_, (_, position))| *position)
    }
}

/// FNV-1a; names come from the user's own zone, and a collision only costs a comparison.
fn hash(octets: &[u8]) -> u32 {
    octets.iter().fold(0x811c_9dc5, |hash, octet| (hash ^ u32::from(*octet)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;

    fn name(text: &str) -> Name {
        text.parse::<Name>().unwrap()
    }

    /// The example of RFC 1035, section 4.1.4: F.ISI.ARPA at 20, FOO.F.ISI.ARPA at 40, ARPA at 64, the root at 92.
    #[test]
    fn example_of_rfc_1035() {
        let (first, second, third) = (name("f.isi.arpa."), name("foo.f.isi.arpa."), name("arpa."));
        let mut composer = Composer::new(None);
        let mut grown = Vec::new();
        for name in [&first, &second, &third, &Name::ROOT] {
            let before = composer.length().base;
            composer.name(name.as_wire());
            grown.push(composer.length().base - before);
        }
        assert_eq!(grown, [12, 6, 2, 1]);
    }

    /// A name's own suffixes stand behind it, so that it does not point into itself.
    #[test]
    fn repeated_labels() {
        let repeated = name("a.a.a.");
        let mut composer = Composer::new(None);
        composer.name(repeated.as_wire());
        assert_eq!(composer.length().base, HEADER + 7);
    }

    #[test]
    fn only_old_types_compress() {
        let owner = name("example.");
        let target = name("mail.example.");
        let mut mx = vec![0, 10];
        mx.extend_from_slice(target.as_wire());
        let mut srv = vec![0; 6];
        srv.extend_from_slice(target.as_wire());
        let size = |rtype, rdata: &[u8]| {
            let mut composer = Composer::new(None);
            composer.question(owner.as_wire());
            composer.record(owner.as_wire(), rtype, rdata);
            composer.length().base - (HEADER + 9 + 4) - 2 - RECORD
        };
        assert_eq!(size(Rtype::MX, &mx), 2 + 5 + 2);
        assert_eq!(size(Rtype::SRV, &srv), 6 + 14);
        assert_eq!(size(Rtype::NS, target.as_wire()), 5 + 2);
    }

    /// A name behind a signature of 16 KiB cannot be pointed to.
    #[test]
    fn pointers_end_at_14_bits() {
        let (apex, other) = (name("example."), name("other."));
        let compose = |algorithm| {
            let mut composer = Composer::new(algorithm);
            composer.question(apex.as_wire());
            composer.rrsigs(apex.as_wire(), apex.as_wire(), 1);
            composer.opaque(other.as_wire(), 0);
            composer.opaque(other.as_wire(), 0);
            composer.opaque(apex.as_wire(), 0);
            composer.finish()
        };
        let shape = compose(None);
        // Header 12, question 13, RRSIG 2 + 10 + 18 + 9 + s: “other.” stands at 64 + s.
        let (near, far) = (AlgorithmSize::new(0, 16_383 - 64), AlgorithmSize::new(0, 16_384 - 64));
        assert!(shape.is_exact(near));
        assert!(!shape.is_exact(far));
        assert_eq!(compose(Some(near)).shape, shape.shape);
        assert_eq!(compose(Some(far)).shape.base, shape.shape.base + 5);
    }
}
