//! The ways in which a master key is mistyped, misread, or cut to the size of a field.

use data_encoding::{BASE64, HEXLOWER, HEXUPPER};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::verify::from_hex;

/// What Cisco's type 7 adds to a secret, byte by byte. It is public, and hides nothing.
const TYPE_7: &[u8; 53] = b"dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87";

/// The numbers that stand in front of a type 7 text: where its first byte begins in [`TYPE_7`]. IOS takes the first 16.
pub(super) const TYPE_7_SEEDS: u8 = 16;

/// Sizes of fields: a key of AES-128; one block of SHA-1 or SHA-256, and FortiOS's field; Linux's (`TCP_AO_MAXKEYLEN`).
pub(super) const SIZES: [u8; 3] = [16, 64, 80];

/// How a master key can be mistyped or misread; printed, the end of a sentence that begins with “the master key”.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum OtherKey {
    #[error("has a zero byte after it")]
    TrailingNul,
    #[error("has a blank after it")]
    TrailingBlank,
    #[error("has a line feed after it")]
    TrailingLineFeed,
    #[error("has a carriage return and a line feed after it")]
    TrailingCrLf,
    /// Without the zero bytes, line ends and blanks behind it.
    #[error("ends before its trailing blanks, line ends and zero bytes")]
    Trimmed,
    /// Its hexadecimal text, in lower case, as if that were the key.
    #[error("is the hexadecimal text itself")]
    HexText,
    #[error("is the hexadecimal text itself, in upper case")]
    UpperHexText,
    /// The same with `0x` in front.
    #[error("is the hexadecimal text itself, with 0x in front")]
    PrefixedHexText,
    #[error("is what its text means in hexadecimal")]
    FromHexText,
    #[error("has quotation marks around it")]
    Quoted,
    #[error("has no quotation marks around it")]
    Unquoted,
    /// Its base64 text, as if that were the key.
    #[error("is the base64 text itself")]
    Base64Text,
    #[error("is what its text means in base64")]
    FromBase64Text,
    /// Its text in Cisco's type 7, as if that were the key, with this number in front.
    #[error("is its type 7 text itself ({0:02}…)")]
    Type7Text(u8),
    /// The text that it hides in Cisco's type 7.
    #[error("is what its type 7 text hides")]
    FromType7Text,
    /// Cut off at, or filled up with zero bytes to, so many: fields of a fixed size.
    #[error("is cut off at, or filled up with zero bytes to, {0} bytes")]
    Sized(u8),
}

impl OtherKey {
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::TrailingNul | Self::TrailingBlank | Self::TrailingLineFeed | Self::TrailingCrLf => {
                "The sender counts the end of the text as part of the key; enter the key there without it."
            }
            Self::Quoted => {
                "The sender counts the quotation marks as part of the key; enter it there without them."
            }
            Self::Unquoted => "The quotation marks are not part of the key; enter it here without them.",
            Self::Base64Text => {
                "The sender took the base64 text for the key; enter the bytes that it means there, or the text here."
            }
            Self::FromBase64Text => {
                "This key is base64 text that was taken as it is; enter the bytes that it means."
            }
            Self::Type7Text(_) => {
                "The sender took a type 7 text for the secret itself; mark it there as type 7 (Cisco: key-string 7)."
            }
            Self::FromType7Text => "This key is a type 7 text; enter the secret that it hides.",
            Self::Trimmed => "This key ends in bytes that are not part of it; enter it without them.",
            Self::HexText | Self::UpperHexText | Self::PrefixedHexText => {
                "The sender took the hexadecimal digits themselves for the key; mark them there as hexadecimal."
            }
            Self::FromHexText => {
                "This key is hexadecimal text that was taken as it is; enter the bytes that it means."
            }
            Self::Sized(_) => {
                "The sender keeps the key in a field of this size; use a key of at most that length, or set its length \
                 there."
            }
        }
    }
}

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
