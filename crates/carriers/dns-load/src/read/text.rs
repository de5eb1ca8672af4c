//! Questions as `dnsperf` reads them: a name and a type on each line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::Path;
use std::sync::Arc;

use fieldtest_capture::uncompressed;
use fieldtest_dnssec::{Name, Rtype};

use super::{Lines, ReadError, shown};
use crate::query::{Question, rtype_of};

/// Questions in their order, at least one.
#[derive(Debug, Clone)]
pub struct List {
    questions: Arc<[Question]>,
    passed_over: PassedOver,
}

/// Lines that are no questions.
#[derive(Debug, Clone, Default)]
pub struct PassedOver {
    /// How many there are.
    pub lines: u64,
    /// The numbers of the first ones.
    pub first: Vec<u64>,
    /// What is wrong with the first one.
    pub why: String,
}

impl List {
    /// The questions.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The lines that are no questions, as logs have them among others.
    pub fn passed_over(&self) -> &PassedOver {
        &self.passed_over
    }

    pub(crate) fn into_questions(self) -> Arc<[Question]> {
        self.questions
    }
}

/// Reads questions from a file, or from standard input if it is `-`; they may be compressed by gzip, xz or Zstandard.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path) -> Result<List, ReadError> {
    let io = |source| ReadError::Io { path: path.to_path_buf(), source };
    let packed: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(stdin()),
        false => Box::new(File::open(path).map_err(io)?),
    };
    read(BufReader::new(uncompressed(packed).map_err(io)?), path)
}

/// Reads questions as `dnsperf` does, so that its lists serve here: names end at the root with and without
/// the dot; empty lines, comments (`;`, `#`), words behind the type and lines that are no questions are
/// passed over.
///
/// # Errors
/// [`ReadError`] where none is a question.
pub fn read(source: impl BufRead, path: &Path) -> Result<List, ReadError> {
    /// As many numbers as a message has room for.
    const FIRST: usize = 5;
    let mut lines = Lines { source, path: path.to_path_buf(), number: 0 };
    let (mut questions, mut passed_over) = (Vec::new(), PassedOver::default());
    loop {
        let read = match lines.next() {
            Ok(None) => break,
            Ok(Some((_, line))) if line.is_empty() || line.starts_with(b";") || line.starts_with(b"#") => {
                continue;
            }
            Ok(Some((_, line))) => of_line(&line),
            Err(ReadError::Line { what, .. }) => Err(what),
            Err(error) => return Err(error),
        };
        match read {
            Ok(question) => questions.push(question),
            Err(why) => {
                passed_over.lines += 1;
                if passed_over.first.len() < FIRST {
                    passed_over.first.push(lines.number);
                }
                if passed_over.why.is_empty() {
                    passed_over.why = why;
                }
            }
        }
    }
    if questions.is_empty() {
        let (path, PassedOver { first, why: what, .. }) = (path.to_path_buf(), passed_over);
        let remedy = "give a name and a type on each line, such as www.example. A".to_owned();
        return Err(match first.first() {
            Some(line) => ReadError::Line { path, line: *line, what },
            None => ReadError::Empty { path, remedy },
        });
    }
    Ok(List { questions: questions.into(), passed_over })
}

fn of_line(line: &[u8]) -> Result<Question, String> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (Some(name), Some(rtype)) = (words.next(), words.next()) else {
        return Err(format!(
            "invalid query {}: expected a name and a type, such as www.example. A",
            shown(line)
        ));
    };
    question(name, rtype)
}

pub(super) fn question(name: &[u8], rtype: &[u8]) -> Result<Question, String> {
    let read = Name::parse(name, Some(&Name::ROOT));
    let name = read.map_err(|error| format!("invalid name {}: {error}", shown(name)))?;
    let known: Option<Rtype> = std::str::from_utf8(rtype).ok().and_then(rtype_of);
    let rtype = known
        .ok_or_else(|| format!("invalid type {}: expected one such as A, AAAA or TYPE65", shown(rtype)))?;
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
        let text = "; a comment\nwww.Example.COM A 1\n\n  . \t NS \r\n# another\na\\.b. type65";
        let expected = ["www.example.com. A", ". NS", "a\\.b. HTTPS"].map(str::to_owned);
        assert_eq!(read_text(text), Ok(expected.to_vec()));
        assert_eq!(read_text("x. ANY").map(|list| list.len()), Ok(1));
    }

    #[test]
    fn lines_that_are_no_questions_are_passed_over() {
        let text = format!("a. A\nb.\n{}\n;\nc..d A\n{}. A", "x".repeat(10_000), "e");
        let list = read(text.as_bytes(), "q".as_ref()).expect("two questions");
        let PassedOver { lines, first, why } = list.passed_over();
        assert_eq!((list.questions().len(), *lines, &first[..]), (2, 3, &[2, 3, 5][..]));
        assert!(why.contains("'b.'"), "{why}");
        for (text, part) in [
            ("", "q "),
            (";\n", "q "),
            ("a..b A", "line 1: invalid name 'a..b': "),
            ("a. \x1b[2J", "'\\x1b[2J'"),
            (&"a".repeat(10_000), " 4096 "),
        ] {
            let error = read_text(text).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_no_list() {
        let endless = BufReader::new(std::io::repeat(0));
        assert!(matches!(read(endless, "q".as_ref()), Err(ReadError::Format { .. })));
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&*text, "q".as_ref());
        }
    }
}
