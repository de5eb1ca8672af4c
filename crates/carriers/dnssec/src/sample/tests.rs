use std::collections::BTreeMap;

use super::*;
use crate::zone::Role;

fn count<T: Ord>(items: impl Iterator<Item = T>) -> BTreeMap<T, u32> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

#[test]
fn the_same_seed_makes_the_same_zone() {
    for form in [Form::Root, Form::Tld] {
        let text = |seed| {
            let mut out = Vec::new();
            let records = Sample { form, delegations: 300, seed }.write_text(&mut out).unwrap();
            assert_eq!(records as usize, out.iter().filter(|octet| **octet == b'\n').count());
            out
        };
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }
}

#[test]
fn has_the_statistics_of_the_root() {
    let zone = Sample::default().zone().unwrap();
    let delegations = || zone.owners().filter(|owner| owner.role() == Role::Delegation);
    assert_eq!(delegations().count(), statistics::DELEGATIONS as usize);

    let label = |owner: crate::zone::Owner<'_>| owner.wire()[1..owner.wire().len() - 1].to_vec();
    let lengths =
        count(delegations().map(|owner| (label(owner).len() as u8, label(owner).starts_with(b"xn--"))));
    for (length, number) in statistics::LABEL_LENGTHS {
        assert_eq!(lengths[&(length, false)], u32::from(number));
    }
    for (length, number) in statistics::INTERNATIONALISED_LENGTHS {
        assert_eq!(lengths[&(length, true)], u32::from(number));
    }
    let servers = count(delegations().map(|owner| {
        let servers = owner.rrset(Rtype::NS).unwrap();
        let own = |rdata: &&[u8]| rdata.ends_with(owner.wire()) && owner.wire() != b"\x07example\0";
        (servers.rdata().len() as u8, servers.rdata().filter(own).count() as u8)
    }));
    // “example.” holds the shared servers, so of its own it may seem to have another number.
    let off: u32 = statistics::SERVERS
        .iter()
        .map(|(all, own, number)| {
            servers.get(&(*all, *own)).copied().unwrap_or(0).abs_diff(u32::from(*number))
        })
        .sum();
    assert!(off <= 2, "{servers:?}");
    let digests = count(delegations().map(|owner| {
        let mut digests: Vec<u8> =
            owner.rrset(Rtype::DS).map(|ds| ds.rdata().map(|rdata| rdata[3]).collect()).unwrap_or_default();
        digests.sort_unstable();
        digests
    }));
    for (types, number) in statistics::DS {
        assert_eq!(digests[types], u32::from(number));
    }
    // Only delegations and the apex are the zone's own, as in the root.
    assert_eq!(zone.owners().filter(|owner| owner.role() == Role::Authoritative).count(), 1);
    assert!(zone.owners().all(|owner| owner.role() != Role::Outside));
}

#[test]
fn no_label_is_a_real_one() {
    for form in [Form::Root, Form::Tld] {
        let zone = Sample { form, delegations: 3000, seed: 5 }.zone().unwrap();
        let mut delegations = 0;
        for owner in zone.owners().filter(|owner| owner.role() == Role::Delegation) {
            let name = owner.name().to_string();
            let label = name.split('.').next().unwrap();
            assert!(label == "example" || label.ends_with(|c: char| c.is_ascii_digit()), "{name}");
            delegations += 1;
        }
        assert_eq!(delegations, 3000);
    }
}

#[test]
fn text_reads_back_as_the_zone() {
    let sample = Sample { form: Form::Tld, delegations: 500, seed: 9 };
    let (mut out, zone) = (Vec::new(), sample.zone().unwrap());
    sample.write_text(&mut out).unwrap();
    let mut builder = ZoneBuilder::new();
    text::read(&out[..], std::path::Path::new("sample"), None, &mut builder).unwrap();
    let read = builder.finish().unwrap();
    assert_eq!(read.record_count(), zone.record_count());
    let all = |zone: &Zone| zone.owners().map(|owner| owner.wire().to_vec()).collect::<Vec<_>>();
    assert_eq!(all(&read), all(&zone));
}
