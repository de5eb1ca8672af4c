//! What auxiliary files repeat of a commit.

use crate::ObjectId;

/// A commit's tree, parents and date.
pub(super) struct Commit {
    pub(super) tree: Option<ObjectId>,
    pub(super) parents: Vec<ObjectId>,
    /// Seconds since 1970 of the committer; none where it is written in another way than people's clocks write it.
    pub(super) date: Option<u64>,
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
        let author = lines.next_if(|line| line.starts_with(b"author "));
        let committer = lines.next_if(|line| author.is_some() && line.starts_with(b"committer "));
        Commit { tree, parents, date: committer.and_then(date) }
    }
}

fn date(line: &[u8]) -> Option<u64> {
    let behind = line.iter().rposition(|&byte| byte == b'>')? + 1;
    let text = line.get(behind..)?.trim_ascii_start();
    let digits = text.split(|byte| !byte.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
