//! The anti-forensic splitter: a key made so long that no part of it may remain for the key to remain.
//!
//! A key of *n* bytes becomes *stripes × n* bytes, of which all but the last stripe are random; destroying any stripe
//! destroys the key (LUKS On-Disk Format Specification 1.2.3, section 2.4; LUKS2 keeps it as type `luks1`).

use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::secret::Secret;

/// Splits a key into `stripes × key.len()` bytes.
///
/// # Errors
/// [`Error::Parameters`] without stripes; [`Error::Randomness`].
pub fn split(key: &[u8], stripes: u32, hash: Hash) -> Result<Secret> {
    let total = key.len().checked_mul(stripes as usize).filter(|&total| total > 0);
    let total =
        total.ok_or_else(|| Error::Parameters("a key must be split into at least one stripe".into()))?;
    let mut material = Secret::random(total)?;
    let (stripes, last) = material.split_at_mut(total - key.len());
    let state = fold(stripes, key.len(), hash)?;
    last.iter_mut().zip(key).zip(state.iter()).for_each(|((last, key), state)| *last = key ^ state);
    Ok(material)
}

/// Gives the key back, of `key_len` bytes.
///
/// # Errors
/// [`Error::Metadata`] if the material is not a whole number of keys, or nothing.
pub fn merge(material: &[u8], key_len: usize, hash: Hash) -> Result<Secret> {
    if key_len == 0 || material.is_empty() || !material.len().is_multiple_of(key_len) {
        return Err(Error::Metadata(format!(
            "a split key of {} bytes holds no whole keys of {key_len} bytes",
            material.len()
        )));
    }
    let (stripes, last) = material.split_at(material.len() - key_len);
    let mut key = fold(stripes, key_len, hash)?;
    key.iter_mut().zip(last).for_each(|(key, last)| *key ^= last);
    Ok(key)
}

/// XORs each stripe into the state and diffuses it.
fn fold(stripes: &[u8], key_len: usize, hash: Hash) -> Result<Secret> {
    let mut state = Secret::zeroed(key_len)?;
    for stripe in stripes.chunks_exact(key_len) {
        state.iter_mut().zip(stripe).for_each(|(state, stripe)| *state ^= stripe);
        diffuse(&mut state, hash);
    }
    Ok(state)
}

/// Replaces each block of the hash's length by the hash of its number and itself; the last one may be shorter.
fn diffuse(state: &mut [u8], hash: Hash) {
    for (number, block) in (0_u32..).zip(state.chunks_mut(hash.length())) {
        let mut copy = Zeroizing::new([0; 64]);
        let copy = copy.get_mut(..block.len()).unwrap_or_default();
        copy.copy_from_slice(block);
        hash.digest(&[&number.to_be_bytes(), copy], |digest| {
            block.iter_mut().zip(digest).for_each(|(block, digest)| *block = *digest);
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_split_is_merged(
            key in prop::collection::vec(any::<u8>(), 1..130),
            stripes in 1..40_u32,
            hash in prop::sample::select(vec![Hash::Sha1, Hash::Sha256, Hash::Sha512]),
            damaged in any::<prop::sample::Index>(),
        ) {
            let mut material = split(&key, stripes, hash).unwrap();
            prop_assert_eq!(material.len(), key.len() * stripes as usize);
            prop_assert_eq!(&*merge(&material, key.len(), hash).unwrap(), &key);
            // A damaged stripe is hashed into the next, so what comes out is as good as drawn anew: a key of one octet comes
            // out right once in 256. Only lengths at which that does not happen are asked.
            if key.len() >= 16 {
                let at = damaged.index(material.len());
                material[at] ^= 1;
                prop_assert_ne!(&*merge(&material, key.len(), hash).unwrap(), &key);
            }
        }

        #[test]
        fn nothing_panics(material in prop::collection::vec(any::<u8>(), 0..100), length in 0..20_usize) {
            let _ = merge(&material, length, Hash::Sha256);
        }
    }

    #[test]
    fn no_stripes_are_refused() {
        assert!(split(b"key", 0, Hash::Sha256).is_err());
    }
}
