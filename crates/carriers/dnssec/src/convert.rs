//! Names and records as NLnet Labs' `domain` 0.12 has them, and back.

use domain::base::iana::Class;
use domain::base::name::ToName;
use domain::base::rdata::{ComposeRecordData, UnknownRecordData};
use domain::base::{self, Record, Ttl};

use crate::zone::ZoneError;
use crate::{Name, Rtype, Zone, ZoneBuilder};

/// A record of any type: its RDATA is not taken apart.
pub type DomainRecord = Record<base::Name<Vec<u8>>, UnknownRecordData<Vec<u8>>>;

impl From<&Name> for base::Name<Vec<u8>> {
    fn from(name: &Name) -> Self {
        base::Name::from_octets(name.as_wire().to_vec()).expect("both crates take the same names")
    }
}

impl Zone {
    /// Every record in canonical order of owners, by ascending type.
    pub fn domain_records(&self) -> impl Iterator<Item = DomainRecord> + '_ {
        self.owners().flat_map(|owner| {
            let name = base::Name::from(&owner.name());
            owner.rrsets().flat_map(move |rrset| {
                let (name, rtype) = (name.clone(), base::Rtype::from_int(rrset.rtype().0));
                rrset.records().map(move |(ttl, rdata)| {
                    let data = UnknownRecordData::from_octets(rtype, rdata.to_vec());
                    let data = data.expect("RDATA of at most 65,535 bytes");
                    Record::new(name.clone(), Class::IN, Ttl::from_secs(ttl), data)
                })
            })
        })
    }
}

impl ZoneBuilder {
    /// [`push`](ZoneBuilder::push) of a record as `domain` has it.
    ///
    /// # Errors
    /// As for `push`; also for a class other than IN.
    pub fn push_domain<N: ToName, D: ComposeRecordData>(
        &mut self,
        record: &Record<N, D>,
    ) -> Result<(), ZoneError> {
        let wire: base::Name<Vec<u8>> = record.owner().to_name();
        let (owner, _) = Name::from_wire(wire.as_slice()).expect("both crates take the same names");
        let rtype = Rtype(record.rtype().to_int());
        let refused = |what: &str| ZoneError::Record { owner: Box::new(owner), rtype, what: what.to_owned() };
        if record.class() != Class::IN {
            return Err(refused("its class is not IN"));
        }
        let mut rdata = Vec::new();
        record.data().compose_rdata(&mut rdata).map_err(|_| refused("its RDATA is too long"))?;
        self.push(&owner, rtype, record.ttl().as_secs(), &rdata)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_zone_is_the_same_on_the_way_back() {
        let text = "A.example. 60 IN SOA ns.a.example. h.a.example. 1 2 3 4 5\n\
                    a.example. 60 IN NS ns.b.example.\nx.a.example. 5 IN TXT \"a\" \"b\"\n\
                    *.a.example. 7 IN TYPE65280 \\# 2 abcd\nMX.a.example. 8 IN MX 5 A.b.example.\n";
        let zone = crate::read(text.as_bytes(), Path::new("test"), None).expect("a zone");
        let mut builder = ZoneBuilder::new();
        zone.domain_records().try_for_each(|record| builder.push_domain(&record)).expect("its records");
        let again = builder.finish().expect("the zone");
        assert!(zone.domain_records().eq(again.domain_records()));
        assert_eq!((zone.record_count(), zone.apex()), (5, again.apex()));

        let mut other = zone.domain_records().next().expect("a record");
        other.set_class(Class::CH);
        assert!(matches!(ZoneBuilder::new().push_domain(&other), Err(ZoneError::Record { .. })));
    }
}
