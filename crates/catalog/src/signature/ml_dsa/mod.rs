//! ML-DSA (FIPS 204): pure, with an empty context. The secret key is the 32-byte seed ξ of algorithm 6.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "libcrux")]
mod libcrux;
mod own;
mod rustcrypto;
mod vectors;

use fieldtest_text::own::OWN;

use super::{Family, List, Prove};
use crate::host::{self, Scheme};

/// Bytes of the seed.
const SEED: usize = 32;

/// A parameter set with its implementations: its name, those of its types and functions, OpenSSL's, and its known answers.
macro_rules! parameter_set {
    ($name:literal, $set:ident, $function:ident, $vectors:ident) => {{
        let mut list = List::proven_by((|code| vectors::prove(&vectors::$vectors, code)) as Prove);
        list.add(OWN, "fieldtest-mldsa", own::MlDsa::<fieldtest_mldsa::$set>::new());
        #[cfg(feature = "aws-lc")]
        list.add("aws-lc", "aws-lc-rs", aws_lc::MlDsa::$function());
        #[cfg(feature = "libcrux")]
        list.add("libcrux", "libcrux-ml-dsa", libcrux::$set);
        list.add("rustcrypto", "ml-dsa", rustcrypto::MlDsa::<ml_dsa::$set>::new());
        ($name, list.with_hosts(|host| host::signature(host, Scheme::$set)))
    }};
}

pub(super) fn family() -> Family {
    vec![
        parameter_set!("ml-dsa-44", MlDsa44, ml_dsa_44, ML_DSA_44),
        parameter_set!("ml-dsa-65", MlDsa65, ml_dsa_65, ML_DSA_65),
        parameter_set!("ml-dsa-87", MlDsa87, ml_dsa_87, ML_DSA_87),
    ]
}
