use super::KeyAlgorithm;

/// Why a file is not a key that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum KeyError {
    /// A private key under a password.
    #[error(
        "the private key is encrypted, which is not supported; decrypt it with: openssl pkey -in \
         KEY -out PLAIN"
    )]
    Encrypted,
    #[error("the PEM block at line {line} is damaged: {reason}; copy the file again")]
    Pem {
        /// Of its first line, counted from 1.
        line: usize,
        reason: String,
    },
    /// Nothing in the file is a key of the wanted sort.
    #[error("the file does not contain a {wanted}; it contains {found}")]
    NoKey { wanted: &'static str, found: String },
    /// DER that does not have the structure it should have.
    #[error("the {structure} is malformed: {reason}; write it again with openssl")]
    Structure { structure: &'static str, reason: String },
    /// DER that goes on behind the end of the file.
    #[error("the key is cut off at byte {0}; copy the file again")]
    CutOff(usize),
    #[error(
        "the private key has the format of OpenSSH, which is not supported; convert a copy of it with: ssh-keygen -p -m PKCS8 \
         -f COPY"
    )]
    OpenSsh,
    /// An elliptic curve that is described by its equation, or not at all.
    #[error(
        "the key does not name its curve; write it again with: openssl ec -in KEY -param_enc named_curve -out NAMED (a \
         public key with -pubin -pubout)"
    )]
    UnnamedCurve,
    /// A compressed or hybrid point.
    #[error(
        "the public key is not an uncompressed point; write it again with: openssl ec -pubin -in KEY -conv_form \
         uncompressed -pubout -out PLAIN"
    )]
    PointForm,
    /// An ML-DSA private key that is the expanded key alone, where a seed is needed.
    #[error(
        "the private key of {0} contains only the expanded key, but the implementations need the seed, which it does not \
         determine; use the file with the seed that the key was generated from, or generate a new key"
    )]
    ExpandedOnly(KeyAlgorithm),
    /// An RSA key of three primes or more (RFC 8017, section 3.2).
    #[error(
        "the RSA key has more than two primes, which is not supported; generate one with two: openssl genrsa 3072"
    )]
    MultiPrime,
    /// A certificate, or something else that is no public key by itself, where certificates are not read.
    #[error(
        "it is not a bare public key, and this build does not read certificates; give the public key of one (openssl x509 \
         -pubkey -noout -in CERTIFICATE), or build fieldtest-ima with its feature `certificates`"
    )]
    Certificate,
    /// The two halves of an ML-DSA private key, or a private key and the public key in the same file, are of
    /// different keys.
    #[error("the private key is inconsistent: {0}; copy it from its source again")]
    Contradiction(&'static str),
}

impl KeyError {
    /// Refuses a file that ends before its SEQUENCE does: the decoder's words for that are about ASN.1.
    pub(super) fn of_cut(file: &[u8]) -> Result<(), Self> {
        let length = match file {
            [0x30, length @ ..=0x7f, ..] => 2 + usize::from(*length),
            [0x30, 0x81, length, ..] => 3 + usize::from(*length),
            [0x30, 0x82, high, low, ..] => 4 + usize::from(u16::from_be_bytes([*high, *low])),
            _ => 0,
        };
        if file.len() < length { Err(KeyError::CutOff(file.len())) } else { Ok(()) }
    }

    pub(super) fn structure(structure: &'static str) -> impl Fn(der::Error) -> Self {
        move |error| KeyError::Structure { structure, reason: error.to_string() }
    }
}
