//! Derivations of a traffic key from a master key and a connection's context.

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
use zeroize::{Zeroize as _, Zeroizing};

use super::keyed::{Function, check_length};

/// How a traffic key comes from a master key, with a keyed function as the PRF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Derivation {
    /// KDF_HMAC_SHA1 of RFC 5926, section 3.1.1.1: the master key, of any length, is the PRF's key as it is.
    Counter {
        /// Bytes of a traffic key.
        traffic_key: usize,
    },
    /// KDF_AES_128_CMAC of RFC 5926, section 3.1.1.2: a master key of another length than the PRF's keys is first
    /// brought to that length by the PRF under a key of zeros.
    ExtractAndCounter {
        /// Bytes of a key of the PRF.
        prf_key: usize,
        /// Bytes of a traffic key.
        traffic_key: usize,
    },
    /// HKDF of draft-ietf-tcpm-tcp-ao-algs-07 with a PRF of 32 bytes: extracted with a salt of zeros, expanded to one
    /// block with the context as `info`.
    Hkdf,
    /// The one-step derivation of SP 800-56C, revision 2, section 4.1, option 3, as draft-ietf-tcpm-tcp-ao-algs-07
    /// uses it: KMAC256 customized with "KDF", its default salt of 132 zeros as the key.
    OneStep,
    /// The master key is the traffic key (RFC 2385).
    None,
}

/// Bytes of the traffic keys of the draft, and the shortest master key it allows.
const DRAFT: usize = 32;

impl Derivation {
    /// Derives a traffic key; what `traffic_key` held is wiped.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] for a master key that is empty, or shorter than the derivation takes.
    pub(super) fn derive<P: Function>(
        self,
        prf: &P,
        master_key: &[u8],
        context: &[u8],
        traffic_key: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let shortest = if matches!(self, Derivation::Hkdf | Derivation::OneStep) { DRAFT } else { 1 };
        check_length(&(shortest..=usize::MAX), master_key)?;
        traffic_key.zeroize();
        match self {
            Derivation::Counter { traffic_key: length } => {
                traffic_key.resize(length, 0);
                counter(&prf.key(master_key)?, prf.longest_tag(), context, traffic_key)
            }
            Derivation::ExtractAndCounter { prf_key, traffic_key: length } => {
                traffic_key.resize(length, 0);
                if master_key.len() == prf_key {
                    return counter(&prf.key(master_key)?, prf.longest_tag(), context, traffic_key);
                }
                let extracted = extracted(prf, prf_key, master_key)?;
                counter(&prf.key(&extracted)?, prf.longest_tag(), context, traffic_key)
            }
            Derivation::Hkdf => {
                let mut extracted = Zeroizing::new([0; DRAFT]);
                prf.key(&[0; DRAFT])?.tag(master_key, &mut *extracted)?;
                traffic_key.resize(DRAFT, 0);
                prf.key(&*extracted)?.tag(&[context, &[1]].concat(), traffic_key)
            }
            Derivation::OneStep => {
                let input = Zeroizing::new([&[0, 0, 0, 1], master_key, context].concat());
                traffic_key.resize(DRAFT, 0);
                prf.key(&[0; 132])?.tag(&input, traffic_key)
            }
            Derivation::None => {
                traffic_key.extend_from_slice(master_key);
                Ok(())
            }
        }
    }
}

/// RFC 5926, section 3.1.1: PRF(key, i || "TCP-AO" || context || bits), i from 1, until the key is full.
fn counter(key: &impl MacKey, block: usize, context: &[u8], traffic_key: &mut [u8]) -> Result<(), Error> {
    // Traffic keys have at most 64 bytes.
    let bits = (8 * traffic_key.len() as u16).to_be_bytes();
    let mut input = [&[0], &b"TCP-AO"[..], context, &bits].concat();
    for (i, part) in (1..).zip(traffic_key.chunks_mut(block)) {
        input[0] = i;
        key.tag(&input, part)?;
    }
    Ok(())
}

/// RFC 5926, section 3.1.1.2: PRF(zeros, master key). Where the PRF's output is shorter than its keys, which the RFC
/// does not provide for, PRF(zeros, i || master key) for i from 1.
fn extracted<P: Function>(prf: &P, length: usize, master_key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let zeros = prf.key(&vec![0; length])?;
    let mut key = Zeroizing::new(vec![0; length]);
    if length <= prf.longest_tag() {
        zeros.tag(master_key, &mut key)?;
        return Ok(key);
    }
    let mut input = Zeroizing::new([&[0], master_key].concat());
    for (i, part) in (1..).zip(key.chunks_mut(prf.longest_tag())) {
        input[0] = i;
        zeros.tag(&input, part)?;
    }
    Ok(key)
}
