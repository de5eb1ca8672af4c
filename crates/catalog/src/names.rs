//! The error for a name that nothing has, with the names that were probably meant.

use std::fmt;

/// A name that was asked for and that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    what: String,
    asked: String,
    near: Vec<String>,
    known: Vec<String>,
}

impl UnknownName {
    pub(crate) fn new<'a>(
        what: impl Into<String>,
        asked: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<String> = known.into_iter().map(str::to_string).collect();
        let mut near: Vec<(usize, &String)> = known
            .iter()
            .map(|name| (distance(&simplified(asked), &simplified(name)), name))
            .filter(|(edits, name)| *edits <= 1 + name.len() / 4)
            .collect();
        near.sort();
        let near = near.into_iter().take(3).map(|(_, name)| name.clone()).collect();
        UnknownName { what: what.into(), asked: asked.to_string(), near, known }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} named '{}'; ", self.what, self.asked)?;
        match (self.near.as_slice(), self.known.as_slice()) {
            (_, []) => f.write_str("there are none at all"),
            ([], known) => write!(f, "known are: {}", known.join(", ")),
            (near, _) => write!(f, "did you mean {}?", near.join(" or ")),
        }
    }
}

impl std::error::Error for UnknownName {}

/// What remains when spelling habits are taken away: `ML-DSA_44` and `mldsa44` are the same.
fn simplified(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Levenshtein's edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["ml-dsa-44", "ml-dsa-65", "ed25519", "rsa-2048"];

    #[test]
    fn suggests_what_was_probably_meant() {
        let text = UnknownName::new("algorithm", "MLDSA44", KNOWN).to_string();
        assert!(text.contains("did you mean ml-dsa-44"), "{text}");
        let text = UnknownName::new("algorithm", "ed2519", KNOWN).to_string();
        assert!(text.ends_with("did you mean ed25519?"), "{text}");
    }

    #[test]
    fn lists_everything_when_nothing_is_near() {
        let text = UnknownName::new("algorithm", "kyber", KNOWN).to_string();
        assert!(text.ends_with("known are: ml-dsa-44, ml-dsa-65, ed25519, rsa-2048"), "{text}");
    }

    #[test]
    fn edit_distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
