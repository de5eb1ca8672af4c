//! The size of the whole signed zone: as a file in BIND's raw format, as text, and as a transfer.

use super::compress::{Composer, DNSKEY_FIXED, RRSIG_FIXED};
use super::facts::{self, ZoneFacts};
use super::setup::{DenialMethod, KeySet, Setup};
use super::shape::{AlgorithmSize, Shape};
use crate::format::{raw, text};
use crate::rtype::Rtype;
use crate::zone::{OwnerId, Role, Rrset};

/// How many octets of uncompressed records a message of a transfer takes. BIND 9.18 stops there too, so that most
/// names stand where a compression pointer still reaches them.
const TRANSFER_FILL: u64 = 20_480;

/// The size of a zone file in presentation format, as this library writes it: one record a line, single spaces.
///
/// This is an estimate in two points that signing decides: every algorithm number is taken to have two digits and
/// every key tag five (the average tag of 16 bits has 4.83).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSize {
    /// Octets that every algorithm needs.
    pub base: u64,
    /// Signatures in Base64 of each algorithm.
    pub signatures: u64,
    /// Public keys in Base64 of each algorithm.
    pub keys: u64,
}

impl TextSize {
    /// The size in octets. The algorithms are as many as the setup had signers; they do not enter as a sum, since
    /// each Base64 text is padded by itself.
    pub fn size(&self, algorithms: &[AlgorithmSize]) -> u64 {
        let base64 = |octets: u32| u64::from(octets).div_ceil(3) * 4;
        algorithms.iter().fold(self.base, |size, algorithm| {
            size + self.signatures * base64(algorithm.signature) + self.keys * base64(algorithm.key)
        })
    }
}

/// The size of a zone transfer over TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferSize {
    /// Octets of all messages, with the two octets of length before each (RFC 1035, section 4.2.2).
    pub octets: u64,
    /// Messages.
    pub messages: u64,
    /// Records, the SOA at the end included.
    pub records: u64,
}

struct Set<'m> {
    owner: &'m [u8],
    rtype: Rtype,
    ttl: u32,
    content: Content<'m>,
}

enum Content<'m> {
    /// As it stands in the unsigned zone.
    Rrset(Rrset<'m>),
    /// One record that signing adds.
    Made(&'m [u8]),
    /// DNSKEY records, so many of each algorithm.
    Keys(u64),
    /// RRSIG records over this type, so many of each algorithm.
    Signatures(Rtype, u64),
}

impl ZoneFacts<'_> {
    /// The size in BIND's raw format (see [`raw`]). Exact: a header of 24 octets, and for
    /// each RRset 18 octets, the owner behind two octets, and each RDATA behind two octets.
    ///
    /// With [`DenialMethod::Compact`] the file has no denial records, as those are made on line.
    pub fn raw_size(&self, setup: Setup, keys: KeySet) -> Shape {
        let signer = self.apex().len() as u64;
        let signers = setup.signers.count();
        let mut shape = Shape { base: raw::HEADER as u64, ..Shape::default() };
        self.each_set(setup, keys, |set| {
            shape.base += (raw::RRSET_HEADER + 2 + set.owner.len()) as u64;
            match set.content {
                Content::Rrset(rrset) => {
                    shape.base += rrset.rdata().map(|rdata| 2 + rdata.len() as u64).sum::<u64>();
                }
                Content::Made(rdata) => shape.base += 2 + rdata.len() as u64,
                Content::Keys(count) => {
                    shape.base += signers * count * (2 + DNSKEY_FIXED);
                    shape.keys += count;
                }
                Content::Signatures(_, count) => {
                    shape.base += signers * count * (2 + RRSIG_FIXED + signer);
                    shape.signatures += count;
                }
            }
        });
        shape
    }

    /// The size as text, see [`TextSize`].
    pub fn text_size(&self, setup: Setup, keys: KeySet) -> TextSize {
        let signers = setup.signers.count();
        let mut size = TextSize { base: 0, signatures: 0, keys: 0 };
        let mut line = Vec::new();
        let mut measure = |owner: &[u8], ttl: u32, rtype: Rtype, rdata: &[u8]| {
            line.clear();
            text::push_record(owner, ttl, rtype, rdata, &mut line);
            line.len() as u64
        };
        self.each_set(setup, keys, |set| match set.content {
            Content::Rrset(rrset) => {
                for rdata in rrset.rdata() {
                    size.base += measure(set.owner, set.ttl, set.rtype, rdata);
                }
            }
            Content::Made(rdata) => size.base += measure(set.owner, set.ttl, set.rtype, rdata),
            Content::Keys(count) => {
                // Flags 256 or 257, protocol 3, and an algorithm of two digits.
                size.base += signers * count * measure(set.owner, set.ttl, set.rtype, &[1, 0, 3, 18]);
                size.keys += count;
            }
            Content::Signatures(covered, count) => {
                let labels = crate::name::labels(set.owner).count() as u8;
                let [high, low] = covered.0.to_be_bytes();
                let mut rdata = vec![high, low, 18, labels];
                rdata.extend_from_slice(&set.ttl.to_be_bytes());
                // Two moments, which are as long as any other, and a key tag of five digits.
                rdata.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
                rdata.extend_from_slice(self.apex());
                size.base += signers * count * measure(set.owner, set.ttl, Rtype::RRSIG, &rdata);
                size.signatures += count;
            }
        });
        size
    }

    /// The size of a transfer (RFC 5936): an estimate, since each server fills messages in its own way. Here a message
    /// takes records until their uncompressed lengths would pass 20,480 octets, and is then compressed; only the first
    /// message has a question, and there is neither OPT nor TSIG.
    pub fn transfer_size(&self, setup: Setup, keys: KeySet, algorithm: AlgorithmSize) -> TransferSize {
        let apex = self.apex();
        let signers = setup.signers.count();
        let arena = Arena::new(self, setup.denial);
        let mut transfer = Transfer::new(algorithm);
        transfer.composer.question(apex);
        let soa = self.apex_rrset(Rtype::SOA);
        if let Some(soa) = soa {
            transfer.rrset(apex, soa);
        }
        self.each_set_in(&arena, setup, keys, |set| match set.content {
            Content::Rrset(rrset) if rrset.rtype() == Rtype::SOA => {}
            Content::Rrset(rrset) => transfer.rrset(set.owner, rrset),
            Content::Made(rdata) => {
                transfer.make_room(set.owner, rdata.len() as u64);
                transfer.composer.opaque(set.owner, rdata.len() as u64);
            }
            Content::Keys(count) => {
                for _ in 0..count {
                    transfer.make_room(set.owner, signers * DNSKEY_FIXED + u64::from(algorithm.key));
                    transfer.composer.dnskeys(set.owner, signers);
                }
                transfer.size.records += count * (signers - 1);
            }
            Content::Signatures(_, count) => {
                for _ in 0..count {
                    let fixed = signers * (RRSIG_FIXED + apex.len() as u64);
                    transfer.make_room(set.owner, fixed + u64::from(algorithm.signature));
                    transfer.composer.rrsigs(set.owner, apex, signers);
                }
                transfer.size.records += count * (signers - 1);
            }
        });
        if let Some(soa) = soa {
            transfer.rrset(apex, soa);
        }
        transfer.close();
        transfer.size
    }

    fn each_set(&self, setup: Setup, keys: KeySet, visit: impl FnMut(Set<'_>)) {
        self.each_set_in(&Arena::new(self, setup.denial), setup, keys, visit);
    }

    /// Visits every RRset of the signed zone: the names in canonical order with their NSEC, then the NSEC3 chain.
    fn each_set_in<'m>(
        &'m self,
        arena: &'m Arena,
        setup: Setup,
        keys: KeySet,
        mut visit: impl FnMut(Set<'m>),
    ) {
        let apex = self.apex();
        let soa = self.apex_rrset(Rtype::SOA);
        let soa_ttl = soa.map_or(0, Rrset::ttl);
        // RFC 9077, section 3: the TTL of NSEC and NSEC3 is the smaller of the SOA's TTL and minimum.
        let minimum = soa.and_then(|soa| soa.rdata().next()).map_or(0, text::soa_minimum);
        let denial_ttl = soa_ttl.min(minimum);
        let signed = |visit: &mut dyn FnMut(Set<'m>), set: Set<'m>, count: u64| {
            let (owner, ttl, covered) = (set.owner, set.ttl, set.rtype);
            visit(set);
            visit(Set { owner, rtype: Rtype::RRSIG, ttl, content: Content::Signatures(covered, count) });
        };

        let mut made = arena.nsec.iter().peekable();
        for owner in self.zone.owners() {
            if owner.role() == Role::Outside {
                continue;
            }
            let wire = owner.wire();
            let occluded = owner.role() == Role::Occluded;
            for rrset in owner.rrsets() {
                let set = Set {
                    owner: wire,
                    rtype: rrset.rtype(),
                    ttl: rrset.ttl(),
                    content: Content::Rrset(rrset),
                };
                match rrset.rtype() {
                    Rtype::RRSIG | Rtype::NSEC | Rtype::NSEC3 => {}
                    Rtype::NSEC3PARAM | Rtype::DNSKEY if owner.is_apex() => {}
                    _ if occluded => visit(set),
                    Rtype::DS => signed(&mut visit, set, 1),
                    _ if owner.role() == Role::Delegation => visit(set),
                    _ => signed(&mut visit, set, 1),
                }
            }
            if owner.is_apex() {
                let (count, signatures) = keys.counts();
                let content = Content::Keys(count);
                signed(
                    &mut visit,
                    Set { owner: apex, rtype: Rtype::DNSKEY, ttl: soa_ttl, content },
                    signatures,
                );
                if matches!(setup.denial, DenialMethod::Nsec3 | DenialMethod::Nsec3OptOut) {
                    // SHA-1, no flags, no extra iterations, no salt (RFC 5155, section 4.1).
                    let content = Content::Made(&[1, 0, 0, 0, 0]);
                    signed(&mut visit, Set { owner: apex, rtype: Rtype::NSEC3PARAM, ttl: 0, content }, 1);
                }
            }
            if let Some((_, range)) = made.next_if(|(id, _)| *id == owner.id()) {
                let content = Content::Made(&arena.octets[range.clone()]);
                signed(&mut visit, Set { owner: wire, rtype: Rtype::NSEC, ttl: denial_ttl, content }, 1);
            }
        }
        for (owner, rdata) in &arena.nsec3 {
            let content = Content::Made(&arena.octets[rdata.clone()]);
            let owner = &arena.octets[owner.clone()];
            signed(&mut visit, Set { owner, rtype: Rtype::NSEC3, ttl: denial_ttl, content }, 1);
        }
    }
}

type Span = std::ops::Range<usize>;

/// The records that deny, which exist in no zone yet.
struct Arena {
    octets: Vec<u8>,
    nsec: Vec<(OwnerId, Span)>,
    nsec3: Vec<(Span, Span)>,
}

impl Arena {
    fn new(facts: &ZoneFacts<'_>, denial: DenialMethod) -> Self {
        let mut arena = Arena { octets: Vec::new(), nsec: Vec::new(), nsec3: Vec::new() };
        match denial {
            DenialMethod::Compact => {}
            DenialMethod::Nsec => {
                for (at, link) in facts.chain.iter().enumerate() {
                    let next = facts.chain[(at + 1) % facts.chain.len()];
                    let start = arena.octets.len();
                    arena.octets.extend_from_slice(facts.zone.owner(next.owner).wire());
                    facts::push_bitmap(facts.zone.owner(link.owner), denial, &mut arena.octets);
                    arena.nsec.push((link.owner, start..arena.octets.len()));
                }
            }
            DenialMethod::Nsec3 | DenialMethod::Nsec3OptOut => {
                let chain = facts.nsec3_chain(denial);
                for (at, entry) in chain.iter().enumerate() {
                    let start = arena.octets.len();
                    let owner = facts::hashed_owner(entry, facts.zone.apex());
                    arena.octets.extend_from_slice(owner.as_wire());
                    let middle = arena.octets.len();
                    let opt_out = u8::from(denial == DenialMethod::Nsec3OptOut);
                    arena.octets.extend_from_slice(&[1, opt_out, 0, 0, 0, 20]);
                    arena.octets.extend_from_slice(&chain[(at + 1) % chain.len()].hash);
                    if let Some(owner) = entry.owner {
                        facts::push_bitmap(facts.zone.owner(owner), denial, &mut arena.octets);
                    }
                    arena.nsec3.push((start..middle, middle..arena.octets.len()));
                }
            }
        }
        arena
    }
}

struct Transfer<'m> {
    algorithm: AlgorithmSize,
    composer: Composer<'m>,
    /// Uncompressed length of the message.
    plain: u64,
    size: TransferSize,
}

impl<'m> Transfer<'m> {
    fn new(algorithm: AlgorithmSize) -> Self {
        Transfer {
            algorithm,
            composer: Composer::new(Some(algorithm)),
            plain: 0,
            size: TransferSize { octets: 0, messages: 0, records: 0 },
        }
    }

    fn rrset(&mut self, owner: &'m [u8], rrset: Rrset<'m>) {
        for rdata in rrset.rdata() {
            self.make_room(owner, rdata.len() as u64);
            self.composer.record(owner, rrset.rtype(), rdata);
        }
    }

    /// Counts a record, and begins a new message if it does not fit into this one.
    fn make_room(&mut self, owner: &[u8], rdata: u64) {
        let plain = owner.len() as u64 + 10 + rdata;
        if self.plain > 0 && self.plain + plain > TRANSFER_FILL {
            self.close();
            self.composer = Composer::new(Some(self.algorithm));
            self.plain = 0;
        }
        self.plain += plain;
        self.size.records += 1;
    }

    fn close(&mut self) {
        let composer = std::mem::replace(&mut self.composer, Composer::new(None));
        self.size.octets += 2 + composer.finish().shape.size(self.algorithm);
        self.size.messages += 1;
    }
}
