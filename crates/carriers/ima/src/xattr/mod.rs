//! The values of `security.ima` and `security.evm` (the kernel's `security/integrity/integrity.h`).
//!
//! ```text
//! type 1      01 digest                                      a file's SHA-1 (20 bytes) or MD5 (16 bytes)
//! type 2      02 hmac                                        EVM, HMAC-SHA-1 (20 bytes)
//! type 4      04 hash digest                                 a file's digest by any algorithm
//! type 3,5,6  tt 01 time*4 algo hash key*8 count bits*2 mpi  a signature in version 1, RSA alone
//! type 3,5,6  tt vv hash key*4 length*2 signature            a signature in version 2 or 3
//! ```
//!
//! The integers are big endian, except `time`, which is the signing machine's.

pub(crate) mod name;

use std::fmt;

use fieldtest_text::words;

use crate::hash_algorithm;

/// The longest value of an xattr in Linux (`XATTR_SIZE_MAX`).
pub const LONGEST_VALUE: usize = 65_536;

/// Bytes before the signature in versions 2 and 3.
pub const SIGNATURE_HEADER: usize = 9;

/// Bytes before the signature's multi-precision integer in version 1.
const VERSION_1_HEADER: usize = 19;

words! {
    /// What a signature covers; the first byte of its xattr.
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum SignatureType {
        /// A file's content (`EVM_IMA_XATTR_DIGSIG`).
        File = "file content",
        /// A file's security xattrs and owner, bound to no inode (`EVM_XATTR_PORTABLE_DIGSIG`).
        EvmPortable = "file metadata (EVM portable)",
        /// A file's content by its fs-verity digest (`IMA_VERITY_DIGSIG`).
        Verity = "fs-verity digest",
    }
}

impl SignatureType {
    /// The byte on the disk, and the first byte of `ima_file_id`.
    pub fn number(self) -> u8 {
        match self {
            SignatureType::File => 3,
            SignatureType::EvmPortable => 5,
            SignatureType::Verity => 6,
        }
    }
}

/// The two versions of a signature that name their key by four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// The signature is over the digest alone.
    V2,
    /// The signature is over `ima_file_id`, which also says what the digest is of and by which algorithm.
    V3,
}

impl Version {
    /// The byte on the disk.
    pub fn number(self) -> u8 {
        match self {
            Version::V2 => 2,
            Version::V3 => 3,
        }
    }
}

/// By which four bytes an xattr names its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub [u8; 4]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", u32::from_be_bytes(self.0))
    }
}

/// A signature in version 2 or 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignatureXattr<'a> {
    /// What is signed.
    pub covers: SignatureType,
    /// How it is signed.
    pub version: Version,
    /// The digest's algorithm by the kernel's number ([`hash_algorithm`]), whether it is known here or not.
    pub hash: u8,
    /// The key that signed.
    pub key: KeyId,
    /// PKCS #1 v1.5, DER of `Ecdsa-Sig-Value`, or the bytes that the algorithm's specification defines.
    pub signature: &'a [u8],
}

/// A signature in version 1, which is RSA alone. Read and written, but neither made nor verified here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignatureV1Xattr<'a> {
    /// What is signed.
    pub covers: SignatureType,
    /// Seconds since 1970, in the byte order of the machine that signed.
    pub time: [u8; 4],
    /// The public key algorithm; 0 is RSA.
    pub algorithm: u8,
    /// 0 is SHA-1, 1 is SHA-256.
    pub hash: u8,
    /// The key that signed.
    pub key: [u8; 8],
    /// Bits of the integer that follows.
    pub bits: u16,
    /// The signature, big endian, in as many bytes as its bits need.
    pub integer: &'a [u8],
}

/// The value of `security.ima` or `security.evm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Xattr<'a> {
    /// Type 1: a file's SHA-1 or, where it has 16 bytes, its MD5.
    Digest(&'a [u8]),
    /// Type 2: HMAC-SHA-1 of EVM, with a key that only the machine has.
    EvmHmac(&'a [u8; 20]),
    /// Type 4: a file's digest with its algorithm.
    DigestNg {
        /// The kernel's number of the algorithm.
        hash: u8,
        /// As long as the algorithm says.
        digest: &'a [u8],
    },
    /// Types 3, 5 and 6 in version 1.
    SignatureV1(SignatureV1Xattr<'a>),
    /// Types 3, 5 and 6 in versions 2 and 3.
    Signature(SignatureXattr<'a>),
}

/// Why bytes are no value of `security.ima` or `security.evm`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// No bytes at all.
    #[error("the xattr is empty; remove it, or sign the file again")]
    Empty,
    /// The first byte.
    #[error("the xattr's type is {0}, but IMA's types are 1 to 6; it was not written by IMA")]
    UnknownType(u8),
    /// The second byte of a signature.
    #[error("the signature's version is {0}, but only 1, 2 and 3 exist; sign the file again")]
    UnknownVersion(u8),
    /// Another number of bytes than the type has.
    #[error(
        "{what} has {expected} bytes, but these are {found}; the value was cut or overwritten: sign again"
    )]
    WrongLength {
        /// Which value or part of it.
        what: &'static str,
        /// The number of bytes it has, in words.
        expected: String,
        /// The number of bytes that there are.
        found: usize,
    },
    /// The signature itself is missing or too long for its 16-bit length.
    #[error("a signature has 1 to 65535 bytes, but this one has {0}")]
    SignatureLength(usize),
    /// The signature is not in the form that its key's algorithm has.
    #[error("the signature is not the DER of an Ecdsa-Sig-Value for its key's curve; sign the file again")]
    NotEcdsaDer,
}

impl<'a> Xattr<'a> {
    /// Reads a value, all of it.
    ///
    /// # Errors
    /// [`Malformed`] for anything that the kernel would not take as such a value either.
    pub fn parse(value: &'a [u8]) -> Result<Self, Malformed> {
        let (&number, rest) = value.split_first().ok_or(Malformed::Empty)?;
        let covers = match number {
            1 => return plain_digest(rest),
            2 => {
                let hmac = rest.try_into().map_err(|_| wrong("an EVM HMAC after its type", "20", rest))?;
                return Ok(Xattr::EvmHmac(hmac));
            }
            4 => return digest_ng(rest),
            3 => SignatureType::File,
            5 => SignatureType::EvmPortable,
            6 => SignatureType::Verity,
            _ => return Err(Malformed::UnknownType(number)),
        };
        match rest.first() {
            Some(1) => version_1(covers, value).map(Xattr::SignatureV1),
            Some(2) => signature(covers, Version::V2, value).map(Xattr::Signature),
            Some(3) => signature(covers, Version::V3, value).map(Xattr::Signature),
            Some(&version) => Err(Malformed::UnknownVersion(version)),
            None => Err(wrong("a signature's xattr", "more than 9", value)),
        }
    }

    /// Writes a value.
    ///
    /// # Errors
    /// [`Malformed`] for a digest or a signature of a length that [`Xattr::parse`] would refuse.
    pub fn encode(&self) -> Result<Vec<u8>, Malformed> {
        let bytes = match self {
            Xattr::Digest(digest) => [&[1], *digest].concat(),
            Xattr::EvmHmac(hmac) => [&[2], &hmac[..]].concat(),
            Xattr::DigestNg { hash, digest } => [&[4, *hash], *digest].concat(),
            Xattr::SignatureV1(signature) => signature.encode(),
            Xattr::Signature(signature) => return signature.encode(),
        };
        Xattr::parse(&bytes)?;
        Ok(bytes)
    }
}

impl SignatureXattr<'_> {
    /// Writes the header and the signature.
    ///
    /// # Errors
    /// [`Malformed::SignatureLength`].
    pub fn encode(&self) -> Result<Vec<u8>, Malformed> {
        let wrong_length = Malformed::SignatureLength(self.signature.len());
        let length = match u16::try_from(self.signature.len()) {
            Ok(0) | Err(_) => return Err(wrong_length),
            Ok(length) => length.to_be_bytes(),
        };
        let mut value = Vec::with_capacity(SIGNATURE_HEADER + self.signature.len());
        value.extend([self.covers.number(), self.version.number(), self.hash]);
        value.extend(self.key.0);
        value.extend(length);
        value.extend(self.signature);
        Ok(value)
    }
}

impl SignatureV1Xattr<'_> {
    fn encode(&self) -> Vec<u8> {
        let mut value = vec![self.covers.number(), 1];
        value.extend(self.time);
        value.extend([self.algorithm, self.hash]);
        value.extend(self.key);
        value.push(1); // an RSA signature is one integer
        value.extend(self.bits.to_be_bytes());
        value.extend(self.integer);
        value
    }
}

fn plain_digest(digest: &[u8]) -> Result<Xattr<'_>, Malformed> {
    match digest.len() {
        16 | 20 => Ok(Xattr::Digest(digest)),
        _ => Err(wrong("a digest of type 1", "16 (MD5) or 20 (SHA-1)", digest)),
    }
}

fn digest_ng(rest: &[u8]) -> Result<Xattr<'_>, Malformed> {
    let (&hash, digest) =
        rest.split_first().ok_or_else(|| wrong("a digest of type 4 after its type", "more than 1", rest))?;
    let right = match hash_algorithm::from_number(hash) {
        Some(algorithm) => digest.len() == algorithm.length(),
        None => (1..=64).contains(&digest.len()),
    };
    if !right {
        let expected = hash_algorithm::from_number(hash)
            .map_or_else(|| "1 to 64".to_string(), |algorithm| algorithm.length().to_string());
        return Err(wrong("a digest of its algorithm", &expected, digest));
    }
    Ok(Xattr::DigestNg { hash, digest })
}

fn signature(covers: SignatureType, version: Version, value: &[u8]) -> Result<SignatureXattr<'_>, Malformed> {
    let Some((&[_, _, hash, a, b, c, d, high, low], signature)) =
        value.split_first_chunk::<SIGNATURE_HEADER>()
    else {
        return Err(wrong("a signature's xattr", "more than 9", value));
    };
    let stated = usize::from(u16::from_be_bytes([high, low]));
    if stated != signature.len() {
        return Err(wrong("the signature by its length field", &stated.to_string(), signature));
    }
    if stated == 0 {
        return Err(Malformed::SignatureLength(0));
    }
    Ok(SignatureXattr { covers, version, hash, key: KeyId([a, b, c, d]), signature })
}

fn version_1(covers: SignatureType, value: &[u8]) -> Result<SignatureV1Xattr<'_>, Malformed> {
    let Some((header, integer)) = value.split_first_chunk::<VERSION_1_HEADER>() else {
        return Err(wrong("a signature of version 1", "more than 19", value));
    };
    let [_, _, t0, t1, t2, t3, algorithm, hash, k0, k1, k2, k3, k4, k5, k6, k7, count, high, low] = *header;
    if count != 1 {
        return Err(Malformed::WrongLength {
            what: "an RSA signature of version 1",
            expected: "those of 1 integer".to_string(),
            found: usize::from(count),
        });
    }
    let bits = u16::from_be_bytes([high, low]);
    let stated = usize::from(bits).div_ceil(8);
    if stated != integer.len() {
        return Err(wrong("the signature by its number of bits", &stated.to_string(), integer));
    }
    if stated == 0 {
        return Err(Malformed::SignatureLength(0));
    }
    let key = [k0, k1, k2, k3, k4, k5, k6, k7];
    Ok(SignatureV1Xattr { covers, time: [t0, t1, t2, t3], algorithm, hash, key, bits, integer })
}

fn wrong(what: &'static str, expected: &str, found: &[u8]) -> Malformed {
    Malformed::WrongLength { what, expected: expected.to_string(), found: found.len() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Typed from the table at the top: type 3, version 2, sha256, key 01020304, three bytes of signature.
    const SIGNATURE: [u8; 12] = [3, 2, 4, 1, 2, 3, 4, 0, 3, 0xa, 0xb, 0xc];

    #[test]
    fn a_signature_by_its_bytes() {
        let expected = SignatureXattr {
            covers: SignatureType::File,
            version: Version::V2,
            hash: 4,
            key: KeyId([1, 2, 3, 4]),
            signature: &[0xa, 0xb, 0xc],
        };
        assert_eq!(Xattr::parse(&SIGNATURE), Ok(Xattr::Signature(expected)));
        assert_eq!(expected.encode().unwrap(), SIGNATURE);
        assert_eq!(expected.key.to_string(), "01020304");
    }

    #[test]
    fn every_type_by_its_bytes() {
        let digest = [7; 21];
        assert_eq!(Xattr::parse(&[&[1], &digest[..20]].concat()), Ok(Xattr::Digest(&digest[..20])));
        assert_eq!(Xattr::parse(&[&[1], &digest[..16]].concat()), Ok(Xattr::Digest(&digest[..16])));
        assert_eq!(Xattr::parse(&[&[2], &digest[..20]].concat()), Ok(Xattr::EvmHmac(&[7; 20])));
        let ng = [&[4, 4], &[9; 32][..]].concat();
        assert_eq!(Xattr::parse(&ng), Ok(Xattr::DigestNg { hash: 4, digest: &[9; 32] }));
        for (number, covers) in
            [(3, SignatureType::File), (5, SignatureType::EvmPortable), (6, SignatureType::Verity)]
        {
            for (digit, version) in [(2, Version::V2), (3, Version::V3)] {
                let mut bytes = SIGNATURE;
                (bytes[0], bytes[1]) = (number, digit);
                let Ok(Xattr::Signature(read)) = Xattr::parse(&bytes) else { panic!("{bytes:?}") };
                assert_eq!((read.covers, read.version), (covers, version));
            }
        }
    }

    #[test]
    fn version_1_by_its_bytes() {
        let bytes = [3, 1, 10, 11, 12, 13, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 9, 0x01, 0xff];
        let Ok(Xattr::SignatureV1(read)) = Xattr::parse(&bytes) else { panic!() };
        assert_eq!((read.time, read.algorithm, read.hash), ([10, 11, 12, 13], 0, 1));
        assert_eq!((read.key, read.bits, read.integer), ([1, 2, 3, 4, 5, 6, 7, 8], 9, &[1, 0xff][..]));
        assert_eq!(Xattr::SignatureV1(read).encode().unwrap(), bytes);
        for cut in 2..bytes.len() {
            assert!(matches!(Xattr::parse(&bytes[..cut]), Err(Malformed::WrongLength { .. })), "{cut}");
        }
    }

    #[test]
    fn what_is_no_value_is_refused_with_its_reason() {
        let wrong_length = |bytes: &[u8]| {
            assert!(matches!(Xattr::parse(bytes), Err(Malformed::WrongLength { .. })), "{bytes:?}");
        };
        assert_eq!(Xattr::parse(&[]), Err(Malformed::Empty));
        for number in [0, 7, 8, 255] {
            assert_eq!(Xattr::parse(&[number, 2, 4]), Err(Malformed::UnknownType(number)));
        }
        for version in [0, 4, 255] {
            assert_eq!(Xattr::parse(&[3, version, 4]), Err(Malformed::UnknownVersion(version)));
        }
        for cut in 1..SIGNATURE.len() {
            wrong_length(&SIGNATURE[..cut]);
        }
        wrong_length(&[&SIGNATURE[..], &[0]].concat());
        assert_eq!(Xattr::parse(&[3, 3, 4, 1, 2, 3, 4, 0, 0]), Err(Malformed::SignatureLength(0)));
        wrong_length(&[1; 20]);
        wrong_length(&[2; 20]);
        wrong_length(&[4]);
        wrong_length(&[4, 4, 1]);
        wrong_length(&[4, 17]); // an algorithm that is not computed here, without a digest
    }

    #[test]
    fn a_value_that_could_not_be_read_back_is_not_written() {
        let long = vec![1; 65_536];
        let signature = |signature| {
            let (covers, version) = (SignatureType::File, Version::V3);
            SignatureXattr { covers, version, hash: 4, key: KeyId([0; 4]), signature }.encode()
        };
        assert_eq!(signature(&[]), Err(Malformed::SignatureLength(0)));
        assert_eq!(signature(&long), Err(Malformed::SignatureLength(65_536)));
        assert!(signature(&long[1..]).is_ok());
        assert!(Xattr::Digest(&[0; 19]).encode().is_err());
        assert!(Xattr::DigestNg { hash: 6, digest: &[0; 32] }.encode().is_err());
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_written_the_same(
            number in 0_u8..8,
            version in 0_u8..5,
            mut bytes in prop::collection::vec(any::<u8>(), 0..100),
            repair in any::<bool>(),
        ) {
            if let [first, second, ..] = &mut bytes[..] {
                (*first, *second) = (number, version);
            }
            // Random bytes hardly ever have a fitting length field.
            if repair && bytes.len() > SIGNATURE_HEADER {
                let length = (bytes.len() - SIGNATURE_HEADER) as u16;
                bytes[7..9].copy_from_slice(&length.to_be_bytes());
            }
            if let Ok(read) = Xattr::parse(&bytes) {
                prop_assert_eq!(read.encode().unwrap(), bytes);
            }
        }
    }
}
