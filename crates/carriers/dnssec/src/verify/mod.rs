//! Validates a whole signed zone: every signature, the chain that denies existence, and the zone's digest.

mod apex;
mod chain;
mod nsec3;
mod report;
mod signatures;

use crate::codepoints::Resolver;
use crate::denial::View;
use crate::denial::nsec3::has_opt_out;
use crate::name::Name;
use crate::negative::Negative;
use crate::rtype::{self, Rtype};
use crate::zone::{Owner, Role, Zone};
use crate::zonemd;

use apex::Keys;
pub use report::{Finding, Report};

/// What a zone is validated against.
pub struct Options<'a, 's> {
    /// The implementations.
    pub resolve: &'a Resolver<'s>,
    /// The moment to validate for, in seconds since 1970; `None` leaves validity periods out of account.
    pub now: Option<u32>,
    /// RDATA of DS records, of which one must match a key that signs the DNSKEY RRset; empty for no such demand.
    pub anchors: &'a [Vec<u8>],
}

/// Validates a zone in one run, in the current rayon pool unless the zone is small. Not as a resumable job: a
/// run over a million delegations that ends early loses a minute, and validating in ranges took more
/// processor time.
pub fn verify(zone: &Zone, options: &Options<'_, '_>) -> Report {
    let Some(apex) = zone.find(zone.apex().as_wire()) else {
        let what = "there is no record at the zone's apex".to_owned();
        let findings = vec![Finding { owner: *zone.apex(), rtype: Rtype::SOA, what }];
        return Report { findings, ..Report::default() };
    };
    let view = View { zone, apex: apex.id(), made_at_apex: Vec::new(), signing: false };
    let mut findings = Findings::default();
    let keys = Keys::of(apex, options, &mut findings);
    let denial = chain::denial(&view, &mut findings);
    let check = signatures::Check { view: &view, keys: &keys, now: options.now, nsec: denial.nsec };

    let rest = || {
        let mut findings = Findings::default();
        nsec3::check(&view, &denial.nsec3, &mut findings);
        check_ttls(zone, &mut findings);
        check_digest(zone, apex, &mut findings);
        check_denials(&view, apex, &denial, &mut findings);
        findings
    };
    let (checked, rest) = if zone.owner_count() <= 2 * signatures::BLOCK {
        (check.in_turn(), rest())
    } else {
        rayon::join(|| check.in_parallel(), rest)
    };

    check_keys(&keys, apex, &checked, &mut findings);
    findings.list.extend(checked.findings.list);
    findings.list.extend(rest.list);
    Report {
        signatures: checked.signatures,
        rrsets: checked.rrsets,
        foreign_signatures: checked.foreign,
        unchecked_signatures: checked.unchecked.iter().sum(),
        findings: findings.sorted(),
    }
}

/// What the keys' signatures of a whole zone say of the keys.
fn check_keys(keys: &Keys<'_>, apex: Owner<'_>, checked: &signatures::Checked, findings: &mut Findings) {
    keys.check_entry(&checked.dnskey_signers, findings);
    keys.check_revoked(&checked.dnskey_signers, findings);
    keys.check_requests(&checked.dnskey_signers, &checked.request_signers, findings);
    for (key_set, count) in keys.unsupported(&checked.unchecked) {
        let number = key_set.number();
        let called = rtype::algorithm_mnemonic(number).map_or(String::new(), |name| format!(" ({name})"));
        let status = rtype::algorithm_status(number).map_or(String::new(), |status| format!("; it {status}"));
        let what = format!(
            "no implementation of algorithm {key_set}{called} is available, so {} not checked{status}",
            if count == 1 { "1 signature was".to_owned() } else { format!("{count} signatures were") }
        );
        findings.add(apex, Rtype::DNSKEY, what);
    }
}

#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    fn add(&mut self, owner: Owner<'_>, rtype: Rtype, what: impl Into<String>) {
        self.list.push(Finding { owner: owner.name(), rtype, what: what.into() });
    }

    fn sorted(mut self) -> Vec<Finding> {
        self.list.sort_by_cached_key(|finding| {
            let mut key = Vec::new();
            crate::name::push_order_key(finding.owner.as_wire(), &mut key);
            (key, finding.rtype, finding.what.clone())
        });
        self.list
    }
}

/// Finds records of one RRset with several TTLs, signed or not.
fn check_ttls(zone: &Zone, findings: &mut Findings) {
    for (rrset, largest) in zone.mixed_ttls().filter(|(rrset, _)| rrset.owner().role() != Role::Outside) {
        let what = format!(
            "its records have TTLs from {} to {largest}, but all TTLs of an RRset must be equal (RFC 2181, section 5.2)",
            rrset.ttl()
        );
        findings.add(rrset.owner(), rrset.rtype(), what);
    }
}

/// Compares each ZONEMD record that can be checked with the zone (RFC 8976, section 4).
fn check_digest(zone: &Zone, apex: Owner<'_>, findings: &mut Findings) {
    let Some(rrset) = apex.rrset(Rtype::ZONEMD) else { return };
    let serial = apex.rrset(Rtype::SOA).and_then(|soa| soa.rdata().next()).and_then(soa_serial);
    for rdata in rrset.rdata() {
        let Some((fixed, given)) = rdata.split_first_chunk::<6>() else {
            findings.add(apex, Rtype::ZONEMD, "the record is too short to be one");
            continue;
        };
        if Some([fixed[0], fixed[1], fixed[2], fixed[3]]) != serial {
            findings.add(apex, Rtype::ZONEMD, "the record's serial differs from the SOA's");
            continue;
        }
        if fixed[4] != zonemd::SIMPLE {
            continue;
        }
        match zonemd::digest(zone, fixed[5]) {
            Some(computed) if computed != given => {
                let what = format!("the digest is {}, but the zone's is {}", short(given), short(&computed));
                findings.add(apex, Rtype::ZONEMD, what);
            }
            _ => {}
        }
    }
}

/// Finds a negative answer that fits into no message, as the signer refuses it. The signatures over the SOA record stand
/// for those over the chain, which the same keys make.
fn check_denials(view: &View<'_>, apex: Owner<'_>, denial: &chain::Claimed, findings: &mut Findings) {
    let Some(soa) = apex.rrset(Rtype::SOA).and_then(|soa| soa.rdata().next()) else { return };
    let rrsigs = apex.rrset(Rtype::RRSIG).into_iter().flat_map(|rrset| rrset.rdata());
    let over_soa = rrsigs.filter(|rdata| rdata.starts_with(&Rtype::SOA.0.to_be_bytes()));
    let rrsigs: Vec<usize> = over_soa.map(<[u8]>::len).collect();
    let negative = Negative { view, soa, rrsigs: &rrsigs };
    let nsec = denial.nsec.then(|| negative.with_nsec()).flatten().map(|found| (Rtype::NSEC, found));
    let closer = denial.nsec3.iter().filter(|parameters| !negative.always_fits_with_nsec3(parameters));
    let nsec3 = closer.filter_map(|parameters| {
        let mut chain = view.hashed_names(parameters, has_opt_out(view.zone));
        chain.retain(|entry| entry.required);
        negative.with_nsec3(parameters, &chain).map(|found| (Rtype::NSEC3, found))
    });
    for (rtype, found) in nsec.into_iter().chain(nsec3) {
        let what = format!(
            "the answer that {} would have {} bytes, and no DNS message has more than 65,535",
            found.says, found.octets
        );
        findings.list.push(Finding { owner: found.name, rtype, what });
    }
}

/// Enough of a digest to tell it from another.
fn short(digest: &[u8]) -> String {
    let shown = &digest[..digest.len().min(8)];
    data_encoding::HEXLOWER.encode(shown) + if shown.len() < digest.len() { "…" } else { "" }
}

fn soa_serial(rdata: &[u8]) -> Option<[u8; 4]> {
    rdata.get(rdata.len().checked_sub(20)?..)?.first_chunk().copied()
}

/// A wire name for a message.
fn shown(wire: &[u8]) -> Name {
    Name::from_wire(wire).map_or(Name::ROOT, |(name, _)| name)
}
