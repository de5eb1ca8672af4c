//! Domain names in wire form, always in lower case, and their canonical order.
//!
//! The workbench holds a zone in the canonical form of RFC 4034, section 6.2, so names lose their case when they are
//! read. DNS compares names without case, so nothing that a server answers changes.

mod wire;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use wire::label_starts;
pub(crate) use wire::{labels, push_order_key, wire_len};

/// The longest name on the wire (RFC 1035, section 2.3.4).
pub const MAX_NAME: usize = 255;

/// An absolute domain name in lower case: length-prefixed labels, closed by the empty root label.
#[derive(Clone, Copy)]
pub struct Name {
    len: u8,
    wire: [u8; MAX_NAME],
}

/// Why a text is not a domain name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Two dots in a row, or a dot at the beginning.
    #[error("invalid name '{0}': expected no empty label between dots, such as example.com")]
    EmptyLabel(String),
    /// More than 63 octets between two dots.
    #[error("invalid name '{0}': expected at most 63 bytes between two dots")]
    LongLabel(String),
    /// More than 255 octets on the wire.
    #[error("invalid name '{0}': expected at most 255 bytes")]
    LongName(String),
    /// A backslash that is not followed by a character or by three digits up to 255.
    #[error(
        "invalid name '{0}': expected a character or a number up to 255 after a backslash, such as \\. or \\046"
    )]
    BadEscape(String),
    /// A relative name where no origin is known.
    #[error("the name '{0}' is relative but no origin is set; end it with a dot, or set $ORIGIN before it")]
    NoOrigin(String),
    /// Wire bytes that are not one uncompressed name.
    #[error("not an uncompressed domain name")]
    Wire,
}

impl Name {
    /// The root, a single empty label.
    pub const ROOT: Name = Name { len: 1, wire: [0; MAX_NAME] };

    /// Reads a name as it is written in a zone file (RFC 1035, section 5.1): `\DDD` and `\X` escapes, `@` for the
    /// origin, and the origin appended unless the text ends with a dot.
    pub fn parse(text: &[u8], origin: Option<&Name>) -> Result<Name, NameError> {
        CasedName::parse_wire(text, origin.map(Name::as_wire)).map(|name| name.lower())
    }

    /// Reads the uncompressed name at the start of `wire` and says how many bytes it took.
    pub fn from_wire(wire: &[u8]) -> Result<(Name, usize), NameError> {
        let len = wire_len(wire).ok_or(NameError::Wire)?;
        let mut name = Name { len: len as u8, wire: [0; MAX_NAME] };
        name.wire[..len].copy_from_slice(&wire[..len]);
        // Length octets are at most 63 and thus never letters.
        name.wire[..len].make_ascii_lowercase();
        Ok((name, len))
    }

    /// The name's wire form.
    pub fn as_wire(&self) -> &[u8] {
        &self.wire[..usize::from(self.len)]
    }

    /// `label.self`, or `None` where that would be too long.
    pub fn child(&self, label: &[u8]) -> Option<Name> {
        let total = 1 + label.len() + self.as_wire().len();
        if label.is_empty() || label.len() > 63 || total > MAX_NAME {
            return None;
        }
        let mut name = Name { len: total as u8, wire: [0; MAX_NAME] };
        name.wire[0] = label.len() as u8;
        name.wire[1..=label.len()].copy_from_slice(label);
        name.wire[1..=label.len()].make_ascii_lowercase();
        name.wire[1 + label.len()..total].copy_from_slice(self.as_wire());
        Some(name)
    }

    /// The name without its first label; `None` for the root.
    pub fn parent(&self) -> Option<Name> {
        let wire = self.as_wire();
        match wire[0] {
            0 => None,
            first => Name::from_wire(&wire[1 + usize::from(first)..]).ok().map(|(name, _)| name),
        }
    }

    /// Whether `self` is `other` or lies below it.
    pub fn is_at_or_below(&self, other: &Name) -> bool {
        let (mine, theirs) = (self.as_wire(), other.as_wire());
        mine.len() >= theirs.len()
            && mine.ends_with(theirs)
            && label_starts(mine).any(|start| mine.len() - start == theirs.len())
    }
}

/// A name as it was written, capitals included: for origins, and for RDATA that keeps its case when it is signed.
#[derive(Clone, Copy)]
pub(crate) struct CasedName(Name);

impl CasedName {
    /// As [`Name::parse`], without lowering anything.
    pub(crate) fn parse(text: &[u8], origin: Option<&CasedName>) -> Result<CasedName, NameError> {
        Self::parse_wire(text, origin.map(CasedName::as_wire))
    }

    fn parse_wire(text: &[u8], origin: Option<&[u8]>) -> Result<CasedName, NameError> {
        let shown = || shown(text);
        match text {
            b"." => return Ok(CasedName(Name::ROOT)),
            b"@" => {
                let origin = origin.ok_or_else(|| NameError::NoOrigin(shown()))?;
                let mut name = Name { len: origin.len() as u8, wire: [0; MAX_NAME] };
                name.wire[..origin.len()].copy_from_slice(origin);
                return Ok(CasedName(name));
            }
            b"" => return Err(NameError::EmptyLabel(shown())),
            _ => {}
        }
        let mut name = Name::ROOT;
        let mut label_at = 0usize;
        let mut end = 1usize;
        let mut at = 0usize;
        while at < text.len() {
            let mut octet = text[at];
            at += 1;
            if octet == b'.' {
                close_label(&mut name.wire, label_at, end).map_err(|e| e.with(shown))?;
                label_at = end;
                end += 1;
                if end > MAX_NAME {
                    return Err(NameError::LongName(shown()));
                }
                continue;
            }
            if octet == b'\\' {
                let (escaped, used) = unescape(&text[at..]).ok_or_else(|| NameError::BadEscape(shown()))?;
                octet = escaped;
                at += used;
            }
            if end >= MAX_NAME {
                return Err(NameError::LongName(shown()));
            }
            name.wire[end] = octet;
            end += 1;
        }
        if end == label_at + 1 {
            // The text ended with a dot that no backslash escaped: the label just opened is the root.
            name.wire[label_at] = 0;
            name.len = end as u8;
            return Ok(CasedName(name));
        }
        close_label(&mut name.wire, label_at, end).map_err(|e| e.with(shown))?;
        let origin = origin.ok_or_else(|| NameError::NoOrigin(shown()))?;
        let total = end + origin.len();
        if total > MAX_NAME {
            return Err(NameError::LongName(shown()));
        }
        name.wire[end..total].copy_from_slice(origin);
        name.len = total as u8;
        Ok(CasedName(name))
    }

    pub(crate) fn as_wire(&self) -> &[u8] {
        self.0.as_wire()
    }

    /// The name that it is to the DNS.
    pub(crate) fn lower(mut self) -> Name {
        self.0.wire[..usize::from(self.0.len)].make_ascii_lowercase();
        self.0
    }
}

impl From<Name> for CasedName {
    fn from(name: Name) -> Self {
        CasedName(name)
    }
}

/// A piece of a file for a message: its beginning, if it is long.
pub(crate) fn shown(text: &[u8]) -> String {
    const MOST: usize = 80;
    let start = String::from_utf8_lossy(&text[..text.len().min(4 * MOST)]);
    if start.chars().count() <= MOST {
        start.into_owned()
    } else {
        start.chars().take(MOST - 1).chain(['…']).collect()
    }
}

/// Reads what follows a backslash: three digits, or one other character. Says how many bytes it used.
pub(crate) fn unescape(rest: &[u8]) -> Option<(u8, usize)> {
    let first = *rest.first()?;
    if !first.is_ascii_digit() {
        return Some((first, 1));
    }
    let digits = rest.get(..3)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0u32, |value, digit| value * 10 + u32::from(digit - b'0'));
    u8::try_from(value).ok().map(|octet| (octet, 3))
}

enum LabelFault {
    Empty,
    Long,
}

impl LabelFault {
    fn with(self, shown: impl Fn() -> String) -> NameError {
        match self {
            LabelFault::Empty => NameError::EmptyLabel(shown()),
            LabelFault::Long => NameError::LongLabel(shown()),
        }
    }
}

/// Writes the length octet of the label that was opened at `label_at` and ends before `end`.
fn close_label(wire: &mut [u8; MAX_NAME], label_at: usize, end: usize) -> Result<(), LabelFault> {
    match end - label_at - 1 {
        0 => Err(LabelFault::Empty),
        len @ 1..=63 => {
            wire[label_at] = len as u8;
            Ok(())
        }
        _ => Err(LabelFault::Long),
    }
}

pub(crate) fn push_text(wire: &[u8], out: &mut Vec<u8>) {
    if wire.len() == 1 {
        out.push(b'.');
        return;
    }
    for label in labels(wire) {
        for &octet in label {
            match octet {
                b'.' | b'\\' | b'"' | b'(' | b')' | b';' | b'@' | b'$' => {
                    out.extend_from_slice(&[b'\\', octet])
                }
                0x21..=0x7e => out.push(octet),
                _ => out.extend_from_slice(&[
                    b'\\',
                    b'0' + octet / 100,
                    b'0' + octet / 10 % 10,
                    b'0' + octet % 10,
                ]),
            }
        }
        out.push(b'.');
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_wire() == other.as_wire()
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The canonical order of RFC 4034, section 6.1.
impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut mine, mut theirs) = (Vec::new(), Vec::new());
        push_order_key(self.as_wire(), &mut mine);
        push_order_key(other.as_wire(), &mut theirs);
        mine.cmp(&theirs)
    }
}

/// As [`Name::parse`] without an origin, but that the final dot may be left out: `"example.com".parse()` is `example.com.`.
impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Name, NameError> {
        Name::parse(text.as_bytes(), Some(&Name::ROOT))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        push_text(self.as_wire(), &mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text.as_bytes(), Some(&Name::ROOT)).unwrap()
    }

    #[test]
    fn text_and_wire_round_trip() {
        for text in [".", "a.", "www.example.", "*.example.", r"a\.b.example.", r"\000\255.x."] {
            let parsed = name(text);
            assert_eq!(parsed.to_string(), text);
            assert_eq!(Name::from_wire(parsed.as_wire()).unwrap(), (parsed, parsed.as_wire().len()));
        }
        assert_eq!(name("MiXed.Example").to_string(), "mixed.example.");
        assert_eq!(Name::parse(b"@", Some(&name("x."))).unwrap(), name("x."));
    }

    /// The example of RFC 4034, section 6.1.
    #[test]
    fn canonical_order() {
        let sorted = [
            "example.",
            "a.example.",
            "yljkjljk.a.example.",
            "Z.a.example.",
            "zABC.a.EXAMPLE.",
            "z.example.",
            r"\001.z.example.",
            "*.z.example.",
            r"\200.z.example.",
        ];
        let names: Vec<Name> = sorted.iter().map(|text| name(text)).collect();
        let mut shuffled = names.clone();
        shuffled.reverse();
        shuffled.sort();
        assert_eq!(shuffled, names);
    }

    #[test]
    fn below() {
        assert!(name("a.b.").is_at_or_below(&name("b.")));
        assert!(name("b.").is_at_or_below(&name("b.")));
        assert!(name("b.").is_at_or_below(&Name::ROOT));
        assert!(!name("ab.").is_at_or_below(&name("b.")));
        assert!(!name("b.").is_at_or_below(&name("a.b.")));
    }

    #[test]
    fn as_a_word() {
        let name = |text: &str| text.parse::<Name>();
        assert_eq!(name("Example.com").unwrap().to_string(), "example.com.");
        assert_eq!(name("example.com."), name("example.com"));
        assert_eq!(name(".").unwrap(), Name::ROOT);
        assert!(name("a..b").is_err());
    }

    #[test]
    fn limits() {
        let label = "a".repeat(63);
        let longest = format!("{label}.{label}.{label}.{}.", "a".repeat(61));
        assert_eq!(name(&longest).as_wire().len(), 255);
        let longer = format!("{label}.{label}.{label}.{}.", "a".repeat(62));
        assert!(matches!(Name::parse(longer.as_bytes(), None), Err(NameError::LongName(_))));
        assert!(matches!(Name::parse(format!("a{label}.").as_bytes(), None), Err(NameError::LongLabel(_))));
        assert!(matches!(Name::parse(b"a..b.", None), Err(NameError::EmptyLabel(_))));
        assert!(matches!(Name::parse(b".a.", None), Err(NameError::EmptyLabel(_))));
        assert!(matches!(Name::parse(br"a\", None), Err(NameError::BadEscape(_))));
        assert!(matches!(Name::parse(br"a\256.", None), Err(NameError::BadEscape(_))));
        assert!(matches!(Name::parse(b"a", None), Err(NameError::NoOrigin(_))));
        assert_eq!(Name::from_wire(b"\x05abc"), Err(NameError::Wire));
        assert_eq!(Name::from_wire(b"\xc0\x0c"), Err(NameError::Wire));
    }
}
