//! AES, ARIA and LEA in GCM and CCM.

use std::sync::Arc;

use ::aes::{Aes128, Aes192, Aes256};
use ::aria::{Aria128, Aria192, Aria256};
use aes_gcm::AesGcm;
use ccm::Ccm;
use cipher::consts::{U12, U16};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_block::BlockCipher16;
use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use fieldtest_lea::Lea;

use super::{Implementation, Mode, Prove, own, proofs, rustcrypto};
use crate::cipher::Portable;
use crate::{host, join, kind, version};

/// The algorithms with their implementations.
pub(super) fn all() -> join::Family<kind::Aead> {
    let mut all = Vec::new();
    for (mode, name, prove, others) in [
        (
            Mode::Gcm,
            ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"],
            proofs::aes_gcm as Prove,
            [
                rustcrypto::aead::<AesGcm<Aes128, U12>>(),
                rustcrypto::aead::<AesGcm<Aes192, U12>>(),
                rustcrypto::aead::<AesGcm<Aes256, U12>>(),
            ],
        ),
        (
            Mode::Ccm,
            ["aes-128-ccm", "aes-192-ccm", "aes-256-ccm"],
            proofs::aes_ccm,
            [
                rustcrypto::aead::<Ccm<Aes128, U16, U12>>(),
                rustcrypto::aead::<Ccm<Aes192, U16, U12>>(),
                rustcrypto::aead::<Ccm<Aes256, U16, U12>>(),
            ],
        ),
    ] {
        for ((name, bytes), other) in name.into_iter().zip(KEYS).zip(others) {
            let mut list = List::of::<Aes>(mode, bytes, prove);
            #[cfg(feature = "aws-lc")]
            if let Some(code) = super::aws_lc::aes(mode, bytes) {
                list.add("aws-lc", "aws-lc-rs", code);
            }
            list.add("rustcrypto", package(mode), other);
            all.push((name, list.with_hosts(name)));
        }
    }
    for (mode, name, prove, others) in [
        (
            Mode::Gcm,
            ["aria-128-gcm", "aria-192-gcm", "aria-256-gcm"],
            proofs::aria_gcm as Prove,
            [
                rustcrypto::aead::<AesGcm<Aria128, U12>>(),
                rustcrypto::aead::<AesGcm<Aria192, U12>>(),
                rustcrypto::aead::<AesGcm<Aria256, U12>>(),
            ],
        ),
        (
            Mode::Ccm,
            ["aria-128-ccm", "aria-192-ccm", "aria-256-ccm"],
            proofs::aria_ccm,
            [
                rustcrypto::aead::<Ccm<Aria128, U16, U12>>(),
                rustcrypto::aead::<Ccm<Aria192, U16, U12>>(),
                rustcrypto::aead::<Ccm<Aria256, U16, U12>>(),
            ],
        ),
    ] {
        for ((name, bytes), other) in name.into_iter().zip(KEYS).zip(others) {
            let mut list = List::of::<Aria>(mode, bytes, prove);
            list.add("rustcrypto", package(mode), other);
            all.push((name, list.with_hosts(name)));
        }
    }
    for (mode, name, prove) in [
        (Mode::Gcm, ["lea-128-gcm", "lea-192-gcm", "lea-256-gcm"], proofs::lea_gcm as Prove),
        (Mode::Ccm, ["lea-128-ccm", "lea-192-ccm", "lea-256-ccm"], proofs::lea_ccm),
    ] {
        for (name, bytes) in name.into_iter().zip(KEYS) {
            all.push((name, List::of::<Lea>(mode, bytes, prove).with_hosts(name)));
        }
    }
    all
}

/// Bytes of the block ciphers' keys.
const KEYS: [usize; 3] = [16, 24, 32];

/// RustCrypto's package.
fn package(mode: Mode) -> &'static str {
    match mode {
        Mode::Gcm => "aes-gcm",
        Mode::Ccm => "ccm",
    }
}

/// The implementations of one algorithm while they are gathered.
struct List {
    prove: Prove,
    all: Vec<Implementation>,
}

impl List {
    /// Begins with this project's own.
    fn of<C>(mode: Mode, key: usize, prove: Prove) -> Self
    where
        C: BlockCipher16 + Send + Sync + 'static,
        Portable<C>: BlockCipher16 + Send + Sync + 'static,
    {
        let mut list = List { prove, all: Vec::new() };
        list.add(OWN, "fieldtest-modes", own::aead::<C>(mode, key));
        list.add(OWN_PORTABLE, "fieldtest-modes", own::aead::<Portable<C>>(mode, key));
        list
    }

    fn add(&mut self, name: &'static str, package: &str, code: Arc<dyn Aead>) {
        let version = version::of(package);
        self.all.push(Implementation { name, version, code, prove: crate::Prove::Own(self.prove) });
    }

    fn with_hosts(mut self, name: &str) -> Vec<Implementation> {
        self.all.extend(host::aeads(name, self.prove));
        self.all
    }
}
