//! Zones of which only negative answers fit into no message: the limit is that of the size engine, which composes the
//! answers by itself.

use crate::common::*;
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, SignError};
use fieldtest_dnssec::sizes::{AlgorithmSize, DenialMethod, Kind, Setup, ZoneFacts};
use fieldtest_dnssec::{Rtype, Zone};
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use fieldtest_kinds::{Error, prepared};

const FLAT: &str = "$TTL 60\nexample. IN SOA ns.example. b.example. 1 2 3 4 5\nexample. IN NS ns.example.\n\
                    ns.example. IN A 192.0.2.1\nm.example. IN TXT \"x\"\nq.example. IN AAAA ::1\n";

struct Long(usize);

impl Signature for Long {
    fn generate(&self) -> Result<KeyPair, Error> {
        KEYED_HASH.generate()
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let (key, length) = (KEYED_HASH.signing_key(secret)?, self.0);
        Ok(prepared::deterministic(key.public_key(), move |message, signature| {
            key.sign(message, signature)?;
            signature.resize(length, 0);
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        KEYED_HASH.verifying_key(public)
    }
}

fn long_key(zone: &Zone, number: u8, length: usize) -> ZoneKey {
    let number = CodePoint::Number(number);
    ZoneKey::generate(*zone.apex(), KeyUse::KeySigning, number, &Long(length)).expect("a key")
}

/// What is no signature is in no zone.
#[test]
fn signatures_of_no_octets_are_refused() {
    let plan = plan(vec![long_key(&read(FLAT), 202, 0)], Denial::Nsec);
    let refused = write(&read(FLAT), &plan, Form::Raw).expect_err("nothing to verify");
    assert!(matches!(refused, SignError::Key { .. }), "{refused:?}");
}

/// Signs with signatures of this length: what is refused, by name and octets.
fn refused(zone: &Zone, denial: &Denial, length: usize) -> Option<(String, u64)> {
    match write(zone, &plan(vec![long_key(zone, 202, length)], denial.clone()), Form::Raw) {
        Ok(_) => None,
        Err(SignError::UnservableDenial { owner, octets, .. }) => Some((owner.to_string(), octets)),
        Err(other) => panic!("{other}"),
    }
}

/// The longest answer of these kinds, by the size engine.
fn longest(zone: &Zone, method: DenialMethod, length: usize) -> u64 {
    let facts = ZoneFacts::new(zone).expect("facts");
    let sizes = |kind| {
        let family = facts.family(kind, Setup::new(method)).expect("the zone has such answers");
        family.sizes(AlgorithmSize::new(32, length as u32)).max()
    };
    sizes(Kind::NxdomainLong).max(sizes(Kind::Nodata))
}

/// Names below delegations are not denied, so that all that do not exist lie right below the apex, as in the sizes.
#[test]
fn the_limit_is_that_of_the_sizes() {
    let delegations: String =
        ('c'..'n').map(|name| format!("{name}.example. 60 IN NS ns.other.\n")).collect();
    let soa = "example. 60 IN SOA ns.other. b.other. 1 2 3 4 5\nexample. 60 IN NS ns.other.\n";
    let zone = read(&format!("{soa}{delegations}"));
    for (denial, method, about) in
        [(Denial::Nsec, DenialMethod::Nsec, 65_535 / 3), (nsec3(false), DenialMethod::Nsec3, 65_535 / 4)]
    {
        let first = (about - 400..about)
            .find(|length| longest(&zone, method, *length) > 65_535)
            .expect("the sizes pass the limit");
        assert_eq!(refused(&zone, &denial, first - 1), None, "{method:?}");
        let (owner, octets) = refused(&zone, &denial, first).expect("one byte more");
        assert!((65_536..65_540).contains(&octets), "{owner}: {octets}");
        // Not so long that the answers of the zone's own records do not fit.
        assert!(first < 65_535 / 2);
    }
}

#[test]
fn names_are_told() {
    let zone = read(FLAT);
    let (owner, octets) = refused(&zone, &Denial::Nsec, 22_000).expect("three signatures");
    assert_eq!(owner, "example.");
    assert!((66_000..66_500).contains(&octets), "{octets}");
    // Two signatures, for what exists.
    assert_eq!(refused(&zone, &Denial::Nsec, 32_800).expect("two signatures").0, "example.");
    let plan = plan(vec![long_key(&zone, 202, 17_000)], nsec3(false));
    let fault = write(&zone, &plan, Form::Raw).expect_err("four signatures").to_string();
    for words in [" 68", "65,535", "smaller signatures", "or NSEC"] {
        assert!(fault.contains(words), "{fault}");
    }
}

/// Two algorithms sign together, and a zone with nothing but an apex has one record in its chain.
#[test]
fn keys_add_up_and_small_chains_have_fewer_proofs() {
    let apex = read("$TTL 60\nexample. IN SOA ns.other. b.other. 1 2 3 4 5\nexample. IN NS ns.other.\n");
    for denial in [Denial::Nsec, nsec3(false)] {
        assert_eq!(refused(&apex, &denial, 32_000), None);
        assert!(refused(&apex, &denial, 32_800).is_some());
    }
    let zone = read(FLAT);
    let keys = vec![long_key(&zone, 202, 12_000), long_key(&zone, 203, 10_000)];
    let fault = write(&zone, &plan(keys, Denial::Nsec), Form::Raw).expect_err("six signatures");
    assert!(matches!(fault, SignError::UnservableDenial { octets: 66_000..68_000, .. }), "{fault}");
}

#[test]
fn validation_finds_them() {
    let zone = read(FLAT);
    for (denial, rtype, length) in [(Denial::Nsec, Rtype::NSEC, 22_000), (nsec3(true), Rtype::NSEC3, 17_000)]
    {
        let signed = signed(&zone, &plan(vec![key(&zone, KeyUse::KeySigning, TOY)], denial));
        assert_secure(&signed);
        let long = edited(&signed, |records| {
            for record in records.iter_mut().filter(|record| record.covers(Rtype::SOA)) {
                record.rdata.resize(length, 0);
            }
        });
        let findings = check(&long).findings;
        let found = findings.iter().find(|finding| finding.rtype == rtype).expect("a finding");
        assert!(found.what.contains(" 6") && found.what.contains("65,535"), "{}", found.what);
    }
}
