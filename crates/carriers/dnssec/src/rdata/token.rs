//! The words that a zone file is made of.

use crate::name;

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
        format!("“{}” is not {expected}", self.shown())
    }

    /// The text of what never stands in quotes, which are for character strings (RFC 1035, section 5.1).
    pub(crate) fn bare(&self, expected: &str) -> Result<&'a [u8], String> {
        match self.quoted {
            false => Ok(self.text),
            true => Err(format!("“{}” stands in quotes, and {expected} never does", self.shown())),
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
            _ => self.parse("a number that fits its field"),
        }
    }
}
