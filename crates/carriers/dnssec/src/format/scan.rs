//! Cuts a zone file into entries and tokens (RFC 1035, section 5.1), reading it piece by piece.

use std::io::Read;

use crate::rdata::Token;

/// A record or directive: its tokens, and whether it began with white space.
pub(super) struct Entry<'a> {
    /// The line it begins in, from 1.
    pub(super) line: u64,
    pub(super) indented: bool,
    pub(super) tokens: Vec<Token<'a>>,
}

/// What ends the reading of a file: a fault in its text, or one of the file system.
pub(super) enum Stop {
    Syntax { line: u64, what: String },
    Io(std::io::Error),
}

/// Reads entries from `source`, holding one block and at most one entry more in memory.
pub(super) struct Scanner<R> {
    source: R,
    buffer: Vec<u8>,
    /// Start of what is not yet handed out.
    at: usize,
    ended: bool,
    line: u64,
    ranges: Vec<(usize, usize, bool)>,
}

const BLOCK: usize = 1 << 18;
/// No record needs more: 65,535 octets of RDATA are four times as many characters where each is escaped.
const LONGEST_ENTRY: usize = 1 << 22;

enum Scanned {
    Entry { line: u64, indented: bool, next: usize, next_line: u64 },
    NeedsMore,
    End,
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(source: R) -> Self {
        Scanner { source, buffer: Vec::new(), at: 0, ended: false, line: 1, ranges: Vec::new() }
    }

    pub(super) fn entry(&mut self) -> Result<Option<Entry<'_>>, Stop> {
        loop {
            match self.scan()? {
                Scanned::Entry { line, next, .. } if next - self.at > LONGEST_ENTRY => {
                    return Err(too_long(line));
                }
                Scanned::Entry { line, indented, next, next_line } => {
                    self.at = next;
                    self.line = next_line;
                    let tokens = self
                        .ranges
                        .iter()
                        .map(|&(from, to, quoted)| Token { text: &self.buffer[from..to], quoted })
                        .collect();
                    return Ok(Some(Entry { line, indented, tokens }));
                }
                Scanned::NeedsMore if self.buffer.len() - self.at > LONGEST_ENTRY => {
                    return Err(too_long(self.line));
                }
                Scanned::NeedsMore => self.refill().map_err(Stop::Io)?,
                Scanned::End => return Ok(None),
            }
        }
    }

    /// Drops what was handed out and reads another block behind the rest.
    fn refill(&mut self) -> std::io::Result<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let kept = self.buffer.len();
        // An entry longer than a block makes the blocks grow, so that it is rescanned a logarithmic number of times.
        let wanted = BLOCK.max(kept);
        let read = (&mut self.source).take(wanted as u64).read_to_end(&mut self.buffer)?;
        self.ended = read < wanted;
        Ok(())
    }

    /// Finds the tokens of the entry that starts at `self.at`.
    fn scan(&mut self) -> Result<Scanned, Stop> {
        let (mut at, mut line) = (self.at, self.line);
        let text = &self.buffer[..];
        let mut first_line = line;
        // White space makes an entry one without an owner only where it begins the line, as in BIND: behind a parenthesis
        // it is nothing but space.
        let (mut indented, mut begun) = (false, false);
        let mut opened: Vec<u64> = Vec::new();
        self.ranges.clear();
        loop {
            let Some(&octet) = text.get(at) else {
                if !self.ended {
                    return Ok(Scanned::NeedsMore);
                }
                if let Some(line) = opened.first() {
                    return Err(syntax(
                        *line,
                        "the parenthesis that opens here is never closed; is the file cut off?",
                    ));
                }
                if self.ranges.is_empty() {
                    return Ok(Scanned::End);
                }
                return Ok(Scanned::Entry { line: first_line, indented, next: at, next_line: line });
            };
            match octet {
                b'\n' => {
                    at += 1;
                    line += 1;
                    if opened.is_empty() {
                        if !self.ranges.is_empty() {
                            return Ok(Scanned::Entry {
                                line: first_line,
                                indented,
                                next: at,
                                next_line: line,
                            });
                        }
                        (indented, begun) = (false, false);
                        // What is empty is not read again.
                        (self.at, self.line) = (at, line);
                    }
                }
                b' ' | b'\t' | b'\r' => {
                    indented |= !begun;
                    at += 1;
                }
                b';' => at += text[at..].iter().position(|&o| o == b'\n').unwrap_or(text.len() - at),
                b'(' => {
                    opened.push(line);
                    begun = true;
                    at += 1;
                }
                b')' => {
                    if opened.pop().is_none() {
                        return Err(syntax(line, "a closing parenthesis without an opening one"));
                    }
                    at += 1;
                }
                _ => {
                    if self.ranges.is_empty() {
                        first_line = line;
                    }
                    let quoted = octet == b'"';
                    let from = at + usize::from(quoted);
                    let Some(to) = token_end(text, from, quoted) else {
                        if !self.ended {
                            return Ok(Scanned::NeedsMore);
                        }
                        return Err(syntax(line, "the file ends inside a quoted text or an escape"));
                    };
                    if text.get(to) == Some(&b'\\') {
                        return Err(syntax(line, "a backslash at the end of the line escapes nothing"));
                    }
                    if quoted && text[to] == b'\n' {
                        return Err(syntax(line, "the quote that opens here is not closed in its line"));
                    }
                    // A token that touches the end of the block may go on in the next one.
                    if to == text.len() && !self.ended {
                        return Ok(Scanned::NeedsMore);
                    }
                    self.ranges.push((from, to, quoted));
                    begun = true;
                    at = to + usize::from(quoted);
                }
            }
        }
    }
}

fn too_long(line: u64) -> Stop {
    syntax(line, "the entry that begins here is longer than 4 MiB; is a parenthesis never closed?")
}

fn syntax(line: u64, what: &str) -> Stop {
    Stop::Syntax { line, what: what.to_string() }
}

/// Where the token that begins at `from` ends, which is at the backslash if one ends its line; `None` if the text ends
/// inside it.
fn token_end(text: &[u8], from: usize, quoted: bool) -> Option<usize> {
    let mut at = from;
    loop {
        match text.get(at) {
            None => return (!quoted).then_some(at),
            Some(b'\\') => {
                match &text[at + 1..] {
                    // A line break is never escaped: the next record would become part of this one.
                    [b'\n', ..] | [b'\r', b'\n', ..] => return Some(at),
                    // A carriage return may be the first half of a line break.
                    [] | [b'\r'] => return None,
                    _ => at += 2,
                }
            }
            Some(b'"') => return Some(at),
            Some(b'\n') => return Some(at),
            Some(b' ' | b'\t' | b'\r' | b';' | b'(' | b')') if !quoted => return Some(at),
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time, so that every token meets the end of a block.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let len = self.0.len().min(out.len()).min(1);
            out[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn tokens(text: &str) -> Result<Vec<(u64, bool, Vec<String>)>, u64> {
        let mut scanner = Scanner::new(Trickle(text.as_bytes()));
        let mut found = Vec::new();
        loop {
            match scanner.entry() {
                Ok(Some(entry)) => {
                    found.push((entry.line, entry.indented, entry.tokens.iter().map(|t| t.shown()).collect()))
                }
                Ok(None) => return Ok(found),
                Err(Stop::Syntax { line, .. }) => return Err(line),
                Err(Stop::Io(_)) => return Err(0),
            }
        }
    }

    #[test]
    fn entries_and_tokens() {
        let text = "; comment\n\na 1 (b ; c\n d)e\n\tx \"q ; (\" y\\ z\nlast";
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        assert_eq!(
            tokens(text).unwrap(),
            [
                (3, false, words(&["a", "1", "b", "d", "e"])),
                (5, true, words(&["x", "q ; (", "y\\ z"])),
                (6, false, words(&["last"])),
            ]
        );
    }

    /// The owner may stand in parentheses, and `( IN` has the owner `IN`: so BIND 9.18 reads all of these.
    #[test]
    fn owners_in_parentheses() {
        for (text, owned) in [
            ("( a IN\n TXT x )", true),
            ("(a) IN TXT x", true),
            ("(\n a IN TXT x )", true),
            ("(\t\n a IN TXT x )", true),
            ("() a IN TXT x", true),
            ("\n\r\n( a IN TXT x )", true),
            (" ( a IN TXT x )", false),
            ("\t(a IN TXT x )", false),
            (" ; comment\n( a IN TXT x )", true),
            ("a\n (IN TXT x )", false),
        ] {
            let found = tokens(text).map(|found| found.last().map(|(_, indented, _)| !indented));
            assert_eq!(found, Ok(Some(owned)), "{text:?}");
        }
    }

    #[test]
    fn faults_name_their_line() {
        assert_eq!(tokens("a\nb ( c\n\n"), Err(2));
        assert_eq!(tokens("a )"), Err(1));
        assert_eq!(tokens("a\n\"b\nc\""), Err(2));
        assert_eq!(tokens("a \"b"), Err(1));
        assert_eq!(tokens("a b\\"), Err(1));
        for end in ["", "\n", "\r", "\r\n", "\nc d\n", "\r\nc d\r\n"] {
            assert_eq!(tokens(&format!("x\na TXT foo\\{end}")), Err(2), "{end:?}");
            assert_eq!(tokens(&format!("x\na TXT \"foo\\{end}")), Err(2), "{end:?}");
        }
        // What is escaped itself escapes nothing.
        assert_eq!(tokens("a b\\\\\nc").map(|found| found.len()), Ok(2));
    }
}
