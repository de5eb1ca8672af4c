//! HMAC (RFC 2104, FIPS 198-1) with SHA-1, SHA-2 and SHA-3.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "graviola")]
mod graviola;
mod own;
#[cfg(feature = "ring")]
mod ring;
mod vectors;

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
#[cfg(feature = "graviola")]
use std::marker::PhantomData;

#[cfg(feature = "graviola")]
use ::graviola::hashing as graviola_hashing;
#[cfg(feature = "ring")]
use ::ring::hmac as ring_hmac;
#[cfg(feature = "aws-lc")]
use aws_lc_rs::hmac as aws;
use fieldtest_kinds::mac::Mac;
use fieldtest_sha::Path;

use crate::host::{self, Keyed};
use crate::version;
use crate::{Proof, ProofError};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function};
use super::rustcrypto::RustCrypto;
use super::{Family, Implementation, implementation};

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
    let mut list = List { derivation, prove: vectors::prove_sha1, all: Vec::new() };
    list.add(OWN, "fieldtest-sha", own::Hmac::<fieldtest_sha::Sha1>::on(Path::best()));
    list.add(OWN_PORTABLE, "fieldtest-sha", own::Hmac::<fieldtest_sha::Sha1>::on(Path::PORTABLE));
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", aws_lc::Hmac(aws::HMAC_SHA1_FOR_LEGACY_USE_ONLY));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", ring::Hmac(ring_hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY));
    list.add("rustcrypto", "sha1", rustcrypto::<::sha1::Sha1>());
    list.hosts(Keyed::HmacSha1)
}

fn sha256(derivation: Derivation, prove: fn(&dyn Mac) -> Result<Proof, ProofError>) -> Vec<Implementation> {
    let mut list = List { derivation, prove, all: Vec::new() };
    list.add(OWN, "fieldtest-sha", own::Hmac::<fieldtest_sha::Sha256>::on(Path::best()));
    list.add(OWN_PORTABLE, "fieldtest-sha", own::Hmac::<fieldtest_sha::Sha256>::on(Path::PORTABLE));
    #[cfg(feature = "graviola")]
    list.graviola::<graviola_hashing::Sha256>();
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", aws_lc::Hmac(aws::HMAC_SHA256));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", ring::Hmac(ring_hmac::HMAC_SHA256));
    list.add("rustcrypto", "sha2 0.11", rustcrypto::<sha2::Sha256>());
    list.hosts(Keyed::HmacSha256)
}

fn sha384(derivation: Derivation) -> Vec<Implementation> {
    let mut list = List { derivation, prove: vectors::prove_sha384, all: Vec::new() };
    #[cfg(feature = "graviola")]
    list.graviola::<graviola_hashing::Sha384>();
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", aws_lc::Hmac(aws::HMAC_SHA384));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", ring::Hmac(ring_hmac::HMAC_SHA384));
    list.add("rustcrypto", "sha2 0.11", rustcrypto::<sha2::Sha384>());
    list.hosts(Keyed::HmacSha384)
}

fn sha512(derivation: Derivation) -> Vec<Implementation> {
    let mut list = List { derivation, prove: vectors::prove_sha512, all: Vec::new() };
    #[cfg(feature = "graviola")]
    list.graviola::<graviola_hashing::Sha512>();
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", aws_lc::Hmac(aws::HMAC_SHA512));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", ring::Hmac(ring_hmac::HMAC_SHA512));
    list.add("rustcrypto", "sha2 0.11", rustcrypto::<sha2::Sha512>());
    list.hosts(Keyed::HmacSha512)
}

fn sha3_256(derivation: Derivation) -> Vec<Implementation> {
    let mut list = List { derivation, prove: vectors::prove_sha3_256, all: Vec::new() };
    // This hash function has no interface by blocks, which the faster `Hmac` needs.
    list.add(
        "rustcrypto",
        "sha3 0.12",
        RustCrypto::<::hmac::SimpleHmac<sha3::Sha3_256>>::new(0..=usize::MAX),
    );
    list.hosts(Keyed::HmacSha3_256)
}

/// HMAC takes keys of any length.
fn rustcrypto<D: ::hmac::EagerHash>() -> RustCrypto<::hmac::Hmac<D>> {
    RustCrypto::new(0..=usize::MAX)
}

/// The implementations of one algorithm while they are gathered.
struct List {
    derivation: Derivation,
    prove: fn(&dyn Mac) -> Result<Proof, ProofError>,
    all: Vec<Implementation>,
}

impl List {
    fn add(&mut self, name: &'static str, package: &str, function: impl Function) {
        let adapter = Adapter::new(function, self.derivation);
        self.all.push(implementation(name, version::of(package), adapter, self.prove));
    }

    #[cfg(feature = "graviola")]
    fn graviola<H: graviola_hashing::Hash<Context: Send + Sync> + Clone + 'static>(&mut self) {
        if ::graviola::util::is_cpu_supported() {
            self.add("graviola", "graviola", graviola::Hmac::<H>(PhantomData));
        }
    }

    /// Adds what of the host has the function, and ends the list.
    fn hosts(mut self, function: Keyed) -> Vec<Implementation> {
        self.all.extend(host::macs(function, self.derivation, self.prove));
        self.all
    }
}
