//! BLAKE3 in its keyed mode, by the algorithm's own library.

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use zeroize::Zeroizing;

use crate::kat::KnownAnswers;
use crate::adapt::hex;
use crate::{KatResult, KatError};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function, exactly, write};
use super::kats::tags;
use super::{Family, List};

pub(super) fn family() -> Family {
    let derivation = Derivation::ExtractAndCounter { prf_key: 32, traffic_key: 32 };
    let mut list = List::proven_by(prove);
    list.add("blake3", "blake3", Adapter::new(Blake3, derivation));
    vec![("blake3-128", list.all)]
}

#[derive(Clone)]
struct Blake3;

impl Function for Blake3 {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        ::blake3::OUT_LEN
    }

    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        Ok(Key(Zeroizing::new(*exactly(key)?)))
    }
}

/// The key stands where the initial state of other hash functions does: there is nothing to prepare.
struct Key(Zeroizing<[u8; 32]>);

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        write(::blake3::keyed_hash(&self.0, message).as_bytes(), tag)
    }
}

/// Bytes of the input, which counts from 0 to 250 and begins anew, and the first 32 bytes of `keyed_hash`.
const KEYED: [(usize, &str); 6] = [
    (0, "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26"),
    (1, "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b"),
    (1023, "c951ecdf03288d0fcc96ee3413563d8a6d3589547f2c2fb36d9786470f1b9d6e"),
    (1024, "75c46f6f3d9eb4f55ecaaee480db732e6c2105546f1e675003687c31719c7ba4"),
    (1025, "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69"),
    (3072, "044a0e7b172a312dc02a4c9a818c036ffa2776368d7f528268d2e6b5df191770"),
];

fn prove(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::from("BLAKE3 reference, test_vectors/test_vectors.json");
    let vectors = KEYED.iter().map(|&(length, hash)| {
        let input = (0..=250).cycle().take(length).collect();
        (b"whats the Elvish word for friend".to_vec(), input, hex(hash))
    });
    tags(&mut set, mac, vectors)?;
    Ok(KatResult::of([set]))
}
