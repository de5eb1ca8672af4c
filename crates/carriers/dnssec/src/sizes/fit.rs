//! What still fits where.

use super::shape::AlgorithmSize;

/// The limit without EDNS.
pub const WITHOUT_EDNS: u64 = 512;
/// What an Ethernet frame carries over IPv6.
pub const ETHERNET: u64 = 1452;
/// The default limit of servers today.
pub const FLAG_DAY: u64 = 1232;
/// The longest message: over TCP its length stands in two octets (RFC 1035, section 4.2.2).
pub const LONGEST_MESSAGE: u64 = 65_535;
/// The longest RDATA: its length stands in two octets (RFC 1035, section 3.2.1).
pub const LONGEST_RDATA: u64 = 65_535;

/// Why an algorithm cannot sign a zone at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// The key does not fit into a record.
    #[error(
        "a public key of {0} bytes does not fit in a DNSKEY record; RDATA has at most 65,535 bytes, 4 of them fixed"
    )]
    Key(u32),
    /// The signature does not fit into a record.
    #[error(
        "a signature of {0} bytes does not fit in an RRSIG record; RDATA has at most 65,535 bytes, at least 19 of them other fields"
    )]
    Signature(u32),
}

/// Whether DNSKEY and RRSIG records of this algorithm can exist. `signer` is the length of the zone's name in wire
/// form.
pub fn check(algorithm: AlgorithmSize, signer: usize) -> Result<(), Misfit> {
    if u64::from(algorithm.key) + 4 > LONGEST_RDATA {
        return Err(Misfit::Key(algorithm.key));
    }
    if u64::from(algorithm.signature) + 18 + signer as u64 > LONGEST_RDATA {
        return Err(Misfit::Signature(algorithm.signature));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(check(AlgorithmSize::new(65_531, 65_516), 1), Ok(()));
        assert_eq!(check(AlgorithmSize::new(65_532, 64), 1), Err(Misfit::Key(65_532)));
        assert_eq!(check(AlgorithmSize::new(32, 65_517), 1), Err(Misfit::Signature(65_517)));
    }
}
