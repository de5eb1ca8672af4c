//! Headers as commits and tags have them: a line `name value`, and lines beginning with a space that continue it.

/// The lines of a text, each with its newline; the last may have none. Yields the offset of each, too.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split_inclusive(|&byte| byte == b'\n').scan(0, |next, line| {
        let offset = *next;
        *next += line.len();
        Some((offset, line))
    })
}

/// The first header of `text`: its first line and the lines that continue it, all with their newlines.
///
/// None if its last line has no newline.
pub(super) fn first_header(text: &[u8]) -> Option<Header<'_>> {
    let line_end = |from: usize| {
        let rest = text.get(from..)?;
        Some(from + rest.iter().position(|&byte| byte == b'\n')? + 1)
    };
    let first_line = line_end(0)?;
    let mut end = first_line;
    while text.get(end) == Some(&b' ') {
        end = line_end(end)?;
    }
    Some(Header { whole: text.get(..end)?, first_line: text.get(..first_line)?.strip_suffix(b"\n")? })
}

pub(super) struct Header<'a> {
    /// All of its lines with their newlines.
    pub(super) whole: &'a [u8],
    pub(super) first_line: &'a [u8],
}

impl<'a> Header<'a> {
    /// What follows `name` and a space, unless that is nothing. Git does not take a line `tree ` for a tree's header.
    pub(super) fn value(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.first_line.strip_prefix(name)?.strip_prefix(b" ").filter(|value| !value.is_empty())
    }

    /// What stands before the first space, for messages.
    pub(super) fn name(&self) -> String {
        let name = self.first_line.split(|&byte| byte == b' ').next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }

    pub(super) fn continuation(&self) -> &'a [u8] {
        self.whole.get(self.first_line.len() + 1..).unwrap_or_default()
    }
}
