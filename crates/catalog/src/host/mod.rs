//! What the host has installed: its own libraries, loaded at run time, and its kernel.
//!
//! They are looked for when the catalog is first used, and are never needed to build. Where one is absent, or too old for
//! an algorithm, its implementation is not listed, and [`Host::unavailable`] says why. Of each there is one directory, whose
//! `ffi` has the calls; what they share stands here once: loading (`library`), contexts that are kept for the next
//! message (`pooled`), state that the caller keeps (`plain`). A further one is a directory, a line in [`HOSTS`], and one below for each kind that it has.
//!
//! What is here of a library serves rows of a full study in which it is the best rival.

mod b2;
mod botan;
pub mod extensions;
mod gcrypt;
pub(crate) mod keyed;
mod library;
mod linux;
pub(crate) mod nettle;
pub(crate) mod openssl;
mod plain;
pub(crate) mod pooled;
mod pooled_aead;

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use fieldtest_kinds::hash::Hash;
use fieldtest_kinds::mac::Mac;
use fieldtest_kinds::signature::Signature;

use crate::join::{Code, List};
use crate::kind::Kind;
use crate::mac::derivation::Derivation;
use crate::mac::keyed::{Adapter, Function as MacFunction};
use crate::{Implementation, UnknownName, aead};

use keyed::BlockCipher;
pub(crate) use keyed::Keyed;
pub(crate) use openssl::Scheme;

/// What is looked for on the host.
pub struct Host {
    /// Its name as an implementation.
    pub name: &'static str,
    /// The name people write.
    pub title: &'static str,
    /// Whether it takes part in studies that ask for no implementation by name.
    pub usual: bool,
    /// Whether its results hold the way into the kernel and back, which no library's do.
    pub with_system_call: bool,
    version: fn() -> Result<String, &'static str>,
}

/// Everything that is looked for.
/// Not libsodium: Ed25519 takes 1.5 to 2.3 times Graviola's cycles, SipHash about siphasher's. Not NSS,
/// first in no row. Not Crypto++: behind its functions programs crashed under load (8.7, November 2026);
/// `lab/cryptopp.sh` asks it in a process of its own.
pub const HOSTS: [Host; 6] = [
    Host::library(openssl::NAME, "OpenSSL", openssl::version).usual(),
    Host::library(gcrypt::NAME, "libgcrypt", gcrypt::version),
    Host::library(nettle::NAME, "Nettle", nettle::version),
    Host::library(b2::NAME, "libb2", b2::version),
    Host::library(botan::NAME, "Botan", botan::version),
    Host::library(linux::NAME, "Linux kernel", linux::version).with_system_call(),
];

/// What alone is looked for, where that was said.
static ONLY: OnceLock<Vec<String>> = OnceLock::new();

/// From now on looks for these implementations alone, and has no effect on what was found before. A process that times
/// a few of them need not load the others.
pub fn look_only_for<'a>(implementations: impl IntoIterator<Item = &'a str>) {
    // What was said first holds.
    let _ = ONLY.set(implementations.into_iter().map(str::to_owned).collect());
}

/// Whether it starts threads of its own for this algorithm. libb2 as Debian builds it asks OpenMP for four, whatever the
/// processors: of a digest of 8192 bytes the caller's thread does a quarter.
pub fn has_threads(algorithm: &str, implementation: &str) -> bool {
    implementation == b2::NAME && algorithm == "blake2bp-256"
}

fn is_looked_for(implementation: &str) -> bool {
    ONLY.get().is_none_or(|names| names.iter().any(|name| name == implementation))
}

impl Host {
    const fn library(
        name: &'static str,
        title: &'static str,
        version: fn() -> Result<String, &'static str>,
    ) -> Host {
        Host { name, title, usual: false, with_system_call: false, version }
    }

    const fn with_system_call(self) -> Host {
        Host { with_system_call: true, ..self }
    }

    const fn usual(self) -> Host {
        Host { usual: true, ..self }
    }

    /// The one with that name as an implementation.
    pub fn named(implementation: &str) -> Option<&'static Host> {
        HOSTS.iter().find(|host| host.name == implementation)
    }

    /// The version that it states of itself, if it is there.
    pub fn version(&self) -> Option<String> {
        (self.version)().ok()
    }

    /// Why nothing of it is listed; `None` if it was found.
    pub fn unavailable(&self) -> Option<&'static str> {
        (self.version)().err()
    }
}

impl<K: Kind> List<K> {
    pub(crate) fn add_hosts(&mut self, code: impl Fn(&Host) -> Option<Arc<K::Code>>) {
        for host in &HOSTS {
            if let Some((code, version)) = code(host).zip(host.version()) {
                self.push(host.name, version, code);
            }
        }
    }

    /// Adds what each host has, and ends the list.
    pub(crate) fn with_hosts(
        mut self,
        code: impl Fn(&Host) -> Option<Arc<K::Code>>,
    ) -> Vec<Implementation<K>> {
        self.add_hosts(code);
        self.all
    }
}

pub(crate) fn hash(host: &Host, function: &str) -> Option<Arc<dyn Hash>> {
    match host.name {
        openssl::NAME => openssl::hash(function).map(Code::code),
        gcrypt::NAME => gcrypt::hash(function).map(Code::code),
        nettle::NAME => nettle::hash(function).map(Code::code),
        b2::NAME => b2::hash(function).map(Code::code),
        linux::NAME => linux::hash(function).map(Code::code),
        _ => None,
    }
}

/// A MAC by this host, whose keys its own function derives.
pub(crate) fn mac(host: &Host, function: Keyed, derivation: Derivation) -> Option<Arc<dyn Mac>> {
    fn shared(function: Option<impl MacFunction>, derivation: Derivation) -> Option<Arc<dyn Mac>> {
        Some(Adapter::new(function?, derivation).code())
    }
    match host.name {
        openssl::NAME => shared(openssl::keyed(function), derivation),
        gcrypt::NAME => shared(gcrypt::keyed(function), derivation),
        nettle::NAME => shared(nettle::keyed(function), derivation),
        b2::NAME => shared(b2::keyed(function), derivation),
        linux::NAME => shared(linux::keyed(function), derivation),
        _ => None,
    }
}

/// A MAC by this host, whose keys `prf` derives.
pub(crate) fn mac_with_prf(
    host: &Host,
    function: Keyed,
    prf: &impl MacFunction,
    derivation: Derivation,
) -> Option<Arc<dyn Mac>> {
    let function = if host.name == gcrypt::NAME { gcrypt::keyed(function)? } else { return None };
    Some(Adapter::with_prf(function, prf.clone(), derivation).code())
}

/// KMAC by OpenSSL, which calls it so: tags and keys are made with one customization each.
pub(crate) fn kmac(
    host: &Host,
    name: &'static CStr,
    customizations: [&'static [u8]; 2],
) -> Option<Arc<dyn Mac>> {
    if host.name != openssl::NAME {
        return None;
    }
    let [tags, keys] = customizations.map(|it| openssl::keyed(Keyed::Kmac(name, it)));
    Some(Adapter::with_prf(tags?, keys?, Derivation::OneStep).code())
}

/// A block cipher in a mode by this host, by the catalog's name for both.
pub(crate) fn cipher(host: &Host, name: &str) -> Option<Arc<dyn Cipher>> {
    fn shared(cipher: Option<impl Cipher + 'static>) -> Option<Arc<dyn Cipher>> {
        Some(Arc::new(cipher?))
    }
    let wanted = BlockCipher::named(name)?;
    match host.name {
        openssl::NAME => shared(openssl::cipher(wanted)),
        gcrypt::NAME => shared(gcrypt::cipher(wanted)),
        botan::NAME => shared(botan::cipher(wanted)),
        linux::NAME => shared(linux::cipher(wanted)),
        _ => None,
    }
}

/// A block cipher in a mode that authenticates by this host, by the catalog's name for both.
pub(crate) fn aead(host: &Host, name: &str) -> Option<Arc<dyn Aead>> {
    let mut parts = name.split('-');
    let (block, bits) = (parts.next()?, parts.next()?.parse().ok()?);
    let mode = aead::Mode::named(parts.next()?)?;
    match host.name {
        openssl::NAME => openssl::aead(block, bits, mode),
        gcrypt::NAME => gcrypt::aead(block, bits, mode),
        linux::NAME => linux::aead(block, bits, mode),
        _ => None,
    }
}

pub(crate) fn signature(host: &Host, scheme: Scheme) -> Option<Arc<dyn Signature>> {
    if host.name == openssl::NAME { openssl::signature(scheme).map(Code::code) } else { None }
}

/// Whoever asks for a library of the host wants to know why it is not there, not what else is.
pub(crate) fn explained(unknown: UnknownName) -> UnknownName {
    match HOSTS.iter().find(|host| unknown.is_for(host.name)).and_then(Host::unavailable) {
        Some(why) => unknown.because(why),
        None => unknown,
    }
}

#[cfg(test)]
// What is skipped is said where tests are run.
#[allow(clippy::print_stderr)]
mod tests {
    use super::*;

    /// On a machine that has all of them, such as the one that runs `.ci/run`, nothing may be missing unnoticed.
    #[test]
    fn what_is_missing_is_said() {
        for host in &HOSTS {
            match (host.version(), host.unavailable()) {
                (Some(version), None) => {
                    assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{} {version}", host.title);
                }
                (None, Some(why)) => {
                    eprintln!("skipped: {why}");
                    // A kernel may be built without the interface, or a container refuse it: no package brings it.
                    let required = std::env::var("FIELDTEST_PEERS").is_ok_and(|it| it == "required");
                    assert!(!required || host.with_system_call, "FIELDTEST_PEERS=required: {why}");
                }
                both => panic!("{}: {both:?}", host.title),
            }
        }
    }
}
