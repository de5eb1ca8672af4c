//! Poly1305-AES (D. J. Bernstein, "The Poly1305-AES message-authentication code", FSE 2005).
//!
//! TCP-AO has no nonce to give. Here the first 16 bytes of the message are the nonce, so that the cost can be measured
//! and known answers reproduced; in a segment these are the sequence number extension and addresses, which repeat.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use zeroize::Zeroizing;

use crate::host::{self, Keyed};
use crate::proof::KnownAnswers;
use crate::adapt::hex;
use crate::{Proof, ProofError};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function, exactly, write};
use super::nonce;
use super::proofs::tags;
use super::rustcrypto::RustCrypto;
use super::{Family, List};

pub(super) fn family() -> Family {
    let prf = RustCrypto::<cmac::Cmac<Aes128>>::new(16..=16);
    let derivation = Derivation::ExtractAndCounter { prf_key: 16, traffic_key: 32 };
    let mut list = List::proven_by(prove);
    list.add("rustcrypto", "poly1305", Adapter::with_prf(Poly1305Aes, prf.clone(), derivation));
    list.add_hosts(|host| host::mac_with_prf(host, Keyed::Poly1305Aes, &prf, derivation));
    vec![("poly1305-aes", list.all)]
}

#[derive(Clone)]
struct Poly1305Aes;

impl Function for Poly1305Aes {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        16
    }

    /// The AES key, then the multiplier r, 16 bytes each.
    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        let key: &[u8; 32] = exactly(key)?;
        let (aes, r) = key.split_at(16);
        let mut multiplier = Zeroizing::new([0; 16]);
        multiplier.copy_from_slice(r);
        Ok(Key {
            aes: Aes128::new_from_slice(aes).map_err(|e| Error::MalformedKey(e.to_string()))?,
            multiplier,
        })
    }
}

struct Key {
    aes: Aes128,
    multiplier: Zeroizing<[u8; 16]>,
}

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let (nonce, data) = nonce::split::<16>(message)?;
        let mut one_time = Zeroizing::new([0; 32]);
        let (r, s) = one_time.split_at_mut(16);
        r.copy_from_slice(&*self.multiplier);
        let mut pad = aes::Block::from(*nonce);
        self.aes.encrypt_block(&mut pad);
        s.copy_from_slice(&pad);
        let one_time = (&*one_time).into();
        write(&::poly1305::Poly1305::new(one_time).compute_unpadded(data), tag)
    }
}

/// AES key, r, nonce, message and tag.
const APPENDIX_B: [[&str; 5]; 4] = [
    [
        "ec074c835580741701425b623235add6",
        "851fc40c3467ac0be05cc20404f3f700",
        "fb447350c4e868c52ac3275cf9d4327e",
        "f3f6",
        "f4c633c3044fc145f84f335cb81953de",
    ],
    [
        "75deaa25c09f208e1dc4ce6b5cad3fbf",
        "a0f3080000f46400d0c7e9076c834403",
        "61ee09218d29b0aaed7e154a2c5509cc",
        "",
        "dd3fab2251f11ac759f0887129cc2ee7",
    ],
    [
        "6acb5f61a7176dd320c5c1eb2edcdc74",
        "48443d0bb0d21109c89a100b5ce2c208",
        "ae212a55399729595dea458bc621ff0e",
        "663cea190ffb83d89593f3f476b6bc24d7e679107ea26adb8caf6652d0656136",
        "0ee1c16bb73f0f4fd19881753c01cdbe",
    ],
    [
        "e1a5668a4d5b66a5f68cc5424ed5982d",
        "12976a08c4426d0ce8a82407c4f48207",
        "9ae831e743978d3a23527c7128149e3a",
        "ab0812724a7f1e342742cbed374d94d136c6b8795d45b3819830f2c04491faf0990c62e48b8018b2c3e4a0fa3134cb67fa83e158c994d961c4cb21095c1bf9",
        "5154ad0d2cb26e01274fc51148491f1b",
    ],
];

fn prove(mac: &dyn Mac) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::from("Poly1305-AES, appendix B");
    let vectors = APPENDIX_B.map(|row| {
        let [key, r, nonce, message, tag] = row.map(hex);
        ([key, r].concat(), [nonce, message].concat(), tag)
    });
    tags(&mut set, mac, vectors)?;
    Ok(Proof::of([set]))
}
