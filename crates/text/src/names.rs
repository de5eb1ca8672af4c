//! Paths and other names of any bytes as one line of text that can be read back, for files of ours. Not UTF-8
//! with replacement characters: two paths of a ledger could become one.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Writes a name: what is not UTF-8, control characters and `%` become `%` and two hexadecimal digits for each byte.
pub fn encode(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter.is_control() || letter == '%' {
                true => escape(letter.encode_utf8(&mut [0; 4]).as_bytes(), &mut name),
                false => name.push(letter),
            }
        }
        escape(chunk.invalid(), &mut name);
    }
    name
}

fn escape(bytes: &[u8], name: &mut String) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(name, "%{byte:02x}");
    }
}

/// Reads what [`encode`] wrote.
pub fn decode(name: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let is_escape = |digits: &&[u8]| first == b'%' && digits.iter().all(u8::is_ascii_hexdigit);
        let digits = behind.get(..2).filter(is_escape);
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    bytes
}

/// Writes a path.
pub fn of(path: &Path) -> String {
    encode(path.as_os_str().as_bytes())
}

/// Reads what [`of`] wrote.
pub fn path(name: &str) -> PathBuf {
    OsString::from_vec(decode(name)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        for (bytes, name) in [
            (&b"org/lib.tar"[..], "org/lib.tar"),
            (b"a\nb\x1b[31m", "a%0ab%1b[31m"),
            (b"latin-\xe9 100%", "latin-%e9 100%25"),
            ("größe\u{9b}".as_bytes(), "größe%c2%9b"),
            (b"", ""),
        ] {
            assert_eq!(encode(bytes), name);
            assert_eq!(decode(name), bytes);
        }
        assert_eq!(decode("a%0"), b"a%0");
        assert_eq!(decode("%zz%+1"), b"%zz%+1");
    }
}
