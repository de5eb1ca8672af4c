//! What goes over the pipes, version 1. docs/engines.md has it for those who write engines.
//!
//! Every kind of algorithm has operations of its own, and an engine is asked those of its kind alone: one that was written for
//! signatures, when there was nothing else, meets no request that it does not know.
//!
//! A message is four octets of length, big endian, and that many octets. A request's first octet is its [`Operation`], an
//! answer's its [`Outcome`]. Fields follow, each with a length of four octets of its own.

/// The version of the protocol.
pub const VERSION: u8 = 1;

/// The longest message, in octets: far more than any key or signature, and what a mistaken length cannot exceed.
pub const LONGEST: usize = 64 << 20;

/// Octets of the seed that a key pair is made from.
pub const SEED: usize = 48;

/// What an engine is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// The first request: the version in one octet, and the algorithm's name. The same two fields are the answer.
    Hello = 0,
    /// Nothing, with no field; so it takes what the way there and back takes.
    Nothing = 1,
    /// A key pair from a [`SEED`]: the secret key and the public one.
    Generate = 2,
    /// The public key that belongs to a secret one.
    Public = 3,
    /// The signature, by a secret key, of a message.
    Sign = 4,
    /// Whether, under a public key, a message has this signature: no field, and the outcome says it.
    Verify = 5,
    /// The digests of messages: a field each, and one each is the answer.
    Digest = 6,
    /// The traffic key, by a master key, of a context.
    Derive = 7,
    /// The tags, by a traffic key each, of messages: two fields each, and one each is the answer.
    Tag = 8,
    /// Sectors encrypted: the key, tweaks of 16 octets each behind each other, and as many sectors likewise. Sectors are the answer.
    Encrypt = 9,
    /// Sectors decrypted, likewise.
    Decrypt = 10,
}

/// How a request went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// As asked.
    Done = 0,
    /// The signature does not verify.
    Invalid = 1,
    /// It could not be done; the one field says why.
    Failed = 2,
}

impl Operation {
    pub(crate) fn of(octet: u8) -> Option<Operation> {
        use Operation::*;
        let all = [Hello, Nothing, Generate, Public, Sign, Verify, Digest, Derive, Tag, Encrypt, Decrypt];
        all.into_iter().nth(octet.into())
    }
}

impl Outcome {
    fn of(octet: u8) -> Option<Outcome> {
        [Outcome::Done, Outcome::Invalid, Outcome::Failed].into_iter().nth(octet.into())
    }
}

/// A request with its length.
///
/// # Errors
/// What is longer than [`LONGEST`].
pub fn request(operation: Operation, fields: &[&[u8]]) -> Result<Vec<u8>, String> {
    message(operation as u8, fields)
}

/// A request or an answer, with its length.
pub(crate) fn message(first: u8, fields: &[&[u8]]) -> Result<Vec<u8>, String> {
    let length = 1 + fields.iter().map(|field| 4 + field.len()).sum::<usize>();
    if length > LONGEST {
        return Err(format!("a message of {length} bytes is longer than {LONGEST}"));
    }
    let mut octets = Vec::with_capacity(4 + length);
    octets.extend((length as u32).to_be_bytes());
    octets.push(first);
    for field in fields {
        octets.extend((field.len() as u32).to_be_bytes());
        octets.extend_from_slice(field);
    }
    Ok(octets)
}

/// An answer without its length, taken apart.
///
/// # Errors
/// What it is not.
pub fn answer(octets: &[u8]) -> Result<(Outcome, Vec<&[u8]>), String> {
    let (first, fields) = parts(octets)?;
    let outcome = Outcome::of(first).ok_or_else(|| format!("an answer with the outcome {first}"))?;
    Ok((outcome, fields))
}

/// The first octet and the fields of a message without its length.
pub(crate) fn parts(octets: &[u8]) -> Result<(u8, Vec<&[u8]>), String> {
    let (first, mut rest) = octets.split_first().ok_or("a message of no bytes")?;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk().ok_or("a field without its whole length")?;
        let length = u32::from_be_bytes(*length) as usize;
        let (field, after) = after
            .split_at_checked(length)
            .ok_or_else(|| format!("a field that ends before its {length} bytes"))?;
        fields.push(field);
        rest = after;
    }
    Ok((*first, fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        let sent = request(Operation::Sign, &[b"ab", b""]).expect("short");
        assert_eq!(sent, [0, 0, 0, 11, 4, 0, 0, 0, 2, b'a', b'b', 0, 0, 0, 0]);
        assert_eq!(answer(&[0]), Ok((Outcome::Done, vec![])));
        assert_eq!(answer(&[2, 0, 0, 0, 1, b'x']), Ok((Outcome::Failed, vec![&b"x"[..]])));
        for wrong in [&[][..], &[3], &[0, 0], &[0, 0, 0, 0, 2, 1], &[0, 255, 255, 255, 255]] {
            assert!(answer(wrong).is_err(), "{wrong:?}");
        }
    }
}
