//! Keys and signatures as bytes (algorithms 4, 5 and 8 to 11).

use alloc::vec;
use alloc::vec::Vec;

use crate::golomb_rice::{Bits, bits, decompress, zeros};
use crate::params::{MOST, ParameterSet};

/// Algorithm 8; `None` where a coefficient is out of range, or the key too short for them. `q00` has the first half of the
/// coefficients.
pub(crate) fn public<P: ParameterSet>(q00: &[i16], q01: &[i16]) -> Option<Vec<u8>> {
    let mut bytes = vec![0; P::PUBLIC_KEY];
    let mut writer = Bits::new(&mut bytes);
    let extra = 16 - P::Q00.high;
    let mut q00 = q00.to_vec();
    let constant = q00[0];
    q00[0] = constant >> extra;
    writer.compress(&q00, P::Q00)?;
    writer.push(u32::from(constant.cast_unsigned()) & ((1 << extra) - 1), extra)?;
    writer.at = writer.at.next_multiple_of(8);
    writer.compress(q01, P::Q01)?;
    Some(bytes)
}

/// Algorithm 9: the first half of the coefficients of q00, and q01.
pub(crate) fn read_public<P: ParameterSet>(bytes: &[u8]) -> Option<(Vec<i16>, Vec<i16>)> {
    let (mut q00, mut q01) = (vec![0; P::N / 2], vec![0; P::N]);
    let end = decompress(bytes, &mut q00, P::Q00)?;
    let extra = 16 - P::Q00.high;
    q00[0] = (q00[0] << extra) | bits(bytes, end, extra)? as i16;
    let end = end + extra;
    let (before, rest) = bytes.split_at_checked(end.div_ceil(8))?;
    if !zeros(before, end) {
        return None;
    }
    let end = decompress(rest, &mut q01, P::Q01)?;
    zeros(rest, end).then_some((q00, q01))
}

/// Algorithm 10, of everything but the salt; `None` where the signature is too short, or a coefficient out of range.
pub(crate) fn signature<P: ParameterSet>(s1: &[i16], bytes: &mut [u8]) -> Option<()> {
    bytes.fill(0);
    Bits::new(bytes).compress(s1, P::S1)
}

/// Algorithm 11, of everything but the salt.
pub(crate) fn read_signature<P: ParameterSet>(bytes: &[u8]) -> Option<[i16; MOST]> {
    let mut s1 = [0; MOST];
    let end = decompress(bytes, &mut s1[..P::N], P::S1)?;
    zeros(bytes, end).then_some(s1)
}
