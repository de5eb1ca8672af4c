//! Which ciphers of storage the software of this host has.
//!
//! What the facts say holds for releases; what is installed may be older or built with less. Absent software is no
//! error: there is no finding of it.

mod kernel;

use crate::hash::availability::programs::{number, output};
use crate::host::{HOSTS, Host};

use super::{Algorithm, all};

/// The libraries that are asked. Of Botan the catalog has Serpent alone, which says nothing of the others.
const LIBRARIES: [&str; 2] = ["OpenSSL", "libgcrypt"];

/// Software of this host that has ciphers of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was asked: a name of the [places](crate::places) of ciphers.
    pub place: &'static str,
    /// The version it states of itself.
    pub version: String,
    /// The ciphers that it has, by the catalog's names, in the catalog's order.
    pub ciphers: Vec<&'static str>,
}

impl Finding {
    fn new(place: &'static str, version: String, has: impl Fn(&Algorithm) -> bool) -> Self {
        let ciphers = all().iter().filter(|algorithm| has(algorithm));
        Finding { place, version, ciphers: ciphers.map(|algorithm| algorithm.facts.name.as_str()).collect() }
    }
}

/// Everything that was found on this host: the running kernel, cryptsetup, and libraries.
///
/// It reads the kernel's lists and runs `cryptsetup --version`.
pub fn on_host() -> Vec<Finding> {
    let kernel = kernel::finding();
    let cryptsetup = cryptsetup(kernel.as_ref());
    let hosts = HOSTS.iter().filter(|it| LIBRARIES.contains(&it.title));
    kernel.into_iter().chain(cryptsetup).chain(hosts.filter_map(library)).collect()
}

/// cryptsetup leaves a mapped device to the kernel. AES in XTS it has in itself too, for keyslots and for reencryption
/// of devices that are not mapped.
fn cryptsetup(kernel: Option<&Finding>) -> Option<Finding> {
    let version = number(&output("cryptsetup", &["--version"])?)?;
    Some(Finding::new("cryptsetup", version, |algorithm| {
        let by_kernel = kernel.is_some_and(|kernel| kernel.ciphers.contains(&algorithm.facts.name.as_str()));
        by_kernel || algorithm.facts.kind.dm_crypt == "aes-xts-plain64"
    }))
}

/// The ciphers of which this library is an implementation.
fn library(host: &Host) -> Option<Finding> {
    Some(Finding::new(host.title, host.version()?, |algorithm| {
        algorithm.implementations.iter().any(|it| it.name == host.name)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_name_ciphers_of_the_catalog() {
        for finding in on_host() {
            crate::places::check("cipher", "on this host", [&finding.place.to_owned()]);
            assert!(finding.version.starts_with(|c: char| c.is_ascii_digit()), "{finding:?}");
            for name in &finding.ciphers {
                assert!(super::super::find(name).is_ok(), "{finding:?}");
            }
        }
    }
}
