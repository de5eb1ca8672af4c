//! How a zone is signed and answered.

use fieldtest_text::words;

use super::compress::Edns;

words! {
    /// How a server proves that something does not exist.
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum DenialMethod as label {
        /// NSEC (RFC 4034, section 4): names in the clear.
        Nsec = "NSEC",
        /// NSEC3 (RFC 5155) without extra iterations and without salt (RFC 9276).
        Nsec3 = "NSEC3",
        /// NSEC3 where insecure delegations have no record of their own (RFC 5155, section 6).
        Nsec3OptOut = "NSEC3 opt-out",
        /// Compact denial (RFC 9824): the server signs one NSEC for just the name that was asked for.
        Compact = "compact",
    }
}

/// How many algorithms sign every RRset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Signers {
    /// One.
    #[default]
    One,
    /// Two, so that each RRset has an RRSIG of each (RFC 6840, section 5.11). A survey of these is evaluated with
    /// [`AlgorithmSize::and`](super::AlgorithmSize::and).
    Two,
}

impl Signers {
    /// As a number.
    pub const fn count(self) -> u64 {
        match self {
            Signers::One => 1,
            Signers::Two => 2,
        }
    }
}

/// Everything besides zone and algorithm that decides about a message's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Setup {
    /// How absence is proven.
    pub denial: DenialMethod,
    /// How many algorithms sign.
    pub signers: Signers,
    /// What the OPT record holds.
    pub edns: Edns,
}

impl Setup {
    /// One algorithm, no cookie.
    pub const fn new(denial: DenialMethod) -> Self {
        Setup { denial, signers: Signers::One, edns: Edns { cookie: false } }
    }
}

/// The keys of a DNSKEY RRset and who signs it, per algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeySet {
    /// A key-signing and a zone-signing key; the former signs.
    KskZsk,
    /// One key for both.
    Csk,
    /// A zone-signing key is being replaced, the new one published before its use (RFC 6781, section 4.1.1.1).
    ZskRoll,
    /// A key-signing key is being replaced, with both signing (RFC 6781, section 4.1.2).
    KskRoll,
    /// As `KskZsk`, with both keys signing, as `dnssec-signzone` does without `-x`.
    BothSign,
}

impl KeySet {
    /// DNSKEY records and RRSIG records of each algorithm.
    pub const fn counts(self) -> (u64, u64) {
        match self {
            KeySet::KskZsk => (2, 1),
            KeySet::Csk => (1, 1),
            KeySet::ZskRoll => (3, 1),
            KeySet::KskRoll => (3, 2),
            KeySet::BothSign => (2, 2),
        }
    }
}

/// Which addresses of name servers a referral carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Glue {
    /// All that the zone has.
    All,
    /// None.
    None,
}
