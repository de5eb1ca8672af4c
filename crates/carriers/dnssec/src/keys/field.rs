//! The Public Key field of DNSKEY, and how implementations write public keys.

use fieldtest_kinds::signature::PublicKeyForm;

use super::der;

/// Why a key of a form that was added to [`PublicKeyForm`] since is not translated.
const UNKNOWN_FORM: &str =
    "the implementation writes public keys in a format that cannot be converted to DNSKEY records";
/// Of an RSA key that no DER can hold.
pub(super) const TOO_LONG: &str = "the key is too long for DER";

/// An implementation's public key as the field holds it; what is wrong with the key otherwise.
pub(super) fn from_public(form: PublicKeyForm, public: &[u8]) -> Result<Vec<u8>, String> {
    match form {
        PublicKeyForm::Plain | PublicKeyForm::EcPoint => Ok(public.to_vec()),
        PublicKeyForm::RsaPkcs1 => {
            let integers = der::integers(public);
            let Some([modulus, exponent]) = integers.as_deref() else {
                return Err("the implementation's public key is not a PKCS #1 RSAPublicKey".into());
            };
            // RFC 3110, section 2: one octet for the exponent's length, or a zero and two.
            let mut field = Vec::with_capacity(3 + exponent.len() + modulus.len());
            match u8::try_from(exponent.len()) {
                Ok(0) => return Err("an RSA public exponent of zero".into()),
                Ok(len) => field.push(len),
                Err(_) => {
                    let len = u16::try_from(exponent.len())
                        .map_err(|_| "an RSA public exponent of more than 65,535 bytes")?;
                    field.push(0);
                    field.extend_from_slice(&len.to_be_bytes());
                }
            }
            field.extend_from_slice(exponent);
            field.extend_from_slice(modulus);
            Ok(field)
        }
        _ => Err(UNKNOWN_FORM.into()),
    }
}

/// The field's key in the form that an implementation takes; what is wrong with the field otherwise.
pub(crate) fn to_public(form: PublicKeyForm, field: &[u8]) -> Result<Vec<u8>, String> {
    match form {
        PublicKeyForm::Plain | PublicKeyForm::EcPoint => Ok(field.to_vec()),
        PublicKeyForm::RsaPkcs1 => {
            let (exponent, modulus) =
                rsa_parts(field).ok_or("the public key is not an RSA key in the format of RFC 3110")?;
            let public = der::sequence(&[modulus, exponent]).ok_or(TOO_LONG)?;
            Ok(public.to_vec())
        }
        _ => Err(UNKNOWN_FORM.into()),
    }
}

fn rsa_parts(field: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = match field {
        [0, high, low, rest @ ..] => (usize::from(u16::from_be_bytes([*high, *low])), rest),
        [len, rest @ ..] => (usize::from(*len), rest),
        [] => return None,
    };
    let (exponent, modulus) = rest.split_at_checked(len)?;
    let (exponent, modulus) = (der::trimmed(exponent), der::trimmed(modulus));
    (!exponent.is_empty() && !modulus.is_empty()).then_some((exponent, modulus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rsa_round_trips() {
        for exponent in [vec![1u8, 0, 1], vec![9; 300]] {
            let der = der::sequence(&[&[0xff; 256], &exponent]).unwrap();
            let field = from_public(PublicKeyForm::RsaPkcs1, &der).unwrap();
            assert_eq!(field.len(), 256 + exponent.len() + if exponent.len() < 256 { 1 } else { 3 });
            assert_eq!(to_public(PublicKeyForm::RsaPkcs1, &field).unwrap(), *der);
        }
    }

    #[test]
    fn refuses_malformed_rsa() {
        for bad in [&[][..], &[0], &[0, 0, 0], &[3, 1, 0, 1], &[9, 1], &[1, 0, 7]] {
            assert!(to_public(PublicKeyForm::RsaPkcs1, bad).is_err(), "{bad:?}");
        }
        assert!(from_public(PublicKeyForm::RsaPkcs1, b"none").is_err());
    }
}
