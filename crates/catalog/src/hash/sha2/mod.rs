//! SHA-256 and SHA-512/256 (FIPS 180-4).

#[cfg(feature = "tape-sha256")]
mod tape;

use fieldtest_text::own::{OWN, OWN_PORTABLE};
use ::sha2::{Sha256, Sha512_256};
use fieldtest_kinds::hash::Hash;
use fieldtest_sha::Path;

#[cfg(feature = "aws-lc")]
use super::libraries::AwsLc;
#[cfg(feature = "ring")]
use super::libraries::Ring;
#[cfg(feature = "graviola")]
use super::graviola::Graviola;
use super::own::Sha;
use super::kats::{MonteCarlo, cavp, digests};
use super::rustcrypto::RustCrypto;
use super::{Family, List};
use crate::host;
use crate::kat::KnownAnswers;
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    let mut sha256 = List::proven_by(prove_sha256);
    sha256.add(OWN, "fieldtest-sha", Sha::<fieldtest_sha::Sha256>::on(Path::best()));
    sha256.add(OWN_PORTABLE, "fieldtest-sha", Sha::<fieldtest_sha::Sha256>::on(Path::PORTABLE));
    #[cfg(feature = "tape-sha256")]
    sha256.add("tape-sha256", "tape-sha256", tape::Tape);
    #[cfg(feature = "graviola")]
    if let Some(graviola) = Graviola::<::graviola::hashing::Sha256>::new() {
        sha256.add("graviola", "graviola", graviola);
    }
    #[cfg(feature = "aws-lc")]
    sha256.add("aws-lc", "aws-lc-rs", AwsLc(&aws_lc_rs::digest::SHA256));
    #[cfg(feature = "ring")]
    sha256.add("ring", "ring", Ring(&::ring::digest::SHA256));
    sha256.add("rustcrypto", "sha2 0.11", RustCrypto::<Sha256>::new());
    sha256.add_hosts(|host| host::hash(host, "sha-256"));

    // Graviola's SHA-512 cannot be given the initial values of SHA-512/256.
    let mut sha512 = List::proven_by(prove_sha512_256);
    #[cfg(feature = "aws-lc")]
    sha512.add("aws-lc", "aws-lc-rs", AwsLc(&aws_lc_rs::digest::SHA512_256));
    #[cfg(feature = "ring")]
    sha512.add("ring", "ring", Ring(&::ring::digest::SHA512_256));
    sha512.add("rustcrypto", "sha2 0.11", RustCrypto::<Sha512_256>::new());
    sha512.add_hosts(|host| host::hash(host, "sha-512-256"));
    vec![("sha-256", sha256.all), ("sha-512-256", sha512.all)]
}

const SHA256_MONTE_CARLO: MonteCarlo = MonteCarlo {
    file: "SHA256Monte.rsp",
    digests_per_message: 3,
    seed_and_checkpoints: include_str!("../../../vectors/hash/cavp-sha-256-monte-carlo.txt"),
};

const SHA512_256_MONTE_CARLO: MonteCarlo = MonteCarlo {
    file: "SHA512_256Monte.rsp",
    digests_per_message: 3,
    seed_and_checkpoints: include_str!("../../../vectors/hash/cavp-sha-512-256-monte-carlo.txt"),
};

fn prove_sha256(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut files = KnownAnswers::from("NIST CAVP SHA256ShortMsg.rsp and SHA256LongMsg.rsp");
    digests(&mut files, hash, cavp(include_str!("../../../vectors/hash/cavp-sha-256.txt")))?;
    Ok(KatResult::of([files, SHA256_MONTE_CARLO.prove(hash)?]))
}

fn prove_sha512_256(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut files = KnownAnswers::from("NIST CAVP SHA512_256ShortMsg.rsp and SHA512_256LongMsg.rsp");
    digests(&mut files, hash, cavp(include_str!("../../../vectors/hash/cavp-sha-512-256.txt")))?;
    Ok(KatResult::of([files, SHA512_256_MONTE_CARLO.prove(hash)?]))
}
