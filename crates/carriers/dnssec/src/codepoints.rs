//! Which number an algorithm has in DNSKEY, DS and RRSIG records.
//!
//! IANA has assigned few numbers to post-quantum algorithms, and every testbed chose its own for the rest, so the
//! numbers are a table that the caller fills.

use std::fmt;
use std::str::FromStr;

use der::asn1::ObjectIdentifier;
use der::{Decode as _, Encode as _};
use fieldtest_kinds::signature::Signature;

use crate::name::{self, Name};

/// Number 253: the algorithm is told by a domain name in front of each key and signature (RFC 4034, appendix A.1.1).
pub const PRIVATE_DNS: u8 = 253;
/// Number 254: by an object identifier there.
pub const PRIVATE_OID: u8 = 254;

/// How records name an algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodePoint {
    /// A number of IANA's registry, or one that a testbed took.
    Number(u8),
    /// Number 253 with this name.
    Private(Box<Name>),
    /// Number 254 with this object identifier.
    Object(Box<Oid>),
}

/// An object identifier in front of keys and signatures: an octet of length, and that many octets of BER.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oid {
    id: ObjectIdentifier,
    prefix: Vec<u8>,
}

impl Oid {
    fn new(id: ObjectIdentifier) -> Option<Oid> {
        let der = id.to_der().ok()?;
        let length = u8::try_from(der.len()).ok()?;
        Some(Oid { id, prefix: [&[length], &der[..]].concat() })
    }

    /// The one in front of a key or signature, in the shortest form: identifiers have no other in DER, and who compares keys by their
    /// octets would take another one for another algorithm.
    fn in_front_of(key_or_signature: &[u8]) -> Option<Oid> {
        let (length, rest) = key_or_signature.split_first()?;
        Oid::new(ObjectIdentifier::from_der(rest.get(..usize::from(*length))?).ok()?)
    }
}

/// Finds the implementation for a code point.
pub type Resolver<'a> = dyn Fn(&CodePoint) -> Option<&'a dyn Signature> + Sync + 'a;

/// Why a code point is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum CodePointError {
    #[error("algorithm number {code_point} already belongs to {holder}; choose another one for {asked}")]
    Taken { code_point: CodePoint, holder: String, asked: String },
    #[error("{algorithm} already has the algorithm number {code_point}; give another number")]
    Assigned { algorithm: String, code_point: CodePoint },
    #[error(
        "invalid algorithm number {0}: 0, 252 and 255 are reserved; write 253 as '253:NAME' and 254 as '254:OID'"
    )]
    Reserved(u8),
    /// The text is no code point.
    #[error(
        "invalid algorithm number '{0}': expected 1 to 251, '253:NAME' with a domain name, or '254:OID' with an object identifier"
    )]
    Syntax(String),
}

impl CodePoint {
    /// The algorithm field of a record.
    pub fn number(&self) -> u8 {
        match self {
            CodePoint::Number(number) => *number,
            CodePoint::Private(_) => PRIVATE_DNS,
            CodePoint::Object(_) => PRIVATE_OID,
        }
    }

    /// What stands in front of each key and signature: a name or an object identifier for private algorithms, nothing for all others.
    pub fn prefix(&self) -> &[u8] {
        match self {
            CodePoint::Number(_) => &[],
            CodePoint::Private(name) => name.as_wire(),
            CodePoint::Object(oid) => &oid.prefix,
        }
    }

    /// Reads the code point of a key or signature and says how long the prefix is; `None` if number 253 is not
    /// followed by a name, or 254 by an object identifier.
    pub fn of_record(number: u8, key_or_signature: &[u8]) -> Option<(CodePoint, usize)> {
        match number {
            PRIVATE_DNS => {
                let (name, used) = Name::from_wire(key_or_signature).ok()?;
                Some((CodePoint::Private(Box::new(name)), used))
            }
            PRIVATE_OID => {
                let oid = Oid::in_front_of(key_or_signature)?;
                let used = oid.prefix.len();
                Some((CodePoint::Object(Box::new(oid)), used))
            }
            number => Some((CodePoint::Number(number), 0)),
        }
    }

    /// How long the prefix of `key_or_signature` is, if it names this code point.
    pub(crate) fn prefix_in(&self, number: u8, key_or_signature: &[u8]) -> Option<usize> {
        match self {
            CodePoint::Number(own) => (*own == number).then_some(0),
            CodePoint::Private(own) => {
                let len = name::wire_len(key_or_signature).filter(|_| number == PRIVATE_DNS)?;
                key_or_signature[..len].eq_ignore_ascii_case(own.as_wire()).then_some(len)
            }
            CodePoint::Object(own) => {
                let is_own = number == PRIVATE_OID && key_or_signature.starts_with(&own.prefix);
                is_own.then_some(own.prefix.len())
            }
        }
    }

    /// Whether it can stand for an algorithm (IANA, DNS Security Algorithm Numbers).
    ///
    /// # Errors
    /// [`CodePointError::Reserved`].
    pub fn check(&self) -> Result<(), CodePointError> {
        match self {
            CodePoint::Number(number @ (0 | 252..=255)) => Err(CodePointError::Reserved(*number)),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for CodePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodePoint::Number(number) => write!(f, "{number}"),
            CodePoint::Private(name) => write!(f, "253:{name}"),
            CodePoint::Object(oid) => write!(f, "254:{}", oid.id),
        }
    }
}

impl FromStr for CodePoint {
    type Err = CodePointError;

    /// Reads `18`, `253:name.example.`, or `254:1.3.6.1.4.1.32473.1`.
    fn from_str(text: &str) -> Result<CodePoint, CodePointError> {
        let syntax = || CodePointError::Syntax(text.to_owned());
        let code_point = match text.split_once(':') {
            Some(("253", name)) => CodePoint::Private(Box::new(name.parse::<Name>().map_err(|_| syntax())?)),
            Some(("254", oid)) => {
                let oid = oid.parse().ok().and_then(Oid::new).ok_or_else(syntax)?;
                CodePoint::Object(Box::new(oid))
            }
            Some(_) => return Err(syntax()),
            None => CodePoint::Number(text.parse().map_err(|_| syntax())?),
        };
        code_point.check()?;
        Ok(code_point)
    }
}

/// Algorithm names and their code points, one to one.
#[derive(Debug, Clone, Default)]
pub struct CodePoints {
    entries: Vec<(String, CodePoint)>,
}

impl CodePoints {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives an algorithm its code point; refuses one that is taken, and a second one for the same algorithm.
    pub fn insert(&mut self, algorithm: &str, code_point: CodePoint) -> Result<(), CodePointError> {
        match self.get(algorithm) {
            Some(code_point) => Err(CodePointError::Assigned {
                algorithm: algorithm.to_owned(),
                code_point: code_point.clone(),
            }),
            None => self.replace(algorithm, code_point),
        }
    }

    /// As [`insert`](Self::insert), but an algorithm that has a code point moves to the new one.
    pub fn replace(&mut self, algorithm: &str, code_point: CodePoint) -> Result<(), CodePointError> {
        code_point.check()?;
        if let Some(holder) = self.algorithm(&code_point).filter(|holder| *holder != algorithm) {
            let (holder, asked) = (holder.to_owned(), algorithm.to_owned());
            return Err(CodePointError::Taken { code_point, holder, asked });
        }
        self.entries.retain(|(name, _)| name != algorithm);
        self.entries.push((algorithm.to_owned(), code_point));
        Ok(())
    }

    /// Gives an algorithm a code point that another one has as well, as RSA of every length has the same. Keys and signatures under it
    /// are taken for the [first one's](Self::algorithm), which has to serve both.
    pub fn share(&mut self, algorithm: &str, code_point: CodePoint) -> Result<(), CodePointError> {
        code_point.check()?;
        self.entries.retain(|(name, _)| name != algorithm);
        self.entries.push((algorithm.to_owned(), code_point));
        Ok(())
    }

    /// An algorithm's code point.
    pub fn get(&self, algorithm: &str) -> Option<&CodePoint> {
        self.entries.iter().find(|(name, _)| name == algorithm).map(|(_, code_point)| code_point)
    }

    /// The algorithm that a code point stands for; of several that share it the first one.
    pub fn algorithm(&self, code_point: &CodePoint) -> Option<&str> {
        self.entries.iter().find(|(_, own)| own == code_point).map(|(name, _)| name.as_str())
    }

    /// Every algorithm with its code point, in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &CodePoint)> {
        self.entries.iter().map(|(name, code_point)| (name.as_str(), code_point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_without_duplicates() {
        let mut table = CodePoints::new();
        table.insert("ml-dsa-44", CodePoint::Number(18)).unwrap();
        assert!(matches!(table.insert("x", CodePoint::Number(18)), Err(CodePointError::Taken { .. })));
        assert!(matches!(
            table.insert("ml-dsa-44", CodePoint::Number(19)),
            Err(CodePointError::Assigned { .. })
        ));
        table.replace("ml-dsa-44", "253:mldsa.example.".parse().unwrap()).unwrap();
        table.insert("x", "18".parse().unwrap()).unwrap();
        assert_eq!(table.algorithm(&CodePoint::Number(18)), Some("x"));
        assert_eq!(table.get("ml-dsa-44").unwrap().to_string(), "253:mldsa.example.");
        assert_eq!(table.iter().count(), 2);
        table.share("y", CodePoint::Number(18)).unwrap();
        assert_eq!((table.algorithm(&CodePoint::Number(18)), table.iter().count()), (Some("x"), 3));
        assert_eq!(table.get("y"), Some(&CodePoint::Number(18)));
        assert!(table.share("z", CodePoint::Number(0)).is_err());
    }

    #[test]
    fn refuses_what_is_no_code_point() {
        for text in ["0", "252", "253", "254", "255"] {
            assert!(matches!(text.parse::<CodePoint>(), Err(CodePointError::Reserved(_))), "{text}");
        }
        for text in ["", "256", "-1", "x", "254:a.", "254:", "254:3.1.2", "253:a..b"] {
            assert!(matches!(text.parse::<CodePoint>(), Err(CodePointError::Syntax(_))), "{text}");
        }
    }

    #[test]
    fn private_names_are_found_in_records() {
        let code_point: CodePoint = "253:a.b.".parse().unwrap();
        let mut field = code_point.prefix().to_vec();
        field.extend_from_slice(b"key");
        assert_eq!(CodePoint::of_record(253, &field), Some((code_point.clone(), 5)));
        assert_eq!(code_point.prefix_in(253, &field), Some(5));
        assert_eq!(code_point.prefix_in(13, &field), None);
        assert_eq!(CodePoint::of_record(253, b"\xff"), None);
    }

    #[test]
    fn object_identifiers_are_found_in_records() {
        let code_point: CodePoint = "254:1.2.840.113549.1.1.11".parse().unwrap();
        // That of RSA with SHA-256 in DER (RFC 4055, section 5), and its length before it.
        let prefix = b"\x0b\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b";
        assert_eq!((code_point.prefix(), code_point.number()), (&prefix[..], 254));
        assert_eq!(code_point.to_string(), "254:1.2.840.113549.1.1.11");
        let field = [prefix, &b"key"[..]].concat();
        assert_eq!(CodePoint::of_record(254, &field), Some((code_point.clone(), 12)));
        assert_eq!(code_point.prefix_in(254, &field), Some(12));
        assert_eq!(
            (code_point.prefix_in(253, &field), code_point.prefix_in(254, &field[..11])),
            (None, None)
        );
        // Nothing, too short, too long, no tag of an identifier, a length in two octets.
        for wrong in [
            &b""[..],
            b"\x00",
            &prefix[..11],
            b"\x0c\x06\x01\x2a",
            b"\x03\x05\x01\x2a",
            b"\x04\x06\x81\x01\x2a",
        ] {
            assert_eq!(CodePoint::of_record(254, wrong), None, "{wrong:?}");
        }
    }
}
