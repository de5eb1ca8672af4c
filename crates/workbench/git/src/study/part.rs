//! What a study measures of this carrier.

use std::path::{Path, PathBuf};

use fieldtest_catalog::kind::{Hash, Kind};
use fieldtest_git::{Options, Repository, destination};
use fieldtest_study::part::{known_implementations, settle, within};
use fieldtest_study::{About, Bench, Part, RecordWriter, StudyError};
use serde::Deserialize;

use crate::NAME;

/// The table `[git]` of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GitPart {
    /// A repository, relative to the study's file, which is read and never written to; a generated one where there is
    /// none.
    pub repository: Option<PathBuf>,
    /// Commits of the generated repository.
    pub commits: u32,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
}

/// Whatever can be read of a repository is measured.
const OPTIONS: Options = Options { partial: true, shallow: true };

impl Default for GitPart {
    fn default() -> Self {
        GitPart { repository: None, commits: 1000, algorithms: Vec::new(), implementations: Vec::new() }
    }
}

const ABOUT: About = About {
    stage: Some(&super::MessageStage),
    either: ("repository", "commits"),
    ..About::of(NAME, &[Hash::WORD])
};

impl Part for GitPart {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn input(&mut self) -> Option<&mut Option<PathBuf>> {
        Some(&mut self.repository)
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        known_implementations(self.implementations.iter().map(String::as_str))?;
        within(NAME, "commits", self.commits, 1..=1_000_000)?;
        settle::<Hash>(&mut self.algorithms)
    }

    fn check_outputs(&self, places: &[&Path]) -> Result<(), StudyError> {
        // One that cannot be opened is refused when it is measured.
        let Some(Ok(repository)) = self.repository.as_ref().map(|path| Repository::open(path, &OPTIONS))
        else {
            return Ok(());
        };
        let check = |place: &&Path| destination::check_output(&repository, place);
        places.iter().try_for_each(check).map_err(|error| StudyError::of(NAME, error))
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        super::run(bench, writer, self)
    }
}
