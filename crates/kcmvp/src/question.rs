//! The lines of a request, and the questions that they make.

use data_encoding::HEXUPPER_PERMISSIVE;
use fieldtest_text::{decoded, line, shortened};

use crate::Error;

/// A line with its number, from 1 on, and the characters that ended it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    pub(crate) end: &'a str,
}

/// All lines of a request.
///
/// # Errors
/// A line that is not UTF-8.
pub(crate) fn lines(request: &[u8]) -> impl Iterator<Item = Result<Line<'_>, Error>> {
    request.split_inclusive(|byte| *byte == b'\n').enumerate().map(|(at, whole)| {
        let number = at + 1;
        let whole = str::from_utf8(whole)
            .map_err(|_| Error::at(number, decoded(request).err().unwrap_or("it is not text").to_owned()))?;
        let text = whole.trim_end_matches(['\r', '\n']);
        Ok(Line { number, text, end: &whole[text.len()..] })
    })
}

/// What a field is, by any of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Key,
    /// Initialisation vector, first counter block, or nonce.
    Start,
    Plaintext,
    Ciphertext,
    Associated,
    Tag,
    /// The length of what has its name.
    KeyLength,
    StartLength,
    TextLength,
    AssociatedLength,
    TagLength,
    /// The number of a question, of which nothing depends.
    Number,
}

impl Field {
    fn of(name: &str) -> Option<Field> {
        Some(match name.to_ascii_uppercase().as_str() {
            "KEY" | "K" => Field::Key,
            "IV" | "CTR" | "N" | "NONCE" => Field::Start,
            "PT" | "P" | "M" | "MSG" => Field::Plaintext,
            "CT" | "C" => Field::Ciphertext,
            "ADATA" | "AAD" | "A" => Field::Associated,
            "T" | "TAG" | "MAC" => Field::Tag,
            "KEYLEN" | "KLEN" => Field::KeyLength,
            "IVLEN" | "NLEN" => Field::StartLength,
            "PTLEN" | "PLEN" | "MLEN" | "MSGLEN" => Field::TextLength,
            "AADLEN" | "ADATALEN" | "ALEN" => Field::AssociatedLength,
            "TAGLEN" | "TLEN" => Field::TagLength,
            "COUNT" => Field::Number,
            _ => return None,
        })
    }

    pub(crate) fn is_number(self) -> bool {
        use Field::{AssociatedLength, KeyLength, Number, StartLength, TagLength, TextLength};
        matches!(self, KeyLength | StartLength | TextLength | AssociatedLength | TagLength | Number)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) line: usize,
    pub(crate) name: &'a str,
    pub(crate) field: Field,
    pub(crate) value: &'a str,
}

impl<'a> Entry<'a> {
    /// Reads `NAME = value`.
    ///
    /// # Errors
    /// Another form, or a name that no request has.
    pub(crate) fn read(number: usize, text: &'a str) -> Result<Entry<'a>, Error> {
        let shown = || line(&shortened(text)).into_owned();
        let Some((name, value)) = text.split_once('=') else {
            return Err(Error::at(number, format!("'{}' is not of the form NAME = value", shown())));
        };
        let (name, value) = (name.trim(), value.trim());
        let Some(field) = Field::of(name) else {
            return Err(Error::at(
                number,
                format!(
                    "unknown field '{}': expected KEY, IV, CTR, N, PT, CT, Adata, T or a length",
                    line(&shortened(name))
                ),
            ));
        };
        let entry = Entry { line: number, name, field, value };
        // As text: the response must repeat it, and a number would lose leading zeros or overflow.
        if field == Field::Number && !entry.is_of_digits() {
            return Err(entry.fault(format!(
                "invalid number of a question '{}': expected decimal digits after {name}; or remove the line",
                line(&shortened(value))
            )));
        }
        Ok(entry)
    }

    /// Whether the answer is to take its place. No tag is empty.
    pub(crate) fn is_open(&self) -> bool {
        self.value == "?" || (self.field == Field::Tag && self.value.is_empty())
    }

    /// The bytes of its hexadecimal digits.
    ///
    /// # Errors
    /// Other characters, or an odd number.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Error> {
        HEXUPPER_PERMISSIVE.decode(self.value.as_bytes()).map_err(|_| {
            self.fault(format!(
                "invalid value of {}: expected an even number of hexadecimal digits",
                self.name
            ))
        })
    }

    fn is_of_digits(&self) -> bool {
        !self.value.is_empty() && self.value.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Its number.
    ///
    /// # Errors
    /// Another value.
    pub(crate) fn number(&self) -> Result<usize, Error> {
        let name = self.name;
        // `parse` alone would take a sign.
        if !self.is_of_digits() {
            return Err(self.fault(format!("invalid value of {name}: expected decimal digits")));
        }
        let long = |_| self.fault(format!("invalid value of {name}: too large for a length"));
        self.value.parse().map_err(long)
    }

    pub(crate) fn fault(&self, what: impl Into<String>) -> Error {
        Error::at(self.line, what)
    }
}

/// Fields that stand together, and what was said before of all questions.
#[derive(Clone, Default)]
pub(crate) struct Question<'a> {
    entries: Vec<Entry<'a>>,
}

impl<'a> Question<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Its field of that name, if it has one, so that another begins the next question.
    pub(crate) fn standing(&self, field: Field) -> Option<Entry<'a>> {
        self.entries.iter().find(|entry| entry.field == field).copied()
    }

    /// Whether it has one field that is neither number nor length. That is no question yet.
    pub(crate) fn has_one_value(&self) -> bool {
        self.entries.iter().filter(|entry| !entry.field.is_number()).count() == 1
    }

    pub(crate) fn push(&mut self, entry: Entry<'a>) {
        self.entries.push(entry);
    }

    /// Whether these are lengths alone, which are those of the questions that follow.
    pub(crate) fn is_said_of_all(&self) -> bool {
        self.entries.iter().all(|entry| entry.field.is_number())
    }

    /// Replaces what was said of all questions.
    ///
    /// # Errors
    /// A length that is no number.
    pub(crate) fn replace(&mut self, entry: Entry<'a>) -> Result<(), Error> {
        // That of a question is no length.
        if entry.field != Field::Number {
            entry.number()?;
        }
        self.entries.retain(|earlier| earlier.field != entry.field);
        self.entries.push(entry);
        Ok(())
    }

    pub(crate) fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    pub(crate) fn entry(&self, field: Field) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.field == field && !entry.is_open())
    }

    /// The field, without which nothing can be answered.
    ///
    /// # Errors
    /// It is missing; the line is the last one of the question.
    pub(crate) fn needs(&self, field: Field, names: &str) -> Result<&Entry<'a>, Error> {
        self.entry(field).ok_or_else(|| {
            let last = self.entries.last().map_or(0, |entry| entry.line);
            Error::unfinished(last, format!("this question ends without {names}"))
        })
    }

    /// The field, or what was said of it before of all questions.
    pub(crate) fn said<'b>(&'b self, field: Field, of_all: &'b Question<'a>) -> Option<&'b Entry<'a>> {
        self.entry(field).or_else(|| of_all.entry(field))
    }
}

/// What lengths are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Bits,
    /// NIST's requests for CMAC, which have the names of KCMVP's.
    Octets,
}

impl Unit {
    /// A length in octets.
    ///
    /// # Errors
    /// It is no number of whole octets.
    pub(crate) fn octets(self, entry: &Entry<'_>) -> Result<usize, Error> {
        let length = entry.number()?;
        match self {
            Unit::Octets => Ok(length),
            Unit::Bits if length.is_multiple_of(8) => Ok(length / 8),
            Unit::Bits => Err(entry.fault(format!(
                "{} is {length}, but lengths are in bits, so this is not a whole number of bytes",
                entry.name
            ))),
        }
    }

    /// So many octets, as the request counts them.
    pub(crate) fn shown(self, octets: usize) -> String {
        match self {
            Unit::Bits => format!("{} bits", 8 * octets),
            Unit::Octets => format!("{octets} bytes"),
        }
    }
}
