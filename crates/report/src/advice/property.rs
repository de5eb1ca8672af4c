//! What algorithms have by which one can be chosen, and what of it suffices.

use fieldtest_measure::record::Record;
use fieldtest_verdict::{SOME_CONTENDED, SOME_UNCERTAIN};
use serde::Serialize;

use crate::number::written;
use crate::report::Report;
use crate::result::{caution, cautions, experiment_of, has_system_call, implementation, is_timed, least};
use crate::symbols::{CONTENDED, EXPERIMENT, UNCERTAIN};

/// Something that algorithms have, and by which one can be chosen.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Its name where it is typed and in JSON: `max-answer`.
    pub id: &'static str,
    /// What people call it: `largest typical response`.
    pub title: &'static str,
    /// What of it suffices.
    pub demand: Demand,
    /// What an algorithm has of it; `None` where the records do not say.
    pub of: Of,
}

/// What an algorithm has of a property.
pub type Of = fn(&Report, &str) -> Option<Held>;

/// What of a property suffices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// No more than a number of this unit.
    AtMost(&'static str),
    /// No less than a number of this unit.
    AtLeast(&'static str),
    /// One of some words, which are those that there are.
    OneOf(&'static [&'static str]),
    /// All of some words, of those that algorithms have.
    AllOf,
}

/// The words of a property that an algorithm has or has not.
pub(super) const YES_OR_NO: &[&str] = &["yes", "no"];
/// What an algorithm has of a property, and how that is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Held {
    /// What it has.
    #[serde(flatten)]
    pub value: Value,
    /// What of the carrier a result is of, where it is the largest of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// How that is known.
    pub evidence: Evidence,
}

/// What an algorithm has of a property.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Value {
    /// So much.
    Number(f64),
    /// These words; none of them is an answer, too.
    Words(Vec<String>),
    /// Nothing that could ever suffice, for this reason: the carrier cannot hold it.
    Refused(String),
}

/// A line of a recommendation: what an algorithm costs, or who has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fact {
    /// The line, without symbols.
    pub text: String,
    /// What to know of it.
    pub caveats: Vec<String>,
    /// Whether something in it was timed here.
    pub is_timed: bool,
}

impl From<String> for Fact {
    fn from(text: String) -> Fact {
        Fact { text, ..Fact::default() }
    }
}

impl Fact {
    /// This with what `more` says behind it.
    pub fn and(mut self, between: &str, more: Option<Fact>) -> Fact {
        if let Some(more) = more {
            self.text += between;
            self.text += &more.text;
            self.caveats.extend(more.caveats);
            self.is_timed |= more.is_timed;
        }
        self
    }
}

/// How something is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Evidence {
    /// A record of the run.
    Record(Box<Record>),
    /// A fact of the catalog, as the run entered it.
    Fact {
        /// What it says.
        text: String,
        /// Since when, or when it was looked up; may be empty.
        date: String,
        /// Where it is published; may be empty.
        source: String,
    },
}

impl Held {
    /// A record's result.
    pub fn result(record: &Record) -> Held {
        Held {
            value: Value::Number(record.value),
            of: None,
            evidence: Evidence::Record(Box::new(record.clone())),
        }
    }

    /// The first result of an operation, where there is one of its kind.
    pub fn first<'a>(
        mut records: impl Iterator<Item = &'a Record>,
        algorithm: &str,
        operation: &str,
        subject: &str,
    ) -> Option<Held> {
        let meant = |record: &&Record| {
            record.algorithm == algorithm && record.operation == operation && record.subject == subject
        };
        records.find(meant).map(Held::result)
    }

    /// What the quickest code takes; a kernel's, which has a system call in it, apart.
    pub fn quickest<'a>(
        records: impl Iterator<Item = &'a Record>,
        algorithm: &str,
        operation: &str,
        subject: &str,
    ) -> Option<Held> {
        let meant = records.filter(|record| {
            record.algorithm == algorithm
                && record.operation == operation
                && record.subject == subject
                && !has_system_call(record)
        });
        // Contended or not: else a row would mix implementations by who had a neighbour while it was measured.
        least(meant).map(Held::result)
    }

    /// Words that a fact says.
    pub fn words<W: Into<String>>(words: impl IntoIterator<Item = W>, evidence: Evidence) -> Held {
        Held { value: Value::Words(words.into_iter().map(Into::into).collect()), of: None, evidence }
    }

    /// A record that says that the carrier cannot hold it.
    pub fn refused(record: &Record, reason: impl Into<String>) -> Held {
        let evidence = Evidence::Record(Box::new(record.clone()));
        Held { value: Value::Refused(reason.into()), of: None, evidence }
    }

    /// The record that it is known by.
    pub fn record(&self) -> Option<&Record> {
        match &self.evidence {
            Evidence::Record(record) => Some(record),
            Evidence::Fact { .. } => None,
        }
    }

    /// The marks that a reader needs behind its result: how far it can be relied on, and whose code it is of.
    fn marks(&self) -> String {
        let Some(record) = self.record() else { return String::new() };
        let experiment = experiment_of(record).map(|_| EXPERIMENT);
        caution(record).into_iter().chain(experiment).map(|mark| mark.symbol).collect()
    }

    /// A line of a recommendation that is known by this. It has no symbols: what they mean are caveats.
    pub fn fact(&self, text: String) -> Fact {
        let timed = self.record().filter(|record| is_timed(record));
        let how = timed.into_iter().flat_map(cautions).map(|mark| match () {
            () if mark == CONTENDED => SOME_CONTENDED.to_owned(),
            () if mark == UNCERTAIN => SOME_UNCERTAIN.to_owned(),
            () => format!("Some timings are {}", mark.word),
        });
        let by = timed.filter(|record| experiment_of(record).is_some());
        let by = by.map(|record| format!("Timed with {}: {}", implementation(record), EXPERIMENT.word));
        Fact { text, caveats: how.chain(by).collect(), is_timed: timed.is_some() }
    }

    /// The result.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(number) => Some(number),
            Value::Words(_) | Value::Refused(_) => None,
        }
    }
}

impl Evidence {
    /// A fact without a date or a source of its own.
    pub fn fact(text: impl Into<String>) -> Evidence {
        Evidence::Fact { text: text.into(), date: String::new(), source: String::new() }
    }

    /// In a few words: which record, or what is stated where.
    pub fn in_words(&self) -> String {
        match self {
            Evidence::Record(record) => {
                let implementation = record.implementation.as_ref().map(|it| format!("by {}", it.name));
                let words = [record.operation.as_str(), &record.subject].map(str::to_owned);
                let notes = record.notes.first().filter(|_| record.samples == 0).cloned();
                let all =
                    words.into_iter().chain(implementation).chain([record.estimator.clone()]).chain(notes);
                all.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
            }
            Evidence::Fact { text, date, source } => {
                let source = source.trim_start_matches("https://").trim_start_matches("http://");
                let from: Vec<&str> = [source, date].into_iter().filter(|word| !word.is_empty()).collect();
                if from.is_empty() { text.clone() } else { format!("{text} [{}]", from.join(", ")) }
            }
        }
    }
}

impl Property {
    /// One of which no more than a bound suffices.
    pub const fn at_most(id: &'static str, title: &'static str, unit: &'static str, of: Of) -> Property {
        Property { id, title, demand: Demand::AtMost(unit), of }
    }

    /// One of which no less than a bound suffices.
    pub const fn at_least(id: &'static str, title: &'static str, unit: &'static str, of: Of) -> Property {
        Property { id, title, demand: Demand::AtLeast(unit), of }
    }

    /// One of some words.
    pub const fn one_of(
        id: &'static str,
        title: &'static str,
        words: &'static [&'static str],
        of: Of,
    ) -> Property {
        Property { id, title, demand: Demand::OneOf(words), of }
    }

    /// The unit of its results; none for words.
    pub fn unit(&self) -> Option<&'static str> {
        match self.demand {
            Demand::AtMost(unit) | Demand::AtLeast(unit) => Some(unit),
            Demand::OneOf(_) | Demand::AllOf => None,
        }
    }

    /// What an algorithm has as people write it: `4016 bytes`, `standard`; with the mark that its footnote explains.
    pub fn write(&self, held: &Held) -> String {
        let words = self.plain(held);
        match held.marks() {
            marks if marks.is_empty() || held.number().is_none() => words,
            marks => format!("{words} {marks}"),
        }
    }

    /// The same without its mark.
    fn plain(&self, held: &Held) -> String {
        match &held.value {
            Value::Number(number) => {
                // Whoever counts no cycles has nanoseconds.
                let own = held.record().filter(|record| record.value == *number);
                let result =
                    written(own.map_or(self.unit().unwrap_or_default(), |record| &record.unit), *number);
                let of = held.of.as_ref().map(|of| format!(" ({of})")).unwrap_or_default();
                let published = held.record().is_some_and(|record| record.estimator == "published");
                let published = if published { " (published)" } else { "" };
                format!("{result}{of}{published}")
            }
            Value::Words(words) if words.is_empty() => "none".to_owned(),
            Value::Words(words) => words.join(", "),
            Value::Refused(reason) => reason.clone(),
        }
    }

    /// What an algorithm has with words behind it, if that is known: `331 cycles for a segment`.
    pub fn fact(&self, report: &Report, algorithm: &str, words: &str) -> Option<Fact> {
        let held = Held { of: None, ..(self.of)(report, algorithm)? };
        Some(held.fact(match &held.value {
            // Whoever gave up to ask for it is to know what that means.
            Value::Refused(reason) => reason.clone(),
            _ => format!("{} {words}", self.plain(&held)),
        }))
    }

    /// A bound with its unit.
    pub fn write_bound(&self, number: f64) -> String {
        written(self.unit().unwrap_or_default(), number)
    }
}
