//! Records in any order become a zone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Owner, OwnerEntry, OwnerId, Role, Rrset, RrsetEntry, Zone, ZoneError};
use crate::name::{self, Name};
use crate::rdata;
use crate::rtype::Rtype;

/// Collects records in any order and sorts them into a [`Zone`].
#[derive(Debug, Default)]
pub struct ZoneBuilder {
    names: Vec<u8>,
    /// One entry per run of records with the same owner.
    runs: Vec<Run>,
    records: Vec<Pending>,
    arena: Vec<u8>,
    included: BTreeSet<PathBuf>,
    long_ttls: Option<(Name, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    at: u64,
    wire: u8,
    key: u16,
    first_record: u32,
    end_record: u32,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    rtype: Rtype,
    ttl: u32,
    at: u64,
}

impl ZoneBuilder {
    /// An empty zone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a record of class IN. `rdata` is its uncompressed wire form; names in it are lowered where the canonical
    /// form lowers them.
    ///
    /// # Errors
    /// [`ZoneError::Record`] for one that no zone file could have: a meta type, RDATA without the fields of its type or
    /// of more than 65,535 octets, a TTL of more than 31 bits.
    pub fn push(&mut self, owner: &Name, rtype: Rtype, ttl: u32, rdata: &[u8]) -> Result<(), ZoneError> {
        if !rdata::fits(rtype, rdata) {
            return Err(refused(owner, rtype, rdata::UNFIT.into()));
        }
        self.push_as_is(owner, rtype, ttl, rdata)
    }

    /// As [`push`](Self::push), of RDATA that need not have the fields of its type, as something that is broken might
    /// serve it: [`verify`](crate::verify::verify) says what is wrong with a zone of it. No reader would accept it.
    ///
    /// # Errors
    /// [`ZoneError::Record`] for a meta type, RDATA of more than 65,535 octets, a TTL of more than 31 bits.
    pub fn push_as_is(
        &mut self,
        owner: &Name,
        rtype: Rtype,
        ttl: u32,
        rdata: &[u8],
    ) -> Result<(), ZoneError> {
        rdata::check(rtype, ttl, rdata).map_err(|what| refused(owner, rtype, what))?;
        self.push_checked(owner, rtype, ttl, rdata);
        Ok(())
    }

    /// As [`push`](Self::push), of a record that a reader has checked, or that was made here. A TTL of more
    /// than 31 bits is 0 (RFC 2181, section 8), not an error: BIND 9.18.49 loads such zones.
    pub(crate) fn push_checked(&mut self, owner: &Name, rtype: Rtype, mut ttl: u32, rdata: &[u8]) {
        if ttl > rdata::MAX_TTL {
            ttl = 0;
            self.long_ttls.get_or_insert((*owner, 0)).1 += 1;
        }
        let at = self.arena.len();
        let len = u16::try_from(rdata.len()).expect("RDATA of at most 65,535 bytes");
        self.arena.extend_from_slice(&len.to_be_bytes());
        self.arena.extend_from_slice(rdata);
        rdata::lower_names(rtype, &mut self.arena[at + 2..]);
        let count = self.records.len() as u32;
        self.records.push(Pending { rtype, ttl, at: at as u64 });
        match self.runs.last_mut() {
            Some(run) if self.names[run.at as usize..][..usize::from(run.wire)] == *owner.as_wire() => {
                run.end_record = count + 1;
            }
            _ => {
                let at = self.names.len();
                self.names.extend_from_slice(owner.as_wire());
                name::push_order_key(owner.as_wire(), &mut self.names);
                let key = self.names.len() - at - owner.as_wire().len();
                self.runs.push(Run {
                    at: at as u64,
                    wire: owner.as_wire().len() as u8,
                    key: key as u16,
                    first_record: count,
                    end_record: count + 1,
                });
            }
        }
    }

    pub(crate) fn note_included(&mut self, path: &Path) {
        self.included.insert(path.to_owned());
    }

    /// Adds every record of `zone` for which `keep` says so.
    pub fn extend(&mut self, zone: &Zone, keep: impl Fn(Rrset<'_>) -> bool) {
        for owner in zone.owners() {
            let name = owner.name();
            for rrset in owner.rrsets().filter(|rrset| keep(*rrset)) {
                for (ttl, rdata) in rrset.records() {
                    self.push_checked(&name, rrset.rtype(), ttl, rdata);
                }
            }
        }
    }

    /// Sorts the records and finds the apex and the role of each name.
    pub fn finish(self) -> Result<Zone, ZoneError> {
        if self.records.len() >= u32::MAX as usize {
            return Err(ZoneError::TooLarge);
        }
        let ZoneBuilder { names, mut runs, records, arena, included, long_ttls } = self;
        let key = |run: &Run| run.key(&names);
        // Stable and adaptive: a zone file that is sorted already costs one pass.
        runs.sort_by(|a, b| key(a).cmp(key(b)));

        let mut zone = Zone {
            apex: Name::ROOT,
            names: Vec::new(),
            owners: Vec::with_capacity(runs.len()),
            rrsets: Vec::with_capacity(runs.len()),
            records: Vec::with_capacity(records.len()),
            arena,
            odd_ttls: Vec::new(),
            mixed_ttls: Vec::new(),
            long_ttls,
            included,
        };
        let mut of_owner: Vec<Pending> = Vec::new();
        let mut at = 0;
        while at < runs.len() {
            let first = runs[at];
            of_owner.clear();
            while at < runs.len() && key(&runs[at]) == key(&first) {
                of_owner.extend_from_slice(
                    &records[runs[at].first_record as usize..runs[at].end_record as usize],
                );
                at += 1;
            }
            zone.owners.push(OwnerEntry {
                at: first.at,
                wire: first.wire,
                key: first.key,
                role: Role::Outside,
                first_rrset: zone.rrsets.len() as u32,
            });
            zone.push_rrsets(&mut of_owner);
            zone.note_odd_ttls(&of_owner);
        }
        zone.odd_ttls.sort_unstable();
        zone.names = names;
        zone.apex = zone.find_apex()?;
        zone.assign_roles();
        Ok(zone)
    }
}

impl Run {
    fn key<'n>(&self, names: &'n [u8]) -> &'n [u8] {
        &names[self.at as usize + usize::from(self.wire)..][..usize::from(self.key)]
    }
}

fn refused(owner: &Name, rtype: Rtype, what: String) -> ZoneError {
    ZoneError::Record { owner: Box::new(*owner), rtype, what }
}

impl Zone {
    /// Appends one owner's records as sorted RRsets without duplicates.
    fn push_rrsets(&mut self, records: &mut [Pending]) {
        if records.len() > 1 {
            records.sort_by(|a, b| {
                a.rtype.cmp(&b.rtype).then_with(|| self.rdata_at(a.at).cmp(self.rdata_at(b.at)))
            });
        }
        let mut last: Option<Pending> = None;
        for record in records.iter() {
            match last {
                Some(before) if before.rtype == record.rtype => {
                    if let Some(rrset) = self.rrsets.last_mut() {
                        rrset.ttl = rrset.ttl.min(record.ttl);
                    }
                    if before.ttl != record.ttl && record.rtype != Rtype::RRSIG {
                        self.note_mixed_ttls(before.ttl, record.ttl);
                    }
                    if self.rdata_at(before.at) == self.rdata_at(record.at) {
                        continue;
                    }
                }
                _ => self.rrsets.push(RrsetEntry {
                    rtype: record.rtype,
                    ttl: record.ttl,
                    first_record: self.records.len() as u32,
                }),
            }
            self.records.push(record.at);
            last = Some(*record);
        }
    }

    /// Remembers the RRSIG records of the last owner whose TTL is not that of what they cover. Of equal records with
    /// several TTLs the one that is kept is remembered with one that is wrong.
    fn note_odd_ttls(&mut self, records: &[Pending]) {
        if !records.iter().any(|record| record.rtype == Rtype::RRSIG) {
            return;
        }
        let id = self.owners.len() as u32 - 1;
        let owner = Owner { zone: self, id: OwnerId(id) };
        let mut odd = Vec::new();
        let mut kept: Option<u64> = None;
        for record in records.iter().filter(|record| record.rtype == Rtype::RRSIG) {
            let rdata = self.rdata_at(record.at);
            let at = match kept {
                Some(at) if self.rdata_at(at) == rdata => at,
                _ => record.at,
            };
            kept = Some(at);
            let covered =
                rdata.first_chunk().and_then(|covered| owner.rrset(Rtype(u16::from_be_bytes(*covered))));
            let last = odd.last().is_some_and(|(_, other, _)| *other == at);
            if covered.is_some_and(|covered| covered.ttl() != record.ttl) && !last {
                odd.push((id, at, record.ttl));
            }
        }
        self.odd_ttls.extend(odd);
    }

    fn find_apex(&self) -> Result<Name, ZoneError> {
        let mut apex = None;
        for rrset in self.owners().filter_map(|owner| owner.rrset(Rtype::SOA)) {
            if apex.is_some() || rrset.rdata().len() > 1 {
                return Err(ZoneError::SecondSoa(Box::new(rrset.owner().name())));
            }
            apex = Some(rrset.owner().name());
        }
        apex.ok_or(ZoneError::NoSoa)
    }

    /// Canonical order puts every name right behind its ancestors, so one pass is enough: what is hidden is hidden by the
    /// latest name that hides anything.
    fn assign_roles(&mut self) {
        let mut apex = Vec::new();
        name::push_order_key(self.apex.as_wire(), &mut apex);
        let mut cut = None;
        for at in 0..self.owners.len() {
            let owner = Owner { zone: self, id: OwnerId(at as u32) };
            let (key, has) = (owner.order_key(), |rtype| owner.rrset(rtype).is_some());
            let is_hidden = || cut.is_some_and(|cut| key.starts_with(self.key_of(&self.owners[cut])));
            let role = if !key.starts_with(&apex) {
                Role::Outside
            } else if is_hidden() {
                Role::Occluded
            } else if key.len() > apex.len() && has(Rtype::NS) {
                Role::Delegation
            } else {
                Role::Authoritative
            };
            if role == Role::Delegation || (role == Role::Authoritative && has(Rtype::DNAME)) {
                cut = Some(at);
            }
            self.owners[at].role = role;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text.as_bytes(), None).unwrap()
    }

    fn small() -> Zone {
        let mut builder = ZoneBuilder::new();
        let soa = [0u8; 22];
        builder.push_checked(&name("b.example."), Rtype::A, 5, &[1, 2, 3, 4]);
        builder.push_checked(&name("example."), Rtype::SOA, 60, &soa);
        builder.push_checked(&name("sub.example."), Rtype::NS, 60, b"\x02ns\x03sub\x07example\0");
        builder.push_checked(&name("ns.sub.example."), Rtype::A, 60, &[9, 9, 9, 9]);
        builder.push_checked(&name("b.example."), Rtype::A, 3, &[1, 2, 3, 3]);
        builder.push_checked(&name("b.example."), Rtype::A, 9, &[1, 2, 3, 4]);
        builder.push_checked(&name("d.example."), Rtype::DNAME, 9, b"\x01x\0");
        builder.push_checked(&name("x.d.example."), Rtype::A, 9, &[1, 2, 3, 4]);
        builder.push_checked(&name("other."), Rtype::A, 9, &[1, 2, 3, 4]);
        builder.finish().unwrap()
    }

    #[test]
    fn sorts_and_assigns_roles() {
        let zone = small();
        let seen: Vec<(String, Role)> = zone.owners().map(|o| (o.name().to_string(), o.role())).collect();
        let expected = [
            ("example.", Role::Authoritative),
            ("b.example.", Role::Authoritative),
            ("d.example.", Role::Authoritative),
            ("x.d.example.", Role::Occluded),
            ("sub.example.", Role::Delegation),
            ("ns.sub.example.", Role::Occluded),
            ("other.", Role::Outside),
        ];
        assert_eq!(seen, expected.map(|(n, r)| (n.to_string(), r)));
        let rrset = zone.rrset(name("b.example.").as_wire(), Rtype::A).unwrap();
        assert_eq!(rrset.ttl(), 3);
        assert_eq!(rrset.rdata().collect::<Vec<_>>(), [&[1u8, 2, 3, 3], &[1, 2, 3, 4]]);
        assert_eq!(zone.search(name("c.example.").as_wire()), Err(2));
    }

    #[test]
    fn lowers_names_in_rdata() {
        let mut builder = ZoneBuilder::new();
        builder.push_checked(
            &name("example."),
            Rtype::SOA,
            60,
            &[b"\x02NS\0\x02AD\0".as_slice(), &[b'A'; 20]].concat(),
        );
        builder.push_checked(&name("example."), Rtype::MX, 60, b"\x41\x41\x01M\0");
        let zone = builder.finish().unwrap();
        let only = |rtype| zone.rrset(name("example.").as_wire(), rtype).unwrap().rdata().next().unwrap();
        assert_eq!(only(Rtype::MX), b"\x41\x41\x01m\0");
        assert_eq!(only(Rtype::SOA), [b"\x02ns\0\x02ad\0".as_slice(), &[b'A'; 20]].concat());
    }

    #[test]
    fn refuses_what_no_file_could_have() {
        let mut builder = ZoneBuilder::new();
        for (of, ttl, rdata, value) in [
            (Rtype::A, 60, &[192, 0, 2][..], ""),
            (Rtype::NS, 60, b"\x02ns", ""),
            (Rtype::DS, 60, &[0, 1, 13, 2, 7], ""),
            (Rtype::TXT, 60, &[], ""),
            (Rtype(65_280), 60, &[0; 65_536], "65536"),
            (Rtype(65_280), 1 << 31, &[], "2147483648"),
            (Rtype(255), 60, &[], ""),
        ] {
            let refused = builder.push(&name("example."), of, ttl, rdata).unwrap_err();
            let ZoneError::Record { owner, rtype, what } = refused else { panic!("{refused}") };
            assert_eq!((*owner, rtype), (name("example."), of));
            assert!(what.contains(value), "{what}");
        }
        assert!(builder.push_as_is(&name("example."), Rtype::TXT, 60, &[0; 65_536]).is_err());
        builder.push(&name("example."), Rtype::SOA, 60, &[0; 22]).unwrap();
        builder.push(&name("example."), Rtype(65_280), 60, &[0; 65_535]).unwrap();
        assert_eq!(builder.finish().unwrap().record_count(), 2);
    }

    #[test]
    fn refuses_what_is_no_zone() {
        assert!(matches!(ZoneBuilder::new().finish(), Err(ZoneError::NoSoa)));
        let mut two = ZoneBuilder::new();
        two.push_checked(&name("a."), Rtype::SOA, 1, &[1]);
        two.push_checked(&name("b."), Rtype::SOA, 1, &[1]);
        assert!(matches!(two.finish(), Err(ZoneError::SecondSoa(_))));
    }
}
