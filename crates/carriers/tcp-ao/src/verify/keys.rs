//! The keys that a capture is verified with.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use fieldtest_kinds::mac::{Mac, MacKey};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::context::Context;
use crate::message::Coverage;
use crate::mkt::{Prefix, PrefixError};
use crate::option::MAX_MAC;
use crate::pair::SocketPair;

/// What is wrong with a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum KeyError {
    /// Fewer than three parts.
    #[error(
        "invalid key '{0}': expected ID:ALGORITHM:HEX[:exclude-options][:maclen=N][:ADDRESS[/PREFIX],…], or text:SECRET instead \
         of HEX, such as 61:hmac-sha1-96:0123abcd"
    )]
    Parts(String),
    #[error("invalid KeyID '{0}': expected 0 to 255, such as 61:hmac-sha1-96:0123abcd")]
    Id(String),
    /// The master key is no hexadecimal text. It is not repeated here.
    #[error(
        "invalid master key of KeyID {0}: expected hexadecimal digits 0-9 and a-f; for a key that is typed as text at the \
         other end, write text: before it"
    )]
    Hex(u8),
    /// A digit is missing or too many. They are not repeated here.
    #[error(
        "invalid master key of KeyID {id}: expected an even number of hexadecimal digits, not {digits}; for a key that is \
         typed as text at the other end, write text: before it"
    )]
    OddHex { id: u8, digits: usize },
    /// What stands behind a master key that is given as text is nothing that can stand there. It may be the rest of the
    /// secret, and is not repeated here.
    #[error(
        "invalid key of KeyID {0}: unexpected text after the secret (expected exclude-options, maclen=N or an address); if \
         the secret contains ':', give it in hexadecimal: printf %s 'SECRET' | xxd -p -c 0"
    )]
    BehindText(u8),
    /// Neither an option nor an address.
    #[error("unknown key option '{0}'; expected exclude-options, maclen=N or an address")]
    Option(String),
    #[error("invalid MAC length '{0}': expected a number of bytes, such as maclen=12")]
    MacLength(String),
    #[error("invalid MAC length {length}: expected 1 to {most} bytes")]
    ImpossibleMacLength { length: usize, most: usize },
    #[error(transparent)]
    Prefix(#[from] PrefixError),
    /// The algorithm takes no such master key.
    #[error(
        "cannot use the master key of KeyID {id} with {algorithm}: {why}; give the key and the algorithm that the \
         other end has"
    )]
    Refused { id: u8, algorithm: String, why: fieldtest_kinds::Error },
}

/// A key as it is written: `ID:ALGORITHM:HEX`, or `text:` and the secret itself in place of the hexadecimal digits (such
/// a secret has no colon: what stands behind one is read as said here), then any of `:exclude-options` and `:maclen=N`, then the addresses it
/// is for, separated by commas. The algorithm is only a name here; who knows it makes a [`Key`] of it.
#[derive(Clone, PartialEq, Eq)]
pub struct KeySpec {
    /// The KeyID: the SendID of the end that uses it.
    pub id: u8,
    /// The algorithm's name.
    pub algorithm: String,
    /// The master key.
    pub master_key: Zeroizing<Vec<u8>>,
    /// Which options the MAC covers.
    pub coverage: Coverage,
    /// Bytes of the MAC, if stated.
    pub mac_len: Option<usize>,
    /// Addresses of either end that the key is for; none means all.
    pub prefixes: Vec<Prefix>,
}

/// The master key stays out.
impl fmt::Debug for KeySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeySpec({}:{})", self.id, self.algorithm)
    }
}

impl FromStr for KeySpec {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let mut parts = text.splitn(4, ':');
        let mut part = || parts.next().filter(|part| !part.is_empty());
        // Up to the second colon, since the secret follows.
        let early = || {
            let end = text.match_indices(':').nth(1).map_or(text.len(), |(at, _)| at + 1);
            KeyError::Parts(format!("{}{}", &text[..end], if end < text.len() { "…" } else { "" }))
        };
        let id = part().ok_or_else(early)?;
        let id: u8 = id.parse().map_err(|_| KeyError::Id(id.to_owned()))?;
        let algorithm = part().ok_or_else(early)?.to_owned();
        let secret = part().ok_or_else(early)?;
        let mut rest = part();
        let is_text = secret == "text";
        let master_key = Zeroizing::new(if is_text {
            let (secret, behind) = rest
                .map_or(("", None), |rest| rest.split_once(':').map_or((rest, None), |(a, b)| (a, Some(b))));
            rest = behind;
            if secret.is_empty() {
                return Err(early());
            }
            secret.as_bytes().to_vec()
        } else {
            let digits = secret.strip_prefix("0x").unwrap_or(secret).as_bytes();
            if digits.is_empty() {
                return Err(early());
            }
            from_hex(digits).ok_or_else(|| match digits.iter().all(u8::is_ascii_hexdigit) {
                true => KeyError::OddHex { id, digits: digits.len() },
                false => KeyError::Hex(id),
            })?
        });
        let mut spec = Self {
            id,
            algorithm,
            master_key,
            coverage: Coverage::AllOptions,
            mac_len: None,
            prefixes: Vec::new(),
        };
        // An IPv6 address has colons of its own, so the addresses come last and are not split at them.
        while let Some(text) = rest {
            let (word, behind) =
                text.split_once(':').map_or((text, None), |(word, behind)| (word, Some(behind)));
            if word == "exclude-options" {
                spec.coverage = Coverage::AoOnly;
            } else if let Some(length) = word.strip_prefix("maclen=") {
                let wrong = |_| {
                    if is_text { KeyError::BehindText(id) } else { KeyError::MacLength(length.to_owned()) }
                };
                spec.mac_len = Some(length.parse().map_err(wrong)?);
            } else {
                let is_address = |c: char| c.is_ascii_hexdigit() || ".,/%".contains(c);
                if !is_text && !word.chars().all(is_address) {
                    return Err(KeyError::Option(word.to_owned()));
                }
                let prefixes = text.split(',').map(str::parse).collect::<Result<_, PrefixError>>();
                spec.prefixes = prefixes.map_err(|error| {
                    if is_text { KeyError::BehindText(id) } else { KeyError::Prefix(error) }
                })?;
                break;
            }
            rest = behind;
        }
        Ok(spec)
    }
}

/// The bytes of a hexadecimal text of either case; `None` if it is none.
pub(crate) fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, odd) = text.as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    odd.is_empty()
        .then(|| pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect())?
}

/// A key that segments are verified or signed with.
#[derive(Clone)]
pub struct Key {
    id: u8,
    algorithm: String,
    mac: Arc<dyn Mac>,
    master_key: Zeroizing<Vec<u8>>,
    mac_len: usize,
    coverage: Coverage,
    prefixes: Vec<Prefix>,
}

/// The master key stays out.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {} ({})", self.id, self.algorithm)
    }
}

impl Key {
    /// The key that a specification means, given its algorithm. `default_mac_len` holds where it states none; RFC
    /// 5926 has 12 bytes.
    ///
    /// # Errors
    /// [`KeyError::ImpossibleMacLength`] and [`KeyError::Refused`]: a key is tried before it is used.
    pub fn new(spec: KeySpec, mac: Arc<dyn Mac>, default_mac_len: usize) -> Result<Self, KeyError> {
        let mac_len = spec.mac_len.unwrap_or(default_mac_len);
        let most = mac.longest_tag().min(MAX_MAC);
        if !(1..=most).contains(&mac_len) {
            return Err(KeyError::ImpossibleMacLength { length: mac_len, most });
        }
        let KeySpec { id, algorithm, master_key, coverage, prefixes, .. } = spec;
        let key = Self { id, algorithm, mac, master_key, mac_len, coverage, prefixes };
        if let Err(why) = key.prepare(&[0; 20]) {
            return Err(KeyError::Refused { id, algorithm: key.algorithm, why });
        }
        Ok(key)
    }

    /// The KeyID that segments name it by.
    pub fn id(&self) -> u8 {
        self.id
    }

    /// The algorithm's name.
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// The implementation.
    pub fn mac(&self) -> &Arc<dyn Mac> {
        &self.mac
    }

    /// The master key.
    pub fn master_key(&self) -> &[u8] {
        &self.master_key
    }

    /// Bytes of the MAC on the wire.
    pub fn mac_len(&self) -> usize {
        self.mac_len
    }

    /// Which options the MAC covers.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Addresses of either end that it is for; none means all.
    pub fn prefixes(&self) -> &[Prefix] {
        &self.prefixes
    }

    /// Whether it is for a connection: one of its ends has one of the key's addresses, or the key has none.
    #[inline]
    pub fn is_for(&self, pair: &SocketPair) -> bool {
        self.prefixes.is_empty() || {
            let (local, remote) = (pair.local().ip(), pair.remote().ip());
            self.prefixes.iter().any(|prefix| prefix.contains(local) || prefix.contains(remote))
        }
    }

    pub(crate) fn traffic_key(&self, context: &Context) -> Result<Arc<dyn MacKey>, fieldtest_kinds::Error> {
        self.prepare(context.as_bytes())
    }

    fn prepare(&self, context: &[u8]) -> Result<Arc<dyn MacKey>, fieldtest_kinds::Error> {
        let mut traffic_key = Zeroizing::new(Vec::new());
        self.mac.derive(&self.master_key, context, &mut traffic_key)?;
        self.mac.prepare(&traffic_key).map(Arc::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() -> Result<(), KeyError> {
        let spec: KeySpec = "61:hmac-sha1:74C3".parse()?;
        assert_eq!(
            (spec.id, spec.algorithm.as_str(), spec.master_key.as_slice()),
            (61, "hmac-sha1", &[0x74, 0xc3][..])
        );
        assert_eq!((spec.coverage, spec.mac_len, spec.prefixes.len()), (Coverage::AllOptions, None, 0));
        let spec: KeySpec = "7:hmac-sha1:text:abc def:maclen=16:192.0.2.1".parse()?;
        assert_eq!((spec.master_key.as_slice(), spec.mac_len), (&b"abc def"[..], Some(16)));
        let spec: KeySpec = "7:hmac-sha1:0x00ff".parse()?;
        assert_eq!(spec.master_key.as_slice(), [0, 255]);
        let spec: KeySpec = "0:cmac:00:maclen=16:exclude-options:2001:db8::/32,192.0.2.1".parse()?;
        assert_eq!((spec.coverage, spec.mac_len), (Coverage::AoOnly, Some(16)));
        assert_eq!(spec.prefixes, ["2001:db8::/32".parse::<Prefix>()?, "192.0.2.1".parse()?]);
        Ok(())
    }

    /// What stands behind a text may be a part of the secret.
    #[test]
    fn no_part_of_a_text_is_repeated() {
        for text in
            ["7:hmac-sha1:text:pa:ss", "7:hmac-sha1:text:pa:maclen=ss", "7:hmac-sha1:text:pa:::ss,10.0.0.1"]
        {
            let error = text.parse::<KeySpec>().expect_err(text);
            assert_eq!(error, KeyError::BehindText(7), "{text}");
            assert!(
                !error.to_string().contains("'ss") && error.to_string().contains("hexadecimal"),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in [
            "",
            "61",
            "61:a",
            "61:a:",
            "256:a:00",
            "x:a:00",
            "1:a:0",
            "1:a:0g",
            "1:a:0x",
            "1:a:text",
            "1:a:text:",
            "1:a:text::maclen=12",
            "1:a:00:maclen=x",
            "1:a:00:10.0.0.0/33",
        ] {
            assert!(text.parse::<KeySpec>().is_err(), "{text}");
        }
    }
}
