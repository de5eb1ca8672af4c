//! What auxiliary files repeat of a commit.

use crate::ObjectId;

/// A commit's tree, parents and date.
pub(super) struct Commit {
    pub(super) tree: Option<ObjectId>,
    pub(super) parents: Vec<ObjectId>,
    /// Seconds since 1970 of the committer, as Git reads them: behind the line's last `>`, and behind the first one, as it
    /// did until 2.41. What is no number is 0, and what is before 1970 far in the future.
    pub(super) dates: [u64; 2],
}

impl Commit {
    /// Reads the headers that Git reads: the tree, the parents that follow, and the two people.
    pub(super) fn parse(content: &[u8]) -> Commit {
        let mut lines = content.split(|&byte| byte == b'\n').peekable();
        let id = |line: &[u8], name: &[u8]| line.strip_prefix(name).and_then(ObjectId::from_hex);
        let tree = lines.next_if(|line| line.starts_with(b"tree ")).and_then(|line| id(line, b"tree "));
        let mut parents = Vec::new();
        while let Some(parent) = lines.next_if(|line| line.starts_with(b"parent ")) {
            parents.extend(id(parent, b"parent "));
        }
        let author = lines.next_if(|line| line.starts_with(b"author"));
        let committer = lines.next_if(|line| author.is_some() && line.starts_with(b"committer"));
        let committer = committer.unwrap_or_default();
        let behind = |at: Option<usize>| at.and_then(|at| committer.get(at + 1..)).map_or(0, seconds);
        let is_end = |byte: &u8| *byte == b'>';
        let dates = [behind(committer.iter().rposition(is_end)), behind(committer.iter().position(is_end))];
        Commit { tree, parents, dates }
    }
}

/// What strtoumax(3) makes of a text, with which Git reads times: a sign turns a number round 2⁶⁴, one that is too large is
/// the largest.
fn seconds(text: &[u8]) -> u64 {
    let text = text.trim_ascii_start();
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut seconds: Option<u64> = Some(0);
    for digit in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        seconds = seconds.and_then(|seconds| seconds.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    }
    match seconds {
        Some(seconds) if is_negative => seconds.wrapping_neg(),
        Some(seconds) => seconds,
        None => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_git_reads_them() {
        let dates = |committer: &str| {
            let id = "12".repeat(20);
            Commit::parse(format!("tree {id}\nauthor a <a> 1 +0000\n{committer}\n\nx").as_bytes()).dates
        };
        for (text, wanted) in [
            ("5 +0000", 5),
            ("", 0),
            ("x", 0),
            ("+7 +0000", 7),
            ("12x", 12),
            ("-5 +0000", u64::MAX - 4),
            ("-0", 0),
            ("68719476737 +0000", 68_719_476_737),
            ("18446744073709551615", u64::MAX),
            ("99999999999999999999 +0000", u64::MAX),
        ] {
            assert_eq!(dates(&format!("committer a <a> {text}")), [wanted; 2], "{text:?}");
        }
        assert_eq!(dates("committer a> <a> 5 +0000"), [5, 0]);
        assert_eq!(dates("x"), [0, 0]);
    }
}
