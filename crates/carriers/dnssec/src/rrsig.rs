//! RRSIG RDATA and the message that a signature is made over (RFC 4034, sections 3.1 and 3.1.8.1).

use crate::name;
use crate::rdata::rdlength;
use crate::rtype::Rtype;

/// Length of the RDATA in front of the signer's name.
const FIXED: usize = 18;
const CLASS_IN: u16 = 1;

/// An RRSIG's fields.
#[derive(Debug, Clone, Copy)]
pub struct Rrsig<'a> {
    /// The type of the RRset that is signed.
    pub covered: Rtype,
    /// The algorithm's number.
    pub algorithm: u8,
    /// As [`labels`] counts them.
    pub labels: u8,
    /// The RRset's TTL where it was signed.
    pub original_ttl: u32,
    /// The last second of validity.
    pub expiration: u32,
    /// The first one.
    pub inception: u32,
    /// The key tag (RFC 4034, appendix B).
    pub key_tag: u16,
    /// The signer's name in wire form, with the case it has in the record.
    pub signer: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

impl<'a> Rrsig<'a> {
    /// Takes RDATA apart; `None` if it is too short or holds no name.
    pub fn parse(rdata: &'a [u8]) -> Option<Rrsig<'a>> {
        let (fixed, rest) = rdata.split_first_chunk::<FIXED>()?;
        let (signer, signature) = rest.split_at(name::wire_len(rest)?);
        let half = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
        let word = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        Some(Rrsig {
            covered: Rtype(half(0)),
            algorithm: fixed[2],
            labels: fixed[3],
            original_ttl: word(4),
            expiration: word(8),
            inception: word(12),
            key_tag: half(16),
            signer,
            signature,
        })
    }

    /// Appends the RDATA as it stands in front of the signature, with `signer` in place of the signer's name.
    pub fn push_prefix(&self, signer: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.covered.0.to_be_bytes());
        out.extend_from_slice(&[self.algorithm, self.labels]);
        for word in [self.original_ttl, self.expiration, self.inception] {
            out.extend_from_slice(&word.to_be_bytes());
        }
        out.extend_from_slice(&self.key_tag.to_be_bytes());
        out.extend_from_slice(signer);
    }
}

/// The Labels field of an owner's RRSIGs (RFC 4034, section 3.1.3): the root and a leading `*` are not counted.
pub fn labels(owner: &[u8]) -> u8 {
    (name::labels(owner).count() - usize::from(owner.starts_with(b"\x01*"))) as u8
}

/// Appends an RRset in canonical form: what follows the RRSIG's own fields in a signed message, and what a ZONEMD
/// digest covers (RFC 8976, section 3.3.2).
///
/// # Panics
/// At RDATA of more than 65,535 octets.
pub fn push_rrset<'r>(
    owner: &[u8],
    rtype: Rtype,
    ttl: u32,
    rdata: impl Iterator<Item = &'r [u8]>,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    out.extend_from_slice(owner);
    out.extend_from_slice(&rtype.0.to_be_bytes());
    out.extend_from_slice(&CLASS_IN.to_be_bytes());
    out.extend_from_slice(&ttl.to_be_bytes());
    let head = start..out.len();
    for (at, one) in rdata.enumerate() {
        if at > 0 {
            out.extend_from_within(head.clone());
        }
        out.extend_from_slice(&rdlength(one));
        out.extend_from_slice(one);
    }
}
