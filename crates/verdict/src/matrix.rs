//! What algorithms have of the properties by which one can be chosen, as a report reads it off its records.

use crate::json::{objects, read, written};

// Properties that this crate knows by name; all others are the studies'.
/// How an algorithm stands.
pub const STATUS: &str = "status";
/// Whether it is meant to withstand a quantum computer.
pub const POST_QUANTUM: &str = "post-quantum";
/// Warnings about its security.
pub const WARNINGS: &str = "warnings";
/// Whether it hides what it is to hide.
pub const PROTECTS: &str = "protects";
/// Whether it notices what was changed.
pub const AUTHENTICATES: &str = "authenticates";
/// Its strength against classical attacks.
pub const STRENGTH: &str = "strength";

objects! {
    /// What recommendations are made of.
    pub struct Matrix {
        /// By what share the place of code in memory changes a result.
        pub layout: f64,
        /// Whether something was timed on a machine that was unfit for it.
        pub unfit: bool,
        /// What the mark of results by experimental code means, the mark first.
        pub experiment: String,
        /// Such code, and why it is.
        pub experiments: Vec<(String, String)>,
        /// One for each carrier.
        pub studies: Vec<Study>,
    }

    /// What one carrier's users decide by.
    pub struct Study {
        /// Its name.
        pub study: String,
        /// What is looked for: `signature for DNSSEC`.
        pub wanted: String,
        /// The constraints where nobody says otherwise, as they would be typed: property and value.
        pub usual: Vec<(String, String)>,
        /// The properties that algorithms are ranked by.
        pub by: Vec<String>,
        /// The properties of which a [refusal](Cell::is_refused) excludes, whatever else is asked.
        pub must: Vec<String>,
        /// All properties, in the order of [`Algorithm::has`].
        pub properties: Vec<Property>,
        /// All algorithms.
        pub algorithms: Vec<Algorithm>,
    }

    /// Something that algorithms have.
    pub struct Property {
        /// Its name where it is typed: `max-answer`.
        pub id: String,
        /// What people call it: `largest typical response`.
        pub title: String,
        /// The unit of results; `None` for words.
        pub unit: Option<String>,
        /// Whether a bound is the least that suffices.
        pub least: bool,
        /// Whether all words that are asked for are needed, and not one of them.
        pub all: bool,
        /// The words that there are.
        pub listed: Vec<String>,
        /// Those that some algorithm has, as they are offered.
        pub words: Vec<String>,
        /// Whether the records say anything of it for anybody.
        pub known: bool,
        /// Whether somebody can be first by it.
        pub ranks: bool,
    }

    /// An algorithm.
    pub struct Algorithm {
        /// The catalog's name.
        pub name: String,
        /// The name people write.
        pub title: String,
        /// What it costs and who has it, the most important first.
        pub facts: Vec<String>,
        /// The command to try next; empty where there is none.
        pub next: String,
        /// What to know before one takes it: `needs Linux 7.2; this host runs 6.18`.
        pub caveats: Vec<String>,
        /// What it has of each property; `None` where the records do not say.
        pub has: Vec<Option<Cell>>,
    }

    /// What an algorithm has of a property.
    pub struct Cell {
        /// So much.
        pub number: Option<f64>,
        /// These words; none of them is an answer, too.
        pub words: Option<Vec<String>>,
        /// The same as people write it; without both, why nothing could ever suffice.
        pub text: String,
        /// How that is known.
        pub evidence: String,
        /// Whether it was timed.
        pub timed: bool,
        /// Whether nobody may be first by it.
        pub unranked: bool,
        /// Whether its width is a bound for results without an interval.
        pub rough: bool,
        /// Of a contended result, by what share it may be too high.
        pub contended: Option<f64>,
        /// The timed result, where that is not the number.
        pub result: Option<f64>,
        /// The wider half of its interval on the scale of logarithms.
        pub width: Option<f64>,
        /// The name of the code that was timed, where that is an experiment.
        pub experiment: Option<String>,
    }
}

impl Matrix {
    /// As JSON.
    pub fn json(&self) -> String {
        written(self)
    }

    /// What [`Matrix::json`] wrote; `None` if that is something else.
    pub fn read(json: &str) -> Option<Matrix> {
        let fits =
            |it: &Study| it.algorithms.iter().all(|algorithm| algorithm.has.len() == it.properties.len());
        read(json).filter(|it: &Matrix| it.studies.iter().all(fits))
    }
}

impl Study {
    /// The place of a property.
    pub fn at(&self, id: &str) -> Option<usize> {
        self.properties.iter().position(|it| it.id == id)
    }

    pub(crate) fn cell(&self, algorithm: usize, at: usize) -> Option<&Cell> {
        self.algorithms[algorithm].has[at].as_ref()
    }
}

impl Cell {
    /// Whether the carrier cannot hold it.
    pub fn is_refused(&self) -> bool {
        self.number.is_none() && self.words.is_none()
    }

    /// Whether it has no error of measurement: it was counted or computed, and is no time that others published.
    pub(crate) fn is_exact(&self) -> bool {
        !self.timed && self.width.is_none()
    }

    /// Whether somebody may be first by it.
    pub fn may_lead(&self) -> bool {
        self.number.is_some() && !self.unranked
    }

    pub(crate) fn words(&self) -> &[String] {
        self.words.as_deref().unwrap_or_default()
    }
}
