//! SipHash-2-4 with 128 bits of output.

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use siphasher::sip128::SipHasher24;

use crate::host::{self, Keyed};
use crate::kat::KnownAnswers;
use crate::adapt::hex;
use crate::{KatResult, KatError};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function, exactly, write};
use super::kats::{tags, wycheproof};
use super::{Family, List};

pub(super) fn family() -> Family {
    let derivation = Derivation::ExtractAndCounter { prf_key: 16, traffic_key: 16 };
    let mut list = List::proven_by(prove);
    list.add("siphasher", "siphasher", Adapter::new(SipHash, derivation));
    vec![("siphash-2-4-128", list.with_hosts(|host| host::mac(host, Keyed::SipHash, derivation)))]
}

#[derive(Clone)]
struct SipHash;

impl Function for SipHash {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        16
    }

    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        Ok(Key(SipHasher24::new_with_key(exactly(key)?)))
    }
}

/// The state that has the key, copied for each message.
struct Key(SipHasher24);

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        write(&self.0.hash(message).as_bytes(), tag)
    }
}

/// The first outputs of `vectors_sip128`: messages 00, 01, … of 0, 1, … bytes under the key 00, 01, …, 0f.
const REFERENCE: [&str; 8] = [
    "a3817f04ba25a8e66df67214c7550293",
    "da87c1d86b99af44347659119b22fc45",
    "8177228da4a45dc7fca38bdef60affe4",
    "9c70b60c5267a94e5f33b6b02985ed51",
    "f88164c12d9c8faf7d0f6e7c7bcd5579",
    "1368875980776f8854527a07690e9627",
    "14eeca338b208613485ea0308fd7a15e",
    "a1f1ebbed8dbc153c0b84aa61ff08239",
];

fn prove(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::from("SipHash reference, vectors.h");
    let vectors =
        (0_u8..).zip(REFERENCE).map(|(length, tag)| ((0..16).collect(), (0..length).collect(), hex(tag)));
    tags(&mut set, mac, vectors)?;
    Ok(KatResult::of([set, wycheproof(mac, "siphashx_2_4", None)?]))
}
