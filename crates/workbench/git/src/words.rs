//! The words of this study's records: written by the study, read by its chapter of a report.

use std::fmt;

use fieldtest_measure::words;

words! {
    /// What a record is a result of.
    #[non_exhaustive]
    pub enum Operation {
        /// A byte of messages hashed; the subject is [`Messages`]. Its lead has the same subject.
        Hash = "hash",
        /// The same by somebody else's results; the subject is [`Published`].
        HashPublished = "hash-published",
        /// All objects decoded and not hashed; the subject is a time.
        Decode = "decode",
        /// All objects decoded and hashed; the subject is a time.
        Rehash = "rehash",
        /// The share of `rehash` that is not `decode`; the subject is a time.
        Hashing = "hashing",
        /// All objects mapped to their new names; the subject is a time.
        Map = "map",
        /// Bytes that names take; the subject is a [`Storage`].
        Storage = "storage",
        /// Bits of security against collisions.
        Collision = "collision",
    }
}

words! {
    /// How messages are hashed.
    pub enum Way {
        /// One after the other.
        Single = "single",
        /// Many with one call.
        Many = "many",
    }
}

impl Way {
    /// As people call it.
    pub const fn in_words(self) -> &'static str {
        match self {
            Way::Single => "one at a time",
            Way::Many => "many at once",
        }
    }
}

words! {
    /// What takes the bytes that names take.
    #[non_exhaustive]
    pub enum Storage {
        /// All trees.
        Trees = "trees",
        /// A pack's index, version 2.
        PackIndex = "pack index",
        /// A list of every object's old and new name.
        BothNames = "both names",
        /// By how much trees and index grow, shared among the objects.
        MoreForEachObject = "more for each object",
    }
}

/// The sizes of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// So many bytes each.
    Bytes(u64),
    /// As the repository's own objects.
    Repository,
}

/// The word for a repository's own sizes.
const REPOSITORY: &str = "repository";

impl Size {
    /// Reads the word for a size.
    pub fn read(word: &str) -> Option<Size> {
        if word == REPOSITORY { Some(Size::Repository) } else { word.parse().ok().map(Size::Bytes) }
    }

    /// Within a sentence.
    pub fn in_words(self) -> String {
        match self {
            Size::Bytes(bytes) => format!("{bytes} bytes"),
            Size::Repository => "the repository's sizes".to_owned(),
        }
    }

    /// As the name of a column.
    pub fn heading(self) -> String {
        match self {
            Size::Bytes(bytes) => format!("{bytes} bytes"),
            Size::Repository => REPOSITORY.to_owned(),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Bytes(bytes) => bytes.fmt(f),
            Size::Repository => f.write_str(REPOSITORY),
        }
    }
}

/// Messages of one size, hashed in one way: `64 single`, `repository many`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Messages {
    /// Their size.
    pub size: Size,
    /// The way.
    pub way: Way,
}

impl Messages {
    /// Reads a subject.
    pub fn read(subject: &str) -> Option<Messages> {
        let (size, way) = subject.rsplit_once(' ')?;
        Some(Messages { size: Size::read(size)?, way: Way::from_word(way)? })
    }
}

impl fmt::Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.size, self.way)
    }
}

/// What others published a result of: `256 OpenSSL`, `long genji262`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published<'a> {
    /// Bytes of a message; `None` where messages are only said to be long.
    pub bytes: Option<u64>,
    /// The library, or the machine.
    pub by: &'a str,
}

/// The word for messages that are only said to be long.
const LONG: &str = "long";

impl<'a> Published<'a> {
    /// Reads a subject.
    pub fn read(subject: &'a str) -> Option<Published<'a>> {
        let (size, by) = subject.split_once(' ')?;
        let bytes = if size == LONG { None } else { Some(size.parse().ok()?) };
        Some(Published { bytes, by })
    }

    /// Its messages, as the name of a column.
    pub fn heading(bytes: Option<u64>) -> String {
        bytes.map_or_else(|| LONG.to_owned(), |bytes| Size::Bytes(bytes).heading())
    }
}

impl fmt::Display for Published<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            Some(bytes) => write!(f, "{bytes} {}", self.by),
            None => write!(f, "{LONG} {}", self.by),
        }
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::words::Time;
    use fieldtest_testing::words::writes_what_is_read;

    use super::*;
    use crate::{GitPart, STUDY_SECTION};

    fn is_known(operation: &str, subject: &str) -> Option<bool> {
        Some(match Operation::from_word(operation)? {
            Operation::Hash => Messages::read(subject).is_some(),
            Operation::HashPublished => Published::read(subject).is_some(),
            Operation::Decode | Operation::Rehash | Operation::Hashing | Operation::Map => {
                Time::from_word(subject).is_some()
            }
            Operation::Storage => Storage::from_word(subject).is_some(),
            Operation::Collision => subject.is_empty(),
        })
    }

    #[test]
    fn what_is_written_is_read_back() {
        for way in Way::ALL {
            for size in [Size::Bytes(64), Size::Repository] {
                let messages = Messages { size, way };
                assert_eq!(Messages::read(&messages.to_string()), Some(messages));
            }
        }
        for bytes in [Some(256), None] {
            let published = Published { bytes, by: "libb2, threaded" };
            assert_eq!(Published::read(&published.to_string()), Some(published));
        }
        assert_eq!(Messages { size: Size::Repository, way: Way::Many }.to_string(), "repository many");
    }

    #[test]
    fn a_study_writes_nothing_that_its_study_section_does_not_know() {
        let algorithms = ["sha-1", "sha-256", "blake2bp-256"].map(str::to_owned).to_vec();
        writes_what_is_read(
            &[&STUDY_SECTION],
            &GitPart { commits: 20, algorithms, ..GitPart::default() },
            is_known,
        );
    }
}
