//! What a study measures of this carrier.

use fieldtest_catalog::kind::{Cipher, Kind};
use fieldtest_study::contest::Stage;
use fieldtest_study::part::settle;
use fieldtest_study::{Bench, Book, Part, StudyError};
use serde::Deserialize;

use crate::NAME;

/// The table `[disk]` of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DiskPart {
    /// Bytes per sector.
    pub sector_sizes: Vec<usize>,
    /// Mebibytes of the sample container.
    pub mebibytes: u32,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
}

impl Default for DiskPart {
    fn default() -> Self {
        DiskPart {
            sector_sizes: vec![512, 4096],
            mebibytes: 64,
            algorithms: Vec::new(),
            implementations: Vec::new(),
        }
    }
}

impl Part for DiskPart {
    fn carrier(&self) -> &'static str {
        NAME
    }

    fn kind(&self) -> &'static str {
        Cipher::WORD
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        super::check(self)?;
        settle::<Cipher>(&mut self.algorithms)
    }

    fn stage(&self) -> Option<&'static dyn Stage> {
        Some(&super::SectorStage)
    }

    fn run(&self, bench: &mut Bench<'_>, book: &mut Book) -> Result<(), StudyError> {
        super::run(bench, book, self)
    }
}
