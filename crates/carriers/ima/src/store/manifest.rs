//! Lists of xattrs as `getfattr -d -m - -e hex` prints and `setfattr --restore` reads them.
//!
//! ```text
//! # file: usr/bin/true
//! security.ima=0x0303046e...
//!
//! ```
//!
//! In paths and names a backslash, a line feed and a carriage return are written as `\` and three octal digits, and
//! in names `=` as well.

use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};

use crate::xattr::LONGEST_VALUE;

/// The longest line that is read: a value in hexadecimal, and room for its name.
const LONGEST_LINE: u64 = 2 * LONGEST_VALUE as u64 + 4096;

/// Writes a list. Files that come in the order of their paths give the same bytes in every run.
pub struct Writer<W> {
    out: W,
}

impl<W: Write> Writer<W> {
    /// Into a writer, which should be buffered.
    pub fn new(out: W) -> Self {
        Writer { out }
    }

    /// Writes one file with its xattrs, if there are any.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn file<'a>(
        &mut self,
        path: &Path,
        xattrs: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> io::Result<()> {
        let mut record = Vec::new();
        for (name, value) in xattrs {
            quote(name.as_bytes(), b"=", &mut record);
            record.extend(b"=0x");
            record.extend(HEXLOWER_PERMISSIVE.encode(value).bytes());
            record.push(b'\n');
        }
        if record.is_empty() {
            return Ok(());
        }
        let mut head = b"# file: ".to_vec();
        quote(path.as_os_str().as_bytes(), b"", &mut head);
        head.push(b'\n');
        record.push(b'\n');
        self.out.write_all(&head)?;
        self.out.write_all(&record)
    }

    /// Flushes, and gives the writer back.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

fn quote(bytes: &[u8], more: &[u8], out: &mut Vec<u8>) {
    for &byte in bytes {
        if matches!(byte, b'\\' | b'\n' | b'\r') || more.contains(&byte) {
            out.push(b'\\');
            out.extend([byte >> 6, (byte >> 3) & 7, byte & 7].map(|digit| b'0' + digit));
        } else {
            out.push(byte);
        }
    }
}

fn unquote(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match after {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] if byte == b'\\' => {
                out.push(((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'));
                rest = after.get(3..).unwrap_or_default();
            }
            _ => out.push(byte),
        }
    }
    out
}

/// A file of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its path, relative to where the list was made.
    pub path: PathBuf,
    /// Its xattrs in the order of the list.
    pub xattrs: Vec<(String, Vec<u8>)>,
}

impl Record {
    /// The value of an xattr.
    pub fn value(&self, name: &str) -> Option<&[u8]> {
        self.xattrs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }
}

/// Why a list cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Reading it.
    #[error("cannot read the manifest: {0}")]
    Io(#[from] io::Error),
    /// A line that is none of its kinds.
    #[error("line {line} of the manifest: {what}; write it with `getfattr -d -m - -e hex` or with fieldtest")]
    Line {
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Reads a list, one file at a time.
pub struct Reader<R> {
    input: R,
    line: u64,
    /// The path that was read already, with which the next record begins.
    next: Option<PathBuf>,
}

impl<R: BufRead> Reader<R> {
    /// From a reader.
    pub fn new(input: R) -> Self {
        Reader { input, line: 0, next: None }
    }

    fn record(&mut self) -> Result<Option<Record>, ManifestError> {
        let mut record = self.next.take().map(|path| Record { path, xattrs: Vec::new() });
        while let Some(line) = self.read_line()? {
            if let Some(path) = line.strip_prefix(b"# file: ") {
                let path = PathBuf::from(OsString::from_vec(unquote(path)));
                if record.is_some() {
                    self.next = Some(path);
                    return Ok(record);
                }
                record = Some(Record { path, xattrs: Vec::new() });
            } else if line.is_empty() {
                if record.is_some() {
                    return Ok(record);
                }
            } else if !line.starts_with(b"#") {
                let wrong = |what| ManifestError::Line { line: self.line, what };
                let (name, value) = attribute(&line).map_err(wrong)?;
                let record = record.as_mut().ok_or_else(|| wrong("an xattr before any `# file:`"))?;
                record.xattrs.push((name, value));
            }
        }
        Ok(record)
    }

    fn read_line(&mut self) -> Result<Option<Vec<u8>>, ManifestError> {
        let mut line = Vec::new();
        (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        self.line += 1;
        match line.pop() {
            None => Ok(None),
            Some(b'\n') => Ok(Some(line)),
            Some(_) if line.len() as u64 + 1 == LONGEST_LINE => {
                Err(ManifestError::Line { line: self.line, what: "it is longer than any xattr" })
            }
            Some(last) => {
                line.push(last);
                Ok(Some(line))
            }
        }
    }
}

fn attribute(line: &[u8]) -> Result<(String, Vec<u8>), &'static str> {
    let at = line.iter().position(|byte| *byte == b'=').ok_or("no `=` and no `# file:`")?;
    let (name, value) = line.split_at(at);
    let name = String::from_utf8(unquote(name))
        .map_err(|_| "the xattr's name is not UTF-8, so this may be no manifest")?;
    let value = value.get(1..).unwrap_or_default();
    let value = if let Some(digits) = value.strip_prefix(b"0x").or(value.strip_prefix(b"0X")) {
        HEXLOWER_PERMISSIVE.decode(digits).map_err(|_| "the value is not hexadecimal")?
    } else if let Some(digits) = value.strip_prefix(b"0s").or(value.strip_prefix(b"0S")) {
        BASE64.decode(digits).map_err(|_| "the value is not Base64")?
    } else {
        value.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).map_or_else(
            || Err("the value is neither 0x and hexadecimal, nor 0s and Base64, nor text in quotes"),
            |text| Ok(unescape(text)),
        )?
    };
    Ok((name, value))
}

/// Text in quotes: a backslash stands before a quote or a backslash, or begins three octal digits.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        match after {
            [next @ (b'"' | b'\\'), after @ ..] if byte == b'\\' => {
                plain.extend(if *next == b'\\' { &b"\\134"[..] } else { b"\"" });
                rest = after;
            }
            _ => {
                plain.push(byte);
                rest = after;
            }
        }
    }
    unquote(&plain)
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, ManifestError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Result<Vec<Record>, ManifestError> {
        Reader::new(text).collect()
    }

    #[test]
    fn what_getfattr_printed() {
        // getfattr 2.5.1 of a file `back\slash`, one with a line feed, and one with an empty value.
        let text =
            b"# file: a b/eq=t ab\tc\nsecurity.ima=0x\n\n# file: back\\134slash\nsecurity.ima=0x030204\n\n\
                     # file: new\\012line\nsecurity.ima=0sAwIE\nuser.a\\075b=\"q\\\"\\\\\\012\"\n\n";
        let records = read(text).unwrap();
        let paths: Vec<_> = records.iter().map(|record| record.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["a b/eq=t ab\tc", "back\\slash", "new\nline"]);
        assert_eq!(records[0].value("security.ima"), Some(&b""[..]));
        assert_eq!(records[1].value("security.ima"), Some(&[3, 2, 4][..]));
        assert_eq!(records[2].value("security.ima"), Some(&[3, 2, 4][..]));
        assert_eq!(records[2].value("user.a=b"), Some(&b"q\"\\\n"[..]));
        assert_eq!(records[2].value("user.none"), None);
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        for (text, line) in [
            (&b"security.ima=0x00\n"[..], 1),
            (b"# file: a\nsecurity.ima\n", 2),
            (b"# file: a\n\n# file: b\nsecurity.ima=0x0\n", 4),
            (b"# file: a\nsecurity.ima=0xgg", 2),
            (b"# file: a\nsecurity.ima=plain\n", 2),
        ] {
            let Err(ManifestError::Line { line: found, .. }) = read(text) else { panic!("{text:?}") };
            assert_eq!(found, line);
        }
        assert!(read(&vec![b'x'; 1 << 20]).is_err());
    }

    proptest! {
        #[test]
        fn written_lists_read_back(
            files in prop::collection::vec(
                (prop::collection::vec(1u8.., 1..20), prop::collection::vec(any::<u8>(), 0..40)),
                0..5,
            ),
        ) {
            let mut writer = Writer::new(Vec::new());
            let mut expected = Vec::new();
            for (path, value) in &files {
                let path = PathBuf::from(OsString::from_vec(path.clone()));
                writer.file(&path, [("security.ima", &value[..]), ("user.a=\\", b"")]).unwrap();
                let xattrs =
                    vec![("security.ima".to_string(), value.clone()), ("user.a=\\".to_string(), Vec::new())];
                expected.push(Record { path, xattrs });
            }
            let text = writer.finish().unwrap();
            prop_assert_eq!(read(&text).unwrap(), expected);
        }

        #[test]
        fn any_bytes_are_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&text);
        }
    }
}
