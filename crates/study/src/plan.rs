//! Studies as data: which carriers measure what within which time, in TOML.

use std::path::Path;
use std::time::Duration;

use fieldtest_text::{near, toml as toml_words};
use serde::Deserialize;

use crate::StudyError;
use crate::part::{Part, Studied, table};

/// The longest time for a study, in seconds: some 30 years.
pub const LONGEST: f64 = 1e9;

/// A study.
#[derive(Debug, Default)]
pub struct Plan {
    /// How it is measured.
    pub measure: Measure,
    /// What the carriers that take part measure, in the order in which they do.
    pub parts: Vec<Box<dyn Part>>,
}

/// How a study is measured.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Measure {
    /// Decides every random choice.
    pub seed: u64,
    /// Each ratio's 95 % interval is to be within ± this share.
    pub target: f64,
    /// Time for the whole study, in seconds.
    pub budget_seconds: f64,
    /// Measure every implementation and every operation, not only what decides.
    pub thorough: bool,
}

impl Default for Measure {
    fn default() -> Self {
        Measure { seed: 1, target: 0.005, budget_seconds: 100.0, thorough: false }
    }
}

impl Measure {
    /// Refuses values that no measurement can follow; the text says which and why.
    pub fn check(&self) -> Result<(), String> {
        if !(self.target > 0.0 && self.target < 1.0) {
            return Err(format!("invalid target '{}': expected a share between 0 and 1", self.target));
        }
        if !(self.budget_seconds > 0.0 && self.budget_seconds <= LONGEST) {
            let given = self.budget_seconds;
            return Err(format!(
                "invalid budget-seconds '{given}': expected seconds above 0, at most {LONGEST}"
            ));
        }
        Ok(())
    }

    /// Time for the whole study.
    pub fn budget(&self) -> Duration {
        Duration::try_from_secs_f64(self.budget_seconds).unwrap_or(Duration::ZERO)
    }
}

impl Plan {
    /// The table that says how it is measured.
    pub const MEASURE: &str = "measure";

    /// A study of one carrier.
    pub fn of(part: impl Part + 'static) -> Plan {
        Plan { measure: Measure::default(), parts: vec![Box::new(part)] }
    }

    /// Finds out what is wrong with any carrier's part, before another's costs its time; every algorithm gets the
    /// catalog's name, however it was spelled.
    ///
    /// # Errors
    /// Unknown algorithms and baselines, and data that cannot be.
    pub fn settle(&mut self) -> Result<(), StudyError> {
        self.parts.iter_mut().try_for_each(|part| part.settle())
    }

    /// The share of the time that the part at `at` has once those before it are through: its weight's of what is `left` of
    /// the `budget`, and half of what it had of all of it at least.
    pub fn share(&self, at: usize, budget: Duration, left: Duration) -> Duration {
        let weights = || self.parts.iter().map(|part| part.weight());
        let own = weights().nth(at).unwrap_or_default();
        let (all, to_come): (f64, f64) = (weights().sum(), weights().skip(at).sum());
        left.mul_f64(own / to_come).max(budget.mul_f64(own / all / 2.0))
    }

    /// The study that `text` says; `path` is where the text is from.
    ///
    /// # Errors
    /// What is no study; the text says what is wrong where.
    pub fn parse(text: &str, path: &Path, carriers: &[Studied]) -> Result<Plan, StudyError> {
        let fault = |text: String| StudyError::Plan { path: path.to_path_buf(), text };
        let refused =
            |error: &toml::de::Error| fault(toml_words::value(text, error.span(), &as_typed(text, error)));
        let tables: toml::Table = toml::from_str(text)
            .map_err(|error| fault(toml_words::syntax(text, error.span(), error.message())))?;
        let names = || carriers.iter().map(|carrier| format!("[{}]", carrier.table));
        let of_name = |name: &str, what: String| fault(toml_words::of_name(text, name, &what));
        // `invalid KEY '7': …`, or a value of the file in quotes.
        let of_value = |said: String| {
            let (before, quoted) = said.split_once('\'').unwrap_or_default();
            let value = quoted.split('\'').next().unwrap_or_default();
            let name = before.split_once("invalid ").map_or(value, |(_, key)| key.trim()).to_owned();
            if name.is_empty() { fault(said) } else { of_name(&name, said) }
        };
        let is_known = |name: &str| name == Plan::MEASURE || carriers.iter().any(|it| it.table == name);
        if let Some((unknown, value)) = tables.iter().find(|(name, _)| !is_known(name)) {
            let known = || names().collect::<Vec<_>>().join(", ");
            let tables = carriers.iter().map(|carrier| carrier.table).chain([Plan::MEASURE]);
            let shown = fieldtest_text::shortened(unknown);
            return Err(of_name(
                unknown,
                match near::nearest(unknown, tables) {
                    Some(meant) => format!("unknown table [{shown}]; did you mean [{meant}]?"),
                    None if !value.is_table() => {
                        let alone = |table: &str| format!("[{table}]\n{unknown} = {value}\n");
                        let measure = table::<Measure>(&alone(Plan::MEASURE), Plan::MEASURE);
                        let takers = carriers.iter().filter(|it| it.part(&alone(it.table)).is_ok());
                        let takers = measure.iter().map(|_| Plan::MEASURE).chain(takers.map(|it| it.table));
                        let takers: Vec<String> = takers.map(|name| format!("[{name}]")).collect();
                        let takers =
                            if takers.is_empty() { "a table".to_owned() } else { takers.join(" or ") };
                        format!("'{shown}' is in no table; write it below {takers}")
                    }
                    None => format!("unknown table [{shown}]; tables are [{}], {}", Plan::MEASURE, known()),
                },
            ));
        }
        // An empty list would pass for a table without values.
        if let Some((name, _)) = tables.iter().find(|(_, value)| !value.is_table()) {
            let what = format!("'{name}' is not a table; give it a line [{name}] and its values below");
            return Err(of_name(name, what));
        }
        let mut plan =
            Plan { measure: table(text, Plan::MEASURE).map_err(|error| refused(&error))?, parts: Vec::new() };
        for carrier in carriers.iter().filter(|carrier| tables.contains_key(carrier.table)) {
            let part = carrier.part(text).map_err(|error| refused(&error))?;
            let (input, made) = part.about().either;
            let has = |key: &str| tables[carrier.table].get(key).is_some();
            if let Some(made) = made.split(' ').find(|made| has(input) && has(made)) {
                return Err(of_name(made, format!("'{made}' has no effect with '{input}'; remove it")));
            }
            let names_none = |key: &&str| {
                tables[carrier.table].get(*key).and_then(toml::Value::as_array).is_some_and(Vec::is_empty)
            };
            if let Some(key) = SELECTING.into_iter().find(|key| names_none(key)) {
                return Err(of_name(key, format!("'{key}' is empty; name one, or remove the key")));
            }
            plan.parts.push(part);
        }
        if plan.parts.is_empty() {
            let names = names().collect::<Vec<_>>().join(" or ");
            return Err(fault(format!("no carrier is selected; add a table {names}")));
        }
        plan.measure.check().map_err(of_value)?;
        plan.settle().map_err(|error| {
            of_value(match error {
                StudyError::UnknownName(name) if name.wants_list() => {
                    format!("{name}; 'fieldtest list' shows them all")
                }
                error => error.to_string(),
            })
        })?;
        // Inputs are named relative to the file that names them.
        let beside = path.parent().unwrap_or(Path::new(""));
        plan.parts.iter_mut().for_each(|part| part.locate(beside));
        Ok(plan)
    }
}

/// The keys of every carrier's table that select; without them all are selected, with an empty list none would be.
const SELECTING: [&str; 2] = ["algorithms", "implementations"];

/// Reads a file in TOML that a user wrote.
///
/// # Errors
/// What is wrong with it, in one line with its place.
pub fn from_toml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let tables = toml::from_str::<toml::Table>(text);
    tables.map_err(|error| toml_words::syntax(text, error.span(), error.message()))?;
    toml::from_str(text).map_err(|error| {
        let words = error.span().filter(|_| error.message() == NO_WORD).and_then(|at| {
            let mut other = text.to_owned();
            other.replace_range(at.clone(), "''");
            let error = toml::from_str::<T>(&other).err()?;
            let (_, words) = error.message().split_once(", expected ")?;
            Some(format!("invalid type: `{}`, expected {}", &text[at], words.replace('`', "'")))
        });
        toml_words::value(text, error.span(), &words.unwrap_or_else(|| as_typed(text, &error)))
    })
}

/// What the parser says of a value, with a number as it was typed: `1e3` has become 1000.0.
fn as_typed(text: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    let typed = error.span().and_then(|at| text.get(at)).filter(|typed| typed.parse::<f64>().is_ok());
    match (
        message.strip_prefix("invalid type: floating point `").and_then(|rest| rest.split_once('`')),
        typed,
    ) {
        (Some((_, rest)), Some(typed)) => format!("invalid type: floating point `{typed}`{rest}"),
        _ => message.to_owned(),
    }
}

/// What the parser says of a number where one of a few words has to be. It names the words only if it is given another.
const NO_WORD: &str = "wanted string or table";

#[cfg(test)]
mod tests;
