//! What a server that keeps no differences would send of one (RFC 1995, section 4), computed from two
//! versions of a zone.

use std::collections::BTreeSet;
use std::path::Path;

use fieldtest_dnssec::{ReadError, Rtype};

/// Octets of a record beside its owner and RDATA (RFC 1035, section 4.1.3).
const FIXED: usize = 10;

type Record = (Vec<u8>, u16, Vec<u8>);

fn records(lines: &[String]) -> Result<BTreeSet<Record>, ReadError> {
    let text = lines.join("\n") + "\n";
    let zone = fieldtest_dnssec::read(text.as_bytes(), Path::new("a version of the zone"), None)?;
    let of = |rrset: fieldtest_dnssec::zone::Rrset<'_>| {
        let (owner, rtype) = (rrset.owner().wire().to_vec(), rrset.rtype().0);
        rrset.rdata().map(|rdata| (owner.clone(), rtype, rdata.to_vec())).collect::<Vec<_>>()
    };
    Ok(zone.owners().flat_map(|owner| owner.rrsets()).flat_map(of).collect())
}

/// Octets of the records that are in one of both versions alone, with the SOA records around them, no name compressed, and without
/// headers of messages.
pub(super) fn octets(before: &[String], after: &[String]) -> Result<u64, ReadError> {
    let (before, after) = (records(before)?, records(after)?);
    let size = |(owner, _, rdata): &Record| (owner.len() + FIXED + rdata.len()) as u64;
    // The old and the new SOA record are among what differs; the new one stands once more before all and behind it.
    let around: u64 = after.iter().filter(|(_, rtype, _)| *rtype == Rtype::SOA.0).map(size).sum();
    Ok(before.symmetric_difference(&after).map(size).sum::<u64>() + 2 * around)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(serial: u32, more: &[&str]) -> Vec<String> {
        let soa = format!("a. 60 IN SOA a. a. {serial} 1 1 1 1");
        std::iter::once(soa).chain(more.iter().map(|line| (*line).to_owned())).collect()
    }

    #[test]
    fn what_differs_and_the_soa_around_it() -> Result<(), ReadError> {
        let (kept, gone, new) =
            ("b.a. 60 IN A 192.0.2.1", "b.a. 60 IN A 192.0.2.2", "c.a. 60 IN A 192.0.2.3");
        // An owner of three octets, fixed ones, two names of three octets, five numbers.
        let soa = 3 + 10 + 6 + 20;
        let address = 5 + 10 + 4;
        let found = octets(&version(1, &[kept, gone]), &version(2, &[kept, new]))?;
        assert_eq!(found, 4 * soa + 2 * address);
        assert!(octets(&version(1, &["b"]), &version(2, &[])).is_err());
        Ok(())
    }
}
