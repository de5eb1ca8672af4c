//! A zone that is validated range by range: what a range alone tells, and what all of them together do.

use std::io::Write;
use std::path::PathBuf;

use super::apex::Keys;
use super::nsec3::Ends;
use super::signatures::{BLOCK, Check, Checked};
use super::{
    Finding, Findings, Options, Report, chain, check_digest, check_keys, check_ttls, due, nsec3,
    signatures_over_soa,
};
use crate::ReadError;
use crate::denial::View;
use crate::negative::Negative;
use crate::ranges::Part;
use crate::rtype::Rtype;
use crate::zonemd::Hasher;

/// What one range came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Signatures that were verified and are good.
    pub signatures: u64,
    /// RRsets that had to be signed.
    pub rrsets: u64,
    /// Signatures by keys that the zone does not publish.
    pub foreign_signatures: u64,
    /// Signatures of each of the zone's algorithms that could not be checked.
    pub unchecked: Vec<u64>,
    /// The positions of the keys whose signature of the DNSKEY RRset is good.
    pub dnskey_signers: Vec<usize>,
    /// Those of the keys whose signatures of CDS and CDNSKEY at the apex are good.
    pub request_signers: Vec<(Rtype, usize)>,
    /// What is wrong, in the zone's order.
    pub findings: Vec<Finding>,
}

/// Validates one range, and writes what it has of the NSEC3 chains for [`verify_parts`]: the names that belong into them, and
/// their records. Work is spread over the rayon pool that it is called in.
///
/// # Errors
///
/// The files of the range cannot be read; what is written cannot be.
pub fn verify_part(
    part: &Part,
    options: &Options<'_, '_>,
    names: &mut impl Write,
    links: &mut impl Write,
) -> Result<Tally, VerifyError> {
    let zone = part.zone();
    let own = part.own();
    let Some(apex) = zone.find(zone.apex().as_wire()) else { return Ok(Tally::default()) };
    let view = View { zone, apex: apex.id(), made_at_apex: Vec::new(), signing: false };
    // What is wrong with the apex is told once, of all ranges together.
    let mut of_apex = Findings::default();
    let keys = Keys::of(apex, options, &mut of_apex);
    let (nsec, nsec3) = (part.zone_has(Rtype::NSEC)?, part.zone_has(Rtype::NSEC3)?);
    let has = |rtype| if rtype == Rtype::NSEC { nsec } else { nsec3 };
    let denial = chain::denial(&view, has, &mut of_apex);
    let check = Check { view: &view, keys: &keys, now: options.now, nsec: denial.nsec, own: own.clone() };
    let checked = if own.len() <= 2 * BLOCK { check.in_turn() } else { check.in_parallel() };

    let mut findings = Findings::default();
    check_ttls(zone, &own, &mut findings);
    let mut written = Ok(());
    nsec3::for_each_link(&view, &own, &denial.nsec3, &mut findings, |chain, link| {
        if written.is_ok() {
            written = due::write_link(chain, &link, links);
        }
    });
    written.and_then(|()| links.flush())?;
    for (chain, parameters) in denial.nsec3.iter().enumerate() {
        // Whether any record of the whole chain leaves names out is seen where all of them are.
        for name in nsec3::due(&view, &own, parameters, true) {
            due::write_due(chain, &name, names)?;
        }
    }
    names.flush()?;
    findings.list.extend(checked.findings.list);
    Ok(Tally {
        signatures: checked.signatures,
        rrsets: checked.rrsets,
        foreign_signatures: checked.foreign,
        unchecked: checked.unchecked,
        dnskey_signers: checked.dnskey_signers,
        request_signers: checked.request_signers,
        findings: findings.sorted(),
    })
}

/// Validates what all ranges have together: keys, NSEC3 chains, the zone's digest. `apex` is the zone's apex alone, `tallies` are
/// what [`verify_part`] came to, `names` and `links` what it wrote, and `load` reads a range again, all of them by the order
/// of the ranges. The report is that of [`verify`](super::verify()) on the whole zone.
///
/// # Errors
///
/// Files that cannot be read; [`VerifyError::Whole`].
pub fn verify_parts(
    apex: &Part,
    options: &Options<'_, '_>,
    tallies: Vec<Tally>,
    [names, links]: [&[PathBuf]; 2],
    load: impl Fn(usize) -> Result<Part, ReadError>,
) -> Result<Report, VerifyError> {
    let zone = apex.zone();
    let Some(owner) = zone.find(zone.apex().as_wire()) else { return Ok(Report::default()) };
    let view = View { zone, apex: owner.id(), made_at_apex: Vec::new(), signing: false };
    let mut findings = Findings::default();
    let keys = Keys::of(owner, options, &mut findings);
    let (nsec, nsec3) = (apex.zone_has(Rtype::NSEC)?, apex.zone_has(Rtype::NSEC3)?);
    let has = |rtype| if rtype == Rtype::NSEC { nsec } else { nsec3 };
    let denial = chain::denial(&view, has, &mut findings);

    if let Some(soa) = owner.rrset(Rtype::SOA).and_then(|soa| soa.rdata().next()) {
        let negative = Negative { view: &view, soa, rrsigs: &signatures_over_soa(owner) };
        let fits = (!denial.nsec || negative.always_fits_with_nsec())
            && denial.nsec3.iter().all(|parameters| negative.always_fits_with_nsec3(parameters));
        if !fits {
            return Err(VerifyError::Whole);
        }
    }
    for chain in 0..denial.nsec3.len() {
        let mut ends = Ends::default();
        for link in due::links(links, chain) {
            ends.add(&link?);
        }
        let (names, links) = (due::names(names, chain), due::links(links, chain));
        nsec3::check_chain(zone.apex(), &ends, names, links, &mut findings)?;
    }
    let digest = |hash: u8| -> Result<Option<Vec<u8>>, ReadError> {
        let Some(mut hasher) = Hasher::new(hash) else { return Ok(None) };
        for at in 0..tallies.len() {
            let part = load(at)?;
            hasher.update(part.zone(), part.own());
        }
        Ok(Some(hasher.finish()))
    };
    check_digest(owner, digest, &mut findings)?;

    let all = tallies.into_iter().map(Tally::checked).fold(Checked::default(), Checked::with);
    check_keys(&keys, owner, &all, &mut findings);
    findings.list.extend(all.findings.list);
    Ok(Report {
        signatures: all.signatures,
        rrsets: all.rrsets,
        foreign_signatures: all.foreign,
        unchecked_signatures: all.unchecked.iter().sum(),
        findings: findings.sorted(),
    })
}

impl Tally {
    fn checked(self) -> Checked {
        Checked {
            signatures: self.signatures,
            rrsets: self.rrsets,
            foreign: self.foreign_signatures,
            unchecked: self.unchecked,
            dnskey_signers: self.dnskey_signers,
            request_signers: self.request_signers,
            findings: Findings { list: self.findings },
        }
    }
}

/// Why a zone could not be validated by ranges.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file of the ranges.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What a range has of the chains could not be written.
    #[error("cannot write: {0}")]
    Write(#[from] std::io::Error),
    /// Signatures so large that only the whole zone tells.
    #[error(
        "the signatures are so large that a negative answer may not fit into a message, which only the whole zone tells; validate it in \
         one run"
    )]
    Whole,
}
