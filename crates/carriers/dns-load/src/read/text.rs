//! Questions as `dnsperf` reads them: a name and a type on each line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use fieldtest_capture::uncompressed;
use fieldtest_dnssec::{Name, Rtype};

use super::{Lines, ReadError, shown};
use crate::query::{Question, rtype_of};

/// Questions in their order, at least one.
#[derive(Debug, Clone)]
pub struct List(Arc<[Question]>);

impl List {
    /// The questions.
    pub fn questions(&self) -> &[Question] {
        &self.0
    }

    pub(crate) fn into_questions(self) -> Arc<[Question]> {
        self.0
    }
}

/// Reads questions from a file, which may be compressed by gzip, xz or Zstandard.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path) -> Result<List, ReadError> {
    let io = |source| ReadError::Io { path: path.to_path_buf(), source };
    let plain = uncompressed(File::open(path).map_err(io)?).map_err(io)?;
    read(BufReader::new(plain), path)
}

/// Reads questions. Names end at the root whether they have the dot or not; empty lines and those that begin with `;` or `#`
/// are passed over.
///
/// # Errors
/// [`ReadError`], with the line.
pub fn read(source: impl BufRead, path: &Path) -> Result<List, ReadError> {
    let mut lines = Lines { source, path: path.to_path_buf(), number: 0 };
    let mut questions = Vec::new();
    while let Some((_, line)) = lines.next()? {
        if line.is_empty() || line.starts_with(b";") || line.starts_with(b"#") {
            continue;
        }
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (Some(name), Some(rtype), None) = (words.next(), words.next(), words.next()) else {
            return Err(lines.wrong(format!("{} is not a name and a type: www.example. A", shown(&line))));
        };
        questions.push(question(name, rtype).map_err(|what| lines.wrong(what))?);
    }
    if questions.is_empty() {
        return Err(ReadError::Empty {
            path: path.to_path_buf(),
            remedy: "give a name and a type on each line".to_owned(),
        });
    }
    Ok(List(questions.into()))
}

/// A question as it is written, or what is wrong with it.
pub(super) fn question(name: &[u8], rtype: &[u8]) -> Result<Question, String> {
    let read = Name::parse(name, Some(&Name::ROOT));
    let name = read.map_err(|error| format!("{} is no name: {error}", shown(name)))?;
    let known: Option<Rtype> = std::str::from_utf8(rtype).ok().and_then(rtype_of);
    let rtype = known.ok_or_else(|| format!("{} is no type; write A, AAAA or TYPE65", shown(rtype)))?;
    Ok(Question::new(&name, rtype))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_text(text: &str) -> Result<Vec<String>, String> {
        let list = read(text.as_bytes(), "q".as_ref()).map_err(|error| error.to_string())?;
        Ok(list.questions().iter().map(|asked| format!("{} {}", asked.name(), asked.rtype())).collect())
    }

    #[test]
    fn as_dnsperf_reads_them() {
        let text = "; a comment\nwww.Example.COM A\n\n  . \t NS \r\n# another\na\\.b. type65";
        let expected = ["www.example.com. A", ". NS", "a\\.b. HTTPS"].map(str::to_owned);
        assert_eq!(read_text(text), Ok(expected.to_vec()));
        assert_eq!(read_text("x. ANY").map(|list| list.len()), Ok(1));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, part) in [
            ("a. A\nb.", "q, line 2: “b.” "),
            ("a. A IN", "q, line 1: "),
            ("a..b A", "q, line 1: “a..b” "),
            ("a. \x1b[2J", "“\\x1b[2J”"),
            ("", "q "),
            (";\n", "q "),
            (&"a".repeat(10_000), " 4096 "),
        ] {
            let error = read_text(text).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&*text, "q".as_ref());
        }
    }
}
