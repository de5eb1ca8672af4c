//! A carrier's part of a study: what its table in a study file says, and how that is measured.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use fieldtest_catalog as catalog;
use fieldtest_catalog::kind::Kind;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::group::Stage;
use crate::selection::ALL;
use crate::{Bench, RecordWriter, StudyError};

/// What one carrier measures in a study.
pub trait Part: fmt::Debug {
    /// What is the same of all studies of it.
    fn about(&self) -> &'static About;

    /// The carrier's name.
    fn carrier(&self) -> &'static str {
        self.about().carrier
    }

    /// Its weight among the carriers that share the study's time.
    fn weight(&self) -> f64 {
        self.about().weight
    }

    /// What sets up those of its groups that are its own.
    fn stage(&self) -> Option<&'static dyn Stage> {
        self.about().stage
    }

    /// Measures these algorithms of its kinds, which are named as the catalog names them, and no others. Only what stands in study
    /// files is asked for that.
    fn restrict(&mut self, _algorithms: Vec<String>) {}

    /// What it is measured on, if that was named; nothing of the kind where it makes its data.
    fn input(&mut self) -> Option<&mut Option<PathBuf>> {
        None
    }

    /// Names what it is measured on relative to the directory of the file that named it.
    fn locate(&mut self, directory: &Path) {
        if let Some(Some(input)) = self.input() {
            *input = directory.join(&input);
        }
    }

    /// Finds out what is wrong with it before anything costs time, and gives every algorithm the catalog's name, however
    /// it was spelled.
    ///
    /// # Errors
    /// Unknown algorithms, and data that cannot be.
    fn settle(&mut self) -> Result<(), StudyError>;

    /// Refuses places for results that belong to what it is measured on.
    ///
    /// # Errors
    /// Which place, and whose it is.
    fn check_outputs(&self, _places: &[&Path]) -> Result<(), StudyError> {
        Ok(())
    }

    /// Makes the study and enters its records.
    ///
    /// # Errors
    /// What the carrier, the catalog or the measurement refuse.
    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError>;
}

/// What is the same of all studies of a carrier.
pub struct About {
    /// The carrier's name: of its table in study files, and of its study in records.
    pub carrier: &'static str,
    /// The words of the kinds of algorithms that it measures, as `fieldtest_catalog::kind` has them.
    pub kinds: &'static [&'static str],
    /// Its weight among the carriers that share the study's time.
    pub weight: f64,
    /// What sets up those of its groups that are its own.
    pub stage: Option<&'static dyn Stage>,
    /// The key of its table for what it is measured on, and those of what is made where that is not named, a space apart; empty for
    /// none.
    pub either: (&'static str, &'static str),
}

impl About {
    /// A study of these kinds, of the usual weight, without groups of its own.
    pub const fn of(carrier: &'static str, kinds: &'static [&'static str]) -> About {
        About { carrier, kinds, weight: 1.0, stage: None, either: ("", "") }
    }
}

/// A carrier of which a study can be made.
#[derive(Debug, Clone, Copy)]
pub struct Studied {
    /// The name of its table in study files.
    pub table: &'static str,
    /// Its part of the study in a text that has a table of this name.
    read: Read,
}

type Read = fn(&str, &'static str) -> Result<Box<dyn Part>, toml::de::Error>;

impl Studied {
    /// One whose tables are such parts.
    pub const fn of<P: Part + DeserializeOwned + Default + 'static>(name: &'static str) -> Studied {
        Studied { table: name, read: |text, name| Ok(Box::new(table::<P>(text, name)?)) }
    }

    /// Its part of the study in `text`; the default where that has no table of this name.
    ///
    /// # Errors
    /// What is wrong with the table, with its place in the text.
    pub fn part(&self, text: &str) -> Result<Box<dyn Part>, toml::de::Error> {
        (self.read)(text, self.table)
    }
}

/// Names as the catalog has them.
///
/// # Errors
/// Names that it does not have.
pub fn settle<K: Kind>(names: &mut [String]) -> Result<(), StudyError> {
    for name in names {
        *name = catalog::find::<K>(name)?.facts.name.clone();
    }
    Ok(())
}

/// Refuses names that no algorithm's implementation has; an algorithm may well lack one that others have.
///
/// # Errors
/// A name that there is none of.
pub fn known_implementations<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), StudyError> {
    for name in names.into_iter().filter(|name| *name != ALL) {
        catalog::implementation_name(name)?;
    }
    Ok(())
}

/// Refuses a number that a study's table cannot have.
///
/// # Errors
/// One outside of the range.
pub fn within<N: PartialOrd + fmt::Display>(
    carrier: &'static str,
    what: &str,
    number: N,
    range: RangeInclusive<N>,
) -> Result<(), StudyError> {
    if range.contains(&number) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(StudyError::of(carrier, format!("invalid {what} '{number}': expected {least} to {most}")))
}

/// What ratios refer to where a study's table names nothing else, and where it takes part.
pub const BASELINE: &str = "ecdsa-p256";

/// The baseline and the algorithms as the catalog has them.
///
/// # Errors
/// Names that it does not have; a baseline that somebody chose and that is not among the algorithms.
pub fn settle_with_baseline<K: Kind>(
    carrier: &'static str,
    baseline: &mut String,
    algorithms: &mut [String],
) -> Result<(), StudyError> {
    settle::<K>(std::slice::from_mut(baseline))?;
    settle::<K>(algorithms)?;
    if *baseline == BASELINE || algorithms.is_empty() || algorithms.contains(baseline) {
        return Ok(());
    }
    Err(StudyError::of(
        carrier,
        format!("the baseline '{baseline}' is not among the algorithms to measure; add it"),
    ))
}

/// The table `name` of a TOML text, so that whatever is wrong with it is told with its place in the whole text.
///
/// # Errors
/// What is wrong with the table; its default where the text has none.
pub fn table<P: DeserializeOwned + Default>(text: &str, name: &'static str) -> Result<P, toml::de::Error> {
    toml::de::Deserializer::parse(text)?.deserialize_map(Only { name, part: PhantomData })
}

/// Reads one table of several and passes over the rest.
struct Only<P> {
    name: &'static str,
    part: PhantomData<P>,
}

impl<'de, P: Deserialize<'de> + Default> Visitor<'de> for Only<P> {
    type Value = P;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a study with a table [{}]", self.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut tables: A) -> Result<P, A::Error> {
        let mut part = P::default();
        while let Some(name) = tables.next_key::<String>()? {
            if name == self.name {
                part = tables.next_value()?;
            } else {
                tables.next_value::<IgnoredAny>()?;
            }
        }
        Ok(part)
    }
}
