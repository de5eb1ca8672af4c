//! TCP-MD5 (RFC 2385), which TCP-AO replaces: kept to compare with.
//!
//! It has no key derivation, no key identifiers and no sequence number extension; its digest does not cover options.

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use crate::ip::{Malformed, Packet};
use crate::message;
use crate::tcp::kind;

/// Bytes of the digest.
pub const DIGEST: usize = 16;
/// Bytes of the option: kind, length, digest.
pub const OPTION: usize = 2 + DIGEST;

/// Why a segment is not authentic, or cannot be made so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Md5Error {
    /// Not an IP packet that this crate reads.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Not TCP, or a fragment.
    #[error("not a whole TCP segment")]
    NotTcp,
    /// No TCP-MD5 option, or one of another length than 18.
    #[error("the segment has no TCP-MD5 option (kind 19, length 18); set a key at the other end too")]
    NoOption,
    /// The digest is another.
    #[error(
        "the MD5 digest differs; check that both ends have the same key, and what changes segments on their way"
    )]
    Differs,
    /// The implementation failed.
    #[error(transparent)]
    Mac(#[from] Error),
}

/// Checks the digest of a received packet. `key` makes MD5 of the message followed by the key; `message` is a buffer to
/// be used again.
///
/// # Errors
/// [`Md5Error`].
pub fn verify(packet: &Packet<'_>, key: &dyn MacKey, message: &mut Vec<u8>) -> Result<(), Md5Error> {
    let place = place(packet)?;
    let digest = digest(packet, key, message)?;
    let found = packet.segment().bytes().get(place..place + DIGEST).ok_or(Md5Error::NoOption)?;
    if constant_time_eq(&digest, found) { Ok(()) } else { Err(Md5Error::Differs) }
}

/// Writes the digest into the option that the packet has already. The TCP checksum is left as it is.
///
/// # Errors
/// [`Md5Error`], but never [`Md5Error::Differs`].
pub fn seal(packet: &mut [u8], key: &dyn MacKey, message: &mut Vec<u8>) -> Result<(), Md5Error> {
    let parsed = Packet::parse(packet)?.ok_or(Md5Error::NotTcp)?;
    let place = parsed.network_header().len() + place(&parsed)?;
    let digest = digest(&parsed, key, message)?;
    packet.get_mut(place..place + DIGEST).ok_or(Md5Error::NoOption)?.copy_from_slice(&digest);
    Ok(())
}

fn place(packet: &Packet<'_>) -> Result<usize, Md5Error> {
    for option in packet.segment().options() {
        let option = option?;
        if option.kind == kind::MD5 {
            return if option.bytes.len() == OPTION { Ok(option.place + 2) } else { Err(Md5Error::NoOption) };
        }
    }
    Err(Md5Error::NoOption)
}

fn digest(packet: &Packet<'_>, key: &dyn MacKey, buffer: &mut Vec<u8>) -> Result<[u8; DIGEST], Error> {
    buffer.clear();
    message::append_md5(packet, buffer);
    let mut digest = [0; DIGEST];
    key.tag(buffer, &mut digest)?;
    Ok(digest)
}
