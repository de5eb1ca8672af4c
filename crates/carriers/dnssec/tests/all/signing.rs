//! Zones signed and validated again.

use crate::common::*;
use fieldtest_dnssec::denial::{Denial, Nsec3};
use fieldtest_dnssec::keys::{DsDigest, KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, Serial, SignError, Signer, Zonemd};
use fieldtest_dnssec::verify::{Options, verify};
use fieldtest_dnssec::{Rtype, Zone};
use sha1::{Digest, Sha1};

fn denials() -> Vec<Denial> {
    let salted = Nsec3 { iterations: 5, salt: vec![1, 2, 3], opt_out: false };
    vec![Denial::Nsec, nsec3(false), nsec3(true), Denial::Nsec3(salted)]
}

#[test]
fn every_denial_in_both_forms() {
    let zone = read(ZONE);
    for denial in denials() {
        let plan = plan(key_pair(&zone, TOY), denial.clone());
        for form in [Form::Raw, Form::Text] {
            let (bytes, counts) = write(&zone, &plan, form).unwrap();
            let signed = read_bytes(&bytes);
            let report = assert_secure(&signed);
            assert_eq!(report.signatures, counts.signatures, "{denial:?}");
            assert_eq!(report.rrsets, counts.signatures, "one signature for each RRset");
            assert_eq!(signed.record_count() as u64, counts.records);
            assert!(report.signatures > 30);
        }
    }
}

/// Old signatures of RFC 2535 are RRsets by what they cover in the raw form, as RRSIG are.
#[test]
fn signatures_of_the_old_kind_in_both_forms() {
    let sig = |covered: &str| {
        format!("mail IN SIG {covered} 13 2 60 20270101000000 20260101000000 1 example. AAAA\n")
    };
    let zone = read(&format!("{ZONE}\n{}{}", sig("A"), sig("MX")));
    for form in [Form::Raw, Form::Text] {
        let (bytes, _) = write(&zone, &plan(key_pair(&zone, TOY), Denial::Nsec), form).unwrap();
        let signed = read_bytes(&bytes);
        assert_secure(&signed);
        let kept = signed.rrset(name("mail.example.").as_wire(), Rtype::SIG).unwrap();
        assert_eq!(kept.rdata().len(), 2);
    }
}

#[test]
fn the_classic_algorithms() {
    let zone = read(ZONE);
    for number in [8, 13, 14, 15] {
        let code_point = fieldtest_dnssec::codepoints::CodePoint::Number(number);
        let plan = plan(key_pair(&zone, code_point), Denial::Nsec);
        assert_secure(&signed(&zone, &plan));
    }
}

/// Signing what was signed before gives the same records as signing it for the first time.
#[test]
fn old_signatures_leave_nothing_behind() {
    let zone = read(ZONE);
    let old: Vec<Zone> =
        denials().into_iter().map(|d| signed(&zone, &plan(key_pair(&zone, TOY), d))).collect();
    for denial in denials() {
        let plan = plan(key_pair(&zone, TOY), denial);
        let fresh = write(&zone, &plan, Form::Text).unwrap().0;
        for old in &old {
            // NSEC3PARAM may have lowered no TTL, so the text is the same octet for octet.
            assert_eq!(write(old, &plan, Form::Text).unwrap().0, fresh);
        }
    }
}

#[test]
fn one_key_for_everything() {
    let zone = read(ZONE);
    for key_use in [KeyUse::KeySigning, KeyUse::ZoneSigning] {
        let plan = plan(vec![key(&zone, key_use, TOY)], Denial::Nsec);
        let report = check(&signed(&zone, &plan));
        if key_use == KeyUse::KeySigning {
            assert!(report.is_secure(), "{report}");
        } else {
            // Without a SEP flag no parent knows where to enter.
            assert_eq!(report.findings.len(), 1, "{report}");
            assert!(report.findings[0].what.contains("SEP"));
        }
    }
}

#[test]
fn who_signs_the_keys() {
    let zone = read(ZONE);
    let signatures = |all| {
        let mut plan = plan(key_pair(&zone, TOY), Denial::Nsec);
        plan.all_keys_sign_dnskey = all;
        let signed = signed(&zone, &plan);
        assert_secure(&signed);
        let rrsigs = signed.rrset(zone.apex().as_wire(), Rtype::RRSIG).unwrap();
        rrsigs.rdata().filter(|rdata| rdata[..2] == Rtype::DNSKEY.0.to_be_bytes()).count()
    };
    assert_eq!(signatures(false), 1);
    assert_eq!(signatures(true), 2);
}

#[test]
fn two_algorithms_at_once_and_private_ones() {
    let zone = read(ZONE);
    let private = ["253:toy.example.", "254:1.3.6.1.4.1.32473.220"].map(|text| text.parse().unwrap());
    for second in [TOY_TOO].into_iter().chain(private) {
        let mut keys = key_pair(&zone, TOY);
        keys.extend(key_pair(&zone, second));
        let plan = plan(keys, nsec3(false));
        let report = assert_secure(&signed(&zone, &plan));
        assert_eq!(report.signatures, 2 * report.rrsets);
    }
}

#[test]
fn wildcards_count_one_label_less() {
    let zone = read(ZONE);
    let signed = signed(&zone, &plan(key_pair(&zone, TOY), Denial::Nsec));
    let labels = |owner: &str| {
        let rrsig = signed.rrset(name(owner).as_wire(), Rtype::RRSIG).unwrap();
        rrsig.rdata().next().unwrap()[3]
    };
    assert_eq!((labels("*.example."), labels("*.wild.example."), labels("example.")), (1, 2, 1));
}

/// RFC 9077: the smaller of the SOA's TTL and minimum.
#[test]
fn denial_has_the_negative_ttl() {
    let zone = read(ZONE);
    for (denial, rtype) in [(Denial::Nsec, Rtype::NSEC), (nsec3(false), Rtype::NSEC3)] {
        let signed = signed(&zone, &plan(key_pair(&zone, TOY), denial));
        let all: Vec<u32> = signed.owners().filter_map(|o| o.rrset(rtype)).map(|rrset| rrset.ttl()).collect();
        assert!(!all.is_empty() && all.iter().all(|ttl| *ttl == 300));
    }
}

#[test]
fn the_digest_is_renewed_made_or_removed() {
    let zone = read(ZONE);
    let with = |zonemd| {
        let mut plan = plan(key_pair(&zone, TOY), Denial::Nsec);
        plan.zonemd = zonemd;
        plan.serial = Serial::Increment;
        let signed = signed(&zone, &plan);
        assert_secure(&signed);
        signed.rrset(zone.apex().as_wire(), Rtype::ZONEMD).map(|rrset| rrset.rdata().next().unwrap().to_vec())
    };
    assert_eq!(with(Zonemd::Renew).unwrap()[..6], [0, 0, 0, 43, 1, 1]);
    assert!(with(Zonemd::Compute).is_some());
    assert_eq!(with(Zonemd::Remove), None);
}

/// RFC 8976, appendix A.1: the simple example zone and its digest.
#[test]
fn digest_of_rfc_8976() {
    let zone = read(concat!(
        "example. 86400 IN SOA ns1.example. admin.example. 2018031900 1800 900 604800 86400\n",
        "example. 86400 IN NS ns1.example.\nexample. 86400 IN NS ns2.example.\n",
        "example. 86400 IN ZONEMD 2018031900 1 1 ",
        "c68090d90a7aed716bc459f9340e3d7c1370d4d24b7e2fc3a1ddc0b9a87153b9",
        "a9713b3c9ae5cc27777f98b8e730044c\n",
        "ns1.example. 3600 IN A 203.0.113.63\nns2.example. 3600 IN AAAA 2001:db8::63\n",
    ));
    let findings = check(&zone).findings;
    assert!(findings.iter().all(|finding| finding.rtype == Rtype::DNSKEY), "{findings:?}");
}

#[test]
fn anchors() {
    let zone = read(ZONE);
    let keys = key_pair(&zone, TOY);
    let [ksk, zsk] = &keys[..] else { panic!("two keys") };
    let with = |anchors: &[Vec<u8>]| {
        let signed = signed(&zone, &plan(keys.clone(), Denial::Nsec));
        verify(&signed, &Options { resolve: &resolve, now: Some(NOW), anchors })
    };
    for digest in [DsDigest::Sha256, DsDigest::Sha384] {
        assert!(with(&[ksk.ds(digest)]).is_secure());
        let report = with(&[zsk.ds(digest)]);
        assert!(report.findings[0].what.contains("does not sign"), "{report}");
        let mut other = ksk.ds(digest);
        other[7] ^= 1;
        assert!(with(&[other.clone()]).findings[0].what.contains("no key matches"));
        assert!(with(&[other.clone(), ksk.ds(digest)]).is_secure());
        // RFC 4509, section 3: nothing falls back to SHA-1.
        let mut sha1 = ksk.ds(digest);
        sha1.truncate(3);
        sha1.push(1);
        sha1.extend(Sha1::new().chain_update(zone.apex().as_wire()).chain_update(ksk.dnskey()).finalize());
        assert!(with(&[sha1.clone()]).is_secure() && with(&[sha1.clone(), ksk.ds(digest)]).is_secure());
        let report = with(&[sha1, other]);
        assert!(report.findings.len() == 1 && report.findings[0].what.contains("RFC 4509"), "{report}");
    }
}

/// An NSEC3PARAM record means something at the apex alone; elsewhere it is data, as BIND takes it.
#[test]
fn parameters_below_the_apex_are_data() {
    let zone = read(&format!("{ZONE}x 60 IN NSEC3PARAM 1 0 0 -\n@ IN NSEC3PARAM 1 0 7 -\n"));
    for denial in [Denial::Nsec, nsec3(false)] {
        let plan = plan(key_pair(&zone, TOY), denial);
        assert_eq!(Signer::new(&zone, &plan).unwrap().names(), zone.owner_count());
        let signed = signed(&zone, &plan);
        assert_secure(&signed);
        assert!(signed.rrset(name("x.example.").as_wire(), Rtype::NSEC3PARAM).is_some());
        // Owners of NSEC3 records, and their signatures, are dropped with them.
        assert_eq!(Signer::new(&signed, &plan).unwrap().names(), zone.owner_count());
    }
}

#[test]
fn published_keys_do_not_sign() {
    let zone = read(ZONE);
    let mut keys = key_pair(&zone, TOY);
    let next = key(&zone, KeyUse::ZoneSigning, TOY);
    keys.push(ZoneKey::from_dnskey(*zone.apex(), next.dnskey().to_vec()).unwrap());
    let zone_signed = signed(&zone, &plan(keys, Denial::Nsec));
    assert_secure(&zone_signed);
    assert_eq!(zone_signed.rrset(zone.apex().as_wire(), Rtype::DNSKEY).unwrap().rdata().len(), 3);
}

/// Two keys with one tag: the sum of the key tag does not see a swap of two octet pairs.
#[test]
fn key_tag_collisions() {
    let zone = read(ZONE);
    let make = |secret: Vec<u8>, flags| {
        ZoneKey::from_secret(*zone.apex(), flags, TOY, &KEYED_HASH, secret.into()).unwrap()
    };
    let mut swapped: Vec<u8> = (0..32).collect();
    let one = make(swapped.clone(), 257);
    swapped.swap(0, 2);
    swapped.swap(1, 3);
    let two = make(swapped, 257);
    assert_eq!(one.tag(), two.tag());
    let signed = signed(&zone, &plan(vec![one, two], Denial::Nsec));
    let report = assert_secure(&signed);
    assert_eq!(report.signatures, 2 * report.rrsets);
}

#[test]
fn messages_are_those_that_are_signed() {
    let zone = read(ZONE);
    let plan = plan(key_pair(&zone, TOY), nsec3(true));
    let signer = Signer::new(&zone, &plan).unwrap();
    let counts = write(&zone, &plan, Form::Raw).unwrap().1;
    let mut all = 0;
    signer.for_each_message(|message| {
        assert_eq!(message.octets[..2], message.rtype.0.to_be_bytes());
        all += 1;
    });
    assert_eq!(all, counts.signatures);
    assert_eq!(signer.messages_of(0).len(), 1, "the key-signing key signs the keys");
    assert_eq!(signer.messages_of(1).len() as u64, counts.signatures - 1);
}

#[test]
fn plans_that_cannot_be() {
    let zone = read(ZONE);
    let keys = key_pair(&zone, TOY);
    let good = plan(keys.clone(), Denial::Nsec);
    let refused = |change: &dyn Fn(&mut fieldtest_dnssec::sign::Plan)| {
        let mut plan = good.clone();
        change(&mut plan);
        write(&zone, &plan, Form::Raw).unwrap_err()
    };
    assert!(matches!(refused(&|plan| plan.keys.clear()), SignError::NoKey));
    assert!(matches!(refused(&|plan| plan.keys.push(keys[0].clone())), SignError::DuplicateKey(_)));
    assert!(matches!(refused(&|plan| plan.expiration = plan.inception), SignError::Times));
    let salt = Nsec3 { salt: vec![0; 256], ..Nsec3::default() };
    assert!(matches!(refused(&|plan| plan.denial = Denial::Nsec3(salt.clone())), SignError::Salt(256)));
    let other = read("other. 60 IN SOA a. b. 1 2 3 4 5\n");
    let foreign = key(&other, KeyUse::KeySigning, TOY);
    assert!(matches!(refused(&|plan| plan.keys.push(foreign.clone())), SignError::ForeignKey { .. }));
    let public =
        ZoneKey::from_dnskey(*zone.apex(), key(&zone, KeyUse::KeySigning, TOY_TOO).dnskey().to_vec());
    let public = public.unwrap();
    assert!(matches!(refused(&|plan| plan.keys.push(public.clone())), SignError::UnusedAlgorithm(_)));
}

#[test]
fn a_full_disk_is_an_error() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, octets: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(octets.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(octets.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let zone = read(ZONE);
    let plan = plan(key_pair(&zone, TOY), Denial::Nsec);
    let outcome = Signer::new(&zone, &plan).unwrap().write(Form::Text, &mut Full(3000));
    assert!(matches!(outcome, Err(SignError::Write(_))));
}

/// More names than one group of blocks, so that they are signed in parallel and still come out in order.
#[test]
fn large_zones() {
    let mut text = String::from(ZONE);
    for number in 0..5000 {
        text.push_str(&format!("n{number:04}.many.example. 60 IN TXT \"{number}\"\n"));
    }
    let zone = read(&text);
    for denial in [Denial::Nsec, nsec3(false)] {
        let plan = plan(key_pair(&zone, TOY), denial);
        assert!(assert_secure(&signed(&zone, &plan)).signatures > 10_000);
    }
}
