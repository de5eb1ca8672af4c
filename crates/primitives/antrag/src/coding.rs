//! Bytes of polynomials. The encodings are this crate's own: the authors have none.
//!
//! Bits are written one after another, the first of a byte being its highest, and a number's highest bit first.

use crate::params::{COMPRESSED, N, PUBLIC_KEY, Q, SECRET_KEY};

/// Bits that are written.
struct Writer<'a> {
    bytes: &'a mut [u8],
    /// Whole bytes that were written.
    at: usize,
    /// The last bits, and how many of them are not yet in `bytes`.
    last: u64,
    count: u32,
}

impl<'a> Writer<'a> {
    fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, at: 0, last: 0, count: 0 }
    }

    /// Writes the lowest `count` bits of a number that has no others, at most 32. Bits for which there is no room are
    /// lost.
    #[inline(always)]
    fn write(&mut self, number: u32, count: u32) {
        self.last = self.last << count | u64::from(number);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            if let Some(byte) = self.bytes.get_mut(self.at) {
                *byte = (self.last >> self.count) as u8;
            }
            self.at += 1;
        }
    }

    /// Fills the rest with zeros. Gives whether there was room for all bits.
    fn finish(mut self) -> bool {
        if self.count > 0 {
            self.write(0, 8 - self.count);
        }
        let fits = self.at <= self.bytes.len();
        if let Some(rest) = self.bytes.get_mut(self.at..) {
            rest.fill(0);
        }
        fits
    }
}

/// Bits that are read.
struct Reader<'a> {
    bytes: &'a [u8],
    /// The next bits, at the top, and how many they are.
    next: u64,
    count: u32,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, next: 0, count: 0 }
    }

    /// Sees to it that there are more than 56 bits, or all that are left. Behind the end there are zeros.
    #[inline(always)]
    fn refill(&mut self) {
        if let Some((word, _)) = self.bytes.split_first_chunk() {
            self.next |= u64::from_be_bytes(*word) >> self.count;
            let taken = (63 - self.count) / 8;
            self.bytes = &self.bytes[taken as usize..];
            self.count += 8 * taken;
        } else {
            while let ([byte, rest @ ..], true) = (self.bytes, self.count <= 56) {
                self.next |= u64::from(*byte) << (56 - self.count);
                self.bytes = rest;
                self.count += 8;
            }
        }
    }

    /// Reads a number of 1 to 32 bits; there have to be so many.
    #[inline(always)]
    fn read(&mut self, count: u32) -> Option<u32> {
        if self.count < count {
            return None;
        }
        let number = self.next >> (64 - count);
        self.next <<= count;
        self.count -= count;
        Some(number as u32)
    }
}

/// Bits of a coefficient of s₁ that are written as they are.
const LOW: u32 = 7;
/// The largest value of the other bits, which are written as so many zeros and a 1. Coefficients are below 2^11, more
/// than 12 σ.
const HIGH: u32 = 15;

/// Compresses s₁ as Falcon does (specification 1.2, algorithm 17): for each coefficient its sign, 1 if it is below 0, the
/// seven low bits of its absolute value, and as many zeros as the other bits say, followed by a 1; zeros fill up the rest.
/// Gives whether it fits.
pub(crate) fn compress(s1: &[i16; N], bytes: &mut [u8; COMPRESSED]) -> bool {
    let mut writer = Writer::new(bytes);
    let mut fits = true;
    for coefficient in s1 {
        let size = u32::from(coefficient.unsigned_abs());
        let high = size >> LOW;
        fits &= high <= HIGH;
        let sign = u32::from(*coefficient < 0) << LOW;
        writer.write((sign | size & ((1 << LOW) - 1)) << 1 | u32::from(high == 0), LOW + 2);
        if high > 0 {
            writer.write(1, high.min(HIGH));
        }
    }
    fits && writer.finish()
}

/// The opposite (algorithm 18). `None` for what [`compress`] does not give: a coefficient that is too large, -0, bits that
/// are missing, or a 1 behind the last coefficient.
pub(crate) fn decompress(bytes: &[u8; COMPRESSED]) -> Option<[i16; N]> {
    let mut reader = Reader::new(bytes);
    let mut s1 = [0; N];
    for coefficient in &mut s1 {
        reader.refill();
        let first = reader.read(LOW + 1)?;
        let high = reader.next.leading_zeros();
        if high > HIGH {
            return None;
        }
        reader.read(high + 1)?;
        let size = (high << LOW | first & ((1 << LOW) - 1)) as i16;
        let negative = first >> LOW == 1;
        if negative && size == 0 {
            return None;
        }
        *coefficient = if negative { -size } else { size };
    }
    (reader.next == 0 && reader.bytes.iter().all(|byte| *byte == 0)).then_some(s1)
}

/// Writes a public key: 14 bits for each coefficient, from 0 to q - 1.
pub(crate) fn encode_public(h: &[u16; N], bytes: &mut [u8; PUBLIC_KEY]) {
    let mut writer = Writer::new(bytes);
    for coefficient in h {
        writer.write(u32::from(*coefficient), 14);
    }
}

/// The opposite. `None` if a coefficient is q or more.
pub(crate) fn decode_public(bytes: &[u8; PUBLIC_KEY]) -> Option<[u16; N]> {
    let mut reader = Reader::new(bytes);
    let mut h = [0; N];
    for coefficient in &mut h {
        reader.refill();
        let number = reader.read(14)?;
        if number >= Q as u32 {
            return None;
        }
        *coefficient = number as u16;
    }
    Some(h)
}

/// Writes f and g with 6 bits for each coefficient, and F with 8, as numbers modulo 2^6 and 2^8. They have to be between
/// -31 and 31, and between -127 and 127.
pub(crate) fn encode_secret(f: &[i8; N], g: &[i8; N], big_f: &[i8; N], bytes: &mut [u8; SECRET_KEY]) {
    let mut writer = Writer::new(bytes);
    for (poly, bits) in [(f, 6), (g, 6), (big_f, 8)] {
        for coefficient in poly {
            writer.write(u32::from(*coefficient as u8) & ((1 << bits) - 1), bits);
        }
    }
}

/// The opposite: f, g and F. `None` if a coefficient is -32 or -128.
pub(crate) fn decode_secret(bytes: &[u8; SECRET_KEY]) -> Option<[[i8; N]; 3]> {
    let mut reader = Reader::new(bytes);
    let mut polys = [[0; N]; 3];
    for (poly, bits) in polys.iter_mut().zip([6, 6, 8]) {
        for coefficient in poly {
            reader.refill();
            let number = (reader.read(bits)? << (8 - bits)) as u8 as i8 >> (8 - bits);
            if number == -1 << (bits - 1) {
                return None;
            }
            *coefficient = number;
        }
    }
    Some(polys)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::prelude::*;

    /// A polynomial that is about as large as those of signatures.
    fn small() -> impl Strategy<Value = std::vec::Vec<i16>> {
        proptest::collection::vec((-170_i16..=170, -170_i16..=170).prop_map(|(a, b)| a + b), N)
    }

    proptest! {
        #[test]
        fn what_is_compressed_comes_back(s1 in small()) {
            let s1: [i16; N] = s1.try_into().unwrap();
            let mut bytes = [0xa5; COMPRESSED];
            prop_assert!(compress(&s1, &mut bytes));
            prop_assert_eq!(decompress(&bytes), Some(s1));
        }

        /// Any bytes at all: what is read is written as it was.
        #[test]
        fn whatever_is_read_is_written_as_it_was(
            compressed in proptest::collection::vec(any::<u8>(), COMPRESSED),
            ones in proptest::collection::vec(any::<u8>(), COMPRESSED),
            public in proptest::collection::vec(any::<u8>(), PUBLIC_KEY),
            secret in proptest::collection::vec(any::<u8>(), SECRET_KEY),
        ) {
            // With more ones there are less zeros in a row, and so more that can be read.
            let dense: std::vec::Vec<u8> = compressed.iter().zip(&ones).map(|(a, b)| a | b).collect();
            for bytes in [compressed, dense] {
                let bytes: [u8; COMPRESSED] = bytes.try_into().unwrap();
                if let Some(s1) = decompress(&bytes) {
                    let mut again = [0; COMPRESSED];
                    prop_assert!(compress(&s1, &mut again));
                    prop_assert_eq!(again, bytes);
                }
            }
            let mut public: [u8; PUBLIC_KEY] = public.try_into().unwrap();
            for read in 0..2 {
                if let Some(h) = decode_public(&public) {
                    let mut again = [0; PUBLIC_KEY];
                    encode_public(&h, &mut again);
                    prop_assert_eq!(again, public);
                } else {
                    prop_assert!(read == 0);
                }
                // Without the second bit of each coefficient all are below q.
                (0..N).for_each(|i| public[(14 * i + 1) / 8] &= !(0x80 >> ((14 * i + 1) % 8)));
            }
            let secret: [u8; SECRET_KEY] = secret.try_into().unwrap();
            if let Some([f, g, big_f]) = decode_secret(&secret) {
                let mut again = [0; SECRET_KEY];
                encode_secret(&f, &g, &big_f, &mut again);
                prop_assert_eq!(again, secret);
            }
        }

        /// What is decompressed is the only encoding of it.
        #[test]
        fn encodings_are_unique(s1 in small(), bit in 0..8 * COMPRESSED) {
            let s1: [i16; N] = s1.try_into().unwrap();
            let mut bytes = [0; COMPRESSED];
            compress(&s1, &mut bytes);
            bytes[bit / 8] ^= 0x80 >> (bit % 8);
            if let Some(other) = decompress(&bytes) {
                let mut again = [0; COMPRESSED];
                prop_assert!(compress(&other, &mut again));
                prop_assert_eq!(again, bytes);
                prop_assert_ne!(other, s1);
            }
        }

        #[test]
        fn keys_come_back(
            h in proptest::collection::vec(0..Q as u16, N),
            small in proptest::collection::vec(-31_i8..=31, 2 * N),
            large in proptest::collection::vec(-127_i8..=127, N),
        ) {
            let h: [u16; N] = h.try_into().unwrap();
            let mut bytes = [0; PUBLIC_KEY];
            encode_public(&h, &mut bytes);
            prop_assert_eq!(decode_public(&bytes), Some(h));
            let polys = [small[..N].try_into().unwrap(), small[N..].try_into().unwrap(), large.try_into().unwrap()];
            let mut bytes = [0; SECRET_KEY];
            encode_secret(&polys[0], &polys[1], &polys[2], &mut bytes);
            prop_assert_eq!(decode_secret(&bytes), Some(polys));
        }
    }

    /// Bits as the documentation has them, written by another hand: '0' and '1'.
    #[test]
    fn layout() {
        let mut text = std::string::String::new();
        let s1: [i16; N] = core::array::from_fn(|i| [0, 1, -1, 127, -128, 300, -5, 2][i % 8]);
        for s in s1 {
            text += if s < 0 { "1" } else { "0" };
            text += &std::format!("{:07b}", s.unsigned_abs() % 128);
            text += &"0".repeat(usize::from(s.unsigned_abs() / 128));
            text += "1";
        }
        let mut bytes = [0; COMPRESSED];
        assert!(compress(&s1, &mut bytes));
        let written: std::string::String = bytes.iter().map(|byte| std::format!("{byte:08b}")).collect();
        let (start, rest) = written.split_at(text.len());
        assert_eq!(start, text);
        assert!(rest.bytes().all(|bit| bit == b'0'));
    }

    #[test]
    fn what_nothing_gives_is_refused() {
        let mut bytes = [0; COMPRESSED];
        assert!(compress(&[0; N], &mut bytes));
        assert_eq!(decompress(&bytes), Some([0; N]));
        // The first coefficient as -0.
        let mut negative = bytes;
        negative[0] |= 0x80;
        assert_eq!(decompress(&negative), None);
        // Each bit behind the last coefficient: 512 times 9 bits are 576 bytes.
        for bit in 8 * 576..8 * COMPRESSED {
            let mut trailing = bytes;
            trailing[bit / 8] ^= 0x80 >> (bit % 8);
            assert_eq!(decompress(&trailing), None, "{bit}");
        }
        assert_eq!(decompress(&[0; COMPRESSED]), None);
        // All bits are used up before the last coefficient.
        assert_eq!(decompress(&[1; COMPRESSED]), None);
    }

    #[test]
    fn coefficients_that_are_too_large_are_not_compressed() {
        let mut bytes = [0; COMPRESSED];
        let mut s1 = [0; N];
        for (coefficient, fits) in
            [(2047, true), (-2047, true), (2048, false), (-2048, false), (i16::MIN, false)]
        {
            s1[511] = coefficient;
            assert_eq!(compress(&s1, &mut bytes), fits, "{coefficient}");
            assert!(!fits || decompress(&bytes) == Some(s1));
        }
        assert!(!compress(&[200; N], &mut bytes), "too long");
        // 16 zeros before the 1 are 2048 or more.
        s1[511] = 0;
        s1[0] = 2047;
        assert!(compress(&s1, &mut bytes));
        let mut longer = [0; COMPRESSED];
        longer[..3].copy_from_slice(&[bytes[0], 0, 0]);
        longer[3] = 0x80;
        assert_eq!(decompress(&longer), None);
    }

    #[test]
    fn key_coefficients_out_of_range_are_refused() {
        let mut h = [0; N];
        let mut bytes = [0; PUBLIC_KEY];
        for (coefficient, expected) in [(12288, true), (12289, false), (16383, false)] {
            h[100] = coefficient;
            encode_public(&h, &mut bytes);
            assert_eq!(decode_public(&bytes).is_some(), expected, "{coefficient}");
        }
        for (poly, least) in [(0, -32), (1, -32), (2, -128)] {
            let mut polys = [[0_i8; N]; 3];
            for (coefficient, expected) in [(least + 1, true), (least, false)] {
                polys[poly][300] = coefficient;
                let mut bytes = [0; SECRET_KEY];
                encode_secret(&polys[0], &polys[1], &polys[2], &mut bytes);
                assert_eq!(decode_secret(&bytes).is_some(), expected, "{poly} {coefficient}");
            }
        }
    }
}
