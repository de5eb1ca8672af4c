//! What a study measures of this carrier.

use std::path::{Path, PathBuf};

use fieldtest_catalog::kind::{Hash, Kind};
use fieldtest_git::{Options, Repository, destination};
use fieldtest_study::contest::Stage;
use fieldtest_study::part::settle;
use fieldtest_study::{Bench, Book, Part, StudyError};
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

impl Part for GitPart {
    fn carrier(&self) -> &'static str {
        NAME
    }

    fn kind(&self) -> &'static str {
        Hash::WORD
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn locate(&mut self, directory: &Path) {
        if let Some(repository) = &mut self.repository {
            *repository = directory.join(&repository);
        }
    }

    fn measure_on(&mut self, input: &Path) {
        self.repository = Some(input.to_path_buf());
    }

    fn settle(&mut self) -> Result<(), StudyError> {
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

    fn stage(&self) -> Option<&'static dyn Stage> {
        Some(&super::MessageStage)
    }

    fn run(&self, bench: &mut Bench<'_>, book: &mut Book) -> Result<(), StudyError> {
        super::run(bench, book, self)
    }
}
