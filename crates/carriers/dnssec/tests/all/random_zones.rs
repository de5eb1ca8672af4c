//! Zones made at random: signed, validated, and damaged.

use crate::common::*;
use fieldtest_dnssec::denial::{Denial, Nsec3};
use fieldtest_dnssec::sign::{Form, Zonemd};
use fieldtest_dnssec::{Name, Rtype, Zone, ZoneBuilder};
use proptest::prelude::*;

/// Few and odd labels, so that names nest, collide and need escapes.
fn label() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => prop::sample::select(vec![b"a".to_vec(), b"b".to_vec(), b"ab".to_vec(), b"*".to_vec(), b"-".to_vec()]),
        2 => prop::collection::vec(any::<u8>(), 1..4),
        1 => prop::collection::vec(any::<u8>(), 63..=63),
    ]
}

#[derive(Debug, Clone)]
enum Data {
    Address,
    Text(Vec<u8>),
    Delegation,
    SecureDelegation,
    Dname,
    Unknown(u16, Vec<u8>),
}

fn data() -> impl Strategy<Value = Data> {
    prop_oneof![
        4 => Just(Data::Address),
        2 => prop::collection::vec(any::<u8>(), 0..20).prop_map(Data::Text),
        3 => Just(Data::Delegation),
        2 => Just(Data::SecureDelegation),
        1 => Just(Data::Dname),
        1 => (300u16..65000, prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(n, o)| Data::Unknown(n, o)),
    ]
}

pub(crate) fn zone() -> impl Strategy<Value = Zone> {
    let names = prop::collection::vec((prop::collection::vec(label(), 0..4), data(), any::<u16>()), 0..40);
    let apex = prop::sample::select(vec![".", "example.", "a.b.c."]);
    (apex, names, any::<bool>()).prop_map(|(apex, names, zonemd)| {
        let apex = name(apex);
        let mut builder = ZoneBuilder::new();
        let mut soa = [apex.as_wire(), apex.as_wire()].concat();
        soa.extend_from_slice(&[0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
        builder.push(&apex, Rtype::SOA, 3600, &soa).unwrap();
        builder.push(&apex, Rtype::NS, 3600, &[&b"\x02ns"[..], apex.as_wire()].concat()).unwrap();
        if zonemd {
            builder.push(&apex, Rtype::ZONEMD, 3600, &[0; 54]).unwrap();
        }
        for (labels, data, ttl) in names {
            let owner = labels.iter().try_fold(apex, |name: Name, label| name.child(label));
            let Some(owner) = owner else { continue };
            let ttl = u32::from(ttl);
            let mut push = |rtype, rdata: &[u8]| builder.push(&owner, rtype, ttl, rdata).unwrap();
            match data {
                Data::Address => push(Rtype::A, &[192, 0, 2, 1]),
                Data::Text(octets) => push(Rtype::TXT, &[&[octets.len() as u8], &octets[..]].concat()),
                Data::Delegation => push(Rtype::NS, b"\x02ns\0"),
                Data::SecureDelegation => {
                    push(Rtype::NS, b"\x02ns\0");
                    if owner != apex {
                        push(Rtype::DS, &[&[0, 1, 13, 2][..], &[0; 32]].concat());
                    }
                }
                Data::Dname => push(Rtype::DNAME, b"\x01x\0"),
                Data::Unknown(number, octets) => push(Rtype(number), &octets),
            }
        }
        builder.finish().unwrap()
    })
}

pub(crate) fn denial() -> impl Strategy<Value = Denial> {
    prop_oneof![
        Just(Denial::Nsec),
        (0..3u16, prop::collection::vec(any::<u8>(), 0..4), any::<bool>())
            .prop_map(|(iterations, salt, opt_out)| Denial::Nsec3(Nsec3 { iterations, salt, opt_out })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn signed_zones_are_secure(zone in zone(), denial in denial(), text: bool, digest: bool) {
        let mut plan = plan(key_pair(&zone, TOY), denial);
        plan.zonemd = if digest { Zonemd::Compute } else { Zonemd::Renew };
        let form = if text { Form::Text } else { Form::Raw };
        let (bytes, counts) = write(&zone, &plan, form).unwrap();
        let signed = read_bytes(&bytes);
        let report = check(&signed);
        prop_assert!(report.is_secure(), "{report}");
        prop_assert_eq!(report.signatures, counts.signatures);
        prop_assert_eq!(report.rrsets, counts.signatures);
    }

    /// Removing any one record of a signed zone is found (its digest covers even the glue).
    #[test]
    fn any_missing_record_is_found(zone in zone(), denial in denial(), which: prop::sample::Index) {
        let mut plan = plan(key_pair(&zone, TOY), denial);
        plan.zonemd = Zonemd::Compute;
        let signed = signed(&zone, &plan);
        let at = which.index(signed.record_count());
        let mut is_soa = false;
        let damaged = |records: &mut Vec<Record>| {
            // Without its SOA it is no zone at all.
            is_soa = records[at].rtype == Rtype::SOA;
            if !is_soa {
                records.remove(at);
            }
        };
        let report = check(&edited(&signed, damaged));
        prop_assume!(!is_soa);
        prop_assert!(!report.is_secure(), "record {at}: {report}");
    }

    /// One octet changed anywhere in a file: reading and validating end, and a zone that still reads is never taken
    /// for a secure one unless it has the same records.
    #[test]
    fn damaged_files_do_not_panic(
        zone in zone(), denial in denial(), text_form: bool, which: prop::sample::Index, octet: u8,
    ) {
        let plan = plan(key_pair(&zone, TOY), denial);
        let form = if text_form { Form::Text } else { Form::Raw };
        let mut bytes = write(&zone, &plan, form).unwrap().0;
        let at = which.index(bytes.len());
        bytes[at] = octet;
        if let Ok(damaged) = fieldtest_dnssec::read(&bytes[..], std::path::Path::new("damaged"), None) {
            let _ = check(&damaged).to_string();
            let _ = write(&damaged, &plan, Form::Raw);
        }
    }
}
