//! What is known of an algorithm without running it, read from the TOML files under `facts/`.
//!
//! A file describes one family: a `[family]` table with what all its members share, then one `[[algorithm]]` each,
//! which may override it. The files are embedded, so that the program needs nothing but itself. The directory a file lies
//! in says the kind of its algorithms, and the kind says which keys an entry has beside the common ones.

use fieldtest_text::toml as toml_words;
use fieldtest_text::words;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Table;

use crate::kind::{Kind, KindFacts, Signature};

/// One algorithm's facts.
#[derive(Debug, Clone)]
pub struct Facts<K: Kind = Signature> {
    /// The name users type, `ml-dsa-44`.
    pub name: String,
    /// The name people write, `ML-DSA-44`.
    pub title: String,
    /// The family's name as people write it, `ML-DSA`.
    pub family: String,
    /// What else people call it.
    pub names: OtherNames,
    /// Where it stands on its way.
    pub status: Status,
    /// The document that defines it.
    pub standard: String,
    /// The problem it rests on.
    pub hardness: String,
    /// Dated remarks on its security, newest first.
    pub notes: Vec<Note>,
    /// When what moves (a version, its sizes, its standing) was last looked up, and where.
    pub checked: Option<Checked>,
    /// What inventories of cryptography call it.
    pub cyclonedx: Option<Cyclonedx>,
    /// Whether a study takes it only where it is named: what few would deploy costs all others their time and their room.
    pub named_only: bool,
    /// What only algorithms of its kind have.
    pub kind: K::Facts,
}

/// What else people call an algorithm, in any case and with any hyphens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OtherNames {
    /// Names of the very same thing: they find it.
    pub same: Vec<String>,
    /// Names that may also mean something else, such as that of a curve or of all key lengths: they lead to it, and do
    /// not find it.
    pub wider: Vec<String>,
    /// Names of what it was before it was standardized, with changes.
    pub before: Vec<String>,
}

words! {
    /// Where an algorithm stands on its way.
    #[derive(PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Status {
        /// A published standard.
        Standard = "standard",
        /// A standard is announced; this is the best public guess at it.
        Provisional = "provisional",
        /// In a running competition, in its current version.
        Candidate = "candidate",
        /// A version that its authors replaced.
        Superseded = "superseded",
        /// Given up by its authors.
        Withdrawn = "withdrawn",
        /// Its claimed security is disproved.
        Broken = "broken",
        /// A research paper.
        Research = "research",
    }
}

/// A dated remark with its source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Note {
    /// ISO date, year and month, or year; of [`Severity::Changed`] the day on which the specification changed.
    pub date: String,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence.
    pub text: String,
    /// Where it is published.
    pub source: String,
}

impl Note {
    /// How bad it is on a day, which is an ISO date and may have a time behind it. The one rule for specifications that changed
    /// after an attack: a warning for [`PROBATION`] years from the change. With a note in words for each,
    /// SNOVA was excluded, and SQIsign and MAYO, changed after attacks in the same days, were not.
    pub fn severity_on(&self, day: &str) -> Severity {
        match self.severity {
            Severity::Changed if *day < *self.until() => Severity::Warning,
            Severity::Changed => Severity::Info,
            stated => stated,
        }
    }

    /// The day on which a change is no warning any more.
    fn until(&self) -> String {
        let year: u32 = self.date.get(..4).and_then(|year| year.parse().ok()).unwrap_or_default();
        format!("{:04}{}", year + PROBATION, self.date.get(4..).unwrap_or_default())
    }
}

/// Years for which a specification that changed after an attack is under a warning: as long as a round of NIST's
/// additional signatures took (October 2024 to September 2026), in which the changed ones are examined.
pub const PROBATION: u32 = 2;

/// When facts were looked up, and where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    /// ISO date.
    pub date: String,
    /// Where: a document, a library with its version, a repository with its commit.
    pub source: String,
}

/// What an inventory of cryptography in CycloneDX says of an algorithm, in the words of CycloneDX 1.7 (`cryptoProperties`
/// and the registry `cryptography-defs`). Only what has a family there has an entry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cyclonedx {
    /// `algorithmFamily`.
    pub family: String,
    /// `parameterSetIdentifier`.
    pub set: String,
    /// `ellipticCurve`, with its group: `nist/P-256`.
    pub curve: Option<String>,
    /// `padding`.
    pub padding: Option<String>,
    /// Object identifiers of exactly this.
    #[serde(default)]
    pub oids: Vec<String>,
    /// Object identifiers that leave something open (RSA's modulus, ECDSA's curve or hash, the length of a tag), the
    /// narrowest first.
    #[serde(default)]
    pub wider_oids: Vec<String>,
}

words! {
    /// How much a note matters to someone who would deploy the algorithm.
    #[derive(PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Severity {
        /// Good to know.
        Info = "info",
        /// The specification changed after an attack: a warning for [`PROBATION`] years.
        Changed = "changed",
        /// Think twice.
        Warning = "warning",
        /// Do not deploy.
        Broken = "broken",
    }
}

/// A file under `facts/` that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum FactsError {
    /// Not TOML, or not of this shape.
    #[error("{file}: {text}")]
    Parse {
        /// The file, relative to the workspace.
        file: String,
        text: String,
    },
    /// Neither the algorithm nor its family states this.
    #[error("{file}: '{algorithm}': '{field}' is missing; add it here or under [family]")]
    Missing {
        /// The file, relative to the workspace.
        file: String,
        algorithm: String,
        field: &'static str,
    },
    /// Two entries of one name.
    #[error("{file}: '{algorithm}' is described twice; remove one")]
    Duplicate {
        /// The file, relative to the workspace.
        file: String,
        algorithm: String,
    },
}

/// The facts in `files` (name and text of each) in the order of listing: by the kind's own rank, then by status, the
/// most settled first.
pub(crate) fn read<K: Kind>(files: &[(&str, &str)]) -> Result<Vec<Facts<K>>, FactsError> {
    let mut all: Vec<Facts<K>> = Vec::new();
    for (file, text) in files {
        for facts in parse(file, text)? {
            if all.iter().any(|known| known.name == facts.name) {
                return Err(FactsError::Duplicate { file: file.to_string(), algorithm: facts.name });
            }
            all.push(facts);
        }
    }
    all.sort_by_key(|facts| (facts.kind.rank(), facts.status));
    Ok(all)
}

/// A file as it is written. Entries stay tables: their keys depend on the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    family: Table,
    algorithm: Vec<Table>,
}

/// The keys of an entry that no kind has for itself; `title` and `notes` of a family are its own.
const COMMON: [&str; 10] = [
    "name",
    "title",
    "names",
    "hardness",
    "status",
    "standard",
    "notes",
    "checked",
    "cyclonedx",
    "named-only",
];

fn parse<K: Kind>(file: &str, text: &str) -> Result<Vec<Facts<K>>, FactsError> {
    let fault = |text: String| FactsError::Parse { file: file.to_string(), text };
    let of_text = |error: toml::de::Error| fault(toml_words::value(text, error.span(), error.message()));
    let File { mut family, algorithm } = toml::from_str(text).map_err(of_text)?;
    let of_family = |what: String| fault(format!("[family]: {what}"));
    let title: String = take(&mut family, "title")
        .and_then(|title| title.ok_or_else(|| "'title' is missing; add it".to_owned()))
        .map_err(of_family)?;
    let notes: Vec<Note> = take(&mut family, "notes").map_err(of_family)?.unwrap_or_default();
    algorithm.into_iter().map(|entry| merge(file, &title, &family, &notes, entry)).collect()
}

/// An entry with its family's statements where it makes none itself.
fn merge<K: Kind>(
    file: &str,
    family_title: &str,
    family: &Table,
    family_notes: &[Note],
    entry: Table,
) -> Result<Facts<K>, FactsError> {
    let algorithm = match entry.get("name") {
        Some(toml::Value::String(name)) => name.clone(),
        _ => "an algorithm without a name".to_owned(),
    };
    let fault =
        |what: String| FactsError::Parse { file: file.to_string(), text: format!("'{algorithm}': {what}") };
    let missing = |field| FactsError::Missing { file: file.to_string(), algorithm: algorithm.clone(), field };
    let mut keys = family.clone();
    keys.extend(entry);
    let (mut common, own): (Table, Table) =
        keys.into_iter().partition(|(key, _)| COMMON.contains(&key.as_str()));
    let mut notes: Vec<Note> = take(&mut common, "notes").map_err(fault)?.unwrap_or_default();
    notes.extend_from_slice(family_notes);
    for note in notes.iter_mut().filter(|note| note.severity == Severity::Changed) {
        note.text = format!(
            "The specification changed on {} because of an attack, a warning until {}: {}",
            note.date,
            note.until(),
            note.text
        );
    }
    notes.sort_by(|a, b| b.date.cmp(&a.date));
    Ok(Facts {
        name: take(&mut common, "name").map_err(fault)?.ok_or_else(|| missing("name"))?,
        title: take(&mut common, "title").map_err(fault)?.ok_or_else(|| missing("title"))?,
        family: family_title.to_owned(),
        names: take(&mut common, "names").map_err(fault)?.unwrap_or_default(),
        status: take(&mut common, "status").map_err(fault)?.ok_or_else(|| missing("status"))?,
        standard: take(&mut common, "standard").map_err(fault)?.ok_or_else(|| missing("standard"))?,
        hardness: take(&mut common, "hardness").map_err(fault)?.ok_or_else(|| missing("hardness"))?,
        notes,
        checked: take(&mut common, "checked").map_err(fault)?,
        cyclonedx: take(&mut common, "cyclonedx").map_err(fault)?,
        named_only: take(&mut common, "named-only").map_err(fault)?.unwrap_or_default(),
        kind: own.try_into().map_err(|error| fault(in_words("", &error)))?,
    })
}

fn take<T: DeserializeOwned>(table: &mut Table, key: &str) -> Result<Option<T>, String> {
    let value = table.remove(key).map(toml::Value::try_into);
    value.transpose().map_err(|error| in_words(key, &error))
}

/// What is wrong with the value of a key, or with that of a key within it, which the error then names.
pub(crate) fn in_words(key: &str, error: &toml::de::Error) -> String {
    toml_words::of_table(key, error.message(), &error.to_string())
}

/// Whether a text is a year, a month or a day: `2026-11-22`.
pub(crate) fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_within = |(part, (length, most)): (&&str, (usize, u16))| {
        part.len() == length && is_digits(part) && part.parse().is_ok_and(|part| (1..=most).contains(&part))
    };
    parts.len() <= 3 && parts.iter().zip([(4, 9999), (2, 12), (2, 31)]).all(is_within)
}

/// Whether a date says the day: `2026-11-22`.
#[cfg(test)]
pub(crate) fn is_day(date: &str) -> bool {
    date.len() == 10
        && date.split('-').map(str::len).eq([4, 2, 2])
        && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_overrides_its_family_and_notes_are_joined() {
        let text = r#"
            [family]
            title = "F"
            post-quantum = true
            hardness = "h"
            status = "candidate"
            standard = "s"
            [[family.notes]]
            date = "2025-01"
            severity = "info"
            text = "old"
            source = "x"
            [[algorithm]]
            name = "f-1"
            title = "F-1"
            public-key = 1
            secret-key = 2
            signature = 3
            status = "broken"
            [[algorithm.notes]]
            date = "2026-01-02"
            severity = "broken"
            text = "new"
            source = "y"
        "#;
        let facts = parse::<Signature>("f.toml", text).unwrap().remove(0);
        assert_eq!((facts.status, facts.hardness.as_str()), (Status::Broken, "h"));
        assert_eq!(facts.notes.iter().map(|n| n.text.as_str()).collect::<Vec<_>>(), ["new", "old"]);
    }

    #[test]
    fn errors_name_the_file_and_what_is_missing() {
        let error = |text: &str| parse::<Signature>("facts/x.toml", text).expect_err("refused").to_string();
        let text = error("[family\ntitle = 3");
        assert!(text.starts_with("facts/x.toml: ") && text.contains("line 1"), "{text}");
        assert!(error("algorithm = []\n[family]\ntitle = 3").contains("[family]: "));
        let sized = "[family]\ntitle='X'\npost-quantum=false\n[[algorithm]]\nname='x'\ntitle='X'\npublic-key=1\nsecret-key=1\nsignature=1\n";
        let missing = error(sized);
        assert!(missing.starts_with("facts/x.toml: 'x': 'status' "), "{missing}");
        let whole = format!("{sized}status='standard'\nstandard='s'\nhardness='h'\n");
        assert!(parse::<Signature>("facts/x.toml", &whole).is_ok());
        let text = error(&format!("{whole}colour='red'"));
        assert!(text.starts_with("facts/x.toml: 'x': ") && text.contains("colour"), "{text}");
    }

    /// Sizes and standing of what is still being standardized, was replaced or came from a paper have a date and a
    /// source, since they are true of a version only.
    #[test]
    fn what_moves_says_when_it_was_looked_up() {
        fn moving<K: Kind>() {
            for algorithm in K::all() {
                let facts = algorithm.facts;
                let versioned = [" round ", "draft-"].iter().any(|word| facts.standard.contains(word));
                if !versioned && !matches!(facts.status, Status::Candidate | Status::Provisional) {
                    continue;
                }
                let checked =
                    facts.checked.as_ref().unwrap_or_else(|| panic!("{}: looked up when?", facts.name));
                assert!(is_day(&checked.date) && !checked.source.is_empty(), "{}: {checked:?}", facts.name);
            }
        }
        moving::<Signature>();
        moving::<crate::kind::Mac>();
        moving::<crate::kind::Hash>();
        moving::<crate::kind::Cipher>();
        moving::<crate::kind::Aead>();
    }

    #[test]
    fn a_change_after_an_attack_is_a_warning_for_a_time() {
        let note = |severity| Note {
            date: "2026-09-01".to_owned(),
            severity,
            text: String::new(),
            source: "x".to_owned(),
        };
        let changed = note(Severity::Changed);
        for (day, expected) in [
            ("2026-11-29T01:02:03Z", Severity::Warning),
            ("2028-08-31T23:59:59Z", Severity::Warning),
            ("2028-09-01T00:00:00Z", Severity::Info),
        ] {
            assert_eq!(changed.severity_on(day), expected, "{day}");
        }
        assert_eq!(note(Severity::Broken).severity_on("2040-01-01"), Severity::Broken);
    }

    /// What a mode betrays, it betrays with keys of any length.
    #[test]
    fn modes_that_betray_data_are_ruled_out() {
        for algorithm in crate::kind::Cipher::all() {
            let facts = algorithm.facts;
            let is_broken = facts.notes.iter().any(|note| note.severity == Severity::Broken);
            assert_eq!(is_broken, ["ECB", "CTR"].contains(&facts.kind.mode.as_str()), "{}", facts.name);
        }
    }

    /// Those of NIST's additional signatures that were attacked are all told by the one rule, or ruled out.
    #[test]
    fn every_attacked_scheme_has_its_entry() {
        for family in ["SQIsign", "MAYO", "SNOVA", "UOV", "HAWK"] {
            let all: Vec<_> =
                Signature::all().iter().map(|it| it.facts).filter(|it| it.family == family).collect();
            assert!(!all.is_empty(), "{family}");
            for facts in all {
                let least =
                    if facts.status == Status::Candidate { Severity::Changed } else { Severity::Warning };
                assert!(facts.notes.iter().any(|note| note.severity >= least), "{}", facts.name);
                if facts.status == Status::Candidate {
                    let changed = |note: &&Note| note.severity == Severity::Changed && is_day(&note.date);
                    assert_eq!(facts.notes.iter().filter(changed).count(), 1, "{}", facts.name);
                }
            }
        }
    }

    /// What a fact says stays true: it has a date and a source, and no age in words.
    #[test]
    fn no_fact_has_an_age() {
        const AGES: [&str; 14] = [
            "week",
            "month",
            "recent",
            "lately",
            "currently",
            "nowadays",
            "today",
            "so far",
            " yet",
            "still ",
            "soon",
            "brand-new",
            "newly",
            "until now",
        ];
        for entry in crate::entries() {
            let notes = entry.notes();
            assert!(
                notes.iter().all(|note| note.date.len() >= 4 && !note.source.is_empty()),
                "{}",
                entry.name()
            );
            let details = entry.details();
            let texts = notes.iter().map(|note| &note.text).chain(details.iter().map(|(_, value)| value));
            for text in texts {
                let age = AGES.iter().find(|age| text.contains(**age));
                assert!(age.is_none(), "{}: {age:?} in {text:?}", entry.name());
            }
        }
    }
}
