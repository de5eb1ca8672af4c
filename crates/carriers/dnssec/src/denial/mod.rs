//! Denial of existence: which names and types a zone's NSEC or NSEC3 records list.
//!
//! Signing and validation ask the same questions of a zone, so both go through one view of it.

pub(crate) mod nsec;
pub(crate) mod nsec3;

use crate::rtype::Rtype;
use crate::zone::{Owner, OwnerId, Role, Zone};

pub use nsec3::{MAX_ITERATIONS, Nsec3};

/// How a zone proves that something is not there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Denial {
    /// NSEC records (RFC 4034, section 4).
    #[default]
    Nsec,
    /// NSEC3 records (RFC 5155).
    Nsec3(Nsec3),
}

impl Denial {
    /// How a zone says that it denies, whether it is signed or not: by NSEC3 if its apex has an NSEC3PARAM record that a
    /// server may use (RFC 5155, section 4.1.2), with opt-out if an NSEC3 record that an earlier signing left has that
    /// flag; by NSEC otherwise.
    #[must_use]
    pub fn of(zone: &Zone) -> Denial {
        let usable = |rdata: &[u8]| match nsec3::parameters(rdata) {
            Some((parameters, [], 0)) => Some(parameters),
            _ => None,
        };
        let asked = zone.rrset(zone.apex().as_wire(), Rtype::NSEC3PARAM);
        match asked.into_iter().flat_map(|rrset| rrset.rdata()).find_map(usable) {
            Some(parameters) => Denial::Nsec3(Nsec3 { opt_out: nsec3::has_opt_out(zone), ..parameters }),
            None => Denial::Nsec,
        }
    }
}

/// A zone's data without the records that signing makes.
pub(crate) struct View<'z> {
    pub(crate) zone: &'z Zone,
    pub(crate) apex: OwnerId,
    /// Types that signing puts at the apex in place of what the zone has there; empty for a signed zone.
    pub(crate) made_at_apex: Vec<Rtype>,
    /// Whether the zone is to be signed, so that what an earlier signing left at its apex does not count.
    pub(crate) signing: bool,
}

impl<'z> View<'z> {
    pub(crate) fn counts(&self, owner: OwnerId, rtype: Rtype) -> bool {
        match rtype {
            Rtype::DNSKEY | Rtype::NSEC3PARAM | Rtype::ZONEMD | Rtype::CDS | Rtype::CDNSKEY => {
                // At the apex only: elsewhere they are data, and `dnssec-signzone` (BIND 9.18.49) keeps an
                // NSEC3PARAM record there, too.
                !(self.signing && owner == self.apex)
            }
            _ => !matches!(rtype, Rtype::RRSIG | Rtype::NSEC | Rtype::NSEC3),
        }
    }

    pub(crate) fn has_data(&self, owner: Owner<'z>) -> bool {
        owner.role() != Role::Outside && owner.rrsets().any(|rrset| self.counts(owner.id(), rrset.rtype()))
    }

    /// Whether the name takes part in denial of existence: it has data, and the zone is not silenced there.
    pub(crate) fn in_chain(&self, owner: Owner<'z>) -> bool {
        matches!(owner.role(), Role::Authoritative | Role::Delegation) && self.has_data(owner)
    }

    /// The types at a name that a bitmap lists, without RRSIG and NSEC (RFC 4035, section 2.3): of a delegation only
    /// what the parent side has.
    fn push_types(&self, owner: Owner<'z>, out: &mut Vec<Rtype>) {
        let delegation = owner.role() == Role::Delegation;
        let listed = |rtype| !delegation || matches!(rtype, Rtype::NS | Rtype::DS);
        let own = owner.rrsets().map(|rrset| rrset.rtype());
        out.extend(own.filter(|rtype| listed(*rtype) && self.counts(owner.id(), *rtype)));
        if owner.id() == self.apex {
            out.extend_from_slice(&self.made_at_apex);
        }
    }
}

/// Whether the zone signs an RRset of this type at a name of this role (RFC 4035, section 2.2).
pub(crate) fn is_signed(role: Role, rtype: Rtype) -> bool {
    match role {
        Role::Authoritative => rtype != Rtype::RRSIG,
        Role::Delegation => matches!(rtype, Rtype::DS | Rtype::NSEC),
        Role::Occluded | Role::Outside => false,
    }
}
