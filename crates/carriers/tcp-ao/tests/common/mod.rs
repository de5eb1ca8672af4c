//! The MACs of RFC 5926 and Linux's SHA-256 in the same manner, over the RustCrypto crates: plain, for tests alone.

#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;

use cmac::Cmac;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac as _};

/// HMAC-SHA-1 with KDF_HMAC_SHA1 (RFC 5926, sections 3.1.1.1 and 3.2.1).
pub struct HmacSha1;
/// HMAC-SHA-256 with the KDF that Linux uses for it: that of RFC 5926 with an output of 256 bits.
pub struct HmacSha256;
/// AES-128-CMAC with KDF_AES_128_CMAC (RFC 5926, sections 3.1.1.2 and 3.2.2).
pub struct AesCmac;

pub fn sha1() -> Arc<dyn Mac> {
    Arc::new(HmacSha1)
}
pub fn sha256() -> Arc<dyn Mac> {
    Arc::new(HmacSha256)
}
pub fn cmac() -> Arc<dyn Mac> {
    Arc::new(AesCmac)
}

/// `i || label || context || output length in bits` (RFC 5926, section 3.1.1).
fn kdf_input(context: &[u8], bits: u16) -> Vec<u8> {
    [&[1], b"TCP-AO".as_slice(), context, &bits.to_be_bytes()].concat()
}

fn malformed(error: impl std::fmt::Display) -> Error {
    Error::MalformedKey(error.to_string())
}

macro_rules! keyed {
    ($key:ident, $state:ty) => {
        struct $key($state);

        impl $key {
            fn new(key: &[u8]) -> Result<Self, Error> {
                <$state as KeyInit>::new_from_slice(key).map(Self).map_err(malformed)
            }
            fn whole(&self, message: &[u8]) -> Vec<u8> {
                let mut state = self.0.clone();
                state.update(message);
                state.finalize().into_bytes().to_vec()
            }
        }

        impl MacKey for $key {
            fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
                let whole = self.whole(message);
                let part = whole.get(..tag.len()).ok_or_else(|| Error::Library("tag too long".into()))?;
                tag.copy_from_slice(part);
                Ok(())
            }
        }
    };
}

keyed!(Sha1Key, Hmac<sha1::Sha1>);
keyed!(Sha256Key, Hmac<sha2::Sha256>);
keyed!(CmacKey, Cmac<aes::Aes128>);

impl Mac for HmacSha1 {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        *traffic_key = Sha1Key::new(master_key)?.whole(&kdf_input(context, 160));
        Ok(())
    }
    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        Ok(Box::new(Sha1Key::new(traffic_key)?))
    }
    fn longest_tag(&self) -> usize {
        20
    }
}

impl Mac for HmacSha256 {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        *traffic_key = Sha256Key::new(master_key)?.whole(&kdf_input(context, 256));
        Ok(())
    }
    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        Ok(Box::new(Sha256Key::new(traffic_key)?))
    }
    fn longest_tag(&self) -> usize {
        32
    }
}

impl Mac for AesCmac {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        let extracted = if master_key.len() == 16 {
            master_key.to_vec()
        } else {
            CmacKey::new(&[0; 16])?.whole(master_key)
        };
        *traffic_key = CmacKey::new(&extracted)?.whole(&kdf_input(context, 128));
        Ok(())
    }
    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        Ok(Box::new(CmacKey::new(traffic_key)?))
    }
    fn longest_tag(&self) -> usize {
        16
    }
}
