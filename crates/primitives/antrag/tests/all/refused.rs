//! What has to be refused.

use fieldtest_antrag::{
    InvalidKey, InvalidSignature, PUBLIC_KEY, SALT, SECRET_KEY, SIGNATURE, SignError, SigningKey,
    VerifyingKey,
};

#[test]
fn wrong_lengths() {
    let key = SigningKey::from_seed(&[1; 32]);
    for given in [0, PUBLIC_KEY - 1, PUBLIC_KEY + 1] {
        let expected = InvalidKey::Length { given, expected: PUBLIC_KEY };
        assert_eq!(VerifyingKey::new(&vec![0; given]).unwrap_err(), expected);
    }
    for given in [0, SECRET_KEY - 1, SECRET_KEY + 1] {
        let expected = InvalidKey::Length { given, expected: SECRET_KEY };
        assert_eq!(SigningKey::from_bytes(&vec![0; given]).unwrap_err(), expected);
    }
    let mut signature = [0; SIGNATURE];
    key.sign(b"", &[0; 32], &mut signature).unwrap();
    let public = VerifyingKey::new(key.public_key()).unwrap();
    public.verify(b"", &signature).unwrap();
    for given in [0, SALT, SIGNATURE - 1, SIGNATURE + 1] {
        let mut place = vec![7; given];
        let expected = Err(SignError::Place { given, expected: SIGNATURE });
        assert_eq!(key.sign(b"", &[0; 32], &mut place), expected);
        assert_eq!(place, vec![7; given], "untouched");
        let mut other = signature.to_vec();
        other.resize(given, 0);
        assert_eq!(public.verify(b"", &other), Err(InvalidSignature));
    }
}

/// Salt, coefficients and what fills up the rest: no bit can be changed.
#[test]
fn every_bit_of_a_signature_counts() {
    let key = SigningKey::from_seed(&[2; 32]);
    let public = VerifyingKey::new(key.public_key()).unwrap();
    let mut signature = [0; SIGNATURE];
    key.sign(b"message", &[0; 32], &mut signature).unwrap();
    for bit in 0..8 * SIGNATURE {
        signature[bit / 8] ^= 0x80 >> (bit % 8);
        assert_eq!(public.verify(b"message", &signature), Err(InvalidSignature), "{bit}");
        signature[bit / 8] ^= 0x80 >> (bit % 8);
    }
    public.verify(b"message", &signature).unwrap();
    assert_eq!(public.verify(b"massage", &signature), Err(InvalidSignature));
}

/// A short s₁ alone is no signature: s₁ = 0 leaves the message's polynomial as it is.
#[test]
fn vectors_that_are_too_long() {
    let key = SigningKey::from_seed(&[2; 32]);
    let public = VerifyingKey::new(key.public_key()).unwrap();
    let mut signature = [0; SIGNATURE];
    // 512 times 00000000 1.
    for coefficient in 0..512 {
        let bit = 8 * SALT + 9 * coefficient + 8;
        signature[bit / 8] |= 0x80 >> (bit % 8);
    }
    assert_eq!(public.verify(b"message", &signature), Err(InvalidSignature));
}

#[test]
fn public_keys_with_coefficients_of_q_and_more() {
    let mut bytes = *SigningKey::from_seed(&[3; 32]).public_key();
    VerifyingKey::new(&bytes).unwrap();
    // The first 14 bits: 12288, then 12289, then all.
    for (first, second, fits) in [(0xc0, 0x00, true), (0xc0, 0x04, false), (0xff, 0xfc, false)] {
        bytes[0] = first;
        bytes[1] = bytes[1] & 3 | second;
        assert_eq!(VerifyingKey::new(&bytes).err(), (!fits).then_some(InvalidKey::Coefficient));
    }
}

#[test]
fn secret_keys_that_are_damaged() {
    let key = SigningKey::from_seed(&[4; 32]);
    let bytes = key.to_bytes();
    let read = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = bytes.to_vec();
        change(&mut bytes);
        SigningKey::from_bytes(&bytes).map(drop)
    };
    assert_eq!(read(&|_| ()), Ok(()));
    // -32 in f or g, -128 in F.
    assert_eq!(read(&|bytes| bytes[0] = bytes[0] & 3 | 0x80), Err(InvalidKey::Coefficient));
    assert_eq!(read(&|bytes| bytes[384] = bytes[384] & 3 | 0x80), Err(InvalidKey::Coefficient));
    assert_eq!(read(&|bytes| bytes[768] = 0x80), Err(InvalidKey::Coefficient));
    // f and g that are too long, or nothing.
    assert_eq!(read(&|bytes| bytes[0] = bytes[0] & 3 | 0x7c), Err(InvalidKey::Quality));
    assert_eq!(read(&|bytes| bytes[..768].fill(0)), Err(InvalidKey::Quality));
    // F that belongs to no G, and that of another key.
    assert_eq!(read(&|bytes| bytes[768..].fill(0)), Err(InvalidKey::Inconsistent));
    assert_eq!(read(&|bytes| bytes[1000] ^= 1), Err(InvalidKey::Inconsistent));
    let other = SigningKey::from_seed(&[5; 32]).to_bytes();
    assert_eq!(read(&|bytes| bytes[768..].copy_from_slice(&other[768..])), Err(InvalidKey::Inconsistent));
    // (-F, -G) has the determinant -q.
    let negative = |bytes: &mut [u8]| bytes[768..].iter_mut().for_each(|byte| *byte = byte.wrapping_neg());
    assert_eq!(read(&negative), Err(InvalidKey::Inconsistent));
}

#[test]
fn secrets_are_not_printed() {
    let text = format!("{:?}", SigningKey::from_seed(&[6; 32]));
    assert!(text.starts_with("SigningKey { path: Path(") && text.ends_with("), .. }"), "{text}");
}
