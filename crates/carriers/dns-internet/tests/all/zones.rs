//! Zones of an internet validate from the root's key down, and a turned bit breaks one of them.

use std::net::Ipv4Addr;
use std::sync::atomic::AtomicBool;

use fieldtest_dns_internet::zones::{self, Signing, Terms};
use fieldtest_dns_internet::{InternetError, Level, Plan, Shape, internet};
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::denial::{Denial, Nsec3};
use fieldtest_dnssec::verify::{Options, verify};
use fieldtest_dnssec::{Name, Rtype, Zone};
use fieldtest_kinds::toy::Toy;
use sha2::{Digest, Sha512};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// In the place of Ed25519: keys and signatures are as long.
static ED25519: Toy = Toy { hash: |parts| Sha512::digest(parts.concat()).to_vec() };

/// That of Ed25519 (RFC 8080).
const NUMBER: CodePoint = CodePoint::Number(15);
/// Seconds since 1970 within the validity of all signatures.
const NOW: u32 = 1_800_000_000;

fn make(
    plan: &Plan,
    root: Option<&Zone>,
    directory: &std::path::Path,
) -> Result<zones::Files, InternetError> {
    let signing = |level| {
        let denial = match level {
            Level::Tld => Denial::Nsec3(Nsec3 { iterations: 0, salt: Vec::new(), opt_out: true }),
            _ => Denial::Nsec,
        };
        Signing::new(&ED25519, NUMBER, denial)
    };
    make_signed(plan, root, &signing, directory)
}

fn make_signed(
    plan: &Plan,
    root: Option<&Zone>,
    signing: &(dyn Fn(Level) -> Signing<'static> + Sync),
    directory: &std::path::Path,
) -> Result<zones::Files, InternetError> {
    let address: &(dyn Fn(Level) -> Ipv4Addr + Sync) = &internet::address;
    let terms = Terms::new([NOW - 60, NOW + 60]);
    zones::make(plan, root, signing, address, &terms, directory, &AtomicBool::new(false))
}

fn is_secure(zone: &Zone) -> bool {
    let resolve = |asked: &CodePoint| (*asked == NUMBER).then_some(&ED25519 as _);
    verify(zone, &Options { resolve: &resolve, now: Some(NOW), anchors: &[] }).is_secure()
}

fn load(files: &zones::Files, place: usize) -> Result<Zone, fieldtest_dnssec::ReadError> {
    fieldtest_dnssec::load(&files.of(place), None)
}

#[test]
fn every_zone_validates_and_is_delegated() -> Outcome {
    let plan = Plan::new(Shape { tlds: 2, domains: 2, hosts: 3 }, None)?;
    let directory = tempfile::tempdir()?;
    let files = make(&plan, None, directory.path())?;
    for (place, delegated) in plan.zones().iter().enumerate() {
        let zone = load(&files, place)?;
        assert_eq!(*zone.apex(), delegated.name);
        assert!(is_secure(&zone), "{}", delegated.name);
        if place == 0 {
            continue;
        }
        // The parent has the digest of a key that the child has.
        let parent = load(&files, delegated.parent)?;
        let ds = parent.rrset(delegated.name.as_wire(), Rtype::DS).expect("a DS record");
        let keys = zone.rrset(zone.apex().as_wire(), Rtype::DNSKEY).expect("keys");
        let digest = fieldtest_dnssec::keys::DsDigest::Sha256;
        let is_named = |key: &[u8]| {
            let own = fieldtest_dnssec::keys::ds(zone.apex(), key, digest);
            ds.rdata().any(|ds| *ds == own[..])
        };
        assert!(keys.rdata().any(is_named), "{}", delegated.name);
    }
    assert!(files.anchor.starts_with(". ") && files.anchor.contains(" DNSKEY 257 3 15 "));
    let flipped = 2;
    zones::flip(&files, flipped, &plan.zones()[flipped].name)?;
    for place in 0..plan.zones().len() {
        assert_eq!(is_secure(&load(&files, place)?), place != flipped);
    }
    Ok(())
}

/// One key for everything, and two algorithms: how many keys, delegations and signatures a zone has, and that it validates.
#[test]
fn one_key_and_two_algorithms() -> Outcome {
    let plan = Plan::new(Shape { tlds: 1, domains: 1, hosts: 1 }, None)?;
    let second = CodePoint::Number(13);
    for (combined, both) in [(false, false), (true, false), (false, true), (true, true)] {
        let directory = tempfile::tempdir()?;
        let beside = both.then(|| (&ED25519 as _, second.clone()));
        let signing =
            |_| Signing { combined, beside: beside.clone(), ..Signing::new(&ED25519, NUMBER, Denial::Nsec) };
        let files = make_signed(&plan, None, &signing, directory.path())?;
        let algorithms = if both { 2 } else { 1 };
        for (place, delegated) in plan.zones().iter().enumerate() {
            let zone = load(&files, place)?;
            // The signatures of both are verified.
            let resolve = |asked: &CodePoint| [&NUMBER, &second].contains(&asked).then_some(&ED25519 as _);
            let found = verify(&zone, &Options { resolve: &resolve, now: Some(NOW), anchors: &[] });
            assert!(found.is_secure(), "{}", delegated.name);
            let count = |zone: &Zone, name: &Name, rtype| {
                zone.rrset(name.as_wire(), rtype).map_or(0, |rrset| rrset.rdata().count())
            };
            let keys = if combined { algorithms } else { 2 * algorithms };
            assert_eq!(count(&zone, zone.apex(), Rtype::DNSKEY), keys);
            if place > 0 {
                let parent = load(&files, delegated.parent)?;
                assert_eq!(count(&parent, &delegated.name, Rtype::DS), algorithms);
            }
        }
    }
    Ok(())
}

#[test]
fn a_root_that_is_given_keeps_its_other_delegations() -> Outcome {
    let text = ". 60 IN SOA a. b. 7 1 1 1 1\n. 60 IN NS a.gtld.\na.gtld. 60 IN A 192.0.2.1\n\
                com. 60 IN NS a.com.\na.com. 60 IN A 192.0.2.2\ngtld. 60 IN NS a.gtld.\n";
    let given = fieldtest_dnssec::read(text.as_bytes(), "root".as_ref(), None)?;
    let plan = Plan::new(Shape { tlds: 1, domains: 1, hosts: 1 }, Some(&given))?;
    let directory = tempfile::tempdir()?;
    let files = make(&plan, Some(&given), directory.path())?;
    let root = load(&files, 0)?;
    assert!(is_secure(&root));
    let name = |text: &str| Name::parse(text.as_bytes(), None);
    assert!(root.rrset(name("gtld.")?.as_wire(), Rtype::NS).is_some());
    assert!(root.rrset(name("a.com.")?.as_wire(), Rtype::A).is_none(), "its servers are ours now");
    let servers = root.rrset(Name::ROOT.as_wire(), Rtype::NS).expect("name servers");
    assert_eq!(servers.rdata().collect::<Vec<_>>(), [name("a.root.")?.as_wire()]);
    Ok(())
}
