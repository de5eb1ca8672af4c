use crate::codepoints::CodePoint;
use crate::name::Name;
use crate::rtype::Rtype;

/// Why a zone could not be signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum SignError {
    #[error("the zone's SOA record is too short to be one; write it again")]
    Soa,
    /// A record that must not stand where it does.
    #[error("{owner} {rtype}: {what}; correct the zone first")]
    Misplaced { owner: Box<Name>, rtype: Rtype, what: &'static str },
    /// An RRset that no server can send.
    #[error(
        "{owner} {rtype}: the answer would have {octets} bytes or more, and no DNS message has more than 65,535 (RFC 1035, section 4.2.2); split or remove the records"
    )]
    Unservable { owner: Box<Name>, rtype: Rtype, octets: u64 },
    /// A negative answer that no server can send.
    #[error(
        "{owner}: the answer that {says} would have {octets} bytes, and no DNS message has more than 65,535 (RFC 1035, section 4.2.2); choose an algorithm with smaller signatures, or fewer keys{hint}"
    )]
    UnservableDenial { owner: Box<Name>, says: &'static str, octets: u64, hint: &'static str },
    /// CDS or CDNSKEY records that would break the delegation.
    #[error("{owner} {rtype}: {what}; correct the zone, or have these records computed or removed")]
    Contradiction { owner: Box<Name>, rtype: Rtype, what: String },
    /// There is nothing to sign with.
    #[error("no private key given; generate or name at least one")]
    NoKey,
    #[error("the key {key} belongs to {owner}, but the zone is {zone}; give a key of the zone")]
    ForeignKey { key: String, owner: Box<Name>, zone: Box<Name> },
    /// A key that no validator would verify with (RFC 4034, section 2.1.1).
    #[error(
        "the key {0} lacks the zone key flag (256), so validators reject its signatures; generate another one"
    )]
    NotZoneKey(String),
    #[error("the key {0} is given twice; give it once")]
    DuplicateKey(String),
    /// A published algorithm that nothing signs with (RFC 4035, section 2.2).
    #[error("a key of algorithm {0} is published, so a key of algorithm {0} must sign; give its private key")]
    UnusedAlgorithm(CodePoint),
    /// The signatures would never be valid.
    #[error(
        "the signatures' expiration is not after their inception, or by more than 68 years (RFC 4034, section 3.1.5); give other times"
    )]
    Times,
    /// NSEC3 holds the salt's length in an octet.
    #[error("a salt of {0} bytes; NSEC3 allows at most 255")]
    Salt(usize),
    /// Two names with the same NSEC3 hash (RFC 5155, section 7.1, step 5).
    #[error("the names {0} and {1} have the same NSEC3 hash; choose another salt")]
    HashCollision(Box<Name>, Box<Name>),
    /// A name of the zone that is also an NSEC3 owner.
    #[error("the name {0} is also the owner of an NSEC3 record; choose another salt")]
    NameIsHash(Box<Name>),
    /// The signing function failed.
    #[error("the key {key} cannot sign: {source}; generate another one")]
    Key { key: String, source: fieldtest_kinds::Error },
    #[error(
        "a signature of {0} bytes does not fit an RRSIG record, which holds 65,535 with its other fields; choose another algorithm"
    )]
    TooLong(usize),
    /// The output could not be written.
    #[error("cannot write the signed zone: {0}")]
    Write(#[from] std::io::Error),
}
