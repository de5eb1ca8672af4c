#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::vec::Vec;

use der::asn1::UintRef;
use der::{Decode, DecodeValue, Encode, EncodeValue, Header, Length, Reader, Sequence, Writer};

struct EcdsaSigValue<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

impl EncodeValue for EcdsaSigValue<'_> {
    fn value_len(&self) -> der::Result<Length> {
        self.r.encoded_len()? + self.s.encoded_len()?
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        self.r.encode(writer)?;
        self.s.encode(writer)
    }
}

impl<'a> DecodeValue<'a> for EcdsaSigValue<'a> {
    type Error = der::Error;

    fn decode_value<R: Reader<'a>>(reader: &mut R, _: Header) -> der::Result<Self> {
        Ok(EcdsaSigValue { r: reader.decode()?, s: reader.decode()? })
    }
}

impl<'a> Sequence<'a> for EcdsaSigValue<'a> {}

/// `r ‖ s` as DER; nothing unless the two halves are equally long, and not empty.
#[must_use]
pub fn to_der(fixed: &[u8]) -> Option<Vec<u8>> {
    if fixed.is_empty() || !fixed.len().is_multiple_of(2) {
        return None;
    }
    let (r, s) = fixed.split_at(fixed.len() / 2);
    EcdsaSigValue { r: UintRef::new(r).ok()?, s: UintRef::new(s).ok()? }.to_der().ok()
}

/// DER as `r ‖ s` of `width` bytes each; nothing if it is not exactly one DER value of two such numbers.
#[must_use]
pub fn to_fixed(der: &[u8], width: usize) -> Option<Vec<u8>> {
    let EcdsaSigValue { r, s } = EcdsaSigValue::from_der(der).ok()?;
    let mut fixed = Vec::with_capacity(2 * width);
    for number in [r, s] {
        let padding = width.checked_sub(number.as_bytes().len())?;
        fixed.resize(fixed.len() + padding, 0);
        fixed.extend_from_slice(number.as_bytes());
    }
    Some(fixed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// r = 1 and s = 2^15 + 1, whose first bit asks for a leading zero (X.690, section 8.3).
    const DER: [u8; 10] = [0x30, 8, 2, 1, 1, 2, 3, 0, 0x80, 1];

    #[test]
    fn two_numbers_as_der_and_back() {
        let fixed = [0, 0, 1, 0, 0x80, 1];
        assert_eq!(to_der(&fixed).unwrap(), DER);
        assert_eq!(to_fixed(&DER, 3).unwrap(), fixed);
        assert_eq!(to_fixed(&DER, 1), None, "s does not fit into one byte");
        assert_eq!((to_der(&[]), to_der(&[1, 2, 3])), (None, None));
    }

    #[test]
    fn der_alone_is_accepted() {
        assert_eq!(to_fixed(&[&DER[..], &[0]].concat(), 3), None, "bytes after the end");
        assert_eq!(to_fixed(&DER[..9], 3), None, "a cut");
        assert_eq!(to_fixed(&[0x30, 7, 2, 1, 1, 2, 2, 0x80, 1], 3), None, "a negative number");
        assert_eq!(to_fixed(&[0x30, 9, 2, 2, 0, 1, 2, 3, 0, 0x80, 1], 3), None, "a zero too many");
        assert_eq!(to_fixed(&[0x30, 0x81, 8, 2, 1, 1, 2, 3, 0, 0x80, 1], 3), None, "a long length");
        assert_eq!(to_fixed(&[0x30, 11, 2, 1, 1, 2, 3, 0, 0x80, 1, 2, 1, 1], 3), None, "three numbers");
    }

    proptest! {
        #[test]
        fn every_signature_survives(fixed in prop::collection::vec(any::<u8>(), 1..70)) {
            let fixed = [&fixed[..], &fixed].concat();
            prop_assert_eq!(to_fixed(&to_der(&fixed).unwrap(), fixed.len() / 2), Some(fixed));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), width in 0_usize..70) {
            let _ = (to_fixed(&bytes, width), to_der(&bytes));
        }
    }
}
