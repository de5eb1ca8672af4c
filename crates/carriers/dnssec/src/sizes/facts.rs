//! What the answers of a zone depend on: its names in order, their types, and the chains that prove what is missing.
//!
//! Everything that signing adds is derived here and never read: a zone that is signed already is sized like the zone
//! that it was before.

use sha1::{Digest, Sha1};

use super::setup::DenialMethod;
use crate::bitmap;
use crate::name::{self, Name};
use crate::rtype::Rtype;
use crate::zone::{Owner, OwnerId, Role, Rrset, Zone};

/// The type that compact denial puts into the bitmap of a name that does not exist (RFC 9824).
const NXNAME: Rtype = Rtype(128);
/// An NSEC3's RDATA without bitmap: no salt, and the SHA-1 of the next name (RFC 5155, section 3.2).
pub(super) const NSEC3_FIXED: u64 = 1 + 1 + 2 + 1 + 1 + 20;

/// CNAME records that an answer follows at most.
const MOST_ALIASES: usize = 16;

/// A zone, prepared for sizing.
#[derive(Debug)]
pub struct ZoneFacts<'z> {
    pub(super) zone: &'z Zone,
    /// The owners of NSEC records, in canonical order.
    pub(super) chain: Vec<Link>,
    /// Hashed owners, sorted; without those that opt-out leaves out.
    hashed: Vec<Hashed>,
    /// As `hashed`, where insecure delegations have no NSEC3.
    opted_out: Vec<Hashed>,
    pub(super) delegations: Vec<OwnerId>,
    has_wildcards: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) owner: OwnerId,
    pub(super) bitmap: u16,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Hashed {
    pub(super) hash: [u8; 20],
    pub(super) bitmap: u16,
    /// The name itself; an empty non-terminal has none.
    pub(super) owner: Option<OwnerId>,
}

/// The zone's apex has no SOA that could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the zone has no owner name at its apex; read it again with its SOA record")]
pub struct NoApex;

impl<'z> ZoneFacts<'z> {
    /// Reads what sizing needs: one pass over the owners, with one SHA-1 for each, whatever the denial will be.
    pub fn new(zone: &'z Zone) -> Result<Self, NoApex> {
        zone.rrset(zone.apex().as_wire(), Rtype::SOA).ok_or(NoApex)?;
        let mut facts = ZoneFacts {
            zone,
            chain: Vec::new(),
            hashed: Vec::new(),
            opted_out: Vec::new(),
            delegations: Vec::new(),
            has_wildcards: false,
        };
        let apex_key = order_key(zone.apex().as_wire());
        let mut before: Vec<u8> = apex_key.clone();
        let mut before_opted_out = before.clone();
        for owner in zone.owners() {
            let secure = match owner.role() {
                Role::Outside | Role::Occluded => continue,
                Role::Delegation => owner.rrset(Rtype::DS).is_some(),
                Role::Authoritative => true,
            };
            if own_types(owner).next().is_none() {
                // Only NSEC3 or RRSIG records: a hashed owner of a zone that was signed before.
                continue;
            }
            match owner.role() {
                Role::Delegation => facts.delegations.push(owner.id()),
                _ => facts.has_wildcards |= is_wildcard(owner),
            }
            facts.chain.push(Link { owner: owner.id(), bitmap: bitmap_len(owner, DenialMethod::Nsec) });
            let entry = Hashed {
                hash: nsec3_hash(owner.wire()),
                bitmap: bitmap_len(owner, DenialMethod::Nsec3),
                owner: Some(owner.id()),
            };
            push_empty_non_terminals(owner, &before, &apex_key, &mut facts.hashed);
            facts.hashed.push(entry);
            before.clear();
            before.extend_from_slice(owner.order_key());
            if secure {
                push_empty_non_terminals(owner, &before_opted_out, &apex_key, &mut facts.opted_out);
                facts.opted_out.push(entry);
                before_opted_out.clone_from(&before);
            }
        }
        facts.hashed.sort_unstable_by_key(|entry| entry.hash);
        facts.opted_out.sort_unstable_by_key(|entry| entry.hash);
        Ok(facts)
    }

    /// The zone.
    pub fn zone(&self) -> &'z Zone {
        self.zone
    }

    /// Whether any name of the zone is a wildcard, so that some of its own answers hold proofs.
    pub fn has_wildcards(&self) -> bool {
        self.has_wildcards
    }

    /// This name, and the names of the zone that CNAME records lead to from it, one after the other.
    pub(super) fn aliases(&self, first: Owner<'z>) -> Vec<Owner<'z>> {
        let mut aliases = vec![first];
        let mut target = first.rrset(Rtype::CNAME).and_then(|rrset| rrset.rdata().next());
        while let Some(next) = target.and_then(|name| self.zone.find(name)) {
            let leads_on = next.role() == Role::Authoritative && own_types(next).next().is_some();
            if !leads_on || aliases.len() > MOST_ALIASES || aliases.iter().any(|it| it.id() == next.id()) {
                break;
            }
            aliases.push(next);
            target = next.rrset(Rtype::CNAME).and_then(|rrset| rrset.rdata().next());
        }
        aliases
    }

    pub(super) fn apex(&self) -> &'z [u8] {
        self.zone.apex().as_wire()
    }

    pub(super) fn apex_rrset(&self, rtype: Rtype) -> Option<Rrset<'z>> {
        self.zone.rrset(self.apex(), rtype)
    }

    /// The link of the NSEC chain that matches or covers this name, by position in the chain.
    pub(super) fn nsec(&self, wire: &[u8]) -> usize {
        let behind = match self.zone.search(wire) {
            Ok(at) => at + 1,
            Err(at) => at,
        };
        // The apex comes first in its zone and in canonical order, so there is always a link before.
        self.chain.partition_point(|link| link.owner.index() < behind).saturating_sub(1)
    }

    /// Length of the next name in a link of the NSEC chain.
    pub(super) fn nsec_next(&self, link: usize) -> u64 {
        let next = self.chain[(link + 1) % self.chain.len()];
        self.zone.owner(next.owner).wire().len() as u64
    }

    pub(super) fn nsec3_chain(&self, denial: DenialMethod) -> &[Hashed] {
        if denial == DenialMethod::Nsec3OptOut { &self.opted_out } else { &self.hashed }
    }

    /// The entry of the NSEC3 chain that matches (`true`) or covers this name.
    pub(super) fn nsec3(&self, denial: DenialMethod, wire: &[u8]) -> (usize, bool) {
        let chain = self.nsec3_chain(denial);
        match chain.binary_search_by_key(&nsec3_hash(wire), |entry| entry.hash) {
            Ok(at) => (at, true),
            // Before the first entry, the last one covers: the chain is a circle.
            Err(at) => (at.checked_sub(1).unwrap_or(chain.len() - 1), false),
        }
    }

    /// Length of the bitmap that compact denial gives a name that does not exist.
    pub(super) fn nxname_bitmap(&self) -> u64 {
        let mut out = Vec::new();
        bitmap::push(&mut [Rtype::RRSIG, Rtype::NSEC, NXNAME], &mut out);
        out.len() as u64
    }

    /// Whether this name, or one below it, exists; then a question for it is not answered with NXDOMAIN.
    pub(super) fn exists(&self, wire: &[u8]) -> bool {
        match self.zone.search(wire) {
            Ok(_) => true,
            Err(at) => {
                let key = order_key(wire);
                at < self.zone.owner_count()
                    && self.zone.owners_in(at..at + 1).any(|owner| owner.order_key().starts_with(&key))
            }
        }
    }
}

/// The types of an owner without those that signing adds.
pub(super) fn own_types(owner: Owner<'_>) -> impl Iterator<Item = Rtype> + '_ {
    let delegation = owner.role() == Role::Delegation;
    owner.rrsets().map(Rrset::rtype).filter(move |rtype| match *rtype {
        Rtype::RRSIG | Rtype::NSEC | Rtype::NSEC3 => false,
        Rtype::NSEC3PARAM | Rtype::DNSKEY if owner.is_apex() => false,
        Rtype::NS | Rtype::DS => true,
        // A delegation's other records are occluded.
        _ => !delegation,
    })
}

pub(super) fn is_wildcard(owner: Owner<'_>) -> bool {
    owner.wire().starts_with(b"\x01*")
}

pub(super) fn bitmap_len(owner: Owner<'_>, denial: DenialMethod) -> u16 {
    let mut out = Vec::with_capacity(34);
    push_bitmap(owner, denial, &mut out);
    out.len() as u16
}

pub(super) fn push_bitmap(owner: Owner<'_>, denial: DenialMethod, out: &mut Vec<u8>) {
    let mut types: Vec<Rtype> = own_types(owner).collect();
    let hashed = matches!(denial, DenialMethod::Nsec3 | DenialMethod::Nsec3OptOut);
    if !hashed {
        types.push(Rtype::NSEC);
    }
    // With NSEC3, an insecure delegation has nothing signed of its own.
    if !hashed || owner.role() != Role::Delegation || types.contains(&Rtype::DS) {
        types.push(Rtype::RRSIG);
    }
    if owner.is_apex() {
        types.push(Rtype::DNSKEY);
        if hashed {
            types.push(Rtype::NSEC3PARAM);
        }
    }
    bitmap::push(&mut types, out);
}

/// Adds the names between `owner` and the ones before it that own nothing (RFC 5155, section 7.1); their bitmap is
/// empty.
fn push_empty_non_terminals(owner: Owner<'_>, before: &[u8], apex_key: &[u8], out: &mut Vec<Hashed>) {
    let name = owner.name();
    let mut ancestor = name.parent();
    while let Some(name) = ancestor {
        let key = order_key(name.as_wire());
        if key.len() <= apex_key.len() || before.starts_with(&key) {
            break;
        }
        out.push(Hashed { hash: nsec3_hash(name.as_wire()), bitmap: 0, owner: None });
        ancestor = name.parent();
    }
}

fn order_key(wire: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(wire.len() + 8);
    name::push_order_key(wire, &mut key);
    key
}

/// The hash of an owner name with no extra iterations and no salt, as RFC 9276, section 3.1 demands.
fn nsec3_hash(wire: &[u8]) -> [u8; 20] {
    Sha1::digest(wire).into()
}

/// The owner of an NSEC3: the hash in Base32hex as a label below the apex (RFC 5155, section 3).
pub(super) fn hashed_owner(entry: &Hashed, apex: &Name) -> Name {
    let mut label = [0u8; 32];
    data_encoding::BASE32HEX_NOPAD.encode_mut(&entry.hash, &mut label);
    apex.child(&label).unwrap_or(*apex)
}
