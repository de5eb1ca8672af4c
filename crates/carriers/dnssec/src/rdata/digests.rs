//! Digests whose length their type fixes. Those of other types may have any, and so may the association data of TLSA and
//! SMIMEA, as in BIND and Knot.

use super::token::Fault;
use crate::rtype::Rtype;

/// A digest that is shorter could be one of any hash function that is not known (RFC 8976, section 2.2.4).
const SHORTEST_OF_ZONES: usize = 12;

/// Refuses RDATA, already of the right fields, whose digest is not as long as its type says.
pub(super) fn check(rtype: Rtype, rdata: &[u8]) -> Result<(), Fault> {
    let (kind, digest) = match (rtype, rdata) {
        // RFC 4034, section 5.1; RFC 7344, section 3.1; RFC 4431, section 2.
        (Rtype::DS | Rtype::CDS | Rtype::DLV | Rtype::TA, [_, _, _, kind, digest @ ..]) => (*kind, digest),
        // RFC 4255, section 3.1.
        (Rtype::SSHFP, [_, kind, digest @ ..]) => (*kind, digest),
        // RFC 8976, section 2.2.
        (Rtype::ZONEMD, [_, _, _, _, _, kind, digest @ ..]) => (*kind, digest),
        _ => return Ok(()),
    };
    let expected = match (rtype, kind) {
        // RFC 8976, section 2.2.3.
        (Rtype::ZONEMD, 1) => 48,
        (Rtype::ZONEMD, 2) => 64,
        (Rtype::ZONEMD, _) if digest.len() < SHORTEST_OF_ZONES => {
            return Err(format!(
                "the ZONEMD digest has {} bytes; the fewest are {SHORTEST_OF_ZONES} (RFC 8976, section 2.2.4)",
                digest.len()
            ));
        }
        (Rtype::ZONEMD, _) => return Ok(()),
        // SHA-1 (RFC 3658, section 2.4; RFC 4255, section 3.1.2) and SHA-256 (RFC 4509; RFC 6594) of both registries.
        (_, 1) => 20,
        (_, 2) => 32,
        (Rtype::SSHFP, _) => return Ok(()),
        // SHA-384 (RFC 6605).
        (_, 4) => 48,
        _ => return Ok(()),
    };
    if digest.len() == expected {
        return Ok(());
    }
    Err(format!("the {rtype} digest of type {kind} has {} bytes instead of {expected}", digest.len()))
}
