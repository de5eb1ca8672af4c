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
    #[inline(always)] // for each code that there is
    pub(crate) fn compress(&mut self, coefficients: &[i16], code: Code) -> Option<()> {
        let start = self.at / 8;
        let (signs, rest) = self.bytes.get_mut(start..)?.split_at_mut_checked(coefficients.len() / 8)?;
        let (lows, unary) = rest.split_at_mut_checked(coefficients.len() * code.low / 8)?;
        let groups = coefficients.as_chunks::<8>().0.iter();
        for ((group, sign), low) in groups.zip(signs).zip(lows.chunks_exact_mut(code.low)) {
            let mut halves = [0_u64; 2];
            for (at, c) in group.iter().enumerate() {
                *sign |= u8::from(*c < 0) << at;
                let bits = u64::from(magnitude(*c) & ((1 << code.low) - 1));
                halves[at / 4] |= bits << (code.low * (at % 4));
            }
            let word = u128::from(halves[0]) | u128::from(halves[1]) << (4 * code.low);
            low.copy_from_slice(&word.to_le_bytes()[..code.low]);
        }
        if coefficients.iter().fold(0, |all, c| all | magnitude(*c)) >> code.high != 0 {
            return None;
        }
        // Bits that wait for their bytes, up to 7 and those of two numbers, and how many.
        let (mut word, mut waiting, mut at) = (0_u64, 0, 0);
        for pair in coefficients.as_chunks::<2>().0 {
            for c in pair {
                waiting += u32::from(magnitude(*c) >> code.low);
                word |= 1 << waiting;
                waiting += 1;
            }
            // Written again with the next pair where a byte is not full, so that nothing depends on how many are.
            let place = unary.get_mut(at..)?;
            match place.first_chunk_mut() {
                Some(eight) => *eight = word.to_le_bytes(),
                None => {
                    let count = waiting.div_ceil(8) as usize;
                    place.get_mut(..count)?.copy_from_slice(&word.to_le_bytes()[..count]);
                }
            }
            (word, at, waiting) = (word >> (waiting & !7), at + waiting as usize / 8, waiting % 8);
        }
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
#[inline(always)] // for each code that there is
pub(crate) fn decompress(bytes: &[u8], coefficients: &mut [i16], code: Code) -> Option<usize> {
    let count = coefficients.len();
    let (signs, rest) = bytes.split_at_checked(count / 8)?;
    let (lows, unary) = rest.split_at_checked(count * code.low / 8)?;
    let bits = ones(unary, coefficients, 1 << (code.high - code.low))?;
    let groups = coefficients.as_chunks_mut::<8>().0.iter_mut().zip(signs);
    for ((group, signs), lows) in groups.zip(lows.chunks_exact(code.low)) {
        let mut word = [0; 16];
        word[..code.low].copy_from_slice(lows);
        let word = u128::from_le_bytes(word);
        let halves = [word as u64, (word >> (4 * code.low)) as u64];
        for (number, c) in group.iter_mut().enumerate() {
            let low = (halves[number / 4] >> (code.low * (number % 4))) as i16 & ((1 << code.low) - 1);
            *c = (low | *c << code.low) ^ -i16::from(signs >> number & 1);
        }
    }
    Some(count / 8 * 8 + count * code.low + bits)
}

/// How many zeros are before each one, for as many ones as there is room for, and where the last ends; `None` where there
/// are `limit` zeros, or too few ones. Word by word, so that reading one number need not wait for the one before.
fn ones(bytes: &[u8], counts: &mut [i16], limit: usize) -> Option<usize> {
    let mut counts = counts.iter_mut();
    let mut count = counts.next()?;
    let mut end = 0;
    for (number, bytes) in bytes.chunks(8).enumerate() {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        let mut word = u64::from_le_bytes(eight);
        while word != 0 {
            let at = 64 * number + word.trailing_zeros() as usize;
            let zeros = at - end;
            if zeros >= limit {
                return None;
            }
            *count = zeros as i16;
            end = at + 1;
            let Some(next) = counts.next() else { return Some(end) };
            count = next;
            word &= word - 1;
        }
    }
    None
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
