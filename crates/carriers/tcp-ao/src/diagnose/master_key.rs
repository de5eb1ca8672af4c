//! The ways in which a master key is mistyped, misread, or cut to the size of a field.

use data_encoding::{BASE64, HEXLOWER, HEXUPPER};
use zeroize::Zeroizing;

use super::fault::OtherKey;
use crate::verify::from_hex;

/// What Cisco's type 7 adds to a secret, byte by byte. It is public, and hides nothing.
const TYPE_7: &[u8; 53] = b"dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87";

/// The numbers that stand in front of a type 7 text: where its first byte begins in [`TYPE_7`]. IOS takes the first 16.
pub(super) const TYPE_7_SEEDS: u8 = 16;

/// Sizes of fields: a key of AES-128; one block of SHA-1 or SHA-256, and FortiOS's field; Linux's (`TCP_AO_MAXKEYLEN`).
pub(super) const SIZES: [u8; 3] = [16, 64, 80];

/// The other key, if it is another.
pub(super) fn other_key(key: &[u8], other: OtherKey) -> Option<Zeroizing<Vec<u8>>> {
    let other = Zeroizing::new(match other {
        OtherKey::TrailingNul => [key, b"\0"].concat(),
        OtherKey::TrailingBlank => [key, b" "].concat(),
        OtherKey::TrailingLineFeed => [key, b"\n"].concat(),
        OtherKey::TrailingCrLf => [key, b"\r\n"].concat(),
        OtherKey::Trimmed => {
            let end = key.iter().rposition(|byte| !matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n'));
            key.get(..=end?)?.to_vec()
        }
        OtherKey::HexText => HEXLOWER.encode(key).into_bytes(),
        OtherKey::UpperHexText => HEXUPPER.encode(key).into_bytes(),
        OtherKey::PrefixedHexText => [b"0x".to_vec(), HEXLOWER.encode(key).into_bytes()].concat(),
        OtherKey::FromHexText => from_hex(key.strip_prefix(b"0x").unwrap_or(key))?,
        OtherKey::Quoted => [b"\"", key, b"\""].concat(),
        OtherKey::Unquoted => match key {
            [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner.to_vec(),
            _ => return None,
        },
        OtherKey::Base64Text => BASE64.encode(key).into_bytes(),
        OtherKey::FromBase64Text => BASE64.decode(key).ok()?,
        OtherKey::Type7Text(seed) => format!("{seed:02}{}", HEXUPPER.encode(&type_7(key, seed))).into_bytes(),
        OtherKey::FromType7Text => {
            let (seed, text) = key.split_at_checked(2)?;
            let seed = std::str::from_utf8(seed).ok()?.parse().ok()?;
            type_7(&from_hex(text)?, seed)
        }
        OtherKey::Sized(size) => {
            let mut sized = key.to_vec();
            sized.resize(usize::from(size), 0);
            sized
        }
    });
    (other.as_slice() != key).then_some(other)
}

/// A secret that type 7 hides, or shows: the same either way.
fn type_7(bytes: &[u8], seed: u8) -> Vec<u8> {
    let mask = TYPE_7.iter().cycle().skip(seed.into());
    bytes.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one end does to a key, the other can undo.
    #[test]
    fn forms_are_undone() {
        for key in [&b"s"[..], b"se", b"sec", b"secret, and longer than that"] {
            for (there, back) in [
                (OtherKey::Base64Text, OtherKey::FromBase64Text),
                (OtherKey::HexText, OtherKey::FromHexText),
                (OtherKey::PrefixedHexText, OtherKey::FromHexText),
                (OtherKey::Quoted, OtherKey::Unquoted),
                (OtherKey::TrailingBlank, OtherKey::Trimmed),
                (OtherKey::Type7Text(0), OtherKey::FromType7Text),
                (OtherKey::Type7Text(15), OtherKey::FromType7Text),
            ] {
                let other = other_key(key, there).expect("another key");
                assert_eq!(*other_key(&other, back).expect("the key"), key, "{there:?}");
            }
        }
        let known = |key: &[u8], form| other_key(key, form).map(|key| key.to_vec());
        assert_eq!(known(b"secret", OtherKey::Base64Text).as_deref(), Some(&b"c2VjcmV0"[..]));
        assert_eq!(known(b"cisco", OtherKey::Type7Text(2)).as_deref(), Some(&b"02050D480809"[..]));
        assert_eq!(known(b"abc", OtherKey::Sized(2)).as_deref(), Some(&b"ab"[..]));
    }
}
