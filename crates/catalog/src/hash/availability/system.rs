//! The libraries that the catalog loads, and the host's kernel.

use std::fs;

use crate::host::{Host, nettle, openssl};

use super::super::all;
use super::Finding;

/// The functions of which this library is an implementation.
pub(super) fn library(host: &Host) -> Option<Finding> {
    let version = host.version()?;
    // OpenSSL's BLAKE2b got chosen lengths with 3.2, by a parameter that the adapter does not set.
    let has_lengths =
        host.title == "OpenSSL" && at_least(&version, (3, 2)) && openssl::has_hash(c"BLAKE2B-512");
    let implements = |name: &str| {
        let own = all().iter().find(|algorithm| algorithm.facts.name == name);
        own.is_some_and(|own| own.implementations.iter().any(|it| it.name == host.name))
    };
    let has_shake = host.title == "Nettle" && nettle::has_shake128();
    Some(Finding::new(host.title, version, |name| {
        implements(name) || (name == "blake2b-256" && has_lengths) || (name == "shake128-256" && has_shake)
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
