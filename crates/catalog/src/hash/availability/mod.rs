//! Which hash functions the software of this host has.
//!
//! What the facts say holds for releases; what is installed may be older or built with less. Every finding here was
//! tried out: a library was loaded and asked, a program was run on an empty message and its digest compared. Absent
//! software is no error: there is no finding of it.

pub(crate) mod programs;
mod system;

use super::all;
use crate::host::HOSTS;
use crate::places::places;

/// Software of this host that computes hash functions of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was asked: a name of the [places](crate::places) of hash functions, or that of a program.
    pub place: &'static str,
    /// The version it states of itself.
    pub version: String,
    /// The functions that it has, by the catalog's names, in the catalog's order.
    pub functions: Vec<&'static str>,
}

impl Finding {
    fn new(place: &'static str, version: String, has: impl Fn(&str) -> bool) -> Self {
        let names = all().iter().map(|algorithm| algorithm.facts.name.as_str());
        Finding { place, version, functions: names.filter(|name| has(name)).collect() }
    }
}

/// Everything that was found on this host: libraries, the kernel, then programs.
///
/// It loads libraries and runs programs of the search path, which takes some tenths of a second.
pub fn on_host() -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_place = |title: &str| places("hash").iter().any(|place| place.name == title);
    let hosts = HOSTS.iter().filter(|it| !it.with_system_call && is_place(it.title));
    findings.extend(hosts.filter_map(system::library));
    findings.extend(system::kernel());
    findings.extend(programs::git());
    findings.extend(programs::python());
    findings.extend(programs::checksums());
    findings
}

/// The digest of the empty message by the first implementation that the catalog has.
fn empty_digest(name: &str) -> Option<String> {
    let algorithm = super::find(name).ok()?;
    let code = &algorithm.implementations.first()?.code;
    let mut digest = vec![0; code.digest_len()];
    code.digest(&[], &[], &mut digest).ok()?;
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_name_functions_of_the_catalog() {
        for finding in on_host() {
            assert!(!finding.functions.is_empty(), "{finding:?}");
            assert!(finding.version.starts_with(|c: char| c.is_ascii_digit()), "{finding:?}");
            for name in &finding.functions {
                assert!(super::super::find(name).is_ok(), "{finding:?}");
            }
        }
    }

    #[test]
    fn the_empty_message_has_a_digest() {
        assert_eq!(empty_digest("sha-1").as_deref(), Some("da39a3ee5e6b4b0d3255bfef95601890afd80709"));
        assert_eq!(empty_digest("no such function"), None);
    }
}
