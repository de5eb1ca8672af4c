//! A zone in memory: every RRset in canonical order, in four flat vectors.
//!
//! A zone of a million delegations has several million records, so nothing here is a record of its own on the heap:
//! owners, RRsets and RDATA are offsets into two byte arenas.

mod builder;
mod oddities;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use crate::name::{self, Name};
use crate::rtype::Rtype;

pub use builder::ZoneBuilder;

/// A zone, sorted: owners in canonical order (RFC 4034, section 6.1), below each owner its RRsets by type, in each
/// RRset the RDATA in canonical order without duplicates (section 6.3).
#[derive(Debug)]
pub struct Zone {
    apex: Name,
    /// Wire form and order key of every owner, one after the other.
    names: Vec<u8>,
    owners: Vec<OwnerEntry>,
    rrsets: Vec<RrsetEntry>,
    /// Where each record's RDATA begins in `arena`, grouped by RRset.
    records: Vec<u64>,
    /// RDATA, each behind its length in two octets.
    arena: Vec<u8>,
    /// RRSIG records whose TTL is not that of the RRset they cover, which should be none (RFC 4034, section 3): the
    /// owner's position, the record's position in `arena`, its TTL. Ascending.
    odd_ttls: Vec<(u32, u64, u32)>,
    /// RRsets whose records had several TTLs, in the order of `rrsets`.
    mixed_ttls: Vec<oddities::MixedTtls>,
    /// The owner of the first record that was read with a TTL of more than 31 bits, and how many there were.
    long_ttls: Option<(Name, usize)>,
    included: BTreeSet<PathBuf>,
}

#[derive(Debug, Clone, Copy)]
struct OwnerEntry {
    at: u64,
    wire: u8,
    key: u16,
    role: Role,
    /// The owner's first RRset; the next owner's first one ends it.
    first_rrset: u32,
}

#[derive(Debug, Clone, Copy)]
struct RrsetEntry {
    rtype: Rtype,
    ttl: u32,
    first_record: u32,
}

/// What an owner name is to the zone that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The zone's own data; every RRset is signed.
    Authoritative,
    /// A delegation: only DS and NSEC are the zone's own.
    Delegation,
    /// Glue below a delegation, or a name that a DNAME hides; nothing of it is signed.
    Occluded,
    /// Not at or below the apex.
    Outside,
}

/// The position of an owner name in its zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerId(u32);

impl OwnerId {
    /// The position as a number, from 0 in canonical order.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An owner name with its RRsets.
#[derive(Clone, Copy)]
pub struct Owner<'z> {
    zone: &'z Zone,
    id: OwnerId,
}

/// An RRset: the records of one owner and type.
#[derive(Clone, Copy)]
pub struct Rrset<'z> {
    zone: &'z Zone,
    owner: OwnerId,
    at: u32,
}

/// Why records do not make a zone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum ZoneError {
    #[error("the SOA record is missing; a zone begins with one")]
    NoSoa,
    /// SOA records at two names, or two at one.
    #[error("a second SOA record at {0}; a zone has exactly one")]
    SecondSoa(Box<Name>),
    /// A record that no zone file could have.
    #[error("the record {rtype} of {owner} cannot be in a zone: {what}")]
    Record { owner: Box<Name>, rtype: Rtype, what: String },
    /// More than 2³² records or names.
    #[error("the zone has more than four billion records; split it")]
    TooLarge,
}

impl Zone {
    /// The zone's own name: where its SOA is.
    pub fn apex(&self) -> &Name {
        &self.apex
    }

    /// The files that were read beside the one that was named, since `$INCLUDE` names them.
    pub fn included(&self) -> &BTreeSet<PathBuf> {
        &self.included
    }

    /// How many owner names there are.
    pub fn owner_count(&self) -> usize {
        self.owners.len()
    }

    /// How many RRsets there are.
    pub fn rrset_count(&self) -> usize {
        self.rrsets.len()
    }

    /// How many records there are.
    pub fn record_count(&self) -> usize {
        self.records.len()
    }

    /// Bytes of memory that the zone holds.
    pub fn memory(&self) -> usize {
        self.names.capacity()
            + self.arena.capacity()
            + self.owners.capacity() * size_of::<OwnerEntry>()
            + self.rrsets.capacity() * size_of::<RrsetEntry>()
            + self.records.capacity() * size_of::<u64>()
    }

    /// Every owner in canonical order.
    pub fn owners(&self) -> impl ExactSizeIterator<Item = Owner<'_>> + DoubleEndedIterator + Clone {
        (0..self.owners.len() as u32).map(|at| Owner { zone: self, id: OwnerId(at) })
    }

    /// The owners at these positions in canonical order.
    pub fn owners_in(
        &self,
        range: Range<usize>,
    ) -> impl ExactSizeIterator<Item = Owner<'_>> + DoubleEndedIterator {
        range.map(|at| Owner { zone: self, id: OwnerId(at as u32) })
    }

    /// One owner by position; `id` must come from this zone.
    pub fn owner(&self, id: OwnerId) -> Owner<'_> {
        Owner { zone: self, id }
    }

    /// The owner of this name.
    pub fn find(&self, wire: &[u8]) -> Option<Owner<'_>> {
        self.search(wire).ok().map(|at| Owner { zone: self, id: OwnerId(at as u32) })
    }

    /// The position of this name among the owners, or where it would be.
    pub fn search(&self, wire: &[u8]) -> Result<usize, usize> {
        let mut key = Vec::with_capacity(wire.len() * 2);
        name::push_order_key(wire, &mut key);
        self.owners.binary_search_by(|entry| self.key_of(entry).cmp(&key))
    }

    /// The RRset of this name and type.
    pub fn rrset(&self, wire: &[u8], rtype: Rtype) -> Option<Rrset<'_>> {
        self.find(wire)?.rrset(rtype)
    }

    fn key_of(&self, entry: &OwnerEntry) -> &[u8] {
        let start = entry.at as usize + usize::from(entry.wire);
        &self.names[start..start + usize::from(entry.key)]
    }

    /// The RDATA at a position, behind its length.
    fn rdata_at(&self, at: u64) -> &[u8] {
        let at = at as usize;
        let len = usize::from(u16::from_be_bytes([self.arena[at], self.arena[at + 1]]));
        &self.arena[at + 2..at + 2 + len]
    }
}

impl<'z> Owner<'z> {
    /// The zone it is an owner of.
    pub fn zone(self) -> &'z Zone {
        self.zone
    }

    /// The owner's position.
    pub fn id(self) -> OwnerId {
        self.id
    }

    fn entry(self) -> &'z OwnerEntry {
        &self.zone.owners[self.id.index()]
    }

    /// The name in wire form, lower case.
    pub fn wire(self) -> &'z [u8] {
        let entry = self.entry();
        &self.zone.names[entry.at as usize..][..usize::from(entry.wire)]
    }

    /// The name's order key: its plain comparison is canonical order, and a name below another has the other's key
    /// as a prefix.
    pub fn order_key(self) -> &'z [u8] {
        self.zone.key_of(self.entry())
    }

    /// The name.
    pub fn name(self) -> Name {
        // The zone holds only names that were valid when they came in.
        Name::from_wire(self.wire()).map_or(Name::ROOT, |(name, _)| name)
    }

    /// What the name is to its zone.
    pub fn role(self) -> Role {
        self.entry().role
    }

    /// Whether the name is the zone's apex.
    pub fn is_apex(self) -> bool {
        self.wire() == self.zone.apex.as_wire()
    }

    /// The owner's RRsets by ascending type.
    pub fn rrsets(self) -> impl ExactSizeIterator<Item = Rrset<'z>> + Clone {
        let zone = self.zone;
        let first = self.entry().first_rrset;
        let end =
            zone.owners.get(self.id.index() + 1).map_or(zone.rrsets.len() as u32, |next| next.first_rrset);
        (first..end).map(move |at| Rrset { zone, owner: self.id, at })
    }

    /// The owner's RRset of one type.
    pub fn rrset(self, rtype: Rtype) -> Option<Rrset<'z>> {
        // Two comparisons find the types of most owners; a hostile one may have all 65,536.
        let rrsets = self.rrsets();
        if rrsets.len() <= 16 {
            return rrsets.into_iter().find(|rrset| rrset.rtype() == rtype);
        }
        let first = self.entry().first_rrset as usize;
        let all = &self.zone.rrsets[first..first + rrsets.len()];
        let at = all.binary_search_by_key(&rtype, |entry| entry.rtype).ok()?;
        Some(Rrset { zone: self.zone, owner: self.id, at: (first + at) as u32 })
    }
}

impl<'z> Rrset<'z> {
    fn entry(self) -> &'z RrsetEntry {
        &self.zone.rrsets[self.at as usize]
    }

    /// The owner.
    pub fn owner(self) -> Owner<'z> {
        Owner { zone: self.zone, id: self.owner }
    }

    /// The type.
    pub fn rtype(self) -> Rtype {
        self.entry().rtype
    }

    /// The time to live in seconds: the smallest that the RRset's records had (RFC 2181, section 5.2).
    pub fn ttl(self) -> u32 {
        self.entry().ttl
    }

    /// The TTL and RDATA of each record in canonical order. An RRSIG has the TTL that it was read with, of one name's
    /// RRsets each its own; all other records have that of their RRset.
    pub fn records(self) -> impl ExactSizeIterator<Item = (u32, &'z [u8])> + Clone {
        let zone = self.zone;
        self.positions().iter().map(move |&at| (self.ttl_at(at), zone.rdata_at(at)))
    }

    fn ttl_at(self, at: u64) -> u32 {
        if self.rtype() != Rtype::RRSIG {
            return self.ttl();
        }
        let odd = &self.zone.odd_ttls;
        match odd.binary_search_by_key(&(self.owner.0, at), |(owner, at, _)| (*owner, *at)) {
            Ok(found) => odd[found].2,
            Err(_) => {
                let rdata = self.zone.rdata_at(at);
                let covered = rdata.first_chunk().map(|covered| Rtype(u16::from_be_bytes(*covered)));
                covered.and_then(|covered| self.owner().rrset(covered)).map_or(self.ttl(), Rrset::ttl)
            }
        }
    }

    /// The RDATA of each record in canonical order.
    pub fn rdata(self) -> impl ExactSizeIterator<Item = &'z [u8]> + Clone {
        let zone = self.zone;
        self.positions().iter().map(move |&at| zone.rdata_at(at))
    }

    fn positions(self) -> &'z [u64] {
        let zone = self.zone;
        let first = self.entry().first_record as usize;
        let end = zone
            .rrsets
            .get(self.at as usize + 1)
            .map_or(zone.records.len(), |next| next.first_record as usize);
        &zone.records[first..end]
    }
}
