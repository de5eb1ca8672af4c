//! Records that must not stand where they stand, whoever signs them.

use crate::keys::ZONE_KEY;
use crate::rtype::Rtype;
use crate::zone::Rrset;

/// What is wrong with the place of an RRset, if something is. CNAME and DNAME records are checked below zone
/// cuts, too: BIND, NSD and Knot (seen in November 2026) load no zone with two of them, or a CNAME next to
/// other data, at any name.
pub(crate) fn fault(rrset: Rrset<'_>, is_signed: bool) -> Option<&'static str> {
    let owner = rrset.owner();
    match rrset.rtype() {
        rtype if !is_signed && !matches!(rtype, Rtype::CNAME | Rtype::DNAME) => None,
        Rtype::DS if owner.is_apex() => {
            Some("DS records belong to the parent zone, not to the apex (RFC 4035, section 2.4)")
        }
        Rtype::DNSKEY if !owner.is_apex() => rrset
            .rdata()
            .any(|rdata| rdata.first().is_some_and(|flags| flags & (ZONE_KEY >> 8) as u8 != 0))
            .then_some("a key with the zone flag is allowed only at a zone's apex (RFC 4034, section 2.1.1)"),
        Rtype::CNAME | Rtype::DNAME if rrset.rdata().len() > 1 => {
            Some("a name has at most one such record (RFC 2181, section 10.1; RFC 6672, section 2.4)")
        }
        Rtype::CNAME => owner
            .rrsets()
            .any(|other| !stands_beside_cname(other.rtype()))
            .then_some("a name with a CNAME record has no other data (RFC 2181, section 10.1)"),
        _ => None,
    }
}

/// RFC 2181, section 10.1, and RFC 4035, section 2.5; numbers 24, 25 and 30 are SIG, KEY and NXT.
fn stands_beside_cname(rtype: Rtype) -> bool {
    matches!(rtype, Rtype::CNAME | Rtype::RRSIG | Rtype::NSEC | Rtype(24 | 25 | 30))
}
