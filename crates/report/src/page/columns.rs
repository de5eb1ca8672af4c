//! What columns hold, for whoever asks: of each section those whose names alone do not say it.

use crate::report::Report;
use crate::section::Section;
use crate::section::identifier;

/// What columns hold that several studies have, in the form of a chapter's.
const COLUMNS: &str = include_str!("columns.txt");

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
    let study_section =
        report.study_sections().iter().find(|study_section| identifier(study_section.study) == section.id);
    let own = study_section.map_or("", |study_section| study_section.columns);
    let mut found: Vec<Meaning> = Vec::new();
    for name in names {
        let meaning = longest(own, name).or_else(|| longest(COLUMNS, name));
        if let Some(meaning) = meaning.filter(|_| !found.iter().any(|it| it.name == name)) {
            found.push(Meaning { name: name.to_owned(), meaning });
        }
    }
    found
}

/// The meaning of the longest entry that a name is or begins with.
fn longest(known: &'static str, name: &str) -> Option<&'static str> {
    let is =
        |entry: &str| name.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let entries = known.lines().filter_map(|line| line.split_once(" | "));
    let found = entries.filter(|(entry, _)| is(entry)).max_by_key(|(entry, _)| entry.len());
    found.map(|(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::longest;

    #[test]
    fn the_longest_beginning_counts() {
        let known = "sign | one\nsign, wall | all\nmap, | names\n";
        assert_eq!(longest(known, "sign"), Some("one"));
        assert_eq!(longest(known, "sign, wall"), Some("all"));
        assert_eq!(longest(known, "map, processor"), Some("names"));
        assert_eq!(longest(known, "signature"), None);
    }
}
