//! The words that a zone file is made of, and what every field does with them.

use crate::name;
use crate::rtype::Rtype;

/// What is wrong with a record's RDATA, in words that end a sentence “line 7: …”.
pub(crate) type Fault = String;

/// A word of an entry as it stands in the file, escapes included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) quoted: bool,
}

impl<'a> Token<'a> {
    /// The token for a message, shortened.
    pub(crate) fn shown(&self) -> String {
        name::shown(self.text)
    }

    pub(crate) fn not(&self, expected: &str) -> String {
        format!("'{}' is not {expected}", self.shown())
    }

    /// The text of what never stands in quotes, which are for character strings (RFC 1035, section 5.1).
    pub(crate) fn bare(&self, expected: &str) -> Result<&'a [u8], String> {
        match self.quoted {
            false => Ok(self.text),
            true => Err(format!("'{}' is quoted, but {expected} must not be", self.shown())),
        }
    }

    pub(crate) fn utf8(&self) -> Option<&'a str> {
        std::str::from_utf8(self.text).ok()
    }

    pub(crate) fn parse<T: std::str::FromStr>(&self, expected: &str) -> Result<T, String> {
        self.utf8().and_then(|text| text.parse().ok()).ok_or_else(|| self.not(expected))
    }

    pub(crate) fn number<T: std::str::FromStr>(&self) -> Result<T, String> {
        // Rust also reads a plus sign.
        match self.text.first() {
            Some(b'+') => Err(self.not("a number")),
            _ => self.parse(&format!("a whole number up to {}", u64::MAX >> (64 - 8 * size_of::<T>()))),
        }
    }
}

/// All that is left, of which something must not be empty: quotes around nothing are no key, digest or signature.
pub(super) fn some<'t, 'a>(tokens: &mut &'t [Token<'a>], rtype: Rtype) -> Result<&'t [Token<'a>], Fault> {
    match std::mem::take(tokens) {
        tokens if tokens.iter().all(|token| token.text.is_empty()) => Err(ends_too_early(rtype)),
        tokens => Ok(tokens),
    }
}

pub(super) fn ends_too_early(rtype: Rtype) -> Fault {
    format!("the {rtype} RDATA ends too early")
}

pub(super) fn next<'a>(tokens: &mut &[Token<'a>], rtype: Rtype) -> Result<Token<'a>, Fault> {
    let [token, rest @ ..] = *tokens else {
        return Err(ends_too_early(rtype));
    };
    *tokens = rest;
    Ok(*token)
}

pub(super) fn record_type(token: &Token<'_>) -> Result<Rtype, Fault> {
    Rtype::parse(token.text).ok_or_else(|| token.not("a record type"))
}

/// What people write in an encoding.
pub(crate) fn form_of(encoding: &data_encoding::Encoding) -> &'static str {
    match encoding.bit_width() {
        4 => "an even number of digits 0-9 and a-f, such as 0aff",
        5 => "digits 0-9 and letters a-v, such as 2t7b4g4v",
        _ => "letters, digits, + and /, filled up with = to groups of 4, such as AwEAAQ==",
    }
}

/// Decodes the tokens as one text without the spaces between them.
pub(super) fn push_encoded(
    tokens: &[Token<'_>],
    encoding: &data_encoding::Encoding,
    called: &str,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let joined;
    let text = match tokens {
        [one] => one.text,
        many => {
            joined = many.iter().flat_map(|token| token.text).copied().collect::<Vec<u8>>();
            &joined
        }
    };
    let fault = || format!("'{}' is not {called}: expected {}", name::shown(text), form_of(encoding));
    let at = out.len();
    let most = encoding.decode_len(text.len()).map_err(|_| fault())?;
    out.resize(at + most, 0);
    let len = encoding.decode_mut(text, &mut out[at..]).map_err(|_| fault())?;
    out.truncate(at + len);
    Ok(())
}

pub(super) fn push_character_string(token: &Token<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let at = out.len();
    out.push(0);
    push_unescaped(token, out)?;
    out[at] = u8::try_from(out.len() - at - 1).map_err(|_| token.not("a text of at most 255 bytes"))?;
    Ok(())
}

pub(super) fn push_unescaped(token: &Token<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut rest = token.text;
    while let [octet, after @ ..] = rest {
        rest = after;
        if *octet != b'\\' {
            out.push(*octet);
            continue;
        }
        let (escaped, used) = name::unescape(rest).ok_or_else(|| token.not("a text with valid escapes"))?;
        out.push(escaped);
        rest = &rest[used..];
    }
    Ok(())
}
