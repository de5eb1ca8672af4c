//! ML-DSA (FIPS 204): pure, with an empty context. The secret key is the 32-byte seed ξ of algorithm 6.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "libcrux")]
mod libcrux;
mod own;
mod rustcrypto;
mod vectors;

use fieldtest_kinds::own::OWN;
use fieldtest_kinds::signature::Signature;

use super::{Family, implementation};
use crate::host::{self, Scheme};
use crate::{Implementation, Proof, ProofError, version};

/// Bytes of the seed.
const SEED: usize = 32;

pub(super) fn family() -> Family {
    vec![
        (
            "ml-dsa-44",
            implementations(
                #[cfg(feature = "aws-lc")]
                aws_lc::MlDsa::ml_dsa_44(),
                #[cfg(feature = "libcrux")]
                libcrux::MlDsa44,
                ml_dsa::MlDsa44,
                own::MlDsa::<fieldtest_mldsa::MlDsa44>::new(),
                Scheme::MlDsa44,
                |code| vectors::prove(&vectors::ML_DSA_44, code),
            ),
        ),
        (
            "ml-dsa-65",
            implementations(
                #[cfg(feature = "aws-lc")]
                aws_lc::MlDsa::ml_dsa_65(),
                #[cfg(feature = "libcrux")]
                libcrux::MlDsa65,
                ml_dsa::MlDsa65,
                own::MlDsa::<fieldtest_mldsa::MlDsa65>::new(),
                Scheme::MlDsa65,
                |code| vectors::prove(&vectors::ML_DSA_65, code),
            ),
        ),
        (
            "ml-dsa-87",
            implementations(
                #[cfg(feature = "aws-lc")]
                aws_lc::MlDsa::ml_dsa_87(),
                #[cfg(feature = "libcrux")]
                libcrux::MlDsa87,
                ml_dsa::MlDsa87,
                own::MlDsa::<fieldtest_mldsa::MlDsa87>::new(),
                Scheme::MlDsa87,
                |code| vectors::prove(&vectors::ML_DSA_87, code),
            ),
        ),
    ]
}

fn implementations<P: ml_dsa::MlDsaParams + Send + Sync + 'static>(
    #[cfg(feature = "aws-lc")]
    aws_lc: impl Signature + 'static,
    #[cfg(feature = "libcrux")]
    libcrux: impl Signature + 'static,
    _: P,
    own: impl Signature + 'static,
    host: Scheme,
    prove: fn(&dyn Signature) -> Result<Proof, ProofError>,
) -> Vec<Implementation> {
    let mut implementations = vec![
        implementation(OWN, version::of("fieldtest-mldsa"), own, prove),
        #[cfg(feature = "aws-lc")]
        implementation("aws-lc", version::of("aws-lc-rs"), aws_lc, prove),
        #[cfg(feature = "libcrux")]
        implementation("libcrux", version::of("libcrux-ml-dsa"), libcrux, prove),
        implementation("rustcrypto", version::of("ml-dsa"), rustcrypto::MlDsa::<P>::new(), prove),
    ];
    implementations.extend(host::signatures(host, prove));
    implementations
}
