//! What a zone had better not hold, though it can be read: whoever reads it may say so.

use super::{Owner, OwnerId, Role, Rrset, Zone};
use crate::rtype::Rtype;

impl Zone {
    /// How many records lie outside the zone, where nothing is signed or validated.
    pub fn outside(&self) -> usize {
        let outside = self.owners().filter(|owner| owner.role() == Role::Outside);
        outside.flat_map(Owner::rrsets).map(|rrset| rrset.rdata().len()).sum()
    }

    /// Wildcards below the apex that have NS records. RFC 4592, section 4.2, leaves open what they mean, and BIND loads
    /// no zone that has them.
    pub fn wildcard_delegations(&self) -> impl Iterator<Item = Owner<'_>> {
        self.owners().filter(|owner| {
            owner.wire().starts_with(b"\x01*")
                && matches!(owner.role(), Role::Delegation | Role::Occluded)
                && owner.rrset(Rtype::NS).is_some()
        })
    }

    /// DNAME records that hide data, which no zone has (RFC 6672, section 2.4): NSD and Knot load none that does, and BIND
    /// none in which the record is at the apex. NSEC3 records below the apex are no data.
    pub fn dnames_above_data(&self) -> impl Iterator<Item = Owner<'_>> {
        let is_data = |rrset: Rrset<'_>| !matches!(rrset.rtype(), Rtype::NSEC3 | Rtype::RRSIG);
        self.owners().filter(move |owner| {
            // What a name hides stands right behind it.
            let behind = self.owners_in(owner.id().index() + 1..self.owner_count());
            owner.role() == Role::Authoritative
                && owner.rrset(Rtype::DNAME).is_some()
                && behind
                    .take_while(|below| below.role() == Role::Occluded)
                    .any(|below| below.rrsets().any(is_data))
        })
    }

    /// The RRsets whose records were read with several TTLs, which is an error (RFC 2181, section 5.2), each with the
    /// largest of them in seconds; [`Rrset::ttl`] is the smallest. RRSIG records have the TTLs of what they cover, and
    /// are none of these.
    pub fn mixed_ttls(&self) -> impl ExactSizeIterator<Item = (Rrset<'_>, u32)> {
        self.mixed_ttls.iter().map(|mixed| {
            let rrset = Rrset { zone: self, owner: OwnerId(mixed.owner), at: mixed.rrset };
            (rrset, mixed.largest)
        })
    }
}

/// An RRset whose records had several TTLs.
#[derive(Debug, Clone, Copy)]
pub(super) struct MixedTtls {
    owner: u32,
    rrset: u32,
    largest: u32,
}

impl Zone {
    /// Notes two different TTLs of the RRset that was added last, as the zone is built.
    pub(super) fn note_mixed_ttls(&mut self, one: u32, other: u32) {
        let (owner, rrset) = (self.owners.len() as u32 - 1, self.rrsets.len() as u32 - 1);
        let largest = one.max(other);
        match self.mixed_ttls.last_mut() {
            Some(mixed) if mixed.rrset == rrset => mixed.largest = mixed.largest.max(largest),
            _ => self.mixed_ttls.push(MixedTtls { owner, rrset, largest }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::name::Name;
    use crate::rtype::Rtype;
    use crate::zone::ZoneBuilder;

    #[test]
    fn largest_ttls() {
        let mut builder = ZoneBuilder::new();
        let name = |text: &str| Name::parse(text.as_bytes(), None).unwrap();
        builder.push_checked(&name("x."), Rtype::SOA, 1, &[0; 22]);
        for (owner, ttls) in
            [("a.x.", [7, 7, 7]), ("b.x.", [7, 9, 8]), ("c.x.", [9, 7, 7]), ("d.x.", [7, 7, 8])]
        {
            for (last, ttl) in ttls.into_iter().enumerate() {
                builder.push_checked(&name(owner), Rtype::A, ttl, &[1, 2, 3, last as u8]);
            }
        }
        // The same record twice.
        builder.push_checked(&name("e.x."), Rtype::A, 5, &[1, 2, 3, 4]);
        builder.push_checked(&name("e.x."), Rtype::A, 6, &[1, 2, 3, 4]);
        let zone = builder.finish().unwrap();
        let found: Vec<_> = zone
            .mixed_ttls()
            .map(|(rrset, largest)| (rrset.owner().name().to_string(), rrset.rtype(), rrset.ttl(), largest))
            .collect();
        let expected = [("b.x.", 7, 9), ("c.x.", 7, 9), ("d.x.", 7, 8), ("e.x.", 5, 6)];
        assert_eq!(found, expected.map(|(owner, ttl, largest)| (owner.to_owned(), Rtype::A, ttl, largest)));
    }
}
