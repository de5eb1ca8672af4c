//! The vector files of this workspace: a row per case, columns separated by spaces, `#` before comments.

use crate::adapt::hex;

pub(crate) fn rows(text: &'static str) -> impl Iterator<Item = Row> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| Row(line.split(' ').collect()))
}

/// One case. Columns count from 0.
pub(crate) struct Row(Vec<&'static str>);

impl Row {
    /// A column as it is written.
    ///
    /// # Panics
    /// If the embedded file has no such column, which the first proof that reads it shows.
    pub(crate) fn text(&self, column: usize) -> &'static str {
        self.0[column]
    }

    /// A column of hexadecimal digits, or `-` for no bytes.
    ///
    /// # Panics
    /// As [`Row::text`], and if these are not digits.
    pub(crate) fn bytes(&self, column: usize) -> Vec<u8> {
        match self.text(column) {
            "-" => Vec::new(),
            digits => hex(digits),
        }
    }

    /// A column that holds a number.
    ///
    /// # Panics
    /// As [`Row::text`], and if this is no number.
    pub(crate) fn count(&self, column: usize) -> usize {
        self.text(column).parse().expect("a number in a vector file")
    }
}
