//! Zones that are validated range by range.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use fieldtest_dnssec::format::raw;
use fieldtest_dnssec::ranges::{Part, Split, split};
use fieldtest_dnssec::verify::{Options, Report, VerifyError, verify_part, verify_parts};
use fieldtest_dnssec::{ReadError, Rtype, Zone};

use super::Directory;

/// So little memory that every few records are a run of their own.
const LITTLE: usize = 1_000;

/// The report of so many ranges; `None` for a zone that no file can hold, and for one that has to be seen as a whole.
pub fn verify(zone: &Zone, options: &Options<'_, '_>, ranges: usize) -> Option<Report> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Directory::new(&format!("verify-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    let into = Split { folder: &folder.0, ranges, memory: LITTLE, signed: true };
    match split(&file(zone)[..], "zone".as_ref(), None, into) {
        // RDATA that no reader takes.
        Err(ReadError::Raw { .. }) => return None,
        split => drop(split.unwrap()),
    }
    match parts(&folder.0, options, ranges) {
        Err(VerifyError::Whole) => None,
        report => Some(report.unwrap()),
    }
}

fn parts(folder: &std::path::Path, options: &Options<'_, '_>, ranges: usize) -> Result<Report, VerifyError> {
    let of =
        |kind: &str| -> Vec<PathBuf> { (0..ranges).map(|at| folder.join(format!("{kind}-{at}"))).collect() };
    let (names, links) = (of("names"), of("links"));
    let mut tallies = Vec::new();
    for at in 0..ranges {
        let part = Part::load(folder, at)?;
        let mut out = [&names, &links].map(|paths| File::create(&paths[at]).unwrap());
        let [names, links] = &mut out;
        tallies.push(verify_part(&part, options, names, links)?);
    }
    assert!(names.iter().chain(&links).all(|path| fs::metadata(path).is_ok()));
    let apex = Part::apex(folder)?;
    verify_parts(&apex, options, tallies, [&names, &links], |at| Part::load(folder, at))
}

/// The zone in raw format, with the TTLs that its records came with as far as it remembers them.
fn file(zone: &Zone) -> Vec<u8> {
    let mut out = Vec::new();
    raw::push_header(0, &mut out);
    for rrset in zone.owners().flat_map(|owner| owner.rrsets()) {
        let mut push = |ttl, rdata: &[u8]| {
            // What a signature covers stands before its RRset, too.
            let covers = rdata.first_chunk().filter(|_| rrset.rtype() == Rtype::RRSIG);
            let covers = covers.map_or(0, |octets| u16::from_be_bytes(*octets));
            raw::push_rrset(
                rrset.owner().wire(),
                ttl,
                rrset.rtype(),
                covers,
                std::iter::once(rdata),
                &mut out,
            )
        };
        rrset.records().for_each(|(ttl, rdata)| push(ttl, rdata));
        let same = |other: &fieldtest_dnssec::zone::Rrset<'_>| {
            (other.owner().id(), other.rtype()) == (rrset.owner().id(), rrset.rtype())
        };
        if let Some((_, largest)) = zone.mixed_ttls().find(|(other, _)| same(other)) {
            rrset.rdata().last().into_iter().for_each(|rdata| push(largest, rdata));
        }
    }
    out
}
