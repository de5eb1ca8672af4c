//! Zones that differ from a signed one in one thing each: a record deleted, a field altered, a record added.

use fieldtest_dnssec::format::text::push_record;
use fieldtest_dnssec::zone::{Owner, Role};
use fieldtest_dnssec::{Name, Rtype, Zone};

#[derive(Clone)]
struct Record {
    owner: Vec<u8>,
    ttl: u32,
    rtype: Rtype,
    rdata: Vec<u8>,
}

pub(super) struct Mutant {
    /// What, for people: `ns.example. A: TTL`.
    pub(super) what: String,
    /// Whether it is of what signatures cover, and not of glue or the name servers of a delegation.
    pub(super) is_signed: bool,
    /// The record that is not there any more, and those in its place.
    of: Option<usize>,
    by: Vec<Record>,
}

pub(super) struct Records<'z> {
    zone: &'z Zone,
    list: Vec<Record>,
}

impl<'z> Records<'z> {
    pub(super) fn of(zone: &'z Zone) -> Records<'z> {
        let rrsets = zone.owners().flat_map(|owner| owner.rrsets());
        let list = rrsets.flat_map(|rrset| {
            rrset.records().map(move |(ttl, rdata)| Record {
                owner: rrset.owner().wire().to_vec(),
                ttl,
                rtype: rrset.rtype(),
                rdata: rdata.to_vec(),
            })
        });
        Records { zone, list: list.collect() }
    }

    /// The zone as a file, with this changed.
    pub(super) fn text(&self, mutant: Option<&Mutant>) -> Vec<u8> {
        let (of, by) = mutant.map_or((None, &[][..]), |mutant| (mutant.of, &mutant.by[..]));
        let mut out = Vec::new();
        let mut push = |it: &Record| push_record(&it.owner, it.ttl, it.rtype, &it.rdata, &mut out);
        for (at, record) in self.list.iter().enumerate() {
            if of == Some(at) { by.iter().for_each(&mut push) } else { push(record) }
        }
        if of.is_none() {
            by.iter().for_each(&mut push);
        }
        out
    }

    pub(super) fn mutants(&self) -> Vec<Mutant> {
        let mut mutants = Vec::new();
        for (at, record) in self.list.iter().enumerate() {
            let name = Name::from_wire(&record.owner).map_or(Name::ROOT, |(name, _)| name);
            let role = self.zone.find(&record.owner).map(Owner::role);
            let below = if role == Some(Role::Occluded) { " below a delegation" } else { "" };
            let is_signed = match role {
                Some(Role::Authoritative) => true,
                Some(Role::Delegation) => record.rtype != Rtype::NS,
                _ => false,
            };
            let mut push = |what: &str, by: Vec<Record>| {
                let what = format!("{name} {}{below}: {what}", record.rtype);
                mutants.push(Mutant { what, is_signed, of: Some(at), by });
            };
            push("deleted", Vec::new());
            push("TTL", vec![Record { ttl: record.ttl.wrapping_add(1), ..record.clone() }]);
            for (what, rdata) in altered(record.rtype, &record.rdata) {
                push(what, vec![Record { rdata, ..record.clone() }]);
            }
        }
        mutants.extend(self.additions().into_iter().map(|(what, record)| Mutant {
            what: format!("added: {what}"),
            is_signed: true,
            of: None,
            by: vec![record],
        }));
        mutants
    }

    /// Records that do not belong into the zone, where it has the names for them.
    fn additions(&self) -> Vec<(&'static str, Record)> {
        let apex = self.zone.apex();
        let owners = || self.zone.owners();
        let find = |is_meant: &dyn Fn(Owner<'_>) -> bool| owners().find(|it| is_meant(*it)).map(Owner::name);
        let host =
            find(&|it| it.role() == Role::Authoritative && !it.is_apex() && it.rrset(Rtype::A).is_some());
        let cut = find(&|it| it.role() == Role::Delegation && it.rrset(Rtype::DS).is_none());
        let below = find(&|it| it.rrset(Rtype::DNAME).is_some()).and_then(|name| name.child(b"below"));
        let (new, star) = (apex.child(b"torture-new"), apex.child(b"*"));
        let wire = apex.as_wire();
        let address = [192, 0, 2, 99];
        let digest = [&[0, 1, 13, 2][..], &[0; 32]].concat();
        let target = b"\x01a\x01b\0";
        let key = [&[1, 0, 3, 16][..], &[7; 57]].concat();
        let listing = |name: &[u8]| [name, &[0, 1, 0x40]].concat();
        let record = |owner: Option<Name>, rtype, rdata: &[u8]| {
            Some(Record { owner: owner?.as_wire().to_vec(), ttl: 3600, rtype, rdata: rdata.to_vec() })
        };
        let copy = |rtype, alter: fn(&mut Record)| {
            let mut copy = self.list.iter().find(|it| it.rtype == rtype)?.clone();
            alter(&mut copy);
            Some(copy)
        };
        let added = [
            ("A at a new name", record(new, Rtype::A, &address)),
            ("A in the RRset of a host", record(host, Rtype::A, &address)),
            ("TXT at a host", record(host, Rtype::TXT, b"\x01x")),
            ("CNAME at a host", record(host, Rtype::CNAME, target)),
            ("NS at a host", record(host, Rtype::NS, target)),
            ("DS at a host", record(host, Rtype::DS, &digest)),
            ("DS at an insecure delegation", record(cut, Rtype::DS, &digest)),
            ("A at a wildcard", record(star, Rtype::A, &address)),
            ("A below a DNAME record", record(below, Rtype::A, &address)),
            ("NSEC at a new name", record(new, Rtype::NSEC, &listing(wire))),
            ("DNSKEY of an algorithm without signatures", record(Some(*apex), Rtype::DNSKEY, &key)),
            (
                "NSEC3 of another hash",
                copy(Rtype::NSEC3, |it| it.owner[1] = if it.owner[1] == b'0' { b'1' } else { b'0' }),
            ),
            ("RRSIG of another key", copy(Rtype::RRSIG, |it| it.rdata[17] ^= 1)),
        ];
        added.into_iter().filter_map(|(what, record)| Some((what, record?))).collect()
    }
}

fn flipped(rdata: &[u8], at: usize, bit: u8) -> Option<Vec<u8>> {
    let mut rdata = rdata.to_vec();
    *rdata.get_mut(at)? ^= bit;
    Some(rdata)
}

/// The ways to alter RDATA, with what is altered.
fn altered(rtype: Rtype, rdata: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    // Behind the salt and the next hash, each with its length before it.
    let hash = 5 + rdata.get(4).map_or(0, |len| usize::from(*len));
    let fields: &[(&'static str, usize, u8)] = match rtype {
        Rtype::RRSIG => &[
            ("type covered", 1, 1),
            ("algorithm", 2, 1),
            ("labels", 3, 1),
            ("original TTL", 7, 1),
            ("expiration", 8, 0x40),
            ("inception", 12, 0x40),
            ("key tag", 17, 1),
            ("signer", 19, 1),
            ("signature", rdata.len().wrapping_sub(1), 1),
        ],
        Rtype::NSEC => {
            let bitmap = name_len(rdata);
            &[
                ("next name", 1, 1),
                ("A in the bitmap", bitmap + 2, 0x40),
                ("RRSIG in the bitmap", bitmap + 7, 2),
            ]
        }
        Rtype::NSEC3 => &[
            ("hash function", 0, 2),
            ("opt-out", 1, 1),
            ("iterations", 3, 1),
            ("next hash", hash + 20, 1),
            ("A in the bitmap", hash + 23, 0x40),
            ("RRSIG in the bitmap", hash + 28, 2),
        ],
        Rtype::NSEC3PARAM => &[("hash function", 0, 2), ("flags", 1, 1), ("iterations", 3, 1)],
        Rtype::DNSKEY => {
            &[("flags", 0, 1), ("protocol", 2, 1), ("algorithm", 3, 1), ("key", rdata.len() - 1, 1)]
        }
        // The last letter of a name, or the last octet of something else.
        _ => &[("data", rdata.len().wrapping_sub(if rdata.ends_with(&[0]) { 2 } else { 1 }), 1)],
    };
    fields.iter().filter_map(|(what, at, bit)| Some((*what, flipped(rdata, *at, *bit)?))).collect()
}

fn name_len(wire: &[u8]) -> usize {
    Name::from_wire(wire).map_or(0, |(_, len)| len)
}
