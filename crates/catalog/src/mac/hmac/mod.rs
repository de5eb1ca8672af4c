//! HMAC (RFC 2104, FIPS 198-1) with SHA-1, SHA-2 and SHA-3.

#[cfg(feature = "graviola")]
mod graviola;
#[cfg(any(feature = "aws-lc", feature = "ring"))]
mod libraries;
mod own;
mod vectors;

use fieldtest_text::own::{OWN, OWN_PORTABLE};
#[cfg(feature = "graviola")]
use std::marker::PhantomData;

#[cfg(feature = "graviola")]
use ::graviola::hashing as graviola_hashing;
#[cfg(feature = "ring")]
use ::ring::hmac as ring;
#[cfg(feature = "aws-lc")]
use aws_lc_rs::hmac as aws;
use fieldtest_sha::Path;

use crate::host::{self, Keyed};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function};
use super::rustcrypto::RustCrypto;
use super::{Family, Implementation, List, Prove};

pub(super) fn family() -> Family {
    let counter = |traffic_key| Derivation::Counter { traffic_key };
    vec![
        ("hmac-sha1-96", sha1(counter(20))),
        ("hmac-sha256-linux", sha256(counter(32), vectors::prove_sha256)),
        ("hmac-sha256-128", sha256(Derivation::Hkdf, vectors::prove_draft)),
        ("hmac-sha384-128", sha384(counter(48))),
        ("hmac-sha512-128", sha512(counter(64))),
        ("hmac-sha3-256-128", sha3_256(counter(32))),
    ]
}

fn sha1(derivation: Derivation) -> Vec<Implementation> {
    let mut list = Hmacs::new(derivation, vectors::prove_sha1);
    list.own::<fieldtest_sha::Sha1>();
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", libraries::AwsLc(aws::HMAC_SHA1_FOR_LEGACY_USE_ONLY));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", libraries::Ring(ring::HMAC_SHA1_FOR_LEGACY_USE_ONLY));
    list.add("rustcrypto", "sha1", rustcrypto::<::sha1::Sha1>());
    list.hosts(Keyed::HmacSha1)
}

fn sha256(derivation: Derivation, prove: Prove) -> Vec<Implementation> {
    let mut list = Hmacs::new(derivation, prove);
    list.own::<fieldtest_sha::Sha256>();
    #[cfg(feature = "graviola")]
    list.graviola::<graviola_hashing::Sha256>();
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", libraries::AwsLc(aws::HMAC_SHA256));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", libraries::Ring(ring::HMAC_SHA256));
    list.add("rustcrypto", "sha2 0.11", rustcrypto::<sha2::Sha256>());
    list.hosts(Keyed::HmacSha256)
}

fn sha384(derivation: Derivation) -> Vec<Implementation> {
    let mut list = Hmacs::new(derivation, vectors::prove_sha384);
    #[cfg(feature = "graviola")]
    list.graviola::<graviola_hashing::Sha384>();
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", libraries::AwsLc(aws::HMAC_SHA384));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", libraries::Ring(ring::HMAC_SHA384));
    list.add("rustcrypto", "sha2 0.11", rustcrypto::<sha2::Sha384>());
    list.hosts(Keyed::HmacSha384)
}

fn sha512(derivation: Derivation) -> Vec<Implementation> {
    let mut list = Hmacs::new(derivation, vectors::prove_sha512);
    #[cfg(feature = "graviola")]
    list.graviola::<graviola_hashing::Sha512>();
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", libraries::AwsLc(aws::HMAC_SHA512));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", libraries::Ring(ring::HMAC_SHA512));
    list.add("rustcrypto", "sha2 0.11", rustcrypto::<sha2::Sha512>());
    list.hosts(Keyed::HmacSha512)
}

fn sha3_256(derivation: Derivation) -> Vec<Implementation> {
    let mut list = Hmacs::new(derivation, vectors::prove_sha3_256);
    // This hash function has no interface by blocks, which the faster `Hmac` needs.
    let simple = RustCrypto::<::hmac::SimpleHmac<sha3::Sha3_256>>::new(0..=usize::MAX);
    list.add("rustcrypto", "sha3 0.12", simple);
    list.hosts(Keyed::HmacSha3_256)
}

/// HMAC takes keys of any length.
fn rustcrypto<D: ::hmac::EagerHash>() -> RustCrypto<::hmac::Hmac<D>> {
    RustCrypto::new(0..=usize::MAX)
}

/// The implementations of one algorithm while they are gathered.
struct Hmacs {
    derivation: Derivation,
    list: List,
}

impl Hmacs {
    fn new(derivation: Derivation, prove: Prove) -> Self {
        Hmacs { derivation, list: List::proven_by(prove) }
    }

    fn add(&mut self, name: &'static str, package: &str, function: impl Function) {
        self.list.add(name, package, Adapter::new(function, self.derivation));
    }

    fn own<H: fieldtest_sha::Hash + Send + Sync + 'static>(&mut self) {
        self.add(OWN, "fieldtest-sha", own::Hmac::<H>::on(Path::best()));
        self.add(OWN_PORTABLE, "fieldtest-sha", own::Hmac::<H>::on(Path::PORTABLE));
    }

    #[cfg(feature = "graviola")]
    fn graviola<H: graviola_hashing::Hash<Context: Send + Sync> + Clone + 'static>(&mut self) {
        if ::graviola::util::is_cpu_supported() {
            self.add("graviola", "graviola", graviola::Hmac::<H>(PhantomData));
        }
    }

    /// Adds what of the host has the function, and ends the list.
    fn hosts(self, function: Keyed) -> Vec<Implementation> {
        self.list.with_hosts(|host| host::mac(host, function, self.derivation))
    }
}
