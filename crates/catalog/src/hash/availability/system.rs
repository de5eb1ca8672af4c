//! The host's OpenSSL and its kernel.

use std::fs;

use crate::host_openssl::{self, HashFunction};

use super::Finding;

/// The host's OpenSSL, where the adapters find it. BLAKE2b with a chosen length came with 3.2.
pub(super) fn openssl() -> Option<Finding> {
    let version = host_openssl::version()?;
    let has_lengths = at_least(&version, (3, 2));
    let offers = |function| host_openssl::hash(function).is_some();
    Some(Finding::new("OpenSSL", version, |name| match name {
        "sha-1" => offers(HashFunction::Fixed(c"SHA1", 20)),
        "sha-256" => offers(HashFunction::Fixed(c"SHA256", 32)),
        "sha-512-256" => offers(HashFunction::Fixed(c"SHA512-256", 32)),
        "sha3-256" => offers(HashFunction::Fixed(c"SHA3-256", 32)),
        "shake128-256" => offers(HashFunction::Extendable(c"SHAKE128", 32)),
        "blake2b-256" => has_lengths && offers(HashFunction::Fixed(c"BLAKE2B-512", 64)),
        _ => false,
    }))
}

/// What the running kernel's crypto API has now; a module that is not loaded yet does not show.
pub(super) fn kernel() -> Option<Finding> {
    let list = fs::read_to_string("/proc/crypto").ok()?;
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(key, _)| key.trim() == "name")
        .map(|(_, name)| name.trim())
        .collect();
    let finding = Finding::new("Linux kernel", release.trim().to_owned(), |name| {
        let linux = match name {
            "sha-1" => "sha1",
            "sha-256" => "sha256",
            "sha3-256" | "blake2b-256" => name,
            _ => return false,
        };
        names.contains(&linux)
    });
    (!finding.functions.is_empty()).then_some(finding)
}

/// Whether a version such as `3.0.19` or `2.53.0.windows.1` is that one or a later one.
pub(super) fn at_least(version: &str, (major, minor): (u32, u32)) -> bool {
    let mut numbers = version.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next().or(Some(0))) >= (Some(major), Some(minor))
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(at_least("3.2.0", (3, 2)) && at_least("3.10", (3, 2)) && at_least("4", (3, 2)));
        assert!(!at_least("3.0.19", (3, 2)) && !at_least("2.9", (3, 2)) && !at_least("unknown", (3, 2)));
        assert!(at_least("2.53.0-rc1", (2, 29)));
    }
}
