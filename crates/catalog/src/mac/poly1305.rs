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
use crate::kat::{KnownAnswers, table};
use crate::{KatResult, KatError};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function, exactly, write};
use super::nonce;
use super::kats::tags;
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

fn prove(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::from("Poly1305-AES, appendix B");
    let rows = table::rows(include_str!("../../vectors/mac/poly1305-aes.txt"));
    let two = |row: &table::Row, at: usize| [row.bytes(at), row.bytes(at + 1)].concat();
    tags(&mut set, mac, rows.map(|row| (two(&row, 0), two(&row, 2), row.bytes(4))))?;
    Ok(KatResult::of([set]))
}
