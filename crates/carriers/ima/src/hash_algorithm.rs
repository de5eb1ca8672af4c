//! The hash algorithms of files and signatures, and the numbers by which the kernel names them in xattrs
//! (`enum hash_algo` of `include/uapi/linux/hash_info.h`).

use fieldtest_kinds::signature::DigestAlgorithm;

/// A hash algorithm that this crate computes. Each is also one in which an implementation may be given a digest; of
/// those there may be more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HashAlgorithm {
    /// SHA-1 (FIPS 180-4), in old signatures only.
    Sha1,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
    /// SHA3-256 (FIPS 202).
    Sha3_256,
    /// SHA3-384 (FIPS 202).
    Sha3_384,
    /// SHA3-512 (FIPS 202).
    Sha3_512,
}

impl HashAlgorithm {
    pub(crate) const ALL: [Self; 7] = [
        Self::Sha1,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
    ];

    /// Bytes of a digest.
    pub fn length(self) -> usize {
        DigestAlgorithm::from(self).length()
    }
}

impl From<HashAlgorithm> for DigestAlgorithm {
    fn from(algorithm: HashAlgorithm) -> Self {
        match algorithm {
            HashAlgorithm::Sha1 => DigestAlgorithm::Sha1,
            HashAlgorithm::Sha256 => DigestAlgorithm::Sha256,
            HashAlgorithm::Sha384 => DigestAlgorithm::Sha384,
            HashAlgorithm::Sha512 => DigestAlgorithm::Sha512,
            HashAlgorithm::Sha3_256 => DigestAlgorithm::Sha3_256,
            HashAlgorithm::Sha3_384 => DigestAlgorithm::Sha3_384,
            HashAlgorithm::Sha3_512 => DigestAlgorithm::Sha3_512,
        }
    }
}

/// The kernel's names, each at its number.
const NAMES: [&str; 23] = [
    "md4",
    "md5",
    "sha1",
    "rmd160",
    "sha256",
    "sha384",
    "sha512",
    "sha224",
    "rmd128",
    "rmd256",
    "rmd320",
    "wp256",
    "wp384",
    "wp512",
    "tgr128",
    "tgr160",
    "tgr192",
    "sm3",
    "streebog256",
    "streebog512",
    "sha3-256",
    "sha3-384",
    "sha3-512",
];

/// The kernel's number of an algorithm.
pub fn number(algorithm: HashAlgorithm) -> u8 {
    match algorithm {
        HashAlgorithm::Sha1 => 2,
        HashAlgorithm::Sha256 => 4,
        HashAlgorithm::Sha384 => 5,
        HashAlgorithm::Sha512 => 6,
        HashAlgorithm::Sha3_256 => 20,
        HashAlgorithm::Sha3_384 => 21,
        HashAlgorithm::Sha3_512 => 22,
    }
}

/// The algorithm of a number, if it is one that this crate computes.
pub fn from_number(number: u8) -> Option<HashAlgorithm> {
    HashAlgorithm::ALL.into_iter().find(|algorithm| self::number(*algorithm) == number)
}

/// The kernel's name of a number, whether or not this crate computes the algorithm.
pub fn name_of_number(number: u8) -> Option<&'static str> {
    NAMES.get(usize::from(number)).copied()
}

/// The kernel's name of an algorithm, which policies and evmctl's `--hashalgo` take too.
pub fn name(algorithm: HashAlgorithm) -> &'static str {
    name_of_number(number(algorithm)).unwrap_or_default()
}

/// The algorithm of a kernel's name.
pub fn from_name(name: &str) -> Option<HashAlgorithm> {
    let number = NAMES.iter().position(|known| *known == name)?;
    from_number(u8::try_from(number).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        assert_eq!((0..=255).filter_map(from_number).count(), 7);
        for algorithm in HashAlgorithm::ALL {
            assert_eq!(from_number(number(algorithm)), Some(algorithm));
            assert_eq!(from_name(name(algorithm)), Some(algorithm));
        }
        assert_eq!((name_of_number(17), from_number(17)), (Some("sm3"), None));
        assert_eq!((name_of_number(23), from_name("md5"), from_name("")), (None, None, None));
    }
}
