//! AES, ARIA and LEA in GCM and CCM.

use ::aes::{Aes128, Aes192, Aes256};
use ::aria::{Aria128, Aria192, Aria256};
use aes_gcm::AesGcm;
use ccm::Ccm;
use cipher::consts::{U12, U16};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_block::BlockCipher16;
use fieldtest_text::own::{OWN, OWN_PORTABLE};
use fieldtest_lea::Lea;

use super::{Family, List, Mode, Prove, own, kats, rustcrypto};
use crate::cipher::Portable;
use crate::host;

/// RustCrypto's in a mode, one for each key length: by the package, and a type over each of the block ciphers.
macro_rules! rustcrypto {
    (gcm $($cipher:ty),*) => { ("aes-gcm", [$(rustcrypto::aead::<AesGcm<$cipher, U12>>()),*]) };
    (ccm $($cipher:ty),*) => { ("ccm", [$(rustcrypto::aead::<Ccm<$cipher, U16, U12>>()),*]) };
}

pub(super) fn family() -> Family {
    let aes_gcm = rustcrypto!(gcm Aes128, Aes192, Aes256);
    let aes_ccm = rustcrypto!(ccm Aes128, Aes192, Aes256);
    let aria_gcm = rustcrypto!(gcm Aria128, Aria192, Aria256);
    let aria_ccm = rustcrypto!(ccm Aria128, Aria192, Aria256);
    let mut all = Vec::new();
    for (mode, names, prove, (package, others)) in [
        (Mode::Gcm, ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"], kats::aes_gcm as Prove, aes_gcm),
        (Mode::Ccm, ["aes-128-ccm", "aes-192-ccm", "aes-256-ccm"], kats::aes_ccm, aes_ccm),
    ] {
        for ((name, bytes), other) in names.into_iter().zip(KEYS).zip(others) {
            let mut list = begun::<Aes>(mode, bytes, prove);
            #[cfg(feature = "aws-lc")]
            if let Some(code) = super::aws_lc::aes(mode, bytes) {
                list.add("aws-lc", "aws-lc-rs", code);
            }
            list.add("rustcrypto", package, other);
            all.push((name, list));
        }
    }
    for (mode, names, prove, (package, others)) in [
        (Mode::Gcm, ["aria-128-gcm", "aria-192-gcm", "aria-256-gcm"], kats::aria_gcm as Prove, aria_gcm),
        (Mode::Ccm, ["aria-128-ccm", "aria-192-ccm", "aria-256-ccm"], kats::aria_ccm, aria_ccm),
    ] {
        for ((name, bytes), other) in names.into_iter().zip(KEYS).zip(others) {
            let mut list = begun::<Aria>(mode, bytes, prove);
            list.add("rustcrypto", package, other);
            all.push((name, list));
        }
    }
    for (mode, names, prove) in [
        (Mode::Gcm, ["lea-128-gcm", "lea-192-gcm", "lea-256-gcm"], kats::lea_gcm as Prove),
        (Mode::Ccm, ["lea-128-ccm", "lea-192-ccm", "lea-256-ccm"], kats::lea_ccm),
    ] {
        all.extend(names.into_iter().zip(KEYS).map(|(name, bytes)| (name, begun::<Lea>(mode, bytes, prove))));
    }
    all.into_iter().map(|(name, list)| (name, list.with_hosts(|host| host::aead(host, name)))).collect()
}

/// Bytes of the block ciphers' keys.
const KEYS: [usize; 3] = [16, 24, 32];

/// Begins with this project's own.
fn begun<C>(mode: Mode, key: usize, prove: Prove) -> List
where
    C: BlockCipher16 + Send + Sync + 'static,
    Portable<C>: BlockCipher16 + Send + Sync + 'static,
{
    let mut list = List::proven_by(prove);
    list.add(OWN, "fieldtest-modes", own::aead::<C>(mode, key));
    list.add(OWN_PORTABLE, "fieldtest-modes", own::aead::<Portable<C>>(mode, key));
    list
}
