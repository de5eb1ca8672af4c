//! What PKCS #1 keys are in DER: a SEQUENCE of unsigned INTEGERs (RFC 8017, appendix A.1).

use der::asn1::UintRef;
use der::{Decode as _, Encode as _};
use zeroize::Zeroizing;

/// The integers of a SEQUENCE, big endian without leading zeros (zero itself is empty); `None` for anything else.
pub(super) fn integers(der: &[u8]) -> Option<Vec<&[u8]>> {
    let integers = Vec::<UintRef<'_>>::from_der(der).ok()?;
    Some(integers.into_iter().map(|integer| trimmed(integer.as_bytes())).collect())
}

/// A SEQUENCE of these unsigned integers; `None` if it is longer than DER can say. It may hold a secret key, so it wipes itself.
pub(super) fn sequence(integers: &[&[u8]]) -> Option<Zeroizing<Vec<u8>>> {
    let integers = integers.iter().map(|integer| unsigned(integer)).collect::<Option<Vec<_>>>()?;
    // As long as it has to be from the beginning: a vector that grew would leave copies behind.
    let mut out = Zeroizing::new(vec![0; u32::from(integers.encoded_len().ok()?) as usize]);
    integers.encode_to_slice(&mut out).ok()?;
    Some(out)
}

/// An integer as DER has it, which gives zero an octet.
fn unsigned(octets: &[u8]) -> Option<UintRef<'_>> {
    UintRef::new(if octets.is_empty() { &[0] } else { octets }).ok()
}

pub(super) fn trimmed(integer: &[u8]) -> &[u8] {
    let zeros = integer.iter().take_while(|octet| **octet == 0).count();
    &integer[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let long = vec![0x90; 300];
        let given: [&[u8]; 5] = [&[], &[1], &[0x80], &[0x7f, 0], &long];
        let der = sequence(&given).unwrap();
        assert_eq!(integers(&der).unwrap(), given);
        assert_eq!(*sequence(&[&[0, 0, 3]]).unwrap(), [0x30, 3, 2, 1, 3]);
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for bad in [
            &[][..],
            &[0x30],
            &[0x30, 1],
            &[0x30, 0, 0],
            &[0x30, 2, 2, 0],
            &[0x30, 3, 2, 1, 0x80],
            &[0x31, 0],
        ] {
            assert_eq!(integers(bad), None, "{bad:?}");
        }
    }
}
