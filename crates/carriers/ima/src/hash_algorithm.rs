//! The numbers by which the kernel names hash algorithms in xattrs (`enum hash_algo` of
//! `include/uapi/linux/hash_info.h`).

use fieldtest_kinds::signature::DigestAlgorithm;

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
pub fn number(algorithm: DigestAlgorithm) -> u8 {
    match algorithm {
        DigestAlgorithm::Sha1 => 2,
        DigestAlgorithm::Sha256 => 4,
        DigestAlgorithm::Sha384 => 5,
        DigestAlgorithm::Sha512 => 6,
        DigestAlgorithm::Sha3_256 => 20,
        DigestAlgorithm::Sha3_384 => 21,
        DigestAlgorithm::Sha3_512 => 22,
    }
}

/// The algorithm of a number, if it is one that this crate computes.
pub fn from_number(number: u8) -> Option<DigestAlgorithm> {
    Some(match number {
        2 => DigestAlgorithm::Sha1,
        4 => DigestAlgorithm::Sha256,
        5 => DigestAlgorithm::Sha384,
        6 => DigestAlgorithm::Sha512,
        20 => DigestAlgorithm::Sha3_256,
        21 => DigestAlgorithm::Sha3_384,
        22 => DigestAlgorithm::Sha3_512,
        _ => return None,
    })
}

/// The kernel's name of a number, whether or not this crate computes the algorithm.
pub fn name_of_number(number: u8) -> Option<&'static str> {
    NAMES.get(usize::from(number)).copied()
}

/// The kernel's name of an algorithm, which policies and evmctl's `--hashalgo` take too.
pub fn name(algorithm: DigestAlgorithm) -> &'static str {
    match algorithm {
        DigestAlgorithm::Sha1 => "sha1",
        DigestAlgorithm::Sha256 => "sha256",
        DigestAlgorithm::Sha384 => "sha384",
        DigestAlgorithm::Sha512 => "sha512",
        DigestAlgorithm::Sha3_256 => "sha3-256",
        DigestAlgorithm::Sha3_384 => "sha3-384",
        DigestAlgorithm::Sha3_512 => "sha3-512",
    }
}

/// The algorithm of a kernel's name.
pub fn from_name(name: &str) -> Option<DigestAlgorithm> {
    let number = NAMES.iter().position(|known| *known == name)?;
    from_number(u8::try_from(number).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        let computed: Vec<_> = (0..=255).filter_map(from_number).collect();
        assert_eq!(computed.len(), 7);
        for algorithm in computed {
            assert_eq!(from_number(number(algorithm)), Some(algorithm));
            assert_eq!(from_name(name(algorithm)), Some(algorithm));
            assert_eq!(name_of_number(number(algorithm)), Some(name(algorithm)));
        }
        assert_eq!((name_of_number(17), from_number(17)), (Some("sm3"), None));
        assert_eq!((name_of_number(23), from_name("md5"), from_name("")), (None, None, None));
    }
}
