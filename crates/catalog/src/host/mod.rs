//! What the host has installed: its own libraries, loaded at run time, and its kernel.
//!
//! They are looked for when the catalog is first used, and are never needed to build. Where one is absent, or too old for
//! an algorithm, its implementation is not listed, and [`Host::unavailable`] says why. Of each there is one folder, whose
//! `ffi` has the calls; what they share stands here once: loading (`library`), contexts that are kept for the next message
//! (`pooled`), state that the caller keeps (`plain`).

mod b2;
mod botan;
mod gcrypt;
pub(crate) mod keyed;
mod library;
mod linux;
pub(crate) mod nettle;
mod nss;
pub(crate) mod openssl;
mod plain;
pub(crate) mod pooled;
mod pooled_aead;
mod sodium;

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use fieldtest_kinds::mac::Mac;
use fieldtest_kinds::signature::Signature;

use crate::hash::{self, Function as HashFunction};
use crate::mac::derivation::Derivation;
use crate::mac::keyed::{Adapter, Function as MacFunction};
use crate::{Proof, ProofError, UnknownName, aead, cipher, mac, signature};

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
    /// Whether its figures hold the way into the kernel and back, which no library's do.
    pub with_system_call: bool,
    version: fn() -> Result<String, &'static str>,
}

/// Everything that is looked for.
pub const HOSTS: [Host; 8] = [
    Host::library(openssl::NAME, "OpenSSL", openssl::version).usual(),
    Host::library(gcrypt::NAME, "libgcrypt", gcrypt::version),
    Host::library(nettle::NAME, "Nettle", nettle::version),
    Host::library(sodium::NAME, "libsodium", sodium::version),
    Host::library(b2::NAME, "libb2", b2::version),
    Host::library(botan::NAME, "Botan", botan::version),
    Host::library(nss::NAME, "NSS", nss::version),
    Host::library(linux::NAME, "Linux kernel", linux::version).with_system_call(),
];
const OPENSSL: &Host = &HOSTS[0];
const GCRYPT: &Host = &HOSTS[1];
const NETTLE: &Host = &HOSTS[2];
const SODIUM: &Host = &HOSTS[3];
const B2: &Host = &HOSTS[4];
const BOTAN: &Host = &HOSTS[5];
const NSS: &Host = &HOSTS[6];
const LINUX: &Host = &HOSTS[7];

/// What alone is looked for, where that was said.
static ONLY: OnceLock<Vec<String>> = OnceLock::new();

/// From now on looks for these implementations alone, and has no effect on what was found before. A process that times
/// a few of them need not load the others.
pub fn look_only_for<'a>(implementations: impl IntoIterator<Item = &'a str>) {
    // What was said first holds.
    let _ = ONLY.set(implementations.into_iter().map(str::to_owned).collect());
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

/// A hash function by each host that has it.
pub(crate) fn hashes(function: &str, prove: hash::Prove) -> Vec<hash::Implementation> {
    let mut all = Vec::new();
    add_hash(&mut all, OPENSSL, openssl::hash(function), prove);
    add_hash(&mut all, GCRYPT, gcrypt::hash(function), prove);
    add_hash(&mut all, NETTLE, nettle::hash(function), prove);
    add_hash(&mut all, SODIUM, sodium::hash(function), prove);
    add_hash(&mut all, B2, b2::hash(function), prove);
    add_hash(&mut all, BOTAN, botan::hash(function), prove);
    add_hash(&mut all, NSS, nss::hash(function), prove);
    add_hash(&mut all, LINUX, linux::hash(function), prove);
    all
}

fn add_hash(
    all: &mut Vec<hash::Implementation>,
    host: &Host,
    function: Option<impl HashFunction>,
    prove: hash::Prove,
) {
    if let (Some(function), Some(version)) = (function, host.version()) {
        all.push(hash::implementation(host.name, version, function, prove));
    }
}

/// A MAC whose keys its own function derives, by each host that has it.
pub(crate) fn macs(
    function: Keyed,
    derivation: Derivation,
    prove: fn(&dyn Mac) -> Result<Proof, ProofError>,
) -> Vec<mac::Implementation> {
    let mut list = Macs { derivation, prove, all: Vec::new() };
    list.add(OPENSSL, openssl::keyed(function));
    list.add(GCRYPT, gcrypt::keyed(function));
    list.add(NETTLE, nettle::keyed(function));
    list.add(SODIUM, sodium::keyed(function));
    list.add(B2, b2::keyed(function));
    list.add(BOTAN, botan::keyed(function));
    list.add(NSS, nss::keyed(function));
    list.add(LINUX, linux::keyed(function));
    list.all
}

struct Macs {
    derivation: Derivation,
    prove: fn(&dyn Mac) -> Result<Proof, ProofError>,
    all: Vec<mac::Implementation>,
}

impl Macs {
    fn add(&mut self, host: &Host, function: Option<impl MacFunction>) {
        if let (Some(function), Some(version)) = (function, host.version()) {
            let adapter = Adapter::new(function, self.derivation);
            self.all.push(mac::implementation(host.name, version, adapter, self.prove));
        }
    }
}

/// KMAC by OpenSSL, which calls it so: tags and keys are made with one customization each.
pub(crate) fn kmac(
    name: &'static CStr,
    customizations: [&'static [u8]; 2],
    prove: fn(&dyn Mac) -> Result<Proof, ProofError>,
) -> Option<mac::Implementation> {
    let [tags, keys] = customizations.map(|it| openssl::mac(openssl::Function::Kmac(name, it)));
    let adapter = Adapter::with_prf(tags?, keys?, Derivation::OneStep);
    Some(mac::implementation(OPENSSL.name, OPENSSL.version()?, adapter, prove))
}

/// A MAC whose keys `prf` derives, by each host that has it.
pub(crate) fn macs_with_prf<P: MacFunction>(
    function: Keyed,
    prf: &P,
    derivation: Derivation,
    prove: fn(&dyn Mac) -> Result<Proof, ProofError>,
) -> Vec<mac::Implementation> {
    let gcrypt = gcrypt::keyed(function).zip(GCRYPT.version()).map(|(function, version)| {
        let adapter = Adapter::with_prf(function, prf.clone(), derivation);
        mac::implementation(GCRYPT.name, version, adapter, prove)
    });
    gcrypt.into_iter().collect()
}

/// A block cipher in a mode, by the catalog's name for both, by each host that has it.
pub(crate) fn ciphers(name: &str, prove: cipher::Prove) -> Vec<cipher::Implementation> {
    let of = |host: &Host, code: Option<Arc<dyn Cipher>>| {
        let (code, version) = code.zip(host.version())?;
        Some(cipher::Implementation { name: host.name, version, code, prove: crate::Prove::Own(prove) })
    };
    HOSTS.iter().filter_map(|host| of(host, cipher(host, name))).collect()
}

/// A block cipher in a mode by this host.
pub(crate) fn cipher(host: &Host, name: &str) -> Option<Arc<dyn Cipher>> {
    fn shared(cipher: Option<impl Cipher + 'static>) -> Option<Arc<dyn Cipher>> {
        Some(Arc::new(cipher?))
    }
    let wanted = BlockCipher::named(name)?;
    match host.name {
        openssl::NAME => shared(openssl::cipher(wanted)),
        gcrypt::NAME => shared(gcrypt::cipher(wanted)),
        nettle::NAME => shared(nettle::cipher(wanted)),
        botan::NAME => shared(botan::cipher(wanted)),
        nss::NAME => shared(nss::cipher(wanted)),
        linux::NAME => shared(linux::cipher(wanted)),
        _ => None,
    }
}

/// A block cipher in a mode that authenticates, by the catalog's name for both, by each host that has it.
pub(crate) fn aeads(name: &str, prove: aead::Prove) -> Vec<aead::Implementation> {
    let mut parts = name.split('-');
    let (Some(block), Some(Ok(bits)), Some(mode)) =
        (parts.next(), parts.next().map(str::parse), parts.next().and_then(aead::Mode::named))
    else {
        return Vec::new();
    };
    let code = |host: &Host| -> Option<Arc<dyn Aead>> {
        match host.name {
            openssl::NAME => Some(Arc::new(openssl::aead(name)?)),
            gcrypt::NAME => gcrypt::aead(block, bits, mode),
            nettle::NAME => nettle::aead(block, bits, mode),
            botan::NAME => botan::aead(block, bits, mode),
            linux::NAME => linux::aead(block, bits, mode),
            _ => None,
        }
    };
    let of = |host: &Host| {
        let (code, version) = code(host).zip(host.version())?;
        Some(aead::Implementation { name: host.name, version, code, prove: crate::Prove::Own(prove) })
    };
    HOSTS.iter().filter_map(of).collect()
}

/// A signature scheme by each host that has it.
pub(crate) fn signatures(
    scheme: Scheme,
    prove: fn(&dyn Signature) -> Result<Proof, ProofError>,
) -> Vec<signature::Implementation> {
    fn of(
        host: &Host,
        scheme: Option<impl Signature + 'static>,
        prove: fn(&dyn Signature) -> Result<Proof, ProofError>,
    ) -> Option<signature::Implementation> {
        Some(signature::implementation(host.name, host.version()?, scheme?, prove))
    }
    [
        of(OPENSSL, openssl::signature(scheme), prove),
        of(GCRYPT, gcrypt::signature(scheme), prove),
        of(SODIUM, sodium::signature(scheme), prove),
    ]
    .into_iter()
    .flatten()
    .collect()
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
