//! The digest of a whole zone (RFC 8976): SHA-384 or SHA-512 over every record in canonical order, the simple scheme.

use sha2::{Digest, Sha384, Sha512};

use crate::rrsig::{self, Rrsig};
use crate::rtype::Rtype;
use crate::zone::{Role, Zone};

/// The simple scheme (RFC 8976, section 5.2).
pub(crate) const SIMPLE: u8 = 1;
/// SHA-384 (RFC 8976, section 5.3).
pub(crate) const SHA384: u8 = 1;
pub(crate) const SHA512: u8 = 2;
/// Records are hashed in pieces of this many octets.
const PIECE: usize = 1 << 16;

/// ZONEMD RDATA in front of the digest, and the digest.
pub(crate) fn rdata(serial: u32, digest: &[u8]) -> Vec<u8> {
    let mut rdata = serial.to_be_bytes().to_vec();
    rdata.extend_from_slice(&[SIMPLE, SHA384]);
    rdata.extend_from_slice(digest);
    rdata
}

/// The digest of a zone in memory with one of the two hash functions; `None` for any other.
pub(crate) fn digest(zone: &Zone, hash: u8) -> Option<Vec<u8>> {
    match hash {
        SHA384 => Some(hash_owners(Sha384::new(), zone)),
        SHA512 => Some(hash_owners(Sha512::new(), zone)),
        _ => None,
    }
}

/// RFC 8976, section 3.3.1: everything in the zone, occluded or not, except the apex ZONEMD and its RRSIG.
fn hash_owners<D: Digest>(mut hasher: D, zone: &Zone) -> Vec<u8> {
    let mut piece = Vec::with_capacity(2 * PIECE);
    for owner in zone.owners().filter(|owner| owner.role() != Role::Outside) {
        let apex = owner.is_apex();
        for rrset in owner.rrsets() {
            match rrset.rtype() {
                Rtype::ZONEMD if apex => {}
                Rtype::RRSIG => {
                    for (ttl, rdata) in rrset.records() {
                        let covered = Rrsig::parse(rdata).map_or(Rtype(0), |rrsig| rrsig.covered);
                        if apex && covered == Rtype::ZONEMD {
                            continue;
                        }
                        rrsig::push_rrset(owner.wire(), Rtype::RRSIG, ttl, [rdata].into_iter(), &mut piece);
                    }
                }
                rtype => rrsig::push_rrset(owner.wire(), rtype, rrset.ttl(), rrset.rdata(), &mut piece),
            }
        }
        if piece.len() >= PIECE {
            hasher.update(&piece);
            piece.clear();
        }
    }
    hasher.update(&piece);
    hasher.finalize().to_vec()
}
