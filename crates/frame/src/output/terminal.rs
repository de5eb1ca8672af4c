//! Terminals: what is written to one has to be text that does nothing but be seen.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};

use crate::text;

/// What is written to a terminal. A file is written to many times, and a character may lie across two of them.
#[derive(Debug)]
pub(super) struct Terminal {
    /// The beginning of a character.
    begun: Vec<u8>,
}

impl Terminal {
    /// Nothing if the file is none.
    pub(super) fn of(file: &File) -> Option<Terminal> {
        file.is_terminal().then(|| Terminal { begun: Vec::new() })
    }

    /// Writes all of it, or nothing.
    pub(super) fn write(&mut self, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        let whole = match str::from_utf8(&text) {
            Ok(_) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(no_text()),
        };
        let (whole, begun) = text.split_at(whole);
        let whole = str::from_utf8(whole).map_err(|_| no_text())?;
        if text::document(whole) != whole {
            return Err(no_text());
        }
        file.write_all(whole.as_bytes())?;
        self.begun = begun.to_vec();
        Ok(bytes.len())
    }

    pub(super) fn end(self) -> io::Result<()> {
        if self.begun.is_empty() { Ok(()) } else { Err(no_text()) }
    }
}

fn no_text() -> io::Error {
    io::Error::other(
        "cannot write it to a terminal, since it is not text or contains control characters; give a file, or write it to a pipe \
         (such as | cat -v)",
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _};

    use super::*;

    /// What a terminal shows of these writes, and whether it took all of them.
    fn shown(writes: &[&[u8]]) -> (String, bool) {
        let mut file = tempfile::tempfile().expect("a file");
        let mut terminal = Terminal { begun: Vec::new() };
        let taken = writes.iter().all(|bytes| terminal.write(&file, bytes).is_ok()) && terminal.end().is_ok();
        let mut text = String::new();
        file.rewind().and_then(|()| file.read_to_string(&mut text)).expect("its content");
        (text, taken)
    }

    #[test]
    fn text_is_shown_wherever_it_is_cut() {
        let text = "größe\t大小 🙂\n";
        for cut in 0..=text.len() {
            let (one, other) = text.as_bytes().split_at(cut);
            assert_eq!(shown(&[one, b"", other]), (text.to_owned(), true), "{cut}");
        }
    }

    #[test]
    fn nothing_else_is() {
        for bytes in [&b"\x1b[2J"[..], b"\0", b"\xff", b"a\xc3(", b"\xe2\x80", "\u{202e}".as_bytes(), b"\x7f"]
        {
            let (text, taken) = shown(&[b"zone\n", bytes]);
            assert!(!taken && text == "zone\n", "{bytes:?}");
        }
        // Neither if it comes in pieces.
        assert_eq!(shown(&[b"\xe2", b"\x80", b"\xae"]), (String::new(), false));
    }
}
