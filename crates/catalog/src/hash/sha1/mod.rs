//! SHA-1 (FIPS 180-4), and SHA-1 that notices attacks, which is what Git uses for object names.

mod detecting;
mod vectors;

use fieldtest_text::own::{OWN, OWN_PORTABLE};
use ::sha1::Sha1;
use fieldtest_sha::Path;

#[cfg(feature = "aws-lc")]
use super::libraries::AwsLc;
#[cfg(feature = "ring")]
use super::libraries::Ring;
use super::own::Sha;
use super::rustcrypto::RustCrypto;
use super::{Family, List};
use crate::host;

pub(super) fn family() -> Family {
    let mut plain = List::proven_by(vectors::prove);
    plain.add(OWN, "fieldtest-sha", Sha::<fieldtest_sha::Sha1>::on(Path::best()));
    plain.add(OWN_PORTABLE, "fieldtest-sha", Sha::<fieldtest_sha::Sha1>::on(Path::PORTABLE));
    #[cfg(feature = "aws-lc")]
    plain.add("aws-lc", "aws-lc-rs", AwsLc(&aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY));
    #[cfg(feature = "ring")]
    plain.add("ring", "ring", Ring(&::ring::digest::SHA1_FOR_LEGACY_USE_ONLY));
    plain.add("rustcrypto", "sha1", RustCrypto::<Sha1>::new());
    plain.add_hosts(|host| host::hash(host, "sha-1"));

    let mut detecting = List::proven_by(vectors::prove_detecting);
    detecting.add("sha1dc", "sha1dc", detecting::Sha1Dc);
    detecting.add("sha1-checked", "sha1-checked", detecting::Sha1Checked);
    vec![("sha-1", plain.all), ("sha-1dc", detecting.all)]
}
