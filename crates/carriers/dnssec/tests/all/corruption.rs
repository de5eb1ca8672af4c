//! Each single fault in a signed zone is found and named.

mod denial;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::*;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::sign::{Form, Plan, SignError, Zonemd};
use fieldtest_dnssec::verify::{Finding, Options, Report, verify};
use fieldtest_dnssec::{Rtype, Zone};
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use fieldtest_kinds::{Error, prepared};

/// Asserts that the edited zone has a finding at this owner and type with these words, and how many in all.
#[track_caller]
fn found(
    zone: &Zone,
    edit: impl FnOnce(&mut Vec<Record>),
    owner: &str,
    rtype: Rtype,
    what: &str,
    count: usize,
) {
    let report = check(&edited(zone, edit));
    let hit = report
        .findings
        .iter()
        .any(|finding| finding.owner == name(owner) && finding.rtype == rtype && finding.what.contains(what));
    assert!(hit, "{owner} {rtype} '{what}' is not in: {report}");
    assert_eq!(report.findings.len(), count, "{report}");
}

fn base(denial: Denial) -> Zone {
    let zone = read(ZONE);
    // Without a digest, which would find every fault as well.
    signed(&zone, &Plan { zonemd: Zonemd::Remove, ..plan(key_pair(&zone, TOY), denial) })
}

fn one(records: &mut [Record], which: impl Fn(&Record) -> bool) -> &mut Record {
    records.iter_mut().find(|record| which(record)).unwrap()
}

fn rrsig<'r>(records: &'r mut [Record], owner: &str, rtype: Rtype) -> &'r mut Record {
    one(records, |record| record.owner == name(owner) && record.covers(rtype))
}

#[test]
fn signatures() {
    let zone = base(Denial::Nsec);
    assert_secure(&zone);
    let mail = "mail.example.";
    let flip = |records: &mut Vec<Record>| *rrsig(records, mail, Rtype::A).rdata.last_mut().unwrap() ^= 1;
    found(&zone, flip, mail, Rtype::A, "does not verify", 1);
    let change = |records: &mut Vec<Record>| one(records, |r| r.is(mail, Rtype::A)).rdata[3] ^= 1;
    found(&zone, change, mail, Rtype::A, "does not verify", 1);
    let drop = |records: &mut Vec<Record>| records.retain(|r| !(r.owner == name(mail) && r.covers(Rtype::A)));
    found(&zone, drop, mail, Rtype::A, "signature of algorithm 200", 1);
    let set = |at: usize, octets: &'static [u8]| {
        move |records: &mut Vec<Record>| {
            rrsig(records, mail, Rtype::A).rdata[at..at + octets.len()].copy_from_slice(octets)
        }
    };
    found(&zone, set(3, &[7]), mail, Rtype::A, "labels field is 7, expected 2", 1);
    found(&zone, set(4, &[0, 0, 0, 9]), mail, Rtype::A, "TTL is 9,", 1);
    found(&zone, set(8, &[0x60, 0, 0, 0]), mail, Rtype::A, "expired on 2021-01-14 08:25:36 UTC", 1);
    found(&zone, set(12, &[0x70, 0, 0, 0]), mail, Rtype::A, "not valid before 2029-07-18", 1);
    found(&zone, set(16, &[0, 0]), mail, Rtype::A, "not published", 1);
    found(&zone, set(2, &[99]), mail, Rtype::A, "not published", 1);
    found(&zone, set(19, b"f"), mail, Rtype::A, "is fxample., expected example.", 1);
    let cut = |records: &mut Vec<Record>| rrsig(records, mail, Rtype::A).rdata.truncate(9);
    found(&zone, cut, mail, Rtype::RRSIG, "malformed", 2);
}

/// Times are compared modulo 2³² (RFC 4034, section 3.1.5), also with each other.
#[test]
fn times_around_the_wrap() {
    let zone = base(Denial::Nsec);
    let mail = "mail.example.";
    let times = |inception: u32, expiration: u32| {
        move |records: &mut Vec<Record>| {
            let rdata = &mut rrsig(records, mail, Rtype::A).rdata;
            rdata[8..12].copy_from_slice(&expiration.to_be_bytes());
            rdata[12..16].copy_from_slice(&inception.to_be_bytes());
        }
    };
    // Past 2106 the numbers start again; here only the signature itself is broken.
    found(&zone, times(NOW, NOW.wrapping_add(0x7fff_ffff)), mail, Rtype::A, "does not verify", 1);
    found(&zone, times(NOW, NOW.wrapping_add(0x8000_0001)), mail, Rtype::A, "expired on", 1);
    let (early, late) = (NOW.wrapping_sub(1_500_000_000), NOW.wrapping_add(1_500_000_000));
    found(&zone, times(early, late), mail, Rtype::A, "before the inception", 1);
    found(&zone, times(NOW, NOW - 1), mail, Rtype::A, "expired on", 1);
    // Without a moment to validate for as well.
    let options = Options { resolve: &resolve, now: None, anchors: &[] };
    let report = verify(&edited(&zone, times(NOW, NOW - 1)), &options);
    assert_eq!(report.findings.len(), 1, "{report}");
}

/// The TTL of an RRSIG is that of what it covers (RFC 4034, section 3), of several RRsets at a name each its own.
#[test]
fn altered_ttls_of_signatures() {
    let zone = base(Denial::Nsec);
    assert!(check(&edited(&zone, |_| {})).is_secure());
    for (owner, covered) in [("mail.example.", Rtype::A), ("example.", Rtype::SOA), ("example.", Rtype::MX)] {
        for ttl in [0, 61, 7_199, 86_400] {
            let altered = edited(&zone, |records| {
                rrsig(records, owner, covered).ttl = ttl;
            });
            let report = check(&altered);
            // The digest covers the TTLs as well.
            let findings: Vec<_> = report.findings.iter().filter(|f| f.rtype != Rtype::ZONEMD).collect();
            assert_eq!(findings.len(), 1, "{report}");
            assert_eq!((findings[0].owner, findings[0].rtype), (name(owner), covered));
            assert!(findings[0].what.contains(&format!("TTL is {ttl},")), "{report}");
        }
    }
}

/// The records of an RRset have one TTL (RFC 2181, section 5.2), those of glue as well. The smallest is taken, so a larger
/// one spoils no signature.
#[test]
fn several_ttls_in_an_rrset() {
    let zone = base(Denial::Nsec);
    let larger = |last: bool| {
        move |records: &mut Vec<Record>| {
            let mut of_mail = records.iter_mut().filter(|r| r.is("mail.example.", Rtype::A));
            let record = if last { of_mail.next_back() } else { of_mail.next() };
            record.unwrap().ttl = 61;
        }
    };
    let what = "TTLs from 60 to 61";
    found(&zone, larger(false), "mail.example.", Rtype::A, what, 1);
    found(&zone, larger(true), "mail.example.", Rtype::A, what, 1);
    // Both the signature's original TTL and its own are then wrong as well.
    let smaller = |records: &mut Vec<Record>| one(records, |r| r.is("mail.example.", Rtype::A)).ttl = 59;
    found(&zone, smaller, "mail.example.", Rtype::A, "TTLs from 59 to 60", 3);
    let more = |owner: &'static str| {
        move |records: &mut Vec<Record>| {
            let glue = one(records, |r| r.is("ns.sub.example.", Rtype::A)).clone();
            let owner = name(owner);
            records.push(Record { owner, ttl: 1, rdata: vec![9; 4], ..glue.clone() });
            records.push(Record { owner, ttl: 2, ..glue });
        }
    };
    let glue = more("ns.sub.example.");
    found(&zone, glue, "ns.sub.example.", Rtype::A, "TTLs from 1 to 3600", 1);
    // What is outside is nobody's.
    assert_secure(&edited(&zone, more("elsewhere.")));
}

/// RRsets that fit into no message: found in signed zones, refused in zones to be signed.
#[test]
fn what_no_message_holds() {
    let sign = |more: &str| {
        let zone = read(&format!("{ZONE}\n{more}"));
        write(&zone, &plan(key_pair(&zone, TOY), Denial::Nsec), Form::Raw)
    };
    let texts = |count: usize, strings: usize| -> String {
        (0..count).map(|at| format!("many IN TXT {}\n", format!("{at:0255} ").repeat(strings))).collect()
    };
    // RDATA of 65,280 octets, and of 65,531, which a message has no room for beside the rest of it.
    assert!(sign(&texts(1, 255)).is_ok());
    let one = texts(1, 255).replace('\n', &format!("{:0250}\n", 7));
    for too_much in [one, texts(300, 1)] {
        let refused = sign(&too_much).map(|_| ()).expect_err("too much");
        let SignError::Unservable { owner, rtype, octets } = refused else { panic!("{refused}") };
        assert_eq!((*owner, rtype), (name("many.example."), Rtype::TXT));
        assert!(octets > 65_535, "{octets}");
    }
    // One that was signed by somebody else.
    let zone = base(Denial::Nsec);
    let report = check(&edited(&zone, |records| {
        for at in 0..300u16 {
            let rdata = [&[255][..], &[b'x'; 253], &at.to_be_bytes()].concat();
            records.push(Record { owner: name("mail.example."), rtype: Rtype::TXT, ttl: 60, rdata });
        }
    }));
    assert!(report.to_string().contains("mail.example. TXT: "), "{report}");
    // Glue may be left out of answers, as long as each record fits.
    let glue: String = (0..5_000).map(|at| format!("ns.sub IN A 10.0.{}.{}\n", at / 250, at % 250)).collect();
    assert!(sign(&glue).is_ok());
}

/// Records that no signature makes right: found in signed zones, refused in zones to be signed.
#[test]
fn misplaced_records() {
    let zone = base(Denial::Nsec);
    let misplaced = |owner: &str, rtype: Rtype, rdata: &str, what: &str| {
        let added = read(&format!("{ZONE}\n{owner} IN {rtype} {rdata}\n"));
        let rrset = added.rrset(name(owner).as_wire(), rtype).unwrap();
        let add = |records: &mut Vec<Record>| {
            records.extend(rrset.rdata().map(|rdata| Record {
                owner: name(owner),
                rtype,
                ttl: rrset.ttl(),
                rdata: rdata.to_vec(),
            }));
        };
        let report = check(&edited(&zone, add)).to_string();
        assert!(report.contains(&format!("{owner} {rtype}: {what}")), "{report}");
        let refused = write(&added, &plan(key_pair(&added, TOY), Denial::Nsec), Form::Raw).unwrap_err();
        assert!(refused.to_string().starts_with(&format!("{owner} {rtype}: {what}")), "{refused}");
    };
    misplaced("example.", Rtype::DS, "1 13 200 00", "DS records");
    misplaced("mail.example.", Rtype::DNSKEY, "256 3 13 AAEC", "a key");
    misplaced("mail.example.", Rtype::CNAME, "x.", "a name with");
    misplaced("dname.example.", Rtype::DNAME, "x.", "a name has");
    // BIND, NSD and Knot load no zone with these at or below a delegation either.
    misplaced("sub.example.", Rtype::CNAME, "x.", "a name with");
    misplaced("two.sub.example.", Rtype::CNAME, "x.\ntwo.sub IN CNAME y.", "a name has");
    // Keys for other purposes may stand anywhere.
    let odd = read(&format!("{ZONE}\nmail IN DNSKEY 0 3 13 AAEC\nalone IN CNAME x.\n"));
    assert_secure(&signed(&odd, &plan(key_pair(&odd, TOY), Denial::Nsec)));
}

/// RFC 5011, section 2.1: a revoked key signs the DNSKEY RRset that revokes it.
#[test]
fn revoked_keys() {
    let zone = base(Denial::Nsec);
    let revoke = |records: &mut Vec<Record>| {
        let mut key = one(records, |r| r.rtype == Rtype::DNSKEY && r.rdata[1] == 1).clone();
        key.rdata[1] |= 0x80;
        records.push(key);
    };
    let report = check(&edited(&zone, revoke));
    assert!(report.findings.iter().any(|finding| finding.rtype == Rtype::DNSKEY), "{report}");
}

struct Counted;

static VERIFICATIONS: AtomicUsize = AtomicUsize::new(0);

impl Signature for Counted {
    fn generate(&self) -> Result<KeyPair, Error> {
        KEYED_HASH.generate()
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        KEYED_HASH.signing_key(secret)
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = KEYED_HASH.verifying_key(public)?;
        Ok(prepared::verifying(move |message, signature| {
            VERIFICATIONS.fetch_add(1, Ordering::Relaxed);
            key.verify(message, signature).is_ok()
        }))
    }
}

/// A validator tries at most 16 keys of one tag for a signature (CVE-2023-50387, KeyTrap). All pairs would be 16 million.
#[test]
fn keys_of_one_tag() {
    const KEYS: u16 = 4000;
    let zone = base(Denial::Nsec);
    let key = zone.rrset(zone.apex().as_wire(), Rtype::DNSKEY).unwrap().rdata().next().unwrap().to_vec();
    let zone = edited(&zone, |records| {
        let rrsig = rrsig(records, "mail.example.", Rtype::A).clone();
        for number in 0..KEYS {
            // Two words that change by opposite amounts leave the sum as it is.
            let mut rdata = key.clone();
            rdata[8..10].copy_from_slice(&number.to_be_bytes());
            rdata[10..12].copy_from_slice(&(u16::MAX - number).to_be_bytes());
            records.push(Record { owner: name("example."), rtype: Rtype::DNSKEY, ttl: 3600, rdata });
            let mut rrsig = rrsig.clone();
            let signature_at = rrsig.rdata.len() - 2;
            rrsig.rdata[signature_at..].copy_from_slice(&number.to_be_bytes());
            records.push(rrsig);
        }
    });
    let signatures = usize::from(KEYS) + 100;
    let report = verify(&zone, &Options { resolve: &|_| Some(&Counted), now: Some(NOW), anchors: &[] });
    assert!(!report.is_secure());
    let tried = VERIFICATIONS.load(Ordering::Relaxed);
    assert!(
        (usize::from(KEYS)..=16 * signatures).contains(&tried),
        "{tried} verifications of {signatures} signatures"
    );
}

#[test]
fn signatures_where_none_belong() {
    let zone = base(Denial::Nsec);
    let a = Rtype::A;
    for (to, rtype, what) in [
        ("ns.sub.example.", a, "glue"),
        ("hidden.dname.example.", a, "DNAME hides"),
        ("sub.example.", Rtype::NS, "delegation"),
        ("sub.example.", a, "delegation"),
        ("mail.example.", Rtype::MX, "no such record"),
    ] {
        let copy = |records: &mut Vec<Record>| {
            let mut record = rrsig(records, "mail.example.", a).clone();
            record.owner = name(to);
            record.rdata[..2].copy_from_slice(&rtype.0.to_be_bytes());
            records.push(record);
        };
        found(&zone, copy, to, rtype, what, 1);
    }
    let outside = |records: &mut Vec<Record>| {
        let mut record = rrsig(records, "mail.example.", a).clone();
        record.owner = name("elsewhere.");
        records.push(Record { rtype: a, rdata: vec![1, 2, 3, 4], ..record.clone() });
        records.push(record);
    };
    found(&zone, outside, "elsewhere.", a, "outside the zone", 1);
}

#[test]
fn keys() {
    let zone = base(Denial::Nsec);
    let apex = "example.";
    let none = |records: &mut Vec<Record>| records.retain(|r| r.rtype != Rtype::DNSKEY);
    let report = check(&edited(&zone, none));
    assert!(report.findings.iter().any(|f| f.owner == name(apex) && f.rtype == Rtype::DNSKEY), "{report}");
    let no_sep = |records: &mut Vec<Record>| {
        records.retain(|r| !(r.rtype == Rtype::DNSKEY && r.rdata[1] == 1));
    };
    let report = check(&edited(&zone, no_sep)).to_string();
    assert!(report.contains("the SEP flag"), "{report}");
    let unknown = |records: &mut Vec<Record>| {
        let mut key = one(records, |r| r.rtype == Rtype::DNSKEY).clone();
        key.rdata[3] = 99;
        records.push(key);
    };
    let report = check(&edited(&zone, unknown));
    assert!(report.to_string().contains("implementation of algorithm 99"), "{report}");
    let hit =
        report.findings.iter().any(|f| f.owner == name(apex) && f.what.contains("signature of algorithm 99"));
    assert!(hit, "{report}");
    let short = |records: &mut Vec<Record>| {
        let mut key = one(records, |r| r.rtype == Rtype::DNSKEY && r.rdata[1] == 0).clone();
        key.rdata.truncate(20);
        records.push(key);
    };
    let report = check(&edited(&zone, short)).to_string();
    assert!(["malformed key: ", "32 bytes", "16"].iter().all(|value| report.contains(value)), "{report}");
}

/// Reports say what an algorithm without implementation left unchecked.
#[test]
fn unsupported_algorithms() {
    let zone = base(Denial::Nsec);
    let report = verify(&zone, &Options { resolve: &|_| None, now: Some(NOW), anchors: &[] });
    assert_eq!((report.signatures, report.findings.len()), (0, 1), "{report}");
    assert_eq!(report.unchecked_signatures, report.rrsets);
    assert!(!report.is_secure());
}

#[test]
fn the_digest() {
    let zone = read(ZONE);
    let zone = signed(&zone, &plan(key_pair(&zone, TOY), Denial::Nsec));
    let glue = |records: &mut Vec<Record>| one(records, |r| r.is("ns.sub.example.", Rtype::A)).rdata[0] = 1;
    found(&zone, glue, "example.", Rtype::ZONEMD, "the zone's is", 1);
    let serial = |records: &mut Vec<Record>| one(records, |r| r.rtype == Rtype::ZONEMD).rdata[3] ^= 1;
    found(&zone, serial, "example.", Rtype::ZONEMD, "the SOA's", 2);
}

#[test]
fn unsigned_zones_say_so_once() {
    let report = check(&read("example. 60 IN SOA a. b. 1 2 3 4 5\nexample. 60 IN NS a.\n"));
    assert_eq!(report.findings.len(), 1, "{report}");
    assert!(report.findings[0].what.contains("not signed"));
}
