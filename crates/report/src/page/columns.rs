//! What columns hold, for whoever asks: of each section those whose names alone do not say it.

use crate::report::Report;
use crate::section::Section;
use crate::section::identifier;

/// Names of columns that several studies have, or their beginnings, and what they hold.
const COLUMNS: [(&str, &str); 28] = [
    ("rank", "the place among those who qualify; = where the measurement cannot tell them apart"),
    ("why", "everything that is asked and that it lacks"),
    (
        "status",
        "standard, provisional (a draft), candidate (of a competition), research, superseded, withdrawn or broken",
    ),
    (
        "security warnings",
        "open warnings about its security, and attacks; the section on security has them with their sources",
    ),
    ("implemented by", "who has it, of those that were looked at"),
    ("post-quantum", "whether it is meant to withstand a quantum computer"),
    ("level", "the category of security that NIST's documents claim"),
    ("keygen", "a new key pair"),
    ("sign", "one signature"),
    ("verify once", "from a key's bytes to the verdict on one signature, with nothing kept"),
    ("verify", "one verification with a key that is prepared already"),
    ("sign, wall", "all of it signed on all cores, by the clock on the wall"),
    ("verify, wall", "all of it verified on all cores, by the clock on the wall"),
    ("validate, wall", "all of it validated on all cores, by the clock on the wall"),
    ("sign, processor", "the same, as the sum of what all cores worked"),
    ("verify, processor", "the same, as the sum of what all cores worked"),
    ("validate, processor", "the same, as the sum of what all cores worked"),
    ("processor", "the sum of what all cores worked"),
    ("known answers", "official test vectors that this code reproduced in the run that timed it"),
    ("estimator", "how the figure was found: exact, median, extrapolated, published and so on"),
    ("samples", "how many rounds or windows the figure is made of"),
    ("in flag", "1 for yes, 0 for no"),
    ("of", "what the operation was done on"),
    ("by", "who published it"),
    ("rests on", "the problem that has to be hard"),
    ("gravest remark", "the worst of its dated remarks; the remarks stand below with their sources"),
    ("dated", "when that remark was made"),
    ("from", "where the official answers are from"),
];

/// A column's name as the page shows it, and what it holds.
pub(super) struct Meaning {
    pub(super) name: String,
    pub(super) meaning: &'static str,
}

/// What the columns of these names hold, as far as it is known, each once: by the study's own words, or those of all.
pub(super) fn meanings<'n>(
    report: &Report,
    section: &Section,
    names: impl Iterator<Item = &'n str>,
) -> Vec<Meaning> {
    let chapter = report.chapters().iter().find(|chapter| identifier(chapter.study()) == section.id);
    let own = chapter.map_or(&[][..], |chapter| chapter.columns());
    let mut found: Vec<Meaning> = Vec::new();
    for name in names {
        let meaning = longest(own, name).or_else(|| longest(&COLUMNS, name));
        if let Some(meaning) = meaning.filter(|_| !found.iter().any(|it| it.name == name)) {
            found.push(Meaning { name: name.to_owned(), meaning });
        }
    }
    found
}

/// The meaning of the longest entry that a name is or begins with.
fn longest(known: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    let is =
        |entry: &str| name.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let found = known.iter().filter(|(entry, _)| is(entry)).max_by_key(|(entry, _)| entry.len());
    found.map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::longest;

    #[test]
    fn the_longest_beginning_counts() {
        let known = [("sign", "one"), ("sign, wall", "all"), ("map,", "names")];
        assert_eq!(longest(&known, "sign"), Some("one"));
        assert_eq!(longest(&known, "sign, wall"), Some("all"));
        assert_eq!(longest(&known, "map, processor"), Some("names"));
        assert_eq!(longest(&known, "signature"), None);
    }
}
