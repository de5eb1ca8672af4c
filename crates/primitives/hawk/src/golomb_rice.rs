//! Golomb's and Rice's code of polynomials (algorithms 6 and 7): all signs, then the lowest bits of all, then how often the
//! rest is 2^low, in unary.

use crate::params::Code;

/// Appends bits, lowest first, to bytes that are zero.
pub(crate) struct Bits<'a> {
    bytes: &'a mut [u8],
    /// Bits written so far; polynomials begin at whole bytes.
    pub(crate) at: usize,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        Bits { bytes, at: 0 }
    }

    /// Writes up to 16 bits; `None` where they do not fit.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: u32, count: usize) -> Option<()> {
        let end = self.at + count;
        if end > 8 * self.bytes.len() {
            return None;
        }
        let shifted = value << (self.at % 8);
        let place = &mut self.bytes[self.at / 8..];
        match place.first_chunk_mut() {
            Some(four) => *four = (u32::from_le_bytes(*four) | shifted).to_le_bytes(),
            None => place.iter_mut().zip(shifted.to_le_bytes()).for_each(|(byte, part)| *byte |= part),
        }
        self.at = end;
        Some(())
    }

    /// Algorithm 6; `None` where a coefficient is out of range, or the place too short.
    pub(crate) fn compress(&mut self, coefficients: &[i16], code: Code) -> Option<()> {
        let start = self.at / 8;
        let (signs, rest) = self.bytes.get_mut(start..)?.split_at_mut_checked(coefficients.len() / 8)?;
        let (lows, unary) = rest.split_at_mut_checked(coefficients.len() * code.low / 8)?;
        let groups = coefficients.as_chunks::<8>().0.iter();
        for ((group, sign), low) in groups.zip(signs).zip(lows.chunks_exact_mut(code.low)) {
            let mut word = 0;
            for (at, c) in group.iter().enumerate() {
                *sign |= u8::from(*c < 0) << at;
                word |= u128::from(magnitude(*c) & ((1 << code.low) - 1)) << (code.low * at);
            }
            low.copy_from_slice(&word.to_le_bytes()[..code.low]);
        }
        // Bits that wait for their bytes, and how many.
        let (mut word, mut waiting, mut at) = (0_u64, 0, 0);
        for c in coefficients {
            let magnitude = magnitude(*c);
            if magnitude >> code.high != 0 {
                return None;
            }
            waiting += u32::from(magnitude >> code.low);
            word |= 1 << waiting;
            waiting += 1;
            if waiting >= 32 {
                *unary.get_mut(at..)?.first_chunk_mut()? = (word as u32).to_le_bytes();
                (word, waiting, at) = (word >> 32, waiting - 32, at + 4);
            }
        }
        let last = waiting.div_ceil(8) as usize;
        unary.get_mut(at..at + last)?.copy_from_slice(&word.to_le_bytes()[..last]);
        self.at = 8 * (start + coefficients.len() / 8 * (1 + code.low) + at) + waiting as usize;
        Some(())
    }
}

/// A number, or its complement where it is negative.
fn magnitude(c: i16) -> u16 {
    (c ^ (c >> 15)).cast_unsigned()
}

/// Algorithm 7: fills `coefficients` and gives how many bits were read; `None` where a coefficient is out of range, or the
/// bytes end too early. Their number is a multiple of 8.
pub(crate) fn decompress(bytes: &[u8], coefficients: &mut [i16], code: Code) -> Option<usize> {
    let count = coefficients.len();
    let (signs, rest) = bytes.split_at_checked(count / 8)?;
    let (lows, unary) = rest.split_at_checked(count * code.low / 8)?;
    let mut at = 0;
    let rests = 1 << (code.high - code.low);
    let groups = coefficients.as_chunks_mut::<8>().0.iter_mut().zip(signs);
    for ((group, signs), lows) in groups.zip(lows.chunks_exact(code.low)) {
        let mut word = [0; 16];
        word[..code.low].copy_from_slice(lows);
        let word = u128::from_le_bytes(word);
        for (number, c) in group.iter_mut().enumerate() {
            let low = (word >> (code.low * number)) as u16 & ((1 << code.low) - 1);
            let window = window(unary, at / 8) >> (at % 8);
            let zeros = window.trailing_zeros();
            at += zeros as usize + 1;
            // Beyond the end there are only zeros.
            if zeros >= rests {
                return None;
            }
            let value = (low | (zeros as u16) << code.low).cast_signed();
            *c = value ^ -i16::from(signs >> number & 1);
        }
    }
    Some(count / 8 * 8 + count * code.low + at)
}

/// Four bytes from a place on, and zeros behind the end.
fn window(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(four) => u32::from_le_bytes([four[0], four[1], four[2], four[3]]),
        None => {
            let mut four = [0; 4];
            for (to, from) in four.iter_mut().zip(bytes.get(at..).unwrap_or_default()) {
                *to = *from;
            }
            u32::from_le_bytes(four)
        }
    }
}

/// The bits from `at` on, up to 16 of them; `None` beyond the end.
pub(crate) fn bits(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    (at + count <= 8 * bytes.len()).then(|| window(bytes, at / 8) >> (at % 8) & ((1 << count) - 1))
}

/// Whether all bits from `at` on are zero.
pub(crate) fn zeros(bytes: &[u8], at: usize) -> bool {
    let Some((first, rest)) = bytes.get(at / 8..).and_then(<[u8]>::split_first) else { return true };
    *first >> (at % 8) == 0 && rest.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    const CODE: Code = Code { low: 5, high: 9 };

    proptest! {
        #[test]
        fn what_was_compressed_comes_back(coefficients in prop::collection::vec(-512_i16..512, 256), shift in 0..2) {
            let code = if shift == 0 { CODE } else { Code { low: 6, high: 10 } };
            let mut bytes = vec![0; 1200];
            let mut bits = Bits::new(&mut bytes);
            bits.compress(&coefficients, code).unwrap();
            let length = bits.at;
            let mut decoded = vec![0; 256];
            prop_assert_eq!(decompress(&bytes, &mut decoded, code), Some(length));
            prop_assert_eq!(&decoded, &coefficients);
            // Exactly as many bytes suffice, and no fewer.
            let used = length.div_ceil(8);
            prop_assert_eq!(decompress(&bytes[..used], &mut decoded, code), Some(length));
            for shorter in [0, 1, 31, 32, used / 2, used - 1] {
                prop_assert_eq!(decompress(&bytes[..shorter], &mut decoded, code), None);
                prop_assert!(Bits::new(&mut vec![0; shorter]).compress(&coefficients, code).is_none());
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let mut coefficients: Vec<i16> = vec![0; 256];
        for (value, fits) in
            [(511, true), (512, false), (-512, true), (-513, false), (i16::MAX, false), (i16::MIN, false)]
        {
            coefficients[100] = value;
            let mut bytes = vec![0; 2000];
            assert_eq!(Bits::new(&mut bytes).compress(&coefficients, CODE).is_some(), fits, "{value}");
        }
        // Sixteen zeros: one more than a number of nine bits can have.
        let mut bytes = vec![0xff; 400];
        let start = 256 / 8 * 6;
        (bytes[start], bytes[start + 1]) = (0, 0x80);
        assert!(decompress(&bytes, &mut coefficients, CODE).is_some());
        (bytes[start + 1], bytes[start + 2]) = (0, 0xff);
        assert!(decompress(&bytes, &mut coefficients, CODE).is_none());
    }
}
