//! The TCP MD5 signature option (RFC 2385): MD5 of the message and, after it, the key. What TCP-AO replaces.

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use md5::{Digest as _, Md5};
use zeroize::Zeroizing;

use crate::kat::KnownAnswers;
use crate::adapt::hex;
use crate::{KatResult, KatError};

use super::derivation::Derivation;
use super::keyed::{Adapter, Function, write};
use super::kats::tags;
use super::{Family, List};

pub(super) fn family() -> Family {
    let mut list = List::proven_by(prove);
    list.add("rustcrypto", "md-5", Adapter::new(TcpMd5, Derivation::None));
    vec![("tcp-md5", list.all)]
}

#[derive(Clone)]
struct TcpMd5;

impl Function for TcpMd5 {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        16
    }

    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        Ok(Key(Zeroizing::new(key.to_vec())))
    }
}

/// The key comes last (RFC 2385, section 2.0), so that nothing can be computed in advance: preparing gains
/// nothing.
struct Key(Zeroizing<Vec<u8>>);

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        write(&Md5::new().chain_update(message).chain_update(&*self.0).finalize(), tag)
    }
}

/// The test suite of RFC 1321, appendix A.5, each input split into a message and a key; and the digest.
const RFC_1321: [(&str, &str, &str); 6] = [
    ("", "a", "0cc175b9c0f1b6a831c399e269772661"),
    ("a", "bc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message ", "digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklm", "nopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "abcdefghijklmnopqrstuvwxyz0123456789",
        "d174ab98d277d9f5a5611c2c9f419d9f",
    ),
    (
        "1234567890123456789012345678901234567890123456789012345678901234",
        "5678901234567890",
        "57edf4a22be3c955ac49da2e2107b67a",
    ),
];

fn prove(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let origin =
        "RFC 2385 has no known answers: those of MD5 (RFC 1321, appendix A.5), split into message and key";
    let mut set = KnownAnswers::unofficial(origin);
    let vectors = RFC_1321
        .iter()
        .map(|(message, key, digest)| (key.as_bytes().to_vec(), message.as_bytes().to_vec(), hex(digest)));
    tags(&mut set, mac, vectors)?;
    Ok(KatResult::of([set]))
}
