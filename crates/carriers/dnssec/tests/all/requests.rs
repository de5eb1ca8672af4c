//! CDS and CDNSKEY: stale ones are never signed as if they were true, and validation finds what would break a
//! delegation.

use crate::common;
use crate::common::*;
use data_encoding::{BASE64, HEXUPPER};
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::{DsDigest, KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Cds, Dnskey, Form, Plan, SignError, Signer};
use fieldtest_dnssec::verify::Finding;
use fieldtest_dnssec::{Rtype, Zone};

const PLAIN: &str = "$ORIGIN example.\n$TTL 60\n@ IN SOA ns admin 1 2 3 4 5\n@ IN NS ns\nns IN A 192.0.2.1\n";
const DELETE: &str = "@ IN CDS 0 0 0 00\n@ IN CDNSKEY 0 3 0 AA==\n";

fn cds(key: &ZoneKey) -> String {
    let ds = key.ds(DsDigest::Sha256);
    format!("@ IN CDS {} {} 2 {}\n", key.tag(), ds[2], HEXUPPER.encode(&ds[4..]))
}

fn cdnskey(key: &ZoneKey) -> String {
    format!("@ IN CDNSKEY {} 3 {} {}\n", key.flags(), key.code_point(), BASE64.encode(key.public_field()))
}

/// Two key-signing keys, a zone-signing key, and one of somebody else.
fn keys() -> (Vec<ZoneKey>, ZoneKey) {
    let zone = read(PLAIN);
    let key = |key_use| key(&zone, key_use, TOY);
    let all = vec![key(KeyUse::KeySigning), key(KeyUse::KeySigning), key(KeyUse::ZoneSigning)];
    (all, key(KeyUse::KeySigning))
}

fn with(keys: &[ZoneKey], cds: Cds) -> Plan {
    Plan { cds, ..plan(keys.to_vec(), Denial::Nsec) }
}

fn count(zone: &Zone, rtype: Rtype) -> usize {
    zone.rrset(zone.apex().as_wire(), rtype).map_or(0, |rrset| rrset.rdata().len())
}

fn stale(zone: &Zone, plan: &Plan) -> Vec<String> {
    Signer::new(zone, plan).unwrap().stale_requests().to_vec()
}

#[test]
fn stale_records_are_left_out() {
    let (keys, other) = keys();
    let zone = read(&[PLAIN, &cds(&keys[0]), &cds(&other), &cdnskey(&keys[0]), &cdnskey(&other)].concat());
    let plan = with(&keys, Cds::Renew);
    let signed = signed(&zone, &plan);
    assert_secure(&signed);
    assert_eq!((count(&signed, Rtype::CDS), count(&signed, Rtype::CDNSKEY)), (1, 1));
    assert_eq!(stale(&zone, &plan), [format!("CDS {}", other.tag()), format!("CDNSKEY {}", other.tag())]);
    // With new keys none is true, and the bitmap of the apex does not list them.
    let fresh = with(&self::keys().0, Cds::Renew);
    let signed = common::signed(&zone, &fresh);
    assert_secure(&signed);
    assert_eq!((count(&signed, Rtype::CDS), count(&signed, Rtype::CDNSKEY)), (0, 0));
    assert_eq!(stale(&zone, &fresh).len(), 4);
    // A damaged digest is as good as none.
    let mut line = cds(&keys[0]);
    let last = if line.ends_with("0\n") { "1" } else { "0" };
    line.replace_range(line.len() - 2..line.len() - 1, last);
    let damaged = read(&[PLAIN, &line].concat());
    assert_eq!(count(&common::signed(&damaged, &plan), Rtype::CDS), 0);
    // A digest of an unknown kind is believed its tag and algorithm.
    let unknown = read(&[PLAIN, &cds(&keys[0]).replace(" 2 ", " 200 ")].concat());
    assert_eq!(count(&common::signed(&unknown, &plan), Rtype::CDS), 1);
}

#[test]
fn a_request_to_delete_stays() {
    let zone = read(&[PLAIN, DELETE].concat());
    let plan = with(&keys().0, Cds::Renew);
    let signed = signed(&zone, &plan);
    assert_secure(&signed);
    assert_eq!((count(&signed, Rtype::CDS), count(&signed, Rtype::CDNSKEY)), (1, 1));
    assert!(stale(&zone, &plan).is_empty());
}

#[test]
fn computed_removed_kept() {
    let (keys, other) = keys();
    let zone = read(&[PLAIN, &cds(&other)].concat());
    let computed = signed(&zone, &with(&keys, Cds::Compute));
    assert_secure(&computed);
    assert_eq!((count(&computed, Rtype::CDS), count(&computed, Rtype::CDNSKEY)), (2, 2));
    let removed = signed(&zone, &with(&keys, Cds::Remove));
    assert_secure(&removed);
    assert_eq!(count(&removed, Rtype::CDS), 0);
    // Who insists gets it, and validation says what it is.
    let report = check(&signed(&zone, &with(&keys, Cds::Keep)));
    assert_eq!(report.findings.len(), 1, "{report}");
    let what = format!("example. CDS: CDS {} ", other.tag());
    assert!(report.to_string().contains(&what), "{report}");
}

#[test]
fn contradictions_are_refused_and_found() {
    let (keys, _) = keys();
    for records in [
        [cds(&keys[0]), cdnskey(&keys[1])].concat(),
        [cds(&keys[0]), DELETE.to_owned()].concat(),
        // The zone-signing key does not sign the DNSKEY RRset.
        cds(&keys[2]),
    ] {
        let zone = read(&[PLAIN, &records].concat());
        let refused = write(&zone, &with(&keys, Cds::Renew), Form::Raw).unwrap_err();
        let SignError::Contradiction { owner, rtype: Rtype::CDS, what } = refused else {
            panic!("{refused}")
        };
        let report = check(&signed(&zone, &with(&keys, Cds::Keep)));
        let found = Finding { owner: *owner, rtype: Rtype::CDS, what };
        assert!(
            found.owner == *zone.apex() && report.findings.contains(&found),
            "{found} is not in: {report}"
        );
    }
}

/// RFC 8078, section 4: what asks for a deletion stands alone, also before stale records are left out.
#[test]
fn a_request_to_delete_stands_alone() {
    let (keys, other) = keys();
    let (delete_cds, delete_cdnskey) = DELETE.split_once('\n').expect("two lines");
    let delete_cds = format!("{delete_cds}\n");
    let stale_cds = format!("@ IN CDS 1 13 2 {}\n", "0".repeat(64));
    for (delete, beside, rtype) in [
        (&delete_cds[..], &stale_cds, "CDS"),
        (&delete_cds, &cdnskey(&other), "CDS"),
        (&delete_cds, &cds(&keys[0]), "CDS"),
        (&delete_cds, &cdnskey(&keys[0]), "CDS"),
        (delete_cdnskey, &stale_cds, "CDNSKEY"),
        (delete_cdnskey, &cdnskey(&other), "CDNSKEY"),
        (delete_cdnskey, &cds(&keys[0]), "CDNSKEY"),
        (DELETE, &stale_cds, "CDS"),
    ] {
        let zone = read(&[PLAIN, delete, beside].concat());
        let refused = write(&zone, &with(&keys, Cds::Renew), Form::Raw).unwrap_err().to_string();
        let what = format!("example. {rtype}: ");
        assert!(refused.starts_with(&what) && refused.contains("RFC 8078"), "{delete}{beside}: {refused}");
    }
    // One of the two types may ask alone.
    for delete in [&delete_cds, delete_cdnskey] {
        assert_secure(&signed(&read(&[PLAIN, delete].concat()), &with(&keys, Cds::Renew)));
    }
}

/// RFC 7344, section 4.1: the parent trusts what a key signs that its DS records name.
#[test]
fn signed_by_the_wrong_key() {
    let (keys, _) = keys();
    let zone = read(&[PLAIN, &cds(&keys[0])].concat());
    let good = signed(&zone, &with(&keys, Cds::Renew));
    // The same zone as a signer makes it that knows nothing of CDS: all but DNSKEY by the zone-signing key.
    let opaque = Rtype::CDS.0.to_be_bytes();
    let other = signed(&zone, &with(&[keys[2].clone()], Cds::Keep));
    let theirs = other.rrset(zone.apex().as_wire(), Rtype::RRSIG).unwrap();
    let wrong: Vec<Vec<u8>> =
        theirs.rdata().filter(|rdata| rdata.starts_with(&opaque)).map(<[u8]>::to_vec).collect();
    let edited = edited(&good, |records| {
        records.retain(|record| !(record.rtype == Rtype::RRSIG && record.rdata.starts_with(&opaque)));
        records.extend(wrong.into_iter().map(|rdata| Record {
            owner: *zone.apex(),
            rtype: Rtype::RRSIG,
            ttl: 60,
            rdata,
        }));
    });
    let report = check(&edited);
    assert_eq!(report.findings.len(), 1, "{report}");
    assert_eq!((&report.findings[0].owner, report.findings[0].rtype), (zone.apex(), Rtype::CDS), "{report}");
}

fn dnskey(key: &ZoneKey) -> String {
    format!("@ IN DNSKEY {} 3 {} {}\n", key.flags(), key.code_point(), BASE64.encode(key.public_field()))
}

/// RFC 8901: each signer publishes the keys of the other, and the requests that name them.
#[test]
fn other_keys_stay_without_signing() {
    let (keys, other) = keys();
    let zone = read(PLAIN);
    let of_other_algorithm = key(&zone, KeyUse::ZoneSigning, TOY_TOO);
    let revoked = dnskey(&other).replace("DNSKEY 257", "DNSKEY 385");
    let zone = read(
        &[
            PLAIN,
            &dnskey(&other),
            &dnskey(&keys[2]),
            &dnskey(&of_other_algorithm),
            &revoked,
            &cds(&keys[0]),
            &cds(&other),
        ]
        .concat(),
    );
    let plan = Plan { dnskey: Dnskey::Keep, ..with(&keys, Cds::Renew) };
    let signer = Signer::new(&zone, &plan).unwrap();
    assert_eq!(signer.keys_kept(), [format!("DNSKEY {}", other.tag())]);
    assert_eq!(signer.keys_left_out().len(), 2);
    assert!(signer.keys_left_out().contains(&format!("DNSKEY {}", of_other_algorithm.tag())));
    assert_eq!(signer.stale_requests(), [""; 0]);
    let signed = common::signed(&zone, &plan);
    assert_secure(&signed);
    assert_eq!((count(&signed, Rtype::DNSKEY), count(&signed, Rtype::CDS)), (4, 2));
    // Without that, the zone has the keys of the plan, and what is gone is named.
    let plan = with(&keys, Cds::Renew);
    let signer = Signer::new(&zone, &plan).unwrap();
    assert_eq!((signer.keys_kept().len(), signer.keys_left_out().len()), (0, 3));
    assert_eq!(count(&common::signed(&zone, &plan), Rtype::DNSKEY), 3);
    assert_eq!(stale(&zone, &plan), [format!("CDS {}", other.tag())]);
}
