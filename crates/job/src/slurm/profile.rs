//! What the user says of a cluster, and what a job would not bear of it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;

use serde::Deserialize;

use super::options;
use crate::error::failed;
use crate::{JobError, files};

/// Tasks of one array where the profile does not say: `MaxArraySize` is 1001 where nobody set it.
const LARGEST_ARRAY: usize = 1_000;

/// How a cluster is asked for its nodes, a TOML file. What is absent is left to the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// `--partition`.
    pub partition: Option<String>,
    /// `--account`.
    pub account: Option<String>,
    /// `--time`, the longest that an item may take, as sbatch(1) has it.
    pub time: Option<String>,
    /// `--mem` for each item, as sbatch(1) has it.
    pub memory: Option<String>,
    /// `--cpus-per-task`.
    pub cpus: Option<u32>,
    /// `--exclusive`: an item has its node to itself.
    pub exclusive: bool,
    /// The most items that run at once.
    pub at_once: Option<u32>,
    /// The most items of one array, which is one less than the cluster's `MaxArraySize`; 1000 if absent.
    pub array: Option<NonZeroU32>,
    /// How often an item is handed in before it counts as failed for good; 3 if absent.
    pub attempts: Option<u32>,
    /// Further options of sbatch, as they are.
    pub options: Vec<String>,
    /// Lines of shell that run before each item: `module load …`.
    pub before: Vec<String>,
    /// Kinds of host that items may ask for.
    pub classes: BTreeMap<String, Class>,
}

/// How a kind of host is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Class {
    /// Options of sbatch, such as `--constraint=zen4`, behind those of the profile.
    pub options: Vec<String>,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    ///
    /// [`JobError::Profile`]; the file cannot be read.
    pub fn read(path: &Path) -> Result<Profile, JobError> {
        let wrong = |what: String| JobError::Profile { path: path.to_path_buf(), what };
        let text = files::read_named(path).map_err(|source| failed("read", path, source))?;
        let profile: Profile = toml::from_str(&text).map_err(|error| wrong(located(&text, &error)))?;
        let named = [&profile.partition, &profile.account, &profile.time, &profile.memory];
        let unfit = |value: &&String| value.chars().any(char::is_control) || value.is_empty();
        let of_classes = profile.classes.values().flat_map(|class| &class.options);
        let own = profile.options.iter().chain(of_classes.clone());
        if let Some((option, own)) = own.clone().find_map(|option| Some((option, options::own(option)?))) {
            return Err(wrong(format!(
                "the option {option:?} is {own}, which the job sets itself; leave it out"
            )));
        }
        let numbers = [("attempts", profile.attempts), ("at_once", profile.at_once), ("cpus", profile.cpus)];
        if let Some((name, _)) = numbers.iter().find(|(_, number)| *number == Some(0)) {
            return Err(wrong(format!("{name} = 0 does nothing; give 1 or more, or leave it out")));
        }
        let found = named.into_iter().flatten().chain(own);
        let found = found.chain(profile.classes.keys()).find(unfit).cloned();
        match found {
            Some(value) => {
                Err(wrong(format!("{value:?} is no option of sbatch and no class; each stands in one line")))
            }
            None => Ok(profile),
        }
    }

    pub(super) fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(3)
    }

    pub(super) fn largest_array(&self) -> usize {
        self.array.and_then(|most| usize::try_from(most.get()).ok()).unwrap_or(LARGEST_ARRAY)
    }
}

/// What is wrong with a TOML file, and where, in one line.
fn located(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let what: Vec<&str> = error.message().split_whitespace().collect();
    format!("line {line}, column {column}: {}", what.join(" "))
}
