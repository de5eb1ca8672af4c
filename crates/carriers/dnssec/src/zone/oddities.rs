//! What a zone had better not hold, though it can be read: whoever reads it may say so.

use super::{Owner, OwnerId, Role, Rrset, Zone};
use crate::cds;
use crate::name::Name;
use crate::rtype::Rtype;

impl Zone {
    /// How many records lie outside the zone, where nothing is signed or validated.
    pub fn outside(&self) -> usize {
        let outside = self.owners().filter(|owner| owner.role() == Role::Outside);
        outside.flat_map(Owner::rrsets).map(|rrset| rrset.rdata().len()).sum()
    }

    /// The owner of the first record that was read with a TTL of more than 31 bits, which is 0 now (RFC 2181, section 8),
    /// and how many there were.
    pub fn long_ttls(&self) -> Option<(&Name, usize)> {
        self.long_ttls.as_ref().map(|(owner, count)| (owner, *count))
    }

    /// Whether this name is not in the zone, or has an address that a resolver finds: at the name itself, by a wildcard, or,
    /// as far as `cut` needs it there, below a delegation. A name below a DNAME record has none, nor has an alias.
    fn has_address(&self, server: &[u8], cut: Owner<'_>) -> bool {
        // First, since most servers of a large zone are elsewhere: without this, each delegation of a TLD
        // costs two searches for nothing.
        if !server.ends_with(self.apex.as_wire()) {
            return true;
        }
        let has_address =
            |owner: Owner<'_>| [Rtype::A, Rtype::AAAA].into_iter().any(|rtype| owner.rrset(rtype).is_some());
        let at_server = self.find(server).is_some_and(has_address);
        if at_server && !cut.is_apex() {
            return true;
        }
        let mut name = server;
        while name.len() >= self.apex.as_wire().len() {
            let found = self.find(name);
            match found.map(Owner::role) {
                // Only what lies below the delegation itself must be in this zone (RFC 9471).
                Some(Role::Delegation) => return name != cut.wire() || at_server,
                Some(Role::Authoritative) if name == server => return at_server,
                Some(Role::Authoritative) if found.and_then(|it| it.rrset(Rtype::DNAME)).is_some() => {
                    return false;
                }
                _ => {}
            }
            let wildcard = self.find(&[b"\x01*", name].concat());
            if name != server
                && wildcard.is_some_and(|it| it.role() == Role::Authoritative && has_address(it))
            {
                return true;
            }
            if found.is_some_and(|it| it.role() == Role::Authoritative) {
                return false;
            }
            name = &name[1 + usize::from(name[0])..];
        }
        true
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

impl<'z> Owner<'z> {
    /// Whether this is a wildcard below the apex with NS records. RFC 4592, section 4.2, leaves open what they mean, and
    /// BIND loads no zone that has them.
    pub fn is_wildcard_delegation(self) -> bool {
        self.wire().starts_with(b"\x01*")
            && matches!(self.role(), Role::Delegation | Role::Occluded)
            && self.rrset(Rtype::NS).is_some()
    }

    /// Whether it has a DNAME record that hides data, which no zone has (RFC 6672, section 2.4): NSD and Knot load none
    /// that does, and BIND none in which the record is at the apex. NSEC3 records below the apex are no data.
    pub fn is_dname_above_data(self) -> bool {
        let is_data = |rrset: Rrset<'_>| !matches!(rrset.rtype(), Rtype::NSEC3 | Rtype::RRSIG);
        // What a name hides stands right behind it.
        let behind = self.zone.owners_in(self.id().index() + 1..self.zone.owner_count());
        self.role() == Role::Authoritative
            && self.rrset(Rtype::DNAME).is_some()
            && behind
                .take_while(|below| below.role() == Role::Occluded)
                .any(|below| below.rrsets().any(is_data))
    }

    /// Whether it is below the apex, and not below a delegation, and has CDS or CDNSKEY records (RFC 7344, section 4.1).
    pub fn is_request_below_apex(self) -> bool {
        matches!(self.role(), Role::Authoritative | Role::Delegation)
            && !self.is_apex()
            && cds::TYPES.into_iter().any(|rtype| self.rrset(rtype).is_some())
    }

    /// The name servers of its NS records that lie within the zone and have no address there. BIND loads no zone with such a
    /// server of the apex, and nobody reaches one of a delegation.
    pub fn servers_without_address(self) -> impl Iterator<Item = Name> + 'z {
        let servers = self.rrset(Rtype::NS).into_iter().flat_map(Rrset::rdata);
        let servers = servers.filter_map(|server| Name::from_wire(server).ok()).map(|(name, _)| name);
        servers.filter(move |server| !self.zone.has_address(server.as_wire(), self))
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
    use super::*;
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

    fn zone(records: &str) -> Zone {
        let text = format!("$ORIGIN x.\n$TTL 60\n@ SOA a. b. 1 2 3 4 5\n{records}");
        crate::read(text.as_bytes(), std::path::Path::new("test"), None).unwrap()
    }

    /// What `named-checkzone` (BIND 9.18.49) says of the same zones.
    #[test]
    fn servers_without_address() {
        for (records, lost) in [
            ("@ NS ns\nns AAAA ::1", 0),
            ("@ NS ns.y.\n@ NS nsx.", 0),
            ("@ NS ns", 1),
            ("@ NS ns\nns CNAME a\na A 192.0.2.1", 1),
            ("@ NS ns\n@ DNAME y.\nns A 192.0.2.1", 1),
            ("@ NS ns.d\nd DNAME y.", 1),
            ("@ NS a.b.w\n*.w A 192.0.2.1", 0),
            ("@ NS b.w\na.b.w TXT x\n*.b.w A 192.0.2.1", 1),
            ("@ NS w\n*.w A 192.0.2.1", 1),
            // Below a delegation others know the address, unless it is the delegation's own server.
            ("@ NS ns.d\nd NS y.", 0),
            ("@ NS y.\nd NS ns.d\nd NS d\n*.d A 192.0.2.1", 2),
            ("@ NS y.\nd NS ns.d\nns.d A 192.0.2.1\ne NS ns.d\ne NS other.d", 0),
            ("@ NS y.\nd NS ns", 1),
        ] {
            let zone = zone(records);
            let found: Vec<_> = zone.owners().flat_map(Owner::servers_without_address).collect();
            assert_eq!(found.len(), lost, "{records}: {found:?}");
        }
    }

    #[test]
    fn requests_below_the_apex() {
        let zone = zone("@ CDS 0 0 0 00\na CDNSKEY 0 3 0 AA==\nd NS y.\nd CDS 0 0 0 00\ne.d CDS 0 0 0 00");
        let found = zone.owners().filter(|owner| owner.is_request_below_apex());
        assert_eq!(found.map(|owner| owner.name().to_string()).collect::<Vec<_>>(), ["a.x.", "d.x."]);
    }
}
